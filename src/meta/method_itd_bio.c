/* method_itd_bio.c - ITD-BiO: bilevel optimization by iterative differentiation. Ji, Yang,
 * Liang, ICML 2021.
 *
 *   y_i^0 = 0,   y_i^{k+1} = y_i^k - step grad_y g_i(x, y_i^k),   k = 0 .. D-1
 *   x <- x - alpha (direction of) mean_i d f_i(x, y_i^D(x)) / d x
 *
 * y_i is the head of task i; the derivative goes through all D steps.
 *
 * Differs: their Algorithm 1 warm-starts y from the previous iteration. Here each iteration has
 * new tasks, so y starts at zero. */
#include "meta/meta_internal.h"

sustain__outcome sustain__gradient_from_zero(sustain__worker *w, const sustain_real *theta, int64_t k, sustain_real *out) {
    sustain__task_features(w, theta);
    const sustain__outcome outcome = sustain__task_head(w, NULL);
    sustain__task_back(w, theta, k, false, out);
    return outcome;
}

const sustain__method sustain__method_itd_bio = {
    .name = "itd-bio", .lambda = 1e-3, .gradient = sustain__gradient_from_zero, .ask = sustain__ask_head, .step = sustain__meta_descend};
