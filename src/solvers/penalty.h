/* penalty.h - what the deterministic penalty methods share: gradients of f and g at (x, y), grad_x
 * g at a second lower point, projected descent of the lower level, and curvatures for their steps.
 * They need no second derivatives, g need not be strongly convex, and y may be constrained. */
#ifndef SUSTAIN_SOLVERS_PENALTY_H
#define SUSTAIN_SOLVERS_PENALTY_H

#include "solvers/solver_internal.h"

/* The largest curvatures of f and g in x and in y, by power iteration on differences of expected
 * gradients, at the start and at a few points around it, where they may vanish at the start. */
typedef struct sustain__curvatures {
    double f_x, f_y, g_x, g_y;
} sustain__curvatures;
sustain_status sustain__estimate_curvatures(sustain_solver *solver, const sustain_real *x, const sustain_real *y, sustain__curvatures *out);

/* schedule=auto: steps at t = 0 of half the inverse of these curvatures in x and in y. */
sustain_steps sustain__penalty_steps(const sustain_solver *solver, double w, double upper, double lower, double L_g);

/* Gradients of the expected values. */
typedef struct sustain__penalty {
    sustain_real *fx, *gx, *gx_low;       /* (upper_dim) of f and g at (x, y), of g at (x, low) */
    sustain_real *fy, *gy;                /* (lower_dim) */
    sustain_real *low, *low_new, *low_gy; /* (lower_dim) the approximate minimizer of g(x, .); the next one; scratch */
} sustain__penalty;

/* Names the vectors, all of them scratch but `low`, which is state where it is warm-started. */
void sustain__penalty_layout(sustain_solver *solver, sustain__penalty *p, bool warm);

/* low <- projected descent of g(x, .) from `from`: `steps` of length 1/L_g. schedule=auto: where
 * |grad_y g| grows, the steps are halved permanently, because an L_g estimated at the start need
 * not hold for the whole run. */
sustain_status sustain__penalty_descend(sustain_solver *solver, int64_t steps, const sustain_real *from, sustain_real *low,
                                        sustain_real *gy);

/* All gradients at (x, y), x the solver's; grad_x g also at (x, low). */
sustain_status sustain__penalty_gradients(sustain_solver *solver, const sustain_real *y, const sustain_real *low,
                                          const sustain__penalty *p);

/* x <- P(x - alpha dx), y <- P(y - beta dy). */
sustain_status sustain__penalty_move(sustain_solver *solver, double alpha, const sustain_real *dx, double beta, const sustain_real *dy);

#endif
