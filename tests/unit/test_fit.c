/* test_fit.c - the power law of lab/power_fit.c: exact lines, and an interval that a textbook's
 * formula gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "lab/power_fit.h"

static void test_exact(void **state) {
    (void)state;
    double x[20], y[20];
    for (int i = 0; i < 20; i++) x[i] = pow(1.7, i), y[i] = 3 * pow(x[i], -1.5);
    for (int n = 2; n <= 20; n++) {
        const power_fit fit = fit_power(n, x, y);
        assert_true(fabs(fit.slope + 1.5) < 1e-12);
        assert_true(n < 3 ? isnan(fit.half) : fit.half < 1e-6);
    }
}

/* v = u + (1, -1, -1, 1) d on u = 0, 1, 2, 3: the slope stays 1, the residual is 4 d^2, sum (u -
 * mean u)^2 = 5, so that the standard error is sqrt(4 d^2 / 2 / 5); two degrees of freedom: t =
 * 4.303. */
static void test_interval(void **state) {
    (void)state;
    const double d = 0.1, sign[] = {1, -1, -1, 1};
    double x[4], y[4];
    for (int i = 0; i < 4; i++) x[i] = exp(i), y[i] = exp(i + sign[i] * d);
    const power_fit fit = fit_power(4, x, y);
    assert_true(fabs(fit.slope - 1) < 1e-12);
    assert_true(fabs(fit.half - 4.303 * d * sqrt(0.4)) < 1e-12);
}

/* t_{0.975} from a table, within its last digit. */
static void test_student(void **state) {
    (void)state;
    static const struct {
        int freedom;
        double t;
    } rows[] = {{1, 12.706}, {10, 2.228}, {11, 2.201}, {20, 2.086}, {30, 2.042}, {100, 1.984}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) assert_true(fabs(student(rows[i].freedom) - rows[i].t) < 1e-3);
}

static void test_too_few(void **state) {
    (void)state;
    const double x[] = {2, 2}, y[] = {1, 3};
    assert_true(isnan(fit_power(0, x, y).slope));
    assert_true(isnan(fit_power(1, x, y).slope));
    assert_true(isnan(fit_power(2, x, y).slope));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact), cmocka_unit_test(test_interval), cmocka_unit_test(test_student),
                                       cmocka_unit_test(test_too_few)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
