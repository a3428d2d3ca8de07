/* method_anil.c - ANIL: almost no inner loop. Raghu, Raghu, Bengio, Vinyals, ICLR 2020.
 *
 *   y_i^0 = y_0,   y_i^{k+1} = y_i^k - step grad_y g_i(x, y_i^k),   k = 0 .. D-1
 *   (x, y_0) <- (x, y_0) - alpha (direction of) mean_i d f_i(x, y_i^D) / d (x, y_0)
 *
 * y_i is the head of task i, from a learned start; the derivative goes through all D steps. */
#include "meta/meta_internal.h"

static sustain__outcome gradient(sustain__worker *w, const sustain_real *theta, int64_t k, sustain_real *out) {
    sustain__task_features(w, theta);
    const sustain__outcome outcome = sustain__task_head(w, theta + w->setting->dim);
    sustain__task_back(w, theta, k, true, out);
    return outcome;
}

const sustain__method sustain__method_anil = {
    .name = "anil", .learns_start = true, .gradient = gradient, .ask = sustain__ask_head, .step = sustain__meta_descend};
