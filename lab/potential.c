/* potential.c - see potential.h. */
#include "potential.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct potential_watch {
    sustain_context *context;
    const sustain_problem *problem;
    sustain_plan plan;
    double sigma_g, cbar_f, cbar_g;
    double *x, *y, *gradient;              /* (upper_dim), (lower_dim), (upper_dim) */
    sustain_real *fx, *cross;              /* (upper_dim) */
    sustain_real *fy, *gy, *sum, *product; /* (lower_dim) */
    void *work;
};

static double square(double v) {
    return v * v;
}

static double squares(int64_t n, const sustain_real *v, const sustain_real *minus) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += square((double)v[i] - (double)minus[i]);
    return sum;
}

static double alpha_at(const sustain_steps *s, double t) {
    return s->alpha / pow(s->w + t, s->p);
}

/* E of (7) into fx: grad_x f - (1/L_g) J sum_{q<K} (I - H/L_g)^q grad_y f. */
static void expected_estimate(potential_watch *w, const sustain_steps *steps, const sustain_real *x, const sustain_real *y) {
    const sustain_problem *p = w->problem;
    p->ops->f_grad(p->self, NULL, x, y, w->fx, w->fy, w->work);
    memset(w->sum, 0, (size_t)p->lower_dim * sizeof *w->sum);
    for (int q = 0; q < steps->K; q++) {
        p->ops->g_hess_vec(p->self, NULL, x, y, w->fy, w->product, w->work);
        for (int64_t j = 0; j < p->lower_dim; j++) {
            w->sum[j] += (sustain_real)((double)w->fy[j] / steps->L_g);
            w->fy[j] -= (sustain_real)((double)w->product[j] / steps->L_g);
        }
    }
    p->ops->g_cross_vec(p->self, NULL, x, y, w->sum, w->cross, w->work);
    for (int64_t i = 0; i < p->upper_dim; i++) w->fx[i] -= w->cross[i];
}

/* A vector of the solver's state. */
static const sustain_real *field(sustain_solver *solver, const char *name) {
    int count;
    const sustain_field *fields = sustain_solver_state(solver, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0) return fields[i].data;
    return NULL;
}

sustain_status potential_after_step(potential_watch *w, sustain_solver *solver, potential *out) {
    const sustain_problem *p = w->problem;
    const int64_t m = p->upper_dim, n = p->lower_dim, t = sustain_solver_iteration(solver) - 1;
    const sustain_real *x = field(solver, "x_prev"), *y = field(solver, "y_prev"), *hf = field(solver, "hf"), *hg = field(solver, "hg");
    const sustain_steps steps = sustain_solver_steps(solver);
    if (x == NULL || y == NULL || hf == NULL || hg == NULL) return SUSTAIN_ARGUMENT;
    *out = (potential){.V = 0};
    for (int64_t i = 0; i < m; i++) w->x[i] = (double)x[i];
    out->ell = sustain_quadratic_value(p, w->x, w->gradient);
    for (int64_t i = 0; i < m; i++) out->gradient += square(w->gradient[i]);
    sustain_quadratic_lower(p, w->x, w->y);
    for (int64_t j = 0; j < n; j++) out->distance += square((double)y[j] - w->y[j]);
    expected_estimate(w, &steps, x, y);
    out->ef = squares(m, hf, w->fx);
    p->ops->g_grad_y(p->self, NULL, x, y, w->gy, w->work);
    out->eg = squares(n, hg, w->gy);
    const sustain_status status = sustain_hypergradient(w->context, p, NULL, NULL, x, y, SUSTAIN_INVERSE_CHOLESKY, 0, w->cross);
    out->bias = squares(m, w->fx, w->cross);
    const double of_distance = 2 * w->plan.L / (3 * sqrt(2) * w->plan.L_y), of_ef = 1 / w->cbar_f, of_eg = 1 / w->cbar_g;
    const double alpha = alpha_at(&steps, t > 0 ? (double)(t - 1) : 0);
    out->V = out->ell + of_distance * out->distance + (of_ef * out->ef + of_eg * out->eg) / alpha;
    return status;
}

double potential_change(const potential_watch *w, int64_t t, double gradient) {
    const sustain_steps *s = &w->plan.steps;
    const double alpha = alpha_at(s, (double)t), bias = 1 / w->plan.iterations;
    const double noise_f = square(s->c_eta_f * square(alpha) * w->plan.sigma_f) / w->cbar_f;
    const double noise_g = square(s->c_eta_g * square(alpha) * w->sigma_g) / w->cbar_g;
    return -alpha / 2 * gradient + 2 * alpha * square(bias) + 2 * (noise_f + noise_g) / alpha;
}

const sustain_plan *potential_plan(const potential_watch *w) {
    return &w->plan;
}

sustain_status potential_open(sustain_context *context, const sustain_problem *problem, const sustain_constants *constants,
                              double iterations, potential_watch **out) {
    const sustain_constants *c = constants != NULL ? constants : problem->known;
    const size_t m = (size_t)problem->upper_dim, n = (size_t)problem->lower_dim;
    sustain_plan plan;
    const sustain_status status = sustain_plan_nonconvex(context, c, iterations, &plan);
    *out = NULL;
    if (status != SUSTAIN_OK) return status;
    potential_watch *w = calloc(1, sizeof *w);
    double *numbers = calloc(2 * m + n, sizeof *numbers);
    sustain_real *reals = calloc(2 * m + 4 * n, sizeof *reals);
    void *work = malloc(1 + (problem->ops->workspace != NULL ? problem->ops->workspace(problem->self, 1) : 0));
    if (w == NULL || numbers == NULL || reals == NULL || work == NULL) {
        free(w), free(numbers), free(reals), free(work);
        return SUSTAIN_MEMORY;
    }
    *w = (potential_watch){.context = context, .problem = problem, .plan = plan, .sigma_g = c->sigma_g, .work = work};
    /* (29): c_eta_f = 1/(3 L_f) + cbar_f; cbar_g is the same with L_g for L_K */
    w->cbar_f = plan.steps.c_eta_f - 1 / (3 * plan.L_f);
    w->cbar_g = w->cbar_f * square(c->L_g / plan.L_K);
    w->x = numbers, w->gradient = w->x + m, w->y = w->gradient + m;
    w->fx = reals, w->cross = w->fx + m, w->fy = w->cross + m, w->gy = w->fy + n, w->sum = w->gy + n, w->product = w->sum + n;
    *out = w;
    return SUSTAIN_OK;
}

void potential_close(potential_watch *w) {
    if (w == NULL) return;
    free(w->x), free(w->fx), free(w->work);
    free(w);
}
