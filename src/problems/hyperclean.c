/* hyperclean.c - data hyper-cleaning, eq. (3), with softmax regression below: the oracles.
 *
 *   s = y (a_i, 1),   p = softmax(s),   L_i = log sum_k exp(s_k) - s_{b_i}
 *
 *   grad_y L_i        = (p - e_{b_i}) (a_i, 1)'
 *   grad^2_yy L_i [v] = (p t - p (p't)) (a_i, 1)',   t = v (a_i, 1)          (entry by entry in p t)
 *   g = c |y|^2 + mean sigma(x_i) L_i,   dg/dx_i = sigma'(x_i) L_i / n,   grad^2_xy g [v]_i = sigma'(x_i) (p - e_{b_i})'t / n
 *   f = mean L_i over the trusted rows
 *
 * y is (classes, dim) row by row, then the bias: problems/rows.h. Losses are computed in double,
 * gradients and products in sustain_real, block by block (hyperclean_blocks.c), and added up in
 * double.
 *
 * A draw of the lower level touches x at its own samples, one coordinate each; the upper level
 * never reads x. So the outputs in x-space have one entry a sample of the draw (batch NULL: a
 * training row), and grad_x f has none. */
#include "problems/hyperclean_internal.h"

#include <string.h>

#include "core/vector.h"

typedef sustain__hyperclean hyperclean;
typedef sustain__clean_draw clean_draw;
typedef sustain__clean_work clean_work;

/* ---- the oracles ---- */

static int f_value(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    const hyperclean *h = self;
    const clean_draw d = {.level = SUSTAIN_UPPER, .batch = xi, .points = 1, .x = {x}, .y = {y}};
    clean_work w;
    sustain__clean_work_in(h, h->slots, work, &w);
    *value = sustain__clean_loss(h, &d, &w, NULL);
    return 0;
}

static int f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                  sustain_real *fy, void *work) {
    const hyperclean *h = self;
    const clean_draw d = {.level = SUSTAIN_UPPER, .batch = xi, .points = 1, .x = {x}, .y = {y}};
    clean_work w;
    (void)fx; /* compact, and the upper level touches no coordinate: nothing to write */
    sustain__clean_work_in(h, h->slots, work, &w);
    sustain__clean_sum(h, &d, &w, 0, 1, NULL, &fy);
    return 0;
}

static int g_value(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    const hyperclean *h = self;
    const clean_draw d = {.level = SUSTAIN_LOWER, .batch = zeta, .points = 1, .x = {x}, .y = {y}};
    clean_work w;
    sustain__clean_work_in(h, h->slots, work, &w);
    *value = h->c * sustain__dot(h->problem.lower_dim, y, y) + sustain__clean_loss(h, &d, &w, NULL);
    return 0;
}

static int g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                    void *work) {
    const hyperclean *h = self;
    const clean_draw d = {.level = SUSTAIN_LOWER, .batch = zeta, .points = 1, .x = {x}, .y = {y}};
    clean_work w;
    sustain__clean_work_in(h, h->slots, work, &w);
    sustain__clean_sum(h, &d, &w, 2 * h->c, 1, &y, &gy);
    return 0;
}

static int g_grad_x(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                    void *work) {
    const hyperclean *h = self;
    const clean_draw d = {.level = SUSTAIN_LOWER, .batch = zeta, .points = 1, .x = {x}, .y = {y}};
    clean_work w;
    sustain__clean_work_in(h, h->slots, work, &w);
    sustain__clean_loss(h, &d, &w, gx);
    return 0;
}

static int g_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    const hyperclean *h = self;
    const clean_draw d = {.level = SUSTAIN_LOWER, .batch = zeta, .points = 1, .x = {x}, .y = {y}, .v = {v}};
    clean_work w;
    sustain__clean_work_in(h, h->slots, work, &w);
    sustain__clean_sum(h, &d, &w, 2 * h->c, 1, &v, &out);
    return 0;
}

static int g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work) {
    const hyperclean *h = self;
    const clean_draw d = {.level = SUSTAIN_LOWER, .batch = zeta, .points = 1, .x = {x}, .y = {y}, .v = {v}};
    clean_work w;
    sustain__clean_work_in(h, h->slots, work, &w);
    sustain__clean_cross(h, &d, 1, &w, &out);
    return 0;
}

static int initial(const void *self, sustain_real *x, sustain_real *y) {
    const hyperclean *h = self;
    sustain__zero(h->problem.upper_dim, x);
    sustain__zero(h->problem.lower_dim, y);
    return 0;
}

static int64_t support(const void *self, sustain_level level, const sustain_batch *batch, int64_t *coordinate) {
    (void)self;
    if (level == SUSTAIN_UPPER) return 0;
    memcpy(coordinate, batch->index, (size_t)batch->size * sizeof *coordinate);
    return batch->size;
}

static void prefetch(const void *self, sustain_level level, const sustain_batch *batch) {
    const hyperclean *h = self;
    sustain__rows_prefetch(&h->rows[level], batch, 0, batch->size);
}

/* ---- tables ----
 *
 * A sample's part of grad_y g and of grad^2_yy g v is row (a_i, 1)', row (classes): sigma(x_i)(p -
 * e_b) and sigma(x_i)(diag(p) - pp')t; that of grad_y f is (p - e_b)(a_i, 1)'; the cross product is
 * one number at its own coordinate. The rest is 2c y, 2c v, and nothing. */

static int64_t table_width(const void *self, sustain_quantity quantity) {
    const hyperclean *h = self;
    if (quantity == SUSTAIN_QUANTITY_F_GRAD_X) return 0;
    return quantity == SUSTAIN_QUANTITY_G_CROSS_VEC ? 1 : h->model.width;
}

static int table_rows(const void *self, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *x, const sustain_real *y,
                      const sustain_real *v, sustain_real *rows, void *work) {
    const hyperclean *h = self;
    const bool cross = quantity == SUSTAIN_QUANTITY_G_CROSS_VEC, product = cross || quantity == SUSTAIN_QUANTITY_G_HESS_VEC;
    const clean_draw d = {.level = sustain__level_of(quantity), .batch = batch, .points = 1, .x = {x}, .y = {y}, .v = {product ? v : NULL}};
    clean_work w;
    if (table_width(self, quantity) == 0) return 0;
    sustain__clean_work_in(h, h->slots, work, &w);
    sustain__clean_table_rows(h, &d, cross, &w, rows);
    return 0;
}

static int table_add(const void *self, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *rows, double weight,
                     sustain_real *out, void *work) {
    const hyperclean *h = self;
    if (table_width(self, quantity) == 0) return 0;
    if (quantity == SUSTAIN_QUANTITY_G_CROSS_VEC) {
        for (int64_t j = 0; j < batch->size; j++) out[batch->index[j]] += (sustain_real)(weight * (double)rows[j]);
        return 0;
    }
    const clean_draw d = {.level = sustain__level_of(quantity), .batch = batch, .points = 1};
    clean_work w;
    sustain__clean_work_in(h, h->slots, work, &w);
    sustain__clean_table_add(h, &d, rows, weight, &w, out);
    return 0;
}

static int table_rest(const void *self, sustain_quantity quantity, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    const hyperclean *h = self;
    const bool in_x = quantity == SUSTAIN_QUANTITY_F_GRAD_X || quantity == SUSTAIN_QUANTITY_G_CROSS_VEC;
    const int64_t count = in_x ? h->problem.upper_dim : h->problem.lower_dim;
    (void)x, (void)work;
    sustain__zero(count, out);
    if (quantity == SUSTAIN_QUANTITY_G_GRAD_Y) sustain__add(count, 2 * h->c, y, out);
    if (quantity == SUSTAIN_QUANTITY_G_HESS_VEC) sustain__add(count, 2 * h->c, v, out);
    return 0;
}

static const sustain_problem_fast fast = {
    .size = sizeof fast,
    .support_per_sample = {0, 1},
    .support = support,
    .table_width = table_width,
    .table_rows = table_rows,
    .table_add = table_add,
    .table_rest = table_rest,
    .g_grad_y_pair = sustain__clean_g_grad_y_pair,
    .hyper_pair = sustain__clean_hyper_pair,
    .momentum_step = sustain__clean_momentum_step,
    .prefetch = prefetch,
};

const sustain_problem_ops sustain__hyperclean_ops = {
    .name = "hyperclean",
    .f_value = f_value,
    .f_grad = f_grad,
    .g_value = g_value,
    .g_grad_y = g_grad_y,
    .g_grad_x = g_grad_x,
    .g_hess_vec = g_hess_vec,
    .g_cross_vec = g_cross_vec,
    .initial = initial,
    .workspace = sustain__clean_workspace,
    .fast = &fast,
};

/* ---- groups ----
 *
 * x has an entry for each group. What is computed sample by sample is added up by group. */

static sustain_real *per_sample(const hyperclean *h, void *work) {
    return (sustain_real *)(void *)((char *)work + sustain__clean_workspace(h, 0));
}

static size_t groups_workspace(const void *self, int64_t max_batch) {
    const hyperclean *h = self;
    const int64_t rows = h->rows[SUSTAIN_LOWER].count;
    return sustain__clean_workspace(self, max_batch) + sustain__lines(rows > max_batch ? rows : max_batch, sizeof(sustain_real));
}

static void add_by_group(const hyperclean *h, const sustain_batch *zeta, const sustain_real *sample, sustain_real *out) {
    const int64_t size = sustain__rows_size(&h->rows[SUSTAIN_LOWER], zeta);
    sustain__zero(h->problem.upper_dim, out);
    for (int64_t j = 0; j < size; j++) out[sustain__clean_coordinate(h, sustain__rows_number(zeta, j))] += sample[j];
}

static int groups_f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                         sustain_real *fy, void *work) {
    const hyperclean *h = self;
    sustain__zero(h->problem.upper_dim, fx);
    return f_grad(self, xi, x, y, NULL, fy, work);
}

static int groups_g_grad_x(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                           void *work) {
    const hyperclean *h = self;
    g_grad_x(self, zeta, x, y, per_sample(h, work), work);
    add_by_group(h, zeta, per_sample(h, work), gx);
    return 0;
}

static int groups_g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                              const sustain_real *v, sustain_real *out, void *work) {
    const hyperclean *h = self;
    g_cross_vec(self, zeta, x, y, v, per_sample(h, work), work);
    add_by_group(h, zeta, per_sample(h, work), out);
    return 0;
}

void sustain__hyperclean_use_groups(sustain_problem_ops *ops) {
    ops->name = "hyperclean with groups";
    ops->f_grad = groups_f_grad;
    ops->g_grad_x = groups_g_grad_x;
    ops->g_cross_vec = groups_g_cross_vec;
    ops->workspace = groups_workspace;
    ops->fast = NULL;
}
