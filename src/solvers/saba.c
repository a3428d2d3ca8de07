/* saba.c - SABA, stochastic average bilevel algorithm: SAGA on all three variables at once.
 *
 *   S[phi]_i = phi_i(now) - phi_i(memory_i) + mean over i' of phi_i'(memory_i'),   then memory_i <- now                Section 2.2
 *
 *   y_{t+1} = y_t - rho S[grad_y g]_i                                                                                  (11a)
 *   v_{t+1} = v_t - rho (S[grad^2_yy g v]_i - S[grad_y f]_j)                                                           (11b)
 *   x_{t+1} = x_t - gamma (S[grad_x f]_j - S[grad^2_xy g v]_i)                                                         (11c), Algorithm 1
 *
 * Two draws an iteration, i of the lower and j of the upper level; five memories (saga.h); constant
 * steps; v_0 = 0. gamma is alpha here, rho is beta; v has the opposite sign of the paper's. The
 * memories begin with all samples at the start (fill=pass), as in the remark after Theorem 4;
 * fill=zeros saves the pass, as the authors' own program does. Dagreou, Ablin, Vaiter, Moreau,
 * NeurIPS 2022.
 *
 * Differs: a batch is any B samples, each with its own place in the memory; the paper has fixed
 * batches with a place each. */
#include <math.h>

#include "core/vector.h"
#include "solvers/parts.h"
#include "solvers/saga.h"

enum { F_X, F_Y, G_Y, H_V, J_V, SUMS };
enum { PASS, ZEROS };

typedef struct saba {
    struct sustain_solver base;
    int fill, memory;
    double table_memory;

    /* state */
    sustain_real *v;
    sustain__saga sum[SUMS];
    int64_t filled; /* whether the pass is done */

    /* of one iteration */
    sustain__triple D;
    sustain_real *fy, *cross;
    int64_t *index;             /* (2, batch) */
    uint32_t *seen, *repeat[2]; /* (samples), (batch) each */
} saba;

/* ---- the step ---- */

static sustain_status fill(saba *s, sustain__triple at);

/* The rows of both draws at a point. */
static sustain_status evaluate(saba *s, const sustain_batch *xi, const sustain_batch *zeta, sustain__triple at) {
    if (xi != NULL) SUSTAIN_TRY(sustain__saga_evaluate_f(&s->base, &s->sum[F_X], &s->sum[F_Y], xi, at, s->cross));
    for (int i = G_Y; zeta != NULL && i < SUMS; i++) SUSTAIN_TRY(sustain__saga_evaluate(&s->base, &s->sum[i], zeta, at));
    return SUSTAIN_OK;
}

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    saba *s = (saba *)solver;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim, t = solver->t;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    const sustain__triple now = {solver->x, solver->y, s->v};

    if (s->filled == 0 && s->fill == PASS) SUSTAIN_TRY(fill(s, now));
    /* i and j */
    const sustain_batch zeta = sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, s->index);
    const sustain_batch xi = sustain__draw_batch(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, s->index + solver->common.batch);
    sustain__find_repeats(&zeta, s->seen, s->repeat[SUSTAIN_LOWER]);
    sustain__find_repeats(&xi, s->seen, s->repeat[SUSTAIN_UPPER]);

    SUSTAIN_TRY(evaluate(s, &xi, &zeta, now));
    SUSTAIN_TRY(sustain__saga_estimate(solver, &s->sum[G_Y], &zeta, s->repeat[SUSTAIN_LOWER], s->D.y));
    SUSTAIN_TRY(sustain__saga_estimate(solver, &s->sum[H_V], &zeta, s->repeat[SUSTAIN_LOWER], s->D.v));
    SUSTAIN_TRY(sustain__saga_estimate(solver, &s->sum[F_Y], &xi, s->repeat[SUSTAIN_UPPER], s->fy));
    SUSTAIN_TRY(sustain__saga_estimate(solver, &s->sum[F_X], &xi, s->repeat[SUSTAIN_UPPER], s->D.x));
    SUSTAIN_TRY(sustain__saga_estimate(solver, &s->sum[J_V], &zeta, s->repeat[SUSTAIN_LOWER], s->cross));
    for (int i = 0; i < SUMS; i++) sustain__saga_keep(&s->sum[i], i < G_Y ? &xi : &zeta);    /* memory_i, memory_j <- now */

    sustain__add(lower, -1, s->fy, s->D.v);
    sustain__add(upper, -1, s->cross, s->D.x);
    sustain__set_norms(solver, s->D.x, s->D.y);
    sustain__add(lower, -at.beta, s->D.y, solver->y);                                        /* (11a) */
    sustain__add(lower, -at.beta, s->D.v, s->v);                                             /* (11b) */
    return sustain__move_x(solver, at.alpha, s->D.x);                                        /* (11c) */
}
/* clang-format on */

/* All samples of a level, a batch at a time. What the problem asks to drop begins with zeros. */
static sustain_status fill_level(saba *s, sustain_level level, sustain__triple at) {
    const int64_t n = s->base.problem->samples[level], most = s->base.common.batch;
    for (int64_t first = 0; first < n; first += most) {
        const sustain_batch part = {.size = most < n - first ? most : n - first, .index = s->index, .iteration = s->base.t};
        for (int64_t j = 0; j < part.size; j++) s->index[j] = first + j;
        const sustain_status status = evaluate(s, level == SUSTAIN_UPPER ? &part : NULL, level == SUSTAIN_LOWER ? &part : NULL, at);
        if (status == SUSTAIN_DRAW_DROPPED) continue;
        SUSTAIN_TRY(status);
        for (int i = 0; i < SUMS; i++)
            if (s->sum[i].level == level) SUSTAIN_TRY(sustain__saga_fill(&s->base, &s->sum[i], &part));
    }
    return SUSTAIN_OK;
}

static sustain_status fill(saba *s, sustain__triple at) {
    sustain_status status = fill_level(s, SUSTAIN_UPPER, at);
    if (status == SUSTAIN_OK) status = fill_level(s, SUSTAIN_LOWER, at);
    s->filled = status == SUSTAIN_OK;
    if (status == SUSTAIN_OK)
        sustain__count_pass(&s->base);
    else
        for (int i = 0; i < SUMS; i++) sustain__saga_clear(&s->sum[i]);
    return status;
}

/* ---- the memory ---- */

static void plan(saba *s) {
    static const struct {
        sustain_quantity quantity;
        const char *table, *mean;
    } sums[SUMS] = {[F_X] = {SUSTAIN_QUANTITY_F_GRAD_X, "fx.table", "fx.mean"},
                    [F_Y] = {SUSTAIN_QUANTITY_F_GRAD_Y, "fy.table", "fy.mean"},
                    [G_Y] = {SUSTAIN_QUANTITY_G_GRAD_Y, "gy.table", "gy.mean"},
                    [H_V] = {SUSTAIN_QUANTITY_G_HESS_VEC, "Hv.table", "Hv.mean"},
                    [J_V] = {SUSTAIN_QUANTITY_G_CROSS_VEC, "Jv.table", "Jv.mean"}};
    for (int i = 0; i < SUMS; i++)
        s->sum[i] = sustain__saga_plan(s->base.problem, sums[i].quantity, s->memory != 0, sums[i].table, sums[i].mean);
}

/* Refuses tables that are larger than allowed, before anything is allocated. */
static sustain_status prepare(sustain_solver *solver, const sustain_real *x, const sustain_real *y) {
    saba *s = (saba *)solver;
    double bytes = 0;
    (void)x, (void)y;
    plan(s);
    for (int i = 0; i < SUMS; i++) bytes += sustain__saga_bytes(&s->sum[i]);
    if (solver->common.recover > 0) bytes *= 2; /* the good copy */
    if (bytes <= s->table_memory) return SUSTAIN_OK;
    return sustain__fail(
        solver->context, SUSTAIN_PARAMETER,
        "saba would keep %.3g bytes of tables for problem '%s', table_memory allows %.3g%s: set it higher, or use srba or soba, "
        "which keep none",
        bytes, solver->given->ops->name, s->table_memory, solver->common.recover > 0 ? " (recover=0 halves them)" : "");
}

static void layout(sustain_solver *solver) {
    saba *s = (saba *)solver;
    const int64_t lower = solver->problem->lower_dim, batch = solver->common.batch;
    const int64_t *samples = solver->problem->samples;
    plan(s);
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, lower, &s->v);
    for (int i = 0; i < SUMS; i++) sustain__saga_layout(solver, &s->sum[i]);
    sustain__scalar(solver, SUSTAIN__STATE, "filled", SUSTAIN_FIELD_INT64, &s->filled);
    sustain__directions_layout(solver, &s->D, &s->fy, &s->cross);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, 2 * batch, &s->index);
    sustain__vector(solver, SUSTAIN__SCRATCH, "seen", SUSTAIN_FIELD_UINT32, samples[0] > samples[1] ? samples[0] : samples[1], &s->seen);
    for (int level = 0; level < 2; level++)
        sustain__vector(solver, SUSTAIN__SCRATCH, "repeat", SUSTAIN_FIELD_UINT32, batch, &s->repeat[level]);
}

static void begin(sustain_solver *solver) {
    saba *s = (saba *)solver;
    s->filled = 0;
}

/* ---- the row of the registry ---- */

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(0, 0),
    {"fill", SUSTAIN_PARAMETER_CHOICE, offsetof(saba, fill), 0, 0, 1, "pass|zeros", "tables begin with all samples at the start, or with zeros"},
    {"memory", SUSTAIN_PARAMETER_CHOICE, offsetof(saba, memory), 0, 0, 1, "rows|vectors",
     "of a sample: the few numbers that the problem offers, or whole vectors in any case"},
    {"table_memory", SUSTAIN_PARAMETER_NUMBER, offsetof(saba, table_memory), 2e9, 0, 1e18, NULL, "the most bytes that tables may take"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_saba = {
    .info = {.name = "saba",
             .title = "soba on finite sums with SAGA's tables: constant steps, no noise at the end",
             .reference =
                 "Dagreou, Ablin, Vaiter, Moreau: A framework for bilevel optimization that enables stochastic and global variance "
                 "reduction algorithms. NeurIPS 2022 (arXiv 2201.13409)",
             .complexity = "(n+m)^(2/3) epsilon^(-1), (n+m)^(2/3) epsilon^(-1)",
             .needs = SUSTAIN__NEEDS_PRODUCTS | SUSTAIN_NEEDS_FINITE_SUM,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(saba),
    /* with shuffling, the whole table becomes old at once */
    .tuning = {.alpha = 0.2, .beta = 0.75, .lag = 0.5, .shuffled = 0.5},
    .prepare = prepare,
    .layout = layout,
    .begin = begin,
    .step = step,
};
