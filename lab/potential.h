/* potential.h - what the proof of Theorem 3.2 follows, on the quadratic problem, whose ell and y*
 * are known:
 *
 *   V_t   = ell(x_t) + (2 L / (3 sqrt(2) L_y)) |y_t - y*(x_t)|^2 + |e^f_t|^2 / (cbar_f alpha_{t-1}) + |e^g_t|^2 / (cbar_g alpha_{t-1})
 *   e^f_t = h^f_t - Df(x_t,y_t) - B_t,     e^g_t = h^g_t - grad_y g(x_t,y_t)
 *
 * Df is the surrogate (6), B_t the bias of its estimate (7): Df + B_t = E of (7), the truncated
 * series of expected values. (Appendix, label Eq: PotentialFunction.) The lemma of its descent,
 * label Lem: Decent_PotentialFn, with eta_{t+1} = c_eta alpha_t^2:
 *
 *   E[V_{t+1} - V_t] <= -alpha_t/2 E|grad ell(x_t)|^2 + 2 alpha_t |B_t|^2
 *                       + 2 eta^f_{t+1}^2 sigma_f^2 / (cbar_f alpha_t) + 2 eta^g_{t+1}^2 sigma_g^2 / (cbar_g alpha_t) */
#ifndef SUSTAIN_LAB_POTENTIAL_H
#define SUSTAIN_LAB_POTENTIAL_H

#include <sustain/sustain.h>

/* At one t. `distance`, `ef`, `eg`, `bias` and `gradient` are squared norms: of y_t - y*(x_t),
 * e^f_t, e^g_t, B_t and grad ell(x_t). */
typedef struct potential {
    double V, ell, distance, ef, eg, bias, gradient;
} potential;

typedef struct potential_watch potential_watch;

/* Weights from the constants and T = iterations; constants NULL: those that the problem knows.
 * `problem` is borrowed. */
sustain_status potential_open(sustain_context *context, const sustain_problem *problem, const sustain_constants *constants,
                              double iterations, potential_watch **out);
void potential_close(potential_watch *watch); /* NULL is allowed */

/* The plan whose constants the weights are made of. */
const sustain_plan *potential_plan(const potential_watch *watch);

/* After a step of the algorithm `sustain` (Algorithm 1, dense): at the x_t, y_t that the step began
 * with, and h_t that it made. alpha_{t-1} is the solver's, alpha_{-1} = alpha_0. */
sustain_status potential_after_step(potential_watch *watch, sustain_solver *solver, potential *out);

/* The right side of the lemma for the step from t, with |B_t| <= 1/T, for a run with the plan's
 * steps. */
double potential_change(const potential_watch *watch, int64_t t, double gradient);

#endif
