/* cg.h - conjugate gradient, for everything that solves with the Hessian of the lower level. */
#ifndef SUSTAIN_HYPERGRAD_CG_H
#define SUSTAIN_HYPERGRAD_CG_H

#include <float.h>

#include "oracle/oracle.h"

/* The relative rounding of a sustain_real. */
static inline double sustain__rounding(void) {
    return sizeof(sustain_real) == sizeof(double) ? DBL_EPSILON : (double)FLT_EPSILON;
}

/* out = A v. */
typedef sustain_status (*sustain__product)(void *user, const sustain_real *v, sustain_real *out);

typedef struct sustain__cg {
    sustain_context *context;
    int64_t n;
    sustain__product product; /* A, symmetric and positive definite */
    void *user;               /* handed to it */
    double tolerance;         /* |b - A z| <= tolerance |b|; 0: go on to the limit, or to rounding */
    int64_t limit;            /* of products */
    sustain_real *r, *p, *q;  /* (n) each: scratch of the caller */

    int64_t products; /* made by the last solve */
    double residual;  /* |b - A z| / |b| that it reached */
} sustain__cg;

/* Solves A z = b. z is the start (zeros cost no product) and becomes the solution. NOT_CONVEX: A has a direction without positive
 * curvature. NOT_CONVERGED: the limit, or rounding, came first; z is what was reached, and a caller may well be content with it. */
sustain_status sustain__cg_solve(sustain__cg *cg, const sustain_real *b, sustain_real *z);

/* A = grad^2_yy g(x,y;zeta), as `user` of sustain__hessian_product. */
typedef struct sustain__hessian {
    sustain__oracle *oracle;
    const sustain_batch *zeta;
    const sustain_real *x, *y;
} sustain__hessian;

sustain_status sustain__hessian_product(void *hessian, const sustain_real *v, sustain_real *out);

#endif
