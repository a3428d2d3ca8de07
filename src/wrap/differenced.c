/* differenced.c - second derivatives as differences of gradients along y:
 *
 *   H v = (grad_y g(x,y+hv) - grad_y g(x,y-hv)) / 2h,      J v = (grad_x g(x,y+hv) - grad_x g(x,y-hv)) / 2h
 *
 * with h |v| a small part of the length of y (at least of 1). All other oracles are forwarded. */
#include "wrap/differenced.h"

#include <math.h>

#include "core/context_internal.h"
#include "core/vector.h"

#define INNER const sustain_problem *inner = ((const sustain__differenced *)self)->wrapper.inner

/* y+hv, then the second gradient, for draws of so many samples; the problem's own work comes
 * behind. */
static size_t vector_bytes(const sustain_problem *inner, int64_t batch) {
    const int64_t compact = batch * sustain__support_per_sample(inner, SUSTAIN_LOWER);
    const int64_t gradient = compact > inner->upper_dim ? compact : inner->upper_dim;
    const int64_t longest = gradient > inner->lower_dim ? gradient : inner->lower_dim;
    return sustain__lines(inner->lower_dim + longest, sizeof(sustain_real));
}

/* Places of an output in x-space: compact where the problem has support. */
static int64_t places(const sustain_problem *inner, const sustain_batch *zeta) {
    const int64_t most = sustain__support_per_sample(inner, SUSTAIN_LOWER);
    if (SUSTAIN__FAST(inner, support) == NULL || (zeta == NULL && most > 0)) return inner->upper_dim;
    return zeta != NULL ? zeta->size * most : 0;
}

static size_t workspace(const void *self, int64_t max_batch) {
    INNER;
    return vector_bytes(inner, max_batch) + (inner->ops->workspace != NULL ? inner->ops->workspace(inner->self, max_batch) : 0);
}

static int difference(const sustain_problem *inner, bool cross, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                      const sustain_real *v, sustain_real *out, void *work) {
    const int64_t n = inner->lower_dim, count = cross ? places(inner, zeta) : n;
    sustain_real *moved = work, *second = moved + n;
    void *rest = (char *)work + vector_bytes(inner, zeta != NULL ? zeta->size : 0);
    const double length = sustain__norm(n, v), small = sizeof(sustain_real) == sizeof(double) ? 1e-5 : 1e-2;
    const double h = length > 0 ? small * fmax(1, sustain__norm(n, y)) / length : 0;
    for (int side = 0; side < 2; side++) {
        sustain__copy(n, y, moved);
        sustain__add(n, side == 0 ? h : -h, v, moved);
        const int code = (cross ? inner->ops->g_grad_x : inner->ops->g_grad_y)(inner->self, zeta, x, moved, side == 0 ? out : second, rest);
        if (code != 0) return code;
    }
    sustain__add(count, -1, second, out);
    sustain__scale(count, h > 0 ? 0.5 / h : 0, out);
    return 0;
}

static int g_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    INNER;
    return difference(inner, false, zeta, x, y, v, out, work);
}

static int g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work) {
    INNER;
    return difference(inner, true, zeta, x, y, v, out, work);
}

/* Only the oracles that the estimates at the start need. */
void sustain__differenced_init(sustain__differenced *out, const sustain_problem *inner) {
    sustain__wrapper_init(&out->wrapper, inner);
    const sustain_problem_ops passed = out->wrapper.ops;
    const sustain_problem_fast *fast = &out->wrapper.fast;
    out->wrapper.ops = (sustain_problem_ops){.name = passed.name,
                                             .f_value = passed.f_value,
                                             .f_grad = passed.f_grad,
                                             .g_value = passed.g_value,
                                             .g_grad_y = passed.g_grad_y,
                                             .g_grad_x = passed.g_grad_x,
                                             .g_hess_vec = g_hess_vec,
                                             .g_cross_vec = g_cross_vec,
                                             .workspace = workspace,
                                             .fast = fast};
    out->wrapper.fast = (sustain_problem_fast){
        .size = fast->size, .support = fast->support, .support_per_sample = {fast->support_per_sample[0], fast->support_per_sample[1]}};
}
