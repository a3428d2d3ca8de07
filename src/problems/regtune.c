/* regtune.c - penalties of a linear model, tuned on validation rows: the oracles.
 *
 *   s_i = y (a_i, 1),   r_i = dL/ds (s_i, b_i),   C_i = d^2 L / ds^2 (s_i, b_i),   w_j = floor + exp(x_{group(j)})
 *
 *   grad_y g        = w y + mean r_i (a_i, 1)'                                        f: the same without w, on validation rows
 *   grad^2_yy g [v] = w v + mean (C_i t_i) (a_i, 1)',   t_i = v (a_i, 1)
 *   dg/dx_i         = 1/2 exp(x_i) sum over j of group i of y_j^2,      grad^2_xy g [v]_i = exp(x_i) sum over these j of y_j v_j
 *
 * So a sample's part of a gradient or product is a row of `width` numbers, r_i or C_i t_i, times
 * (a_i, 1)': the rows of SAGA's tables. The oracles are made of the same two halves, one that makes
 * rows and one that adds them up (regtune_rows.c), chunk by chunk. y is (width, dim) row by row,
 * then the intercept: problems/rows.h. */
#include "problems/regtune_internal.h"

#include "core/vector.h"

typedef sustain__regtune regtune;

/* out += mean over a draw of row (a, 1)' */
static void add_mean(const regtune *h, sustain_level level, const sustain_batch *batch, const sustain_real *y, const sustain_real *v,
                     sustain_real *out, void *work) {
    const sustain__regtune_draw draw = {level, batch, 1, {y, NULL}, {v, NULL}, NULL};
    sustain__regtune_add_mean(h, &draw, &out, work);
}

static double *sums_in(const regtune *h, void *work) {
    sustain__regtune_work w;
    sustain__regtune_work_in(h, 0, work, &w);
    return w.sum;
}

/* ---- the oracles ---- */

static int f_value(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    (void)x;
    *value = sustain__regtune_loss(self, SUSTAIN_UPPER, xi, y, work);
    return 0;
}

static int f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                  sustain_real *fy, void *work) {
    const regtune *h = self;
    (void)x;
    sustain__zero(h->problem.upper_dim, fx);
    sustain__zero(h->problem.lower_dim, fy);
    add_mean(h, SUSTAIN_UPPER, xi, y, NULL, fy, work);
    return 0;
}

static int g_value(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    *value = sustain__regtune_loss(self, SUSTAIN_LOWER, zeta, y, work) + sustain__regtune_penalty_value(self, x, y, sums_in(self, work));
    return 0;
}

static int g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                    void *work) {
    sustain__regtune_penalize(self, x, y, gy);
    add_mean(self, SUSTAIN_LOWER, zeta, y, NULL, gy, work);
    return 0;
}

static int g_grad_x(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                    void *work) {
    (void)zeta;
    sustain__regtune_by_penalty(self, 0.5, x, y, y, sums_in(self, work), gx);
    return 0;
}

static int g_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    sustain__regtune_penalize(self, x, v, out);
    add_mean(self, SUSTAIN_LOWER, zeta, y, v, out, work);
    return 0;
}

static int g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work) {
    (void)zeta;
    sustain__regtune_by_penalty(self, 1, x, y, v, sums_in(self, work), out);
    return 0;
}

static int initial(const void *self, sustain_real *x, sustain_real *y) {
    const regtune *h = self;
    for (int64_t i = 0; i < h->problem.upper_dim; i++) x[i] = (sustain_real)h->options.x_0;
    sustain__zero(h->problem.lower_dim, y);
    return h->options.feasible != SUSTAIN_REGTUNE_FREE ? sustain__regtune_project(self, y) : 0;
}

static void prefetch(const void *self, sustain_level level, const sustain_batch *batch) {
    const regtune *h = self;
    if (h->brief[level].values != NULL)
        sustain__regtune_prefetch_short(h, level, batch);
    else
        sustain__rows_prefetch(&h->rows[level], batch, 0, batch->size);
}

/* ---- the tables ---- */

static int64_t table_width(const void *self, sustain_quantity quantity) {
    const regtune *h = self;
    return quantity == SUSTAIN_QUANTITY_F_GRAD_X || quantity == SUSTAIN_QUANTITY_G_CROSS_VEC ? 0 : h->model.width;
}

static int table_rows(const void *self, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *x, const sustain_real *y,
                      const sustain_real *v, sustain_real *rows, void *work) {
    const regtune *h = self;
    (void)x;
    if (table_width(h, quantity) == 0) return 0;
    const sustain__regtune_draw draw = {
        sustain__level_of(quantity), batch, 1, {y, NULL}, {quantity == SUSTAIN_QUANTITY_G_HESS_VEC ? v : NULL, NULL}, NULL};
    sustain__regtune_work w;
    sustain__regtune_work_in(h, 1, work, &w);
    sustain__regtune_write_factors(h, &draw, 1, 0, &w.slot[0], rows);
    return 0;
}

static int table_add(const void *self, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *rows, double weight,
                     sustain_real *out, void *work) {
    const regtune *h = self;
    if (table_width(h, quantity) == 0) return 0;
    sustain__regtune_work w;
    sustain__regtune_work_in(h, 1, work, &w);
    sustain__regtune_add_factors(h, sustain__level_of(quantity), batch, weight, rows, &w.slot[0].block, out);
    return 0;
}

static int table_rest(const void *self, sustain_quantity quantity, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    const regtune *h = self;
    switch (quantity) {
    case SUSTAIN_QUANTITY_F_GRAD_X:
        sustain__zero(h->problem.upper_dim, out);
        break;
    case SUSTAIN_QUANTITY_F_GRAD_Y:
        sustain__zero(h->problem.lower_dim, out);
        break;
    case SUSTAIN_QUANTITY_G_GRAD_Y:
        sustain__regtune_penalize(h, x, y, out);
        break;
    case SUSTAIN_QUANTITY_G_HESS_VEC:
        sustain__regtune_penalize(h, x, v, out);
        break;
    case SUSTAIN_QUANTITY_G_CROSS_VEC:
        sustain__regtune_by_penalty(h, 1, x, y, v, sums_in(h, work), out);
        break;
    }
    return 0;
}

static const sustain_problem_fast fast = {
    .size = sizeof fast,
    .table_width = table_width,
    .table_rows = table_rows,
    .table_add = table_add,
    .table_rest = table_rest,
    .g_grad_y_pair = sustain__regtune_g_grad_y_pair,
    .hyper_pair = sustain__regtune_hyper_pair,
    .momentum_step = sustain__regtune_momentum_step,
    .prefetch = prefetch,
};

const sustain_problem_ops sustain__regtune_ops = {
    .name = "regtune",
    .f_value = f_value,
    .f_grad = f_grad,
    .g_value = g_value,
    .g_grad_y = g_grad_y,
    .g_grad_x = g_grad_x,
    .g_hess_vec = g_hess_vec,
    .g_cross_vec = g_cross_vec,
    .initial = initial,
    .workspace = sustain__regtune_workspace,
    .fast = &fast,
};
