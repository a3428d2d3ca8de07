/* neumann_sum.h - the stochastic hypergradient with the whole Neumann sum. */
#ifndef SUSTAIN_HYPERGRAD_NEUMANN_SUM_H
#define SUSTAIN_HYPERGRAD_NEUMANN_SUM_H

#include "oracle/oracle.h"

/* What one estimate reads. */
typedef struct sustain__sum_draw {
    sustain_batch xi;            /* D_F: both gradients of f */
    sustain_batch zeta;          /* D_G: the cross product */
    const sustain_batch *factor; /* (Q): B_Q, B_{Q-1}, ..., B_1, in the order in which they are applied to grad_y f */
    int Q;
    double eta; /* at most 1 / L_g */
} sustain__sum_draw;

typedef struct sustain__neumann_sum {
    sustain__oracle *oracle;    /* not compact */
    sustain_real *r, *hr, *sum; /* (lower_dim) each: scratch of the caller */
    sustain_real *cross;        /* (upper_dim) likewise */
} sustain__neumann_sum;

/* The estimate at (x,y) into out and, where x_prev is not NULL, of the same draw at (x_prev,y_prev)
 * into out_prev. */
sustain_status sustain__neumann_sum_pair(const sustain__neumann_sum *neumann, const sustain__sum_draw *draw, const sustain_real *x,
                                         const sustain_real *y, const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out,
                                         sustain_real *out_prev);

#endif
