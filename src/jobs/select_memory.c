/* select_memory.c - what a selection will hold when it holds most: the arrays that select_job.c,
 * select_lasso.c and select_gradient.c allocate, counted before they are; and what the selection
 * for linear splines will. */
#include "core/memory_internal.h"
#include "jobs/select_job.h"

double sustain__select_entries(const sustain_selection *s) {
    const sustain_rows *r = &s->rows.rows;
    return r->start != NULL ? (double)(r->start[r->count] - r->start[0]) : (double)r->count * (double)r->dim;
}

sustain_status sustain__select_check_memory(sustain_selection *s, size_t before) {
    const double n = (double)s->rows.rows.count, width = (double)s->rows.width, size = (double)sustain__fit_size(&s->rows),
                 features = (double)s->curvature.features, models = s->models + 1, number = sizeof(double);
    const bool full = s->curvature.full, moments = s->options.loss == SUSTAIN_REGTUNE_SQUARED && full;
    sustain_memory m = {.size = sizeof m};
    m.part[SUSTAIN_MEMORY_DATA] = (double)before;
    m.part[SUSTAIN_MEMORY_ROWS] = (double)(s->context->memory_used - before) + (SUSTAIN_SELECT_CANDIDATES + 1) * n * (1 + width) * number;
    m.part[SUSTAIN_MEMORY_MODELS] = models * ((double)sustain__fit_bytes(&s->rows, full) + size * number) +
                                    ((full ? features : 1) * features + SUSTAIN__FIT_SQUARES * features + 5 * size) * number;
    if (moments) m.part[SUSTAIN_MEMORY_MODELS] += models * (double)sustain__fit_moments_size(&s->rows) * number;
    m.part[SUSTAIN_MEMORY_MODELS] += sustain__select_lasso_bytes(s) + sustain__select_gradient_bytes(s);
    s->memory.size = sizeof s->memory;
    SUSTAIN_TRY(sustain__memory_give(s->context, &m, &s->memory));
    return sustain_memory_check(s->context, &s->memory);
}

sustain_status sustain__select_add_memory(sustain_selection *s, double rows, const sustain_memory *inner) {
    sustain_memory m = s->memory;
    m.part[SUSTAIN_MEMORY_ROWS] += rows;
    for (int i = 0; inner != NULL && i < SUSTAIN_MEMORY_COUNT; i++) m.part[i] += i == SUSTAIN_MEMORY_DATA ? 0 : inner->part[i];
    SUSTAIN_TRY(sustain__memory_give(s->context, &m, &s->memory));
    return sustain_memory_check(s->context, &s->memory);
}

sustain_status sustain_select_memory(const sustain_selection *selection, sustain_memory *memory) {
    if (selection == NULL) return SUSTAIN_ARGUMENT;
    return sustain__memory_give(selection->context, &selection->memory, memory);
}
