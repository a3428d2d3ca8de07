/* hyper.c - the two stochastic hypergradients as parts of a solver. */
#include "solvers/hyper.h"

/* A draw, with the iteration that messages name. */
static sustain_batch draw(const sustain_solver *solver, sustain_level level, uint32_t stream, int64_t t, int64_t size, int64_t *index) {
    sustain_batch batch = sustain__draw(&solver->sampler, level, stream, t, size, index);
    batch.iteration = solver->t;
    return batch;
}

/* ---- eq. (7) ---- */

void sustain__truncated_layout(sustain_solver *solver, sustain__truncated *h) {
    const sustain_problem *p = solver->problem;
    const int64_t K = solver->steps.K;
    SUSTAIN__SCRATCH_REALS(solver, p->lower_dim, &h->neumann.v, &h->neumann.hv);
    SUSTAIN__SCRATCH_REALS(solver, p->upper_dim, &h->neumann.cross);
    sustain__vector(solver, SUSTAIN__SCRATCH, "neumann.zeta", SUSTAIN_FIELD_INT64, K * SUSTAIN__BATCH_WORDS, &h->zeta);
    sustain__vector(solver, SUSTAIN__SCRATCH, "neumann.index", SUSTAIN_FIELD_INT64, (K + 1) * solver->common.batch, &h->index);
}

sustain_status sustain__truncated_estimate(sustain_solver *solver, sustain__truncated *h, int64_t t, const sustain_real *x,
                                           const sustain_real *y, sustain_real *out) {
    const int64_t B = solver->common.batch;
    h->neumann.oracle = &solver->oracle;
    h->draw = (sustain_hyper_draw){.zeta = h->zeta, .K = solver->steps.K, .L_g = solver->steps.L_g};
    h->draw.k = sustain__draw_terms(&solver->sampler, t, solver->steps.K);
    h->draw.xi = draw(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, B, h->index);
    for (int i = 0; i <= h->draw.k; i++)
        h->zeta[i] = draw(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + (uint32_t)i, t, B, h->index + (i + 1) * B);
    return sustain__neumann_pair(&h->neumann, &h->draw, x, y, NULL, NULL, out, NULL);
}

/* ---- the sum ---- */

void sustain__summed_layout(sustain_solver *solver, sustain__summed *h, int64_t indices) {
    const sustain_problem *p = solver->problem;
    SUSTAIN__SCRATCH_REALS(solver, p->lower_dim, &h->sum.r, &h->sum.hr, &h->sum.sum);
    SUSTAIN__SCRATCH_REALS(solver, p->upper_dim, &h->sum.cross);
    sustain__vector(solver, SUSTAIN__SCRATCH, "sum.factor", SUSTAIN_FIELD_INT64, solver->steps.K * SUSTAIN__BATCH_WORDS, &h->factor);
    sustain__vector(solver, SUSTAIN__SCRATCH, "sum.index", SUSTAIN_FIELD_INT64, indices, &h->index);
}

void sustain__summed_draw(sustain_solver *solver, sustain__summed *h, uint32_t streams, int64_t t, int64_t size,
                          const int64_t *factor_size) {
    int64_t *index = h->index;
    h->sum.oracle = &solver->oracle;
    h->draw = (sustain__sum_draw){.factor = h->factor, .Q = solver->steps.K, .eta = 1 / solver->steps.L_g};
    h->draw.xi = draw(solver, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER + streams, t, size, index);
    h->draw.zeta = draw(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + streams, t, size, index += size);
    index += size;
    for (int j = 0; j < h->draw.Q; j++) {
        const int64_t of_factor = factor_size != NULL ? factor_size[j] : size;
        h->factor[j] = draw(solver, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + streams + 1 + (uint32_t)j, t, of_factor, index);
        index += of_factor;
    }
}
