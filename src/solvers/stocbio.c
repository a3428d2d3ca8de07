/* stocbio.c - stocBiO: D warm-started steps on y, then a hypergradient by the Neumann sum with a
 * batch of its own for each factor.
 *
 *   y^0_k = y^D_{k-1},   y^t_k = y^{t-1}_k - beta grad_y g(x_k, y^{t-1}_k; S_{t-1}),   t = 1 .. D              Algorithm 2
 *   Df_k  = grad_x f(x_k, y^D_k; D_F) - J(x_k, y^D_k; D_G) v_Q,   v_Q by Algorithm 3 (hypergrad/neumann_sum.c)
 *   x_{k+1} = x_k - alpha Df_k
 *
 *   |B_{Q+1-j}| = B Q (1 - eta mu)^(j-1),  j = 1 .. Q:  B_Q, which meets grad_y f first and so is part of Q terms, is the largest.
 *
 * Ji, Yang, Liang, ICML 2021 (arXiv 2010.07962), where alpha is called beta and beta alpha. S, D_F
 * and D_G have `batch` samples, B is `batch`.
 *
 * Differs: a factor's batch is rounded up and is at most `largest`, and at most all samples of the
 * lower level. mu, where the problem does not know it, is not estimated: 1 - eta mu = 10^(-1/Q),
 * the decay that makes Q the number of terms for a bias of a tenth. Steps are constant as in the
 * proof, which makes the batches as large as the wanted accuracy asks for; with small batches and
 * much noise p=0.5 lets the steps decay instead. */
#include <math.h>

#include "core/vector.h"
#include "solvers/hyper.h"
#include "solvers/parts.h"

typedef struct stocbio {
    struct sustain_solver base;
    int64_t inner, largest;
    double shrink;

    /* of one iteration */
    sustain_real *gy, *y_next; /* (lower_dim) */
    sustain_real *Df;          /* (upper_dim) */
    int64_t *index;            /* (batch) */
    int64_t *factor_size;      /* (Q) */
    sustain__summed hyper;
} stocbio;

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    stocbio *s = (stocbio *)solver;
    const int64_t lower = solver->problem->lower_dim, k = solver->t;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);

    SUSTAIN_TRY(sustain__inner_loop(solver, s->inner, at.beta, s->y_next, s->gy, s->index)); /* y^D_k */
    /* D_F, D_G, B_1..B_Q */
    sustain__summed_draw(solver, &s->hyper, 0, k, solver->common.batch, s->factor_size);
    SUSTAIN_TRY(sustain__neumann_sum_pair(&s->hyper.sum, &s->hyper.draw, solver->x, s->y_next, NULL, NULL, s->Df, NULL));

    sustain__copy(lower, s->y_next, solver->y);
    sustain__set_norms(solver, s->Df, s->gy);
    return sustain__move_x(solver, at.alpha, s->Df);                                         /* x_{k+1} */
}
/* clang-format on */

/* |B_{Q-j}|, j = 0 .. Q-1. */
static int64_t size_of_factor(const stocbio *s, int j) {
    const sustain_solver *b = &s->base;
    const double Q = b->steps.K, mu = b->given->known != NULL ? b->given->known->mu_g : NAN;
    const double shrink = s->shrink > 0 ? s->shrink : mu > 0 && mu < b->steps.L_g ? 1 - mu / b->steps.L_g : pow(10, -1 / Q);
    const int64_t all = b->given->samples[SUSTAIN_LOWER];
    const double most = (double)(all > 0 && all < s->largest ? all : s->largest);
    return (int64_t)fmax(1, fmin(most, ceil((double)b->common.batch * Q * pow(shrink, j))));
}

static int64_t largest_batch(const sustain_solver *solver) {
    return size_of_factor((const stocbio *)solver, 0);
}

static void layout(sustain_solver *solver) {
    stocbio *s = (stocbio *)solver;
    const sustain_problem *p = solver->problem;
    int64_t indices = 2 * solver->common.batch;
    for (int j = 0; j < solver->steps.K; j++) indices += size_of_factor(s, j);
    SUSTAIN__SCRATCH_REALS(solver, p->lower_dim, &s->gy, &s->y_next);
    SUSTAIN__SCRATCH_REALS(solver, p->upper_dim, &s->Df);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, solver->common.batch, &s->index);
    sustain__vector(solver, SUSTAIN__SCRATCH, "factor_size", SUSTAIN_FIELD_INT64, solver->steps.K, &s->factor_size);
    sustain__summed_layout(solver, &s->hyper, indices);
}

static void begin(sustain_solver *solver) {
    stocbio *s = (stocbio *)solver;
    for (int j = 0; j < solver->steps.K; j++) s->factor_size[j] = size_of_factor(s, j);
}

static double draws(const sustain_solver *solver) {
    return (double)((const stocbio *)solver)->inner;
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(0, -1),
    SUSTAIN__SUM_ROW,
    {"inner", SUSTAIN_PARAMETER_INTEGER, offsetof(stocbio, inner), 5, 1, 1e6, NULL, "D: steps on y in each iteration"},
    {"largest", SUSTAIN_PARAMETER_INTEGER, offsetof(stocbio, largest), 256, 1, 1e9, NULL, "a factor's batch has at most this many samples"},
    {"shrink", SUSTAIN_PARAMETER_NUMBER, offsetof(stocbio, shrink), 0, 0, 1, NULL,
     "1 - eta mu: how the batches of the factors shrink; 0: by the problem's mu_g, or 10^(-1/Q)"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_stocbio = {
    .info = {.name = "stocbio",
             .title = "warm-started inner loop, Neumann sum with a batch of its own for each factor",
             .reference = "Ji, Yang, Liang: Bilevel optimization: convergence analysis and enhanced design. ICML 2021 (arXiv 2010.07962)",
             .complexity = "epsilon^(-2), epsilon^(-2)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(stocbio),
    .layout = layout,
    .draws = draws,
    .begin = begin,
    .step = step,
    .largest_batch = largest_batch,
};
