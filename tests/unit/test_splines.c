/* test_splines.c - linear splines: their features by definition, for every kind of rows; selected
 * where an answer bends and not where it does not; the model is the sum that its parts say; the
 * same for any number of threads, with validation rows, weights, factors, other units, after a
 * cancelled run; models on the disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sustain/learn.h>

#include "selecting.h"

enum { ROWS = 300, DIM = 3, KNOTS = 6 };
static sustain_context *context;
static float values[ROWS * DIM], targets[ROWS], test_values[ROWS * DIM], test_targets[ROWS];
static int32_t labels[ROWS];

static int setup(void **state) {
    (void)state;
    return sustain_context_create(&context) == SUSTAIN_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    sustain_context_destroy(context);
    return 0;
}

/* ---- features ---- */

static void test_features(void **state) {
    (void)state;
    const float dense[] = {0, 2, 5, 0, 1, 0};
    const uint8_t bytes[] = {0, 2, 5, 0, 1, 0};
    const uint16_t halves[] = {0, 0x4000, 0x4500, 0, 0x3c00, 0};
    const float packed[] = {2, 5, 1};
    const int64_t start[] = {0, 2, 3};
    const int32_t columns[] = {1, 2, 1}, feature[] = {0, 1, 2, 2};
    const double knot[] = {-1, 1.5, 1, 7};
    const sustain_splines splines = {.count = 4, .feature = feature, .knot = knot};
    const float expected[] = {0, 2, 5, 1, 0.5f, 4, 0, 0, 1, 0, 1, 0, 0, 0};
    const sustain_rows kinds[] = {{.count = 2, .dim = 3, .values = dense},
                                  {.count = 2, .dim = 3, .bytes = bytes, .byte_scale = 1},
                                  {.count = 2, .dim = 3, .halves = halves},
                                  {.count = 2, .dim = 3, .values = packed, .start = start, .columns = columns},
                                  {.count = 5, .stored = 2, .dim = 3, .values = dense}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        float out[14];
        assert_int_equal(sustain_splines_fill(context, &splines, &kinds[i], 0, 2, out), SUSTAIN_OK);
        assert_memory_equal(out, expected, sizeof out);
        assert_int_equal(sustain_splines_fill(context, &splines, &kinds[i], 1, 1, out), SUSTAIN_OK);
        assert_memory_equal(out, expected + 7, sizeof out / 2);
        assert_int_equal(sustain_splines_fill(context, &splines, &kinds[i], 1, 2, out), SUSTAIN_ARGUMENT);
        assert_int_equal(sustain_splines_fill(context, &splines, &kinds[i], -1, 1, out), SUSTAIN_ARGUMENT);
    }
    const int32_t beyond[] = {0, 1, 2, 3};
    const sustain_splines bad = {.count = 4, .feature = beyond, .knot = knot};
    float out[14];
    assert_int_equal(sustain_splines_fill(context, &bad, &kinds[0], 0, 1, out), SUSTAIN_ARGUMENT);
}

/* ---- the candidate ---- */

/* |a_0| bends, a_1 does not, a_2 has no part in it. */
static void make(float *to, float *target, uint32_t stream, bool bent) {
    for (int i = 0; i < ROWS; i++) {
        float *a = to + i * DIM;
        for (int j = 0; j < DIM; j++) a[j] = (float)sustain_random_normal(100, stream, (uint64_t)i, (uint32_t)j);
        target[i] = (bent ? 3 * fabsf(a[0]) : a[0]) + a[1] + 0.3f * (float)sustain_random_normal(100, stream + 1, (uint64_t)i, 0);
    }
}

static sustain_rows training(sustain_regtune_loss loss, bool bent) {
    make(values, targets, 1, bent);
    make(test_values, test_targets, 3, bent);
    for (int i = 0; i < ROWS; i++) {
        const int32_t high = targets[i] > (bent ? 2.5f : 0);
        labels[i] = loss == SUSTAIN_REGTUNE_SOFTMAX ? high + (targets[i] > 5) : 2 * high - 1;
        if (loss == SUSTAIN_REGTUNE_POISSON) targets[i] = floorf(fmaxf(targets[i], 0)), test_targets[i] = floorf(fmaxf(test_targets[i], 0));
    }
    return (sustain_rows){.count = ROWS, .dim = DIM, .values = values, .labels = labels, .targets = targets};
}

static sustain_selection *run(const sustain_select_options *o, const sustain_rows *rows, const sustain_rows *validation,
                              sustain_select_result *r) {
    sustain_selection *s;
    if (sustain_select_create(context, o, rows, validation, &s) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    if (sustain_select_run(s, r) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    return s;
}

static sustain_select_options options_for(sustain_regtune_loss loss) {
    sustain_select_options o = sustain_select_defaults();
    o.loss = loss, o.knots = KNOTS, o.folds = 5;
    if (loss == SUSTAIN_REGTUNE_SOFTMAX) o.classes = 3;
    return o;
}

static double loss_of(const sustain_selection *s, const sustain_rows *rows, const double *y, const sustain_splines *splines) {
    double loss, accuracy;
    sustain_rows own = *rows;
    float *filled = malloc((size_t)(rows->count * (rows->dim + KNOTS * DIM)) * sizeof *filled);
    if (splines != NULL) {
        assert_int_equal(sustain_splines_fill(context, splines, rows, 0, rows->count, filled), SUSTAIN_OK);
        own.values = filled, own.dim = rows->dim + splines->count;
    }
    assert_int_equal(sustain_select_score(s, &own, y, &loss, &accuracy), SUSTAIN_OK);
    free(filled);
    return loss;
}

/* Every loss finds that the answer bends; what the candidate is said to be worth holds on test
 * rows. */
static void test_bent(void **state) {
    (void)state;
    for (int loss = SUSTAIN_REGTUNE_LOGISTIC; loss <= SUSTAIN_REGTUNE_POISSON; loss++) {
        const sustain_select_options o = options_for((sustain_regtune_loss)loss);
        const sustain_rows rows = training(o.loss, true);
        sustain_select_result r;
        sustain_selection *s = run(&o, &rows, NULL, &r);
        const sustain_select_candidate *c = &r.candidates[r.selected];
        assert_string_equal(c->name, "splines");
        assert_int_equal(r.selected, r.count - 1);
        assert_non_null(r.splines);
        assert_int_equal(r.splines->count, DIM * KNOTS);
        for (int64_t k = 1; k < r.splines->count; k++)
            assert_true(r.splines->feature[k] > r.splines->feature[k - 1] || r.splines->knot[k] > r.splines->knot[k - 1]);
        for (int64_t j = 0; j < DIM + r.splines->count; j++) assert_true(r.penalty[j] > 0 && isfinite(r.penalty[j]));
        const double own = loss_of(s, &rows, r.y, r.splines), linear = loss_of(s, &rows, r.single_y, NULL);
        if (!(own < 0.8 * linear)) fail_msg("loss %d: %g with splines, %g without", loss, own, linear);
        if (o.loss == SUSTAIN_REGTUNE_SQUARED || o.loss == SUSTAIN_REGTUNE_HUBER) {
            const sustain_rows test = {.count = ROWS, .dim = DIM, .values = test_values, .targets = test_targets};
            const double unseen = loss_of(s, &test, r.y, r.splines);
            assert_true(unseen < 0.1 && fabs(unseen - c->estimate) < 4 * c->error + 0.02);
        }
        sustain_select_destroy(s);
    }
}

static void test_straight(void **state) {
    (void)state;
    const sustain_select_options o = options_for(SUSTAIN_REGTUNE_SQUARED);
    const sustain_rows rows = training(o.loss, false);
    sustain_select_result r;
    sustain_selection *s = run(&o, &rows, NULL, &r);
    assert_string_equal(r.candidates[r.count - 1].name, "splines");
    assert_true(r.selected < r.count - 1);
    assert_null(r.splines);
    assert_true(fabs(r.y[0] - 1) < 0.1 && fabs(r.y[1] - 1) < 0.1 && fabs(r.y[2]) < 0.1);
    sustain_select_destroy(s);
}

/* No candidate: few values, sparse rows, no intercept, a form that was asked for. */
static void test_not_tried(void **state) {
    (void)state;
    sustain_rows rows = training(SUSTAIN_REGTUNE_SQUARED, true);
    for (int i = 0; i < 4; i++) {
        sustain_select_options o = options_for(SUSTAIN_REGTUNE_SQUARED);
        sustain_select_result r;
        if (i == 0) o.knots = 0;
        if (i == 1) o.intercept = false;
        if (i == 2) o.form = SUSTAIN_SELECT_L1;
        if (i == 3)
            for (int k = 0; k < ROWS * DIM; k++) values[k] = values[k] > 0 ? 1 : 0;
        sustain_selection *s = run(&o, &rows, NULL, &r);
        for (int c = 0; c < r.count; c++) assert_string_not_equal(r.candidates[c].name, "splines");
        assert_null(r.splines);
        sustain_select_destroy(s);
    }
}

/* A tenth of the rows are zeros: knots are among the other values. */
static void test_zeros(void **state) {
    (void)state;
    const sustain_select_options o = options_for(SUSTAIN_REGTUNE_SQUARED);
    const sustain_rows rows = training(o.loss, true);
    sustain_select_result r;
    for (int i = 0; i < ROWS; i++) {
        values[i * DIM] = i % 10 != 0 ? 0 : fabsf(values[i * DIM]);
        targets[i] = fminf(values[i * DIM], 0.5f) * 10 + values[i * DIM + 1] + 0.1f * (float)(i % 3);
    }
    sustain_selection *s = run(&o, &rows, NULL, &r);
    assert_string_equal(r.candidates[r.selected].name, "splines");
    int64_t of_first = 0;
    for (int64_t k = 0; k < r.splines->count; k++) {
        of_first += r.splines->feature[k] == 0;
        assert_true(r.splines->feature[k] != 0 || r.splines->knot[k] > 0);
    }
    assert_int_equal(of_first, KNOTS);
    sustain_select_destroy(s);
}

/* ---- the same however it is run ---- */

static void same_model(const sustain_select_result *a, const sustain_select_result *b) {
    assert_int_equal(a->splines->count, b->splines->count);
    assert_memory_equal(a->y, b->y, (size_t)(DIM + a->splines->count + 1) * sizeof(double));
}

static void test_same(void **state) {
    (void)state;
    const sustain_select_options o = options_for(SUSTAIN_REGTUNE_HUBER);
    const sustain_rows rows = training(o.loss, true);
    selecting_however_run(context, &o, &rows, 4, same_model);
}

/* Targets in other units: the model is in other units. */
static void test_units(void **state) {
    (void)state;
    const sustain_regtune_loss losses[] = {SUSTAIN_REGTUNE_SQUARED, SUSTAIN_REGTUNE_HUBER};
    for (int i = 0; i < 2; i++) {
        const sustain_select_options o = options_for(losses[i]);
        const sustain_rows rows = training(o.loss, true);
        sustain_select_result a, b;
        sustain_selection *s = run(&o, &rows, NULL, &a);
        for (int k = 0; k < ROWS; k++) targets[k] *= 1024;
        sustain_selection *t = run(&o, &rows, NULL, &b);
        assert_non_null(b.splines);
        for (int64_t j = 0; j <= DIM + a.splines->count; j++) assert_true(fabs(b.y[j] / 1024 - a.y[j]) < 1e-3 * (1 + fabs(a.y[j])));
        assert_true(fabs(b.candidates[b.selected].estimate / 1024 / 1024 / a.candidates[a.selected].estimate - 1) < 1e-3);
        sustain_select_destroy(s), sustain_select_destroy(t);
    }
}

/* Validation rows, weights and factors reach the splines: a huge factor flattens a feature with all
 * its knots. */
static void test_validation(void **state) {
    (void)state;
    sustain_select_options o = options_for(SUSTAIN_REGTUNE_SQUARED);
    const sustain_rows rows = training(o.loss, true);
    sustain_rows part = rows, rest = rows;
    const double factors[DIM] = {1, 1, 1e9};
    double weights[ROWS];
    sustain_select_result r;
    part.count = 200, rest.count = 100;
    rest.values += 200 * DIM, rest.targets += 200, rest.labels += 200;
    for (int i = 0; i < ROWS; i++) weights[i] = i % 2 == 0 ? 2 : 1;
    o.folds = 0, o.factors = factors, o.weights = weights;
    sustain_selection *s = run(&o, &part, &rest, &r);
    assert_non_null(r.splines);
    assert_true(fabs(r.y[2]) < 1e-4);
    for (int64_t k = 0; k < r.splines->count; k++)
        if (r.splines->feature[k] == 2) assert_true(fabs(r.y[DIM + k]) < 1e-4);
    assert_true(loss_of(s, &rest, r.y, r.splines) < 0.2 * loss_of(s, &rest, r.single_y, NULL));
    sustain_select_destroy(s);
}

/* ---- on the disk ---- */

static void test_model(void **state) {
    (void)state;
    const sustain_real y[] = {1, 2, 3, 4, 5, (sustain_real)0.5};
    const int32_t feature[] = {1, 2}, beyond[] = {1, 3};
    const double knot[] = {0.25, -3};
    const sustain_splines splines = {.count = 2, .feature = feature, .knot = knot}, bad = {.count = 2, .feature = beyond, .knot = knot};
    const sustain_model model = {.dim = 3, .y = y, .splines = &splines}, wrong = {.dim = 3, .y = y, .splines = &bad};
    char path[] = "/tmp/sustain-splines-XXXXXX";
    const int file = mkstemp(path);
    sustain_model *m;
    assert_true(file >= 0);
    close(file);
    assert_int_equal(sustain_model_write(context, path, &model), SUSTAIN_OK);
    assert_int_equal(sustain_model_read(context, path, &m), SUSTAIN_OK);
    assert_int_equal(m->dim, 3);
    assert_memory_equal(m->y, y, sizeof y);
    assert_non_null(m->splines);
    assert_int_equal(m->splines->count, 2);
    for (int k = 0; k < 2; k++) assert_true(m->splines->feature[k] == feature[k] && m->splines->knot[k] == knot[k]);
    sustain_model_destroy(m);
    assert_int_equal(sustain_model_write(context, path, &wrong), SUSTAIN_ARGUMENT);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_features),  cmocka_unit_test(test_bent),       cmocka_unit_test(test_straight),
                                       cmocka_unit_test(test_not_tried), cmocka_unit_test(test_zeros),      cmocka_unit_test(test_same),
                                       cmocka_unit_test(test_units),     cmocka_unit_test(test_validation), cmocka_unit_test(test_model)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
