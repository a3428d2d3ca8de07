/* test_head.c - the head of a task: numbers of an independent script (tests/golden/head.py); the
 * unrolled derivative beside differences of the composed function; exact, conjugate gradients and
 * the limit of eq. (7) beside each other and beside differences of the exact value. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta/head.h"
#include "precision.h"

#ifndef SUSTAIN_SOURCE_DIR
#define SUSTAIN_SOURCE_DIR "."
#endif

enum { N = 6, M = 5, D = 7, WAYS = 3, HEAD = WAYS * (D + 1), LARGEST = 64 };

static sustain_context *context;
static sustain_real support[N * D], query[M * D], start[HEAD];
static int32_t support_labels[N], query_labels[M];

/* What a head says of a task. */
typedef struct answer {
    sustain_real y[HEAD], d_support[N * D], d_query[M * D], d_start[HEAD];
    double loss;
    int64_t correct;
} answer;

/* The rule of head.py: an integer in 0 .. 4095 from three. */
static int mixed(uint64_t a, uint64_t b, uint64_t c) {
    return (int)((uint32_t)((a * 7919 + b * 104729 + c * 1299709 + 12345) * 2654435761u) >> 20);
}

static int setup(void **state) {
    (void)state;
    for (int i = 0; i < N * D; i++) support[i] = (sustain_real)(mixed(1, (uint64_t)(i / D) + 1, (uint64_t)(i % D) + 1) - 1024) / 1024;
    for (int i = 0; i < M * D; i++) query[i] = (sustain_real)(mixed(2, (uint64_t)(i / D) + 1, (uint64_t)(i % D) + 1) - 1024) / 1024;
    for (int i = 0; i < HEAD; i++) start[i] = (sustain_real)(mixed(3, 1, (uint64_t)i + 1) - 2048) / 8192;
    for (int i = 0; i < N; i++) support_labels[i] = i % WAYS;
    for (int i = 0; i < M; i++) query_labels[i] = (i + 1) % WAYS;
    return sustain_context_create(&context) == SUSTAIN_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    sustain_context_destroy(context);
    return 0;
}

static const sustain__head_rule descent = {.ways = WAYS, .lambda = 0.01, .steps = 4, .step = 0.3};
static const sustain__head_rule solved = {.ways = WAYS, .lambda = 0.01, .tolerance = 1e-12};

static answer ask(const sustain__head_rule *rule, bool learned, sustain__hyper kind, sustain__series series) {
    const sustain__head_task task = {.support = N,
                                     .queries = M,
                                     .dim = D,
                                     .support_features = support,
                                     .query_features = query,
                                     .support_labels = support_labels,
                                     .query_labels = query_labels,
                                     .start = learned ? start : NULL};
    sustain__head *head;
    answer a;
    assert_int_equal(sustain__head_create(context, rule, N, M, &head), SUSTAIN_OK);
    sustain__head_adapt(head, &task);
    sustain__head_write(head, a.y);
    a.loss = sustain__head_score(head, &a.correct);
    sustain__head_hypergradient(head, kind, series, a.d_support, a.d_query, learned ? a.d_start : NULL);
    sustain__head_destroy(head);
    return a;
}

static void assert_near(const char *what, int count, const sustain_real *got, const double *expected, double tolerance) {
    double scale = 0;
    for (int i = 0; i < count; i++) scale = fmax(scale, fabs(expected[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs((double)got[i] - expected[i]) <= tolerance * scale))
            fail_msg("%s: number %d is %.10g, expected %.10g", what, i, (double)got[i], expected[i]);
}

/* ---- golden numbers ---- */

static answer ask_case(const char *name) {
    const sustain__series none = {0, 0};
    sustain__head_rule unregularized = descent;
    unregularized.lambda = 0;
    if (strcmp(name, "zero") == 0) return ask(&descent, false, SUSTAIN__HYPER_UNROLL, none);
    if (strcmp(name, "learned") == 0) return ask(&unregularized, true, SUSTAIN__HYPER_UNROLL, none);
    assert_string_equal(name, "exact");
    return ask(&solved, false, SUSTAIN__HYPER_EXACT, none);
}

static void test_golden(void **state) {
    (void)state;
    FILE *file = fopen(SUSTAIN_SOURCE_DIR "/tests/golden/head.csv", "r");
    assert_non_null(file);
    char line[4096];
    int rows = 0;
    for (; fgets(line, sizeof line, file) != NULL; rows++) {
        char name[16], quantity[16];
        int used, count = 0;
        double expected[LARGEST];
        assert_int_equal(sscanf(line, "%15[^,],%15[^,]%n", name, quantity, &used), 2);
        for (char *at = line + used; *at == ',' && count < LARGEST; count++) expected[count] = strtod(at + 1, &at);
        const answer a = ask_case(name);
        const sustain_real loss = (sustain_real)a.loss;
        const sustain_real *got = strcmp(quantity, "y") == 0           ? a.y
                                  : strcmp(quantity, "loss") == 0      ? &loss
                                  : strcmp(quantity, "d_support") == 0 ? a.d_support
                                  : strcmp(quantity, "d_query") == 0   ? a.d_query
                                                                       : a.d_start;
        assert_near(line, count, got, expected, is_float ? 1e-5 : 1e-11);
    }
    assert_int_equal(rows, 13);
    fclose(file);
}

/* ---- differences ---- */

static void check_differences(const char *what, const sustain__head_rule *rule, bool learned, sustain__hyper kind, sustain_real *place,
                              int count, const sustain_real *got) {
    const sustain__series none = {0, 0};
    const double h = is_float ? 0x1p-9 : 0x1p-17;
    double expected[LARGEST];
    for (int i = 0; i < count; i++) {
        const sustain_real before = place[i];
        place[i] = before + (sustain_real)h;
        const double above = ask(rule, learned, kind, none).loss;
        place[i] = before - (sustain_real)h;
        const double below = ask(rule, learned, kind, none).loss;
        place[i] = before;
        expected[i] = (above - below) / (2 * h);
    }
    assert_near(what, count, got, expected, is_float ? 1e-4 : 1e-8);
}

static void test_differences(void **state) {
    (void)state;
    const sustain__series none = {0, 0};
    const answer unrolled = ask(&descent, true, SUSTAIN__HYPER_UNROLL, none), exact = ask(&solved, false, SUSTAIN__HYPER_EXACT, none);
    check_differences("unroll, support", &descent, true, SUSTAIN__HYPER_UNROLL, support, N * D, unrolled.d_support);
    check_differences("unroll, queries", &descent, true, SUSTAIN__HYPER_UNROLL, query, M * D, unrolled.d_query);
    check_differences("unroll, start", &descent, true, SUSTAIN__HYPER_UNROLL, start, HEAD, unrolled.d_start);
    check_differences("exact, support", &solved, false, SUSTAIN__HYPER_EXACT, support, N * D, exact.d_support);
    check_differences("exact, queries", &solved, false, SUSTAIN__HYPER_EXACT, query, M * D, exact.d_query);
}

/* ---- beside each other ---- */

static void to_double(int count, const sustain_real *from, double *to) {
    for (int i = 0; i < count; i++) to[i] = (double)from[i];
}

/* The mean of (7) over k = 0 .. K-1, which for large K is the inverse. */
static void test_same_answer(void **state) {
    (void)state;
    const int64_t K = 600;
    sustain__head_rule rule = solved;
    rule.lambda = 0.1;
    double expected[2][LARGEST], sum[N * D] = {0};
    sustain_real mean[N * D];
    const answer exact = ask(&rule, false, SUSTAIN__HYPER_EXACT, (sustain__series){0, 0});
    const answer cg = ask(&rule, false, SUSTAIN__HYPER_CG, (sustain__series){0, 0});
    to_double(N * D, exact.d_support, expected[0]);
    to_double(M * D, exact.d_query, expected[1]);
    assert_near("conjugate gradients, support", N * D, cg.d_support, expected[0], is_float ? 1e-5 : 1e-10);
    assert_near("conjugate gradients, queries", M * D, cg.d_query, expected[1], is_float ? 1e-5 : 1e-10);
    for (int64_t k = 0; k < K; k++) {
        const answer a = ask(&rule, false, SUSTAIN__HYPER_NEUMANN, (sustain__series){K, k});
        for (int i = 0; i < N * D; i++) sum[i] += (double)a.d_support[i] / (double)K;
    }
    for (int i = 0; i < N * D; i++) mean[i] = (sustain_real)sum[i];
    assert_near("eq. (7), support", N * D, mean, expected[0], is_float ? 1e-3 : 1e-6);
}

/* Twenty ways, where the system is too large for Cholesky: the solved head is stationary. */
static void test_many_ways(void **state) {
    (void)state;
    enum { MANY = 20, SHOTS = 2, ROWS = MANY * SHOTS, DIM = 12 };
    static sustain_real features[ROWS * DIM], y[MANY * (DIM + 1)];
    static int32_t labels[ROWS];
    const sustain__head_rule rule = {.ways = MANY, .lambda = 1e-3, .tolerance = 1e-9};
    for (int i = 0; i < ROWS * DIM; i++) features[i] = (sustain_real)mixed(5, (uint64_t)(i / DIM) + 1, (uint64_t)(i % DIM) + 1) / 1024;
    for (int i = 0; i < ROWS; i++) labels[i] = i / SHOTS;
    const sustain__head_task task = {
        .support = ROWS, .dim = DIM, .support_features = features, .support_labels = labels, .query_features = NULL, .query_labels = NULL};
    sustain__head *head;
    assert_int_equal(sustain__head_create(context, &rule, ROWS, 0, &head), SUSTAIN_OK);
    assert_true(ROWS * MANY > SUSTAIN__HEAD_DIRECT);
    sustain__head_adapt(head, &task);
    sustain__head_write(head, y);
    sustain__head_destroy(head);
    double gradient[MANY * (DIM + 1)], most = 0;
    for (int i = 0; i < MANY * (DIM + 1); i++) gradient[i] = 2 * rule.lambda * (double)y[i];
    for (int i = 0; i < ROWS; i++) {
        double score[MANY], total = 0;
        for (int c = 0; c < MANY; c++) {
            score[c] = (double)y[MANY * DIM + c];
            for (int j = 0; j < DIM; j++) score[c] += (double)y[c * DIM + j] * (double)features[i * DIM + j];
            total += exp(score[c]);
        }
        for (int c = 0; c < MANY; c++) {
            const double r = (exp(score[c]) / total - (c == labels[i])) / ROWS;
            for (int j = 0; j < DIM; j++) gradient[c * DIM + j] += r * (double)features[i * DIM + j];
            gradient[MANY * DIM + c] += r;
        }
    }
    for (int i = 0; i < MANY * (DIM + 1); i++) most = fmax(most, fabs(gradient[i]));
    if (!(most < (is_float ? 1e-5 : 1e-8))) fail_msg("the largest derivative of g is %g", most);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_same_answer),
        cmocka_unit_test(test_many_ways),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
