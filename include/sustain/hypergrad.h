/** @file hypergrad.h - exact values and gradients of ell, for evaluation and tests.
 *
 *      D f(x,y) = grad_x f - grad^2_xy g [grad^2_yy g]^{-1} grad_y f                                               (6)
 *
 *  With `xi` and `zeta` given, f and g are the means over these draws (so that streams have exact
 *  answers too); NULL is the expected value. */
#ifndef SUSTAIN_HYPERGRAD_H
#define SUSTAIN_HYPERGRAD_H

#include <sustain/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How to solve with the Hessian. */
typedef enum sustain_inverse {
    SUSTAIN_INVERSE_CHOLESKY, /**< the assembled matrix: exact, lower_dim^2 memory */
    SUSTAIN_INVERSE_CG        /**< conjugate gradient: products only */
} sustain_inverse;

/** D f(x,y) into out (upper_dim), eq. (6). `tolerance` is CG's, relative to |grad_y f|. */
sustain_status sustain_hypergradient(sustain_context *context, const sustain_problem *problem, const sustain_batch *xi,
                                     const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_inverse inverse,
                                     double tolerance, sustain_real *out);

/** Solves the lower level from the y given: |grad_y g| <= tolerance, by Newton's method with
 *  conjugate gradients. */
sustain_status sustain_lower_solve(sustain_context *context, const sustain_problem *problem, const sustain_batch *zeta,
                                   const sustain_real *x, double tolerance, sustain_real *y);

/** ell(x) into value, and grad ell(x) (5) into gradient where that is not NULL; y is the start and
 *  becomes y*(x). If rounding ends the lower solve above its tolerance, NOT_CONVERGED is returned
 *  with everything filled in. */
sustain_status sustain_outer(sustain_context *context, const sustain_problem *problem, const sustain_batch *xi, const sustain_batch *zeta,
                             const sustain_real *x, double tolerance, sustain_real *y, double *value, sustain_real *gradient);

#ifdef __cplusplus
}
#endif
#endif
