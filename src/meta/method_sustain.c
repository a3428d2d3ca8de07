/* method_sustain.c - SUSTAIN for meta learning: Khanduri, Zeng, Hong, Wai, Wang, Yang, NeurIPS
 * 2021, Section 4.
 *
 *   h_t     = Df(x_t, y_t; tasks_t) + (1 - eta_t)(h_{t-1} - Df(x_{t-1}, y_{t-1}; tasks_t))   (14), I
 *   x_{t+1} = x_t - alpha_t h_t,   alpha_t = kappa/(1+t)^(1/3),   eta_0 = 1,
 *   eta_t   = min(1, c alpha_t^2/kappa^2) = min(1, c/(1+t)^(2/3))
 *
 * or alpha_t = kappa and Adam's direction of h_t, with the same eta (Algorithm 2).
 *
 * y of a task is its head adapted from zero, also at x_{t-1}: y_{t-1} in (14) belongs to the
 * *current* tasks, since the previous ones had other classes. Df is differentiated through the
 * inner steps, or is (7) or (6) at y.
 *
 * Option II takes Df(x_{t-1}, y_{t-1}; tasks_{t-1}) for the second gradient. Then h_t - Df_t =
 * (1 - eta_t)(h_{t-1} - Df_{t-1}), which is always 0 since eta_0 = 1. Differs: computed as h_t =
 * Df_t, which is equal. */
#include <math.h>

#include "core/vector.h"
#include "meta/meta_internal.h"

enum { OPTION_I, OPTION_II };

static sustain_status step(sustain_meta *meta, sustain_meta_progress *progress) {
    const sustain_meta_options *o = &meta->options;
    const double decay = pow(1 + (double)meta->t, -1.0 / 3), eta = fmin(1, o->c_eta * decay * decay);
    const double keep = meta->t == 0 || o->option == OPTION_II ? 0 : 1 - eta;
    sustain_meta_progress before;
    /* Df(x_t, y_t; tasks_t) */
    SUSTAIN_TRY(sustain__meta_gradient(meta, meta->theta, meta->gradient, progress));
    if (keep > 0) /* Df(x_{t-1}, y_{t-1}; tasks_t) */
        SUSTAIN_TRY(sustain__meta_gradient(meta, meta->theta_prev, meta->gradient_prev, &before));
    /* (14), (20) */
    sustain__momentum(meta->setting.theta, keep, meta->gradient, meta->gradient_prev, meta->h);
    return sustain__meta_move(meta, o->direction == SUSTAIN_META_ADAM ? o->outer_step : o->outer_step * decay, meta->h, progress);
}

const sustain__method sustain__method_sustain = {
    .name = "sustain", .lambda = 1e-3, .gradient = sustain__gradient_from_zero, .ask = sustain__ask_head, .step = step};
