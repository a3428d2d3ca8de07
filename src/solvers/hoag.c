/* hoag.c - HOAG: hyperparameter optimization with approximate gradient.
 *
 *   y_k:      |y_k - y*(x_k)| <= eps_k,     ensured by |grad_y g(x_k,y_k)| <= mu_g eps_k                        Algorithm 1 (i)
 *   v_k:      |H(x_k,y_k) v_k - grad_y f(x_k,y_k)| <= eps_k                                                     Algorithm 1 (ii)
 *   h_k     = grad_x f(x_k,y_k) - J(x_k,y_k) v_k                                                                Algorithm 1 (iii)
 *   x_{k+1} = P(x_k - h_k / L_k)                                                                                Algorithm 1 (iv)
 *
 * H = grad^2_yy g, J = grad^2_xy g, all expected values; eps_k, summable, is tolerance times 0.9^k,
 * 1/k^2 or 1/k^3, k = 1, 2, ... y by L-BFGS and v by conjugate gradient, both from where the last
 * iteration ended. 1/L_k adapts (the paper's "Adaptive step size"): with d = |x_k - x_{k-1}|, the
 * step grows by a twentieth while
 *
 *   f(x_k,y_k) <= f(x_{k-1},y_{k-1}) + eps_k + eps_{k-1} (1 + d) - L_{k-1} d^2 / 2,
 *
 * is kept where f at least does not rise, and is halved where it does. Pedregosa: Hyperparameter
 * optimization with approximate gradient, ICML 2016.
 *
 * direction=sign moves each coordinate of x by a step of its own against the sign of h_k: it grows
 * by a fifth while the sign stays, and is halved where it turns (the coordinate waits an iteration
 * then). For coordinates that are logarithms, whose gradients differ by powers of ten. Riedmiller
 * and Braun: A direct adaptive method for faster backpropagation learning, ICNN 1993; Igel and
 * Huesken: iRprop-, 2000. */
#include <math.h>

#include "core/vector.h"
#include "hypergrad/lbfgs.h"
#include "solvers/full.h"
#include "solvers/parts.h"

enum { EXPONENTIAL, QUADRATIC, CUBIC };
enum { PLAIN, SIGN };
#define GROWS 0.95 /* of L, where the step grows */
#define FLOOR 4    /* the smallest tolerance, in units of rounding */
#define LONGER 1.2 /* direction=sign: of a step while the sign stays ... */
#define MOST 4     /* ... up to this many first steps; */

typedef struct hoag {
    struct sustain_solver base;
    double tolerance, mu_g;
    int decrease, direction;
    double first_step, still;
    int64_t limit;
    /* state */
    sustain_real *sign, *step;      /* direction=sign: of h_{k-1}, or 0; by coordinate */
    double largest;                 /* |h_1| */
    sustain_real *v;                /* v_{k-1} */
    double L, value, moved_by, eps; /* L_{k-1}, f(x_{k-1},y_{k-1}), |x_k - x_{k-1}|, eps_{k-1} */
    /* the smallest found by L-BFGS so far, where mu_g is not known */
    double least_curvature;
    /* of one iteration */
    sustain_real *h, *fx, *cross, *x_prev; /* (upper_dim) */
    sustain_real *y_new, *v_new, *fy;      /* (lower_dim) */
    sustain__cg cg;
    sustain__lbfgs lbfgs;
} hoag;

static double tolerance_at(const hoag *s);
static double adapted(const hoag *s, double value, double eps);
static sustain_status solve_lower(hoag *s, double eps, double *curvature);
static sustain_status move_by_sign(hoag *s);

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    hoag *s = (hoag *)solver;
    sustain__oracle *o = &solver->oracle;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    const double eps = tolerance_at(s);                                                                          /* eps_k */
    double value, curvature;

    SUSTAIN_TRY(solve_lower(s, eps, &curvature));                                                                /* y_k                  (i)   */
    SUSTAIN_TRY(sustain__f_value(o, NULL, solver->x, s->y_new, &value));
    SUSTAIN_TRY(sustain__f_grad(o, NULL, solver->x, s->y_new, s->fx, s->fy));
    sustain__copy(n, s->v, s->v_new);
    s->cg.limit = s->limit;
    s->cg.tolerance = fmax(eps / sustain__norm(n, s->fy), FLOOR * sustain__rounding());
    SUSTAIN_TRY(sustain__full_solve(solver, &s->cg, solver->x, s->y_new, s->fy, s->v_new));                      /* v_k                  (ii)  */
    SUSTAIN_TRY(sustain__implicit_gradient(solver, NULL, solver->x, s->y_new, s->v_new, s->fx, s->cross, s->h)); /* h_k                  (iii) */

    const double L = adapted(s, value, eps);                                                                     /* L_k */
    sustain__copy(m, solver->x, s->x_prev);
    SUSTAIN_TRY(s->direction == SIGN ? move_by_sign(s)
                                     : sustain__move_x(solver, solver->scale / L, s->h));                        /* x_{k+1}              (iv)  */
    s->L = L, s->value = value, s->eps = eps;
    s->moved_by = sustain__distance(m, solver->x, s->x_prev);
    s->least_curvature = curvature;
    solver->norm[SUSTAIN_UPPER] = sustain__norm(m, s->h);
    solver->norm[SUSTAIN_LOWER] = s->lbfgs.norm_0;
    sustain__copy(n, s->y_new, solver->y);
    sustain__copy(n, s->v_new, s->v);
    return SUSTAIN_OK;
}
/* clang-format on */

static sustain_status move_by_sign(hoag *s) {
    sustain_solver *b = &s->base;
    const int64_t m = b->problem->upper_dim;
    if (b->moved == 0) s->largest = sustain__max_abs(m, s->h);
    for (int64_t i = 0; i < m; i++) {
        const double h = (double)s->h[i], sign = fabs(h) <= s->still * s->largest ? 0 : h > 0 ? 1 : -1, before = (double)s->sign[i];
        double length = b->moved == 0 ? s->first_step * b->scale : (double)s->step[i];
        if (sign * before > 0) length = fmin(LONGER * length, MOST * s->first_step * b->scale);
        if (sign * before < 0) length /= 2;
        s->step[i] = (sustain_real)length;
        s->sign[i] = (sustain_real)(sign * before < 0 ? 0 : sign);
        b->x[i] = (sustain_real)((double)b->x[i] - (double)s->sign[i] * length);
    }
    return sustain__project_x(&b->oracle, b->x);
}

/* eps_k; the first k is 1. */
static double tolerance_at(const hoag *s) {
    const double k = (double)s->base.moved + 1;
    return s->tolerance * (s->decrease == EXPONENTIAL ? pow(0.9, k) : pow(k, s->decrease == QUADRATIC ? -2 : -3));
}

/* L_k. Differs: the paper's constants C and M, unknown Lipschitz constants, are 1, as in the
 * author's program. That program compares with the length of the step to come; here it is the one
 * that led from f(x_{k-1}) to f(x_k). And where the change of f is below rounding, L does not
 * change. */
static double adapted(const hoag *s, double value, double eps) {
    /* scale is applied to the step */
    if (s->base.moved == 0) return 1 / sustain__step_sizes_at(&s->base).alpha * s->base.scale;
    const double d = s->moved_by, rounding = FLOOR * sustain__rounding() * fabs(value);
    if (s->L * d * d / 2 <= rounding) return s->L;
    if (value <= s->value + eps + s->eps * (1 + d) - s->L * d * d / 2) return GROWS * s->L;
    if (value <= s->value + rounding) return s->L;
    return 2 * s->L;
}

/* y_k. Differs: mu_g, where the problem does not know it, is the smallest curvature that L-BFGS has
 * found so far (at first L_g). The tolerance is never below the effect of rounding y on the
 * gradient. */
static sustain_status solve_lower(hoag *s, double eps, double *curvature) {
    sustain_solver *b = &s->base;
    const sustain_constants *known = b->given->known;
    const int64_t n = b->problem->lower_dim;
    *curvature = b->moved == 0 ? b->steps.L_g : s->least_curvature;
    const double mu = s->mu_g > 0 ? s->mu_g : known != NULL && known->mu_g > 0 ? known->mu_g : *curvature;
    sustain__lower_level lower = {.oracle = &b->oracle, .x = b->x};
    s->lbfgs.user = &lower;
    s->lbfgs.tolerance = fmax(mu * eps, FLOOR * sustain__rounding() * b->steps.L_g * sustain__norm(n, b->y));
    sustain__copy(n, b->y, s->y_new);
    const sustain_status status = sustain__lbfgs_minimize(&s->lbfgs, s->y_new);
    *curvature = fmin(*curvature, s->lbfgs.curvature);
    if (status == SUSTAIN_NOT_CONVERGED) return SUSTAIN_OK;
    if (status != SUSTAIN_NOT_FINITE || b->common.check != 0) return status;
    s->y_new[0] = (sustain_real)NAN; /* detected by the run loop */
    return SUSTAIN_OK;
}

static void layout(sustain_solver *solver) {
    hoag *s = (hoag *)solver;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim;
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, lower, &s->v);
    double *const scalars[] = {&s->L, &s->value, &s->moved_by, &s->eps, &s->least_curvature};
    static const char *const scalar_names[] = {"L", "value", "moved_by", "eps", "least_curvature"};
    for (int i = 0; i < 5; i++) sustain__scalar(solver, SUSTAIN__STATE, scalar_names[i], SUSTAIN_FIELD_DOUBLE, scalars[i]);
    sustain__scalar(solver, SUSTAIN__STATE, "largest", SUSTAIN_FIELD_DOUBLE, &s->largest);
    if (s->direction == SIGN) {
        sustain__vector(solver, SUSTAIN__STATE, "sign", SUSTAIN_FIELD_REAL, upper, &s->sign);
        sustain__vector(solver, SUSTAIN__STATE, "step", SUSTAIN_FIELD_REAL, upper, &s->step);
    }
    SUSTAIN__SCRATCH_REALS(solver, upper, &s->h, &s->fx, &s->cross, &s->x_prev);
    SUSTAIN__SCRATCH_REALS(solver, lower, &s->y_new, &s->v_new, &s->fy, &s->cg.r, &s->cg.p, &s->cg.q);
    SUSTAIN__SCRATCH_REALS(solver, lower, &s->lbfgs.d, &s->lbfgs.y_new, &s->lbfgs.gradient, &s->lbfgs.gradient_new, &s->lbfgs.best);
    SUSTAIN__SCRATCH_REALS(solver, SUSTAIN__LBFGS_PAIRS * lower, &s->lbfgs.s, &s->lbfgs.t);
}

static void begin(sustain_solver *solver) {
    hoag *s = (hoag *)solver;
    s->lbfgs.context = solver->context;
    s->lbfgs.n = solver->problem->lower_dim;
    s->lbfgs.objective = sustain__lower_objective;
    s->lbfgs.first = 1 / solver->steps.L_g;
    s->lbfgs.limit = s->limit;
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__DETERMINISTIC_ROWS,
    {"schedule", SUSTAIN_PARAMETER_CHOICE, SUSTAIN__COMMON(schedule), 0, 0, 1, "auto|power", "first step of x: estimated from the problem; or alpha"},
    SUSTAIN__PROBE_ROW,
    {"alpha", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(alpha), 0.1, 0, 1e30, NULL, "schedule=power: 1/L_1, the first step of x; it adapts"},
    {"L_g", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(L_g), 0, 0, 1e30, NULL, "the first step of L-BFGS is 1/L_g; 0: known or estimated"},
    {"mu_g", SUSTAIN_PARAMETER_NUMBER, offsetof(hoag, mu_g), 0, 0, 1e30, NULL,
     "|grad_y g| <= mu_g eps_k ends the lower level; 0: known, or the smallest curvature found"},
    {"tolerance", SUSTAIN_PARAMETER_NUMBER, offsetof(hoag, tolerance), 0.1, 0, 1e30, NULL, "eps_k is this times what decrease says"},
    {"decrease", SUSTAIN_PARAMETER_CHOICE, offsetof(hoag, decrease), 0, 0, 2, "exponential|quadratic|cubic", "of eps_k: 0.9^k, 1/k^2 or 1/k^3"},
    {"direction", SUSTAIN_PARAMETER_CHOICE, offsetof(hoag, direction), 0, 0, 1, "plain|sign",
     "of x: h, with one adaptive step; or its signs, with a step for each coordinate (x is in logarithms)"},
    {"first_step", SUSTAIN_PARAMETER_NUMBER, offsetof(hoag, first_step), 0.5, 0, 1e30, NULL, "direction=sign: the first step of each coordinate, in units of x"},
    {"still", SUSTAIN_PARAMETER_NUMBER, offsetof(hoag, still), 1e-7, 0, 1, NULL,
     "direction=sign: coordinates whose h is at most this part of the largest of the first iteration do not move"},
    {"limit", SUSTAIN_PARAMETER_INTEGER, offsetof(hoag, limit), 1000, 1, 1e9, NULL,
     "of L-BFGS iterations, and of conjugate gradient products, in an iteration"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_hoag = {
    .info = {.name = "hoag",
             .title = "lower level and linear system solved to a decreasing tolerance, adaptive step",
             .reference = "Pedregosa: Hyperparameter optimization with approximate gradient. ICML 2016 (arXiv 1602.02355)",
             .complexity = "full batches: converges, no rate",
             .needs = SUSTAIN_NEEDS_F_VALUE | SUSTAIN_NEEDS_F_GRAD | SUSTAIN_NEEDS_G_VALUE | SUSTAIN_NEEDS_G_GRAD_Y |
                      SUSTAIN_NEEDS_G_HESS_VEC | SUSTAIN_NEEDS_G_CROSS_VEC | SUSTAIN_NEEDS_EXPECTATION,
             .deterministic = true,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(hoag),
    .layout = layout,
    .begin = begin,
    .step = step,
};
