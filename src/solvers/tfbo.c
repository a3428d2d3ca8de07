/* tfbo.c - S-TFBO and D-TFBO, tuning-free bilevel optimizers: steps that are the inverse of the
 * accumulated gradients. With D_y = grad_y g, D_v = H v - grad_y f, D_x = grad_x f - J v:
 *
 *   loops=single (S-TFBO), all at (x_t,y_t,v_t):                                                                 Algorithm 2
 *     b_{t+1}^2 = b_t^2 + |D_y|^2,   c_{t+1}^2 = c_t^2 + |D_v|^2,   d_{t+1} = max(b_{t+1}, c_{t+1}),   a_{t+1}^2 = a_t^2 + |D_x|^2
 *     y_{t+1} = y_t - D_y/b_{t+1},   v_{t+1} = v_t - D_v/d_{t+1},   x_{t+1} = x_t - D_x/(a_{t+1} d_{t+1})
 *
 *   loops=double (D-TFBO): in iteration t, b and c begin anew                                                    Algorithm 1
 *     y <- y - D_y/b, b^2 <- b^2 + |D_y|^2 before,   until |D_y|^2 <= 1/T;   v <- v - D_v/c likewise until |D_v|^2 <= 1/T
 *     a_{t+1}^2 = a_t^2 + |D_x|^2,   x_{t+1} = x_t - D_x/a_{t+1}
 *
 * Expected values; T is the number of iterations. No constant of the problem is needed: first,
 * a_0 = b_0 = c_0, only delays the adaption. Yang, Ban, Huang, Ma, Ji, ICLR 2025 (arXiv
 * 2410.05140).
 *
 * Differs: T is the iteration t + 1, which needs no plan; an inner loop ends after `limit`
 * steps. */
#include <math.h>

#include "core/vector.h"
#include "solvers/directions.h"
#include "solvers/parts.h"

enum { SINGLE, DOUBLE };

typedef struct tfbo {
    struct sustain_solver base;
    double first;
    int loops;
    int64_t limit;

    /* state */
    sustain_real *v;
    double a2, b2, c2; /* the squares of a_t, b_t, c_t */

    /* of one iteration */
    sustain__triple D;
    sustain_real *y_new, *v_new, *fy, *cross;
} tfbo;

/* z <- z - scale D/sqrt(sum), sum increased by |D|^2 first; where nothing has been accumulated, D
 * is 0. */
static void move(int64_t n, double scale, const sustain_real *D, double sum, sustain_real *z) {
    if (sum > 0) sustain__add(n, -scale / sqrt(sum), D, z);
}

static double squared(int64_t n, const sustain_real *D) {
    return pow(sustain__norm(n, D), 2);
}

/* ---- the step ---- */

static sustain_status single(tfbo *s) {
    sustain_solver *b = &s->base;
    const int64_t upper = b->problem->upper_dim, lower = b->problem->lower_dim;
    SUSTAIN_TRY(sustain__directions(b, NULL, NULL, (sustain__triple){b->x, b->y, s->v}, s->fy, s->cross, s->D));
    s->b2 += squared(lower, s->D.y); /* b_{t+1}^2 */
    s->c2 += squared(lower, s->D.v); /* c_{t+1}^2 */
    s->a2 += squared(upper, s->D.x); /* a_{t+1}^2 */
    const double d2 = fmax(s->b2, s->c2);
    move(lower, b->scale_y, s->D.y, s->b2, b->y);                                        /* y_{t+1} */
    move(lower, b->scale_y, s->D.v, d2, s->v);                                           /* v_{t+1} */
    return sustain__move_x(b, s->a2 * d2 > 0 ? b->scale / sqrt(s->a2 * d2) : 0, s->D.x); /* x_{t+1} */
}

/* y_{t+1} and v_{t+1} of D-TFBO. */
static sustain_status inner_loops(tfbo *s) {
    sustain_solver *b = &s->base;
    const int64_t lower = b->problem->lower_dim;
    const double enough = 1 / ((double)b->t + 1);
    double b2 = s->first * s->first, c2 = b2;
    for (int64_t i = 0; i < s->limit; i++) {
        SUSTAIN_TRY(sustain__g_grad_y(&b->oracle, NULL, b->x, s->y_new, s->D.y));
        if (!(squared(lower, s->D.y) > enough)) break;
        b2 += squared(lower, s->D.y);
        move(lower, b->scale_y, s->D.y, b2, s->y_new);
    }
    SUSTAIN_TRY(sustain__f_grad(&b->oracle, NULL, b->x, s->y_new, s->D.x, s->fy));
    for (int64_t i = 0; i < s->limit; i++) {
        SUSTAIN_TRY(sustain__linear_residual(b, NULL, b->x, s->y_new, s->v_new, s->fy, s->D.v));
        if (!(squared(lower, s->D.v) > enough)) break;
        c2 += squared(lower, s->D.v);
        move(lower, b->scale_y, s->D.v, c2, s->v_new);
    }
    return SUSTAIN_OK;
}

static sustain_status two_loops(tfbo *s) {
    sustain_solver *b = &s->base;
    const int64_t upper = b->problem->upper_dim, lower = b->problem->lower_dim;
    sustain__copy(lower, b->y, s->y_new);
    sustain__copy(lower, s->v, s->v_new);
    SUSTAIN_TRY(inner_loops(s));
    SUSTAIN_TRY(sustain__g_cross_vec(&b->oracle, NULL, b->x, s->y_new, s->v_new, s->cross));
    sustain__add(upper, -1, s->cross, s->D.x);
    sustain__copy(lower, s->y_new, b->y);
    sustain__copy(lower, s->v_new, s->v);
    s->a2 += squared(upper, s->D.x);                                           /* a_{t+1}^2 */
    return sustain__move_x(b, s->a2 > 0 ? b->scale / sqrt(s->a2) : 0, s->D.x); /* x_{t+1} */
}

static sustain_status step(sustain_solver *solver) {
    tfbo *s = (tfbo *)solver;
    SUSTAIN_TRY(s->loops == SINGLE ? single(s) : two_loops(s));
    sustain__set_norms(solver, s->D.x, s->D.y);
    return SUSTAIN_OK;
}

/* ---- the memory ---- */

static void layout(sustain_solver *solver) {
    tfbo *s = (tfbo *)solver;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim;
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, lower, &s->v);
    sustain__scalar(solver, SUSTAIN__STATE, "a2", SUSTAIN_FIELD_DOUBLE, &s->a2);
    sustain__scalar(solver, SUSTAIN__STATE, "b2", SUSTAIN_FIELD_DOUBLE, &s->b2);
    sustain__scalar(solver, SUSTAIN__STATE, "c2", SUSTAIN_FIELD_DOUBLE, &s->c2);
    SUSTAIN__SCRATCH_REALS(solver, upper, &s->D.x, &s->cross);
    SUSTAIN__SCRATCH_REALS(solver, lower, &s->D.y, &s->D.v, &s->y_new, &s->v_new, &s->fy);
}

static void begin(sustain_solver *solver) {
    tfbo *s = (tfbo *)solver;
    s->a2 = s->b2 = s->c2 = s->first * s->first;
}

static bool sane(const sustain_solver *solver) {
    const tfbo *s = (const tfbo *)solver;
    return s->a2 >= 0 && s->b2 >= 0 && s->c2 >= 0;
}

/* ---- the row of the registry ---- */

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__DETERMINISTIC_ROWS,
    {"loops", SUSTAIN_PARAMETER_CHOICE, offsetof(tfbo, loops), 0, 0, 1, "single|double", "S-TFBO, one step of everything; or D-TFBO, inner loops"},
    {"first", SUSTAIN_PARAMETER_NUMBER, offsetof(tfbo, first), 1, 0, 1e30, NULL, "a_0 = b_0 = c_0, the inverse of the first steps at most"},
    {"limit", SUSTAIN_PARAMETER_INTEGER, offsetof(tfbo, limit), 1000, 1, 1e9, NULL, "loops=double: of the steps of an inner loop"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_tfbo = {
    .info = {.name = "tfbo",
             .title = "tuning-free: steps are the inverse of accumulated gradients; single loop (S-TFBO) or double loop (D-TFBO)",
             .reference = "Yang, Ban, Huang, Ma, Ji: Tuning-free bilevel optimization: new algorithms and convergence analysis. "
                          "ICLR 2025 (arXiv 2410.05140)",
             .complexity = "full batches: epsilon^(-1) log^4 iterations",
             .needs = SUSTAIN__NEEDS_PRODUCTS | SUSTAIN_NEEDS_EXPECTATION,
             .deterministic = true,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(tfbo),
    .adapts = true,
    .layout = layout,
    .begin = begin,
    .step = step,
    .sane = sane,
};
