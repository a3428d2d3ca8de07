/* cg.c - conjugate gradient for A z = b, A symmetric and positive definite.
 *
 *   alpha = r'r / p'Ap,   z += alpha p,   r -= alpha A p,   p <- r + (r'r / r_prev'r_prev) p,      r = p = b - A z at first
 *
 * Hestenes and Stiefel, 1952. Scalars are double. The recursive r drifts away from b - A z by rounding, so it is never believed:
 * when it is small enough the true residual is computed, and the iteration starts again from there until that is small, too. */
#include "hypergrad/cg.h"

#include <math.h>

#include "core/vector.h"

/* A residual as small as this is zero: numbers below it lose places, and in the end products with them vanish. */
static double nothing(void) {
    return (sizeof(sustain_real) == sizeof(double) ? DBL_MIN : (double)FLT_MIN) / sustain__rounding();
}

static sustain_status apply(sustain__cg *cg, const sustain_real *v, sustain_real *out) {
    cg->products++;
    return cg->product(cg->user, v, out);
}

/* r = b - A z. */
static sustain_status true_residual(sustain__cg *cg, const sustain_real *b, const sustain_real *z) {
    sustain__copy(cg->n, b, cg->r);
    if (sustain__max_abs(cg->n, z) == 0) return SUSTAIN_OK;
    SUSTAIN_TRY(apply(cg, z, cg->q));
    sustain__add(cg->n, -1, cg->q, cg->r);
    return SUSTAIN_OK;
}

/* The recursion, from r until |r| <= target or the limit. */
static sustain_status descend(sustain__cg *cg, double target, sustain_real *z) {
    double rr = sustain__dot(cg->n, cg->r, cg->r);
    sustain__copy(cg->n, cg->r, cg->p);
    while (sqrt(rr) > target && cg->products < cg->limit) {
        SUSTAIN_TRY(apply(cg, cg->p, cg->q));
        const double pp = sustain__dot(cg->n, cg->p, cg->p), curvature = sustain__dot(cg->n, cg->p, cg->q);
        if (!isfinite(curvature))
            return sustain__fail(cg->context, SUSTAIN_NOT_FINITE, "conjugate gradient met a product that is not finite");
        if (!(curvature > 0))
            return sustain__fail(cg->context, SUSTAIN_NOT_CONVEX,
                                 "conjugate gradient met a direction of curvature %.3g: the lower level is not strongly convex here",
                                 curvature / pp);
        const double alpha = rr / curvature, before = rr;
        sustain__add(cg->n, alpha, cg->p, z);
        sustain__add(cg->n, -alpha, cg->q, cg->r);
        rr = sustain__dot(cg->n, cg->r, cg->r);
        sustain__scale(cg->n, rr / before, cg->p);
        sustain__add(cg->n, 1, cg->r, cg->p);
    }
    return SUSTAIN_OK;
}

sustain_status sustain__cg_solve(sustain__cg *cg, const sustain_real *b, sustain_real *z) {
    const double size = sustain__norm(cg->n, b);
    cg->products = 0;
    cg->residual = 0;
    if (size == 0) {
        sustain__zero(cg->n, z);
        return SUSTAIN_OK;
    }
    SUSTAIN_TRY(true_residual(cg, b, z));
    for (double before = INFINITY;; before = cg->residual) {
        cg->residual = sustain__norm(cg->n, cg->r) / size;
        if (cg->residual <= cg->tolerance || cg->residual * size <= nothing()) return SUSTAIN_OK;
        if (isnan(cg->residual))
            return sustain__fail(cg->context, SUSTAIN_NOT_FINITE, "conjugate gradient met a vector that is not finite");
        if (cg->products >= cg->limit || !(cg->residual < before / 2)) break; /* a new start that does not halve it never will */
        const double target = fmax(fmax(0.9 * cg->tolerance, sustain__rounding() * cg->residual) * size, nothing());
        SUSTAIN_TRY(descend(cg, target, z));
        if (cg->products < cg->limit) SUSTAIN_TRY(true_residual(cg, b, z));
    }
    return sustain__fail(cg->context, SUSTAIN_NOT_CONVERGED,
                         "conjugate gradient: after %lld products the residual is %.3g of the right side, not %.3g",
                         (long long)cg->products, cg->residual, cg->tolerance);
}

sustain_status sustain__hessian_product(void *hessian, const sustain_real *v, sustain_real *out) {
    const sustain__hessian *h = hessian;
    return sustain__g_hess_vec(h->oracle, h->zeta, h->x, h->y, v, out);
}
