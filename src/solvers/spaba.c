/* spaba.c - SPABA: the estimator PAGE on all three variables at once, single loop. With u = (y, v,
 * x), D(u;B) the directions of a large draw B, or of all samples, and D(u;b) those of a small draw
 * (directions.h):
 *
 *   h_k = D(u_k;B)                                 with probability p, and at k = 0                             Algorithm 1
 *   h_k = D(u_k;b) - D(u_{k-1};b) + h_{k-1}        else
 *   u_{k+1} = P(u_k - (rho, rho, gamma) h_k),      P: v into the ball of radius R
 *
 * Constant steps, p = b/(b+B), so that both kinds of iteration cost as many samples in the mean;
 * one coin for the three directions. Finite sums: B is all samples. Streams: a draw of `large`
 * samples. gamma is alpha here, rho is beta. Chu, Xu, Yao, Zhang, ICML 2024 (arXiv 2405.18777).
 *
 * Differs: v has the same step as y; where C_fy or mu_g is not known, v is free. */
#include "core/vector.h"
#include "solvers/directions.h"
#include "solvers/parts.h"

enum { LARGE_STREAMS = 1 << 20, LARGE = 64 }; /* the streams of B, beyond those of b; B/b of a stream */

typedef struct spaba {
    struct sustain_solver base;
    int64_t large;
    double probability, radius;
    double R; /* the radius in use; infinite: none */

    sustain__recursion u;
    int64_t *index; /* (2, the larger draw) of one iteration */
} spaba;

/* B at a level: so many samples; 0: all, as the expected value. */
static int64_t large_batch(const sustain_solver *solver, sustain_level level) {
    const spaba *s = (const spaba *)solver;
    const int64_t all = solver->given->samples[level];
    const int64_t size = s->large > 0 ? s->large : all > 0 ? 0 : LARGE * solver->common.batch;
    return all > 0 && size >= all ? 0 : size;
}

static int64_t largest_batch(const sustain_solver *solver) {
    const int64_t upper = large_batch(solver, SUSTAIN_UPPER), lower = large_batch(solver, SUSTAIN_LOWER), B = solver->common.batch;
    const int64_t larger = upper > lower ? upper : lower;
    return larger > B ? larger : B;
}

/* p = b/(b+B). */
static double probability(const sustain_solver *solver) {
    const spaba *s = (const spaba *)solver;
    double B = 0;
    for (int level = 0; level < 2; level++) {
        const int64_t size = large_batch(solver, (sustain_level)level);
        B += 0.5 * (double)(size > 0 ? size : solver->given->samples[level]);
    }
    return s->probability > 0 ? s->probability : (double)solver->common.batch / ((double)solver->common.batch + B);
}

/* A large draw of a level; NULL: all samples. */
static const sustain_batch *draw_large(spaba *s, sustain_level level, uint32_t stream, int64_t *index, sustain_batch *out) {
    sustain_solver *b = &s->base;
    const int64_t size = large_batch(b, level);
    if (size == 0) b->counts.samples[level] += b->problem->samples[level];
    if (size == 0) return NULL;
    *out = sustain__draw(&b->sampler, level, stream + LARGE_STREAMS, b->t, size, index);
    out->iteration = b->t;
    return out;
}

/* ---- the step ---- */

/* h_k = D(u_k;B) */
static sustain_status refresh(spaba *s) {
    sustain_solver *b = &s->base;
    sustain_batch draw[2];
    const sustain_batch *zeta = draw_large(s, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, s->index, &draw[SUSTAIN_LOWER]);
    const sustain_batch *xi = draw_large(s, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, s->index + largest_batch(b), &draw[SUSTAIN_UPPER]);
    return sustain__restart(b, xi, zeta, &s->u);
}

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    spaba *s = (spaba *)solver;
    const double coin = sustain_random_uniform(solver->sampler.seed, SUSTAIN__STREAM_TERMS, (uint64_t)solver->t, 0);
    if (solver->moved == 0 || coin < probability(solver))
        SUSTAIN_TRY(refresh(s));                                                             /* h_k = D(u_k;B) */
    else
        SUSTAIN_TRY(sustain__recur(solver, s->index, &s->u));                                /* h_k = D(u_k;b) - D(u_{k-1};b) + h_{k-1} */
    return sustain__recursion_move(solver, s->R, &s->u);                                     /* u_{k+1} */
}
/* clang-format on */

/* ---- the memory ---- */

static void layout(sustain_solver *solver) {
    spaba *s = (spaba *)solver;
    sustain__recursion_layout(solver, &s->u);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, 2 * largest_batch(solver), &s->index);
}

static void begin(sustain_solver *solver) {
    spaba *s = (spaba *)solver;
    s->R = sustain__ball_radius(solver, s->radius);
}

static void norms(const sustain_solver *solver, double norm[2]) {
    sustain__recursion_norms(solver, &((const spaba *)solver)->u, norm);
}

/* ---- the row of the registry ---- */

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(0, 0),
    {"large", SUSTAIN_PARAMETER_INTEGER, offsetof(spaba, large), 0, 0, 1e9, NULL, "B: samples of a large draw; 0: all, streams 64 times `batch`"},
    {"probability", SUSTAIN_PARAMETER_NUMBER, offsetof(spaba, probability), 0, 0, 1, NULL, "p of a large draw; 0: batch/(batch + B)"},
    {"radius", SUSTAIN_PARAMETER_NUMBER, offsetof(spaba, radius), 0, 0, 1e30, NULL, "R, of the ball that v is kept in; 0: C_fy/mu_g where known, else none"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_spaba = {
    .info = {.name = "spaba",
             .title = "soba with PAGE: a large draw now and then, differences of small draws in between",
             .reference = "Chu, Xu, Yao, Zhang: SPABA: a single-loop and probabilistic stochastic bilevel algorithm achieving optimal "
                          "sample complexity. ICML 2024 (arXiv 2405.18777)",
             .complexity = "epsilon^(-3/2), epsilon^(-3/2); sums (n+m)^(1/2) epsilon^(-1)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(spaba),
    .tuning = {.alpha = 0.2, .beta = 1, .lag = 0.5},
    .layout = layout,
    .begin = begin,
    .step = step,
    .norms = norms,
    .largest_batch = largest_batch,
};
