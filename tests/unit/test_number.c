/* test_number.c - numbers in text against strtod, and what is no number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/random.h>

#include "data/number.h"

static double read_all(const char *text) {
    double value = NAN;
    if (!sustain__number_is(text, text + strlen(text), &value)) fail_msg("'%s' is not read as a number", text);
    return value;
}

static void known(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"0", 0},
                 {"-0.5", -0.5},
                 {"+1", 1},
                 {".5", 0.5},
                 {"5.", 5},
                 {"1e3", 1e3},
                 {"1E-3", 1e-3},
                 {"1e+22", 1e22},
                 {"0.000001", 1e-6},
                 {"123456789012345", 123456789012345.0},
                 {"1e400", INFINITY},
                 {"-1e400", -INFINITY},
                 {"1e-400", 0},
                 {"0e999999999999", 0},
                 {"00000000000000000000000000001", 1},
                 {"0.1", 0.1},
                 {"3.4028235e38", 3.4028235e38},
                 {"1000000000000000000000000", 1e24}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) assert_true(read_all(cases[i].text) == cases[i].value);
}

static void no_numbers(void **state) {
    (void)state;
    static const char *const texts[] = {"", "+", "-", ".", "-.", "e5", "1x", "0x10", "nan", "inf", "1 ", " 1", "1e", "1e+", "--1", "1.2.3"};
    double value;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(sustain__number_is(texts[i], texts[i] + strlen(texts[i]), &value));
    static const char *const words = "-InfNaN";
    assert_true(sustain__number_is_not_finite(words, words + 4));
    assert_true(sustain__number_is_not_finite(words + 4, words + 7));
    assert_false(sustain__number_is_not_finite(words + 4, words + 6));
}

/* What is printed with 17 digits reads back to one unit in the last place, and to the same float;
 * with 15 digits and small exponents exactly. */
static void random_numbers(void **state) {
    (void)state;
    int64_t other_floats = 0;
    for (uint64_t t = 0; t < 200000; t++) {
        char text[64];
        const double u = sustain_random_normal(100, 1, t, 0);
        const int exponent = (int)sustain_random_index(100, 2, t, 0, 600) - 300;
        snprintf(text, sizeof text, "%.16fe%d", u, exponent);
        const double expected = strtod(text, NULL), value = read_all(text);
        assert_true(fabs(value - expected) <= fabs(expected) * 0x1p-52);
        other_floats += (float)value != (float)expected;
        snprintf(text, sizeof text, "%.15g", u);
        assert_true(read_all(text) == strtod(text, NULL));
    }
    assert_int_equal(other_floats, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(known), cmocka_unit_test(no_numbers), cmocka_unit_test(random_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
