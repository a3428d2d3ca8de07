/* test_fourier.c - random Fourier features: what they are of any kind of rows, how close they come
 * to the Gaussian kernel, and what they add to the scores of a model, beside naive sums in
 * double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/sustain.h>

#include "jobs/fourier.h"
#include "jobs/softmax_fit.h"

enum { ROWS = 1100, DIM = 5, WAVES = 7, CLASSES = 3 };

static uint8_t bytes[ROWS * DIM];
static float dense[ROWS * DIM], sparse[ROWS * DIM];
static int64_t start[ROWS + 1];
static int32_t columns[ROWS * DIM];
static sustain_real w[WAVES * (DIM + 1)], v[CLASSES * 2 * WAVES], y[CLASSES * (DIM + 1)];
static const sustain_fourier fourier = {.waves = WAVES, .w = w, .v = v};
static sustain_context *context;

static double normal(uint32_t stream, uint64_t i) {
    return sustain_random_normal(5, stream, i, 0);
}

/* A third of the numbers are 0. */
static int setup(void **state) {
    (void)state;
    for (uint32_t i = 0; i < ROWS; i++) {
        start[i + 1] = start[i];
        for (uint32_t j = 0; j < DIM; j++) {
            const uint32_t at = i * DIM + j;
            bytes[at] = (uint8_t)(at % 3 == 0 ? 0 : sustain_random_index(5, 0, at, 0, 256));
            dense[at] = (float)bytes[at] * (1.0F / 64);
            if (bytes[at] == 0) continue;
            sparse[start[i + 1]] = dense[at];
            columns[start[i + 1]++] = (int32_t)j;
        }
    }
    sustain__fourier_draw(9, 0.7, WAVES, DIM, w);
    for (uint64_t r = 0; r < WAVES; r++) w[WAVES * DIM + r] = (sustain_real)normal(1, r);
    for (uint64_t i = 0; i < sizeof v / sizeof *v; i++) v[i] = (sustain_real)normal(2, i);
    for (uint64_t i = 0; i < sizeof y / sizeof *y; i++) y[i] = (sustain_real)normal(3, i);
    return sustain_context_create(&context) == SUSTAIN_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    sustain_context_destroy(context);
    return 0;
}

static sustain_rows rows_of(int kind) {
    const sustain_rows kinds[] = {
        {.count = ROWS, .stored = ROWS, .dim = DIM, .values = dense},
        {.count = ROWS, .stored = ROWS, .dim = DIM, .bytes = bytes, .byte_scale = 1.0F / 64},
        {.count = ROWS, .stored = ROWS, .dim = DIM, .values = sparse, .start = start, .columns = columns},
    };
    return kinds[kind];
}

static double angle(int64_t i, int r) {
    double sum = (double)w[WAVES * DIM + r];
    for (int j = 0; j < DIM; j++) sum += (double)w[r * DIM + j] * (double)dense[i * DIM + j];
    return sum;
}

static void test_map(void **state) {
    (void)state;
    static float z[ROWS * 2 * WAVES];
    static int64_t index[ROWS];
    for (int64_t i = 0; i < ROWS; i++) index[i] = ROWS - 1 - i;
    for (int kind = 0; kind < 3; kind++)
        for (int turned = 0; turned < 2; turned++) {
            const sustain_rows rows = rows_of(kind);
            assert_int_equal(sustain__fourier_map(context, &fourier, &rows, turned ? index : NULL, ROWS, 0.5F, 2 * WAVES, z), SUSTAIN_OK);
            for (int64_t i = 0; i < ROWS; i++)
                for (int r = 0; r < WAVES; r++) {
                    const double there = angle(turned ? index[i] : i, r);
                    assert_true(fabs((double)z[i * 2 * WAVES + r] - 0.5 * cos(there)) < 1e-4);
                    assert_true(fabs((double)z[i * 2 * WAVES + WAVES + r] - 0.5 * sin(there)) < 1e-4);
                }
        }
}

/* z(a)'z(b) is close to exp(-s^2 |a - b|^2 / 2); the variance of rows is that of all columns. */
static void test_kernel(void **state) {
    (void)state;
    enum { MANY = 2000, FEW = 20 };
    const double deviation = 0.3;
    static sustain_real many[MANY * (DIM + 1)];
    static float z[FEW * 2 * MANY];
    const sustain_rows rows = rows_of(0);
    double variance, expected = 0;
    sustain__fourier_draw(1, deviation, MANY, DIM, many);
    assert_int_equal(
        sustain__fourier_map(context, &(sustain_fourier){.waves = MANY, .w = many}, &rows, NULL, FEW, (float)sqrt(1.0 / MANY), 2 * MANY, z),
        SUSTAIN_OK);
    for (int a = 0; a < FEW; a++)
        for (int b = 0; b < FEW; b++) {
            double square = 0, product = 0;
            for (int j = 0; j < DIM; j++) square += pow((double)(dense[a * DIM + j] - dense[b * DIM + j]), 2);
            for (int r = 0; r < 2 * MANY; r++) product += (double)z[a * 2 * MANY + r] * (double)z[b * 2 * MANY + r];
            assert_true(fabs(product - exp(-deviation * deviation * square / 2)) < 0.1);
        }
    assert_int_equal(sustain__fourier_variance(context, &rows, &variance), SUSTAIN_OK);
    for (int j = 0; j < DIM; j++) {
        double mean = 0;
        for (int i = 0; i < ROWS; i++) mean += (double)dense[i * DIM + j] / ROWS;
        for (int i = 0; i < ROWS; i++) expected += pow((double)dense[i * DIM + j] - mean, 2) / ROWS;
    }
    assert_true(fabs(variance - expected) < 1e-6 * expected);
}

/* The naive scores of row i. */
static void scores(int64_t i, double *s) {
    for (int k = 0; k < CLASSES; k++) {
        s[k] = (double)y[CLASSES * DIM + k];
        for (int j = 0; j < DIM; j++) s[k] += (double)y[k * DIM + j] * (double)dense[i * DIM + j];
        for (int r = 0; r < WAVES; r++)
            s[k] += (double)v[k * 2 * WAVES + r] * cos(angle(i, r)) + (double)v[k * 2 * WAVES + WAVES + r] * sin(angle(i, r));
    }
}

static void test_predict(void **state) {
    (void)state;
    static float p[ROWS * CLASSES], first[ROWS * CLASSES];
    static int32_t guess[ROWS];
    sustain_softmax_options o = sustain_softmax_defaults();
    o.classes = CLASSES;
    o.fourier = &fourier;
    for (int kind = 0; kind < 3; kind++)
        for (int threads = 1; threads <= 3; threads++) {
            sustain_rows rows = rows_of(kind);
            double accuracy;
            assert_int_equal(sustain_context_set_threads(context, threads), SUSTAIN_OK);
            assert_int_equal(sustain_softmax_predict(context, &o, &rows, y, p, guess), SUSTAIN_OK);
            if (threads == 1) memcpy(first, p, sizeof p);
            assert_memory_equal(p, first, sizeof p);
            for (int64_t i = 0; i < ROWS; i++) {
                double s[CLASSES], sum = 0;
                scores(i, s);
                for (int k = 0; k < CLASSES; k++) sum += exp(s[k]);
                for (int k = 0; k < CLASSES; k++) assert_true(fabs((double)p[i * CLASSES + k] - exp(s[k]) / sum) < 1e-4);
            }
            rows.labels = guess;
            assert_int_equal(sustain_softmax_accuracy(context, &o, &rows, y, &accuracy), SUSTAIN_OK);
            assert_true(accuracy == 1);
        }
}

static void test_refused(void **state) {
    (void)state;
    const sustain_rows rows = rows_of(0);
    const sustain_fourier bad[] = {{.waves = 0, .w = w, .v = v}, {.waves = WAVES, .v = v}, {.waves = WAVES, .w = w}};
    static int32_t guess[ROWS];
    for (int i = 0; i < 3; i++) {
        double accuracy;
        sustain_rows labelled = rows;
        sustain_softmax_options o = sustain_softmax_defaults();
        o.classes = CLASSES;
        o.fourier = &bad[i];
        labelled.labels = guess;
        assert_int_equal(sustain_softmax_predict(context, &o, &rows, y, NULL, guess), SUSTAIN_ARGUMENT);
        assert_non_null(strstr(sustain_error(context), "Fourier"));
        assert_int_equal(sustain_softmax_accuracy(context, &o, &labelled, y, &accuracy), SUSTAIN_ARGUMENT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_kernel),
        cmocka_unit_test(test_predict),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
