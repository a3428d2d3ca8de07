/* theory.c - the steps and the bounds of Theorems 3.2 and 3.3, from the constants of Assumptions 1
 * to 4.
 *
 *   L_y   = C_gxy / mu_g,    L_f = L + L C_gxy / mu_g                                                        (12)
 *   L     = L_fx + L_fy C_gxy / mu_g + C_fy (L_gxy / mu_g + L_gyy C_gxy / mu_g^2)                            (12)
 *   L_K^2 = 2 L_fx^2 + 6 K (C_gxy^2 L_fy^2 + C_fy^2 L_gxy^2) / (2 mu_g L_g - mu_g^2)
 *           + 6 K^3 C_gxy^2 C_fy^2 L_gyy^2 / ((L_g - mu_g)^2 (2 mu_g L_g - mu_g^2))                          (15)
 *
 *   Theorem 3.2, with L_mu_g = mu_g L_g / (mu_g + L_g):
 *   K       = (L_g / mu_g) log(C_gxy C_fy T / mu_g),   so that |B_t| <= 1/T                          Lemma 2.1 (8)
 *   c_beta  = 6 sqrt(2) L_y L / L_mu_g                                                                       (29)
 *   cbar_f  = L_K^2 max{36, 4 L_mu_g (mu_g + L_g) c_beta^2 / L^2},   cbar_g the same with L_g^2
 *   c_eta_f = 1/(3 L_f) + cbar_f                                                                             (29)
 *   c_eta_g = 1/(3 L_f) + 8 L_g^2 c_beta^2 + [8 L^2 / L_mu_g^2 + 2 L^2 / (L_mu_g (mu_g + L_g))] cbar_g       (29)
 *   w       = max{2, 27 L_f^3, 8 L_mu_g^3 c_beta^3, (mu_g + L_g)^3 c_beta^3, c_eta_f^(3/2), c_eta_g^(3/2)}   (29)
 *
 *   Theorem 3.3:
 *   K       = (L_g / (2 mu_g)) log(C_gxy^2 C_fy^2 T / mu_g^2),   so that |B_t|^2 <= 1/T
 *   c_beta  = (8 L_y^2 + 8 L^2 + 2 mu_f) / mu_g,   eta^f = (mu_f + 1) alpha,   eta^g = 1
 *   alpha   = min{1/(mu_f + 1), 1/(2 mu_g c_beta), mu_g/(c_beta L_g^2), 1/(16 L_K^2 + 2 L_f),
 *                 (L^2 + 2 L_y^2)/(4 L_K^2 L_g^2 c_beta^2)}
 *
 * Khanduri et al., NeurIPS 2021.
 * Differs: C_g in (12) is C_gxy; (15) has L_gyy^2 where its copy in the appendix has L_g^2; K is
 * rounded up and at least 1; c_beta of Theorem 3.3 has a bracket, and alpha is the minimum of the
 * set, whose fourth member is halved (see fixed_alpha). */
#include <sustain/constants.h>

#include <float.h>
#include <limits.h>
#include <math.h>

#include "core/context_internal.h"

/* What a constant is needed for. */
enum { STEPS = 1, CONVEX = 2, NOISE_OF_F = 4, PARTS_OF_NOISE = 8, PREDICTION = 16 };

/* X(member, least, most, needed for, help). `most` is infinite where the constant may not exist. */
#define CONSTANT_LIST(X)                                                                              \
    X(mu_g, DBL_MIN, DBL_MAX, STEPS, "the strong convexity of g(x,.), every draw")                    \
    X(L_g, DBL_MIN, INFINITY, STEPS, "the Lipschitz constant of grad_y g, every draw; at least mu_g") \
    X(L_fx, 0, INFINITY, STEPS, "the Lipschitz constant of grad_x f")                                 \
    X(L_fy, 0, INFINITY, STEPS, "the Lipschitz constant of grad_y f")                                 \
    X(C_fy, 0, INFINITY, STEPS, "the bound of |grad_y f|")                                            \
    X(L_gxy, 0, INFINITY, STEPS, "the Lipschitz constant of grad^2_xy g")                             \
    X(L_gyy, 0, INFINITY, STEPS, "the Lipschitz constant of grad^2_yy g")                             \
    X(C_gxy, 0, INFINITY, STEPS, "the bound of |grad^2_xy g|, the norm and not its square")           \
    X(mu_f, 0, DBL_MAX, CONVEX, "the strong convexity of ell, 0 if there is none")                    \
    X(sigma_f, 0, INFINITY, NOISE_OF_F, "the standard deviation of the hypergradient's estimate (7)") \
    X(sigma_g, 0, INFINITY, PREDICTION, "the standard deviation of grad_y g")                         \
    X(sigma_fx, 0, INFINITY, PARTS_OF_NOISE, "the standard deviation of grad_x f")                    \
    X(sigma_fy, 0, INFINITY, PARTS_OF_NOISE, "the standard deviation of grad_y f")                    \
    X(sigma_gxy, 0, INFINITY, PARTS_OF_NOISE, "the standard deviation of grad^2_xy g")                \
    X(gap, 0, INFINITY, PREDICTION, "ell(x_0) - min ell")                                             \
    X(distance, 0, DBL_MAX, PREDICTION, "|y_0 - y*(x_0)|")

static const sustain_parameter table[] = {
#define CONSTANT_ROW(member, least, most, need, help) \
    {#member, SUSTAIN_PARAMETER_NUMBER, offsetof(sustain_constants, member), (double)NAN, least, most, NULL, help},
    CONSTANT_LIST(CONSTANT_ROW)
#undef CONSTANT_ROW
};

static const unsigned needed_for[] = {
#define CONSTANT_NEED(member, least, most, need, help) need,
    CONSTANT_LIST(CONSTANT_NEED)
#undef CONSTANT_NEED
};

enum { COUNT = sizeof table / sizeof *table };

static double square(double v) {
    return v * v;
}
static double cube(double v) {
    return v * v * v;
}

/* ---- what both theorems share ---- */

static void lemma_2_2(const sustain_constants *c, sustain_plan *plan) {
    const double mu = c->mu_g;
    plan->L_y = c->C_gxy / mu;
    plan->L = c->L_fx + c->L_fy * c->C_gxy / mu + c->C_fy * (c->L_gxy / mu + c->L_gyy * c->C_gxy / square(mu));
    plan->L_f = plan->L + plan->L * c->C_gxy / mu;
    plan->L_mu_g = mu * c->L_g / (mu + c->L_g);
}

/* (L_g / mu_g) log(C_gxy C_fy / mu_g * horizon), rounded up and at least 1, also where the
 * logarithm is negative or of 0. The sum of logarithms cannot overflow. Lemma 2.1 then gives |B_t|
 * <= 1/horizon, as (1 - mu_g/L_g)^K <= exp(-K mu_g/L_g). */
static double hessian_draws(const sustain_constants *c, double log_horizon) {
    const double logarithm = log(c->C_gxy) + log(c->C_fy) - log(c->mu_g) + log_horizon;
    return fmax(1, ceil(c->L_g / c->mu_g * logarithm));
}

/* L_K, eq. (15). With L_gyy = 0 the last term is 0, also where L_g = mu_g. */
static double lipschitz_of_estimate(const sustain_constants *c, double K) {
    const double mu = c->mu_g, spread = 2 * mu * c->L_g - square(mu);
    const double product = c->C_gxy * c->C_fy * c->L_gyy;
    double sum = 2 * square(c->L_fx);
    sum += 6 * K * square(c->C_gxy * c->L_fy) / spread;
    sum += 6 * K * square(c->C_fy * c->L_gxy) / spread;
    if (product > 0) sum += 6 * cube(K) * square(product / (c->L_g - mu)) / spread;
    return sqrt(sum);
}

/* sigma_f^2 as given, or an upper bound of it: the variance bound of the appendix's Lemma on the
 * bias, with C_fy^2 for C_y^2,
 *
 *   s_fx^2 + (3/mu_g^2) [(s_fy^2 + C_fy^2)(s_gxy^2 + 2 C_gxy^2) + s_fy^2 C_gxy^2]
 *
 * Differs: this has no K, but the draw of k alone, every oracle exact, has a variance that grows
 * like K. With a = grad_x f(xi), b = grad_y f(xi), M the cross block and P the product of eq. (7),
 * (MP - E[MP])b has mean 0 given xi, hence
 *
 *   variance <= 2 E|a - Ea|^2 + 2 |E[MP]|^2 E|b - Eb|^2 + E|MPb|^2
 *            <= 2 s_fx^2 + 2 (C_gxy/mu_g)^2 s_fy^2 + C_gxy^2 C_fy^2 K / (2 mu_g L_g - mu_g^2),
 *
 * the last by E|P|^2 <= K / (2 mu_g L_g - mu_g^2), as in the proof of Lemma 3.1. The larger of the
 * two is taken. */
static double variance_of_estimate(const sustain_constants *c, double K) {
    if (!isnan(c->sigma_f)) return square(c->sigma_f);
    const double mu = c->mu_g, C2 = square(c->C_gxy), fx2 = square(c->sigma_fx), fy2 = square(c->sigma_fy);
    const double printed = fx2 + 3 / square(mu) * ((fy2 + square(c->C_fy)) * (square(c->sigma_gxy) + 2 * C2) + fy2 * C2);
    const double with_k = 2 * fx2 + 2 * C2 / square(mu) * fy2 + C2 * square(c->C_fy) * K / (2 * mu * c->L_g - square(mu));
    return with_k > printed ? with_k : printed; /* not fmax, which would hide a NaN */
}

/* All that depends on K. A K that no int holds is left 0, and usable() refuses it. */
static void set_draws(const sustain_constants *c, double K, double T, sustain_plan *plan) {
    plan->steps.L_g = c->L_g;
    plan->steps.K = K <= INT_MAX ? (int)K : 0;
    plan->L_K = lipschitz_of_estimate(c, K);
    plan->sigma_f = sqrt(variance_of_estimate(c, K));
    plan->iterations = T;
    plan->samples_upper = T;
    plan->samples_lower = T * (2 + (K - 1) / 2);
}

/* ---- Theorem 3.2 ---- */

/* cbar_eta_f with the Lipschitz constant L_K, cbar_eta_g with L_g. */
static double cbar(const sustain_constants *c, const sustain_plan *plan, double lipschitz) {
    const double ratio = 4 * plan->L_mu_g * (c->mu_g + c->L_g) * square(plan->c_beta / plan->L);
    return square(lipschitz) * fmax(36, ratio);
}

/* The last inequality of the proof that has its constants, the line before "Finally, we have from
 * the definition of alpha_T":
 *
 *   1/(alpha_T T) [ 2 gap + 4 L/(3 sqrt(2) L_y) distance^2 + sum over f, g of 2 sigma^2/(cbar alpha_{-1})
 *                   + 4 sum_{t=0..T} alpha_t |B_t|^2 + sum over f, g of 4 c_eta^2/cbar log(T + 1) sigma^2 ]
 *
 * with alpha_{-1} = alpha_0 (printed alpha_1) and |B_t| <= 1/T; sum alpha_t <= alpha_0 + (3/2) ((w
 * + T)^(2/3) - w^(2/3)). It bounds the mean over x_0 ... x_{T-1}. Its log(T + 1) is right by w >=
 * 2; the text argues with w >= 1, which is not enough. The proof has eta_{t+1} = c_eta alpha_t^2,
 * the theorem c_eta alpha_{t+1}^2: by w >= c_eta^(3/2) each step of the proof holds for both. */
static double nonconvex_bound(const sustain_constants *c, const sustain_plan *plan) {
    const double T = plan->iterations, w = plan->steps.w;
    const double alpha_0 = 1 / cbrt(w), alpha_T = 1 / cbrt(w + T);
    const double cbar_f = cbar(c, plan, plan->L_K), cbar_g = cbar(c, plan, c->L_g);
    const double sum_alpha = alpha_0 + 1.5 * square(cbrt(w)) * expm1(2.0 / 3 * log1p(T / w));
    const double start = 2 * c->gap + 4 * plan->L / (3 * sqrt(2) * plan->L_y) * square(c->distance);
    const double bias = 4 * (sum_alpha / T) / T;
    const double noise_f = 2 / (cbar_f * alpha_0) + 4 * (plan->steps.c_eta_f / cbar_f) * plan->steps.c_eta_f * log1p(T);
    const double noise_g = 2 / (cbar_g * alpha_0) + 4 * (plan->steps.c_eta_g / cbar_g) * plan->steps.c_eta_g * log1p(T);
    return (start + bias + noise_f * square(plan->sigma_f) + noise_g * square(c->sigma_g)) / (alpha_T * T);
}

static void make_nonconvex(const sustain_constants *c, double T, sustain_plan *plan) {
    const double mu = c->mu_g, L_g = c->L_g;
    lemma_2_2(c, plan);
    set_draws(c, hessian_draws(c, log(T)), T, plan);

    const double L = plan->L, L_f = plan->L_f, L_mu = plan->L_mu_g;
    const double c_beta = plan->c_beta = 6 * sqrt(2) * plan->L_y * L / L_mu; /* (29) */
    const double c_eta_f = 1 / (3 * L_f) + cbar(c, plan, plan->L_K);         /* (29) */
    const double c_eta_g = 1 / (3 * L_f) + 8 * square(L_g * c_beta)          /* (29) */
                           + (8 * square(L / L_mu) + 2 * square(L) / (L_mu * (mu + L_g))) * cbar(c, plan, L_g);
    double w = fmax(2, 27 * cube(L_f)); /* (29) as printed; c_eta_g >= 8 L_g^2 (c_beta^2 + 36 L^2/L_mu^2) makes the last two the largest */
    w = fmax(w, fmax(8 * cube(L_mu * c_beta), cube((mu + L_g) * c_beta)));
    w = fmax(w, fmax(c_eta_f * sqrt(c_eta_f), c_eta_g * sqrt(c_eta_g)));

    plan->steps.alpha = 1; /* (17) */
    plan->steps.beta = c_beta;
    plan->steps.c_eta_f = c_eta_f;
    plan->steps.c_eta_g = c_eta_g;
    plan->steps.w = w;
    plan->steps.p = plan->steps.q = 1.0 / 3;
    plan->bound = nonconvex_bound(c, plan);
}

/* ---- Theorem 3.3 ---- */

/* The bracket of (19): (2 c_beta^2 + 8 c_beta^2 L_K^2) sigma_g^2 + 2 (mu_f + 1)^2 sigma_f^2. */
static double noise_bracket(const sustain_constants *c, const sustain_plan *plan) {
    const double c_beta2 = square(plan->c_beta);
    return (2 * c_beta2 + 8 * c_beta2 * square(plan->L_K)) * square(c->sigma_g) + 2 * square((c->mu_f + 1) * plan->sigma_f);
}

/* Eq. (19): (1 - mu_f alpha)^t (gap + sigma_f^2 + distance^2) + (2/T + bracket alpha) / mu_f. */
double sustain_plan_bound_at(const sustain_constants *c, const sustain_plan *plan, double t) {
    if (c == NULL || plan == NULL) return (double)NAN;
    if (!(t >= 0)) return (double)NAN;
    const double alpha = plan->steps.alpha;
    const double start = c->gap + square(plan->sigma_f) + square(c->distance);
    const double decay = exp(t * log1p(-c->mu_f * alpha));
    return decay * start + (2 / plan->iterations + noise_bracket(c, plan) * alpha) / c->mu_f;
}

/* The largest alpha of the theorem, or that of the appendix, label Eq: alpha_epsilon, if it is
 * smaller.
 * Differs: the fourth member of the set is printed 1/(8 L_K^2 + L_f). The proof needs alpha/2 (1 -
 * alpha L_f) - alpha/4 - 4 L_K^2 alpha^2 >= 0 as the factor of -|h^f|^2, which is half of that; at
 * the printed value the factor is -alpha/4. Half of it is allowed by both. */
static double fixed_alpha(const sustain_constants *c, const sustain_plan *plan, double epsilon) {
    const double c_beta = plan->c_beta, L_K2 = square(plan->L_K);
    double alpha = 1 / (c->mu_f + 1);
    alpha = fmin(alpha, 1 / (2 * c->mu_g * c_beta));
    alpha = fmin(alpha, c->mu_g / (c_beta * square(c->L_g)));
    alpha = fmin(alpha, 1 / (16 * L_K2 + 2 * plan->L_f));
    alpha = fmin(alpha, (square(plan->L) + 2 * square(plan->L_y)) / (4 * L_K2 * square(c->L_g * c_beta)));
    /* NaN where the noise is not known: then epsilon is infinite */
    const double quadruple = 4 * noise_bracket(c, plan);
    return quadruple * alpha > c->mu_f * epsilon ? c->mu_f * epsilon / quadruple : alpha;
}

static void make_strongly_convex(const sustain_constants *c, double T, double epsilon, sustain_plan *plan) {
    lemma_2_2(c, plan);
    set_draws(c, hessian_draws(c, log(T) / 2), T, plan);
    plan->c_beta = (8 * square(plan->L_y) + 8 * square(plan->L) + 2 * c->mu_f) / c->mu_g;
    plan->steps.alpha = fixed_alpha(c, plan, epsilon);
    plan->steps.beta = plan->c_beta * plan->steps.alpha;
    plan->steps.c_eta_f = (c->mu_f + 1) * plan->steps.alpha;
    plan->steps.c_eta_g = 1;
    plan->steps.w = 1;
    plan->steps.p = plan->steps.q = 0;
    plan->bound = sustain_plan_bound_at(c, plan, T);
}

static void make(const sustain_constants *c, bool strongly_convex, double T, double epsilon, sustain_plan *plan) {
    if (strongly_convex)
        make_strongly_convex(c, T, epsilon, plan);
    else
        make_nonconvex(c, T, plan);
}

/* ---- checks ---- */

static const char *theorem_name(bool strongly_convex) {
    return strongly_convex ? "Theorem 3.3" : "Theorem 3.2";
}

/* One constant. Not known is a refusal only if it is required. */
static sustain_status check_constant(sustain_context *ctx, const char *theorem, const sustain_constants *c, int i, bool required) {
    const sustain_parameter *row = &table[i];
    const double v = *(const double *)((const char *)c + row->offset);
    const char *or_sigma_f = needed_for[i] == PARTS_OF_NOISE ? " or sigma_f=..." : "";
    if (isnan(v) && !required) return SUSTAIN_OK;
    if (isnan(v))
        return sustain__fail(ctx, SUSTAIN_CONSTANTS, "%s needs %s, %s: it is not known: give %s=...%s", theorem, row->name, row->help,
                             row->name, or_sigma_f);
    if (isinf(v) && v > 0 && isinf(row->most))
        return sustain__fail(ctx, SUSTAIN_CONSTANTS,
                             "%s needs %s, %s: it does not exist for this problem (it is infinite); use schedule=power or auto", theorem,
                             row->name, row->help);
    if (!(v >= row->least && v <= row->most))
        return sustain__fail(ctx, SUSTAIN_CONSTANTS, "%s needs %s, %s: %g is not usable; give a finite %s %s 0", theorem, row->name,
                             row->help, v, row->name, row->least > 0 ? ">" : ">=");
    return SUSTAIN_OK;
}

/* Constants that are valid one by one but not together. */
static sustain_status check_together(sustain_context *ctx, const char *theorem, const sustain_constants *c, bool strongly_convex) {
    if (!(c->mu_g <= c->L_g))
        return sustain__fail(ctx, SUSTAIN_CONSTANTS, "%s needs mu_g <= L_g, but mu_g = %g and L_g = %g: correct one of them", theorem,
                             c->mu_g, c->L_g);
    if (!(c->C_gxy <= c->L_g))
        return sustain__fail(
            ctx, SUSTAIN_CONSTANTS,
            "%s needs C_gxy <= L_g, as L_g bounds how grad_y g changes with x too (Assumption 2), but C_gxy = %g and L_g = "
            "%g: give a larger L_g",
            theorem, c->C_gxy, c->L_g);
    if (c->L_gyy > 0 && c->C_gxy > 0 && c->C_fy > 0 && !(c->mu_g < c->L_g))
        return sustain__fail(ctx, SUSTAIN_CONSTANTS,
                             "%s needs L_gyy = 0 where L_g = mu_g = %g, as every Hessian is then mu_g times the identity, but L_gyy = %g: "
                             "give L_gyy=0 or a larger L_g",
                             theorem, c->mu_g, c->L_gyy);
    sustain_plan plan = {0};
    lemma_2_2(c, &plan);
    if (strongly_convex && !(c->mu_f > 0))
        return sustain__fail(ctx, SUSTAIN_CONSTANTS,
                             "%s needs mu_f, the strong convexity of ell, above 0: ell is not strongly convex; use Theorem 3.2", theorem);
    if (strongly_convex && !(c->mu_f <= plan.L_f))
        return sustain__fail(ctx, SUSTAIN_CONSTANTS,
                             "%s needs mu_f <= L_f, the Lipschitz constant of grad ell, but mu_f = %g and eq. (12) makes L_f = %g: "
                             "correct mu_f or the constants of f",
                             theorem, c->mu_f, plan.L_f);
    if (!strongly_convex && !(c->C_gxy > 0))
        return sustain__fail(ctx, SUSTAIN_CONSTANTS,
                             "%s needs C_gxy, the bound of |grad^2_xy g|, above 0: with C_gxy = 0 the levels are not coupled, c_beta is 0 "
                             "and y would never move; give a positive bound or use schedule=power",
                             theorem);
    if (!strongly_convex && !(plan.L > 0))
        return sustain__fail(ctx, SUSTAIN_CONSTANTS,
                             "%s needs L of eq. (12) above 0: L_fx, L_fy and the other constants make it 0, so ell is linear, c_beta is 0 "
                             "and there is nothing to plan; correct the constants or use schedule=power",
                             theorem);
    return SUSTAIN_OK;
}

/* `required` is a set of needs, those that the theorem does not use apart; the noise and the start
 * are also checked where they are not required but given, as the bound is made of them. */
static sustain_status check(sustain_context *ctx, const sustain_constants *c, bool strongly_convex, unsigned required) {
    const char *theorem = theorem_name(strongly_convex);
    unsigned used = STEPS | PREDICTION | (isnan(c->sigma_f) ? PARTS_OF_NOISE : NOISE_OF_F);
    if (strongly_convex) used |= CONVEX;
    for (int i = 0; i < COUNT; i++) {
        if (!(needed_for[i] & used)) continue;
        SUSTAIN_TRY(check_constant(ctx, theorem, c, i, (needed_for[i] & required) != 0));
    }
    return check_together(ctx, theorem, c, strongly_convex);
}

static bool positive(double v) {
    return v > 0 && v <= DBL_MAX;
}

/* Valid constants may differ so much that their powers exceed the range of a double, or K that of
 * an int. */
static sustain_status usable(sustain_context *ctx, const sustain_constants *c, bool strongly_convex, const sustain_plan *plan) {
    const sustain_steps *s = &plan->steps;
    if (s->K < 1)
        return sustain__fail(ctx, SUSTAIN_CONSTANTS,
                             "%s makes K, about L_g/mu_g = %g times a logarithm, larger than %d: give a larger mu_g",
                             theorem_name(strongly_convex), c->L_g / c->mu_g, INT_MAX);
    if (!positive(s->alpha) || !positive(s->beta) || !positive(s->c_eta_f) || !positive(s->c_eta_g) || !positive(s->w))
        return sustain__fail(
            ctx, SUSTAIN_CONSTANTS,
            "%s makes steps outside the range of a double (c_beta = %g, L_K = %g): L_g/mu_g and the other constants are too "
            "far apart; use schedule=power",
            theorem_name(strongly_convex), plan->c_beta, plan->L_K);
    return SUSTAIN_OK;
}

/* ---- the public functions ---- */

sustain_constants sustain_constants_unknown(void) {
    sustain_constants c;
    for (int i = 0; i < COUNT; i++) *(double *)((char *)&c + table[i].offset) = table[i].initial;
    return c;
}

const sustain_parameter *sustain_constants_table(int *count) {
    if (count != NULL) *count = COUNT;
    return table;
}

static sustain_status make_plan(sustain_context *ctx, const sustain_constants *c, bool strongly_convex, double T, sustain_plan *plan) {
    sustain_plan made = {0};
    if (!(T >= 1 && T <= DBL_MAX))
        return sustain__fail(ctx, SUSTAIN_ARGUMENT, "%s needs iterations, at least 1 and finite, but they are %g",
                             theorem_name(strongly_convex), T);
    SUSTAIN_TRY(check(ctx, c, strongly_convex, STEPS | CONVEX));
    make(c, strongly_convex, T, (double)INFINITY, &made);
    SUSTAIN_TRY(usable(ctx, c, strongly_convex, &made));
    *plan = made;
    return SUSTAIN_OK;
}

sustain_status sustain_plan_nonconvex(sustain_context *context, const sustain_constants *constants, double iterations, sustain_plan *plan) {
    SUSTAIN_TRY(sustain__need(context, constants, "constants"));
    SUSTAIN_TRY(sustain__need(context, plan, "plan"));
    return make_plan(context, constants, false, iterations, plan);
}

sustain_status sustain_plan_strongly_convex(sustain_context *context, const sustain_constants *constants, double iterations,
                                            sustain_plan *plan) {
    SUSTAIN_TRY(sustain__need(context, constants, "constants"));
    SUSTAIN_TRY(sustain__need(context, plan, "plan"));
    return make_plan(context, constants, true, iterations, plan);
}

/* Walks up in steps of 0.1 %, of 1 below a thousand. No bisection: each step of K lifts the bound,
 * so it is not monotone, and where log(C_gxy C_fy T/mu_g) is small even its trend can rise. 1e300
 * is reached after 700 thousand points, a fraction of a second. */
sustain_status sustain_plan_for_epsilon(sustain_context *context, const sustain_constants *constants, bool strongly_convex, double epsilon,
                                        sustain_plan *plan) {
    SUSTAIN_TRY(sustain__need(context, constants, "constants"));
    SUSTAIN_TRY(sustain__need(context, plan, "plan"));
    if (!(epsilon > 0 && epsilon <= DBL_MAX))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "epsilon must be above 0 and finite, but it is %g", epsilon);
    SUSTAIN_TRY(check(context, constants, strongly_convex, STEPS | CONVEX | PREDICTION | NOISE_OF_F | PARTS_OF_NOISE));
    for (double T = 1; T <= 1e300; T = ceil(fmax(T + 1, 1.001 * T))) {
        sustain_plan made = {0};
        make(constants, strongly_convex, T, epsilon, &made);
        SUSTAIN_TRY(usable(context, constants, strongly_convex, &made));
        if (made.bound <= epsilon) {
            *plan = made;
            return SUSTAIN_OK;
        }
    }
    return sustain__fail(context, SUSTAIN_CONSTANTS, "%s reaches epsilon = %g with no T up to 1e300: ask for a larger epsilon",
                         theorem_name(strongly_convex), epsilon);
}
