/* srba.c - SRBA, stochastic recursive bilevel algorithm: SARAH on all three variables at once. With
 * u = (y, v, x), D(u) the directions of all samples and D_ij(u) those of a draw of each level
 * (directions.h):
 *
 *   h_k = D(u_k)                                   every q-th iteration                                         Algorithm 1
 *   h_k = D_ij(u_k) - D_ij(u_{k-1}) + h_{k-1}      in between
 *   u_{k+1} = P(u_k - (rho, rho, gamma) h_k),      P: v into the ball of radius R
 *
 * Constant steps, v_0 = 0; q = n+m, and R = C_fy/mu_g, which bounds H^{-1} grad_y f. gamma is alpha
 * here, rho is beta; v has the opposite sign of the paper's. Dagreou, Moreau, Vaiter, Ablin,
 * AISTATS 2024 (arXiv 2302.08766).
 *
 * Differs: with batches of B samples q is (n+m)/B, so that a period costs as many samples; where
 * C_fy or mu_g is not known, v is free, as in the authors' own program. */
#include "core/vector.h"
#include "solvers/directions.h"
#include "solvers/parts.h"

typedef struct srba {
    struct sustain_solver base;
    int64_t period;
    double radius;
    int64_t q; /* the period in use */
    double R;  /* the radius in use; infinite: none */

    /* state */
    sustain_real *v, *x_prev, *y_prev, *v_prev; /* u_k, u_{k-1} */
    sustain__triple h;
    int64_t k; /* within the period */

    /* of one iteration */
    sustain__triple D, D_prev;
    sustain_real *fy, *cross;
    int64_t *index; /* (2, batch) */
} srba;

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    srba *s = (srba *)solver;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    const sustain__triple now = {solver->x, solver->y, s->v}, before = {s->x_prev, s->y_prev, s->v_prev};

    if (s->k == 0) {                                                                         /* h_k = D(u_k) */
        SUSTAIN_TRY(sustain__directions(solver, NULL, NULL, now, s->fy, s->cross, s->D));
        sustain__count_pass(solver);
        sustain__copy(upper, s->D.x, s->h.x);
        sustain__copy(lower, s->D.y, s->h.y);
        sustain__copy(lower, s->D.v, s->h.v);
    } else {
        SUSTAIN_TRY(sustain__recur(solver, now, before, s->fy, s->cross, s->index, s->D, s->D_prev, s->h));
    }
    sustain__move(lower, at.beta, s->h.y, solver->y, s->y_prev);
    sustain__move(lower, at.beta, s->h.v, s->v, s->v_prev);
    sustain__move(upper, at.alpha, s->h.x, solver->x, s->x_prev);
    sustain__project_ball(lower, s->R, s->v);
    s->k = (s->k + 1) % s->q;
    return sustain__project_x(&solver->oracle, solver->x);
}
/* clang-format on */

static void layout(sustain_solver *solver) {
    srba *s = (srba *)solver;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim;
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, lower, &s->v);
    sustain__vector(solver, SUSTAIN__STATE, "x_prev", SUSTAIN_FIELD_REAL, upper, &s->x_prev);
    sustain__vector(solver, SUSTAIN__STATE, "y_prev", SUSTAIN_FIELD_REAL, lower, &s->y_prev);
    sustain__vector(solver, SUSTAIN__STATE, "v_prev", SUSTAIN_FIELD_REAL, lower, &s->v_prev);
    sustain__vector(solver, SUSTAIN__STATE, "h_x", SUSTAIN_FIELD_REAL, upper, &s->h.x);
    sustain__vector(solver, SUSTAIN__STATE, "h_y", SUSTAIN_FIELD_REAL, lower, &s->h.y);
    sustain__vector(solver, SUSTAIN__STATE, "h_v", SUSTAIN_FIELD_REAL, lower, &s->h.v);
    sustain__scalar(solver, SUSTAIN__STATE, "k", SUSTAIN_FIELD_INT64, &s->k);
    for (int i = 0; i < 2; i++) {
        sustain__triple *D = i == 0 ? &s->D : &s->D_prev;
        sustain__vector(solver, SUSTAIN__SCRATCH, "D_x", SUSTAIN_FIELD_REAL, upper, &D->x);
        sustain__vector(solver, SUSTAIN__SCRATCH, "D_y", SUSTAIN_FIELD_REAL, lower, &D->y);
        sustain__vector(solver, SUSTAIN__SCRATCH, "D_v", SUSTAIN_FIELD_REAL, lower, &D->v);
    }
    sustain__vector(solver, SUSTAIN__SCRATCH, "fy", SUSTAIN_FIELD_REAL, lower, &s->fy);
    sustain__vector(solver, SUSTAIN__SCRATCH, "cross", SUSTAIN_FIELD_REAL, upper, &s->cross);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, 2 * solver->common.batch, &s->index);
}

static void begin(sustain_solver *solver) {
    srba *s = (srba *)solver;
    const int64_t samples = solver->problem->samples[0] + solver->problem->samples[1];
    s->q = s->period > 0 ? s->period : (samples + solver->common.batch - 1) / solver->common.batch;
    s->R = sustain__ball_radius(solver, s->radius);
    s->k = 0;
}

static void norms(const sustain_solver *solver, double norm[2]) {
    const srba *s = (const srba *)solver;
    norm[SUSTAIN_UPPER] = sustain__norm(solver->problem->upper_dim, s->h.x);
    norm[SUSTAIN_LOWER] = sustain__norm(solver->problem->lower_dim, s->h.y);
}

static bool sane(const sustain_solver *solver) {
    const srba *s = (const srba *)solver;
    return s->k >= 0 && s->k < s->q;
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__RUN_ROWS,
    SUSTAIN__SCHEDULE_ROW,
    SUSTAIN__STEP_ROWS(0, 0),
    {"period", SUSTAIN_PARAMETER_INTEGER, offsetof(srba, period), 0, 0, 1e15, NULL, "q, iterations from one pass over all samples to the next; 0: (n+m)/batch"},
    {"radius", SUSTAIN_PARAMETER_NUMBER, offsetof(srba, radius), 0, 0, 1e30, NULL, "R, of the ball that v is kept in; 0: C_fy/mu_g where known, else none"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_srba = {
    .info = {.name = "srba",
             .title = "soba on finite sums with SARAH's recursion: a pass over all samples now and then, no tables",
             .reference = "Dagreou, Moreau, Vaiter, Ablin: A lower bound and a near-optimal algorithm for bilevel empirical risk "
                          "minimization. AISTATS 2024 (arXiv 2302.08766)",
             .complexity = "(n+m)^(1/2) epsilon^(-1), (n+m)^(1/2) epsilon^(-1)",
             .needs = SUSTAIN_NEEDS_F_GRAD | SUSTAIN_NEEDS_G_GRAD_Y | SUSTAIN_NEEDS_G_HESS_VEC | SUSTAIN_NEEDS_G_CROSS_VEC |
                      SUSTAIN_NEEDS_EXPECTATION | SUSTAIN_NEEDS_FINITE_SUM,
             .parameters = rows,
             .parameter_count = sizeof rows / sizeof rows[0]},
    .size = sizeof(srba),
    .tuning = {.alpha = 0.2, .beta = 1, .lag = 0.5},
    .layout = layout,
    .begin = begin,
    .step = step,
    .norms = norms,
    .sane = sane,
};
