/* solver_point.h - where a solver is, in double. */
#ifndef SUSTAIN_LAB_SOLVER_POINT_H
#define SUSTAIN_LAB_SOLVER_POINT_H

#include <sustain/sustain.h>

/* x becomes (n) the solver's point. */
void solver_point(sustain_solver *solver, int64_t n, double *x);

/* ell(x) of the quadratic problem at the solver's point; x and gradient have the length of x. Where squares is not NULL, adds
 * |grad ell(x)|^2 to it. */
double quadratic_at(const sustain_problem *problem, sustain_solver *solver, double *x, double *gradient, double *squares);

#endif
