/* vrbo.c - VRBO: variance reduction by SPIDER on both levels, double loop.
 *
 *   k mod q = 0:  v_k = Df(x_k,y_k;S_1),  u_k = grad_y g(x_k,y_k;S_1), a large batch;   else v_k = v~_{k-1,m+1},  u_k = u~_{k-1,m+1}
 *   x_{k+1} = x_k - alpha v_k
 *   x~_{k,-1} = x_k,  y~_{k,-1} = y~_{k,0} = y_k,  x~_{k,t} = x_{k+1} for t >= 0,  v~_{k,-1} = v_k,  u~_{k,-1} = u_k;   for t = 0 .. m+1:
 *     v~_{k,t}   = v~_{k,t-1} + Df(x~_{k,t},y~_{k,t};S_2)       - Df(x~_{k,t-1},y~_{k,t-1};S_2)                        Algorithm 2
 *     u~_{k,t}   = u~_{k,t-1} + grad_y g(x~_{k,t},y~_{k,t};S_2) - grad_y g(x~_{k,t-1},y~_{k,t-1};S_2)
 *     y~_{k,t+1} = y~_{k,t} - beta u~_{k,t}
 *   y_{k+1} = y~_{k,m+1}
 *
 * Df is (3), hypergrad/neumann_sum.c. The estimates of t = m+1 belong to (x_{k+1}, y_{k+1}): they
 * are the next v and u. Yang, Ji, Liang, NeurIPS 2021 (arXiv 2106.04692).
 *
 * Differs: from the authors' program and from benchopt's, which carry over the estimates of the y
 * before the last step: they belong to another point.
 * Differs: a large batch is at most all samples of a finite sum's level. A projection of x, which
 * the paper does not have, is part of x_{k+1}. */
#include "core/vector.h"
#include "solvers/hyper.h"
#include "solvers/parts.h"

enum { LARGE_STREAMS = 1 << 20 }; /* the streams of S_1, beyond those of S_2 */

typedef struct vrbo {
    struct sustain_solver base;
    int64_t period, inner, large;

    /* state */
    sustain_real *v, *u; /* v~_{k-1,m+1}, u~_{k-1,m+1} */

    /* of one iteration */
    sustain_real *v_next, *x_next, *Df, *Df_prev;          /* (upper_dim) */
    sustain_real *u_next, *y_next, *y_prev, *gy, *gy_prev; /* (lower_dim) */
    int64_t *index;                                        /* (the larger batch) */
    sustain__summed hyper;
} vrbo;

/* S_1, no larger than a finite sum. */
static int64_t large_batch(const sustain_solver *solver) {
    const vrbo *s = (const vrbo *)solver;
    int64_t size = s->large > 0 ? s->large : 16 * solver->common.batch;
    for (int level = 0; level < 2; level++)
        if (solver->given->samples[level] > 0 && solver->given->samples[level] < size) size = solver->given->samples[level];
    return size;
}

/* v_k and u_k on a large batch. */
static sustain_status look_closely(vrbo *s) {
    sustain_solver *b = &s->base;
    const int64_t S1 = large_batch(b);
    sustain_batch zeta = sustain__draw(&b->sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER + LARGE_STREAMS, b->t, S1, s->index);
    zeta.iteration = b->t;
    sustain__summed_draw(b, &s->hyper, LARGE_STREAMS, b->t, S1, NULL);
    SUSTAIN_TRY(sustain__g_grad_y(&b->oracle, &zeta, b->x, b->y, s->u_next));
    return sustain__neumann_sum_pair(&s->hyper.sum, &s->hyper.draw, b->x, b->y, NULL, NULL, s->v_next, NULL);
}

/* v~_{k,t} and u~_{k,t}: what changes from (x_prev, y_prev) to (x_next, y_next). */
static sustain_status follow(vrbo *s, int64_t number, const sustain_real *x_prev) {
    sustain_solver *b = &s->base;
    const int64_t upper = b->problem->upper_dim, lower = b->problem->lower_dim;
    const sustain_batch zeta = sustain__draw_batch(b, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, number, s->index);
    sustain__summed_draw(b, &s->hyper, 0, number, b->common.batch, NULL);
    SUSTAIN_TRY(sustain__g_grad_y_pair(&b->oracle, &zeta, s->x_next, s->y_next, x_prev, s->y_prev, s->gy, s->gy_prev));
    SUSTAIN_TRY(sustain__neumann_sum_pair(&s->hyper.sum, &s->hyper.draw, s->x_next, s->y_next, x_prev, s->y_prev, s->Df, s->Df_prev));
    sustain__momentum(upper, 1, s->Df, s->Df_prev, s->v_next);
    sustain__momentum(lower, 1, s->gy, s->gy_prev, s->u_next);
    return SUSTAIN_OK;
}

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    vrbo *s = (vrbo *)solver;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim, last = s->inner + 1;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);

    if (solver->moved % s->period == 0) {
        SUSTAIN_TRY(look_closely(s));
    } else {
        sustain__copy(upper, s->v, s->v_next);
        sustain__copy(lower, s->u, s->u_next);
    }
    sustain__copy(upper, solver->x, s->x_next);
    sustain__add(upper, -at.alpha, s->v_next, s->x_next);                                    /* x_{k+1} */
    SUSTAIN_TRY(sustain__project_x(&solver->oracle, s->x_next));

    sustain__copy(lower, solver->y, s->y_prev);                                              /* y~_{k,-1} = y~_{k,0} = y_k */
    sustain__copy(lower, solver->y, s->y_next);
    for (int64_t t = 0; t <= last; t++) {
        SUSTAIN_TRY(follow(s, solver->t * (last + 1) + t, t == 0 ? solver->x : s->x_next));  /* v~_{k,t}, u~_{k,t} */
        if (t < last) sustain__move(lower, at.beta, s->u_next, s->y_next, s->y_prev);        /* y~_{k,t+1} */
    }
    sustain__copy(upper, s->x_next, solver->x);
    sustain__copy(lower, s->y_next, solver->y);                                              /* y_{k+1} */
    sustain__copy(upper, s->v_next, s->v);
    sustain__copy(lower, s->u_next, s->u);
    return SUSTAIN_OK;
}
/* clang-format on */

static int64_t largest_batch(const sustain_solver *solver) {
    return large_batch(solver) > solver->common.batch ? large_batch(solver) : solver->common.batch;
}

static void layout(sustain_solver *solver) {
    vrbo *s = (vrbo *)solver;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim, most = largest_batch(solver);
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, upper, &s->v);
    sustain__vector(solver, SUSTAIN__STATE, "u", SUSTAIN_FIELD_REAL, lower, &s->u);
    SUSTAIN__SCRATCH_REALS(solver, upper, &s->v_next, &s->x_next, &s->Df, &s->Df_prev);
    SUSTAIN__SCRATCH_REALS(solver, lower, &s->u_next, &s->y_next, &s->y_prev, &s->gy, &s->gy_prev);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, most, &s->index);
    sustain__summed_layout(solver, &s->hyper, (solver->steps.K + 2) * most);
}

static void norms(const sustain_solver *solver, double norm[2]) {
    const vrbo *s = (const vrbo *)solver;
    sustain__norms(solver, s->v, s->u, norm);
}

static double draws(const sustain_solver *solver) {
    return (double)((const vrbo *)solver)->inner + 2;
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(0, 0),
    SUSTAIN__SUM_ROW,
    {"period", SUSTAIN_PARAMETER_INTEGER, offsetof(vrbo, period), 8, 1, 1e9, NULL, "q: iterations from one large batch to the next"},
    {"inner", SUSTAIN_PARAMETER_INTEGER, offsetof(vrbo, inner), 3, 0, 1e6, NULL, "m: m + 1 steps on y in each iteration"},
    {"large", SUSTAIN_PARAMETER_INTEGER, offsetof(vrbo, large), 0, 0, 1e9, NULL, "S_1: samples of a large batch; 0: 16 times `batch`, which is S_2"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_vrbo = {
    .info = {.name = "vrbo",
             .title = "double loop, SPIDER on both levels with large batches in between, Neumann sum",
             .reference = "Yang, Ji, Liang: Provably faster algorithms for bilevel optimization. NeurIPS 2021 (arXiv 2106.04692)",
             .complexity = "epsilon^(-3/2), epsilon^(-3/2)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(vrbo),
    .tuning = {.beta = 0.35},
    .layout = layout,
    .draws = draws,
    .step = step,
    .norms = norms,
    .largest_batch = largest_batch,
};
