/* method_prototype.c - prototypical networks: Snell, Swersky, Zemel, NeurIPS 2017.
 *
 *   c_k = mean features of the support of class k
 *   x <- x - alpha (direction of) mean over tasks of grad_x of the loss of the queries, whose
 *        scores are -|a - c_k|^2
 *
 * The scores are those of a linear head (linear.h); the derivative goes through the means. */
#include "core/vector.h"
#include "meta/linear.h"
#include "meta/meta_internal.h"

/* Loss of the queries; P and R are left in the worker. */
static sustain__linear meet(sustain__worker *w) {
    const int64_t n = w->task.support, d = w->setting->features, ways = w->setting->rule.ways;
    sustain__linear_means(n, d, ways, w->features, w->task.label, w->y);
    return (sustain__linear){.rows = w->task.queries,
                             .dim = d,
                             .ways = ways,
                             .features = w->features + n * d,
                             .labels = w->task.label + n,
                             .y = w->y,
                             .P = w->scores[0],
                             .R = w->scores[1]};
}

static sustain__outcome gradient(sustain__worker *w, const sustain_real *theta, int64_t k, sustain_real *out) {
    const int64_t n = w->task.support;
    sustain__outcome outcome;
    (void)k; /* of eq. (7), not used here */
    sustain__task_features(w, theta);
    const sustain__linear l = meet(w);
    outcome.loss = sustain__linear_loss(&l, &outcome.correct);
    sustain__zero(l.ways * (l.dim + 1), w->d_y);
    sustain__linear_gradient(&l, w->d_features + n * l.dim, w->d_y);
    sustain__linear_means_gradient(n, l.dim, l.ways, w->task.label, w->y, w->d_y, w->d_features);
    sustain__backbone_gradient(w->backbone, theta, w->d_features, true, out);
    return outcome;
}

static sustain__outcome ask(sustain__worker *w, const sustain_real *theta, bool support_statistics) {
    sustain__outcome outcome;
    if (support_statistics)
        sustain__task_features_apart(w, theta);
    else
        sustain__task_features(w, theta);
    const sustain__linear l = meet(w);
    outcome.loss = sustain__linear_loss(&l, &outcome.correct);
    return outcome;
}

const sustain__method sustain__method_prototype = {
    .name = "prototype", .means = true, .lambda = 1e-3, .gradient = gradient, .ask = ask, .step = sustain__meta_descend};
