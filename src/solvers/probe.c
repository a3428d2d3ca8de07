/* probe.c - a probe of a problem before a run: a few exact descent steps.
 *
 *   y = y*(x) by Newton's method, v = H^{-1} grad_y f by conjugate gradient, D = grad_x f - J v, on one large draw of each level, or its expected value where that
 *   costs no more;
 *   x' = x - a D with a first so that ell falls by a hundredth, then up to eight times the last a,
 *   but at most 1/curvature:
 *
 * at most PROBE_STEPS such steps, or until |D| is a tenth of the largest one. Where |D| first grows
 * (penalties exp(x) do, from large ones), one step later it may be anything below: an end that the
 * first |D| decides would be on one side of a steep slope for one draw and at its foot for another.
 * All results are invariant under scaling of x, y, f and g: no quantity is compared with a constant
 * that has a unit. */
#include "solvers/probe.h"

#include <math.h>

#include "core/vector.h"
#include "hypergrad/cg.h"
#include "hypergrad/lower_newton.h"
#include "theory/estimate_within.h"

enum { PROBE_BATCH = 256, PROBE_ALL = 512, PROBE_STEPS = 24, PROBE_PRODUCTS = 200, PROBE_DRAWS = 200, LEAST_DRAWS = 20, MOST_TERMS = 200 };
#define CLOSE 1e-3    /* of the first |grad_y g|: accurate enough for y*(x) */
#define ACCURATE 0.02 /* of |grad_y f|: accurate enough for H v = grad_y f */
#define BIAS 0.1      /* of the largest |D|: the allowed error of the truncated series */

/* With the parameter `probe`, a bound on the samples that all of this may use: a large draw has at
 * most 1/CALLS of it, the path ends where 3/4 are used, and of each of two ends the noise takes
 * 1/8, L_g and the terms 1/16. */
enum { CALLS = 256, FEWEST = 4 };

enum { UPPER_VECTORS = 6, LOWER_VECTORS = 10 };

typedef struct prober {
    sustain__probe seen;
    double tolerance;        /* of |grad_y g| */
    double first, largest;   /* |D| at the start, and of all points so far */
    double value, value_new; /* of f at (x, y), at (x_new, y_new) */
    double error;            /* mean square of D^ - D, at the worse end */
    sustain_solver *solver;
    int64_t bound; /* of samples, 0: none */
    sustain__counted counted;
    sustain_counts counts;
    sustain__oracle oracle;
    const sustain_real *y_0;
    sustain_batch draw[2];                               /* upper and lower */
    const sustain_batch *xi, *zeta;                      /* those, or NULL: the expected value */
    sustain_real *x, *x_new, *D, *D_new, *cross, *still; /* (upper_dim) */
    sustain_real *y, *y_new, *v, *v_new, *fy, *w, *hw;   /* (lower_dim) */
    sustain__cg cg;
    int64_t *index, *single; /* of the large draws, of single ones */
    void *memory;
} prober;

/* ---- memory ---- */

/* The expected value is used for deterministic algorithms, and where it costs about as much as a
 * draw, or little more than a large draw. */
static bool whole(const sustain_solver *b) {
    const sustain_problem *p = b->probe_problem;
    const int64_t upper = p->samples[SUSTAIN_UPPER], lower = p->samples[SUSTAIN_LOWER];
    if (b->algorithm->info.deterministic) return true;
    if (b->common.probe > 0 && (upper > sustain__probe_size(b, SUSTAIN_UPPER) || lower > sustain__probe_size(b, SUSTAIN_LOWER)))
        return false;
    return sustain__has_expectation(p) && upper <= PROBE_ALL && lower <= PROBE_ALL;
}

int64_t sustain__probe_size(const sustain_solver *b, sustain_level level) {
    const int64_t paid = b->common.probe > 0 ? b->common.probe / CALLS : PROBE_BATCH, most = paid < PROBE_BATCH ? paid : PROBE_BATCH;
    const int64_t size = b->common.batch > most ? b->common.batch : most, all = b->probe_problem->samples[level];
    return all > 0 && all < size ? all : size;
}

/* Samples, of all draws of the prober. */
static int64_t largest_draw(const sustain_solver *b) {
    int64_t most = b->common.batch;
    for (int level = 0; level < 2; level++) {
        const int64_t size = sustain__probe_size(b, (sustain_level)level);
        most = size > most ? size : most;
    }
    return most;
}

size_t sustain__probe_bytes(const sustain_solver *b) {
    const sustain_problem *p = b->probe_problem;
    return sustain__oracle_bytes(p, largest_draw(b), false) + sustain__oracle_bytes(p, b->common.batch, false) + /* that of the estimates */
           sustain__multiply(UPPER_VECTORS * (size_t)p->upper_dim + LOWER_VECTORS * (size_t)p->lower_dim, sizeof(sustain_real));
}

static sustain_status create(prober *l, sustain_solver *b, uint64_t seed, const sustain_real *x, const sustain_real *y) {
    const sustain_problem *p = b->probe_problem;
    const int64_t n = p->upper_dim, m = p->lower_dim, upper = sustain__probe_size(b, SUSTAIN_UPPER),
                  lower = sustain__probe_size(b, SUSTAIN_LOWER);
    const int64_t indices = upper + lower + 2 * b->common.batch;
    *l = (prober){.solver = b, .seen.L_g = b->common.L_g, .bound = b->common.probe, .y_0 = y};
    sustain__counted_init(&l->counted, p, &l->counts);
    /* A single draw, with repeats, may have more samples than there are. */
    SUSTAIN_TRY(sustain__oracle_create(b->context, l->bound > 0 ? &l->counted.wrapper.problem : p, largest_draw(b), false, &l->oracle));
    const size_t bytes = sustain__multiply(UPPER_VECTORS * (size_t)n + LOWER_VECTORS * (size_t)m, sizeof(sustain_real));
    SUSTAIN_TRY(sustain__allocate(b->context, (size_t)indices * sizeof(int64_t) + bytes, &l->memory));
    l->index = l->memory;
    l->single = l->index + upper + lower;
    sustain_real *at = (sustain_real *)(void *)(l->index + indices);
    sustain_real **const uppers[] = {&l->x, &l->x_new, &l->D, &l->D_new, &l->cross, &l->still};
    sustain_real **const lowers[] = {&l->y, &l->y_new, &l->v, &l->v_new, &l->fy, &l->w, &l->hw, &l->cg.r, &l->cg.p, &l->cg.q};
    for (size_t i = 0; i < sizeof uppers / sizeof *uppers; i++) *uppers[i] = at, at += n;
    for (size_t i = 0; i < sizeof lowers / sizeof *lowers; i++) *lowers[i] = at, at += m;
    l->seen.whole = whole(b);
    if (!l->seen.whole) {
        const sustain__sampler sampler = {.problem = p, .seed = seed, .shuffle = true};
        /* A small draw has the same samples at both levels, where there are as many: they may come
         * in pairs, as the support and the queries of a task do. */
        const bool pairs = l->bound > 0 && p->samples[SUSTAIN_UPPER] == p->samples[SUSTAIN_LOWER];
        l->draw[SUSTAIN_UPPER] = sustain__draw(&sampler, SUSTAIN_UPPER, SUSTAIN__STREAM_ESTIMATE, 0, upper, l->index);
        l->draw[SUSTAIN_LOWER] = sustain__draw(&sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_ESTIMATE + !pairs, 0, lower, l->index + upper);
        l->xi = &l->draw[SUSTAIN_UPPER];
        l->zeta = &l->draw[SUSTAIN_LOWER];
    }
    sustain__copy(n, x, l->x);
    sustain__copy(m, y, l->y);
    sustain__zero(m, l->v);
    return SUSTAIN_OK;
}

/* ---- the bound ---- */

/* Gradients and products so far, one a sample. */
static int64_t used(const prober *l) {
    const sustain_counts *c = &l->counts;
    return c->gradients[SUSTAIN_UPPER] + c->gradients[SUSTAIN_LOWER] + c->hessian_products + c->cross_products;
}

/* How many of `count` calls on the large draw this part of the bound pays for. */
static int64_t paid(const prober *l, double part, int64_t count) {
    if (l->bound == 0) return count;
    const int64_t all = l->oracle.problem->samples[SUSTAIN_LOWER];
    const int64_t size = !l->seen.whole ? l->draw[SUSTAIN_LOWER].size : all > 0 ? all : 1;
    const int64_t some = (int64_t)(part * (double)l->bound) / size;
    return some > count ? count : some < FEWEST ? FEWEST : some;
}

/* Whether the path may have another step of `cost` samples. */
static bool affordable(const prober *l, int64_t cost) {
    return l->bound == 0 || used(l) + cost <= l->bound / 4 * 3;
}

/* ---- ell and its gradient ---- */

/* At x_new: y_new and v_new, which hold initial guesses, the value and D_new. Inexact solutions of
 * Newton's method and conjugate gradient are accepted. */
static sustain_status exact(prober *l) {
    sustain__oracle *o = &l->oracle;
    const int64_t products = paid(l, 1.0 / 32, INT64_MAX);
    sustain_status status = sustain__lower_solve_within(o, l->zeta, l->x_new, l->tolerance, products, l->y_new);
    if (status != SUSTAIN_OK && status != SUSTAIN_NOT_CONVERGED) return status;
    status = sustain__f_value(o, l->xi, l->x_new, l->y_new, &l->value_new);
    /* not needed: the path uses gradients only */
    if (status == SUSTAIN_DRAW_DROPPED) l->value_new = NAN;
    if (status != SUSTAIN_DRAW_DROPPED) SUSTAIN_TRY(status);
    SUSTAIN_TRY(sustain__f_grad(o, l->xi, l->x_new, l->y_new, l->D_new, l->fy));
    sustain__hessian hessian = {.oracle = o, .zeta = l->zeta, .x = l->x_new, .y = l->y_new};
    l->cg.context = l->solver->context, l->cg.n = o->problem->lower_dim, l->cg.product = sustain__hessian_product, l->cg.user = &hessian;
    l->cg.tolerance = ACCURATE, l->cg.limit = products < PROBE_PRODUCTS ? products : PROBE_PRODUCTS;
    status = sustain__cg_solve(&l->cg, l->fy, l->v_new);
    if (status != SUSTAIN_OK && status != SUSTAIN_NOT_CONVERGED && status != SUSTAIN_NOT_CONVEX) return status;
    SUSTAIN_TRY(sustain__g_cross_vec(o, l->zeta, l->x_new, l->y_new, l->v_new, l->cross));
    sustain__add(o->problem->upper_dim, -1, l->cross, l->D_new);
    return SUSTAIN_OK;
}

static void swap(sustain_real **a, sustain_real **b) {
    sustain_real *kept = *a;
    *a = *b, *b = kept;
}

/* The new point becomes the point. */
static void accept(prober *l) {
    swap(&l->x, &l->x_new);
    swap(&l->y, &l->y_new);
    swap(&l->v, &l->v_new);
    swap(&l->D, &l->D_new);
    l->value = l->value_new;
}

/* y and v where the last ones ended. */
static void follow(prober *l) {
    sustain__copy(l->oracle.problem->lower_dim, l->y, l->y_new);
    sustain__copy(l->oracle.problem->lower_dim, l->v, l->v_new);
}

/* The same, or with a bound always those of the start: products that do not suffice for a solution
 * then make D a function of x alone. */
static void guess(prober *l) {
    follow(l);
    if (l->bound == 0) return;
    sustain__copy(l->oracle.problem->lower_dim, l->y_0, l->y_new);
    sustain__zero(l->oracle.problem->lower_dim, l->v_new);
}

/* x_0, y*(x_0): the start of the path. */
static sustain_status begin(prober *l) {
    const int64_t n = l->oracle.problem->upper_dim, m = l->oracle.problem->lower_dim;
    SUSTAIN_TRY(sustain__g_grad_y(&l->oracle, l->zeta, l->x, l->y, l->hw));
    l->tolerance = fmax(CLOSE * sustain__norm(m, l->hw), sustain__rounding() * l->seen.L_g * sustain__norm(m, l->y));
    sustain__copy(n, l->x, l->x_new);
    guess(l);
    SUSTAIN_TRY(exact(l));
    accept(l);
    l->first = l->largest = sustain__norm(n, l->D);
    return SUSTAIN_OK;
}

/* ---- the path ---- */

/* One step of length a; *taken is false, and the point unchanged, where it was too long. */
static sustain_status try_step(prober *l, double a, bool *taken) {
    const int64_t n = l->oracle.problem->upper_dim;
    sustain__copy(n, l->x, l->x_new);
    sustain__add(n, -a, l->D, l->x_new);
    SUSTAIN_TRY(sustain__project_x(&l->oracle, l->x_new));
    guess(l);
    const sustain_status status = exact(l);
    *taken = false;
    if (status == SUSTAIN_NOT_FINITE) return SUSTAIN_OK; /* far out */
    SUSTAIN_TRY(status);
    const double changed = sustain__distance(n, l->D, l->D_new), rounding = 8 * sustain__rounding() * fabs(l->value);
    *taken = changed <= 2 * sustain__norm(n, l->D) && !(l->value_new > l->value + rounding) && sustain__distance(n, l->x, l->x_new) > 0;
    return SUSTAIN_OK;
}

/* How D changes along the step to x_new with y and v held fixed. */
static sustain_status lower_own(prober *l) {
    const int64_t n = l->oracle.problem->upper_dim;
    double along = 0;
    SUSTAIN_TRY(sustain__f_grad(&l->oracle, l->xi, l->x_new, l->y, l->still, l->fy));
    SUSTAIN_TRY(sustain__g_cross_vec(&l->oracle, l->zeta, l->x_new, l->y, l->v, l->cross));
    for (int64_t j = 0; j < n; j++)
        along += ((double)l->still[j] - (double)l->cross[j] - (double)l->D[j]) * ((double)l->x_new[j] - (double)l->x[j]);
    l->seen.own = fmin(l->seen.own, along / pow(sustain__distance(n, l->x, l->x_new), 2));
    return SUSTAIN_OK;
}

static sustain_status walk(prober *l, const sustain_real *x_0) {
    const int64_t n = l->oracle.problem->upper_dim;
    double a = 0.01 * fabs(l->value) / (l->first * l->first);
    /* D changed along a step: from here on steps grow slowly, because D may also vanish far away */
    bool seen = false;
    double rejected = 0;
    int64_t cost = 0;
    if (!(l->first > 0)) return SUSTAIN_OK;
    l->seen.own = INFINITY;
    if (!(a > 0)) a = 0.01 * fmax(1, sustain__norm(n, l->x)) / l->first;
    for (int i = 0; i < PROBE_STEPS && sustain__norm(n, l->D) > 0.1 * l->largest && (i == 0 || affordable(l, cost)); i++) {
        bool taken;
        const int64_t before = used(l);
        SUSTAIN_TRY(try_step(l, a, &taken));
        cost = used(l) - before;
        const double curvature = sustain__distance(n, l->D, l->D_new) / sustain__distance(n, l->x, l->x_new);
        if (!taken) {
            a /= seen ? 4 : 16;
            rejected = isfinite(curvature) ? curvature : rejected;
            continue;
        }
        l->seen.curvature = fmax(l->seen.curvature, curvature);
        SUSTAIN_TRY(lower_own(l));
        seen = seen || curvature * a > 0.1;
        a = fmin((seen ? 2 : 8) * a, 1 / curvature);
        accept(l);
        l->largest = fmax(l->largest, sustain__norm(n, l->D));
    }
    if (l->bound > 0 && l->seen.curvature == 0) l->seen.curvature = rejected; /* the bound ended the path */
    l->seen.distance = sustain__distance(n, l->x, x_0);
    for (int64_t j = 0; j < n; j++) l->seen.reach = fmax(l->seen.reach, fabs((double)l->x[j] - (double)x_0[j]));
    return SUSTAIN_OK;
}

/* ---- the Hessian ---- */

static sustain_status raise_L_g(prober *l, uint64_t seed) {
    sustain_solver *b = l->solver;
    double L_g;
    if (b->common.L_g > 0) return SUSTAIN_OK;
    const bool steady = sustain__tuning_of(b)->steady;
    SUSTAIN_TRY(
        sustain__estimate_within(b->context, l->oracle.problem, sustain__estimate_batch(b), seed, l->bound / 16, steady, l->x, l->y, &L_g));
    l->seen.L_g = fmax(l->seen.L_g, L_g);
    return SUSTAIN_OK;
}

/* Where a bound ended the count: `before` is missed after K/2 terms, `missed` after K, and it goes
 * on falling like that down to `enough`. */
static double beyond(double K, double before, double missed, double enough) {
    const double terms = before > missed && missed > 0 ? K / 2 * (2 + log(missed / enough) / log(before / missed)) : MOST_TERMS;
    return fmin(terms, MOST_TERMS);
}

/* With w_0 = v = H^{-1} grad_y f and w_{q+1} = (I - H/L_g) w_q, K terms of the series miss J w_K:
 * the first K = 1, 2, 4, ... for which that is small, and from there back to where it became so, as
 * if it fell geometrically. */
static sustain_status raise_terms(prober *l) {
    const int64_t n = l->oracle.problem->upper_dim, m = l->oracle.problem->lower_dim;
    double missed = 0, before = 0, terms = 1;
    int64_t K = 0, next = 1;
    const int64_t most = paid(l, 1.0 / 16, MOST_TERMS);
    sustain__copy(m, l->v, l->w);
    for (; K < most; K++) {
        if (K == next || K == 0) {
            SUSTAIN_TRY(sustain__g_cross_vec(&l->oracle, l->zeta, l->x, l->y, l->w, l->cross));
            before = missed, missed = sustain__norm(n, l->cross);
            if (!(missed > BIAS * l->largest)) break;
            next = K == 0 ? 1 : 2 * K;
        }
        SUSTAIN_TRY(sustain__g_hess_vec(&l->oracle, l->zeta, l->x, l->y, l->w, l->hw));
        sustain__add(m, -1 / l->seen.L_g, l->hw, l->w);
    }
    if (K >= 1) terms = (double)K;
    if (K >= 2 && K < most && before > missed && missed > 0)
        terms = (double)K / 2 * (1 + log(before / (BIAS * l->largest)) / log(before / missed));
    l->seen.terms = fmax(l->seen.terms, fmin(terms, MOST_TERMS));
    if (K == most && most < MOST_TERMS)
        l->seen.settling = fmax(l->seen.settling, beyond((double)next / 2, before, missed, BIAS * l->largest));
    return SUSTAIN_OK;
}

/* ---- single estimates ---- */

/* Of the samples of the large draw alone, where a bound made it small: y is solved for no
 * others. */
static sustain_batch single_draw(const prober *l, const sustain__sampler *sampler, sustain_level level, uint32_t stream, int64_t i,
                                 int64_t *index) {
    const sustain_batch *from = &l->draw[level];
    sustain_problem some = *sampler->problem;
    sustain__sampler own = *sampler;
    const bool part = l->bound > 0 && from->index != NULL;
    if (part) some.samples[level] = from->size, own.problem = &some;
    sustain_batch batch = sustain__draw(&own, level, stream, i, l->solver->common.batch, index);
    for (int64_t j = 0; part && j < batch.size; j++) index[j] = from->index[index[j]];
    batch.iteration = 0; /* for messages: the run has not begun */
    return batch;
}

/* One step on y and on v with a single draw, and the estimate D^ = grad_x f - J v there. */
static sustain_status chain_step(prober *l, const sustain__sampler *sampler, int64_t i, double beta) {
    const int64_t m = l->oracle.problem->lower_dim, B = l->solver->common.batch;
    const sustain_batch xi = single_draw(l, sampler, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, i, l->single);
    const sustain_batch zeta = single_draw(l, sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER, i, l->single + B);
    SUSTAIN_TRY(sustain__f_grad(&l->oracle, &xi, l->x, l->y_new, l->D_new, l->fy));
    SUSTAIN_TRY(sustain__g_cross_vec(&l->oracle, &zeta, l->x, l->y_new, l->v_new, l->cross));
    SUSTAIN_TRY(sustain__g_hess_vec(&l->oracle, &zeta, l->x, l->y_new, l->v_new, l->hw));
    SUSTAIN_TRY(sustain__g_grad_y(&l->oracle, &zeta, l->x, l->y_new, l->w));
    sustain__add(l->oracle.problem->upper_dim, -1, l->cross, l->D_new);
    sustain__add(m, -beta, l->w, l->y_new);
    sustain__add(m, -beta, l->hw, l->v_new);
    sustain__add(m, beta, l->fy, l->v_new);
    return SUSTAIN_OK;
}

/* How many to draw: larger ones vary less and cost more. */
static int64_t draws(const prober *l) {
    enum { CALLS_OF_ONE = 4 };
    const int64_t B = l->solver->common.batch, some = PROBE_DRAWS * (int64_t)PROBE_BATCH / B;
    const int64_t usual = some > PROBE_DRAWS ? PROBE_DRAWS : some < LEAST_DRAWS ? LEAST_DRAWS : some;
    const int64_t bounded = l->bound / 8 / (CALLS_OF_ONE * B);
    return l->bound == 0 || bounded > usual ? usual : bounded < FEWEST ? FEWEST : bounded;
}

/* How much single estimates vary with x held fixed, while y and v start at their solutions and move
 * by single draws. Where a draw touches only its own coordinates of x, one in n, even exact
 * estimates have n times the square: that is not noise. */
static sustain_status measure_noise(prober *l, uint64_t seed) {
    const sustain__sampler sampler = {.problem = l->solver->probe_problem, .seed = seed};
    const int64_t n = l->oracle.problem->upper_dim;
    int64_t done = 0;
    double squares = 0, jumps = 0;
    follow(l);
    for (int64_t i = 0; i < draws(l); i++) {
        const sustain_status status = chain_step(l, &sampler, i, 0.5 / l->seen.L_g);
        if (status == SUSTAIN_DRAW_DROPPED) continue; /* as an iteration would */
        SUSTAIN_TRY(status);
        squares += pow(sustain__distance(n, l->D_new, l->D), 2);
        jumps += pow(sustain__max_abs(n, l->D_new), 2);
        done++;
    }
    if (done > 0) l->seen.jump = fmax(l->seen.jump, sqrt(jumps / (double)done));
    if (SUSTAIN__FAST(l->oracle.problem, support) != NULL && l->oracle.problem->samples[SUSTAIN_LOWER] > 0)
        squares /= (double)l->oracle.problem->samples[SUSTAIN_LOWER];
    if (done > 0) l->error = fmax(l->error, squares / (double)done);
    return SUSTAIN_OK;
}

static sustain_status probe(prober *l, uint64_t seed, const sustain_real *x_0) {
    SUSTAIN_TRY(raise_L_g(l, seed));
    SUSTAIN_TRY(begin(l));
    SUSTAIN_TRY(raise_terms(l));
    const bool draws_something = !l->solver->algorithm->info.deterministic;
    if (draws_something) SUSTAIN_TRY(measure_noise(l, seed));
    const double L_g = l->seen.L_g;
    SUSTAIN_TRY(walk(l, x_0));
    SUSTAIN_TRY(raise_L_g(l, seed));
    l->seen.terms = fmin(l->seen.terms * l->seen.L_g / L_g, MOST_TERMS);
    l->seen.settling = fmin(l->seen.settling * l->seen.L_g / L_g, MOST_TERMS);
    SUSTAIN_TRY(raise_terms(l));
    if (draws_something) SUSTAIN_TRY(measure_noise(l, seed + 1));
    if (l->first > 0) l->seen.noise = l->error / (l->first * l->largest);
    return SUSTAIN_OK;
}

static sustain_status probe_from(prober *l, sustain_solver *solver, uint64_t seed, const sustain_real *x, const sustain_real *y) {
    sustain_status status = create(l, solver, seed, x, y);
    if (status == SUSTAIN_OK) status = probe(l, seed, x);
    sustain__oracle_destroy(&l->oracle);
    sustain__free(solver->context, l->memory);
    SUSTAIN_TRY(status);
    if (isfinite(l->first) && isfinite(l->seen.curvature) && isfinite(l->seen.noise)) return SUSTAIN_OK;
    return sustain__fail(solver->context, SUSTAIN_NOT_FINITE, "the hypergradient of problem '%s' is not finite near the start",
                         solver->probe_problem->ops->name);
}

static sustain_status probe_checked(prober *l, sustain_solver *solver, uint64_t seed, const sustain_real *x, const sustain_real *y) {
    const sustain_status status = probe_from(l, solver, seed, x, y);
    if (status != SUSTAIN_NOT_FINITE || solver->common.check == 0) return status;
    /* check=on: repeated, to name the oracle */
    const sustain_problem *unchecked = solver->probe_problem;
    sustain__checked checked;
    sustain__checked_init(&checked, unchecked, solver->context);
    solver->probe_problem = &checked.wrapper.problem;
    const sustain_status named = probe_from(l, solver, seed, x, y);
    solver->probe_problem = unchecked;
    return named;
}

sustain_status sustain__probe_problem(sustain_solver *solver, uint64_t seed, const sustain_real *x, const sustain_real *y,
                                      sustain__probe *out) {
    prober l;
    SUSTAIN_TRY(probe_checked(&l, solver, seed, x, y));
    *out = l.seen;
    return SUSTAIN_OK;
}
