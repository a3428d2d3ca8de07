/* test_check.c - sustain_check_problem passes what is right and names what is broken. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <sustain/sustain.h>

#include "check/slope.h"
#include "failing_allocator.h"
#include "toy.h"

enum { BATCH = 5, SEED = 11 };

static sustain_context *make_context(void) {
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    return context;
}

/* A line for every row, shown where a test fails. */
static void show(const sustain_check_report *report) {
    for (int i = 0; i < report->count; i++) {
        const sustain_check_row *row = &report->row[i];
        print_message("  %-50s %-12s %s error %.3g of %.1g\n", row->what, row->oracle,
                      !row->done    ? "-"
                      : row->passed ? "ok"
                                    : "FAILED",
                      row->error, row->tolerance);
    }
}

static const sustain_check_row *find(const sustain_check_report *report, const char *what) {
    for (int i = 0; i < report->count; i++)
        if (strcmp(report->row[i].what, what) == 0) return &report->row[i];
    fail_msg("no row \"%s\"", what);
    return NULL;
}

/* ---- what is right passes ---- */

static void passes(const sustain_problem *problem, int64_t batch, uint64_t seed) {
    sustain_context *context = make_context();
    sustain_check_report report;
    assert_int_equal(sustain_check_problem(context, problem, NULL, NULL, batch, seed, &report), SUSTAIN_OK);
    if (report.failed > 0) show(&report);
    assert_int_equal(report.failed, 0);
    assert_string_equal(sustain_error(context), "");
    sustain_context_destroy(context);
}

static void test_right(void **state) {
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++)
        for (int stream = 0; stream < 2; stream++)
            for (uint64_t seed = 0; seed < 4; seed++) {
                toy t;
                toy_make(&t, sparse, stream ? 0 : TOY_SAMPLES, TOY_RIGHT);
                passes(&t.problem, 1 + (int64_t)seed, seed);
            }
}

static void test_every_row_is_done(void **state) {
    (void)state;
    sustain_context *context = make_context();
    for (int sparse = 0; sparse < 2; sparse++) {
        toy t;
        sustain_check_report report;
        toy_make(&t, sparse, TOY_SAMPLES, TOY_RIGHT);
        assert_int_equal(sustain_check_problem(context, &t.problem, NULL, NULL, BATCH, SEED, &report), SUSTAIN_OK);
        int left_out = 0;
        for (int i = 0; i < report.count; i++) left_out += !report.row[i].done;
        assert_int_equal(left_out, 5); /* the two of tables, project_y, and g_cross on a draw and on batch NULL; or the two of support */
    }
    sustain_context_destroy(context);
}

static void test_optional_oracles_are_left_out(void **state) {
    (void)state;
    toy t;
    toy_make(&t, false, 0, TOY_RIGHT);
    t.ops = (sustain_problem_ops){.name = "four",
                                  .f_value = t.ops.f_value,
                                  .f_grad = t.ops.f_grad,
                                  .g_value = t.ops.g_value,
                                  .g_grad_y = t.ops.g_grad_y,
                                  .workspace = t.ops.workspace};
    sustain_context *context = make_context();
    sustain_check_report report;
    assert_int_equal(sustain_check_problem(context, &t.problem, NULL, NULL, BATCH, SEED, &report), SUSTAIN_OK);
    assert_int_equal(report.failed, 0);
    assert_false(find(&report, "g_cross_vec against differences of g_grad_y")->done);
    assert_false(find(&report, "hypergradient against differences of ell")->done);
    assert_true(find(&report, "f_grad in x against differences of f_value")->done);
    sustain_context_destroy(context);
}

/* At points of the caller's, large and small, and at the solution of the lower level, where grad_y
 * g is zero. */
static void test_points(void **state) {
    (void)state;
    sustain_context *context = make_context();
    toy t;
    toy_make(&t, false, TOY_SAMPLES, TOY_RIGHT);
    for (int i = 0; i < 4; i++) {
        const sustain_real size[] = {0, (sustain_real)1e-3, 1, 3};
        sustain_real x[TOY_LOWER], y[TOY_LOWER];
        for (int j = 0; j < TOY_LOWER; j++) x[j] = size[i] * (sustain_real)(j - 1), y[j] = size[i] * (sustain_real)(2 - j);
        for (int solved = 0; solved < 2; solved++) {
            sustain_check_report report;
            if (solved) sustain_lower_solve(context, &t.problem, NULL, x, 0, y);
            assert_int_equal(sustain_check_problem(context, &t.problem, x, y, BATCH, SEED, &report), SUSTAIN_OK);
            if (report.failed > 0) show(&report);
            assert_int_equal(report.failed, 0);
        }
    }
    sustain_context_destroy(context);
}

/* ---- what is broken is named ---- */

/* All rows that fail name `oracle`, at least one does, and the sentence begins with it and holds
 * `words`. */
static void caught_by(toy *t, const char *oracle, const char *words) {
    sustain_context *context = make_context();
    for (uint64_t seed = SEED; seed < SEED + 2; seed++) {
        sustain_check_report report;
        t->counter = 0;
        assert_int_equal(sustain_check_problem(context, &t->problem, NULL, NULL, BATCH, seed, &report), SUSTAIN_OK);
        int failed = 0, others = 0;
        for (int i = 0; i < report.count; i++) {
            const sustain_check_row *row = &report.row[i];
            if (!row->done || row->passed) continue;
            assert_false(row->error <= row->tolerance);
            failed++;
            others += strcmp(row->oracle, oracle) != 0;
        }
        if (failed == 0 || others > 0) show(&report);
        assert_int_not_equal(failed, 0);
        assert_int_equal(others, 0);
        assert_int_equal(report.failed, failed);
        char begin[64];
        snprintf(begin, sizeof begin, "%s of problem 'toy' is wrong: ", oracle);
        if (strncmp(sustain_error(context), begin, strlen(begin)) != 0 || strstr(sustain_error(context), words) == NULL)
            fail_msg("the sentence is: %s", sustain_error(context));
    }
    sustain_context_destroy(context);
}

static void caught(bool sparse, toy_fault fault, const char *oracle, const char *words) {
    toy t;
    toy_make(&t, sparse, TOY_SAMPLES, fault);
    caught_by(&t, oracle, words);
}

static void caught_everywhere(toy_fault fault, const char *oracle, const char *words) {
    for (int sparse = 0; sparse < 2; sparse++)
        for (int stream = 0; stream < 2; stream++) {
            toy t;
            toy_make(&t, sparse, stream ? 0 : TOY_SAMPLES, fault);
            caught_by(&t, oracle, words);
        }
}

#define BROKEN(name, ...)                   \
    static void test_##name(void **state) { \
        (void)state;                        \
        __VA_ARGS__;                        \
    }

BROKEN(f_grad_x_sign, caught_everywhere(TOY_F_GRAD_X_SIGN, "f_grad", "in x against differences of f_value its relative error is 2"))
BROKEN(f_grad_y_factor, caught_everywhere(TOY_F_GRAD_Y_FACTOR, "f_grad", "in y against differences of f_value its relative error is 0.33"))
BROKEN(g_grad_y_missing_term, caught_everywhere(TOY_G_GRAD_Y_MISSING_TERM, "g_grad_y", "against differences of g_value"))
BROKEN(g_grad_x_factor, caught_everywhere(TOY_G_GRAD_X_FACTOR, "g_grad_x", "against differences of g_value its relative error is 0.5"))
BROKEN(hess_factor_2, caught_everywhere(TOY_HESS_FACTOR_2, "g_hess_vec", "against differences of g_grad_y its relative error is 0.5"))
BROKEN(hess_not_symmetric, caught_everywhere(TOY_HESS_NOT_SYMMETRIC, "g_hess_vec", "against differences of g_grad_y"))
BROKEN(cross_sign, caught_everywhere(TOY_CROSS_SIGN, "g_cross_vec", "against differences of g_grad_y its relative error is 2"))
BROKEN(cross_transposed, caught(false, TOY_CROSS_TRANSPOSED, "g_cross_vec", "against differences of g_grad_y"))
BROKEN(cross_wrong_order, caught(true, TOY_CROSS_WRONG_ORDER, "g_cross_vec", "against differences of g_grad_y"))
BROKEN(support_incomplete, caught(true, TOY_SUPPORT_INCOMPLETE, "support", "read x at coordinates that it does not list"))
BROKEN(support_out_of_range, caught(true, TOY_SUPPORT_OUT_OF_RANGE, "support", "upper_dim is 24"))
BROKEN(support_too_long, caught(true, TOY_SUPPORT_TOO_LONG, "support", "support_per_sample allows"))
BROKEN(hess_reads_elsewhere, caught(true, TOY_HESS_READS_ELSEWHERE, "g_hess_vec", "support does not list"))
BROKEN(hyper_pair_second_point, caught_everywhere(TOY_HYPER_PAIR_SECOND_POINT, "hyper_pair", "against eq. (7)"))
BROKEN(hyper_pair_scale, caught_everywhere(TOY_HYPER_PAIR_SCALE, "hyper_pair", "against eq. (7)"))
BROKEN(gradient_pair_swapped, caught_everywhere(TOY_GRADIENT_PAIR_SWAPPED, "g_grad_y_pair", "against g_grad_y twice"))
BROKEN(momentum_step_forgets, caught_everywhere(TOY_MOMENTUM_STEP_FORGETS, "momentum_step", "against (7) and (13)"))
BROKEN(momentum_step_stays, caught_everywhere(TOY_MOMENTUM_STEP_STAYS, "momentum_step", "against (7) and (13)"))
BROKEN(impure_counter, caught_everywhere(TOY_IMPURE_COUNTER, "g_grad_y", "not pure"))
BROKEN(impure_output, caught_everywhere(TOY_IMPURE_OUTPUT, "g_hess_vec", "not pure"))
BROKEN(impure_work, caught_everywhere(TOY_IMPURE_WORK, "f_grad", "not pure"))
BROKEN(work_overrun, caught_everywhere(TOY_WORK_OVERRUN, "g_value", "beyond the bytes of work"))
BROKEN(matrix_transposed, caught(false, TOY_MATRIX_TRANSPOSED, "g_cross", "against g_cross_vec"))
BROKEN(matrix_factor, caught_everywhere(TOY_MATRIX_FACTOR, "g_hess", "against g_hess_vec"))
BROKEN(population_short, caught(false, TOY_POPULATION_SHORT, "f_value", "batch NULL"))
BROKEN(nan, caught_everywhere(TOY_NAN, "g_hess_vec", "not finite"))
BROKEN(not_convex, caught(false, TOY_NOT_CONVEX, "hypergradient", "not strongly convex"))

/* Sums instead of means: every oracle is consistent with every other, and all of them are wrong. */
static void test_batch_is_sum(void **state) {
    (void)state;
    toy t;
    toy_make(&t, false, TOY_SAMPLES, TOY_BATCH_IS_SUM);
    sustain_context *context = make_context();
    sustain_check_report report;
    assert_int_equal(sustain_check_problem(context, &t.problem, NULL, NULL, BATCH, SEED, &report), SUSTAIN_OK);
    assert_false(find(&report, "a draw against the mean of its samples")->passed);
    assert_non_null(strstr(sustain_error(context), "mean"));
    sustain_context_destroy(context);
}

/* An error of 3 % is seen in float, of 0.001 % in double; a hundredth of that is forgiven. */
static double small_error;

static sustain_problem_ops own; /* the toy's, where others stand in their place */

static int slightly_wrong(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                          sustain_real *out, void *work) {
    const int code = own.g_cross_vec(self, zeta, x, y, v, out, work);
    for (int i = 0; i < TOY_LOWER; i++) out[i] *= (sustain_real)(1 + small_error);
    return code;
}

static void test_small_errors_are_seen(void **state) {
    (void)state;
    const double visible = sizeof(sustain_real) == sizeof(double) ? 1e-5 : 3e-2;
    toy t;
    toy_make(&t, false, TOY_SAMPLES, TOY_RIGHT);
    own = t.ops;
    t.ops.g_cross_vec = slightly_wrong;
    t.ops.g_cross = NULL;
    t.fast.hyper_pair = NULL;
    t.fast.momentum_step = NULL;
    small_error = visible;
    caught_by(&t, "g_cross_vec", "relative error");
    small_error = visible / 100;
    passes(&t.problem, BATCH, SEED);
}

/* ---- differences ---- */

/* (exp(s), sin(100 s)), where it exists: |s| below *user. */
static sustain_status two_functions(void *user, double s, double *out, double *noise) {
    const double *reach = user;
    out[0] = fabs(s) < *reach ? exp(s) : NAN;
    out[1] = sin(100 * s);
    *noise = 1e-16;
    return SUSTAIN_OK;
}

static void test_slope(void **state) {
    (void)state;
    double scratch[2 * SUSTAIN__SLOPE_VECTORS], reach[] = {1, 0.01, 1e-9};
    sustain__slope slope;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sustain__find_slope(two_functions, &reach[i], 2, scratch, &slope), SUSTAIN_OK);
        const double error = hypot(slope.value[0] - 1, slope.value[1] - 100);
        assert_true(error < 1e-5); /* plain differences: 0.01 */
        assert_true(error <= 2 * slope.uncertainty + 8 * slope.noise);
    }
    /* Nowhere: no number, and it says so. */
    assert_int_equal(sustain__find_slope(two_functions, &reach[2], 2, scratch, &slope), SUSTAIN_OK);
    assert_true(isnan(slope.value[0]) && isinf(slope.uncertainty));
}

/* ---- refusals ---- */

static void test_failing_oracle(void **state) {
    (void)state;
    toy t;
    toy_make(&t, false, TOY_SAMPLES, TOY_FAILS);
    sustain_context *context = make_context();
    sustain_check_report report;
    assert_int_equal(sustain_check_problem(context, &t.problem, NULL, NULL, BATCH, SEED, &report), SUSTAIN_ORACLE_FAILED);
    assert_non_null(strstr(sustain_error(context), "g_hess_vec"));
    sustain_context_destroy(context);
}

/* Oracles whose third entry is wrong. */

static int wrong_f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                        sustain_real *fy, void *work) {
    const int code = own.f_grad(self, xi, x, y, fx, fy, work);
    fx[2] *= (sustain_real)1.5;
    return code;
}

static int wrong_g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                          void *work) {
    const int code = own.g_grad_y(self, zeta, x, y, gy, work);
    gy[2] *= (sustain_real)1.5;
    return code;
}

static int wrong_g_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                            const sustain_real *v, sustain_real *out, void *work) {
    const int code = own.g_hess_vec(self, zeta, x, y, v, out, work);
    out[2] *= (sustain_real)1.5;
    return code;
}

static int wrong_g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                             const sustain_real *v, sustain_real *out, void *work) {
    const int code = own.g_cross_vec(self, zeta, x, y, v, out, work);
    out[2] *= (sustain_real)1.5;
    return code;
}

static void test_says_where(void **state) {
    (void)state;
    static const char *const expected[][2] = {{"f_grad", "x[2]"}, {"g_grad_y", "y[2]"}, {"g_hess_vec", "y[2]"}, {"g_cross_vec", "x[2]"}};
    for (int i = 0; i < 4; i++) {
        toy t;
        sustain_check_report report;
        sustain_context *context = make_context();
        toy_make(&t, false, TOY_SAMPLES, TOY_RIGHT);
        own = t.ops;
        if (i == 0) t.ops.f_grad = wrong_f_grad;
        if (i == 1) t.ops.g_grad_y = wrong_g_grad_y;
        if (i == 2) t.ops.g_hess_vec = wrong_g_hess_vec;
        if (i == 3) t.ops.g_cross_vec = wrong_g_cross_vec;
        assert_int_equal(sustain_check_problem(context, &t.problem, NULL, NULL, BATCH, SEED, &report), SUSTAIN_OK);
        assert_true(report.failed > 0);
        const char *says = sustain_error(context);
        if (strncmp(says, expected[i][0], strlen(expected[i][0])) != 0 || strstr(says, expected[i][1]) == NULL) fail_msg("%s", says);
        sustain_context_destroy(context);
    }
}

/* ---- batch NULL ---- */

/* Right on draws, and the third entry wrong on batch NULL. */
#define WRONG_FOR_ALL(oracle, right) (batch == NULL ? wrong_##oracle : own.oracle) right

static int all_f_grad(const void *self, const sustain_batch *batch, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                      sustain_real *fy, void *work) {
    return WRONG_FOR_ALL(f_grad, (self, batch, x, y, fx, fy, work));
}

static int all_g_grad_y(const void *self, const sustain_batch *batch, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                        void *work) {
    return WRONG_FOR_ALL(g_grad_y, (self, batch, x, y, gy, work));
}

static int all_g_hess_vec(const void *self, const sustain_batch *batch, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                          sustain_real *out, void *work) {
    return WRONG_FOR_ALL(g_hess_vec, (self, batch, x, y, v, out, work));
}

static int all_g_cross_vec(const void *self, const sustain_batch *batch, const sustain_real *x, const sustain_real *y,
                           const sustain_real *v, sustain_real *out, void *work) {
    return WRONG_FOR_ALL(g_cross_vec, (self, batch, x, y, v, out, work));
}

/* A stream's expected value by differences, a finite sum's by its mean as well: one row fails, and
 * says where. */
static void test_batch_null(void **state) {
    (void)state;
    static const char *const expected[][2] = {{"f_grad", "x[2]"}, {"g_grad_y", "y[2]"}, {"g_hess_vec", "y[2]"}, {"g_cross_vec", "x[2]"}};
    sustain_context *context = make_context();
    for (int i = 0; i < 5; i++)
        for (int stream = 0; stream < 2; stream++) {
            toy t;
            sustain_check_report report;
            toy_make(&t, false, stream ? 0 : TOY_SAMPLES, TOY_RIGHT);
            t.problem.has_expectation = true;
            own = t.ops;
            t.ops.g_hess = NULL; /* it would differ from a wrong product, too */
            t.ops.g_cross = NULL;
            if (i == 0) t.ops.f_grad = all_f_grad;
            if (i == 1) t.ops.g_grad_y = all_g_grad_y;
            if (i == 2) t.ops.g_hess_vec = all_g_hess_vec;
            if (i == 3) t.ops.g_cross_vec = all_g_cross_vec;
            assert_int_equal(sustain_check_problem(context, &t.problem, NULL, NULL, BATCH, SEED, &report), SUSTAIN_OK);
            if (report.failed != (i < 4)) show(&report);
            assert_int_equal(report.failed, i < 4);
            const char *says = sustain_error(context);
            if (i < 4 && (strncmp(says, expected[i][0], strlen(expected[i][0])) != 0 || strstr(says, expected[i][1]) == NULL ||
                          strstr(says, "for batch NULL") == NULL))
                fail_msg("%s", says);
        }
    sustain_context_destroy(context);
}

/* f_i = (y - a_i)^2 / 2 + x y,  g_i = (y - a_i x)^2 / 2: more samples than are looked at one by one. */
enum { MANY = 5000 };

static int64_t many_known; /* samples that batch NULL of g_grad_y knows of */

static double many_sample(const sustain_batch *batch, int64_t j) {
    return (double)((batch != NULL ? batch->index[j] : j) / 500) - 2;
}

static int many_f_value(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value,
                        void *work) {
    const int64_t n = xi != NULL ? xi->size : MANY;
    (void)self, (void)work;
    *value = (double)x[0] * (double)y[0];
    for (int64_t j = 0; j < n; j++) *value += pow((double)y[0] - many_sample(xi, j), 2) / (2 * (double)n);
    return 0;
}

static int many_f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                       sustain_real *fy, void *work) {
    const int64_t n = xi != NULL ? xi->size : MANY;
    double sum = 0;
    (void)self, (void)work;
    for (int64_t j = 0; j < n; j++) sum += (double)y[0] - many_sample(xi, j);
    *fx = y[0];
    *fy = (sustain_real)(sum / (double)n + (double)x[0]);
    return 0;
}

static int many_g_value(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value,
                        void *work) {
    const int64_t n = zeta != NULL ? zeta->size : MANY;
    (void)self, (void)work;
    *value = 0;
    for (int64_t j = 0; j < n; j++) *value += pow((double)y[0] - many_sample(zeta, j) * (double)x[0], 2) / (2 * (double)n);
    return 0;
}

static int many_g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                         void *work) {
    const int64_t n = zeta != NULL ? zeta->size : many_known;
    double sum = 0;
    (void)self, (void)work;
    for (int64_t j = 0; j < n; j++) sum += (double)y[0] - many_sample(zeta, j) * (double)x[0];
    *gy = (sustain_real)(sum / (double)n);
    return 0;
}

static void test_many_samples(void **state) {
    (void)state;
    const sustain_problem_ops ops = {
        .name = "many", .f_value = many_f_value, .f_grad = many_f_grad, .g_value = many_g_value, .g_grad_y = many_g_grad_y};
    const sustain_problem problem = {.ops = &ops, .upper_dim = 1, .lower_dim = 1, .samples = {MANY, MANY}};
    many_known = MANY;
    passes(&problem, BATCH, SEED);
    many_known = MANY - 500;
    sustain_context *context = make_context();
    sustain_check_report report;
    assert_int_equal(sustain_check_problem(context, &problem, NULL, NULL, BATCH, SEED, &report), SUSTAIN_OK);
    if (report.failed != 1) show(&report);
    assert_int_equal(report.failed, 1);
    assert_non_null(strstr(sustain_error(context), "g_grad_y of problem 'many' is wrong: for batch NULL"));
    assert_non_null(strstr(sustain_error(context), "y[0]"));
    sustain_context_destroy(context);
}

static size_t workspace_beyond_measure(const void *self, int64_t max_batch) {
    (void)self, (void)max_batch;
    return SIZE_MAX;
}

static void test_bad_arguments(void **state) {
    (void)state;
    toy t;
    toy_make(&t, false, TOY_SAMPLES, TOY_RIGHT);
    sustain_context *context = make_context();
    sustain_check_report report;
    assert_int_equal(sustain_check_problem(context, &t.problem, NULL, NULL, 0, SEED, &report), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_check_problem(context, &t.problem, NULL, NULL, INT64_MAX, SEED, &report), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_check_problem(context, &t.problem, NULL, NULL, BATCH, SEED, NULL), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_check_problem(context, NULL, NULL, NULL, BATCH, SEED, &report), SUSTAIN_ARGUMENT);
    t.ops.workspace = workspace_beyond_measure;
    assert_int_equal(sustain_check_problem(context, &t.problem, NULL, NULL, BATCH, SEED, &report), SUSTAIN_MEMORY);
    t.ops.g_grad_y = NULL;
    assert_int_equal(sustain_check_problem(context, &t.problem, NULL, NULL, BATCH, SEED, &report), SUSTAIN_MISSING_ORACLE);
    sustain_context_destroy(context);
}

static void test_every_allocation_fails(void **state) {
    (void)state;
    failing_allocator_state allocator = {0};
    sustain_context *context;
    assert_int_equal(sustain_context_create_with(failing_allocator, &allocator, &context), SUSTAIN_OK);
    toy t;
    toy_make(&t, true, TOY_SAMPLES, TOY_RIGHT);
    sustain_status status = SUSTAIN_MEMORY;
    int64_t n = 0;
    while (status == SUSTAIN_MEMORY) {
        sustain_check_report report;
        allocator.calls = 0;
        allocator.fail_at = ++n;
        status = sustain_check_problem(context, &t.problem, NULL, NULL, BATCH, SEED, &report);
        assert_int_equal(allocator.live, 1); /* the context */
        if (status == SUSTAIN_MEMORY) assert_non_null(strstr(sustain_error(context), "memory"));
    }
    assert_int_equal(status, SUSTAIN_OK);
    assert_true(n > 3);
    sustain_context_destroy(context);
}

/* ---- tables ---- */

enum { TABLE_ROWS = 7, TABLE_DIM = 3, TABLE_CLASSES = 3 };

static const sustain_problem_fast *right; /* hyperclean's */

static int rest_of_nothing(const void *self, sustain_quantity quantity, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                           sustain_real *out, void *work) {
    const int code = right->table_rest(self, quantity, x, y, v, out, work);
    if (quantity == SUSTAIN_QUANTITY_G_HESS_VEC) out[0] = 0;
    return code;
}

static int rows_of_others(const void *self, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *x,
                          const sustain_real *y, const sustain_real *v, sustain_real *rows, void *work) {
    const int code = right->table_rows(self, quantity, batch, x, y, v, rows, work);
    if (quantity == SUSTAIN_QUANTITY_G_CROSS_VEC) rows[0] *= 2;
    return code;
}

static int rows_that_keep(const void *self, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *x,
                          const sustain_real *y, const sustain_real *v, sustain_real *rows, void *work) {
    const sustain_real before = quantity != SUSTAIN_QUANTITY_F_GRAD_X ? rows[0] : 0;
    const int code = right->table_rows(self, quantity, batch, x, y, v, rows, work);
    if (before != 0) rows[0] = before;
    return code;
}

/* Adds something of its own. */
static int add_with_offset(const void *self, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *rows, double weight,
                           sustain_real *out, void *work) {
    const int code = right->table_add(self, quantity, batch, rows, weight, out, work);
    if (quantity == SUSTAIN_QUANTITY_G_GRAD_Y && weight < 0) out[1] += (sustain_real)0.5;
    return code;
}

static int64_t width_too_large(const void *self, sustain_quantity quantity) {
    return quantity == SUSTAIN_QUANTITY_F_GRAD_Y ? 1000 : right->table_width(self, quantity);
}

static void tables_caught(const sustain_problem *made, const sustain_problem_fast *fast, const char *oracle, const char *words) {
    sustain_context *context = make_context();
    sustain_problem problem = *made;
    sustain_problem_ops ops = *made->ops;
    ops.fast = fast;
    problem.ops = &ops;
    sustain_check_report report;
    assert_int_equal(sustain_check_problem(context, &problem, NULL, NULL, BATCH, SEED, &report), SUSTAIN_OK);
    if (oracle == NULL) {
        if (report.failed != 0) show(&report);
        assert_int_equal(report.failed, 0);
        assert_true(find(&report, "tables: rest and rows against the oracles")->done &&
                    find(&report, "table_add linear in its rows")->done);
    } else {
        if (report.failed == 0) show(&report);
        assert_true(report.failed > 0);
        if (strncmp(sustain_error(context), oracle, strlen(oracle)) != 0 || strstr(sustain_error(context), words) == NULL)
            fail_msg("the sentence is: %s", sustain_error(context));
    }
    sustain_context_destroy(context);
}

static void test_tables(void **state) {
    (void)state;
    float features[TABLE_ROWS * TABLE_DIM];
    int32_t labels[TABLE_ROWS];
    for (int i = 0; i < TABLE_ROWS * TABLE_DIM; i++) features[i] = (float)sustain_random_normal(3, 1, 0, (uint32_t)i);
    for (int i = 0; i < TABLE_ROWS; i++) labels[i] = i % TABLE_CLASSES;
    const sustain_rows rows = {.count = TABLE_ROWS, .dim = TABLE_DIM, .values = features, .labels = labels};
    sustain_context *context = make_context();
    sustain_problem *problem;
    const sustain_hyperclean_options options = {.classes = TABLE_CLASSES, .c = 0.2, .intercept = true};
    assert_int_equal(sustain_hyperclean_create(context, &options, &rows, &rows, &problem), SUSTAIN_OK);
    right = problem->ops->fast;
    sustain_problem_fast fast = *right;
    tables_caught(problem, &fast, NULL, "");
    fast.table_rest = rest_of_nothing;
    tables_caught(problem, &fast, "table_rows", "rest and rows");
    fast = *right;
    fast.table_rows = rows_of_others;
    tables_caught(problem, &fast, "table_rows", "rest and rows");
    fast.table_rows = rows_that_keep;
    tables_caught(problem, &fast, "table_rows", "not pure");
    fast = *right;
    fast.table_add = add_with_offset;
    tables_caught(problem, &fast, "table_add", "linear");
    fast = *right;
    fast.table_width = width_too_large;
    tables_caught(problem, &fast, "table_rows", "table_width is 1000");
    sustain_hyperclean_destroy(problem);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_every_row_is_done),
        cmocka_unit_test(test_optional_oracles_are_left_out),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_f_grad_x_sign),
        cmocka_unit_test(test_f_grad_y_factor),
        cmocka_unit_test(test_g_grad_y_missing_term),
        cmocka_unit_test(test_g_grad_x_factor),
        cmocka_unit_test(test_hess_factor_2),
        cmocka_unit_test(test_hess_not_symmetric),
        cmocka_unit_test(test_cross_sign),
        cmocka_unit_test(test_cross_transposed),
        cmocka_unit_test(test_cross_wrong_order),
        cmocka_unit_test(test_support_incomplete),
        cmocka_unit_test(test_support_out_of_range),
        cmocka_unit_test(test_support_too_long),
        cmocka_unit_test(test_hess_reads_elsewhere),
        cmocka_unit_test(test_hyper_pair_second_point),
        cmocka_unit_test(test_hyper_pair_scale),
        cmocka_unit_test(test_gradient_pair_swapped),
        cmocka_unit_test(test_momentum_step_forgets),
        cmocka_unit_test(test_momentum_step_stays),
        cmocka_unit_test(test_impure_counter),
        cmocka_unit_test(test_impure_output),
        cmocka_unit_test(test_impure_work),
        cmocka_unit_test(test_work_overrun),
        cmocka_unit_test(test_matrix_transposed),
        cmocka_unit_test(test_matrix_factor),
        cmocka_unit_test(test_population_short),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_not_convex),
        cmocka_unit_test(test_batch_is_sum),
        cmocka_unit_test(test_small_errors_are_seen),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_failing_oracle),
        cmocka_unit_test(test_says_where),
        cmocka_unit_test(test_batch_null),
        cmocka_unit_test(test_many_samples),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
