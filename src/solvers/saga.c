/* saga.c - SAGA for one mean over samples. */
#include "solvers/saga.h"

#include "core/vector.h"

/* ---- what a row is ---- */

sustain__saga sustain__saga_plan(const sustain_problem *problem, sustain_quantity quantity, bool whole, const char *table,
                                 const char *mean) {
    const bool upper = quantity == SUSTAIN_QUANTITY_F_GRAD_X || quantity == SUSTAIN_QUANTITY_F_GRAD_Y;
    const bool in_x = quantity == SUSTAIN_QUANTITY_F_GRAD_X || quantity == SUSTAIN_QUANTITY_G_CROSS_VEC;
    const bool offered = sustain__has_tables(problem);
    sustain__saga s = {.quantity = quantity, .level = upper ? SUSTAIN_UPPER : SUSTAIN_LOWER, .name = {table, mean}};
    s.dim = in_x ? problem->upper_dim : problem->lower_dim;
    s.count = problem->samples[s.level];
    s.rows = offered && !whole;
    s.has_rest = offered;
    s.width = s.rows ? problem->ops->fast->table_width(problem->self, quantity) : s.dim;
    if (in_x && SUSTAIN__FAST(problem, support) != NULL && sustain__support_per_sample(problem, s.level) == 0)
        s.width = 0; /* x is never touched */
    return s;
}

double sustain__saga_bytes(const sustain__saga *s) {
    return (double)s->count * (double)s->width * (double)sizeof(sustain_real);
}

void sustain__saga_layout(sustain_solver *solver, sustain__saga *s) {
    const int64_t batch = solver->common.batch * s->width;
    sustain__vector(solver, SUSTAIN__STATE, s->name[0], SUSTAIN_FIELD_REAL, s->count * s->width, &s->table);
    sustain__vector(solver, SUSTAIN__STATE, s->name[1], SUSTAIN_FIELD_REAL, s->dim, &s->mean);
    SUSTAIN__SCRATCH_REALS(solver, batch, &s->now, &s->change);
    SUSTAIN__SCRATCH_REALS(solver, s->dim, &s->rest, &s->next);
}

/* out += weight sum_j B_i row_j */
static sustain_status add_rows(sustain_solver *solver, const sustain__saga *s, const sustain_batch *batch, const sustain_real *rows,
                               double weight, sustain_real *out) {
    if (s->width == 0) return SUSTAIN_OK;
    if (s->rows) return sustain__table_add(&solver->oracle, s->quantity, batch, rows, weight, out);
    for (int64_t j = 0; j < batch->size; j++) sustain__add(s->dim, weight, rows + j * s->width, out);
    return SUSTAIN_OK;
}

/* ---- the rows of a draw ---- */

static sustain_status whole_vector(sustain_solver *solver, const sustain__saga *s, const sustain_batch *one, sustain__triple at,
                                   sustain_real *out) {
    if (s->quantity == SUSTAIN_QUANTITY_G_GRAD_Y) return sustain__g_grad_y(&solver->oracle, one, at.x, at.y, out);
    if (s->quantity == SUSTAIN_QUANTITY_G_HESS_VEC) return sustain__g_hess_vec(&solver->oracle, one, at.x, at.y, at.v, out);
    return sustain__g_cross_vec(&solver->oracle, one, at.x, at.y, at.v, out);
}

static sustain_status evaluate_rest(sustain_solver *solver, sustain__saga *s, sustain__triple at) {
    return s->has_rest ? sustain__table_rest(&solver->oracle, s->quantity, at.x, at.y, at.v, s->rest) : SUSTAIN_OK;
}

static sustain_status evaluate_rows(sustain_solver *solver, sustain__saga *s, const sustain_batch *batch, sustain__triple at) {
    return s->width > 0 ? sustain__table_rows(&solver->oracle, s->quantity, batch, at.x, at.y, at.v, s->now) : SUSTAIN_OK;
}

static sustain_batch sample_of(const sustain_batch *batch, int64_t j) {
    return (sustain_batch){.size = 1, .index = batch->index + j, .iteration = batch->iteration};
}

sustain_status sustain__saga_evaluate(sustain_solver *solver, sustain__saga *s, const sustain_batch *batch, sustain__triple at) {
    SUSTAIN_TRY(evaluate_rest(solver, s, at));
    if (s->rows || s->width == 0) return evaluate_rows(solver, s, batch, at);
    for (int64_t j = 0; j < batch->size; j++) {
        const sustain_batch one = sample_of(batch, j);
        sustain_real *row = s->now + j * s->width;
        SUSTAIN_TRY(whole_vector(solver, s, &one, at, row));
        if (s->has_rest) sustain__add(s->dim, -1, s->rest, row);
    }
    return SUSTAIN_OK;
}

sustain_status sustain__saga_evaluate_f(sustain_solver *solver, sustain__saga *in_x, sustain__saga *in_y, const sustain_batch *batch,
                                        sustain__triple at, sustain_real *fx) {
    SUSTAIN_TRY(evaluate_rest(solver, in_x, at));
    SUSTAIN_TRY(evaluate_rest(solver, in_y, at));
    if (in_y->rows) {
        SUSTAIN_TRY(evaluate_rows(solver, in_x, batch, at));
        return evaluate_rows(solver, in_y, batch, at);
    }
    for (int64_t j = 0; j < batch->size; j++) {
        const sustain_batch one = sample_of(batch, j);
        sustain_real *row_x = in_x->width > 0 ? in_x->now + j * in_x->width : fx, *row_y = in_y->now + j * in_y->width;
        SUSTAIN_TRY(sustain__f_grad(&solver->oracle, &one, at.x, at.y, row_x, row_y));
        if (in_x->has_rest && in_x->width > 0) sustain__add(in_x->dim, -1, in_x->rest, row_x);
        if (in_y->has_rest) sustain__add(in_y->dim, -1, in_y->rest, row_y);
    }
    return SUSTAIN_OK;
}

/* ---- the estimate ---- */

static sustain_real *row_of(const sustain__saga *s, const sustain_batch *batch, int64_t j) {
    return s->table + batch->index[j] * s->width;
}

sustain_status sustain__saga_estimate(sustain_solver *solver, sustain__saga *s, const sustain_batch *batch, const uint32_t *repeated,
                                      sustain_real *out) {
    for (int64_t j = 0; j < batch->size; j++) {
        sustain__copy(s->width, s->now + j * s->width, s->change + j * s->width);
        sustain__add(s->width, -1, row_of(s, batch, j), s->change + j * s->width);
    }
    sustain__copy(s->dim, s->mean, out);
    if (s->has_rest) sustain__add(s->dim, 1, s->rest, out);
    SUSTAIN_TRY(add_rows(solver, s, batch, s->change, 1 / (double)batch->size, out));

    for (int64_t j = 0; j < batch->size; j++)
        if (repeated[j] != 0) sustain__zero(s->width, s->change + j * s->width);
    sustain__copy(s->dim, s->mean, s->next);
    return add_rows(solver, s, batch, s->change, 1 / (double)s->count, s->next);
}

void sustain__saga_keep(sustain__saga *s, const sustain_batch *batch) {
    sustain__copy(s->dim, s->next, s->mean);
    for (int64_t j = 0; j < batch->size; j++) sustain__copy(s->width, s->now + j * s->width, row_of(s, batch, j));
}

/* ---- the start ---- */

void sustain__saga_clear(sustain__saga *s) {
    sustain__zero(s->count * s->width, s->table);
    sustain__zero(s->dim, s->mean);
}

sustain_status sustain__saga_fill(sustain_solver *solver, sustain__saga *s, const sustain_batch *batch) {
    for (int64_t j = 0; j < batch->size; j++) sustain__copy(s->width, s->now + j * s->width, row_of(s, batch, j));
    return add_rows(solver, s, batch, s->now, 1 / (double)s->count, s->mean);
}

void sustain__find_repeats(const sustain_batch *batch, uint32_t *seen, uint32_t *repeated) {
    for (int64_t j = 0; j < batch->size; j++) {
        repeated[j] = seen[batch->index[j]];
        seen[batch->index[j]] = 1;
    }
    for (int64_t j = 0; j < batch->size; j++) seen[batch->index[j]] = 0;
}
