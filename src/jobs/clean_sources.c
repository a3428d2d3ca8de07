/* clean_sources.c - class probabilities of rows from several models: one row at a time, whether we
 * computed them or a file has them. */
#include "jobs/clean_job.h"

bool sustain__clean_computes(const sustain_clean *c, int m) {
    if (!c->features || c->bilevel || m == SUSTAIN__SOURCE_PLAIN) return c->features;
    return m == SUSTAIN__SOURCE_CORRECTED && c->options.pred_prob_count == 0;
}

int sustain__clean_computed(const sustain_clean *c) {
    int count = 0;
    for (int m = 0; m < SUSTAIN__SOURCES_OWN; m++) count += sustain__clean_computes(c, m);
    return count;
}

int sustain__clean_ratio_source(const sustain_clean *c, const sustain_clean_result *r) {
    const bool again = c->source[SUSTAIN__SOURCE_CORRECTED].known && c->options.pred_prob_count == 0;
    return r->ranking == SUSTAIN_CLEAN_RANKING_RATIO && again ? SUSTAIN__SOURCE_CORRECTED : SUSTAIN__SOURCE_PLAIN;
}

void sustain__clean_source_row(const sustain_clean *c, int m, int64_t i, float *p) {
    const sustain__clean_source *s = &c->source[m];
    const int64_t classes = c->options.classes;
    if (s->views == NULL) {
        sustain_probabilities_row(s->file, i, p);
        return;
    }
    for (int64_t k = 0; k < classes; k++) p[k] = s->views[i * classes + k];
}

void sustain__clean_adjust(const sustain_clean *c, float *p) {
    for (int64_t k = 0; k < c->options.classes && c->threshold != NULL; k++) p[k] /= c->threshold[k];
}

void sustain__clean_plain_row(const sustain_clean *c, int64_t i, float *p, float *scratch) {
    const int files = c->options.pred_prob_count;
    if (files == 0) {
        sustain__clean_source_row(c, SUSTAIN__SOURCE_PLAIN, i, p);
        if (!(c->fourier.share > 0)) return;
        sustain__clean_source_row(c, SUSTAIN__SOURCE_FOURIER, i, scratch);
        sustain__clean_mix(c->options.classes, c->fourier.share, scratch, p);
        return;
    }
    for (int64_t k = 0; k < c->options.classes; k++) p[k] = 0;
    for (int f = 0; f < files; f++) {
        sustain_probabilities_row(c->options.pred_probs[f], i, scratch);
        for (int64_t k = 0; k < c->options.classes; k++) p[k] += scratch[k] / (float)files;
    }
}

sustain__source_list sustain__clean_list(const sustain_clean *c, bool outside) {
    sustain__source_list list = {.count = 0};
    for (int m = 0; m < SUSTAIN_CLEAN_MOST_SOURCES; m++)
        if (c->source[m].known && (!outside || c->outside == 0 || c->source[m].trusted_views != NULL || c->source[m].trusted_file != NULL))
            list.at[list.count++] = m;
    return list;
}

static void take_logarithms(int64_t n, float *p) {
    for (int64_t i = 0; i < n; i++) p[i] = sustain__blend_log(p[i]);
}

void sustain__clean_logs(const sustain_clean *c, const sustain__source_list *list, int64_t i, float *logs) {
    const int64_t classes = c->options.classes;
    for (int m = 0; m < list->count; m++) sustain__clean_source_row(c, list->at[m], i, logs + m * classes);
    take_logarithms(list->count * classes, logs);
}

/* The same of a trusted row from elsewhere. */
static void outside_logs(const sustain_clean *c, const sustain__source_list *list, int64_t i, float *logs) {
    const int64_t classes = c->options.classes;
    for (int m = 0; m < list->count; m++) {
        const sustain__clean_source *s = &c->source[list->at[m]];
        float *p = logs + m * classes;
        if (s->trusted_views == NULL) sustain_probabilities_row(s->trusted_file, i, p);
        for (int64_t k = 0; k < classes && s->trusted_views != NULL; k++) p[k] = s->trusted_views[i * classes + k];
    }
    take_logarithms(list->count * classes, logs);
}

sustain_status sustain__clean_labelled(const sustain_clean *c, const sustain__source_list *list, bool with_given, sustain__labelled *rows) {
    const int64_t classes = c->options.classes, outside = with_given ? 0 : c->outside, count = outside + c->verified_count;
    const int64_t wide = list->count * classes;
    float *logs;
    SUSTAIN_TRY(sustain__allocate(
        c->context, sustain__multiply((size_t)count, sustain__multiply((size_t)wide, sizeof *logs) + 2 * sizeof(int32_t)), &logs));
    int32_t *given = (int32_t *)(void *)(logs + count * wide), *right = given + count;
    for (int64_t j = 0; j < outside; j++) {
        outside_logs(c, list, j, logs + j * wide);
        right[j] = c->right[j];
    }
    for (int64_t j = outside; j < count; j++) {
        const int64_t i = c->verified_rows[j - outside];
        sustain__clean_logs(c, list, i, logs + j * wide);
        given[j] = c->given[i];
        right[j] = c->verified[i];
    }
    *rows = (sustain__labelled){
        .count = count, .classes = classes, .sources = list->count, .logs = logs, .given = with_given ? given : NULL, .right = right};
    return SUSTAIN_OK;
}

void sustain__clean_labelled_free(const sustain_clean *c, sustain__labelled *rows) {
    sustain__free(c->context, (void *)(uintptr_t)rows->logs);
    rows->logs = NULL;
}
