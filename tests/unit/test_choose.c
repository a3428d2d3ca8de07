/* test_choose.c - the name "auto": which algorithm it stands for, on which problem, and that the
 * log says so. */
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

/* ---- one look, not two ---- */

static int64_t products;
static int (*own_product)(const void *, const sustain_batch *, const sustain_real *, const sustain_real *, const sustain_real *,
                          sustain_real *, void *);

static int counting_product(const void *self, const sustain_batch *b, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                            sustain_real *out, void *work) {
    products++;
    return own_product(self, b, x, y, v, out, work);
}

/* Products that the start takes, with and without the look that the choice took. */
static void test_looks_once(void **state) {
    (void)state;
    sustain_quadratic_options options = sustain_quadratic_defaults();
    sustain_problem *problem;
    options.samples = 20;
    assert_int_equal(sustain_quadratic_create(context, &options, &problem), SUSTAIN_OK);
    sustain_problem counted = *problem;
    sustain_problem_ops ops = *problem->ops;
    own_product = ops.g_hess_vec;
    ops.g_hess_vec = counting_product;
    counted.ops = &ops;
    sustain_steps steps[2];
    static const char *const names[] = {"auto", "soba"};
    for (int i = 0; i < 2; i++) {
        sustain_solver *solver;
        products = 0;
        assert_int_equal(sustain_solver_create(context, names[i], &counted, &solver), SUSTAIN_OK);
        assert_string_equal(sustain_solver_describe(solver)->name, "soba");
        assert_true(i == 0 ? products > 0 : products == 0);
        products = 0;
        assert_int_equal(sustain_solver_start(solver, NULL, NULL), SUSTAIN_OK);
        assert_true(i == 0 ? products == 0 : products > 0);
        steps[i] = sustain_solver_steps(solver);
        sustain_solver_destroy(solver);
    }
    assert_true(steps[0].alpha == steps[1].alpha && steps[0].beta == steps[1].beta); /* and it is the same look */
    sustain_solver *other;
    assert_int_equal(sustain_solver_create(context, "auto", &counted, &other), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(other, "seed", "1"), SUSTAIN_OK);
    products = 0;
    assert_int_equal(sustain_solver_start(other, NULL, NULL), SUSTAIN_OK);
    assert_true(products > 0); /* other draws */
    sustain_solver_destroy(other);
    sustain_quadratic_destroy(problem);
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
    assert_int_equal(count, 9);
    assert_null(sustain_solver_choice(-1));
    for (int i = 0; i < sustain_solver_count(); i++) assert_string_not_equal(sustain_solver_at(i)->name, "auto");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quadratic), cmocka_unit_test(test_cleaning), cmocka_unit_test(test_looks_once),
                                       cmocka_unit_test(test_rules)};
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    sustain_context_set_log(context, keep, NULL);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sustain_context_destroy(context);
    return failed;
}
