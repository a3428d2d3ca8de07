/* test_cancel.c - long calls of every part of the library are stopped at the n-th question of the
 * hook, for many n: nothing leaks, objects stay usable, and what is called again gives the bits of
 * a call that was never stopped. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sustain/fewshot.h>
#include <sustain/learn.h>
#include <sustain/meta.h>
#include <sustain/sustain.h>

#include "conformance.h"

#ifndef SUSTAIN_SOURCE_DIR
#define SUSTAIN_SOURCE_DIR "."
#endif

/* ---- the hook ---- */

typedef struct hook {
    int64_t asked, yes_at; /* 0: never */
    double last, longest;  /* CPU seconds of this thread between two questions */
} hook;

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ask(void *user) {
    hook *h = user;
    const double now = cpu_seconds();
    if (h->asked > 0) h->longest = fmax(h->longest, now - h->last);
    h->last = now;
    return ++h->asked == h->yes_at;
}

/* Which questions are answered by yes: all of the first few, then ever fewer. */
static int64_t next_question(int64_t n) {
    return n < 12 ? n + 1 : n + 1 + n * 2 / 3;
}

/* ---- calls that make something and free it ---- */

enum { MOST = 1 << 16 };

/* What a call computed, as bytes, for comparison. */
typedef struct answer {
    size_t length;
    unsigned char bytes[MOST];
} answer;

static void put(answer *a, const void *bytes, size_t length) {
    assert_true(a->length + length <= MOST);
    memcpy(a->bytes + a->length, bytes, length);
    a->length += length;
}

static bench b;
static char folder[] = "/tmp/test_cancel.XXXXXX";

static const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

typedef sustain_status call(sustain_context *context, answer *out);

static void stop_everywhere(const char *name, call *c, int64_t least_questions) {
    static answer whole, again;
    failing_allocator_state memory = {0};
    sustain_context *context;
    hook h = {.yes_at = 0};
    assert_int_equal(sustain_context_create_with(failing_allocator, &memory, &context), SUSTAIN_OK);
    whole.length = 0;
    sustain_context_set_cancel(context, ask, &h);
    if (c(context, &whole) != SUSTAIN_OK) fail_msg("%s: %s", name, sustain_error(context));
    const int64_t questions = h.asked, live = memory.live;
    if (questions < least_questions) fail_msg("%s asks %lld times", name, (long long)questions);
    for (int64_t n = 1; n <= questions; n = next_question(n)) { /* n = 1, 5, 9, 21, ...: then called again */
        h = (hook){.yes_at = n};
        again.length = 0;
        const sustain_status status = c(context, &again);
        if (status != SUSTAIN_CANCELLED || h.asked < n)
            fail_msg("%s, stopped at question %lld of %lld: status %s after %lld", name, (long long)n, (long long)questions,
                     sustain_status_name(status), (long long)h.asked);
        assert_string_equal(sustain_error(context), sustain_status_text(SUSTAIN_CANCELLED));
        assert_int_equal(memory.live, live);
        if (n % 4 != 1) continue; /* a whole call costs more than one that is stopped */
        h = (hook){.yes_at = 0};
        again.length = 0;
        assert_int_equal(c(context, &again), SUSTAIN_OK);
        if (again.length != whole.length || memcmp(again.bytes, whole.bytes, whole.length) != 0)
            fail_msg("%s: other bits after it was stopped at question %lld", name, (long long)n);
    }
    sustain_context_destroy(context);
    assert_int_equal(memory.live, 0);
}

/* ---- the optimizer ---- */

static sustain_status solve_auto(sustain_context *context, answer *out) {
    sustain_solver *solver;
    sustain_result r;
    sustain_status status = sustain_solver_create(context, "auto", b.sum, &solver);
    if (status == SUSTAIN_OK) status = sustain_solver_run(solver, &(sustain_stopping){.iterations = 5}, &r);
    if (status == SUSTAIN_OK) put(out, r.x, (size_t)b.sum->upper_dim * sizeof *r.x);
    sustain_solver_destroy(solver);
    return status;
}

static sustain_status hypergradient(sustain_context *context, answer *out, sustain_inverse inverse) {
    sustain_real x[64] = {0}, y[64] = {0}, gradient[64] = {0};
    assert_true(b.sum->upper_dim <= 64 && b.sum->lower_dim <= 64);
    sustain_status status = sustain_lower_solve(context, b.sum, NULL, x, 1e-3, y);
    if (status == SUSTAIN_OK) status = sustain_hypergradient(context, b.sum, NULL, NULL, x, y, inverse, 1e-4, gradient);
    if (status == SUSTAIN_OK) put(out, gradient, sizeof gradient), put(out, y, sizeof y);
    return status;
}

static sustain_status by_cholesky(sustain_context *context, answer *out) {
    return hypergradient(context, out, SUSTAIN_INVERSE_CHOLESKY);
}

static sustain_status by_cg(sustain_context *context, answer *out) {
    return hypergradient(context, out, SUSTAIN_INVERSE_CG);
}

static sustain_status estimate(sustain_context *context, answer *out) {
    sustain_constants c = sustain_constants_unknown();
    sustain_real *x = calloc((size_t)b.cleaning->upper_dim, sizeof *x), *y = calloc((size_t)b.cleaning->lower_dim, sizeof *y);
    const sustain_status status = sustain_estimate_constants(context, b.cleaning, 8, 3, x, y, &c);
    if (status == SUSTAIN_OK) put(out, &c, sizeof c);
    free(x), free(y);
    return status;
}

static sustain_status check(sustain_context *context, answer *out) {
    sustain_check_report report;
    const sustain_status status = sustain_check_problem(context, b.stream, NULL, NULL, 4, 1, &report);
    if (status == SUSTAIN_OK) put(out, &report.failed, sizeof report.failed);
    return status;
}

static void test_optimizer(void **state) {
    (void)state;
    bench_open(&b);
    stop_everywhere("auto", solve_auto, 100);
    stop_everywhere("Cholesky", by_cholesky, 10);
    stop_everywhere("conjugate gradient", by_cg, 10);
    stop_everywhere("estimates", estimate, 10);
    stop_everywhere("check", check, 100);
    bench_close(&b);
}

/* ---- solvers that go on ---- */

/* All fields but the time. */
static void put_state(sustain_solver *solver, answer *out) {
    int count;
    const sustain_field *field = sustain_solver_state(solver, &count);
    for (int i = 0; i < count; i++)
        if (strstr(field[i].name, "seconds") == NULL) put(out, field[i].data, (size_t)field[i].count * sustain_field_size(field[i].type));
}

static const char *const small_steps[] = {"schedule", "power", "alpha", "0.01", "beta", "0.05", "L_g",
                                          "10",       "mu_g",  "0.5",   "seed", "3",    NULL};

static int64_t run_with(const sustain_solver_info *info, const sustain_problem *problem, const char *const *pairs, int64_t yes_at,
                        answer *out) {
    const sustain_stopping stopping = {.iterations = 12, .every = 5};
    sustain_solver *solver;
    sustain_result r;
    hook h = {.yes_at = yes_at};
    out->length = 0;
    assert_int_equal(sustain_solver_create(b.context, info->name, problem, &solver), SUSTAIN_OK);
    set_all(solver, pairs);
    sustain_context_set_cancel(b.context, ask, &h);
    sustain_status status = sustain_solver_run(solver, &stopping, &r);
    if (yes_at > 0) {
        if (status != SUSTAIN_CANCELLED) fail_msg("%s, question %lld: %s", info->name, (long long)yes_at, sustain_error(b.context));
        assert_int_equal(r.stop, SUSTAIN_STOP_NONE);
        status = sustain_solver_run(solver, &stopping, &r);
    }
    sustain_context_set_cancel(b.context, NULL, NULL);
    if (status != SUSTAIN_OK) fail_msg("%s: %s", info->name, sustain_error(b.context));
    assert_int_equal(r.stop, SUSTAIN_STOP_ITERATIONS);
    put(out, &r.upper_value, sizeof r.upper_value);
    put(out, &r.counts, sizeof r.counts);
    put_state(solver, out);
    sustain_solver_destroy(solver);
    return h.asked;
}

static void test_solvers_go_on(void **state) {
    (void)state;
    static answer whole, stopped;
    bench_open(&b);
    EACH_SOLVER_AND_PROBLEM (info, on) {
        const int64_t questions = run_with(info, on.problem, small_steps, 0, &whole);
        assert_true(questions >= 12);
        for (int64_t n = 1; n <= questions; n = next_question(n)) {
            run_with(info, on.problem, small_steps, n, &stopped);
            if (stopped.length != whole.length || memcmp(stopped.bytes, whole.bytes, whole.length) != 0)
                fail_msg("%s on %s: stopped at question %lld of %lld and resumed, it comes to another state", info->name, on.name,
                         (long long)n, (long long)questions);
        }
    }
    bench_close(&b);
}

/* An L_g that is too small: the step of y is halved in the middle of an iteration. One that is
 * stopped after that, and repeated, begins with the step that it had. */
static void test_halved_steps(void **state) {
    (void)state;
    static const char *const pairs[] = {"schedule", "auto", "L_g", "0.5", "seed", "3", NULL}, *const names[] = {"aid-cg", "bome"};
    static answer whole, stopped;
    bench_open(&b);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const sustain_solver_info info = {.name = names[i]};
        const int64_t questions = run_with(&info, b.sum, pairs, 0, &whole);
        for (int64_t n = 1; n <= questions; n++) {
            run_with(&info, b.sum, pairs, n, &stopped);
            if (stopped.length != whole.length || memcmp(stopped.bytes, whole.bytes, whole.length) != 0)
                fail_msg("%s: stopped at question %lld of %lld and resumed, it comes to another state", names[i], (long long)n,
                         (long long)questions);
        }
    }
    bench_close(&b);
}

/* ---- learning ---- */

enum { ROWS = 240, DIM = 4, CLASSES = 3 };
static float features[ROWS * DIM];
static int32_t labels[ROWS], signs[ROWS];

static void make_rows(void) {
    for (uint32_t i = 0; i < ROWS; i++) {
        labels[i] = (int32_t)(i % CLASSES);
        signs[i] = i % 2 == 0 ? 1 : -1;
        for (uint32_t j = 0; j < DIM; j++)
            features[i * DIM + j] = (float)(sustain_random_normal(5, 1, i, j) + (j == (uint32_t)labels[i] ? 1.5 : 0) + 0.3 * signs[i]);
    }
}

static sustain_rows some_rows(int first, int count, const int32_t *of) {
    return (sustain_rows){.count = count, .dim = DIM, .values = features + first * DIM, .labels = of + first};
}

static sustain_status softmax_of(sustain_context *context, const sustain_rows *rows, answer *out) {
    sustain_softmax_options options = sustain_softmax_defaults();
    options.classes = CLASSES;
    sustain_real y[CLASSES * (DIM + 1)] = {0};
    float p[ROWS * CLASSES];
    sustain_status status = sustain_softmax_fit(context, &options, &(sustain_softmax_part){.rows = rows}, 1, y);
    if (status == SUSTAIN_OK) status = sustain_softmax_predict(context, &options, rows, y, p, NULL);
    if (status == SUSTAIN_OK) put(out, p, sizeof p);
    return status;
}

static sustain_status softmax(sustain_context *context, answer *out) {
    const sustain_rows rows = some_rows(0, ROWS, labels);
    return softmax_of(context, &rows, out);
}

/* The same rows in CSR form. */
static sustain_status softmax_sparse(sustain_context *context, answer *out) {
    int64_t start[ROWS + 1];
    int32_t columns[ROWS * DIM];
    for (int i = 0; i <= ROWS; i++) start[i] = i * DIM;
    for (int k = 0; k < ROWS * DIM; k++) columns[k] = k % DIM;
    const sustain_rows rows = {.count = ROWS, .dim = DIM, .values = features, .start = start, .columns = columns, .labels = labels};
    return softmax_of(context, &rows, out);
}

static sustain_status clean_with(sustain_context *context, const int32_t *verified, answer *out) {
    const sustain_rows training = some_rows(0, 180, labels), trusted = some_rows(180, 60, labels);
    sustain_clean_options options = sustain_clean_defaults();
    sustain_clean *job;
    sustain_result run;
    sustain_clean_result result;
    options.classes = CLASSES;
    options.verified = verified;
    sustain_status status = sustain_clean_create(context, &options, &training, &trusted, &job);
    if (status == SUSTAIN_OK) {
        status = sustain_solver_run(sustain_clean_solver(job), &(sustain_stopping){.iterations = 30}, &run);
        if (status == SUSTAIN_OK) status = sustain_clean_finish(job, run.x, run.y, &result);
        if (status == SUSTAIN_OK) put(out, result.quality, 180 * sizeof *result.quality);
    }
    sustain_clean_destroy(job);
    return status;
}

static sustain_status clean(sustain_context *context, answer *out) {
    return clean_with(context, NULL, out);
}

/* A third of the rows verified, some of them with another label: the noise is that of their
 * model. */
static sustain_status clean_verified(sustain_context *context, answer *out) {
    int32_t verified[180];
    for (int i = 0; i < 180; i++) verified[i] = i % 3 > 0 ? -1 : i % 5 > 0 ? labels[i] : (labels[i] + 1) % CLASSES;
    return clean_with(context, verified, out);
}

static sustain_status annotators(sustain_context *context, answer *out) {
    sustain_annotation given[3 * ROWS];
    float posterior[ROWS * CLASSES];
    sustain_annotators_options options = sustain_annotators_defaults();
    options.rows = ROWS, options.annotators = 3, options.classes = CLASSES;
    for (int i = 0; i < 3 * ROWS; i++)
        given[i] = (sustain_annotation){.row = i / 3, .annotator = i % 3, .label = (labels[i / 3] + (i % 7 == 0)) % CLASSES};
    const sustain_status status = sustain_annotators_estimate(context, &options, given, 3 * ROWS, posterior, NULL);
    if (status == SUSTAIN_OK) put(out, posterior, sizeof posterior);
    return status;
}

static sustain_status tune(sustain_context *context, answer *out) {
    const sustain_rows training = some_rows(0, 120, signs), validation = some_rows(120, 60, signs), watched = some_rows(180, 60, signs);
    sustain_tune_options options = sustain_tune_defaults();
    sustain_tune *job;
    sustain_result run;
    sustain_tune_result result;
    options.watched = &watched;
    sustain_status status = sustain_tune_create(context, &options, &training, &validation, &job);
    if (status == SUSTAIN_OK) status = sustain_tune_start(job);
    if (status == SUSTAIN_OK) {
        sustain_stopping stopping = sustain_tune_stopping(job);
        stopping.iterations = 3;
        status = sustain_solver_run(sustain_tune_solver(job), &stopping, &run);
    }
    if (status == SUSTAIN_OK) status = sustain_tune_finish(job, &run, &result);
    if (status == SUSTAIN_OK) put(out, result.y, (DIM + 1) * sizeof *result.y);
    sustain_tune_destroy(job);
    return status;
}

static void test_learning(void **state) {
    (void)state;
    make_rows();
    stop_everywhere("softmax", softmax, 5);
    stop_everywhere("softmax of sparse rows", softmax_sparse, 30);
    stop_everywhere("clean", clean, 100);
    stop_everywhere("clean with verified rows", clean_verified, 100);
    stop_everywhere("tune", tune, 100);
    stop_everywhere("annotators", annotators, 20);
}

/* ---- files ---- */

static sustain_status read_set(sustain_context *context, const char *name, const sustain_read_options *options, answer *out) {
    sustain_dataset *set = NULL;
    sustain_scaling *scaling = NULL;
    sustain_status status = sustain_dataset_read(context, path_of(name), options, &set);
    if (status == SUSTAIN_OK) status = sustain_scaling_create(set, SUSTAIN_SCALING_AUTO, &scaling);
    sustain_scaling_destroy(scaling), scaling = NULL;
    if (status == SUSTAIN_OK) status = sustain_scaling_create(set, SUSTAIN_SCALING_ON, &scaling);
    if (status == SUSTAIN_OK) status = sustain_scaling_apply(scaling, set);
    if (status == SUSTAIN_OK) put(out, &set->rows.count, sizeof set->rows.count);
    sustain_scaling_destroy(scaling);
    sustain_dataset_destroy(set);
    return status;
}

static sustain_status read_csv(sustain_context *context, answer *out) {
    return read_set(context, "rows.csv", &(sustain_read_options){.label_column = "y"}, out);
}

static sustain_status read_libsvm(sustain_context *context, answer *out) {
    return read_set(context, "rows.svm", NULL, out);
}

static sustain_status read_npy(sustain_context *context, answer *out) {
    return read_set(context, "rows.npy", NULL, out);
}

static sustain_status read_packed(sustain_context *context, answer *out) {
    return read_set(context, "rows.csv.gz", &(sustain_read_options){.label_column = "y"}, out);
}

static sustain_status make_generated(sustain_context *context, answer *out) {
    sustain_dataset *set;
    const sustain_status status = sustain_generated_create(context, 300, 1, &set);
    if (status == SUSTAIN_OK) put(out, set->rows.bytes, 300 * 10);
    sustain_dataset_destroy(set);
    return status;
}

static sustain_status make_pictures(sustain_context *context, answer *out) {
    const sustain_picture_options options = {.height = 8, .width = 8};
    sustain_pictures *set = NULL;
    const sustain_status status = sustain_pictures_named(context, "generated", NULL, SUSTAIN_SPLIT_TEST, &options, &set);
    if (status == SUSTAIN_OK) put(out, set->pixels, 4096);
    sustain_pictures_destroy(set);
    return status;
}

static void write_rows(void) {
    FILE *csv = fopen(path_of("rows.csv"), "w");
    FILE *svm = fopen(path_of("rows.svm"), "w");
    assert_true(csv != NULL && svm != NULL);
    fprintf(csv, "a,b,y\n");
    for (int i = 0; i < 1000; i++) {
        fprintf(csv, "%d.5,%d,%d\n", i, i * i % 17, i % 3);
        fprintf(svm, "%d 1:%d.5 2:%d\n", i % 3, i, i * i % 17 + 1);
    }
    fclose(csv), fclose(svm);
    char command[256];
    snprintf(command, sizeof command, "gzip -c %s/rows.csv > %s/rows.csv.gz", folder, folder);
    assert_int_equal(system(command), 0);
    FILE *npy = fopen(path_of("rows.npy"), "wb");
    static const char head[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (100, 4), }";
    unsigned char begin[128];
    double values[400];
    memset(begin, ' ', sizeof begin);
    memcpy(begin, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(begin + 10, head, sizeof head - 1);
    begin[127] = '\n';
    for (int i = 0; i < 400; i++) values[i] = i;
    assert_non_null(npy);
    fwrite(begin, 1, sizeof begin, npy);
    fwrite(values, sizeof *values, 400, npy);
    fclose(npy);
}

static void test_files(void **state) {
    (void)state;
    assert_non_null(mkdtemp(folder));
    write_rows();
    stop_everywhere("CSV", read_csv, 20);
    stop_everywhere("LIBSVM", read_libsvm, 15);
    stop_everywhere("NPY", read_npy, 3);
    stop_everywhere("gzip", read_packed, 20);
    stop_everywhere("generated", make_generated, 4);
    stop_everywhere("pictures", make_pictures, 10);
    static const char *const names[] = {"rows.csv", "rows.svm", "rows.npy", "rows.csv.gz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_int_equal(unlink(path_of(names[i])), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* ---- few-shot learning ---- */

static int method;

static sustain_context *context_of_pictures;
static sustain_pictures *set; /* made once: test_files stops that call */

static int setup(void **state) {
    (void)state;
    const sustain_picture_options size = {.height = 16, .width = 16};
    if (sustain_context_create(&context_of_pictures) != SUSTAIN_OK) return -1;
    return sustain_pictures_named(context_of_pictures, "generated", NULL, SUSTAIN_SPLIT_TEST, &size, &set) == SUSTAIN_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    sustain_pictures_destroy(set);
    sustain_context_destroy(context_of_pictures);
    return 0;
}

/* Two iterations and an evaluation. */
static sustain_status train(sustain_context *context, answer *out) {
    sustain_meta *meta = NULL;
    sustain_meta_progress p;
    sustain_meta_score score;
    sustain_meta_options o = sustain_meta_defaults();
    o.method = method, o.ways = 3, o.shots = 1, o.queries = 1, o.tasks = 3, o.width = 2, o.inner_steps = 2, o.inner_step = 0.1;
    o.outer_step = 0.01;
    sustain_status status = sustain_meta_create(context, &o, set, &meta);
    for (int t = 0; t < 2 && status == SUSTAIN_OK; t++) status = sustain_meta_step(meta, &p);
    if (status == SUSTAIN_OK)
        status = sustain_meta_evaluate(meta, set, &(sustain_meta_trial){.tasks = 4, .queries = 1, .stream = 1}, &score);
    if (status == SUSTAIN_OK) put(out, &p, sizeof p), put(out, &score, sizeof score);
    sustain_meta_destroy(meta);
    return status;
}

/* The same state, iteration by iteration, where one was stopped. */
static void test_training_goes_on(void **state) {
    (void)state;
    for (method = SUSTAIN_META_ANIL; method <= SUSTAIN_META_SUSTAIN; method++) {
        sustain_context *context;
        double losses[2] = {0, 0};
        assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
        for (int stopped = 0; stopped < 2; stopped++) {
            sustain_meta *meta;
            sustain_meta_progress p;
            sustain_meta_options o = sustain_meta_defaults();
            o.method = method, o.ways = 3, o.shots = 1, o.queries = 1, o.tasks = 3, o.width = 2, o.inner_steps = 2, o.inner_step = 0.1;
            o.outer_step = 0.01, o.option = 0;
            assert_int_equal(sustain_meta_create(context, &o, set, &meta), SUSTAIN_OK);
            for (int t = 0; t < 3; t++) {
                hook h = {.yes_at = t + 2};
                sustain_context_set_cancel(context, ask, &h);
                if (stopped) assert_int_equal(sustain_meta_step(meta, &p), SUSTAIN_CANCELLED);
                sustain_context_set_cancel(context, NULL, NULL);
                assert_int_equal(sustain_meta_iteration(meta), t);
                assert_int_equal(sustain_meta_step(meta, &p), SUSTAIN_OK);
            }
            losses[stopped] = p.loss;
            sustain_meta_destroy(meta);
        }
        assert_memory_equal(&losses[0], &losses[1], sizeof losses[0]);
        sustain_context_destroy(context);
    }
}

static sustain_status adapt(sustain_context *context, answer *out) {
    sustain_fewshot_model *model = NULL;
    sustain_fewshot *classifier = NULL;
    sustain_status status = sustain_fewshot_model_read(context, SUSTAIN_SOURCE_DIR "/examples/fewshot.safetensors", &model);
    const sustain_fewshot_about about = sustain_fewshot_model_about(model);
    const int64_t ways = about.ways, size = about.channels * about.height * about.width;
    if (status == SUSTAIN_OK) status = sustain_fewshot_create(context, model, ways, ways, &classifier);
    if (status == SUSTAIN_OK) {
        uint8_t *pixels = malloc((size_t)(ways * size));
        const uint8_t **pictures = malloc((size_t)ways * sizeof *pictures);
        int32_t *numbers = malloc((size_t)ways * sizeof *numbers);
        sustain_real p[64];
        for (int64_t i = 0; i < ways * size; i++) pixels[i] = (uint8_t)(i * 37 % 251);
        for (int64_t i = 0; i < ways; i++) pictures[i] = pixels + i * size, numbers[i] = (int32_t)i;
        status = sustain_fewshot_adapt(classifier, pictures, numbers, ways);
        if (status == SUSTAIN_OK) status = sustain_fewshot_predict(classifier, pictures[0], p);
        if (status == SUSTAIN_OK) put(out, p, (size_t)ways * sizeof *p);
        free(pixels), free(pictures), free(numbers);
    }
    sustain_fewshot_destroy(classifier);
    sustain_fewshot_model_destroy(model);
    return status;
}

static void test_fewshot(void **state) {
    (void)state;
    for (method = SUSTAIN_META_ANIL; method <= SUSTAIN_META_SUSTAIN; method++) stop_everywhere("meta", train, 10);
    stop_everywhere("adapt", adapt, 1);
}

/* ---- how often ---- */

enum { MANY = 12000, WIDE = 60 };
#define LONGEST 0.1 /* as context.h says */
static hook often;

/* Wrong labels found in many rows, weights and all. */
static sustain_status clean_many(sustain_context *context, const sustain_rows *training, const sustain_rows *trusted) {
    sustain_clean_options o = sustain_clean_defaults();
    sustain_clean *clean = NULL;
    sustain_clean_result found;
    sustain_result solved = {0};
    o.classes = 2;
    sustain_status status = sustain_clean_create(context, &o, training, trusted, &clean);
    if (status == SUSTAIN_OK) status = sustain_solver_run(sustain_clean_solver(clean), &(sustain_stopping){.iterations = 20}, &solved);
    if (status == SUSTAIN_OK) status = sustain_clean_finish(clean, solved.x, solved.y, &found);
    sustain_clean_destroy(clean);
    return status;
}

/* A path of penalties, and a step of hoag. */
static sustain_status tune_many(sustain_context *context, const sustain_rows *training, const sustain_rows *validation) {
    sustain_tune_options o = sustain_tune_defaults();
    sustain_regtune_options model = sustain_regtune_defaults();
    sustain_tune *tune = NULL;
    sustain_result run;
    o.solver = "hoag", o.model = &model;
    model.loss = SUSTAIN_REGTUNE_SOFTMAX, model.classes = 2;
    sustain_status status = sustain_tune_create(context, &o, training, validation, &tune);
    if (status == SUSTAIN_OK) status = sustain_tune_start(tune);
    if (status == SUSTAIN_OK) status = sustain_solver_run(sustain_tune_solver(tune), &(sustain_stopping){.iterations = 1}, &run);
    sustain_tune_destroy(tune);
    return status;
}

/* One task of the largest pictures that come with the library. */
static sustain_status train_large(sustain_context *context, const sustain_rows *training, const sustain_rows *trusted) {
    const sustain_picture_options size = {.height = 84, .width = 84};
    sustain_pictures *large = NULL;
    sustain_meta *meta = NULL;
    sustain_meta_progress p;
    sustain_meta_options o = sustain_meta_defaults();
    (void)training, (void)trusted;
    o.tasks = 1, o.width = 32;
    sustain_status status = sustain_pictures_named(context, "generated", NULL, SUSTAIN_SPLIT_TEST, &size, &large);
    if (status == SUSTAIN_OK) status = sustain_meta_create(context, &o, large, &meta);
    often.last = cpu_seconds(); /* hundreds of megabytes were allocated */
    if (status == SUSTAIN_OK) status = sustain_meta_step(meta, &p);
    sustain_meta_destroy(meta);
    sustain_pictures_destroy(large);
    return status;
}

static void test_asked_often(void **state) {
    (void)state;
#ifndef NDEBUG
    printf("skipped: the time between questions is that of optimized code\n");
    skip();
#endif
    static const struct {
        const char *name;
        sustain_status (*run)(sustain_context *context, const sustain_rows *training, const sustain_rows *trusted);
    } jobs[] = {{"clean", clean_many}, {"tune", tune_many}, {"meta", train_large}};
    float *values = calloc((size_t)(MANY * WIDE), sizeof *values);
    int32_t *classes = calloc(MANY, sizeof *classes);
    for (int64_t i = 0; i < MANY * WIDE; i++) values[i] = (float)((i * 7919 + i / 331) % 1013) / 1013;
    for (int64_t i = 0; i < MANY; i++) classes[i] = values[i * WIDE] + values[i * WIDE + 1] > 1;
    const sustain_rows trusted = {.count = 500, .dim = WIDE, .values = values, .labels = classes},
                       training = {.count = MANY - 500, .dim = WIDE, .values = values + 500 * WIDE, .labels = classes + 500};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        sustain_context *context;
        often = (hook){.yes_at = 0};
        assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
        sustain_context_set_cancel(context, ask, &often);
        if (jobs[i].run(context, &training, &trusted) != SUSTAIN_OK) fail_msg("%s: %s", jobs[i].name, sustain_error(context));
        if (often.longest > LONGEST) fail_msg("%s: %.3f CPU seconds between two questions", jobs[i].name, often.longest);
        sustain_context_destroy(context);
    }
    free(values), free(classes);
}

/* ---- threads ---- */

static const void *thread_of_test;
static _Thread_local char own;

static int ask_here(void *user) {
    assert_ptr_equal(&own, thread_of_test); /* the thread that called, no other */
    return ask(user);
}

static void test_only_the_caller_is_asked(void **state) {
    (void)state;
    sustain_context *context;
    static answer out;
    hook h = {.yes_at = 0};
    thread_of_test = &own;
    make_rows();
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain_context_set_threads(context, 3), SUSTAIN_OK);
    sustain_context_set_cancel(context, ask_here, &h);
    method = SUSTAIN_META_ANIL;
    assert_int_equal(train(context, &out), SUSTAIN_OK);
    assert_int_equal(softmax(context, &out), SUSTAIN_OK);
    assert_true(h.asked > 0);
    h = (hook){.yes_at = 1};
    assert_int_equal(make_pictures(context, &out), SUSTAIN_CANCELLED);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimizer), cmocka_unit_test(test_solvers_go_on), cmocka_unit_test(test_halved_steps),
        cmocka_unit_test(test_learning),  cmocka_unit_test(test_files),         cmocka_unit_test(test_training_goes_on),
        cmocka_unit_test(test_fewshot),   cmocka_unit_test(test_asked_often),   cmocka_unit_test(test_only_the_caller_is_asked),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
