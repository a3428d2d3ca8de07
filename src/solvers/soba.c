/* soba.c - SOBA, stochastic bilevel algorithm: SGD on all three variables at once.
 *
 *   y_{t+1} = y_t - rho_t grad_y g(x_t,y_t;zeta_t)                                                              (10a)
 *   v_{t+1} = v_t - rho_t (grad^2_yy g(x_t,y_t;zeta_t) v_t - grad_y f(x_t,y_t;xi_t))                            (10b)
 *   x_{t+1} = x_t - gamma_t (grad_x f(x_t,y_t;xi_t) - grad^2_xy g(x_t,y_t;zeta_t) v_t)                          (10c), Algorithm 1
 *
 * One draw of each level serves all three, at the same point; v_0, an input there, is 0. gamma is
 * alpha here, rho is beta. v has the opposite sign of the paper's (directions.h). Dagreou, Ablin,
 * Vaiter, Moreau, NeurIPS 2022. */
#include "core/vector.h"
#include "solvers/directions.h"
#include "solvers/parts.h"

typedef struct soba {
    struct sustain_solver base;

    /* state */
    sustain_real *v;

    /* of one iteration */
    sustain__triple D;
    sustain_real *fy, *cross;
    int64_t *index; /* (2, batch) */
} soba;

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    soba *s = (soba *)solver;
    const int64_t lower = solver->problem->lower_dim, t = solver->t;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    const sustain_batch zeta = sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, s->index);
    const sustain_batch xi = sustain__draw_batch(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, s->index + solver->common.batch);

    SUSTAIN_TRY(sustain__directions(solver, &xi, &zeta, (sustain__triple){solver->x, solver->y, s->v}, s->fy, s->cross, s->D));
    sustain__set_norms(solver, s->D.x, s->D.y);
    sustain__add(lower, -at.beta, s->D.y, solver->y);                                        /* (10a) */
    sustain__add(lower, -at.beta, s->D.v, s->v);                                             /* (10b) */
    return sustain__move_x(solver, at.alpha, s->D.x);                                        /* (10c) */
}
/* clang-format on */

static void layout(sustain_solver *solver) {
    soba *s = (soba *)solver;
    const int64_t lower = solver->problem->lower_dim;
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, lower, &s->v);
    sustain__directions_layout(solver, &s->D, &s->fy, &s->cross);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, 2 * solver->common.batch, &s->index);
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(0.5, -1),
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_soba = {
    .info = {.name = "soba",
             .title = "single loop, SGD on x, on y and on the solution of the linear system at the same time",
             .reference =
                 "Dagreou, Ablin, Vaiter, Moreau: A framework for bilevel optimization that enables stochastic and global variance "
                 "reduction algorithms. NeurIPS 2022 (arXiv 2201.13409)",
             .complexity = "epsilon^(-2), epsilon^(-2)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(soba),
    .compact = true,
    .tuning = {.alpha = 1, .beta = 1, .lag = 0.5},
    .layout = layout,
    .step = step,
};
