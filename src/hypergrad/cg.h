/* cg.h - conjugate gradients with the Hessian of the lower level. */
#ifndef SUSTAIN_HYPERGRAD_CG_H
#define SUSTAIN_HYPERGRAD_CG_H

#include "core/newton.h"
#include "oracle/oracle.h"

/* A = grad^2_yy g(x,y;zeta), as `user` of sustain__hessian_product. */
typedef struct sustain__hessian {
    sustain__oracle *oracle;
    const sustain_batch *zeta;
    const sustain_real *x, *y;
} sustain__hessian;

sustain_status sustain__hessian_product(void *hessian, const sustain_real *v, sustain_real *out);

#endif
