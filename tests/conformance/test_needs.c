/* test_needs.c - what single algorithms need or do without: gradients alone (f2sa), room for
 * matrices (stable, svrb), a word on expected values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "conformance.h"

BENCH_OF_ALL_TESTS;

/* A problem that offers gradients alone, and knows no constant: steps and multiplier come from
 * differences of gradients. */
static void test_gradients_alone(void **state) {
    (void)state;
    const sustain_problem *const problems[] = {b.stream, b.sum};
    for (int i = 0; i < 2; i++) {
        faulty f = {.inner = problems[i]};
        faulty_init(&f);
        f.ops.g_hess_vec = NULL;
        f.ops.g_cross_vec = NULL;
        f.problem.known = NULL;
        sustain_solver *solver = make_solver(b.context, "f2sa", &f.problem, (const char *const[]){"batch", "8", NULL});
        const sustain_result result = run_to(solver, 3000);
        double least[8], away = 0;
        assert_true(isfinite(sustain_quadratic_minimum(problems[i], least)));
        for (int64_t j = 0; j < problems[i]->upper_dim; j++) away += pow((double)result.x[j] - least[j], 2);
        if (!(sqrt(away) < 0.1)) fail_msg("f2sa without second derivatives ends %g from the answer", sqrt(away));
        assert_int_equal(result.counts.hessian_products + result.counts.cross_products, 0);
        assert_int_equal(result.halvings, 0);
        sustain_solver_destroy(solver);
        assert_refused(b.context, sustain_solver_create(b.context, "sustain", &f.problem, &solver), SUSTAIN_MISSING_ORACLE, "g_hess_vec",
                       "f2sa", NULL);
    }
}

/* Problems whose matrices do not fit are refused at the start, with the sizes and the bytes; a
 * refusal does no harm. */
static void test_matrices_too_large(void **state) {
    (void)state;
    static const char *const names[] = {"stable", "svrb"};
    for (int i = 0; i < 2; i++) {
        const int64_t live = b.memory.live;
        sustain_solver *solver = make_solver(b.context, names[i], b.stream, (const char *const[]){"matrix_memory", "1000", NULL});
        assert_refused(b.context, sustain_solver_start(solver, NULL, NULL), SUSTAIN_PARAMETER, names[i], "5 x 7 and 7 x 7", "GB",
                       "matrix_memory = 1000", NULL);
        set_all(solver, (const char *const[]){"matrix_memory", "1e5", NULL});
        run_to(solver, 10);
        sustain_solver_destroy(solver);
        assert_int_equal(b.memory.live, live);
    }
}

/* Without constants of the problem mu_g is estimated, and the log says so; a given one is not. */
static void test_bounds(void **state) {
    (void)state;
    sustain_problem hidden = *b.sum;
    hidden.known = NULL;
    sustain_solver *solver = make_solver(b.context, "stable", &hidden, (const char *const[]){"mu_g", "1", NULL});
    assert_int_equal(sustain_solver_start(solver, NULL, NULL), SUSTAIN_OK);
    assert_false(bench_logged(&b, "stable: estimated"));
    sustain_solver_destroy(solver);
    solver = make_solver(b.context, "stable", &hidden, NULL);
    assert_int_equal(sustain_solver_start(solver, NULL, NULL), SUSTAIN_OK);
    assert_true(bench_logged(&b, "stable: estimated at the start: mu_g"));
    sustain_solver_destroy(solver);
}

/* Penalties begin with y = 0, where the cross block exp(x) y vanishes: that bounds nothing, and x
 * moves. */
static void test_cross_block_vanishes_at_start(void **state) {
    (void)state;
    const float values[] = {1, 0, 0, 1, 1, 1, -1, 0.5F};
    const int32_t labels[] = {1, -1, 1, -1};
    const sustain_rows rows = {.count = 4, .dim = 2, .values = values, .labels = labels};
    const sustain_regtune_options options = sustain_regtune_defaults();
    static const char *const names[] = {"stable", "svrb"};
    sustain_problem *problem;
    assert_int_equal(sustain_regtune_create(b.context, &options, &rows, &rows, &problem), SUSTAIN_OK);
    for (int i = 0; i < 2; i++) {
        sustain_solver *solver = make_solver(b.context, names[i], problem, (const char *const[]){"batch", "4", NULL});
        const sustain_result result = run_to(solver, 500);
        const sustain_real start[2] = {0};
        sustain_real y[2] = {0};
        double before, after;
        assert_int_equal(sustain_outer(b.context, problem, NULL, NULL, start, 1e-4, y, &before, NULL), SUSTAIN_OK);
        assert_int_equal(sustain_outer(b.context, problem, NULL, NULL, result.x, 1e-4, y, &after, NULL), SUSTAIN_OK);
        if (!(after < 0.9 * before)) fail_msg("%s: the loss is %g at the start and %g at the end", names[i], before, after);
        sustain_solver_destroy(solver);
    }
    sustain_regtune_destroy(problem);
}

/* A finite sum need not say has_expectation (problem.h): whatever it says, runs have the same
 * bits. */
static void test_finite_sum_says_nothing(void **state) {
    (void)state;
    sustain_problem silent = *b.sum;
    silent.has_expectation = false;
    silent.known = NULL;
    sustain_problem outspoken = silent;
    outspoken.has_expectation = true;
    EACH_SOLVER (info) {
        sustain_solver *one = make_solver(b.context, info->name, &silent, NULL),
                       *two = make_solver(b.context, info->name, &outspoken, NULL);
        run_to(one, 20);
        run_to(two, 20);
        assert_same_state(one, two, info->name);
        sustain_solver_destroy(one);
        sustain_solver_destroy(two);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_alone),
        cmocka_unit_test(test_matrices_too_large),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_cross_block_vanishes_at_start),
        cmocka_unit_test(test_finite_sum_says_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
