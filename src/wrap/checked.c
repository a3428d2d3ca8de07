/* checked.c - every output of every oracle must be finite. */
#include "wrap/checked.h"

#include <math.h>
#include <stdio.h>

#include "core/vector.h"
#include "oracle/oracle.h"

/* oracle_table.h says what each oracle's outputs are. */

#define INNER                         \
    const sustain__checked *c = self; \
    const sustain_problem *inner = c->wrapper.inner

/* " at iteration 7", or nothing for the expected value, which belongs to none. */
static const char *iteration_of(const sustain_batch *batch, char *text, size_t size) {
    text[0] = '\0';
    if (batch != NULL) snprintf(text, size, " at iteration %lld", (long long)batch->iteration);
    return text;
}

/* The code of an oracle, or NOT_FINITE with the sentence set. `variable` is what the output is
 * indexed by. */
static int check_finite(const sustain__checked *c, int code, const char *oracle, const sustain_batch *batch, const char *variable,
                        int64_t n, const sustain_real *out) {
    int64_t i;
    if (code != 0 || sustain__all_finite(n, out, &i)) return code;
    char when[48];
    sustain__fail(c->context, SUSTAIN_NOT_FINITE, "oracle %s of problem '%s' returned %g for %s[%lld]%s", oracle,
                  c->wrapper.inner->ops->name, (double)out[i], variable, (long long)i, iteration_of(batch, when, sizeof when));
    return SUSTAIN__CODE_NOT_FINITE;
}

static int check_finite_value(const sustain__checked *c, int code, const char *oracle, const sustain_batch *batch, double value) {
    if (code != 0 || isfinite(value)) return code;
    char when[48];
    sustain__fail(c->context, SUSTAIN_NOT_FINITE, "oracle %s of problem '%s' returned %g%s", oracle, c->wrapper.inner->ops->name, value,
                  iteration_of(batch, when, sizeof when));
    return SUSTAIN__CODE_NOT_FINITE;
}

/* How many numbers an output in x-space has for this draw. */
static int64_t upper_count(const sustain__checked *c, sustain_level level, const sustain_batch *batch, void *work) {
    const sustain_problem *inner = c->wrapper.inner;
    if (SUSTAIN__FAST(inner, support) == NULL) return inner->upper_dim;
    if (batch == NULL) return sustain__support_per_sample(inner, level) > 0 ? inner->upper_dim : 0;
    /* after the call: the inner problem is done with `work` */
    return inner->ops->fast->support(inner->self, level, batch, work);
}

/* Numbers of eq. (7) once it is computed. */
static int64_t outputs_of(const sustain_problem *inner, const sustain_hyper_draw *draw) {
    if (SUSTAIN__FAST(inner, support) != NULL) return draw->support[SUSTAIN_UPPER] + draw->support[SUSTAIN_LOWER];
    return draw->touched != NULL ? draw->touched->count : inner->upper_dim;
}

#define OF_DRAW(level, batch) upper_count(c, level, batch, work)
#define OF_HYPER(draw) outputs_of(inner, draw)
#define NOT_CHECKED
#define FINITE(variable, count, out) code = check_finite(c, code, called, batch_of_call, variable, code == 0 ? count : 0, out);
#define FINITE_VALUE(value) code = check_finite_value(c, code, called, batch_of_call, value);

#define CHECK(table, name, draw_of_it, parameters, arguments, counts, checks)                         \
    static int name(const void *self, SUSTAIN__UNPACK parameters, void *work) {                       \
        INNER;                                                                                        \
        static const char called[] = #name;                                                           \
        const sustain_batch *batch_of_call = draw_of_it;                                              \
        int code = SUSTAIN__TABLE_##table(inner)->name(inner->self, SUSTAIN__UNPACK arguments, work); \
        (void)called, (void)batch_of_call;                                                            \
        checks return code;                                                                           \
    }
SUSTAIN__ORACLES(CHECK)

static int project_x(const void *self, sustain_real *x) {
    INNER;
    return check_finite(c, inner->ops->project_x(inner->self, x), "project_x", NULL, "x", inner->upper_dim, x);
}

static int project_y(const void *self, sustain_real *y) {
    INNER;
    return check_finite(c, inner->ops->fast->project_y(inner->self, y), "project_y", NULL, "y", inner->lower_dim, y);
}

static int initial(const void *self, sustain_real *x, sustain_real *y) {
    INNER;
    const int code = check_finite(c, inner->ops->initial(inner->self, x, y), "initial", NULL, "x", inner->upper_dim, x);
    return check_finite(c, code, "initial", NULL, "y", inner->lower_dim, y);
}

/* Bytes of what momentum_step may have to put back, whole cache lines. */
static size_t copies(const sustain_problem *inner) {
    return SUSTAIN__FAST(inner, momentum_step) != NULL ? sustain__lines(3 * inner->lower_dim, sizeof(sustain_real)) : 0;
}

/* Room for the inner problem or, later, for the longest list of coordinates; and for copies. */
static size_t workspace(const void *self, int64_t max_batch) {
    INNER;
    const int64_t upper = sustain__support_per_sample(inner, SUSTAIN_UPPER), lower = sustain__support_per_sample(inner, SUSTAIN_LOWER);
    const size_t own = inner->ops->workspace != NULL ? inner->ops->workspace(inner->self, max_batch) : 0;
    const size_t list = (size_t)(max_batch * (upper > lower ? upper : lower)) * sizeof(int64_t);
    return (own > list ? own : list) + copies(inner);
}

/* Where something is not finite, h, y and y_prev are put back. */
static int momentum_step_or_nothing(const void *self, const sustain_momentum_step *step, const sustain_real *x, const sustain_real *x_prev,
                                    sustain_real *h, sustain_real *y, sustain_real *y_prev, sustain_real *out, sustain_real *out_prev,
                                    void *work) {
    INNER;
    const int64_t n = inner->lower_dim;
    sustain_real *const changed[3] = {h, y, y_prev}, *const before = work;
    for (int i = 0; i < 3; i++) sustain__copy(n, changed[i], before + i * n);
    const int code = momentum_step(self, step, x, x_prev, h, y, y_prev, out, out_prev, (char *)work + copies(inner));
    for (int i = 0; code != 0 && i < 3; i++) sustain__copy(n, before + i * n, changed[i]);
    return code;
}

void sustain__checked_init(sustain__checked *out, const sustain_problem *inner, sustain_context *context) {
    sustain__wrapper_init(&out->wrapper, inner);
    out->context = context;
#define WRAP(table, name, draw, parameters, arguments, counts, checks) SUSTAIN__WRAP(&out->wrapper, table, name);
    SUSTAIN__ORACLES(WRAP)
#undef WRAP
    SUSTAIN__WRAP(&out->wrapper, ops, project_x);
    SUSTAIN__WRAP(&out->wrapper, fast, project_y);
    SUSTAIN__WRAP(&out->wrapper, ops, initial);
    out->wrapper.ops.workspace = workspace;
    if (out->wrapper.fast.momentum_step != NULL) out->wrapper.fast.momentum_step = momentum_step_or_nothing;
}
