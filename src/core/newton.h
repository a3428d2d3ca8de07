/* newton.h - Newton's method and conjugate gradients, in sustain_real and in double.
 *
 *   H d = -grad phi(y), solved ever more exactly;   y <- y + s d,   s = 1, 1/2, 1/4, ...
 *
 * Both are written once, in newton_loops.h. */
#ifndef SUSTAIN_CORE_NEWTON_H
#define SUSTAIN_CORE_NEWTON_H

#include "core/context_internal.h"

/* Conjugate gradients for A z = b, A symmetric and positive definite. All arrays have n numbers,
 * and are scratch of the caller.
 *
 *   product     out = A v
 *   tolerance   |b - A z| <= tolerance |b|; 0: continue to the limit, or to rounding
 *   limit       of products
 *   patience    products without half the residual after which it gives up; 0: never
 *   recursive   trust the recursive residual. False: once it is small enough it is recomputed, and
 *               the iteration restarts until the true residual is small as well; for
 *               sustain_real, where rounding makes the two drift apart
 *   scale       the preconditioner: 1 / diagonal of A; NULL: none. With it z_scaled is used
 *
 * solve() takes z as its start (zeros cost no product) and makes it the solution. NOT_CONVEX: A has
 * a direction without positive curvature. NOT_CONVERGED: the limit or rounding was reached first; z
 * is the best point reached, which may be accurate enough for the caller.
 *
 * Newton's method for a convex function phi.
 *
 *   evaluate    phi, its gradient and the length of it at y
 *   direction   a descent direction d, from the last evaluation, made at y; slope = d'grad phi < 0
 *   rounding    relative, of phi
 *
 * minimize() moves y to the point of smallest |grad phi| that it found, and ends where that is at
 * most `tolerance`, or rounding hides every descent. It fails only where evaluate() or direction()
 * do: `least` says what was reached. */
#define SUSTAIN__DECLARE_NEWTON(number, cg, newton)                                                                 \
    typedef struct cg {                                                                                             \
        sustain_context *context;                                                                                   \
        int64_t n;                                                                                                  \
        sustain_status (*product)(void *user, const number *v, number *out);                                        \
        void *user;                                                                                                 \
        double tolerance;                                                                                           \
        int64_t limit, patience;                                                                                    \
        bool recursive;                                                                                             \
        const number *scale;                                                                                        \
        number *r, *p, *q, *z_scaled;                                                                               \
        int64_t products; /* made by the last solve */                                                              \
        double residual;  /* |b - A z| / |b| that it reached */                                                     \
    } cg;                                                                                                           \
    sustain_status cg##_solve(cg *c, const number *b, number *z);                                                   \
    typedef struct newton {                                                                                         \
        sustain_context *context;                                                                                   \
        int64_t n;                                                                                                  \
        sustain_status (*evaluate)(void *user, const number *y, double *value, number *gradient, double *norm);     \
        sustain_status (*direction)(void *user, const number *y, const number *gradient, number *d, double *slope); \
        void *user;                                                                                                 \
        double tolerance, rounding;                                                                                 \
        number *at, *trial, *gradient, *gradient_new, *d; /* (n) each: scratch of the caller */                     \
        double value, norm, slope;                        /* at `at` */                                             \
        double norm_0, least;                             /* |grad phi| at the start, and at the y returned */      \
        bool last;                                        /* the last evaluation was at the y returned */           \
    } newton;                                                                                                       \
    sustain_status newton##_minimize(newton *n, number *y);

SUSTAIN__DECLARE_NEWTON(sustain_real, sustain__cg, sustain__newton)
SUSTAIN__DECLARE_NEWTON(double, sustain__cg_double, sustain__newton_double)
#undef SUSTAIN__DECLARE_NEWTON

/* a'b, in eight sums side by side: the order is fixed, so are the bits. */
double sustain__dot_double(int64_t n, const double *a, const double *b);

#endif
