/* unroll.h - the derivative through the gradient steps of the lower level, by reverse
 * accumulation. */
#ifndef SUSTAIN_HYPERGRAD_UNROLL_H
#define SUSTAIN_HYPERGRAD_UNROLL_H

#include "oracle/oracle.h"

typedef struct sustain__unroll {
    sustain__oracle *oracle;
    int64_t steps;       /* D */
    double beta;         /* of a step */
    sustain_real *y;     /* (D + 1, lower_dim): the iterates y^0 .. y^D of the forward pass */
    sustain_real *p, *q; /* (lower_dim) each: scratch */
    sustain_real *cross; /* (upper_dim): scratch */
} sustain__unroll;

/* y^1 .. y^D from y^0, which the caller has put into the first row: y^{t+1} = y^t - beta grad_y
 * g(x, y^t). Leaves the last of these gradients in q. */
sustain_status sustain__unroll_forward(sustain__unroll *unroll, const sustain_batch *zeta, const sustain_real *x);

/* The derivative of f(x, y^D(x)), y^0 fixed, into out (upper_dim): D cross products and D - 1
 * Hessian products. */
sustain_status sustain__unroll_backward(sustain__unroll *unroll, const sustain_batch *xi, const sustain_batch *zeta, const sustain_real *x,
                                        sustain_real *out);

#endif
