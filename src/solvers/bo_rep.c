/* bo_rep.c - BO-REP: normalized momentum on x for upper levels whose smoothness constant grows with
 * the gradient; y is refined before the first iteration and updated once in a period.
 *
 *   y_0     = `epochs` epochs of SGD on g(x_0,.): T_j = `warm` 2^j steps of gamma_j = beta_0/2^j,
 *             each epoch from the mean of the epoch before                                       (initialization refinement)
 *   y_t     = N steps  y <- P(y - beta_t grad_y g(x_t,y;zeta_i))  from y_{t-1}
 *             where `period` divides t > 0, else y_{t-1}                                                   (periodic update)
 *   v_{t+1} = v_t - beta_t (H(x_t,y_t;zeta'_t) v_t - grad_y f(x_t,y_t;xi_t))
 *   m_t     = (1-theta_t) m_{t-1} + theta_t (grad_x f(x_t,y_t;xi_t) - J(x_t,y_t;zeta''_t) v_{t+1}),      theta_0 = 1
 *   x_{t+1} = x_t - alpha_t m_t / |m_t|
 *
 * P: into the ball of radius R around y_{t-1}; of radius R/2^(j/2) around its start in epoch j.
 * alpha ~ T^(-3/4), theta, beta ~ T^(-1/2), the period ~ T^(1/2) over T iterations; here alpha_t ~
 * t^(-3/4), and so on, with N and the period fixed. In a period x moves by period alpha, whatever
 * the gradient, so that y needs no updates in between. Hao, Gong, Liu, ICLR 2024 (arXiv
 * 2401.09587); epochs of SGD: Hazan, Kale, JMLR 2014.
 *
 * Differs: v has the step of y. */
#include <math.h>

#include "core/vector.h"
#include "solvers/parts.h"

typedef struct bo_rep {
    struct sustain_solver base;
    int64_t epochs, warm, period, N;
    double R; /* 0: no ball */

    /* state */
    sustain_real *v, *m; /* v_t, m_{t-1} */

    /* of one iteration */
    sustain_real *y_new, *v_new, *centre, *mean, *gy, *fy, *residual; /* (lower_dim) */
    sustain_real *fx, *cross, *D;                                     /* (upper_dim) */
    int64_t *index;                                                   /* (2, batch) */
} bo_rep;

/* ---- the step ---- */

/* y <- P(y - gamma grad_y g(x_t,y;zeta_i)) for i = first, ..., first+steps-1, y being y_new; the
 * mean of the points at which the gradients were taken. */
static sustain_status projected_sgd(bo_rep *s, uint32_t stream, int64_t first, int64_t steps, double gamma, double R) {
    sustain_solver *b = &s->base;
    const int64_t n = b->problem->lower_dim;
    sustain__copy(n, s->y_new, s->centre);
    sustain__zero(n, s->mean);
    for (int64_t i = first; i < first + steps; i++) {
        const sustain_batch zeta = sustain__draw_batch(b, SUSTAIN_LOWER, stream, i, s->index);
        SUSTAIN_TRY(sustain__g_grad_y(&b->oracle, &zeta, b->x, s->y_new, s->gy));
        sustain__add(n, 1 / (double)steps, s->y_new, s->mean);
        sustain__add(n, -gamma, s->gy, s->y_new);
        const double away = R > 0 ? sustain__distance(n, s->y_new, s->centre) : 0;
        if (away <= R) continue;
        sustain__scale(n, R / away, s->y_new);
        sustain__add(n, 1 - R / away, s->centre, s->y_new);
    }
    return SUSTAIN_OK;
}

/* y_0 */
static sustain_status refine(bo_rep *s, double beta) {
    int64_t first = 0, steps = s->warm;
    for (int64_t j = 0; j < s->epochs && steps > 0; j++, first += steps, steps *= 2) {
        SUSTAIN_TRY(projected_sgd(s, SUSTAIN__STREAM_HYPER + 2, first, steps, ldexp(beta, (int)-j), s->R * exp2(-0.5 * (double)j)));
        sustain__copy(s->base.problem->lower_dim, s->mean, s->y_new);
    }
    return SUSTAIN_OK;
}

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    bo_rep *s = (bo_rep *)solver;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim, B = solver->common.batch, t = solver->t;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    const double theta = at.eta_f;
    const bool first = solver->moved == 0, due = !first && t % s->period == 0;

    sustain__copy(n, solver->y, s->y_new);
    if (first) SUSTAIN_TRY(refine(s, at.beta));                                                                    /* y_0 */
    if (due) SUSTAIN_TRY(projected_sgd(s, SUSTAIN__STREAM_LOWER, t * s->N, s->N, at.beta, s->R));                  /* y_t */

    const sustain_batch xi = sustain__draw_batch(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, s->index + B);
    SUSTAIN_TRY(sustain__f_grad(&solver->oracle, &xi, solver->x, s->y_new, s->fx, s->fy));
    SUSTAIN_TRY(sustain__linear_loop(solver, 1, at.beta, s->y_new, s->fy, s->v, s->v_new, s->residual, s->index)); /* v_{t+1} */

    const sustain_batch zeta = sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER, t, s->index);
    SUSTAIN_TRY(sustain__implicit_gradient(solver, &zeta, solver->x, s->y_new, s->v_new, s->fx, s->cross, s->D));

    sustain__copy(n, s->y_new, solver->y);
    sustain__copy(n, s->v_new, s->v);
    sustain__scale(m, 1 - theta, s->m);
    sustain__add(m, theta, s->D, s->m);                                                                            /* m_t */
    const double length = solver->norm[SUSTAIN_UPPER] = sustain__norm(m, s->m);
    if (first || due) solver->norm[SUSTAIN_LOWER] = sustain__norm(n, s->gy);
    return sustain__move_x(solver, length > 0 ? at.alpha / length : 0, s->m);                                      /* x_{t+1} */
}
/* clang-format on */

/* ---- the memory ---- */

static void layout(sustain_solver *solver) {
    bo_rep *s = (bo_rep *)solver;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, n, &s->v);
    sustain__vector(solver, SUSTAIN__STATE, "m", SUSTAIN_FIELD_REAL, m, &s->m);
    SUSTAIN__SCRATCH_REALS(solver, n, &s->y_new, &s->v_new, &s->centre, &s->mean, &s->gy, &s->fy, &s->residual);
    SUSTAIN__SCRATCH_REALS(solver, m, &s->fx, &s->cross, &s->D);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, 2 * solver->common.batch, &s->index);
}

/* ---- the row of the registry ---- */

static double draws(const sustain_solver *solver) {
    return (double)((const bo_rep *)solver)->N;
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(3.0 / 4, 1.0 / 2),
    SUSTAIN__THETA_ROWS(1.0 / 2),
    {"period", SUSTAIN_PARAMETER_INTEGER, offsetof(bo_rep, period), 2, 1, 1e9, NULL, "y is updated in every period-th iteration"},
    {"N", SUSTAIN_PARAMETER_INTEGER, offsetof(bo_rep, N), 3, 1, 1e9, NULL, "SGD steps of an update of y"},
    {"radius", SUSTAIN_PARAMETER_NUMBER, offsetof(bo_rep, R), 0, 0, 1e30, NULL, "R: an update of y stays in the ball of this radius around its start; 0: no ball"},
    {"warm", SUSTAIN_PARAMETER_INTEGER, offsetof(bo_rep, warm), 10, 0, 1e6, NULL, "SGD steps of y in the first epoch before the first iteration"},
    {"epochs", SUSTAIN_PARAMETER_INTEGER, offsetof(bo_rep, epochs), 3, 0, 20, NULL, "epochs before the first iteration, each with twice the steps of the one before, of half the size"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_bo_rep = {
    .info = {.name = "bo-rep",
             .title = "normalized momentum for unbounded smoothness, y refined at the start and updated periodically",
             .reference = "Hao, Gong, Liu: Bilevel optimization under unbounded smoothness: a new algorithm and convergence analysis. "
                          "ICLR 2024 (arXiv 2401.09587)",
             .complexity = "epsilon^(-2), epsilon^(-2)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(bo_rep),
    .tuning = {.beta = 1},
    .unit_length = sustain__normalized_length,
    .layout = layout,
    .draws = draws,
    .step = step,
};
