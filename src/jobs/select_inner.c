/* select_inner.c - a selection inside another: the same rows and folds with more features, those of
 * linear splines or of waves. */
#include "jobs/select_inner.h"

#include <string.h>

/* The labels or targets of all rows, as they were given. */
static sustain_status fill_labels(const sustain_selection *s, sustain__select_inner *p) {
    const int64_t n = s->rows.rows.count;
    const bool classes = s->rows.loss->labels == SUSTAIN__LABELS_CLASSES || s->rows.loss->labels == SUSTAIN__LABELS_SIGNS;
    if (classes)
        SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)n, sizeof *p->labels), &p->labels));
    else
        SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)n, sizeof *p->targets), &p->targets));
    for (int64_t i = 0; i < n; i++)
        if (classes)
            p->labels[i] = (int32_t)s->truth[i];
        else
            p->targets[i] = (float)s->truth[i];
    return SUSTAIN_OK;
}

sustain_status sustain__select_inner_rows(sustain_selection *s, int64_t more, sustain__select_inner *p) {
    const sustain_rows *r = &s->rows.rows;
    const int64_t features = r->dim + more;
    SUSTAIN_TRY(sustain__select_add_memory(s, (double)r->count * (double)(features + 1) * sizeof(float), NULL));
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply(sustain__multiply((size_t)r->count, (size_t)features), sizeof *p->values),
                                  &p->values));
    p->features = features;
    for (int64_t i = 0; i < r->count; i++) memcpy(p->values + i * features, r->values + i * r->dim, (size_t)r->dim * sizeof *p->values);
    return fill_labels(s, p);
}

sustain_status sustain__select_inner_make(sustain_selection *s, sustain__select_kind kind, const double *factor, sustain__select_inner *p) {
    const int64_t n = s->rows.rows.count;
    sustain_select_options o = s->options;
    const sustain_rows all = {.count = n, .stored = n, .dim = p->features, .values = p->values, .labels = p->labels, .targets = p->targets};
    sustain_rows training = all, validation = all;
    training.count = training.stored = s->training;
    validation.count = validation.stored = n - s->training;
    validation.values += s->training * p->features;
    if (all.labels != NULL) validation.labels += s->training;
    if (all.targets != NULL) validation.targets += s->training;
    o.folds = s->training < n ? 0 : s->models;
    o.knots = o.waves = o.groups = 0;
    o.group = NULL, o.factors = factor, o.weights = s->weight, o.scaling = NULL;
    SUSTAIN_TRY(sustain__select_create(s->context, &o, &training, s->training < n ? &validation : NULL, kind, &p->selection));
    return sustain__select_add_memory(s, 0, &p->selection->memory);
}

void sustain__select_inner_free(sustain_context *context, sustain__select_inner *p) {
    sustain_select_destroy(p->selection);
    sustain__free(context, p->values);
    sustain__free(context, p->labels);
    sustain__free(context, p->targets);
}
