/* test_annotators.c - Dawid and Skene's estimate: against a naive transcription, on annotators of
 * known quality, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <sustain/learn.h>

enum { ROWS = 300, ANNOTATORS = 6, CLASSES = 3, COUNT = ROWS * ANNOTATORS };

static sustain_annotation labels[COUNT];
static int32_t truth[ROWS];
static float posterior[ROWS * CLASSES];
static sustain_annotator annotators[ANNOTATORS];

static const double quality[ANNOTATORS] = {0.9, 0.8, 0.7, 0.4, 0.4, 0.4};

/* Returns how many labels there are: some annotators leave rows out. */
static int64_t generate(uint64_t seed) {
    int64_t count = 0;
    for (uint64_t i = 0; i < ROWS; i++) {
        truth[i] = (int32_t)sustain_random_index(seed, 1, i, 0, CLASSES);
        for (int32_t a = 0; a < ANNOTATORS; a++) {
            if (a == 2 && i % 3 == 0) continue;
            const bool right = sustain_random_uniform(seed, 2, i, (uint32_t)a) < quality[a];
            const int32_t other = (int32_t)((truth[i] + 1 + sustain_random_index(seed, 3, i, (uint32_t)a, CLASSES - 1)) % CLASSES);
            labels[count++] = (sustain_annotation){.row = (int64_t)i, .annotator = a, .label = right ? truth[i] : other};
        }
    }
    return count;
}

static sustain_annotators_options options_of(void) {
    sustain_annotators_options o = sustain_annotators_defaults();
    o.rows = ROWS, o.annotators = ANNOTATORS, o.classes = CLASSES;
    return o;
}

/* ---- a naive transcription ---- */

static void normalize(double p[CLASSES]) {
    double sum = 0;
    for (int k = 0; k < CLASSES; k++) sum += p[k];
    for (int k = 0; k < CLASSES; k++) p[k] /= sum;
}

static void naive(int64_t count, int rounds, double T[ROWS][CLASSES]) {
    memset(T, 0, sizeof(double) * ROWS * CLASSES);
    for (int64_t j = 0; j < count; j++) T[labels[j].row][labels[j].label]++;
    for (int i = 0; i < ROWS; i++) normalize(T[i]);
    for (int round = 0; round < rounds; round++) {
        double all[CLASSES][CLASSES], pi[ANNOTATORS][CLASSES][CLASSES], p[CLASSES];
        for (int k = 0; k < CLASSES; k++) {
            for (int l = 0; l < CLASSES; l++) {
                all[k][l] = 1e-3;
                for (int64_t j = 0; j < count; j++) all[k][l] += labels[j].label == l ? T[labels[j].row][k] : 0;
            }
            normalize(all[k]);
            p[k] = 1.0 / CLASSES;
            for (int i = 0; i < ROWS; i++) p[k] += T[i][k];
            for (int a = 0; a < ANNOTATORS; a++) {
                for (int l = 0; l < CLASSES; l++) {
                    pi[a][k][l] = all[k][l];
                    for (int64_t j = 0; j < count; j++)
                        pi[a][k][l] += labels[j].annotator == a && labels[j].label == l ? T[labels[j].row][k] : 0;
                }
                normalize(pi[a][k]);
            }
        }
        normalize(p);
        for (int i = 0; i < ROWS; i++)
            for (int k = 0; k < CLASSES; k++) T[i][k] = p[k];
        for (int64_t j = 0; j < count; j++)
            for (int k = 0; k < CLASSES; k++) T[labels[j].row][k] *= pi[labels[j].annotator][k][labels[j].label];
        for (int i = 0; i < ROWS; i++) normalize(T[i]);
    }
}

static void test_transcription(void **state) {
    (void)state;
    static double T[ROWS][CLASSES];
    sustain_context *context;
    sustain_annotators_options o = options_of();
    const int64_t count = generate(1);
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    for (int rounds = 1; rounds <= 7; rounds += 3) {
        o.rounds = rounds;
        naive(count, rounds, T);
        assert_int_equal(sustain_annotators_estimate(context, &o, labels, count, posterior, NULL), SUSTAIN_OK);
        for (int i = 0; i < ROWS; i++)
            for (int k = 0; k < CLASSES; k++) assert_true(fabs(T[i][k] - (double)posterior[i * CLASSES + k]) < 1e-6);
    }
    sustain_context_destroy(context);
}

/* ---- annotators of known quality ---- */

static void test_quality(void **state) {
    (void)state;
    sustain_context *context;
    const sustain_annotators_options o = options_of();
    int right = 0, majority = 0, inside = 0, draws = 20;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    for (int draw = 0; draw < draws; draw++) {
        int votes[ROWS][CLASSES] = {{0}};
        const int64_t count = generate((uint64_t)draw);
        assert_int_equal(sustain_annotators_estimate(context, &o, labels, count, posterior, annotators), SUSTAIN_OK);
        for (int64_t j = 0; j < count; j++) votes[labels[j].row][labels[j].label]++;
        for (int i = 0; i < ROWS; i++) {
            const float *p = posterior + i * CLASSES;
            int best = 0, most = 0;
            for (int k = 1; k < CLASSES; k++) best = p[k] > p[best] ? k : best, most = votes[i][k] > votes[i][most] ? k : most;
            right += best == truth[i], majority += most == truth[i];
        }
        for (int a = 0; a < ANNOTATORS; a++) {
            assert_true(annotators[a].labels == (a == 2 ? ROWS - ROWS / 3 : ROWS));
            assert_true(annotators[a].low <= annotators[a].accuracy && annotators[a].accuracy <= annotators[a].high);
            inside += annotators[a].low <= quality[a] && quality[a] <= annotators[a].high;
        }
    }
    assert_true(right > majority + ROWS * draws / 20);
    assert_in_range(inside, 9 * ANNOTATORS * draws / 10, ANNOTATORS * draws);
    sustain_context_destroy(context);
}

static void test_no_labels(void **state) {
    (void)state;
    sustain_context *context;
    sustain_annotators_options o = options_of();
    const sustain_annotation two[] = {{.row = 0, .annotator = 0, .label = 1}, {.row = 2, .annotator = 0, .label = 1}};
    o.rows = 3;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain_annotators_estimate(context, &o, two, 2, posterior, annotators), SUSTAIN_OK);
    assert_true(posterior[CLASSES + 1] > posterior[CLASSES]); /* a row without labels: as frequent as the classes are */
    assert_true(annotators[1].labels == 0 && isnan(annotators[1].accuracy) && isnan(annotators[1].low));
    sustain_context_destroy(context);
}

static void test_refused(void **state) {
    (void)state;
    sustain_context *context;
    const sustain_annotators_options o = options_of();
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    const struct {
        sustain_annotation bad;
        const char *says;
    } cases[] = {{{.row = ROWS}, "annotation 1 is of row 300, not one of 0 to 299"},
                 {{.row = -1}, "annotation 1 is of row -1"},
                 {{.annotator = ANNOTATORS}, "annotation 1 is by annotator 6, not one of 0 to 5"},
                 {{.label = CLASSES}, "annotation 1 has the label 3, not one of 0 to 2"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sustain_annotation two[] = {{.row = 0}, cases[i].bad};
        assert_int_equal(sustain_annotators_estimate(context, &o, two, 2, posterior, annotators), SUSTAIN_ARGUMENT);
        assert_non_null(strstr(sustain_error(context), cases[i].says));
    }
    assert_int_equal(sustain_annotators_estimate(context, &o, labels, 0, posterior, annotators), SUSTAIN_ARGUMENT);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_transcription), cmocka_unit_test(test_quality),
                                       cmocka_unit_test(test_no_labels), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
