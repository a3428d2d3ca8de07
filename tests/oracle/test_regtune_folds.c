/* test_regtune_folds.c - penalties by cross validation: every derivative, and ell against fits
 * without one fold after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sustain/sustain.h>

enum { ROWS = 29, DIM = 5, CLASSES = 3, GROUPS = 2, FOLDS = 4, MOST = 128 };

static const int32_t group[DIM] = {1, 0, 1, 1, 0};

typedef struct data {
    float dense[ROWS * DIM], targets[ROWS];
    int32_t labels[ROWS], fold[ROWS], columns[ROWS * DIM];
    int64_t start[ROWS + 1];
    int64_t count;
} data;

static double normal(uint32_t stream, int64_t i) {
    return sustain_random_normal(31, stream, 0, (uint32_t)i);
}

/* All columns are listed: sparse rows that hide nothing. */
static void fill_columns(data *d) {
    for (int64_t e = 0; e < ROWS * DIM; e++) d->columns[e] = (int32_t)(e % DIM);
    for (int64_t i = 0; i <= ROWS; i++) d->start[i] = i * DIM;
}

static void make_data(sustain_regtune_loss loss, data *d) {
    d->count = ROWS;
    for (int i = 0; i < ROWS * DIM; i++) d->dense[i] = (float)normal(1, i);
    for (int i = 0; i < ROWS; i++) {
        d->targets[i] = (float)normal(2, i);
        d->labels[i] =
            loss == SUSTAIN_REGTUNE_SOFTMAX ? (int32_t)sustain_random_index(31, 3, 0, (uint32_t)i, CLASSES) : (normal(4, i) < 0 ? -1 : 1);
        d->fold[i] = i < FOLDS ? i : (int32_t)sustain_random_index(31, 5, 0, (uint32_t)i, FOLDS); /* of different sizes */
    }
    fill_columns(d);
}

static sustain_rows rows_of(const data *d, bool sparse) {
    sustain_rows rows = {.count = d->count, .dim = DIM, .values = d->dense, .labels = d->labels, .targets = d->targets};
    if (sparse) rows.start = d->start, rows.columns = d->columns;
    return rows;
}

/* The rows in a fold, or the others. */
static void part_of(const data *d, int32_t fold, bool inside, data *out) {
    out->count = 0;
    for (int64_t i = 0; i < d->count; i++) {
        if ((d->fold[i] == fold) != inside) continue;
        memcpy(out->dense + out->count * DIM, d->dense + i * DIM, DIM * sizeof *d->dense);
        out->labels[out->count] = d->labels[i];
        out->targets[out->count++] = d->targets[i];
    }
    fill_columns(out);
}

static sustain_regtune_options options_of(sustain_regtune_loss loss, sustain_regtune_penalty penalty) {
    sustain_regtune_options o = sustain_regtune_defaults();
    o.loss = loss;
    o.penalty = penalty;
    o.intercept = true;
    o.classes = CLASSES;
    o.groups = GROUPS;
    o.group = group;
    o.floor = 0.05;
    return o;
}

enum { CASES = 3 * 4 * 2 };

/* Case i: its loss and penalty; the odd ones are sparse. False: there is no such case. */
static bool case_of(int i, sustain_regtune_options *o, bool *sparse) {
    *o = options_of((sustain_regtune_loss)(i / 2 % 3), (sustain_regtune_penalty)(i / 6));
    *sparse = i % 2 == 1;
    return o->penalty != SUSTAIN_REGTUNE_CLASS || o->loss == SUSTAIN_REGTUNE_SOFTMAX;
}

static void test_checker(void **state) {
    (void)state;
    static data d;
    for (int i = 0; i < CASES; i++) {
        sustain_regtune_options o;
        sustain_context *context;
        sustain_problem *problem;
        sustain_check_report report;
        bool sparse;
        if (!case_of(i, &o, &sparse)) continue;
        make_data(o.loss, &d);
        o.folds = FOLDS;
        o.fold = d.fold;
        const sustain_rows rows = rows_of(&d, sparse);
        assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
        assert_int_equal(sustain_regtune_create(context, &o, &rows, &rows, &problem), SUSTAIN_OK);
        if (sustain_check_problem(context, problem, NULL, NULL, 3, 1, &report) != SUSTAIN_OK || report.failed > 0)
            fail_msg("case %d: %s", i, sustain_error(context));
        sustain_regtune_destroy(problem);
        sustain_context_destroy(context);
    }
}

/* ell and its gradient by separate problems, weighted by the rows of each fold. */
static void by_hand(sustain_context *context, sustain_regtune_options o, const data *d, bool sparse, const double *x, double *value,
                    double *gradient) {
    static data inside, outside;
    *value = 0;
    memset(gradient, 0, MOST * sizeof *gradient);
    for (int32_t k = 0; k < FOLDS; k++) {
        double y[MOST] = {0}, own_value, own[MOST];
        sustain_problem *problem;
        part_of(d, k, true, &inside);
        part_of(d, k, false, &outside);
        const sustain_rows training = rows_of(&outside, sparse), validation = rows_of(&inside, sparse);
        assert_int_equal(sustain_regtune_create(context, &o, &training, &validation, &problem), SUSTAIN_OK);
        assert_int_equal(sustain_regtune_outer(problem, x, 1e-11, y, &own_value, own), SUSTAIN_OK);
        const double share = (double)inside.count / (double)d->count;
        *value += share * own_value;
        for (int64_t i = 0; i < problem->upper_dim; i++) gradient[i] += share * own[i];
        sustain_regtune_destroy(problem);
    }
}

static void test_by_hand(void **state) {
    (void)state;
    static data d;
    for (int i = 0; i < CASES; i++) {
        sustain_regtune_options o;
        sustain_context *context;
        sustain_problem *problem;
        bool sparse;
        double x[MOST], y[MOST] = {0}, value, gradient[MOST], expected, by_parts[MOST];
        if (!case_of(i, &o, &sparse)) continue;
        make_data(o.loss, &d);
        for (int j = 0; j < MOST; j++) x[j] = -1 + 0.5 * normal(6, j);
        assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
        by_hand(context, o, &d, sparse, x, &expected, by_parts);
        o.folds = FOLDS;
        o.fold = d.fold;
        const sustain_rows rows = rows_of(&d, sparse);
        assert_int_equal(sustain_regtune_create(context, &o, &rows, &rows, &problem), SUSTAIN_OK);
        assert_int_equal(sustain_regtune_outer(problem, x, 1e-11, y, &value, gradient), SUSTAIN_OK);
        assert_true(fabs(value - expected) <= 1e-9 * expected);
        for (int64_t j = 0; j < problem->upper_dim; j++) assert_true(fabs(gradient[j] - by_parts[j]) <= 1e-8);
        sustain_regtune_destroy(problem);
        sustain_context_destroy(context);
    }
}

static void refused(sustain_context *context, const sustain_regtune_options *o, const sustain_rows *training,
                    const sustain_rows *validation, const char *sentence) {
    sustain_problem *problem;
    assert_int_equal(sustain_regtune_create(context, o, training, validation, &problem), SUSTAIN_ARGUMENT);
    assert_null(problem);
    assert_non_null(strstr(sustain_error(context), sentence));
}

static void test_refused(void **state) {
    (void)state;
    static data d;
    sustain_context *context;
    sustain_problem *problem;
    double loss, accuracy, y[MOST] = {0};
    make_data(SUSTAIN_REGTUNE_LOGISTIC, &d);
    const sustain_rows rows = rows_of(&d, false), others = rows;
    sustain_regtune_options o = options_of(SUSTAIN_REGTUNE_LOGISTIC, SUSTAIN_REGTUNE_FEATURE);
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    o.folds = FOLDS;
    refused(context, &o, &rows, &rows, "folds need the array `fold`");
    o.fold = d.fold;
    refused(context, &o, &rows, &others, "the same rows");
    o.folds = 1;
    refused(context, &o, &rows, &rows, "2 to 20 folds");
    o.folds = FOLDS - 1;
    refused(context, &o, &rows, &rows, "the fold of row 3 is 3, not one of 0 to 2");
    o.folds = FOLDS + 1;
    refused(context, &o, &rows, &rows, "no row is in fold 4");
    o.folds = FOLDS;
    assert_int_equal(sustain_regtune_create(context, &o, &rows, &rows, &problem), SUSTAIN_OK);
    assert_int_equal(sustain_regtune_score(problem, &rows, y, &loss, &accuracy), SUSTAIN_ARGUMENT);
    sustain_regtune_destroy(problem);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_checker), cmocka_unit_test(test_by_hand), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
