/* ma_soba.c - MA-SOBA: SOBA with a moving average of the direction of x.
 *
 *   x_{k+1} = x_k - alpha_k h_k                                                                                Algorithm 1
 *   y_{k+1} = y_k - beta_k grad_y g(x_k,y_k;zeta_k)
 *   v_{k+1} = v_k - beta_k (grad^2_yy g(x_k,y_k;zeta_k) v_k - grad_y f(x_k,y_k;xi_k))
 *   h_{k+1} = (1-theta_k) h_k + theta_k (grad_x f(x_k,y_k;xi_k) - grad^2_xy g(x_k,y_k;zeta_k) v_k)
 *
 * All from the point of iteration k: x moves by the average that was made before, so the new
 * estimate is first used one iteration later. theta_k is proportional to alpha_k: theta_k = theta
 * alpha_k/alpha_0. v (their z) has the same step as y; v_0 = h_0 = 0. Chen, Xiao, Balasubramanian,
 * JMLR 25, 2024 (arXiv 2306.12067). */
#include <math.h>

#include "core/vector.h"
#include "solvers/directions.h"
#include "solvers/parts.h"

typedef struct ma_soba {
    struct sustain_solver base;
    double theta;

    /* state */
    sustain_real *v, *h;

    /* of one iteration */
    sustain__triple D;
    sustain_real *fy, *cross;
    int64_t *index; /* (2, batch) */
} ma_soba;

/* theta_k: as alpha decays. Differs: 1 in the first iteration, so that h_1 is an estimate and not a
 * small part of one. */
static double theta_at(const ma_soba *s, const sustain_solver *solver) {
    const sustain_steps *steps = &solver->steps;
    return solver->moved == 0 ? 1 : s->theta * pow(1 + (double)solver->t / steps->w, -steps->p);
}

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    ma_soba *s = (ma_soba *)solver;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim, t = solver->t;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    const double theta = theta_at(s, solver);
    const sustain_batch zeta = sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, s->index);
    const sustain_batch xi = sustain__draw_batch(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, s->index + solver->common.batch);

    SUSTAIN_TRY(sustain__directions(solver, &xi, &zeta, (sustain__triple){solver->x, solver->y, s->v}, s->fy, s->cross, s->D));
    SUSTAIN_TRY(sustain__move_x(solver, at.alpha, s->h));                                    /* x_{k+1}, by h_k */
    sustain__add(lower, -at.beta, s->D.y, solver->y);                                        /* y_{k+1} */
    sustain__add(lower, -at.beta, s->D.v, s->v);                                             /* v_{k+1} */
    sustain__scale(upper, 1 - theta, s->h);
    sustain__add(upper, theta, s->D.x, s->h);                                                /* h_{k+1} */
    sustain__set_norms(solver, s->h, s->D.y);
    return SUSTAIN_OK;
}
/* clang-format on */

static void layout(sustain_solver *solver) {
    ma_soba *s = (ma_soba *)solver;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim;
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, lower, &s->v);
    sustain__vector(solver, SUSTAIN__STATE, "h", SUSTAIN_FIELD_REAL, upper, &s->h);
    sustain__directions_layout(solver, &s->D, &s->fy, &s->cross);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, 2 * solver->common.batch, &s->index);
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(0.5, -1),
    {"theta", SUSTAIN_PARAMETER_NUMBER, offsetof(ma_soba, theta), 0.2, 0, 1, NULL, "weight of the newest estimate in h, at t = 0; decays as alpha does"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_ma_soba = {
    .info = {.name = "ma-soba",
             .title = "soba with a moving average of the direction of x",
             .reference = "Chen, Xiao, Balasubramanian: Optimal algorithms for stochastic bilevel optimization under relaxed smoothness "
                          "conditions. JMLR 25, 2024 (arXiv 2306.12067)",
             .complexity = "epsilon^(-2), epsilon^(-2)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(ma_soba),
    .tuning = {.alpha = 0.15, .beta = 1, .lag = 0.5, .noise = 0.2},
    .layout = layout,
    .step = step,
};
