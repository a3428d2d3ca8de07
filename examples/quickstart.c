/* quickstart.c - min over x of (y*(x) - 1)^2 / 2 + x^2 / 20,   y*(x) = argmin over y of E (y - sin(x) - noise)^2 / 2
 * cc quickstart.c $(pkg-config --cflags --libs sustain) -lm */
#include <math.h>
#include <stdio.h>
#include <sustain/sustain.h>
typedef sustain_real real;
#define POINT const void *self, const sustain_batch *draw, const real *x, const real *y
#define UNUSED (void)self, (void)draw, (void)x, (void)y, (void)work

/* clang-format off */
static double target(const sustain_batch *draw, const real *x) { /* with the mean noise of the draw's samples; NULL: expected value */
    double sum = 0;
    for (int64_t j = 0; draw != NULL && j < draw->size; j++) sum += sustain_random_normal(draw->key, 0, 0, (uint32_t)j);
    return sin(x[0]) + (draw != NULL ? 0.1 * sum / (double)draw->size : 0);
}
static int f_value(POINT, double *value, void *work) { UNUSED; *value = pow(y[0] - 1, 2) / 2 + pow(x[0], 2) / 20; return 0; }
static int f_grad(POINT, real *fx, real *fy, void *work) { UNUSED; fx[0] = x[0] / 10; fy[0] = y[0] - 1; return 0; }
static int g_value(POINT, double *value, void *work) { UNUSED; *value = pow(y[0] - target(draw, x), 2) / 2; return 0; }
static int g_grad_y(POINT, real *gy, void *work) { UNUSED; gy[0] = (real)(y[0] - target(draw, x)); return 0; }
static int g_hess_vec(POINT, const real *v, real *out, void *work) { UNUSED; out[0] = v[0]; return 0; }
static int g_cross_vec(POINT, const real *v, real *out, void *work) { UNUSED; out[0] = (real)(-cos(x[0]) * v[0]); return 0; }

int main(void) {
    const sustain_problem_ops ops = {.name = "sine", .f_value = f_value, .f_grad = f_grad, .g_value = g_value,
                                     .g_grad_y = g_grad_y, .g_hess_vec = g_hess_vec, .g_cross_vec = g_cross_vec};
    const sustain_problem problem = {.ops = &ops, .upper_dim = 1, .lower_dim = 1, .has_expectation = true};
    real x[1] = {0}, y[1] = {0}; /* the start, then the answer: 0.974, 0.827 */
    sustain_context *context;
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    const sustain_status status = sustain_minimize(context, &problem, NULL, NULL, x, y, NULL);
    if (status != SUSTAIN_OK) fprintf(stderr, "%s\n", sustain_error(context));
    printf("x = %.3f, y = %.3f\n", (double)x[0], (double)y[0]);
    sustain_context_destroy(context);
    return status != SUSTAIN_OK || fabs(x[0] - 0.974) > 0.1;
}
