/* quickstart.c - your own bilevel problem in four functions, solved without a single number to tune:
 *
 *   min over x of (y*(x) - 1)^2 / 2 + x^2 / 20,   y*(x) = argmin over y of (y - sin(x))^2 / 2 + noise            */
#include <math.h>
#include <stdio.h>

#include <sustain/sustain.h>

typedef sustain_real real;
static double noise(const sustain_batch *b) {
    return b ? 0.1 * sustain_random_normal(b->key, 0, 0, 0) : 0;
} /* NULL: expected value */

#define ORACLE(name, ...) static int name(const void *self, const sustain_batch *b, const real *x, const real *y, __VA_ARGS__, void *work)
#define UNUSED (void)self, (void)work, (void)b, (void)x, (void)y
ORACLE(f_value, double *v) {
    UNUSED;
    *v = pow(y[0] - 1, 2) / 2 + pow(x[0], 2) / 20;
    return 0;
}
ORACLE(f_grad, real *fx, real *fy) {
    UNUSED;
    fx[0] = x[0] / 10;
    fy[0] = y[0] - 1;
    return 0;
}
ORACLE(g_value, double *v) {
    UNUSED;
    *v = pow(y[0] - sin(x[0]) - noise(b), 2) / 2;
    return 0;
}
ORACLE(g_grad_y, real *gy) {
    UNUSED;
    gy[0] = (real)(y[0] - sin(x[0]) - noise(b));
    return 0;
}
ORACLE(g_hess_vec, const real *v, real *out) {
    UNUSED;
    out[0] = v[0];
    return 0;
} /* d2g/dy2 v */
ORACLE(g_cross_vec, const real *v, real *out) {
    UNUSED;
    out[0] = (real)(-cos(x[0]) * v[0]);
    return 0;
} /* d2g/dxdy v */

int main(void) {
    const sustain_problem_ops ops = {.name = "sine",
                                     .f_value = f_value,
                                     .f_grad = f_grad,
                                     .g_value = g_value,
                                     .g_grad_y = g_grad_y,
                                     .g_hess_vec = g_hess_vec,
                                     .g_cross_vec = g_cross_vec};
    const sustain_problem problem = {.ops = &ops, .upper_dim = 1, .lower_dim = 1, .has_expectation = true};
    sustain_context *context;
    sustain_solver *solver;
    sustain_result result;
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    sustain_status status = sustain_solver_create(context, "sustain", &problem, &solver);
    if (status == SUSTAIN_OK) status = sustain_solver_run(solver, &(sustain_stopping){.iterations = 20000}, &result);
    if (status == SUSTAIN_OK)
        printf("x = %.3f, y = %.3f, f = %.4f\n", result.x[0], result.y[0], result.upper_value);
    else
        printf("%s\n", sustain_error(context));
    const int right = status == SUSTAIN_OK && fabs(result.x[0] - 0.97) < 0.1;
    sustain_solver_destroy(solver); /* result.x and result.y were its own */
    sustain_context_destroy(context);
    return right ? 0 : 1;
}
