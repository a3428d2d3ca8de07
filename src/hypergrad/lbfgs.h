/* lbfgs.h - L-BFGS, for lower levels that are solved to a tolerance by gradients alone. */
#ifndef SUSTAIN_HYPERGRAD_LBFGS_H
#define SUSTAIN_HYPERGRAD_LBFGS_H

#include "oracle/oracle.h"

enum { SUSTAIN__LBFGS_PAIRS = 10 };

/* phi(y) and its gradient. */
typedef sustain_status (*sustain__objective)(void *user, const sustain_real *y, double *value, sustain_real *gradient);

typedef struct sustain__lbfgs {
    sustain_context *context;
    int64_t n;
    sustain__objective objective; /* convex */
    void *user;                   /* handed to it */
    double tolerance;             /* |grad phi| <= tolerance */
    /* the first direction is -first P grad phi: 1/L, say, where P = 1 */
    double first;
    void (*precondition)(void *user, sustain_real *d); /* d <- P d, P about the inverse Hessian; NULL: P = 1 */
    int64_t limit;                                     /* of iterations */
    /* that are kept, at most SUSTAIN__LBFGS_PAIRS; 0: as many */
    int pairs;
    /* (pairs, n) each: the last differences of points and gradients; scratch of the caller */
    sustain_real *s, *t;
    double st[SUSTAIN__LBFGS_PAIRS];                          /* s't of each pair */
    sustain_real *d, *y_new, *gradient, *gradient_new, *best; /* (n) each: likewise */

    int64_t iterations, evaluations; /* made by the last call */
    double norm_0, norm;             /* |grad phi| where it began, and that it reached */
    /* the smallest s't / s's that it found, infinite if it made no step: at least mu */
    double curvature;
} sustain__lbfgs;

/* Moves y to a point with |grad phi| <= tolerance. NOT_CONVERGED: the limit or rounding was reached
 * first; y is the best point reached, which may be accurate enough for the caller. NOT_FINITE: phi
 * or its gradient is not. */
sustain_status sustain__lbfgs_minimize(sustain__lbfgs *lbfgs, sustain_real *y);

/* phi = g(x, .), as `user` of sustain__lower_objective. */
typedef struct sustain__lower_level {
    sustain__oracle *oracle;
    const sustain_batch *zeta;
    const sustain_real *x;
} sustain__lower_level;

sustain_status sustain__lower_objective(void *lower_level, const sustain_real *y, double *value, sustain_real *gradient);

#endif
