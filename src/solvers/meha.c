/* meha.c - MEHA: single loop, the lower level as the constraint g(x,y) <= min over u of g(x,u) + |u
 * - y|^2/(2 gamma), its Moreau envelope, for a g that is not convex or has several minimizers.
 *
 *   low_{k+1} = P(low_k - eta (grad_y g(x_k,low_k) + (low_k - y_k)/gamma))                                       Algorithm 1
 *   x_{k+1}   = P(x_k - alpha (grad_x f(x_k,y_k)/c_k + grad_x g(x_k,y_k) - grad_x g(x_k,low_{k+1})))
 *   y_{k+1}   = P(y_k - beta (grad_y f(x_{k+1},y_k)/c_k + grad_y g(x_{k+1},y_k) - (y_k - low_{k+1})/gamma))
 *   c_k       = c (k+1)^growth
 *
 * Expected values, gradients alone; y may be constrained. Liu, Liu, Yao, Zeng, Zhang, ICML 2024
 * (arXiv 2405.09927).
 *
 * Differs: eta = 1/(L_g + 1/gamma), and the defaults of c, gamma and the steps follow from
 * curvatures estimated near the start (penalty.h); the paper leaves them open. */
#include <math.h>

#include "core/vector.h"
#include "solvers/penalty.h"

typedef struct meha {
    struct sustain_solver base;
    double c, gamma, growth; /* as given; c, gamma 0: to be found */
    double c_0, gamma_0;     /* in use */
    sustain_real *x_new;
    sustain__penalty at;
} meha;

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    meha *s = (meha *)solver;
    sustain__penalty *p = &s->at;
    sustain__oracle *o = &solver->oracle;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    const double c = s->c_0 * pow((double)solver->t + 1, s->growth), eta = solver->scale_y / (solver->steps.L_g + 1 / s->gamma_0);

    sustain__copy(n, p->low, p->low_new);
    SUSTAIN_TRY(sustain__g_grad_y(o, NULL, solver->x, p->low, p->low_gy));
    sustain__add(n, -eta, p->low_gy, p->low_new);
    sustain__add(n, -eta / s->gamma_0, p->low, p->low_new);
    sustain__add(n, eta / s->gamma_0, solver->y, p->low_new);
    SUSTAIN_TRY(sustain__project_y(o, p->low_new));                                          /* low_{k+1} */

    SUSTAIN_TRY(sustain__penalty_gradients(solver, solver->y, p->low_new, p));
    sustain__add(m, 1 / c, p->fx, p->gx);
    sustain__add(m, -1, p->gx_low, p->gx);
    sustain__copy(m, solver->x, s->x_new);
    sustain__add(m, -at.alpha, p->gx, s->x_new);
    SUSTAIN_TRY(sustain__project_x(o, s->x_new));                                            /* x_{k+1} */

    SUSTAIN_TRY(sustain__f_grad(o, NULL, s->x_new, solver->y, p->fx, p->fy));
    SUSTAIN_TRY(sustain__g_grad_y(o, NULL, s->x_new, solver->y, p->gy));
    sustain__add(n, 1 / c, p->fy, p->gy);
    sustain__add(n, -1 / s->gamma_0, solver->y, p->gy);
    sustain__add(n, 1 / s->gamma_0, p->low_new, p->gy);
    sustain__set_norms(solver, p->gx, p->gy);
    sustain__copy(m, s->x_new, solver->x);
    sustain__copy(n, p->low_new, p->low);
    sustain__add(n, -at.beta, p->gy, solver->y);
    return sustain__project_y(o, solver->y);                                                 /* y_{k+1} */
}
/* clang-format on */

/* ---- the constants ---- */

#define PENALTY 10 /* c_0, in units of f and g */
#define NEAR 10    /* gamma g_y */

static void find_constants(meha *s, const sustain__curvatures *c) {
    s->c_0 = s->c > 0 ? s->c : PENALTY * (c->f_y > 0 ? c->f_y / c->g_y : 1);
    s->gamma_0 = s->gamma > 0 ? s->gamma : NEAR / c->g_y;
}

static sustain_status own_steps(sustain_solver *solver, const sustain_real *x, const sustain_real *y, sustain_steps *out) {
    meha *s = (meha *)solver;
    sustain__curvatures c;
    SUSTAIN_TRY(sustain__estimate_curvatures(solver, x, y, &c));
    find_constants(s, &c);
    *out = sustain__penalty_steps(solver, 1, c.f_x / s->c_0 + 2 * c.g_x, c.f_y / s->c_0 + c.g_y, c.g_y);
    return SUSTAIN_OK;
}

static sustain_status prepare(sustain_solver *solver, const sustain_real *x, const sustain_real *y) {
    meha *s = (meha *)solver;
    sustain__curvatures c = {.g_y = 1};
    if (!(s->c > 0 && s->gamma > 0)) SUSTAIN_TRY(sustain__estimate_curvatures(solver, x, y, &c));
    find_constants(s, &c);
    sustain__log(solver->context, "meha: c = %.3g, gamma = %.3g, alpha = %.3g, beta = %.3g", s->c_0, s->gamma_0, solver->steps.alpha,
                 solver->steps.beta);
    return SUSTAIN_OK;
}

/* ---- the memory ---- */

static void layout(sustain_solver *solver) {
    meha *s = (meha *)solver;
    sustain__penalty_layout(solver, &s->at, true);
    sustain__scalar(solver, SUSTAIN__RECORD, "c_0", SUSTAIN_FIELD_DOUBLE, &s->c_0);
    sustain__scalar(solver, SUSTAIN__RECORD, "gamma_0", SUSTAIN_FIELD_DOUBLE, &s->gamma_0);
    SUSTAIN__SCRATCH_REALS(solver, solver->problem->upper_dim, &s->x_new);
}

static void begin(sustain_solver *solver) {
    meha *s = (meha *)solver;
    sustain__copy(solver->problem->lower_dim, solver->y, s->at.low);
}

/* ---- the row of the registry ---- */

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__DETERMINISTIC_ROWS,
    SUSTAIN__SCHEDULE_ROW,
    SUSTAIN__STEP_ROWS(0, 0),
    {"c", SUSTAIN_PARAMETER_NUMBER, offsetof(meha, c), 0, 0, 1e30, NULL, "the penalty at the start; 0: 10 times the curvature of f in y over that of g"},
    {"growth", SUSTAIN_PARAMETER_NUMBER, offsetof(meha, growth), 0.25, 0, 0.5, NULL, "power of k + 1 by which the penalty grows"},
    {"gamma", SUSTAIN_PARAMETER_NUMBER, offsetof(meha, gamma), 0, 0, 1e30, NULL, "of the Moreau envelope; 0: 10/L_g, estimated"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_meha = {
    .info = {.name = "meha",
             .title = "gradients alone, single loop: the Moreau envelope of g, which need not be convex; y may be constrained",
             .reference = "Liu, Liu, Yao, Zeng, Zhang: Moreau envelope for nonconvex bi-level optimization: a single-loop and "
                          "Hessian-free solution strategy. ICML 2024 (arXiv 2405.09927)",
             .complexity = "full batches: converges, rate K^(-1/2+growth) of the penalized problem",
             .needs = SUSTAIN__NEEDS_GRADIENTS | SUSTAIN_NEEDS_EXPECTATION,
             .deterministic = true,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(meha),
    .projects_y = true,
    .own_steps = own_steps,
    .prepare = prepare,
    .layout = layout,
    .begin = begin,
    .step = step,
};
