/* f2sa.c - F2SA: gradients alone; the lower level as a penalty l_k (g(x,y) - g(x,z)), z its
 * minimizer, l_k growing.
 *
 *   z_{k,i+1} = z_{k,i} - gamma_k grad_y g(x_k,z_{k,i};phi_z)                                            T times, from z_k
 *   y_{k,i+1} = y_{k,i} - a_k (grad_y f(x_k,y_{k,i};xi_y) + l_k grad_y g(x_k,y_{k,i};phi_y))             T times, from y_k
 *   x_{k+1}   = x_k - xi a_k (grad_x f(x_k,y_{k+1};xi_x) + l_k (grad_x g(x_k,y_{k+1};phi_xy) - grad_x g(x_k,z_{k+1};phi_xz)))
 *   l_{k+1}   = l_k + delta_k                                                                                 Algorithm 1
 *
 * Kwon, Kwon, Wright, Nowak, ICML 2023; numbers are those of arXiv 2301.10945v1. With noise in both
 * levels gamma_k ~ k^(-4/7) and a_k ~ k^(-5/7) (Corollary 4.2(a)), and a_k l_k, the step of y, is
 * at most gamma_k (3a) and of its order (Section 3.1), so that l_k grows like k^(1/7).
 *
 * Here gamma_k = beta_k and xi a_k = alpha_k, with p = 5/7 and q = 4/7; l_k = l_0 ((w+k)/w)^(p-q)
 * and a_k = gamma_k / l_k, which fixes xi = alpha_0 / a_0. The y that the library shows is z, which
 * tends to y*(x); y itself is called u here.
 *
 * Differs: y and z use the same draws of g (phi_y = phi_z, phi_xy = phi_xz), where the paper's are
 * all independent. Each gradient is as good as before, but what is multiplied by l_k is a
 * difference, and most of its noise cancels. draws=independent has the paper's. */
#include "core/vector.h"
#include "solvers/multiplier.h"
#include "solvers/parts.h"

enum { SAME, INDEPENDENT };

typedef struct f2sa {
    struct sustain_solver base;
    int64_t T;
    int draws;
    double lambda; /* l_0 as given, 0: to be found */

    /* state */
    sustain_real *u; /* y_k of the paper */
    double lambda_0; /* l_0 */

    /* of one iteration */
    sustain_real *z_new, *u_new, *gz, *gy, *fy; /* (lower_dim) */
    sustain_real *fx, *gx, *D;                  /* (upper_dim) */
    int64_t *index;                             /* (batch) */
} f2sa;

/* ---- the step ---- */

/* A draw of the i-th inner step. */
static sustain_batch inner_draw(f2sa *s, sustain_level level, uint32_t stream, int64_t i, int64_t *index) {
    sustain_batch draw = sustain__draw_batch(&s->base, level, stream, s->base.t * s->T + i, index);
    draw.iteration = s->base.t;
    return draw;
}

/* The inner loop, on z_new and u_new. */
static sustain_status descend(f2sa *s, double gamma, double a, double l) {
    sustain_solver *b = &s->base;
    const int64_t n = b->problem->lower_dim;
    for (int64_t i = 0; i < s->T; i++) {
        const sustain_batch phi_z = inner_draw(s, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, i, s->index);
        SUSTAIN_TRY(sustain__g_grad_y(&b->oracle, &phi_z, b->x, s->z_new, s->gz));
        const sustain_batch phi_y = s->draws == SAME ? phi_z : inner_draw(s, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + 1, i, s->index);
        SUSTAIN_TRY(sustain__g_grad_y(&b->oracle, &phi_y, b->x, s->u_new, s->gy));
        const sustain_batch xi = inner_draw(s, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, i, s->index);
        SUSTAIN_TRY(sustain__f_grad(&b->oracle, &xi, b->x, s->u_new, s->fx, s->fy));
        sustain__add(n, -gamma, s->gz, s->z_new);
        sustain__add(n, -a, s->fy, s->u_new);
        sustain__add(n, -a * l, s->gy, s->u_new);
    }
    return SUSTAIN_OK;
}

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    f2sa *s = (f2sa *)solver;
    sustain__oracle *o = &solver->oracle;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim, t = solver->t;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    const double l = sustain__multiplier_at(solver, s->lambda_0), a = at.beta / l;           /* l_k, a_k */

    sustain__copy(n, solver->y, s->z_new);
    sustain__copy(n, s->u, s->u_new);
    SUSTAIN_TRY(descend(s, at.beta, a, l));                                                  /* z_{k+1}, y_{k+1} */

    const sustain_batch xi = sustain__draw_batch(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_HYPER + 2, t, s->index);
    SUSTAIN_TRY(sustain__f_grad(o, &xi, solver->x, s->u_new, s->D, s->fy));
    const sustain_batch phi_y = sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + 3, t, s->index);
    SUSTAIN_TRY(sustain__g_grad_x(o, &phi_y, solver->x, s->u_new, s->gx));
    sustain__add(m, l, s->gx, s->D);
    const sustain_batch phi_z = s->draws == SAME ? phi_y : sustain__draw_batch(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + 4, t, s->index);
    SUSTAIN_TRY(sustain__g_grad_x(o, &phi_z, solver->x, s->z_new, s->gx));
    sustain__add(m, -l, s->gx, s->D);

    sustain__copy(n, s->z_new, solver->y);
    sustain__copy(n, s->u_new, s->u);
    sustain__set_norms(solver, s->D, s->gz);
    return sustain__move_x(solver, at.alpha, s->D);                                          /* x_{k+1} */
}
/* clang-format on */

/* ---- the multiplier ---- */

/* Theorem 4.1 requires l_0 >= 2 l_{f,1} / mu_g, l_{f,1} the smoothness of f, so that f + l g is
 * strongly convex in y. Differs: PENALTY L_fy / mu_g, for L_fy / (mu_g l) is the part by which the
 * penalty's hypergradient is wrong (Lemma 3.1), and l grows slowly. */
#define PENALTY 10

static sustain_status prepare(sustain_solver *solver, const sustain_real *x, const sustain_real *y) {
    f2sa *s = (f2sa *)solver;
    return sustain__first_multiplier(solver, s->lambda, PENALTY, x, y, &s->lambda_0);
}

/* ---- the memory ---- */

static void layout(sustain_solver *solver) {
    f2sa *s = (f2sa *)solver;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    sustain__vector(solver, SUSTAIN__STATE, "u", SUSTAIN_FIELD_REAL, n, &s->u);
    sustain__scalar(solver, SUSTAIN__RECORD, "lambda_0", SUSTAIN_FIELD_DOUBLE, &s->lambda_0);
    SUSTAIN__SCRATCH_REALS(solver, n, &s->z_new, &s->u_new, &s->gz, &s->gy, &s->fy);
    SUSTAIN__SCRATCH_REALS(solver, m, &s->fx, &s->gx, &s->D);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, solver->common.batch, &s->index);
}

static void begin(sustain_solver *solver) {
    f2sa *s = (f2sa *)solver;
    sustain__copy(solver->problem->lower_dim, solver->y, s->u);
}

/* ---- the row of the registry ---- */

static double draws(const sustain_solver *solver) {
    return (double)((const f2sa *)solver)->T;
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(5.0 / 7, 4.0 / 7),
    {"T", SUSTAIN_PARAMETER_INTEGER, offsetof(f2sa, T), 10, 1, 100000, NULL, "steps on y and on z in each iteration"},
    {"draws", SUSTAIN_PARAMETER_CHOICE, offsetof(f2sa, draws), 0, 0, 1, "same|independent", "of g, for y and z: the same, or independent ones"},
    {"lambda", SUSTAIN_PARAMETER_NUMBER, offsetof(f2sa, lambda), 0, 0, 1e30, NULL,
     "the multiplier at the start, it grows like (w+t)^(p-q); 0: 10 L_fy/mu_g, known or estimated"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_f2sa = {
    .info = {.name = "f2sa",
             .title = "gradients alone: the lower level as a penalty that grows",
             .reference =
                 "Kwon, Kwon, Wright, Nowak: A fully first-order method for stochastic bilevel optimization. ICML 2023 (arXiv 2301.10945)",
             .complexity = "epsilon^(-7/2), epsilon^(-7/2)",
             .needs = SUSTAIN__NEEDS_GRADIENTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(f2sa),
    .tuning = {.alpha = 1, .lag = 1},
    .prepare = prepare,
    .layout = layout,
    .draws = draws,
    .begin = begin,
    .step = step,
};
