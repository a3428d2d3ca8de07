/* full.c - what the deterministic algorithms share. */
#include "solvers/full.h"

#include <math.h>

#include "core/vector.h"
#include "solvers/parts.h"

enum { MOST_HALVINGS = 20 }; /* of the steps of y, in one iteration */
#define LONGEST 1e30         /* step of x: where ell is flat it grows without end, and a float has no larger one */

double sustain__full_beta(const sustain_solver *solver) {
    const double beta = sustain__step_sizes_at(solver).beta;
    return solver->common.schedule == SUSTAIN__SCHEDULE_AUTO ? 2 * beta : beta;
}

sustain_status sustain__full_descend(sustain_solver *solver, int64_t steps, sustain_real *y, sustain_real *gy) {
    const int64_t n = solver->problem->lower_dim;
    for (int halvings = 0;; halvings++) {
        const double beta = sustain__full_beta(solver);
        sustain__copy(n, solver->y, y);
        SUSTAIN_TRY(sustain__descend(solver, solver->x, 0, 1, beta, y, gy, NULL));
        const double first = sustain__norm(n, gy), rounding = 8 * sustain__rounding() * solver->steps.L_g * sustain__norm(n, solver->y);
        SUSTAIN_TRY(sustain__descend(solver, solver->x, 1, steps - 1, beta, y, gy, NULL));
        /* The run loop detects an x that is not finite. */
        const bool may_halve = solver->common.schedule == SUSTAIN__SCHEDULE_AUTO && isfinite(first) && halvings < MOST_HALVINGS;
        if (!may_halve || sustain__norm(n, gy) <= fmax(2 * first, rounding)) return SUSTAIN_OK;
        solver->scale_y /= 2;
    }
}

int64_t sustain__full_steps(const sustain_solver *solver, int64_t given) {
    return given > 0 ? given : 2 * (int64_t)solver->steps.K;
}

void sustain__full_layout(sustain_solver *solver, sustain__full_upper *u) {
    const int64_t m = solver->problem->upper_dim;
    sustain__vector(solver, SUSTAIN__STATE, "h", SUSTAIN_FIELD_REAL, m, &u->h);
    sustain__scalar(solver, SUSTAIN__STATE, "alpha", SUSTAIN_FIELD_DOUBLE, &u->alpha);
    sustain__scalar(solver, SUSTAIN__STATE, "growth", SUSTAIN_FIELD_DOUBLE, &u->growth);
    sustain__scalar(solver, SUSTAIN__STATE, "moved_by", SUSTAIN_FIELD_DOUBLE, &u->moved_by);
    SUSTAIN__SCRATCH_REALS(solver, m, &u->h_new, &u->x_prev);
}

sustain_status sustain__full_move(sustain_solver *solver, sustain__full_upper *u) {
    const int64_t m = solver->problem->upper_dim;
    double alpha = sustain__step_sizes_at(solver).alpha, growth = 0;
    if (solver->common.schedule == SUSTAIN__SCHEDULE_AUTO && u->moved_by > 0) { /* x has moved */
        const double changed = sustain__distance(m, u->h, u->h_new);
        alpha = sqrt(1 + u->growth) * u->alpha;
        if (changed > 0) alpha = fmin(alpha, u->moved_by / (sqrt(2) * changed));
        if (u->most > 0) alpha = fmin(alpha, u->most * fmax(1, sustain__max_abs(m, solver->x)) / sustain__max_abs(m, u->h_new));
        alpha = fmin(alpha, LONGEST);
        growth = u->alpha > 0 ? alpha / u->alpha : 0;
    }
    sustain__copy(m, solver->x, u->x_prev);
    SUSTAIN_TRY(sustain__move_x(solver, alpha, u->h_new));
    u->alpha = alpha;
    u->growth = growth;
    u->moved_by = sustain__distance(m, solver->x, u->x_prev);
    sustain__copy(m, u->h_new, u->h);
    return SUSTAIN_OK;
}

sustain_status sustain__full_solve(sustain_solver *solver, sustain__cg *cg, const sustain_real *x, const sustain_real *y,
                                   const sustain_real *b, sustain_real *v) {
    sustain__hessian hessian = {.oracle = &solver->oracle, .x = x, .y = y};
    cg->context = solver->context;
    cg->n = solver->problem->lower_dim;
    cg->product = sustain__hessian_product;
    cg->user = &hessian;
    const sustain_status status = sustain__cg_solve(cg, b, v);
    if (status == SUSTAIN_NOT_CONVERGED) return SUSTAIN_OK;
    /* check=on: the message names the oracle */
    if (status != SUSTAIN_NOT_FINITE || solver->common.check != 0) return status;
    v[0] = (sustain_real)NAN;
    return SUSTAIN_OK;
}
