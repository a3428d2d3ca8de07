/* mrbo.c - MRBO: a recursive momentum on both levels, hypergradients by the Neumann sum.
 *
 *   v_k = Df(x_k,y_k;B_x)       + (1-alpha_k)(v_{k-1} - Df(x_{k-1},y_{k-1};B_x))                   Algorithm 1
 *   u_k = grad_y g(x_k,y_k;B_y) + (1-beta_k)(u_{k-1} - grad_y g(x_{k-1},y_{k-1};B_y)),   v_0, u_0: the first terms alone
 *   x_{k+1} = x_k - gamma eta_k v_k,     y_{k+1} = y_k - lambda eta_k u_k,     eta_k = d/(m+k)^(1/3)
 *
 * Df is (3), hypergrad/neumann_sum.c, with draws B_x = {B_1..B_Q, B_F, B_G} of `batch` samples
 * each: SUSTAIN with the whole sum instead of one random term. Yang, Ji, Liang, NeurIPS 2021 (arXiv
 * 2106.04692).
 *
 * In the library's names gamma eta_k is alpha_t, lambda eta_k is beta_t, alpha_k is eta^f_t and
 * beta_k is eta^g_t.
 * Differs: the paper has alpha_{k+1} = c_1 eta_k^2, eta^f_t here is c/(w+t)^(2p), one iteration
 * ahead, clipped to 1: the schedule that all algorithms share. */
#include "core/vector.h"
#include "solvers/hyper.h"
#include "solvers/parts.h"

typedef struct mrbo {
    struct sustain_solver base;

    /* state */
    sustain_real *x_prev, *y_prev; /* x_{k-1}, y_{k-1} */
    sustain_real *v, *u;           /* v_{k-1}, u_{k-1} */

    /* of one iteration */
    sustain_real *gy, *gy_prev; /* (lower_dim) */
    sustain_real *Df, *Df_prev; /* (upper_dim) */
    int64_t *index;             /* (batch) */
    sustain__summed hyper;
} mrbo;

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    mrbo *s = (mrbo *)solver;
    sustain_real *x = solver->x, *y = solver->y;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim, k = solver->t;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    const double keep_f = 1 - at.eta_f, keep_g = 1 - at.eta_g;
    const sustain_real *x_prev_f = keep_f != 0 ? s->x_prev : NULL, *x_prev_g = keep_g != 0 ? s->x_prev : NULL;

    const sustain_batch B_y = sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, k, s->index);
    sustain__summed_draw(solver, &s->hyper, 0, k, solver->common.batch, NULL);                                           /* B_x */
    SUSTAIN_TRY(sustain__g_grad_y_pair(&solver->oracle, &B_y, x, y, x_prev_g, s->y_prev, s->gy, s->gy_prev));
    SUSTAIN_TRY(sustain__neumann_sum_pair(&s->hyper.sum, &s->hyper.draw, x, y, x_prev_f, s->y_prev, s->Df, s->Df_prev)); /* (3) */

    sustain__momentum(upper, keep_f, s->Df, s->Df_prev, s->v);                                                           /* v_k */
    sustain__momentum(lower, keep_g, s->gy, s->gy_prev, s->u);                                                           /* u_k */
    sustain__copy(upper, x, s->x_prev);
    sustain__move(lower, at.beta, s->u, y, s->y_prev);                                                                   /* y_{k+1} */
    return sustain__move_x(solver, at.alpha, s->v);                                                                      /* x_{k+1} */
}
/* clang-format on */

static void layout(sustain_solver *solver) {
    mrbo *s = (mrbo *)solver;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim, B = solver->common.batch;
    sustain__vector(solver, SUSTAIN__STATE, "x_prev", SUSTAIN_FIELD_REAL, upper, &s->x_prev);
    sustain__vector(solver, SUSTAIN__STATE, "y_prev", SUSTAIN_FIELD_REAL, lower, &s->y_prev);
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, upper, &s->v);
    sustain__vector(solver, SUSTAIN__STATE, "u", SUSTAIN_FIELD_REAL, lower, &s->u);
    SUSTAIN__SCRATCH_REALS(solver, lower, &s->gy, &s->gy_prev);
    SUSTAIN__SCRATCH_REALS(solver, upper, &s->Df, &s->Df_prev);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, B, &s->index);
    sustain__summed_layout(solver, &s->hyper, (solver->steps.K + 2) * B);
}

static void norms(const sustain_solver *solver, double norm[2]) {
    const mrbo *s = (const mrbo *)solver;
    sustain__norms(solver, s->v, s->u, norm);
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(1.0 / 3, -1),
    SUSTAIN__MOMENTUM_ROWS,
    SUSTAIN__SUM_ROW,
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_mrbo = {
    .info = {.name = "mrbo",
             .title = "single loop, recursive momentum on both levels, Neumann sum",
             .reference = "Yang, Ji, Liang: Provably faster algorithms for bilevel optimization. NeurIPS 2021 (arXiv 2106.04692)",
             .complexity = "epsilon^(-3/2), epsilon^(-3/2)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(mrbo),
    .layout = layout,
    .step = step,
    .norms = norms,
};
