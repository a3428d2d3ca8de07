/* conformance.c - see conformance.h. */
#include "conformance.h"

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

#include "solvers/solver_internal.h"

/* ---- problems ---- */

enum { TRAINING = 40, TRUSTED = 20, DIM = 4, CLASSES = 3 };

static void make_rows(float *features, int32_t *labels, int count, uint64_t seed) {
    for (int i = 0; i < count; i++) {
        labels[i] = (int32_t)sustain_random_index(seed, 1, (uint64_t)i, 0, CLASSES);
        for (int j = 0; j < DIM; j++)
            features[i * DIM + j] = (float)((j == labels[i]) + 0.5 * sustain_random_normal(seed, 2, (uint64_t)i, (uint32_t)j));
    }
}

static sustain_status make_cleaning(sustain_context *context, sustain_problem **out) {
    static float features[2][TRAINING * DIM]; /* the same for every test: written once with the same numbers */
    static int32_t labels[2][TRAINING];
    make_rows(features[0], labels[0], TRAINING, 1);
    make_rows(features[1], labels[1], TRUSTED, 2);
    const sustain_rows training = {.count = TRAINING, .dim = DIM, .values = features[0], .labels = labels[0]};
    const sustain_rows trusted = {.count = TRUSTED, .dim = DIM, .values = features[1], .labels = labels[1]};
    const sustain_hyperclean_options options = {.classes = CLASSES, .c = 0.05, .intercept = true};
    return sustain_hyperclean_create(context, &options, &training, &trusted, out);
}

static sustain_quadratic_options little_noise(int64_t samples) {
    sustain_quadratic_options options = sustain_quadratic_defaults();
    options.upper_dim = 5;
    options.lower_dim = 7;
    options.samples = samples;
    options.C_gxy = 3; /* so strong that the answer without the lower level is far away */
    options.C_fy = 2;
    options.noise_f = options.noise_g = options.noise_hess = options.noise_cross = 0.02;
    return options;
}

static void keep_line(void *user, const char *line) {
    bench *b = user;
    snprintf(b->log[b->log_lines++ % 16], sizeof b->log[0], "%s", line);
}

void bench_open(bench *b) {
    memset(b, 0, sizeof *b);
    assert_int_equal(sustain_context_create_with(failing_allocator, &b->memory, &b->context), SUSTAIN_OK);
    sustain_context_set_log(b->context, keep_line, b);
    const sustain_quadratic_options stream = little_noise(0), sum = little_noise(60);
    assert_int_equal(sustain_quadratic_create(b->context, &stream, &b->stream), SUSTAIN_OK);
    assert_int_equal(sustain_quadratic_create(b->context, &sum, &b->sum), SUSTAIN_OK);
    assert_int_equal(make_cleaning(b->context, &b->cleaning), SUSTAIN_OK);
    snprintf(b->folder, sizeof b->folder, "/tmp/sustain-bench-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    snprintf(b->path, sizeof b->path, "%s/state", b->folder);
}

void bench_close(bench *b) {
    sustain_quadratic_destroy(b->stream);
    sustain_quadratic_destroy(b->sum);
    sustain_hyperclean_destroy(b->cleaning);
    sustain_context_destroy(b->context);
    assert_int_equal(b->memory.live, 0);
    remove(b->path);
    assert_int_equal(rmdir(b->folder), 0);
}

const sustain_problem *bench_problem(const bench *b, int i, const char **name) {
    static const char *const names[BENCH_PROBLEMS] = {"the stream", "the finite sum", "hyperclean"};
    const sustain_problem *const problems[BENCH_PROBLEMS] = {b->stream, b->sum, b->cleaning};
    *name = names[i];
    return problems[i];
}

bool suits(const char *name, const sustain_problem *problem) {
    for (int i = 0; i < sustain_solver_count(); i++)
        if (strcmp(sustain_solver_at(i)->name, name) == 0) return (sustain_solver_at(i)->needs & ~sustain_problem_offers(problem)) == 0;
    return false;
}

bool bench_next(const bench *b, const char *solver, bench_pair *on) {
    while (on->next < BENCH_PROBLEMS) {
        on->problem = bench_problem(b, on->next++, &on->name);
        if (suits(solver, on->problem)) return true;
    }
    return false;
}

const sustain_problem *bench_plain(const bench *b, const char *name) {
    return suits(name, b->stream) ? b->stream : b->sum;
}

bool bench_logged(const bench *b, const char *text) {
    for (int i = 0; i < 16; i++)
        if (strstr(b->log[i], text) != NULL) return true;
    return false;
}

/* ---- faults ---- */

static bool at_fault(const faulty *f, sustain_oracle oracle, const sustain_batch *batch) {
    if (f->oracle != oracle || (batch == NULL && f->watched == NULL)) return false;
    const int64_t t = batch != NULL ? batch->iteration : sustain_solver_iteration(f->watched);
    return t >= f->first && t <= f->last && (t - f->first) % f->step == 0;
}

#define FAULT(name) at_fault(f, SUSTAIN_NEEDS_##name, batch)
#define INNER               \
    const faulty *f = self; \
    const sustain_problem *inner = f->inner

static int f_grad(const void *self, const sustain_batch *batch, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                  sustain_real *fy, void *work) {
    INNER;
    if (FAULT(F_GRAD) && f->code != 0) return f->code;
    const int code = inner->ops->f_grad(inner->self, batch, x, y, fx, fy, work);
    if (FAULT(F_GRAD)) fy[f->place] = (sustain_real)f->value;
    return code;
}

static int g_grad_y(const void *self, const sustain_batch *batch, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                    void *work) {
    INNER;
    if (FAULT(G_GRAD_Y) && f->code != 0) return f->code;
    const int code = inner->ops->g_grad_y(inner->self, batch, x, y, gy, work);
    if (FAULT(G_GRAD_Y)) gy[f->place] = (sustain_real)f->value;
    return code;
}

static int g_grad_x(const void *self, const sustain_batch *batch, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                    void *work) {
    INNER;
    if (FAULT(G_GRAD_X) && f->code != 0) return f->code;
    const int code = inner->ops->g_grad_x(inner->self, batch, x, y, gx, work);
    if (FAULT(G_GRAD_X)) gx[f->place] = (sustain_real)f->value;
    return code;
}

static int g_hess_vec(const void *self, const sustain_batch *batch, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    INNER;
    if (FAULT(G_HESS_VEC) && f->code != 0) return f->code;
    const int code = inner->ops->g_hess_vec(inner->self, batch, x, y, v, out, work);
    if (FAULT(G_HESS_VEC)) out[f->place] = (sustain_real)f->value;
    return code;
}

static int g_cross_vec(const void *self, const sustain_batch *batch, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work) {
    INNER;
    if (FAULT(G_CROSS_VEC) && f->code != 0) return f->code;
    const int code = inner->ops->g_cross_vec(inner->self, batch, x, y, v, out, work);
    if (FAULT(G_CROSS_VEC)) out[f->place] = (sustain_real)f->value;
    return code;
}

static int f_value(const void *self, const sustain_batch *batch, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    INNER;
    if (f->oracle == SUSTAIN_NEEDS_F_VALUE && f->code != 0) return f->code; /* evaluations have no iteration: always */
    const int code = inner->ops->f_value(inner->self, batch, x, y, value, work);
    if (f->oracle == SUSTAIN_NEEDS_F_VALUE) *value = f->value;
    return code;
}

static int g_value(const void *self, const sustain_batch *batch, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    INNER;
    return inner->ops->g_value(inner->self, batch, x, y, value, work);
}

static int initial(const void *self, sustain_real *x, sustain_real *y) {
    INNER;
    return inner->ops->initial(inner->self, x, y);
}

static size_t workspace(const void *self, int64_t max_batch) {
    INNER;
    return inner->ops->workspace(inner->self, max_batch);
}

static int64_t support(const void *self, sustain_level level, const sustain_batch *batch, int64_t *coordinate) {
    INNER;
    return inner->ops->fast->support(inner->self, level, batch, coordinate);
}

void faulty_init(faulty *f) {
    const sustain_problem_ops *from = f->inner->ops;
    if (f->step == 0) f->step = 1;
#define PASS(name) .name = from->name != NULL ? name : NULL
    f->ops = (sustain_problem_ops){.name = "faulty",
                                   PASS(f_value),
                                   PASS(f_grad),
                                   PASS(g_value),
                                   PASS(g_grad_y),
                                   PASS(g_grad_x),
                                   PASS(g_hess_vec),
                                   PASS(g_cross_vec),
                                   PASS(initial),
                                   PASS(workspace),
                                   .fast = &f->fast};
    f->fast = (sustain_problem_fast){.size = sizeof f->fast};
    if (from->fast != NULL && from->fast->support != NULL) {
        f->fast.support = support;
        memcpy(f->fast.support_per_sample, from->fast->support_per_sample, sizeof f->fast.support_per_sample);
    }
#undef PASS
    f->problem = *f->inner;
    f->problem.ops = &f->ops;
    f->problem.self = f;
}

/* ---- solvers ---- */

bool has_parameter(const sustain_solver_info *info, const char *name) {
    for (int i = 0; i < info->parameter_count; i++)
        if (strcmp(info->parameters[i].name, name) == 0) return true;
    return false;
}

static bool somebody_has(const char *name) {
    for (int i = 0; i < sustain_solver_count(); i++)
        if (has_parameter(sustain_solver_at(i), name)) return true;
    return false;
}

void set_all(sustain_solver *solver, const char *const *pairs) {
    for (; pairs != NULL && pairs[0] != NULL; pairs += 2)
        if (!has_parameter(sustain_solver_describe(solver), pairs[0]) && somebody_has(pairs[0]))
            continue;
        else if (sustain_solver_set(solver, pairs[0], pairs[1]) != SUSTAIN_OK)
            fail_msg("%s", sustain_error(solver->context));
}

sustain_solver *make_solver(sustain_context *context, const char *name, const sustain_problem *problem, const char *const *pairs) {
    sustain_solver *solver;
    if (sustain_solver_create(context, name, problem, &solver) != SUSTAIN_OK) fail_msg("%s: %s", name, sustain_error(context));
    set_all(solver, pairs);
    return solver;
}

sustain_result run_to(sustain_solver *solver, int64_t iterations) {
    sustain_result result;
    const sustain_status status = sustain_solver_run(solver, &(sustain_stopping){.iterations = iterations, .every = 50}, &result);
    if (status != SUSTAIN_OK)
        fail_msg("%s: %s, %s", sustain_solver_describe(solver)->name, sustain_status_name(status), sustain_error(solver->context));
    assert_int_equal(result.stop, SUSTAIN_STOP_ITERATIONS);
    assert_int_equal(result.iterations, iterations);
    return result;
}

void assert_same_state(sustain_solver *a, sustain_solver *b, const char *what) {
    int count, other;
    const sustain_field *f = sustain_solver_state(a, &count), *g = sustain_solver_state(b, &other);
    if (count == 0 || count != other) fail_msg("%s: %d and %d fields", what, count, other);
    for (int i = 0; i < count; i++) {
        if (strcmp(f[i].name, g[i].name) != 0 || f[i].type != g[i].type || f[i].count != g[i].count)
            fail_msg("%s: field %s differs in name, type or length", what, f[i].name);
        if (strcmp(f[i].name, "seconds") == 0) continue;
        if (memcmp(f[i].data, g[i].data, (size_t)f[i].count * sustain_field_size(f[i].type)) != 0)
            fail_msg("%s: field %s differs", what, f[i].name);
    }
}

/* The dimensions are those of the fields x and y. */
bool same_point(sustain_solver *a, sustain_solver *b) {
    int count;
    const sustain_field *f = sustain_solver_state(a, &count);
    size_t n[2] = {0, 0};
    for (int i = 0; i < count; i++) {
        if (strcmp(f[i].name, "x") == 0) n[0] = (size_t)f[i].count * sizeof(sustain_real);
        if (strcmp(f[i].name, "y") == 0) n[1] = (size_t)f[i].count * sizeof(sustain_real);
    }
    assert_true(n[0] > 0 && n[1] > 0);
    return memcmp(sustain_solver_x(a), sustain_solver_x(b), n[0]) == 0 && memcmp(sustain_solver_y(a), sustain_solver_y(b), n[1]) == 0;
}

void assert_refused(sustain_context *context, sustain_status status, sustain_status expected, ...) {
    if (status != expected)
        fail_msg("%s instead of %s (%s)", sustain_status_name(status), sustain_status_name(expected), sustain_error(context));
    va_list texts;
    va_start(texts, expected);
    for (const char *text; (text = va_arg(texts, const char *)) != NULL;)
        if (strstr(sustain_error(context), text) == NULL) fail_msg("'%s' does not say '%s'", sustain_error(context), text);
    va_end(texts);
}
