/* clean_last.c - the classifier that the job returns: plain, trusted, channel and corrected,
 * blended; and, where Fourier features are a gain, two classifiers on these, of corrected labels
 * and of labels that pass through the noise. A blend of softmax regressions is one again,
 *
 *   y = sum over sources m of s_m y_m + b,
 *
 * with shares s and bias b fitted on the trusted rows, out of fold. Without trusted rows: labels as
 * given, weighted by their quality, 1 - u of a linear classifier and u of one on Fourier
 * features. */
#include "core/vector.h"
#include "jobs/clean_finish.h"

/* What is blended: our own sources, then those on Fourier features. */
enum { CORRECTED_FOURIER = SUSTAIN__SOURCES_OWN, CHANNEL_FOURIER, SOURCES };

static sustain__fitted through_noise(const sustain_clean *c) {
    return (sustain__fitted){.training = true, .trusted = true, .noise = c->noise};
}

/* Source m of the logarithms. */
static void take_logs(const sustain_clean *c, int sources, int m, const float *views, float *logs) {
    const int64_t classes = c->options.classes;
    for (int64_t i = 0; i < c->trusted.count; i++)
        for (int64_t k = 0; k < classes; k++) logs[(i * sources + m) * classes + k] = sustain__blend_log(views[i * classes + k]);
}

/* logs (trusted count, sources, classes) of what each source says of the trusted rows, out of
 * fold. */
static sustain_status find_logs(sustain__finishing *f, int sources, float *logs) {
    const sustain_clean *c = f->c;
    for (int m = 0; m < SUSTAIN__SOURCES_OWN; m++) take_logs(c, sources, m, c->source[m].trusted_views, logs);
    for (int m = CORRECTED_FOURIER; m < sources; m++) {
        const sustain__fitted w = m == CORRECTED_FOURIER ? sustain__clean_corrections(f, 0) : through_noise(c);
        SUSTAIN_TRY(sustain__clean_fourier_folds(f, &w));
        take_logs(c, sources, m, f->trusted_views, logs);
    }
    return SUSTAIN_OK;
}

static sustain_status fit_blend(sustain__finishing *f, const sustain__labelled *rows, sustain__blend *blend) {
    SUSTAIN_TRY(find_logs(f, rows->sources, (float *)(uintptr_t)rows->logs));
    SUSTAIN_TRY(sustain__blend_create(f->c->context, rows, blend));
    SUSTAIN_TRY(sustain__blend_fit(f->c->context, rows, blend, f->trusted_views));
    f->result->trusted_accuracy = sustain__clean_trusted_share(f->c, f->trusted_views);
    return SUSTAIN_OK;
}

/* The shares, drawn to channel and corrected: 1 - u of them linear, u on Fourier features. */
static sustain_status find_shares(sustain__finishing *f, sustain__blend *blend) {
    const sustain_clean *c = f->c;
    const double u = c->fourier.last_share, centre[SOURCES] = {[SUSTAIN__SOURCE_CHANNEL] = 0.5 * (1 - u),
                                                               [SUSTAIN__SOURCE_CORRECTED] = 0.5 * (1 - u),
                                                               [CORRECTED_FOURIER] = 0.5 * u,
                                                               [CHANNEL_FOURIER] = 0.5 * u};
    sustain__labelled rows = {.count = c->trusted.count,
                              .classes = c->options.classes,
                              .sources = u > 0 ? SOURCES : SUSTAIN__SOURCES_OWN,
                              .right = c->right,
                              .centre = centre};
    float *logs;
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, logs, rows.count * rows.sources * rows.classes));
    rows.logs = logs;
    const sustain_status status = fit_blend(f, &rows, blend);
    sustain__free(c->context, logs);
    return status;
}

/* The mean of two classifiers on all rows: one on the labels that the verdict suggests, one on the
 * labels as given, each weighted by the square of the probability that it is right. Their errors
 * differ: the first learns from all rows, the second from rows that are almost certain. And, times
 * a share, the same on Fourier features. */
static sustain_status refit_corrected(sustain__finishing *f, double fourier) {
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
        SUSTAIN_TRY(sustain__clean_fourier_add(f, &w, 0.5 * fourier));
        for (int64_t i = 0; i < c->training.count; i++) f->keep[i] = c->quality[i] * c->quality[i];
        w.labels = NULL, w.model = SUSTAIN__MODEL_REFIT_KEPT;
    }
    return SUSTAIN_OK;
}

/* y <- sum of the sources' classifiers by their shares, with the blend's bias. */
static sustain_status add_up(sustain__finishing *f, const sustain__blend *blend) {
    sustain_clean *c = f->c;
    const int64_t size = sustain__clean_size(c), classes = c->options.classes;
    const bool fourier = blend->sources > SUSTAIN__SOURCES_OWN;
    const sustain__fitted noisy = through_noise(c);
    sustain__zero(size, c->y);
    SUSTAIN_TRY(refit_corrected(f, fourier ? (double)blend->theta[CORRECTED_FOURIER] : 0));
    SUSTAIN_TRY(sustain__clean_fourier_add(f, &noisy, fourier ? (double)blend->theta[CHANNEL_FOURIER] : 0));
    for (int m = 0; m < SUSTAIN__SOURCES_OWN; m++) sustain__add(size, (double)blend->theta[m], c->source[m].y, c->y);
    if (!c->options.intercept) return SUSTAIN_OK;
    for (int64_t k = 0; k < classes; k++) c->y[size - classes + k] += blend->theta[blend->sources + 1 + k];
    return SUSTAIN_OK;
}

static sustain_status last_by_blend(sustain__finishing *f) {
    sustain__blend blend = {.theta = NULL};
    sustain_status status = find_shares(f, &blend);
    if (status == SUSTAIN_OK) status = add_up(f, &blend);
    sustain__blend_free(f->c->context, &blend);
    return status;
}

static sustain_status last_by_quality(sustain__finishing *f) {
    sustain_clean *c = f->c;
    const double u = c->fourier.last_share;
    SUSTAIN_TRY(sustain__clean_refit(f, c->quality, SUSTAIN__MODEL_REFIT_KEPT, c->y));
    if (u > 0) sustain__scale(sustain__clean_size(c), 1 - u, c->y);
    return sustain__clean_fourier_add(f, &(sustain__fitted){.training = true, .trusted = true, .weights = c->quality}, u);
}

sustain_status sustain__clean_last(sustain__finishing *f) {
    sustain__clean_fourier_begin(f->c);
    return f->c->bilevel ? last_by_blend(f) : last_by_quality(f);
}
