/* test_csv_write.c - numbers of CSV files are those of printf(), to the last digit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/random.h>

#include "cli/csv_write.h"

/* What is written, of a number or of a whole one. */
static void assert_written(double value, int64_t whole, bool is_whole) {
    char expected[64], *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    assert_non_null(to);
    if (is_whole)
        csv_whole(to, whole), snprintf(expected, sizeof expected, "%" PRId64, whole);
    else
        csv_number(to, value), snprintf(expected, sizeof expected, "%.6g", value);
    assert_int_equal(fclose(to), 0);
    assert_string_equal(text, expected);
    free(text);
}

static void test_numbers(void **state) {
    (void)state;
    const double some[] = {0,        1,         0.1,        0.5,       0.999999, 0.9999995, 0.99999949,  1e-4,     9.99999e-5, 9.999995e-5,
                           0.000123, 0.1234565, 0.12345649, 0.0012345, 123456.5, 1e300,     5e-324,      -0.25,    -1,         1.0 / 3,
                           0.25,     0.125,     0.0625,     0.1000005, 0.100001, 2.5,       (double)NAN, INFINITY, -0.0,       0.012345650};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) assert_written(some[i], 0, false);
    for (uint32_t i = 0; i < 20000; i++) {
        const double u = sustain_random_uniform(1, 2, i, 0);
        assert_written(u, 0, false);
        assert_written(u * u * u * u, 0, false);
        assert_written((double)(float)u, 0, false);
        assert_written(floor(u * 1e6) / 1e6 + 5e-7, 0, false); /* near the middle of two */
    }
}

static void test_whole_numbers(void **state) {
    (void)state;
    const int64_t some[] = {0, 1, -1, 9, 10, 99, 100, -2147483648LL, 4294967296LL, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) assert_written(0, some[i], true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_whole_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
