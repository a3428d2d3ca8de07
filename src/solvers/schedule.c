/* schedule.c - the steps of a run: given (power), from a theorem (theory), or estimated from the
 * problem (auto). All have the form
 *
 *   alpha_t = alpha / (w+t)^p,   beta_t = beta / (w+t)^q,   eta_t = min(1, c_eta / (w+t)^(2p)),   eta_0 = 1           (17), Section 4
 *
 * The parameter r replaces the power 2p of eta: Section 4's Adam has a constant alpha (p = 0) and
 * eta ~ t^(-2/3).
 *
 * Differs: the proofs use eta_{t+1} = c alpha_t^2, Theorem 3.2 eta_t = c alpha_t^2: the theorem is
 * followed, clipped to 1. Section 4 prints eta = c / (kappa^2 (1+t)^(2/3)) with kappa = 0.005 for
 * Adam, which is above 1 for a million iterations, that is no momentum at all: read c /
 * (1+t)^(2/3). */
#include <math.h>

#include <sustain/estimate.h>

#include "solvers/solver_internal.h"

sustain__step_sizes sustain__step_sizes_of(const sustain_solver *solver, int64_t t, bool first) {
    const sustain_steps *s = &solver->steps;
    const double since = s->w + (double)t, decay = s->p > 0 ? pow(since, -s->p) : 1;
    const double decay_y = s->q == s->p ? decay : s->q > 0 ? pow(since, -s->q) : 1;
    const double power = sustain__power_of_eta(&solver->common, s->p), decay_eta = power == 2 * s->p ? decay * decay : pow(since, -power);
    return (sustain__step_sizes){.alpha = solver->scale * s->alpha * decay,
                                 .beta = solver->scale_y * s->beta * decay_y,
                                 .eta_f = first ? 1 : fmin(1, s->c_eta_f * decay_eta),
                                 .eta_g = first ? 1 : fmin(1, s->c_eta_g * decay_eta)};
}

/* Differs: eta = 1 not at t = 0 but at the first step that is made: the first draw may have been
 * dropped, or a run be back at its start. */
sustain__step_sizes sustain__step_sizes_at(const sustain_solver *solver) {
    return sustain__step_sizes_of(solver, solver->t, solver->moved == 0);
}

/* ---- power ---- */

/* The power of beta's decay: that of alpha's, if not given. */
double sustain__power_of_y(const sustain__common *c) {
    return c->q < 0 ? c->p : c->q;
}

/* The power of eta's decay; the theorems have 2p. */
double sustain__power_of_eta(const sustain__common *c, double p) {
    return c->r > 0 && c->schedule != SUSTAIN__SCHEDULE_THEORY ? c->r : 2 * p;
}

static void power_steps(const sustain_solver *b, sustain_steps *out) {
    const sustain__common *c = &b->common;
    *out = (sustain_steps){.alpha = c->alpha,
                           .beta = c->beta,
                           .c_eta_f = c->c_eta_f,
                           .c_eta_g = c->c_eta_g,
                           .w = c->w,
                           .p = c->p,
                           .q = sustain__power_of_y(c),
                           .K = SUSTAIN__POWER_TERMS};
}

/* ---- theory ---- */

static sustain_status theory_steps(sustain_solver *b, uint64_t seed, const sustain_real *x, const sustain_real *y, sustain_steps *out) {
    const double T = (double)(b->common.iterations > 0 ? b->common.iterations : b->planned);
    if (!(T >= 1))
        return sustain__fail(b->context, SUSTAIN_PARAMETER,
                             "schedule=theory plans for a number of iterations: set iterations, or give the run that limit");
    sustain_constants constants = sustain_constants_unknown();
    SUSTAIN_TRY(sustain_estimate_constants(b->context, b->probe_problem, b->common.batch, seed, x, y, &constants));
    sustain_plan plan;
    SUSTAIN_TRY(b->common.theorem == 0 ? sustain_plan_nonconvex(b->context, &constants, T, &plan)
                                       : sustain_plan_strongly_convex(b->context, &constants, T, &plan));
    *out = plan.steps;
    return SUSTAIN_OK;
}

/* ---- choice ---- */

/* Deterministic algorithms use the Hessian of the expected value, not that of the worst draw. */
int64_t sustain__estimate_batch(const sustain_solver *b) {
    return b->algorithm->info.deterministic ? 0 : b->common.batch;
}

static sustain_status choose(sustain_solver *b, uint64_t seed, const sustain_real *x, const sustain_real *y, sustain_steps *out) {
    if (b->algorithm->adapts) {
        *out = (sustain_steps){.w = 1, .L_g = 1, .K = 1};
        return SUSTAIN_OK;
    }
    switch (b->common.schedule) {
    case SUSTAIN__SCHEDULE_POWER:
        power_steps(b, out);
        break;
    case SUSTAIN__SCHEDULE_THEORY:
        SUSTAIN_TRY(theory_steps(b, seed, x, y, out));
        break;
    default:
        SUSTAIN_TRY(b->algorithm->own_steps != NULL ? b->algorithm->own_steps(b, x, y, out) : sustain__auto_steps(b, seed, x, y, out));
        break;
    }
    if (b->common.K > 0) out->K = (int)b->common.K;
    if (b->common.L_g > 0) out->L_g = b->common.L_g;
    if (out->L_g > 0) return SUSTAIN_OK;
    const sustain_constants *known = b->probe_problem->known;
    if (known != NULL && isfinite(known->L_g) && !b->algorithm->info.deterministic) {
        /* given steps are used unchanged, with a bound that always holds */
        out->L_g = known->L_g;
        return SUSTAIN_OK;
    }
    return sustain_estimate_largest(b->context, b->probe_problem, sustain__estimate_batch(b), seed, x, y, &out->L_g);
}

/* Where the problem skips a draw, the estimates are repeated with other draws. */
enum { TRIES = 20 };

sustain_status sustain__choose_steps(sustain_solver *b, const sustain_real *x, const sustain_real *y, sustain_steps *out) {
    for (uint64_t i = 0; i < TRIES; i++) {
        const sustain_phase before = sustain_context_phase(b->context, SUSTAIN_PHASE_PROBE);
        const sustain_status status = choose(b, (uint64_t)b->common.seed + (i << 54), x, y, out);
        sustain_context_phase(b->context, before);
        if (status != SUSTAIN_DRAW_DROPPED) return status;
    }
    return sustain__fail(
        b->context, SUSTAIN_ORACLE_FAILED,
        "problem '%s' drops so many draws that its steps cannot be estimated: give them (schedule=power alpha=... beta=... L_g=...)",
        b->probe_problem->ops->name);
}

sustain_status sustain__look_up_constants(sustain_solver *b, const sustain_real *x, const sustain_real *y, sustain_constants *out) {
    for (uint64_t i = 0; i < TRIES; i++) {
        *out = sustain_constants_unknown();
        const uint64_t seed = (uint64_t)b->common.seed + (i << 54);
        const sustain_status status = sustain_estimate_constants(b->context, b->probe_problem, b->common.batch, seed, x, y, out);
        if (status != SUSTAIN_DRAW_DROPPED) return status;
    }
    return sustain__fail(b->context, SUSTAIN_ORACLE_FAILED,
                         "problem '%s' drops so many draws that its constants cannot be estimated: give them", b->given->ops->name);
}
