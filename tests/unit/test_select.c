/* test_select.c - fits against the exact solver of regtune, slopes against differences; the
 * selection: one penalty where all features are alike, adaptive penalties where half of them are
 * noise; the same bits for any number of threads; estimates are of rows left out; refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/learn.h>
#include <sustain/sustain.h>

#include "jobs/penalized_fit.h"
#include "problems/regtune_internal.h"

enum { ROWS = 240, DIM = 7, CLASSES = 3 };

typedef struct made {
    float *values, *targets;
    int32_t *labels;
    int64_t *start;
    int32_t *columns;
    sustain_rows rows;
} made;

/* Scores are (first useful features)'w; signs, classes and numbers of them. */
static made make(int64_t count, int64_t dim, int64_t useful, double strength, sustain_regtune_loss loss, uint32_t stream) {
    made m = {malloc((size_t)(count * dim) * sizeof(float)),
              malloc((size_t)count * sizeof(float)),
              malloc((size_t)count * sizeof(int32_t)),
              NULL,
              NULL,
              {0}};
    for (int64_t i = 0; i < count; i++) {
        double score = 0;
        for (int64_t j = 0; j < dim; j++) {
            const double value = sustain_random_normal(100, stream, (uint64_t)i, (uint32_t)j);
            m.values[i * dim + j] = (float)value;
            if (j < useful) score += strength * value * (j % 2 == 0 ? 1 : -1);
        }
        const double u = sustain_random_uniform(100, stream + 50, (uint64_t)i, 0);
        m.targets[i] = loss == SUSTAIN_REGTUNE_POISSON ? (float)(int)(3 * u * exp(score / 4))
                                                       : (float)(score + sustain_random_normal(100, stream + 60, (uint64_t)i, 0));
        const bool up = u < 1 / (1 + exp(-score));
        m.labels[i] = loss == SUSTAIN_REGTUNE_SOFTMAX ? (up ? 1 : u < 0.95 ? 0 : 2) : up ? 1 : -1;
    }
    m.rows = (sustain_rows){.count = count, .dim = dim, .values = m.values, .labels = m.labels, .targets = m.targets};
    return m;
}

/* The same rows, sparse: every third entry is left out. */
static void thin_out(made *m) {
    const int64_t n = m->rows.count, dim = m->rows.dim;
    int64_t at = 0;
    m->start = malloc((size_t)(n + 1) * sizeof *m->start);
    m->columns = malloc((size_t)(n * dim) * sizeof *m->columns);
    m->start[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < dim; j++)
            if ((i + j) % 3 != 0) {
                m->values[at] = m->values[i * dim + j];
                m->columns[at++] = (int32_t)j;
            }
        m->start[i + 1] = at;
    }
    m->rows.start = m->start;
    m->rows.columns = m->columns;
}

static void unmake(made *m) {
    free(m->values), free(m->targets), free(m->labels), free(m->start), free(m->columns);
}

/* ---- fits ---- */

typedef struct fits {
    sustain_context *context;
    sustain__fit_rows rows;
    double truth[ROWS];
    int32_t order[ROWS];
    sustain__fit_part all, first, rest;
    sustain__fit_curvature curvature;
    sustain__fit *fit;
} fits;

static void open_fits(fits *f, const made *m, sustain_regtune_loss loss, bool full) {
    assert_int_equal(sustain_context_create(&f->context), SUSTAIN_OK);
    f->rows = (sustain__fit_rows){.rows = m->rows,
                                  .loss = sustain__regtune_loss_number((int)loss),
                                  .width = loss == SUSTAIN_REGTUNE_SOFTMAX ? CLASSES : 1,
                                  .intercept = true,
                                  .truth = f->truth,
                                  .total = ROWS};
    for (int i = 0; i < ROWS; i++) {
        f->truth[i] = sustain__loss_truth(f->rows.loss, &m->rows, i);
        f->order[i] = i;
    }
    f->all = (sustain__fit_part){.row = f->order, .count = ROWS};
    f->first = (sustain__fit_part){.row = f->order, .count = 2 * ROWS / 3};
    f->rest = (sustain__fit_part){.row = f->order + 2 * ROWS / 3, .count = ROWS / 3};
    f->curvature = (sustain__fit_curvature){.features = DIM + 1, .full = full};
    f->curvature.values = calloc((DIM + 1) * (DIM + 1 + SUSTAIN__FIT_SQUARES) + 2 * CLASSES, sizeof(double));
    sustain__fit_measure(&f->rows, &f->all, NULL, &f->curvature);
    assert_int_equal(sustain__fit_create(f->context, &f->rows, full, &f->fit), SUSTAIN_OK);
}

static void close_fits(fits *f) {
    sustain__fit_destroy(f->context, f->fit);
    free(f->curvature.values);
    sustain_context_destroy(f->context);
}

static double penalty_of(int64_t j) {
    return 0.01 * pow(2, (double)j);
}

static void set_penalties(fits *f, int64_t changed, double by) {
    for (int64_t j = 0; j < DIM; j++)
        for (int64_t k = 0; k < f->rows.width; k++) f->fit->penalty[j * f->rows.width + k] = penalty_of(j) * (j == changed ? exp(by) : 1);
}

/* Newton's method of another file, on the same problem. */
static void test_fits_are_exact(void **state) {
    (void)state;
    for (int loss = 0; loss < 5; loss++)
        for (int variant = 0; variant < 8; variant++) {
            const bool sparse = variant % 2 == 1, full = variant / 2 % 2 == 0, intercept = variant < 4;
            const int64_t width = loss == SUSTAIN_REGTUNE_SOFTMAX ? CLASSES : 1;
            made m = make(ROWS, DIM, 4, 1, (sustain_regtune_loss)loss, 1);
            if (sparse) thin_out(&m);
            fits f;
            open_fits(&f, &m, (sustain_regtune_loss)loss, full);
            set_penalties(&f, -1, 0);
            f.rows.intercept = intercept;
            assert_true(sustain__fit_minimize(&f.rows, &f.all, &f.curvature, 1e-16, f.fit));
            sustain_regtune_options o = sustain_regtune_defaults();
            o.loss = (sustain_regtune_loss)loss;
            o.classes = CLASSES;
            o.intercept = intercept;
            o.floor = 1e-9;
            sustain_problem *problem;
            double x[DIM], y[CLASSES * (DIM + 1)] = {0};
            for (int j = 0; j < DIM; j++) x[j] = log(penalty_of(j) - o.floor);
            assert_int_equal(sustain_regtune_create(f.context, &o, &m.rows, &m.rows, &problem), SUSTAIN_OK);
            assert_int_equal(sustain_regtune_solve(problem, x, 1e-12, y), SUSTAIN_OK);
            for (int64_t j = 0; j < DIM; j++)
                for (int64_t k = 0; k < width; k++)
                    if (!(fabs(f.fit->y[j * width + k] - y[k * DIM + j]) <= 1e-6))
                        fail_msg("loss %d, variant %d: weight %d of class %d is %g, not %g", loss, variant, (int)j, (int)k,
                                 f.fit->y[j * width + k], y[k * DIM + j]);
            for (int64_t k = 0; k < width && !intercept; k++) assert_true(f.fit->y[DIM * width + k] == 0);
            sustain_regtune_destroy(problem);
            close_fits(&f);
            unmake(&m);
        }
}

static double held_loss(fits *f) {
    double loss[ROWS], sum = 0;
    assert_true(sustain__fit_minimize(&f->rows, &f->first, &f->curvature, 1e-16, f->fit));
    sustain__fit_losses(&f->rows, &f->rest, f->fit->y, f->fit->column, loss);
    for (int64_t i = 0; i < f->rest.count; i++) sum += loss[f->rest.row[i]];
    return sum / f->rows.total;
}

static void test_slope_is_that_of_the_loss(void **state) {
    (void)state;
    for (int loss = 0; loss < 5; loss++) {
        made m = make(ROWS, DIM, 4, 1, (sustain_regtune_loss)loss, 1);
        double slope[DIM] = {0};
        fits f;
        open_fits(&f, &m, (sustain_regtune_loss)loss, true);
        set_penalties(&f, -1, 0);
        held_loss(&f);
        sustain__fit_slope(&f.rows, &f.first, &f.rest, &f.curvature, 1e-5, f.fit, slope);
        for (int64_t j = 0; j < DIM; j++) {
            const double h = 1e-3;
            set_penalties(&f, j, h);
            const double above = held_loss(&f);
            set_penalties(&f, j, -h);
            const double differences = (above - held_loss(&f)) / (2 * h);
            if (!(fabs(differences - slope[j]) <= 2e-3 * fabs(slope[j]) + 1e-7))
                fail_msg("loss %d, feature %d: %g, by differences %g", loss, (int)j, slope[j], differences);
        }
        close_fits(&f);
        unmake(&m);
    }
}

/* With moments a fit and its slope are the same as without, for all rows less two parts of them. */
static void test_closed_form_is_the_same(void **state) {
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        made m = make(ROWS, DIM, 4, 1, SUSTAIN_REGTUNE_SQUARED, 1);
        double weight[ROWS], slope[2][DIM] = {{0}}, y[DIM + 1], held[2], scratch[SUSTAIN__FIT_SQUARES * (DIM + 1)],
                             moments[3][(DIM + 1) * (DIM + 2)];
        fits f;
        if (variant % 2 == 1) thin_out(&m);
        open_fits(&f, &m, SUSTAIN_REGTUNE_SQUARED, true);
        for (int i = 0; i < ROWS; i++) weight[i] = 1 + i % 3;
        f.rows.weight = weight;
        f.rows.intercept = variant < 2;
        set_penalties(&f, -1, 0);
        sustain__fit_minimize(&f.rows, &f.first, &f.curvature, 1e-16, f.fit);
        sustain__fit_slope(&f.rows, &f.first, &f.rest, &f.curvature, 1e-9, f.fit, slope[0]);
        memcpy(y, f.fit->y, sizeof y);
        held[0] = f.fit->held_value;
        const sustain__fit_part parts[] = {f.all, {.row = f.rest.row, .count = 7}, {.row = f.rest.row + 7, .count = f.rest.count - 7}};
        for (int k = 0; k < 3; k++) {
            sustain__fit_moments(&f.rows, &parts[k], scratch, moments[k]);
            f.first.moments[k] = moments[k];
        }
        assert_true(sustain__fit_minimize(&f.rows, &f.first, &f.curvature, 1e-16, f.fit));
        sustain__fit_slope(&f.rows, &f.first, &f.rest, &f.curvature, 1e-9, f.fit, slope[1]);
        held[1] = f.fit->held_value;
        for (int j = 0; j <= DIM; j++)
            if (!(fabs(f.fit->y[j] - y[j]) <= 1e-8 * (1 + fabs(y[j]))))
                fail_msg("variant %d: weight %d is %.10g, not %.10g", variant, j, f.fit->y[j], y[j]);
        for (int j = 0; j < DIM; j++)
            if (!(fabs(slope[1][j] - slope[0][j]) <= 1e-7))
                fail_msg("variant %d: slope %d is %g, not %g", variant, j, slope[1][j], slope[0][j]);
        assert_true(fabs(held[1] - held[0]) <= 1e-9 * held[0]);
        assert_true(f.rows.intercept || f.fit->y[DIM] == 0);
        close_fits(&f);
        unmake(&m);
    }
}

/* ---- the selection ---- */

typedef struct outcome {
    sustain_context *context;
    sustain_selection *selection;
    sustain_select_result result;
} outcome;

static outcome select_by(const sustain_select_options *options, const made *training, const made *validation, int threads) {
    outcome o;
    assert_int_equal(sustain_context_create(&o.context), SUSTAIN_OK);
    assert_int_equal(sustain_context_set_threads(o.context, threads), SUSTAIN_OK);
    assert_int_equal(
        sustain_select_create(o.context, options, &training->rows, validation != NULL ? &validation->rows : NULL, &o.selection),
        SUSTAIN_OK);
    assert_int_equal(sustain_select_run(o.selection, &o.result), SUSTAIN_OK);
    return o;
}

static void end(outcome *o) {
    sustain_select_destroy(o->selection);
    sustain_context_destroy(o->context);
}

static double test_loss(const outcome *o, const made *test, const double *y) {
    double loss, accuracy;
    assert_int_equal(sustain_select_score(o->selection, &test->rows, y, &loss, &accuracy), SUSTAIN_OK);
    return loss;
}

static void test_noise_is_found_out(void **state) {
    (void)state;
    enum { FEATURES = 40 };
    made training = make(600, FEATURES, FEATURES / 2, 0.5, SUSTAIN_REGTUNE_LOGISTIC, 1),
         test = make(4000, FEATURES, FEATURES / 2, 0.5, SUSTAIN_REGTUNE_LOGISTIC, 2);
    const sustain_select_options options = sustain_select_defaults();
    outcome o = select_by(&options, &training, NULL, 1);
    const sustain_select_result *r = &o.result;
    assert_true(r->selected > 0);
    assert_true(test_loss(&o, &test, r->y) < 0.995 * test_loss(&o, &test, r->single_y));
    double useful = 0, noise = 0;
    for (int j = 0; j < FEATURES; j++) *(j < FEATURES / 2 ? &useful : &noise) += log(r->penalty[j]) / (FEATURES / 2.0);
    assert_true(noise > useful + 1);
    /* the estimate is that of rows left out: it agrees with test rows, up to a few standard
     * errors */
    const sustain_select_candidate *c = &r->candidates[r->selected];
    assert_true(c->selected && fabs(c->estimate - test_loss(&o, &test, r->y)) < 4 * c->error);
    assert_true(c->difference < -c->difference_error);
    end(&o);
    unmake(&training), unmake(&test);
}

/* Ten features of forty matter, and are a group. */
static void test_groups(void **state) {
    (void)state;
    enum { FEATURES = 40 };
    int32_t group[FEATURES];
    for (int j = 0; j < FEATURES; j++) group[j] = j / 10;
    made training = make(400, FEATURES, 10, 0.6, SUSTAIN_REGTUNE_LOGISTIC, 1),
         test = make(4000, FEATURES, 10, 0.6, SUSTAIN_REGTUNE_LOGISTIC, 2);
    sustain_select_options options = sustain_select_defaults();
    options.folds = 5;
    options.group = group;
    options.groups = 4;
    outcome o = select_by(&options, &training, NULL, 2);
    const sustain_select_result *r = &o.result;
    const sustain_select_candidate *c = &r->candidates[r->count - 2];
    assert_string_equal(c->name, "groups");
    assert_true(c->difference < -c->difference_error);
    if (r->selected == r->count - 2) {
        for (int j = 10; j < FEATURES; j++) assert_true(r->penalty[j] > 2 * r->penalty[0]);
        for (int j = 1; j < 10; j++) assert_true(r->penalty[j] == r->penalty[0]);
    }
    assert_true(test_loss(&o, &test, r->y) < 0.97 * test_loss(&o, &test, r->single_y));
    end(&o);
    unmake(&training), unmake(&test);
}

static void test_alike_features_get_one_penalty(void **state) {
    (void)state;
    made training = make(600, 30, 30, 0.3, SUSTAIN_REGTUNE_LOGISTIC, 1);
    const sustain_select_options options = sustain_select_defaults();
    outcome o = select_by(&options, &training, NULL, 2);
    assert_int_equal(o.result.selected, 0);
    assert_string_equal(o.result.candidates[0].name, "one");
    for (int j = 1; j < 30; j++) assert_true(o.result.penalty[j] == o.result.penalty[0]);
    for (int j = 0; j <= 30; j++) assert_true(o.result.y[j] == o.result.single_y[j]);
    end(&o);
    unmake(&training);
}

/* Standardized features whose scales said what they are worth: `scaled` knows them from
 * `scaling`. */
static void test_scales_before_standardizing(void **state) {
    (void)state;
    enum { WIDTH = 40, USEFUL = 8 };
    made training = make(120, WIDTH, USEFUL, 0.3, SUSTAIN_REGTUNE_SQUARED, 1);
    float scaling[WIDTH];
    sustain_select_options options = sustain_select_defaults();
    options.loss = SUSTAIN_REGTUNE_SQUARED;
    outcome without = select_by(&options, &training, NULL, 1);
    for (int j = 0; j < WIDTH; j++) scaling[j] = j < USEFUL ? 0.1F : 1;
    options.scaling = scaling;
    outcome with = select_by(&options, &training, NULL, 1);
    assert_string_not_equal(without.result.candidates[1].name, "scaled");
    assert_string_equal(with.result.candidates[1].name, "scaled");
    assert_true(with.result.candidates[1].estimate < with.result.candidates[0].estimate && with.result.selected > 0);
    assert_true(with.result.penalty[0] < with.result.penalty[WIDTH - 1]);
    end(&without), end(&with);
    unmake(&training);
}

/* All losses, folds and validation rows, dense and sparse: the same bits for 1, 2, 3 and 8
 * threads. */
static void test_threads(void **state) {
    (void)state;
    static const int threads[2][3] = {{2, 8, 0}, {3, 0, 0}}; /* by folds, by validation rows */
    static const int32_t group[DIM] = {0, 0, 1, 1, 2, 2, 2};
    for (int loss = 0; loss < 5; loss++) {
        made training = make(ROWS, DIM, 4, 1, (sustain_regtune_loss)loss, 1),
             validation = make(ROWS / 2, DIM, 4, 1, (sustain_regtune_loss)loss, 2);
        if (loss == 1) thin_out(&training), thin_out(&validation);
        sustain_select_options options = sustain_select_defaults();
        options.loss = (sustain_regtune_loss)loss;
        options.classes = CLASSES;
        options.folds = 5;
        options.group = group;
        options.groups = 3;
        const int64_t size = (loss == SUSTAIN_REGTUNE_SOFTMAX ? CLASSES : 1) * (DIM + 1);
        for (int with = 0; with < 2; with++) {
            outcome first = select_by(&options, &training, with == 1 ? &validation : NULL, 1);
            for (const int *t = threads[with]; *t > 0; t++) {
                outcome o = select_by(&options, &training, with == 1 ? &validation : NULL, *t);
                assert_memory_equal(first.result.y, o.result.y, (size_t)size * sizeof(double));
                assert_memory_equal(first.result.penalty, o.result.penalty, DIM * sizeof(double));
                assert_int_equal(first.result.count, o.result.count);
                for (int c = 0; c < o.result.count; c++)
                    assert_true(first.result.candidates[c].estimate == o.result.candidates[c].estimate);
                end(&o);
            }
            assert_string_equal(first.result.candidates[first.result.count - 1].name, "features");
            assert_string_equal(first.result.candidates[first.result.count - 2].name, "groups");
            int64_t held = 0;
            for (int64_t i = 0; i < first.result.rows; i++) held += !isnan(first.result.held_loss[i]);
            assert_int_equal(held, with == 1 ? ROWS / 2 : ROWS);
            end(&first);
        }
        unmake(&training), unmake(&validation);
    }
}

/* The lasso and the elastic net: noise gets weights of exactly 0, a factor of 0 frees a feature;
 * the same bits for any number of threads. */
static void test_absolute(void **state) {
    (void)state;
    enum { FEATURES = 24 };
    double factors[FEATURES];
    for (int j = 0; j < FEATURES; j++) factors[j] = j == 0 ? 1e9 : j == FEATURES - 1 ? 0 : 1;
    for (int loss = 0; loss < 3; loss++)
        for (int form = SUSTAIN_SELECT_L1; form <= SUSTAIN_SELECT_ELASTIC_NET; form++) {
            made training = make(200, FEATURES, 4, 1, (sustain_regtune_loss)loss, 1);
            const int64_t width = loss == SUSTAIN_REGTUNE_SOFTMAX ? CLASSES : 1;
            sustain_select_options options = sustain_select_defaults();
            options.loss = (sustain_regtune_loss)loss;
            options.classes = CLASSES;
            options.form = (sustain_select_form)form;
            options.folds = 3;
            options.factors = factors;
            outcome o = select_by(&options, &training, NULL, 1), again = select_by(&options, &training, NULL, 3);
            const sustain_select_result *r = &o.result;
            int zeros = 0;
            assert_int_equal(r->count, 2);
            assert_int_equal(r->selected, 1);
            assert_string_equal(r->candidates[1].name, form == SUSTAIN_SELECT_L1 ? "lasso" : "elastic net");
            assert_true(r->part == 1 && r->share[0] == 0 && r->share[1] == 1);
            for (int64_t j = 0; j < FEATURES; j++) zeros += r->y[j] == 0;
            assert_true(r->y[0] == 0 && r->y[1] != 0 && r->y[FEATURES - 1] != 0);
            assert_true(zeros >= 4 && zeros <= FEATURES - 3);
            assert_true(loss == SUSTAIN_REGTUNE_SQUARED || r->candidates[1].difference < 0);
            assert_memory_equal(r->y, again.result.y, (size_t)(width * (FEATURES + 1)) * sizeof(double));
            end(&o), end(&again);
            unmake(&training);
        }
}

/* Wide rows: the lasso is a candidate, and the model is the sum of the candidates' models times
 * their shares. */
static void test_wide(void **state) {
    (void)state;
    made training = make(80, 1100, 3, 1.5, SUSTAIN_REGTUNE_LOGISTIC, 1);
    const sustain_select_options options = sustain_select_defaults();
    outcome o = select_by(&options, &training, NULL, 2);
    double sum = 0;
    assert_string_equal(o.result.candidates[o.result.count - 1].name, "adaptive");
    for (int c = 0; c <= o.result.selected; c++) sum += o.result.share[c];
    assert_true(fabs(sum - 1) < 1e-12 && o.result.selected > 0);
    assert_true(o.result.candidates[o.result.selected].estimate < 0.95 * o.result.candidates[0].estimate);
    end(&o);
    unmake(&training);
}

/* Huber's loss in other units of the targets, its threshold chosen or given: the same model in
 * these units; outliers do not matter. */
static void test_huber(void **state) {
    (void)state;
    enum { UNIT = 1024 };
    made small = make(ROWS, DIM, 4, 1, SUSTAIN_REGTUNE_HUBER, 1), large = make(ROWS, DIM, 4, 1, SUSTAIN_REGTUNE_HUBER, 1);
    for (int i = 0; i < ROWS; i++) {
        if (i % 12 == 0) small.targets[i] += 40;
        large.targets[i] = UNIT * small.targets[i];
    }
    for (int given = 0; given < 2; given++) {
        sustain_select_options options = sustain_select_defaults();
        options.loss = SUSTAIN_REGTUNE_HUBER;
        options.huber_threshold = given;
        outcome a = select_by(&options, &small, NULL, 1);
        options.huber_threshold = given * UNIT;
        outcome b = select_by(&options, &large, NULL, 1);
        const double threshold = a.result.huber_threshold;
        assert_true(given ? threshold == 1 : threshold > 1 && threshold < 2.5);
        assert_true(fabs(b.result.huber_threshold - UNIT * threshold) < 1e-3 * UNIT);
        for (int j = 0; j <= DIM; j++) assert_true(fabs(b.result.y[j] / UNIT - a.result.y[j]) < 1e-3);
        for (int j = 0; j < 4; j++) assert_true(fabs(a.result.y[j] - (j % 2 == 0 ? 1 : -1)) < 0.3);
        assert_true(fabs(a.result.y[DIM]) < 0.5);
        const double squares = (double)UNIT * UNIT, own = test_loss(&a, &small, a.result.y), other = test_loss(&b, &large, b.result.y);
        assert_true(fabs(other / squares - own) < 1e-3 * own);
        assert_true(fabs(b.result.candidates[0].estimate / squares - a.result.candidates[0].estimate) < 1e-3);
        assert_true(fabs(a.result.candidates[0].estimate - own) < 0.2 * own);
        end(&a), end(&b);
    }
    unmake(&small), unmake(&large);
}

/* A factor of 0 frees a feature, a huge one removes it; weights count like rows that are there
 * several times. */
static void test_factors_and_weights(void **state) {
    (void)state;
    made m = make(ROWS, DIM, 4, 1, SUSTAIN_REGTUNE_LOGISTIC, 1);
    double factors[DIM] = {1, 1e9, 1, 1, 0, 1, 1}, weights[ROWS];
    sustain_select_options options = sustain_select_defaults();
    options.factors = factors;
    outcome o = select_by(&options, &m, NULL, 1);
    assert_true(fabs(o.result.y[1]) < 1e-4);
    assert_true(o.result.penalty[4] < 1e-6);
    end(&o);
    options.factors = NULL;
    options.weights = weights;
    for (int i = 0; i < ROWS; i++) weights[i] = 3;
    outcome plain = select_by(&(sustain_select_options){.size = sizeof options, .intercept = true}, &m, NULL, 1);
    o = select_by(&options, &m, NULL, 1);
    for (int j = 0; j <= DIM; j++) assert_true(fabs(o.result.single_y[j] - plain.result.single_y[j]) < 1e-5);
    end(&o), end(&plain);
    unmake(&m);
}

static int at_question(void *user) {
    int64_t *left = user;
    return --*left == 0;
}

/* Cancelled at the n-th question, once; then run again: as if nothing had been. */
static void test_cancel(void **state) {
    (void)state;
    made m = make(ROWS, DIM, 4, 1, SUSTAIN_REGTUNE_LOGISTIC, 1);
    sustain_select_options options = sustain_select_defaults();
    options.folds = 5;
    outcome whole = select_by(&options, &m, NULL, 1);
    bool finished = false;
    for (int64_t n = 1; !finished; n = n * 2 + 1) {
        sustain_context *context;
        sustain_selection *s;
        sustain_select_result result;
        int64_t left = n;
        assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
        assert_int_equal(sustain_context_set_threads(context, 2), SUSTAIN_OK);
        assert_int_equal(sustain_select_create(context, &options, &m.rows, NULL, &s), SUSTAIN_OK);
        sustain_context_set_cancel(context, at_question, &left);
        const sustain_status status = sustain_select_run(s, &result);
        sustain_context_set_cancel(context, NULL, NULL);
        finished = status == SUSTAIN_OK;
        if (!finished) {
            assert_int_equal(status, SUSTAIN_CANCELLED);
            assert_int_equal(sustain_select_run(s, &result), SUSTAIN_OK);
        }
        assert_memory_equal(result.y, whole.result.y, (DIM + 1) * sizeof(double));
        sustain_select_destroy(s);
        sustain_context_destroy(context);
    }
    end(&whole);
    unmake(&m);
}

static void test_refusals(void **state) {
    (void)state;
    made m = make(ROWS, DIM, 4, 1, SUSTAIN_REGTUNE_LOGISTIC, 1);
    sustain_context *context;
    sustain_selection *s;
    sustain_select_result result;
    double bad[ROWS] = {0};
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_select_options o = sustain_select_defaults();
    assert_int_equal(sustain_select_create(context, &o, NULL, NULL, &s), SUSTAIN_ARGUMENT);
    o.folds = 1;
    assert_int_equal(sustain_select_create(context, &o, &m.rows, NULL, &s), SUSTAIN_ARGUMENT);
    assert_null(s);
    o = sustain_select_defaults();
    o.weights = bad;
    assert_int_equal(sustain_select_create(context, &o, &m.rows, NULL, &s), SUSTAIN_ARGUMENT);
    assert_string_equal(sustain_error(context), "the weight of row 0 is 0, not a positive number");
    o = sustain_select_defaults();
    bad[3] = NAN;
    o.factors = bad;
    assert_int_equal(sustain_select_create(context, &o, &m.rows, NULL, &s), SUSTAIN_ARGUMENT);
    o = sustain_select_defaults();
    o.scaling = (const float[DIM]){1, 0};
    assert_int_equal(sustain_select_create(context, &o, &m.rows, NULL, &s), SUSTAIN_ARGUMENT);
    assert_string_equal(sustain_error(context), "the scaling of feature 1 is 0, not a positive number");
    o = sustain_select_defaults();
    m.rows.count = 4;
    assert_int_equal(sustain_select_create(context, &o, &m.rows, NULL, &s), SUSTAIN_ARGUMENT);
    m.rows.count = ROWS;
    assert_int_equal(sustain_select_create(context, &o, &m.rows, NULL, &s), SUSTAIN_OK);
    assert_int_equal(sustain_select_run(s, NULL), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_select_run(s, &result), SUSTAIN_OK);
    assert_int_equal(sustain_select_run(s, &result), SUSTAIN_ARGUMENT);
    sustain_select_destroy(s);
    sustain_select_destroy(NULL);
    sustain_context_destroy(context);
    unmake(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits_are_exact),
        cmocka_unit_test(test_slope_is_that_of_the_loss),
        cmocka_unit_test(test_closed_form_is_the_same),
        cmocka_unit_test(test_noise_is_found_out),
        cmocka_unit_test(test_alike_features_get_one_penalty),
        cmocka_unit_test(test_scales_before_standardizing),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_absolute),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_huber),
        cmocka_unit_test(test_factors_and_weights),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
