/* wrapper.c - oracles that pass on what they are asked. */
#include "wrap/wrapper.h"

#define INNER const sustain_problem *inner = ((const sustain__wrapper *)self)->inner

static int f_value(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    INNER;
    return inner->ops->f_value(inner->self, xi, x, y, value, work);
}

static int f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                  sustain_real *fy, void *work) {
    INNER;
    return inner->ops->f_grad(inner->self, xi, x, y, fx, fy, work);
}

static int g_value(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    INNER;
    return inner->ops->g_value(inner->self, zeta, x, y, value, work);
}

static int g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                    void *work) {
    INNER;
    return inner->ops->g_grad_y(inner->self, zeta, x, y, gy, work);
}

static int g_grad_x(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                    void *work) {
    INNER;
    return inner->ops->g_grad_x(inner->self, zeta, x, y, gx, work);
}

static int project_x(const void *self, sustain_real *x) {
    INNER;
    return inner->ops->project_x(inner->self, x);
}

static int initial(const void *self, sustain_real *x, sustain_real *y) {
    INNER;
    return inner->ops->initial(inner->self, x, y);
}

static size_t workspace(const void *self, int64_t max_batch) {
    INNER;
    return inner->ops->workspace(inner->self, max_batch);
}

static int64_t support(const void *self, sustain_level level, const sustain_batch *batch, int64_t *coordinate) {
    INNER;
    return inner->ops->support(inner->self, level, batch, coordinate);
}

static int64_t table_width(const void *self, sustain_quantity quantity) {
    INNER;
    return inner->ops->table_width(inner->self, quantity);
}

static int table_add(const void *self, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *rows, double weight,
                     sustain_real *out, void *work) {
    INNER;
    return inner->ops->table_add(inner->self, quantity, batch, rows, weight, out, work);
}

static int table_rest(const void *self, sustain_quantity quantity, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    INNER;
    return inner->ops->table_rest(inner->self, quantity, x, y, v, out, work);
}

static void prefetch(const void *self, sustain_level level, const sustain_batch *batch) {
    INNER;
    inner->ops->prefetch(inner->self, level, batch);
}

void sustain__wrapper_init(sustain__wrapper *out, const sustain_problem *inner) {
    out->inner = inner;
    out->problem = *inner;
    out->problem.ops = &out->ops;
    out->problem.self = out;
    out->ops = (sustain_problem_ops){.name = inner->ops->name};
    SUSTAIN__WRAP(out, f_value);
    SUSTAIN__WRAP(out, f_grad);
    SUSTAIN__WRAP(out, g_value);
    SUSTAIN__WRAP(out, g_grad_y);
    SUSTAIN__WRAP(out, g_grad_x);
    SUSTAIN__WRAP(out, project_x);
    SUSTAIN__WRAP(out, initial);
    SUSTAIN__WRAP(out, workspace);
    SUSTAIN__WRAP(out, support);
    SUSTAIN__WRAP(out, table_width);
    SUSTAIN__WRAP(out, table_add);
    SUSTAIN__WRAP(out, table_rest);
    SUSTAIN__WRAP(out, prefetch);
}
