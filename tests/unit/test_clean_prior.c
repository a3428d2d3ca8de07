/* test_clean_prior.c - how much classifiers of a cleaning job are regularized, and what it ranks by
 * where nothing was checked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_prior), cmocka_unit_test(test_ranking)};
    return cmocka_run_group_tests(tests, create, destroy);
}
