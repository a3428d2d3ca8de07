/* test_fast_table.c - the extension table of a problem: one of an older library is shorter, and
 * works. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <sustain/sustain.h>

#include "fixture.h"
#include "toy.h"

typedef struct ran {
    sustain_real x[TOY_UPPER_SPARSE];
    sustain_counts counts;
} ran;

static ran run(const sustain_problem *problem, const char *check) {
    static const char *const pairs[][2] = {{"schedule", "power"}, {"alpha", "0.5"}, {"beta", "0.2"}, {"L_g", "4"}, {"batch", "2"}};
    sustain_solver *solver;
    sustain_result result;
    ran r;
    memset(&r, 0, sizeof r); /* padding too: runs are compared as bytes */
    assert_int_equal(sustain_solver_create(context, "sustain", problem, &solver), SUSTAIN_OK);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_int_equal(sustain_solver_set(solver, pairs[i][0], pairs[i][1]), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(solver, "check", check), SUSTAIN_OK);
    assert_int_equal(sustain_solver_run(solver, &(sustain_stopping){.iterations = 200}, &result), SUSTAIN_OK);
    memcpy(r.x, result.x, (size_t)problem->upper_dim * sizeof *r.x);
    r.counts = result.counts;
    sustain_solver_destroy(solver);
    return r;
}

/* A table of `size` bytes and not one more, against the whole one without what the short one
 * lacks. */
static void compare(bool sparse, size_t size) {
    toy whole, cut;
    toy_make(&whole, sparse, TOY_SAMPLES, TOY_RIGHT);
    toy_make(&cut, sparse, TOY_SAMPLES, TOY_RIGHT);
    memset((char *)&whole.fast + size, 0, sizeof whole.fast - size);
    sustain_problem_fast *old = malloc(size);
    assert_non_null(old);
    memcpy(old, &cut.fast, size);
    old->size = size;
    cut.ops.fast = old;
    for (int check = 0; check < 2; check++) {
        const ran a = run(&whole.problem, check == 0 ? "off" : "on"), b = run(&cut.problem, check == 0 ? "off" : "on");
        assert_memory_equal(&a, &b, sizeof a);
    }
    sustain_check_report report;
    assert_int_equal(sustain_check_problem(context, &cut.problem, NULL, NULL, 3, 1, &report), SUSTAIN_OK);
    assert_int_equal(report.failed, 0);
    free(old);
}

static void test_shorter_tables(void **state) {
    (void)state;
    static const size_t sizes[] = {offsetof(sustain_problem_fast, table_width), offsetof(sustain_problem_fast, g_grad_y_pair),
                                   offsetof(sustain_problem_fast, hyper_pair), offsetof(sustain_problem_fast, momentum_step),
                                   offsetof(sustain_problem_fast, prefetch)};
    compare(false, sizeof(size_t));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) compare(false, sizes[i]), compare(true, sizes[i]);
}

/* Part of a field is not the field. */
static void test_half_a_field(void **state) {
    (void)state;
    toy t;
    toy_make(&t, false, TOY_SAMPLES, TOY_MOMENTUM_STEP_FORGETS);
    t.fast.size = offsetof(sustain_problem_fast, momentum_step) + 1;
    sustain_check_report report;
    assert_int_equal(sustain_check_problem(context, &t.problem, NULL, NULL, 3, 1, &report), SUSTAIN_OK);
    assert_int_equal(report.failed, 0);
    t.fast.size = sizeof t.fast;
    assert_int_equal(sustain_check_problem(context, &t.problem, NULL, NULL, 3, 1, &report), SUSTAIN_OK);
    assert_true(report.failed > 0);
}

static void test_longer_table(void **state) {
    (void)state;
    struct {
        sustain_problem_fast fast;
        void *newer;
    } newer;
    toy t;
    toy_make(&t, true, TOY_SAMPLES, TOY_RIGHT);
    const ran a = run(&t.problem, "on");
    newer.fast = t.fast;
    newer.fast.size = sizeof newer;
    newer.newer = &newer;
    t.ops.fast = &newer.fast;
    const ran b = run(&t.problem, "on");
    assert_memory_equal(&a, &b, sizeof a);
}

static void test_no_size_is_refused(void **state) {
    (void)state;
    toy t;
    sustain_solver *solver;
    toy_make(&t, false, TOY_SAMPLES, TOY_RIGHT);
    t.fast.size = 0;
    assert_int_equal(sustain_solver_create(context, "sustain", &t.problem, &solver), SUSTAIN_ARGUMENT);
    assert_non_null(strstr(sustain_error(context), "sizeof(sustain_problem_fast)"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_shorter_tables, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_half_a_field, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_longer_table, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_no_size_is_refused, open_context, close_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
