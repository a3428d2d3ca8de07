/* auto.c - schedule=auto: steps estimated by a probe of the problem at the start of the run
 * (probe.h). It needs no parameter, and scaling x, y, f or g does not change its choices.
 *
 *   K       = the terms for which the truncated hypergradient is off by a tenth of the largest one; kappa = max(1, K / ln 10)
 *   beta_0  = b / L_g,
 *   alpha_0 = min( a kappa^lag / (c (1 + noise s nu / (1 + nu))),  3 R / J ),
 *
 * L_g the largest eigenvalue of a draw's Hessian, c the largest curvature of ell along the path of
 * the probe, nu the noise of single estimates relative to the gradients there, R the largest
 * distance that a coordinate of x moves, J the largest coordinate of a single estimate; `noise` is
 * a parameter. a, b, lag and s are tuning constants of the algorithm (solver_internal.h). From
 * there alpha decays like (1 + t/AUTO_W)^(-p), beta like (1 + t/AUTO_W)^(-q), the momentum like
 * (1 + t/AUTO_W)^(-2p), with the algorithm's own powers. How the constants were chosen, and
 * measurements: docs/defaults.md. */
#include <math.h>

#include <sustain/estimate.h>

#include "core/vector.h"
#include "solvers/probe.h"

#define AUTO_W 30      /* iterations before the steps decay */
#define AUTO_QUIET 0.1 /* below it noise is negligible */
/* a single estimate may move a coordinate by at most this multiple of R */
#define AUTO_JUMP 3

/* Where a draw touches only its own coordinates of x, a draw of M samples out of n shows a
 * curvature (and gradient) n/M times that of ell: each of its coordinates weighs 1/M instead of
 * 1/n. */
static double dilution(const sustain_solver *b) {
    const sustain_problem *p = b->probe_problem;
    if (SUSTAIN__FAST(p, support) == NULL || p->samples[SUSTAIN_LOWER] == 0 || b->probe.whole) return 1;
    return (double)p->samples[SUSTAIN_LOWER] / (double)sustain__probe_size(b, SUSTAIN_LOWER);
}

const sustain__tuning *sustain__tuning_of(const sustain_solver *b) {
    return b->algorithm->variant != NULL ? b->algorithm->variant(b) : &b->algorithm->tuning;
}

static double kappa(const sustain__probe *seen) {
    return fmax(1, fmax(seen->terms, seen->settling) / log(10));
}

static double beta_factor(const sustain_solver *b) {
    const sustain__tuning *h = sustain__tuning_of(b);
    if (b->common.sampling >= 1 && h->shuffled > 0) return h->shuffled;
    return h->beta > 0 ? h->beta : 0.5;
}

/* Where y and v follow x at a rate of r = b/kappa an iteration, and F is the smallest curvature
 * along the path with y and v held fixed, the slowest mode of x satisfies
 *
 *   (s + alpha F) (s + r)^2 + alpha S r^2 = 0,   S = c - F,
 *
 * which by Routh's criterion is unstable where 2 (alpha F + r)^2 < alpha S r: for steps too long
 * for the lag and too short to be damped by F. There are none where S < 8 F. Such a step is
 * replaced by 1/(2 F), if that is longer than all unstable ones: there s is about -r, the best rate
 * that the lag allows. */
static double above_swinging(double alpha, double S, double F, double r) {
    if (!(F > 0 && S > 8 * F)) return alpha;
    const double middle = S - 4 * F, half = sqrt(S * (S - 8 * F)), unit = r / (4 * F * F);
    const double end = unit * (middle + half), longer = 1 / (2 * F);
    return alpha > unit * (middle - half) && alpha < 2 * end && longer > end ? longer : alpha;
}

static double first_alpha(const sustain_solver *b, const sustain_real *x) {
    const sustain__tuning *h = sustain__tuning_of(b);
    const sustain__probe *seen = &b->probe;
    if (b->algorithm->unit_step != NULL && b->algorithm->unit_step(b) > 0)
        return b->algorithm->unit_step(b) * fmax(1, sustain__max_abs(b->probe_problem->upper_dim, x));
    if (b->algorithm->unit_length != NULL && b->algorithm->unit_length(b) > 0)
        return b->algorithm->unit_length(b) *
               (seen->distance > 0 ? seen->distance : fmax(1, sustain__norm(b->probe_problem->upper_dim, x)));
    const double calm = 1 + (h->noise > 0 ? h->noise : 1) * b->common.noise * seen->noise / (1 + seen->noise);
    const bool quiet = seen->noise < AUTO_QUIET;
    const double lag = h->lag + (quiet ? h->quiet_lag : 0);
    double alpha = (h->alpha > 0 ? h->alpha : 0.7) * pow(kappa(seen), lag) * dilution(b) / seen->curvature;
    if (lag > 0 && quiet) /* otherwise noise limits the steps */
        alpha = above_swinging(alpha, (seen->curvature - seen->own) / dilution(b), seen->own / dilution(b), beta_factor(b) / kappa(seen));
    const double most = seen->reach > 0 ? AUTO_JUMP * seen->reach / seen->jump : INFINITY;
    const double factor = b->algorithm->alpha_factor != NULL ? b->algorithm->alpha_factor(b) : 1;
    const double first = fmin(factor * alpha / calm, most);
    return isfinite(first) ? first : dilution(b); /* the gradient is zero: any step will do */
}

/* Reuses the probe made when the algorithm was chosen, if a new probe would give the same result.
 * Deterministic algorithms need the largest eigenvalue of another Hessian. */
static sustain_status recall(sustain_solver *b, uint64_t seed, const sustain_real *x, const sustain_real *y, bool *recalled) {
    const bool deterministic = b->algorithm->info.deterministic;
    *recalled = b->probed && b->own_start && seed == 0 && b->common.batch == 1 && b->common.L_g == 0 && b->common.probe == 0 &&
                (b->probe.whole || !deterministic) && !sustain__tuning_of(b)->steady;
    if (!*recalled || !deterministic) return SUSTAIN_OK;
    b->probe.noise = b->probe.jump = 0;
    return sustain_estimate_largest(b->context, b->probe_problem, 0, seed, x, y, &b->probe.L_g);
}

sustain_status sustain__auto_steps(sustain_solver *b, uint64_t seed, const sustain_real *x, const sustain_real *y, sustain_steps *out) {
    const sustain__probe *seen = &b->probe;
    bool recalled;
    SUSTAIN_TRY(recall(b, seed, x, y, &recalled));
    if (!recalled) SUSTAIN_TRY(sustain__probe_problem(b, seed, x, y, &b->probe));
    *out = (sustain_steps){.w = AUTO_W, .p = b->common.p, .q = sustain__power_of_y(&b->common), .K = (int)b->common.K, .L_g = seen->L_g};
    if (out->K == 0) out->K = (int)ceil(seen->terms);
    const double alpha_0 = first_alpha(b, x), beta_0 = beta_factor(b) / out->L_g;
    out->alpha = alpha_0 * pow(AUTO_W, out->p);
    out->beta = beta_0 * pow(AUTO_W, out->q);
    const double eta = sustain__tuning_of(b)->eta;
    out->c_eta_f = out->c_eta_g = (eta > 0 ? eta : 1) * pow(AUTO_W, sustain__power_of_eta(&b->common, out->p));
    sustain__log(
        b->context,
        "%s: schedule=auto estimates L_g = %.3g, curvature of ell = %.3g, noise %.3g, distance %.3g and jump %.3g of a coordinate, %.0f  "
        "terms: alpha_0 = %.3g, beta_0 = %.3g, K = %d",
        b->algorithm->info.name, out->L_g, seen->curvature / dilution(b), seen->noise, seen->reach, seen->jump, seen->terms, alpha_0,
        beta_0, out->K);
    return SUSTAIN_OK;
}
