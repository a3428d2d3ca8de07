/* pzobo.c - PZOBO: the derivative of y*(x) by differences of inner loops along random directions.
 *
 *   y^0(x) = y_k,   y^{i+1}(x) = y^i(x) - beta grad_y g(x,y^i(x);zeta_i),   i = 0 .. N-1
 *   y_{k+1} = y^N(x_k)
 *   D_k     = grad_x f(x_k,y_{k+1};xi) + 1/Q sum_q <grad_y f(x_k,y_{k+1};xi), (y^N(x_k + mu u_q) - y^N(x_k)) / mu> u_q,    u_q ~ N(0, I)
 *   x_{k+1} = x_k - alpha D_k                                                                                Algorithm 1
 *
 * All inner loops of an iteration use the same draws. Neither products nor grad_x g are needed.
 * Sow, Ji, Liang, NeurIPS 2022 (arXiv 2110.07004); with draws it is their PZOBO-S.
 *
 * The variance of the sum is about (m+1)/Q times the squared gradient, m the dimension of x:
 * schedule=auto divides alpha by 1 + (m+1)/Q. */
#include "core/vector.h"
#include "solvers/parts.h"

typedef struct pzobo {
    struct sustain_solver base;
    int64_t N, Q;
    double mu;

    /* of one iteration */
    sustain_real *y_new, *y_moved, *gy, *fy; /* (lower_dim) y^N(x_k), y^N(x_k + mu u) */
    sustain_real *D, *u, *x_moved;           /* (upper_dim) */
    int64_t *index;                          /* (batch) */
} pzobo;

enum { PZOBO_STEPS = 10 };

/* ---- the step ---- */

static int64_t inner_steps(const pzobo *s) {
    const sustain_solver *b = &s->base;
    return s->N > 0 ? s->N : b->common.schedule == SUSTAIN__SCHEDULE_AUTO ? 2 * (int64_t)b->steps.K : PZOBO_STEPS;
}

/* y <- y^N(x) from y_k; gy holds the last gradient. */
static sustain_status inner_loop(pzobo *s, const sustain_real *x, double beta, sustain_real *y) {
    sustain_solver *b = &s->base;
    const int64_t N = inner_steps(s);
    sustain__copy(b->problem->lower_dim, b->y, y);
    return sustain__descend(b, x, b->t * N, N, beta, y, s->gy, s->index);
}

/* u_q */
static void draw_direction(pzobo *s, int64_t q) {
    const sustain_solver *b = &s->base;
    const uint64_t number = (uint64_t)(b->t * s->Q + q);
    for (int64_t i = 0; i < b->problem->upper_dim; i++)
        s->u[i] = (sustain_real)sustain_random_normal(b->sampler.seed, SUSTAIN__STREAM_HYPER, number, (uint32_t)i);
}

/* D += <fy, (y^N(x + mu u) - y^N(x)) / mu> u / Q */
static sustain_status add_difference(pzobo *s, double beta) {
    sustain_solver *b = &s->base;
    const int64_t m = b->problem->upper_dim, n = b->problem->lower_dim;
    sustain__copy(m, b->x, s->x_moved);
    sustain__add(m, s->mu, s->u, s->x_moved);
    SUSTAIN_TRY(inner_loop(s, s->x_moved, beta, s->y_moved));
    sustain__add(n, -1, s->y_new, s->y_moved);
    sustain__add(m, sustain__dot(n, s->fy, s->y_moved) / (s->mu * (double)s->Q), s->u, s->D);
    return SUSTAIN_OK;
}

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    pzobo *s = (pzobo *)solver;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);

    SUSTAIN_TRY(inner_loop(s, solver->x, at.beta, s->y_new));                                /* y_{k+1} */
    const int64_t drawn = solver->counts.samples[SUSTAIN_LOWER];
    const double lower_norm = sustain__norm(n, s->gy);
    const sustain_batch xi = sustain__draw_batch(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, solver->t, s->index);
    SUSTAIN_TRY(sustain__f_grad(&solver->oracle, &xi, solver->x, s->y_new, s->D, s->fy));
    for (int64_t q = 0; q < s->Q; q++) {
        draw_direction(s, q);                                                                /* u_q */
        SUSTAIN_TRY(add_difference(s, at.beta));
    }
    /* the draws of the first loop again are not new ones */
    solver->counts.samples[SUSTAIN_LOWER] = drawn;
    sustain__copy(n, s->y_new, solver->y);
    solver->norm[SUSTAIN_UPPER] = sustain__norm(m, s->D);
    solver->norm[SUSTAIN_LOWER] = lower_norm;
    return sustain__move_x(solver, at.alpha, s->D);                                          /* x_{k+1} */
}
/* clang-format on */

/* ---- the memory ---- */

static void layout(sustain_solver *solver) {
    pzobo *s = (pzobo *)solver;
    SUSTAIN__SCRATCH_REALS(solver, solver->problem->upper_dim, &s->D, &s->u, &s->x_moved);
    SUSTAIN__SCRATCH_REALS(solver, solver->problem->lower_dim, &s->y_new, &s->y_moved, &s->gy, &s->fy);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, solver->common.batch, &s->index);
}

static double alpha_factor(const sustain_solver *solver) {
    return 1 / (1 + ((double)solver->given->upper_dim + 1) / (double)((const pzobo *)solver)->Q);
}

/* ---- the row of the registry ---- */

static double draws(const sustain_solver *solver) {
    const pzobo *s = (const pzobo *)solver;
    const int64_t N = inner_steps(s);
    return (double)(N > s->Q ? N : s->Q);
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(0.5, 0),
    {"N", SUSTAIN_PARAMETER_INTEGER, offsetof(pzobo, N), 0, 0, 100000, NULL, "steps of y in an inner loop; 0: chosen by the schedule (power: 10)"},
    {"directions", SUSTAIN_PARAMETER_INTEGER, offsetof(pzobo, Q), 1, 1, 100000, NULL, "Q of the paper: random directions, with an inner loop each"},
    {"mu", SUSTAIN_PARAMETER_NUMBER, offsetof(pzobo, mu), 0.01, 1e-12, 1e12, NULL, "length of the differences, in units of x"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_pzobo = {
    .info = {.name = "pzobo",
             .title = "the derivative of y by differences of inner loops along random directions; no products",
             .reference = "Sow, Ji, Liang: On the convergence theory for Hessian-free bilevel algorithms. NeurIPS 2022 (arXiv 2110.07004)",
             .complexity = "m epsilon^(-2), m epsilon^(-2), m the dimension of x",
             .needs = SUSTAIN_NEEDS_F_GRAD | SUSTAIN_NEEDS_G_GRAD_Y,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(pzobo),
    .tuning = {.beta = 1},
    .alpha_factor = alpha_factor,
    .layout = layout,
    .draws = draws,
    .step = step,
};
