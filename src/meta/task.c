/* task.c - one task with a fixed backbone: features, head, and gradients back. Building blocks
 * of the methods that adapt only the head. */
#include "core/vector.h"
#include "meta/meta_internal.h"

void sustain__task_features(sustain__worker *w, const sustain_real *x) {
    const int64_t n = w->task.support, m = w->task.queries, together[2] = {0, n + m};
    sustain__backbone_forward(w->backbone, x, w->task.picture, n + m, together, 1, w->features);
}

void sustain__task_features_apart(sustain__worker *w, const sustain_real *x) {
    const int64_t n = w->task.support, m = w->task.queries, support[2] = {0, n};
    sustain__backbone_forward(w->backbone, x, w->task.picture, n, support, 1, w->features);
    sustain__backbone_statistics(w->backbone, 0, w->statistics);
    sustain__backbone_features_with(w->backbone, x, w->statistics, w->task.picture + n, m, w->features + n * w->setting->features);
}

sustain__outcome sustain__task_head(sustain__worker *w, const sustain_real *start) {
    const int64_t n = w->task.support, d = w->setting->features;
    const sustain__head_task task = {.support = n,
                                     .queries = w->task.queries,
                                     .dim = d,
                                     .support_features = w->features,
                                     .query_features = w->features + n * d,
                                     .support_labels = w->task.label,
                                     .query_labels = w->task.label + n,
                                     .start = start};
    sustain__outcome outcome;
    sustain__head_adapt(w->head, &task);
    outcome.loss = sustain__head_score(w->head, &outcome.correct);
    return outcome;
}

void sustain__task_back(sustain__worker *w, const sustain_real *x, int64_t k, bool start, sustain_real *gradient) {
    const sustain__setting *s = w->setting;
    const int64_t head = s->theta - s->dim;
    sustain_real *d_query = w->d_features + w->task.support * s->features;
    sustain__head_hypergradient(w->head, s->hyper, (sustain__series){s->K, k}, w->d_features, d_query, start ? w->d_start : NULL);
    if (start) sustain__add(head, 1, w->d_start, gradient + s->dim);
    sustain__backbone_gradient(w->backbone, x, w->d_features, true, gradient);
}

sustain__outcome sustain__ask_head(sustain__worker *w, const sustain_real *theta, bool support_statistics) {
    if (support_statistics)
        sustain__task_features_apart(w, theta);
    else
        sustain__task_features(w, theta);
    return sustain__task_head(w, w->setting->method->learns_start ? theta + w->setting->dim : NULL);
}
