/* test_vector.c - the vector kernels against plain loops, for all lengths around the unrolled
 * parts; Cholesky against products. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include <sustain/random.h>

#include "core/vector.h"

enum { MOST = 70, ROOM = MOST + 2 };
#define EPSILON (sizeof(sustain_real) == 8 ? DBL_EPSILON : (double)FLT_EPSILON)

/* Three vectors of random numbers with a guard before and after; the kernels get a[1 .. n]. */
typedef struct vectors {
    sustain_real a[ROOM], b[ROOM], c[ROOM];
} vectors;

static vectors make(int n) {
    vectors v;
    for (int i = 0; i < ROOM; i++) {
        v.a[i] = (sustain_real)sustain_random_normal(1, 1, (uint64_t)n, (uint32_t)i);
        v.b[i] = (sustain_real)sustain_random_normal(1, 2, (uint64_t)n, (uint32_t)i);
        v.c[i] = (sustain_real)sustain_random_normal(1, 3, (uint64_t)n, (uint32_t)i);
    }
    return v;
}

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance)) fail_msg("%.17g is not %.17g", found, expected);
}

static void test_sums(void **state) {
    (void)state;
    for (int n = 0; n <= MOST; n++) {
        const vectors v = make(n);
        double dot = 0, square = 0, apart = 0, most = 0;
        for (int i = 1; i <= n; i++) {
            const double a = (double)v.a[i], b = (double)v.b[i];
            dot += a * b;
            square += a * a;
            apart += (a - b) * (a - b);
            most = fmax(most, fabs(a));
        }
        assert_near(sustain__dot(n, v.a + 1, v.b + 1), dot, 1e-13);
        assert_near(sustain__norm(n, v.a + 1), sqrt(square), 1e-13);
        assert_near(sustain__distance(n, v.a + 1, v.b + 1), sqrt(apart), 1e-13);
        assert_true(sustain__max_abs(n, v.a + 1) == most);
    }
    /* sums are double: a float sum would lose the small one */
    const sustain_real large[2] = {30000, 1}, ones[2] = {30000, 1};
    assert_true(sustain__dot(2, large, ones) == 900000001.0);
}

static void test_not_finite(void **state) {
    (void)state;
    for (int n = 1; n <= MOST; n++)
        for (int at = 0; at < n; at++) {
            vectors v = make(n);
            int64_t where = -1;
            assert_true(sustain__all_finite(n, v.a, &where));
            assert_int_equal(where, -1);
            v.a[at] = (sustain_real)(at % 3 == 0 ? INFINITY : at % 3 == 1 ? -INFINITY : NAN);
            assert_false(sustain__all_finite(n, v.a, &where));
            assert_int_equal(where, at);
            assert_false(sustain__all_finite(n, v.a, NULL));
            assert_true(at % 3 == 2 ? isnan(sustain__max_abs(n, v.a)) : isinf(sustain__max_abs(n, v.a)));
        }
    const sustain_real both[2] = {(sustain_real)INFINITY, (sustain_real)NAN};
    assert_true(isnan(sustain__max_abs(2, both)));
}

/* Each kernel against its formula, element by element; the guards must stay. */
static void test_elementwise(void **state) {
    (void)state;
    for (int n = 0; n <= MOST; n++) {
        const vectors from = make(n);
        const double f = 0.75;
        vectors copied = from, zeroed = from, scaled = from, added = from, mixed = from, replaced = from, moved = from;
        sustain__copy(n, from.a + 1, copied.b + 1);
        sustain__zero(n, zeroed.b + 1);
        sustain__scale(n, f, scaled.b + 1);
        sustain__add(n, f, from.a + 1, added.b + 1);
        sustain__momentum(n, f, from.a + 1, from.b + 1, mixed.c + 1);
        sustain__momentum(n, 0, from.a + 1, NULL, replaced.c + 1);
        sustain__move(n, f, from.a + 1, moved.b + 1, moved.c + 1);
        for (int i = 0; i < ROOM; i++) {
            const bool in = i >= 1 && i <= n;
            const double a = (double)from.a[i], b = (double)from.b[i], c = (double)from.c[i];
            const double tolerance = in ? 8 * EPSILON * (fabs(a) + fabs(b) + fabs(c)) : 0;
            assert_near((double)copied.b[i], in ? a : b, 0);
            assert_near((double)zeroed.b[i], in ? 0 : b, 0);
            assert_near((double)scaled.b[i], in ? f * b : b, tolerance);
            assert_near((double)added.b[i], in ? b + f * a : b, tolerance);
            assert_near((double)mixed.c[i], in ? a + f * (c - b) : c, tolerance);
            assert_near((double)replaced.c[i], in ? a : c, 0);
            assert_near((double)moved.b[i], in ? b - f * a : b, tolerance);
            assert_near((double)moved.c[i], in ? b : c, 0);
        }
    }
}

/* (n, n) = R R' / n + I with R random. */
static void make_definite(int64_t n, double *a) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = i == j;
            for (int64_t k = 0; k < n; k++)
                sum += sustain_random_normal(2, 1, (uint64_t)i, (uint32_t)k) * sustain_random_normal(2, 1, (uint64_t)j, (uint32_t)k) /
                       (double)n;
            a[i * n + j] = sum;
        }
}

static void test_cholesky(void **state) {
    (void)state;
    enum { N = 24 };
    static double a[N * N], factor[N * N];
    for (int64_t n = 1; n <= N; n++) {
        double x[N], b[N];
        make_definite(n, a);
        memcpy(factor, a, (size_t)(n * n) * sizeof *a);
        assert_true(sustain__cholesky(n, factor));
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) { /* L L' = a */
                double sum = 0;
                for (int64_t k = 0; k <= j; k++) sum += factor[i * n + k] * factor[j * n + k];
                assert_near(sum, a[i * n + j], 1e-12);
            }
        for (int64_t i = 0; i < n; i++) x[i] = sustain_random_normal(2, 2, 0, (uint32_t)i);
        for (int64_t i = 0; i < n; i++) {
            b[i] = 0;
            for (int64_t j = 0; j < n; j++) b[i] += a[i * n + j] * x[j];
        }
        sustain__cholesky_solve(n, factor, b);
        for (int64_t i = 0; i < n; i++) assert_near(b[i], x[i], 1e-11);
    }
}

static void test_cholesky_refuses(void **state) {
    (void)state;
    double indefinite[4] = {1, 2, 2, 1}, negative[1] = {-1}, zero[1] = {0}, nan[1] = {NAN}, singular[4] = {1, 1, 1, 1},
           good[4] = {2, 1, 1, 2};
    assert_false(sustain__cholesky(2, indefinite));
    assert_false(sustain__cholesky(1, negative));
    assert_false(sustain__cholesky(1, zero));
    assert_false(sustain__cholesky(1, nan));
    assert_false(sustain__cholesky(2, singular));
    assert_true(sustain__cholesky(2, good));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),     cmocka_unit_test(test_not_finite),       cmocka_unit_test(test_elementwise),
        cmocka_unit_test(test_cholesky), cmocka_unit_test(test_cholesky_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
