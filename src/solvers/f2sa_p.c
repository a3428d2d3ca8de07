/* f2sa_p.c - F2SA-p: gradients alone, the hypergradient by a finite difference of order p.
 *
 * With l_n(x) = min over y of n f(x,y) + g(x,y), the derivative of grad l_n(x) in n at n = 0 is
 * grad ell(x), and grad l_n(x) = n grad_x f + grad_x g at the minimizer. F2SA takes the forward
 * difference (p = 1); here weights a_j of order p on p/2 points at each side:
 *
 *   y^j_{t,k+1} = y^j_{t,k} - eta_y (j nu grad_y f(x_t,y^j_{t,k};xi_j) + grad_y g(x_t,y^j_{t,k};zeta_j))     K times, for each j
 *   Phi_t       = sum_j a_j (j grad_x f(x_t,y^j_{t+1};xi) + grad_x g(x_t,y^j_{t+1};zeta) / nu)                   Algorithm 1
 *   x_{t+1}     = x_t - eta_x Phi_t / |Phi_t|
 *
 * j = -p/2 .. p/2 for even p, -(p-1)/2 .. (p+1)/2 for odd p. a_j is the derivative at 0 of the
 * polynomial that is 1 at j and 0 at the other points. y^0, which tends to y*(x), is the y that the
 * library shows. Phi_t has S samples (`batch`), an inner step one (`inner`): the theorem counts S +
 * K samples in an iteration. Chen, Li, Chayti, Zhang, ICLR 2026 (arXiv 2509.02937).
 *
 * Differs: all y^j use the same draws, so that most of the noise of what 1/nu multiplies cancels;
 * draws=independent has the paper's. x moves by Phi_t itself, which the paper's Remark 3.1 allows;
 * direction=normalized has the paper's. nu decreases: 1/nu_t = lambda ((w+t)/w)^(p-q) with the
 * powers p and q of the steps; the paper has a constant that depends on epsilon, and so do we where
 * p = q. */
#include "core/vector.h"
#include "solvers/multiplier.h"
#include "solvers/parts.h"

enum { SAME, INDEPENDENT };
enum { PLAIN, NORMALIZED };

typedef struct f2sa_p {
    struct sustain_solver base;
    int64_t T, order, inner; /* inner: samples of an inner step, 0: batch */
    int draws, direction;
    double lambda; /* 1/nu as given, 0: to be found */

    /* state */
    sustain_real *u; /* (points - 1, lower_dim) y^j for j != 0 */
    double lambda_0; /* 1/nu_0 */

    /* of one iteration */
    sustain_real *y_new;         /* (points, lower_dim) */
    sustain_real *gy, *g_0, *fy; /* (lower_dim) g_0: of point 0 */
    sustain_real *fx, *gx, *D;   /* (upper_dim) */
    int64_t *index;              /* (2, largest draw) */
} f2sa_p;

/* ---- the points and their weights ---- */

static int64_t first_point(const f2sa_p *s) {
    return -(s->order / 2);
}

static int64_t last_point(const f2sa_p *s) {
    return (s->order + 1) / 2;
}

/* a_j */
static double weight(const f2sa_p *s, int64_t j) {
    double a = j == 0 ? 0 : 1 / (double)j;
    for (int64_t i = first_point(s); i <= last_point(s); i++)
        if (i != 0 && i != j) a = j == 0 ? a - 1 / (double)i : a * (double)i / (double)(i - j);
    return a;
}

/* y^j of the state; in an iteration, y_new. */
static sustain_real *at_point(f2sa_p *s, int64_t j) {
    const int64_t row = j - first_point(s) - (j > 0);
    return j == 0 ? s->base.y : s->u + row * s->base.problem->lower_dim;
}

static sustain_real *new_point(f2sa_p *s, int64_t j) {
    return s->y_new + (j - first_point(s)) * s->base.problem->lower_dim;
}

/* ---- the step ---- */

static int64_t inner_size(const sustain_solver *solver) {
    const int64_t inner = ((const f2sa_p *)solver)->inner;
    return inner > 0 ? inner : solver->common.batch;
}

/* The draw of the k-th inner step at point j. */
static sustain_batch inner_draw(f2sa_p *s, sustain_level level, int64_t k, int64_t j) {
    const uint32_t same = level == SUSTAIN_LOWER ? SUSTAIN__STREAM_LOWER : SUSTAIN__STREAM_UPPER;
    const uint32_t own = SUSTAIN__STREAM_HYPER + 4 + (uint32_t)(2 * (j - first_point(s)) + (int)level);
    const int64_t size = inner_size(&s->base);
    sustain_batch batch = sustain__draw(&s->base.sampler, level, s->draws == SAME ? same : own, s->base.t * s->T + k, size,
                                        s->index + (level == SUSTAIN_LOWER ? 0 : size));
    batch.iteration = s->base.t;
    return batch;
}

/* One step at all points; f plays no part at point 0. */
static sustain_status descend(f2sa_p *s, int64_t k, double beta, double nu) {
    sustain_solver *b = &s->base;
    const int64_t n = b->problem->lower_dim;
    sustain_batch zeta = {0}, xi = {0}; /* empty: not drawn yet */
    for (int64_t j = first_point(s); j <= last_point(s); j++) {
        sustain_real *y = new_point(s, j);
        if (s->draws != SAME || zeta.size == 0) zeta = inner_draw(s, SUSTAIN_LOWER, k, j);
        SUSTAIN_TRY(sustain__g_grad_y(&b->oracle, &zeta, b->x, y, s->gy));
        if (j == 0) sustain__copy(n, s->gy, s->g_0);
        if (j != 0) {
            if (s->draws != SAME || xi.size == 0) xi = inner_draw(s, SUSTAIN_UPPER, k, j);
            SUSTAIN_TRY(sustain__f_grad(&b->oracle, &xi, b->x, y, s->fx, s->fy));
            sustain__add(n, -beta * nu * (double)j, s->fy, y);
        }
        sustain__add(n, -beta, s->gy, y);
    }
    return SUSTAIN_OK;
}

/* Phi_t into D. */
static sustain_status estimate(f2sa_p *s, double nu) {
    sustain_solver *b = &s->base;
    const int64_t m = b->problem->upper_dim;
    const sustain_batch xi = sustain__draw_batch(b, SUSTAIN_UPPER, SUSTAIN__STREAM_HYPER + 2, b->t, s->index);
    const sustain_batch zeta = sustain__draw_batch(b, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + 3, b->t, s->index + b->common.batch);
    sustain__zero(m, s->D);
    for (int64_t j = first_point(s); j <= last_point(s); j++) {
        const double a = weight(s, j);
        if (a == 0) continue; /* point 0 of an even order */
        SUSTAIN_TRY(sustain__g_grad_x(&b->oracle, &zeta, b->x, new_point(s, j), s->gx));
        sustain__add(m, a / nu, s->gx, s->D);
        if (j == 0) continue;
        SUSTAIN_TRY(sustain__f_grad(&b->oracle, &xi, b->x, new_point(s, j), s->fx, s->fy));
        sustain__add(m, a * (double)j, s->fx, s->D);
    }
    return SUSTAIN_OK;
}

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    f2sa_p *s = (f2sa_p *)solver;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    const double nu = 1 / sustain__multiplier_at(solver, s->lambda_0);

    for (int64_t j = first_point(s); j <= last_point(s); j++) sustain__copy(n, at_point(s, j), new_point(s, j));
    for (int64_t k = 0; k < s->T; k++) SUSTAIN_TRY(descend(s, k, at.beta, nu));              /* y^j_{t+1} */
    SUSTAIN_TRY(estimate(s, nu));                                                            /* Phi_t */

    for (int64_t j = first_point(s); j <= last_point(s); j++) sustain__copy(n, new_point(s, j), at_point(s, j));
    const double length = sustain__norm(m, s->D);
    solver->norm[SUSTAIN_UPPER] = length;
    solver->norm[SUSTAIN_LOWER] = sustain__norm(n, s->g_0);
    if (s->direction == NORMALIZED && length > 0) sustain__scale(m, 1 / length, s->D);
    return sustain__move_x(solver, at.alpha, s->D);                                          /* x_{t+1} */
}
/* clang-format on */

/* ---- the memory ---- */

/* nu (p/2) L_fy / mu_g is how far the perturbed lower levels are from g, and its p-th power is
 * about the relative error of Phi_t: 1/PENALTY. */
#define PENALTY 5

static sustain_status prepare(sustain_solver *solver, const sustain_real *x, const sustain_real *y) {
    f2sa_p *s = (f2sa_p *)solver;
    return sustain__first_multiplier(solver, s->lambda, PENALTY * (double)last_point(s), x, y, &s->lambda_0);
}

static void layout(sustain_solver *solver) {
    f2sa_p *s = (f2sa_p *)solver;
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    sustain__vector(solver, SUSTAIN__STATE, "u", SUSTAIN_FIELD_REAL, s->order * n, &s->u);
    sustain__scalar(solver, SUSTAIN__RECORD, "lambda_0", SUSTAIN_FIELD_DOUBLE, &s->lambda_0);
    SUSTAIN__SCRATCH_REALS(solver, (s->order + 1) * n, &s->y_new);
    SUSTAIN__SCRATCH_REALS(solver, n, &s->gy, &s->g_0, &s->fy);
    SUSTAIN__SCRATCH_REALS(solver, m, &s->fx, &s->gx, &s->D);
    const int64_t inner = inner_size(solver), largest = inner > solver->common.batch ? inner : solver->common.batch;
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, 2 * largest, &s->index);
}

static void begin(sustain_solver *solver) {
    f2sa_p *s = (f2sa_p *)solver;
    for (int64_t j = first_point(s); j <= last_point(s); j++)
        if (j != 0) sustain__copy(solver->problem->lower_dim, solver->y, at_point(s, j));
}

/* The step of a direction of length 1; see parts.h. */
static double unit_length(const sustain_solver *solver) {
    return ((const f2sa_p *)solver)->direction == NORMALIZED ? 0.05 : 0;
}

/* ---- the row of the registry ---- */

/* Those of an inner step may be larger than others. */
static double draws(const sustain_solver *solver) {
    return (double)((const f2sa_p *)solver)->T * (double)inner_size(solver);
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(0.6, 0.5),
    {"T", SUSTAIN_PARAMETER_INTEGER, offsetof(f2sa_p, T), 10, 1, 100000, NULL, "K of the paper: steps on each y^j in an iteration"},
    {"order", SUSTAIN_PARAMETER_INTEGER, offsetof(f2sa_p, order), 2, 1, 10, NULL, "p of the paper: of the finite difference; order + 1 points"},
    {"inner", SUSTAIN_PARAMETER_INTEGER, offsetof(f2sa_p, inner), 0, 0, 1e9, NULL, "samples of a draw of an inner step, 1 in the paper; 0: batch"},
    {"draws", SUSTAIN_PARAMETER_CHOICE, offsetof(f2sa_p, draws), 0, 0, 1, "same|independent", "at all points y^j: the same, or independent ones"},
    {"direction", SUSTAIN_PARAMETER_CHOICE, offsetof(f2sa_p, direction), 0, 0, 1, "plain|normalized", "of x: Phi, or Phi/|Phi|"},
    {"lambda", SUSTAIN_PARAMETER_NUMBER, offsetof(f2sa_p, lambda), 0, 0, 1e30, NULL,
     "1/nu at the start, it grows like (w+t)^(p-q); 0: 5 ceil(order/2) L_fy/mu_g, known or estimated"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_f2sa_p = {
    .info = {.name = "f2sa-p",
             .title = "gradients alone: f2sa with a finite difference of higher order",
             .reference = "Chen, Li, Chayti, Zhang: Faster gradient methods for highly-smooth stochastic bilevel optimization. "
                          "ICLR 2026 (arXiv 2509.02937)",
             .complexity = "epsilon^(-2-1/p), epsilon^(-2-1/p), p the order",
             .needs = SUSTAIN__NEEDS_GRADIENTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(f2sa_p),
    .tuning = {.alpha = 1, .lag = 1},
    .unit_length = unit_length,
    .prepare = prepare,
    .largest_batch = inner_size,
    .layout = layout,
    .draws = draws,
    .begin = begin,
    .step = step,
};
