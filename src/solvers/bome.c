/* bome.c - BOME: the lower level as a constraint q = g - min g <= 0, by a descent direction of f
 * that also decreases q (a dynamic barrier).
 *
 *   low_k = T gradient steps of g(x_k,.), from y_k;     q(x,y) = g(x,y) - g(x,low_k), low_k held fixed in its gradient
 *   l_k   = max((phi_k - <grad f, grad q>) / |grad q|^2, 0),     phi_k = eta |grad q|^2                          Algorithm 1
 *   (x_{k+1}, y_{k+1}) = (x_k, y_k) - xi (grad f + l_k grad q)
 *
 * Expected values, gradients alone; g need not be strongly convex. Liu, Ye, Wright, Stone, Liu,
 * NeurIPS 2022 (arXiv 2209.08709).
 *
 * Differs: x and y have steps alpha and beta; the products above are those of the variables scaled
 * by the roots of their steps, for which it is the paper's with xi = 1. x is projected onto its
 * feasible set, where there is one; a constrained y would need another q. */
#include <math.h>

#include "core/vector.h"
#include "solvers/penalty.h"

typedef struct bome {
    struct sustain_solver base;
    int64_t T;
    double eta;
    sustain__penalty at;
} bome;

/* <(ax, ay), (bx, by)> of the scaled variables. */
static double product(const bome *s, sustain__step_sizes at, const sustain_real *ax, const sustain_real *ay, const sustain_real *bx,
                      const sustain_real *by) {
    return at.alpha * sustain__dot(s->base.problem->upper_dim, ax, bx) + at.beta * sustain__dot(s->base.problem->lower_dim, ay, by);
}

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    bome *s = (bome *)solver;
    sustain__penalty *p = &s->at;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);

    SUSTAIN_TRY(sustain__penalty_descend(solver, s->T, solver->y, p->low, p->low_gy));       /* low_k */
    SUSTAIN_TRY(sustain__penalty_gradients(solver, solver->y, p->low, p));
    sustain__add(m, -1, p->gx_low, p->gx);                                                   /* grad q = (gx, gy) */
    const double qq = product(s, at, p->gx, p->gy, p->gx, p->gy), fq = product(s, at, p->fx, p->fy, p->gx, p->gy);
    const double l = qq > 0 ? fmax(s->eta - fq / qq, 0) : 0;                                 /* l_k */
    sustain__add(m, l, p->gx, p->fx);
    sustain__add(n, l, p->gy, p->fy);
    return sustain__penalty_move(solver, at.alpha, p->fx, at.beta, p->fy);                   /* x_{k+1}, y_{k+1} */
}
/* clang-format on */

static sustain_status own_steps(sustain_solver *solver, const sustain_real *x, const sustain_real *y, sustain_steps *out) {
    sustain__curvatures c;
    SUSTAIN_TRY(sustain__estimate_curvatures(solver, x, y, &c));
    *out = sustain__penalty_steps(solver, 30, c.f_x + c.g_x, c.f_y + c.g_y, c.g_y);
    return SUSTAIN_OK;
}

static void layout(sustain_solver *solver) {
    sustain__penalty_layout(solver, &((bome *)solver)->at, false);
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__DETERMINISTIC_ROWS,
    SUSTAIN__SCHEDULE_ROW,
    SUSTAIN__STEP_ROWS(0.5, -1),
    {"T", SUSTAIN_PARAMETER_INTEGER, offsetof(bome, T), 10, 1, 100000, NULL, "gradient steps on the lower level in an iteration, of length 1/L_g"},
    {"eta", SUSTAIN_PARAMETER_NUMBER, offsetof(bome, eta), 0.5, 1e-12, 1e12, NULL, "phi = eta |grad q|^2: how fast q decreases"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_bome = {
    .info = {.name = "bome",
             .title = "gradients alone: descent of f that also decreases g - min g, the multiplier found in each iteration",
             .reference = "Liu, Ye, Wright, Stone, Liu: BOME! Bilevel optimization made easy: a simple first-order approach. "
                          "NeurIPS 2022 (arXiv 2209.08709)",
             .complexity = "full batches: converges to a KKT point, rate K^(-1/4)",
             .needs = SUSTAIN__NEEDS_GRADIENTS | SUSTAIN_NEEDS_EXPECTATION,
             .deterministic = true,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(bome),
    .own_steps = own_steps,
    .layout = layout,
    .step = step,
};
