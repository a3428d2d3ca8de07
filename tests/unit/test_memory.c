/* test_memory.c - what a job says that it will take, beside what it took: cleaning of dense, byte
 * and sparse rows, of many classes, of probabilities alone, with verified rows, with a sample;
 * penalties, selected or by a solver; solvers; few-shot learning. Too much is refused before it is
 * allocated. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <sustain/learn.h>
#include <sustain/meta.h>
#include <sustain/sustain.h>

#include "core/context_internal.h"

/* ---- rows ---- */

typedef enum kind {
    DENSE,
    BYTES,
    SPARSE,
    LABELS,
    PRODUCT
} kind; /* PRODUCT: dense, the class is the sign of the first two features' product */

typedef struct shape {
    const char *name;
    kind kind;
    int64_t rows, dim, classes, trusted, verified, fit_rows;
    const char *solver;
} shape;

typedef struct data {
    float *values, *probabilities;
    uint8_t *bytes;
    int64_t *start;
    int32_t *columns, *labels, *verified;
} data;

enum { PER_ROW = 12 }; /* non-zeros of a sparse row */

static void *room(int64_t count, size_t size) {
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

static data generate(const shape *s) {
    const int64_t n = s->rows + s->trusted, wide = s->kind == SPARSE ? PER_ROW : s->dim;
    data d = {.values = room(n * wide, sizeof(float)),
              .bytes = room(n * wide, 1),
              .probabilities = room(n * s->classes, sizeof(float)),
              .start = room(n + 1, sizeof(int64_t)),
              .columns = room(n * wide, sizeof(int32_t)),
              .labels = room(n, sizeof(int32_t)),
              .verified = room(n, sizeof(int32_t))};
    for (int64_t i = 0; i < n; i++) {
        const int64_t class = i % s->classes;
        const bool wrong = sustain_random_uniform(1, 1, (uint64_t)i, 0) < 0.2 && i < s->rows;
        d.labels[i] = (int32_t)(wrong ? (class + 1) % s->classes : class);
        d.verified[i] = i < s->verified ? (int32_t) class : -1;
        for (int64_t k = 0; k < s->classes; k++)
            d.probabilities[i * s->classes + k] = (float)(k == class ? 0.7 : 0.3 / (double)(s->classes - 1));
        for (int64_t j = 0; j < wide; j++) {
            const int64_t at = i * wide + j, column = s->kind == SPARSE ? j * (s->dim / PER_ROW) + (class + j) % (s->dim / PER_ROW) : j;
            const double value = sustain_random_normal(1, 2, (uint64_t)i, (uint32_t)j) +
                                 (s->kind == PRODUCT ? 0 : 2 * sustain_random_normal(1, 3, (uint64_t) class, (uint32_t)j));
            d.values[at] = (float)value;
            d.bytes[at] = (uint8_t)fmin(fmax(100 + 25 * value, 0), 255);
            d.columns[at] = (int32_t)column;
        }
        if (s->kind == PRODUCT && (d.values[i * wide] * d.values[i * wide + 1] > 0) != (class == 1)) d.values[i * wide] *= -1;
        d.start[i + 1] = (i + 1) * wide;
    }
    return d;
}

static void release(const data *d) {
    free(d->values), free(d->bytes), free(d->probabilities), free(d->start), free(d->columns), free(d->labels), free(d->verified);
}

static sustain_rows part(const shape *s, const data *d, int64_t first, int64_t count) {
    const int64_t wide = s->kind == SPARSE ? PER_ROW : s->dim;
    sustain_rows r = {.count = count, .dim = s->kind == LABELS ? 0 : s->dim, .labels = d->labels + first};
    if (s->kind == DENSE || s->kind == PRODUCT) r.values = d->values + first * wide;
    if (s->kind == BYTES) r.bytes = d->bytes + first * wide, r.byte_scale = 1.0f / 255;
    if (s->kind == SPARSE) r.values = d->values, r.columns = d->columns, r.start = d->start + first;
    return r;
}

/* ---- cleaning ---- */

static sustain_status create(sustain_context *context, const shape *s, const data *d, sustain_clean **clean) {
    const sustain_rows training = part(s, d, 0, s->rows), trusted = part(s, d, s->rows, s->trusted);
    static sustain_probabilities p, q; /* borrowed by the job */
    static const sustain_probabilities *const files[] = {&p}, *const trusted_files[] = {&q};
    p = (sustain_probabilities){.count = s->rows, .classes = s->classes, .values = d->probabilities, .type = SUSTAIN_FLOAT32};
    q = p;
    q.count = s->trusted, q.values = d->probabilities + s->rows * s->classes;
    sustain_clean_options o = sustain_clean_defaults();
    o.classes = s->classes;
    o.verified = s->verified > 0 ? d->verified : NULL;
    if (s->fit_rows > 0) o.fit_rows = s->fit_rows;
    if (s->solver != NULL) o.solver = s->solver;
    if (s->kind == LABELS) o.pred_probs = files, o.pred_prob_count = 1;
    if (s->kind == LABELS && s->trusted > 0) o.trusted_pred_probs = trusted_files;
    return sustain_clean_create(context, &o, &training, s->trusted > 0 ? &trusted : NULL, clean);
}

static void test_clean(void **state) {
    static const shape shapes[] = {
        {"dense", DENSE, 1500, 60, 5, 200, 0, 0, NULL},
        {"bytes", BYTES, 1500, 100, 10, 200, 0, 0, NULL},
        {"sparse", SPARSE, 600, 3000, 3, 100, 0, 0, NULL},
        {"many classes", DENSE, 1200, 10, 60, 300, 0, 0, NULL},
        {"verified", DENSE, 1500, 30, 8, 0, 200, 0, NULL},
        {"features alone", DENSE, 1500, 40, 6, 0, 0, 0, NULL},
        {"probabilities", LABELS, 8000, 0, 20, 0, 0, 0, NULL},
        {"probabilities, trusted", LABELS, 8000, 0, 20, 300, 0, 0, NULL},
        {"probabilities, verified", LABELS, 8000, 0, 20, 0, 300, 0, NULL},
        {"a sample", BYTES, 8000, 20, 10, 200, 0, 1000, NULL},
        {"a sample, verified", DENSE, 8000, 20, 5, 0, 200, 1000, NULL},
        {"sustain", DENSE, 1000, 30, 5, 100, 0, 0, "sustain"},
        {"no linear score", PRODUCT, 1500, 4, 2, 0, 200, 0, NULL},
        {"no linear score, nothing checked", PRODUCT, 1500, 4, 2, 0, 0, 0, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const shape *s = &shapes[i];
        sustain_context *context;
        sustain_clean *clean;
        sustain_clean_result result;
        sustain_memory memory = {.size = sizeof memory};
        sustain_result solved = {0};
        const data d = generate(s);
        assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
        if (create(context, s, &d, &clean) != SUSTAIN_OK) fail_msg("%s: %s", s->name, sustain_error(context));
        assert_int_equal(sustain_clean_memory(clean, &memory), SUSTAIN_OK);
        const sustain_stopping stopping = {.iterations = 20};
        if (sustain_clean_solver(clean) != NULL)
            assert_int_equal(sustain_solver_run(sustain_clean_solver(clean), &stopping, &solved), SUSTAIN_OK);
        if (sustain_clean_finish(clean, solved.x, solved.y, &result) != SUSTAIN_OK) fail_msg("%s: %s", s->name, sustain_error(context));
        if (s->kind == PRODUCT) assert_non_null(result.model.fourier);
        const double peak = (double)context->memory_peak, ratio = memory.bytes / peak;
        if (!(ratio > 0.8 && ratio < 1.2)) fail_msg("%s: %.0f bytes estimated, %.0f taken", s->name, memory.bytes, peak);
        sustain_clean_destroy(clean);
        sustain_context_destroy(context);
        release(&d);
    }
}

/* Refused before anything of the kind is allocated, with the largest part and a cure. */
static void test_refused(void **state) {
    const shape s = {"many classes", DENSE, 2000, 5, 200, 400, 0, 0, NULL};
    const data d = generate(&s);
    sustain_context *context;
    sustain_clean *clean;
    sustain_memory memory = {.size = sizeof memory};
    (void)state;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_context_set_memory_limit(context, 2000000);
    assert_int_equal(create(context, &s, &d, &clean), SUSTAIN_MEMORY_LIMIT);
    assert_null(clean);
    assert_non_null(strstr(sustain_error(context), "tables of rows and classes"));
    assert_non_null(strstr(sustain_error(context), "are allowed: take fewer classes, or fit on fewer rows (fit_rows)"));
    assert_true(context->memory_peak < 100000);

    sustain_context_set_memory_limit(context, 0);
    assert_int_equal(create(context, &s, &d, &clean), SUSTAIN_OK);
    assert_int_equal(sustain_clean_memory(clean, &memory), SUSTAIN_OK);
    assert_int_equal(sustain_memory_check(context, &memory), SUSTAIN_OK); /* no limit */
    sustain_context_set_memory_limit(context, (size_t)memory.bytes + 1);
    assert_int_equal(sustain_memory_check(context, &memory), SUSTAIN_OK);
    sustain_context_set_memory_limit(context, (size_t)memory.bytes - 1);
    assert_int_equal(sustain_memory_check(context, &memory), SUSTAIN_MEMORY_LIMIT);
    assert_int_equal(sustain_clean_memory(clean, &(sustain_memory){0}), SUSTAIN_ARGUMENT);
    assert_string_equal(sustain_memory_key(SUSTAIN_MEMORY_TABLES), "tables");
    assert_string_equal(sustain_memory_key(SUSTAIN_MEMORY_COUNT), "");
    sustain_clean_destroy(clean);
    sustain_context_destroy(context);
    release(&d);
}

/* ---- penalties ---- */

static void near(const char *name, const sustain_context *context, const sustain_memory *memory) {
    const double ratio = memory->bytes / (double)context->memory_peak;
    if (!(ratio > 0.8 && ratio < 1.25)) fail_msg("%s: %.0f bytes estimated, %zu taken", name, memory->bytes, context->memory_peak);
}

static void test_select(void **state) {
    static const struct {
        shape shape;
        sustain_select_form form;
        bool validation;
        int64_t knots, waves;
    } cases[] = {{{"dense", DENSE, 700, 6, 3, 0, 0, 0, NULL}, SUSTAIN_SELECT_AUTO, false, 0, 0},
                 {{"splines", DENSE, 700, 6, 3, 0, 0, 0, NULL}, SUSTAIN_SELECT_AUTO, false, 8, 0},
                 {{"waves", DENSE, 300, 6, 3, 0, 0, 0, NULL}, SUSTAIN_SELECT_AUTO, false, 3, 40},
                 {{"by gradient", DENSE, 300, 12, 2, 0, 0, 0, NULL}, SUSTAIN_SELECT_AUTO, false, 0, 0},
                 {{"bytes, validation", BYTES, 200, 10, 3, 100, 0, 0, NULL}, SUSTAIN_SELECT_AUTO, true, 5, 35},
                 {{"sparse", SPARSE, 60, 240, 2, 0, 0, 0, NULL}, SUSTAIN_SELECT_AUTO, false, 0, 40},
                 {{"lasso", DENSE, 150, 10, 2, 0, 0, 0, NULL}, SUSTAIN_SELECT_L1, false, 0, 40}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const shape *s = &cases[i].shape;
        const data d = generate(s);
        const sustain_rows training = part(s, &d, 0, s->rows), validation = part(s, &d, s->rows, s->trusted);
        sustain_context *context;
        sustain_selection *selection;
        sustain_select_result result;
        sustain_memory memory = {.size = sizeof memory};
        sustain_select_options o = sustain_select_defaults();
        o.loss = SUSTAIN_REGTUNE_SOFTMAX, o.classes = s->classes, o.folds = 2, o.form = cases[i].form, o.knots = cases[i].knots,
        o.waves = cases[i].waves;
        assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
        if (sustain_select_create(context, &o, &training, cases[i].validation ? &validation : NULL, &selection) != SUSTAIN_OK)
            fail_msg("%s: %s", s->name, sustain_error(context));
        assert_int_equal(sustain_select_memory(selection, &memory), SUSTAIN_OK);
        if (sustain_select_run(selection, &result) != SUSTAIN_OK) fail_msg("%s: %s", s->name, sustain_error(context));
        near(s->name, context, &memory);
        sustain_select_destroy(selection);
        sustain_context_set_memory_limit(context, (size_t)memory.bytes / 2);
        assert_int_equal(sustain_select_create(context, &o, &training, cases[i].validation ? &validation : NULL, &selection),
                         SUSTAIN_MEMORY_LIMIT);
        sustain_context_destroy(context);
        release(&d);
    }
}

static void test_tune(void **state) {
    static const char *const solvers[] = {"hoag", "sustain", "soba"};
    const shape s = {"tune", DENSE, 300, 40, 3, 100, 0, 0, NULL};
    const data d = generate(&s);
    const sustain_rows training = part(&s, &d, 0, s.rows), validation = part(&s, &d, s.rows, s.trusted);
    (void)state;
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        sustain_regtune_options model = sustain_regtune_defaults();
        sustain_tune_options o = sustain_tune_defaults();
        sustain_context *context;
        sustain_tune *tune;
        sustain_result run;
        sustain_tune_result result;
        sustain_memory memory = {.size = sizeof memory};
        model.loss = SUSTAIN_REGTUNE_SOFTMAX, model.classes = s.classes;
        o.model = &model, o.solver = solvers[i];
        assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
        if (sustain_tune_create(context, &o, &training, &validation, &tune) != SUSTAIN_OK)
            fail_msg("%s: %s", solvers[i], sustain_error(context));
        assert_int_equal(sustain_tune_memory(tune, &memory), SUSTAIN_OK);
        sustain_stopping stopping = {.iterations = 3};
        assert_int_equal(sustain_tune_start(tune), SUSTAIN_OK);
        if (sustain_solver_run(sustain_tune_solver(tune), &stopping, &run) != SUSTAIN_OK ||
            sustain_tune_finish(tune, &run, &result) != SUSTAIN_OK)
            fail_msg("%s: %s", solvers[i], sustain_error(context));
        near(solvers[i], context, &memory);
        sustain_tune_destroy(tune);
        sustain_context_destroy(context);
    }
    release(&d);
}

/* ---- solvers ---- */

/* Every algorithm that solves this problem: the estimate, then what the start and a step took. */
static void test_solvers(void **state) {
    const shape s = {"solvers", DENSE, 300, 20, 3, 60, 0, 0, NULL};
    const data d = generate(&s);
    const sustain_rows training = part(&s, &d, 0, s.rows), trusted = part(&s, &d, s.rows, s.trusted);
    const sustain_hyperclean_options o = {.classes = 3, .c = 0.01, .intercept = true};
    int measured = 0;
    (void)state;
    for (int i = 0; i < sustain_solver_count(); i++) {
        sustain_context *context;
        sustain_problem *problem;
        sustain_solver *solver;
        sustain_memory memory = {.size = sizeof memory};
        assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
        assert_int_equal(sustain_hyperclean_create(context, &o, &training, &trusted, &problem), SUSTAIN_OK);
        if (sustain_solver_create(context, sustain_solver_at(i)->name, problem, &solver) == SUSTAIN_OK) {
            sustain_solver_set(solver, "schedule", "power"); /* where there are such parameters: else they are chosen at the start */
            sustain_solver_set_number(solver, "K", 10);
            sustain_solver_set_number(solver, "L_g", 1);
            assert_int_equal(sustain_solver_memory(solver, &memory), SUSTAIN_OK);
            if (sustain_solver_start(solver, NULL, NULL) == SUSTAIN_OK) {
                const double ratio = memory.bytes / (double)context->memory_peak;
                if (!(ratio > 0.8 && ratio < 1.25))
                    fail_msg("%s: %.0f bytes estimated, %zu taken", sustain_solver_at(i)->name, memory.bytes, context->memory_peak);
                measured++;
            }
            sustain_solver_destroy(solver);
        }
        sustain_hyperclean_destroy(problem);
        sustain_context_destroy(context);
    }
    assert_true(measured > 20);
    release(&d);
}

/* ---- few-shot learning ---- */

static void test_meta(void **state) {
    static const struct {
        sustain_meta_method method;
        const char *solver;
        int threads;
        int64_t queries;
    } cases[] = {{SUSTAIN_META_SUSTAIN, NULL, 1, 5},
                 {SUSTAIN_META_SUSTAIN, NULL, 2, 15},
                 {SUSTAIN_META_MAML, NULL, 1, 5},
                 {SUSTAIN_META_PROTOTYPE, NULL, 2, 5},
                 {SUSTAIN_META_SOLVER, "soba", 1, 5}};
    const sustain_picture_options options = {.height = 32, .width = 32};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sustain_context *context;
        sustain_pictures *pictures;
        sustain_meta *meta;
        sustain_memory memory = {.size = sizeof memory};
        sustain_meta_progress progress;
        sustain_meta_score score;
        const sustain_meta_trial trial = {.tasks = 2, .queries = cases[i].queries};
        sustain_meta_options o = sustain_meta_defaults();
        o.method = (int)cases[i].method, o.solver = cases[i].solver;
        o.ways = 5, o.shots = 1, o.queries = 5, o.tasks = 2, o.width = 8;
        assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
        assert_int_equal(sustain_context_set_threads(context, cases[i].threads), SUSTAIN_OK);
        assert_int_equal(sustain_pictures_named(context, "generated", NULL, SUSTAIN_SPLIT_TRAINING, &options, &pictures), SUSTAIN_OK);
        if (sustain_meta_create(context, &o, pictures, &meta) != SUSTAIN_OK) fail_msg("%zu: %s", i, sustain_error(context));
        assert_int_equal(sustain_meta_memory(meta, pictures, &trial, &memory), SUSTAIN_OK);
        if (sustain_meta_step(meta, &progress) != SUSTAIN_OK) fail_msg("%zu: %s", i, sustain_error(context));
        assert_int_equal(sustain_meta_evaluate(meta, pictures, &trial, &score), SUSTAIN_OK);
        const double ratio = memory.bytes / (double)context->memory_peak;
        if (!(ratio > 0.8 && ratio < 1.2)) fail_msg("%zu: %.0f bytes estimated, %zu taken", i, memory.bytes, context->memory_peak);
        sustain_context_set_memory_limit(context, context->memory_used + 10000);
        assert_int_equal(sustain_memory_check(context, &memory), SUSTAIN_MEMORY_LIMIT);
        sustain_meta_destroy(meta);
        sustain_pictures_destroy(pictures);
        sustain_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean), cmocka_unit_test(test_refused), cmocka_unit_test(test_select),
        cmocka_unit_test(test_tune),  cmocka_unit_test(test_solvers), cmocka_unit_test(test_meta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
