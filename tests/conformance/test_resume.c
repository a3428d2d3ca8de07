/* test_resume.c - every algorithm: a run resumed from a saved state has the bits of one that was
 * not interrupted; what cannot be loaded is refused with a message that names the file, and changes
 * nothing. */
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

#include "conformance.h"
#include "io/safetensors.h"

BENCH_OF_ALL_TESTS;

/* ---- resuming ---- */

enum { END = 240 };

/* What a file holds: the state, the parameters and the steps of the solver that saved it. */
static void assert_loaded(sustain_solver *saved, sustain_solver *loaded, const char *const *pairs, const char *what) {
    assert_same_state(saved, loaded, what);
    for (const char *const *p = pairs; p != NULL && *p != NULL; p += 2) {
        char text[64];
        if (!has_parameter(sustain_solver_describe(loaded), p[0])) continue;
        sustain_solver_get(loaded, p[0], text, sizeof text);
        if (strcmp(text, p[1]) != 0) fail_msg("%s: %s is %s after loading", what, p[0], text);
    }
    const sustain_steps a = sustain_solver_steps(saved), c = sustain_solver_steps(loaded);
    assert_true(a.alpha == c.alpha && a.beta == c.beta && a.c_eta_f == c.c_eta_f && a.c_eta_g == c.c_eta_g && a.w == c.w && a.p == c.p &&
                a.q == c.q && a.L_g == c.L_g && a.K == c.K);
}

/* One solver runs to END; another one is saved on its way there, at the iterations `at` (up to 0).
 * What is loaded into a new solver with default parameters comes to the same end. */
static void check_resume(const char *name, const sustain_problem *problem, const char *const *pairs, const int64_t *at, const char *what) {
    sustain_solver *straight = make_solver(b.context, name, problem, pairs), *saved = make_solver(b.context, name, problem, pairs);
    const sustain_result one = run_to(straight, END);
    for (; *at > 0; at++) {
        sustain_solver *loaded = make_solver(b.context, name, problem, NULL);
        run_to(saved, *at);
        assert_int_equal(sustain_solver_save(saved, b.path), SUSTAIN_OK);
        if (sustain_solver_load(loaded, b.path) != SUSTAIN_OK) fail_msg("%s: %s", what, sustain_error(b.context));
        assert_loaded(saved, loaded, pairs, what);
        const sustain_result two = run_to(loaded, END);
        assert_same_state(straight, loaded, what);
        assert_int_equal(one.point, two.point);
        assert_memory_equal(one.x, two.x, (size_t)problem->upper_dim * sizeof(sustain_real));
        assert_memory_equal(one.y, two.y, (size_t)problem->lower_dim * sizeof(sustain_real));
        assert_memory_equal(&one.counts, &two.counts, sizeof one.counts);
        sustain_solver_destroy(loaded);
    }
    run_to(saved, END); /* saving changed nothing */
    assert_same_state(straight, saved, what);
    sustain_solver_destroy(straight);
    sustain_solver_destroy(saved);
}

static void test_resume(void **state) {
    (void)state;
    static const char *const pairs[] = {"batch", "3", "seed", "5", NULL};
    static const int64_t at[] = {1, 2, 90, END - 1, 0};
    EACH_SOLVER_AND_PROBLEM (info, on) check_resume(info->name, on.problem, pairs, at, on.name);
}

/* A state saved before the first step. */
static void test_resume_from_start(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        sustain_solver *one = make_solver(b.context, info->name, b.sum, NULL), *two = make_solver(b.context, info->name, b.sum, NULL);
        sustain_real x[5] = {1, 2, 3, 4, 5};
        assert_int_equal(sustain_solver_start(one, x, NULL), SUSTAIN_OK);
        assert_int_equal(sustain_solver_save(one, b.path), SUSTAIN_OK);
        assert_int_equal(sustain_solver_load(two, b.path), SUSTAIN_OK);
        run_to(one, 100);
        run_to(two, 100);
        assert_same_state(one, two, "from the start");
        sustain_solver_destroy(one);
        sustain_solver_destroy(two);
    }
}

static int save_at_100(void *calls, const sustain_progress *progress) {
    ++*(int *)calls;
    if (progress->iteration == 100) assert_int_equal(sustain_solver_save(progress->solver, b.path), SUSTAIN_OK);
    return 0;
}

/* A state saved by an observer: the evaluation that it was called for is made, and is not made
 * again. */
static void test_resume_from_observer(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        sustain_solver *straight = make_solver(b.context, info->name, b.sum, NULL),
                       *loaded = make_solver(b.context, info->name, b.sum, NULL);
        int calls = 0;
        const sustain_stopping stopping = {.iterations = 200, .every = 50, .observer = save_at_100, .user = &calls};
        assert_int_equal(sustain_solver_run(straight, &stopping, NULL), SUSTAIN_OK);
        assert_int_equal(calls, 5);
        assert_int_equal(sustain_solver_load(loaded, b.path), SUSTAIN_OK);
        assert_int_equal(sustain_solver_run(loaded, &stopping, NULL), SUSTAIN_OK);
        assert_int_equal(calls, 7); /* 150, 200 */
        assert_same_state(straight, loaded, info->name);
        sustain_solver_destroy(straight);
        sustain_solver_destroy(loaded);
    }
}

static int pause_always(void *user, const sustain_progress *progress) {
    (void)user;
    (void)progress;
    return 1;
}

/* Runs with a pause at every evaluation. */
static sustain_result run_with_pauses(sustain_solver *solver, sustain_stopping stopping) {
    sustain_result result;
    stopping.observer = pause_always;
    do assert_int_equal(sustain_solver_run(solver, &stopping, &result), SUSTAIN_OK);
    while (result.stop == SUSTAIN_STOP_OBSERVER);
    return result;
}

/* A run ends at the same iteration whether it is paused or not; and one that was saved at its end
 * does nothing more when it is resumed. */
static void check_end(const char *name, sustain_stopping stopping, sustain_stop expected) {
    sustain_solver *straight = make_solver(b.context, name, b.sum, NULL), *paused = make_solver(b.context, name, b.sum, NULL);
    sustain_solver *loaded = make_solver(b.context, name, b.sum, NULL);
    sustain_result one, three;
    assert_int_equal(sustain_solver_run(straight, &stopping, &one), SUSTAIN_OK);
    const sustain_result two = run_with_pauses(paused, stopping);
    assert_int_equal(one.stop, expected);
    assert_int_equal(two.stop, expected);
    assert_int_equal(one.iterations, two.iterations);
    assert_same_state(straight, paused, name);
    assert_int_equal(sustain_solver_save(straight, b.path), SUSTAIN_OK);
    assert_int_equal(sustain_solver_load(loaded, b.path), SUSTAIN_OK);
    assert_int_equal(sustain_solver_run(loaded, &stopping, &three), SUSTAIN_OK);
    assert_int_equal(three.stop, expected);
    assert_same_state(straight, loaded, name);
    sustain_solver_destroy(straight);
    sustain_solver_destroy(paused);
    sustain_solver_destroy(loaded);
}

static void test_end_despite_pauses(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        check_end(info->name, (sustain_stopping){.patience = 3, .every = 20, .iterations = 100000}, SUSTAIN_STOP_PATIENCE);
        check_end(info->name, (sustain_stopping){.gradient_norm = 1, .every = 10, .iterations = 100000}, SUSTAIN_STOP_GRADIENT);
    }
}

/* All combinations of SUSTAIN's own parameters with output and sampling. */
static void test_resume_sustain(void **state) {
    (void)state;
    static const char *const direction[] = {"plain", "adam"}, *const option[] = {"1", "2"}, *const memory[] = {"lazy", "dense"},
                             *const output[] = {"last", "uniform", "best"}, *const sampling[] = {"replace", "shuffle"};
    for (int i = 0; i < 48; i++) {
        const char *const pairs[] = {"direction",  direction[i % 2],
                                     "option",     option[i / 2 % 2],
                                     "memory",     memory[i / 4 % 2],
                                     "output",     output[i / 8 % 3],
                                     "sampling",   sampling[i / 24],
                                     "batch",      "3",
                                     "schedule",   "power",
                                     "L_g",        "4",
                                     "alpha",      "0.02",
                                     "beta",       "0.05",
                                     "iterations", "240",
                                     NULL};
        char what[128];
        snprintf(what, sizeof what, "%s, option %s, %s, %s, %s", pairs[1], pairs[3], pairs[5], pairs[7], pairs[9]);
        check_resume("sustain", b.cleaning, pairs, (const int64_t[]){90, 0}, what);
        if (i % 8 < 4 && i / 8 % 3 == i / 24) check_resume("sustain", b.sum, pairs, (const int64_t[]){77, 0}, what);
    }
}

/* With a running linear system there are three more vectors in the state. */
static void test_resume_running(void **state) {
    (void)state;
    static const char *const memory[] = {"lazy", "dense"};
    for (int i = 0; i < 2; i++) {
        const char *const pairs[] = {"system", "running", "memory", memory[i], "batch", "3",    "schedule", "power",
                                     "L_g",    "4",       "alpha",  "0.02",    "beta",  "0.05", NULL};
        check_resume("sustain", b.cleaning, pairs, (const int64_t[]){90, 0}, memory[i]);
    }
    check_resume("sustain", b.sum, (const char *const[]){"system", "running", NULL}, (const int64_t[]){77, 0}, "a running system");
}

/* A run that was halved, and has dropped draws, goes on with its smaller step and its counts. */
static void test_resume_after_trouble(void **state) {
    (void)state;
    faulty f = {.inner = b.stream, .oracle = SUSTAIN_NEEDS_G_GRAD_Y, .first = 10, .last = 230, .step = 37, .code = 1};
    faulty_init(&f);
    static const char *const pairs[] = {"schedule", "power",   "alpha", "0.05",    "beta", "4", "p",
                                        "0",        "c_eta_f", "0.5",   "c_eta_g", "0.5",  NULL};
    check_resume("sustain", &f.problem, pairs, (const int64_t[]){130, 0}, "after trouble");
    sustain_solver *solver = make_solver(b.context, "sustain", &f.problem, NULL);
    assert_int_equal(sustain_solver_load(solver, b.path), SUSTAIN_OK);
    const sustain_result result = run_to(solver, END);
    assert_true(result.halvings > 0);
    assert_int_equal(result.dropped, 6); /* 10, 47, ..., 195 */
    sustain_solver_destroy(solver);
}

static void assert_near(const sustain_problem *p, const sustain_result *at, const char *who) {
    for (int64_t j = 0; j < p->upper_dim + p->lower_dim; j++) {
        const double value = (double)(j < p->upper_dim ? at->x[j] : at->y[j - p->upper_dim]);
        if (!(fabs(value) < 1e6)) fail_msg("%s: coordinate %lld is %g", who, (long long)j, value);
    }
    assert_true(isfinite(at->upper_value));
}

/* One bad draw at iteration 69 makes most runs diverge. Whether a run ends there, is saved,
 * loaded and continued, or is evaluated at other iterations: it recovers where it would have in one
 * piece, and no end has a point that is far away. */
static void check_ends_while_diverged(const char *name, faulty *f, const char *output) {
    const char *const pairs[] = {"output", output, NULL};
    sustain_solver *straight = make_solver(b.context, name, &f->problem, pairs);
    sustain_solver *parts = make_solver(b.context, name, &f->problem, pairs);
    sustain_solver *other = make_solver(b.context, name, &f->problem, pairs);
    f->watched = straight;
    run_to(straight, END);
    f->watched = parts;
    for (int64_t t = 70; t < 98; t += t < 72 ? 1 : 13) {
        const sustain_result end = run_to(parts, t);
        assert_near(&f->problem, &end, name);
        sustain_solver *loaded = make_solver(b.context, name, &f->problem, NULL);
        assert_int_equal(sustain_solver_save(parts, b.path), SUSTAIN_OK);
        assert_int_equal(sustain_solver_load(loaded, b.path), SUSTAIN_OK);
        sustain_solver_destroy(parts);
        f->watched = parts = loaded;
    }
    run_to(parts, END);
    assert_same_state(straight, parts, name);
    f->watched = other;
    sustain_result end;
    assert_int_equal(sustain_solver_run(other, &(sustain_stopping){.iterations = END, .every = 3}, &end), SUSTAIN_OK);
    if (strcmp(output, "last") == 0 && !same_point(straight, other)) fail_msg("%s depends on where it is evaluated", name);
    sustain_solver_destroy(straight);
    sustain_solver_destroy(parts);
    sustain_solver_destroy(other);
}

static void test_ends_while_diverged(void **state) {
    (void)state;
    int64_t recovered = 0;
    EACH_SOLVER_AND_PROBLEM (info, on) {
        faulty f = {.inner = on.problem, .oracle = SUSTAIN_NEEDS_G_GRAD_Y, .first = 69, .last = 69, .value = 1e12};
        faulty_init(&f);
        check_ends_while_diverged(info->name, &f, "last");
        if (on.problem == b.sum) check_ends_while_diverged(info->name, &f, "uniform");
        recovered += bench_logged(&b, "where the run ends; its result is the point of iteration");
    }
    assert_true(recovered >= 30);
}

/* ---- refusals ---- */

/* Refused, by the file's name; the solver is as before: same parameters, and it runs as one that
 * never tried. */
static void check_refused(const sustain_problem *problem, const char *file, sustain_status expected, const char *says) {
    static const char *const pairs[] = {"batch", "2", "seed", "8", NULL};
    const int64_t live = b.memory.live;
    sustain_solver *solver = make_solver(b.context, "sustain", problem, pairs), *fresh = make_solver(b.context, "sustain", problem, pairs);
    assert_refused(b.context, sustain_solver_load(solver, file), expected, file, says, NULL);
    char text[32];
    sustain_solver_get(solver, "batch", text, sizeof text);
    assert_string_equal(text, "2");
    sustain_solver_get(solver, "seed", text, sizeof text);
    assert_string_equal(text, "8");
    assert_int_equal(sustain_solver_set(solver, "batch", "2"), SUSTAIN_OK);
    run_to(solver, 30);
    run_to(fresh, 30);
    assert_same_state(solver, fresh, "after a refused load");
    sustain_solver_destroy(solver);
    sustain_solver_destroy(fresh);
    assert_int_equal(b.memory.live, live);
}

static void save_some(const sustain_problem *problem) {
    sustain_solver *solver = make_solver(b.context, "sustain", problem, (const char *const[]){"batch", "3", NULL});
    run_to(solver, 60);
    assert_int_equal(sustain_solver_save(solver, b.path), SUSTAIN_OK);
    sustain_solver_destroy(solver);
}

static size_t read_file(unsigned char **bytes) {
    FILE *file = fopen(b.path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    rewind(file);
    *bytes = malloc((size_t)size);
    assert_non_null(*bytes);
    assert_int_equal(fread(*bytes, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    return (size_t)size;
}

static void write_file(const void *bytes, size_t length) {
    FILE *file = fopen(b.path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static void test_other_problem(void **state) {
    (void)state;
    save_some(b.cleaning);
    check_refused(b.stream, b.path, SUSTAIN_MISMATCH, "problem");
    sustain_quadratic_options options = sustain_quadratic_defaults();
    sustain_problem *other;
    options.upper_dim = 6;
    options.lower_dim = 7;
    assert_int_equal(sustain_quadratic_create(b.context, &options, &other), SUSTAIN_OK);
    save_some(other);
    check_refused(b.stream, b.path, SUSTAIN_MISMATCH, "upper_dim");
    sustain_quadratic_destroy(other);
    options.upper_dim = 5;
    options.lower_dim = 9;
    assert_int_equal(sustain_quadratic_create(b.context, &options, &other), SUSTAIN_OK);
    save_some(other);
    check_refused(b.stream, b.path, SUSTAIN_MISMATCH, "lower_dim");
    sustain_quadratic_destroy(other);
}

/* The saved file, written again with changes: all words and tensors, but for one that is replaced
 * or left out. */
static void rewrite(const char *word, const char *value, const char *tensor, const sustain__tensor *instead, bool other_precision) {
    save_some(b.stream);
    sustain_solver *solver = make_solver(b.context, "sustain", b.stream, NULL);
    sustain__safetensors *file;
    assert_int_equal(sustain_solver_load(solver, b.path), SUSTAIN_OK);
    assert_int_equal(sustain__safetensors_read(b.context, b.path, &file), SUSTAIN_OK);
    const sustain_solver_info *info = sustain_solver_describe(solver);
    sustain__word words[80];
    int n = 0, m = 0, count;
    const char *const own[] = {"format", "solver", "problem", "upper_dim", "lower_dim"};
    for (int i = 0; i < 5 + info->parameter_count; i++) {
        const char *name = i < 5 ? own[i] : info->parameters[i - 5].name;
        const bool changed = word != NULL && strcmp(word, name) == 0;
        if (!changed || value != NULL) words[n++] = (sustain__word){name, changed ? value : sustain__safetensors_word(file, name)};
    }
    static double wide[64][64];
    static float narrow[64][64];
    sustain__tensor tensors[130];
    assert_true(sustain__safetensors_find(file, "steps", &tensors[m++]));
    const sustain_field *field = sustain_solver_state(solver, &count);
    for (int i = 0; i < count; i++) {
        assert_true(sustain__safetensors_find(file, field[i].name, &tensors[m]));
        if (other_precision && field[i].type == SUSTAIN_FIELD_REAL) {
            for (int64_t j = 0; j < field[i].count; j++) narrow[i][j] = (float)(wide[i][j] = (double)((sustain_real *)field[i].data)[j]);
            tensors[m].dtype = sizeof(sustain_real) == 8 ? "F32" : "F64";
            tensors[m].data = sizeof(sustain_real) == 8 ? (const void *)narrow[i] : (const void *)wide[i];
        }
        m++;
    }
    for (int i = 0; i < m; i++) {
        if (tensor == NULL || strcmp(tensors[i].name, tensor) != 0) continue;
        if (instead != NULL)
            tensors[i] = *instead;
        else
            tensors[i--] = tensors[--m];
        break;
    }
    assert_int_equal(sustain__safetensors_write(b.context, b.path, words, n, tensors, m), SUSTAIN_OK);
    sustain__safetensors_destroy(file);
    sustain_solver_destroy(solver);
}

static void test_rewritten(void **state) {
    (void)state;
    rewrite(NULL, NULL, NULL, NULL, false); /* unchanged: the helper itself */
    sustain_solver *solver = make_solver(b.context, "sustain", b.stream, NULL);
    assert_int_equal(sustain_solver_load(solver, b.path), SUSTAIN_OK);
    sustain_solver_destroy(solver);
}

static void test_other_precision(void **state) {
    (void)state;
    rewrite(NULL, NULL, NULL, NULL, true);
    check_refused(b.stream, b.path, SUSTAIN_MISMATCH, sizeof(sustain_real) == 8 ? "F32" : "F64");
}

static void test_other_algorithm(void **state) {
    (void)state;
    rewrite("solver", "another", NULL, NULL, false);
    check_refused(b.stream, b.path, SUSTAIN_MISMATCH, "its solver is 'another'");
    rewrite("format", "sustain solver 999", NULL, NULL, false);
    check_refused(b.stream, b.path, SUSTAIN_MISMATCH, "sustain solver 999");
    rewrite("format", NULL, NULL, NULL, false);
    check_refused(b.stream, b.path, SUSTAIN_MISMATCH, "format");
}

static void test_damaged_parameters(void **state) {
    (void)state;
    rewrite("batch", NULL, NULL, NULL, false);
    check_refused(b.stream, b.path, SUSTAIN_MISMATCH, "batch");
    rewrite("batch", "-3", NULL, NULL, false);
    check_refused(b.stream, b.path, SUSTAIN_FORMAT, "batch = -3");
    rewrite("sampling", "sometimes", NULL, NULL, false);
    check_refused(b.stream, b.path, SUSTAIN_FORMAT, "sampling = 'sometimes'");
}

static void test_damaged_steps(void **state) {
    (void)state;
    const double bad[][9] = {{1, 1, 1, 1, 1, 0, 0, 1, 0},   {1, 1, 1, 1, 1, 0, 0, 0, 1},    {1, 1, 1, 1, 1, 0, 0, 1, NAN},
                             {1, 1, 1, 1, 1, 0, 0, NAN, 1}, {1, 1, 1, 1, 1, 0, 0, 1, 1e18}, {1, 1, 1, 1, 1, 0, 0, 1, -5}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rewrite(NULL, NULL, "steps", &(sustain__tensor){"steps", "F64", 9, bad[i], 0}, false);
        check_refused(b.stream, b.path, SUSTAIN_FORMAT, "steps");
    }
    rewrite(NULL, NULL, "steps", &(sustain__tensor){"steps", "F64", 8, bad[0], 0}, false);
    check_refused(b.stream, b.path, SUSTAIN_MISMATCH, "'steps'");
    rewrite(NULL, NULL, "steps", NULL, false);
    check_refused(b.stream, b.path, SUSTAIN_MISMATCH, "'steps'");
}

static void test_damaged_state(void **state) {
    (void)state;
    const int64_t numbers[] = {-1, INT64_MIN, INT64_MAX};
    static const sustain_real zeros[16];
    for (int i = 0; i < 3; i++) {
        rewrite(NULL, NULL, "iteration", &(sustain__tensor){"iteration", "I64", 1, &numbers[i], 0}, false);
        check_refused(b.stream, b.path, SUSTAIN_FORMAT, "damaged");
    }
    const char *const counters[] = {"halvings",         "dropped",         "dropped_in_a_row", "point",
                                    "without_progress", "next_evaluation", "watched_from",     "good_at"};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) { /* so that no later sum overflows */
        rewrite(NULL, NULL, counters[i], &(sustain__tensor){counters[i], "I64", 1, &numbers[1 + i % 2], 0}, false);
        check_refused(b.stream, b.path, SUSTAIN_FORMAT, "damaged");
    }
    rewrite(NULL, NULL, "y_prev", &(sustain__tensor){"y_prev", sizeof(sustain_real) == 8 ? "F64" : "F32", 6, zeros, 0}, false);
    check_refused(b.stream, b.path, SUSTAIN_MISMATCH, "'y_prev'");
    rewrite(NULL, NULL, "good.hf", NULL, false);
    check_refused(b.stream, b.path, SUSTAIN_MISMATCH, "'good.hf'");
}

/* The iteration of a state is as large as it may be: refused where numbers of draws would overflow,
 * as there are many in an iteration. */
static void test_far(void **state) {
    (void)state;
    static const char *const pairs[] = {"T", "10000", "N", "10000", "inner", "10000", "local_steps", "10000", NULL};
    int refused = 0;
    EACH_SOLVER (info) {
        int count;
        sustain_solver *saved = make_solver(b.context, info->name, b.sum, pairs), *loaded = make_solver(b.context, info->name, b.sum, NULL);
        assert_int_equal(sustain_solver_start(saved, NULL, NULL), SUSTAIN_OK);
        const sustain_field *field = sustain_solver_state(saved, &count);
        while (strcmp(field->name, "iteration") != 0) field++;
        *(int64_t *)field->data = (int64_t)1 << 53;
        assert_int_equal(sustain_solver_save(saved, b.path), SUSTAIN_OK);
        if (sustain_solver_load(loaded, b.path) == SUSTAIN_OK)
            sustain_solver_step(loaded);
        else
            refused++;
        sustain_solver_destroy(saved);
        sustain_solver_destroy(loaded);
    }
    assert_int_equal(refused, 9); /* amigo, bo-rep, bsa, f2sa, f2sa-p, fedbioacc, pzobo, stocbio, vrbo */
}

static void test_not_a_state(void **state) {
    (void)state;
    unsigned char *bytes;
    save_some(b.stream);
    const size_t length = read_file(&bytes);
    const size_t cuts[] = {0, 1, 7, 8, 9, 100, length / 2, length - 8, length - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        write_file(bytes, cuts[i]);
        check_refused(b.stream, b.path, SUSTAIN_FORMAT, "");
    }
    memset(bytes + 8, 0xff, 64);
    write_file(bytes, length);
    check_refused(b.stream, b.path, SUSTAIN_FORMAT, "not an object");
    write_file("this is a letter, not a state", 29);
    check_refused(b.stream, b.path, SUSTAIN_FORMAT, "");
    free(bytes);
    char missing[160];
    snprintf(missing, sizeof missing, "%s/none", b.folder);
    check_refused(b.stream, missing, SUSTAIN_IO, "No such file");
    check_refused(b.stream, b.folder, SUSTAIN_IO, "");
}

/* The lazy memory of x is indexed by numbers of the file: those out of range are refused, also in
 * the copy to go back to. */
static void test_damaged_lazy(void **state) {
    (void)state;
    const char *const pairs[] = {"batch", "3", "schedule", "power", "L_g", "4", "alpha", "0.02", "beta", "0.05", NULL};
    const struct {
        const char *field;
        int64_t value;
    } bad[] = {{"lazy.sweep", -1}, {"lazy.sweep", 40},      {"lazy.epoch", 5000000},
               {"lazy.s", 0},      {"good.lazy.sweep", 40}, {"good.lazy.epoch", 5000000}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sustain_solver *solver = make_solver(b.context, "sustain", b.cleaning, pairs),
                       *other = make_solver(b.context, "sustain", b.cleaning, NULL);
        run_to(solver, 200);
        int count, found = 0;
        const sustain_field *field = sustain_solver_state(solver, &count);
        for (int j = 0; j < count; j++) {
            if (strcmp(field[j].name, bad[i].field) != 0) continue;
            if (field[j].type == SUSTAIN_FIELD_UINT32)
                *(uint32_t *)field[j].data = (uint32_t)bad[i].value;
            else if (field[j].type == SUSTAIN_FIELD_DOUBLE)
                *(double *)field[j].data = (double)bad[i].value;
            else
                *(int64_t *)field[j].data = bad[i].value;
            found++;
        }
        assert_int_equal(found, 1);
        assert_int_equal(sustain_solver_save(solver, b.path), SUSTAIN_OK);
        if (sustain_solver_load(other, b.path) != SUSTAIN_FORMAT) fail_msg("%s = %d is accepted", bad[i].field, (int)bad[i].value);
        assert_non_null(strstr(sustain_error(b.context), b.path));
        sustain_solver_destroy(solver);
        sustain_solver_destroy(other);
    }
}

static void test_order_of_calls(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        sustain_solver *solver = make_solver(b.context, info->name, bench_plain(&b, info->name), NULL);
        assert_refused(b.context, sustain_solver_save(solver, b.path), SUSTAIN_ORDER, "before the start", NULL);
        run_to(solver, 10);
        assert_int_equal(sustain_solver_save(solver, b.path), SUSTAIN_OK);
        assert_refused(b.context, sustain_solver_load(solver, b.path), SUSTAIN_ORDER, "not started", NULL);
        char name[160];
        snprintf(name, sizeof name, "%s/none/state", b.folder);
        assert_refused(b.context, sustain_solver_save(solver, name), SUSTAIN_WRITE, name, NULL);
        run_to(solver, 20);
        sustain_solver_destroy(solver);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_resume_from_start),
        cmocka_unit_test(test_resume_from_observer),
        cmocka_unit_test(test_end_despite_pauses),
        cmocka_unit_test(test_resume_sustain),
        cmocka_unit_test(test_resume_running),
        cmocka_unit_test(test_resume_after_trouble),
        cmocka_unit_test(test_ends_while_diverged),
        cmocka_unit_test(test_other_problem),
        cmocka_unit_test(test_rewritten),
        cmocka_unit_test(test_other_precision),
        cmocka_unit_test(test_other_algorithm),
        cmocka_unit_test(test_damaged_parameters),
        cmocka_unit_test(test_damaged_steps),
        cmocka_unit_test(test_damaged_state),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_not_a_state),
        cmocka_unit_test(test_damaged_lazy),
        cmocka_unit_test(test_order_of_calls),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
