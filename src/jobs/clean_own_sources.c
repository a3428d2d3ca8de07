/* clean_own_sources.c - what the job's own classifiers say of every row, each by models that were
 * not trained on its label:
 *
 *   plain       all labels as given, out of fold
 *   trusted     the trusted rows alone (verified rows among them), out of fold for these
 *   channel     all rows, whose labels pass through the noise that these two show, from the
 *               solver's y on; then for each fold the rows of the other folds and the trusted ones
 *   corrected   the labels that a verdict by the sources above suggests, out of fold */
#include <math.h>
#include <string.h>

#include "core/vector.h"
#include "jobs/clean_finish.h"
#include "jobs/noise.h"

/* Iterations of the fits. */
enum {
    PLAIN_ITERATIONS = 12, /* from zero on */
    TRUSTED_ITERATIONS = 12,
    COMMON_ITERATIONS = 20,     /* channel: on all rows, where its folds begin ... */
    FOLD_ITERATIONS = 8,        /* ... on the other folds, with many rows ... */
    MOST_FOLD_ITERATIONS = 60,  /* ... and at most so many more with few ... */
    SPARSE_FOLD_ITERATIONS = 4, /* ... or sparse rows, whose models are long and fits costly ... */
    LAST_ITERATIONS = 5,        /* ... and on all rows again, from the mean of the folds on */
    WARM_LAST_ITERATIONS = 2    /* the same from the classifiers of an earlier run on */
};
#define FEW_ROWS 1e5 /* one more iteration a fold for each time that the training rows go into so many */

static void mean_of_folds(const sustain__finishing *f, sustain_real *y) {
    const int64_t size = sustain__clean_size(f->c), folds = f->c->options.folds;
    sustain__zero(size, y);
    for (int64_t k = 0; k < folds; k++) sustain__add(size, 1 / (double)folds, f->folds_y + k * size, y);
}

void sustain__clean_copy_verified(const sustain_clean *c, sustain__clean_source *s) {
    const size_t classes = (size_t)c->options.classes;
    for (int64_t v = 0; v < c->verified_count; v++)
        memcpy(s->views + (size_t)c->verified_rows[v] * classes, s->trusted_views + (size_t)(c->outside + v) * classes,
               classes * sizeof(float));
}

/* What the classifier of its fold says of each trusted row, and the mean of these classifiers. */
static sustain_status take_trusted_views(sustain__finishing *f, sustain__clean_source *s) {
    const sustain_clean *c = f->c;
    if (c->trusted.count > 0) SUSTAIN_TRY(sustain__clean_predict_folds(f, &c->trusted, &c->trusted_folds, s->trusted_views));
    mean_of_folds(f, s->y);
    if (s->folds_y != NULL) sustain__copy(c->options.folds * sustain__clean_size(c), f->folds_y, s->folds_y);
    s->known = true;
    return SUSTAIN_OK;
}

/* The same, of training rows too. */
static sustain_status take_views(sustain__finishing *f, sustain__clean_source *s) {
    const sustain_clean *c = f->c;
    SUSTAIN_TRY(sustain__clean_predict_folds(f, &c->training, &c->training_folds, s->views));
    SUSTAIN_TRY(take_trusted_views(f, s));
    sustain__clean_copy_verified(c, s);
    return SUSTAIN_OK;
}

sustain_status sustain__clean_plain_source(sustain__finishing *f) {
    sustain_clean *c = f->c;
    sustain__clean_source *s = &c->source[SUSTAIN__SOURCE_PLAIN];
    s->name = "all labels as given, out of fold";
    sustain__zero(sustain__clean_size(c), f->y);
    SUSTAIN_TRY(
        sustain__clean_fit_folds(f, &(sustain__fitted){.training = true, .model = SUSTAIN__MODEL_PLAIN, .iterations = PLAIN_ITERATIONS}));
    return take_views(f, s);
}

/* None of the classifiers on trusted rows has seen a row that is not verified: their mean is better
 * than that of its fold. */
static sustain_status average_trusted(sustain__finishing *f) {
    const sustain_clean *c = f->c;
    sustain__clean_source *s = &f->c->source[SUSTAIN__SOURCE_TRUSTED];
    const int64_t n = c->training.count * c->options.classes, folds = c->options.folds;
    memset(s->views, 0, (size_t)n * sizeof *s->views);
    for (int64_t k = 0; k < folds; k++) {
        SUSTAIN_TRY(sustain__clean_predict_all(f, f->folds_y + k * sustain__clean_size(c)));
        for (int64_t i = 0; i < n; i++) s->views[i] += f->views[i] / (float)folds;
    }
    sustain__clean_copy_verified(c, s);
    return SUSTAIN_OK;
}

static sustain_status estimate_noise(sustain__finishing *f) {
    sustain_clean *c = f->c;
    const sustain__clean_source *s = &c->source[SUSTAIN__SOURCE_TRUSTED];
    double rate, error;
    const sustain__views v = {.classes = c->options.classes,
                              .count = c->training.count,
                              .training = s->views,
                              .given = c->given,
                              .trusted_count = c->trusted.count,
                              .trusted = s->trusted_views,
                              .right = c->right};
    return sustain__noise_estimate(c->context, &v, &rate, &error, c->noise);
}

/* With the noise of labels: by a blend that is fitted on the verified rows, which compares them
 * with the others and so wants one fold's word of each; or, with few of them, by the trusted
 * rows. */
static sustain_status trusted_source(sustain__finishing *f) {
    sustain_clean *c = f->c;
    sustain__clean_source *s = &c->source[SUSTAIN__SOURCE_TRUSTED];
    const bool verified = sustain__clean_by_verified(c);
    s->name = "trusted rows alone";
    sustain__zero(sustain__clean_size(c), f->y);
    SUSTAIN_TRY(sustain__clean_fit_folds(f, &(sustain__fitted){.trusted = true, .iterations = TRUSTED_ITERATIONS}));
    SUSTAIN_TRY(verified ? take_views(f, s) : take_trusted_views(f, s));
    if (verified) SUSTAIN_TRY(sustain__clean_noise_by_blend(c));
    SUSTAIN_TRY(average_trusted(f));
    return verified ? SUSTAIN_OK : estimate_noise(f);
}

/* Few rows leave more of a label in the classifier at which its fold begins, and cost less. */
static int64_t fold_iterations(const sustain_clean *c) {
    const double more = FEW_ROWS / (double)c->training.count;
    const double most = c->training.start != NULL ? SPARSE_FOLD_ITERATIONS : MOST_FOLD_ITERATIONS;
    return FOLD_ITERATIONS + (int64_t)fmin(more, most);
}

/* The trusted rows have no part in where the folds begin, so that those of a fold are new to its
 * classifier. */
static sustain_status channel_source(sustain__finishing *f, const sustain_real *y) {
    sustain_clean *c = f->c;
    sustain__clean_source *s = &c->source[SUSTAIN__SOURCE_CHANNEL];
    s->name = "bilevel start, labels through the noise model";
    sustain__copy(sustain__clean_size(c), y, f->y);
    sustain__fitted w = {.training = true, .noise = c->noise, .iterations = COMMON_ITERATIONS};
    if (c->start == NULL) SUSTAIN_TRY(sustain__clean_fit_all(f, &w)); /* else each fold knows where to begin */
    w.trusted = true, w.model = SUSTAIN__MODEL_CHANNEL, w.iterations = fold_iterations(c);
    SUSTAIN_TRY(sustain__clean_fit_folds(f, &w));
    SUSTAIN_TRY(take_views(f, s));
    sustain__copy(sustain__clean_size(c), s->y, f->y);
    w.model = SUSTAIN__MODEL_NONE, w.iterations = c->start != NULL ? WARM_LAST_ITERATIONS : LAST_ITERATIONS;
    SUSTAIN_TRY(sustain__clean_fit_all(f, &w));
    sustain__copy(sustain__clean_size(c), f->y, s->y);
    return SUSTAIN_OK;
}

sustain_status sustain__clean_bilevel_sources(sustain__finishing *f, const sustain_real *y) {
    SUSTAIN_TRY(trusted_source(f));
    return channel_source(f, y);
}

/* The weight of a label in the second round, with nothing checked: a power of its quality. Higher
 * powers gain on tables and lose on text: AUC to that of the cube, as in clean_rank.c, with power 1
 * -0.0035 on Spambase, -0.0047 on Adult, +0.0005 on WebKB; with 5 +0.0019, +0.0009, -0.0021. */
static float second_round_weight(float quality) {
    return quality * quality * quality;
}

sustain_status sustain__clean_corrected_source(sustain__finishing *f) {
    sustain_clean *c = f->c;
    sustain__clean_source *s = &c->source[SUSTAIN__SOURCE_CORRECTED];
    s->name = "labels corrected by the sources above";
    sustain__zero(sustain__clean_size(c), f->y);
    sustain__fitted corrected = sustain__clean_corrections(f, PLAIN_ITERATIONS);
    corrected.model = SUSTAIN__MODEL_CORRECTED;
    if (f->result->ranking == SUSTAIN_CLEAN_RANKING_RATIO) { /* suggestions are not checked: labels as given */
        s->name = "labels as given, the doubtful ones with little weight, out of fold";
        corrected.labels = NULL;
        for (int64_t i = 0; i < c->training.count; i++) f->keep[i] = second_round_weight(c->quality[i]);
    }
    SUSTAIN_TRY(sustain__clean_fit_folds(f, &corrected));
    SUSTAIN_TRY(take_views(f, s));
    return f->result->ranking == SUSTAIN_CLEAN_RANKING_RATIO ? sustain__clean_fourier_again(f, s->views) : SUSTAIN_OK;
}
