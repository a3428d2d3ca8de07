/* test_minimize.c - sustain_minimize(): the same bits as a solver that is created and run by hand,
 * the answer with no option at all, and what is left in x and y where a run fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "conformance.h"

BENCH_OF_ALL_TESTS;

static void test_same_as_by_hand(void **state) {
    (void)state;
    EACH_SOLVER_AND_PROBLEM (info, on) {
        const sustain_problem *problem = on.problem;
        const sustain_stopping stopping = {.iterations = 60, .every = 20};
        const size_t nx = (size_t)problem->upper_dim * sizeof(sustain_real), ny = (size_t)problem->lower_dim * sizeof(sustain_real);
        sustain_real x[64], y[64];
        sustain_result one, two, three;
        sustain_solver *solver = make_solver(b.context, info->name, problem, NULL);
        assert_int_equal(sustain_solver_run(solver, &stopping, &one), SUSTAIN_OK);
        assert_int_equal(problem->ops->initial(problem->self, x, y), 0);
        assert_int_equal(sustain_minimize(b.context, problem, info->name, &stopping, x, y, &two), SUSTAIN_OK);
        if (memcmp(x, one.x, nx) != 0 || memcmp(y, one.y, ny) != 0) fail_msg("%s on %s: other bits than by hand", info->name, on.name);
        assert_ptr_equal(two.x, x);
        assert_ptr_equal(two.y, y);
        assert_true(two.upper_value == one.upper_value && two.iterations == 60 && two.stop == one.stop);
        assert_memory_equal(&two.counts, &one.counts, sizeof one.counts);
        /* without places for the solution: from the problem's own start */
        assert_int_equal(sustain_minimize(b.context, problem, info->name, &stopping, NULL, NULL, &three), SUSTAIN_OK);
        assert_true(three.upper_value == one.upper_value && three.x == NULL && three.y == NULL);
        sustain_solver_destroy(solver);
    }
}

static void test_no_option_at_all(void **state) {
    (void)state;
    double least[8], distance = 0;
    sustain_real x[8] = {0}, y[8] = {0};
    assert_true(isfinite(sustain_quadratic_minimum(b.sum, least)));
    assert_int_equal(sustain_minimize(b.context, b.sum, NULL, NULL, x, y, NULL), SUSTAIN_OK);
    for (int64_t i = 0; i < b.sum->upper_dim; i++) distance += pow((double)x[i] - least[i], 2);
    if (!(sqrt(distance) < 0.02)) fail_msg("it ends %g from the answer", sqrt(distance));
}

/* x and y are the start. */
static void test_start_is_taken(void **state) {
    (void)state;
    sustain_real x[8], y[8], far_x[8], far_y[8];
    sustain_result near, far;
    const sustain_stopping stopping = {.iterations = 1};
    assert_int_equal(b.sum->ops->initial(b.sum->self, x, y), 0);
    for (int i = 0; i < 8; i++) far_x[i] = 100, far_y[i] = 100;
    assert_int_equal(sustain_minimize(b.context, b.sum, "sustain", &stopping, x, y, &near), SUSTAIN_OK);
    assert_int_equal(sustain_minimize(b.context, b.sum, "sustain", &stopping, far_x, far_y, &far), SUSTAIN_OK);
    assert_true(far.upper_value > 100 * fabs(near.upper_value));
}

static int after_a_while(void *user) {
    return ++*(int *)user > 30000;
}

static void test_failures(void **state) {
    (void)state;
    sustain_real x[8], y[8], reached[8];
    sustain_result result;
    for (int i = 0; i < 8; i++) x[i] = y[i] = 3;
    assert_refused(b.context, sustain_minimize(b.context, b.sum, "nothing", NULL, x, y, &result), SUSTAIN_UNKNOWN_NAME, "nothing", NULL);
    for (int i = 0; i < 8; i++) assert_true(x[i] == 3 && y[i] == 3);
    assert_int_equal(result.iterations, 0);

    /* an oracle that fails: the point of the iterations before */
    faulty f = {.inner = b.sum, .oracle = SUSTAIN_NEEDS_G_GRAD_Y, .first = 40, .last = 40, .code = -7};
    faulty_init(&f);
    assert_refused(b.context, sustain_minimize(b.context, &f.problem, "sustain", &(sustain_stopping){.iterations = 80}, x, y, &result),
                   SUSTAIN_ORACLE_FAILED, "'faulty'", "iteration 40", NULL);
    assert_int_equal(result.iterations, 40);
    assert_true(x[0] != 3 && y[0] != 3);

    /* cancelled: the last point, not the start */
    int questions = 0;
    memcpy(reached, x, sizeof x);
    sustain_context_set_cancel(b.context, after_a_while, &questions);
    assert_int_equal(sustain_minimize(b.context, b.sum, "sustain", &(sustain_stopping){.iterations = 1000000}, x, y, &result),
                     SUSTAIN_CANCELLED);
    sustain_context_set_cancel(b.context, NULL, NULL);
    assert_true(result.iterations > 0 && result.iterations < 1000000);
    assert_memory_not_equal(x, reached, (size_t)b.sum->upper_dim * sizeof *x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_by_hand),
        cmocka_unit_test(test_no_option_at_all),
        cmocka_unit_test(test_start_is_taken),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
