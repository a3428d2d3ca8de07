/* minimize.c - solves a problem in one call. */
#include <string.h>

#include "core/vector.h"
#include "solvers/solver_internal.h"

enum { ITERATIONS = 20000, ITERATIONS_EXACT = 200, EVALUATIONS = 100, PATIENCE = EVALUATIONS / 5 };

static sustain_stopping usual_stopping(const sustain_solver *solver) {
    const int64_t iterations = solver->algorithm->info.deterministic ? ITERATIONS_EXACT : ITERATIONS;
    return (sustain_stopping){
        .size = sizeof(sustain_stopping), .iterations = iterations, .every = iterations / EVALUATIONS, .patience = PATIENCE};
}

/* Runs the solver and copies its point to x and y. A run that cannot start leaves them
 * unchanged. */
static sustain_status run(sustain_solver *solver, const sustain_stopping *stopping, sustain_real *x, sustain_real *y,
                          sustain_result *result) {
    const sustain_stopping usual = usual_stopping(solver);
    solver->planned = stopping != NULL ? (stopping->iterations > 0 ? stopping->iterations : 0) : usual.iterations;
    SUSTAIN_TRY(sustain_solver_start(solver, x, y));
    const sustain_status status = sustain_solver_run(solver, stopping != NULL ? stopping : &usual, result);
    if (x != NULL && result->x != NULL) sustain__copy(solver->problem->upper_dim, result->x, x);
    if (y != NULL && result->y != NULL) sustain__copy(solver->problem->lower_dim, result->y, y);
    return status;
}

sustain_status sustain_minimize(sustain_context *context, const sustain_problem *problem, const char *name,
                                const sustain_stopping *stopping, sustain_real *x, sustain_real *y, sustain_result *result) {
    sustain_solver *solver;
    sustain_result own;
    if (result == NULL) result = &own;
    memset(result, 0, sizeof *result);
    SUSTAIN_TRY(sustain_solver_create(context, name != NULL ? name : "auto", problem, &solver));
    const sustain_status status = run(solver, stopping, x, y, result);
    result->x = x;
    result->y = y;
    sustain_solver_destroy(solver);
    return status;
}
