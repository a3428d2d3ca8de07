/* test_probe.c - the probe of schedule=auto: what it costs with a bound, how the steps are chosen
 * where the bound ends the count of terms, and how noise is measured where the gradient first
 * grows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sustain/sustain.h>

static sustain_context *context;

static sustain_solver *create(const sustain_problem *problem, const char *name, const char *batch, int64_t seed, int64_t bound) {
    sustain_solver *solver;
    assert_int_equal(sustain_solver_create(context, name, problem, &solver), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(solver, "batch", batch), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set_number(solver, "seed", (double)seed), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set_number(solver, "probe", (double)bound), SUSTAIN_OK);
    return solver;
}

static double start(sustain_solver *solver) {
    assert_int_equal(sustain_solver_start(solver, NULL, NULL), SUSTAIN_OK);
    const sustain_steps steps = sustain_solver_steps(solver);
    sustain_solver_destroy(solver);
    return steps.alpha / pow(steps.w, steps.p);
}

/* alpha_0 of an algorithm with schedule=auto. */
static double first_alpha(const sustain_problem *problem, const char *name, const char *batch, int64_t seed, int64_t bound) {
    return start(create(problem, name, batch, seed, bound));
}

/* ---- the bound ---- */

static const sustain_problem *inner;
static int64_t calls; /* gradients and products, one a sample */

static void count(sustain_level level, const sustain_batch *batch) {
    calls += batch != NULL ? batch->size : inner->samples[level];
}

static int f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                  sustain_real *gy, void *work) {
    count(SUSTAIN_UPPER, xi);
    return inner->ops->f_grad(self, xi, x, y, gx, gy, work);
}

static int g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *out,
                    void *work) {
    count(SUSTAIN_LOWER, zeta);
    return inner->ops->g_grad_y(self, zeta, x, y, out, work);
}

static int g_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    count(SUSTAIN_LOWER, zeta);
    return inner->ops->g_hess_vec(self, zeta, x, y, v, out, work);
}

static int g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work) {
    count(SUSTAIN_LOWER, zeta);
    return inner->ops->g_cross_vec(self, zeta, x, y, v, out, work);
}

/* No more calls than allowed, and a step as without the bound. */
static void test_bound(void **state) {
    (void)state;
    sustain_quadratic_options options = sustain_quadratic_defaults();
    sustain_problem *problem;
    options.samples = 2000;
    options.mu_g = options.L_g / 50;
    assert_int_equal(sustain_quadratic_create(context, &options, &problem), SUSTAIN_OK);
    sustain_problem_ops ops = *problem->ops;
    ops.f_grad = f_grad, ops.g_grad_y = g_grad_y, ops.g_hess_vec = g_hess_vec, ops.g_cross_vec = g_cross_vec;
    sustain_problem counted = *problem;
    counted.ops = &ops;
    counted.known = NULL; /* L_g is estimated */
    inner = problem;
    calls = 0;
    const double free = first_alpha(&counted, "soba", "4", 0, 0);
    assert_true(calls > 60000);
    for (int64_t bound = 3000; bound <= 48000; bound *= 4) {
        calls = 0;
        const double bounded = first_alpha(&counted, "soba", "4", 0, bound);
        assert_true(calls > bound / 8 && calls <= bound);
        assert_true(bounded > free / 10 && bounded < 10 * free);
    }
    sustain_quadratic_destroy(problem);
}

/* ---- a count of terms that the bound ends ---- */

static double squared_gradient(const sustain_problem *problem, sustain_solver *solver) {
    sustain_real y[64] = {0}, gradient[64];
    double value, sum = 0;
    assert_true(problem->lower_dim <= 64 && problem->upper_dim <= 64);
    assert_int_equal(sustain_outer(context, problem, NULL, NULL, sustain_solver_x(solver), 1e-4, y, &value, gradient), SUSTAIN_OK);
    for (int64_t i = 0; i < problem->upper_dim; i++) sum += pow((double)gradient[i], 2);
    return sum;
}

/* Iterations until |grad ell|^2 is at 1 % of its start. */
static int iterations(int64_t seed) {
    sustain_quadratic_options options = sustain_quadratic_defaults();
    sustain_problem *problem;
    int done = 0;
    options.samples = 2000;
    options.mu_g = options.L_g / 90;
    options.seed = seed;
    assert_int_equal(sustain_quadratic_create(context, &options, &problem), SUSTAIN_OK);
    sustain_solver *solver = create(problem, "ma-soba", "4", seed, 3000);
    assert_int_equal(sustain_solver_start(solver, NULL, NULL), SUSTAIN_OK);
    const double first = squared_gradient(problem, solver);
    while (done < 5000 && squared_gradient(problem, solver) > 0.01 * first)
        for (int i = 0; i < 20; i++, done++) assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK);
    sustain_solver_destroy(solver);
    sustain_quadratic_destroy(problem);
    return done;
}

/* The condition is 90, and the bound pays for 17 terms: y and v are not 17 steps behind x. */
static void test_settling(void **state) {
    int sum = 0;
    (void)state;
    for (int64_t seed = 100; seed < 103; seed++) sum += iterations(seed);
    assert_true(sum < 3200); /* 2,100; 4,480 as if they were */
}

/* ---- noise where the gradient first grows ---- */

/* f = 1/(1 + exp(x)) from x = -4: |D| = 0.018 grows to 0.25 before it falls. grad_x f has noise of
 * the size of *self; g = (y - x)^2 / 2. */

static double mean_normal(const sustain_batch *b) {
    double sum = 0;
    for (int64_t j = 0; j < b->size; j++) sum += sustain_random_normal(b->key, 0, (uint64_t)j, 0);
    return sum / (double)b->size;
}

static int slope_f_value(const void *self, const sustain_batch *b, const sustain_real *x, const sustain_real *y, double *value,
                         void *work) {
    (void)self, (void)b, (void)y, (void)work;
    *value = 1 / (1 + exp((double)x[0]));
    return 0;
}

static int slope_f_grad(const void *self, const sustain_batch *b, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                        sustain_real *fy, void *work) {
    (void)y, (void)work;
    const double value = 1 / (1 + exp((double)x[0]));
    fx[0] = (sustain_real)(-value * (1 - value) + *(const double *)self * mean_normal(b));
    fy[0] = 0;
    return 0;
}

static int slope_g_value(const void *self, const sustain_batch *b, const sustain_real *x, const sustain_real *y, double *value,
                         void *work) {
    (void)self, (void)b, (void)work;
    *value = pow((double)y[0] - (double)x[0], 2) / 2;
    return 0;
}

static int slope_g_grad_y(const void *self, const sustain_batch *b, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                          void *work) {
    (void)self, (void)b, (void)work;
    gy[0] = y[0] - x[0];
    return 0;
}

static int slope_g_hess_vec(const void *self, const sustain_batch *b, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                            sustain_real *out, void *work) {
    (void)self, (void)b, (void)x, (void)y, (void)work;
    out[0] = v[0];
    return 0;
}

static int slope_g_cross_vec(const void *self, const sustain_batch *b, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                             sustain_real *out, void *work) {
    (void)self, (void)b, (void)x, (void)y, (void)work;
    out[0] = -v[0];
    return 0;
}

static int slope_initial(const void *self, sustain_real *x, sustain_real *y) {
    (void)self;
    x[0] = y[0] = -4;
    return 0;
}

/* Noise of 0.01 is small beside 0.25: it reduces the step by 1 + 110 nu / (1 + nu), where nu is
 * 0.01^2 / (0.018 0.25), not 0.01^2 / 0.018^2. */
static void test_noise(void **state) {
    (void)state;
    const sustain_problem_ops ops = {.name = "slope",
                                     .f_value = slope_f_value,
                                     .f_grad = slope_f_grad,
                                     .g_value = slope_g_value,
                                     .g_grad_y = slope_g_grad_y,
                                     .g_hess_vec = slope_g_hess_vec,
                                     .g_cross_vec = slope_g_cross_vec,
                                     .initial = slope_initial};
    const double none = 0, some = 0.01;
    sustain_problem problem = {.ops = &ops, .self = &none, .upper_dim = 1, .lower_dim = 1};
    const double quiet = first_alpha(&problem, "stocbio", "1", 0, 0);
    problem.self = &some;
    for (int64_t seed = 0; seed < 4; seed++) {
        const double less = quiet / first_alpha(&problem, "stocbio", "1", seed, 0);
        assert_true(less > 2 && less < 8);
        sustain_solver *solver = create(&problem, "stocbio", "1", seed, 0);
        assert_int_equal(sustain_solver_set(solver, "noise", "1"), SUSTAIN_OK); /* 1 + nu / (1 + nu) */
        const double in_short_runs = quiet / start(solver);
        assert_true(in_short_runs > 1 && in_short_runs < 1.1);
    }
}

static int set_up(void **state) {
    (void)state;
    return sustain_context_create(&context) == SUSTAIN_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    sustain_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bound), cmocka_unit_test(test_settling), cmocka_unit_test(test_noise)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
