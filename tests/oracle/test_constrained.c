/* test_constrained.c - lower levels with a constraint on y: non-negative ridge regression and
 * mixture weights (regtune.h), their projections and derivatives, the algorithms that run on them,
 * and the refusal of the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sustain/learn.h>
#include <sustain/random.h>
#include <sustain/sustain.h>

#include "oracle/oracle_table.h"

enum { ROWS = 60, DIM = 4 };

static sustain_context *context;
static float features[2][ROWS * DIM];
static float targets[2][ROWS];

/* Two features matter, one is correlated with them, one has a negative weight: free and constrained
 * solutions differ. */
static sustain_problem *make(sustain_regtune_feasible feasible) {
    static const double truth[2][DIM] = {{1, 0.5, 0, -0.8}, {0.6, 0.4, 0, 0}};
    sustain_rows rows[2];
    for (uint32_t part = 0; part < 2; part++) {
        for (uint32_t i = 0; i < ROWS; i++) {
            double score = 0;
            for (uint32_t j = 0; j < DIM; j++) {
                const double own = sustain_random_normal(7 + part, 1, i, j), shared = sustain_random_normal(7 + part, 2, i, 0);
                features[part][i * DIM + j] = (float)(0.8 * own + 0.6 * shared);
                score += truth[feasible == SUSTAIN_REGTUNE_SIMPLEX][j] * (double)features[part][i * DIM + j];
            }
            targets[part][i] = (float)(score + 0.5 * sustain_random_normal(7 + part, 3, i, 0));
        }
        rows[part] = (sustain_rows){.count = ROWS, .dim = DIM, .values = features[part], .targets = targets[part]};
    }
    sustain_regtune_options options = sustain_regtune_defaults();
    options.loss = SUSTAIN_REGTUNE_SQUARED;
    options.feasible = feasible;
    options.x_0 = 1;
    sustain_problem *problem;
    if (sustain_regtune_create(context, &options, &rows[0], &rows[1], &problem) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    return problem;
}

/* ---- a reference: projected gradient descent in double, ell by a search ---- */

static void project(sustain_regtune_feasible feasible, double *y) {
    double low = -100, high = 100;
    for (int i = 0; feasible == SUSTAIN_REGTUNE_SIMPLEX && i < 200; i++) {
        double sum = 0;
        for (int j = 0; j < DIM; j++) sum += fmax(0, y[j] - (low + high) / 2);
        *(sum > 1 ? &low : &high) = (low + high) / 2;
    }
    const double t = feasible == SUSTAIN_REGTUNE_SIMPLEX ? (low + high) / 2 : 0;
    for (int j = 0; j < DIM; j++) y[j] = fmax(0, y[j] - t);
}

static double loss(int part, const double *y, double *gradient) {
    double value = 0;
    for (int j = 0; gradient != NULL && j < DIM; j++) gradient[j] = 0;
    for (int i = 0; i < ROWS; i++) {
        double r = -(double)targets[part][i];
        for (int j = 0; j < DIM; j++) r += (double)features[part][i * DIM + j] * y[j];
        value += r * r / 2 / ROWS;
        for (int j = 0; gradient != NULL && j < DIM; j++) gradient[j] += r * (double)features[part][i * DIM + j] / ROWS;
    }
    return value;
}

static double ell(sustain_regtune_feasible feasible, const double *x, double *y) {
    double gradient[DIM], most = 0;
    for (int j = 0; j < DIM; j++) most = fmax(most, exp(x[j])), y[j] = 0.25;
    for (int k = 0; k < 600; k++) {
        loss(0, y, gradient);
        for (int j = 0; j < DIM; j++) y[j] -= (gradient[j] + (1e-6 + exp(x[j])) * y[j]) / (4 + most);
        project(feasible, y);
    }
    return loss(1, y, NULL);
}

static double least(sustain_regtune_feasible feasible) {
    double x[DIM] = {1, 1, 1, 1}, y[DIM], value = ell(feasible, x, y);
    for (double a = 2; a > 0.01;) { /* coordinate search */
        bool better = false;
        for (int j = 0; j < 2 * DIM; j++) {
            const double before = x[j / 2];
            x[j / 2] = fmax(-6, fmin(6, before + (j % 2 != 0 ? a : -a)));
            const double now = ell(feasible, x, y);
            if (now < value - 1e-12)
                value = now, better = true;
            else
                x[j / 2] = before;
        }
        if (!better) a /= 2;
    }
    return value;
}

/* ---- the tests ---- */

static void test_checked(void **state) {
    (void)state;
    for (int f = SUSTAIN_REGTUNE_NONNEGATIVE; f <= SUSTAIN_REGTUNE_SIMPLEX; f++) {
        sustain_problem *problem = make((sustain_regtune_feasible)f);
        sustain_check_report report;
        const sustain_status status = sustain_check_problem(context, problem, NULL, NULL, 3, 0, &report);
        if (status != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
        bool done = false;
        for (int i = 0; i < report.count; i++) done = done || (strcmp(report.row[i].oracle, "project_y") == 0 && report.row[i].passed);
        assert_true(done);
        sustain_real y[DIM] = {2, (sustain_real)0.5, -1, (sustain_real)-0.25};
        assert_int_equal(problem->ops->fast->project_y(problem->self, y), 0);
        const double expected[2][DIM] = {{2, 0.5, 0, 0}, {1, 0, 0, 0}};
        for (int j = 0; j < DIM; j++) assert_true(fabs((double)y[j] - expected[f - 1][j]) < 1e-6);
        sustain_regtune_destroy(problem);
    }
}

/* A projection that is none is found. */
static int moves(const void *self, sustain_real *y) {
    (void)self;
    y[0] += 1;
    return 0;
}

static int stretches(const void *self, sustain_real *y) {
    (void)self;
    for (int j = 0; j < DIM; j++) y[j] = y[j] > 0 ? 10 : -10;
    return 0;
}

static void test_wrong_projections(void **state) {
    (void)state;
    int (*const wrong[])(const void *, sustain_real *) = {moves, stretches};
    for (int i = 0; i < 2; i++) {
        sustain_problem *problem = make(SUSTAIN_REGTUNE_NONNEGATIVE);
        sustain_problem_fast fast = *problem->ops->fast;
        sustain_problem_ops ops = *problem->ops;
        fast.project_y = wrong[i];
        ops.fast = &fast;
        sustain_problem changed = *problem;
        changed.ops = &ops;
        sustain_check_report report;
        sustain_check_problem(context, &changed, NULL, NULL, 3, 0, &report);
        assert_true(report.failed > 0);
        assert_non_null(strstr(sustain_error(context), "project_y"));
        sustain_regtune_destroy(problem);
    }
}

/* y is feasible and solves the lower level, ell is near its least value. */
static void test_answers(void **state) {
    (void)state;
    static const char *const names[] = {"pbgd", "meha"};
    for (int f = SUSTAIN_REGTUNE_NONNEGATIVE; f <= SUSTAIN_REGTUNE_SIMPLEX; f++) {
        const sustain_regtune_feasible feasible = (sustain_regtune_feasible)f;
        sustain_problem *problem = make(feasible);
        double start[DIM] = {1, 1, 1, 1}, y[DIM];
        const double first = ell(feasible, start, y), best = least(feasible);
        assert_true(best < 0.9 * first);
        for (int i = 0; i < 2; i++) {
            sustain_solver *solver;
            sustain_result result;
            assert_int_equal(sustain_solver_create(context, names[i], problem, &solver), SUSTAIN_OK);
            if (sustain_solver_run(solver, &(sustain_stopping){.iterations = 6000}, &result) != SUSTAIN_OK)
                fail_msg("%s", sustain_error(context));
            double x[DIM], away = 0, sum = 0;
            for (int j = 0; j < DIM; j++) x[j] = (double)result.x[j];
            const double reached = ell(feasible, x, y);
            for (int j = 0; j < DIM; j++) {
                assert_true(result.y[j] >= 0);
                away = fmax(away, fabs((double)result.y[j] - y[j]));
                sum += (double)result.y[j];
            }
            print_message("%s, set %d: ell %.4f, least %.4f, first %.4f; y %.3f away\n", names[i], f, reached, best, first, away);
            if (!(reached - best <= 0.1 * (first - best))) fail_msg("%s, set %d: ell is %g, the least %g", names[i], f, reached, best);
            if (!(away < 0.05)) fail_msg("%s, set %d: y is %g away from y*(x)", names[i], f, away);
            if (feasible == SUSTAIN_REGTUNE_SIMPLEX) assert_true(fabs(sum - 1) < 1e-4);
            sustain_solver_destroy(solver);
        }
        sustain_regtune_destroy(problem);
    }
}

/* ---- a lower level with a line of minimizers ----
 *
 *   g = (y_0 + y_1 - x)^2 / 2,     f = ((y_0 - 1)^2 + (y_1 - 2)^2) / 2:     the best is x = 3, y = (1, 2) */

static int line_f_value(const void *self, const sustain_batch *b, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    (void)self, (void)b, (void)x, (void)work;
    *value = (pow((double)y[0] - 1, 2) + pow((double)y[1] - 2, 2)) / 2;
    return 0;
}

static int line_f_grad(const void *self, const sustain_batch *b, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                       sustain_real *fy, void *work) {
    (void)self, (void)b, (void)x, (void)work;
    fx[0] = 0, fy[0] = y[0] - 1, fy[1] = y[1] - 2;
    return 0;
}

static int line_g_value(const void *self, const sustain_batch *b, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    (void)self, (void)b, (void)work;
    *value = pow((double)(y[0] + y[1] - x[0]), 2) / 2;
    return 0;
}

static int line_g_grad_y(const void *self, const sustain_batch *b, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                         void *work) {
    (void)self, (void)b, (void)work;
    gy[0] = gy[1] = y[0] + y[1] - x[0];
    return 0;
}

static int line_g_grad_x(const void *self, const sustain_batch *b, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                         void *work) {
    (void)self, (void)b, (void)work;
    gx[0] = x[0] - y[0] - y[1];
    return 0;
}

static void test_several_minimizers(void **state) {
    (void)state;
    const sustain_problem_ops ops = {.name = "line",
                                     .f_value = line_f_value,
                                     .f_grad = line_f_grad,
                                     .g_value = line_g_value,
                                     .g_grad_y = line_g_grad_y,
                                     .g_grad_x = line_g_grad_x};
    const sustain_problem problem = {.ops = &ops, .upper_dim = 1, .lower_dim = 2, .has_expectation = true};
    static const char *const names[] = {"pbgd", "bome", "meha"};
    for (int i = 0; i < 3; i++) {
        sustain_solver *solver;
        sustain_result result;
        assert_int_equal(sustain_solver_create(context, names[i], &problem, &solver), SUSTAIN_OK);
        if (sustain_solver_run(solver, &(sustain_stopping){.iterations = 4000}, &result) != SUSTAIN_OK)
            fail_msg("%s", sustain_error(context));
        const double x = (double)result.x[0], y_0 = (double)result.y[0], y_1 = (double)result.y[1];
        print_message("%s: x %.3f, y %.3f, %.3f\n", names[i], x, y_0, y_1);
        assert_true(fabs(x - 3) < 0.1 && fabs(y_0 - 1) < 0.1 && fabs(y_1 - 2) < 0.1);
        sustain_solver_destroy(solver);
    }
}

static void test_refused(void **state) {
    (void)state;
    sustain_problem *problem = make(SUSTAIN_REGTUNE_NONNEGATIVE);
    sustain_solver *solver;
    assert_int_equal(sustain_solver_create(context, "sustain", problem, &solver), SUSTAIN_MISSING_ORACLE);
    assert_non_null(strstr(sustain_error(context), "constrains y, which sustain does not support; these algorithms do: pbgd, meha"));
    assert_null(solver);
    assert_int_equal(sustain_solver_create(context, "auto", problem, &solver), SUSTAIN_OK);
    assert_string_equal(sustain_solver_describe(solver)->name, "pbgd");
    sustain_solver_destroy(solver);
    sustain_real x[DIM] = {0}, y[DIM] = {0};
    double value;
    assert_int_equal(sustain_outer(context, problem, NULL, NULL, x, 1e-4, y, &value, NULL), SUSTAIN_ARGUMENT);
    sustain_regtune_destroy(problem);

    sustain_regtune_options options = sustain_regtune_defaults();
    const int32_t labels[ROWS] = {0};
    const sustain_rows rows = {.count = ROWS, .dim = DIM, .values = features[0], .labels = labels};
    options.loss = SUSTAIN_REGTUNE_SOFTMAX, options.classes = 3, options.feasible = SUSTAIN_REGTUNE_SIMPLEX;
    assert_int_equal(sustain_regtune_create(context, &options, &rows, &rows, &problem), SUSTAIN_ARGUMENT);
    assert_non_null(strstr(sustain_error(context), "one score"));
    options.feasible = (sustain_regtune_feasible)7;
    assert_int_equal(sustain_regtune_create(context, &options, &rows, &rows, &problem), SUSTAIN_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_checked), cmocka_unit_test(test_wrong_projections),
                                       cmocka_unit_test(test_answers), cmocka_unit_test(test_several_minimizers),
                                       cmocka_unit_test(test_refused)};
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sustain_context_destroy(context);
    return failed;
}
