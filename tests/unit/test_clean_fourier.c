/* test_clean_fourier.c - Fourier features of a cleaning job: taken where no linear score separates
 * the classes, left where they do not help. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/sustain.h>

#include "failing_allocator.h"
#include "jobs/clean_job.h"

enum { ROWS = 400, TESTED = 300, DIM = 4, VERIFIED = 60, MANY_VERIFIED = 200 };

static float features[ROWS * DIM], test_features[TESTED * DIM];
static int64_t stored; /* 0: all rows */
static int32_t truth[ROWS], given[ROWS], verified[ROWS], test_labels[TESTED];
static const sustain_rows test = {.values = test_features, .labels = test_labels, .count = TESTED, .dim = DIM};

/* The sign of the first feature, or of the product of the first two; so many of the labels are
 * wrong. */
static void generate_with(bool product, double wrong, uint32_t checked) {
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t j = 0; j < DIM; j++) features[i * DIM + j] = (float)sustain_random_normal(1, 0, i, j);
        truth[i] = features[i * DIM] * (product ? features[i * DIM + 1] : 1) > 0;
        given[i] = sustain_random_uniform(1, 1, i, 0) < wrong ? 1 - truth[i] : truth[i];
        verified[i] = i < checked ? truth[i] : -1;
    }
    for (uint32_t i = 0; i < TESTED; i++) {
        for (uint32_t j = 0; j < DIM; j++) test_features[i * DIM + j] = (float)sustain_random_normal(1, 2, i, j);
        test_labels[i] = test_features[i * DIM] * (product ? test_features[i * DIM + 1] : 1) > 0;
    }
}

static void generate(bool product) {
    generate_with(product, 0.2, VERIFIED);
}

static sustain_status create(sustain_context *context, int64_t rows, bool checked, sustain_clean **clean) {
    const sustain_rows training = {.values = features, .labels = given, .count = rows, .stored = stored, .dim = DIM};
    sustain_clean_options o = sustain_clean_defaults();
    o.classes = 2;
    o.truth = truth;
    o.test = &test;
    o.verified = checked ? verified : NULL;
    return sustain_clean_create(context, &o, &training, NULL, clean);
}

static sustain_status finish(sustain_clean *clean, sustain_clean_result *result) {
    static sustain_real x[ROWS], y[(DIM + 1) * 2];
    return sustain_clean_finish(clean, x, y, result);
}

/* The job on all rows; the caller ends it and its context. */
static sustain_clean *finished(bool checked, int threads, sustain_clean_result *result) {
    sustain_context *context;
    sustain_clean *clean;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain_context_set_threads(context, threads), SUSTAIN_OK);
    assert_int_equal(create(context, ROWS, checked, &clean), SUSTAIN_OK);
    assert_int_equal(finish(clean, result), SUSTAIN_OK);
    return clean;
}

static void end(sustain_clean *clean) {
    sustain_context *context = clean->context;
    sustain_clean_destroy(clean);
    sustain_context_destroy(context);
}

static double best_baseline(const sustain_clean_result *r) {
    double best = 0;
    for (int b = 0; b < SUSTAIN_CLEAN_BASELINE_COUNT; b++) best = fmax(best, r->baselines[b].auc);
    return best;
}

/* The model of the result is the one that was measured. */
static void check_model(const sustain_clean *clean, const sustain_clean_result *r) {
    double accuracy;
    assert_int_equal(sustain_softmax_accuracy(clean->context, &r->model, &test, r->y, &accuracy), SUSTAIN_OK);
    assert_true(accuracy == r->score.test_accuracy);
}

static void test_product(void **state) {
    (void)state;
    generate(true);
    for (int checked = 0; checked < 2; checked++) {
        sustain_clean_result r;
        sustain_clean *clean = finished(checked, 1, &r);
        print_message("share %g, AUC %.4f, best baseline %.4f; test accuracy %.4f, of all labels %.4f\n", clean->fourier.share, r.score.auc,
                      best_baseline(&r), r.score.test_accuracy, r.baselines[SUSTAIN_CLEAN_BASELINE_ALL_LABELS].test_accuracy);
        assert_true(clean->fourier.share >= 0.75);
        assert_true(r.score.auc > 0.9);
        assert_true(best_baseline(&r) < 0.7); /* they stay linear */
        assert_non_null(strstr(r.source_names[SUSTAIN__SOURCE_FOURIER], "Fourier"));
        assert_non_null(r.model.fourier);
        assert_true(r.score.test_accuracy > 0.8);
        assert_true(r.baselines[SUSTAIN_CLEAN_BASELINE_ALL_LABELS].test_accuracy < 0.65);
        check_model(clean, &r);
        end(clean);
    }
}

/* Where a linear score is right, nothing changes. */
static void test_linear(void **state) {
    (void)state;
    generate(false);
    for (int checked = 0; checked < 2; checked++) {
        sustain_clean_result r;
        sustain_clean *clean = finished(checked, 1, &r);
        assert_true(clean->fourier.share == 0);
        assert_null(r.source_names[SUSTAIN__SOURCE_FOURIER]);
        assert_null(r.model.fourier);
        assert_true(r.score.test_accuracy > 0.9);
        check_model(clean, &r);
        end(clean);
    }
}

/* Labels of which almost half are wrong do not show what the verified rows show. */
static void test_verified(void **state) {
    (void)state;
    for (int product = 0; product < 2; product++) {
        sustain_clean_result r;
        generate_with(product, 0.45, MANY_VERIFIED);
        sustain_clean *clean = finished(true, 1, &r);
        print_message("shares %g and %g, test accuracy %.4f\n", clean->fourier.share, clean->fourier.last_share, r.score.test_accuracy);
        assert_true((clean->fourier.last_share > 0) == (product == 1));
        assert_true((r.model.fourier != NULL) == (product == 1));
        assert_true(r.score.test_accuracy > 0.75);
        check_model(clean, &r);
        end(clean);
    }
    sustain_clean_result r;
    sustain_clean *clean = finished(false, 1, &r);
    assert_true(clean->fourier.last_share == 0);
    end(clean);
}

static void test_threads(void **state) {
    (void)state;
    generate(true);
    for (int checked = 0; checked < 2; checked++) {
        sustain_clean_result one, other;
        sustain_clean *first = finished(checked, 1, &one);
        for (int threads = 2; threads <= 8; threads += threads == 2 ? 1 : 5) {
            sustain_clean *second = finished(checked, threads, &other);
            assert_memory_equal(one.quality, other.quality, ROWS * sizeof *one.quality);
            assert_memory_equal(one.order, other.order, ROWS * sizeof *one.order);
            assert_memory_equal(one.y, other.y, 2 * (DIM + 1) * sizeof *one.y);
            assert_memory_equal(one.model.fourier->v, other.model.fourier->v, 2 * SUSTAIN__FOURIER_NUMBERS * sizeof *one.y);
            end(second);
        }
        assert_int_equal(finish(first, &other), SUSTAIN_OK); /* again, from what the last one left */
        sustain_clean *anew = finished(checked, 1, &one);
        assert_memory_equal(one.quality, other.quality, ROWS * sizeof *one.quality);
        end(anew), end(first);
    }
}

/* What is said of a row by two sources: all of one, all of the other, or their geometric mean. */
static void test_mix(void **state) {
    (void)state;
    const float other[] = {0.2f, 0.8f};
    const double shares[] = {0, 1, 0.5}, expected[] = {0.8, 0.2, 0.5};
    for (int i = 0; i < 3; i++) {
        float p[] = {0.8f, 0.2f};
        sustain__clean_mix(2, shares[i], other, p);
        assert_true(fabs((double)p[0] - expected[i]) < 1e-3);
        assert_true(fabs((double)p[0] + (double)p[1] - 1) < 1e-6);
    }
}

/* Features that are nearly all the same have no width. */
static void test_constant(void **state) {
    (void)state;
    generate(true);
    for (int i = 0; i < ROWS * DIM; i++) features[i] = i > 0;
    sustain_clean_result r;
    sustain_clean *clean = finished(false, 1, &r);
    assert_true(clean->fourier.share == 0);
    end(clean);
}

/* Rows that stand for others take no more memory than what is stored. */
static void test_stored(void **state) {
    (void)state;
    generate(true);
    stored = ROWS / 2;
    for (int64_t i = stored; i < ROWS; i++) truth[i] = truth[i - stored];
    sustain_clean_result r;
    sustain_clean *clean = finished(false, 1, &r);
    assert_true(clean->fourier.share > 0);
    end(clean);
    stored = 0;
}

/* Every allocation fails in turn: a status, nothing left behind. */
static void test_memory(void **state) {
    (void)state;
    generate(true);
    for (int64_t at = 1;; at++) {
        failing_allocator_state memory = {0};
        sustain_context *context;
        sustain_clean *clean = NULL;
        sustain_clean_result result;
        assert_int_equal(sustain_context_create_with(failing_allocator, &memory, &context), SUSTAIN_OK);
        memory.fail_at = memory.calls + at;
        sustain_status status = create(context, 200, false, &clean);
        if (status == SUSTAIN_OK) status = finish(clean, &result);
        const bool failed = memory.calls >= memory.fail_at;
        assert_int_equal(status, failed ? SUSTAIN_MEMORY : SUSTAIN_OK);
        if (!failed) assert_true(clean->fourier.share > 0);
        sustain_clean_destroy(clean);
        sustain_context_destroy(context);
        assert_int_equal(memory.live, 0);
        if (!failed) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_product),  cmocka_unit_test(test_linear), cmocka_unit_test(test_threads), cmocka_unit_test(test_mix),
        cmocka_unit_test(test_constant), cmocka_unit_test(test_memory), cmocka_unit_test(test_stored),  cmocka_unit_test(test_verified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
