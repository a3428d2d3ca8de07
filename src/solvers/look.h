/* look.h - a look at a problem before a run, for schedule=auto: what ell is like from the start on, as a few exact steps of descent on one large draw
 * see it, and how far single estimates are off. */
#ifndef SUSTAIN_SOLVERS_LOOK_H
#define SUSTAIN_SOLVERS_LOOK_H

#include "hypergrad/cg.h"
#include "solvers/solver.h"

typedef struct sustain__look {
    /* what was seen */
    double L_g;       /* the largest eigenvalue of a draw's Hessian, at both ends of the way */
    double terms;     /* K for which (1/L_g) sum_{q<K} (I - H/L_g)^q gives the hypergradient up to a tenth of the first one */
    double curvature; /* the largest |D(x') - D(x)| / |x' - x| of ell between two points of the way; 0: no gradient to be seen */
    double reach;     /* how far a coordinate of x came on the way, at most */
    double noise;     /* E|D^|^2 / |D|^2 - 1 of single estimates D^ where the run starts: 0 where nothing is drawn */
    double jump;      /* the largest coordinate of single estimates */

    /* how */
    sustain_solver *solver;
    sustain__oracle oracle;
    sustain_batch draw[2];                             /* upper and lower */
    const sustain_batch *xi, *zeta;                    /* those, or NULL where the algorithm draws nothing: the expected value */
    double tolerance;                                  /* of |grad_y g| */
    double first;                                      /* |D| at the start */
    double value, value_new;                           /* of f at (x, y), at (x_new, y_new) */
    sustain_real *x, *x_new, *D, *D_new, *cross;       /* (upper_dim) */
    sustain_real *y, *y_new, *v, *v_new, *fy, *w, *hw; /* (lower_dim) */
    sustain__cg cg;
    int64_t *index; /* of the large draws, then of single ones */
    void *memory;
} sustain__look;

/* Looks from (x, y); `seed` of the draws. L_g is not looked for where it is given. */
sustain_status sustain__look_at(sustain__look *look, sustain_solver *solver, uint64_t seed, const sustain_real *x, const sustain_real *y);

#endif
