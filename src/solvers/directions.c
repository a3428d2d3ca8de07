/* directions.c - y, v and x at the same time. */
#include "solvers/directions.h"

#include "core/vector.h"
#include "solvers/parts.h"

sustain_status sustain__directions(sustain_solver *solver, const sustain_batch *xi, const sustain_batch *zeta, sustain__triple at,
                                   sustain_real *fy, sustain_real *cross, sustain__triple out) {
    SUSTAIN_TRY(sustain__f_grad(&solver->oracle, xi, at.x, at.y, out.x, fy));
    SUSTAIN_TRY(sustain__g_grad_y(&solver->oracle, zeta, at.x, at.y, out.y));
    SUSTAIN_TRY(sustain__linear_residual(solver, zeta, at.x, at.y, at.v, fy, out.v));
    SUSTAIN_TRY(sustain__g_cross_vec(&solver->oracle, zeta, at.x, at.y, at.v, cross));
    sustain__add(solver->problem->upper_dim, -1, cross, out.x);
    return SUSTAIN_OK;
}

void sustain__norms_of(sustain_solver *solver, sustain__triple D) {
    solver->norm[SUSTAIN_UPPER] = sustain__norm(solver->problem->upper_dim, D.x);
    solver->norm[SUSTAIN_LOWER] = sustain__norm(solver->problem->lower_dim, D.y);
}

void sustain__count_pass(sustain_solver *solver) {
    for (int level = 0; level < 2; level++) solver->counts.samples[level] += solver->problem->samples[level];
}
