/* amigo.c - AmIGO: amortized implicit differentiation, warm-started SGD on y and on the linear
 * system.
 *
 *   y_t     = T steps  y <- y - beta grad_y g(x_t,y;zeta_i),  a fresh draw each, from y_{t-1}               Algorithm 2
 *   (u, w)  = grad f(x_t,y_t;xi)                                                                            Algorithm 1
 *   v_t     = N steps  v <- v - beta (H(x_t,y_t;zeta'_i) v - w),  a fresh draw each, from v_{t-1}           Algorithm 3
 *   x_{t+1} = x_t - alpha_t (u - J(x_t,y_t;zeta'') v_t)                                                     Algorithm 1
 *
 * Arbel, Mairal, ICLR 2022, where z = -v. One draw xi serves u and all N steps on v. */
#include "core/vector.h"
#include "solvers/parts.h"

typedef struct amigo {
    struct sustain_solver base;
    int64_t T, N;

    /* state */
    sustain_real *v; /* v_{t-1} */

    /* of one iteration */
    sustain_real *y_new, *v_new, *gy, *fy, *residual; /* (lower_dim) */
    sustain_real *fx, *cross, *D;                     /* (upper_dim) */
    int64_t *index;                                   /* (2, batch) */
} amigo;

/* ---- the step ---- */

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    amigo *s = (amigo *)solver;
    const int64_t n = solver->problem->lower_dim, B = solver->common.batch, t = solver->t;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);

    SUSTAIN_TRY(sustain__inner_loop(solver, s->T, at.beta, s->y_new, s->gy, s->index));                               /* y_t */

    const sustain_batch xi = sustain__draw_batch(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, s->index + B);
    SUSTAIN_TRY(sustain__f_grad(&solver->oracle, &xi, solver->x, s->y_new, s->fx, s->fy));                            /* u, w */

    SUSTAIN_TRY(sustain__linear_loop(solver, s->N, at.beta, s->y_new, s->fy, s->v, s->v_new, s->residual, s->index)); /* v_t */

    const sustain_batch zeta = sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER, t, s->index);
    SUSTAIN_TRY(sustain__implicit_gradient(solver, &zeta, solver->x, s->y_new, s->v_new, s->fx, s->cross, s->D));

    sustain__copy(n, s->y_new, solver->y);
    sustain__copy(n, s->v_new, s->v);
    sustain__set_norms(solver, s->D, s->gy);
    return sustain__move_x(solver, at.alpha, s->D);                                                                   /* x_{t+1} */
}
/* clang-format on */

/* ---- the memory ---- */

static void layout(sustain_solver *solver) {
    amigo *s = (amigo *)solver;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, n, &s->v);
    SUSTAIN__SCRATCH_REALS(solver, n, &s->y_new, &s->v_new, &s->gy, &s->fy, &s->residual);
    SUSTAIN__SCRATCH_REALS(solver, m, &s->fx, &s->cross, &s->D);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, 2 * solver->common.batch, &s->index);
}

/* ---- the row of the registry ---- */

static double draws(const sustain_solver *solver) {
    const amigo *s = (const amigo *)solver;
    return (double)(s->T > s->N ? s->T : s->N);
}

/* Differs: Algorithm 1 has constant steps and, to reach epsilon, batches of the order of 1/epsilon.
 * The batch is fixed here, so the steps decay like t^(-1/2); p=0 q=0 gives the constant ones. */
/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(0.5, -1),
    {"T", SUSTAIN_PARAMETER_INTEGER, offsetof(amigo, T), 10, 1, 100000, NULL, "steps on y in each iteration"},
    {"N", SUSTAIN_PARAMETER_INTEGER, offsetof(amigo, N), 10, 1, 100000, NULL, "steps on the linear system in each iteration"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_amigo = {
    .info = {.name = "amigo",
             .title = "amortized implicit differentiation: T warm-started SGD steps on y, N on the linear system",
             .reference =
                 "Arbel, Mairal: Amortized implicit differentiation for stochastic bilevel optimization. ICLR 2022 (arXiv 2111.14580)",
             .complexity = "epsilon^(-2), epsilon^(-2)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(amigo),
    .tuning = {.alpha = 1, .beta = 1, .lag = 0.25, .quiet_lag = 0.75},
    .layout = layout,
    .draws = draws,
    .step = step,
};
