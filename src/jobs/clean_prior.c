/* clean_prior.c - how much classifiers are regularized: by a normal prior of y under which scores,
 * before the softmax, have the deviation s. It does not depend on the number of rows, so a sample
 * tells which s suits labels as given: the one of ..., s/2, s, 2s, ... at which rows left out have
 * the smallest loss. Wrong labels make it small; for labels that are right it is at least
 * EXPECTED. Weighted labels have an s between these two. */
#include <math.h>

#include "core/vector.h"
#include "jobs/clean_job.h"

enum { MOST_ROWS = 6000, FEW_ROWS = 2000, LEAST_ROWS = 50, ITERATIONS = 12, MOST_STEPS = 4 };
#define EXPECTED 4.0    /* where the search begins: a probability of 0.98 against one other class */
#define LEAST_GAIN 1e-3 /* of the loss, for a step */

typedef struct search {
    const sustain_clean *c;
    int64_t folds, tested; /* models are fitted without one of the first `tested` folds, and judge it */
    sustain__some_rows parts[SUSTAIN__MOST_FOLDS];
    int64_t *index;
    float *views;    /* (rows, classes) scratch */
    sustain_real *y; /* likewise */
} search;

/* Every `step`-th row of each fold. */
static sustain_status take_rows(search *s) {
    const sustain_clean *c = s->c;
    const int64_t count = c->unverified, step = count / MOST_ROWS + 1;
    SUSTAIN_TRY(sustain__allocate(c->context, (size_t)(count / step + s->folds) * sizeof *s->index, &s->index));
    sustain__clean_parts(&c->training, &c->training_folds, s->folds, s->parts);
    int64_t *at = s->index;
    for (int64_t k = 0; k < s->folds; k++) {
        sustain__some_rows *part = &s->parts[k];
        const int64_t few = (part->count + step - 1) / step;
        for (int64_t j = 0; j < few; j++) at[j] = part->index[j * step];
        part->index = at, part->count = few, at += few;
    }
    s->tested = at - s->index <= FEW_ROWS ? s->folds : 1;
    return SUSTAIN_OK;
}

sustain_softmax_options sustain__clean_options(const sustain_clean *c, double deviation, double rows) {
    sustain_softmax_options o = sustain_softmax_defaults();
    o.classes = c->options.classes;
    o.intercept = c->options.intercept;
    o.c = c->mean_square / (2 * deviation * deviation * rows); /* |y|^2 mean_square / (2 s^2), divided by the rows */
    return o;
}

/* The mean loss of rows left out. */
static sustain_status loss_at(search *s, double deviation, double *loss) {
    const sustain_clean *c = s->c;
    const int64_t classes = c->options.classes;
    double sum = 0, count = 0;
    for (int64_t out = 0; out < s->tested; out++) {
        const sustain__some_rows left_out = s->parts[out];
        double rows = 0;
        s->parts[out] = s->parts[s->folds - 1];
        for (int64_t k = 0; k < s->folds - 1; k++) rows += (double)s->parts[k].count;
        sustain_softmax_options o = sustain__clean_options(c, deviation, rows);
        o.iterations = ITERATIONS;
        sustain__zero(sustain__clean_size(c), s->y);
        SUSTAIN_TRY(sustain__softmax_fit(c->context, &o, s->parts, (int)s->folds - 1, s->y));
        s->parts[out] = left_out;
        SUSTAIN_TRY(sustain__softmax_predict(c->context, &o, &left_out, s->y, s->views));
        for (int64_t j = 0; j < left_out.count; j++) {
            const int64_t i = left_out.index[j];
            sum -= (double)sustain__blend_log(s->views[i * classes + c->given[i]]);
        }
        count += (double)left_out.count;
    }
    *loss = sum / count;
    return SUSTAIN_OK;
}

/* Down from EXPECTED while the loss falls, else up. */
static sustain_status descend(search *s, double *best) {
    double least, loss;
    *best = EXPECTED;
    SUSTAIN_TRY(loss_at(s, EXPECTED, &least));
    bool moved = false;
    for (int up = 0; up < 2 && !moved; up++)
        for (int step = 0; step < MOST_STEPS; step++) {
            const double next = up ? 2 * *best : *best / 2;
            SUSTAIN_TRY(loss_at(s, next, &loss));
            if (!(loss < least * (1 - LEAST_GAIN))) break;
            least = loss, *best = next, moved = true;
        }
    return SUSTAIN_OK;
}

sustain_status sustain__clean_choose_prior(sustain_clean *c, float *views, sustain_real *y) {
    if (c->start != NULL) return SUSTAIN_OK; /* models begin where those of another run ended, with its prior */
    c->prior_given = EXPECTED;
    if (c->unverified < LEAST_ROWS) return SUSTAIN_OK;
    search s = {.c = c, .folds = c->options.folds, .views = views, .y = y};
    sustain_status status = take_rows(&s);
    if (status == SUSTAIN_OK) status = descend(&s, &c->prior_given);
    sustain__free(c->context, s.index);
    if (status == SUSTAIN_OK) sustain__log(c->context, "clean: scores of labels as given are expected to be about %.3g", c->prior_given);
    return status;
}

static double given_prior(const sustain_clean *c) {
    return c->prior_given > 0 ? c->prior_given : EXPECTED;
}

sustain_softmax_options sustain__clean_given_options(const sustain_clean *c, double rows) {
    return sustain__clean_options(c, given_prior(c), rows);
}

sustain_softmax_options sustain__clean_fit_options(const sustain_clean *c, double rows) {
    return sustain__clean_options(c, fmax(c->prior_given, EXPECTED), rows);
}

/* Of 40 % wrong labels of two classes the weights remove 1 to 4 %, where classes are easy to tell
 * apart half of them. The square root was as good as the share itself on 20 sets, and nearer to
 * right labels where these were better (docs/clean.md). */
double sustain__clean_weighted_prior(const sustain_clean *c, const float *weights) {
    double sum = 0, wrong = 0, wrong_left = 0;
    for (int64_t j = 0; j < c->unverified; j++) {
        const int64_t i = c->training_folds.order[j];
        sum += (double)weights[i];
        wrong += 1 - (double)c->quality[i];
        wrong_left += (double)weights[i] * (1 - (double)c->quality[i]);
    }
    const double given = given_prior(c), before = wrong / (double)c->unverified, after = wrong_left / sum;
    const double removed = after < before ? 1 - after / before : 0;
    return given * pow(fmax(given, EXPECTED) / given, sqrt(removed));
}

sustain_softmax_options sustain__clean_form(const sustain_clean *c, const sustain_real *y) {
    sustain_softmax_options o = sustain__clean_fit_options(c, (double)(c->training.count + c->trusted.count));
    if (y == c->y && c->fourier.last_share > 0) o.fourier = &c->fourier.model;
    return o;
}
