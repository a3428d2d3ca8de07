/* bsa.c - BSA: bilevel stochastic approximation, an inner loop of growing length.
 *
 *   y_{t+1} = y_t - beta_t grad_y g(x_k, y_t; zeta),   t = 0 .. t_k - 1,   from y_0 each time;   ybar_k = y_{t_k}      step 1
 *   x_{k+1} = P_X(x_k - alpha_k Df(x_k, ybar_k; xi-bar))                                                               step 2
 *
 * Df is the truncated series with one term picked at random, eq. (7) of the library, which is from
 * this paper. beta_t ~ 1/(mu_g t). ell not convex: t_k = ceil(sqrt(k+1)), alpha_k ~ 1/sqrt(T);
 * strongly convex: t_k = k+1, alpha_k ~ 1/k (growth=linear p=1). Ghadimi, Wang, 2018 (arXiv
 * 1802.02246).
 *
 * The inner loop's y carries no index k and y_0 is an input: each loop starts from the same y_0,
 * and the bound of |ybar_k - y*(x_k)| has |y_0 - y*(x_k)| on its right side. start=warm continues
 * from ybar_{k-1} instead.
 * Differs: the paper's x steps are constant and made for a known T; p = 1/2 here, the same order
 * without knowing T. K does not grow like log k: it is chosen once by the schedule, for a bias of a
 * tenth. */
#include <math.h>

#include "core/vector.h"
#include "solvers/hyper.h"
#include "solvers/parts.h"

enum { FROM_Y0, WARM };
enum { GROWTH_SQRT, GROWTH_LINEAR };

typedef struct bsa {
    struct sustain_solver base;
    int start, growth;

    /* state */
    sustain_real *y0; /* where each inner loop starts */

    /* of one iteration */
    sustain_real *gy, *y_next; /* (lower_dim) */
    sustain_real *hf;          /* (upper_dim) */
    int64_t *index;            /* (batch) */
    sustain__truncated hyper;
} bsa;

/* t_0 + ... + t_{k-1}, the number of iteration k's first draw. t_k = k+1: k (k+1) / 2. t_k =
 * ceil(sqrt(k+1)): with r = floor(sqrt(k)), sum_{m=1..r} m (2m-1) + (k - r^2)(r+1). */
static int64_t draws_before(const bsa *s, int64_t k) {
    if (s->growth == GROWTH_LINEAR) return k % 2 == 0 ? k / 2 * (k + 1) : (k + 1) / 2 * k;
    int64_t r = (int64_t)sqrt((double)k);
    while (r * r > k) r--;
    while ((r + 1) * (r + 1) <= k) r++;
    return r * (r + 1) * (4 * r - 1) / 6 + (k - r * r) * (r + 1);
}

/* beta_t of the inner loop, which counts from 0 in every iteration. */
static double inner_step(const sustain_solver *solver, int64_t t) {
    const sustain_steps *steps = &solver->steps;
    return solver->scale_y * steps->beta * pow(steps->w + (double)t, -steps->q);
}

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    bsa *s = (bsa *)solver;
    const int64_t lower = solver->problem->lower_dim, k = solver->t;
    const int64_t first = draws_before(s, k), t_k = draws_before(s, k + 1) - first;

    sustain__copy(lower, s->start == FROM_Y0 ? s->y0 : solver->y, s->y_next);
    for (int64_t t = 0; t < t_k; t++)                                                            /* step 1: ybar_k */
        SUSTAIN_TRY(sustain__descend(solver, solver->x, first + t, 1, inner_step(solver, t), s->y_next, s->gy, s->index));
    SUSTAIN_TRY(sustain__truncated_estimate(solver, &s->hyper, k, solver->x, s->y_next, s->hf)); /* Df(x_k, ybar_k) */

    sustain__copy(lower, s->y_next, solver->y);
    sustain__set_norms(solver, s->hf, s->gy);
    return sustain__move_x(solver, sustain__step_sizes_at(solver).alpha, s->hf);                 /* step 2: x_{k+1} */
}
/* clang-format on */

static void layout(sustain_solver *solver) {
    bsa *s = (bsa *)solver;
    const sustain_problem *p = solver->problem;
    sustain__vector(solver, SUSTAIN__STATE, "y0", SUSTAIN_FIELD_REAL, p->lower_dim, &s->y0);
    SUSTAIN__SCRATCH_REALS(solver, p->lower_dim, &s->gy, &s->y_next);
    SUSTAIN__SCRATCH_REALS(solver, p->upper_dim, &s->hf);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, solver->common.batch, &s->index);
    sustain__truncated_layout(solver, &s->hyper);
}

static void begin(sustain_solver *solver) {
    bsa *s = (bsa *)solver;
    sustain__copy(solver->problem->lower_dim, solver->y, s->y0);
}

/* More than t_k: draws_before() has this room too. */
static double draws(const sustain_solver *solver) {
    return 4 * (((const bsa *)solver)->growth == GROWTH_LINEAR ? (double)solver->t + 1 : sqrt((double)solver->t) + 1);
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(0.5, 1),
    SUSTAIN__NEUMANN_ROW,
    {"start", SUSTAIN_PARAMETER_CHOICE, offsetof(bsa, start), 0, 0, 1, "y0|warm", "of each inner loop: y_0 as in the paper, or the last y"},
    {"growth", SUSTAIN_PARAMETER_CHOICE, offsetof(bsa, growth), 0, 0, 1, "sqrt|linear",
     "of the inner loop: ceil(sqrt(k+1)) steps in iteration k, or k+1, for strongly convex ell"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_bsa = {
    .info = {.name = "bsa",
             .title = "double loop, inner loop of growing length, stochastic gradients on both levels",
             .reference = "Ghadimi, Wang: Approximation methods for bilevel programming. arXiv 1802.02246, 2018",
             .complexity = "epsilon^(-2), epsilon^(-3)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(bsa),
    .layout = layout,
    .draws = draws,
    .begin = begin,
    .step = step,
};
