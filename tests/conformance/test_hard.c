/* test_hard.c - problems on which a default or a shortcut once gave a wrong answer without a
 * word. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <sustain/sustain.h>

#include "toy.h"

typedef sustain_real real;

static sustain_context *context;

static sustain_solver *make(const sustain_problem *problem, const char *const *pairs) {
    sustain_solver *solver;
    assert_int_equal(sustain_solver_create(context, "sustain", problem, &solver), SUSTAIN_OK);
    for (; *pairs != NULL; pairs += 2) assert_int_equal(sustain_solver_set(solver, pairs[0], pairs[1]), SUSTAIN_OK);
    return solver;
}

/* ---- heavy samples ---- */

/* One in twenty has thirty times the curvature: g_i = a_i (y - x)^2 / 2 - a_i t_i y,
 * f = (y - 1)^2 / 2 + x^2 / 20. */

enum { SAMPLES = 1000 };

static double heavy(int64_t i) {
    return i % 20 == 0 ? 30 : 1;
}

static void heavy_means(const sustain_batch *b, double *a, double *at) {
    const int64_t n = b != NULL ? b->size : SAMPLES;
    *a = *at = 0;
    for (int64_t j = 0; j < n; j++) {
        const int64_t i = b != NULL ? b->index[j] : j;
        *a += heavy(i) / (double)n;
        *at += heavy(i) * 0.1 * sustain_random_normal(7, 1, (uint64_t)i, 0) / (double)n;
    }
}

static int heavy_f_value(const void *self, const sustain_batch *b, const real *x, const real *y, double *value, void *work) {
    (void)self, (void)b, (void)work;
    *value = pow((double)y[0] - 1, 2) / 2 + pow((double)x[0], 2) / 20;
    return 0;
}

static int heavy_f_grad(const void *self, const sustain_batch *b, const real *x, const real *y, real *fx, real *fy, void *work) {
    (void)self, (void)b, (void)work;
    fx[0] = x[0] / 10;
    fy[0] = y[0] - 1;
    return 0;
}

static int heavy_g_value(const void *self, const sustain_batch *b, const real *x, const real *y, double *value, void *work) {
    (void)self, (void)work;
    double a, at;
    heavy_means(b, &a, &at);
    *value = a * pow((double)y[0] - (double)x[0], 2) / 2 - at * (double)y[0];
    return 0;
}

static int heavy_g_grad_y(const void *self, const sustain_batch *b, const real *x, const real *y, real *gy, void *work) {
    (void)self, (void)work;
    double a, at;
    heavy_means(b, &a, &at);
    gy[0] = (real)(a * ((double)y[0] - (double)x[0]) - at);
    return 0;
}

static int heavy_g_hess_vec(const void *self, const sustain_batch *b, const real *x, const real *y, const real *v, real *out, void *work) {
    (void)self, (void)x, (void)y, (void)work;
    double a, at;
    heavy_means(b, &a, &at);
    out[0] = (real)(a * (double)v[0]);
    return 0;
}

static int heavy_g_cross_vec(const void *self, const sustain_batch *b, const real *x, const real *y, const real *v, real *out, void *work) {
    heavy_g_hess_vec(self, b, x, y, v, out, work);
    out[0] = -out[0];
    return 0;
}

static void test_heavy_samples(void **state) {
    (void)state;
    const sustain_problem_ops ops = {.name = "heavy",
                                     .f_value = heavy_f_value,
                                     .f_grad = heavy_f_grad,
                                     .g_value = heavy_g_value,
                                     .g_grad_y = heavy_g_grad_y,
                                     .g_hess_vec = heavy_g_hess_vec,
                                     .g_cross_vec = heavy_g_cross_vec};
    const sustain_problem problem = {.ops = &ops, .upper_dim = 1, .lower_dim = 1, .samples = {SAMPLES, SAMPLES}};
    for (int seed = 0; seed < 6; seed++) {
        char text[8];
        snprintf(text, sizeof text, "%d", seed);
        sustain_solver *solver = make(&problem, (const char *const[]){"seed", text, NULL});
        sustain_result result;
        assert_int_equal(sustain_solver_run(solver, &(sustain_stopping){.iterations = 20000}, &result), SUSTAIN_OK);
        if (!(fabs((double)result.x[0] - 0.91) < 0.15)) fail_msg("seed %d: x = %g", seed, (double)result.x[0]);
        sustain_solver_destroy(solver);
    }
}

/* ---- a saddle ---- */

/* f = (y^2 - 1)^2 / 4, y* = x, no noise: from x = 0 the directions grow by orders of magnitude. */

static int well_f_value(const void *self, const sustain_batch *b, const real *x, const real *y, double *value, void *work) {
    (void)self, (void)b, (void)x, (void)work;
    *value = pow((double)y[0] * (double)y[0] - 1, 2) / 4;
    return 0;
}

static int well_f_grad(const void *self, const sustain_batch *b, const real *x, const real *y, real *fx, real *fy, void *work) {
    (void)self, (void)b, (void)x, (void)work;
    fx[0] = 0;
    fy[0] = y[0] * (y[0] * y[0] - 1);
    return 0;
}

static int well_g_value(const void *self, const sustain_batch *b, const real *x, const real *y, double *value, void *work) {
    (void)self, (void)b, (void)work;
    *value = pow((double)y[0] - (double)x[0], 2) / 2;
    return 0;
}

static int well_g_grad_y(const void *self, const sustain_batch *b, const real *x, const real *y, real *gy, void *work) {
    (void)self, (void)b, (void)work;
    gy[0] = y[0] - x[0];
    return 0;
}

static int well_g_hess_vec(const void *self, const sustain_batch *b, const real *x, const real *y, const real *v, real *out, void *work) {
    (void)self, (void)b, (void)x, (void)y, (void)work;
    out[0] = v[0];
    return 0;
}

static int well_g_cross_vec(const void *self, const sustain_batch *b, const real *x, const real *y, const real *v, real *out, void *work) {
    (void)self, (void)b, (void)x, (void)y, (void)work;
    out[0] = -v[0];
    return 0;
}

static void test_leaving_a_saddle(void **state) {
    (void)state;
    const sustain_problem_ops ops = {.name = "double well",
                                     .f_value = well_f_value,
                                     .f_grad = well_f_grad,
                                     .g_value = well_g_value,
                                     .g_grad_y = well_g_grad_y,
                                     .g_hess_vec = well_g_hess_vec,
                                     .g_cross_vec = well_g_cross_vec};
    const sustain_problem problem = {.ops = &ops, .upper_dim = 1, .lower_dim = 1, .has_expectation = true};
    const char *const pairs[] = {"schedule", "power", "alpha", "0.5", "beta", "0.5", "K", "1", "L_g", "1", NULL};
    const real start[1] = {(real)1e-5};
    sustain_solver *solver = make(&problem, pairs);
    sustain_result result;
    assert_int_equal(sustain_solver_start(solver, start, start), SUSTAIN_OK);
    assert_int_equal(sustain_solver_run(solver, &(sustain_stopping){.iterations = 20000}, &result), SUSTAIN_OK);
    assert_int_equal(result.halvings, 0);
    assert_true(fabs((double)result.x[0] - 1) < 1e-3);
    sustain_solver_destroy(solver);
}

/* ---- a fast path with support: the same x lazy and dense, with it and without it ---- */

static void test_fast_path_dense(void **state) {
    (void)state;
    real first[TOY_UPPER_SPARSE];
    for (int i = 0; i < 4; i++) {
        toy t;
        toy_make(&t, true, TOY_SAMPLES, TOY_RIGHT);
        assert_non_null(t.fast.hyper_pair);
        if ((i & 1) != 0) t.fast.hyper_pair = NULL;
        const char *const pairs[] = {"schedule", "power", "alpha", "0.5", "beta",   "0.2",
                                     "L_g",      "4",     "batch", "2",   "memory", (i & 2) != 0 ? "dense" : "lazy",
                                     "check",    "on",    NULL};
        sustain_solver *solver = make(&t.problem, pairs);
        sustain_result result;
        assert_int_equal(sustain_solver_run(solver, &(sustain_stopping){.iterations = 500}, &result), SUSTAIN_OK);
        double apart = 0, length = 0;
        for (int j = 0; j < TOY_UPPER_SPARSE; j++) {
            if (i == 0) first[j] = result.x[j];
            apart = fmax(apart, fabs((double)result.x[j] - (double)first[j]));
            length = fmax(length, fabs((double)first[j]));
        }
        assert_true(length > 0.1);
        if (!(apart <= 1e-4 * length)) fail_msg("case %d is %g apart", i, apart / length);
        sustain_solver_destroy(solver);
    }
}

/* ---- a slow lower level ---- */

/* Slow in the direction that f depends on: x, y and v oscillate, for some steps without end. */

static double squared_gradient(const sustain_problem *problem, const real *x) {
    double at[10], gradient[10], squared = 0;
    for (int i = 0; i < 10; i++) at[i] = (double)x[i];
    sustain_quadratic_value(problem, at, gradient);
    for (int i = 0; i < 10; i++) squared += gradient[i] * gradient[i];
    return squared;
}

static void check_swinging(const sustain_problem *problem, const char *name, const char *system, double part) {
    sustain_solver *solver;
    sustain_result result;
    assert_int_equal(sustain_solver_create(context, name, problem, &solver), SUSTAIN_OK);
    if (system != NULL) assert_int_equal(sustain_solver_set(solver, "system", system), SUSTAIN_OK);
    assert_int_equal(sustain_solver_start(solver, NULL, NULL), SUSTAIN_OK);
    const double first = squared_gradient(problem, sustain_solver_x(solver));
    assert_int_equal(sustain_solver_run(solver, &(sustain_stopping){.iterations = 8000}, &result), SUSTAIN_OK);
    const double last = squared_gradient(problem, result.x);
    if (!(last <= part * first)) fail_msg("%s: |grad ell|^2 went from %g to %g", name, first, last);
    sustain_solver_destroy(solver);
}

static void test_swinging(void **state) {
    (void)state;
    sustain_quadratic_options options = sustain_quadratic_defaults();
    sustain_problem *problem;
    options.mu_g = options.L_g / 100;
    options.samples = 500;
    options.seed = 100;
    assert_int_equal(sustain_quadratic_create(context, &options, &problem), SUSTAIN_OK);
    assert_int_equal(problem->upper_dim, 10);
    check_swinging(problem, "srba", NULL, 1e-4);
    check_swinging(problem, "sustain", "running", 1e-2);
    sustain_quadratic_destroy(problem);
}

/* ---- an L_g that grows ---- */

/* Penalties of useless features grow without end, and L_g with them: steps of y become too long. */

enum { ROWS = 100, FEATURES = 10, USED = 4 };

static void test_growing_penalties(void **state) {
    (void)state;
    static float features[2][ROWS * FEATURES];
    static int32_t labels[2][ROWS];
    sustain_rows rows[2];
    for (uint32_t part = 0; part < 2; part++) {
        for (uint32_t i = 0; i < ROWS; i++) {
            double score = 0;
            for (uint32_t j = 0; j < FEATURES; j++) {
                const double value = sustain_random_normal(0, part, i, j);
                features[part][i * FEATURES + j] = (float)(0.01 * value); /* badly scaled: it takes long to get anywhere */
                if (j < USED) score += value;
            }
            labels[part][i] = sustain_random_uniform(0, 2 + part, i, 0) < 1 / (1 + exp(-score)) ? 1 : -1;
        }
        rows[part] = (sustain_rows){.count = ROWS, .dim = FEATURES, .values = features[part], .labels = labels[part]};
    }
    const sustain_regtune_options options = sustain_regtune_defaults();
    sustain_problem *problem;
    sustain_solver *solver;
    sustain_result result;
    assert_int_equal(sustain_regtune_create(context, &options, &rows[0], &rows[1], &problem), SUSTAIN_OK);
    assert_int_equal(sustain_solver_create(context, "aid-cg", problem, &solver), SUSTAIN_OK);
    assert_int_equal(sustain_solver_run(solver, &(sustain_stopping){.iterations = 200}, &result), SUSTAIN_OK);
    assert_int_equal(result.halvings, 0); /* it never diverged, */
    double largest = -INFINITY;
    for (int j = 0; j < FEATURES; j++) largest = fmax(largest, (double)result.x[j]);
    assert_true(largest > 1.5); /* though penalties came to where 1/L_g of the start is too long */
    sustain_solver_destroy(solver);
    sustain_regtune_destroy(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heavy_samples), cmocka_unit_test(test_leaving_a_saddle),  cmocka_unit_test(test_fast_path_dense),
        cmocka_unit_test(test_swinging),      cmocka_unit_test(test_growing_penalties),
    };
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sustain_context_destroy(context);
    return failed;
}
