/* counted.c - counting: gradients and products per sample, a batch of B at two points counts 2B; a
 * matrix counts as the products with all unit vectors that would make it. Values are not counted:
 * hoag evaluates them together with a gradient at the same point.
 *
 * oracle_table.h says what each oracle counts. */
#include "wrap/counted.h"

static int64_t size_of(const sustain_problem *inner, sustain_level level, const sustain_batch *batch) {
    if (batch != NULL) return batch->size;
    return inner->samples[level] > 0 ? inner->samples[level] : 1;
}

static void count_hyper(sustain_counts *counts, const sustain_hyper_draw *draw, int64_t points) {
    counts->gradients[SUSTAIN_UPPER] += points * draw->xi.size;
    counts->cross_products += points * draw->zeta[0].size;
    for (int i = 1; i <= draw->k; i++) counts->hessian_products += points * draw->zeta[i].size;
}

static void count_rows(sustain_counts *counts, sustain_quantity quantity, int64_t size) {
    switch (quantity) {
    case SUSTAIN_QUANTITY_F_GRAD_X: /* counted with grad_y f: one gradient has both */
        break;
    case SUSTAIN_QUANTITY_F_GRAD_Y:
        counts->gradients[SUSTAIN_UPPER] += size;
        break;
    case SUSTAIN_QUANTITY_G_GRAD_Y:
        counts->gradients[SUSTAIN_LOWER] += size;
        break;
    case SUSTAIN_QUANTITY_G_HESS_VEC:
        counts->hessian_products += size;
        break;
    case SUSTAIN_QUANTITY_G_CROSS_VEC:
        counts->cross_products += size;
        break;
    }
}

#define SAMPLES(level, batch) size_of(inner, level, batch)
#define NOT_COUNTED
#define GRADIENTS(level, n) c->counts->gradients[level] += n;
#define HESSIAN(n) c->counts->hessian_products += n;
#define CROSS(n) c->counts->cross_products += n;
#define HYPER(draw, points) count_hyper(c->counts, draw, points);
#define TABLE_ROWS(quantity, n) count_rows(c->counts, quantity, n);

#define COUNT(table, name, draw, parameters, arguments, counts, checks)                                  \
    static int name(const void *self, SUSTAIN__UNPACK parameters, void *work) {                          \
        const sustain__counted *c = self;                                                                \
        const sustain_problem *inner = c->wrapper.inner;                                                 \
        counts return SUSTAIN__TABLE_##table(inner)->name(inner->self, SUSTAIN__UNPACK arguments, work); \
    }
SUSTAIN__ORACLES(COUNT)

void sustain__counted_init(sustain__counted *out, const sustain_problem *inner, sustain_counts *counts) {
    sustain__wrapper_init(&out->wrapper, inner);
    out->counts = counts;
#define WRAP(table, name, draw, parameters, arguments, counts, checks) SUSTAIN__WRAP(&out->wrapper, table, name);
    SUSTAIN__ORACLES(WRAP)
#undef WRAP
}
