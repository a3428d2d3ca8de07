/* test_clean_prior.c - how much classifiers of a cleaning job are regularized, and what it ranks by
 * where nothing was checked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include <sustain/sustain.h>

#include "jobs/clean_job.h"

enum { ROWS = 300, DIM = 40 };

static sustain_context *context;
static float features[ROWS * DIM];
static int32_t truth[ROWS], given[ROWS];

/* The sign of the sum of four features; `wrong` of the labels are not. */
static void generate(uint64_t seed, double wrong) {
    for (uint32_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (uint32_t j = 0; j < DIM; j++) features[i * DIM + j] = (float)sustain_random_normal(seed, 0, i, j);
        for (uint32_t j = 0; j < 4; j++) sum += (double)features[i * DIM + j];
        truth[i] = sum > 0;
        given[i] = sustain_random_uniform(seed, 1, i, 0) < wrong ? 1 - truth[i] : truth[i];
    }
}

static sustain_clean *finished(sustain_clean_result *result) {
    const sustain_rows rows = {.values = features, .labels = given, .count = ROWS, .stored = ROWS, .dim = DIM};
    sustain_clean_options o = sustain_clean_defaults();
    sustain_clean *c;
    o.classes = 2;
    o.truth = truth;
    assert_int_equal(sustain_clean_create(context, &o, &rows, NULL, &c), SUSTAIN_OK);
    assert_int_equal(sustain_clean_finish(c, NULL, NULL, result), SUSTAIN_OK);
    return c;
}

static double prior_with(double wrong) {
    sustain_clean_result result;
    generate(1, wrong);
    sustain_clean *c = finished(&result);
    const double prior = c->prior_given;
    assert_true(sustain__clean_fit_options(c, ROWS).c <= sustain__clean_given_options(c, ROWS).c);
    sustain_clean_destroy(c);
    return prior;
}

/* Labels that nothing predicts call for small scores, labels without an error for large ones. */
static void test_prior(void **state) {
    (void)state;
    assert_true(prior_with(0.5) <= 0.5);
    assert_true(prior_with(0) >= 8);
}

/* Weighted labels: the prior goes from that of labels as given to that of right ones as the weights
 * remove wrong labels, by the root of their share. */
static void weigh(sustain_clean *c, float wrong, float right, double expected) {
    float weights[ROWS];
    for (int i = 0; i < ROWS; i++) weights[i] = i % 5 < 2 ? wrong : right;
    assert_true(fabs(sustain__clean_weighted_prior(c, weights) - expected) < 1e-9);
}

static void test_weighted_prior(void **state) {
    (void)state;
    sustain_clean_result result;
    generate(1, 0.4);
    sustain_clean *c = finished(&result);
    const double least = c->prior_given;
    assert_true(least > 0 && least < 4);
    for (int i = 0; i < ROWS; i++) c->quality[i] = i % 5 < 2 ? 0 : 1;
    weigh(c, 0.5F, 0.5F, least); /* they remove nothing */
    weigh(c, 0, 1, 4);
    weigh(c, 0.5F, 1, least * pow(4 / least, sqrt(1 - 0.25 / 0.4))); /* 25 % of the weight is wrong, 40 % before */
    weigh(c, 1, 0.5F, least);                                        /* they add some */
    for (int i = 0; i < ROWS; i++) c->quality[i] = 1;
    weigh(c, 1, 0.5F, least);  /* no label is wrong */
    assert_null(c->threshold); /* fewer features than rows */
    sustain_clean_destroy(c);
}

/* Neither the labels as given, out of fold, nor a classifier that learned them ranks better. */
static void test_ranking(void **state) {
    (void)state;
    double ours = 0, self = 0, all = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        sustain_clean_result result;
        generate(seed, 0.2);
        sustain_clean *c = finished(&result);
        ours += result.score.auc / 5;
        self += result.baselines[SUSTAIN_CLEAN_BASELINE_SELF_CONFIDENCE].auc / 5;
        all += result.baselines[SUSTAIN_CLEAN_BASELINE_ALL_LABELS].auc / 5;
        sustain_clean_destroy(c);
    }
    print_message("AUC %.4f, self-confidence %.4f, all labels %.4f\n", ours, self, all);
    assert_true(ours > self + 0.002);
    assert_true(ours > all - 0.002);
}

/* Texts of a few words: the rarer a class, the less of its words each row has seen elsewhere. */
enum { TEXTS = 300, WORDS = 400, CLASSES = 4, LENGTH = 6 };
static float texts[2 * TEXTS * WORDS];
static int32_t kinds[2 * TEXTS], given_kinds[TEXTS];

static void write_texts(uint64_t seed) {
    for (uint32_t k = 0; k < 2 * TEXTS * WORDS; k++) texts[k] = 0;
    for (uint32_t i = 0; i < 2 * TEXTS; i++) {
        const double u = sustain_random_uniform(seed, 2, i, 0);
        const int32_t kind = (u > 0.5) + (u > 0.75) + (u > 0.9);
        for (uint32_t j = 0; j < LENGTH; j++) {
            const bool own = sustain_random_uniform(seed, 3, i, j) < 0.5;
            const uint32_t word = (uint32_t)(sustain_random_uniform(seed, 4, i, j) * (own ? 40 : WORDS));
            texts[i * WORDS + (own ? 40 * (uint32_t)kind : 0) + word] = 1;
        }
        kinds[i] = kind;
        if (i < TEXTS) given_kinds[i] = sustain_random_uniform(seed, 5, i, 0) < 0.2 ? (kind + 1) % CLASSES : kind;
    }
}

static int by_value(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double log_odds(double p) {
    return log(p / (1 - p));
}

/* p_k over the root of t_k, the mean of p_k over rows with label k; then the ratio to the likeliest
 * other class. To have the estimate as their sum the qualities are shifted, in log-odds, and the
 * ranking gives them to other rows. */
static void check_thresholds(const sustain_clean *c) {
    const float *views = c->source[SUSTAIN__SOURCE_CORRECTED].views;
    float ratio[TEXTS], quality[TEXTS];
    double t[CLASSES] = {0}, count[CLASSES] = {0};
    for (int i = 0; i < TEXTS; i++) t[given_kinds[i]] += (double)views[i * CLASSES + given_kinds[i]], count[given_kinds[i]]++;
    for (int i = 0; i < TEXTS; i++) {
        double p[CLASSES], rival = 0;
        for (int k = 0; k < CLASSES; k++) p[k] = (double)views[i * CLASSES + k] / sqrt(t[k] / count[k]);
        for (int k = 0; k < CLASSES; k++) rival = k != given_kinds[i] ? fmax(rival, p[k]) : rival;
        ratio[i] = (float)(p[given_kinds[i]] / (p[given_kinds[i]] + rival));
        quality[i] = c->quality[i];
    }
    qsort(ratio, TEXTS, sizeof *ratio, by_value);
    qsort(quality, TEXTS, sizeof *quality, by_value);
    const double shift = log_odds((double)quality[0]) - log_odds((double)ratio[0]);
    for (int i = 0; i < TEXTS; i++) assert_true(fabs(log_odds((double)quality[i]) - log_odds((double)ratio[i]) - shift) < 1e-3);
}

/* The rarer classes do not lose most of their weight. */
static void test_texts(void **state) {
    (void)state;
    double ours = 0, all = 0, auc = 0, all_auc = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        write_texts(seed);
        const sustain_rows rows = {.values = texts, .labels = given_kinds, .count = TEXTS, .stored = TEXTS, .dim = WORDS};
        const sustain_rows test = {.values = texts + TEXTS * WORDS, .labels = kinds + TEXTS, .count = TEXTS, .stored = TEXTS, .dim = WORDS};
        sustain_clean_options o = sustain_clean_defaults();
        sustain_clean_result result;
        sustain_clean *c;
        o.classes = CLASSES;
        o.truth = kinds;
        o.test = &test;
        assert_int_equal(sustain_clean_create(context, &o, &rows, NULL, &c), SUSTAIN_OK);
        assert_int_equal(sustain_clean_finish(c, NULL, NULL, &result), SUSTAIN_OK);
        ours += result.score.test_accuracy / 5;
        all += result.baselines[SUSTAIN_CLEAN_BASELINE_ALL_LABELS].test_accuracy / 5;
        auc += result.score.auc / 5;
        all_auc += result.baselines[SUSTAIN_CLEAN_BASELINE_ALL_LABELS].auc / 5;
        check_thresholds(c);
        sustain_clean_destroy(c);
    }
    print_message("texts: accuracy %.4f, on all labels %.4f; AUC %.4f, %.4f\n", ours, all, auc, all_auc);
    assert_true(ours > all + 0.036);
}

static int create(void **state) {
    (void)state;
    return sustain_context_create(&context) != SUSTAIN_OK;
}

static int destroy(void **state) {
    (void)state;
    sustain_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_prior), cmocka_unit_test(test_weighted_prior), cmocka_unit_test(test_ranking),
                                       cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests(tests, create, destroy);
}
