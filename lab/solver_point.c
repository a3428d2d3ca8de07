/* solver_point.c - see solver_point.h. */
#include "solver_point.h"

void solver_point(sustain_solver *solver, int64_t n, double *x) {
    const sustain_real *at = sustain_solver_x(solver);
    for (int64_t i = 0; i < n; i++) x[i] = (double)at[i];
}

double quadratic_at(const sustain_problem *problem, sustain_solver *solver, double *x, double *gradient, double *squares) {
    const int64_t n = problem->upper_dim;
    solver_point(solver, n, x);
    const double value = sustain_quadratic_value(problem, x, squares != NULL ? gradient : NULL);
    for (int64_t i = 0; squares != NULL && i < n; i++) *squares += gradient[i] * gradient[i];
    return value;
}
