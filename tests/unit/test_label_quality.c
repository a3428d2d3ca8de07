/* test_label_quality.c - the parts behind a label's quality: the blend against differences and on
 * data it was made for, counts and their intervals (published values, coverage over many draws),
 * confident learning against a literal transcription, probabilities of all types. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/sustain.h>

#include "jobs/label_blend.h"
#include "jobs/label_confident.h"
#include "jobs/label_count.h"
#include "jobs/rank.h"

enum { CLASSES = 4, ROWS = 20000, CHECKED = 400, SOURCES = 2 };

static sustain_context *context;
static int32_t given[ROWS], truth[ROWS];
static float probabilities[ROWS * CLASSES];

/* A model that is too sure of itself, and labels that are wrong more often where the row is
 * hard. */
static void generate(uint64_t seed) {
    for (uint32_t i = 0; i < ROWS; i++) {
        const int32_t class = (int32_t)sustain_random_index(seed, 0, i, 0, CLASSES);
        double score[CLASSES], sum = 0, hard = 0;
        for (uint32_t k = 0; k < CLASSES; k++) {
            score[k] = 2.5 * (k == (uint32_t) class) + sustain_random_normal(seed, 1, i, k);
            if (k != (uint32_t) class) hard += exp(score[k]);
        }
        const double rate = 0.5 * hard / (hard + exp(score[class])) + 0.05;
        for (uint32_t k = 0; k < CLASSES; k++) sum += exp(2 * score[k]);
        for (uint32_t k = 0; k < CLASSES; k++) probabilities[i * CLASSES + k] = (float)(exp(2 * score[k]) / sum);
        truth[i] = given[i] = class;
        if (sustain_random_uniform(seed, 2, i, 0) < rate) given[i] = (int32_t)((class + 1) % CLASSES);
    }
}

static sustain__labelled labelled_rows(float *logs, int count, const int64_t *rows) {
    static int32_t some_given[CHECKED], some_right[CHECKED];
    for (int j = 0; j < count; j++) {
        const int64_t i = rows[j];
        for (int m = 0; m < SOURCES; m++)
            for (int k = 0; k < CLASSES; k++)
                logs[(j * SOURCES + m) * CLASSES + k] = sustain__blend_log(m == 0 ? probabilities[i * CLASSES + k] : 0.25F);
        some_given[j] = given[i];
        some_right[j] = truth[i];
    }
    return (sustain__labelled){
        .count = count, .classes = CLASSES, .sources = SOURCES, .logs = logs, .given = some_given, .right = some_right};
}

static sustain__labelled labelled(float *logs, int count, uint64_t seed, int64_t *rows) {
    for (int j = 0; j < count; j++) rows[j] = sustain_random_permuted(seed, 9, 0, j, ROWS);
    return labelled_rows(logs, count, rows);
}

static void row_logs(int64_t i, float *logs) {
    for (int m = 0; m < SOURCES; m++)
        for (int k = 0; k < CLASSES; k++) logs[m * CLASSES + k] = sustain__blend_log(m == 0 ? probabilities[i * CLASSES + k] : 0.25F);
}

static double wrong_by(const sustain__blend *blend, int64_t i) {
    float logs[SOURCES * CLASSES];
    double q[CLASSES];
    row_logs(i, logs);
    sustain__blend_posterior(blend, logs, given[i], q);
    return 1 - q[given[i]];
}

/* The penalized log-likelihood of label_blend.h, written down again. */
static double naive_objective(const sustain__labelled *r, const sustain__blend *b) {
    double loss = 0, shares = 0, centres = 0;
    for (int64_t j = 0; j < r->count; j++) {
        double q[CLASSES];
        sustain__blend_posterior(b, r->logs + j * SOURCES * CLASSES, r->given[j], q);
        loss -= log(q[r->right[j]]);
    }
    for (int m = 0; m < SOURCES; m++) shares += (double)b->theta[m], centres += b->centre[m];
    for (int m = 0; m < SOURCES; m++)
        loss += pow((double)b->theta[m] - b->centre[m], 2) + 100 * pow((double)b->theta[m] - shares / centres * b->centre[m], 2);
    loss += 0.01 * pow((double)b->theta[SOURCES], 2);
    for (int i = SOURCES + 1; i < SOURCES + 1 + CLASSES + CLASSES * CLASSES; i++) loss += b->ridge * pow((double)b->theta[i], 2);
    return loss;
}

/* At the answer no parameter can be moved to a better value: a wrong gradient would have stopped
 * elsewhere. */
static void test_blend_minimum(void **state) {
    (void)state;
    static float logs[CHECKED * SOURCES * CLASSES], held_out[CHECKED * CLASSES];
    int64_t rows[CHECKED];
    sustain__blend blend;
    generate(1);
    const sustain__labelled r = labelled(logs, CHECKED, 1, rows);
    assert_int_equal(sustain__blend_create(context, &r, &blend), SUSTAIN_OK);
    assert_int_equal(sustain__blend_fit(context, &r, &blend, held_out), SUSTAIN_OK);
    const double least = naive_objective(&r, &blend);
    assert_true(blend.centre[0] > 3 * blend.centre[1]); /* the second source knows nothing */
    for (int i = 0; i < SOURCES + 1 + CLASSES + CLASSES * CLASSES; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const sustain_real before = blend.theta[i];
            blend.theta[i] += (sustain_real)(0.05 * sign);
            assert_true(naive_objective(&r, &blend) > least - 1e-3);
            blend.theta[i] = before;
        }
    sustain__blend_free(context, &blend);
}

/* Calibrated: in each tenth of the rows, as many labels are wrong as are said to be; and the given
 * probabilities are not. */
static void test_blend_calibrated(void **state) {
    (void)state;
    static float logs[CHECKED * SOURCES * CLASSES], held_out[CHECKED * CLASSES];
    int64_t rows[CHECKED];
    sustain__blend blend;
    double said[10] = {0}, found[10] = {0}, count[10] = {0};
    generate(2);
    const sustain__labelled r = labelled(logs, CHECKED, 2, rows);
    assert_int_equal(sustain__blend_create(context, &r, &blend), SUSTAIN_OK);
    assert_int_equal(sustain__blend_fit(context, &r, &blend, held_out), SUSTAIN_OK);
    for (int64_t i = 0; i < ROWS; i++) {
        const double wrong = wrong_by(&blend, i);
        const int bin = (int)fmin(wrong * 10, 9);
        said[bin] += wrong, found[bin] += truth[i] != given[i], count[bin]++;
    }
    for (int b = 0; b < 10; b++)
        if (count[b] > 200) assert_true(fabs(said[b] - found[b]) / count[b] < 0.12);
    sustain__blend_free(context, &blend);
}

/* The 95 % interval of the count covers the truth in at least nine of ten of 200 draws of checked
 * rows. */
static void test_coverage(void **state) {
    (void)state;
    enum { DRAWS = 200, SOME = 200 };
    static float logs[CHECKED * SOURCES * CLASSES], held_out[CHECKED * CLASSES], probability[SOME];
    uint8_t wrong[SOME];
    int64_t rows[CHECKED], errors = 0;
    int covered = 0, off = 0;
    generate(3);
    for (int64_t i = 0; i < ROWS; i++) errors += truth[i] != given[i];
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        sustain__blend blend;
        double predicted = 0;
        const sustain__labelled r = labelled(logs, SOME, 100 + draw, rows);
        assert_int_equal(sustain__blend_create(context, &r, &blend), SUSTAIN_OK);
        assert_int_equal(sustain__blend_fit(context, &r, &blend, held_out), SUSTAIN_OK);
        for (int64_t i = 0; i < ROWS; i += 10) predicted += 10 * wrong_by(&blend, i);
        for (int j = 0; j < SOME; j++) {
            probability[j] = 1 - held_out[j * CLASSES + given[rows[j]]];
            wrong[j] = truth[rows[j]] != given[rows[j]];
        }
        const sustain__count c = sustain__count_random(predicted, ROWS - SOME, SOME, probability, wrong, NULL);
        covered += c.low <= (double)errors && (double)errors <= c.high;
        off += fabs(c.errors - (double)errors) > 0.25 * (double)errors;
        sustain__blend_free(context, &blend);
    }
    assert_true(covered >= 180);
    assert_true(off <= DRAWS / 10);
}

/* So it does where a few rows were drawn and the worst of the others then reviewed: the model
 * alone, fitted on mostly such rows, would count far too many or too few. */
static void test_coverage_reviewed(void **state) {
    (void)state;
    enum { DRAWS = 60, RANDOM = 100 };
    static float logs[CHECKED * SOURCES * CLASSES], held_out[CHECKED * CLASSES], probability[CHECKED], self[ROWS];
    static uint8_t wrong[CHECKED], drawn[CHECKED], checked[ROWS];
    static int64_t order[ROWS];
    int64_t rows[CHECKED], errors = 0;
    int covered = 0;
    generate(3);
    for (int64_t i = 0; i < ROWS; i++) errors += truth[i] != given[i], self[i] = probabilities[i * CLASSES + given[i]];
    assert_int_equal(sustain__rank(context, ROWS, self, order), SUSTAIN_OK);
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        sustain__blend blend;
        double predicted = 0;
        int count = RANDOM;
        memset(checked, 0, sizeof checked);
        for (int j = 0; j < RANDOM; j++) checked[rows[j] = sustain_random_permuted(300 + draw, 9, 0, j, ROWS)] = 1;
        for (int64_t k = 0; k < ROWS && count < CHECKED; k++)
            if (!checked[order[k]]) checked[rows[count++] = order[k]] = 1;
        const sustain__labelled r = labelled_rows(logs, CHECKED, rows);
        assert_int_equal(sustain__blend_create(context, &r, &blend), SUSTAIN_OK);
        assert_int_equal(sustain__blend_fit(context, &r, &blend, held_out), SUSTAIN_OK);
        for (int64_t i = 0; i < ROWS; i++) predicted += checked[i] ? 0 : wrong_by(&blend, i);
        for (int j = 0; j < CHECKED; j++) {
            probability[j] = 1 - held_out[j * CLASSES + given[rows[j]]];
            wrong[j] = truth[rows[j]] != given[rows[j]];
            drawn[j] = j < RANDOM;
        }
        const sustain__count c = sustain__count_random(predicted, ROWS - CHECKED, CHECKED, probability, wrong, drawn);
        covered += c.low <= (double)errors && (double)errors <= c.high;
        sustain__blend_free(context, &blend);
    }
    assert_true(covered >= 54);
}

static void test_share_interval(void **state) {
    (void)state;
    double low, high;
    sustain__share_interval(0, 10, &low, &high); /* 1 - 0.025^(1/10) */
    assert_true(low == 0 && fabs(high - 0.3084971) < 1e-6);
    sustain__share_interval(10, 10, &low, &high);
    assert_true(high == 1 && fabs(low - 0.6915029) < 1e-6);
    sustain__share_interval(7, 50, &low, &high); /* binom.test(7, 50) in R */
    assert_true(fabs(low - 0.05819170) < 1e-6 && fabs(high - 0.26739600) < 1e-6);
}

/* 95 %: Wilson's interval of a rate; one of logarithms for a count with a standard error, never
 * narrower than the plain one, and within what is known. */
static void test_count_intervals(void **state) {
    (void)state;
    double rate, low, high;
    sustain__rate_interval(7, 0, 50, &rate, &low, &high);
    assert_true(rate == 0.14 && fabs(low - 0.06950745) < 1e-7 && fabs(high - 0.26186457) < 1e-7);
    sustain__count c = sustain__count_interval(100, 10, 0, 1000); /* 100 e^-0.196, 100 e^0.196 */
    assert_true(c.errors == 100 && fabs(c.low - 82.201223) < 1e-5 && fabs(c.high - 121.652691) < 1e-5);
    c = sustain__count_interval(0.5, 2, 0, 1000); /* few errors: 0.5 + 1.96 * 2 is below 0.5 e^3.92 */
    assert_true(fabs(c.high - 0.5 * exp(3.92)) < 1e-9);
    c = sustain__count_interval(100, 10, 95, 110);
    assert_true(c.low == 95 && c.high == 110);
}

/* By trying every number of flags. */
static void test_flags(void **state) {
    (void)state;
    enum { N = 6 };
    const double wrong[N] = {0.95, 0.9, 0.6, 0.3, 0.1, 0.05};
    double best = 0, f1, sum = 0, total = 2.9;
    int64_t at = 0;
    for (int64_t k = 1; k <= N; k++) {
        sum += wrong[k - 1];
        if (2 * sum / ((double)k + total) > best) best = 2 * sum / ((double)k + total), at = k;
    }
    float quality[N];
    uint32_t order[N];
    for (uint32_t i = 0; i < N; i++) quality[N - 1 - i] = (float)(1 - wrong[i]), order[i] = N - 1 - i;
    assert_int_equal(sustain__count_flagged(SUSTAIN_CLEAN_FLAG_F1, 0, total, N, quality, order, &f1), at);
    assert_true(fabs(f1 - best) < 1e-6);
    /* 2.45 / 3, then 2.75 / 4 */
    assert_int_equal(sustain__count_flagged(SUSTAIN_CLEAN_FLAG_PRECISION, 0.8, total, N, quality, order, NULL), 3);
    /* 1.85 < 2.32 <= 2.45 */
    assert_int_equal(sustain__count_flagged(SUSTAIN_CLEAN_FLAG_RECALL, 0.8, total, N, quality, order, NULL), 3);
    assert_int_equal(sustain__count_flagged(SUSTAIN_CLEAN_FLAG_COUNT, 4, total, N, quality, order, NULL), 4);
    assert_int_equal(sustain__count_flagged(SUSTAIN_CLEAN_FLAG_RATE, 0, total, N, quality, order, NULL), 3);
    const int32_t verified[N] = {-1, -1, -1, 0, -1, -1};
    const float kept = quality[3];
    sustain__match_total(N, 1.5, verified, quality);
    sum = 0;
    for (int i = 0; i < N; i++) sum += i == 3 ? 0 : 1 - (double)quality[i];
    assert_true(fabs(sum - 1.5) < 1e-6 && quality[0] > quality[1] && quality[4] > quality[5] && quality[3] == kept);
}

/* ---- confident learning ---- */

static void read_row(const void *user, int64_t i, float *p, float *scratch) {
    (void)user, (void)scratch;
    memcpy(p, probabilities + i * CLASSES, CLASSES * sizeof *p);
}

static int larger_first(const void *a, const void *b) {
    const double *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0] ? -1 : 1) : (p[1] > q[1]) - (p[1] < q[1]);
}

static void test_confident(void **state) {
    (void)state;
    enum { N = 600 };
    generate(4);
    sustain__confident c = {.count = N, .classes = CLASSES, .given = given, .read = read_row};
    assert_int_equal(sustain__confident_create(context, &c), SUSTAIN_OK);
    double least[CLASSES] = {0}, rows[CLASSES] = {0}, joint[CLASSES][CLASSES] = {{0}}, errors = 0;
    bool flagged[N] = {false};
    for (int i = 0; i < N; i++) least[given[i]] += (double)probabilities[i * CLASSES + given[i]], rows[given[i]]++;
    for (int k = 0; k < CLASSES; k++) least[k] /= rows[k];
    for (int i = 0; i < N; i++) {
        int best = -1;
        const float *p = probabilities + i * CLASSES;
        for (int k = 0; k < CLASSES; k++)
            if ((double)p[k] >= least[k] && (best < 0 || p[k] > p[best])) best = k;
        if (best >= 0) joint[given[i]][best]++;
    }
    for (int l = 0; l < CLASSES; l++) {
        double sum = 0;
        for (int k = 0; k < CLASSES; k++) sum += joint[l][k];
        for (int k = 0; k < CLASSES; k++) joint[l][k] *= rows[l] / sum;
        for (int k = 0; k < CLASSES; k++) {
            static double list[N][2];
            int n = 0;
            if (k == l) continue;
            errors += joint[l][k];
            for (int i = 0; i < N; i++)
                if (given[i] == l) list[n][0] = (double)(probabilities[i * CLASSES + k] - probabilities[i * CLASSES + l]), list[n++][1] = i;
            qsort(list, (size_t)n, sizeof list[0], larger_first);
            for (int i = 0; i < llround(joint[l][k]); i++) flagged[(int)list[i][1]] = true;
        }
    }
    assert_true(fabs(c.errors - errors) < 1e-6);
    for (int i = 0; i < N; i++) assert_int_equal(c.pruned[i] != 0, flagged[i]);
    sustain__confident_free(context, &c);
}

/* ---- placements ---- */

/* Pair by pair, with ties. */
static void test_placements(void **state) {
    (void)state;
    enum { N = 300 };
    float quality[N];
    uint8_t wrong[N];
    double place[N], auc, sum = 0, wrongs = 0;
    for (int i = 0; i < N; i++) {
        quality[i] = (float)sustain_random_index(6, 1, 0, (uint32_t)i, 40);
        wrong[i] = sustain_random_index(6, 2, 0, (uint32_t)i, 60) > (int64_t)quality[i];
    }
    assert_int_equal(sustain__rank_placements(context, N, quality, wrong, place, &auc), SUSTAIN_OK);
    for (int i = 0; i < N; i++) {
        double beyond = 0, others = 0;
        for (int k = 0; k < N; k++) {
            if (wrong[k] == wrong[i]) continue;
            const float high = wrong[i] ? quality[k] : quality[i], low = wrong[i] ? quality[i] : quality[k];
            beyond += high > low ? 1 : high == low ? 0.5 : 0;
            others++;
        }
        assert_true(fabs(place[i] - beyond / others) < 1e-12);
        if (wrong[i]) sum += place[i], wrongs++;
    }
    assert_true(fabs(auc - sum / wrongs) < 1e-12);
    memset(wrong, 0, sizeof wrong);
    assert_int_equal(sustain__rank_placements(context, N, quality, wrong, place, &auc), SUSTAIN_OK);
    assert_true(isnan(auc) && place[0] == 0.5);
}

/* ---- probabilities ---- */

static void test_probabilities(void **state) {
    (void)state;
    static const uint16_t half[] = {0x3400, 0x3A00, 0x0001, 0x3C00}; /* 0.25, 0.75, 2^-24, 1 */
    static const double wide[] = {0.25, 0.75, 0, 1}, bad[] = {0.25, 0.75, 0.2, 0.2};
    static const float logits[] = {1, 3, -2, 5};
    float row[2];
    sustain_probabilities p = {.count = 2, .classes = 2, .values = half, .type = SUSTAIN_FLOAT16};
    assert_int_equal(sustain_probabilities_check(context, &p), SUSTAIN_OK);
    sustain_probabilities_row(&p, 0, row);
    assert_true(row[0] == 0.25F && row[1] == 0.75F);
    sustain_probabilities_row(&p, 1, row);
    assert_true(row[0] == 0x1p-24F && row[1] == 1);
    p.values = wide, p.type = SUSTAIN_FLOAT64, p.by_column = true; /* rows (0.25, 0) and (0.75, 1) do not sum to 1 */
    assert_int_equal(sustain_probabilities_check(context, &p), SUSTAIN_FORMAT);
    p.values = bad, p.by_column = false;
    assert_int_equal(sustain_probabilities_check(context, &p), SUSTAIN_FORMAT);
    assert_non_null(strstr(sustain_error(context), "row 1"));
    p.values = logits, p.type = SUSTAIN_FLOAT32;
    assert_int_equal(sustain_probabilities_check(context, &p), SUSTAIN_FORMAT);
    p.logits = true;
    assert_int_equal(sustain_probabilities_check(context, &p), SUSTAIN_OK);
    sustain_probabilities_row(&p, 0, row);
    assert_true(fabs((double)row[1] - 1 / (1 + exp(-2))) < 1e-6);
}

static int set_up(void **state) {
    (void)state;
    return sustain_context_create(&context) != SUSTAIN_OK;
}

static int tear_down(void **state) {
    (void)state;
    sustain_context_destroy(context);
    return 0;
}

/* No error among 100 rows that were drawn at random, and next to none predicted: the interval ends
 * about where that of the share does, 3.6 %. */
static void test_none_found(void **state) {
    (void)state;
    enum { UNCHECKED = 4000, DRAWN = 100 };
    float probability[DRAWN];
    uint8_t wrong[DRAWN] = {0};
    for (int j = 0; j < DRAWN; j++) probability[j] = 0.001F;
    const sustain__count c = sustain__count_random(0.001 * UNCHECKED + 3, UNCHECKED, DRAWN, probability, wrong, NULL);
    assert_true(c.low == 0 && c.errors < 10);
    assert_true(c.high > 0.036 * UNCHECKED && c.high < 0.05 * UNCHECKED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none_found),       cmocka_unit_test(test_placements),      cmocka_unit_test(test_blend_minimum),
        cmocka_unit_test(test_blend_calibrated), cmocka_unit_test(test_coverage),        cmocka_unit_test(test_coverage_reviewed),
        cmocka_unit_test(test_share_interval),   cmocka_unit_test(test_flags),           cmocka_unit_test(test_confident),
        cmocka_unit_test(test_probabilities),    cmocka_unit_test(test_count_intervals),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
