/* test_clean.c - the cleaning job on generated rows whose truth is known: it finds the wrong labels
 * and about how many there are, whatever kind of noise made them; the same bits for any number of
 * threads; bad input is refused with its row. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <sustain/learn.h>
#include <sustain/sustain.h>

#include "failing_allocator.h"

enum { CLASSES = 4, DIM = 8, ROWS = 1200, TRUSTED = 300, TEST = 500, ALL = ROWS + TRUSTED + TEST };
typedef enum kind { SYMMETRIC, PAIR } kind;

static float values[ALL * DIM];
static int32_t labels[ALL], truth[ROWS];
static int issues_seen; /* lines of log that speak of a class without trusted rows */

/* Normal clouds around one centre a class; every label of the first ROWS wrong with probability
 * `noise`. */
static void generate(double noise, kind k) {
    for (uint32_t i = 0; i < ALL; i++) {
        const int32_t class = (int32_t)sustain_random_index(7, 0, i, 0, CLASSES);
        for (uint32_t j = 0; j < DIM; j++)
            values[i * DIM + j] = (float)(sustain_random_normal(7, 1, i, j) + 1.4 * sustain_random_normal(7, 2, (uint64_t) class, j));
        labels[i] = class;
        if (i >= ROWS) continue;
        truth[i] = class;
        if (sustain_random_uniform(7, 3, i, 0) < noise)
            labels[i] = (int32_t)((class + (k == PAIR ? 1 : 1 + sustain_random_index(7, 3, i, 1, CLASSES - 1))) % CLASSES);
    }
}

static sustain_rows part(int first, int count) {
    return (sustain_rows){.count = count, .dim = DIM, .values = values + first * DIM, .labels = labels + first};
}

typedef struct job {
    sustain_context *context;
    sustain_rows training, trusted, test;
    sustain_clean_options options;
    sustain_clean *clean;
    sustain_clean_result result;
} job;

static void prepare(job *j) {
    assert_int_equal(sustain_context_create(&j->context), SUSTAIN_OK);
    j->training = part(0, ROWS), j->trusted = part(ROWS, TRUSTED), j->test = part(ROWS + TRUSTED, TEST);
    j->options = sustain_clean_defaults();
    j->options.classes = CLASSES;
    j->options.truth = truth;
    j->options.test = &j->test;
    j->clean = NULL;
}

static void run_for(job *j, int64_t iterations) {
    sustain_result r;
    assert_int_equal(sustain_clean_create(j->context, &j->options, &j->training, &j->trusted, &j->clean), SUSTAIN_OK);
    sustain_stopping stopping = sustain_clean_stopping(j->clean);
    assert_true(stopping.iterations > 0 && stopping.seconds == 0 && stopping.every > 0);
    stopping.iterations = iterations;
    stopping.seconds = 0; /* the same bits, however slow the machine */
    assert_int_equal(sustain_solver_run(sustain_clean_solver(j->clean), &stopping, &r), SUSTAIN_OK);
    assert_int_equal(sustain_clean_finish(j->clean, r.x, r.y, &j->result), SUSTAIN_OK);
}

static void run(job *j) {
    run_for(j, 150);
}

static void end(job *j) {
    sustain_clean_destroy(j->clean);
    sustain_context_destroy(j->context);
}

static void finds_wrong_labels(double noise, kind k) {
    job j;
    generate(noise, k);
    prepare(&j);
    run(&j);
    const sustain_clean_result *r = &j.result;
    const sustain_clean_score *other = r->baselines;
    assert_true(r->score.auc > 0.97);
    assert_true(r->score.auc > other[SUSTAIN_CLEAN_BASELINE_SELF_CONFIDENCE].auc - 0.002); /* rows are few: chance */
    assert_true(r->score.precision_at_errors > other[SUSTAIN_CLEAN_BASELINE_SELF_CONFIDENCE].precision_at_errors - 0.005);
    assert_true(fabs((double)(r->issues - r->errors)) <= 0.15 * (double)r->errors);
    assert_true(r->issue_precision > 0.85 && r->issue_recall > 0.85);
    assert_true(fabs(r->noise - noise) < 0.15 * noise);
    assert_true(r->score.test_accuracy > 0.93 && r->trusted_accuracy > 0.9);
    for (int i = 0; i < SUSTAIN_CLEAN_BASELINE_COUNT; i++) {
        assert_true(other[i].auc > 0.7 && other[i].precision_at_errors > 0.4);
        if (i < SUSTAIN_CLEAN_BASELINE_MARGIN)
            assert_true(other[i].test_accuracy > 0.6 && other[i].seconds > 0); /* those with a classifier */
        assert_true(strlen(sustain_clean_baseline_key((sustain_clean_baseline)i)) > 0);
    }
    end(&j);
}

static void test_symmetric(void **state) {
    (void)state;
    finds_wrong_labels(0.4, SYMMETRIC);
    finds_wrong_labels(0.1, SYMMETRIC);
}

static void test_pair(void **state) {
    (void)state;
    finds_wrong_labels(0.4, PAIR);
    finds_wrong_labels(0.1, PAIR);
}

/* Texts: more words than rows, so that classifiers learn wrong labels by heart. */
enum { TEXTS = 1500, WORDS = 20, VOCABULARY = 10000, TOPIC = 250, CHECKED = 500 };
static int64_t text_start[TEXTS + 1];
static int32_t text_columns[TEXTS * WORDS], text_labels[TEXTS], text_truth[TEXTS], text_verified[TEXTS];
static float text_values[TEXTS * WORDS];

static void write_texts(uint64_t seed) {
    for (uint32_t i = 0; i < TEXTS; i++) {
        const int32_t class = text_truth[i] = (int32_t)sustain_random_index(seed, 0, i, 0, CLASSES);
        const bool wrong = sustain_random_uniform(seed, 1, i, 0) < 0.4;
        text_labels[i] = wrong ? (int32_t)((class + 1 + sustain_random_index(seed, 1, i, 1, CLASSES - 1)) % CLASSES) : class;
        text_verified[i] = -1;
        text_start[i + 1] = (int64_t)(i + 1) * WORDS;
        for (uint32_t w = 0; w < WORDS; w++) { /* word w is one of its own range: columns increase */
            const bool topical = sustain_random_uniform(seed, 2, i, w) < 0.2;
            const int32_t range = VOCABULARY / WORDS, of = (int32_t)sustain_random_index(seed, 3, i, w, range);
            text_columns[i * WORDS + w] = (int32_t)w * range + (topical ? of % (TOPIC / WORDS) + class * (TOPIC / WORDS) : of);
            text_values[i * WORDS + w] = 0.25F;
        }
    }
    for (int k = 0; k < CHECKED; k++) {
        const int64_t i = sustain_random_permuted(seed, 4, 0, k, TEXTS);
        text_verified[i] = text_truth[i];
    }
}

static void prepare_texts(job *j) {
    prepare(j);
    j->training = (sustain_rows){
        .count = TEXTS, .dim = VOCABULARY, .start = text_start, .columns = text_columns, .values = text_values, .labels = text_labels};
    j->trusted = (sustain_rows){.count = 0};
    j->options.truth = text_truth, j->options.test = NULL;
}

/* The solver's y has seen the labels of all rows but the verified ones: the count must not depend
 * on it. */
static void test_count_of_texts(void **state) {
    (void)state;
    static const sustain_real elsewhere[CLASSES * (VOCABULARY + 1)];
    static sustain_real x[TEXTS];
    job j;
    write_texts(1);
    prepare_texts(&j);
    j.options.verified = text_verified, j.options.baselines = false;
    run_for(&j, 10);
    const sustain_clean_result r = j.result;
    assert_true(r.estimated_low <= (double)r.errors && (double)r.errors <= r.estimated_high);
    assert_true(r.estimated_high - r.estimated_low < 0.12 * (double)r.errors); /* by the verified rows alone 0.2 */
    assert_int_equal(sustain_clean_finish(j.clean, x, elsewhere, &j.result), SUSTAIN_OK);
    assert_true(j.result.estimated_errors == r.estimated_errors && j.result.estimated_high == r.estimated_high);
    end(&j);
}

/* Nothing was checked: the second round of classifiers, which believes doubtful labels less, is
 * better than all that the first one says. */
static void test_nothing_checked(void **state) {
    (void)state;
    job j;
    write_texts(3);
    prepare_texts(&j);
    assert_int_equal(sustain_clean_create(j.context, &j.options, &j.training, NULL, &j.clean), SUSTAIN_OK);
    assert_null(sustain_clean_solver(j.clean));
    assert_int_equal(sustain_clean_finish(j.clean, NULL, NULL, &j.result), SUSTAIN_OK);
    const sustain_clean_result *r = &j.result;
    assert_int_equal(r->ranking, SUSTAIN_CLEAN_RANKING_RATIO);
    for (int i = 0; i < SUSTAIN_CLEAN_BASELINE_COUNT; i++) assert_false(r->score.auc < r->baselines[i].auc + 0.01);
    assert_true(r->score.f1 > r->baselines[SUSTAIN_CLEAN_BASELINE_DIFFERS].f1);
    end(&j);
}

static void test_nothing_wrong(void **state) {
    (void)state;
    job j;
    generate(0, SYMMETRIC);
    prepare(&j);
    run(&j);
    assert_true((double)j.result.issues <= 0.06 * ROWS);
    assert_int_equal(j.result.errors, 0);
    assert_true(isnan(j.result.score.auc) && isnan(j.result.issue_recall));
    end(&j);
}

/* Neither a truth nor test rows: baselines are compared by the trusted rows, out of fold. The steps
 * go with the batch. */
static void test_nothing_known(void **state) {
    (void)state;
    job j;
    char batch[32];
    generate(0.4, SYMMETRIC);
    prepare(&j);
    j.options.truth = NULL;
    j.options.test = NULL;
    j.options.batch = 40;
    run(&j);
    const sustain_clean_result *r = &j.result;
    assert_true(isnan(r->score.auc) && isnan(r->score.test_accuracy) && r->score.trusted_accuracy == r->trusted_accuracy);
    for (int i = 0; i < SUSTAIN_CLEAN_BASELINE_MARGIN; i++)
        assert_true(r->baselines[i].trusted_accuracy > 0.6 && r->baselines[i].trusted_accuracy <= 1);
    assert_true(r->trusted_accuracy > r->baselines[SUSTAIN_CLEAN_BASELINE_ALL_LABELS].trusted_accuracy - 0.02);
    sustain_solver_get(sustain_clean_solver(j.clean), "batch", batch, sizeof batch);
    assert_string_equal(batch, "40");
    assert_int_equal(sustain_clean_stopping(j.clean).iterations, 20 * ROWS / 40 > 1000 ? 20 * ROWS / 40 : 1000);
    end(&j);
}

/* The parts of a result agree with one another. */
static void test_consistent(void **state) {
    (void)state;
    job j;
    generate(0.3, SYMMETRIC);
    prepare(&j);
    j.options.baselines = false;
    run(&j);
    const sustain_clean_result *r = &j.result;
    int64_t issues = 0, confused = 0;
    double auc, precision, accuracy;
    for (int64_t i = 0; i < ROWS; i++) {
        issues += r->is_issue[i];
        assert_true(r->quality[i] >= 0 && r->quality[i] <= 1 && r->weight[i] >= 0 && r->weight[i] <= 1);
        assert_int_equal(r->is_issue[i], r->suggested[i] != labels[i]);
        if (i > 0) assert_true(r->quality[r->order[i - 1]] <= r->quality[r->order[i]]);
        assert_int_equal(r->is_issue[r->order[i]], i < r->issues);
    }
    for (int i = 0; i < CLASSES * CLASSES; i++) confused += r->confused[i];
    assert_int_equal(issues, r->issues);
    assert_int_equal(confused, r->issues);
    assert_int_equal(sustain_clean_rank_score(j.context, ROWS, r->quality, labels, truth, &auc, &precision), SUSTAIN_OK);
    assert_true(auc == r->score.auc && precision == r->score.precision_at_errors);
    assert_int_equal(sustain_softmax_accuracy(j.context, &r->model, &j.test, r->y, &accuracy), SUSTAIN_OK);
    assert_true(accuracy == r->score.test_accuracy);
    assert_true(isnan(r->baselines[0].auc));
    end(&j);
}

static void test_threads(void **state) {
    static float quality[ROWS];
    static sustain_real y[(DIM + 1) * CLASSES];
    static const int threads[] = {1, 2, 3, 8};
    (void)state;
    generate(0.3, SYMMETRIC);
    for (int i = 0; i < 4; i++) {
        job j;
        prepare(&j);
        assert_int_equal(sustain_context_set_threads(j.context, threads[i]), SUSTAIN_OK);
        j.options.folds = 3;
        run_for(&j, 50);
        if (i == 0) {
            memcpy(quality, j.result.quality, sizeof quality);
            memcpy(y, j.result.y, sizeof y);
        }
        assert_memory_equal(quality, j.result.quality, sizeof quality);
        assert_memory_equal(y, j.result.y, sizeof y);
        end(&j);
    }
}

/* ---- bad input ---- */

static void refused(job *j, const char *sentence) {
    assert_int_equal(sustain_clean_create(j->context, &j->options, &j->training, &j->trusted, &j->clean), SUSTAIN_ARGUMENT);
    assert_null(j->clean);
    if (strstr(sustain_error(j->context), sentence) == NULL) fail_msg("\"%s\" does not say \"%s\"", sustain_error(j->context), sentence);
}

static void test_refusals(void **state) {
    (void)state;
    job j;
    generate(0.3, SYMMETRIC);
    prepare(&j);
    const job good = j;

    labels[17] = CLASSES;
    refused(&j, "training row 17");
    generate(0.3, SYMMETRIC);
    values[3 * DIM + 2] = NAN;
    refused(&j, "column 2 of training row 3");
    generate(0.3, SYMMETRIC);
    j.training.count = 3;
    refused(&j, "fewer than the 5 folds");
    j = good;
    j.options.folds = 1;
    refused(&j, "folds must be 2 to 20");
    j = good;
    j.options.classes = 1;
    refused(&j, "at least 2 classes");
    j = good;
    j.options.c = 0;
    refused(&j, "regularization c");
    j = good;
    j.trusted.dim = DIM - 1;
    refused(&j, "features");
    j = good;
    truth[5] = -1;
    refused(&j, "true label of training row 5");
    generate(0.3, SYMMETRIC);
    for (int i = 0; i < ROWS; i++) labels[i] = labels[i] == 2 ? 1 : labels[i];
    refused(&j, "which no training row has");
    for (int i = 0; i < ROWS + TRUSTED; i++) labels[i] = 1;
    refused(&j, "at least two classes");
    generate(0.3, SYMMETRIC);
    for (int i = 0; i < ROWS * DIM; i++) values[i] = values[i % DIM];
    refused(&j, "have the same features");
    generate(0.3, SYMMETRIC);
    j.options.solver = "sustian";
    assert_int_equal(sustain_clean_create(j.context, &j.options, &j.training, &j.trusted, &j.clean), SUSTAIN_UNKNOWN_NAME);
    end(&j);
}

static void test_not_finite(void **state) {
    (void)state;
    static sustain_real x[ROWS], y[(DIM + 1) * CLASSES];
    job j;
    generate(0.3, SYMMETRIC);
    prepare(&j);
    assert_int_equal(sustain_clean_create(j.context, &j.options, &j.training, &j.trusted, &j.clean), SUSTAIN_OK);
    x[12] = NAN;
    assert_int_equal(sustain_clean_finish(j.clean, x, y, &j.result), SUSTAIN_ARGUMENT);
    assert_non_null(strstr(sustain_error(j.context), "coordinate 12 of x"));
    end(&j);
}

static void count_warnings(void *user, const char *line) {
    (void)user;
    issues_seen += strstr(line, "has no trusted row") != NULL;
}

static void test_class_without_trusted_rows(void **state) {
    (void)state;
    job j;
    generate(0.2, SYMMETRIC);
    for (int i = ROWS; i < ROWS + TRUSTED; i++) labels[i] = labels[i] == 3 ? 2 : labels[i];
    prepare(&j);
    j.options.baselines = false;
    issues_seen = 0;
    sustain_context_set_log(j.context, count_warnings, NULL);
    run(&j);
    assert_int_equal(issues_seen, 1);
    end(&j);
}

/* Every allocation fails in turn: a status, nothing left behind. */
static void test_memory(void **state) {
    (void)state;
    static sustain_real x[ROWS], y[(DIM + 1) * CLASSES];
    generate(0.3, SYMMETRIC);
    for (int64_t at = 1;; at++) {
        failing_allocator_state memory = {0};
        job j;
        prepare(&j);
        sustain_context_destroy(j.context);
        assert_int_equal(sustain_context_create_with(failing_allocator, &memory, &j.context), SUSTAIN_OK);
        j.training.count = 60, j.trusted.count = 40, j.test.count = 30;
        j.options.folds = 2;
        memory.fail_at = memory.calls + at;
        sustain_status status = sustain_clean_create(j.context, &j.options, &j.training, &j.trusted, &j.clean);
        if (status == SUSTAIN_OK) status = sustain_clean_finish(j.clean, x, y, &j.result);
        const bool failed = memory.calls >= memory.fail_at;
        assert_int_equal(status, failed ? SUSTAIN_MEMORY : SUSTAIN_OK);
        end(&j);
        assert_int_equal(memory.live, 0);
        if (!failed) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symmetric),     cmocka_unit_test(test_pair),           cmocka_unit_test(test_nothing_wrong),
        cmocka_unit_test(test_nothing_known), cmocka_unit_test(test_consistent),     cmocka_unit_test(test_threads),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_not_finite),     cmocka_unit_test(test_class_without_trusted_rows),
        cmocka_unit_test(test_memory),        cmocka_unit_test(test_count_of_texts), cmocka_unit_test(test_nothing_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
