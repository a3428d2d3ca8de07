/* checked.c - every output of every oracle must be finite. */
#include "wrap/checked.h"

#include <math.h>
#include <stdio.h>

#include "core/vector.h"
#include "oracle/oracle.h"

#define INNER                         \
    const sustain__checked *c = self; \
    const sustain_problem *inner = c->wrapper.inner

/* " at iteration 7", or nothing for the expected value, which belongs to none. */
static const char *iteration_of(const sustain_batch *batch, char *text, size_t size) {
    text[0] = '\0';
    if (batch != NULL) snprintf(text, size, " at iteration %lld", (long long)batch->iteration);
    return text;
}

/* The code of an oracle, or NOT_FINITE with the sentence set. `variable` is what the output is indexed by. */
static int check_finite(const sustain__checked *c, int code, const char *oracle, const sustain_batch *batch, const char *variable,
                        int64_t n, const sustain_real *out) {
    int64_t i;
    if (code != 0 || sustain__all_finite(n, out, &i)) return code;
    char when[48];
    sustain__fail(c->context, SUSTAIN_NOT_FINITE, "oracle %s of problem '%s' returned %g for %s[%lld]%s", oracle,
                  c->wrapper.inner->ops->name, (double)out[i], variable, (long long)i, iteration_of(batch, when, sizeof when));
    return SUSTAIN__CODE_NOT_FINITE;
}

static int check_finite_value(const sustain__checked *c, int code, const char *oracle, const sustain_batch *batch, double value) {
    if (code != 0 || isfinite(value)) return code;
    char when[48];
    sustain__fail(c->context, SUSTAIN_NOT_FINITE, "oracle %s of problem '%s' returned %g%s", oracle, c->wrapper.inner->ops->name, value,
                  iteration_of(batch, when, sizeof when));
    return SUSTAIN__CODE_NOT_FINITE;
}

/* How many numbers an output in x-space has for this draw. */
static int64_t upper_count(const sustain__checked *c, sustain_level level, const sustain_batch *batch, void *work) {
    const sustain_problem *inner = c->wrapper.inner;
    if (inner->ops->support == NULL) return inner->upper_dim;
    if (batch == NULL) return inner->support_per_sample[level] > 0 ? inner->upper_dim : 0;
    return inner->ops->support(inner->self, level, batch, work); /* after the call: the inner problem is done with `work` */
}

static int f_value(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    INNER;
    return check_finite_value(c, inner->ops->f_value(inner->self, xi, x, y, value, work), "f_value", xi, *value);
}

static int f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                  sustain_real *fy, void *work) {
    INNER;
    int code = inner->ops->f_grad(inner->self, xi, x, y, fx, fy, work);
    code = check_finite(c, code, "f_grad", xi, "x", code == 0 ? upper_count(c, SUSTAIN_UPPER, xi, work) : 0, fx);
    return check_finite(c, code, "f_grad", xi, "y", inner->lower_dim, fy);
}

static int g_value(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    INNER;
    return check_finite_value(c, inner->ops->g_value(inner->self, zeta, x, y, value, work), "g_value", zeta, *value);
}

static int g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                    void *work) {
    INNER;
    return check_finite(c, inner->ops->g_grad_y(inner->self, zeta, x, y, gy, work), "g_grad_y", zeta, "y", inner->lower_dim, gy);
}

static int g_grad_x(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                    void *work) {
    INNER;
    const int code = inner->ops->g_grad_x(inner->self, zeta, x, y, gx, work);
    return check_finite(c, code, "g_grad_x", zeta, "x", code == 0 ? upper_count(c, SUSTAIN_LOWER, zeta, work) : 0, gx);
}

static int g_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    INNER;
    return check_finite(c, inner->ops->g_hess_vec(inner->self, zeta, x, y, v, out, work), "g_hess_vec", zeta, "y", inner->lower_dim, out);
}

static int g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work) {
    INNER;
    const int code = inner->ops->g_cross_vec(inner->self, zeta, x, y, v, out, work);
    return check_finite(c, code, "g_cross_vec", zeta, "x", code == 0 ? upper_count(c, SUSTAIN_LOWER, zeta, work) : 0, out);
}

static int g_hess(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *out,
                  void *work) {
    INNER;
    return check_finite(c, inner->ops->g_hess(inner->self, zeta, x, y, out, work), "g_hess", zeta, "matrix",
                        inner->lower_dim * inner->lower_dim, out);
}

static int g_cross(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *out,
                   void *work) {
    INNER;
    return check_finite(c, inner->ops->g_cross(inner->self, zeta, x, y, out, work), "g_cross", zeta, "matrix",
                        inner->upper_dim * inner->lower_dim, out);
}

static int project_x(const void *self, sustain_real *x) {
    INNER;
    return check_finite(c, inner->ops->project_x(inner->self, x), "project_x", NULL, "x", inner->upper_dim, x);
}

static int initial(const void *self, sustain_real *x, sustain_real *y) {
    INNER;
    const int code = check_finite(c, inner->ops->initial(inner->self, x, y), "initial", NULL, "x", inner->upper_dim, x);
    return check_finite(c, code, "initial", NULL, "y", inner->lower_dim, y);
}

/* Bytes of what momentum_step may have to put back, whole cache lines. */
static size_t copies(const sustain_problem *inner) {
    return inner->ops->momentum_step != NULL ? sustain__lines(3 * inner->lower_dim, sizeof(sustain_real)) : 0;
}

/* Room for the inner problem or, later, for the longest list of coordinates; and for copies. */
static size_t workspace(const void *self, int64_t max_batch) {
    INNER;
    const int64_t *most = inner->support_per_sample;
    const size_t own = inner->ops->workspace != NULL ? inner->ops->workspace(inner->self, max_batch) : 0;
    const size_t list = inner->ops->support != NULL ? (size_t)(max_batch * (most[0] > most[1] ? most[0] : most[1])) * sizeof(int64_t) : 0;
    return (own > list ? own : list) + copies(inner);
}

static int table_rows(const void *self, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *x, const sustain_real *y,
                      const sustain_real *v, sustain_real *rows, void *work) {
    INNER;
    const int code = inner->ops->table_rows(inner->self, quantity, batch, x, y, v, rows, work);
    return check_finite(c, code, "table_rows", batch, "row", batch->size * inner->ops->table_width(inner->self, quantity), rows);
}

static int g_grad_y_pair(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                         const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *gy, sustain_real *gy_prev, void *work) {
    INNER;
    int code = inner->ops->g_grad_y_pair(inner->self, zeta, x, y, x_prev, y_prev, gy, gy_prev, work);
    code = check_finite(c, code, "g_grad_y_pair", zeta, "y", inner->lower_dim, gy);
    return check_finite(c, code, "g_grad_y_pair", zeta, "y", inner->lower_dim, gy_prev);
}

/* Numbers of eq. (7) once it is computed. */
static int64_t outputs_of(const sustain_problem *inner, const sustain_hyper_draw *draw) {
    if (inner->ops->support != NULL) return draw->support[SUSTAIN_UPPER] + draw->support[SUSTAIN_LOWER];
    return draw->touched != NULL ? draw->touched->count : inner->upper_dim;
}

static int hyper_pair(const void *self, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                      const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out, sustain_real *out_prev, void *work) {
    INNER;
    int code = inner->ops->hyper_pair(inner->self, draw, x, y, x_prev, y_prev, out, out_prev, work);
    const int64_t n = outputs_of(inner, draw);
    code = check_finite(c, code, "hyper_pair", &draw->xi, "x", n, out);
    return x_prev != NULL ? check_finite(c, code, "hyper_pair", &draw->xi, "x", n, out_prev) : code;
}

/* Where something is not finite, h, y and y_prev are put back. */
static int momentum_step(const void *self, const sustain_momentum_step *step, const sustain_real *x, const sustain_real *x_prev,
                         sustain_real *h, sustain_real *y, sustain_real *y_prev, sustain_real *out, sustain_real *out_prev, void *work) {
    INNER;
    const int64_t n = inner->lower_dim;
    sustain_real *const changed[3] = {h, y, y_prev}, *const before = work;
    for (int i = 0; i < 3; i++) sustain__copy(n, changed[i], before + i * n);
    int code = inner->ops->momentum_step(inner->self, step, x, x_prev, h, y, y_prev, out, out_prev, (char *)work + copies(inner));
    const int64_t upper = outputs_of(inner, step->draw);
    code = check_finite(c, code, "momentum_step", step->zeta, "x", upper, out);
    if (out_prev != NULL) code = check_finite(c, code, "momentum_step", step->zeta, "x", upper, out_prev);
    code = check_finite(c, code, "momentum_step", step->zeta, "y", n, h);
    for (int i = 0; code != 0 && i < 3; i++) sustain__copy(n, before + i * n, changed[i]);
    return code;
}

void sustain__checked_init(sustain__checked *out, const sustain_problem *inner, sustain_context *context) {
    sustain__wrapper_init(&out->wrapper, inner);
    out->context = context;
    out->wrapper.ops.workspace = workspace;
    SUSTAIN__WRAP(&out->wrapper, f_value);
    SUSTAIN__WRAP(&out->wrapper, f_grad);
    SUSTAIN__WRAP(&out->wrapper, g_value);
    SUSTAIN__WRAP(&out->wrapper, g_grad_y);
    SUSTAIN__WRAP(&out->wrapper, g_grad_x);
    SUSTAIN__WRAP(&out->wrapper, g_hess_vec);
    SUSTAIN__WRAP(&out->wrapper, g_cross_vec);
    SUSTAIN__WRAP(&out->wrapper, g_hess);
    SUSTAIN__WRAP(&out->wrapper, g_cross);
    SUSTAIN__WRAP(&out->wrapper, project_x);
    SUSTAIN__WRAP(&out->wrapper, initial);
    SUSTAIN__WRAP(&out->wrapper, table_rows);
    SUSTAIN__WRAP(&out->wrapper, g_grad_y_pair);
    SUSTAIN__WRAP(&out->wrapper, hyper_pair);
    SUSTAIN__WRAP(&out->wrapper, momentum_step);
}
