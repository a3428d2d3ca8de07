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

/* B_k, Algorithm 3: v_new <- v_new - beta (H v_new - fy), N times. */
static sustain_status solve_linear(amigo *s, double beta) {
    sustain_solver *b = &s->base;
    for (int64_t i = b->t * s->N; i < (b->t + 1) * s->N; i++) {
        sustain_batch zeta = sustain__draw_batch(b, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + 1, i, s->index);
        zeta.iteration = b->t;
        SUSTAIN_TRY(sustain__linear_residual(b, &zeta, b->x, s->y_new, s->v_new, s->fy, s->residual));
        sustain__add(b->problem->lower_dim, -beta, s->residual, s->v_new);
    }
    return SUSTAIN_OK;
}

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    amigo *s = (amigo *)solver;
    const int64_t n = solver->problem->lower_dim, B = solver->common.batch, t = solver->t;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);

    sustain__copy(n, solver->y, s->y_new);
    SUSTAIN_TRY(sustain__descend(solver, solver->x, t * s->T, s->T, at.beta, s->y_new, s->gy, s->index));         /* y_t */

    const sustain_batch xi = sustain__draw_batch(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, s->index + B);
    SUSTAIN_TRY(sustain__f_grad(&solver->oracle, &xi, solver->x, s->y_new, s->fx, s->fy));                        /* u, w */

    sustain__copy(n, s->v, s->v_new);
    SUSTAIN_TRY(solve_linear(s, at.beta));                                                                        /* v_t */

    const sustain_batch zeta = sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER, t, s->index);
    SUSTAIN_TRY(sustain__implicit_gradient(solver, &zeta, solver->x, s->y_new, s->v_new, s->fx, s->cross, s->D));

    sustain__copy(n, s->y_new, solver->y);
    sustain__copy(n, s->v_new, s->v);
    solver->norm[SUSTAIN_UPPER] = sustain__norm(solver->problem->upper_dim, s->D);
    solver->norm[SUSTAIN_LOWER] = sustain__norm(n, s->gy);
    return sustain__move_x(solver, at.alpha, s->D);                                                               /* x_{t+1} */
}
/* clang-format on */

/* ---- the memory ---- */

static void layout(sustain_solver *solver) {
    amigo *s = (amigo *)solver;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, n, &s->v);
    sustain__vector(solver, SUSTAIN__SCRATCH, "y_new", SUSTAIN_FIELD_REAL, n, &s->y_new);
    sustain__vector(solver, SUSTAIN__SCRATCH, "v_new", SUSTAIN_FIELD_REAL, n, &s->v_new);
    sustain__vector(solver, SUSTAIN__SCRATCH, "gy", SUSTAIN_FIELD_REAL, n, &s->gy);
    sustain__vector(solver, SUSTAIN__SCRATCH, "fy", SUSTAIN_FIELD_REAL, n, &s->fy);
    sustain__vector(solver, SUSTAIN__SCRATCH, "residual", SUSTAIN_FIELD_REAL, n, &s->residual);
    sustain__vector(solver, SUSTAIN__SCRATCH, "fx", SUSTAIN_FIELD_REAL, m, &s->fx);
    sustain__vector(solver, SUSTAIN__SCRATCH, "cross", SUSTAIN_FIELD_REAL, m, &s->cross);
    sustain__vector(solver, SUSTAIN__SCRATCH, "D", SUSTAIN_FIELD_REAL, m, &s->D);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, 2 * solver->common.batch, &s->index);
}

/* ---- the row of the registry ---- */

/* Differs: Algorithm 1 has constant steps and, to reach epsilon, batches of the order of 1/epsilon.
 * The batch is fixed here, so the steps decay like t^(-1/2); p=0 q=0 gives the constant ones. */
/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__RUN_ROWS,
    SUSTAIN__SCHEDULE_ROW,
    SUSTAIN__STEP_ROWS(0.5, -1),
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
             .needs = SUSTAIN_NEEDS_F_GRAD | SUSTAIN_NEEDS_G_GRAD_Y | SUSTAIN_NEEDS_G_HESS_VEC | SUSTAIN_NEEDS_G_CROSS_VEC,
             .parameters = rows,
             .parameter_count = sizeof rows / sizeof rows[0]},
    .size = sizeof(amigo),
    .tuning = {.alpha = 1, .beta = 1, .lag = 0.25, .quiet_lag = 0.75},
    .layout = layout,
    .step = step,
};
