/* test_theory.c - the steps and bounds of Theorems 3.2 and 3.3: against tests/golden/theory.csv,
 * which tests/golden/theory.py computes from the paper with 60 digits; against the conditions that
 * the proofs use; and every refusal by its sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/constants.h>

#ifndef SUSTAIN_SOURCE_DIR
#define SUSTAIN_SOURCE_DIR "."
#endif

enum { CONSTANTS = 16, EXPECTED = 18, MOST_ROWS = 64 };

/* One row of the file, in the order of its columns. */
typedef struct row {
    bool strongly_convex;
    sustain_constants constants;
    double iterations;
    double expected[EXPECTED];
} row;

static const char *const expected_names[EXPECTED] = {"K",      "alpha",       "beta",  "c_eta_f",    "c_eta_g",       "w",
                                                     "p",      "L",           "L_f",   "L_y",        "L_K",           "L_mu_g",
                                                     "c_beta", "sigma_f_out", "bound", "bound_half", "samples_upper", "samples_lower"};

static row rows[MOST_ROWS];
static int row_count;
static sustain_context *context;

static void read_row(char *line, row *r) {
    double values[CONSTANTS + 1 + EXPECTED];
    char *at = strchr(line, ',');
    assert_non_null(at);
    r->strongly_convex = strncmp(line, "strongly_convex,", 16) == 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        assert_true(*at == ',');
        char *end;
        values[i] = strtod(at + 1, &end);
        assert_true(end > at + 1);
        at = end;
    }
    assert_true(*at == '\n');
    memcpy(&r->constants, values, sizeof r->constants);
    r->iterations = values[CONSTANTS];
    memcpy(r->expected, values + CONSTANTS + 1, sizeof r->expected);
}

static int setup(void **state) {
    (void)state;
    char line[4096];
    FILE *file = fopen(SUSTAIN_SOURCE_DIR "/tests/golden/theory.csv", "r");
    if (file == NULL) return -1;
    if (fgets(line, sizeof line, file) == NULL) return -1;
    while (row_count < MOST_ROWS && fgets(line, sizeof line, file)) read_row(line, &rows[row_count++]);
    fclose(file);
    return sustain_context_create(&context) == SUSTAIN_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    sustain_context_destroy(context);
    return 0;
}

static double square(double v) {
    return v * v;
}

static sustain_status make(const sustain_constants *c, bool strongly_convex, double T, sustain_plan *plan) {
    return strongly_convex ? sustain_plan_strongly_convex(context, c, T, plan) : sustain_plan_nonconvex(context, c, T, plan);
}

/* Constants that both theorems accept, with all that predictions need. */
static sustain_constants complete(void) {
    return (sustain_constants){.mu_g = 0.5,
                               .L_g = 2,
                               .L_fx = 0.7,
                               .L_fy = 0.3,
                               .C_fy = 0.8,
                               .L_gxy = 0.2,
                               .L_gyy = 0.1,
                               .C_gxy = 0.4,
                               .mu_f = 0.05,
                               .sigma_f = 0.3,
                               .sigma_g = 0.2,
                               .sigma_fx = 0.1,
                               .sigma_fy = 0.1,
                               .sigma_gxy = 0.1,
                               .gap = 3,
                               .distance = 2};
}

static double *member(sustain_constants *c, const sustain_parameter *p) {
    return (double *)((char *)c + p->offset);
}

/* ---- numbers ---- */

static void compare(int number, const char *name, double got, double want) {
    if (isnan(want) ? isnan(got) : fabs(got - want) <= 1e-12 * fabs(want)) return;
    fail_msg("row %d of theory.csv: %s is %.17g, should be %.17g", number, name, got, want);
}

static void equals_golden_numbers(void **state) {
    (void)state;
    int of[2] = {0, 0};
    for (int i = 0; i < row_count; i++) {
        const row *r = &rows[i];
        sustain_plan plan;
        if (make(&r->constants, r->strongly_convex, r->iterations, &plan) != SUSTAIN_OK) fail_msg("row %d: %s", i, sustain_error(context));
        const double half = r->strongly_convex ? sustain_plan_bound_at(&r->constants, &plan, r->iterations / 2) : (double)NAN;
        const sustain_steps *s = &plan.steps;
        const double got[EXPECTED] = {(double)s->K, s->alpha,     s->beta,    s->c_eta_f, s->c_eta_g,         s->w,
                                      s->p,         plan.L,       plan.L_f,   plan.L_y,   plan.L_K,           plan.L_mu_g,
                                      plan.c_beta,  plan.sigma_f, plan.bound, half,       plan.samples_upper, plan.samples_lower};
        for (int j = 0; j < EXPECTED; j++) compare(i, expected_names[j], got[j], r->expected[j]);
        compare(i, "steps.L_g", s->L_g, r->constants.L_g);
        compare(i, "iterations", plan.iterations, r->iterations);
        of[r->strongly_convex]++;
    }
    assert_true(of[0] >= 12 && of[1] >= 12);
}

/* By hand: all constants 1 but L_g = 2, no L_gxy and L_gyy. L = 2, L_f = 4, L_y = 1, L_mu_g = 2/3,
 * c_beta = 18 sqrt(2). */
static void equals_an_example_by_hand(void **state) {
    (void)state;
    sustain_constants c = complete();
    c.mu_g = c.L_fx = c.L_fy = c.C_fy = c.C_gxy = c.mu_f = 1;
    c.L_g = 2;
    c.L_gxy = c.L_gyy = 0;
    sustain_plan plan;
    assert_int_equal(sustain_plan_nonconvex(context, &c, 20, &plan), SUSTAIN_OK); /* log 20 = 2.9957: K = 6 */
    assert_int_equal(plan.steps.K, 6);
    compare(0, "L", plan.L, 2);
    compare(0, "L_f", plan.L_f, 4);
    compare(0, "c_beta", plan.c_beta, 18 * sqrt(2));
    compare(0, "L_K", plan.L_K, sqrt(2 + 6 * 6 / 3.0));
    compare(0, "c_eta_f", plan.steps.c_eta_f, 1 / 12.0 + 14 * 4 * 2 * 648 / 4); /* 4 L_mu_g (mu_g + L_g) c_beta^2 / L^2 = 1296 > 36 */
    compare(0, "samples_lower", plan.samples_lower, 20 * 4.5);
    assert_int_equal(sustain_plan_strongly_convex(context, &c, 20, &plan), SUSTAIN_OK); /* log(20): K = 3 */
    assert_int_equal(plan.steps.K, 3);
    compare(0, "c_beta", plan.c_beta, 8 + 32 + 2);
    compare(0, "alpha", plan.steps.alpha, (4 + 2) / (4.0 * 8 * 4 * 42 * 42));
}

/* ---- the conditions of the proofs ---- */

static bool at_most(double a, double b) {
    return a <= b + 1e-12 * fabs(b);
}

static double bias(const sustain_constants *c, int K) {
    return c->C_gxy * c->C_fy / c->mu_g * pow(1 - c->mu_g / c->L_g, K);
}

/* Lemma "Descent of the potential function", with eta_{t+1} = c alpha_t^2 as the proof has it and c
 * alpha_{t+1}^2 as the theorem. */
static void check_nonconvex_at(const sustain_constants *c, const sustain_plan *plan, double t) {
    const double mu = c->mu_g, L_g = c->L_g, L = plan->L, Lm = plan->L_mu_g, cb = plan->c_beta, w = plan->steps.w;
    const double alpha = 1 / cbrt(w + t), before = t > 0 ? 1 / cbrt(w + t - 1) : alpha, beta = cb * alpha;
    const double eta_f = plan->steps.c_eta_f * square(alpha), eta_g = plan->steps.c_eta_g * square(alpha);
    const double cbar_f = fmax(36 * square(plan->L_K), 4 * square(plan->L_K) * Lm * (mu + L_g) * square(cb / L));
    const double cbar_g = fmax(36 * square(L_g), 4 * square(L_g) * Lm * (mu + L_g) * square(cb / L));
    const double share = 8 * square(L / Lm) + 2 * square(L) / (Lm * (mu + L_g));
    const double rounding = 1e-14 / alpha;
    assert_true(w >= 2);
    assert_true(at_most(alpha, 1 / (3 * plan->L_f)));
    assert_true(at_most(beta, 1 / (mu + L_g)));
    assert_true(2 * beta * Lm < 1);
    assert_true(at_most(eta_f, 1) && at_most(eta_g, 1) && eta_f > 0 && eta_g > 0);
    assert_true(at_most(1.0 / 3, (1 - alpha * plan->L_f) / 2)); /* of |h^f|^2 */
    assert_true(fabs(8 * square(plan->L_y * L / (cb * Lm)) - 1.0 / 9) < 1e-14);
    assert_true(at_most(4 * square(plan->L_K) / cbar_f, 1.0 / 9) && at_most(4 * square(L_g) / cbar_g, 1.0 / 9));
    assert_true(at_most(8 * square(plan->L_K * cb) / cbar_f, 2 * square(L) / (Lm * (mu + L_g)))); /* of |e^g|^2, |grad_y g|^2 */
    assert_true(at_most(8 * square(L_g * cb) / cbar_g, 2 * square(L) / (Lm * (mu + L_g))));
    assert_true(1 / alpha - 1 / before <= alpha / (3 * plan->L_f) + rounding);
    const double later[2] = {1, cbrt(square((w + t) / (w + t + 1)))}, growth = 1 + 8 * square(L_g * beta);
    for (int i = 0; i < 2; i++) { /* of |e^f|^2 and |e^g|^2 */
        assert_true(square(1 - later[i] * eta_f) / alpha - 1 / before <= -cbar_f * alpha + rounding);
        assert_true(square(1 - later[i] * eta_g) * growth / alpha - 1 / before <= -share * cbar_g * alpha + rounding);
    }
}

static void check_strongly_convex(const sustain_constants *c, const sustain_plan *plan) {
    const double mu = c->mu_g, L_g = c->L_g, alpha = plan->steps.alpha, beta = plan->steps.beta, cb = plan->c_beta;
    const double L_K2 = square(plan->L_K), L2 = square(plan->L), L_y2 = square(plan->L_y);
    const double limits[6] = {1 / (c->mu_f + 1),
                              1 / (2 * mu * cb),
                              mu / (cb * square(L_g)),
                              1 / (8 * L_K2 + plan->L_f),
                              (L2 + 2 * L_y2) / (4 * L_K2 * square(L_g * cb)),
                              0.5 / (8 * L_K2 + plan->L_f)};
    int reached = 0;
    for (int i = 0; i < 6; i++) { /* the five as printed, and the fourth as the proof needs it */
        assert_true(at_most(alpha, limits[i]));
        reached += at_most(limits[i], alpha);
    }
    assert_true(reached >= 1); /* the largest */
    const double gamma = mu * beta / (2 * (1 - mu * beta));
    assert_true(at_most((1 + gamma) * (1 - 2 * beta * mu + square(beta * L_g)), 1 - beta * mu / 2));
    assert_true(at_most(1 + 1 / gamma, 2 / (mu * beta)));
    assert_true(at_most(2 * L_y2 / (mu * cb), 0.25));
    assert_true(at_most(0.25 + 4 * L_K2 * alpha, (1 - alpha * plan->L_f) / 2));            /* of |h^f|^2 */
    assert_true(at_most(2 * L2 + 8 * L_K2 * square(L_g * cb) * alpha, 4 * L2 + 4 * L_y2)); /* of |y - y*|^2 */
    assert_true(plan->steps.c_eta_f <= 1 && plan->steps.c_eta_g == 1 && plan->steps.p == 0 && plan->steps.w == 1);
}

static void steps_meet_the_conditions_of_the_proofs(void **state) {
    (void)state;
    for (int i = 0; i < row_count; i++) {
        const sustain_constants *c = &rows[i].constants;
        const double T = rows[i].iterations;
        sustain_plan plan;
        assert_int_equal(make(c, false, T, &plan), SUSTAIN_OK);
        assert_true(at_most(bias(c, plan.steps.K), 1 / T));
        for (double t = 0; t <= T; t = 3 * t + 1) check_nonconvex_at(c, &plan, t);
        assert_int_equal(make(c, true, T, &plan), SUSTAIN_OK);
        assert_true(at_most(square(bias(c, plan.steps.K)), 1 / T));
        check_strongly_convex(c, &plan);
    }
}

/* K = 1 where the logarithm is 0, negative or of 0; the bias is then small enough by itself. */
static void K_is_at_least_one(void **state) {
    (void)state;
    const double C_fy[] = {0, 1e-300, 1e-3, 1.25e-3};
    for (size_t i = 0; i < sizeof C_fy / sizeof *C_fy; i++) {
        sustain_constants c = complete();
        c.C_fy = C_fy[i];
        for (int convex = 0; convex < 2; convex++) {
            sustain_plan plan;
            assert_int_equal(make(&c, convex != 0, 1000, &plan), SUSTAIN_OK); /* C_gxy C_fy T / mu_g <= 1 */
            assert_int_equal(plan.steps.K, 1);
            assert_true(plan.samples_lower == 2000);
            assert_true(at_most(bias(&c, 1), 1.0 / 1000));
        }
    }
}

static void L_gyy_may_be_zero_where_L_g_is_mu_g(void **state) {
    (void)state;
    sustain_constants c = complete();
    sustain_plan plan;
    c.L_g = c.mu_g;
    for (int convex = 0; convex < 2; convex++) {
        assert_int_equal(make(&c, convex != 0, 1e6, &plan), SUSTAIN_CONSTANTS);
        assert_non_null(strstr(sustain_error(context), "give L_gyy=0 or a larger L_g"));
    }
    c.L_gyy = 0;
    for (int convex = 0; convex < 2; convex++) {
        assert_int_equal(make(&c, convex != 0, 1e6, &plan), SUSTAIN_OK);
        const double sum = 2 * square(c.L_fx) + 6 * plan.steps.K * (square(c.C_gxy * c.L_fy) + square(c.C_fy * c.L_gxy)) / square(c.mu_g);
        compare(0, "L_K", plan.L_K, sqrt(sum));
        assert_true(isfinite(plan.bound));
    }
    c.L_gyy = 0.1;
    c.C_fy = 0; /* the last term of (15) is 0 by C_fy as well */
    assert_int_equal(make(&c, false, 1e6, &plan), SUSTAIN_OK);
}

/* ---- noise ---- */

/* Exact oracles and the Hessian mu_g: all variance of (7) comes from k. The Lemma's bound, which
 * has no K, is passed by it. */
static void sigma_f_bounds_the_variance_of_k(void **state) {
    (void)state;
    sustain_constants c = complete();
    c.sigma_f = (double)NAN;
    c.sigma_fx = c.sigma_fy = c.sigma_gxy = 0;
    bool passed = false;
    for (double ratio = 1.1; ratio < 100; ratio *= 2)
        for (double T = 1; T < 1e30; T *= 10) {
            sustain_plan plan;
            c.L_g = ratio * c.mu_g;
            assert_int_equal(sustain_plan_nonconvex(context, &c, T, &plan), SUSTAIN_OK);
            const int K = plan.steps.K;
            double mean = 0, second = 0;
            for (int k = 0; k < K; k++) {
                const double estimate = K / c.L_g * c.C_gxy * c.C_fy * pow(1 - c.mu_g / c.L_g, k);
                mean += estimate / K;
                second += square(estimate) / K;
            }
            assert_true(second - square(mean) <= square(plan.sigma_f) * (1 + 1e-12));
            passed = passed || second - square(mean) > 6 * square(c.C_gxy * c.C_fy / c.mu_g);
        }
    assert_true(passed);
}

static void sigma_f_is_taken_as_given(void **state) {
    (void)state;
    sustain_constants c = complete();
    sustain_plan plan;
    c.sigma_fx = (double)INFINITY; /* not looked at */
    assert_int_equal(sustain_plan_nonconvex(context, &c, 10, &plan), SUSTAIN_OK);
    assert_true(plan.sigma_f == c.sigma_f);
    c.sigma_f = (double)NAN;
    assert_int_equal(sustain_plan_nonconvex(context, &c, 10, &plan), SUSTAIN_CONSTANTS);
    assert_non_null(strstr(sustain_error(context), "sigma_fx"));
    c.sigma_fx = (double)NAN;
    assert_int_equal(sustain_plan_nonconvex(context, &c, 10, &plan), SUSTAIN_OK);
    assert_true(isnan(plan.sigma_f) && isnan(plan.bound) && plan.steps.beta > 0);
}

/* ---- bounds ---- */

/* With no noise and a perfect start the bias is all: 4/(alpha_T T) sum_{t=0..T} alpha_t / T^2, the
 * sum bounded by an integral. */
static void bound_holds_the_sum_of_the_bias(void **state) {
    (void)state;
    sustain_constants c = complete();
    c.sigma_f = c.sigma_g = c.gap = c.distance = 0;
    for (double T = 1; T <= 1e6; T *= 10) {
        sustain_plan plan;
        double sum = 0;
        assert_int_equal(sustain_plan_nonconvex(context, &c, T, &plan), SUSTAIN_OK);
        for (double t = 0; t <= T; t++) sum += 1 / cbrt(plan.steps.w + t);
        const double literal = 4 * cbrt(plan.steps.w + T) / T * sum / square(T);
        assert_true(at_most(literal, plan.bound));
        assert_true(at_most(plan.bound, literal * (1 + 1 / (cbrt(plan.steps.w) * sum))));
    }
}

/* sum_{t<T} alpha_t^3 <= log(T + 1), which the bound of Theorem 3.2 has, is true for w >= 2 and
 * false for w = 1. */
static void log_of_the_bound_needs_w_of_two(void **state) {
    (void)state;
    double sum = 0, with_one = 0;
    for (int t = 0; t < 10000; t++) {
        sum += 1 / (2.0 + t);
        with_one += 1 / (1.0 + t);
        assert_true(sum <= log(t + 2.0) && with_one > log(t + 2.0));
    }
}

static void bound_at_runs_from_start_to_end(void **state) {
    (void)state;
    const sustain_constants c = complete();
    sustain_plan plan;
    assert_int_equal(sustain_plan_strongly_convex(context, &c, 1e9, &plan), SUSTAIN_OK);
    const double floor_ = sustain_plan_bound_at(&c, &plan, (double)INFINITY);
    compare(0, "bound_at(0)", sustain_plan_bound_at(&c, &plan, 0), c.gap + square(c.sigma_f) + square(c.distance) + floor_);
    assert_true(sustain_plan_bound_at(&c, &plan, 1e9) == plan.bound);
    for (double t = 0; t < 1e5; t = 2 * t + 1)
        assert_true(sustain_plan_bound_at(&c, &plan, 2 * t + 1) < sustain_plan_bound_at(&c, &plan, t));
    assert_true(floor_ > 2 / (c.mu_f * 1e9) && floor_ <= plan.bound);
    assert_true(isnan(sustain_plan_bound_at(&c, &plan, -1)) && isnan(sustain_plan_bound_at(&c, &plan, (double)NAN)));
    const sustain_constants unknown = sustain_constants_unknown();
    assert_true(isnan(sustain_plan_bound_at(&unknown, &plan, 1)));
}

/* ---- the least T for an epsilon ---- */

static void epsilon_is_met_and_just_met(void **state) {
    (void)state;
    for (int i = 0; i < row_count; i++) {
        const sustain_constants *c = &rows[i].constants;
        sustain_plan aim, plan, earlier;
        assert_int_equal(sustain_plan_nonconvex(context, c, 1e12, &aim), SUSTAIN_OK);
        if (isnan(aim.bound)) continue;
        assert_int_equal(sustain_plan_for_epsilon(context, c, false, aim.bound, &plan), SUSTAIN_OK);
        assert_true(plan.bound <= aim.bound && plan.iterations <= 1.002e12 && plan.iterations == floor(plan.iterations));
        const double shares[] = {0.998, 0.98, 0.7, 0.1, 1e-3};
        for (size_t j = 0; j < sizeof shares / sizeof *shares && shares[j] * plan.iterations >= 1; j++) {
            assert_int_equal(sustain_plan_nonconvex(context, c, shares[j] * plan.iterations, &earlier), SUSTAIN_OK);
            assert_true(earlier.bound > aim.bound);
        }
    }
}

/* Eq. (19) with the appendix's alpha, written out. */
static double convex_bound(const sustain_constants *c, double T, double epsilon) {
    sustain_plan plan;
    assert_int_equal(sustain_plan_strongly_convex(context, c, T, &plan), SUSTAIN_OK);
    const double cb2 = square(plan.c_beta), s2 = square(plan.sigma_f);
    const double bracket = (2 * cb2 + 8 * cb2 * square(plan.L_K)) * square(c->sigma_g) + 2 * square(c->mu_f + 1) * s2;
    const double alpha = bracket > 0 ? fmin(plan.steps.alpha, c->mu_f * epsilon / (4 * bracket)) : plan.steps.alpha;
    return exp(T * log1p(-c->mu_f * alpha)) * (c->gap + s2 + square(c->distance)) + (2 / T + bracket * alpha) / c->mu_f;
}

static void epsilon_is_met_when_strongly_convex(void **state) {
    (void)state;
    const double epsilons[] = {100, 1, 1e-2, 1e-6};
    for (int i = 0; i < row_count; i++)
        for (size_t j = 0; j < sizeof epsilons / sizeof *epsilons; j++) {
            const sustain_constants *c = &rows[i].constants;
            const double epsilon = epsilons[j];
            sustain_plan plan, largest;
            if (isnan(c->gap)) continue;
            assert_int_equal(sustain_plan_for_epsilon(context, c, true, epsilon, &plan), SUSTAIN_OK);
            const double T = plan.iterations;
            assert_true(plan.bound <= epsilon && sustain_plan_bound_at(c, &plan, T) == plan.bound);
            assert_int_equal(sustain_plan_strongly_convex(context, c, T, &largest), SUSTAIN_OK);
            assert_true(plan.steps.alpha <= largest.steps.alpha);
            compare(i, "beta", plan.steps.beta, plan.c_beta * plan.steps.alpha);
            compare(i, "eta^f", plan.steps.c_eta_f, (c->mu_f + 1) * plan.steps.alpha);
            if (T < 1000) continue; /* each T was tried */
            assert_true(fabs(convex_bound(c, T, epsilon) - plan.bound) <= 1e-12 * plan.bound);
            assert_true(convex_bound(c, floor(0.98 * T), epsilon) > epsilon);
        }
}

static void epsilon_that_cannot_be_met_is_refused(void **state) {
    (void)state;
    const sustain_constants c = complete();
    const double bad[] = {0, -1, (double)NAN, (double)INFINITY};
    sustain_plan plan;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(sustain_plan_for_epsilon(context, &c, false, bad[i], &plan), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_plan_for_epsilon(context, &c, false, 1e-250, &plan), SUSTAIN_CONSTANTS);
    assert_non_null(strstr(sustain_error(context), "no T up to 1e300"));
    assert_int_equal(sustain_plan_for_epsilon(context, &c, false, 1e-150, &plan), SUSTAIN_OK);
    assert_true(plan.bound <= 1e-150 && plan.iterations > 1e200);
    assert_int_equal(sustain_plan_for_epsilon(context, &c, true, 1e300, &plan), SUSTAIN_OK);
    assert_true(plan.iterations == 1);
}

/* ---- the table and the refusals ---- */

static void table_lists_every_member(void **state) {
    (void)state;
    int count = 0;
    const sustain_parameter *table = sustain_constants_table(&count);
    sustain_constants unknown = sustain_constants_unknown();
    assert_int_equal(count, sizeof(sustain_constants) / sizeof(double));
    for (int i = 0; i < count; i++) {
        assert_int_equal(table[i].offset, (size_t)i * sizeof(double));
        assert_int_equal(table[i].type, SUSTAIN_PARAMETER_NUMBER);
        assert_true(isnan(table[i].initial) && table[i].least >= 0 && table[i].least < table[i].most);
        assert_true(strlen(table[i].help) > 0 && strchr(table[i].help, '\n') == NULL);
        assert_true(isnan(*member(&unknown, &table[i])));
    }
    assert_string_equal(table[0].name, "mu_g");
    assert_string_equal(table[count - 1].name, "distance");
}

static bool needed(const char *name, bool strongly_convex, bool epsilon, bool parts) {
    const char *names = "mu_g L_g L_fx L_fy C_fy L_gxy L_gyy C_gxy ";
    char word[32];
    snprintf(word, sizeof word, "%s ", name);
    if (strcmp(name, "mu_f") == 0) return strongly_convex;
    if (epsilon && strstr("sigma_g gap distance ", word) != NULL) return true;
    if (epsilon && parts && strstr("sigma_fx sigma_fy sigma_gxy ", word) != NULL) return true;
    return strstr(names, word) != NULL;
}

/* Expects a refusal with the theorem, the name and the words; the plan is left alone. */
static void expect(sustain_status status, const sustain_plan *plan, bool strongly_convex, const char *name, const char *words) {
    char start[64];
    snprintf(start, sizeof start, "%s needs %s,", strongly_convex ? "Theorem 3.3" : "Theorem 3.2", name);
    if (status == SUSTAIN_CONSTANTS && strstr(sustain_error(context), start) && strstr(sustain_error(context), words) && plan->bound == -7)
        return;
    fail_msg("%s: status %s, '%s' lacks '%s' or '%s'", name, sustain_status_name(status), sustain_error(context), start, words);
}

static void each_missing_constant_is_named(void **state) {
    (void)state;
    int count;
    const sustain_parameter *table = sustain_constants_table(&count);
    for (int mode = 0; mode < 8; mode++)
        for (int i = 0; i < count; i++) {
            const bool convex = mode & 1, epsilon = mode & 2, parts = mode & 4;
            sustain_constants c = complete();
            sustain_plan plan = {.bound = -7};
            char advice[64];
            if (parts) c.sigma_f = (double)NAN;
            *member(&c, &table[i]) = (double)NAN;
            const sustain_status status = epsilon ? sustain_plan_for_epsilon(context, &c, convex, 10, &plan) : make(&c, convex, 100, &plan);
            snprintf(advice, sizeof advice, "it is not known: give %s=", table[i].name);
            if (needed(table[i].name, convex, epsilon, parts))
                expect(status, &plan, convex, table[i].name, advice);
            else
                assert_int_equal(status, SUSTAIN_OK);
        }
}

static void each_infinite_or_negative_constant_is_named(void **state) {
    (void)state;
    int count;
    const sustain_parameter *table = sustain_constants_table(&count);
    for (int i = 0; i < count; i++) {
        const char *name = table[i].name;
        const bool part = strcmp(name, "sigma_fx") == 0 || strcmp(name, "sigma_fy") == 0 || strcmp(name, "sigma_gxy") == 0;
        const bool convex = strcmp(name, "mu_f") == 0;
        sustain_constants c = complete();
        sustain_plan plan = {.bound = -7};
        if (part) c.sigma_f = (double)NAN;
        *member(&c, &table[i]) = (double)INFINITY;
        expect(make(&c, convex, 100, &plan), &plan, convex, name,
               isinf(table[i].most) ? "it does not exist for this problem" : "not usable");
        *member(&c, &table[i]) = -(double)INFINITY;
        expect(make(&c, convex, 100, &plan), &plan, convex, name, "not usable");
        *member(&c, &table[i]) = -0.5;
        expect(make(&c, convex, 100, &plan), &plan, convex, name, "not usable");
    }
    sustain_constants c = complete();
    sustain_plan plan;
    c.C_fy = (double)INFINITY;
    assert_int_equal(sustain_plan_nonconvex(context, &c, 100, &plan), SUSTAIN_CONSTANTS);
    assert_string_equal(sustain_error(context),
                        "Theorem 3.2 needs C_fy, the bound of |grad_y f|: it does not exist for this problem (it is "
                        "infinite); use schedule=power or auto");
}

/* Refused with the words, whatever else is fine. */
static void refuses(const sustain_constants *c, bool strongly_convex, double T, sustain_status wanted, const char *words) {
    sustain_plan plan = {.bound = -7};
    const sustain_status status = make(c, strongly_convex, T, &plan);
    if (status == wanted && strstr(sustain_error(context), words) != NULL && plan.bound == -7) return;
    fail_msg("status %s, '%s' lacks '%s'", sustain_status_name(status), sustain_error(context), words);
}

static void constants_that_do_not_fit_are_refused(void **state) {
    (void)state;
    sustain_constants c = complete();
    sustain_plan plan;
    c.mu_g = 3;
    refuses(&c, false, 100, SUSTAIN_CONSTANTS, "needs mu_g <= L_g, but mu_g = 3 and L_g = 2");
    c = complete();
    c.C_gxy = 100;
    for (int convex = 0; convex < 2; convex++)
        refuses(&c, convex != 0, 100, SUSTAIN_CONSTANTS, "needs C_gxy <= L_g, as L_g bounds how grad_y g changes with x too");
    c = complete();
    c.mu_g = 0;
    refuses(&c, false, 100, SUSTAIN_CONSTANTS, "needs mu_g,");
    c = complete();
    c.C_gxy = 0;
    refuses(&c, false, 100, SUSTAIN_CONSTANTS, "y would never move");
    assert_int_equal(make(&c, true, 100, &plan), SUSTAIN_OK); /* c_beta of Theorem 3.3 is not 0 then */
    c = complete();
    c.L_fx = c.L_fy = c.L_gxy = c.L_gyy = 0;
    refuses(&c, false, 100, SUSTAIN_CONSTANTS, "nothing to plan");
    refuses(&c, true, 100, SUSTAIN_CONSTANTS, "needs mu_f <= L_f");
    c = complete();
    c.mu_f = 0;
    refuses(&c, true, 100, SUSTAIN_CONSTANTS, "ell is not strongly convex");
    c = complete();
    c.mu_g = 1e-9;
    refuses(&c, false, 100, SUSTAIN_CONSTANTS, "makes K");
    c = complete();
    c.L_fx = 1e150;
    refuses(&c, false, 100, SUSTAIN_CONSTANTS, "outside the range of a double");
    refuses(&c, true, 100, SUSTAIN_CONSTANTS, "outside the range of a double");
    const double bad[] = {0, 0.5, -1, (double)NAN, (double)INFINITY};
    c = complete();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refuses(&c, i % 2 != 0, bad[i], SUSTAIN_ARGUMENT, "iterations");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_golden_numbers),
        cmocka_unit_test(equals_an_example_by_hand),
        cmocka_unit_test(steps_meet_the_conditions_of_the_proofs),
        cmocka_unit_test(K_is_at_least_one),
        cmocka_unit_test(L_gyy_may_be_zero_where_L_g_is_mu_g),
        cmocka_unit_test(sigma_f_bounds_the_variance_of_k),
        cmocka_unit_test(sigma_f_is_taken_as_given),
        cmocka_unit_test(bound_holds_the_sum_of_the_bias),
        cmocka_unit_test(log_of_the_bound_needs_w_of_two),
        cmocka_unit_test(bound_at_runs_from_start_to_end),
        cmocka_unit_test(epsilon_is_met_and_just_met),
        cmocka_unit_test(epsilon_is_met_when_strongly_convex),
        cmocka_unit_test(epsilon_that_cannot_be_met_is_refused),
        cmocka_unit_test(table_lists_every_member),
        cmocka_unit_test(each_missing_constant_is_named),
        cmocka_unit_test(each_infinite_or_negative_constant_is_named),
        cmocka_unit_test(constants_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
