/* oracle.c - calling a problem. */
#include "oracle/oracle.h"

#include <math.h>
#include <string.h>

#include "core/vector.h"

sustain_problem_fast sustain__fast_of(const sustain_problem *problem) {
    sustain_problem_fast fast = {.size = 0};
    const sustain_problem_fast *own = problem->ops->fast;
    if (own != NULL) memcpy(&fast, own, own->size < sizeof fast ? own->size : sizeof fast);
    fast.size = sizeof fast;
    return fast;
}

unsigned sustain_problem_offers(const sustain_problem *problem) {
    if (problem == NULL || problem->ops == NULL) return 0;
    const sustain_problem_ops *ops = problem->ops;
    unsigned set = sustain__has_expectation(problem) ? SUSTAIN_NEEDS_EXPECTATION : 0;
    if (ops->f_value != NULL) set |= SUSTAIN_NEEDS_F_VALUE;
    if (ops->f_grad != NULL) set |= SUSTAIN_NEEDS_F_GRAD;
    if (ops->g_value != NULL) set |= SUSTAIN_NEEDS_G_VALUE;
    if (ops->g_grad_y != NULL) set |= SUSTAIN_NEEDS_G_GRAD_Y;
    if (ops->g_grad_x != NULL) set |= SUSTAIN_NEEDS_G_GRAD_X;
    if (ops->g_hess_vec != NULL) set |= SUSTAIN_NEEDS_G_HESS_VEC;
    if (ops->g_cross_vec != NULL) set |= SUSTAIN_NEEDS_G_CROSS_VEC;
    if (problem->samples[SUSTAIN_UPPER] > 0 && problem->samples[SUSTAIN_LOWER] > 0) set |= SUSTAIN_NEEDS_FINITE_SUM;
    return set;
}

/* A constant that is known must be in its range: a zeroed structure would claim that every constant
 * is 0. */
static sustain_status check_known(sustain_context *context, const sustain_problem *p) {
    int count;
    const sustain_parameter *row = sustain_constants_table(&count);
    for (int i = 0; p->known != NULL && i < count; i++) {
        const double value = *(const double *)(const void *)((const char *)p->known + row[i].offset);
        if (!isnan(value) && !(value >= row[i].least && value <= row[i].most))
            return sustain__fail(context, SUSTAIN_CONSTANTS,
                                 "problem '%s': known->%s = %g makes no sense; start from sustain_constants_unknown()", p->ops->name,
                                 row[i].name, value);
    }
    return SUSTAIN_OK;
}

sustain_status sustain__problem_validate(sustain_context *context, const sustain_problem *p) {
    if (p == NULL || p->ops == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "the problem or its table of functions is NULL");
    const char *name = p->ops->name;
    if (name == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "the problem has no name: set ops->name");
    const struct {
        const char *oracle;
        bool there;
    } required[] = {{"f_value", p->ops->f_value != NULL},
                    {"f_grad", p->ops->f_grad != NULL},
                    {"g_value", p->ops->g_value != NULL},
                    {"g_grad_y", p->ops->g_grad_y != NULL}};
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!required[i].there)
            return sustain__fail(context, SUSTAIN_MISSING_ORACLE, "problem '%s' has no %s, which every algorithm needs", name,
                                 required[i].oracle);
    if (p->ops->fast != NULL && p->ops->fast->size < sizeof p->ops->fast->size)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "problem '%s': ops->fast->size is %zu; set it to sizeof(sustain_problem_fast)",
                             name, p->ops->fast->size);
    const int64_t most = SUSTAIN__MOST_COORDINATES;
    if (p->upper_dim < 1 || p->lower_dim < 1 || p->upper_dim > most || p->lower_dim > most)
        return sustain__fail(context, SUSTAIN_ARGUMENT,
                             "problem '%s': upper_dim and lower_dim must be from 1 to 2^40 (they are %lld and %lld)", name,
                             (long long)p->upper_dim, (long long)p->lower_dim);
    for (int level = 0; level < 2; level++) {
        if (p->samples[level] < 0) return sustain__fail(context, SUSTAIN_ARGUMENT, "problem '%s': samples[%d] is negative", name, level);
        const int64_t most_per_sample = sustain__support_per_sample(p, (sustain_level)level);
        if (most_per_sample < 0 || most_per_sample > SUSTAIN__MOST_SAMPLES)
            return sustain__fail(context, SUSTAIN_ARGUMENT, "problem '%s': support_per_sample[%d] is not from 0 to 2^30", name, level);
    }
    return check_known(context, p);
}

bool sustain__has_expectation(const sustain_problem *problem) {
    return problem->has_expectation || (problem->samples[SUSTAIN_UPPER] > 0 && problem->samples[SUSTAIN_LOWER] > 0);
}

static void lay_out(sustain__oracle *o, size_t work, sustain__carver *c) {
    o->work = sustain__carve(c, 1, work);
    o->unit = sustain__carve(c, o->problem->lower_dim, sizeof *o->unit);
    o->coordinates = sustain__carve(c, o->room, sizeof *o->coordinates);
    o->values = sustain__carve(c, o->room, 2 * sizeof *o->values);
}

/* Returns the bytes of the problem's workspace. */
static size_t set_room(sustain__oracle *o, int64_t max_batch) {
    const sustain_problem *p = o->problem;
    if (!o->compact) o->room = max_batch * (sustain__support_per_sample(p, SUSTAIN_UPPER) + sustain__support_per_sample(p, SUSTAIN_LOWER));
    return p->ops->workspace != NULL ? p->ops->workspace(p->self, max_batch) : 0;
}

static size_t measure(sustain__oracle *o, size_t work) {
    sustain__carver c = {.memory = NULL};
    lay_out(o, work, &c);
    return c.used;
}

size_t sustain__oracle_bytes(const sustain_problem *problem, int64_t max_batch, bool compact) {
    sustain__oracle o = {.problem = problem, .compact = compact};
    const size_t work = set_room(&o, max_batch);
    return measure(&o, work);
}

sustain_status sustain__oracle_create(sustain_context *context, const sustain_problem *problem, int64_t max_batch, bool compact,
                                      sustain__oracle *out) {
    *out = (sustain__oracle){.context = context, .problem = problem, .compact = compact};
    const size_t work = set_room(out, max_batch), bytes = measure(out, work);
    SUSTAIN_TRY(sustain__allocate(context, bytes, &out->memory));
    sustain__carver c = {.memory = out->memory};
    lay_out(out, work, &c);
    return SUSTAIN_OK;
}

void sustain__oracle_destroy(sustain__oracle *oracle) {
    if (oracle->context == NULL) return;
    sustain__free(oracle->context, oracle->memory);
    oracle->memory = NULL;
}

/* ---- return codes ---- */

static sustain_status outcome(sustain__oracle *o, const char *oracle, const sustain_batch *batch, int code) {
    if (code == 0) return o->context->lost ? SUSTAIN_CANCELLED : SUSTAIN_OK;
    if (code == SUSTAIN__CODE_NOT_FINITE) return SUSTAIN_NOT_FINITE;
    const char *name = o->problem->ops->name;
    if (code > 0 && batch != NULL)
        return sustain__fail(o->context, SUSTAIN_DRAW_DROPPED,
                             "oracle %s of problem '%s' asked to drop the draw of iteration %lld (code %d)", oracle, name,
                             (long long)batch->iteration, code);
    if (batch == NULL) /* also a positive code: without a draw there is nothing to drop */
        return sustain__fail(o->context, SUSTAIN_ORACLE_FAILED, "oracle %s of problem '%s' failed with code %d", oracle, name, code);
    return sustain__fail(o->context, SUSTAIN_ORACLE_FAILED, "oracle %s of problem '%s' failed with code %d at iteration %lld", oracle, name,
                         code, (long long)batch->iteration);
}

/* ---- compact outputs ---- */

int64_t sustain__support(const sustain__oracle *o, sustain_level level, const sustain_batch *batch, int64_t *coordinate) {
    return o->problem->ops->fast->support(o->problem->self, level, batch, coordinate);
}

/* Whether an output of this draw in x-space has to go through `values`. The whole population
 * touches everything in order, or nothing at all. */
static bool through_values(const sustain__oracle *o, sustain_level level, const sustain_batch *batch) {
    if (o->compact || SUSTAIN__FAST(o->problem, support) == NULL) return false;
    return batch != NULL || sustain__support_per_sample(o->problem, level) == 0;
}

static int64_t list(const sustain__oracle *o, sustain_level level, const sustain_batch *batch, int64_t *coordinate) {
    return batch != NULL ? sustain__support(o, level, batch, coordinate) : 0;
}

static void scatter(const sustain__oracle *o, int64_t n, const sustain_real *values, sustain_real *out) {
    sustain__zero(o->problem->upper_dim, out);
    for (int64_t j = 0; j < n; j++) out[o->coordinates[j]] += values[j];
}

/* ---- the oracles ---- */

#define OPS o->problem->ops
#define SELF o->problem->self

/* The caller may ask to stop before a call, never after it: momentum_step has moved y then. */
#define CALL(table, name, draw, arguments)                                                                                  \
    {                                                                                                                       \
        SUSTAIN_TRY(sustain__cancelled(o->context));                                                                        \
        return outcome(o, #name, draw, SUSTAIN__TABLE_##table(o->problem)->name(SELF, SUSTAIN__UNPACK arguments, o->work)); \
    }
#define PLAIN(table, name, draw, parameters, arguments, counts, checks) \
    sustain_status sustain__##name(sustain__oracle *o, SUSTAIN__UNPACK parameters) CALL(table, name, draw, arguments)
#define SHAPED(table, name, draw, parameters, arguments, counts, checks) \
    static sustain_status call_##name(sustain__oracle *o, SUSTAIN__UNPACK parameters) CALL(table, name, draw, arguments)
SUSTAIN__ORACLES_PLAIN(PLAIN)
SUSTAIN__ORACLES_SHAPED(SHAPED)

sustain_status sustain__f_grad(sustain__oracle *o, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                               sustain_real *fy) {
    const bool compact = through_values(o, SUSTAIN_UPPER, xi);
    SUSTAIN_TRY(call_f_grad(o, xi, x, y, compact ? o->values : fx, fy));
    if (compact) scatter(o, list(o, SUSTAIN_UPPER, xi, o->coordinates), o->values, fx);
    return SUSTAIN_OK;
}

sustain_status sustain__g_grad_x(sustain__oracle *o, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                 sustain_real *gx) {
    const bool compact = through_values(o, SUSTAIN_LOWER, zeta);
    SUSTAIN_TRY(call_g_grad_x(o, zeta, x, y, compact ? o->values : gx));
    if (compact) scatter(o, list(o, SUSTAIN_LOWER, zeta, o->coordinates), o->values, gx);
    return SUSTAIN_OK;
}

sustain_status sustain__g_cross_vec(sustain__oracle *o, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                    const sustain_real *v, sustain_real *out) {
    const bool compact = through_values(o, SUSTAIN_LOWER, zeta);
    SUSTAIN_TRY(call_g_cross_vec(o, zeta, x, y, v, compact ? o->values : out));
    if (compact) scatter(o, list(o, SUSTAIN_LOWER, zeta, o->coordinates), o->values, out);
    return SUSTAIN_OK;
}

sustain_status sustain__project_x(sustain__oracle *o, sustain_real *x) {
    return OPS->project_x != NULL ? outcome(o, "project_x", NULL, OPS->project_x(SELF, x)) : SUSTAIN_OK;
}

sustain_status sustain__project_y(sustain__oracle *o, sustain_real *y) {
    if (SUSTAIN__FAST(o->problem, project_y) == NULL) return SUSTAIN_OK;
    return outcome(o, "project_y", NULL, OPS->fast->project_y(SELF, y));
}

/* The Hessian is symmetric: its j-th column, which a product with a unit vector gives, is its j-th
 * row. */
sustain_status sustain__g_hess(sustain__oracle *o, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                               sustain_real *out) {
    if (OPS->g_hess != NULL) return call_g_hess(o, zeta, x, y, out);
    const int64_t n = o->problem->lower_dim;
    sustain__zero(n, o->unit);
    for (int64_t j = 0; j < n; j++) {
        o->unit[j] = 1;
        SUSTAIN_TRY(sustain__g_hess_vec(o, zeta, x, y, o->unit, out + j * n));
        o->unit[j] = 0;
    }
    return SUSTAIN_OK;
}

sustain_status sustain__g_cross(sustain__oracle *o, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                sustain_real *out) {
    if (OPS->g_cross != NULL) return call_g_cross(o, zeta, x, y, out);
    const int64_t n = o->problem->lower_dim, m = o->problem->upper_dim;
    sustain_real *column = o->column;
    if (column == NULL) SUSTAIN_TRY(sustain__allocate(o->context, sustain__multiply((size_t)m, sizeof *column), &column));
    sustain_status status = SUSTAIN_OK;
    sustain__zero(n, o->unit);
    for (int64_t j = 0; j < n && status == SUSTAIN_OK; j++) {
        o->unit[j] = 1;
        status = sustain__g_cross_vec(o, zeta, x, y, o->unit, column);
        o->unit[j] = 0;
        for (int64_t i = 0; i < m; i++) out[i * n + j] = column[i];
    }
    if (column != o->column) sustain__free(o->context, column);
    return status;
}

sustain_status sustain__g_grad_y_pair(sustain__oracle *o, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                      const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *gy, sustain_real *gy_prev) {
    if (x_prev != NULL && SUSTAIN__FAST(o->problem, g_grad_y_pair) != NULL)
        return call_g_grad_y_pair(o, zeta, x, y, x_prev, y_prev, gy, gy_prev);
    SUSTAIN_TRY(sustain__g_grad_y(o, zeta, x, y, gy));
    return x_prev != NULL ? sustain__g_grad_y(o, zeta, x_prev, y_prev, gy_prev) : SUSTAIN_OK;
}

sustain_status sustain__hyper_pair(sustain__oracle *o, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                                   const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out, sustain_real *out_prev) {
    if (!through_values(o, SUSTAIN_UPPER, &draw->xi)) return call_hyper_pair(o, draw, x, y, x_prev, y_prev, out, out_prev);
    /* draw->support tells the problem where the cross product begins in its compact output */
    sustain_hyper_draw counted = *draw;
    counted.support[SUSTAIN_UPPER] = list(o, SUSTAIN_UPPER, &draw->xi, o->coordinates);
    counted.support[SUSTAIN_LOWER] = list(o, SUSTAIN_LOWER, &draw->zeta[0], o->coordinates + counted.support[SUSTAIN_UPPER]);
    const int64_t n = counted.support[SUSTAIN_UPPER] + counted.support[SUSTAIN_LOWER];
    sustain_real *first = o->values, *second = o->values + o->room;
    SUSTAIN_TRY(call_hyper_pair(o, &counted, x, y, x_prev, y_prev, first, second));
    scatter(o, n, first, out);
    if (x_prev != NULL) scatter(o, n, second, out_prev);
    return SUSTAIN_OK;
}

bool sustain__has_momentum_step(const sustain__oracle *o) {
    return SUSTAIN__FAST(o->problem, momentum_step) != NULL && (o->compact || SUSTAIN__FAST(o->problem, support) == NULL);
}

void sustain__prefetch(const sustain__oracle *o, sustain_level level, const sustain_batch *batch) {
    OPS->fast->prefetch(SELF, level, batch);
}
