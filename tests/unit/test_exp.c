/* test_exp.c - exponentials of many numbers against libm's, the ends of the range, and that a
 * number's place does not change its bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/exp.h"
#include "precision.h"

enum { N = 1000 };

static void test_accuracy(void **state) {
    (void)state;
    const double least = is_float ? -87 : -708, most = is_float ? 88.7 : 709.7, rounding = is_float ? (double)FLT_EPSILON : DBL_EPSILON;
    sustain_real z[N], e[N];
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < N; i++) z[i] = (sustain_real)(least + (most - least) * (i + round * N) / (200.0 * N));
        sustain__exp(N, z, e);
        for (int i = 0; i < N; i++) assert_true(fabs((double)e[i] / exp((double)z[i]) - 1) <= 2 * rounding);
    }
}

static void test_ends(void **state) {
    (void)state;
    const sustain_real largest = (sustain_real)(is_float ? 89 : 710);
    sustain_real z[] = {0,
                        largest,
                        -2 * largest,
                        (sustain_real)INFINITY,
                        (sustain_real)-INFINITY,
                        (sustain_real)1e30,
                        (sustain_real)-1e30,
                        (sustain_real)NAN};
    sustain__exp(8, z, z); /* in place */
    assert_true(z[0] == 1 && isinf(z[1]) && z[2] == 0 && isinf(z[3]) && z[4] == 0 && isinf(z[5]) && z[6] == 0 && isnan(z[7]));
    z[0] = (sustain_real)(is_float ? -100 : -740); /* where numbers have lost places */
    const double exact = exp((double)z[0]);
    sustain__exp(1, z, z);
    assert_true(z[0] > 0 && fabs((double)z[0] / exact - 1) < 0.1);
}

static void test_place(void **state) {
    (void)state;
    sustain_real z[N], all[N], part[N];
    for (int i = 0; i < N; i++) z[i] = (sustain_real)(sin(i) * 20);
    sustain__exp(N, z, all);
    for (int count = 1; count < 80; count++)
        for (int first = 0; first < 70; first += 7) {
            sustain__exp(count, z + first, part);
            assert_memory_equal(part, all + first, (size_t)count * sizeof *part);
        }
    sustain__exp(0, NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accuracy),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
