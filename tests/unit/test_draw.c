/* test_draw.c - random draws: pure functions of (seed, stream, t), counted, with and without
 * replacement. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "oracle/draw.h"

enum { MOST = 64 };

static sustain_problem finite_sum(int64_t upper, int64_t lower) {
    return (sustain_problem){.upper_dim = 1, .lower_dim = 1, .samples = {upper, lower}, .has_expectation = true};
}

static void test_stream(void **state) {
    (void)state;
    const sustain_problem problem = finite_sum(0, 0);
    int64_t counts[2] = {0, 0};
    const sustain__sampler sampler = {.problem = &problem, .seed = 9, .shuffle = true, .samples = counts};
    const sustain_batch one = sustain__draw(&sampler, SUSTAIN_LOWER, 3, 17, 5, NULL);
    assert_int_equal(one.size, 5);
    assert_null(one.index);
    assert_int_equal(one.iteration, 17);
    assert_true(one.key == sustain_random_bits(9, 3, 17, 0));
    const sustain_batch again = sustain__draw(&sampler, SUSTAIN_LOWER, 3, 17, 5, NULL),
                        other = sustain__draw(&sampler, SUSTAIN_LOWER, 4, 17, 5, NULL),
                        later = sustain__draw(&sampler, SUSTAIN_UPPER, 3, 18, 2, NULL);
    assert_true(again.key == one.key);
    assert_true(other.key != one.key);
    assert_true(later.key != one.key);
    assert_int_equal(counts[SUSTAIN_LOWER], 15);
    assert_int_equal(counts[SUSTAIN_UPPER], 2);
}

/* Same arguments, same indices; another seed, stream or t, others. */
static void test_pure(void **state) {
    (void)state;
    const sustain_problem problem = finite_sum(1000, 50);
    for (int shuffle = 0; shuffle < 2; shuffle++) {
        int64_t counts[2] = {0, 0}, index[5][MOST];
        sustain__sampler sampler = {.problem = &problem, .seed = 1, .shuffle = shuffle != 0, .samples = counts};
        const sustain_batch batch = sustain__draw(&sampler, SUSTAIN_UPPER, 2, 30, 40, index[0]);
        assert_ptr_equal(batch.index, index[0]);
        assert_int_equal(batch.size, 40);
        assert_int_equal(batch.iteration, 30);
        for (int j = 0; j < 40; j++) assert_true(index[0][j] >= 0 && index[0][j] < 1000);
        sustain__draw(&sampler, SUSTAIN_UPPER, 2, 30, 40, index[1]);
        assert_memory_equal(index[0], index[1], 40 * sizeof(int64_t));
        sustain__draw(&sampler, SUSTAIN_UPPER, 2, 31, 40, index[2]);
        sustain__draw(&sampler, SUSTAIN_UPPER, 3, 30, 40, index[3]);
        sampler.seed = 2;
        sustain__draw(&sampler, SUSTAIN_UPPER, 2, 30, 40, index[4]);
        for (int i = 2; i < 5; i++) assert_memory_not_equal(index[0], index[i], 40 * sizeof(int64_t));
        assert_int_equal(counts[SUSTAIN_UPPER], 200);
        assert_int_equal(counts[SUSTAIN_LOWER], 0);
        sampler.samples = NULL; /* not counted */
        sustain__draw(&sampler, SUSTAIN_LOWER, 2, 0, 10, index[1]);
        assert_int_equal(counts[SUSTAIN_LOWER], 0);
    }
}

/* Without replacement every sample comes once an epoch, also where batches straddle epochs, and
 * epochs differ. */
static void test_shuffle_covers(void **state) {
    (void)state;
    const int64_t sizes[] = {1, 2, 3, 7, 20, 49, 50};
    const int64_t n = 50, epochs = 6;
    const sustain_problem problem = finite_sum(n, n);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const sustain__sampler sampler = {.problem = &problem, .seed = 5, .shuffle = true};
        const int64_t size = sizes[s];
        int seen[6][50] = {{0}};
        int64_t order[6][50];
        for (int64_t t = 0; t * size < epochs * n; t++) {
            int64_t index[MOST];
            sustain__draw(&sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, size, index);
            for (int64_t j = 0; j < size; j++) {
                const int64_t place = t * size + j, epoch = place / n;
                if (epoch >= epochs) break;
                assert_true(index[j] >= 0 && index[j] < n);
                seen[epoch][index[j]]++;
                order[epoch][place % n] = index[j];
            }
        }
        for (int64_t epoch = 0; epoch < epochs; epoch++)
            for (int64_t i = 0; i < n; i++)
                if (seen[epoch][i] != 1)
                    fail_msg("batch %d: sample %d came %d times in epoch %d", (int)size, (int)i, seen[epoch][i], (int)epoch);
        for (int64_t epoch = 1; epoch < epochs; epoch++) assert_memory_not_equal(order[epoch - 1], order[epoch], sizeof order[0]);
    }
}

/* In blocks: every sample once an epoch, and a batch from few blocks; epochs differ. */
static void test_blocks(void **state) {
    (void)state;
    enum { N = 3 * SUSTAIN__DRAW_WINDOW * SUSTAIN__DRAW_BLOCK + 5 * SUSTAIN__DRAW_BLOCK + 17, EPOCHS = 2, SIZE = 1000 };
    static uint8_t seen[EPOCHS][N];
    static int64_t index[SIZE], again[SIZE], first[EPOCHS];
    const sustain_problem problem = finite_sum(N, N);
    const sustain__sampler sampler = {.problem = &problem, .seed = 5, .shuffle = true, .blocks = true};
    for (int64_t t = 0; t * SIZE < EPOCHS * N; t++) {
        sustain__draw(&sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, SIZE, index);
        sustain__draw(&sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, SIZE, again);
        assert_memory_equal(index, again, sizeof index); /* no state */
        uint8_t block[N / SUSTAIN__DRAW_BLOCK + 1] = {0};
        int blocks = 0;
        for (int64_t j = 0; j < SIZE && t * SIZE + j < EPOCHS * N; j++) {
            const int64_t epoch = (t * SIZE + j) / N;
            assert_true(index[j] >= 0 && index[j] < N && seen[epoch][index[j]]++ == 0);
            if ((t * SIZE + j) % N == 0) first[epoch] = index[j];
            blocks += block[index[j] / SUSTAIN__DRAW_BLOCK]++ == 0;
        }
        assert_true(blocks <= 2 * SUSTAIN__DRAW_WINDOW);
    }
    for (int e = 0; e < EPOCHS; e++)
        for (int64_t i = 0; i < N; i++) assert_int_equal(seen[e][i], 1);
    assert_true(first[0] != first[1]);
}

/* With replacement all samples are equally likely, and repeats occur. */
static void test_replacement(void **state) {
    (void)state;
    enum { N = 50, DRAWS = 1000, SIZE = 20 };
    const sustain_problem problem = finite_sum(N, N);
    const sustain__sampler sampler = {.problem = &problem, .seed = 5};
    int64_t seen[N] = {0}, repeats = 0;
    for (int64_t t = 0; t < DRAWS; t++) {
        int64_t index[MOST];
        sustain__draw(&sampler, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, SIZE, index);
        for (int j = 0; j < SIZE; j++) {
            seen[index[j]]++;
            for (int k = 0; k < j; k++) repeats += index[j] == index[k];
        }
    }
    double chi = 0;
    for (int i = 0; i < N; i++) chi += pow((double)seen[i] - DRAWS * SIZE / N, 2) * N / (DRAWS * SIZE);
    assert_true(chi > 49 - 6 * sqrt(98) && chi < 49 + 6 * sqrt(98));
    const double expected = DRAWS * SIZE * (SIZE - 1) / 2.0 / N;
    assert_true(fabs((double)repeats - expected) < 6 * sqrt(expected));
}

/* k is uniform on 0 .. K-1. */
static void test_terms(void **state) {
    (void)state;
    enum { T = 20000, K = 10 };
    const sustain_problem problem = finite_sum(0, 0);
    const sustain__sampler sampler = {.problem = &problem, .seed = 3};
    int64_t seen[K] = {0};
    for (int64_t t = 0; t < T; t++) {
        const int k = sustain__draw_terms(&sampler, t, K);
        assert_true(k >= 0 && k < K);
        assert_int_equal(k, sustain__draw_terms(&sampler, t, K));
        assert_int_equal(sustain__draw_terms(&sampler, t, 1), 0);
        seen[k]++;
    }
    double chi = 0;
    for (int i = 0; i < K; i++) chi += pow((double)seen[i] - (double)T / K, 2) * K / T;
    assert_true(chi < 9 + 6 * sqrt(18));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream), cmocka_unit_test(test_pure),        cmocka_unit_test(test_shuffle_covers),
        cmocka_unit_test(test_blocks), cmocka_unit_test(test_replacement), cmocka_unit_test(test_terms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
