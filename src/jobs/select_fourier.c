/* select_fourier.c - the candidate `fourier`: a linear model on the features and on random Fourier
 * features of them (fourier.h), which see interactions,
 *
 *      a,   d / sqrt(W) (cos w_r'a, sin w_r'a), r < W,      w_r of deviation s / d, orthogonal,      d^2 the total variance of the rows
 *
 * with one penalty: close to a linear model and a Gaussian kernel exp(-s^2 |a - b|^2 / (2 d^2)) of
 * the same weight. s and the penalty are chosen by cross validation on the same folds. As every
 * candidate it is mixed with the one before, so that splines need not be among its features. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "jobs/fourier.h"
#include "jobs/select_inner.h"

enum {
    LEAST_ROWS = 50,
    LEAST_WAVES = 32,
    MOST_FEATURES = 1000, /* with those of the waves */
};
#define MOST_NUMBERS 4e6 /* of rows with the features of the waves ... */
#define MOST_SCORED 7e5  /* ... times the width, with more than two classes: fits take long */
#define TOP 0.1          /* of the path of penalties, times the mean of |a_i|^2 ... */
#define BOTTOM 1e-8      /* ... and its end */
#define LONG_STEP 2.0    /* between them, in logarithms */
#define COARSE 10.0      /* times the tolerance of other fits */
#define PROMISING 0.5    /* standard errors that the first waves gain if others are tried */

typedef sustain__select_numbers choice;

/* ---- its life ---- */

/* How many waves there may be; 0: there is no such candidate. */
static int64_t most_waves(const sustain_selection *s) {
    const sustain_rows *r = &s->rows.rows;
    if (s->options.waves < 1 || s->options.form != SUSTAIN_SELECT_AUTO || !s->options.intercept || r->start != NULL || r->values == NULL)
        return 0;
    if (s->factor != NULL || r->dim < 2 || r->dim > r->count || s->training < LEAST_ROWS) return 0;
    const double numbers = s->rows.width > 1 ? MOST_SCORED / (double)s->rows.width : MOST_NUMBERS;
    const double most = fmin(MOST_FEATURES, numbers / (double)r->count) - (double)r->dim;
    if (most < 2 * LEAST_WAVES) return 0;
    return most / 2 < (double)s->options.waves ? (int64_t)(most / 2) : s->options.waves;
}

/* What the cosines and sines are multiplied with. */
static double scale(const sustain__select_fourier *p) {
    return p->deviation / sqrt((double)p->waves.waves);
}

/* The features of waves of this spread. */
static sustain_status fill(sustain_selection *s, double spread) {
    sustain__select_fourier *p = &s->fourier;
    const sustain_rows *r = &s->rows.rows;
    const sustain_selection *inner = p->inner.selection;
    float *values = inner != NULL && inner->values != NULL ? inner->values : p->inner.values;
    sustain__fourier_draw((uint64_t)s->options.seed, spread / p->deviation, p->waves.waves, r->dim, p->w);
    sustain__fourier_orthogonalize(p->waves.waves, r->dim, p->w);
    return sustain__fourier_map(s->context, &p->waves, r, NULL, r->count, (float)scale(p), p->inner.features, values + r->dim);
}

sustain_status sustain__select_make_fourier(sustain_selection *s) {
    sustain__select_fourier *p = &s->fourier;
    const int64_t waves = most_waves(s), dim = s->rows.rows.dim;
    double variance;
    if (waves == 0) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__fourier_variance(s->context, &s->rows.rows, &variance));
    if (!(variance > 0)) return SUSTAIN_OK;
    p->deviation = sqrt(variance);
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)(waves * (dim + 1)), sizeof *p->w), &p->w));
    p->waves = (sustain_fourier){.waves = waves, .w = p->w};
    SUSTAIN_TRY(sustain__select_inner_rows(s, 2 * waves, &p->inner));
    SUSTAIN_TRY(fill(s, 1));
    return sustain__select_inner_make(s, SUSTAIN__SELECT_FOURIER, NULL, &p->inner);
}

void sustain__select_free_fourier(sustain_selection *s) {
    sustain__select_inner_free(s->context, &s->fourier.inner);
    sustain__free(s->context, s->fourier.w);
}

/* ---- the search ---- */

/* Waves of this spread, with models of 0. */
static sustain_status change_waves(sustain_selection *s, double spread) {
    sustain_selection *inner = s->fourier.inner.selection;
    SUSTAIN_TRY(fill(s, spread));
    SUSTAIN_TRY(sustain__select_measure_moments(inner));
    for (int k = 0; k <= inner->models; k++) memset(inner->fit[k]->y, 0, (size_t)sustain__fit_size(&inner->rows) * sizeof(double));
    inner->since_measured = 0;
    sustain__select_prepare(inner);
    inner->tolerance *= COARSE;
    return SUSTAIN_OK;
}

/* Penalties from m->log_penalty on, in steps, until the loss rises. m ends with the best. */
static double walk(sustain_selection *inner, sustain__select_state *c, double step, choice *m) {
    const double end = step < 0 ? log(BOTTOM * inner->mean_square) : log(inner->mean_square);
    double best = INFINITY, at = m->log_penalty[0];
    for (double l = at; step < 0 ? l > end : l < end; l += step) {
        m->log_penalty[0] = l;
        const double value = sustain__select_evaluate(inner, c, m);
        sustain__log(inner->context, "Fourier features, spread %.2g, penalty exp(%.2f): loss of rows left out %.5f", m->spread, l, value);
        if (!(value < best)) break;
        best = value, at = l;
    }
    m->log_penalty[0] = at;
    return best;
}

/* Whether a mixture with the model before is a gain. */
static bool promising(const sustain_selection *s, const sustain__select_state *c) {
    for (int quarter = 1; quarter <= 4; quarter++) {
        double gain, error;
        for (int64_t at = 0; at < s->ever_held.count; at++) {
            const int64_t i = s->ever_held.row[at];
            s->loss[i] = sustain__select_mixed_loss(s, c, i, quarter / 4.0, s->score);
        }
        sustain__select_compare(s, c[-1].loss, s->loss, &gain, &error);
        if (gain > PROMISING * error) return true;
    }
    return false;
}

/* Spreads that are so many times as large, as long as the loss falls. Features of a smaller spread
 * vary less, and have a smaller penalty. */
static sustain_status spread_on(sustain_selection *s, sustain__select_state *c, double times, choice *m, double *best) {
    choice next = *m;
    for (int tries = 0; tries < 3; tries++) {
        next.spread *= times;
        SUSTAIN_TRY(change_waves(s, next.spread));
        const double value = walk(s->fourier.inner.selection, c, times < 1 ? -LONG_STEP : LONG_STEP, &next);
        if (!(value < *best)) break;
        *best = value, *m = next;
    }
    return SUSTAIN_OK;
}

static sustain_status search(sustain_selection *s, sustain__select_state *c) {
    sustain_selection *inner = s->fourier.inner.selection;
    choice m = {.stages = 1, .log_penalty = {log(TOP * inner->mean_square)}, .fourier = true, .spread = 1};
    SUSTAIN_TRY(change_waves(s, m.spread));
    const double first = walk(inner, c, -LONG_STEP, &m);
    double best = first;
    if (!isfinite(first) || !promising(s, c)) return SUSTAIN_OK;
    SUSTAIN_TRY(spread_on(s, c, 0.5, &m, &best));
    if (!(best < first)) SUSTAIN_TRY(spread_on(s, c, 2, &m, &best));
    if (s->rows.width > 1) return SUSTAIN_OK; /* fits take long, and steps are small enough */
    SUSTAIN_TRY(change_waves(s, m.spread));
    sustain__select_search_penalty(inner, c, &m);
    return SUSTAIN_OK;
}

/* ---- the candidate ---- */

sustain_status sustain__select_by_fourier(sustain_selection *s) {
    sustain_selection *inner = s->fourier.inner.selection;
    if (inner == NULL) return SUSTAIN_OK;
    sustain__select_state *c = sustain__select_begin(s, "fourier", 2);
    inner->stop = (sustain__fit_stop){.context = s->context, .caller = sustain__caller_here()};
    if (s->options.loss == SUSTAIN_REGTUNE_HUBER) {
        sustain__select_undo_threshold(inner);
        inner->options.huber_threshold = s->unit;
        sustain__select_first_threshold(inner);
    }
    SUSTAIN_TRY(search(s, c));
    if (sustain__fit_stopped(&inner->rows)) return SUSTAIN_CANCELLED;
    c->best.fourier = true;
    snprintf(s->candidate[s->count].detail, sizeof s->candidate->detail, "%lld waves of spread %.2g; penalty %.3g",
             (long long)s->fourier.waves.waves, c->best.spread, exp(c->best.log_penalty[0]));
    sustain__select_end(s);
    return SUSTAIN_OK;
}

sustain_status sustain__select_add_fourier(sustain_selection *s, double share, int64_t features, double *y, double *penalty) {
    sustain__select_fourier *p = &s->fourier;
    sustain_selection *inner = p->inner.selection;
    const choice *best = &s->state[s->count - 1].best;
    const int64_t dim = s->rows.rows.dim, own = p->inner.features, width = s->rows.width, waves = features - (own - dim);
    SUSTAIN_TRY(change_waves(s, best->spread));
    inner->tolerance /= COARSE;
    sustain__select_refit(inner, best);
    if (sustain__fit_stopped(&inner->rows)) return SUSTAIN_CANCELLED;
    sustain__select_take_model(inner, inner->own_y, inner->own_penalty);
    for (int64_t j = 0; j < own; j++) {
        const double times = j < dim ? 1 : scale(p);
        const int64_t to = j < dim ? j : waves + j - dim;
        for (int64_t k = 0; k < width; k++) y[k * features + to] += share * times * inner->own_y[k * own + j];
        penalty[to] = inner->own_penalty[j] / (times * times);
    }
    for (int64_t k = 0; k < width; k++) y[width * features + k] += share * inner->own_y[width * own + k];
    return SUSTAIN_OK;
}
