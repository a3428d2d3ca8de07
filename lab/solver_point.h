/* solver_point.h - the current point of a solver, in double. */
#ifndef SUSTAIN_LAB_SOLVER_POINT_H
#define SUSTAIN_LAB_SOLVER_POINT_H

#include <sustain/sustain.h>

/* Copies the solver's point to x (n). */
void solver_point(sustain_solver *solver, int64_t n, double *x);

/* ell(x) of the quadratic problem at the solver's point; x and gradient are buffers of the
 * length of x. If squares is not NULL, adds |grad ell(x)|^2 to it. */
double quadratic_at(const sustain_problem *problem, sustain_solver *solver, double *x, double *gradient, double *squares);

#endif
