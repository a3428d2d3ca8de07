/* test_fewshot.c - a model at work: beside the evaluation of meta learning on the same tasks;
 * answers that do not depend on other pictures; what is refused; memory. */
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

#include <sustain/fewshot.h>
#include <sustain/meta.h>

#include "failing_allocator.h"

enum { SIDE = 16, WAYS = 3, SHOTS = 2, QUERIES = 4, SUPPORT = WAYS * SHOTS, ASKED = WAYS * QUERIES, TASKS = 6, LONGEST = 1 << 17 };

static failing_allocator_state memory;
static sustain_context *context;
static sustain_pictures *pictures;
static char path[] = "/tmp/test_fewshot.XXXXXX";
static const sustain_task_shape shape = {WAYS, SHOTS, QUERIES};

static int setup(void **state) {
    (void)state;
    const sustain_picture_options options = {.height = SIDE, .width = SIDE};
    const int file = mkstemp(path);
    if (file < 0 || close(file) != 0 || sustain_context_create_with(failing_allocator, &memory, &context) != SUSTAIN_OK) return -1;
    return sustain_pictures_named(context, "generated", NULL, SUSTAIN_SPLIT_TEST, &options, &pictures) == SUSTAIN_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    sustain_pictures_destroy(pictures);
    sustain_context_destroy(context);
    return remove(path) == 0 && memory.live == 0 ? 0 : -1;
}

/* A model of some method, after two steps of training, in the file. */
static void write_model(int method) {
    sustain_meta_options o = sustain_meta_defaults();
    sustain_meta_progress progress;
    sustain_meta *meta;
    o.method = method;
    o.hypergradient = SUSTAIN_META_UNROLL;
    o.ways = WAYS;
    o.shots = SHOTS;
    o.queries = 2;
    o.tasks = 2;
    o.width = 4;
    o.inner_steps = 6;
    o.inner_step = 0.5;
    o.least_scale = 1;
    assert_int_equal(sustain_meta_create(context, &o, pictures, &meta), SUSTAIN_OK);
    for (int t = 0; t < 2; t++) assert_int_equal(sustain_meta_step(meta, &progress), SUSTAIN_OK);
    assert_int_equal(sustain_meta_write_model(meta, path), SUSTAIN_OK);
    sustain_meta_destroy(meta);
}

static sustain_fewshot_model *read_model(int method) {
    sustain_fewshot_model *model;
    write_model(method);
    assert_int_equal(sustain_fewshot_model_read(context, path, &model), SUSTAIN_OK);
    return model;
}

/* A task of the set: bytes and labels. */
typedef struct task {
    const uint8_t *support[SUPPORT], *query[ASKED];
    int32_t label[SUPPORT], asked[ASKED];
} task;

static task draw(uint64_t number) {
    task t;
    int64_t support[SUPPORT], query[ASKED], classes[WAYS];
    sustain_task_draw(pictures, &shape, 100, 2, number, support, query, classes);
    for (int i = 0; i < SUPPORT; i++) {
        t.support[i] = sustain_picture_pixels(pictures, support[i]);
        t.label[i] = i / SHOTS;
    }
    for (int i = 0; i < ASKED; i++) {
        t.query[i] = sustain_picture_pixels(pictures, query[i]);
        t.asked[i] = i / QUERIES;
    }
    return t;
}

static int best(const sustain_real *p) {
    int most = 0;
    double sum = 0;
    for (int c = 0; c < WAYS; c++) {
        assert_true(p[c] >= 0 && p[c] <= 1);
        sum += (double)p[c];
        if (p[c] > p[most]) most = c;
    }
    assert_true(fabs(sum - 1) < 1e-5);
    return most;
}

/* The accuracy is that of sustain_meta_evaluate() on the same tasks, with both kinds of statistics,
 * for every method. */
static void test_same_as_evaluation(void **state) {
    (void)state;
    for (int method = SUSTAIN_META_ANIL; method <= SUSTAIN_META_PROTOTYPE; method++) {
        const sustain_meta_trial trial = {.tasks = TASKS, .queries = QUERIES, .seed = 100, .stream = 2};
        sustain_fewshot_model *model = read_model(method);
        sustain_fewshot *f;
        sustain_meta *meta;
        sustain_meta_score score;
        assert_int_equal(sustain_meta_open(context, path, &meta), SUSTAIN_OK);
        assert_int_equal(sustain_meta_evaluate(meta, pictures, &trial, &score), SUSTAIN_OK);
        assert_int_equal(sustain_fewshot_create(context, model, WAYS, SUPPORT + ASKED, &f), SUSTAIN_OK);
        int apart = 0, together = 0;
        for (uint64_t t = 0; t < TASKS; t++) {
            const task now = draw(t);
            sustain_real p[ASKED * WAYS], one[WAYS];
            assert_int_equal(sustain_fewshot_predict_together(f, now.support, now.label, SUPPORT, now.query, ASKED, p), SUSTAIN_OK);
            for (int i = 0; i < ASKED; i++) together += best(p + i * WAYS) == now.asked[i];
            assert_int_equal(sustain_fewshot_predict(f, now.query[0], one), SUSTAIN_ORDER);
            assert_int_equal(sustain_fewshot_adapt(f, now.support, now.label, SUPPORT), SUSTAIN_OK);
            for (int i = 0; i < ASKED; i++) {
                assert_int_equal(sustain_fewshot_predict(f, now.query[i], one), SUSTAIN_OK);
                apart += best(one) == now.asked[i];
            }
        }
        assert_true(fabs(score.accuracy - together / (double)(TASKS * ASKED)) < 1e-9);
        assert_true(fabs(score.support_accuracy - apart / (double)(TASKS * ASKED)) < 1e-9);
        sustain_meta_destroy(meta);
        sustain_fewshot_destroy(f);
        sustain_fewshot_model_destroy(model);
    }
}

static bool same(const sustain_real *a, const sustain_real *b, size_t count) {
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* An answer has the same bits whatever was asked or adapted before, and neither asking nor adapting
 * asks for memory. */
static void check_alone(int method) {
    sustain_fewshot_model *model = read_model(method);
    sustain_fewshot *f, *fresh;
    const task first = draw(0), second = draw(1);
    sustain_real p[WAYS], again[WAYS];
    assert_int_equal(sustain_fewshot_create(context, model, WAYS, SUPPORT, &f), SUSTAIN_OK);
    assert_int_equal(sustain_fewshot_create(context, model, WAYS, 2 * SUPPORT, &fresh), SUSTAIN_OK);
    const int64_t calls = memory.calls;
    assert_int_equal(sustain_fewshot_adapt(f, first.support, first.label, SUPPORT), SUSTAIN_OK);
    assert_int_equal(sustain_fewshot_predict(f, first.query[1], p), SUSTAIN_OK);
    assert_int_equal(sustain_fewshot_adapt(f, second.support, second.label, SUPPORT), SUSTAIN_OK);
    for (int i = 0; i < ASKED; i++) assert_int_equal(sustain_fewshot_predict(f, second.query[i], p), SUSTAIN_OK);
    assert_int_equal(sustain_fewshot_adapt(fresh, second.support, second.label, SUPPORT), SUSTAIN_OK);
    assert_int_equal(sustain_fewshot_predict(fresh, second.query[ASKED - 1], again), SUSTAIN_OK);
    assert_int_equal(memory.calls, calls);
    assert_true(same(p, again, WAYS));
    sustain_fewshot_destroy(f);
    sustain_fewshot_destroy(fresh);
    sustain_fewshot_model_destroy(model);
}

static void test_alone(void **state) {
    (void)state;
    for (int method = SUSTAIN_META_ANIL; method <= SUSTAIN_META_PROTOTYPE; method++) check_alone(method);
}

static void test_features(void **state) {
    (void)state;
    sustain_fewshot_model *model = read_model(SUSTAIN_META_MAML);
    const sustain_fewshot_about about = sustain_fewshot_model_about(model);
    sustain_fewshot *f;
    const task now = draw(0);
    sustain_real a[64], b[64];
    assert_true(about.features == 4 && about.channels == 3 && about.height == SIDE && about.width == SIDE && about.ways == WAYS);
    assert_true(about.fixed_ways && about.whole && about.parameters == 4 * 27 + 8 + 3 * (4 * 36 + 8));
    assert_string_equal(about.method, "maml");
    assert_int_equal(sustain_fewshot_create(context, model, WAYS, SUPPORT, &f), SUSTAIN_OK);
    assert_int_equal(sustain_fewshot_features(f, now.query[0], a), SUSTAIN_ORDER);
    assert_int_equal(sustain_fewshot_normalize(f, now.support, SUPPORT), SUSTAIN_OK);
    assert_int_equal(sustain_fewshot_features(f, now.query[0], a), SUSTAIN_OK);
    assert_int_equal(sustain_fewshot_adapt(f, now.support, now.label, SUPPORT), SUSTAIN_OK);
    assert_int_equal(sustain_fewshot_features(f, now.query[0], b), SUSTAIN_OK);
    assert_false(same(a, b, 4)); /* the backbone has moved */
    assert_int_equal(sustain_fewshot_normalize(f, now.support, SUPPORT), SUSTAIN_OK);
    assert_int_equal(sustain_fewshot_features(f, now.query[0], b), SUSTAIN_OK);
    assert_true(same(a, b, 4));
    assert_int_equal(sustain_fewshot_predict(f, now.query[0], b), SUSTAIN_ORDER);
    sustain_fewshot_destroy(f);
    sustain_fewshot_model_destroy(model);
}

static void refuses(sustain_status status, sustain_status expected, const char *sentence) {
    assert_int_equal(status, expected);
    if (strstr(sustain_error(context), sentence) == NULL) fail_msg("'%s' does not say '%s'", sustain_error(context), sentence);
}

static void test_refusals(void **state) {
    (void)state;
    sustain_fewshot_model *model = read_model(SUSTAIN_META_ANIL), *none;
    sustain_fewshot *f;
    task now = draw(0);
    sustain_real p[WAYS];
    refuses(sustain_fewshot_model_read(context, "/none", &none), SUSTAIN_IO, "/none");
    assert_null(none);
    refuses(sustain_fewshot_create(context, model, WAYS + 1, 9, &f), SUSTAIN_ARGUMENT, "has a learned start for 3 classes");
    refuses(sustain_fewshot_create(context, model, WAYS, WAYS - 1, &f), SUSTAIN_ARGUMENT, "3 classes, 2 pictures were asked for");
    assert_null(f);
    assert_int_equal(sustain_fewshot_create(context, model, WAYS, SUPPORT, &f), SUSTAIN_OK);
    refuses(sustain_fewshot_adapt(f, now.support, now.label, SUPPORT + 1), SUSTAIN_ARGUMENT, "7 pictures are too many");
    refuses(sustain_fewshot_predict_together(f, now.support, now.label, SUPPORT, now.query, 1, p), SUSTAIN_ARGUMENT, "too many");
    refuses(sustain_fewshot_adapt(f, now.support, now.label, SUPPORT - SHOTS), SUSTAIN_ARGUMENT, "class 2 has no picture to learn from");
    refuses(sustain_fewshot_normalize(f, now.support, 0), SUSTAIN_ARGUMENT, "from 1 to 6");
    now.label[1] = WAYS;
    refuses(sustain_fewshot_adapt(f, now.support, now.label, SUPPORT), SUSTAIN_ARGUMENT,
            "picture 1 has the label 3: labels of 3 classes are 0 to 2");
    sustain_fewshot_destroy(f);
    sustain_fewshot_model_destroy(model);
}

/* A head that starts at zero tells any number of classes apart: here two of the three. */
static void test_other_ways(void **state) {
    (void)state;
    enum { TWO = 2, LEARNED = TWO * SHOTS };
    sustain_fewshot_model *model = read_model(SUSTAIN_META_ITD_BIO);
    sustain_fewshot *f;
    int right = 0;
    assert_int_equal(sustain_fewshot_create(context, model, TWO, LEARNED, &f), SUSTAIN_OK);
    for (uint64_t t = 0; t < TASKS; t++) {
        const task now = draw(t);
        sustain_real p[TWO];
        assert_int_equal(sustain_fewshot_adapt(f, now.support, now.label, LEARNED), SUSTAIN_OK);
        for (int i = 0; i < LEARNED; i++) {
            assert_int_equal(sustain_fewshot_predict(f, now.support[i], p), SUSTAIN_OK);
            right += (p[1] > p[0]) == now.label[i];
        }
    }
    assert_true(right >= TASKS * LEARNED * 3 / 4); /* of what it has learned from; chance has half of them right */
    sustain_fewshot_destroy(f);
    sustain_fewshot_model_destroy(model);
}

/* A file that is cut anywhere is refused; every allocation fails in turn; both leave nothing
 * behind. */
static void test_cut_and_memory(void **state) {
    (void)state;
    static unsigned char bytes[LONGEST];
    write_model(SUSTAIN_META_MAML);
    FILE *file = fopen(path, "rb");
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(length < sizeof bytes);
    const int64_t live = memory.live;
    sustain_fewshot_model *model = NULL;
    sustain_fewshot *f = NULL;
    for (size_t cut = 0; cut < length; cut++) {
        unsigned char *piece = malloc(cut + 1);
        assert_non_null(piece);
        memcpy(piece, bytes, cut);
        refuses(sustain_fewshot_model_parse(context, "cut", piece, cut, &model), SUSTAIN_FORMAT, "cut: ");
        assert_true(model == NULL && memory.live == live);
        free(piece);
    }
    int failures = 0;
    for (; f == NULL; failures++) {
        memory.fail_at = memory.calls + failures + 1;
        sustain_status status = sustain_fewshot_model_parse(context, "model", bytes, length, &model);
        if (status == SUSTAIN_OK) status = sustain_fewshot_create(context, model, WAYS, SUPPORT, &f);
        if (status == SUSTAIN_OK) continue;
        assert_int_equal(status, SUSTAIN_MEMORY);
        sustain_fewshot_model_destroy(model);
        assert_int_equal(memory.live, live);
    }
    memory.fail_at = 0;
    assert_true(failures > 8);
    sustain_fewshot_destroy(f);
    sustain_fewshot_model_destroy(model);
    assert_int_equal(memory.live, live);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_evaluation), cmocka_unit_test(test_alone),      cmocka_unit_test(test_features),
        cmocka_unit_test(test_refusals),           cmocka_unit_test(test_other_ways), cmocka_unit_test(test_cut_and_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
