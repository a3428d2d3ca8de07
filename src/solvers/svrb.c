/* svrb.c - SVRB: recursive momentum on each part of the hypergradient, which is then put together
 * with an inverse.
 *
 *   h_t     = a(x_t,y_t;draw) + (1-eta_t)(h_{t-1} - a(x_{t-1},y_{t-1};draw))     for a = grad_y g, grad_x f, grad_y f, J, H;   eta_0 = 1
 *   H_t     projected to H >= mu_g I
 *   y_{t+1} = y_t - beta_t h^g_t,      x_{t+1} = x_t - alpha_t (h^fx_t - J_t H_t^{-1} h^fy_t)                      Algorithm 1
 *
 * Guo, Hu, Zhang, Yang, 2021 (arXiv 2105.02266).
 *
 * Differs: of the estimates only H is projected; eta^g is that of grad_y g, eta^f that of all
 * others. */
#include "core/vector.h"
#include "solvers/matrices.h"
#include "solvers/parts.h"

typedef struct svrb {
    struct sustain_solver base;
    sustain__matrices matrices; /* H_{t-1}, J_{t-1} */

    /* state */
    sustain_real *x_prev, *y_prev;
    sustain_real *hg, *hfx, *hfy; /* h_{t-1} */

    /* of one iteration */
    sustain_real *gy, *gy_prev, *fy, *fy_prev, *v; /* (lower_dim) */
    sustain_real *fx, *fx_prev, *D;                /* (upper_dim) */
    int64_t *index;                                /* (2, batch) */
} svrb;

/* ---- the step ---- */

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    svrb *s = (svrb *)solver;
    sustain__oracle *o = &solver->oracle;
    sustain__tracked *k = &s->matrices.tracked;
    sustain_real *x = solver->x, *y = solver->y;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim, t = solver->t;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    const double keep_f = 1 - at.eta_f, keep_g = 1 - at.eta_g;

    const sustain_batch zeta = sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, s->index);
    const sustain_batch xi = sustain__draw_batch(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, s->index + solver->common.batch);
    SUSTAIN_TRY(sustain__g_grad_y_pair(o, &zeta, x, y, keep_g != 0 ? s->x_prev : NULL, s->y_prev, s->gy, s->gy_prev));
    SUSTAIN_TRY(sustain__f_grad(o, &xi, x, y, s->fx, s->fy));
    if (keep_f != 0) SUSTAIN_TRY(sustain__f_grad(o, &xi, s->x_prev, s->y_prev, s->fx_prev, s->fy_prev));
    SUSTAIN_TRY(sustain__tracked_update(k, &zeta, keep_f, x, y, s->x_prev, s->y_prev));      /* H_t, J_t */

    sustain__momentum(n, keep_g, s->gy, s->gy_prev, s->hg);                                  /* h^g_t */
    sustain__momentum(m, keep_f, s->fx, s->fx_prev, s->hfx);                                 /* h^fx_t */
    sustain__momentum(n, keep_f, s->fy, s->fy_prev, s->hfy);                                 /* h^fy_t */
    sustain__copy(n, s->hfy, s->v);
    sustain__tracked_solve(k, s->v);
    sustain__copy(m, s->hfx, s->D);
    sustain__tracked_cross(k, s->v, s->D);                                                   /* h^fx_t - J_t H_t^{-1} h^fy_t */

    sustain__tracked_keep(k);
    sustain__move(n, at.beta, s->hg, y, s->y_prev);                                          /* y_{t+1} */
    sustain__copy(m, x, s->x_prev);
    sustain__set_norms(solver, s->D, s->hg);
    return sustain__move_x(solver, at.alpha, s->D);                                          /* x_{t+1} */
}
/* clang-format on */

/* ---- the memory ---- */

static sustain_status prepare(sustain_solver *solver, const sustain_real *x, const sustain_real *y) {
    return sustain__matrices_prepare(solver, &((svrb *)solver)->matrices, false, x, y);
}

static void layout(sustain_solver *solver) {
    svrb *s = (svrb *)solver;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    sustain__matrices_layout(solver, &s->matrices);
    sustain__vector(solver, SUSTAIN__STATE, "x_prev", SUSTAIN_FIELD_REAL, m, &s->x_prev);
    sustain__vector(solver, SUSTAIN__STATE, "y_prev", SUSTAIN_FIELD_REAL, n, &s->y_prev);
    sustain__vector(solver, SUSTAIN__STATE, "hg", SUSTAIN_FIELD_REAL, n, &s->hg);
    sustain__vector(solver, SUSTAIN__STATE, "hfx", SUSTAIN_FIELD_REAL, m, &s->hfx);
    sustain__vector(solver, SUSTAIN__STATE, "hfy", SUSTAIN_FIELD_REAL, n, &s->hfy);
    SUSTAIN__SCRATCH_REALS(solver, n, &s->gy, &s->gy_prev, &s->fy, &s->fy_prev, &s->v);
    SUSTAIN__SCRATCH_REALS(solver, m, &s->fx, &s->fx_prev, &s->D);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, 2 * solver->common.batch, &s->index);
}

static void begin(sustain_solver *solver) {
    svrb *s = (svrb *)solver;
    sustain__matrices_begin(solver, &s->matrices);
}

/* ---- the row of the registry ---- */

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(1.0 / 3, -1),
    SUSTAIN__MOMENTUM_ROWS,
    SUSTAIN__MATRIX_ROWS(svrb),
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_svrb = {
    .info = {.name = "svrb",
             .title = "recursive momentum on every part of the hypergradient, Hessian and cross block as matrices",
             .reference = "Guo, Hu, Zhang, Yang: Randomized stochastic variance-reduced methods for multi-task stochastic bilevel "
                          "optimization. arXiv 2105.02266, 2021",
             .complexity = "epsilon^(-3/2), epsilon^(-3/2)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(svrb),
    .tuning = {.alpha = 1, .beta = 1, .quiet_lag = 0.5},
    .prepare = prepare,
    .layout = layout,
    .begin = begin,
    .step = step,
};
