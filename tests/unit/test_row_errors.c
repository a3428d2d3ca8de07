/* test_row_errors.c - probabilities and trusted rows alone: the count is right where errors
 * depend on the class, and where they depend on the row, as those of people do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sustain/learn.h>

enum { CLASSES = 4, ROWS = 8000, TRUSTED = 800 };

static int32_t given[ROWS + TRUSTED], truth[ROWS + TRUSTED];
static float probabilities[(ROWS + TRUSTED) * CLASSES];

/* Probabilities are the posterior. Labels by rows are drawn from a sharper posterior, that of
 * somebody who sees more. */
static void generate(uint64_t seed, bool by_row) {
    for (uint32_t i = 0; i < ROWS + TRUSTED; i++) {
        double p[CLASSES], sum = 0, sharp = 0, seen = 0;
        for (uint32_t k = 0; k < CLASSES; k++) sum += p[k] = exp(3 * sustain_random_normal(seed, 1, i, k));
        const double u = sustain_random_uniform(seed, 2, i, 0) * sum, v = sustain_random_uniform(seed, 3, i, 0);
        int32_t class = -1, label = -1;
        for (int32_t k = 0; k < CLASSES; k++) {
            probabilities[(int64_t)i * CLASSES + k] = (float)(p[k] / sum);
            seen += p[k];
            if (class < 0 && u < seen) class = k;
        }
        class = class < 0 ? CLASSES - 1 : class;
        p[class] *= 4; /* what the annotator sees besides */
        for (int k = 0; k < CLASSES; k++) sharp += p[k];
        seen = 0;
        for (int32_t k = 0; k < CLASSES; k++) {
            seen += p[k];
            if (label < 0 && v * sharp < seen) label = k;
        }
        label = label < 0 ? CLASSES - 1 : label;
        truth[i] = class;
        given[i] = by_row ? label : v < 0.15 ? (class + 1 + (int32_t)sustain_random_index(seed, 4, i, 0, CLASSES - 1)) % CLASSES : class;
    }
}

static sustain_clean_result count_errors(sustain_context *context, int64_t *errors) {
    const sustain_probabilities p = {.count = ROWS, .classes = CLASSES, .values = probabilities, .type = SUSTAIN_FLOAT32};
    const sustain_probabilities q = {
        .count = TRUSTED, .classes = CLASSES, .values = probabilities + ROWS * CLASSES, .type = SUSTAIN_FLOAT32};
    const sustain_probabilities *ps[] = {&p}, *qs[] = {&q};
    const sustain_rows training = {.count = ROWS, .labels = given}, trusted = {.count = TRUSTED, .labels = truth + ROWS};
    sustain_clean_options options = sustain_clean_defaults();
    sustain_clean *clean;
    sustain_clean_result result;
    options.classes = CLASSES;
    options.pred_probs = ps, options.trusted_pred_probs = qs, options.pred_prob_count = 1;
    assert_int_equal(sustain_clean_create(context, &options, &training, &trusted, &clean), SUSTAIN_OK);
    assert_int_equal(sustain_clean_finish(clean, NULL, NULL, &result), SUSTAIN_OK);
    *errors = 0;
    int64_t flagged = 0;
    for (int i = 0; i < ROWS; i++) {
        *errors += given[i] != truth[i];
        flagged += result.is_issue[i];
        assert_true(i == 0 || result.quality[result.order[i - 1]] <= result.quality[result.order[i]]);
    }
    assert_true(flagged == result.issues);
    sustain_clean_destroy(clean);
    return result;
}

static void test_counts(void **state) {
    (void)state;
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    for (int by_row = 0; by_row < 2; by_row++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            int64_t errors;
            generate(seed, by_row == 1);
            const sustain_clean_result r = count_errors(context, &errors);
            const double off = r.estimated_errors / (double)errors - 1;
            if (!(fabs(off) < (by_row ? 0.35 : 0.12))) fail_msg("off by %g (by row %d, seed %d)", off, by_row, (int)seed);
            if (by_row) assert_true(r.estimated_low <= (double)errors && (double)errors <= r.estimated_high);
        }
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
