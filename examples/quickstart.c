/* quickstart.c - your own bilevel problem in six short functions, solved without a single number to tune:
 *
 *   min over x of  (y*(x) - 1)^2 / 2 + x^2 / 20,      y*(x) = argmin over y of  E (y - sin(x) - noise)^2 / 2 */
#include <math.h>
#include <stdio.h>

#include <sustain/sustain.h>

/* clang-format off */
#define ORACLE(name, ...) static int name(const void *self, const sustain_batch *b, const sustain_real *x, const sustain_real *y, __VA_ARGS__, void *work)
#define BODY(...) { (void)self, (void)b, (void)x, (void)y, (void)work; __VA_ARGS__; return 0; }
static double noise(const sustain_batch *b) { return b ? 0.1 * sustain_random_normal(b->key, 0, 0, 0) : 0; } /* no draw: the expected value */

ORACLE(f_value, double *value)                                      BODY(*value = pow(y[0] - 1, 2) / 2 + pow(x[0], 2) / 20)
ORACLE(f_grad, sustain_real *fx, sustain_real *fy)                  BODY(fx[0] = x[0] / 10; fy[0] = y[0] - 1)
ORACLE(g_value, double *value)                                      BODY(*value = pow(y[0] - sin(x[0]) - noise(b), 2) / 2)
ORACLE(g_grad_y, sustain_real *gy)                                  BODY(gy[0] = (sustain_real)(y[0] - sin(x[0]) - noise(b)))
ORACLE(g_hess_vec, const sustain_real *v, sustain_real *out)        BODY(out[0] = v[0])
ORACLE(g_cross_vec, const sustain_real *v, sustain_real *out)       BODY(out[0] = (sustain_real)(-cos(x[0]) * v[0]))

int main(void) {
    const sustain_problem_ops ops = {.name = "sine", .f_value = f_value, .f_grad = f_grad, .g_value = g_value, .g_grad_y = g_grad_y,
                                     .g_hess_vec = g_hess_vec, .g_cross_vec = g_cross_vec};
    const sustain_problem problem = {.ops = &ops, .upper_dim = 1, .lower_dim = 1, .has_expectation = true};
    sustain_context *context;
    sustain_solver *solver;
    sustain_result result = {0};
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    sustain_status status = sustain_solver_create(context, "sustain", &problem, &solver);
    if (status == SUSTAIN_OK) status = sustain_solver_run(solver, &(sustain_stopping){.iterations = 20000}, &result);
    if (status == SUSTAIN_OK) printf("x = %.3f, y = %.3f\n", result.x[0], result.y[0]); /* 0.974, 0.827 is the answer */
    else printf("%s\n", sustain_error(context));
    const int far_off = status != SUSTAIN_OK || fabs(result.x[0] - 0.974) > 0.1;
    sustain_solver_destroy(solver); /* result.x and result.y were its own */
    sustain_context_destroy(context);
    return far_off;
}
