/* tracked.h - the Hessian and the cross block as matrices that follow (x, y) by recursive momentum,
 * projected onto the sets that contain the true ones:
 *
 *   H_t = P{ H >= mu_g }      [ H(x_t,y_t;zeta) + keep (H_{t-1} - H(x_{t-1},y_{t-1};zeta)) ]
 *   J_t = P{ |J| <= C_gxy }   [ J(x_t,y_t;zeta) + keep (J_{t-1} - J(x_{t-1},y_{t-1};zeta)) ]
 *
 * P is the projection in the Frobenius norm: eigenvalues of H below mu_g become mu_g, singular
 * values of J above C_gxy become C_gxy. */
#ifndef SUSTAIN_HYPERGRAD_TRACKED_H
#define SUSTAIN_HYPERGRAD_TRACKED_H

#include "oracle/oracle.h"

typedef struct sustain__tracked {
    sustain__oracle *oracle; /* with a column lent to it: see oracle.h */
    double mu_g, C_gxy;      /* C_gxy infinite: J is not projected */
    sustain_real *H, *J;     /* (lower_dim, lower_dim), (upper_dim, lower_dim): H_{t-1}, J_{t-1} */

    /* of one iteration; scratch of the caller */
    sustain_real *H_new, *H_prev, *J_new, *J_prev;
    double *factor, *vectors; /* (lower_dim, lower_dim) each */
    double *values, *row;     /* (lower_dim) each */
    bool solvable;            /* H_new is finite, and factored */
} sustain__tracked;

/* H_t into H_new and J_t into J_new; H and J stay as they are. x_prev is not read where keep is
 * 0. */
sustain_status sustain__tracked_update(sustain__tracked *tracked, const sustain_batch *zeta, double keep, const sustain_real *x,
                                       const sustain_real *y, const sustain_real *x_prev, const sustain_real *y_prev);

/* H_t and J_t become H and J: for the next iteration. */
void sustain__tracked_keep(sustain__tracked *tracked);

/* After an update: b <- H_t^{-1} b; NAN where H_t is not finite. */
void sustain__tracked_solve(const sustain__tracked *tracked, sustain_real *b);
/* out <- out - J_t v. */
void sustain__tracked_cross(const sustain__tracked *tracked, const sustain_real *v, sustain_real *out);
/* out <- J_t' d. */
void sustain__tracked_cross_transposed(const sustain__tracked *tracked, const sustain_real *d, sustain_real *out);

#endif
