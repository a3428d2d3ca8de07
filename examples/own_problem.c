/* own_problem.c - a problem of your own as a finite sum, checked, solved, interrupted and resumed.
 *
 * Ridge regression with one penalty per feature, chosen so that the validation error is least:
 *
 *   f(x,y) = mean over validation rows of (a'y - b)^2 / 2
 *   g(x,y) = mean over training rows of (a'y - b)^2 / 2  +  sum_j exp(x_j) y_j^2 / 2
 *
 * Half of the features are noise: most of their penalties grow, except where noise happens to help
 * on the validation rows too. */
#include <math.h>
#include <stdio.h>

#include <sustain/sustain.h>

enum { FEATURES = 10, TRAINING = 60, VALIDATION = 200 };

typedef struct rows {
    int64_t count;
    double a[VALIDATION][FEATURES], b[VALIDATION];
} rows;

typedef struct data {
    rows training, validation;
} data;

/* The number of samples in a draw, and the j-th of them; no batch: all of them. */
static int64_t size_of(const sustain_batch *batch, const rows *r) {
    return batch != NULL ? batch->size : r->count;
}
static int64_t sample(const sustain_batch *batch, int64_t j) {
    return batch != NULL ? batch->index[j] : j;
}

static double dot(const double *a, const sustain_real *y) {
    double sum = 0;
    for (int j = 0; j < FEATURES; j++) sum += a[j] * (double)y[j];
    return sum;
}

/* Mean squared error over a draw and, where they are wanted, its gradient and its Hessian times
 * v. */
static double squares(const rows *r, const sustain_batch *batch, const sustain_real *y, double *gradient, const sustain_real *v,
                      double *product) {
    const int64_t n = size_of(batch, r);
    double value = 0;
    for (int j = 0; j < FEATURES; j++) {
        if (gradient != NULL) gradient[j] = 0;
        if (product != NULL) product[j] = 0;
    }
    for (int64_t k = 0; k < n; k++) {
        const double *a = r->a[sample(batch, k)], residual = dot(a, y) - r->b[sample(batch, k)];
        value += residual * residual / 2 / (double)n;
        const double along = product != NULL ? dot(a, v) : 0;
        for (int j = 0; j < FEATURES; j++) {
            if (gradient != NULL) gradient[j] += residual * a[j] / (double)n;
            if (product != NULL) product[j] += along * a[j] / (double)n;
        }
    }
    return value;
}

/* ---- the oracles ---- */

static int f_value(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    (void)x, (void)work;
    *value = squares(&((const data *)self)->validation, xi, y, NULL, NULL, NULL);
    return 0;
}

static int f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                  sustain_real *fy, void *work) {
    (void)x, (void)work;
    double gradient[FEATURES];
    squares(&((const data *)self)->validation, xi, y, gradient, NULL, NULL);
    for (int j = 0; j < FEATURES; j++) fx[j] = 0, fy[j] = (sustain_real)gradient[j];
    return 0;
}

static int g_value(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    (void)work;
    *value = squares(&((const data *)self)->training, zeta, y, NULL, NULL, NULL);
    for (int j = 0; j < FEATURES; j++) *value += exp((double)x[j]) * (double)y[j] * (double)y[j] / 2;
    return 0;
}

static int g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                    void *work) {
    (void)work;
    double gradient[FEATURES];
    squares(&((const data *)self)->training, zeta, y, gradient, NULL, NULL);
    for (int j = 0; j < FEATURES; j++) gy[j] = (sustain_real)(gradient[j] + exp((double)x[j]) * (double)y[j]);
    return 0;
}

static int g_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    (void)work;
    double product[FEATURES];
    squares(&((const data *)self)->training, zeta, y, NULL, v, product);
    for (int j = 0; j < FEATURES; j++) out[j] = (sustain_real)(product[j] + exp((double)x[j]) * (double)v[j]);
    return 0;
}

/* d^2 g / dx_i dy_j is exp(x_j) y_j where i = j, and 0 elsewhere. */
static int g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work) {
    (void)self, (void)zeta, (void)work;
    for (int j = 0; j < FEATURES; j++) out[j] = (sustain_real)(exp((double)x[j]) * (double)y[j] * (double)v[j]);
    return 0;
}

/* ---- data: the first half of the features carry the signal ---- */

static void generate(rows *r, int64_t count, uint64_t seed) {
    r->count = count;
    for (int64_t i = 0; i < count; i++) {
        r->b[i] = sustain_random_normal(seed, 1, (uint64_t)i, 0);
        for (int j = 0; j < FEATURES; j++) {
            r->a[i][j] = sustain_random_normal(seed, 0, (uint64_t)i, (uint32_t)j);
            if (j < FEATURES / 2) r->b[i] += r->a[i][j];
        }
    }
}

static sustain_status check(sustain_context *context, const sustain_problem *problem) {
    sustain_check_report report;
    const sustain_status status = sustain_check_problem(context, problem, NULL, NULL, 5, 1, &report);
    for (int i = 0; status == SUSTAIN_OK && i < report.count; i++)
        if (report.row[i].done)
            printf("%-6s %.1e  %s\n", report.row[i].passed ? "right" : "WRONG", report.row[i].error, report.row[i].what);
    return status == SUSTAIN_OK && report.failed > 0 ? SUSTAIN_ARGUMENT : status;
}

/* Half of the run, saved; a new solver goes on from the file as if nothing had happened. */
static sustain_status solve(sustain_context *context, const sustain_problem *problem, const char *file, sustain_solver **solver,
                            sustain_result *result) {
    sustain_status status = sustain_solver_create(context, "sustain", problem, solver);
    if (status == SUSTAIN_OK) status = sustain_solver_set(*solver, "batch", "8");
    if (status == SUSTAIN_OK) status = sustain_solver_run(*solver, &(sustain_stopping){.iterations = 20000}, NULL);
    if (status == SUSTAIN_OK) status = sustain_solver_save(*solver, file);
    sustain_solver_destroy(*solver);
    *solver = NULL;
    if (status == SUSTAIN_OK) status = sustain_solver_create(context, "sustain", problem, solver);
    if (status == SUSTAIN_OK) status = sustain_solver_load(*solver, file);
    if (status == SUSTAIN_OK) status = sustain_solver_run(*solver, &(sustain_stopping){.iterations = 40000}, result);
    remove(file);
    return status;
}

int main(void) {
    static data d;
    generate(&d.training, TRAINING, 1);
    generate(&d.validation, VALIDATION, 2);
    const sustain_problem_ops ops = {.name = "ridge penalties",
                                     .f_value = f_value,
                                     .f_grad = f_grad,
                                     .g_value = g_value,
                                     .g_grad_y = g_grad_y,
                                     .g_hess_vec = g_hess_vec,
                                     .g_cross_vec = g_cross_vec};
    const sustain_problem problem = {
        .ops = &ops, .self = &d, .upper_dim = FEATURES, .lower_dim = FEATURES, .samples = {VALIDATION, TRAINING}, .has_expectation = true};
    const sustain_real ones[FEATURES] = {0}; /* x = 0: every penalty is exp(0) = 1 */
    sustain_real y[FEATURES] = {0};
    sustain_context *context;
    sustain_solver *solver = NULL;
    sustain_result result = {.upper_value = INFINITY};
    double before = 0;
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    sustain_status status = check(context, &problem);
    if (status == SUSTAIN_OK) status = sustain_outer(context, &problem, NULL, NULL, ones, 1e-5, y, &before, NULL);
    if (status == SUSTAIN_OK) status = solve(context, &problem, "own_problem.safetensors", &solver, &result);
    if (status != SUSTAIN_OK)
        printf("%s: %s\n", sustain_status_text(status), sustain_error(context));
    else
        printf("validation loss %.4f with all penalties 1, %.4f tuned in %.2f s; penalties:\n", before, result.upper_value, result.seconds);
    for (int j = 0; status == SUSTAIN_OK && j < FEATURES; j++)
        printf("  feature %d (%s)  %.3g\n", j, j < FEATURES / 2 ? "signal" : "noise", exp((double)result.x[j]));
    sustain_solver_destroy(solver);
    sustain_context_destroy(context);
    return status == SUSTAIN_OK && result.upper_value < before ? 0 : 1;
}
