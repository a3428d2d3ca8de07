/* quickstart.c - your own bilevel problem, solved without a single number to tune:
 *
 *   min over x of  (y*(x) - 1)^2 / 2 + x^2 / 20,      y*(x) = argmin over y of  E (y - sin(x) - noise)^2 / 2
 *
 * cc quickstart.c $(pkg-config --cflags --libs sustain) -lm */
#include <math.h>
#include <stdio.h>

#include <sustain/sustain.h>

typedef sustain_real real;

/* clang-format off */
static double target(const sustain_batch *b, const real *x) { /* sin(x), with the mean noise of the draw's samples; no draw: the expected value */
    double noise = 0;
    for (int64_t j = 0; b != NULL && j < b->size; j++) noise += 0.1 * sustain_random_normal(b->key, 0, 0, (uint32_t)j) / (double)b->size;
    return sin(x[0]) + noise;
}
static int f_value(const void *self, const sustain_batch *b, const real *x, const real *y, double *value, void *work) {
    (void)self, (void)b, (void)work; *value = pow(y[0] - 1, 2) / 2 + pow(x[0], 2) / 20; return 0;
}
static int f_grad(const void *self, const sustain_batch *b, const real *x, const real *y, real *fx, real *fy, void *work) {
    (void)self, (void)b, (void)work; fx[0] = x[0] / 10; fy[0] = y[0] - 1; return 0;
}
static int g_value(const void *self, const sustain_batch *b, const real *x, const real *y, double *value, void *work) {
    (void)self, (void)work; *value = pow(y[0] - target(b, x), 2) / 2; return 0;
}
static int g_grad_y(const void *self, const sustain_batch *b, const real *x, const real *y, real *gy, void *work) {
    (void)self, (void)work; gy[0] = (real)(y[0] - target(b, x)); return 0;
}
static int g_hess_vec(const void *self, const sustain_batch *b, const real *x, const real *y, const real *v, real *out, void *work) {
    (void)self, (void)b, (void)x, (void)y, (void)work; out[0] = v[0]; return 0;                        /* d2g/dy2 v */
}
static int g_cross_vec(const void *self, const sustain_batch *b, const real *x, const real *y, const real *v, real *out, void *work) {
    (void)self, (void)b, (void)y, (void)work; out[0] = (real)(-cos(x[0]) * v[0]); return 0;            /* d2g/dxdy v */
}

int main(void) {
    const sustain_problem_ops ops = {.name = "sine", .f_value = f_value, .f_grad = f_grad, .g_value = g_value, .g_grad_y = g_grad_y,
                                     .g_hess_vec = g_hess_vec, .g_cross_vec = g_cross_vec};
    const sustain_problem problem = {.ops = &ops, .upper_dim = 1, .lower_dim = 1, .has_expectation = true};
    sustain_context *context;
    sustain_solver *solver = NULL;
    sustain_check_report report;
    sustain_result result = {0};
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    sustain_status status = sustain_check_problem(context, &problem, NULL, NULL, 4, 1, &report); /* are the derivatives right? */
    if (status == SUSTAIN_OK && report.failed == 0) status = sustain_solver_create(context, "sustain", &problem, &solver);
    if (solver != NULL) status = sustain_solver_run(solver, &(sustain_stopping){.iterations = 20000}, &result);
    if (result.x != NULL) printf("x = %.3f, y = %.3f\n", result.x[0], result.y[0]); /* the answer is 0.974, 0.827 */
    else printf("%s\n", sustain_error(context));
    const int far_off = status != SUSTAIN_OK || result.x == NULL || fabs(result.x[0] - 0.974) > 0.1;
    sustain_solver_destroy(solver); /* result.x and result.y were its own */
    sustain_context_destroy(context);
    return far_off;
}
