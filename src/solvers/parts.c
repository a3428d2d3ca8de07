/* parts.c - building blocks of several algorithms. */
#include "solvers/parts.h"

#include "core/vector.h"

sustain_batch sustain__draw_batch(const sustain_solver *solver, sustain_level level, uint32_t stream, int64_t t, int64_t *index) {
    sustain_batch batch = sustain__draw(&solver->sampler, level, stream, t, solver->common.batch, index);
    batch.iteration = solver->t; /* t may count draws of an inner loop */
    return batch;
}

sustain_status sustain__descend(sustain_solver *solver, const sustain_real *x, int64_t first, int64_t steps, double beta, sustain_real *y,
                                sustain_real *gy, int64_t *index) {
    for (int64_t i = first; i < first + steps; i++) {
        sustain_batch zeta;
        if (index != NULL) zeta = sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, i, index);
        SUSTAIN_TRY(sustain__g_grad_y(&solver->oracle, index != NULL ? &zeta : NULL, x, y, gy));
        sustain__add(solver->problem->lower_dim, -beta, gy, y);
    }
    return SUSTAIN_OK;
}

sustain_status sustain__inner_loop(sustain_solver *solver, int64_t steps, double beta, sustain_real *y_new, sustain_real *gy,
                                   int64_t *index) {
    sustain__copy(solver->problem->lower_dim, solver->y, y_new);
    return sustain__descend(solver, solver->x, solver->t * steps, steps, beta, y_new, gy, index);
}

sustain_status sustain__linear_residual(sustain_solver *solver, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                        const sustain_real *v, const sustain_real *fy, sustain_real *out) {
    SUSTAIN_TRY(sustain__g_hess_vec(&solver->oracle, zeta, x, y, v, out));
    sustain__add(solver->problem->lower_dim, -1, fy, out);
    return SUSTAIN_OK;
}

sustain_status sustain__linear_loop(sustain_solver *solver, int64_t steps, double beta, const sustain_real *y, const sustain_real *fy,
                                    const sustain_real *v, sustain_real *v_new, sustain_real *residual, int64_t *index) {
    const int64_t n = solver->problem->lower_dim, first = solver->t * steps;
    sustain__copy(n, v, v_new);
    for (int64_t i = first; i < first + steps; i++) {
        const sustain_batch zeta = sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + 1, i, index);
        SUSTAIN_TRY(sustain__linear_residual(solver, &zeta, solver->x, y, v_new, fy, residual));
        sustain__add(n, -beta, residual, v_new);
    }
    return SUSTAIN_OK;
}

sustain_status sustain__implicit_gradient(sustain_solver *solver, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                          const sustain_real *v, const sustain_real *fx, sustain_real *cross, sustain_real *out) {
    SUSTAIN_TRY(sustain__g_cross_vec(&solver->oracle, zeta, x, y, v, cross));
    sustain__copy(solver->problem->upper_dim, fx, out);
    sustain__add(solver->problem->upper_dim, -1, cross, out);
    return SUSTAIN_OK;
}

sustain_status sustain__move_x(sustain_solver *solver, double alpha, const sustain_real *h) {
    if (!solver->compact) sustain__add(solver->problem->upper_dim, -alpha, h, solver->x);
    for (int64_t j = 0; solver->compact && j < solver->touched_count; j++)
        solver->x[solver->touched[j]] -= (sustain_real)(alpha * (double)h[j]);
    return sustain__project_x(&solver->oracle, solver->x);
}

double sustain__normalized_length(const sustain_solver *solver) {
    (void)solver;
    return 0.03;
}

void sustain__norms(const sustain_solver *solver, const sustain_real *upper, const sustain_real *lower, double norm[2]) {
    norm[SUSTAIN_UPPER] = sustain__norm(solver->compact ? solver->touched_count : solver->problem->upper_dim, upper);
    norm[SUSTAIN_LOWER] = sustain__norm(solver->problem->lower_dim, lower);
}

void sustain__set_norms(sustain_solver *solver, const sustain_real *upper, const sustain_real *lower) {
    sustain__norms(solver, upper, lower, solver->norm);
}
