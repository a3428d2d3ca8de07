/* lower_newton.c - y*(x) = argmin over y of g(x,y), by Newton's method (core/newton.h); products
 * with the Hessian. */
#include "hypergrad/lower_newton.h"

#include <math.h>

#include <sustain/hypergrad.h>

#include "core/vector.h"
#include "hypergrad/cg.h"

typedef struct lower {
    sustain__hessian hessian; /* of g(x,.;zeta) at the current point of Newton's method */
    sustain__cg cg;
    sustain__newton newton;
    int64_t products; /* that may still be made */
} lower;

sustain_status sustain__hessian_product(void *hessian, const sustain_real *v, sustain_real *out) {
    const sustain__hessian *h = hessian;
    return sustain__g_hess_vec(h->oracle, h->zeta, h->x, h->y, v, out);
}

static sustain_status evaluate(void *user, const sustain_real *y, double *value, sustain_real *gradient, double *norm) {
    const sustain__hessian *h = &((lower *)user)->hessian;
    SUSTAIN_TRY(sustain__g_value(h->oracle, h->zeta, h->x, y, value));
    SUSTAIN_TRY(sustain__g_grad_y(h->oracle, h->zeta, h->x, y, gradient));
    *norm = sustain__norm(h->oracle->problem->lower_dim, gradient);
    return SUSTAIN_OK;
}

/* d = -H^{-1} grad_y g; the accuracy increases as |grad_y g| falls. */
static sustain_status direction(void *user, const sustain_real *y, const sustain_real *gradient, sustain_real *d, double *slope) {
    lower *l = user;
    const sustain__newton *n = &l->newton;
    const double enough = fmin(0.1, sqrt(n->norm / n->norm_0));
    l->cg.tolerance = fmax(enough, fmin(0.1, 0.5 * n->tolerance / n->norm));
    l->hessian.y = y;
    sustain__zero(n->n, d);
    *slope = 0;
    if (l->products <= 0) return SUSTAIN_OK; /* ends Newton's method */
    l->cg.limit = l->products < 2 * n->n + 100 ? l->products : 2 * n->n + 100;
    const sustain_status status = sustain__cg_solve(&l->cg, gradient, d);
    l->products -= l->cg.products;
    sustain__scale(n->n, -1, d);
    *slope = sustain__dot(n->n, gradient, d);
    /* even then d is a descent direction */
    return status == SUSTAIN_NOT_CONVERGED ? SUSTAIN_OK : status;
}

static sustain_status minimize(lower *l, double tolerance, sustain_real *y) {
    const sustain__oracle *o = l->hessian.oracle;
    const sustain__newton *n = &l->newton;
    SUSTAIN_TRY(sustain__newton_minimize(&l->newton, y));
    if (!isfinite(n->least) || !isfinite(n->value))
        return sustain__fail(o->context, SUSTAIN_NOT_FINITE, "problem '%s': g or its gradient is not finite where the lower solve starts",
                             o->problem->ops->name);
    if (n->least <= tolerance) return SUSTAIN_OK;
    return sustain__fail(
        o->context, SUSTAIN_NOT_CONVERGED,
        "the lower level of problem '%s' is solved to |grad_y g| = %.3g, not to %.3g: Newton's method in %s cannot get closer",
        o->problem->ops->name, n->least, tolerance, sustain_precision());
}

sustain_status sustain__lower_solve(sustain__oracle *oracle, const sustain_batch *zeta, const sustain_real *x, double tolerance,
                                    sustain_real *y) {
    return sustain__lower_solve_within(oracle, zeta, x, tolerance, INT64_MAX, y);
}

sustain_status sustain__lower_solve_within(sustain__oracle *oracle, const sustain_batch *zeta, const sustain_real *x, double tolerance,
                                           int64_t products, sustain_real *y) {
    enum { VECTORS = 7 };
    const int64_t n = oracle->problem->lower_dim;
    sustain_real *m;
    SUSTAIN_TRY(sustain__allocate(oracle->context, sustain__multiply(VECTORS * sizeof *m, (size_t)n), &m));
    lower l = {.hessian = {.oracle = oracle, .zeta = zeta, .x = x}, .products = products};
    l.cg = (sustain__cg){.context = oracle->context, .n = n, .product = sustain__hessian_product, .user = &l.hessian};
    l.cg.r = m, l.cg.p = m + n, l.cg.q = m + 2 * n;
    l.newton = (sustain__newton){.context = oracle->context,
                                 .n = n,
                                 .evaluate = evaluate,
                                 .direction = direction,
                                 .user = &l,
                                 .tolerance = tolerance,
                                 .rounding = sustain__rounding(),
                                 .at = m + 3 * n,
                                 .trial = m + 4 * n,
                                 .gradient = m + 5 * n,
                                 .gradient_new = l.cg.q, /* not in use at the same time */
                                 .d = m + 6 * n};
    const sustain_status status = minimize(&l, tolerance, y);
    sustain__free(oracle->context, m);
    return status;
}
