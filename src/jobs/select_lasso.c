/* select_lasso.c - absolute penalties, which make weights 0: the lasso and the elastic net.
 *
 *   q_j |y_j| + 1/2 p_j y_j^2,    q_j = exp(l) factor_j,    p_j = exp(m) factor_j
 *
 * For given p_j / q_j, l goes down a path from where all weights are 0, each point from the last.
 * From the best point on l, and m with it, follow the gradient of the loss of rows left out,
 * which is exact on the support (sustain__lasso_slopes()). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/share.h"
#include "jobs/select_job.h"

enum { POINTS = 30, WORSE_IN_A_ROW = 2, DESCENTS = 6 };
#define STEP 0.7      /* between penalties of the path, in logarithms */
#define FLOOR 1e-9    /* under p_j, times the mean of |a_i|^2 */
#define ACCURACY 1e-2 /* of slopes */
#define FIRST_MOVE 0.3
#define LONGEST_MOVE 1.0 /* in logarithms */
#define FINE 0.02

typedef sustain__select_numbers numbers;

/* ---- one fit ---- */

static void set_units(const sustain_selection *s, double *unit) {
    for (int64_t e = 0; e < s->rows.rows.dim * s->rows.width; e++) unit[e] = s->factor != NULL ? s->factor[e / s->rows.width] : 1;
}

void sustain__select_fit_lasso(sustain_selection *s, const numbers *m, int64_t k, double tolerance) {
    sustain__lasso *f = s->lasso[k];
    const double q = exp(m->log_penalty[0]), p = exp(m->log_l2);
    set_units(s, f->l1);
    for (int64_t e = 0; e < s->rows.rows.dim * s->rows.width; e++) {
        f->l2[e] = FLOOR * s->mean_square + p * f->l1[e];
        f->l1[e] *= q;
    }
    sustain__lasso_minimize(f, tolerance);
}

static sustain_status make(sustain_selection *s) {
    if (s->lasso[s->models] != NULL) return SUSTAIN_OK; /* a run that was cancelled has made them */
    sustain__columns_free(s->context, &s->by_column);
    SUSTAIN_TRY(sustain__columns_create(s->context, s->rows.rows.count, s->rows.rows.dim, true, sustain__row_of_rows, &s->rows.rows,
                                        &s->by_column));
    for (int k = 0; k <= s->models; k++) {
        sustain__lasso_destroy(s->context, s->lasso[k]);
        s->lasso[k] = NULL;
        SUSTAIN_TRY(
            sustain__lasso_create(s->context, &s->rows, &s->by_column, k < s->models ? &s->model[k].fitted : &s->all, &s->lasso[k]));
    }
    return SUSTAIN_OK;
}

/* ---- the path ---- */

/* The logarithm of the smallest absolute penalty for which all weights of the model of all rows
 * are 0. */
static double first_point(sustain_selection *s) {
    sustain__lasso *f = s->lasso[s->models];
    double *unit = s->own_y; /* not in use yet */
    set_units(s, unit);
    for (int64_t e = 0; e < s->rows.rows.dim * s->rows.width; e++) f->l2[e] = FLOOR * s->mean_square;
    return log(sustain__lasso_largest(f, unit, s->tolerance));
}

/* p_j = ratio q_j. Ends with the best point in m; the models are at a later one. */
static void walk(sustain_selection *s, sustain__select_state *c, double ratio, double first, numbers *m) {
    const size_t bytes = (size_t)sustain__fit_size(&s->rows) * sizeof(double);
    double best = INFINITY;
    int worse = 0;
    numbers at = *m;
    for (int k = 0; k < s->models; k++) {
        memset(s->lasso[k]->y, 0, bytes);
        s->lasso[k]->warm = false;
    }
    for (int i = 1; i < POINTS && worse < WORSE_IN_A_ROW; i++) {
        at.log_penalty[0] = first - STEP * i;
        at.log_l2 = ratio > 0 ? at.log_penalty[0] + log(ratio) : -INFINITY;
        const double value = sustain__select_evaluate(s, c, &at);
        sustain__log(s->context, "absolute penalty exp(%.2f): held-out loss %.5f", at.log_penalty[0], value);
        worse = value < best ? 0 : worse + 1;
        if (worse > 0) continue;
        best = value;
        *m = at;
    }
    m->loss = best;
}

/* ---- the gradient ---- */

typedef struct slopes_task {
    sustain_selection *s;
    double *by_l1, *by_l2; /* (models, dim) */
} slopes_task;

static void slopes_of_model(void *user, int64_t k) {
    const slopes_task *t = user;
    const int64_t dim = t->s->rows.rows.dim;
    sustain__lasso_slopes(t->s->lasso[k], &t->s->model[k].held, ACCURACY, t->by_l1 + k * dim, t->by_l2 + k * dim);
}

static void *slopes_found(void *user, int64_t k, int which, size_t *bytes) {
    const slopes_task *t = user;
    const int64_t dim = t->s->rows.rows.dim;
    *bytes = (size_t)dim * sizeof *t->by_l1;
    return which == 0 ? t->by_l1 + k * dim : which == 1 ? t->by_l2 + k * dim : NULL;
}

/* The derivatives of the mean loss of rows left out by l and m, of the models as they are. */
static void slopes(sustain_selection *s, slopes_task *t, double gradient[2]) {
    const int64_t count = s->models * s->rows.rows.dim;
    double held = 0;
    memset(t->by_l1, 0, (size_t)count * sizeof *t->by_l1);
    memset(t->by_l2, 0, (size_t)count * sizeof *t->by_l2);
    sustain__share(s->context, s->models, slopes_of_model, t, slopes_found);
    for (int64_t at = 0; at < s->ever_held.count; at++) held += s->weight != NULL ? s->weight[s->ever_held.row[at]] : 1;
    gradient[0] = gradient[1] = 0;
    for (int64_t e = 0; e < count; e++) {
        gradient[0] += t->by_l1[e] * s->rows.total / held;
        gradient[1] += t->by_l2[e] * s->rows.total / held;
    }
}

/* Steps along the gradient by (l, m), or by l where there is no quadratic penalty; lengths by
 * Barzilai and Borwein 1988, a third where the loss does not fall. */
static sustain_status descend(sustain_selection *s, sustain__select_state *c, numbers m) {
    const int64_t count = s->models * s->rows.rows.dim;
    const int dims = isfinite(m.log_l2) ? 2 : 1;
    slopes_task t = {.s = s};
    double gradient[2], next_gradient[2], loss = sustain__select_evaluate(s, c, &m), length;
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)count, 2 * sizeof *t.by_l1), &t.by_l1));
    t.by_l2 = t.by_l1 + count;
    slopes(s, &t, gradient);
    length = FIRST_MOVE / fmax(hypot(gradient[0], dims > 1 ? gradient[1] : 0), 1e-300);
    for (int step = 0; step < DESCENTS && !sustain__fit_stopped(&s->rows); step++) {
        numbers next = m;
        const double steepest = fmax(fabs(gradient[0]), dims > 1 ? fabs(gradient[1]) : 0);
        length = fmin(length, LONGEST_MOVE / fmax(steepest, 1e-300));
        if (length * steepest < FINE) break;
        next.log_penalty[0] -= length * gradient[0];
        if (dims > 1) next.log_l2 -= length * gradient[1];
        const double value = sustain__select_evaluate(s, c, &next);
        sustain__log(s->context, "absolute penalty exp(%.2f), by gradient: held-out loss %.5f", next.log_penalty[0], value);
        if (!(value < loss)) {
            length /= 3;
            continue;
        }
        slopes(s, &t, next_gradient);
        double moved = 0, bent = 0;
        for (int d = 0; d < dims; d++) {
            const double by = -length * gradient[d];
            moved += by * by;
            bent += by * (next_gradient[d] - gradient[d]);
            gradient[d] = next_gradient[d];
        }
        length = bent > 0 ? moved / bent : 2 * length;
        loss = value;
        m = next;
    }
    sustain__free(s->context, t.by_l1);
    return SUSTAIN_OK;
}

/* ---- the candidate ---- */

/* Few features: adaptive penalties do better. */
static bool is_tried(const sustain_selection *s) {
    return s->options.form != SUSTAIN_SELECT_AUTO || !s->curvature.full;
}

sustain_status sustain__select_lasso(sustain_selection *s) {
    static const double ratios[] = {0, 0.1, 1, 10};
    const bool net = s->options.form == SUSTAIN_SELECT_ELASTIC_NET;
    if (!is_tried(s)) return SUSTAIN_OK;
    SUSTAIN_TRY(make(s));
    sustain__select_state *c = sustain__select_begin(s, net ? "elastic net" : "lasso", net ? 2 : 1);
    numbers best = {.stages = 1, .absolute = true, .loss = INFINITY};
    const double first = first_point(s);
    for (size_t i = 0; i < (net ? sizeof ratios / sizeof *ratios : 1); i++) {
        numbers m = best;
        walk(s, c, ratios[i], first, &m);
        if (m.loss < best.loss) best = m;
    }
    SUSTAIN_TRY(descend(s, c, best));
    char quadratic[48] = "";
    if (isfinite(c->best.log_l2)) snprintf(quadratic, sizeof quadratic, ", quadratic penalty %.3g", exp(c->best.log_l2));
    snprintf(s->candidate[s->count].detail, sizeof s->candidate->detail, "absolute penalty %.3g%s", s->unit * exp(c->best.log_penalty[0]),
             quadratic);
    sustain__select_end(s);
    return SUSTAIN_OK;
}

double sustain__select_lasso_bytes(const sustain_selection *s) {
    const double entries = sustain__select_entries(s) + (double)s->rows.rows.count, dim = (double)s->rows.rows.dim;
    if (!is_tried(s)) return 0;
    return entries * (sizeof(int32_t) + sizeof(float)) + dim * sizeof(int64_t) + (s->models + 1) * (double)sustain__lasso_bytes(&s->rows) +
           2 * s->models * dim * sizeof(double);
}
