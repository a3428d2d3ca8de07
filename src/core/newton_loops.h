/* newton_loops.h - conjugate gradients and Newton's method, for a file that defines `number`, CG,
 * NEWTON, their functions CG_SOLVE and NEWTON_MINIMIZE, DOT, ADD, SCALE, and EPSILON, LEAST_NORMAL
 * of `number`.
 *
 *   alpha = r'z / p'Ap,   x += alpha p,   r -= alpha A p,   z = M r,   p <- z + (r'z / r_prev'z_prev) p,      r = b - A x, p = z at first
 *
 * Hestenes and Stiefel, 1952; M is the preconditioner. Scalars are double.
 *
 * A Newton step is accepted when phi satisfies Armijo's condition. Close to the minimum the
 * decrease of phi is lost in rounding long before that of grad phi: so a step is also accepted when
 * |grad phi| falls clearly below its smallest value so far. */
#ifndef SUSTAIN_CORE_NEWTON_LOOPS_H
#define SUSTAIN_CORE_NEWTON_LOOPS_H

#include <math.h>
#include <string.h>

#include "core/newton.h"

static void copy(int64_t n, const number *from, number *to) {
    if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

/* ---- conjugate gradients ---- */

static sustain_status apply(CG *cg, const number *v, number *out) {
    cg->products++;
    return cg->product(cg->user, v, out);
}

static bool is_zero(int64_t n, const number *z) {
    for (int64_t i = 0; i < n; i++)
        if (z[i] != 0) return false;
    return true;
}

/* r = b - A z */
static sustain_status true_residual(CG *cg, const number *b, const number *z) {
    copy(cg->n, b, cg->r);
    if (is_zero(cg->n, z)) return SUSTAIN_OK;
    SUSTAIN_TRY(apply(cg, z, cg->q));
    ADD(cg->n, -1, cg->q, cg->r);
    return SUSTAIN_OK;
}

/* M r */
static const number *preconditioned(CG *cg) {
    if (cg->scale == NULL) return cg->r;
    for (int64_t i = 0; i < cg->n; i++) cg->z_scaled[i] = cg->scale[i] * cg->r[i];
    return cg->z_scaled;
}

/* The recursion, from r until |r| <= target or the limit; *rr is |r|^2 where it ends. */
static sustain_status descend(CG *cg, double target, number *z, double *rr) {
    const number *m = preconditioned(cg);
    double rz = DOT(cg->n, cg->r, m), best = INFINITY;
    copy(cg->n, m, cg->p);
    *rr = m == cg->r ? rz : DOT(cg->n, cg->r, cg->r);
    for (int64_t since = 0; sqrt(*rr) > target && cg->products < cg->limit;) {
        since = sqrt(*rr) < best / 2 ? 0 : since + 1;
        best = fmin(best, sqrt(*rr));
        if (cg->patience > 0 && since > cg->patience) break;
        SUSTAIN_TRY(apply(cg, cg->p, cg->q));
        const double pp = DOT(cg->n, cg->p, cg->p), curvature = DOT(cg->n, cg->p, cg->q);
        if (!isfinite(curvature)) return sustain__fail(cg->context, SUSTAIN_NOT_FINITE, "conjugate gradient: a product is not finite");
        if (!(curvature > 0))
            return sustain__fail(cg->context, SUSTAIN_NOT_CONVEX,
                                 "conjugate gradient: a direction has curvature %.3g: the lower level is not strongly convex here",
                                 curvature / pp);
        const double alpha = rz / curvature, before = rz;
        ADD(cg->n, alpha, cg->p, z);
        ADD(cg->n, -alpha, cg->q, cg->r);
        m = preconditioned(cg);
        rz = DOT(cg->n, cg->r, m);
        *rr = m == cg->r ? rz : DOT(cg->n, cg->r, cg->r);
        SCALE(cg->n, rz / before, cg->p);
        ADD(cg->n, 1, m, cg->p);
    }
    return SUSTAIN_OK;
}

sustain_status CG_SOLVE(CG *cg, const number *b, number *z) {
    const double size = sqrt(DOT(cg->n, b, b)), nothing = LEAST_NORMAL / EPSILON; /* products with smaller numbers underflow */
    double rr;
    cg->products = 0;
    cg->residual = 0;
    if (size == 0) {
        memset(z, 0, (size_t)cg->n * sizeof *z);
        return SUSTAIN_OK;
    }
    SUSTAIN_TRY(true_residual(cg, b, z));
    for (double before = INFINITY;; before = cg->residual) {
        cg->residual = sqrt(DOT(cg->n, cg->r, cg->r)) / size;
        if (cg->residual <= cg->tolerance || cg->residual * size <= nothing) return SUSTAIN_OK;
        if (isnan(cg->residual)) return sustain__fail(cg->context, SUSTAIN_NOT_FINITE, "conjugate gradient: a vector is not finite");
        /* a restart that does not halve the residual will not converge */
        if (cg->products >= cg->limit || !(cg->residual < before / 2)) break;
        const double ahead = cg->recursive ? cg->tolerance : fmax(0.9 * cg->tolerance, EPSILON * cg->residual);
        SUSTAIN_TRY(descend(cg, fmax(ahead * size, nothing), z, &rr));
        if (cg->recursive) {
            cg->residual = sqrt(rr) / size;
            if (cg->residual <= cg->tolerance) return SUSTAIN_OK;
            break;
        }
        if (cg->products < cg->limit) SUSTAIN_TRY(true_residual(cg, b, z));
    }
    return sustain__fail(cg->context, SUSTAIN_NOT_CONVERGED,
                         "conjugate gradient: after %lld products the residual is %.3g of the right side, not %.3g",
                         (long long)cg->products, cg->residual, cg->tolerance);
}

/* ---- Newton's method ---- */

enum { NEWTON_STEPS = 200, STALLED = 3 };

/* Whether a decrease of phi by this much is below rounding. */
static bool below_rounding(const NEWTON *n, double fall) {
    return fall <= 8 * n->rounding * fabs(n->value);
}

/* Moves `at` along d; *moved is false where rounding hides every descent. */
static sustain_status search(NEWTON *n, bool *moved) {
    *moved = false;
    for (double s = 1; s > 1e-12 && n->slope < 0; s /= 2) {
        double value, norm;
        copy(n->n, n->at, n->trial);
        ADD(n->n, s, n->d, n->trial);
        n->last = false;
        SUSTAIN_TRY(n->evaluate(n->user, n->trial, &value, n->gradient_new, &norm));
        const bool falls = value <= n->value + 1e-4 * s * n->slope;
        if (isfinite(norm) && (falls || norm <= 0.9 * n->least)) {
            copy(n->n, n->trial, n->at);
            copy(n->n, n->gradient_new, n->gradient);
            n->value = value;
            n->norm = norm;
            *moved = true;
            return SUSTAIN_OK;
        }
        if (below_rounding(n, -s * n->slope)) break;
    }
    return SUSTAIN_OK;
}

sustain_status NEWTON_MINIMIZE(NEWTON *n, number *y) {
    int stalled = 0;
    copy(n->n, y, n->at);
    n->last = true;
    SUSTAIN_TRY(n->evaluate(n->user, n->at, &n->value, n->gradient, &n->norm));
    n->norm_0 = n->least = n->norm;
    if (!isfinite(n->norm) || !isfinite(n->value)) return SUSTAIN_OK;
    for (int i = 0; i < NEWTON_STEPS && n->least > n->tolerance && stalled < STALLED; i++) {
        bool moved;
        SUSTAIN_TRY(n->direction(n->user, n->at, n->gradient, n->d, &n->slope));
        const bool hidden = below_rounding(n, -n->slope);
        SUSTAIN_TRY(search(n, &moved));
        if (!moved) break;
        stalled = hidden && n->norm > 0.9 * n->least ? stalled + 1 : 0;
        if (n->norm < n->least) {
            n->least = n->norm;
            n->last = true;
            copy(n->n, n->at, y);
        }
    }
    return SUSTAIN_OK;
}

#endif
