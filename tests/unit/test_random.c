/* test_random.c - Philox against the known answers of its authors, and the distributions that are
 * made of it.
 *
 * The tests of distribution are deterministic: fixed seeds, limits at about six standard deviations
 * of the statistic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/random.h>

#include "core/random_internal.h"

enum { SEED = 12345, STREAM = 7 };

/* chi^2 with k degrees of freedom has mean k and variance 2k; too small is as wrong as too
 * large. */
static void assert_uniform(const int64_t *seen, int bins, int64_t total) {
    double chi = 0;
    const double expected = (double)total / bins;
    for (int i = 0; i < bins; i++) chi += ((double)seen[i] - expected) * ((double)seen[i] - expected) / expected;
    const double k = bins - 1, sigma = sqrt(2 * k);
    if (!(chi < k + 6 * sigma && chi > k - 6 * sigma)) fail_msg("chi^2 is %g with %d bins", chi, bins);
}

static void test_known_answers(void **state) {
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
        {{0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu},
         {0xffffffffu, 0xffffffffu},
         {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
        {{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
         {0xa4093822u, 0x299f31d0u},
         {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t out[4];
        sustain_philox(known[i].counter, known[i].key, out);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
}

/* The bits are those of the cipher, and every argument matters. */
static void test_bits(void **state) {
    (void)state;
    assert_true(sustain_random_bits(0, 0, 0, 0) == 0xe169c58d6627e8d5u);
    assert_true(sustain_random_bits(0, 0, 0, 1) == 0x9b00dbd8bc57ac4cu);
    const uint64_t far = (uint64_t)1 << 40;
    const uint64_t bits[] = {sustain_random_bits(1, 2, 3, 4), sustain_random_bits(1 + far, 2, 3, 4), sustain_random_bits(2, 2, 3, 4),
                             sustain_random_bits(1, 3, 3, 4), sustain_random_bits(1, 2, 4, 4),       sustain_random_bits(1, 2, 3 + far, 4),
                             sustain_random_bits(1, 2, 3, 5), sustain_random_bits(1, 2, 3, 1u << 31)};
    const int count = (int)(sizeof bits / sizeof *bits);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) assert_true(bits[i] != bits[j]);
    assert_true(sustain_random_bits(1, 2, 3, 4) == bits[0]);
}

static void test_uniform(void **state) {
    (void)state;
    enum { N = 200000, BINS = 256 };
    int64_t seen[BINS] = {0}, pairs[BINS] = {0};
    double sum = 0, before = 0;
    for (int i = 0; i < N; i++) {
        const double u = sustain_random_uniform(SEED, STREAM, (uint64_t)(i / 100), (uint32_t)(i % 100));
        assert_true(u >= 0 && u < 1);
        seen[(int)(u * BINS)]++;
        if (i % 2 == 1) pairs[16 * (int)(before * 16) + (int)(u * 16)]++; /* neighbours are independent */
        before = u;
        sum += u;
    }
    assert_uniform(seen, BINS, N);
    assert_uniform(pairs, BINS, N / 2);
    assert_true(fabs(sum / N - 0.5) < 6 / sqrt(12.0 * N));
}

static void test_normal(void **state) {
    (void)state;
    enum { N = 200000, BINS = 20 };
    double moment[5] = {0}, product = 0, before = 0;
    int64_t seen[BINS] = {0};
    for (int i = 0; i < N; i++) {
        const double z = sustain_random_normal(SEED, STREAM, (uint64_t)(i / 1000), (uint32_t)(i % 1000));
        assert_true(isfinite(z));
        for (int k = 1; k <= 4; k++) moment[k] += pow(z, k) / N;
        product += z * before / N;
        before = z;
        seen[(int)(BINS * 0.5 * erfc(-z / sqrt(2)) * 0.9999999)]++; /* its distribution function makes it uniform */
    }
    /* E z = 0, E z^2 = 1, E z^3 = 0, E z^4 = 3, with variances 1, 2, 15, 96 */
    const double expected[5] = {0, 0, 1, 0, 3}, variance[5] = {0, 1, 2, 15, 96};
    for (int k = 1; k <= 4; k++)
        if (!(fabs(moment[k] - expected[k]) < 6 * sqrt(variance[k] / N))) fail_msg("moment %d of the normal is %g", k, moment[k]);
    assert_true(fabs(product) < 6 / sqrt((double)N));
    assert_uniform(seen, BINS, N);
}

static void test_index(void **state) {
    (void)state;
    const int64_t sizes[] = {1, 2, 3, 7, 64, 1000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t n = sizes[s], total = 200 * n + 2000;
        int64_t *seen = calloc((size_t)n, sizeof *seen);
        assert_non_null(seen);
        for (int64_t i = 0; i < total; i++) {
            const int64_t at = sustain_random_index(SEED, STREAM, (uint64_t)i, 3, n);
            assert_true(at >= 0 && at < n);
            seen[at]++;
        }
        if (n > 7) assert_uniform(seen, (int)n, total);
        for (int64_t i = 0; i < n; i++) assert_true(seen[i] > 0);
        free(seen);
    }
}

/* Beyond 32 bits the product is made of halves: the top of the range is reached, and its quarters
 * are equally likely. */
static void test_large_index(void **state) {
    (void)state;
    const int64_t n = ((int64_t)1 << 62) + 12345;
    int64_t seen[64] = {0}, most = 0;
    for (int i = 0; i < 20000; i++) {
        const int64_t at = sustain_random_index(SEED, STREAM, 5, (uint32_t)i, n);
        assert_true(at >= 0 && at < n);
        seen[at / (n / 64 + 1)]++;
        if (at > most) most = at;
        /* floor(bits n / 2^64) in extended arithmetic of doubles, to their rounding */
        const double exact = ldexp((double)sustain_random_bits(SEED, STREAM, 5, (uint32_t)i), -64) * (double)n;
        assert_true(fabs((double)at - exact) <= 1e-14 * (double)n);
    }
    assert_uniform(seen, 64, 20000);
    assert_true((double)most > 0.999 * (double)n);
}

static void test_permutation(void **state) {
    (void)state;
    const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 16, 17, 64, 1000, 4097};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t n = sizes[s];
        bool *seen = calloc((size_t)n, sizeof *seen);
        assert_non_null(seen);
        int64_t same = 0;
        for (uint64_t epoch = 0; epoch < 5; epoch++) {
            memset(seen, 0, (size_t)n * sizeof *seen);
            for (int64_t i = 0; i < n; i++) {
                const int64_t at = sustain_random_permuted(SEED, STREAM, epoch, i, n);
                assert_true(at >= 0 && at < n);
                assert_false(seen[at]);
                seen[at] = true;
                same += at == sustain_random_permuted(SEED, STREAM, epoch + 1, i, n);
            }
        }
        /* two random permutations have one place in common on average */
        if (n >= 64 && same > 5 + 6 * 3) fail_msg("permutations of %d in neighbouring epochs have %d places in common", (int)n, (int)same);
        free(seen);
    }
}

/* Every element visits every place equally often. */
static void test_permutation_is_uniform(void **state) {
    (void)state;
    enum { EPOCHS = 24000, MOST = 24 };
    const int64_t sizes[] = {2, 3, 7, 12, 24};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t n = sizes[s];
        for (int64_t element = 0; element < n; element += n - 1) {
            int64_t seen[MOST] = {0};
            for (uint64_t epoch = 0; epoch < EPOCHS; epoch++) seen[sustain_random_permuted(SEED, STREAM, epoch, element, n)]++;
            double chi = 0;
            for (int64_t i = 0; i < n; i++) chi += pow((double)seen[i] - (double)EPOCHS / (double)n, 2) * (double)n / EPOCHS;
            const double k = (double)(n - 1);
            if (!(chi < k + 6 * sqrt(2 * k) + 10)) fail_msg("element %d of %d: chi^2 is %g over its places", (int)element, (int)n, chi);
        }
    }
}

/* All six orders of three elements are equally likely. */
static void test_all_orders(void **state) {
    (void)state;
    enum { EPOCHS = 12000 };
    int64_t seen[9] = {0};
    for (uint64_t epoch = 0; epoch < EPOCHS; epoch++)
        seen[3 * sustain_random_permuted(SEED, STREAM, epoch, 0, 3) + sustain_random_permuted(SEED, STREAM, epoch, 1, 3)]++;
    double chi = 0;
    for (int i = 0; i < 9; i++) {
        if (i % 4 == 0)
            assert_true(seen[i] == 0); /* both in one place */
        else
            chi += pow((double)seen[i] - EPOCHS / 6.0, 2) * 6 / EPOCHS;
    }
    if (!(chi < 5 + 6 * sqrt(10))) fail_msg("chi^2 is %g over the orders of three", chi);
}

/* Many at once are the same as one by one, for small and large n, and for counts that do not fill
 * the vectors. */
static void test_indices(void **state) {
    (void)state;
    static const int64_t bounds[] = {1, 7, 49990, 0xFFFFFFFF, (int64_t)1 << 40};
    int64_t out[100];
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
        for (int64_t count = 1; count <= 100; count += 11) {
            sustain_random_indices(SEED + b, STREAM, (uint64_t)1 << 33, count, bounds[b], out);
            for (int64_t i = 0; i < count; i++)
                assert_int_equal(out[i], sustain_random_index(SEED + b, STREAM, (uint64_t)1 << 33, (uint32_t)i, bounds[b]));
        }
}

/* Likewise of a permutation: with tables and without. */
static void test_permuted_some(void **state) {
    static const int64_t bounds[] = {1, 7, 1000, 49990, 400000, 5000000};
    static int64_t out[3000];
    (void)state;
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        const int64_t n = bounds[b], first = n / 3, count = n - first < 3000 ? n - first : 3000;
        sustain__random_permuted_some(SEED, STREAM, 9, first, count, n, out);
        for (int64_t i = 0; i < count; i++) assert_int_equal(out[i], sustain_random_permuted(SEED, STREAM, 9, first + i, n));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers), cmocka_unit_test(test_bits),
        cmocka_unit_test(test_uniform),       cmocka_unit_test(test_normal),
        cmocka_unit_test(test_index),         cmocka_unit_test(test_large_index),
        cmocka_unit_test(test_permutation),   cmocka_unit_test(test_permutation_is_uniform),
        cmocka_unit_test(test_all_orders),    cmocka_unit_test(test_indices),
        cmocka_unit_test(test_permuted_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
