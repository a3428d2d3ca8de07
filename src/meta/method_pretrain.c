/* method_pretrain.c - supervised pretraining: Chen, Liu, Kira, Wang, Huang, ICLR 2019 ("baseline");
 * Tian, Wang, Krishnan, Tenenbaum, Isola, ECCV 2020.
 *
 *   (x, Y) <- (x, Y) - alpha (direction of) grad of the mean loss of pictures of all training classes
 *
 * Y is one linear head with a row for each training class, and is given up after training: a task
 * gets a new head, adapted to the features of its support. Pictures come in shuffled epochs, in
 * chunks as large as a task, which share their normalization. */
#include "meta/linear.h"
#include "meta/meta_internal.h"

static sustain__outcome gradient(sustain__worker *w, const sustain_real *theta, int64_t k, sustain_real *out) {
    const sustain__setting *s = w->setting;
    const sustain__linear l = {.rows = w->task.support + w->task.queries,
                               .dim = s->features,
                               .ways = s->classes,
                               .features = w->features,
                               .labels = w->task.label,
                               .y = theta + s->dim,
                               .P = w->scores[0],
                               .R = w->scores[1]};
    sustain__outcome outcome;
    (void)k; /* of eq. (7), not used here */
    sustain__task_features(w, theta);
    outcome.loss = sustain__linear_loss(&l, &outcome.correct);
    sustain__linear_gradient(&l, w->d_features, out + s->dim);
    sustain__backbone_gradient(w->backbone, theta, w->d_features, true, out);
    return outcome;
}

const sustain__method sustain__method_pretrain = {
    .name = "pretrain", .all_classes = true, .lambda = 1e-3, .gradient = gradient, .ask = sustain__ask_head, .step = sustain__meta_descend};
