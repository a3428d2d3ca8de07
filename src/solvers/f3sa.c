/* f3sa.c - F3SA: F2SA with a recursive momentum on all of its gradients, one step of y and z in an
 * iteration.
 *
 *   h_z^k  = grad_y g(x_k,z_k;phi_z) + (1-eta_k)(h_z^{k-1}  - grad_y g(x_{k-1},z_{k-1};phi_z))
 *   h_fy^k = grad_y f(x_k,y_k;xi_y)  + (1-eta_k)(h_fy^{k-1} - grad_y f(x_{k-1},y_{k-1};xi_y))
 *   h_gy^k = grad_y g(x_k,y_k;phi_y) + (1-eta_k)(h_gy^{k-1} - grad_y g(x_{k-1},y_{k-1};phi_y))
 *   z_{k+1} = z_k - gamma_k h_z^k,       y_{k+1} = y_k - a_k (h_fy^k + l_k h_gy^k)                             Algorithm 2
 *   h_fx^k, h_gxy^k, h_gxz^k: likewise grad_x f and grad_x g at (x_k,y_{k+1}), grad_x g at (x_k,z_{k+1}), before at (x_{k-1},y_k), (x_{k-1},z_k)
 *   x_{k+1} = x_k - xi a_k (h_fx^k + l_k (h_gxy^k - h_gxz^k)),       l_{k+1} = l_k + delta_k
 *
 * Kwon, Kwon, Wright, Nowak, ICML 2023 (arXiv 2301.10945), Section 4.2. With noise in both levels
 * gamma_k ~ k^(-2/5), a_k ~ k^(-3/5), eta_k ~ gamma_k^2 ~ k^(-4/5), so that l_k grows like
 * k^(1/5).
 *
 * Here gamma_k = beta_k, xi a_k = alpha_k, a_k = gamma_k / l_k, as in f2sa.c. The y that the
 * library shows is z; y itself is called u. h_gxy - h_gxz is kept as one vector.
 *
 * Differs: y and z use the same draws of g, as in f2sa.c; draws=independent has the paper's. */
#include "core/vector.h"
#include "solvers/multiplier.h"
#include "solvers/parts.h"

enum { SAME, INDEPENDENT };

typedef struct f3sa {
    struct sustain_solver base;
    int draws;
    double lambda; /* l_0 as given, 0: to be found */

    /* state */
    sustain_real *u, *x_prev, *z_prev, *u_prev; /* y_k; x_{k-1}, z_{k-1}, y_{k-1} */
    sustain_real *hz, *hfy, *hgy;               /* (lower_dim) */
    sustain_real *hfx, *hgx;                    /* (upper_dim) hgx: h_gxy - h_gxz */
    double lambda_0;                            /* l_0 */

    /* of one iteration: gradients, then the momentum that they make */
    sustain_real *gz, *fy, *gy, *before, *unused, *z_new, *u_new; /* (lower_dim) */
    sustain_real *fx, *gx, *gxz, *before_x, *D;                   /* (upper_dim) */
    int64_t *index;                                               /* (6, batch) */
} f3sa;

/* ---- the step ---- */

/* now <- now + keep (h - before). */
static void advance(int64_t n, double keep, const sustain_real *h, const sustain_real *before, sustain_real *now) {
    for (int64_t i = 0; i < n; i++) now[i] = (sustain_real)((double)now[i] + keep * ((double)h[i] - (double)before[i]));
}

/* h_z^k into gz, h_fy^k into fy, h_gy^k into gy. */
static sustain_status lower_momenta(f3sa *s, double keep) {
    sustain_solver *b = &s->base;
    sustain__oracle *o = &b->oracle;
    const int64_t n = b->problem->lower_dim, B = b->common.batch, t = b->t;
    const sustain_batch phi_z = sustain__draw_batch(b, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, s->index);
    const sustain_batch phi_y =
        s->draws == SAME ? phi_z : sustain__draw_batch(b, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + 1, t, s->index + B);
    const sustain_batch xi_y = sustain__draw_batch(b, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, s->index + 2 * B);
    SUSTAIN_TRY(sustain__g_grad_y(o, &phi_z, b->x, b->y, s->gz));
    SUSTAIN_TRY(sustain__f_grad(o, &xi_y, b->x, s->u, s->fx, s->fy));
    SUSTAIN_TRY(sustain__g_grad_y(o, &phi_y, b->x, s->u, s->gy));
    if (keep == 0) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__g_grad_y(o, &phi_z, s->x_prev, s->z_prev, s->before));
    advance(n, keep, s->hz, s->before, s->gz);
    SUSTAIN_TRY(sustain__f_grad(o, &xi_y, s->x_prev, s->u_prev, s->fx, s->before));
    advance(n, keep, s->hfy, s->before, s->fy);
    SUSTAIN_TRY(sustain__g_grad_y(o, &phi_y, s->x_prev, s->u_prev, s->before));
    advance(n, keep, s->hgy, s->before, s->gy);
    return SUSTAIN_OK;
}

/* out <- grad_x g(x,u;phi_y) - grad_x g(x,z;phi_z) */
static sustain_status difference(f3sa *s, const sustain_batch phi[2], const sustain_real *x, const sustain_real *u, const sustain_real *z,
                                 sustain_real *out) {
    SUSTAIN_TRY(sustain__g_grad_x(&s->base.oracle, &phi[0], x, u, out));
    SUSTAIN_TRY(sustain__g_grad_x(&s->base.oracle, &phi[1], x, z, s->gxz));
    sustain__add(s->base.problem->upper_dim, -1, s->gxz, out);
    return SUSTAIN_OK;
}

/* h_fx^k into fx, h_gxy^k - h_gxz^k into gx. */
static sustain_status upper_momenta(f3sa *s, double keep) {
    sustain_solver *b = &s->base;
    const int64_t m = b->problem->upper_dim, B = b->common.batch, t = b->t;
    const sustain_batch xi_x = sustain__draw_batch(b, SUSTAIN_UPPER, SUSTAIN__STREAM_HYPER + 2, t, s->index + 3 * B);
    sustain_batch phi[2];
    phi[0] = phi[1] = sustain__draw_batch(b, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + 3, t, s->index + 4 * B);
    if (s->draws != SAME) phi[1] = sustain__draw_batch(b, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + 4, t, s->index + 5 * B);
    SUSTAIN_TRY(sustain__f_grad(&b->oracle, &xi_x, b->x, s->u_new, s->fx, s->unused));
    SUSTAIN_TRY(difference(s, phi, b->x, s->u_new, s->z_new, s->gx));
    if (keep == 0) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__f_grad(&b->oracle, &xi_x, s->x_prev, s->u, s->before_x, s->unused));
    advance(m, keep, s->hfx, s->before_x, s->fx);
    SUSTAIN_TRY(difference(s, phi, s->x_prev, s->u, b->y, s->before_x));
    advance(m, keep, s->hgx, s->before_x, s->gx);
    return SUSTAIN_OK;
}

static void keep_momenta(f3sa *s) {
    const int64_t m = s->base.problem->upper_dim, n = s->base.problem->lower_dim;
    sustain__copy(n, s->gz, s->hz);
    sustain__copy(n, s->fy, s->hfy);
    sustain__copy(n, s->gy, s->hgy);
    sustain__copy(m, s->fx, s->hfx);
    sustain__copy(m, s->gx, s->hgx);
}

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    f3sa *s = (f3sa *)solver;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    const double l = sustain__multiplier_at(solver, s->lambda_0), a = at.beta / l, keep = 1 - at.eta_f; /* l_k, a_k, 1-eta_k */

    SUSTAIN_TRY(lower_momenta(s, keep));
    sustain__copy(n, solver->y, s->z_new);
    sustain__add(n, -at.beta, s->gz, s->z_new);                                                         /* z_{k+1} */
    sustain__copy(n, s->u, s->u_new);
    sustain__add(n, -a, s->fy, s->u_new);
    sustain__add(n, -a * l, s->gy, s->u_new);                                                           /* y_{k+1} */

    SUSTAIN_TRY(upper_momenta(s, keep));
    sustain__copy(m, s->fx, s->D);
    sustain__add(m, l, s->gx, s->D);

    keep_momenta(s);
    sustain__copy(n, solver->y, s->z_prev);
    sustain__copy(n, s->u, s->u_prev);
    sustain__copy(n, s->z_new, solver->y);
    sustain__copy(n, s->u_new, s->u);
    sustain__set_norms(solver, s->D, s->gz);
    sustain__copy(m, solver->x, s->x_prev);
    return sustain__move_x(solver, at.alpha, s->D);                                                     /* x_{k+1} */
}
/* clang-format on */

/* ---- the memory ---- */

/* As for F2SA; see f2sa.c. */
#define PENALTY 10

static sustain_status prepare(sustain_solver *solver, const sustain_real *x, const sustain_real *y) {
    f3sa *s = (f3sa *)solver;
    return sustain__first_multiplier(solver, s->lambda, PENALTY, x, y, &s->lambda_0);
}

static void layout(sustain_solver *solver) {
    f3sa *s = (f3sa *)solver;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    sustain_real **const lower_state[] = {&s->u, &s->z_prev, &s->u_prev, &s->hz, &s->hfy, &s->hgy};
    static const char *const lower_names[] = {"u", "z_prev", "u_prev", "hz", "hfy", "hgy"};
    for (int i = 0; i < 6; i++) sustain__vector(solver, SUSTAIN__STATE, lower_names[i], SUSTAIN_FIELD_REAL, n, lower_state[i]);
    sustain_real **const upper_state[] = {&s->x_prev, &s->hfx, &s->hgx};
    static const char *const upper_names[] = {"x_prev", "hfx", "hgx"};
    for (int i = 0; i < 3; i++) sustain__vector(solver, SUSTAIN__STATE, upper_names[i], SUSTAIN_FIELD_REAL, m, upper_state[i]);
    sustain__scalar(solver, SUSTAIN__RECORD, "lambda_0", SUSTAIN_FIELD_DOUBLE, &s->lambda_0);
    SUSTAIN__SCRATCH_REALS(solver, n, &s->gz, &s->fy, &s->gy, &s->before, &s->unused, &s->z_new, &s->u_new);
    SUSTAIN__SCRATCH_REALS(solver, m, &s->fx, &s->gx, &s->gxz, &s->before_x, &s->D);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, 6 * solver->common.batch, &s->index);
}

static void begin(sustain_solver *solver) {
    f3sa *s = (f3sa *)solver;
    sustain__copy(solver->problem->lower_dim, solver->y, s->u);
}

/* ---- the row of the registry ---- */

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(3.0 / 5, 2.0 / 5),
    {"c_eta_f", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(c_eta_f), 1, 0, 1e30, NULL,
     "schedule=power: eta_t = min(1, c_eta_f/(w+t)^r), momentum of all gradients"},
    SUSTAIN__ETA_POWER_ROW(4.0 / 5),
    {"draws", SUSTAIN_PARAMETER_CHOICE, offsetof(f3sa, draws), 0, 0, 1, "same|independent", "of g, for y and z: the same, or independent ones"},
    {"lambda", SUSTAIN_PARAMETER_NUMBER, offsetof(f3sa, lambda), 0, 0, 1e30, NULL,
     "the multiplier at the start, it grows like (w+t)^(p-q); 0: 10 L_fy/mu_g, known or estimated"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_f3sa = {
    .info = {.name = "f3sa",
             .title = "gradients alone: f2sa with a recursive momentum, one step of everything in an iteration",
             .reference =
                 "Kwon, Kwon, Wright, Nowak: A fully first-order method for stochastic bilevel optimization. ICML 2023 (arXiv 2301.10945)",
             .complexity = "epsilon^(-5/2), epsilon^(-5/2)",
             .needs = SUSTAIN__NEEDS_GRADIENTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(f3sa),
    .tuning = {.alpha = 0.4, .beta = 1, .lag = 0.5, .noise = 0.5},
    .prepare = prepare,
    .layout = layout,
    .begin = begin,
    .step = step,
};
