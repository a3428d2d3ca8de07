/* pbgd.c - V-PBGD, penalty-based bilevel gradient descent: f + gamma (g - min g) by projected
 * descent of x and y.
 *
 *   low_k   = T projected gradient steps of g(x_k,.), from low_{k-1}                                             Algorithm 1
 *   y_{k+1} = U projected steps y <- P(y - beta (grad_y f(x_k,y) + gamma grad_y g(x_k,y))), from y_k
 *   x_{k+1} = P(x_k - alpha (grad_x f(x_k,y_{k+1}) + gamma (grad_x g(x_k,y_{k+1}) - grad_x g(x_k,low_k))))
 *
 * Expected values. y may be constrained to a convex set, and g need not be strongly convex: of
 * several minimizers y tends to the one that is best for f. The minimizer of the penalized problem
 * is about |grad_y f| / (gamma mu_g) away from that of the bilevel problem. Shen, Chen, ICML 2023
 * (arXiv 2302.05185).
 *
 * Differs: the paper moves x and y at once, with one constant step. Here y moves first, U times, so
 * that alpha need not be as short as 1/gamma; schedule=auto adapts alpha (full.h), and beta = 1/(2
 * (f_y + gamma g_y)) with the curvatures estimated near the start (penalty.h). y_0 is low_0, after
 * WARM T steps: a y far from the minimizer drives x away, for x reduces g - min g too. */
#include <math.h>

#include "core/vector.h"
#include "solvers/full.h"
#include "solvers/penalty.h"

enum { WARM = 10 };

typedef struct pbgd {
    struct sustain_solver base;
    int64_t T, U;
    double gamma;        /* as given, 0: to be found */
    double gamma_0;      /* in use */
    sustain_real *y_new; /* (lower_dim) of one iteration */
    sustain__penalty at;
    sustain__full_upper upper; /* state: x, its direction and its adaptive step */
} pbgd;

/* y_{k+1} into y. */
static sustain_status descend(pbgd *s, double beta, sustain_real *y) {
    sustain_solver *b = &s->base;
    const sustain__penalty *p = &s->at;
    const int64_t n = b->problem->lower_dim;
    for (int64_t i = 0; i < s->U; i++) {
        SUSTAIN_TRY(sustain__f_grad(&b->oracle, NULL, b->x, y, p->fx, p->fy));
        SUSTAIN_TRY(sustain__g_grad_y(&b->oracle, NULL, b->x, y, p->gy));
        sustain__add(n, -beta, p->fy, y);
        sustain__add(n, -beta * s->gamma_0, p->gy, y);
        SUSTAIN_TRY(sustain__project_y(&b->oracle, y));
    }
    return SUSTAIN_OK;
}

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    pbgd *s = (pbgd *)solver;
    sustain__penalty *p = &s->at;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    const bool first = solver->moved == 0;

    SUSTAIN_TRY(sustain__penalty_descend(solver, first ? WARM * s->T : s->T, p->low, p->low_new, p->low_gy)); /* low_k */
    sustain__copy(n, first ? p->low_new : solver->y, s->y_new);
    SUSTAIN_TRY(descend(s, sustain__step_sizes_at(solver).beta, s->y_new));                                   /* y_{k+1} */
    SUSTAIN_TRY(sustain__penalty_gradients(solver, s->y_new, p->low_new, p));
    sustain__copy(m, p->fx, s->upper.h_new);
    sustain__add(m, s->gamma_0, p->gx, s->upper.h_new);
    sustain__add(m, -s->gamma_0, p->gx_low, s->upper.h_new);
    SUSTAIN_TRY(sustain__full_move(solver, &s->upper));                                                       /* x_{k+1} */
    sustain__copy(n, s->y_new, solver->y);
    sustain__copy(n, p->low_new, p->low);
    sustain__set_norms(solver, s->upper.h, p->low_gy);
    return SUSTAIN_OK;
}
/* clang-format on */

/* ---- steps and multiplier ---- */

/* In units of f and g; larger is closer to the bilevel problem, and slower. */
#define PENALTY 100

static double multiplier(const pbgd *s, const sustain__curvatures *c) {
    return s->gamma > 0 ? s->gamma : PENALTY * (c->f_y > 0 ? c->f_y / c->g_y : 1);
}

static sustain_status own_steps(sustain_solver *solver, const sustain_real *x, const sustain_real *y, sustain_steps *out) {
    sustain__curvatures c;
    SUSTAIN_TRY(sustain__estimate_curvatures(solver, x, y, &c));
    const double gamma = multiplier((pbgd *)solver, &c);
    *out = sustain__penalty_steps(solver, 1, c.f_x + 2 * gamma * c.g_x, c.f_y + gamma * c.g_y, c.g_y);
    return SUSTAIN_OK;
}

static sustain_status prepare(sustain_solver *solver, const sustain_real *x, const sustain_real *y) {
    pbgd *s = (pbgd *)solver;
    sustain__curvatures c = {.g_y = 1};
    if (!(s->gamma > 0)) SUSTAIN_TRY(sustain__estimate_curvatures(solver, x, y, &c));
    s->gamma_0 = multiplier(s, &c);
    sustain__log(solver->context, "pbgd: gamma = %.3g, alpha = %.3g, beta = %.3g", s->gamma_0, solver->steps.alpha, solver->steps.beta);
    return SUSTAIN_OK;
}

/* ---- the memory ---- */

static void layout(sustain_solver *solver) {
    pbgd *s = (pbgd *)solver;
    sustain__penalty_layout(solver, &s->at, true);
    sustain__full_layout(solver, &s->upper);
    SUSTAIN__SCRATCH_REALS(solver, solver->problem->lower_dim, &s->y_new);
    sustain__scalar(solver, SUSTAIN__RECORD, "gamma_0", SUSTAIN_FIELD_DOUBLE, &s->gamma_0);
}

static void begin(sustain_solver *solver) {
    pbgd *s = (pbgd *)solver;
    sustain__copy(solver->problem->lower_dim, solver->y, s->at.low);
    s->upper.most = 0.3; /* where ell is flat the step grows without end */
}

/* ---- the row of the registry ---- */

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__DETERMINISTIC_ROWS,
    SUSTAIN__SCHEDULE_ROW,
    SUSTAIN__STEP_ROWS(0, 0),
    {"T", SUSTAIN_PARAMETER_INTEGER, offsetof(pbgd, T), 10, 1, 100000, NULL, "gradient steps on the lower level in an iteration, of length 1/L_g"},
    {"U", SUSTAIN_PARAMETER_INTEGER, offsetof(pbgd, U), 10, 1, 100000, NULL, "steps on y in an iteration"},
    {"gamma", SUSTAIN_PARAMETER_NUMBER, offsetof(pbgd, gamma), 0, 0, 1e30, NULL, "the penalty; 0: 100 times the curvature of f in y over that of g"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_pbgd = {
    .info = {.name = "pbgd",
             .title = "gradients alone: the lower level as a penalty, x and y projected; y may be constrained",
             .reference = "Shen, Chen: On penalty-based bilevel gradient descent method. ICML 2023 (arXiv 2302.05185)",
             .complexity = "full batches: epsilon^(-3/2) iterations",
             .needs = SUSTAIN__NEEDS_GRADIENTS | SUSTAIN_NEEDS_EXPECTATION,
             .deterministic = true,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(pbgd),
    .projects_y = true,
    .own_steps = own_steps,
    .prepare = prepare,
    .layout = layout,
    .begin = begin,
    .step = step,
};
