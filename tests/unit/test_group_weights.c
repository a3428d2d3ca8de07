/* test_group_weights.c - 50 generated annotators of known quality, 100 labels each: weights find
 * their order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <sustain/learn.h>

enum { GROUPS = 50, LABELS = 100, ROWS = GROUPS * LABELS, TRUSTED = 300, DIM = 6, CLASSES = 4 };

static float training_values[ROWS * DIM], trusted_values[TRUSTED * DIM];
static int32_t training_labels[ROWS], trusted_labels[TRUSTED], groups[ROWS];

/* Annotator a is wrong with the probability 0.01 to 0.56, rising with a; the last one draws a class
 * at random. */
static int32_t label_by(int a, int32_t class, uint64_t seed, uint64_t i) {
    const double u = sustain_random_uniform(seed, 3, i, 0);
    if (a == GROUPS - 1) return (int32_t)sustain_random_index(seed, 4, i, 0, CLASSES);
    if (u >= 0.01 + 0.55 * a / (GROUPS - 2)) return class;
    return (int32_t)((class + 1 + sustain_random_index(seed, 5, i, 0, CLASSES - 1)) % CLASSES);
}

static int32_t generate_row(uint64_t seed, uint64_t i, float *row) {
    const int32_t class = (int32_t)sustain_random_index(seed, 1, i, 0, CLASSES);
    for (uint32_t j = 0; j < DIM; j++) row[j] = (float)(2.5 * (j == (uint32_t) class) + 0.9 * sustain_random_normal(seed, 2, i, j));
    return class;
}

static void generate(uint64_t seed) {
    for (int i = 0; i < ROWS; i++) {
        groups[i] = i % GROUPS;
        const int32_t class = generate_row(seed, (uint64_t)i, training_values + i * DIM);
        training_labels[i] = label_by(groups[i], class, seed, (uint64_t)i);
    }
    for (int i = 0; i < TRUSTED; i++) trusted_labels[i] = generate_row(seed, ROWS + (uint64_t)i, trusted_values + i * DIM);
}

/* Spearman's, of the weights with the known order. */
static double rank_correlation(const double *weight, int *last) {
    double square = 0;
    *last = 0;
    for (int a = 0; a < GROUPS; a++) {
        int rank = 0;
        for (int b = 0; b < GROUPS; b++) rank += weight[b] > weight[a] || (weight[b] == weight[a] && b < a);
        square += pow(rank - a, 2);
        if (rank == GROUPS - 1) *last = a;
    }
    return 1 - 6 * square / (GROUPS * ((double)GROUPS * GROUPS - 1));
}

static sustain_group_options options_of(int64_t seed) {
    sustain_group_options o = sustain_group_defaults();
    o.classes = CLASSES;
    o.groups = GROUPS;
    o.group = groups;
    o.seed = seed;
    return o;
}

static void test_order(void **state) {
    (void)state;
    sustain_context *context;
    double weight[GROUPS], again[GROUPS], low[GROUPS], high[GROUPS];
    int last;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    generate(0);
    sustain_rows training = {.count = ROWS, .dim = DIM, .values = training_values, .labels = training_labels};
    const sustain_rows trusted = {.count = TRUSTED, .dim = DIM, .values = trusted_values, .labels = trusted_labels};
    const sustain_group_options o = options_of(0);
    assert_int_equal(sustain_clean_group_weights(context, &o, &training, &trusted, weight), SUSTAIN_OK);
    const double correlation = rank_correlation(weight, &last);
    if (!(correlation >= 0.95)) fail_msg("rank correlation %g", correlation);
    assert_int_equal(last, GROUPS - 1);
    assert_int_equal(sustain_clean_group_intervals(context, &o, &training, &trusted, weight, low, high), SUSTAIN_OK);
    for (int g = 0; g < GROUPS; g++) assert_true(0 < low[g] && low[g] < weight[g] && weight[g] < high[g] && high[g] < 1);
    assert_true(low[0] > high[GROUPS / 2] && low[GROUPS / 4] > high[GROUPS - 1]); /* narrow enough to tell annotators apart */
    training.count = ROWS / 5;
    assert_int_equal(sustain_clean_group_weights(context, &o, &training, &trusted, weight), SUSTAIN_OK);
    assert_int_equal(sustain_context_set_threads(context, 3), SUSTAIN_OK);
    assert_int_equal(sustain_clean_group_weights(context, &o, &training, &trusted, again), SUSTAIN_OK);
    assert_memory_equal(weight, again, sizeof weight);
    sustain_context_destroy(context);
}

/* Rates of errors with intervals: of groups whose labels are known to be right or wrong those of
 * Wilson. */
static void test_errors(void **state) {
    (void)state;
    sustain_context *context;
    const int32_t group[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2};
    const float quality[] = {1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0.5f, 0.75f};
    sustain_group_errors e[3];
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain_clean_group_errors(context, 3, 12, group, quality, e), SUSTAIN_OK);
    assert_true(e[0].rows == 10 && fabs(e[0].rate - 0.3) < 1e-12);
    assert_true(fabs(e[0].low - 0.1078) < 1e-3 && fabs(e[0].high - 0.6032) < 1e-3);
    assert_true(e[1].rows == 0 && isnan(e[1].rate) && isnan(e[1].low));
    assert_true(e[2].rows == 2 && fabs(e[2].rate - 0.375) < 1e-12 && e[2].high - e[2].low > 0.75);
    assert_int_equal(sustain_clean_group_errors(context, 2, 12, group, quality, e), SUSTAIN_ARGUMENT);
    assert_non_null(strstr(sustain_error(context), "row 10 is 2"));
    sustain_context_destroy(context);
}

static void test_refused(void **state) {
    (void)state;
    sustain_context *context;
    double weight[GROUPS];
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    generate(0);
    const sustain_rows training = {.count = ROWS, .dim = DIM, .values = training_values, .labels = training_labels};
    sustain_group_options o = options_of(0);
    groups[7] = GROUPS;
    assert_int_equal(sustain_clean_group_weights(context, &o, &training, &training, weight), SUSTAIN_ARGUMENT);
    assert_non_null(strstr(sustain_error(context), "training row 7"));
    o.groups = 0;
    assert_int_equal(sustain_clean_group_weights(context, &o, &training, &training, weight), SUSTAIN_ARGUMENT);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_errors), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
