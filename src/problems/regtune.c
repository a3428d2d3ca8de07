/* regtune.c - penalties of a linear model, tuned on validation rows: the oracles.
 *
 *   s_i = y (a_i, 1),   r_i = dL/ds (s_i, b_i),   C_i = d^2 L / ds^2 (s_i, b_i),   w_j = floor + exp(x_{group(j)})
 *
 *   grad_y g        = w y + mean r_i (a_i, 1)'                                        f: the same without w, on validation rows
 *   grad^2_yy g [v] = w v + mean (C_i t_i) (a_i, 1)',   t_i = v (a_i, 1)
 *   dg/dx_i         = 1/2 exp(x_i) sum over j of group i of y_j^2,      grad^2_xy g [v]_i = exp(x_i) sum over these j of y_j v_j
 *
 * So a sample's part of a gradient or product is a row of `width` numbers, r_i or C_i t_i, times (a_i, 1)': the rows of SAGA's tables.
 * The oracles are made of the same two halves, one that makes rows and one that adds them up (regtune_rows.c), chunk by chunk.
 * y is (width, dim) row by row, then the intercept: problems/rows.h. */
#include "problems/regtune.h"

#include <math.h>

#include "core/exp.h"
#include "core/vector.h"

typedef sustain__regtune regtune;

enum { CHUNK = SUSTAIN__BLOCK, BLOCK = 256 }; /* BLOCK: features that are worked on together */

/* `work`: a block; sums by penalty (not with one a feature: these need none) and scores of one row in double; then rows of a block and
 * weights of classes. */
typedef struct scratch {
    sustain__block block;
    double *sum, *score;
    sustain_real *other, *weight;
} scratch;

static int64_t sums_of(const regtune *h) {
    return h->options.penalty == SUSTAIN_REGTUNE_FEATURE ? 0 : h->problem.upper_dim;
}

static size_t workspace(const void *self, int64_t max_batch) {
    const regtune *h = self;
    (void)max_batch;
    return sustain__block_bytes(h->model.width) + (size_t)(sums_of(h) + h->model.width) * sizeof(double) +
           (size_t)((CHUNK + 1) * h->model.width) * sizeof(sustain_real);
}

static scratch scratch_in(const regtune *h, void *work) {
    scratch s;
    sustain__block_begin(h->kernels, &h->model, h->model.width, work, &s.block);
    s.sum = (double *)(void *)((char *)work + sustain__block_bytes(h->model.width));
    s.score = s.sum + sums_of(h);
    s.other = (sustain_real *)(void *)(s.score + h->model.width);
    s.weight = s.other + CHUNK * h->model.width;
    return s;
}

/* ---- the data ---- */

static sustain_level level_of(sustain_quantity quantity) {
    return quantity == SUSTAIN_QUANTITY_F_GRAD_X || quantity == SUSTAIN_QUANTITY_F_GRAD_Y ? SUSTAIN_UPPER : SUSTAIN_LOWER;
}

/* out += mean over a draw of row (a, 1)' */
static void add_mean(const regtune *h, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *y, const sustain_real *v,
                     sustain_real *out, void *work) {
    scratch s = scratch_in(h, work);
    const int64_t size = sustain__regtune_size(h, level_of(quantity), batch);
    for (int64_t first = 0; first < size; first += CHUNK) {
        const int64_t count = size - first < CHUNK ? size - first : CHUNK;
        sustain__regtune_rows(h, level_of(quantity), batch, first, count, y, v, &s.block, s.other);
        sustain__scale(count * h->model.width, 1 / (double)size, s.block.s);
        sustain__block_add(&s.block, 1, &out);
    }
}

/* ---- the penalties ---- */

/* e (count) <- exp of the penalties of the features first .. first + count - 1; not by class. */
static void exponentials(const regtune *h, const sustain_real *x, int64_t first, int64_t count, sustain_real *e) {
    const bool own = h->options.penalty == SUSTAIN_REGTUNE_FEATURE;
    for (int64_t j = 0; !own && j < count; j++) e[j] = x[h->options.penalty == SUSTAIN_REGTUNE_GROUP ? h->options.group[first + j] : 0];
    sustain__exp(count, own ? x + first : e, e);
}

/* out <- w v: the gradient of the penalty at v, and its Hessian times v. */
static void penalize(const regtune *h, const sustain_real *x, const sustain_real *v, sustain_real *out, void *work) {
    const int64_t dim = h->model.dim, width = h->model.width;
    const sustain_real least = (sustain_real)h->options.floor;
    if (h->options.penalty == SUSTAIN_REGTUNE_CLASS) {
        sustain_real *weight = scratch_in(h, work).weight;
        sustain__exp(width, x, weight);
        for (int64_t k = 0; k < width; k++)
            for (int64_t j = 0; j < dim; j++) out[k * dim + j] = (least + weight[k]) * v[k * dim + j];
    } else {
        sustain_real e[BLOCK];
        for (int64_t first = 0; first < dim; first += BLOCK) {
            const int64_t count = dim - first < BLOCK ? dim - first : BLOCK;
            exponentials(h, x, first, count, e);
            for (int64_t k = 0; k < width; k++) {
                const sustain_real *v_k = v + k * dim + first;
                sustain_real *out_k = out + k * dim + first;
                for (int64_t j = 0; j < count; j++) out_k[j] = (least + e[j]) * v_k[j];
            }
        }
    }
    for (int64_t i = dim * width; i < h->problem.lower_dim; i++) out[i] = least * v[i];
}

/* sum (upper_dim): by penalty, the sum of u_j v_j over what it acts on; not by feature. */
static void sums_by_penalty(const regtune *h, const sustain_real *u, const sustain_real *v, double *sum) {
    const int64_t dim = h->model.dim, width = h->model.width;
    if (h->options.penalty == SUSTAIN_REGTUNE_SINGLE) {
        sum[0] = sustain__dot(dim * width, u, v);
        return;
    }
    if (h->options.penalty == SUSTAIN_REGTUNE_CLASS) {
        for (int64_t k = 0; k < width; k++) sum[k] = sustain__dot(dim, u + k * dim, v + k * dim);
        return;
    }
    for (int64_t i = 0; i < h->problem.upper_dim; i++) sum[i] = 0;
    for (int64_t k = 0; k < width; k++, u += dim, v += dim)
        for (int64_t j = 0; j < dim; j++) sum[h->options.group[j]] += (double)u[j] * (double)v[j];
}

/* out (upper_dim) <- factor exp(x_i) sum of u_j v_j over what x_i acts on */
static void by_penalty(const regtune *h, double factor, const sustain_real *x, const sustain_real *u, const sustain_real *v,
                       sustain_real *out, void *work) {
    const int64_t dim = h->model.dim, width = h->model.width;
    if (h->options.penalty != SUSTAIN_REGTUNE_FEATURE) {
        double *sum = scratch_in(h, work).sum;
        sums_by_penalty(h, u, v, sum);
        for (int64_t i = 0; i < h->problem.upper_dim; i++) out[i] = (sustain_real)(factor * exp((double)x[i]) * sum[i]);
        return;
    }
    sustain__exp(dim, x, out);
    for (int64_t first = 0; first < dim; first += BLOCK) {
        const int64_t count = dim - first < BLOCK ? dim - first : BLOCK;
        sustain_real sum[BLOCK] = {0};
        for (int64_t k = 0; k < width; k++) {
            const sustain_real *u_k = u + k * dim + first, *v_k = v + k * dim + first;
            for (int64_t j = 0; j < count; j++) sum[j] += u_k[j] * v_k[j];
        }
        for (int64_t j = 0; j < count; j++) out[first + j] *= (sustain_real)factor * sum[j];
    }
}

/* 1/2 sum_j w_j y_j^2 */
static double penalty_value(const regtune *h, const sustain_real *x, const sustain_real *y, void *work) {
    const int64_t dim = h->model.dim, width = h->model.width;
    double *sum = scratch_in(h, work).sum, total = h->options.floor * sustain__dot(h->problem.lower_dim, y, y);
    if (h->options.penalty == SUSTAIN_REGTUNE_FEATURE) {
        for (int64_t j = 0; j < dim; j++) {
            double square = 0;
            for (int64_t k = 0; k < width; k++) square += (double)y[k * dim + j] * (double)y[k * dim + j];
            total += exp((double)x[j]) * square;
        }
    } else {
        sums_by_penalty(h, y, y, sum);
        for (int64_t i = 0; i < h->problem.upper_dim; i++) total += exp((double)x[i]) * sum[i];
    }
    return total / 2;
}

/* ---- the oracles ---- */

static int f_value(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    (void)x;
    scratch s = scratch_in(self, work);
    *value = sustain__regtune_loss(self, SUSTAIN_UPPER, xi, y, &s.block, s.score);
    return 0;
}

static int f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                  sustain_real *fy, void *work) {
    const regtune *h = self;
    (void)x;
    sustain__zero(h->problem.upper_dim, fx);
    sustain__zero(h->problem.lower_dim, fy);
    add_mean(h, SUSTAIN_QUANTITY_F_GRAD_Y, xi, y, NULL, fy, work);
    return 0;
}

static int g_value(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    scratch s = scratch_in(self, work);
    *value = sustain__regtune_loss(self, SUSTAIN_LOWER, zeta, y, &s.block, s.score) + penalty_value(self, x, y, work);
    return 0;
}

static int g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                    void *work) {
    penalize(self, x, y, gy, work);
    add_mean(self, SUSTAIN_QUANTITY_G_GRAD_Y, zeta, y, NULL, gy, work);
    return 0;
}

static int g_grad_x(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                    void *work) {
    (void)zeta;
    by_penalty(self, 0.5, x, y, y, gx, work);
    return 0;
}

static int g_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    penalize(self, x, v, out, work);
    add_mean(self, SUSTAIN_QUANTITY_G_HESS_VEC, zeta, y, v, out, work);
    return 0;
}

static int g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work) {
    (void)zeta;
    by_penalty(self, 1, x, y, v, out, work);
    return 0;
}

static int initial(const void *self, sustain_real *x, sustain_real *y) {
    const regtune *h = self;
    for (int64_t i = 0; i < h->problem.upper_dim; i++) x[i] = (sustain_real)h->options.x_0;
    sustain__zero(h->problem.lower_dim, y);
    return 0;
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
    scratch s = scratch_in(h, work);
    for (int64_t first = 0; first < batch->size; first += CHUNK) {
        const int64_t count = batch->size - first < CHUNK ? batch->size - first : CHUNK;
        sustain__regtune_rows(h, level_of(quantity), batch, first, count, y, quantity == SUSTAIN_QUANTITY_G_HESS_VEC ? v : NULL, &s.block,
                              s.other);
        sustain__copy(count * h->model.width, s.block.s, rows + first * h->model.width);
    }
    return 0;
}

static int table_add(const void *self, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *rows, double weight,
                     sustain_real *out, void *work) {
    const regtune *h = self;
    const int64_t width = table_width(h, quantity);
    scratch s = scratch_in(h, work);
    for (int64_t first = 0; width > 0 && first < batch->size; first += CHUNK) {
        const int64_t count = batch->size - first < CHUNK ? batch->size - first : CHUNK;
        sustain__block_clear(&s.block);
        sustain__block_take(&s.block, &h->rows[level_of(quantity)], batch, first, count);
        s.block.columns = width;
        for (int64_t i = 0; i < count * width; i++) s.block.s[i] = (sustain_real)(weight * (double)rows[first * width + i]);
        sustain__block_add(&s.block, 1, &out);
    }
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
        penalize(h, x, y, out, work);
        break;
    case SUSTAIN_QUANTITY_G_HESS_VEC:
        penalize(h, x, v, out, work);
        break;
    case SUSTAIN_QUANTITY_G_CROSS_VEC:
        by_penalty(h, 1, x, y, v, out, work);
        break;
    }
    return 0;
}

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
    .workspace = workspace,
    .table_width = table_width,
    .table_rows = table_rows,
    .table_add = table_add,
    .table_rest = table_rest,
};
