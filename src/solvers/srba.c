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

    sustain__recursion u;
    int64_t k;      /* state: within the period */
    int64_t *index; /* (2, batch) of one iteration */
} srba;

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    srba *s = (srba *)solver;
    if (s->k == 0) {
        SUSTAIN_TRY(sustain__restart(solver, NULL, NULL, &s->u));                            /* h_k = D(u_k) */
        sustain__count_pass(solver);
    } else {
        SUSTAIN_TRY(sustain__recur(solver, s->index, &s->u));                                /* h_k = D_ij(u_k) - D_ij(u_{k-1}) + h_{k-1} */
    }
    s->k = (s->k + 1) % s->q;
    return sustain__recursion_move(solver, s->R, &s->u);                                     /* u_{k+1} */
}
/* clang-format on */

static void layout(sustain_solver *solver) {
    srba *s = (srba *)solver;
    sustain__recursion_layout(solver, &s->u);
    sustain__scalar(solver, SUSTAIN__STATE, "k", SUSTAIN_FIELD_INT64, &s->k);
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
    sustain__recursion_norms(solver, &((const srba *)solver)->u, norm);
}

static bool sane(const sustain_solver *solver) {
    const srba *s = (const srba *)solver;
    return s->k >= 0 && s->k < s->q;
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(0, 0),
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
             .needs = SUSTAIN__NEEDS_PRODUCTS | SUSTAIN_NEEDS_EXPECTATION | SUSTAIN_NEEDS_FINITE_SUM,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(srba),
    .tuning = {.alpha = 0.2, .beta = 1, .lag = 0.5},
    .layout = layout,
    .begin = begin,
    .step = step,
    .norms = norms,
    .sane = sane,
};
