/* counted.c - counting: gradients and products per sample, a batch of B at two points counts 2B. Values are not
 * counted: those that hoag looks at come with a gradient at the same point. */
#include "wrap/counted.h"

#define INNER                         \
    const sustain__counted *c = self; \
    const sustain_problem *inner = c->wrapper.inner

static int64_t size_of(const sustain_problem *inner, sustain_level level, const sustain_batch *batch) {
    if (batch != NULL) return batch->size;
    return inner->samples[level] > 0 ? inner->samples[level] : 1;
}

static int f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                  sustain_real *fy, void *work) {
    INNER;
    c->counts->gradients[SUSTAIN_UPPER] += size_of(inner, SUSTAIN_UPPER, xi);
    return inner->ops->f_grad(inner->self, xi, x, y, fx, fy, work);
}

static int g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                    void *work) {
    INNER;
    c->counts->gradients[SUSTAIN_LOWER] += size_of(inner, SUSTAIN_LOWER, zeta);
    return inner->ops->g_grad_y(inner->self, zeta, x, y, gy, work);
}

static int g_grad_x(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                    void *work) {
    INNER;
    c->counts->gradients[SUSTAIN_LOWER] += size_of(inner, SUSTAIN_LOWER, zeta);
    return inner->ops->g_grad_x(inner->self, zeta, x, y, gx, work);
}

static int g_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    INNER;
    c->counts->hessian_products += size_of(inner, SUSTAIN_LOWER, zeta);
    return inner->ops->g_hess_vec(inner->self, zeta, x, y, v, out, work);
}

static int g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work) {
    INNER;
    c->counts->cross_products += size_of(inner, SUSTAIN_LOWER, zeta);
    return inner->ops->g_cross_vec(inner->self, zeta, x, y, v, out, work);
}

/* A matrix counts as the products with all unit vectors that would make it. */
static int g_hess(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *out,
                  void *work) {
    INNER;
    c->counts->hessian_products += inner->lower_dim * size_of(inner, SUSTAIN_LOWER, zeta);
    return inner->ops->g_hess(inner->self, zeta, x, y, out, work);
}

static int g_cross(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *out,
                   void *work) {
    INNER;
    c->counts->cross_products += inner->lower_dim * size_of(inner, SUSTAIN_LOWER, zeta);
    return inner->ops->g_cross(inner->self, zeta, x, y, out, work);
}

static int table_rows(const void *self, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *x, const sustain_real *y,
                      const sustain_real *v, sustain_real *rows, void *work) {
    INNER;
    switch (quantity) {
    case SUSTAIN_QUANTITY_F_GRAD_X: /* counted with grad_y f: one gradient has both */
        break;
    case SUSTAIN_QUANTITY_F_GRAD_Y:
        c->counts->gradients[SUSTAIN_UPPER] += batch->size;
        break;
    case SUSTAIN_QUANTITY_G_GRAD_Y:
        c->counts->gradients[SUSTAIN_LOWER] += batch->size;
        break;
    case SUSTAIN_QUANTITY_G_HESS_VEC:
        c->counts->hessian_products += batch->size;
        break;
    case SUSTAIN_QUANTITY_G_CROSS_VEC:
        c->counts->cross_products += batch->size;
        break;
    }
    return inner->ops->table_rows(inner->self, quantity, batch, x, y, v, rows, work);
}

static int g_grad_y_pair(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                         const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *gy, sustain_real *gy_prev, void *work) {
    INNER;
    c->counts->gradients[SUSTAIN_LOWER] += 2 * size_of(inner, SUSTAIN_LOWER, zeta);
    return inner->ops->g_grad_y_pair(inner->self, zeta, x, y, x_prev, y_prev, gy, gy_prev, work);
}

static void count_hyper(const sustain__counted *c, const sustain_hyper_draw *draw, int64_t points) {
    c->counts->gradients[SUSTAIN_UPPER] += points * draw->xi.size;
    c->counts->cross_products += points * draw->zeta[0].size;
    for (int i = 1; i <= draw->k; i++) c->counts->hessian_products += points * draw->zeta[i].size;
}

static int hyper_pair(const void *self, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                      const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out, sustain_real *out_prev, void *work) {
    INNER;
    count_hyper(c, draw, x_prev != NULL ? 2 : 1);
    return inner->ops->hyper_pair(inner->self, draw, x, y, x_prev, y_prev, out, out_prev, work);
}

static int momentum_step(const void *self, const sustain_momentum_step *step, const sustain_real *x, const sustain_real *x_prev,
                         sustain_real *h, sustain_real *y, sustain_real *y_prev, sustain_real *out, sustain_real *out_prev, void *work) {
    INNER;
    count_hyper(c, step->draw, out_prev != NULL ? 2 : 1);
    c->counts->gradients[SUSTAIN_LOWER] += (step->keep != 0 ? 2 : 1) * step->zeta->size;
    return inner->ops->momentum_step(inner->self, step, x, x_prev, h, y, y_prev, out, out_prev, work);
}

void sustain__counted_init(sustain__counted *out, const sustain_problem *inner, sustain_counts *counts) {
    sustain__wrapper_init(&out->wrapper, inner);
    out->counts = counts;
    SUSTAIN__WRAP(&out->wrapper, f_grad);
    SUSTAIN__WRAP(&out->wrapper, g_grad_y);
    SUSTAIN__WRAP(&out->wrapper, g_grad_x);
    SUSTAIN__WRAP(&out->wrapper, g_hess_vec);
    SUSTAIN__WRAP(&out->wrapper, g_cross_vec);
    SUSTAIN__WRAP(&out->wrapper, g_hess);
    SUSTAIN__WRAP(&out->wrapper, g_cross);
    SUSTAIN__WRAP(&out->wrapper, table_rows);
    SUSTAIN__WRAP(&out->wrapper, g_grad_y_pair);
    SUSTAIN__WRAP(&out->wrapper, hyper_pair);
    SUSTAIN__WRAP(&out->wrapper, momentum_step);
}
