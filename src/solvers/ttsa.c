/* ttsa.c - TTSA: two-timescale stochastic approximation.
 *
 *   y_{k+1} = y_k - beta_k grad_y g(x_k, y_k; zeta_k)                                                                Algorithm 1
 *   x_{k+1} = P_X(x_k - alpha_k h^f_k),     h^f_k = the truncated series at (x_k, y_{k+1})
 *
 *   h^f_k = grad_x f(xi) - J(zeta^(0)) [ (K c_h/L_g) prod_{i=1..p} (I - c_h H(zeta^(i))/L_g) ] grad_y f(xi),  p uniform on 0..K-1
 *
 * One loop, one draw of each kind an iteration; y moves on the faster timescale: alpha_k ~
 * k^(-3/5), beta_k ~ k^(-2/5) (smooth ell), or alpha_k ~ 1/k, beta_k ~ k^(-2/3) (strongly convex
 * ell: p=1 q=0.6667). Hong, Wai, Wang, Yang, SIAM J. Optim. 2023 (arXiv 2007.05170).
 *
 * Differs: c_h in (0, 1] is not a parameter: it stands next to L_g everywhere, so L_g = L_g / c_h
 * is the same. */
#include "core/vector.h"
#include "solvers/hyper.h"
#include "solvers/parts.h"

typedef struct ttsa {
    struct sustain_solver base;

    /* of one iteration */
    sustain_real *gy, *y_next; /* (lower_dim) */
    sustain_real *hf;          /* (upper_dim) */
    int64_t *index;            /* (batch) */
    sustain__truncated hyper;
} ttsa;

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    ttsa *s = (ttsa *)solver;
    const int64_t lower = solver->problem->lower_dim, t = solver->t;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);

    SUSTAIN_TRY(sustain__inner_loop(solver, 1, at.beta, s->y_next, s->gy, s->index));            /* y_{k+1} */
    SUSTAIN_TRY(sustain__truncated_estimate(solver, &s->hyper, t, solver->x, s->y_next, s->hf)); /* at (x_k, y_{k+1}) */

    sustain__copy(lower, s->y_next, solver->y);
    sustain__set_norms(solver, s->hf, s->gy);
    return sustain__move_x(solver, at.alpha, s->hf);                                             /* x_{k+1} */
}
/* clang-format on */

static void layout(sustain_solver *solver) {
    ttsa *s = (ttsa *)solver;
    const sustain_problem *p = solver->problem;
    SUSTAIN__SCRATCH_REALS(solver, p->lower_dim, &s->gy, &s->y_next);
    SUSTAIN__SCRATCH_REALS(solver, p->upper_dim, &s->hf);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, solver->common.batch, &s->index);
    sustain__truncated_layout(solver, &s->hyper);
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(0.6, 0.4),
    SUSTAIN__NEUMANN_ROW,
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_ttsa = {
    .info = {.name = "ttsa",
             .title = "single loop, two timescales, stochastic gradients on both levels",
             .reference = "Hong, Wai, Wang, Yang: A two-timescale stochastic algorithm framework for bilevel optimization: complexity "
                          "analysis and application to actor-critic. SIAM Journal on Optimization 2023 (arXiv 2007.05170)",
             .complexity = "epsilon^(-5/2), epsilon^(-5/2)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(ttsa),
    .layout = layout,
    .step = step,
};
