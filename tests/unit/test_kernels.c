/* test_kernels.c - the kernels of this processor against the plain ones, and against sums in double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/random.h>

#include "core/kernels.h"

enum { M = 13, N = 23, MOST = 131 };

static const int64_t dims[] = {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 100, 131};
enum { DIMS = sizeof dims / sizeof *dims };

typedef struct data {
    int64_t dim;
    sustain_real a[M][MOST], w[N][MOST], q[M * N], h[N][MOST], y[N][MOST], y_prev[N][MOST];
    uint8_t bytes[MOST];
    const sustain_real *rows[M], *columns[N];
    sustain_real *to_h[N], *to_y[N], *to_y_prev[N];
} data;

static void fill(uint32_t stream, int64_t n, sustain_real *out) {
    for (int64_t i = 0; i < n; i++) out[i] = (sustain_real)sustain_random_normal(1, stream, 0, (uint32_t)i);
}

static void start(int64_t dim, data *d) {
    memset(d, 0, sizeof *d);
    d->dim = dim;
    /* the same for all dims */
    fill(1, M * MOST, d->a[0]);
    fill(2, N * MOST, d->w[0]);
    fill(3, M * N, d->q);
    fill(4, N * MOST, d->h[0]);
    fill(5, N * MOST, d->y[0]);
    fill(6, N * MOST, d->y_prev[0]);
    for (int j = 0; j < MOST; j++) d->bytes[j] = (uint8_t)(j * 37);
    for (int i = 0; i < M; i++) d->rows[i] = d->a[i];
    for (int k = 0; k < N; k++) {
        d->columns[k] = d->w[k];
        d->to_h[k] = d->h[k];
        d->to_y[k] = d->y[k];
        d->to_y_prev[k] = d->y_prev[k];
    }
}

static void assert_near(double got, double expected, double scale) {
    const double unit = sizeof(sustain_real) == sizeof(float) ? 1e-6 : 1e-14;
    if (!(fabs(got - expected) <= unit * (1 + scale))) fail_msg("%.9g instead of %.9g", got, expected);
}

static void check_dots(const sustain__kernels *kernels) {
    static data d;
    for (int i = 0; i < DIMS; i++) {
        sustain_real out[M * N], alone[M * N];
        start(dims[i], &d);
        for (int64_t r = 0; r < M; r++)
            for (int64_t k = 0; k < N; k++) {
                double sum = 0, size = 0;
                for (int64_t j = 0; j < d.dim; j++) {
                    sum += (double)d.a[r][j] * (double)d.w[k][j];
                    size += fabs((double)d.a[r][j] * (double)d.w[k][j]);
                }
                kernels->dots(1, 1, d.dim, d.rows + r, d.columns + k, &alone[r * N + k], 1);
                assert_near((double)alone[r * N + k], sum, size);
            }
        for (int64_t m = 0; m <= M; m++)
            for (int64_t n = 0; n <= N; n++) {
                for (int l = 0; l < M * N; l++) out[l] = 77;
                kernels->dots(m, n, d.dim, d.rows, d.columns, out, N);
                for (int64_t r = 0; r < M; r++) /* the same bits, whatever is computed with it */
                    for (int64_t k = 0; k < N; k++) assert_true(out[r * N + k] == (r < m && k < n ? alone[r * N + k] : 77));
            }
    }
}

static void check_sums(const sustain__kernels *kernels) {
    static data d, before;
    for (int i = 0; i < DIMS; i++)
        for (int64_t m = 0; m <= 6; m += 3)
            for (int64_t n = 0; n <= 11; n++) {
                start(dims[i], &d);
                before = d;
                kernels->outer(m, n, d.dim, d.rows, d.q, N, d.to_h);
                for (int64_t k = 0; k < N; k++)
                    for (int64_t j = 0; j < MOST; j++) {
                        double sum = (double)before.h[k][j], size = fabs(sum);
                        for (int64_t r = 0; r < m && k < n && j < d.dim; r++) {
                            sum += (double)d.q[r * N + k] * (double)d.a[r][j];
                            size += fabs((double)d.q[r * N + k] * (double)d.a[r][j]);
                        }
                        assert_near((double)d.h[k][j], sum, size);
                    }
            }
}

static void check_step(const sustain__kernels *kernels) {
    static data d, before;
    const sustain__lower_step step = {0.75, 0.01, 0.3};
    for (int i = 0; i < DIMS; i++)
        for (int64_t m = 0; m <= 2; m++)
            for (int64_t n = 0; n <= 12; n++) {
                start(dims[i], &d);
                before = d;
                kernels->step(m, n, d.dim, d.rows, d.q, N, &step, d.to_h, d.to_y, d.to_y_prev);
                for (int64_t k = 0; k < N; k++)
                    for (int64_t j = 0; j < MOST; j++) {
                        const double y = (double)before.y[k][j], h = (double)before.h[k][j], y_prev = (double)before.y_prev[k][j];
                        const bool moves = k < n && j < d.dim;
                        double sum = 0.75 * h + 0.01 * (y - 0.75 * y_prev);
                        for (int64_t r = 0; r < m; r++) sum += (double)d.q[r * N + k] * (double)d.a[r][j];
                        assert_near((double)d.h[k][j], moves ? sum : h, 10);
                        assert_near((double)d.y[k][j], moves ? y - 0.3 * sum : y, 10);
                        assert_true(d.y_prev[k][j] == (moves ? before.y[k][j] : before.y_prev[k][j]));
                    }
            }
}

static void check_others(const sustain__kernels *kernels) {
    static data d;
    for (int i = 0; i < DIMS; i++) {
        start(dims[i], &d);
        sustain_real out[MOST + 1];
        double exact[N];
        for (int j = 0; j <= MOST; j++) out[j] = 77;
        kernels->from_bytes(d.dim, d.bytes, 1.0F / 255, out);
        for (int64_t j = 0; j <= MOST; j++)
            assert_true(out[j] == (j < d.dim ? (sustain_real)((float)d.bytes[j] * (1.0F / 255)) : (sustain_real)77));
        for (int64_t n = 0; n <= N; n++) {
            kernels->dots_exact(n, d.dim, d.a[0], d.columns, exact);
            for (int64_t k = 0; k < n; k++) {
                double sum = 0;
                for (int64_t j = 0; j < d.dim; j++) sum += (double)d.a[0][j] * (double)d.w[k][j];
                assert_true(fabs(exact[k] - sum) <= 1e-13 * (1 + fabs(sum)) * (double)d.dim);
            }
        }
    }
}

static void test_plain(void **state) {
    (void)state;
    check_dots(&sustain__kernels_plain);
    check_sums(&sustain__kernels_plain);
    check_step(&sustain__kernels_plain);
    check_others(&sustain__kernels_plain);
}

static void test_best(void **state) {
    (void)state;
    print_message("the kernels of this processor: %s\n", sustain__kernels_best()->name);
    check_dots(sustain__kernels_best());
    check_sums(sustain__kernels_best());
    check_step(sustain__kernels_best());
    check_others(sustain__kernels_best());
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_best)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
