/* test_choose.c - the name "auto": which algorithm it stands for, on which problem, and that the log says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <sustain/sustain.h>

static sustain_context *context;
static char logged[1024];

static void keep(void *user, const char *line) {
    (void)user;
    snprintf(logged, sizeof logged, "%s", line);
}

static void expect(const sustain_problem *problem, const char *name) {
    sustain_solver *solver;
    char beginning[64];
    assert_int_equal(sustain_solver_create(context, "auto", problem, &solver), SUSTAIN_OK);
    assert_string_equal(sustain_solver_describe(solver)->name, name);
    snprintf(beginning, sizeof beginning, "auto: %s for problem '", name);
    assert_memory_equal(logged, beginning, strlen(beginning));
    sustain_solver_destroy(solver);
}

static void test_quadratic(void **state) {
    (void)state;
    sustain_quadratic_options options = sustain_quadratic_defaults();
    sustain_problem *problem;
    assert_int_equal(sustain_quadratic_create(context, &options, &problem), SUSTAIN_OK);
    expect(problem, "hoag"); /* a stream with expected values */
    sustain_problem changed = *problem;
    changed.has_expectation = false;
    expect(&changed, "soba"); /* draws alone, well conditioned */
    sustain_problem_ops gradients = *problem->ops;
    gradients.g_hess_vec = NULL;
    changed.ops = &gradients;
    expect(&changed, "f2sa");
    gradients.g_grad_x = NULL;
    sustain_solver *solver;
    assert_int_equal(sustain_solver_create(context, "auto", &changed, &solver), SUSTAIN_MISSING_ORACLE);
    sustain_quadratic_destroy(problem);
    options.samples = 20;
    assert_int_equal(sustain_quadratic_create(context, &options, &problem), SUSTAIN_OK);
    expect(problem, "soba"); /* a finite sum without tables */
    sustain_quadratic_destroy(problem);
    options.mu_g = options.L_g / 200;
    assert_int_equal(sustain_quadratic_create(context, &options, &problem), SUSTAIN_OK);
    expect(problem, "amigo"); /* badly conditioned, little noise */
    sustain_quadratic_destroy(problem);
}

static void test_cleaning(void **state) {
    (void)state;
    static const float features[] = {1, 0, 0, 1};
    static const int32_t labels[] = {0, 1};
    sustain_rows rows = {.count = 2, .dim = 2, .values = features, .labels = labels, .stored = 2};
    sustain_hyperclean_options options = sustain_hyperclean_defaults();
    options.classes = 2;
    sustain_problem *problem;
    assert_int_equal(sustain_hyperclean_create(context, &options, &rows, &rows, &problem), SUSTAIN_OK);
    expect(problem, "hoag"); /* few rows, and c = 0.001 makes it badly conditioned */
    sustain_hyperclean_destroy(problem);
    options.c = 1;
    assert_int_equal(sustain_hyperclean_create(context, &options, &rows, &rows, &problem), SUSTAIN_OK);
    expect(problem, "saba");
    sustain_hyperclean_destroy(problem);
    sustain_rows many = rows;
    many.count = 20000;
    assert_int_equal(sustain_hyperclean_create(context, &options, &many, &rows, &problem), SUSTAIN_OK);
    expect(problem, "soba");
    sustain_hyperclean_destroy(problem);
    many.count = 1000000;
    assert_int_equal(sustain_hyperclean_create(context, &options, &many, &rows, &problem), SUSTAIN_OK);
    expect(problem, "sustain");
    sustain_hyperclean_destroy(problem);
}

static void test_rules(void **state) {
    (void)state;
    int count = 0;
    for (; sustain_solver_choice(count) != NULL; count++) {
        bool listed = false;
        for (int i = 0; i < sustain_solver_count(); i++)
            listed = listed || strcmp(sustain_solver_at(i)->name, sustain_solver_choice(count)->name) == 0;
        assert_true(listed);
    }
    assert_int_equal(count, 8);
    assert_null(sustain_solver_choice(-1));
    for (int i = 0; i < sustain_solver_count(); i++) assert_string_not_equal(sustain_solver_at(i)->name, "auto");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quadratic), cmocka_unit_test(test_cleaning), cmocka_unit_test(test_rules)};
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    sustain_context_set_log(context, keep, NULL);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sustain_context_destroy(context);
    return failed;
}
