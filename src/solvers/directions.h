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

/* h <- D_ij(u) - D_ij(u_prev) + h: SARAH's recursion with a small draw of each level. fy
 * (lower_dim), cross (upper_dim), index (2, batch), D and D_prev are scratch. */
sustain_status sustain__recur(sustain_solver *solver, sustain__triple at, sustain__triple before, sustain_real *fy, sustain_real *cross,
                              int64_t *index, sustain__triple D, sustain__triple D_prev, sustain__triple h);

/* The lengths of the directions of x and y. */
void sustain__norms_of(sustain_solver *solver, sustain__triple D);

/* The radius of the ball that v is kept in: `given`, or for 0 C_fy/mu_g, which bounds H^{-1} grad_y
 * f, where the problem knows both; else infinite. */
double sustain__ball_radius(const sustain_solver *solver, double given);
/* v <- v R/|v| where v is outside of the ball. */
void sustain__project_ball(int64_t n, double R, sustain_real *v);

/* Counts a pass over all samples as drawing each of them. */
void sustain__count_pass(sustain_solver *solver);

#endif
