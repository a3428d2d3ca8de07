/* full.h - what the deterministic algorithms share: they use all samples at once (batch NULL) and
 * draw none. */
#ifndef SUSTAIN_SOLVERS_FULL_H
#define SUSTAIN_SOLVERS_FULL_H

#include "hypergrad/cg.h"
#include "solvers/solver_internal.h"

/* The step of y. schedule=auto allows for noise with 1/(2 L_g); without noise it is 1/L_g. */
double sustain__full_beta(const sustain_solver *solver);

/* y <- y^D: so many steps of descent from the solver's y; gy (lower_dim) is scratch, at the end the
 * last gradient. schedule=auto: an L_g estimated at the start need not hold for the whole run, so
 * where |grad_y g| grows, the steps are halved permanently and repeated. */
sustain_status sustain__full_descend(sustain_solver *solver, int64_t steps, sustain_real *y, sustain_real *gy);

/* Steps of y in an iteration: as given, or (given 0) so many that (1 - mu_g/L_g)^steps is about
 * 1/100: twice the schedule's K, of which (1 - mu_g/L_g)^K is about 1/10. */
int64_t sustain__full_steps(const sustain_solver *solver, int64_t given);

/* The step of x. schedule=auto finds the first one; from there on it is that of adaptive gradient
 * descent (Malitsky, Mishchenko, ICML 2020),
 *
 *   alpha_k = min( sqrt(1 + alpha_{k-1}/alpha_{k-2}) alpha_{k-1},  |x_k - x_{k-1}| / (sqrt(2) |h_k - h_{k-1}|) ),
 *
 * because a curvature estimated at the start need not hold for the whole run. Other schedules are
 * used as given. */
typedef struct sustain__full_upper {
    sustain_real *h;                /* (upper_dim) state: h_{k-1}, the last direction */
    double alpha, growth, moved_by; /* state: alpha_{k-1}; alpha_{k-1}/alpha_{k-2}, at first 0; |x_k - x_{k-1}| */
    sustain_real *h_new;            /* (upper_dim) h_k: the algorithm writes it */
    sustain_real *x_prev;           /* (upper_dim) scratch */
    double most;                    /* schedule=auto: a coordinate moves at most by this times the largest one (at least 1); 0: no limit */
} sustain__full_upper;

/* Names its vectors, for an algorithm's layout(). */
void sustain__full_layout(sustain_solver *solver, sustain__full_upper *upper);

/* x <- x - alpha h_new, projected onto the feasible set; h <- h_new. */
sustain_status sustain__full_move(sustain_solver *solver, sustain__full_upper *upper);

/* v <- H(x,y)^{-1} b by conjugate gradient from the v given. `cg` comes with its limit, tolerance
 * and scratch. An inexact solution is accepted; values that are not finite are left in v, so that
 * the run loop detects the divergence and can recover. */
sustain_status sustain__full_solve(sustain_solver *solver, sustain__cg *cg, const sustain_real *x, const sustain_real *y,
                                   const sustain_real *b, sustain_real *v);

#endif
