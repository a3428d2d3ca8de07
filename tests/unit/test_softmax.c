/* test_softmax.c - softmax regression: the answer is stationary for a naive gradient in double;
 * weights count as repeated rows; floats, bytes and sparse rows agree; folds fitted together are
 * what they are alone; a noisy channel is undone; rankings and noise estimates beside known
 * answers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <sustain/learn.h>
#include <sustain/sustain.h>

#include "problems/rows_internal.h"
#include "jobs/noise.h"
#include "jobs/precondition.h"
#include "jobs/softmax_fit.h"

enum { ROWS = 2500, DIM = 6, CLASSES = 3, SIZE = (DIM + 1) * CLASSES };

static uint8_t bytes[ROWS * DIM];
static float dense[ROWS * DIM];
static int32_t labels[ROWS];
static sustain_context *context;

static int setup(void **state) {
    (void)state;
    for (uint32_t i = 0; i < ROWS; i++) {
        labels[i] = (int32_t)sustain_random_index(3, 0, i, 0, CLASSES);
        for (uint32_t j = 0; j < DIM; j++) {
            const double cloud = 100 + 30 * sustain_random_normal(3, 1, i, j) + (j % CLASSES == (uint32_t)labels[i] ? 40 : 0);
            bytes[i * DIM + j] = (uint8_t)fmin(fmax(cloud, 0), 255);
            dense[i * DIM + j] = (float)bytes[i * DIM + j] * (1.0F / 64);
        }
    }
    return sustain_context_create(&context) == SUSTAIN_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    sustain_context_destroy(context);
    return 0;
}

static sustain_rows floats(int64_t count) {
    return (sustain_rows){.count = count, .dim = DIM, .values = dense, .labels = labels};
}

static sustain_softmax_options options(void) {
    sustain_softmax_options o = sustain_softmax_defaults();
    o.classes = CLASSES;
    o.c = 1e-3;
    o.tolerance = 1e-6;
    return o;
}

/* |gradient| at y, naively. */
static double naive_norm(const float *weights, double c, const sustain_real *y) {
    double gradient[SIZE], whole = 0, norm = 0;
    for (int i = 0; i < SIZE; i++) gradient[i] = 0;
    for (int i = 0; i < ROWS; i++) {
        double p[CLASSES], sum = 0;
        const double w = weights != NULL ? (double)weights[i] : 1;
        for (int k = 0; k < CLASSES; k++) {
            double s = (double)y[CLASSES * DIM + k];
            for (int j = 0; j < DIM; j++) s += (double)y[k * DIM + j] * (double)dense[i * DIM + j];
            sum += p[k] = exp(s);
        }
        for (int k = 0; k < CLASSES; k++) {
            const double r = w * (p[k] / sum - (k == labels[i]));
            for (int j = 0; j < DIM; j++) gradient[k * DIM + j] += r * (double)dense[i * DIM + j];
            gradient[CLASSES * DIM + k] += r;
        }
        whole += w;
    }
    for (int i = 0; i < SIZE; i++) norm += pow(gradient[i] / whole + 2 * c * (double)y[i], 2);
    return sqrt(norm);
}

static void test_stationary(void **state) {
    (void)state;
    static float weights[ROWS];
    const sustain_rows rows = floats(ROWS);
    const sustain_softmax_options o = options();
    for (int i = 0; i < ROWS; i++) weights[i] = (float)(i % 5) / 2;
    for (int weighted = 0; weighted < 2; weighted++) {
        sustain_real y[SIZE] = {0};
        const sustain_softmax_part part = {&rows, weighted ? weights : NULL};
        assert_int_equal(sustain_softmax_fit(context, &o, &part, 1, y), SUSTAIN_OK);
        assert_true(naive_norm(part.weights, o.c, y) < 1e-4);
    }
}

/* Twice the weight, or the row twice; in one part, or in two. */
static void test_weights_and_parts(void **state) {
    (void)state;
    const sustain_softmax_options o = options();
    const sustain_rows rows = floats(ROWS), half = floats(ROWS / 2);
    static float weights[ROWS];
    sustain_real one[SIZE] = {0}, two[SIZE] = {0};
    for (int i = 0; i < ROWS; i++) weights[i] = i < ROWS / 2 ? 2 : 1;
    const sustain_softmax_part weighted = {&rows, weights}, repeated[] = {{&rows, NULL}, {&half, NULL}};
    assert_int_equal(sustain_softmax_fit(context, &o, &weighted, 1, one), SUSTAIN_OK);
    assert_int_equal(sustain_softmax_fit(context, &o, repeated, 2, two), SUSTAIN_OK);
    for (int i = 0; i < SIZE; i++) assert_true(fabs((double)(one[i] - two[i])) < 2e-3);
}

static void test_kinds_of_rows(void **state) {
    (void)state;
    static int64_t start[ROWS + 1];
    static int32_t columns[ROWS * DIM];
    static float p[3][ROWS * CLASSES];
    for (int i = 0; i <= ROWS; i++) start[i] = (int64_t)i * DIM;
    for (int i = 0; i < ROWS * DIM; i++) columns[i] = i % DIM;
    const sustain_rows rows[3] = {floats(ROWS),
                                  {.count = ROWS, .dim = DIM, .bytes = bytes, .byte_scale = 1.0F / 64, .labels = labels},
                                  {.count = ROWS, .dim = DIM, .values = dense, .start = start, .columns = columns, .labels = labels}};
    const sustain_softmax_options o = options();
    for (int k = 0; k < 3; k++) {
        sustain_real y[SIZE] = {0};
        int32_t guess[ROWS];
        double accuracy;
        int right = 0;
        sustain_rows unlabelled = rows[k];
        unlabelled.labels = NULL;
        const sustain_softmax_part part = {&rows[k], NULL};
        assert_int_equal(sustain_softmax_fit(context, &o, &part, 1, y), SUSTAIN_OK);
        assert_int_equal(sustain_softmax_predict(context, &o, &unlabelled, y, p[k], guess), SUSTAIN_OK);
        assert_int_equal(sustain_softmax_accuracy(context, &o, &rows[k], y, &accuracy), SUSTAIN_OK);
        for (int i = 0; i < ROWS; i++) right += guess[i] == labels[i];
        assert_true(accuracy == (double)right / ROWS && accuracy > 0.8);
        for (int i = 0; i < ROWS * CLASSES; i++) assert_true(fabs((double)(p[k][i] - p[0][i])) < 2e-3);
    }
}

/* Folds fitted together: each as if alone, on the rows of the others. */
static void test_folds(void **state) {
    (void)state;
    enum { FOLDS = 3 };
    const sustain_softmax_options o = options();
    const int64_t starts[FOLDS + 1] = {0, 700, 1500, ROWS};
    static int64_t numbers[ROWS];
    sustain_rows rows = floats(ROWS);
    sustain__some_rows parts[FOLDS];
    sustain_real together[FOLDS * SIZE] = {0};
    rows.stored = ROWS;
    for (int i = 0; i < ROWS; i++) numbers[i] = i;
    for (int k = 0; k < FOLDS; k++)
        parts[k] = (sustain__some_rows){.rows = &rows, .index = numbers + starts[k], .count = starts[k + 1] - starts[k]};
    assert_int_equal(sustain__softmax_fit_folds(context, &o, parts, FOLDS, FOLDS, together), SUSTAIN_OK);
    for (int k = 0; k < FOLDS; k++) {
        sustain_real alone[SIZE] = {0};
        const sustain__some_rows others[] = {parts[(k + 1) % FOLDS], parts[(k + 2) % FOLDS]};
        assert_int_equal(sustain__softmax_fit(context, &o, others, 2, alone), SUSTAIN_OK);
        for (int i = 0; i < SIZE; i++) assert_true(fabs((double)(alone[i] - together[k * SIZE + i])) < 2e-3);
    }
}

/* Rows along the axes, the j-th 2^-j long: E is diagonal and known. */
static void test_precondition(void **state) {
    (void)state;
    static float axes[DIM * DIM];
    const sustain_rows rows = {.count = DIM, .dim = DIM, .values = axes, .stored = DIM};
    const double kappa = 0.3, ridge = 1e-3;
    sustain_real d[2 * DIM];
    sustain__precondition p;
    for (int j = 0; j < DIM; j++) axes[j * DIM + j] = ldexpf(1, -j), d[j] = 1, d[DIM + j] = -2;
    assert_int_equal(sustain__precondition_create(context, &rows, false, kappa, ridge, &p), SUSTAIN_OK);
    sustain__precondition_apply(&p, 1, 2, d);
    for (int j = 0; j < DIM; j++) {
        const double inverse = 1 / (kappa * pow(4, -j) / DIM + ridge);
        assert_true(fabs((double)d[j] - inverse) < 0.05 * inverse);
        assert_true(fabs((double)d[DIM + j] + 2 * inverse) < 0.1 * inverse);
    }
    sustain__precondition_free(context, &p);
}

/* Labels that went through a channel, and a fit that knows it: the same classifier as from the
 * right labels. */
static void test_noise_undone(void **state) {
    (void)state;
    static int32_t wrong[ROWS];
    sustain_real channel[CLASSES * CLASSES], y[SIZE] = {0}, naive[SIZE] = {0};
    double undone, plain;
    for (int l = 0; l < CLASSES; l++)
        for (int k = 0; k < CLASSES; k++) channel[l * CLASSES + k] = (sustain_real)(l == k ? 0.6 : l == (k + 1) % CLASSES ? 0.4 : 1e-6);
    for (uint32_t i = 0; i < ROWS; i++) wrong[i] = (labels[i] + (sustain_random_uniform(3, 5, i, 0) < 0.4)) % CLASSES;
    const sustain_softmax_options o = options();
    sustain_rows noisy = floats(ROWS), right = floats(ROWS);
    noisy.labels = wrong;
    noisy.stored = right.stored = ROWS;
    const sustain__some_rows known = {.rows = &noisy, .count = ROWS, .noise = channel}, unknown = {.rows = &noisy, .count = ROWS};
    assert_int_equal(sustain__softmax_fit(context, &o, &known, 1, y), SUSTAIN_OK);
    assert_int_equal(sustain__softmax_fit(context, &o, &unknown, 1, naive), SUSTAIN_OK);
    assert_int_equal(sustain__softmax_accuracy(context, &o, &right, y, &undone), SUSTAIN_OK);
    assert_int_equal(sustain__softmax_accuracy(context, &o, &right, naive, &plain), SUSTAIN_OK);
    assert_true(undone > plain && undone > 0.8);
}

static void test_refusals(void **state) {
    (void)state;
    float weights[ROWS] = {0};
    sustain_real y[SIZE] = {0};
    sustain_rows rows = floats(ROWS);
    sustain_softmax_options o = options();
    sustain_softmax_part part = {&rows, weights};
    assert_int_equal(sustain_softmax_fit(context, &o, &part, 1, y), SUSTAIN_ARGUMENT);
    assert_non_null(strstr(sustain_error(context), "all weights are 0"));
    weights[3] = -1;
    assert_int_equal(sustain_softmax_fit(context, &o, &part, 1, y), SUSTAIN_ARGUMENT);
    assert_non_null(strstr(sustain_error(context), "weight of row 3"));
    part.weights = NULL;
    assert_int_equal(sustain_softmax_fit(context, &o, &part, 0, y), SUSTAIN_ARGUMENT);
    o.c = NAN;
    assert_int_equal(sustain_softmax_fit(context, &o, &part, 1, y), SUSTAIN_ARGUMENT);
    o = options();
    rows.labels = NULL;
    assert_int_equal(sustain_softmax_fit(context, &o, &part, 1, y), SUSTAIN_ARGUMENT);
}

static void test_ranking(void **state) {
    (void)state;
    const float quality[] = {0.1F, 0.4F, 0.4F, 0.8F, 0.9F};
    const int32_t given[] = {1, 1, 0, 0, 0}, truth[] = {0, 0, 0, 0, 0};
    double auc, precision;
    /* Wrong: rows 0 and 1. Of the 6 pairs, 5 are in order and one is a tie. */
    assert_int_equal(sustain_clean_rank_score(context, 5, quality, given, truth, &auc, &precision), SUSTAIN_OK);
    assert_true(fabs(auc - 5.5 / 6) < 1e-12 && precision == 1);
    assert_int_equal(sustain_clean_rank_score(context, 5, quality, truth, truth, &auc, &precision), SUSTAIN_OK);
    assert_true(isnan(auc) && isnan(precision));
}

enum { MANY = 20000, TRUSTED = 600 };
static float views[MANY * CLASSES], trusted_views[TRUSTED * CLASSES];
static int32_t given[MANY], right[TRUSTED];

/* A classifier that is right in 70 of 100 cases and says so; 0.2 of the labels wrong, all to the
 * next class. The last class has this share of the rows. */
static void generate_views(double share) {
    for (uint32_t i = 0; i < MANY + TRUSTED; i++) {
        const bool last = sustain_random_uniform(3, 6, i, 3) < share;
        const int64_t class = last ? CLASSES - 1 : sustain_random_index(3, 6, i, 0, CLASSES - 1);
        const double u = sustain_random_uniform(3, 6, i, 1);
        const int64_t seen = u < 0.7 ? class : (class + (u < 0.85 ? 1 : 2)) % CLASSES;
        float *view = i < MANY ? views + i * CLASSES : trusted_views + (i - MANY) * CLASSES;
        for (int64_t k = 0; k < CLASSES; k++) view[k] = k == seen ? 0.7F : 0.15F;
        if (i < MANY)
            given[i] = (int32_t)((class + (sustain_random_uniform(3, 6, i, 2) < 0.2)) % CLASSES);
        else
            right[i - MANY] = (int32_t) class;
    }
}

static void test_noise_estimate(void **state) {
    (void)state;
    sustain_real noise[CLASSES * CLASSES];
    double rate, error;
    generate_views(1.0 / CLASSES);
    const sustain__views v = {CLASSES, MANY, views, given, TRUSTED, trusted_views, right, 0};
    assert_int_equal(sustain__noise_estimate(context, &v, &rate, &error, noise), SUSTAIN_OK);
    assert_true(fabs(rate - 0.2) < 0.03);
    for (int k = 0; k < CLASSES; k++) {
        assert_true(noise[((k + 1) % CLASSES) * CLASSES + k] > (sustain_real)0.1);
        assert_true(noise[((k + 2) % CLASSES) * CLASSES + k] < (sustain_real)0.08);
    }
}

/* A classifier that is surer than it should be: the likelihood finds noise where there is none, and
 * the error that is said covers what the estimate is off. */
static void test_noise_of_sure_classifier(void **state) {
    (void)state;
    sustain_real noise[CLASSES * CLASSES];
    double rate, error, calibrated;
    enum { FEW = 60 };
    generate_views(1.0 / CLASSES);
    const sustain__views v = {CLASSES, MANY, views, given, FEW, trusted_views, right, 0};
    assert_int_equal(sustain__noise_estimate(context, &v, &rate, &calibrated, noise), SUSTAIN_OK);
    for (int64_t i = 0; i < MANY * CLASSES; i++) views[i] = views[i] > 0.5F ? 0.96F : 0.02F;
    for (int64_t i = 0; i < FEW * CLASSES; i++) trusted_views[i] = trusted_views[i] > 0.5F ? 0.96F : 0.02F;
    assert_int_equal(sustain__noise_estimate(context, &v, &rate, &error, noise), SUSTAIN_OK);
    assert_true(error > 1.5 * calibrated);
    assert_true(fabs(rate - 0.2) < 2 * error);
}

/* Three trusted rows of a rare class, which look like the first class all of them: its labels are
 * right more often than not all the same. */
static void test_noise_of_rare_class(void **state) {
    (void)state;
    sustain_real noise[CLASSES * CLASSES];
    double rate, error;
    int64_t of_last = 0, kept = 0;
    generate_views(0.1);
    for (int64_t i = 0; i < TRUSTED; i++) {
        const bool last = right[i] == CLASSES - 1;
        if (last && of_last++ >= 3) continue;
        right[kept] = right[i];
        for (int64_t k = 0; k < CLASSES; k++)
            trusted_views[kept * CLASSES + k] = last ? (k == 0 ? 0.7F : 0.15F) : trusted_views[i * CLASSES + k];
        kept++;
    }
    const sustain__views v = {CLASSES, MANY, views, given, kept, trusted_views, right, 0};
    assert_int_equal(sustain__noise_estimate(context, &v, &rate, &error, noise), SUSTAIN_OK);
    for (int k = 0; k < CLASSES; k++)
        for (int l = 0; l < CLASSES; l++) assert_true(noise[k * CLASSES + k] >= noise[l * CLASSES + k] - (sustain_real)1e-5);
    assert_true(noise[CLASSES * CLASSES - 1] > (sustain_real)0.4);
    assert_true(fabs(rate - 0.2) < 0.15);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stationary),
                                       cmocka_unit_test(test_weights_and_parts),
                                       cmocka_unit_test(test_kinds_of_rows),
                                       cmocka_unit_test(test_noise_undone),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_ranking),
                                       cmocka_unit_test(test_noise_estimate),
                                       cmocka_unit_test(test_noise_of_rare_class),
                                       cmocka_unit_test(test_noise_of_sure_classifier),
                                       cmocka_unit_test(test_folds),
                                       cmocka_unit_test(test_precondition)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
