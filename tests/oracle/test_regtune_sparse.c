/* test_regtune_sparse.c - eq. (7) on sparse rows with very many features: which coordinates it
 * touches, that it reads no others, and that SUSTAIN does the same with the list as with dense
 * vectors, whatever the number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/sustain.h>

enum { ROWS = 60, ENTRIES = 20, FEW = 10000, MANY = 1000000, BATCH = 8, TERMS = 3 };

typedef struct data {
    float values[ROWS * ENTRIES], targets[ROWS];
    int64_t start[ROWS + 1];
    int32_t columns[ROWS * ENTRIES], labels[ROWS];
} data;

static data sets[2];

/* Columns of a row are spread over all, and some are shared by all rows. */
static sustain_rows make_rows(int level, int64_t dim) {
    data *d = &sets[level];
    for (int64_t i = 0; i < ROWS; i++) {
        d->start[i] = i * ENTRIES;
        d->labels[i] = sustain_random_index(5, 1, (uint64_t)level, (uint32_t)i, 2) == 1 ? 1 : -1;
        for (int64_t e = 0; e < ENTRIES; e++) {
            const int64_t part = dim / ENTRIES;
            const int64_t within = e % 4 == 0 ? 3 : sustain_random_index(5, 2, (uint64_t)level, (uint32_t)(i * ENTRIES + e), part);
            d->columns[i * ENTRIES + e] = (int32_t)(e * part + within);
            d->values[i * ENTRIES + e] = (float)sustain_random_normal(5, 3, (uint64_t)level, (uint32_t)(i * ENTRIES + e));
        }
    }
    d->start[ROWS] = ROWS * ENTRIES;
    return (sustain_rows){.count = ROWS,
                          .dim = dim,
                          .values = d->values,
                          .start = d->start,
                          .columns = d->columns,
                          .labels = d->labels,
                          .targets = d->targets};
}

static sustain_problem *make_problem(sustain_context *context, int64_t dim) {
    sustain_regtune_options options = sustain_regtune_defaults();
    sustain_problem *problem;
    const sustain_rows training = make_rows(SUSTAIN_LOWER, dim), validation = make_rows(SUSTAIN_UPPER, dim);
    options.intercept = true;
    options.x_0 = -2;
    assert_int_equal(sustain_regtune_create(context, &options, &training, &validation, &problem), SUSTAIN_OK);
    return problem;
}

static sustain_real *vector(int64_t n) {
    sustain_real *a = calloc((size_t)n, sizeof *a);
    assert_non_null(a);
    return a;
}

/* Marks the columns of a draw's rows; returns how many were not marked before. */
static int64_t mark(int level, const sustain_batch *batch, bool *marked) {
    int64_t count = 0;
    for (int64_t i = 0; i < batch->size; i++)
        for (int64_t e = 0; e < ENTRIES; e++) {
            bool *at = &marked[sets[level].columns[batch->index[i] * ENTRIES + e]];
            count += !*at;
            *at = true;
        }
    return count;
}

/* All other coordinates of x and y are NaN: who looks at one of them is found out. Nothing of the
 * dense vectors is written either. */
static void check_touched(int64_t dim) {
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_problem *problem = make_problem(context, dim);
    assert_true(problem->ops->fast->lists_touched);
    int64_t index[(TERMS + 2) * BATCH];
    sustain_batch zeta[TERMS + 1];
    sustain_random_indices(9, 1, 0, (TERMS + 2) * BATCH, ROWS, index);
    for (int i = 0; i <= TERMS; i++) zeta[i] = (sustain_batch){.size = BATCH, .index = index + (i + 1) * BATCH};
    sustain_touched touched = {.coordinate = malloc((size_t)dim * sizeof(int64_t))};
    bool *marked = calloc((size_t)dim, sizeof *marked);
    sustain_real *x = vector(dim), *x_prev = vector(dim), *y = vector(dim + 1), *y_prev = vector(dim + 1);
    sustain_real *out[2] = {vector(dim), vector(dim)}, *dense[2] = {vector(dim), vector(dim)};
    void *work = malloc(problem->ops->workspace(problem->self, BATCH));
    assert_true(touched.coordinate != NULL && marked != NULL && work != NULL);
    sustain_hyper_draw draw = {
        .xi = {.size = BATCH, .index = index}, .zeta = zeta, .k = TERMS, .K = TERMS + 1, .L_g = 3, .touched = &touched};
    int64_t count = mark(SUSTAIN_UPPER, &draw.xi, marked);
    for (int i = 1; i <= TERMS; i++) count += mark(SUSTAIN_LOWER, &zeta[i], marked);
    for (int64_t j = 0; j < dim; j++) {
        const double seen = sustain_random_uniform(9, 2, 0, (uint32_t)j);
        x[j] = marked[j] ? (sustain_real)(-seen) : (sustain_real)NAN;
        y[j] = marked[j] ? (sustain_real)(seen - 0.4) : (sustain_real)NAN;
        x_prev[j] = x[j] + (sustain_real)0.1;
        y_prev[j] = y[j] - (sustain_real)0.1;
    }
    assert_int_equal(problem->ops->fast->hyper_pair(problem->self, &draw, x, y, x_prev, y_prev, out[0], out[1], work), 0);
    assert_int_equal(touched.count, count);
    for (int64_t j = 0; j < touched.count; j++) {
        assert_true(isfinite((double)out[0][j]) && isfinite((double)out[1][j]) && out[0][j] != 0);
        assert_true(marked[touched.coordinate[j]]);
        marked[touched.coordinate[j]] = false; /* each once */
    }
    for (int64_t j = count; j < dim; j++) assert_true(out[0][j] == 0 && out[1][j] == 0);
    draw.touched = NULL;
    assert_int_equal(problem->ops->fast->hyper_pair(problem->self, &draw, x, y, x_prev, y_prev, dense[0], dense[1], work), 0);
    for (int p = 0; p < 2; p++) {
        for (int64_t j = 0; j < count; j++) {
            assert_true(dense[p][touched.coordinate[j]] == out[p][j]);
            dense[p][touched.coordinate[j]] = 0;
        }
        for (int64_t j = 0; j < dim; j++) assert_true(dense[p][j] == 0);
        free(out[p]);
        free(dense[p]);
    }
    void *const all[] = {x, x_prev, y, y_prev, work, marked, touched.coordinate};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    sustain_regtune_destroy(problem);
    sustain_context_destroy(context);
}

static void test_touched(void **state) {
    (void)state;
    check_touched(FEW);
    check_touched(MANY);
}

/* x after some iterations; the caller frees it. */
static sustain_real *run(int64_t dim, const char *direction, bool listed, int threads) {
    sustain_context *context;
    sustain_solver *solver;
    sustain_result result;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain_context_set_threads(context, threads), SUSTAIN_OK);
    sustain_problem *made = make_problem(context, dim), problem = *made;
    sustain_problem_ops ops = *made->ops;
    sustain_problem_fast fast = *ops.fast;
    fast.lists_touched = listed;
    ops.fast = &fast;
    problem.ops = &ops;
    assert_int_equal(sustain_solver_create(context, "sustain", &problem, &solver), SUSTAIN_OK);
    const char *const settings[][2] = {{"schedule", "power"}, {"K", "4"}, {"L_g", "8"},   {"alpha", direction[0] == 'a' ? "0.1" : "20"},
                                       {"beta", "0.1"},       {"w", "1"}, {"batch", "5"}, {"direction", direction}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_int_equal(sustain_solver_set(solver, settings[i][0], settings[i][1]), SUSTAIN_OK);
    const sustain_stopping stopping = {.iterations = 12, .every = 100};
    assert_int_equal(sustain_solver_run(solver, &stopping, &result), SUSTAIN_OK);
    sustain_real *x = vector(dim);
    memcpy(x, result.x, (size_t)dim * sizeof *x);
    sustain_solver_destroy(solver);
    sustain_regtune_destroy(made);
    sustain_context_destroy(context);
    return x;
}

/* The first iterations, before rounding has grown, equal those with dense vectors. */
static void test_list_is_dense(void **state) {
    (void)state;
    static const char *const directions[] = {"plain", "adam"};
    for (int d = 0; d < 2; d++) {
        sustain_real *listed = run(FEW, directions[d], true, 1), *dense = run(FEW, directions[d], false, 1);
        double away = 0, moved = 0;
        for (int64_t j = 0; j < FEW; j++) {
            away = fmax(away, fabs((double)listed[j] - (double)dense[j]));
            moved = fmax(moved, fabs((double)listed[j] + 2));
        }
        assert_true(moved > 1e-3);
        assert_true(away <= (sizeof(sustain_real) == sizeof(float) ? 1e-4 : 1e-10) * moved);
        free(listed);
        free(dense);
    }
}

static int (*own_hyper_pair)(const void *self, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                             const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out, sustain_real *out_prev, void *work);

static int forgets_one(const void *self, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                       const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out, sustain_real *out_prev, void *work) {
    const int code = own_hyper_pair(self, draw, x, y, x_prev, y_prev, out, out_prev, work);
    if (draw->touched != NULL) draw->touched->count--;
    return code;
}

static int lists_one_twice(const void *self, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                           const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out, sustain_real *out_prev, void *work) {
    const int code = own_hyper_pair(self, draw, x, y, x_prev, y_prev, out, out_prev, work);
    if (draw->touched != NULL) draw->touched->coordinate[1] = draw->touched->coordinate[0];
    return code;
}

static int (*own_momentum_step)(const void *self, const sustain_momentum_step *step, const sustain_real *x, const sustain_real *x_prev,
                                sustain_real *h, sustain_real *y, sustain_real *y_prev, sustain_real *out, sustain_real *out_prev,
                                void *work);

static int step_forgets_one(const void *self, const sustain_momentum_step *step, const sustain_real *x, const sustain_real *x_prev,
                            sustain_real *h, sustain_real *y, sustain_real *y_prev, sustain_real *out, sustain_real *out_prev, void *work) {
    const int code = own_momentum_step(self, step, x, x_prev, h, y, y_prev, out, out_prev, work);
    if (step->draw->touched != NULL) step->draw->touched->count--;
    return code;
}

static int step_doubles(const void *self, const sustain_momentum_step *step, const sustain_real *x, const sustain_real *x_prev,
                        sustain_real *h, sustain_real *y, sustain_real *y_prev, sustain_real *out, sustain_real *out_prev, void *work) {
    const int code = own_momentum_step(self, step, x, x_prev, h, y, y_prev, out, out_prev, work);
    if (step->draw->touched != NULL)
        for (int64_t j = 0; j < step->draw->touched->count; j++) out[j] *= 2;
    return code;
}

/* sustain_check_problem() compares what is listed with what is dense. */
static void test_list_is_checked(void **state) {
    (void)state;
    static const char *const says[][2] = {{"", ""},
                                          {"hyper_pair of", "does not list coordinate"},
                                          {"hyper_pair of", "listed twice"},
                                          {"momentum_step of", "does not list coordinate"},
                                          {"momentum_step of", "its relative error is 0.5"}};
    sustain_context *context;
    sustain_check_report report;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_problem *made = make_problem(context, 300), problem = *made;
    own_hyper_pair = made->ops->fast->hyper_pair;
    own_momentum_step = made->ops->fast->momentum_step;
    for (int i = 0; i < 5; i++) {
        sustain_problem_ops ops = *made->ops;
        sustain_problem_fast fast = *ops.fast;
        ops.fast = &fast;
        problem.ops = &ops;
        if (i == 1) fast.hyper_pair = forgets_one;
        if (i == 2) fast.hyper_pair = lists_one_twice;
        if (i == 3) fast.momentum_step = step_forgets_one;
        if (i == 4) fast.momentum_step = step_doubles;
        assert_int_equal(sustain_check_problem(context, &problem, NULL, NULL, 3, 1, &report), SUSTAIN_OK);
        if (report.failed != (i == 0 ? 0 : 1)) print_message("%s\n", sustain_error(context));
        assert_int_equal(report.failed, i == 0 ? 0 : 1);
        assert_int_equal(strncmp(sustain_error(context), says[i][0], strlen(says[i][0])), 0);
        assert_non_null(strstr(sustain_error(context), says[i][1]));
    }
    sustain_regtune_destroy(made);
    sustain_context_destroy(context);
}

static void test_threads(void **state) {
    (void)state;
    static const int threads[] = {2, 3, 8};
    sustain_real *one = run(MANY, "plain", true, 1);
    for (int i = 0; i < 3; i++) {
        sustain_real *more = run(MANY, "plain", true, threads[i]);
        assert_memory_equal(one, more, MANY * sizeof *one);
        free(more);
    }
    free(one);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_touched), cmocka_unit_test(test_list_is_dense),
                                       cmocka_unit_test(test_list_is_checked), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
