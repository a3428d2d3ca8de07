/* test_estimate.c - constants estimated from a problem, against those that the quadratic problem
 * knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/learn.h>
#include <sustain/sustain.h>

#include "failing_allocator.h"

enum { UPPER = 6, LOWER = 8 };

static failing_allocator_state memory;
static sustain_context *context;
static sustain_quadratic_options options;
static sustain_problem *known, hidden; /* the same problem, with and without its constants */
static sustain_real x[UPPER], y[LOWER];

static int setup(void **state) {
    (void)state;
    if (sustain_context_create_with(failing_allocator, &memory, &context) != SUSTAIN_OK) return -1;
    options = sustain_quadratic_defaults();
    options.upper_dim = UPPER;
    options.lower_dim = LOWER;
    options.mu_g = 0.5;
    options.L_g = 8;
    options.C_gxy = 2;
    options.C_fy = 3;
    options.curvature = 1.5;
    options.noise_hess = options.noise_cross = 0.05;
    if (sustain_quadratic_create(context, &options, &known) != SUSTAIN_OK) return -1;
    hidden = *known;
    hidden.known = NULL;
    return hidden.ops->initial(hidden.self, x, y);
}

static int teardown(void **state) {
    (void)state;
    sustain_quadratic_destroy(known);
    sustain_context_destroy(context);
    return memory.live == 0 ? 0 : -1;
}

static void assert_within(const char *name, double value, double least, double most) {
    if (!(value >= least && value <= most)) fail_msg("%s = %g is not from %g to %g", name, value, least, most);
}

/* The largest eigenvalue of the mean Hessian, by a long power iteration of its own. */
static double largest_of_mean(void) {
    sustain_real v[LOWER], w[LOWER];
    double value = 0, work[4096];
    assert_true(hidden.ops->workspace == NULL || hidden.ops->workspace(hidden.self, 1) <= sizeof work);
    for (int i = 0; i < LOWER; i++) v[i] = (sustain_real)(1 + i);
    for (int k = 0; k < 1000; k++) {
        assert_int_equal(hidden.ops->g_hess_vec(hidden.self, NULL, x, y, v, w, work), 0);
        value = 0;
        for (int i = 0; i < LOWER; i++) value += (double)w[i] * (double)w[i];
        value = sqrt(value);
        for (int i = 0; i < LOWER; i++) v[i] = (sustain_real)((double)w[i] / value);
    }
    return value;
}

/* Above what is there, and at most a quarter above the bound. */
static void test_largest(void **state) {
    (void)state;
    const double there = largest_of_mean();
    assert_within("the mean's largest eigenvalue", there, options.L_g / 1.1, options.L_g);
    for (uint64_t seed = 0; seed < 10; seed++) {
        double L_g = 0;
        assert_int_equal(sustain_estimate_largest(context, &hidden, 1, seed, x, y, &L_g), SUSTAIN_OK);
        assert_within("L_g", L_g, there, 1.25 * options.L_g);
        assert_int_equal(sustain_estimate_largest(context, known, 1, seed, x, y, &L_g), SUSTAIN_OK);
        assert_true(L_g == options.L_g); /* what is known is not estimated */
    }
}

static void test_constants(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        sustain_constants c = sustain_constants_unknown();
        assert_int_equal(sustain_estimate_constants(context, &hidden, 1, seed, x, y, &c), SUSTAIN_OK);
        assert_within("L_g", c.L_g, options.L_g / 1.1, 1.25 * options.L_g);
        assert_within("mu_g", c.mu_g, 0.5 * options.mu_g, 1.5 * options.mu_g); /* a power iteration sees it from above */
        assert_within("C_gxy", c.C_gxy, 0.9 * options.C_gxy, 1.25 * options.C_gxy);
        /* sampled pairs: x moves by half of what (x, y) does, roughly, so L_fx is seen at 0.7 of
         * its value, with a margin of 1.5 */
        assert_within("L_fx", c.L_fx, 0.5 * options.curvature, 1.5 * options.curvature);
        assert_within("L_fy", c.L_fy, 0.01 * known->known->L_fy, 1.5 * known->known->L_fy);
        assert_within("C_fy", c.C_fy, 0.2 * options.C_fy, 1.5 * options.C_fy);
        assert_within("L_gyy", c.L_gyy, 0, 1e-4); /* g is quadratic */
        assert_within("L_gxy", c.L_gxy, 0, 1e-4);
        assert_within("sigma_fx", c.sigma_fx, 0, 1e-6); /* f's noise is in y alone */
        assert_within("sigma_fy", c.sigma_fy, 1e-3 * options.C_fy, 1.5 * known->known->sigma_fy);
        assert_within("sigma_gxy", c.sigma_gxy, 1e-3, 1.5 * known->known->sigma_gxy);
        assert_within("sigma_g", c.sigma_g, 0.5 * options.noise_g, 1.5 * known->known->sigma_g);
        assert_true(isnan(c.mu_f) && isnan(c.sigma_f) && isnan(c.gap) && isnan(c.distance));
    }
}

/* A known L_g bounds the norm of the cross block too: the margin of that estimate does not exceed
 * it, but a norm that is really above it is reported. */
static void test_cross_block_below_known(void **state) {
    (void)state;
    sustain_quadratic_options strong = options;
    strong.C_gxy = strong.L_g, strong.noise_cross = 0;
    sustain_problem *problem;
    assert_int_equal(sustain_quadratic_create(context, &strong, &problem), SUSTAIN_OK);
    sustain_constants c = sustain_constants_unknown();
    sustain_problem same = *problem;
    same.known = NULL;
    c.L_g = strong.L_g;
    assert_int_equal(sustain_estimate_constants(context, &same, 1, 0, x, y, &c), SUSTAIN_OK);
    assert_true(c.C_gxy == strong.L_g);
    c = sustain_constants_unknown();
    c.L_g = 0.9 * strong.L_g;
    assert_int_equal(sustain_estimate_constants(context, &same, 1, 0, x, y, &c), SUSTAIN_OK);
    assert_within("C_gxy", c.C_gxy, strong.C_gxy, 1.25 * strong.C_gxy);
    sustain_quadratic_destroy(problem);
}

/* Penalties begin at y = 0, where the cross block exp(x) y vanishes: it is estimated around. */
static void test_cross_block_vanishes(void **state) {
    (void)state;
    const float values[] = {1, 0, 0, 1, 1, 1, -1, 0.5F};
    const int32_t labels[] = {1, -1, 1, -1};
    const sustain_rows rows = {.count = 4, .dim = 2, .values = values, .labels = labels};
    const sustain_regtune_options penalties = sustain_regtune_defaults();
    sustain_problem *problem;
    assert_int_equal(sustain_regtune_create(context, &penalties, &rows, &rows, &problem), SUSTAIN_OK);
    sustain_real start[2] = {0};
    sustain_constants c = sustain_constants_unknown();
    assert_int_equal(sustain_estimate_constants(context, problem, 1, 0, start, start, &c), SUSTAIN_OK);
    assert_within("C_gxy", c.C_gxy, 0.1, 2); /* exp(x_j) y_j with |x| and |y| at 1/2 */
    assert_true(c.L_g >= c.C_gxy);
    sustain_regtune_destroy(problem);
}

/* What the caller gives stays, then what the problem knows; only the rest is estimated. */
static void test_order_of_trust(void **state) {
    (void)state;
    sustain_constants some = sustain_constants_unknown(), c = sustain_constants_unknown();
    some.L_g = 77;
    some.mu_g = 5;
    sustain_problem partly = hidden;
    partly.known = &some;
    c.mu_g = 3;
    assert_int_equal(sustain_estimate_constants(context, &partly, 1, 0, x, y, &c), SUSTAIN_OK);
    assert_true(c.mu_g == 3);
    assert_true(c.L_g == 77);
    assert_within("C_gxy", c.C_gxy, 0.9 * options.C_gxy, 1.25 * options.C_gxy);
    c = sustain_constants_unknown();
    assert_int_equal(sustain_estimate_constants(context, known, 1, 0, x, y, &c), SUSTAIN_OK);
    int count;
    const sustain_parameter *row = sustain_constants_table(&count);
    for (int i = 0; i < count; i++) {
        const double known_value = *(const double *)(const void *)((const char *)known->known + row[i].offset);
        const double value = *(const double *)(const void *)((const char *)&c + row[i].offset);
        if (!isnan(known_value) && value != known_value) fail_msg("%s is %g, known is %g", row[i].name, value, known_value);
    }
}

static sustain_problem *make_sum(void) {
    sustain_quadratic_options finite = options;
    sustain_problem *sum;
    finite.samples = 200;
    assert_int_equal(sustain_quadratic_create(context, &finite, &sum), SUSTAIN_OK);
    return sum;
}

/* A finite sum, more samples a draw: less noise, the same spectrum. */
static void test_batches(void **state) {
    (void)state;
    sustain_problem *sum = make_sum(), bare = *sum;
    bare.known = NULL;
    double sigma[2];
    for (int i = 0; i < 2; i++) {
        sustain_constants c = sustain_constants_unknown();
        assert_int_equal(sustain_estimate_constants(context, &bare, i == 0 ? 1 : 64, 4, x, y, &c), SUSTAIN_OK);
        assert_within("L_g", c.L_g, options.L_g / 1.1, 1.25 * options.L_g);
        sigma[i] = c.sigma_g;
    }
    assert_within("the ratio of noises, 1/8 in theory", sigma[1] / sigma[0], 0.06, 0.25);
    sustain_quadratic_destroy(sum);
}

/* The Hessian of sample i is l_i I: l = 50 for every tenth sample, 1 for the others, and the mean
 * for larger draws. */
static int heavy(const void *self, const sustain_batch *zeta, const sustain_real *px, const sustain_real *py, const sustain_real *v,
                 sustain_real *out, void *work) {
    (void)self, (void)px, (void)py, (void)work;
    double l = 0;
    for (int64_t i = 0; i < zeta->size; i++) l += (zeta->index[i] % 10 == 0 ? 50 : 1) / (double)zeta->size;
    for (int i = 0; i < LOWER; i++) out[i] = (sustain_real)l * v[i];
    return 0;
}

/* E l^2 / E l = (250 + 0.9) / (5 + 0.9) = 42.5 for single samples, and E l = 5.9 for large draws,
 * whose largest is a little more. */
static void test_steady(void **state) {
    (void)state;
    sustain_problem *sum = make_sum(), bare = *sum;
    sustain_problem_ops ops = *sum->ops;
    ops.g_hess_vec = heavy;
    bare.ops = &ops;
    sustain_constants bound = sustain_constants_unknown();
    for (uint64_t seed = 0; seed < 10; seed++) {
        double L = 0;
        bare.known = NULL;
        assert_int_equal(sustain_estimate_steady(context, &bare, 1, seed, x, y, &L), SUSTAIN_OK);
        assert_within("steady, single samples", L, 1.1 * 38, 1.1 * 46);
        assert_int_equal(sustain_estimate_largest(context, &bare, 1, seed, x, y, &L), SUSTAIN_OK);
        assert_within("largest, single samples", L, 1.1 * 50 * 0.999, 1.1 * 50 * 1.001);
        assert_int_equal(sustain_estimate_steady(context, &bare, 1000, seed, x, y, &L), SUSTAIN_OK);
        assert_within("steady, draws of 1,000", L, 1.1 * 5.4, 1.1 * 6.4);
        bound.L_g = 60;
        bare.known = &bound;
        assert_int_equal(sustain_estimate_largest(context, &bare, 1000, seed, x, y, &L), SUSTAIN_OK);
        assert_within("largest, draws of 1,000: not the bound for every sample", L, 1.1 * 5.4, 1.1 * 8);
        bound.L_g = 4;
        assert_int_equal(sustain_estimate_steady(context, &bare, 1, seed, x, y, &L), SUSTAIN_OK);
        assert_true(L == 4);
    }
    sustain_quadratic_destroy(sum);
}

static int concave(const void *self, const sustain_batch *zeta, const sustain_real *px, const sustain_real *py, const sustain_real *v,
                   sustain_real *out, void *work) {
    (void)self, (void)zeta, (void)px, (void)py, (void)work;
    for (int i = 0; i < LOWER; i++) out[i] = -v[i];
    return 0;
}

static int saddle(const void *self, const sustain_batch *zeta, const sustain_real *px, const sustain_real *py, const sustain_real *v,
                  sustain_real *out, void *work) {
    (void)self, (void)zeta, (void)px, (void)py, (void)work;
    for (int i = 0; i < LOWER; i++) out[i] = i == 0 ? -v[i] : 2 * v[i];
    return 0;
}

static void test_refusals(void **state) {
    (void)state;
    double L_g;
    sustain_constants c = sustain_constants_unknown();
    sustain_problem_ops ops = *hidden.ops;
    sustain_problem problem = hidden;
    problem.ops = &ops;
    ops.g_hess_vec = NULL;
    assert_int_equal(sustain_estimate_largest(context, &problem, 1, 0, x, y, &L_g), SUSTAIN_MISSING_ORACLE);
    assert_non_null(strstr(sustain_error(context), "g_hess_vec"));
    ops.g_hess_vec = concave;
    assert_int_equal(sustain_estimate_largest(context, &problem, 1, 0, x, y, &L_g), SUSTAIN_NOT_CONVEX);
    assert_int_equal(sustain_estimate_constants(context, &problem, 1, 0, x, y, &c), SUSTAIN_NOT_CONVEX);
    ops.g_hess_vec = saddle;
    c = sustain_constants_unknown();
    assert_int_equal(sustain_estimate_constants(context, &problem, 1, 0, x, y, &c), SUSTAIN_NOT_CONVEX);
    assert_non_null(strstr(sustain_error(context), "not positive definite"));
}

static void test_no_memory(void **state) {
    (void)state;
    const int64_t live = memory.live;
    int refused = 0;
    for (int64_t n = 1;; n++) {
        sustain_constants c = sustain_constants_unknown();
        memory.fail_at = memory.calls + n;
        const sustain_status status = sustain_estimate_constants(context, &hidden, 2, 0, x, y, &c);
        const bool reached = memory.calls >= memory.fail_at;
        memory.fail_at = 0;
        assert_int_equal(memory.live, live);
        assert_int_equal(status, reached ? SUSTAIN_MEMORY : SUSTAIN_OK);
        if (!reached) break;
        refused++;
    }
    assert_true(refused >= 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_largest),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_cross_block_below_known),
        cmocka_unit_test(test_cross_block_vanishes),
        cmocka_unit_test(test_order_of_trust),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_steady),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
