/* stable.c - STABLE: one loop and one timescale; Hessian and cross block tracked, and y corrected
 * for the move of x.
 *
 *   H_t     = P{ H >= mu_g I }   [ H(x_t,y_t;zeta) + (1-tau_t)(H_{t-1} - H(x_{t-1},y_{t-1};zeta)) ],     tau_0 = 1
 *   J_t     = P{ |J| <= C_gxy }  [ J(x_t,y_t;zeta) + (1-tau_t)(J_{t-1} - J(x_{t-1},y_{t-1};zeta)) ]
 *   x_{t+1} = x_t - alpha_t (grad_x f(x_t,y_t;xi) - J_t H_t^{-1} grad_y f(x_t,y_t;xi))
 *   y_{t+1} = y_t - beta_t grad_y g(x_t,y_t;zeta) - H_t^{-1} J_t' (x_{t+1} - x_t)                          Algorithm 1
 *
 * Chen, Sun, Xiao, Yin, AISTATS 2022 (arXiv 2102.04671, 2021). alpha, beta and tau are of one
 * order.
 *
 * Differs: where C_gxy is neither known nor given, J is free: |J| at the start is no bound, and 0
 * where y_0 = 0 in a penalty exp(x) y^2. */
#include <math.h>

#include "core/vector.h"
#include "solvers/matrices.h"
#include "solvers/parts.h"

typedef struct stable {
    struct sustain_solver base;
    sustain__matrices matrices; /* H_{t-1}, J_{t-1} */

    /* state */
    sustain_real *x_prev, *y_prev;

    /* of one iteration */
    sustain_real *gy, *v;            /* (lower_dim) */
    sustain_real *D, *x_new, *moved; /* (upper_dim) */
    int64_t *index;                  /* (2, batch) */
} stable;

/* ---- the step ---- */

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    stable *s = (stable *)solver;
    sustain__oracle *o = &solver->oracle;
    sustain__tracked *k = &s->matrices.tracked;
    const sustain_real *x = solver->x, *y = solver->y;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim, t = solver->t;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    const double keep = 1 - sqrt(at.eta_f);                                                  /* tau_t ~ alpha_t */

    const sustain_batch zeta = sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, s->index);
    const sustain_batch xi = sustain__draw_batch(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, s->index + solver->common.batch);
    SUSTAIN_TRY(sustain__g_grad_y(o, &zeta, x, y, s->gy));
    SUSTAIN_TRY(sustain__f_grad(o, &xi, x, y, s->D, s->v));
    SUSTAIN_TRY(sustain__tracked_update(k, &zeta, keep, x, y, s->x_prev, s->y_prev));        /* H_t, J_t */

    sustain__tracked_solve(k, s->v);
    sustain__tracked_cross(k, s->v, s->D);                                                   /* f_x - J_t H_t^{-1} f_y */
    sustain__copy(m, x, s->x_new);
    sustain__add(m, -at.alpha, s->D, s->x_new);
    SUSTAIN_TRY(sustain__project_x(o, s->x_new));                                            /* x_{t+1} */
    sustain__copy(m, s->x_new, s->moved);
    sustain__add(m, -1, x, s->moved);
    sustain__tracked_cross_transposed(k, s->moved, s->v);
    sustain__tracked_solve(k, s->v);                                                         /* H_t^{-1} J_t' (x_{t+1} - x_t) */

    sustain__copy(n, y, s->y_prev);
    sustain__copy(m, x, s->x_prev);
    sustain__add(n, -at.beta, s->gy, solver->y);
    sustain__add(n, -1, s->v, solver->y);                                                    /* y_{t+1} */
    sustain__copy(m, s->x_new, solver->x);
    sustain__tracked_keep(k);
    sustain__set_norms(solver, s->D, s->gy);
    return SUSTAIN_OK;
}
/* clang-format on */

/* ---- the memory ---- */

static sustain_status prepare(sustain_solver *solver, const sustain_real *x, const sustain_real *y) {
    return sustain__matrices_prepare(solver, &((stable *)solver)->matrices, true, x, y);
}

static void layout(sustain_solver *solver) {
    stable *s = (stable *)solver;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    sustain__matrices_layout(solver, &s->matrices);
    sustain__vector(solver, SUSTAIN__STATE, "x_prev", SUSTAIN_FIELD_REAL, m, &s->x_prev);
    sustain__vector(solver, SUSTAIN__STATE, "y_prev", SUSTAIN_FIELD_REAL, n, &s->y_prev);
    SUSTAIN__SCRATCH_REALS(solver, n, &s->gy, &s->v);
    SUSTAIN__SCRATCH_REALS(solver, m, &s->D, &s->x_new, &s->moved);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, 2 * solver->common.batch, &s->index);
}

static void begin(sustain_solver *solver) {
    stable *s = (stable *)solver;
    sustain__matrices_begin(solver, &s->matrices);
}

/* ---- the row of the registry ---- */

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(0.5, -1),
    {"c_eta_f", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(c_eta_f), 1, 0, 1e30, NULL,
     "schedule=power: tau_t = min(1, sqrt(c_eta_f)/(w+t)^p), momentum of the matrices"},
    SUSTAIN__MATRIX_ROWS(stable),
    SUSTAIN__CROSS_ROW(stable),
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_stable = {
    .info = {.name = "stable",
             .title = "single timescale: tracked Hessian and cross block as matrices, y corrected for the move of x",
             .reference =
                 "Chen, Sun, Xiao, Yin: A single-timescale method for stochastic bilevel optimization. AISTATS 2022 (arXiv 2102.04671)",
             .complexity = "epsilon^(-2), epsilon^(-2)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(stable),
    .tuning = {.alpha = 0.5, .beta = 1.5},
    .prepare = prepare,
    .layout = layout,
    .begin = begin,
    .step = step,
};
