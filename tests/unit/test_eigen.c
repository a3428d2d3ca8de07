/* test_eigen.c - Jacobi's method against its definition, closed forms, and what is not finite. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <sustain/random.h>

#include "core/eigen.h"

enum { MOST = 40 };

/* V'V = I and V diag(values) V' = a, to rounding. */
static void check(int n, const double *a, double scale) {
    double copy[MOST * MOST], values[MOST], V[MOST * MOST];
    memcpy(copy, a, (size_t)(n * n) * sizeof *a);
    assert_true(sustain__eigen(n, copy, values, V));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double unit = 0, back = 0;
            for (int k = 0; k < n; k++) {
                unit += V[k * n + i] * V[k * n + j];
                back += V[i * n + k] * values[k] * V[j * n + k];
            }
            if (!(fabs(unit - (i == j)) < 1e-13 * n)) fail_msg("n = %d: column %d times column %d is %g", n, i, j, unit);
            if (!(fabs(back - a[i * n + j]) < 1e-14 * n * scale)) fail_msg("n = %d: (%d, %d) is %g, not %g", n, i, j, back, a[i * n + j]);
        }
}

static void test_random(void **state) {
    (void)state;
    static const int sizes[] = {1, 2, 3, 7, 40};
    static const double scales[] = {1, 1e-100, 1e100};
    for (int s = 0; s < 5; s++)
        for (int l = 0; l < 3; l++) {
            double a[MOST * MOST];
            const int n = sizes[s];
            for (int i = 0; i < n; i++)
                for (int j = 0; j <= i; j++)
                    a[i * n + j] = a[j * n + i] = scales[l] * sustain_random_normal(7, 1, (uint64_t)n, (uint32_t)(i * n + j));
            check(n, a, 10 * scales[l]);
        }
}

/* 2 on the diagonal, -1 beside it: 2 - 2 cos(k pi / (n+1)). */
static void test_closed_form(void **state) {
    (void)state;
    enum { n = 12 };
    double a[n * n] = {0}, values[n], V[n * n];
    for (int i = 0; i < n; i++) {
        a[i * n + i] = 2;
        if (i > 0) a[i * n + i - 1] = a[(i - 1) * n + i] = -1;
    }
    assert_true(sustain__eigen(n, a, values, V));
    for (int k = 1; k <= n; k++) {
        double nearest = HUGE_VAL;
        for (int i = 0; i < n; i++) nearest = fmin(nearest, fabs(values[i] - (2 - 2 * cos(k * acos(-1) / (n + 1)))));
        assert_true(nearest < 1e-14);
    }
}

static void test_special(void **state) {
    (void)state;
    const double zero[4] = {0}, same[4] = {3, 0, 0, 3}, rank_one[9] = {1, 2, 3, 2, 4, 6, 3, 6, 9}, apart[4] = {1e15, 1, 1, 1e-15};
    check(2, zero, 1);
    check(2, same, 3);
    check(3, rank_one, 14);
    check(2, apart, 1e15);
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        double a[4] = {1, bad[i], bad[i], 1}, values[2], V[4];
        assert_false(sustain__eigen(2, a, values, V));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_closed_form),
        cmocka_unit_test(test_special),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
