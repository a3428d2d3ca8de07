/* estimate.c - constants of the theory from a problem, by power iteration and sampling. */
#include <sustain/estimate.h>

#include <math.h>

#include "core/vector.h"
#include "oracle/draw.h"
#include "oracle/oracle.h"
#include "theory/estimate_within.h"

enum { DRAWS = 8, POWER_ITERATIONS = 30, SCREEN_ITERATIONS = 4, SCREEN_SAMPLES = 4096, SCREEN_DRAWS = 512, PAIRS = 12 };
#define MARGIN 1.1         /* of eigenvalues */
#define SAMPLED_MARGIN 1.5 /* of maxima over samples */
/* sampled points are this far from the start, relative to its length (at least 1) */
#define REACH 0.5

typedef struct estimator {
    sustain_context *context;
    const sustain_problem *problem;
    sustain__oracle oracle;
    sustain__sampler sampler;
    int64_t batch, draws; /* draws made so far: each is a new one */
    int64_t samples;      /* that eigenvalues may use; 0: no bound */
    int64_t *index;
    sustain_real *x[2], *y[2]; /* points */
    sustain_real *upper[2], *lower[4];
    void *memory;
} estimator;

/* Eigenvalues of the Hessian need no vectors of the length of x, which may be large. */
static sustain_status prepare(estimator *e, sustain_context *context, const sustain_problem *problem, int64_t batch, uint64_t seed,
                              const sustain_real *x, const sustain_real *y, bool hessian_only) {
    const int64_t n = problem->upper_dim, m = problem->lower_dim;
    *e = (estimator){.context = context, .problem = problem, .batch = batch, .sampler = {.problem = problem, .seed = seed}};
    const size_t reals = (hessian_only ? 1 : 4) * (size_t)n + 6 * (size_t)m;
    SUSTAIN_TRY(sustain__allocate(context, (size_t)batch * sizeof(int64_t) + sustain__multiply(reals, sizeof(sustain_real)), &e->memory));
    e->index = e->memory;
    sustain_real *at = (sustain_real *)(void *)(e->index + batch);
    for (int i = 0; i < 2; i++) e->y[i] = at, at += m;
    for (int i = 0; i < 4; i++) e->lower[i] = at, at += m;
    e->x[0] = at, at += n;
    if (!hessian_only) e->x[1] = at, e->upper[0] = at + n, e->upper[1] = at + 2 * n;
    sustain__copy(n, x, e->x[0]);
    sustain__copy(m, y, e->y[0]);
    return sustain__oracle_create(context, problem, batch > 0 ? batch : 1, hessian_only, &e->oracle);
}

static void finish(estimator *e) {
    sustain__oracle_destroy(&e->oracle);
    sustain__free(e->context, e->memory);
}

static sustain_batch fresh(estimator *e, sustain_level level) {
    sustain_batch batch = sustain__draw(&e->sampler, level, SUSTAIN__STREAM_ESTIMATE, e->draws++, e->batch, e->index);
    batch.iteration = 0; /* for messages: the run has not begun */
    return batch;
}

static void random_vector(estimator *e, int64_t n, sustain_real *v) {
    const uint64_t t = (uint64_t)e->draws++;
    for (int64_t i = 0; i < n; i++) v[i] = (sustain_real)sustain_random_normal(e->sampler.seed, SUSTAIN__STREAM_ESTIMATE, t, (uint32_t)i);
}

/* Scales v to length 1; false if it is zero. */
static bool normalize(int64_t n, sustain_real *v) {
    const double length = sustain__norm(n, v);
    if (!(length > 0)) return false;
    sustain__scale(n, 1 / length, v);
    return true;
}

/* The largest eigenvalue of shift I - H (shift > 0) or of H (shift = 0), H of one draw. */
static sustain_status largest_eigenvalue(estimator *e, const sustain_batch *zeta, double shift, int iterations, double *value) {
    const int64_t m = e->problem->lower_dim;
    sustain_real *v = e->lower[0], *w = e->lower[1];
    random_vector(e, m, v);
    *value = 0;
    for (int i = 0; i < iterations && normalize(m, v); i++) {
        SUSTAIN_TRY(sustain__g_hess_vec(&e->oracle, zeta, e->x[0], e->y[0], v, w));
        if (shift > 0) {
            sustain__scale(m, -1, w);
            sustain__add(m, shift, v, w);
        }
        *value = sustain__dot(m, v, w);
        sustain__copy(m, w, v);
    }
    return SUSTAIN_OK;
}

/* How many of `count` things that take `each` samples half of the bound pays for, at least two. */
static int64_t within(const estimator *e, int64_t count, int64_t each) {
    const int64_t paid = e->samples / 2 / each;
    return e->samples == 0 || paid >= count ? count : paid < 2 ? 2 : paid;
}

static sustain_status no_eigenvalue(const estimator *e) {
    return sustain__fail(e->context, SUSTAIN_NOT_CONVEX, "the Hessian of problem '%s' has no positive eigenvalue at the start",
                         e->problem->ops->name);
}

/* Of the expected value: one Hessian, and no draw. */
static sustain_status largest_expected(estimator *e, double *L_g) {
    const int64_t all = e->problem->samples[SUSTAIN_LOWER];
    SUSTAIN_TRY(largest_eigenvalue(e, NULL, 0, (int)within(e, POWER_ITERATIONS, all > 0 ? all : 1), L_g));
    *L_g *= MARGIN;
    return *L_g > 0 && isfinite(*L_g) ? SUSTAIN_OK : no_eigenvalue(e);
}

/* Statistics of the largest eigenvalues of many draws. */
typedef struct eigenvalues {
    double largest, sum, squares;
} eigenvalues;

/* Draw i of the screening: sample i, where all samples are screened, else a random one. A draw and
 * the start of its power iteration take two numbers. */
static sustain_batch screened(estimator *e, bool each, int64_t first, int64_t i) {
    e->draws = first + 2 * i;
    const sustain_batch zeta = fresh(e, SUSTAIN_LOWER);
    if (each) e->index[0] = i;
    return zeta;
}

/* A short power iteration screens many draws; the draw with the largest value gets a full one. */
static sustain_status screen(estimator *e, eigenvalues *seen) {
    const int64_t all = e->problem->samples[SUSTAIN_LOWER], many = SCREEN_SAMPLES / e->batch, first = e->draws;
    const int64_t usual = many < DRAWS ? DRAWS : many > SCREEN_DRAWS ? SCREEN_DRAWS : many;
    const int64_t most = within(e, usual, SCREEN_ITERATIONS * e->batch);
    const bool each = e->batch == 1 && all > 0 && all <= most;
    const int64_t draws = each ? all : most;
    int64_t heaviest = 0;
    double value;
    *seen = (eigenvalues){0};
    for (int64_t i = 0; i < draws; i++) {
        const sustain_batch zeta = screened(e, each, first, i);
        const sustain_status status = largest_eigenvalue(e, &zeta, 0, SCREEN_ITERATIONS, &value);
        if (status == SUSTAIN_DRAW_DROPPED) continue; /* there are enough */
        SUSTAIN_TRY(status);
        if (value > seen->largest) seen->largest = value, heaviest = i;
        seen->sum += value;
        seen->squares += value * value;
    }
    const sustain_batch zeta = screened(e, each, first, heaviest);
    SUSTAIN_TRY(largest_eigenvalue(e, &zeta, 0, (int)within(e, POWER_ITERATIONS, e->batch), &value));
    e->draws = first + 2 * draws;
    seen->largest = fmax(seen->largest, value);
    return seen->largest > 0 && isfinite(seen->largest) ? SUSTAIN_OK : no_eigenvalue(e);
}

/* The largest value among many draws, which a few samples of large norm determine. */
static sustain_status largest(estimator *e, double *L_g) {
    if (e->batch == 0) return largest_expected(e, L_g);
    eigenvalues seen;
    SUSTAIN_TRY(screen(e, &seen));
    *L_g = MARGIN * seen.largest;
    return SUSTAIN_OK;
}

/* (I - H/L) of a draw shrinks vectors in the mean square where E H^2 <= L E H. If the leading
 * eigenvectors of all draws were parallel, L would be E l^2 / E l, with l the largest eigenvalue of
 * a draw; L is smaller where they differ. */
static sustain_status steady(estimator *e, double *L) {
    if (e->batch == 0) return largest_expected(e, L);
    eigenvalues seen;
    SUSTAIN_TRY(screen(e, &seen));
    *L = MARGIN * seen.squares / seen.sum;
    return SUSTAIN_OK;
}

/* L_g - (largest of L_g I - H): too large where the gap of the spectrum is small, hence the
 * margin. */
static sustain_status smallest(estimator *e, double L_g, double *mu_g) {
    *mu_g = L_g;
    for (int i = 0; i < DRAWS; i++) {
        const sustain_batch zeta = fresh(e, SUSTAIN_LOWER);
        double value;
        SUSTAIN_TRY(largest_eigenvalue(e, &zeta, L_g, POWER_ITERATIONS, &value));
        if (L_g - value < *mu_g) *mu_g = L_g - value;
    }
    if (!(*mu_g > 0))
        return sustain__fail(e->context, SUSTAIN_NOT_CONVEX,
                             "the Hessian of problem '%s' is not positive definite at the start (eigenvalue %g)", e->problem->ops->name,
                             *mu_g);
    *mu_g /= MARGIN;
    return SUSTAIN_OK;
}

/* The norm of the cross block J of some draws: power iteration on J'J, J'd by differences of grad_y
 * g along d. */
static sustain_status cross_norm(estimator *e, double *C_gxy) {
    const int64_t n = e->problem->upper_dim, m = e->problem->lower_dim;
    const double h = sizeof(sustain_real) == sizeof(double) ? 1e-5 : 1e-2;
    sustain_real *v = e->lower[0], *up = e->lower[1], *down = e->lower[2], *d = e->upper[0], *moved = e->upper[1];
    *C_gxy = 0;
    for (int draw = 0; draw < DRAWS; draw++) {
        const sustain_batch zeta = fresh(e, SUSTAIN_LOWER);
        random_vector(e, m, v);
        for (int i = 0; i < POWER_ITERATIONS / 3 && normalize(m, v); i++) {
            SUSTAIN_TRY(sustain__g_cross_vec(&e->oracle, &zeta, e->x[0], e->y[0], v, d));
            const double value = sustain__norm(n, d);
            if (value > *C_gxy) *C_gxy = value;
            if (!normalize(n, d)) break;
            sustain__copy(n, e->x[0], moved);
            sustain__add(n, h, d, moved);
            SUSTAIN_TRY(sustain__g_grad_y(&e->oracle, &zeta, moved, e->y[0], up));
            sustain__add(n, -2 * h, d, moved);
            SUSTAIN_TRY(sustain__g_grad_y(&e->oracle, &zeta, moved, e->y[0], down));
            sustain__add(m, -1, down, up);
            sustain__copy(m, up, v);
        }
    }
    *C_gxy *= MARGIN;
    return SUSTAIN_OK;
}

static void raise_to(double *most, double value) {
    if (value > *most) *most = value;
}

/* (x[1], y[1]): a random point around the start; upper[0] and lower[0] are scratch. */
static bool random_point(estimator *e) {
    const int64_t n = e->problem->upper_dim, m = e->problem->lower_dim;
    random_vector(e, n, e->upper[0]);
    random_vector(e, m, e->lower[0]);
    if (!normalize(n, e->upper[0]) || !normalize(m, e->lower[0])) return false;
    sustain__copy(n, e->x[0], e->x[1]);
    sustain__copy(m, e->y[0], e->y[1]);
    sustain__add(n, REACH * fmax(1, sustain__norm(n, e->x[0])), e->upper[0], e->x[1]);
    sustain__add(m, REACH * fmax(1, sustain__norm(m, e->y[0])), e->lower[0], e->y[1]);
    return true;
}

static void swap_points(estimator *e) {
    sustain_real *x = e->x[0], *y = e->y[0];
    e->x[0] = e->x[1], e->y[0] = e->y[1];
    e->x[1] = x, e->y[1] = y;
}

/* Where the cross block vanishes at the start, as that of penalties does at y = 0: the largest norm
 * at a few points around it. The draws of the other estimates stay the same. */
static sustain_status cross_norm_around(estimator *e, double *C_gxy) {
    enum { POINTS = 4, FAR = 1 << 20 };
    const int64_t draws = e->draws;
    e->draws += FAR;
    for (int i = 0; i < POINTS; i++) {
        double norm = 0;
        if (!random_point(e)) continue;
        swap_points(e);
        const sustain_status status = cross_norm(e, &norm);
        swap_points(e);
        SUSTAIN_TRY(status);
        raise_to(C_gxy, norm);
    }
    e->draws = draws;
    return SUSTAIN_OK;
}

/* Lipschitz constants and the bound of grad_y f: the largest ratio between pairs of sampled
 * points. */
static sustain_status sample_pairs(estimator *e, sustain_constants *seen) {
    const int64_t n = e->problem->upper_dim, m = e->problem->lower_dim;
    sustain_real *v = e->lower[3];
    for (int pair = 0; pair < PAIRS; pair++) {
        if (!random_point(e)) continue;
        const double apart = hypot(sustain__distance(n, e->x[0], e->x[1]), sustain__distance(m, e->y[0], e->y[1]));

        const sustain_batch xi = fresh(e, SUSTAIN_UPPER);
        SUSTAIN_TRY(sustain__f_grad(&e->oracle, &xi, e->x[0], e->y[0], e->upper[0], e->lower[0]));
        SUSTAIN_TRY(sustain__f_grad(&e->oracle, &xi, e->x[1], e->y[1], e->upper[1], e->lower[1]));
        raise_to(&seen->L_fx, sustain__distance(n, e->upper[0], e->upper[1]) / apart);
        raise_to(&seen->L_fy, sustain__distance(m, e->lower[0], e->lower[1]) / apart);
        raise_to(&seen->C_fy, sustain__norm(m, e->lower[0]));
        raise_to(&seen->C_fy, sustain__norm(m, e->lower[1]));

        const sustain_batch zeta = fresh(e, SUSTAIN_LOWER);
        random_vector(e, m, v);
        if (!normalize(m, v)) continue;
        SUSTAIN_TRY(sustain__g_hess_vec(&e->oracle, &zeta, e->x[0], e->y[0], v, e->lower[0]));
        SUSTAIN_TRY(sustain__g_hess_vec(&e->oracle, &zeta, e->x[1], e->y[1], v, e->lower[1]));
        raise_to(&seen->L_gyy, sustain__distance(m, e->lower[0], e->lower[1]) / apart);
        SUSTAIN_TRY(sustain__g_cross_vec(&e->oracle, &zeta, e->x[0], e->y[0], v, e->upper[0]));
        SUSTAIN_TRY(sustain__g_cross_vec(&e->oracle, &zeta, e->x[1], e->y[1], v, e->upper[1]));
        raise_to(&seen->L_gxy, sustain__distance(n, e->upper[0], e->upper[1]) / apart);
    }
    return SUSTAIN_OK;
}

/* Standard deviations at the start: half the mean squared distance of two independent draws is the
 * variance. */
static sustain_status sample_noise(estimator *e, sustain_constants *seen) {
    const int64_t n = e->problem->upper_dim, m = e->problem->lower_dim;
    double fx = 0, fy = 0, g = 0, cross = 0;
    sustain_real *v = e->lower[3];
    for (int pair = 0; pair < PAIRS; pair++) {
        random_vector(e, m, v);
        normalize(m, v);
        for (int i = 0; i < 2; i++) {
            const sustain_batch xi = fresh(e, SUSTAIN_UPPER);
            SUSTAIN_TRY(sustain__f_grad(&e->oracle, &xi, e->x[0], e->y[0], e->upper[i], e->lower[i]));
        }
        fx += pow(sustain__distance(n, e->upper[0], e->upper[1]), 2) / (2 * PAIRS);
        fy += pow(sustain__distance(m, e->lower[0], e->lower[1]), 2) / (2 * PAIRS);
        for (int i = 0; i < 2; i++) {
            const sustain_batch zeta = fresh(e, SUSTAIN_LOWER);
            SUSTAIN_TRY(sustain__g_grad_y(&e->oracle, &zeta, e->x[0], e->y[0], e->lower[i]));
            SUSTAIN_TRY(sustain__g_cross_vec(&e->oracle, &zeta, e->x[0], e->y[0], v, e->upper[i]));
        }
        g += pow(sustain__distance(m, e->lower[0], e->lower[1]), 2) / (2 * PAIRS);
        cross += pow(sustain__distance(n, e->upper[0], e->upper[1]), 2) / (2 * PAIRS);
    }
    seen->sigma_fx = sqrt(fx);
    seen->sigma_fy = sqrt(fy);
    seen->sigma_g = sqrt(g);
    seen->sigma_gxy = sqrt(cross);
    return SUSTAIN_OK;
}

static void fill(double *constant, double value) {
    if (isnan(*constant)) *constant = value;
}

static sustain_status estimate_all(estimator *e, sustain_constants *c) {
    const bool own_L_g = isnan(c->L_g), own_C_gxy = isnan(c->C_gxy);
    if (own_L_g) SUSTAIN_TRY(largest(e, &c->L_g));
    if (isnan(c->mu_g)) SUSTAIN_TRY(smallest(e, c->L_g, &c->mu_g));
    if (own_C_gxy) SUSTAIN_TRY(cross_norm(e, &c->C_gxy));
    if (own_C_gxy && c->C_gxy == 0) SUSTAIN_TRY(cross_norm_around(e, &c->C_gxy));
    /* of grad_y g in (x, y), Assumption 2(ii): at least the norm of the cross block; a known L_g is
     * not exceeded by the margin of the estimate alone */
    if (own_L_g)
        c->L_g = fmax(c->L_g, c->C_gxy);
    else if (own_C_gxy && c->C_gxy <= MARGIN * (1 + 8 * sustain__rounding()) * c->L_g)
        c->C_gxy = fmin(c->C_gxy, c->L_g);
    sustain_constants seen = {0};
    SUSTAIN_TRY(sample_pairs(e, &seen));
    SUSTAIN_TRY(sample_noise(e, &seen));
    fill(&c->L_fx, SAMPLED_MARGIN * seen.L_fx);
    fill(&c->L_fy, SAMPLED_MARGIN * seen.L_fy);
    fill(&c->C_fy, SAMPLED_MARGIN * seen.C_fy);
    fill(&c->L_gxy, SAMPLED_MARGIN * seen.L_gxy);
    fill(&c->L_gyy, SAMPLED_MARGIN * seen.L_gyy);
    fill(&c->sigma_fx, SAMPLED_MARGIN * seen.sigma_fx);
    fill(&c->sigma_fy, SAMPLED_MARGIN * seen.sigma_fy);
    fill(&c->sigma_g, SAMPLED_MARGIN * seen.sigma_g);
    fill(&c->sigma_gxy, SAMPLED_MARGIN * seen.sigma_gxy);
    return SUSTAIN_OK;
}

static void take_known(const sustain_problem *problem, sustain_constants *c) {
    if (problem->known == NULL) return;
    int count;
    const sustain_parameter *row = sustain_constants_table(&count);
    for (int i = 0; i < count; i++) {
        double *to = (double *)(void *)((char *)c + row[i].offset);
        fill(to, *(const double *)(const void *)((const char *)problem->known + row[i].offset));
    }
}

static sustain_status check_arguments(sustain_context *context, const sustain_problem *problem, int64_t batch, const sustain_real *x,
                                      const sustain_real *y, const void *out) {
    if (context == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__problem_validate(context, problem));
    if (x == NULL || y == NULL || out == NULL)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the point or the place of the estimates is NULL");
    if (batch < 1 || batch > SUSTAIN__MOST_SAMPLES)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "draws of %lld samples cannot be made", (long long)batch);
    const unsigned needs = SUSTAIN_NEEDS_G_HESS_VEC | SUSTAIN_NEEDS_G_CROSS_VEC;
    if ((sustain_problem_offers(problem) & needs) == needs) return SUSTAIN_OK;
    return sustain__fail(context, SUSTAIN_MISSING_ORACLE,
                         "estimating the constants of problem '%s' needs its oracles g_hess_vec and g_cross_vec", problem->ops->name);
}

sustain_status sustain_estimate_constants(sustain_context *context, const sustain_problem *problem, int64_t batch, uint64_t seed,
                                          const sustain_real *x, const sustain_real *y, sustain_constants *constants) {
    SUSTAIN_TRY(check_arguments(context, problem, batch, x, y, constants));
    take_known(problem, constants);
    estimator e;
    sustain_status status = prepare(&e, context, problem, batch, seed, x, y, false);
    if (status == SUSTAIN_OK) status = estimate_all(&e, constants);
    finish(&e);
    return status;
}

static bool knows_L_g(const sustain_problem *problem) {
    return problem->known != NULL && isfinite(problem->known->L_g);
}

static sustain_status check_hessian_arguments(sustain_context *context, const sustain_problem *problem, int64_t batch,
                                              const sustain_real *x, const sustain_real *y, const double *out) {
    SUSTAIN_TRY(check_arguments(context, problem, batch == 0 ? 1 : batch, x, y, out));
    if (batch > 0 || sustain__has_expectation(problem)) return SUSTAIN_OK;
    return sustain__fail(context, SUSTAIN_ARGUMENT, "problem '%s' offers no expected values to estimate from", problem->ops->name);
}

/* One number about the Hessians of draws; never above the bound that the problem knows for every
 * draw. */
static sustain_status estimate_one(sustain_context *context, const sustain_problem *problem, int64_t batch, uint64_t seed, int64_t samples,
                                   const sustain_real *x, const sustain_real *y, sustain_status (*of)(estimator *, double *), double *L) {
    estimator e;
    sustain_status status = prepare(&e, context, problem, batch, seed, x, y, true);
    e.samples = samples;
    if (status == SUSTAIN_OK) status = of(&e, L);
    finish(&e);
    if (status == SUSTAIN_OK && knows_L_g(problem)) *L = fmin(*L, problem->known->L_g);
    return status;
}

sustain_status sustain__estimate_within(sustain_context *context, const sustain_problem *problem, int64_t batch, uint64_t seed,
                                        int64_t samples, bool is_steady, const sustain_real *x, const sustain_real *y, double *L) {
    SUSTAIN_TRY(check_hessian_arguments(context, problem, batch, x, y, L));
    if (is_steady) return estimate_one(context, problem, batch, seed, samples, x, y, steady, L);
    if (batch != 1 || !knows_L_g(problem)) return estimate_one(context, problem, batch, seed, samples, x, y, largest, L);
    *L = problem->known->L_g;
    return SUSTAIN_OK;
}

sustain_status sustain_estimate_largest(sustain_context *context, const sustain_problem *problem, int64_t batch, uint64_t seed,
                                        const sustain_real *x, const sustain_real *y, double *L_g) {
    return sustain__estimate_within(context, problem, batch, seed, 0, false, x, y, L_g);
}

sustain_status sustain_estimate_steady(sustain_context *context, const sustain_problem *problem, int64_t batch, uint64_t seed,
                                       const sustain_real *x, const sustain_real *y, double *L) {
    return sustain__estimate_within(context, problem, batch, seed, 0, true, x, y, L);
}
