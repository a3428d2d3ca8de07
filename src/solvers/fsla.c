/* fsla.c - FSLA: fully single loop, one SGD step on y and on v, a recursive momentum on the
 * hypergradient.
 *
 *   y_{t+1} = y_t - beta_t grad_y g(x_t,y_t;zeta)
 *   v_{t+1} = v_t - beta_t (H(x_t,y_{t+1};zeta') v_t - grad_y f(x_t,y_{t+1};xi))                  v -> H^{-1} grad_y f
 *   D(x,y,v) = grad_x f(x,y;xi') - J(x,y;zeta'') v
 *   h_t     = D(x_t,y_{t+1},v_{t+1}) + (1-eta_t)(h_{t-1} - D(x_{t-1},y_t,v_t)),      eta_0 = 1
 *   x_{t+1} = x_t - alpha_t h_t                                                                 Algorithm 1
 *
 * Li, Gu, Huang, AAAI 2022 (arXiv 2112.04660). One draw xi', zeta'' at both points makes h
 * recursive; alpha, beta and eta are of one order.
 *
 * Differs: v has the step of y. */
#include <math.h>

#include "core/vector.h"
#include "solvers/parts.h"

typedef struct fsla {
    struct sustain_solver base;

    /* state */
    sustain_real *v, *h, *x_prev; /* v_t, h_{t-1}, x_{t-1}; y_t and v_t belong to x_{t-1} */

    /* of one iteration */
    sustain_real *y_new, *v_new, *gy, *fy, *residual; /* (lower_dim) */
    sustain_real *fx, *cross, *D, *D_prev;            /* (upper_dim) */
    int64_t *index;                                   /* (4, batch) */
} fsla;

/* ---- the step ---- */

/* D(x,y,v;xi,zeta). */
static sustain_status estimate(fsla *s, const sustain_batch *xi, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                               const sustain_real *v, sustain_real *D) {
    SUSTAIN_TRY(sustain__f_grad(&s->base.oracle, xi, x, y, s->fx, s->fy));
    return sustain__implicit_gradient(&s->base, zeta, x, y, v, s->fx, s->cross, D);
}

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    fsla *s = (fsla *)solver;
    const sustain_real *x = solver->x, *y = solver->y;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim, B = solver->common.batch, t = solver->t;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    const double keep = 1 - sqrt(at.eta_f);                                                                        /* eta_t ~ alpha_t */

    const sustain_batch xi_v = sustain__draw_batch(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, s->index + B);
    const sustain_batch xi_x = sustain__draw_batch(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_HYPER + 2, t, s->index + 2 * B);
    const sustain_batch zeta_x = sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER, t, s->index + 3 * B);

    SUSTAIN_TRY(sustain__inner_loop(solver, 1, at.beta, s->y_new, s->gy, s->index));                               /* y_{t+1} */

    SUSTAIN_TRY(sustain__f_grad(&solver->oracle, &xi_v, x, s->y_new, s->fx, s->fy));
    SUSTAIN_TRY(sustain__linear_loop(solver, 1, at.beta, s->y_new, s->fy, s->v, s->v_new, s->residual, s->index)); /* v_{t+1} */

    SUSTAIN_TRY(estimate(s, &xi_x, &zeta_x, x, s->y_new, s->v_new, s->D));
    if (keep != 0) SUSTAIN_TRY(estimate(s, &xi_x, &zeta_x, s->x_prev, y, s->v, s->D_prev));

    sustain__momentum(m, keep, s->D, s->D_prev, s->h);                                                             /* h_t */
    sustain__copy(n, s->y_new, solver->y);
    sustain__copy(n, s->v_new, s->v);
    sustain__set_norms(solver, s->h, s->gy);
    sustain__copy(m, x, s->x_prev);
    return sustain__move_x(solver, at.alpha, s->h);                                                                /* x_{t+1} */
}
/* clang-format on */

/* ---- the memory ---- */

static void layout(sustain_solver *solver) {
    fsla *s = (fsla *)solver;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, n, &s->v);
    sustain__vector(solver, SUSTAIN__STATE, "h", SUSTAIN_FIELD_REAL, m, &s->h);
    sustain__vector(solver, SUSTAIN__STATE, "x_prev", SUSTAIN_FIELD_REAL, m, &s->x_prev);
    SUSTAIN__SCRATCH_REALS(solver, n, &s->y_new, &s->v_new, &s->gy, &s->fy, &s->residual);
    SUSTAIN__SCRATCH_REALS(solver, m, &s->fx, &s->cross, &s->D, &s->D_prev);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, 4 * solver->common.batch, &s->index);
}

/* ---- the row of the registry ---- */

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(0.5, -1),
    {"c_eta_f", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(c_eta_f), 1, 0, 1e30, NULL,
     "schedule=power: eta_t = min(1, sqrt(c_eta_f)/(w+t)^p), momentum of x"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_fsla = {
    .info = {.name = "fsla",
             .title = "fully single loop: SGD on y and on the linear system, a recursive momentum on the hypergradient",
             .reference = "Li, Gu, Huang: A fully single loop algorithm for bilevel optimization without Hessian inverse. "
                          "AAAI 2022 (arXiv 2112.04660)",
             .complexity = "epsilon^(-2), epsilon^(-2)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(fsla),
    .tuning = {.alpha = 1, .beta = 0.75, .lag = 0.5},
    .layout = layout,
    .step = step,
};
