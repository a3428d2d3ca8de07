/* test_meta.c - meta learning: one task's gradient of every method beside an independent script
 * (tests/golden/meta.py); a resumed run equals an uninterrupted one; models and states as files,
 * and the files that are refused; options that contradict each other; evaluation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sustain/random.h>

#include "core/vector.h"
#include "failing_allocator.h"
#include "meta/meta_internal.h"
#include "precision.h"

#ifndef SUSTAIN_SOURCE_DIR
#define SUSTAIN_SOURCE_DIR "."
#endif

enum { SIDE = 16, FILTERS = 3, WAYS = 3, SHOTS = 2, QUERIES = 2, ALL = WAYS * (SHOTS + QUERIES), LARGEST = 512 };

static char folder[] = "/tmp/test_meta.XXXXXX";
static failing_allocator_state memory;
static sustain_context *context;
static sustain_pictures *training, *test;

static int setup(void **state) {
    const sustain_picture_options options = {.height = SIDE, .width = SIDE};
    (void)state;
    if (mkdtemp(folder) == NULL || sustain_context_create_with(failing_allocator, &memory, &context) != SUSTAIN_OK) return -1;
    if (sustain_pictures_named(context, "generated", NULL, SUSTAIN_SPLIT_TRAINING, &options, &training) != SUSTAIN_OK) return -1;
    return sustain_pictures_named(context, "generated", NULL, SUSTAIN_SPLIT_TEST, &options, &test) == SUSTAIN_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    sustain_pictures_destroy(training);
    sustain_pictures_destroy(test);
    sustain_context_destroy(context);
    return rmdir(folder) == 0 && memory.live == 0 ? 0 : -1;
}

static const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* ---- golden numbers ---- */

/* The rule of meta.py: an integer in 0 .. 4095 from three. */
static int mixed(uint64_t a, uint64_t b, uint64_t c) {
    return (int)((uint32_t)((a * 7919 + b * 104729 + c * 1299709 + 12345) * 2654435761u) >> 20);
}

static void golden_theta(const sustain__setting *s, sustain_real *theta) {
    for (int64_t i = 0; i < s->theta; i++) theta[i] = (sustain_real)(mixed(20, 3, (uint64_t)i + 1) - 2048) / 4096;
    for (int v = 0; v < SUSTAIN__NET_VIEWS; v++) {
        const sustain__view view = sustain__net_view(&s->net, v);
        if (strstr(view.name, "scale") == NULL) continue;
        for (int64_t i = view.offset; i < view.offset + view.count; i++) theta[i] = 1 + theta[i] / 2;
    }
}

enum { TERMS = 4, TERM = 2 }; /* K and k of eq. (7) */

static sustain__setting golden_setting(const char *name) {
    const bool first_order = strcmp(name, "first-order") == 0, series = strcmp(name, "neumann") == 0, direct = strcmp(name, "exact") == 0;
    const bool solved = direct || strcmp(name, "cg") == 0;
    const sustain_pictures like = {.channels = 1, .height = SIDE, .width = SIDE, .classes = WAYS};
    sustain_meta_options o = sustain_meta_defaults();
    int count;
    const sustain_parameter *rows = sustain_meta_parameters(&count);
    assert_int_equal(sustain_parameters_set(context, rows, count, &o, "method",
                                            first_order        ? "maml"
                                            : solved || series ? "sustain"
                                                               : name),
                     SUSTAIN_OK);
    o.width = FILTERS;
    o.ways = WAYS;
    o.inner_steps = 3;
    o.inner_step = 0.4;
    o.lambda = o.method == SUSTAIN_META_ITD_BIO || o.method == SUSTAIN_META_SUSTAIN ? 0.01 : 0;
    o.hypergradient = direct ? SUSTAIN_META_EXACT : solved ? SUSTAIN_META_CG : series ? SUSTAIN_META_NEUMANN : SUSTAIN_META_UNROLL;
    o.tolerance = solved ? 1e-12 : 0;
    o.K = TERMS;
    o.first_order = first_order;
    assert_int_equal(sustain__meta_settle(context, &like, &o), SUSTAIN_OK);
    return sustain__meta_setting(&o, &like);
}

/* The gradient of the golden task at `step` times d from the golden theta. */
static sustain__outcome gradient_at(const char *name, double step, const double *d, int64_t *count, sustain_real *gradient) {
    static uint8_t pixels[ALL][SIDE * SIDE];
    const sustain__setting setting = golden_setting(name);
    const sustain_task_shape shape = {WAYS, SHOTS, QUERIES};
    sustain_real theta[LARGEST];
    sustain__workers workers;
    assert_int_equal(sustain__workers_create(context, &setting, &shape, 2, 1, &workers), SUSTAIN_OK);
    sustain__worker *w = &workers.worker[0];
    w->task.support = WAYS * SHOTS;
    w->task.queries = WAYS * QUERIES;
    for (int p = 0; p < ALL; p++) {
        for (int i = 0; i < SIDE * SIDE; i++) pixels[p][i] = (uint8_t)(mixed((uint64_t)p + 1, (uint64_t)i + 1, 7) % 256);
        w->task.picture[p] = pixels[p];
        w->task.label[p] = p < WAYS * SHOTS ? p / SHOTS : (p - WAYS * SHOTS) / QUERIES;
    }
    assert_true(setting.theta <= LARGEST);
    golden_theta(&setting, theta);
    for (int64_t i = 0; d != NULL && i < setting.theta; i++) theta[i] += (sustain_real)(step * d[i]);
    sustain__zero(LARGEST, gradient);
    const sustain__outcome outcome = setting.method->gradient(w, theta, TERM, gradient);
    sustain__workers_destroy(&workers);
    *count = setting.theta;
    return outcome;
}

static sustain__outcome golden_gradient(const char *name, int64_t *count, sustain_real *gradient) {
    return gradient_at(name, 0, NULL, count, gradient);
}

/* Along random directions, beside differences of the loss; in double, where they are short enough
 * not to meet a kink of ReLU or of pooling. */
static void test_differences(void **state) {
    static const char *const names[] = {"pretrain", "prototype"};
    (void)state;
    if (is_float) skip();
    for (int k = 0; k < 10; k++) {
        const char *name = names[k % 2];
        double d[LARGEST], slope = 0;
        sustain_real gradient[LARGEST], ignored[LARGEST];
        int64_t count;
        for (uint32_t i = 0; i < LARGEST; i++) d[i] = sustain_random_normal(5, 1, (uint64_t)k, i);
        golden_gradient(name, &count, gradient);
        for (int64_t i = 0; i < count; i++) slope += d[i] * (double)gradient[i];
        const double h = 1e-7, above = gradient_at(name, h, d, &count, ignored).loss,
                     below = gradient_at(name, -h, d, &count, ignored).loss;
        const double difference = (above - below) / (2 * h);
        if (!(fabs(slope - difference) < 1e-5 * (1 + fabs(slope)))) fail_msg("%s: %.9g, differences %.9g", name, slope, difference);
    }
}

static void test_golden(void **state) {
    (void)state;
    FILE *file = fopen(SUSTAIN_SOURCE_DIR "/tests/golden/meta.csv", "r");
    assert_non_null(file);
    static char line[16384];
    int rows = 0;
    for (; fgets(line, sizeof line, file) != NULL; rows++) {
        char name[16], quantity[16];
        int used;
        int64_t count = 0, size;
        double expected[LARGEST], scale = 0;
        sustain_real gradient[LARGEST];
        assert_int_equal(sscanf(line, "%15[^,],%15[^,]%n", name, quantity, &used), 2);
        for (char *at = line + used; *at == ',' && count < LARGEST; count++) {
            expected[count] = strtod(at + 1, &at);
            scale = fmax(scale, fabs(expected[count]));
        }
        const sustain__outcome outcome = golden_gradient(name, &size, gradient);
        if (strcmp(quantity, "loss") == 0) {
            assert_true(fabs(outcome.loss - expected[0]) < (is_float ? 1e-4 : 1e-10) * scale);
            continue;
        }
        assert_int_equal(count, size);
        for (int64_t i = 0; i < count; i++)
            if (!(fabs((double)gradient[i] - expected[i]) <= (is_float ? 2e-3 : 1e-8) * scale))
                fail_msg("%s: number %d of the gradient is %.9g, expected %.9g", name, (int)i, (double)gradient[i], expected[i]);
    }
    assert_int_equal(rows, 18);
    fclose(file);
}

/* ---- whole runs ---- */

static sustain_meta_options small(int method) {
    sustain_meta_options o = sustain_meta_defaults();
    o.method = method;
    o.ways = 3;
    o.shots = 2;
    o.queries = 2;
    o.tasks = 19; /* blocks of two, the last of one */
    o.width = 4;
    o.inner_steps = 3;
    o.option = 0;
    o.c_eta = 0.5;
    o.seed = 7;
    if (method == SUSTAIN_META_SOLVER) o.training_tasks = 5, o.tasks = 3;
    return o;
}

static sustain_meta *create(const sustain_meta_options *o) {
    sustain_meta *meta;
    if (sustain_meta_create(context, o, training, &meta) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    return meta;
}

static void steps(sustain_meta *meta, int count) {
    sustain_meta_progress progress;
    for (int i = 0; i < count; i++) assert_int_equal(sustain_meta_step(meta, &progress), SUSTAIN_OK);
}

static void assert_same(const sustain_meta *a, const sustain_meta *b) {
    assert_int_equal(a->setting.theta, b->setting.theta);
    assert_memory_equal(a->theta, b->theta, (size_t)a->setting.theta * sizeof *a->theta);
}

static void test_resume(void **state) {
    (void)state;
    for (int method = 0; method <= SUSTAIN_META_SOLVER; method++) {
        const sustain_meta_options o = small(method);
        sustain_meta *whole = create(&o), *begun = create(&o), *resumed = create(&o);
        steps(whole, 4);
        steps(begun, 2);
        assert_true(sustain_meta_look(begun, 0.5));
        assert_false(sustain_meta_look(begun, 0.25));
        assert_int_equal(sustain_meta_save(begun, path_of("state")), SUSTAIN_OK);
        assert_int_equal(sustain_meta_load(resumed, path_of("state")), SUSTAIN_OK);
        assert_int_equal(sustain_meta_iteration(resumed), 2);
        assert_memory_equal(sustain_meta_best(resumed), sustain_meta_best(begun), sizeof(sustain_meta_record));
        steps(resumed, 2);
        assert_same(resumed, whole);
        sustain_meta_destroy(whole);
        sustain_meta_destroy(begun);
        sustain_meta_destroy(resumed);
    }
    remove(path_of("state"));
}

static void test_training_helps(void **state) {
    (void)state;
    sustain_meta_options o = small(SUSTAIN_META_SUSTAIN);
    const sustain_meta_trial trial = {.tasks = 60, .queries = 5, .stream = 2, .seed = 7};
    sustain_meta_score before, after, centroid, untrained;
    o.option = 1;
    o.width = 8;
    sustain_meta *meta = create(&o);
    assert_int_equal(sustain_meta_evaluate(meta, test, &trial, &before), SUSTAIN_OK);
    steps(meta, 40);
    assert_int_equal(sustain_meta_evaluate(meta, test, &trial, &after), SUSTAIN_OK);
    assert_int_equal(sustain_meta_baselines(meta, test, &trial, &centroid, &untrained), SUSTAIN_OK);
    sustain_meta_destroy(meta);
    assert_memory_equal(&before, &untrained, sizeof before);
    if (!(after.loss < before.loss)) fail_msg("the loss of test queries was %g, is %g", before.loss, after.loss);
    assert_true(centroid.accuracy > 1.0 / 3 && centroid.interval > 0 && isnan(centroid.support_accuracy));
    assert_true(after.support_accuracy > 1.0 / 3 && after.support_interval > 0 && after.support_interval < 0.1);
}

/* Two tasks with the accuracies a and b have the interval 1.96 |a - b| / 2. */
static void test_interval(void **state) {
    (void)state;
    sustain_meta_options o = small(SUSTAIN_META_SUSTAIN);
    sustain_meta *meta = create(&o);
    int differ = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        sustain_meta_trial trial = {.tasks = 1, .queries = 5, .stream = 2, .seed = seed};
        sustain_meta_score one, two;
        assert_int_equal(sustain_meta_evaluate(meta, test, &trial, &one), SUSTAIN_OK);
        trial.tasks = 2;
        assert_int_equal(sustain_meta_evaluate(meta, test, &trial, &two), SUSTAIN_OK);
        assert_true(isnan(one.interval));
        assert_true(fabs(two.interval - 1.96 * fabs(one.accuracy - two.accuracy)) < 1e-6);
        differ += one.accuracy != two.accuracy;
    }
    assert_true(differ > 0);
    sustain_meta_destroy(meta);
}

/* ---- files ---- */

static void test_model(void **state) {
    (void)state;
    const sustain_meta_trial trial = {.tasks = 5, .queries = 3, .stream = 1};
    for (int method = 0; method <= SUSTAIN_META_SOLVER; method++) {
        const sustain_meta_options o = small(method);
        sustain_meta_score score, of_model;
        sustain_meta_progress progress;
        sustain_meta *meta = create(&o), *opened;
        steps(meta, 1);
        assert_int_equal(sustain_meta_write_model(meta, path_of("model")), SUSTAIN_OK);
        if (sustain_meta_open(context, path_of("model"), &opened) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
        assert_int_equal(sustain_meta_evaluate(meta, test, &trial, &score), SUSTAIN_OK);
        assert_int_equal(sustain_meta_evaluate(opened, test, &trial, &of_model), SUSTAIN_OK);
        assert_memory_equal(&score, &of_model, sizeof score);
        assert_string_equal(sustain_meta_method_name(opened), sustain_meta_method_name(meta));
        assert_int_equal(sustain_meta_step(opened, &progress), SUSTAIN_ORDER);
        sustain_meta_destroy(meta);
        sustain_meta_destroy(opened);
    }
    remove(path_of("model"));
}

static bool replace(char *bytes, size_t length, const char *from, const char *to) {
    for (size_t i = 0; i + strlen(from) <= length; i++)
        if (memcmp(bytes + i, from, strlen(from)) == 0) {
            memcpy(bytes + i, to, strlen(to));
            return true;
        }
    return false;
}

/* A file whose words `from` are replaced by `to`, of the same length, is refused with a sentence,
 * beside that about its checksum; `from` NULL: its last number is not finite, "": it is another. */
static void refuses_model(const char *from, const char *to, const char *sentence) {
    static char bytes[32768];
    FILE *file = fopen(path_of("model"), "rb");
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(length < sizeof bytes);
    if (from == NULL) memset(bytes + length - sizeof(sustain_real), 0xff, sizeof(sustain_real));
    if (from != NULL && *from == '\0')
        bytes[length - 2] ^= 1;
    else
        assert_true(replace(bytes, length, "\"checksum\"", "\"no_check\"") && (from == NULL || replace(bytes, length, from, to)));
    file = fopen(path_of("damaged"), "wb");
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
    sustain_meta *meta;
    assert_int_not_equal(sustain_meta_open(context, path_of("damaged"), &meta), SUSTAIN_OK);
    assert_null(meta);
    if (strstr(sustain_error(context), sentence) == NULL) fail_msg("'%s' does not say '%s'", sustain_error(context), sentence);
    remove(path_of("damaged"));
}

static void test_model_refused(void **state) {
    (void)state;
    const sustain_meta_options o = small(SUSTAIN_META_ANIL);
    sustain_meta *meta = create(&o);
    assert_int_equal(sustain_meta_write_model(meta, path_of("model")), SUSTAIN_OK);
    sustain_meta_destroy(meta);
    refuses_model("few-shot model 1", "few-shot model 9", "not a few-shot model");
    refuses_model("\"filters\":\"4\"", "\"filters\":\"5\"",
                  "tensor 'block0.weight' has the shape (4, 3, 3, 3), but the architecture in its metadata requires (5, 3, 3, 3)");
    refuses_model("\"height\":\"16\"", "\"height\":\"06\"", "16");
    refuses_model("block2.scale", "block2.sca1e", "it has no tensor 'block2.scale'");
    refuses_model("head.weight", "head.we1ght", "not those of that method");
    refuses_model("\"ways\":\"3\"", "\"ways\":\"1\"", "is invalid");
    refuses_model("\"ways\":\"3\"", "\"ways\":\"x\"", "it has no number 'ways'");
    refuses_model("\"method\":\"anil\"", "\"method\":\"amil\"", "its method is 'amil'");
    refuses_model("\"adapts\":\"head\"", "\"adapts\":\"tail\"", "no valid 'adapts'");
    refuses_model(NULL, NULL, "not finite");
    refuses_model("", "", "its checksum is not that of its content");
    remove(path_of("model"));
}

/* Every allocation fails once: a status and no leak. A step asks for no memory. */
static void test_memory(void **state) {
    (void)state;
    for (int method = 0; method <= SUSTAIN_META_SOLVER; method++) {
        const sustain_meta_options o = small(method);
        sustain_meta_progress progress;
        sustain_meta *meta = NULL;
        for (int n = 1; meta == NULL; n++) {
            assert_true(n < 200);
            const int64_t live = memory.live;
            memory.fail_at = memory.calls + n;
            const sustain_status status = sustain_meta_create(context, &o, training, &meta);
            memory.fail_at = 0;
            assert_true(status == SUSTAIN_OK || (status == SUSTAIN_MEMORY && meta == NULL && memory.live == live));
        }
        const sustain_meta_trial trial = {.tasks = 2, .queries = 1, .stream = 1};
        sustain_meta_score score;
        sustain_status status = SUSTAIN_MEMORY;
        for (int n = 1; status == SUSTAIN_MEMORY; n++) {
            const int64_t live = memory.live;
            memory.fail_at = memory.calls + n;
            status = sustain_meta_evaluate(meta, test, &trial, &score);
            memory.fail_at = 0;
            assert_int_equal(memory.live, live);
        }
        assert_int_equal(status, SUSTAIN_OK);
        assert_int_equal(sustain_meta_step(meta, &progress), SUSTAIN_OK); /* a solver starts */
        const int64_t calls = memory.calls;
        assert_int_equal(sustain_meta_step(meta, &progress), SUSTAIN_OK);
        assert_int_equal(sustain_meta_step(meta, &progress), SUSTAIN_OK);
        assert_int_equal(memory.calls, calls);
        sustain_meta_destroy(meta);
    }
}

static void test_state_refused(void **state) {
    (void)state;
    sustain_meta_options o = small(SUSTAIN_META_ITD_BIO);
    sustain_meta *meta = create(&o);
    assert_int_equal(sustain_meta_save(meta, path_of("state")), SUSTAIN_OK);
    sustain_meta_destroy(meta);
    o.width = 5;
    meta = create(&o);
    assert_int_equal(sustain_meta_load(meta, path_of("state")), SUSTAIN_MISMATCH);
    assert_non_null(strstr(sustain_error(context), "its width is '4', that of this run is '5'"));
    assert_int_equal(sustain_meta_write_model(meta, path_of("state")), SUSTAIN_OK);
    assert_int_equal(sustain_meta_load(meta, path_of("state")), SUSTAIN_MISMATCH);
    assert_non_null(strstr(sustain_error(context), "its format is 'sustain few-shot model 1', that of this run is 'sustain meta 1'"));
    sustain_meta_destroy(meta);
    remove(path_of("state"));
}

/* ---- options ---- */

static void refuses(const sustain_meta_options *o, const char *sentence) {
    sustain_meta *meta;
    assert_int_not_equal(sustain_meta_create(context, o, training, &meta), SUSTAIN_OK);
    assert_null(meta);
    if (strstr(sustain_error(context), sentence) == NULL) fail_msg("'%s' does not say '%s'", sustain_error(context), sentence);
}

/* `sustain` solves its heads unless inner steps are given; what takes gradient steps on them starts
 * from smaller features. */
static void test_settings(void **state) {
    (void)state;
    const struct {
        const char *dataset;
        int method, given, hypergradient;
        double least_scale;
    } cases[] = {
        {"fc100", SUSTAIN_META_SUSTAIN, SUSTAIN_META_AUTO, SUSTAIN_META_EXACT, 1},
        {"fc100", SUSTAIN_META_MAML, SUSTAIN_META_AUTO, SUSTAIN_META_UNROLL, 0},
        {"fc100", SUSTAIN_META_SUSTAIN, SUSTAIN_META_UNROLL, SUSTAIN_META_UNROLL, 0},
        {"mini-imagenet", SUSTAIN_META_SUSTAIN, SUSTAIN_META_AUTO, SUSTAIN_META_EXACT, 1},
        {"mini-imagenet", SUSTAIN_META_SUSTAIN, SUSTAIN_META_UNROLL, SUSTAIN_META_UNROLL, 0},
        {"mini-imagenet", SUSTAIN_META_SUSTAIN, SUSTAIN_META_NEUMANN, SUSTAIN_META_NEUMANN, 0},
        {"mini-imagenet", SUSTAIN_META_ANIL, SUSTAIN_META_AUTO, SUSTAIN_META_UNROLL, 0},
        {"omniglot", SUSTAIN_META_SUSTAIN, SUSTAIN_META_CG, SUSTAIN_META_CG, 1},
        {NULL, SUSTAIN_META_ITD_BIO, SUSTAIN_META_AUTO, SUSTAIN_META_UNROLL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sustain_meta_options o = sustain_meta_defaults();
        o.dataset = cases[i].dataset;
        o.method = cases[i].method;
        o.hypergradient = cases[i].given;
        sustain_meta *meta = create(&o);
        assert_int_equal(sustain_meta_settled(meta)->hypergradient, cases[i].hypergradient);
        assert_true(sustain_meta_settled(meta)->least_scale == cases[i].least_scale);
        sustain_meta_destroy(meta);
    }
}

static void test_options(void **state) {
    (void)state;
    sustain_meta_options o = small(SUSTAIN_META_ANIL);
    o.hypergradient = SUSTAIN_META_EXACT;
    refuses(&o, "anil differentiates through its inner steps");
    o = small(SUSTAIN_META_SUSTAIN);
    o.tolerance = 1e-3;
    refuses(&o, "leave out tolerance");
    o.hypergradient = SUSTAIN_META_CG;
    o.lambda = 0;
    refuses(&o, "needs lambda above 0");
    o = small(SUSTAIN_META_SUSTAIN);
    o.first_order = true;
    refuses(&o, "first-order is for maml");
    o = small(SUSTAIN_META_SUSTAIN);
    o.tasks = 0;
    refuses(&o, "tasks");
    o = small(SUSTAIN_META_SUSTAIN);
    o.ways = 900;
    refuses(&o, "classes");
    o = small(SUSTAIN_META_ITD_BIO);
    o.inner_steps = 0;
    o.dataset = "fc100";
    sustain_meta *meta = create(&o);
    assert_int_equal(sustain_meta_settled(meta)->inner_steps, 20);
    assert_true(sustain_meta_settled(meta)->outer_step == 0.001 && sustain_meta_settled(meta)->lambda == 0.001);
    sustain_meta_score score;
    const sustain_pictures other = {.channels = 3, .height = 99, .width = 99, .source = "others"};
    assert_int_equal(sustain_meta_evaluate(meta, &other, &(sustain_meta_trial){.tasks = 1, .queries = 1}, &score), SUSTAIN_MISMATCH);
    sustain_meta_destroy(meta);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_differences),    cmocka_unit_test(test_golden),   cmocka_unit_test(test_resume),
        cmocka_unit_test(test_training_helps), cmocka_unit_test(test_model),    cmocka_unit_test(test_model_refused),
        cmocka_unit_test(test_state_refused),  cmocka_unit_test(test_memory),   cmocka_unit_test(test_settings),
        cmocka_unit_test(test_options),        cmocka_unit_test(test_interval),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
