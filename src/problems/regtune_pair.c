/* regtune_pair.c - penalties of a linear model, tuned on validation rows: one draw at two points,
 * eq. (13) and (7).
 *
 *   Df(x,y) = -(K/L_g) grad^2_xy g [v],     v = prod_{i=1..k} (I - H(zeta^(i)) / L_g) grad_y f(x,y;xi)                        (7)
 *
 * A block of rows is multiplied with both points, and for Hessian products with both v, in one
 * small matrix product: y, y_prev, v and v_prev are its columns. The penalties, w = floor + exp(x),
 * are made once for all products. The cross product does not depend on zeta^(0). */
#include "core/vector.h"
#include "problems/regtune_internal.h"

typedef sustain__regtune regtune;

int sustain__regtune_g_grad_y_pair(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                   const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *gy, sustain_real *gy_prev,
                                   void *work) {
    const regtune *h = self;
    sustain__regtune_penalize(h, x, y, gy);
    sustain__regtune_penalize(h, x_prev, y_prev, gy_prev);
    const sustain__regtune_draw draw = {SUSTAIN_LOWER, zeta, 2, {y, y_prev}, {NULL, NULL}, NULL};
    sustain__regtune_add_mean(h, &draw, (sustain_real *const[]){gy, gy_prev}, work);
    return 0;
}

/* v <- (I - H / L_g) v at each point. */
static void multiply(const regtune *h, const sustain__regtune_draw *draw, double L_g, const sustain__regtune_work *w, void *work) {
    const int64_t n = h->problem.lower_dim;
    const sustain_real scale = (sustain_real)(1 / L_g);
    for (int p = 0; p < draw->points; p++)
        for (int64_t j = 0; j < n; j++) w->hv[p][j] = w->w[p][j] * w->v[p][j];
    sustain__regtune_add_mean(h, draw, w->hv, work);
    for (int p = 0; p < draw->points; p++)
        for (int64_t j = 0; j < n; j++) w->v[p][j] -= scale * w->hv[p][j];
}

int sustain__regtune_hyper_pair(const void *self, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                                const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out, sustain_real *out_prev,
                                void *work) {
    const regtune *h = self;
    const int points = x_prev != NULL ? 2 : 1;
    const sustain_real *const at_x[] = {x, x_prev}, *const at_y[] = {y, y_prev};
    sustain_real *const to[] = {out, out_prev};
    if (h->sparse) {
        sustain__regtune_sparse_pair(h, draw, points, at_x, at_y, to, work);
        return 0;
    }
    sustain__regtune_work w;
    sustain__regtune_work_in(h, 0, work, &w);
    sustain__regtune_draw part = {SUSTAIN_UPPER, &draw->xi, points, {y, y_prev}, {NULL, NULL}, draw->k > 0 ? &draw->zeta[draw->k] : NULL};
    for (int p = 0; p < points; p++) sustain__zero(h->problem.lower_dim, w.v[p]);
    sustain__regtune_add_mean(h, &part, w.v, work); /* v = grad_y f */
    part.level = SUSTAIN_LOWER;
    for (int p = 0; p < points && draw->k > 0; p++) sustain__regtune_penalties(h, at_x[p], w.w[p]);
    for (int p = 0; p < points; p++) part.v[p] = w.v[p];
    for (int i = draw->k; i >= 1; i--) { /* v = prod_{i=1..k} (I - H_i / L_g) v */
        part.batch = &draw->zeta[i];
        part.next = i > 1 ? &draw->zeta[i - 1] : NULL;
        multiply(h, &part, draw->L_g, &w, work);
    }
    for (int p = 0; p < points; p++) sustain__regtune_by_penalty(h, -draw->K / draw->L_g, at_x[p], at_y[p], w.v[p], w.sum, to[p]); /* (7) */
    return 0;
}

/* ---- one iteration ---- */

/* Eq. (7), then (13): the penalties' part of h and y in one pass over all of them, the rows' part
 * where the rows are not 0. */
int sustain__regtune_momentum_step(const void *self, const sustain_momentum_step *step, const sustain_real *x, const sustain_real *x_prev,
                                   sustain_real *hg, sustain_real *y, sustain_real *y_prev, sustain_real *out, sustain_real *out_prev,
                                   void *work) {
    const regtune *h = self;
    sustain__regtune_work w;
    sustain__regtune_work_in(h, 1, work, &w);
    if (h->brief[SUSTAIN_LOWER].values != NULL) {
        sustain__regtune_short_step(h, step, x, x_prev, hg, y, y_prev, out, out_prev, w.sum);
        return 0;
    }
    sustain__regtune_hyper_pair(h, step->draw, x, y, out_prev != NULL ? x_prev : NULL, y_prev, out, out_prev, work);
    const sustain__regtune_draw draw = {SUSTAIN_LOWER, step->zeta, step->keep != 0 ? 2 : 1, {y, y_prev}, {NULL, NULL}, NULL};
    sustain__regtune_write_factors(h, &draw, 1 / (double)step->zeta->size, step->keep, &w.slot[0], w.q);
    sustain__regtune_penalty_step(h, step->keep, step->beta, x, x_prev, hg, y, y_prev); /* (13) */
    sustain__regtune_add_factors(h, SUSTAIN_LOWER, step->zeta, 1, w.q, &w.slot[0].block, hg);
    sustain__regtune_add_factors(h, SUSTAIN_LOWER, step->zeta, -step->beta, w.q, &w.slot[0].block, y);
    return 0;
}
