/* test_kernels.c - the kernels of this processor against the plain ones, and against sums in
 * double. */
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
    sustain__row_kind kind;
    double a[M][MOST]; /* the rows as numbers */
    float floats[M][MOST];
    uint8_t bytes[M][MOST];
    uint16_t halves[M][MOST];
    sustain_real w[N][MOST], q[M * N], h[N][MOST], y[N][MOST], y_prev[N][MOST];
    const void *rows[M];
    const sustain_real *columns[N];
    sustain_real *to_h[N], *to_y[N], *to_y_prev[N];
} data;

static void fill(uint32_t stream, int64_t n, sustain_real *out) {
    for (int64_t i = 0; i < n; i++) out[i] = (sustain_real)sustain_random_normal(1, stream, 0, (uint32_t)i);
}

/* Some number of half precision, below 4; small ones are not normalized. */
static uint16_t half_at(int i, int j) {
    const int bits = (i * 7919 + j * 104729) % 0x4400;
    return (uint16_t)(bits | ((i + j) % 3 == 0 ? 0x8000 : 0));
}

static double half_number(uint16_t half) {
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const double size = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    return half >> 15 != 0 ? -size : size;
}

/* The same numbers for every shape: drawn once for each kind of rows. */
static const data *drawn(sustain__row_kind kind) {
    static data of[SUSTAIN__ROW_KINDS];
    data *d = &of[kind];
    if (d->dim != 0) return d;
    d->dim = MOST;
    d->kind = kind;
    fill(2, N * MOST, d->w[0]);
    fill(3, M * N, d->q);
    fill(4, N * MOST, d->h[0]);
    fill(5, N * MOST, d->y[0]);
    fill(6, N * MOST, d->y_prev[0]);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < MOST; j++) {
            d->bytes[i][j] = (uint8_t)(i * 101 + j * 37);
            d->floats[i][j] = (float)sustain_random_normal(1, 1, (uint64_t)i, (uint32_t)j);
            d->halves[i][j] = half_at(i, j);
            d->a[i][j] = kind == SUSTAIN__BYTES    ? d->bytes[i][j]
                         : kind == SUSTAIN__HALVES ? half_number(d->halves[i][j])
                                                   : (double)d->floats[i][j];
        }
    }
    return d;
}

static void start(sustain__row_kind kind, int64_t dim, data *d) {
    *d = *drawn(kind);
    d->dim = dim;
    for (int i = 0; i < M; i++)
        d->rows[i] = kind == SUSTAIN__BYTES    ? (const void *)d->bytes[i]
                     : kind == SUSTAIN__HALVES ? (const void *)d->halves[i]
                                               : (const void *)d->floats[i];
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

static void check_dots(sustain__row_kind kind, const sustain__row_kernels *kernels) {
    static data d;
    for (int i = 0; i < DIMS; i++) {
        sustain_real out[M * N], alone[M * N];
        start(kind, dims[i], &d);
        for (int64_t r = 0; r < M; r++)
            for (int64_t k = 0; k < N; k++) {
                double sum = 0, size = 0;
                for (int64_t j = 0; j < d.dim; j++) {
                    sum += d.a[r][j] * (double)d.w[k][j];
                    size += fabs(d.a[r][j] * (double)d.w[k][j]);
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

static void check_sums(sustain__row_kind kind, const sustain__row_kernels *kernels) {
    static data d, before;
    for (int i = 0; i < DIMS; i++)
        for (int64_t m = 0; m <= 6; m += 3)
            for (int64_t n = 0; n <= 11; n++) {
                start(kind, dims[i], &d);
                before = d;
                kernels->outer(m, n, d.dim, d.rows, d.q, N, d.to_h);
                for (int64_t k = 0; k < N; k++)
                    for (int64_t j = 0; j < MOST; j++) {
                        double sum = (double)before.h[k][j], size = fabs(sum);
                        for (int64_t r = 0; r < m && k < n && j < d.dim; r++) {
                            sum += (double)d.q[r * N + k] * d.a[r][j];
                            size += fabs((double)d.q[r * N + k] * d.a[r][j]);
                        }
                        assert_near((double)d.h[k][j], sum, size);
                    }
            }
}

static void check_step(sustain__row_kind kind, const sustain__row_kernels *kernels) {
    static data d, before;
    const sustain__lower_step step = {0.75, 0.01, 0.3};
    for (int i = 0; i < DIMS; i++)
        for (int64_t m = 0; m <= 2; m++)
            for (int64_t n = 0; n <= 12; n++) {
                start(kind, dims[i], &d);
                before = d;
                kernels->step(m, n, d.dim, d.rows, d.q, N, &step, d.to_h, d.to_y, d.to_y_prev);
                for (int64_t k = 0; k < N; k++)
                    for (int64_t j = 0; j < MOST; j++) {
                        const double y = (double)before.y[k][j], h = (double)before.h[k][j], y_prev = (double)before.y_prev[k][j];
                        const bool moves = k < n && j < d.dim;
                        double sum = 0.75 * h + 0.01 * (y - 0.75 * y_prev);
                        for (int64_t r = 0; r < m; r++) sum += (double)d.q[r * N + k] * d.a[r][j];
                        const double size = kind == SUSTAIN__BYTES ? 1000 : 10;
                        assert_near((double)d.h[k][j], moves ? sum : h, size);
                        assert_near((double)d.y[k][j], moves ? y - 0.3 * sum : y, size);
                        assert_true(d.y_prev[k][j] == (moves ? before.y[k][j] : before.y_prev[k][j]));
                    }
            }
}

static void check_others(sustain__row_kind kind, const sustain__row_kernels *kernels) {
    static data d;
    for (int i = 0; i < DIMS; i++) {
        start(kind, dims[i], &d);
        sustain_real out[M * M];
        for (int l = 0; l < M * M; l++) out[l] = 77;
        kernels->gram(M - 1, M - 2, d.dim, d.rows, d.rows + 2, out, M);
        for (int64_t r = 0; r < M; r++)
            for (int64_t k = 0; k < M; k++) {
                double sum = 0, size = 0;
                for (int64_t j = 0; j < d.dim && k < M - 2; j++) sum += d.a[r][j] * d.a[k + 2][j], size += fabs(d.a[r][j] * d.a[k + 2][j]);
                if (r < M - 1 && k < M - 2)
                    assert_near((double)out[r * M + k], sum, size);
                else
                    assert_true(out[r * M + k] == 77);
            }
    }
}

/* Products in double: the same bits, whatever is computed with it, also where rows are many and
 * long. */
static void check_exact(sustain__row_kind kind, const sustain__row_kernels *kernels) {
    enum { ROWS = 37, COLUMNS = 12, LONG = 519 };
    static const int64_t lengths[] = {1, 3, 4, 7, 32, 255, 256, 258, LONG}, counts[] = {0, 1, 2, 3, 4, 5, 7, 32, 33, ROWS};
    static sustain_real numbers[ROWS][LONG], w[COLUMNS][LONG];
    static float floats[ROWS][LONG];
    static uint8_t bytes[ROWS][LONG];
    static uint16_t halves[ROWS][LONG];
    double out[ROWS * COLUMNS], alone[ROWS * COLUMNS];
    const void *rows[ROWS];
    const sustain_real *columns[COLUMNS];
    fill(7, ROWS * LONG, numbers[0]);
    fill(8, COLUMNS * LONG, w[0]);
    for (int r = 0; r < ROWS; r++) {
        rows[r] = kind == SUSTAIN__BYTES    ? (const void *)bytes[r]
                  : kind == SUSTAIN__HALVES ? (const void *)halves[r]
                                            : (const void *)floats[r];
        for (int j = 0; j < LONG; j++) {
            halves[r][j] = half_at(r, j);
            bytes[r][j] = (uint8_t)(r * 101 + j * 37);
            floats[r][j] = kind == SUSTAIN__HALVES ? (float)half_number(halves[r][j]) : (float)numbers[r][j];
        }
    }
    for (int k = 0; k < COLUMNS; k++) columns[k] = w[k];
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        for (int r = 0; r < ROWS; r++)
            for (int k = 0; k < COLUMNS; k++) {
                double sum = 0, size = 0;
                for (int64_t j = 0; j < lengths[i]; j++) {
                    const double product = (kind == SUSTAIN__BYTES ? bytes[r][j] : (double)floats[r][j]) * (double)w[k][j];
                    sum += product, size += fabs(product);
                }
                kernels->exact(1, 1, lengths[i], rows + r, columns + k, &alone[r * COLUMNS + k], 1);
                assert_true(fabs(alone[r * COLUMNS + k] - sum) <= 1e-14 * (1 + size));
            }
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int n = 0; n <= COLUMNS; n++) {
                for (int l = 0; l < ROWS * COLUMNS; l++) out[l] = 77;
                kernels->exact(counts[c], n, lengths[i], rows, columns, out, COLUMNS);
                for (int r = 0; r < ROWS; r++)
                    for (int k = 0; k < COLUMNS; k++)
                        assert_true(out[r * COLUMNS + k] == (r < counts[c] && k < n ? alone[r * COLUMNS + k] : 77));
            }
    }
}

static void check(const sustain__kernels *kernels) {
    for (int kind = 0; kind < SUSTAIN__ROW_KINDS; kind++) {
        check_dots((sustain__row_kind)kind, &kernels->of[kind]);
        check_sums((sustain__row_kind)kind, &kernels->of[kind]);
        check_step((sustain__row_kind)kind, &kernels->of[kind]);
        check_others((sustain__row_kind)kind, &kernels->of[kind]);
        check_exact((sustain__row_kind)kind, &kernels->of[kind]);
    }
}

/* Products of bytes are whole numbers also where rows are so long that 32 bits do not hold them. */
static void test_long_bytes(void **state) {
    (void)state;
    enum { LONG = 600001 };
    uint8_t *bytes = malloc(LONG);
    assert_non_null(bytes);
    memset(bytes, 255, LONG);
    sustain_real out;
    const void *row = bytes;
    sustain__kernels_best()->of[SUSTAIN__BYTES].gram(1, 1, LONG, &row, &row, &out, 1);
    assert_near((double)out, 65025.0 * LONG, 65025.0 * LONG);
    free(bytes);
}

static void test_plain(void **state) {
    (void)state;
    check(&sustain__kernels_plain);
}

static void test_best(void **state) {
    (void)state;
    print_message("the kernels of this processor: %s\n", sustain__kernels_best()->name);
    check(sustain__kernels_best());
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_best), cmocka_unit_test(test_long_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
