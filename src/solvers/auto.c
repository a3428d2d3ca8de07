/* auto.c - schedule=auto: steps from a look at the problem where the run starts (look.h). No number from the user, none that has a unit.
 *
 *   K       = the terms for which the truncated hypergradient is off by a tenth of the first one; kappa = max(1, K / ln 10)
 *   beta_0  = b / L_g,
 *   alpha_0 = min( a kappa^lag / (c (1 + 110 s nu / (1 + nu))),  3 R / J ),
 *
 * L_g the largest eigenvalue of a draw's Hessian, c the largest curvature of ell along the way, nu the noise of single estimates relative to the first
 * gradient, R how far a coordinate of x has to go, J how large the largest coordinate of a single estimate is. a, b, lag and s are habits of the
 * algorithm (solver.h). From there alpha decays like (1 + t/AUTO_W)^(-p), beta like (1 + t/AUTO_W)^(-q), the momentum like (1 + t/AUTO_W)^(-2p), with
 * the algorithm's own powers. How the numbers were found, and what they are worth: docs/defaults.md. */
#include <math.h>

#include <sustain/estimate.h>

#include "core/vector.h"
#include "solvers/probe.h"

#define AUTO_W 30      /* iterations before the decay sets in */
#define AUTO_NOISE 110 /* the most that noise makes alpha smaller */
#define AUTO_QUIET 0.1 /* less noise is hardly any */
#define AUTO_JUMP 3    /* single estimates may move a coordinate by so many times the way that it has to go */

/* Where a draw touches only its own coordinates of x, a draw of M samples out of n shows a curvature (and gradient) n/M times
 * that of ell: each of its coordinates weighs 1/M instead of 1/n. */
static double dilution(const sustain_solver *b) {
    const sustain_problem *p = b->looked_at;
    if (SUSTAIN__FAST(p, support) == NULL || p->samples[SUSTAIN_LOWER] == 0 || b->sight.whole) return 1;
    return (double)p->samples[SUSTAIN_LOWER] / (double)sustain__look_size(b, SUSTAIN_LOWER);
}

static double kappa(const sustain__sight *seen) {
    return fmax(1, seen->terms / log(10));
}

static double beta_habit(const sustain_solver *b) {
    const sustain__habits *h = &b->algorithm->habits;
    if (b->common.sampling == 1 && h->shuffled > 0) return h->shuffled;
    return h->beta > 0 ? h->beta : 0.5;
}

/* Where y and v follow x at a rate of r = b/kappa an iteration, and F is the part of the curvature c that does not wait for them, x moves in the
 * slowest direction by
 *
 *   (s + alpha F) (s + r)^2 + alpha S r^2 = 0,   S = c - F,
 *
 * which by Routh's criterion swings ever wider where 2 (alpha F + r)^2 < alpha S r: for steps too long for the lag and too short for F to damp them.
 * There are none where S < 8 F. Such a step is made 1/(2 F), if that is beyond them: from there on s is about -r, as good as the lag allows. */
static double above_swinging(double alpha, double S, double F, double r) {
    if (!(F > 0 && S > 8 * F)) return alpha;
    const double middle = S - 4 * F, half = sqrt(S * (S - 8 * F)), unit = r / (4 * F * F);
    const double end = unit * (middle + half), longer = 1 / (2 * F);
    return alpha > unit * (middle - half) && alpha < 2 * end && longer > end ? longer : alpha;
}

static double first_alpha(const sustain_solver *b, const sustain_real *x) {
    const sustain__habits *h = &b->algorithm->habits;
    const sustain__sight *seen = &b->sight;
    if (b->algorithm->unit_step != NULL && b->algorithm->unit_step(b) > 0)
        return b->algorithm->unit_step(b) * fmax(1, sustain__max_abs(b->looked_at->upper_dim, x));
    const double calm = 1 + (h->noise > 0 ? h->noise : 1) * AUTO_NOISE * seen->noise / (1 + seen->noise);
    const bool quiet = seen->noise < AUTO_QUIET;
    const double lag = h->lag + (quiet ? h->quiet_lag : 0);
    double alpha = (h->alpha > 0 ? h->alpha : 0.7) * pow(kappa(seen), lag) * dilution(b) / seen->curvature;
    if (lag > 0 && quiet) /* else noise is what makes steps short */
        alpha = above_swinging(alpha, (seen->curvature - seen->own) / dilution(b), seen->own / dilution(b), beta_habit(b) / kappa(seen));
    const double most = seen->reach > 0 ? AUTO_JUMP * seen->reach / seen->jump : INFINITY;
    const double first = fmin(alpha / calm, most);
    return isfinite(first) ? first : dilution(b); /* no gradient to be seen: any step will do */
}

/* What was seen when the algorithm was chosen, if this run's own look would see the same; who draws nothing needs the largest eigenvalue of
 * another Hessian. */
static sustain_status recall(sustain_solver *b, uint64_t seed, const sustain_real *x, const sustain_real *y, bool *recalled) {
    const bool deterministic = b->algorithm->info.deterministic;
    *recalled = b->scouted && b->own_start && seed == 0 && b->common.batch == 1 && b->common.L_g == 0 &&
                (b->sight.whole || !deterministic) && !b->algorithm->habits.steady;
    if (!*recalled || !deterministic) return SUSTAIN_OK;
    b->sight.noise = b->sight.jump = 0;
    return sustain_estimate_largest(b->context, b->looked_at, 0, seed, x, y, &b->sight.L_g);
}

sustain_status sustain__auto_steps(sustain_solver *b, uint64_t seed, const sustain_real *x, const sustain_real *y, sustain_steps *out) {
    const sustain__sight *seen = &b->sight;
    bool recalled;
    SUSTAIN_TRY(recall(b, seed, x, y, &recalled));
    if (!recalled) SUSTAIN_TRY(sustain__look_at(b, seed, x, y, &b->sight));
    *out = (sustain_steps){.w = AUTO_W, .p = b->common.p, .q = sustain__power_of_y(&b->common), .K = (int)b->common.K, .L_g = seen->L_g};
    if (out->K == 0) out->K = (int)ceil(seen->terms);
    const double alpha_0 = first_alpha(b, x), beta_0 = beta_habit(b) / out->L_g;
    out->alpha = alpha_0 * pow(AUTO_W, out->p);
    out->beta = beta_0 * pow(AUTO_W, out->q);
    out->c_eta_f = out->c_eta_g = pow(AUTO_W, 2 * out->p);
    sustain__log(
        b->context,
        "%s: schedule=auto saw L_g = %.3g, curvature of ell = %.3g, noise %.3g, a way of %.3g and jumps of %.3g a coordinate, %.0f "
        "terms: alpha_0 = %.3g, beta_0 = %.3g, K = %d",
        b->algorithm->info.name, out->L_g, seen->curvature / dilution(b), seen->noise, seen->reach, seen->jump, seen->terms, alpha_0,
        beta_0, out->K);
    return SUSTAIN_OK;
}
