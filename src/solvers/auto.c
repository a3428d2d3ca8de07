/* auto.c - schedule=auto: steps from a look at the problem where the run starts (look.h). No number from the user, none that has a unit.
 *
 *   K       = the terms for which the truncated hypergradient is off by a tenth of the first one; kappa = max(1, K / ln 10)
 *   beta_0  = b / L_g,
 *   alpha_0 = min( a kappa^lag / (c (1 + 110 s nu / (1 + nu))),  5 R / J ),
 *
 * L_g the largest eigenvalue of a draw's Hessian, c the largest curvature of ell along the way, nu the noise of single estimates relative to the first
 * gradient, R how far a coordinate of x has to go, J how large a coordinate of a single estimate is. a, b, lag and s are habits of the algorithm
 * (solver.h). From there alpha decays like (1 + t/AUTO_W)^(-p), beta like (1 + t/AUTO_W)^(-q), the momentum like (1 + t/AUTO_W)^(-2p), with the
 * algorithm's own powers. How the numbers were found, and what they are worth: docs/defaults.md. */
#include <math.h>

#include "core/vector.h"
#include "solvers/look.h"

#define AUTO_W 30      /* iterations before the decay sets in */
#define AUTO_NOISE 110 /* the most that noise makes alpha smaller */
#define AUTO_JUMP 5    /* single estimates may move a coordinate by so many times the way that it has to go */

/* Where a draw touches only its own coordinates of x, a draw of M samples out of n shows a curvature (and gradient) n/M times
 * that of ell: each of its coordinates weighs 1/M instead of 1/n. */
static double dilution(const sustain__look *l) {
    const sustain_problem *p = l->solver->looked_at;
    if (p->ops->support == NULL || p->samples[SUSTAIN_LOWER] == 0 || l->zeta == NULL) return 1;
    return (double)p->samples[SUSTAIN_LOWER] / (double)l->draw[SUSTAIN_LOWER].size;
}

static double first_alpha(const sustain_solver *b, const sustain__look *l, const sustain_real *x) {
    const sustain__habits *h = &b->algorithm->habits;
    if (b->algorithm->unit_step != NULL && b->algorithm->unit_step(b) > 0)
        return b->algorithm->unit_step(b) * fmax(1, sustain__max_abs(b->looked_at->upper_dim, x));
    const double lag = pow(fmax(1, l->terms / log(10)), h->lag), share = h->noise > 0 ? h->noise : 1;
    const double calm = 1 + share * AUTO_NOISE * l->noise / (1 + l->noise);
    const double alpha = (h->alpha > 0 ? h->alpha : 0.7) * lag * dilution(l) / (l->curvature * calm);
    const double most = l->reach > 0 ? AUTO_JUMP * l->reach / l->jump : INFINITY;
    return isfinite(fmin(alpha, most)) ? fmin(alpha, most) : dilution(l); /* no gradient to be seen: any step will do */
}

sustain_status sustain__auto_steps(sustain_solver *b, uint64_t seed, const sustain_real *x, const sustain_real *y, sustain_steps *out) {
    const sustain__habits *h = &b->algorithm->habits;
    sustain__look l;
    SUSTAIN_TRY(sustain__look_at(&l, b, seed, x, y));
    b->looked_terms = l.terms;
    b->looked_noise = l.noise;
    *out = (sustain_steps){.w = AUTO_W, .p = b->common.p, .q = sustain__power_of_y(&b->common), .K = (int)b->common.K, .L_g = l.L_g};
    if (out->K == 0) out->K = (int)ceil(l.terms);
    const double alpha_0 = first_alpha(b, &l, x), beta_0 = (h->beta > 0 ? h->beta : 0.5) / out->L_g;
    out->alpha = alpha_0 * pow(AUTO_W, out->p);
    out->beta = beta_0 * pow(AUTO_W, out->q);
    out->c_eta_f = out->c_eta_g = pow(AUTO_W, 2 * out->p);
    sustain__log(
        b->context,
        "%s: schedule=auto saw L_g = %.3g, curvature of ell = %.3g, noise %.3g, a way of %.3g and jumps of %.3g a coordinate, %.0f "
        "terms: alpha_0 = %.3g, beta_0 = %.3g, K = %d",
        b->algorithm->info.name, out->L_g, l.curvature / dilution(&l), l.noise, l.reach, l.jump, l.terms, alpha_0, beta_0, out->K);
    return SUSTAIN_OK;
}
