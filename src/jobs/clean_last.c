/* clean_last.c - the classifier that the job returns: plain, trusted, channel and corrected,
 * blended. A blend of softmax regressions is one again,
 *
 *   y = sum over sources m of s_m y_m + b,
 *
 * with shares s and bias b fitted on the trusted rows, out of fold. Without trusted rows: labels as
 * given, weighted by their quality. */
#include "core/vector.h"
#include "jobs/clean_finish.h"

/* Logarithms of what our own sources say of the trusted rows; freed by the caller. */
static sustain_status last_rows(sustain__finishing *f, sustain__labelled *rows) {
    static const double centre[SUSTAIN__SOURCES_OWN] = {[SUSTAIN__SOURCE_CHANNEL] = 0.5, [SUSTAIN__SOURCE_CORRECTED] = 0.5};
    const sustain_clean *c = f->c;
    const int64_t classes = c->options.classes, n = c->trusted.count;
    float *logs;
    SUSTAIN_TRY(sustain__allocate(c->context, sustain__multiply((size_t)(n * classes), SUSTAIN__SOURCES_OWN * sizeof *logs), &logs));
    for (int64_t i = 0; i < n; i++)
        for (int m = 0; m < SUSTAIN__SOURCES_OWN; m++)
            for (int64_t k = 0; k < classes; k++)
                logs[(i * SUSTAIN__SOURCES_OWN + m) * classes + k] = sustain__blend_log(c->source[m].trusted_views[i * classes + k]);
    *rows = (sustain__labelled){
        .count = n, .classes = classes, .sources = SUSTAIN__SOURCES_OWN, .logs = logs, .right = c->right, .centre = centre};
    return SUSTAIN_OK;
}

/* y <- sum of the sources' classifiers by their shares, with the blend's bias. */
static void add_up(sustain__finishing *f, const sustain__blend *blend) {
    sustain_clean *c = f->c;
    const int64_t size = sustain__clean_size(c), classes = c->options.classes;
    sustain__zero(size, c->y);
    for (int m = 0; m < SUSTAIN__SOURCES_OWN; m++) sustain__add(size, (double)blend->theta[m], c->source[m].y, c->y);
    if (!c->options.intercept) return;
    for (int64_t k = 0; k < classes; k++) c->y[size - classes + k] += blend->theta[blend->sources + 1 + k];
}

static sustain_status last_by_blend(sustain__finishing *f) {
    sustain_clean *c = f->c;
    sustain__labelled rows;
    sustain__blend blend = {.theta = NULL};
    SUSTAIN_TRY(last_rows(f, &rows));
    sustain_status status = sustain__blend_create(c->context, &rows, &blend);
    if (status == SUSTAIN_OK) status = sustain__blend_fit(c->context, &rows, &blend, f->trusted_views);
    if (status == SUSTAIN_OK) {
        f->result->trusted_accuracy = sustain__clean_trusted_share(c, f->trusted_views);
        add_up(f, &blend);
    }
    sustain__blend_free(c->context, &blend);
    sustain__free(c->context, (void *)(uintptr_t)rows.logs);
    return status;
}

/* The mean of two classifiers on all rows: one on the labels that the verdict suggests, one on the
 * labels as given, each weighted by the square of the probability that it is right. Their errors
 * differ: the first learns from all rows, the second from rows that are almost certain. */
static sustain_status refit_corrected(sustain__finishing *f) {
    sustain_clean *c = f->c;
    const int64_t size = sustain__clean_size(c);
    sustain_real *y = c->source[SUSTAIN__SOURCE_CORRECTED].y;
    sustain__fitted w = sustain__clean_corrections(f, SUSTAIN__REFIT_ITERATIONS);
    w.model = SUSTAIN__MODEL_REFIT_CORRECTED;
    sustain__zero(size, y);
    for (int kind = 0; kind < 2; kind++) {
        sustain__zero(size, f->y);
        SUSTAIN_TRY(sustain__clean_fit_all(f, &w));
        sustain__add(size, 0.5, f->y, y);
        for (int64_t i = 0; i < c->training.count; i++) f->keep[i] = c->quality[i] * c->quality[i];
        w.labels = NULL, w.model = SUSTAIN__MODEL_REFIT_KEPT;
    }
    return SUSTAIN_OK;
}

sustain_status sustain__clean_last(sustain__finishing *f) {
    sustain_clean *c = f->c;
    if (!c->bilevel) return sustain__clean_refit(f, c->quality, SUSTAIN__MODEL_REFIT_KEPT, c->y);
    SUSTAIN_TRY(refit_corrected(f));
    return last_by_blend(f);
}
