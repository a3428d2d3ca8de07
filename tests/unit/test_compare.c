/* test_compare.c - the parts of lab/compare.h: lists of algorithms, one run, values between
 * evaluations, means over runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/compare.h"

/* ---- lists ---- */

static sustain_status add(compare_plan *plan, const char *list, lab_error *error) {
    *plan = (compare_plan){.panel = {{"", "", ""}}, .panel_count = 1};
    return compare_entries_add(plan, list, error);
}

static void test_list(void **state) {
    (void)state;
    static compare_plan plan;
    lab_error error = {""};
    assert_int_equal(add(&plan, "sustain,stocbio:batch=10:alpha=0.1", &error), SUSTAIN_OK);
    assert_int_equal(plan.entry_count, 2);
    assert_string_equal(plan.entry[0].solver, "sustain");
    assert_string_equal(plan.entry[0].parameters, "");
    assert_string_equal(plan.entry[1].solver, "stocbio");
    assert_string_equal(plan.entry[1].parameters, "batch=10:alpha=0.1");
    assert_string_equal(plan.entry[1].folder, "stocbio-batch=10-alpha=0.1");
}

static void test_bad_lists(void **state) {
    (void)state;
    static compare_plan plan;
    static const char *const bad[][2] = {
        {"sustain,,soba", "empty"}, {"sustain,sustain", "share the folder"}, {"a:b=1,a-b=1", "share the folder"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        lab_error error = {""};
        assert_int_not_equal(add(&plan, bad[i][0], &error), SUSTAIN_OK);
        assert_non_null(strstr(error.text, bad[i][1]));
    }
}

static void test_too_many(void **state) {
    (void)state;
    static compare_plan plan;
    lab_error error = {""};
    char list[512] = "";
    for (int i = 0; i <= COMPARE_ENTRIES; i++) snprintf(list + strlen(list), sizeof list - strlen(list), "%sn%d", i > 0 ? "," : "", i);
    assert_int_not_equal(add(&plan, list, &error), SUSTAIN_OK);
    assert_int_equal(plan.entry_count, COMPARE_ENTRIES);
}

/* ---- one run ---- */

/* SUSTAIN with single samples: two gradients of f an iteration but the first, so the budget of 101
 * ends a run at iteration 51. */
static void run(sustain_context *context, int64_t seed, compare_series *out) {
    static compare_plan plan;
    lab_error error = {""};
    void *task;
    const sustain_quadratic_options options = sustain_quadratic_defaults();
    assert_int_equal(add(&plan, "sustain:schedule=power", &error), SUSTAIN_OK);
    plan.task = &compare_task_quadratic;
    plan.axis = AXIS_GRADIENTS;
    plan.budget = 101;
    assert_int_equal(compare_quadratic_open(context, &options, &task), SUSTAIN_OK);
    assert_int_equal(compare_run(context, &plan, task, &plan.entry[0], seed, out, &error), SUSTAIN_OK);
    plan.task->close(task);
}

static void test_run(void **state) {
    (void)state;
    sustain_context *context;
    compare_series one, again, other;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    run(context, 3, &one);
    run(context, 3, &again);
    run(context, 4, &other);
    assert_string_equal(one.failed, "");
    assert_int_equal(one.count, again.count);
    assert_int_equal(one.point[0].iterations, 0);
    assert_int_equal(one.point[one.count - 1].iterations, 51);
    assert_true(compare_axis_value(&one.point[one.count - 1], AXIS_GRADIENTS) == 101);
    for (int i = 0; i < one.count; i++) {
        assert_true(i == 0 || one.point[i].iterations > one.point[i - 1].iterations);
        assert_memory_equal(one.point[i].metric, again.point[i].metric, sizeof one.point[i].metric);
    }
    assert_true(one.point[one.count - 1].metric[0] != other.point[other.count - 1].metric[0]);
    free(one.point);
    free(again.point);
    free(other.point);
    sustain_context_destroy(context);
}

/* ---- curves ---- */

/* Values between evaluations lie on a straight line over log x. */
static void test_value_at(void **state) {
    (void)state;
    compare_point points[] = {{.iterations = 0, .metric = {8}}, {.iterations = 1, .metric = {4}}, {.iterations = 100, .metric = {2}}};
    const compare_series series = {.point = points, .count = 3};
    static const double rows[][2] = {{0, 8}, {0.5, 8}, {1, 4}, {10, 3}, {100, 2}, {1000, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(fabs(compare_value_at(&series, AXIS_ITERATIONS, 0, rows[i][0]) - rows[i][1]) < 1e-12);
}

/* Two runs whose ends differ: means at common iterations, then of the ends. One that failed has no
 * end. */
static void test_means(void **state) {
    (void)state;
    static compare_plan plan;
    static compare_result result;
    lab_error error = {""};
    assert_int_equal(add(&plan, "sustain", &error), SUSTAIN_OK);
    plan.runs = 2;
    for (int failed = 0; failed < 2; failed++) {
        assert_int_equal(compare_result_make(&plan, &result), SUSTAIN_OK);
        for (int r = 0; r < 2; r++) {
            compare_series *s = &result.curve[0].run[r];
            const compare_point points[] = {{.iterations = 0, .metric = {1 + 2 * r}}, {.iterations = 10 + r, .metric = {5 + r}}};
            for (int i = 0; i < 2; i++) assert_int_equal(compare_series_add(s, &points[i]), SUSTAIN_OK);
            if (failed && r == 1) strcpy(s->failed, "diverged");
        }
        assert_int_equal(compare_means(&result), SUSTAIN_OK);
        const compare_curve *c = &result.curve[0];
        assert_int_equal(c->count, failed ? 1 : 2);
        assert_true(c->mean[0].mean[0] == 2 && fabs(c->mean[0].deviation[0] - sqrt(2)) < 1e-12);
        if (!failed) assert_true(c->mean[1].axis[AXIS_ITERATIONS] == 10.5 && c->mean[1].mean[0] == 5.5);
        compare_result_free(&result);
    }
}

/* An entry with fewer runs has its mean over them, and is compared by the seeds that both have:
 * without the third run of the first, whose value is far off, it is ahead. */
static void test_fewer_runs(void **state) {
    (void)state;
    static compare_plan plan;
    static compare_result result;
    static const compare_claim_row ahead = {CLAIM_AHEAD, 0, "sustain", "soba", AXIS_ITERATIONS, 0, -1};
    lab_error error = {""};
    assert_int_equal(add(&plan, "sustain,soba", &error), SUSTAIN_OK);
    plan.task = &compare_task_quadratic; /* lower is better */
    plan.runs = 3;
    plan.claims = &ahead;
    plan.claim_count = 1;
    assert_int_equal(compare_entries_fewer_runs(&plan, "soba=4", &error), SUSTAIN_PARAMETER);
    assert_int_equal(compare_entries_fewer_runs(&plan, "soba=0", &error), SUSTAIN_PARAMETER);
    assert_int_equal(compare_entries_fewer_runs(&plan, "soba=2x", &error), SUSTAIN_PARAMETER);
    assert_int_equal(compare_entries_fewer_runs(&plan, "sob=2", &error), SUSTAIN_PARAMETER);
    assert_int_equal(compare_entries_fewer_runs(&plan, "soba=2", &error), SUSTAIN_OK);
    assert_int_equal(compare_result_make(&plan, &result), SUSTAIN_OK);
    assert_int_equal(result.curve[0].runs, 3);
    assert_int_equal(result.curve[1].runs, 2);
    for (int i = 0; i < 2; i++)
        for (int r = 0; r < result.curve[i].runs; r++) {
            const double value = i == 1 ? 5 + r : r < 2 ? 1 + r : 1000;
            const compare_point points[] = {{.iterations = 0, .metric = {value}}, {.iterations = 10, .metric = {value}}};
            for (int k = 0; k < 2; k++) assert_int_equal(compare_series_add(&result.curve[i].run[r], &points[k]), SUSTAIN_OK);
        }
    assert_int_equal(compare_means(&result), SUSTAIN_OK);
    compare_claims(&result);
    assert_true(result.curve[1].mean[0].mean[0] == 5.5);
    assert_int_equal(result.claim_count, 1);
    assert_string_equal(result.claim[0].verdict, "came out");
    assert_non_null(strstr(result.claim[0].why, "1.5 against 5.5"));
    compare_result_free(&result);
}

/* Figures of few-shot learning: the width of the published programs for miniImageNet, and 600
 * evaluation tasks in all at full size. */
static void test_sizes_of_figures(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const compare_figure_option *width = &compare_figure_at(i)->options[0];
        assert_string_equal(width->name, "set");
        assert_string_equal(width->value, "width=64");
    }
    assert_int_equal(compare_judging_tasks(true, 1), 300);
    assert_int_equal(compare_judging_tasks(true, 0.25), 150);
    assert_int_equal(compare_judging_tasks(true, 1e-4), 24);
    assert_int_equal(compare_judging_tasks(false, 1), 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_list),       cmocka_unit_test(test_bad_lists),
                                       cmocka_unit_test(test_too_many),   cmocka_unit_test(test_run),
                                       cmocka_unit_test(test_value_at),   cmocka_unit_test(test_means),
                                       cmocka_unit_test(test_fewer_runs), cmocka_unit_test(test_sizes_of_figures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
