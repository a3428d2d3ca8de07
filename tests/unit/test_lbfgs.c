/* test_lbfgs.c - L-BFGS on a badly conditioned quadratic, with and without its inverse Hessian, on
 * a logistic problem beside sustain_lower_solve, and where it must give up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <sustain/sustain.h>

#include "core/vector.h"
#include "hypergrad/lbfgs.h"

enum { MOST = 64 };
static const bool wide = sizeof(sustain_real) == sizeof(double);

typedef struct memory {
    sustain_real s[SUSTAIN__LBFGS_PAIRS * MOST], t[SUSTAIN__LBFGS_PAIRS * MOST], d[MOST], y_new[MOST], gradient[MOST], gradient_new[MOST],
        best[MOST];
} memory;

static sustain__lbfgs make(sustain_context *context, memory *m, int64_t n, sustain__objective objective, void *user, double first) {
    return (sustain__lbfgs){.context = context,
                            .n = n,
                            .objective = objective,
                            .user = user,
                            .first = first,
                            .limit = 10000,
                            .s = m->s,
                            .t = m->t,
                            .d = m->d,
                            .y_new = m->y_new,
                            .gradient = m->gradient,
                            .gradient_new = m->gradient_new,
                            .best = m->best};
}

static sustain_context *make_context(void) {
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    return context;
}

/* ---- sum_i lambda_i (y_i - 1)^2 / 2 ---- */

typedef struct bowl {
    int64_t n;
    double lambda[MOST];
} bowl;

static sustain_status bowl_at(void *user, const sustain_real *y, double *value, sustain_real *gradient) {
    const bowl *b = user;
    *value = 0;
    for (int64_t i = 0; i < b->n; i++) {
        const double away = (double)y[i] - 1;
        *value += b->lambda[i] * away * away / 2;
        gradient[i] = (sustain_real)(b->lambda[i] * away);
    }
    return SUSTAIN_OK;
}

/* |gradient| after `steps` steps of gradient descent with the best constant step 2 / (L + mu), in
 * double. */
static double descend(const bowl *b, const double *start, int64_t steps) {
    double away[MOST], sum = 0;
    const double step = 2 / (b->lambda[0] + b->lambda[b->n - 1]);
    for (int64_t i = 0; i < b->n; i++) away[i] = start[i] - 1;
    for (int64_t t = 0; t < steps; t++)
        for (int64_t i = 0; i < b->n; i++) away[i] -= step * b->lambda[i] * away[i];
    for (int64_t i = 0; i < b->n; i++) sum += b->lambda[i] * away[i] * b->lambda[i] * away[i];
    return sqrt(sum);
}

/* Better than gradient descent, the more so the worse the condition: many times the evaluations do
 * not bring that one there. */
static void test_bowl(void **state) {
    (void)state;
    sustain_context *context = make_context();
    static memory m;
    bowl b = {.n = MOST};
    for (int power = 0; power <= 6; power += 2) { /* condition 1, 100, 10^4, 10^6 */
        const int64_t times[] = {0, 5, 50, 500};
        sustain_real y[MOST];
        double start[MOST];
        for (int i = 0; i < MOST; i++) {
            b.lambda[i] = pow(10, -power * (double)i / (MOST - 1));
            start[i] = i % 2 == 0 ? 3 : -2;
            y[i] = (sustain_real)start[i];
        }
        sustain__lbfgs l = make(context, &m, MOST, bowl_at, &b, 1);
        l.tolerance = wide ? 1e-10 : 1e-6;
        if (sustain__lbfgs_minimize(&l, y) != SUSTAIN_OK) fail_msg("condition 1e%d: %s", power, sustain_error(context));
        assert_true(l.norm <= l.tolerance && l.norm_0 > 1);
        double away = 0;
        for (int i = 0; i < MOST; i++) away = fmax(away, b.lambda[i] * fabs((double)y[i] - 1));
        assert_true(away <= l.tolerance); /* the gradient, computed here */
        assert_true(l.curvature <= 1.000001 && l.curvature >= 0.999 * b.lambda[MOST - 1]);
        if (power == 0) assert_true(l.iterations <= 2);
        const double reached = descend(&b, start, times[power / 2] * l.evaluations);
        if (!(reached > l.tolerance))
            fail_msg("condition 1e%d: %d times the %d evaluations bring gradient descent to %g", power, (int)times[power / 2],
                     (int)l.evaluations, reached);
        if (power > 0) assert_true(l.evaluations <= 2 * l.iterations);
        print_message("condition 1e%d: %d iterations, %d evaluations\n", power, (int)l.iterations, (int)l.evaluations);
    }
    sustain_context_destroy(context);
}

static void divide_by_lambda(void *user, sustain_real *d) {
    const bowl *b = user;
    for (int64_t i = 0; i < b->n; i++) d[i] = (sustain_real)((double)d[i] / b->lambda[i]);
}

/* One who knows the inverse Hessian is there at once. */
static void test_precondition(void **state) {
    (void)state;
    sustain_context *context = make_context();
    static memory m;
    bowl b = {.n = MOST};
    sustain_real y[MOST] = {0};
    for (int i = 0; i < MOST; i++) b.lambda[i] = pow(10, -4 * (double)i / (MOST - 1));
    sustain__lbfgs l = make(context, &m, MOST, bowl_at, &b, 1);
    l.precondition = divide_by_lambda;
    l.tolerance = 1e-5;
    assert_int_equal(sustain__lbfgs_minimize(&l, y), SUSTAIN_OK);
    assert_true(l.iterations <= 2);
    sustain_context_destroy(context);
}

/* Tolerance 0: it goes to rounding, says so, and does not go on for ever. */
static void test_rounding(void **state) {
    (void)state;
    sustain_context *context = make_context();
    static memory m;
    bowl b = {.n = 20};
    sustain_real y[MOST];
    for (int i = 0; i < 20; i++) b.lambda[i] = pow(10, -0.1 * i), y[i] = (sustain_real)(0.1 * i - 3);
    sustain__lbfgs l = make(context, &m, 20, bowl_at, &b, 1);
    const sustain_status status = sustain__lbfgs_minimize(&l, y);
    assert_true(status == SUSTAIN_NOT_CONVERGED || l.norm == 0);
    assert_true(l.norm < (wide ? 1e-12 : 1e-5));
    assert_true(l.iterations < 1000);

    l.limit = 3;
    for (int i = 0; i < 20; i++) y[i] = 5;
    assert_int_equal(sustain__lbfgs_minimize(&l, y), SUSTAIN_NOT_CONVERGED);
    assert_int_equal(l.iterations, 3);
    assert_non_null(strstr(sustain_error(context), "3 iterations"));
    assert_true(l.norm < l.norm_0); /* y is what was reached */
    sustain_context_destroy(context);
}

/* A first step that is far too long or far too short costs a few evaluations, no more. */
static void test_first_step(void **state) {
    (void)state;
    sustain_context *context = make_context();
    static memory m;
    bowl b = {.n = 10};
    for (int i = 0; i < 10; i++) b.lambda[i] = 1 + i;
    for (int power = -6; power <= 6; power += 3) {
        sustain_real y[MOST] = {0};
        sustain__lbfgs l = make(context, &m, 10, bowl_at, &b, pow(10, power));
        l.tolerance = 1e-4;
        assert_int_equal(sustain__lbfgs_minimize(&l, y), SUSTAIN_OK);
        assert_true(l.evaluations < 80);
    }
    sustain_context_destroy(context);
}

/* ---- the lower level of hyperclean: logistic regression ---- */

static void test_logistic(void **state) {
    (void)state;
    enum { ROWS = 50, DIM = 6, CLASSES = 3 };
    static float features[2][ROWS * DIM];
    static int32_t labels[2][ROWS];
    for (int level = 0; level < 2; level++)
        for (int i = 0; i < ROWS; i++) {
            labels[level][i] = (int32_t)sustain_random_index(3, (uint32_t)level, (uint64_t)i, 0, CLASSES);
            for (int j = 0; j < DIM; j++) /* columns of very different size: condition of some thousands */
                features[level][i * DIM + j] =
                    (float)(pow(2, -j) *
                            ((j == labels[level][i]) + sustain_random_normal(3, 10 + (uint32_t)level, (uint64_t)i, (uint32_t)j)));
        }
    const sustain_rows training = {.count = ROWS, .dim = DIM, .values = features[0], .labels = labels[0]},
                       trusted = {.count = ROWS, .dim = DIM, .values = features[1], .labels = labels[1]};
    const sustain_hyperclean_options options = {.classes = CLASSES, .c = 1e-4, .intercept = true};
    sustain_context *context = make_context();
    sustain_problem *problem;
    sustain__oracle oracle;
    assert_int_equal(sustain_hyperclean_create(context, &options, &training, &trusted, &problem), SUSTAIN_OK);
    assert_int_equal(sustain__oracle_create(context, problem, 1, false, &oracle), SUSTAIN_OK);
    assert_true(problem->lower_dim <= MOST);

    sustain_real x[ROWS], y[MOST] = {0}, exact[MOST] = {0};
    for (int i = 0; i < ROWS; i++) x[i] = (sustain_real)(i % 5 - 2);
    static memory m;
    sustain__lower_level lower = {.oracle = &oracle, .x = x};
    sustain__lbfgs l = make(context, &m, problem->lower_dim, sustain__lower_objective, &lower, 1);
    const double mu = 2e-4, close = wide ? 1e-8 : 2e-2; /* the ridge bounds mu_g: |y - y*| <= |grad_y g| / mu */
    l.tolerance = mu * close;
    const sustain_status status = sustain__lbfgs_minimize(&l, y);
    if (status != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    assert_int_equal(sustain_lower_solve(context, problem, NULL, x, wide ? 1e-12 : 1e-6, exact), SUSTAIN_OK);
    const double away = sustain__distance(problem->lower_dim, y, exact);
    print_message("logistic: %d iterations, |y - y*| = %.1e\n", (int)l.iterations, away);
    assert_true(away <= 2 * close);
    assert_true(sustain__norm(problem->lower_dim, exact) > 1);
    assert_true(l.curvature >= mu * 0.99);
    sustain__oracle_destroy(&oracle);
    sustain_hyperclean_destroy(problem);
    sustain_context_destroy(context);
}

/* ---- values that are not finite ---- */

static int calls;

static sustain_status fails_at_third(void *user, const sustain_real *y, double *value, sustain_real *gradient) {
    const sustain_status status = bowl_at(user, y, value, gradient);
    return ++calls == 3 ? SUSTAIN_ORACLE_FAILED : status;
}

/* -log(1 - y) - 3 y: not finite from 1 on. */
static sustain_status wall(void *user, const sustain_real *y, double *value, sustain_real *gradient) {
    const double u = (double)y[0];
    (void)user;
    *value = u < 1 ? -log(1 - u) - 3 * u : (double)NAN;
    gradient[0] = (sustain_real)(u < 1 ? 1 / (1 - u) - 3 : (double)NAN);
    return SUSTAIN_OK;
}

static void test_trouble(void **state) {
    (void)state;
    sustain_context *context = make_context();
    static memory m;
    bowl b = {.n = 2, .lambda = {1, 10}};
    sustain_real y[2] = {4, 4};
    sustain__lbfgs l = make(context, &m, 2, fails_at_third, &b, 0.1);
    assert_int_equal(sustain__lbfgs_minimize(&l, y), SUSTAIN_ORACLE_FAILED);

    y[0] = (sustain_real)NAN;
    l = make(context, &m, 2, bowl_at, &b, 0.1);
    assert_int_equal(sustain__lbfgs_minimize(&l, y), SUSTAIN_NOT_FINITE);

    y[0] = 0; /* the first step goes behind the wall, and comes back */
    l = make(context, &m, 1, wall, NULL, 10);
    l.tolerance = 1e-4;
    assert_int_equal(sustain__lbfgs_minimize(&l, y), SUSTAIN_OK);
    assert_true(fabs((double)y[0] - 2.0 / 3) < 1e-4);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bowl),       cmocka_unit_test(test_precondition), cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_first_step), cmocka_unit_test(test_logistic),     cmocka_unit_test(test_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
