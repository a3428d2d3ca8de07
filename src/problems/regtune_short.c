/* regtune_short.c - penalties of a linear model, tuned on validation rows: the logistic loss on
 * short dense rows.
 *
 * An iteration with a few hundred rows of a few dozen numbers, drawn from all over memory, computes
 * little and mostly waits for memory. So such rows are copied when the problem is made: floats of
 * (a, 1) times the label, filled up to whole vectors (core/logistic.h). y and the intercept lie in
 * memory as the copies do. */
#include "core/prefetch.h"
#include "core/vector.h"
#include "problems/regtune_internal.h"
#include "problems/rows_double.h"

typedef sustain__regtune regtune;

static bool are_short(const regtune *h) {
    if (h->loss != &sustain__loss_logistic || h->options.folds > 0 || h->problem.lower_dim > SUSTAIN__SHORT_MOST) return false;
    for (int level = 0; level < 2; level++)
        if (h->rows[level].start != NULL || h->rows[level].stored != h->rows[level].count) return false;
    return true;
}

static sustain_status copy_rows(regtune *h, sustain_level level) {
    const sustain_rows *rows = &h->rows[level];
    sustain__short_rows *to = &h->brief[level];
    to->stride = (h->problem.lower_dim + SUSTAIN__SHORT_STEP - 1) / SUSTAIN__SHORT_STEP * SUSTAIN__SHORT_STEP;
    SUSTAIN_TRY(sustain__allocate(h->context, sustain__multiply((size_t)(to->stride * rows->count), sizeof *to->values), &to->values));
    for (int64_t i = 0; i < rows->count; i++) {
        const sustain__row a = sustain__row_at(rows, i);
        const float label = (float)rows->labels[i];
        float *own = to->values + i * to->stride;
        for (int64_t j = 0; j < a.count; j++) own[j] = label * (float)sustain__row_entry(a, j);
        if (h->model.intercept) own[a.count] = label;
    }
    return SUSTAIN_OK;
}

sustain_status sustain__regtune_shorten(regtune *h) {
    if (!are_short(h)) return SUSTAIN_OK;
    SUSTAIN_TRY(copy_rows(h, SUSTAIN_UPPER));
    return copy_rows(h, SUSTAIN_LOWER);
}

/* to <- z, filled up with zeros. */
static const sustain_real *filled(const regtune *h, const sustain_real *z, sustain_real *to) {
    const int64_t n = h->problem.lower_dim;
    sustain__copy(n, z, to);
    sustain__zero(h->brief[0].stride - n, to + n);
    return to;
}

void sustain__regtune_add_short(const regtune *h, const sustain__regtune_draw *d, int64_t first, int64_t count, double factor,
                                sustain_real *const *out) {
    sustain_real y[SUSTAIN__REGTUNE_POINTS][SUSTAIN__SHORT_MOST], v[SUSTAIN__REGTUNE_POINTS][SUSTAIN__SHORT_MOST];
    sustain_real to[SUSTAIN__REGTUNE_POINTS][SUSTAIN__SHORT_MOST];
    sustain__logistic_sum sum = {.rows = &h->brief[d->level], .first = first, .count = count, .points = d->points, .factor = factor};
    if (d->batch != NULL) sum.index = d->batch->index + first;
    if (d->next != NULL) {
        sum.next_rows = &h->brief[SUSTAIN_LOWER];
        sum.next = d->next->index;
        sum.next_count = d->next->size;
    }
    for (int p = 0; p < d->points; p++) {
        sum.y[p] = filled(h, d->y[p], y[p]);
        if (d->v[0] != NULL) sum.v[p] = filled(h, d->v[p], v[p]);
        filled(h, out[p], to[p]);
        sum.out[p] = to[p];
    }
    h->add_logistic(&sum);
    for (int p = 0; p < d->points; p++) sustain__copy(h->problem.lower_dim, to[p], out[p]);
}

/* ---- one iteration ---- */

/* The vectors of an iteration at its points, filled up. */
typedef struct vectors {
    sustain_real y[SUSTAIN__REGTUNE_POINTS][SUSTAIN__SHORT_MOST], w[SUSTAIN__REGTUNE_POINTS][SUSTAIN__SHORT_MOST];
    sustain_real g[SUSTAIN__REGTUNE_POINTS][SUSTAIN__SHORT_MOST]; /* a gradient, or H v */
    sustain_real v[SUSTAIN__REGTUNE_POINTS][SUSTAIN__SHORT_MOST];
} vectors;

/* The next sum is over `draw`; the sum after it is prefetched. */
static void add_draw(const regtune *h, sustain__logistic_sum *sum, const sustain_batch *draw, sustain_level next_level,
                     const sustain_batch *next) {
    sum->index = draw->index;
    sum->count = draw->size;
    sum->factor = 1 / (double)draw->size;
    sum->next_rows = &h->brief[next_level];
    sum->next = next != NULL ? next->index : NULL;
    sum->next_count = next != NULL ? next->size : 0;
    h->add_logistic(sum);
}

static void point_to(sustain_real (*from)[SUSTAIN__SHORT_MOST], const sustain_real **to) {
    for (int p = 0; p < SUSTAIN__REGTUNE_POINTS; p++) to[p] = from[p];
}

/* g_p <- w_p z_p */
static void begin_sum(int64_t stride, int points, const vectors *a, sustain_real (*z)[SUSTAIN__SHORT_MOST],
                      sustain_real (*g)[SUSTAIN__SHORT_MOST], sustain__logistic_sum *sum) {
    for (int p = 0; p < points; p++) {
        for (int64_t j = 0; j < stride; j++) g[p][j] = a->w[p][j] * z[p][j];
        sum->out[p] = g[p];
    }
    sum->points = points;
}

/* v = prod_{i=1..k} (I - H_i / L_g) grad_y f
 * (7) */
static void find_v(const regtune *h, const sustain_hyper_draw *draw, int points, vectors *a, sustain__logistic_sum *sum) {
    const int64_t stride = h->brief[SUSTAIN_LOWER].stride;
    const sustain_real scale = (sustain_real)(1 / draw->L_g);
    sum->rows = &h->brief[SUSTAIN_UPPER];
    sum->points = points;
    for (int p = 0; p < points; p++) {
        sustain__zero(stride, a->v[p]);
        sum->out[p] = a->v[p];
    }
    add_draw(h, sum, &draw->xi, SUSTAIN_LOWER, draw->k > 0 ? &draw->zeta[draw->k] : NULL);
    sum->rows = &h->brief[SUSTAIN_LOWER];
    point_to(a->v, sum->v);
    for (int i = draw->k; i >= 1; i--) {
        begin_sum(stride, points, a, a->v, a->g, sum);
        add_draw(h, sum, &draw->zeta[i], SUSTAIN_LOWER, i > 1 ? &draw->zeta[i - 1] : NULL);
        for (int p = 0; p < points; p++)
            for (int64_t j = 0; j < stride; j++) a->v[p][j] -= scale * a->g[p][j];
    }
}

void sustain__regtune_short_step(const regtune *h, const sustain_momentum_step *step, const sustain_real *x, const sustain_real *x_prev,
                                 sustain_real *hg, sustain_real *y, sustain_real *y_prev, sustain_real *out, sustain_real *out_prev,
                                 double *sums) {
    const int lower_points = step->keep != 0 ? 2 : 1, upper_points = out_prev != NULL ? 2 : 1;
    const sustain_real *const at_x[] = {x, x_prev}, *const at_y[] = {y, y_prev};
    sustain_real *const to[] = {out, out_prev};
    const int64_t n = h->problem.lower_dim, stride = h->brief[SUSTAIN_LOWER].stride;
    vectors a;
    sustain__logistic_sum sum = {.rows = &h->brief[SUSTAIN_LOWER]};
    for (int p = 0; p < 2 && (p < lower_points || p < upper_points); p++) {
        sustain__regtune_penalties(h, at_x[p], a.w[p]);
        sustain__zero(stride - n, a.w[p] + n);
        filled(h, at_y[p], a.y[p]);
    }
    point_to(a.y, sum.y);
    sustain_real gradient[SUSTAIN__REGTUNE_POINTS][SUSTAIN__SHORT_MOST];
    begin_sum(stride, lower_points, &a, a.y, gradient, &sum);
    add_draw(h, &sum, step->zeta, SUSTAIN_UPPER, &step->draw->xi);
    find_v(h, step->draw, upper_points, &a, &sum);
    for (int p = 0; p < upper_points; p++)
        sustain__regtune_by_penalty(h, -step->draw->K / step->draw->L_g, at_x[p], at_y[p], a.v[p], sums, to[p]); /* (7) */
    sustain__momentum(n, step->keep, gradient[0], gradient[1], hg);                                              /* (13) */
    sustain__move(n, step->beta, hg, y, y_prev);
}

void sustain__regtune_prefetch_short(const regtune *h, sustain_level level, const sustain_batch *batch) {
    const sustain__short_rows *rows = &h->brief[level];
    enum { LINE = SUSTAIN__LINE / sizeof *rows->values };
    for (int64_t i = 0; i < batch->size; i++) {
        const float *row = rows->values + batch->index[i] * rows->stride;
        for (int64_t j = 0; j < rows->stride; j += LINE) SUSTAIN__PREFETCH(row + j);
        SUSTAIN__PREFETCH(row + rows->stride - 1);
    }
}
