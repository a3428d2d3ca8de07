/* itd_bio.c - ITD-BiO: bilevel optimization by iterative differentiation.
 *
 *   y_k^0     = y_{k-1}^D,      y_k^{t+1} = y_k^t - beta grad_y g(x_k, y_k^t),   t = 0 .. D-1                      Algorithm 1
 *   h_k       = d/dx f(x_k, y_k^D(x_k)) = grad_x f - beta sum_t J(x_k,y_k^t) prod_{j>t} (I - beta H(x_k,y_k^j)) grad_y f
 *                                                                                                          Proposition 2
 *   x_{k+1}   = x_k - alpha h_k
 *
 * J = grad^2_xy g, H = grad^2_yy g, all expected values; the start y_k^0 counts as fixed. Ji, Yang,
 * Liang: Bilevel optimization: convergence analysis and enhanced design, ICML 2021, Algorithm 1
 * with "ITD-BiO"; the derivative by reverse accumulation of Franceschi, Donini, Frasconi, Pontil,
 * ICML 2017 (hypergrad/unroll.h). */
#include "core/vector.h"
#include "hypergrad/unroll.h"
#include "solvers/full.h"

typedef struct itd_bio {
    struct sustain_solver base;
    int64_t D;
    sustain__full_upper upper; /* state: x and h_k */
    sustain__unroll unroll;
} itd_bio;

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    itd_bio *s = (itd_bio *)solver;
    sustain__unroll *u = &s->unroll;
    const int64_t n = solver->problem->lower_dim;
    const sustain_real *last = u->y + u->steps * n;                                          /* y_k^D */

    u->beta = sustain__full_beta(solver);
    sustain__copy(n, solver->y, u->y);                                                       /* y_k^0         Algorithm 1 */
    SUSTAIN_TRY(sustain__unroll_forward(u, NULL, solver->x));                                /* y_k^1 .. y_k^D            */
    const double lower_norm = sustain__norm(n, u->q);
    SUSTAIN_TRY(sustain__unroll_backward(u, NULL, NULL, solver->x, s->upper.h_new));         /* h_k         Proposition 2 */

    SUSTAIN_TRY(sustain__full_move(solver, &s->upper));                                      /* x_{k+1}                   */
    solver->norm[SUSTAIN_UPPER] = sustain__norm(solver->problem->upper_dim, s->upper.h);
    solver->norm[SUSTAIN_LOWER] = lower_norm;
    sustain__copy(n, last, solver->y);
    return SUSTAIN_OK;
}
/* clang-format on */

static void layout(sustain_solver *solver) {
    itd_bio *s = (itd_bio *)solver;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim;
    s->unroll.steps = sustain__full_steps(solver, s->D);
    sustain__full_layout(solver, &s->upper);
    SUSTAIN__SCRATCH_REALS(solver, upper, &s->unroll.cross);
    SUSTAIN__SCRATCH_REALS(solver, (s->unroll.steps + 1) * lower, &s->unroll.y);
    SUSTAIN__SCRATCH_REALS(solver, lower, &s->unroll.p, &s->unroll.q);
}

static void begin(sustain_solver *solver) {
    ((itd_bio *)solver)->unroll.oracle = &solver->oracle;
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__DETERMINISTIC_ROWS,
    SUSTAIN__SCHEDULE_ROW,
    SUSTAIN__PROBE_ROW,
    SUSTAIN__STEP_ROWS(0, 0),
    {"D", SUSTAIN_PARAMETER_INTEGER, offsetof(itd_bio, D), 0, 0, 100000, NULL,
     "gradient steps of y in an iteration, all of them kept; 0: chosen by the schedule (power: 20)"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_itd_bio = {
    .info = {.name = "itd-bio",
             .title = "descent of y, the derivative through its steps by reverse accumulation",
             .reference = "Ji, Yang, Liang: Bilevel optimization: convergence analysis and enhanced design. ICML 2021 (arXiv 2010.07962); "
                          "Franceschi, Donini, Frasconi, Pontil: Forward and reverse gradient-based hyperparameter optimization. ICML 2017 "
                          "(arXiv 1703.01785)",
             .complexity = "full batches: epsilon^(-1) iterations",
             .needs = SUSTAIN__NEEDS_PRODUCTS | SUSTAIN_NEEDS_EXPECTATION,
             .deterministic = true,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(itd_bio),
    .layout = layout,
    .begin = begin,
    .step = step,
};
