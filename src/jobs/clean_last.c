/* clean_last.c - the classifier that the job returns. A sum of softmax regressions is one again:
 *
 *   y = e (sum over sources m of s_m y_m + b) + (1 - e) kept,       e = t / (t + FEW_TRUSTED), t trusted rows
 *
 * The sources are plain, trusted, channel and corrected; and, where Fourier features are a gain,
 * two on these, of corrected labels and of labels that pass through the noise. Their shares s and
 * the bias b are fitted on the trusted rows, out of fold: few rows tell little of them. `kept`
 * needs no shares: labels as given, weighted by the square of the probability that they are right.
 * Without trusted rows: labels as given, weighted by their quality. Of `kept`
 * and of this, 1 - u is a linear classifier and u one on Fourier features. */
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

/* What the trusted rows let the blend count. */
static double share_of_blend(const sustain_clean *c) {
    return (double)c->trusted.count / ((double)c->trusted.count + SUSTAIN__FEW_TRUSTED);
}

/* f->trusted_views, what the blend says of the trusted rows, becomes what the classifier says.
 * Corrected labels stand for `kept`, which is not fitted out of fold. */
static void mix_with_corrected(const sustain__finishing *f, const sustain__labelled *rows) {
    const int64_t classes = rows->classes;
    const double u = f->c->fourier.last_share, kept = 1 - share_of_blend(f->c);
    for (int64_t i = 0; i < rows->count; i++) {
        float *p = f->trusted_views + i * classes;
        const float *logs = rows->logs + i * rows->sources * classes;
        for (int64_t k = 0; k < classes; k++) {
            double log_p =
                (1 - kept) * (double)sustain__blend_log(p[k]) + kept * (1 - u) * (double)logs[SUSTAIN__SOURCE_CORRECTED * classes + k];
            if (u > 0) log_p += kept * u * (double)logs[CORRECTED_FOURIER * classes + k];
            p[k] = (float)log_p;
        }
    }
}

static sustain_status fit_blend(sustain__finishing *f, const sustain__labelled *rows, sustain__blend *blend) {
    SUSTAIN_TRY(find_logs(f, rows->sources, (float *)(uintptr_t)rows->logs));
    SUSTAIN_TRY(sustain__blend_create(f->c->context, rows, blend));
    SUSTAIN_TRY(sustain__blend_fit(f->c->context, rows, blend, f->trusted_views));
    mix_with_corrected(f, rows);
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

/* Adds a classifier on all rows, times a share, and one on Fourier features. */
static sustain_status add_fitted(sustain__finishing *f, const sustain__fitted *w, double linear, double fourier) {
    sustain__zero(sustain__clean_size(f->c), f->y);
    SUSTAIN_TRY(sustain__clean_fit_all(f, w));
    sustain__add(sustain__clean_size(f->c), linear, f->y, f->c->y);
    return sustain__clean_fourier_add(f, w, fourier);
}

/* In the place of corrected there is the mean of two classifiers on all rows: one on the labels
 * that the verdict suggests, and `kept`. Their errors differ: the first learns from all rows, the
 * second from rows that are almost certain. */
static sustain_status add_corrected_and_kept(sustain__finishing *f, double corrected, double corrected_fourier) {
    sustain_clean *c = f->c;
    const double u = c->fourier.last_share, kept = 1 - share_of_blend(c);
    sustain__fitted w = sustain__clean_corrections(f, SUSTAIN__REFIT_ITERATIONS);
    w.model = SUSTAIN__MODEL_REFIT_CORRECTED;
    SUSTAIN_TRY(add_fitted(f, &w, corrected / 2, corrected_fourier / 2));
    for (int64_t i = 0; i < c->training.count; i++) f->keep[i] = c->quality[i] * c->quality[i];
    w.labels = NULL, w.model = SUSTAIN__MODEL_REFIT_KEPT;
    return add_fitted(f, &w, corrected / 2 + kept * (1 - u), corrected_fourier / 2 + kept * u);
}

static sustain_status add_up(sustain__finishing *f, const sustain__blend *blend) {
    sustain_clean *c = f->c;
    const int64_t size = sustain__clean_size(c), classes = c->options.classes;
    const bool fourier = blend->sources > SUSTAIN__SOURCES_OWN;
    const sustain__fitted noisy = through_noise(c);
    for (int64_t i = 0; i < blend->sources + 1 + classes; i++) blend->theta[i] *= (sustain_real)share_of_blend(c);
    sustain__zero(size, c->y);
    for (int m = 0; m < SUSTAIN__SOURCE_CORRECTED; m++) sustain__add(size, (double)blend->theta[m], c->source[m].y, c->y);
    SUSTAIN_TRY(sustain__clean_fourier_add(f, &noisy, fourier ? (double)blend->theta[CHANNEL_FOURIER] : 0));
    SUSTAIN_TRY(
        add_corrected_and_kept(f, (double)blend->theta[SUSTAIN__SOURCE_CORRECTED], fourier ? (double)blend->theta[CORRECTED_FOURIER] : 0));
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
    for (int64_t i = 0; i < c->training.count; i++) f->keep[i] = c->quality[i];
    const sustain__fitted w = {.training = true,
                               .trusted = true,
                               .weights = f->keep,
                               .prior = sustain__clean_weighted_prior(c, f->keep),
                               .model = SUSTAIN__MODEL_REFIT_KEPT,
                               .iterations = SUSTAIN__REFIT_ITERATIONS};
    sustain__zero(sustain__clean_size(c), c->y);
    return add_fitted(f, &w, 1 - u, u);
}

sustain_status sustain__clean_last(sustain__finishing *f) {
    sustain__clean_fourier_begin(f->c);
    return f->c->bilevel ? last_by_blend(f) : last_by_quality(f);
}
