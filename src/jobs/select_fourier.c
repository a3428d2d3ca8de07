/* select_fourier.c - the candidate `fourier`: a linear model on the features and on random Fourier
 * features of them (fourier.h), which see interactions,
 *
 *      a,   d / sqrt(W) (cos w_r'a, sin w_r'a), r < W,      w_rj = s / e h_j n_rj,
 *
 *      e^2 = sum_j h_j^2 var(a_j),      d^2 = sum_j var(a_j),
 *
 * n_r normal and orthogonal, with one penalty: close to a linear model and a Gaussian kernel
 * exp(-s^2 sum_j h_j^2 (a_j - b_j)^2 / (2 e^2)) of the same weight. s and the penalty are chosen by
 * cross-validation on the same folds. As every candidate it is mixed with the one before, so that
 * splines need not be among its features.
 *
 * In the first round h = 1. In those that follow h_j is the importance of feature j in the model
 * of the round before, the root of the mean of (d score / d a_j)^2: the diagonal of the average
 * gradient outer product (Radhakrishnan et al., 2024). So features that do not matter no longer
 * drown those that interact. Importances for a fold are those of its own model, to which its rows
 * left out are unknown; only the search for s and the penalty uses their mean over folds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "jobs/fourier.h"
#include "jobs/select_inner.h"

enum {
    LEAST_ROWS = 50,
    LEAST_WAVES = 32,
    MOST_FEATURES = 1000,  /* with those of the waves */
    IMPORTANCE_ROWS = 1000 /* that derivatives are computed at */
};
#define MOST_NUMBERS 4e6 /* of rows with the features of the waves ... */
#define MOST_SCORED 7e5  /* ... times the width, with more than two classes: fits take long */
#define TOP 0.1          /* of the path of penalties, times the mean of |a_i|^2 ... */
#define BOTTOM 1e-8      /* ... and its end */
#define LONG_STEP 2.0    /* between them, in logarithms */
#define COARSE 10.0      /* times the tolerance of other fits */
#define PROMISING 0.5    /* standard errors that waves gain if other spreads are tried */

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

/* The rows with the features of the waves. */
static float *values_of(const sustain__select_fourier *p) {
    const sustain_selection *inner = p->inner.selection;
    return inner != NULL && inner->values != NULL ? inner->values : p->inner.values;
}

/* The features of waves of this spread, h (dim) or NULL: 1. */
static sustain_status fill(sustain_selection *s, double spread, const double *h) {
    sustain__select_fourier *p = &s->fourier;
    const sustain_rows *r = &s->rows.rows;
    double square = 0;
    for (int64_t j = 0; j < r->dim; j++) square += (h != NULL ? h[j] * h[j] : 1) * p->variance[j];
    sustain__fourier_draw((uint64_t)s->options.seed, spread / sqrt(square), p->waves.waves, r->dim, p->w);
    sustain__fourier_orthogonalize(p->waves.waves, r->dim, p->w);
    for (int64_t e = 0; h != NULL && e < p->waves.waves * r->dim; e++) p->w[e] = (sustain_real)(h[e % r->dim] * (double)p->w[e]);
    return sustain__fourier_map(s->context, &p->waves, r, NULL, r->count, (float)scale(p), p->inner.features, values_of(p) + r->dim);
}

sustain_status sustain__select_make_fourier(sustain_selection *s) {
    sustain__select_fourier *p = &s->fourier;
    const int64_t waves = most_waves(s), dim = s->rows.rows.dim;
    double variance = 0;
    if (waves == 0) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)dim, sizeof *p->variance), &p->variance));
    SUSTAIN_TRY(sustain__fourier_variances(s->context, &s->rows.rows, p->variance));
    for (int64_t j = 0; j < dim; j++) variance += p->variance[j];
    if (!(variance > 0)) return SUSTAIN_OK;
    p->deviation = sqrt(variance);
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)(waves * (dim + 1)), sizeof *p->w), &p->w));
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)((s->models + 2) * dim), sizeof *p->importance), &p->importance));
    p->waves = (sustain_fourier){.waves = waves, .w = p->w};
    SUSTAIN_TRY(sustain__select_inner_rows(s, 2 * waves, &p->inner));
    SUSTAIN_TRY(fill(s, 1, NULL));
    return sustain__select_inner_make(s, SUSTAIN__SELECT_FOURIER, NULL, &p->inner);
}

void sustain__select_free_fourier(sustain_selection *s) {
    sustain__select_inner_free(s->context, &s->fourier.inner);
    void *const memory[] = {s->fourier.w, s->fourier.variance, s->fourier.importance};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) sustain__free(s->context, memory[i]);
}

/* ---- importances ---- */

/* h (dim) <- the importances of the features in model k, in units of the largest one. */
static void measure_importance(const sustain_selection *s, int k, double *h) {
    const sustain__select_fourier *p = &s->fourier;
    const sustain_selection *inner = p->inner.selection;
    const sustain__fit_part *part = k < inner->models ? &inner->model[k].fitted : &inner->all;
    const int64_t dim = s->rows.rows.dim, step = part->count / IMPORTANCE_ROWS + 1;
    double *scratch = p->importance + (s->models + 1) * dim, largest = 0;
    memset(h, 0, (size_t)dim * sizeof *h);
    for (int64_t at = 0; at < part->count; at += step)
        sustain__fourier_add_slopes(&p->waves, dim, s->rows.width, values_of(p) + part->row[at] * p->inner.features, inner->fit[k]->y,
                                    scratch, h);
    for (int64_t j = 0; j < dim; j++) largest = fmax(largest, p->variance[j] > 0 ? h[j] : 0);
    for (int64_t j = 0; j < dim; j++) h[j] = largest > 0 ? sqrt(fmin(h[j] / largest, 1)) : 1;
}

static double *importance_of(const sustain_selection *s, int k) {
    return s->fourier.importance + k * s->rows.rows.dim;
}

/* ---- the search ---- */

/* The waves of the last round of m, with models of 0. */
static sustain_status change_waves(sustain_selection *s, const choice *m, const double *h) {
    sustain_selection *inner = s->fourier.inner.selection;
    SUSTAIN_TRY(fill(s, m->round_spread[m->rounds - 1], m->rounds > 1 ? h : NULL));
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
        sustain__log(inner->context, "Fourier features, round %d, spread %.2g, penalty exp(%.2f): held-out loss %.5f", m->rounds,
                     m->round_spread[m->rounds - 1], l, value);
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
        next.round_spread[next.rounds - 1] *= times;
        SUSTAIN_TRY(change_waves(s, &next, importance_of(s, s->models)));
        const double value = walk(s->fourier.inner.selection, c, times < 1 ? -LONG_STEP : LONG_STEP, &next);
        if (!(value < *best)) break;
        *best = value, *m = next;
    }
    return SUSTAIN_OK;
}

/* The spread and the penalty of a round, from those of m on. c is NULL where importances are not
 * those of each fold. */
static sustain_status search_round(sustain_selection *s, sustain__select_state *c, bool spreads, choice *m) {
    sustain_selection *inner = s->fourier.inner.selection;
    SUSTAIN_TRY(change_waves(s, m, importance_of(s, s->models)));
    const double first = walk(inner, c, -LONG_STEP, m);
    double best = first;
    if (!isfinite(first) || !(spreads || (c != NULL && promising(s, c)))) return SUSTAIN_OK;
    SUSTAIN_TRY(spread_on(s, c, 0.5, m, &best));
    if (!(best < first)) SUSTAIN_TRY(spread_on(s, c, 2, m, &best));
    if (s->rows.width > 1) return SUSTAIN_OK; /* fits take long, and steps are small enough */
    SUSTAIN_TRY(change_waves(s, m, importance_of(s, s->models)));
    sustain__select_search_penalty(inner, c, m);
    return SUSTAIN_OK;
}

/* Fits the model of each fold with waves by its own importances, which are then those of the model.
 * Losses and scores of rows left out go to the inner selection. */
static sustain_status fit_folds(sustain_selection *s, const choice *m) {
    sustain_selection *inner = s->fourier.inner.selection;
    const int64_t width = s->rows.width;
    for (int k = 0; k < s->models; k++) {
        const sustain__fit_part *held = &inner->model[k].held;
        SUSTAIN_TRY(change_waves(s, m, importance_of(s, k)));
        if (sustain__fit_stopped(&inner->rows)) return SUSTAIN_CANCELLED;
        sustain__select_evaluate_model(inner, m, k);
        measure_importance(s, k, importance_of(s, k));
        for (int64_t at = 0; at < held->count; at++) { /* change_waves() needs the inner ones */
            const int64_t i = held->row[at];
            s->loss[i] = inner->loss[i];
            memcpy(s->score + i * width, inner->score + i * width, (size_t)width * sizeof *s->score);
        }
    }
    memcpy(inner->loss, s->loss, (size_t)s->rows.rows.count * sizeof *s->loss);
    memcpy(inner->score, s->score, (size_t)(s->rows.rows.count * width) * sizeof *s->score);
    return SUSTAIN_OK;
}

/* The loss of rows left out at m, of which c is told, and the importances that follow. */
static sustain_status judge_round(sustain_selection *s, sustain__select_state *c, choice *m, double *loss) {
    sustain_selection *inner = s->fourier.inner.selection;
    m->round_log_penalty[m->rounds - 1] = m->log_penalty[0];
    if (m->rounds == 1) {
        SUSTAIN_TRY(change_waves(s, m, NULL));
        *loss = sustain__select_evaluate(inner, c, m);
        for (int k = 0; k < s->models; k++) measure_importance(s, k, importance_of(s, k));
    } else {
        SUSTAIN_TRY(fit_folds(s, m));
        *loss = sustain__select_offer(inner, c, m);
    }
    sustain__log(s->context, "Fourier features, round %d: held-out loss %.5f", m->rounds, *loss);
    return SUSTAIN_OK;
}

/* Rounds, as long as the loss falls. One by importances is tried in any case, but for more than two
 * classes, where fits take long; there later rounds keep the spread of the first. */
static sustain_status search(sustain_selection *s, sustain__select_state *c) {
    const int64_t dim = s->rows.rows.dim;
    const bool classes = s->rows.width > 1;
    choice m = {.stages = 1, .log_penalty = {log(TOP * s->fourier.inner.selection->mean_square)}, .fourier = true, .round_spread = {1}};
    double last = INFINITY, loss;
    bool gain = false;
    for (;;) {
        m.rounds++;
        SUSTAIN_TRY(search_round(s, m.rounds == 1 ? c : NULL, gain && !classes, &m));
        if (classes && m.rounds == 1 && !promising(s, c)) return SUSTAIN_OK;
        SUSTAIN_TRY(judge_round(s, c, &m, &loss));
        gain = promising(s, c);
        if (!(loss < last) || m.rounds == SUSTAIN__SELECT_ROUNDS || (!gain && m.rounds > 1)) return SUSTAIN_OK;
        last = loss;
        double *mean = importance_of(s, s->models);
        memset(mean, 0, (size_t)dim * sizeof *mean);
        for (int64_t e = 0; e < s->models * dim; e++) mean[e % dim] += s->fourier.importance[e] / s->models;
        m.round_spread[m.rounds] = m.round_spread[m.rounds - 1];
        m.log_penalty[0] += LONG_STEP;
    }
}

/* ---- the candidate ---- */

sustain_status sustain__select_by_fourier(sustain_selection *s) {
    sustain_selection *inner = s->fourier.inner.selection;
    if (inner == NULL) return SUSTAIN_OK;
    sustain__select_state *c = sustain__select_begin(s, "fourier", 3);
    inner->stop = (sustain__fit_stop){.context = s->context, .caller = sustain__caller_here()};
    if (s->options.loss == SUSTAIN_REGTUNE_HUBER) {
        sustain__select_undo_threshold(inner);
        inner->options.huber_threshold = s->unit;
        sustain__select_first_threshold(inner);
    }
    SUSTAIN_TRY(search(s, c));
    if (sustain__fit_stopped(&inner->rows)) return SUSTAIN_CANCELLED;
    c->best.fourier = true;
    const int rounds = c->best.rounds;
    snprintf(s->candidate[s->count].detail, sizeof s->candidate->detail, "%lld waves of spread %.2g%s; penalty %.3g",
             (long long)s->fourier.waves.waves, c->best.round_spread[rounds > 0 ? rounds - 1 : 0],
             rounds > 1 ? ", by importance of features" : "", exp(c->best.log_penalty[0]));
    sustain__select_end(s);
    return SUSTAIN_OK;
}

sustain_status sustain__select_add_fourier(sustain_selection *s, double share, int64_t features, double *y, double *penalty) {
    sustain__select_fourier *p = &s->fourier;
    sustain_selection *inner = p->inner.selection;
    const choice *best = &s->state[s->count - 1].best;
    double *h = importance_of(s, s->models);
    const int64_t dim = s->rows.rows.dim, own = p->inner.features, width = s->rows.width, waves = features - (own - dim);
    for (choice m = {.stages = 1}; m.rounds < best->rounds;) {
        m.round_spread[m.rounds] = best->round_spread[m.rounds];
        m.log_penalty[0] = m.rounds + 1 < best->rounds ? best->round_log_penalty[m.rounds] : best->log_penalty[0];
        m.rounds++;
        SUSTAIN_TRY(change_waves(s, &m, h));
        inner->tolerance /= COARSE;
        sustain__select_refit(inner, &m);
        if (sustain__fit_stopped(&inner->rows)) return SUSTAIN_CANCELLED;
        measure_importance(s, s->models, h);
    }
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
