/* method_maml.c - MAML: model-agnostic meta learning. Finn, Abbeel, Levine, ICML 2017.
 *
 *   theta_{k+1} = theta_k - step grad g(theta_k),   k = 0 .. D-1     on the support of a task
 *   theta_0 <- theta_0 - alpha (direction of) mean over tasks of d f(theta_D) / d theta_0
 *
 * theta = (backbone, head); theta_0 is learned. The derivative is computed backwards through the
 * steps: u_D = grad f(theta_D), u_k = u_{k+1} - step H(theta_k) u_{k+1}. Only theta_k is stored for
 * each step; what a Hessian product needs is recomputed. First order: u_0 = u_D. Support and
 * queries are normalized by their own statistics. */
#include "core/vector.h"
#include "meta/linear.h"
#include "meta/meta_internal.h"

/* Features of a part of the task, normalized by its own statistics, with the head applied to
 * them. `from` is its first picture. */
static sustain__linear meet(sustain__worker *w, const sustain_real *theta, int64_t from, int64_t rows, double lambda) {
    const sustain__setting *s = w->setting;
    const int64_t group[2] = {0, rows};
    sustain__backbone_forward(w->backbone, theta, w->task.picture + from, rows, group, 1, w->features);
    return (sustain__linear){.rows = rows,
                             .dim = s->features,
                             .ways = s->rule.ways,
                             .features = w->features,
                             .labels = w->task.label + from,
                             .y = theta + s->dim,
                             .lambda = lambda,
                             .P = w->scores[0],
                             .R = w->scores[1]};
}

/* out (theta) <- gradient of the loss of a part; returns loss and correct predictions. */
static sustain__outcome part_gradient(sustain__worker *w, const sustain_real *theta, int64_t from, int64_t rows, double lambda,
                                      sustain_real *out) {
    const sustain__setting *s = w->setting;
    const sustain__linear l = meet(w, theta, from, rows, lambda);
    sustain__outcome outcome;
    outcome.loss = sustain__linear_loss(&l, &outcome.correct);
    sustain__zero(s->theta, out);
    sustain__linear_gradient(&l, w->d_features, out + s->dim);
    sustain__backbone_gradient(w->backbone, theta, w->d_features, false, out);
    return outcome;
}

/* out <- H(theta) u, H the Hessian of g, the loss of the support. */
static void hessian_product(sustain__worker *w, const sustain_real *theta, const sustain_real *u, sustain_real *out) {
    const sustain__setting *s = w->setting;
    const sustain__linear l = meet(w, theta, 0, w->task.support, s->rule.lambda);
    int64_t ignored;
    sustain__linear_loss(&l, &ignored);
    sustain__linear_gradient(&l, w->d_features, NULL);
    sustain__zero(s->theta, out);
    sustain__backbone_tangent(w->backbone, theta, u, w->features_t);
    sustain__linear_gradient_tangent(&l, w->features_t, u + s->dim, w->scores[2], w->d_features_t, out + s->dim);
    sustain__backbone_gradient_tangent(w->backbone, theta, u, w->d_features, w->d_features_t, false, out);
}

/* Writes theta_0 .. theta_D to the path; returns theta_D. */
static const sustain_real *adapt(sustain__worker *w, const sustain_real *theta) {
    const sustain__setting *s = w->setting;
    sustain__copy(s->theta, theta, w->path);
    for (int64_t k = 0; k < s->rule.steps; k++) {
        const sustain_real *now = w->path + k * s->theta;
        sustain_real *next = w->path + (k + 1) * s->theta;
        part_gradient(w, now, 0, w->task.support, s->rule.lambda, w->product);
        sustain__copy(s->theta, now, next);
        sustain__add(s->theta, -s->rule.step, w->product, next);
    }
    return w->path + s->rule.steps * s->theta;
}

static sustain__outcome gradient(sustain__worker *w, const sustain_real *theta, int64_t k, sustain_real *out) {
    const sustain__setting *s = w->setting;
    (void)k; /* of eq. (7), not used here */
    const sustain_real *adapted = adapt(w, theta);
    /* u_D */
    const sustain__outcome outcome = part_gradient(w, adapted, w->task.support, w->task.queries, 0, w->adjoint);
    for (int64_t step = s->first_order ? -1 : s->rule.steps - 1; step >= 0; step--) {
        hessian_product(w, w->path + step * s->theta, w->adjoint, w->product);
        sustain__add(s->theta, -s->rule.step, w->product, w->adjoint); /* u_k */
    }
    sustain__add(s->theta, 1, w->adjoint, out);
    return outcome;
}

static sustain__outcome ask(sustain__worker *w, const sustain_real *theta, bool support_statistics) {
    const int64_t n = w->task.support, m = w->task.queries;
    const sustain_real *adapted = adapt(w, theta);
    sustain__linear l = meet(w, adapted, support_statistics ? 0 : n, support_statistics ? n : m, 0);
    if (support_statistics) {
        sustain__backbone_statistics(w->backbone, 0, w->statistics);
        sustain__backbone_features_with(w->backbone, adapted, w->statistics, w->task.picture + n, m, w->features);
        l.rows = m;
        l.labels = w->task.label + n;
    }
    sustain__outcome outcome;
    outcome.loss = sustain__linear_loss(&l, &outcome.correct);
    return outcome;
}

const sustain__method sustain__method_maml = {
    .name = "maml", .learns_start = true, .whole = true, .gradient = gradient, .ask = ask, .step = sustain__meta_descend};
