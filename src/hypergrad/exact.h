/* exact.h - eq. (6) as exactly as the precision allows. */
#ifndef SUSTAIN_HYPERGRAD_EXACT_H
#define SUSTAIN_HYPERGRAD_EXACT_H

#include "oracle/oracle.h"

/* sustain_hypergradient with an oracle made by the caller: Cholesky where the matrix is small, else
 * conjugate gradient almost to rounding. On NOT_CONVERGED out is filled in. */
sustain_status sustain__hypergradient(sustain__oracle *oracle, const sustain_batch *xi, const sustain_batch *zeta, const sustain_real *x,
                                      const sustain_real *y, sustain_real *out);

#endif
