/* test_select_fourier.c - Fourier features as a candidate of the selection: selected where features
 * interact, for every loss, and not where they do not; the model is what its parts say, and worth
 * what its estimate says; the same for any number of threads, after a cancelled run, in other
 * units; models on the disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sustain/learn.h>

#include "jobs/fourier.h"
#include "selecting.h"

enum { ROWS = 300, DIM = 3, WAVES = 32, KNOTS = 4 };
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

/* Two features interact, |a_1| bends, a_2 is noise. */
static void make(float *to, float *target, uint32_t stream, bool interact) {
    for (int i = 0; i < ROWS; i++) {
        float *a = to + i * DIM;
        for (int j = 0; j < DIM; j++) a[j] = 2 * sinf((float)sustain_random_normal(100, stream, (uint64_t)i, (uint32_t)j));
        target[i] =
            (interact ? 2 * a[0] * a[1] + fabsf(a[1]) : a[0] + a[1]) + 0.3f * (float)sustain_random_normal(100, stream + 1, (uint64_t)i, 0);
    }
}

static sustain_rows training(sustain_regtune_loss loss, bool interact) {
    make(values, targets, 1, interact);
    make(test_values, test_targets, 3, interact);
    for (int i = 0; i < ROWS; i++) {
        labels[i] = loss == SUSTAIN_REGTUNE_SOFTMAX ? (targets[i] > 0) + (targets[i] > 2) : targets[i] > 0.5f ? 1 : -1;
        if (loss == SUSTAIN_REGTUNE_POISSON) targets[i] = floorf(fmaxf(targets[i], 0)), test_targets[i] = floorf(fmaxf(test_targets[i], 0));
    }
    return (sustain_rows){.count = ROWS, .dim = DIM, .values = values, .labels = labels, .targets = targets};
}

static sustain_select_options options_for(sustain_regtune_loss loss, int64_t knots) {
    sustain_select_options o = sustain_select_defaults();
    o.loss = loss, o.knots = knots, o.waves = WAVES, o.folds = 5;
    if (loss == SUSTAIN_REGTUNE_SOFTMAX) o.classes = 3;
    return o;
}

static sustain_selection *run(const sustain_select_options *o, const sustain_rows *rows, sustain_select_result *r) {
    sustain_selection *s;
    if (sustain_select_create(context, o, rows, NULL, &s) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    if (sustain_select_run(s, r) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    return s;
}

static int64_t features_of(const sustain_select_result *r) {
    return DIM + (r->splines != NULL ? r->splines->count : 0) + (r->fourier != NULL ? 2 * r->fourier->waves : 0);
}

static double loss_of(const sustain_selection *s, const sustain_select_result *r, const sustain_rows *rows) {
    double loss, accuracy;
    sustain_rows own = *rows;
    float *filled = malloc((size_t)(rows->count * features_of(r)) * sizeof *filled);
    assert_int_equal(sustain_model_features(context, r->splines, r->fourier, rows, 0, rows->count, filled), SUSTAIN_OK);
    own.values = filled, own.dim = features_of(r);
    assert_int_equal(sustain_select_score(s, &own, r->y, &loss, &accuracy), SUSTAIN_OK);
    free(filled);
    return loss;
}

/* What is selected where features interact; what it is said to be worth holds on test rows. */
static void test_interaction(void **state) {
    (void)state;
    for (int loss = SUSTAIN_REGTUNE_LOGISTIC; loss <= SUSTAIN_REGTUNE_POISSON; loss++) {
        const sustain_select_options o = options_for((sustain_regtune_loss)loss, loss == SUSTAIN_REGTUNE_SQUARED ? KNOTS : 0);
        const sustain_rows rows = training(o.loss, true);
        double linear, accuracy;
        sustain_select_result r;
        sustain_selection *s = run(&o, &rows, &r);
        const sustain_select_candidate *c = &r.candidates[r.selected];
        assert_string_equal(c->name, "fourier");
        assert_non_null(r.fourier);
        assert_int_equal(r.fourier->waves, WAVES);
        for (int64_t j = 0; j < features_of(&r); j++) assert_true(r.penalty[j] > 0 && isfinite(r.penalty[j]));
        const double own = loss_of(s, &r, &rows);
        assert_int_equal(sustain_select_score(s, &rows, r.single_y, &linear, &accuracy), SUSTAIN_OK);
        if (!(own < 0.7 * linear)) fail_msg("loss %d: %g with waves, %g without", loss, own, linear);
        if (o.loss == SUSTAIN_REGTUNE_SQUARED || o.loss == SUSTAIN_REGTUNE_HUBER) {
            const sustain_rows test = {.count = ROWS, .dim = DIM, .values = test_values, .targets = test_targets};
            const double unseen = loss_of(s, &r, &test);
            if (!(unseen < 0.3 && fabs(unseen - c->estimate) < 4 * c->error + 0.02)) fail_msg("%g, estimated %g", unseen, c->estimate);
        }
        sustain_select_destroy(s);
    }
}

/* Nothing is selected on rows whose answer is linear, for several draws of noise. */
static void test_linear(void **state) {
    (void)state;
    for (int seed = 0; seed < 3; seed++) {
        sustain_select_options o = options_for(SUSTAIN_REGTUNE_SQUARED, 0);
        const sustain_rows rows = training(o.loss, false);
        sustain_select_result r;
        o.seed = seed;
        for (int i = 0; i < ROWS; i++) targets[i] += 0.5f * (float)sustain_random_normal(7, (uint32_t)seed, (uint64_t)i, 0);
        sustain_selection *s = run(&o, &rows, &r);
        assert_string_equal(r.candidates[r.count - 1].name, "fourier");
        assert_true(r.selected < r.count - 1);
        assert_null(r.fourier);
        sustain_select_destroy(s);
    }
}

/* No candidate: not asked for, no intercept, a form that was asked for, factors, few rows. */
static void test_not_tried(void **state) {
    (void)state;
    const double factors[DIM] = {1, 1, 2};
    for (int i = 0; i < 5; i++) {
        sustain_select_options o = options_for(SUSTAIN_REGTUNE_SQUARED, 0);
        sustain_rows rows = training(o.loss, true);
        sustain_select_result r;
        if (i == 0) o.waves = 0;
        if (i == 1) o.intercept = false;
        if (i == 2) o.form = SUSTAIN_SELECT_L1;
        if (i == 3) o.factors = factors;
        if (i == 4) rows.count = 40;
        sustain_selection *s = run(&o, &rows, &r);
        for (int c = 0; c < r.count; c++) assert_string_not_equal(r.candidates[c].name, "fourier");
        assert_null(r.fourier);
        sustain_select_destroy(s);
    }
}

/* ---- importances ---- */

/* Scores of one row for a model on the features and the waves. */
static void scores(const sustain_fourier *f, const float *a, const double *y, int64_t width, double *out) {
    float row[DIM + 2 * WAVES];
    const sustain_rows one = {.count = 1, .stored = 1, .dim = DIM, .values = a};
    memcpy(row, a, DIM * sizeof *a);
    assert_int_equal(sustain__fourier_map(context, f, &one, NULL, 1, 0.5f, DIM + 2 * WAVES, row + DIM), SUSTAIN_OK);
    for (int64_t k = 0; k < width; k++) {
        out[k] = 0;
        for (int64_t j = 0; j < DIM + 2 * WAVES; j++) out[k] += (double)row[j] * y[j * width + k];
    }
}

/* Derivatives of the scores by the features, against differences. */
static void test_derivatives(void **state) {
    (void)state;
    enum { WIDTH = 2 };
    sustain_real w[WAVES * (DIM + 1)];
    double y[(DIM + 2 * WAVES) * WIDTH], g[DIM], squares[DIM] = {0};
    const sustain_fourier f = {.waves = WAVES, .w = w};
    float row[DIM + 2 * WAVES] = {0.3f, -0.8f, 1.1f};
    const sustain_rows one = {.count = 1, .stored = 1, .dim = DIM, .values = row};
    sustain__fourier_draw(5, 0.7, WAVES, DIM, w);
    for (uint32_t e = 0; e < sizeof y / sizeof *y; e++) y[e] = sustain_random_normal(6, 1, 0, e);
    assert_int_equal(sustain__fourier_map(context, &f, &one, NULL, 1, 0.5f, DIM + 2 * WAVES, row + DIM), SUSTAIN_OK);
    sustain__fourier_add_slopes(&f, DIM, WIDTH, row, y, g, squares);
    for (int j = 0; j < DIM; j++) {
        const float step = 1.0f / 64;
        double sum = 0, above[WIDTH], below[WIDTH];
        float a[DIM];
        memcpy(a, row, sizeof a);
        a[j] = row[j] + step, scores(&f, a, y, WIDTH, above);
        a[j] = row[j] - step, scores(&f, a, y, WIDTH, below);
        for (int k = 0; k < WIDTH; k++) sum += pow((above[k] - below[k]) / (2 * (double)step), 2);
        if (!(fabs(sum - squares[j]) < 2e-3 * (1 + squares[j]))) fail_msg("feature %d: %g, by differences %g", j, squares[j], sum);
    }
}

/* Two features among many of noise interact: waves of equal frequencies drown them. What the model
 * is said to be worth holds on other rows. Without an interaction nothing is selected. */
static void test_many_features(void **state) {
    (void)state;
    enum { MANY = 20, COUNT = 400 };
    static float a[2 * COUNT * MANY], t[2 * COUNT];
    for (int interact = 0; interact < 2; interact++) {
        for (int i = 0; i < 2 * COUNT; i++) {
            for (int j = 0; j < MANY; j++) a[i * MANY + j] = (float)sustain_random_normal(100, 20, (uint64_t)i, (uint32_t)j);
            t[i] = (interact ? 2 * sinf(a[i * MANY]) * a[i * MANY + 1] : a[i * MANY]) +
                   0.5f * (float)sustain_random_normal(100, 21, (uint64_t)i, 0);
        }
        const sustain_rows rows = {.count = COUNT, .dim = MANY, .values = a, .targets = t};
        sustain_select_options o = options_for(SUSTAIN_REGTUNE_SQUARED, 0);
        sustain_select_result r;
        o.waves = 128;
        sustain_selection *s = run(&o, &rows, &r);
        assert_int_equal(r.fourier != NULL, interact);
        if (interact) {
            const sustain_select_candidate *c = &r.candidates[r.selected];
            const int64_t features = MANY + 2 * o.waves;
            const sustain_rows other = {.count = COUNT, .dim = MANY, .values = a + COUNT * MANY, .targets = t + COUNT};
            float *filled = malloc((size_t)(COUNT * features) * sizeof *filled);
            double loss, accuracy, weight[2] = {0};
            assert_int_equal(sustain_model_features(context, NULL, r.fourier, &other, 0, COUNT, filled), SUSTAIN_OK);
            const sustain_rows full = {.count = COUNT, .dim = features, .values = filled, .targets = t + COUNT};
            assert_int_equal(sustain_select_score(s, &full, r.y, &loss, &accuracy), SUSTAIN_OK);
            free(filled);
            if (!(loss < 0.3 && fabs(loss - c->estimate) < 4 * c->error)) fail_msg("%g, estimated %g +- %g", loss, c->estimate, c->error);
            for (int64_t e = 0; e < r.fourier->waves * MANY; e++) weight[e % MANY < 2] += fabs((double)r.fourier->w[e]);
            assert_true(weight[1] / 2 > 5 * weight[0] / (MANY - 2));
        }
        sustain_select_destroy(s);
    }
}

/* ---- the same however it is run ---- */

static void same_model(const sustain_select_result *a, const sustain_select_result *b) {
    assert_int_equal(features_of(a), features_of(b));
    assert_memory_equal(a->y, b->y, (size_t)(features_of(a) + 1) * sizeof(double));
    assert_memory_equal(a->fourier->w, b->fourier->w, WAVES * (DIM + 1) * sizeof(sustain_real));
}

static void test_same(void **state) {
    (void)state;
    const sustain_select_options o = options_for(SUSTAIN_REGTUNE_HUBER, 2);
    const sustain_rows rows = training(o.loss, true);
    selecting_however_run(context, &o, &rows, 2, same_model);
}

/* Targets in other units: the model is in other units. */
static void test_units(void **state) {
    (void)state;
    const sustain_regtune_loss losses[] = {SUSTAIN_REGTUNE_SQUARED, SUSTAIN_REGTUNE_HUBER};
    for (int i = 0; i < 2; i++) {
        const sustain_select_options o = options_for(losses[i], 0);
        const sustain_rows rows = training(o.loss, true);
        sustain_select_result a, b;
        sustain_selection *s = run(&o, &rows, &a);
        const double loss = loss_of(s, &a, &rows);
        for (int k = 0; k < ROWS; k++) targets[k] *= 1024;
        sustain_selection *t = run(&o, &rows, &b);
        assert_non_null(b.fourier);
        assert_true(fabs(loss_of(t, &b, &rows) / 1024 / 1024 / loss - 1) < 1e-2);
        assert_true(fabs(b.candidates[b.selected].estimate / 1024 / 1024 / a.candidates[a.selected].estimate - 1) < 1e-2);
        sustain_select_destroy(s), sustain_select_destroy(t);
    }
}

/* ---- features, and models on the disk ---- */

static void test_features(void **state) {
    (void)state;
    const float a[] = {1, 2, 3, -1, 0.5f, 0};
    const int32_t feature[] = {2};
    const double knot[] = {1};
    const sustain_real w[] = {(sustain_real)0.5, 0, 1, 1, -1, 0, (sustain_real)0.25, 0};
    const sustain_splines splines = {.count = 1, .feature = feature, .knot = knot};
    const sustain_fourier fourier = {.waves = 2, .w = w};
    const sustain_rows rows = {.count = 2, .dim = 3, .values = a};
    float out[16];
    assert_int_equal(sustain_model_features(context, &splines, &fourier, &rows, 0, 2, out), SUSTAIN_OK);
    for (int i = 0; i < 2; i++) {
        const float *x = a + 3 * i, *z = out + 8 * i;
        assert_memory_equal(z, x, 3 * sizeof *x);
        assert_true(z[3] == fmaxf(x[2] - 1, 0));
        for (int r = 0; r < 2; r++) {
            double angle = (double)w[6 + r];
            for (int j = 0; j < 3; j++) angle += (double)w[r * 3 + j] * (double)x[j];
            assert_true(fabs((double)z[4 + r] - cos(angle)) < 1e-5 && fabs((double)z[6 + r] - sin(angle)) < 1e-5);
        }
    }
    float second[7];
    assert_int_equal(sustain_model_features(context, NULL, &fourier, &rows, 1, 1, second), SUSTAIN_OK);
    assert_memory_equal(second, a + 3, 3 * sizeof *a);
    assert_memory_equal(second + 3, out + 12, 4 * sizeof *second);
    assert_int_equal(sustain_model_features(context, NULL, &fourier, &rows, 1, 2, out), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_model_features(context, NULL, &(sustain_fourier){.waves = 0}, &rows, 0, 1, out), SUSTAIN_ARGUMENT);
}

/* A number, with knots and waves. */
static void test_model(void **state) {
    (void)state;
    const sustain_real y[] = {1, 2, 3, (sustain_real)0.5}, w[] = {1, 2, 3}, v[] = {4, 5};
    const int32_t feature[] = {1};
    const double knot[] = {0.25};
    const sustain_splines splines = {.count = 1, .feature = feature, .knot = knot};
    const sustain_fourier fourier = {.waves = 1, .w = w, .v = v};
    const sustain_model model = {.dim = 2, .y = y, .splines = &splines, .fourier = &fourier};
    char path[] = "/tmp/sustain-waves-XXXXXX";
    const int file = mkstemp(path);
    sustain_model *m;
    assert_true(file >= 0);
    close(file);
    assert_int_equal(sustain_model_write(context, path, &model), SUSTAIN_OK);
    assert_int_equal(sustain_model_read(context, path, &m), SUSTAIN_OK);
    assert_int_equal(m->dim, 2);
    assert_int_equal(m->classes, 0);
    assert_memory_equal(m->y, y, sizeof y);
    assert_true(m->splines != NULL && m->splines->count == 1 && m->splines->feature[0] == 1 && m->splines->knot[0] == 0.25);
    assert_true(m->fourier != NULL && m->fourier->waves == 1);
    assert_memory_equal(m->fourier->w, w, sizeof w);
    assert_memory_equal(m->fourier->v, v, sizeof v);
    sustain_model_destroy(m);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interaction), cmocka_unit_test(test_linear),        cmocka_unit_test(test_not_tried),
        cmocka_unit_test(test_derivatives), cmocka_unit_test(test_many_features), cmocka_unit_test(test_same),
        cmocka_unit_test(test_units),       cmocka_unit_test(test_features),      cmocka_unit_test(test_model)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
