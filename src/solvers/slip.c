/* slip.c - SLIP: soba with a normalized moving average of the direction of x, for upper levels
 * whose smoothness constant grows with the gradient.
 *
 *   y_0     = `warm` SGD steps of g(x_0,.)
 *   y_{t+1} = y_t - beta_t grad_y g(x_t,y_t;zeta_t)                                                          Algorithm 1
 *   v_{t+1} = v_t - beta_t (grad^2_yy g(x_t,y_t;zeta_t) v_t - grad_y f(x_t,y_t;xi_t))
 *   m_t     = (1-theta_t) m_{t-1} + theta_t (grad_x f(x_t,y_t;xi_t) - grad^2_xy g(x_t,y_t;zeta_t) v_t),      theta_0 = 1
 *   x_{t+1} = x_t - alpha_t m_t / |m_t|
 *
 * alpha ~ T^(-3/4), theta, beta ~ T^(-1/2) over T iterations; here alpha_t ~ t^(-3/4), and so on.
 * However large the gradient, x moves by alpha_t, so that y and v can follow. Gong, Hao, Liu, ICML
 * 2024 (arXiv 2412.20017).
 *
 * Differs: v has the same step and draws as y. */
#include "core/vector.h"
#include "solvers/directions.h"
#include "solvers/parts.h"

typedef struct slip {
    struct sustain_solver base;
    int64_t warm;

    /* state */
    sustain_real *v, *m; /* v_t, m_{t-1} */

    /* of one iteration */
    sustain__triple D;
    sustain_real *y_new, *fy, *cross;
    int64_t *index; /* (2, batch) */
} slip;

/* y_0: steps of y alone, on draws of their own. */
static sustain_status warm_up(slip *s, double beta) {
    sustain_solver *b = &s->base;
    for (int64_t i = 0; i < s->warm; i++) {
        const sustain_batch zeta = sustain__draw_batch(b, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + 1, i, s->index);
        SUSTAIN_TRY(sustain__g_grad_y(&b->oracle, &zeta, b->x, s->y_new, s->D.y));
        sustain__add(b->problem->lower_dim, -beta, s->D.y, s->y_new);
    }
    return SUSTAIN_OK;
}

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    slip *s = (slip *)solver;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim, t = solver->t;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    const double theta = at.eta_f;

    sustain__copy(lower, solver->y, s->y_new);
    if (solver->moved == 0) SUSTAIN_TRY(warm_up(s, at.beta));                                /* y_0 */
    const sustain_batch zeta = sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, s->index);
    const sustain_batch xi = sustain__draw_batch(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, s->index + solver->common.batch);
    SUSTAIN_TRY(sustain__directions(solver, &xi, &zeta, (sustain__triple){solver->x, s->y_new, s->v}, s->fy, s->cross, s->D));

    sustain__copy(lower, s->y_new, solver->y);
    sustain__add(lower, -at.beta, s->D.y, solver->y);                                        /* y_{t+1} */
    sustain__add(lower, -at.beta, s->D.v, s->v);                                             /* v_{t+1} */
    sustain__scale(upper, 1 - theta, s->m);
    sustain__add(upper, theta, s->D.x, s->m);                                                /* m_t */
    sustain__set_norms(solver, s->m, s->D.y);
    const double length = solver->norm[SUSTAIN_UPPER];
    return sustain__move_x(solver, length > 0 ? at.alpha / length : 0, s->m);                /* x_{t+1} */
}
/* clang-format on */

static void layout(sustain_solver *solver) {
    slip *s = (slip *)solver;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim;
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, lower, &s->v);
    sustain__vector(solver, SUSTAIN__STATE, "m", SUSTAIN_FIELD_REAL, upper, &s->m);
    sustain__directions_layout(solver, &s->D, &s->fy, &s->cross);
    SUSTAIN__SCRATCH_REALS(solver, lower, &s->y_new);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, 2 * solver->common.batch, &s->index);
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(3.0 / 4, 1.0 / 2),
    SUSTAIN__THETA_ROWS(1.0 / 2),
    {"warm", SUSTAIN_PARAMETER_INTEGER, offsetof(slip, warm), 20, 0, 1e9, NULL, "SGD steps of y before the first iteration"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_slip = {
    .info = {.name = "slip",
             .title = "soba with a normalized moving average of the direction of x, for unbounded smoothness",
             .reference = "Gong, Hao, Liu: A nearly optimal single loop algorithm for stochastic bilevel optimization under unbounded "
                          "smoothness. ICML 2024 (arXiv 2412.20017)",
             .complexity = "epsilon^(-2), epsilon^(-2)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(slip),
    .tuning = {.beta = 1},
    .unit_length = sustain__normalized_length,
    .layout = layout,
    .step = step,
};
