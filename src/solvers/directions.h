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

/* Lays out D, fy and cross of sustain__directions(). */
void sustain__directions_layout(sustain_solver *solver, sustain__triple *D, sustain_real **fy, sustain_real **cross);

/* The directions of the draws xi and zeta (NULL: the means over all samples) at a point. fy
 * (lower_dim) and cross (upper_dim) are scratch. Where the solver is compact, out.x has an entry
 * for each coordinate of solver->touched, which is listed here. */
sustain_status sustain__directions(sustain_solver *solver, const sustain_batch *xi, const sustain_batch *zeta, sustain__triple at,
                                   sustain_real *fy, sustain_real *cross, sustain__triple out);

/* SARAH's recursion for u = (y, v, x), which srba and spaba share: they differ in when h starts
 * again, and from which draw. */
typedef struct sustain__recursion {
    /* state */
    sustain_real *v;
    sustain__triple before, h; /* u_{k-1}, h_k */

    /* of one iteration */
    sustain__triple D, D_prev;
    sustain_real *fy, *cross;
} sustain__recursion;

void sustain__recursion_layout(sustain_solver *solver, sustain__recursion *r);
/* h_k = D(u_k) of these draws; NULL: of all samples. */
sustain_status sustain__restart(sustain_solver *solver, const sustain_batch *xi, const sustain_batch *zeta, sustain__recursion *r);
/* h_k = D_ij(u_k) - D_ij(u_{k-1}) + h_{k-1} of a draw of each level; index (2, batch): scratch. */
sustain_status sustain__recur(sustain_solver *solver, int64_t *index, sustain__recursion *r);
/* u_{k+1} = P(u_k - (rho, rho, gamma) h_k): v into the ball of radius R, x to its feasible set. */
sustain_status sustain__recursion_move(sustain_solver *solver, double R, sustain__recursion *r);
/* The lengths of h_x and h_y. */
void sustain__recursion_norms(const sustain_solver *solver, const sustain__recursion *r, double norm[2]);

/* The radius of the ball that v is kept in: `given`, or for 0 C_fy/mu_g, which bounds H^{-1} grad_y
 * f, where the problem knows both; else infinite. */
double sustain__ball_radius(const sustain_solver *solver, double given);

/* Counts a pass over all samples as drawing each of them. */
void sustain__count_pass(sustain_solver *solver);

#endif
