/* directions.c - y, v and x at the same time. */
#include "solvers/directions.h"

#include <math.h>

#include "core/vector.h"
#include "solvers/parts.h"

void sustain__directions_layout(sustain_solver *solver, sustain__triple *D, sustain_real **fy, sustain_real **cross) {
    const sustain_problem *p = solver->problem;
    const int64_t most = sustain__support_per_sample(p, SUSTAIN_UPPER) + sustain__support_per_sample(p, SUSTAIN_LOWER);
    const int64_t upper = solver->compact ? solver->common.batch * most : p->upper_dim, lower = p->lower_dim;
    if (solver->compact) sustain__vector(solver, SUSTAIN__SCRATCH, "touched", SUSTAIN_FIELD_INT64, upper, &solver->touched);
    SUSTAIN__SCRATCH_REALS(solver, upper, &D->x, cross);
    SUSTAIN__SCRATCH_REALS(solver, lower, &D->y, &D->v, fy);
}

/* D_x <- grad_x f - J v, from its two parts. */
static void join(sustain_solver *solver, const sustain_batch *xi, const sustain_batch *zeta, const sustain_real *cross, sustain_real *D_x) {
    if (!solver->compact) {
        sustain__add(solver->problem->upper_dim, -1, cross, D_x);
        return;
    }
    const int64_t first = sustain__support(&solver->oracle, SUSTAIN_UPPER, xi, solver->touched);
    const int64_t count = sustain__support(&solver->oracle, SUSTAIN_LOWER, zeta, solver->touched + first);
    for (int64_t j = 0; j < count; j++) D_x[first + j] = -cross[j];
    solver->touched_count = first + count;
}

sustain_status sustain__directions(sustain_solver *solver, const sustain_batch *xi, const sustain_batch *zeta, sustain__triple at,
                                   sustain_real *fy, sustain_real *cross, sustain__triple out) {
    SUSTAIN_TRY(sustain__f_grad(&solver->oracle, xi, at.x, at.y, out.x, fy));
    SUSTAIN_TRY(sustain__g_grad_y(&solver->oracle, zeta, at.x, at.y, out.y));
    SUSTAIN_TRY(sustain__linear_residual(solver, zeta, at.x, at.y, at.v, fy, out.v));
    SUSTAIN_TRY(sustain__g_cross_vec(&solver->oracle, zeta, at.x, at.y, at.v, cross));
    join(solver, xi, zeta, cross, out.x);
    return SUSTAIN_OK;
}

double sustain__ball_radius(const sustain_solver *solver, double given) {
    const sustain_constants *known = solver->given->known;
    const double R = known != NULL ? known->C_fy / known->mu_g : INFINITY;
    return given > 0 ? given : R > 0 ? R : INFINITY; /* also where R is not a number */
}

void sustain__count_pass(sustain_solver *solver) {
    for (int level = 0; level < 2; level++) solver->counts.samples[level] += solver->problem->samples[level];
}

/* ---- SARAH's recursion ---- */

static sustain__triple point_of(const sustain_solver *solver, const sustain__recursion *r) {
    return (sustain__triple){solver->x, solver->y, r->v};
}

void sustain__recursion_layout(sustain_solver *solver, sustain__recursion *r) {
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim;
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, lower, &r->v);
    sustain__vector(solver, SUSTAIN__STATE, "x_prev", SUSTAIN_FIELD_REAL, upper, &r->before.x);
    sustain__vector(solver, SUSTAIN__STATE, "y_prev", SUSTAIN_FIELD_REAL, lower, &r->before.y);
    sustain__vector(solver, SUSTAIN__STATE, "v_prev", SUSTAIN_FIELD_REAL, lower, &r->before.v);
    sustain__vector(solver, SUSTAIN__STATE, "h_x", SUSTAIN_FIELD_REAL, upper, &r->h.x);
    sustain__vector(solver, SUSTAIN__STATE, "h_y", SUSTAIN_FIELD_REAL, lower, &r->h.y);
    sustain__vector(solver, SUSTAIN__STATE, "h_v", SUSTAIN_FIELD_REAL, lower, &r->h.v);
    sustain__directions_layout(solver, &r->D, &r->fy, &r->cross);
    SUSTAIN__SCRATCH_REALS(solver, upper, &r->D_prev.x);
    SUSTAIN__SCRATCH_REALS(solver, lower, &r->D_prev.y, &r->D_prev.v);
}

sustain_status sustain__restart(sustain_solver *solver, const sustain_batch *xi, const sustain_batch *zeta, sustain__recursion *r) {
    SUSTAIN_TRY(sustain__directions(solver, xi, zeta, point_of(solver, r), r->fy, r->cross, r->D));
    sustain__copy(solver->problem->upper_dim, r->D.x, r->h.x);
    sustain__copy(solver->problem->lower_dim, r->D.y, r->h.y);
    sustain__copy(solver->problem->lower_dim, r->D.v, r->h.v);
    return SUSTAIN_OK;
}

sustain_status sustain__recur(sustain_solver *solver, int64_t *index, sustain__recursion *r) {
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim, t = solver->t;
    const sustain_batch zeta = sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, index);
    const sustain_batch xi = sustain__draw_batch(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, index + solver->common.batch);
    SUSTAIN_TRY(sustain__directions(solver, &xi, &zeta, point_of(solver, r), r->fy, r->cross, r->D));
    SUSTAIN_TRY(sustain__directions(solver, &xi, &zeta, r->before, r->fy, r->cross, r->D_prev));
    sustain__momentum(upper, 1, r->D.x, r->D_prev.x, r->h.x);
    sustain__momentum(lower, 1, r->D.y, r->D_prev.y, r->h.y);
    sustain__momentum(lower, 1, r->D.v, r->D_prev.v, r->h.v);
    return SUSTAIN_OK;
}

sustain_status sustain__recursion_move(sustain_solver *solver, double R, sustain__recursion *r) {
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    sustain__move(lower, at.beta, r->h.y, solver->y, r->before.y);
    sustain__move(lower, at.beta, r->h.v, r->v, r->before.v);
    sustain__move(upper, at.alpha, r->h.x, solver->x, r->before.x);
    const double length = sustain__norm(lower, r->v);
    if (length > R) sustain__scale(lower, R / length, r->v);
    return sustain__project_x(&solver->oracle, solver->x);
}

void sustain__recursion_norms(const sustain_solver *solver, const sustain__recursion *r, double norm[2]) {
    sustain__norms(solver, r->h.x, r->h.y, norm);
}
