/* test_clean_few.c - a cleaning job with few verified rows, whose features tell little of the class
 * and whose hard rows are mislabelled more often: ranking and classifier stay close to those of the
 * labels as given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include <sustain/clean.h>
#include <sustain/sustain.h>

enum { ROWS = 300, DIM = 10, TEST = 2000, SEEDS = 12 };

static sustain_context *context;
static float features[ROWS * DIM], test_features[TEST * DIM];
static int32_t truth[ROWS], given[ROWS], verified[ROWS], test_labels[TEST];

/* Rows of which a linear score tells the class with probability 1 / (1 + exp(-score)). */
static double draw_row(uint64_t seed, uint32_t stream, uint32_t i, float *row, int32_t *label) {
    double score = 0;
    for (uint32_t j = 0; j < DIM; j++) row[j] = (float)sustain_random_normal(seed, stream, i, j);
    for (uint32_t j = 0; j < 3; j++) score += (double)row[j];
    *label = sustain_random_uniform(seed, stream + 1, i, 0) < 1 / (1 + exp(-score));
    return score;
}

static void generate(uint64_t seed, uint32_t checked) {
    for (uint32_t i = 0; i < ROWS; i++) {
        const double score = draw_row(seed, 0, i, features + i * DIM, &truth[i]);
        given[i] = sustain_random_uniform(seed, 4, i, 0) < 0.4 * exp(-fabs(score)) ? 1 - truth[i] : truth[i];
        verified[i] = i < checked ? truth[i] : -1;
    }
    for (uint32_t i = 0; i < TEST; i++) draw_row(seed, 2, i, test_features + i * DIM, &test_labels[i]);
}

static void run(sustain_clean_result *result) {
    static sustain_real x[ROWS], y[(DIM + 1) * 2]; /* the solver's part hardly matters here */
    const sustain_rows rows = {.values = features, .labels = given, .count = ROWS, .stored = ROWS, .dim = DIM};
    const sustain_rows test = {.values = test_features, .labels = test_labels, .count = TEST, .stored = TEST, .dim = DIM};
    sustain_clean_options o = sustain_clean_defaults();
    sustain_clean *c;
    o.classes = 2;
    o.truth = truth;
    o.verified = verified;
    o.test = &test;
    assert_int_equal(sustain_clean_create(context, &o, &rows, NULL, &c), SUSTAIN_OK);
    assert_int_equal(sustain_clean_finish(c, x, y, result), SUSTAIN_OK);
    sustain_clean_destroy(c);
}

/* How far the job is ahead of a classifier on all labels, in the mean over the seeds. */
static void compare(uint32_t checked, double *auc, double *accuracy) {
    *auc = *accuracy = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        sustain_clean_result result;
        generate(seed, checked);
        run(&result);
        const sustain_clean_score *all = &result.baselines[SUSTAIN_CLEAN_BASELINE_ALL_LABELS];
        *auc += (result.score.auc - all->auc) / SEEDS;
        *accuracy += (result.score.test_accuracy - all->test_accuracy) / SEEDS;
        assert_true(result.trusted_accuracy >= 0.2 && result.trusted_accuracy <= 1);
    }
    print_message("%u verified: AUC %+.4f, test accuracy %+.4f to those of all labels\n", checked, *auc, *accuracy);
}

static void test_few_verified(void **state) {
    (void)state;
    double auc, accuracy;
    compare(20, &auc, &accuracy);
    assert_true(auc > -0.01);       /* with the blend alone -0.029 */
    assert_true(accuracy > -0.015); /* with the blend alone -0.021 */
}

/* Too few for a blend, and no trusted rows from elsewhere. */
static void test_fewer_verified(void **state) {
    (void)state;
    double auc, accuracy;
    compare(10, &auc, &accuracy);
    assert_true(auc > -0.01);
    assert_true(accuracy > -0.03);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_few_verified), cmocka_unit_test(test_fewer_verified)};
    return cmocka_run_group_tests(tests, create, destroy);
}
