/* directions.h - the three directions of Dagreou, Ablin, Vaiter, Moreau 2022, eq. (4) to (6): y, v
 * and x move at the same time, each by a mean over samples, so that any estimator of a mean makes
 * an algorithm.
 *
 *   D_y = grad_y g,   D_v = H v - grad_y f,   D_x = grad_x f - J v,      H = grad^2_yy g, J = grad^2_xy g, all at (x, y)
 *
 * Differs: their v is -v here, as everywhere in this library: v tends to H^{-1} grad_y f. The
 * iterates x and y are the same. */
#ifndef SUSTAIN_SOLVERS_DIRECTIONS_H
#define SUSTAIN_SOLVERS_DIRECTIONS_H

#include "solvers/solver_internal.h"

/* A point, or the directions there. */
typedef struct sustain__triple {
    sustain_real *x, *y, *v; /* (upper_dim), (lower_dim), (lower_dim) */
} sustain__triple;

/* The directions of the draws xi and zeta (NULL: the means over all samples) at a point. fy
 * (lower_dim) and cross (upper_dim) are scratch. */
sustain_status sustain__directions(sustain_solver *solver, const sustain_batch *xi, const sustain_batch *zeta, sustain__triple at,
                                   sustain_real *fy, sustain_real *cross, sustain__triple out);

/* The lengths of the directions of x and y. */
void sustain__norms_of(sustain_solver *solver, sustain__triple D);

/* Counts a pass over all samples as drawing each of them. */
void sustain__count_pass(sustain_solver *solver);

#endif
