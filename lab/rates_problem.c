/* rates_problem.c - the two problems of `sustain rates`, and the common start.
 *
 * Both are small (cost is measured separately), well conditioned (so that constants do not hide
 * the exponents) and noisy in every oracle. x_0 is the first point of exact gradient descent on
 * ell at which the criterion is at most `start` times the largest epsilon, and y_0 = y*(x_0). A
 * start further away would measure the initial transient, which is similar for all algorithms,
 * instead of the noise that the theorems are about. */
#include <math.h>
#include <stdlib.h>

#include "rates.h"

enum { FINITE_SUM = 100 };

/* The largest epsilon, and the ratio of the criterion at the start to it. */
static const struct {
    double largest, start;
} scale[RATES_PROBLEMS] = {[RATES_NONCONVEX] = {0.3, 16}, [RATES_STRONGLY_CONVEX] = {0.003, 300}};

double rates_epsilon(int kind, int i) {
    return scale[kind].largest * pow(10, -i / 3.0);
}

sustain_quadratic_options rates_options(int kind, bool finite_sum) {
    sustain_quadratic_options o = sustain_quadratic_defaults();
    o.upper_dim = o.lower_dim = 4;
    o.mu_g = 1, o.L_g = 1.5, o.C_gxy = 1.5, o.C_fy = 4, o.phi = SUSTAIN_PHI_SQRT;
    o.curvature = 1, o.wave = kind == RATES_NONCONVEX ? 2 : 0;
    o.noise_f = 0.9, o.noise_g = 2, o.noise_hess = 0.19, o.noise_cross = 0.5, o.start = 2;
    o.samples = finite_sum ? FINITE_SUM : 0;
    return o;
}

static double criterion_at(const rates_problem *p, const double *x, double *gradient) {
    const double value = sustain_quadratic_value(p->problem, x, gradient);
    if (p->kind == RATES_STRONGLY_CONVEX) return value - p->minimum;
    double squares = 0;
    for (int64_t i = 0; i < p->problem->upper_dim; i++) squares += gradient[i] * gradient[i];
    return squares;
}

/* x_0 and y_0; scratch is (2 upper_dim + lower_dim). */
static void find_start(rates_problem *p, double *scratch) {
    const int64_t m = p->problem->upper_dim, n = p->problem->lower_dim;
    double *x = scratch, *gradient = x + m, *y = gradient + m;
    p->problem->ops->initial(p->problem->self, p->x_0, p->y_0);
    for (int64_t i = 0; i < m; i++) x[i] = (double)p->x_0[i];
    while (criterion_at(p, x, gradient) > scale[p->kind].start * scale[p->kind].largest)
        for (int64_t i = 0; i < m; i++) x[i] -= 0.01 * gradient[i];
    for (int64_t i = 0; i < m; i++) p->x_0[i] = (sustain_real)x[i];
    sustain_quadratic_lower(p->problem, x, y);
    for (int64_t j = 0; j < n; j++) p->y_0[j] = (sustain_real)y[j];
}

sustain_status rates_problem_make(sustain_context *context, int kind, bool finite_sum, rates_problem *out) {
    const sustain_quadratic_options o = rates_options(kind, finite_sum);
    *out = (rates_problem){.kind = kind};
    const sustain_status status = sustain_quadratic_create(context, &o, &out->problem);
    if (status != SUSTAIN_OK) return status;
    double *scratch = malloc((size_t)(2 * o.upper_dim + o.lower_dim) * sizeof *scratch);
    out->x_0 = malloc((size_t)(o.upper_dim + o.lower_dim) * sizeof *out->x_0);
    if (scratch != NULL && out->x_0 != NULL) {
        out->y_0 = out->x_0 + o.upper_dim;
        out->minimum = sustain_quadratic_minimum(out->problem, NULL);
        find_start(out, scratch);
    }
    free(scratch);
    if (out->y_0 != NULL) return SUSTAIN_OK;
    rates_problem_free(out);
    return SUSTAIN_MEMORY;
}

void rates_problem_free(rates_problem *p) {
    sustain_quadratic_destroy(p->problem);
    free(p->x_0);
    *p = (rates_problem){.kind = p->kind};
}
