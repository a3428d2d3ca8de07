/* test_decimal.c - numbers as text in a program that speaks German, where printf() writes a comma
 * and strtod() wants one: parameters, saved states and models are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/fewshot.h>
#include <sustain/sustain.h>

#include "core/decimal.h"

static char folder[] = "/tmp/sustain-decimal-XXXXXX", path[64];
static sustain_context *context;
static sustain_problem *problem;

static int setup(void **state) {
    (void)state;
    if (mkdtemp(folder) == NULL || sustain_context_create(&context) != SUSTAIN_OK) return -1;
    snprintf(path, sizeof path, "%s/state", folder);
    const sustain_quadratic_options options = sustain_quadratic_defaults();
    return sustain_quadratic_create(context, &options, &problem) == SUSTAIN_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    char command[64];
    sustain_quadratic_destroy(problem);
    sustain_context_destroy(context);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* A German locale: one of the system, or one made here. */
static bool speak_german(void) {
    char command[160];
    if (setlocale(LC_ALL, "de_DE.UTF-8") != NULL || setlocale(LC_ALL, "de_DE") != NULL) return true;
    snprintf(command, sizeof command, "localedef -i de_DE -f ISO-8859-1 %s/de_DE > %s/log 2>&1", folder, folder);
    return system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, "de_DE") != NULL;
}

static void german(void) {
    char half[8];
    if (!speak_german()) {
        printf("skipped: no German locale, and localedef makes none\n");
        skip();
    }
    snprintf(half, sizeof half, "%g", 0.5);
    assert_string_equal(half, "0,5");
}

static void plain(void) {
    assert_non_null(setlocale(LC_ALL, "C"));
}

/* ---- reading and writing ---- */

static void check_numbers(void) {
    static const struct {
        const char *text;
        double value;
    } numbers[] = {{"0.25", 0.25}, {".5", 0.5}, {"-3.", -3}, {"7", 7}, {"1.5e-3", 1.5e-3}, {"1e300", 1e300}, {"0x1.8p1", 3}};
    static const char *const others[] = {"", "0,25", "1.2.3", "1,5e3", " 1", "1 ", "x", ".", ",5", "1.5,"};
    double value;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!sustain__decimal_read(numbers[i].text, &value)) fail_msg("'%s' is no number", numbers[i].text);
        assert_true(value == numbers[i].value);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (sustain__decimal_read(others[i], &value)) fail_msg("'%s' is a number", others[i]);
    char text[64];
    sustain__decimal_write(0.125, 9, text, sizeof text);
    assert_string_equal(text, "0.125");
    sustain__decimal_write(-1e-300, 9, text, sizeof text);
    assert_string_equal(text, "-1e-300");
    for (uint64_t t = 0; t < 1000; t++) {
        const double exact = ldexp(sustain_random_normal(1, 1, t, 0), (int)sustain_random_index(1, 2, t, 0, 1800) - 900);
        sustain__decimal_write(exact, 17, text, sizeof text);
        assert_true(sustain__decimal_read(text, &value) && value == exact);
    }
}

static void test_numbers(void **state) {
    (void)state;
    plain();
    check_numbers();
    german();
    check_numbers();
}

/* ---- what is made of them ---- */

/* Saved by a German program, loaded by a plain one. */
static void test_states(void **state) {
    (void)state;
    char text[32];
    sustain_solver *saved, *loaded;
    german();
    assert_int_equal(sustain_solver_create(context, "sustain", problem, &saved), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(saved, "gamma1", "0.75"), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(saved, "gamma1", "0,5"), SUSTAIN_PARAMETER);
    assert_int_equal(sustain_solver_set_number(saved, "gamma2", 0.1), SUSTAIN_OK);
    sustain_solver_get(saved, "gamma2", text, sizeof text);
    assert_string_equal(text, "0.1");
    assert_int_equal(sustain_solver_start(saved, NULL, NULL), SUSTAIN_OK);
    assert_int_equal(sustain_solver_save(saved, path), SUSTAIN_OK);
    plain();
    assert_int_equal(sustain_solver_create(context, "sustain", problem, &loaded), SUSTAIN_OK);
    if (sustain_solver_load(loaded, path) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    sustain_solver_get(loaded, "gamma1", text, sizeof text);
    assert_string_equal(text, "0.75");
    sustain_solver_destroy(saved);
    sustain_solver_destroy(loaded);
}

/* A model on a device with a German user. */
static void test_models(void **state) {
    (void)state;
    sustain_fewshot_model *model;
    german();
    if (sustain_fewshot_model_read(context, "examples/fewshot.safetensors", &model) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    sustain_fewshot_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_states), cmocka_unit_test(test_models)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
