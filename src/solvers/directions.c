/* directions.c - y, v and x at the same time. */
#include "solvers/directions.h"

#include <math.h>

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

sustain_status sustain__recur(sustain_solver *b, sustain__triple at, sustain__triple before, sustain_real *fy, sustain_real *cross,
                              int64_t *index, sustain__triple D, sustain__triple D_prev, sustain__triple h) {
    const sustain_batch zeta = sustain__draw_batch(b, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, b->t, index);
    const sustain_batch xi = sustain__draw_batch(b, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, b->t, index + b->common.batch);
    SUSTAIN_TRY(sustain__directions(b, &xi, &zeta, at, fy, cross, D));
    SUSTAIN_TRY(sustain__directions(b, &xi, &zeta, before, fy, cross, D_prev));
    sustain__momentum(b->problem->upper_dim, 1, D.x, D_prev.x, h.x);
    sustain__momentum(b->problem->lower_dim, 1, D.y, D_prev.y, h.y);
    sustain__momentum(b->problem->lower_dim, 1, D.v, D_prev.v, h.v);
    return SUSTAIN_OK;
}

void sustain__norms_of(sustain_solver *solver, sustain__triple D) {
    solver->norm[SUSTAIN_UPPER] = sustain__norm(solver->problem->upper_dim, D.x);
    solver->norm[SUSTAIN_LOWER] = sustain__norm(solver->problem->lower_dim, D.y);
}

double sustain__ball_radius(const sustain_solver *solver, double given) {
    const sustain_constants *known = solver->given->known;
    const double R = known != NULL ? known->C_fy / known->mu_g : INFINITY;
    return given > 0 ? given : R > 0 ? R : INFINITY; /* also where R is not a number */
}

void sustain__project_ball(int64_t n, double R, sustain_real *v) {
    const double length = sustain__norm(n, v);
    if (length > R) sustain__scale(n, R / length, v);
}

void sustain__count_pass(sustain_solver *solver) {
    for (int level = 0; level < 2; level++) solver->counts.samples[level] += solver->problem->samples[level];
}
