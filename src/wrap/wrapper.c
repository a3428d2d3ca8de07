/* wrapper.c - oracles that forward every call. */
#include "wrap/wrapper.h"

#define INNER const sustain_problem *inner = ((const sustain__wrapper *)self)->inner

#define PASS_ON(table, name, draw, parameters, arguments, counts, checks)                         \
    static int name(const void *self, SUSTAIN__UNPACK parameters, void *work) {                   \
        INNER;                                                                                    \
        return SUSTAIN__TABLE_##table(inner)->name(inner->self, SUSTAIN__UNPACK arguments, work); \
    }
SUSTAIN__ORACLES(PASS_ON)
#undef PASS_ON

static int project_x(const void *self, sustain_real *x) {
    INNER;
    return inner->ops->project_x(inner->self, x);
}

static int project_y(const void *self, sustain_real *y) {
    INNER;
    return inner->ops->fast->project_y(inner->self, y);
}

static int initial(const void *self, sustain_real *x, sustain_real *y) {
    INNER;
    return inner->ops->initial(inner->self, x, y);
}

static size_t workspace(const void *self, int64_t max_batch) {
    INNER;
    return inner->ops->workspace(inner->self, max_batch);
}

static int64_t support(const void *self, sustain_level level, const sustain_batch *batch, int64_t *coordinate) {
    INNER;
    return inner->ops->fast->support(inner->self, level, batch, coordinate);
}

static int64_t table_width(const void *self, sustain_quantity quantity) {
    INNER;
    return inner->ops->fast->table_width(inner->self, quantity);
}

static void prefetch(const void *self, sustain_level level, const sustain_batch *batch) {
    INNER;
    inner->ops->fast->prefetch(inner->self, level, batch);
}

void sustain__wrapper_init(sustain__wrapper *out, const sustain_problem *inner) {
    out->inner = inner;
    out->problem = *inner;
    out->problem.ops = &out->ops;
    out->problem.self = out;
    out->ops = (sustain_problem_ops){.name = inner->ops->name, .fast = &out->fast};
    /* for fields that are not functions: how many coordinates a sample touches, ... */
    out->fast = sustain__fast_of(inner);
#define WRAP(table, name, draw, parameters, arguments, counts, checks) SUSTAIN__WRAP(out, table, name);
    SUSTAIN__ORACLES(WRAP)
#undef WRAP
    SUSTAIN__WRAP(out, ops, project_x);
    SUSTAIN__WRAP(out, ops, initial);
    SUSTAIN__WRAP(out, ops, workspace);
    SUSTAIN__WRAP(out, fast, support);
    SUSTAIN__WRAP(out, fast, table_width);
    SUSTAIN__WRAP(out, fast, prefetch);
    SUSTAIN__WRAP(out, fast, project_y);
}
