/* aid_cg.c - AID-CG: approximate implicit differentiation with conjugate gradient.
 *
 *   y_k^0   = y_{k-1}^D,     y_k^{t+1} = y_k^t - beta grad_y g(x_k, y_k^t),   t = 0 .. D-1
 *   v_k     = N steps of conjugate gradient for  H(x_k,y_k^D) v = grad_y f(x_k,y_k^D),   from v_{k-1}
 *   h_k     = grad_x f(x_k,y_k^D) - J(x_k,y_k^D) v_k
 *   x_{k+1} = x_k - alpha h_k
 *
 * H = grad^2_yy g, J = grad^2_xy g, all expected values. Grazzi, Franceschi, Pontil, Salzo: On the
 * iteration complexity of hypergradient computation, ICML 2020, Algorithm 2 (the hypergradient,
 * AID, by conjugate gradient); both warm starts are those of Ji, Yang, Liang, ICML 2021, Algorithm
 * 1 (AID-BiO). */
#include "core/vector.h"
#include "solvers/full.h"
#include "solvers/parts.h"

enum { AID_STEPS = 20 };

typedef struct aid_cg {
    struct sustain_solver base;
    int64_t D, N;
    sustain_real *v;                       /* state: v_{k-1} */
    sustain__full_upper upper;             /* state: x and h_k */
    sustain_real *fx, *cross;              /* (upper_dim) */
    sustain_real *y_new, *v_new, *fy, *gy; /* (lower_dim) */
    sustain__cg cg;
} aid_cg;

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    aid_cg *s = (aid_cg *)solver;
    const sustain_real *x = solver->x;
    const int64_t n = solver->problem->lower_dim, D = s->D > 0 ? s->D : AID_STEPS;

    SUSTAIN_TRY(sustain__full_descend(solver, D, s->y_new, s->gy));                                                /* y_k^D */
    SUSTAIN_TRY(sustain__f_grad(&solver->oracle, NULL, x, s->y_new, s->fx, s->fy));
    sustain__copy(n, s->v, s->v_new);
    /* a warm start costs a product before the N steps */
    s->cg.limit = s->N + (solver->moved > 0);
    SUSTAIN_TRY(sustain__full_solve(solver, &s->cg, x, s->y_new, s->fy, s->v_new));                                /* v_k */
    SUSTAIN_TRY(sustain__implicit_gradient(solver, NULL, x, s->y_new, s->v_new, s->fx, s->cross, s->upper.h_new)); /* h_k */

    SUSTAIN_TRY(sustain__full_move(solver, &s->upper));                                                            /* x_{k+1} */
    sustain__set_norms(solver, s->upper.h, s->gy);
    sustain__copy(n, s->y_new, solver->y);
    sustain__copy(n, s->v_new, s->v);
    return SUSTAIN_OK;
}
/* clang-format on */

static void layout(sustain_solver *solver) {
    aid_cg *s = (aid_cg *)solver;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim;
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, lower, &s->v);
    sustain__full_layout(solver, &s->upper);
    SUSTAIN__SCRATCH_REALS(solver, upper, &s->fx, &s->cross);
    SUSTAIN__SCRATCH_REALS(solver, lower, &s->y_new, &s->v_new, &s->fy, &s->gy, &s->cg.r, &s->cg.p, &s->cg.q);
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__DETERMINISTIC_ROWS,
    SUSTAIN__SCHEDULE_ROW,
    SUSTAIN__PROBE_ROW,
    SUSTAIN__STEP_ROWS(0, 0),
    {"D", SUSTAIN_PARAMETER_INTEGER, offsetof(aid_cg, D), 0, 0, 100000, NULL,
     "gradient steps of y in an iteration; 0: chosen by the schedule (power: 20)"},
    {"N", SUSTAIN_PARAMETER_INTEGER, offsetof(aid_cg, N), 10, 1, 100000, NULL, "steps of conjugate gradient in an iteration"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_aid_cg = {
    .info = {.name = "aid-cg",
             .title = "descent of y, the implicit gradient by conjugate gradient, both warm-started",
             .reference = "Grazzi, Franceschi, Pontil, Salzo: On the iteration complexity of hypergradient computation. "
                          "ICML 2020 (arXiv 2006.16218); Ji, Yang, Liang: Bilevel optimization: convergence analysis and enhanced design. "
                          "ICML 2021 (arXiv 2010.07962)",
             .complexity = "full batches: epsilon^(-1) iterations",
             .needs = SUSTAIN__NEEDS_PRODUCTS | SUSTAIN_NEEDS_EXPECTATION,
             .deterministic = true,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(aid_cg),
    .layout = layout,
    .step = step,
};
