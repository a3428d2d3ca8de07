/* neumann.h - the stochastic hypergradient of eq. (7). */
#ifndef SUSTAIN_HYPERGRAD_NEUMANN_H
#define SUSTAIN_HYPERGRAD_NEUMANN_H

#include "oracle/oracle.h"

typedef struct sustain__neumann {
    sustain__oracle *oracle;
    sustain_real *v, *hv; /* (lower_dim) each: scratch of the caller */
    sustain_real *cross;  /* (upper_dim), not used where the oracle is compact */
} sustain__neumann;

/* Eq. (7) at (x,y) into out and, where x_prev is not NULL, of the same draw at (x_prev,y_prev) into
 * out_prev. With a compact oracle the outputs are compact: the coordinates of xi, then those of
 * zeta[0]. */
sustain_status sustain__neumann_pair(const sustain__neumann *neumann, const sustain_hyper_draw *draw, const sustain_real *x,
                                     const sustain_real *y, const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out,
                                     sustain_real *out_prev);

#endif
