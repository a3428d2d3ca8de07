/* theory_plan.c - see theory_plan.h. */
#include "theory_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- constants ---- */

double plan_constant(const sustain_constants *constants, const sustain_parameter *row) {
    double value;
    memcpy(&value, (const char *)constants + row->offset, sizeof value);
    return value;
}

const char *plan_constant_source(const plan_basis *b, const sustain_parameter *row) {
    if (!isnan(plan_constant(&b->given, row))) return "given";
    if (!isnan(plan_constant(&b->known, row))) return "known";
    return isnan(plan_constant(&b->constants, row)) ? "not known" : "estimated";
}

static void take(const sustain_constants *from, sustain_constants *to) {
    int count;
    const sustain_parameter *rows = sustain_constants_table(&count);
    for (int i = 0; i < count; i++)
        if (isnan(plan_constant(to, &rows[i]))) memcpy((char *)to + rows[i].offset, (const char *)from + rows[i].offset, sizeof(double));
}

/* Estimates the constants that neither the user nor the problem gives, near the start of the
 * problem. */
static sustain_status estimate(sustain_context *context, const sustain_problem *problem, uint64_t seed, sustain_constants *constants) {
    sustain_real *x = calloc((size_t)(problem->upper_dim + problem->lower_dim), sizeof *x);
    if (x == NULL) return SUSTAIN_MEMORY;
    sustain_real *y = x + problem->upper_dim;
    if (problem->ops->initial != NULL) problem->ops->initial(problem->self, x, y);
    const sustain_status status = sustain_estimate_constants(context, problem, 1, seed, x, y, constants);
    free(x);
    return status;
}

plan_basis plan_basis_given(const sustain_constants *given) {
    return (plan_basis){.constants = *given, .given = *given, .known = *given};
}

sustain_status plan_basis_add(sustain_context *context, const sustain_quadratic_options *options, plan_basis *b) {
    sustain_problem *problem;
    sustain_status status = sustain_quadratic_create(context, options, &problem);
    if (status != SUSTAIN_OK) return status;
    b->problem = problem->ops->name;
    take(problem->known, &b->known);
    b->constants = b->known;
    status = estimate(context, problem, (uint64_t)options->seed, &b->constants);
    sustain_quadratic_destroy(problem);
    return status;
}

/* ---- plans ---- */

sustain_status plan_make(sustain_context *context, const plan_basis *b, int theorem, double iterations, double epsilon,
                         plan_sheet sheets[2]) {
    if (theorem < 0) theorem = b->constants.mu_f > 0 ? PLAN_BOTH : PLAN_NONCONVEX;
    sheets[0] = (plan_sheet){"nonconvex", "Theorem 3.2", "mean |grad ell(x_t)|^2", .wanted = theorem != PLAN_STRONGLY_CONVEX};
    sheets[1] = (plan_sheet){"strongly_convex", "Theorem 3.3", "ell(x_T) - min ell", .wanted = theorem != PLAN_NONCONVEX};
    sustain_status status = SUSTAIN_OK;
    for (int i = 0; i < 2 && status == SUSTAIN_OK; i++) {
        if (!sheets[i].wanted) continue;
        if (!isnan(epsilon))
            status = sustain_plan_for_epsilon(context, &b->constants, i == PLAN_STRONGLY_CONVEX, epsilon, &sheets[i].plan);
        else if (i == PLAN_NONCONVEX)
            status = sustain_plan_nonconvex(context, &b->constants, iterations, &sheets[i].plan);
        else
            status = sustain_plan_strongly_convex(context, &b->constants, iterations, &sheets[i].plan);
    }
    return status;
}

/* K, the one int, has no offset. */
#define PLAN(member) offsetof(sustain_plan, member)
static const plan_row plan_rows[] = {
    {"iterations", PLAN(iterations), "T"},
    {"K", SIZE_MAX, "terms of the hypergradient's estimate, eq. (7)"},
    {"alpha", PLAN(steps.alpha), "alpha_t = alpha/(w+t)^p"},
    {"w", PLAN(steps.w), "offset of the decay"},
    {"p", PLAN(steps.p), "power of the decay"},
    {"c_beta", PLAN(c_beta), "beta_t = c_beta alpha_t"},
    {"c_eta_f", PLAN(steps.c_eta_f), "eta^f_t = c_eta_f/(w+t)^2p"},
    {"c_eta_g", PLAN(steps.c_eta_g), "eta^g_t = c_eta_g/(w+t)^2p"},
    {"L", PLAN(L), "of the surrogate gradient, eq. (12)"},
    {"L_f", PLAN(L_f), "of grad ell, eq. (12)"},
    {"L_y", PLAN(L_y), "of y*(x), eq. (12)"},
    {"L_K", PLAN(L_K), "of the estimate, eq. (15)"},
    {"sigma_f", PLAN(sigma_f), "noise of the estimate"},
    {"bound", PLAN(bound), "the bound guaranteed at T"},
    {"samples_upper", PLAN(samples_upper), "draws of f"},
    {"samples_lower", PLAN(samples_lower), "draws of g, on average"},
};

const plan_row *plan_row_at(int i) {
    return i < (int)(sizeof plan_rows / sizeof *plan_rows) ? &plan_rows[i] : NULL;
}

double plan_value(const sustain_plan *plan, const plan_row *row) {
    double value = plan->steps.K;
    if (row->offset != SIZE_MAX) memcpy(&value, (const char *)plan + row->offset, sizeof value);
    return value;
}

plan_moment plan_moment_at(const sustain_plan *plan, int third) {
    const sustain_steps *s = &plan->steps;
    const double t = floor(plan->iterations * third / 2), decay = pow(s->w + t, -s->p);
    return (plan_moment){.t = t,
                         .alpha = s->alpha * decay,
                         .beta = s->beta * decay,
                         .eta_f = t == 0 ? 1 : fmin(1, s->c_eta_f * decay * decay),
                         .eta_g = t == 0 ? 1 : fmin(1, s->c_eta_g * decay * decay)};
}
