/* rates_table.c - the theorems: how steps, momentum, K, batches and inner loops depend on
 * epsilon, and the proved exponents.
 *
 * e stands for epsilon, T for the iterations. A theorem with steps ~ T^(-a) and T ~ e^(-b) has
 * steps ~ e^(ab). If its steps decay with t, the powers p and q give the decay and only K depends
 * on e. K grows so that the bias of the truncated series, ~ (1 - mu_g/L_g)^K, decreases like
 * e^(1/2): K = K_0 + log(1/e) / (2 log 3), a mean over the seeds. An algorithm without a proof for
 * the strongly convex case uses the steps of its nonconvex theorem there. */
#include <math.h>

#include "rates.h"

#define NONE ((double)NAN)
#define FIXED(name, value) \
    { name, value, 0, 0, 0, 0, NULL }
#define POWER(name, value, power) \
    { name, value, power, 0, 0, 0, NULL }
#define CHOSEN(name, first, step, choices, power) \
    { name, first, power, 0, choices, step, NULL }
#define SERIES(first) \
    { "K", first, 0, 0.455, 0, 0, NULL }
#define SUM(first) \
    { "Q", first, 0, 0.455, 0, 0, NULL }

#define STEPS(first) \
    { "D", first, 0, 0.455, 0, 0, NULL }
#define WORD(name, word) \
    { name, 0, 0, 0, 0, 0, word }

/* Steps that decay with t, as in Theorem 3.2 of SUSTAIN; eta ~ their square. */
#define CUBE_ROOT_DECAY                                                                                                                  \
    FIXED("p", 1.0 / 3), FIXED("w", 2), CHOSEN("alpha", 0.05, 2, 6, 0), CHOSEN("beta", 0.125, 2, 4, 0), CHOSEN("c_eta_f", 0.5, 2, 3, 0), \
        CHOSEN("c_eta_g", 1, 4, 2, 0)
/* Constant steps that depend on e. */
#define CONSTANT(power_alpha, power_beta) \
    FIXED("p", 0), FIXED("q", 0), CHOSEN("alpha", 0.00625, 2, 8, power_alpha), CHOSEN("beta", 0.03125, 2, 6, power_beta)

/* clang-format off */
static const rates_row rows[] = {
    {"sustain", NULL, true, false, 2, {
        {{1.5, 1.5}, "Theorem 3.2: alpha_t, beta_t ~ t^(-1/3), eta_t ~ t^(-2/3), K ~ log T",
         {CUBE_ROOT_DECAY, SERIES(4)}},
        {{1, 1}, "Theorem 3.3: constant alpha, beta, eta^f ~ e, eta^g = 1, K ~ log T",
         {CONSTANT(1, 1), CHOSEN("c_eta_f", 0.25, 4, 2, 1), FIXED("c_eta_g", 1), SERIES(4)}}}},
    {"sustain-running", .solver = "sustain", .cost = 2, .theorem = {
        {{NONE, NONE}, "none; steps of Theorem 3.2, the linear system followed by the iterates (system=running)",
         {CUBE_ROOT_DECAY, WORD("system", "running")}},
        {{NONE, NONE}, "none; steps of Theorem 3.3",
         {CONSTANT(1, 1), CHOSEN("c_eta_f", 0.25, 4, 2, 1), FIXED("c_eta_g", 1), WORD("system", "running")}}}},
    {"bsa", NULL, true, false, 2, {
        {{2, 3}, "constant alpha ~ T^(-1/2), t_k = sqrt(k) inner steps ~ 1/t from y_0, K ~ log T",
         {FIXED("p", 0), FIXED("q", 1), FIXED("w", 1), CHOSEN("alpha", 0.0125, 2, 7, 1), CHOSEN("beta", 0.25, 2, 4, 0), SERIES(4)}},
        {{1, 2}, "alpha_k ~ 1/k, t_k = k inner steps ~ 1/t from y_0, K ~ log T",
         {FIXED("p", 1), FIXED("q", 1), FIXED("w", 8), WORD("growth", "linear"), CHOSEN("alpha", 1, 2, 5, 0), CHOSEN("beta", 1, 2, 4, 0), SERIES(4)}}}},
    {"ttsa", NULL, true, false, 2, {
        {{2.5, 2.5}, "constant alpha ~ T^(-3/5), beta ~ T^(-2/5), K ~ log T",
         {CONSTANT(1.5, 1), SERIES(4)}},
        {{1.5, 1.5}, "alpha_k ~ 1/k, beta_k ~ k^(-2/3), K ~ log T",
         {FIXED("p", 1), FIXED("q", 2.0 / 3), FIXED("w", 8), CHOSEN("alpha", 1, 2, 5, 0), CHOSEN("beta", 0.25, 2, 5, 0), SERIES(4)}}}},
    {"stocbio", NULL, true, false, 2, {
        {{2, 2}, "constant steps, batches ~ 1/e, D inner steps, Q ~ log 1/e",
         {CONSTANT(0, 0), CHOSEN("batch", 2, 2, 5, -1), FIXED("inner", 3), FIXED("largest", 1e9), SUM(3)}},
        {{NONE, NONE}, "none; steps as above",
         {CONSTANT(0, 0), CHOSEN("batch", 2, 2, 5, -1), FIXED("inner", 3), FIXED("largest", 1e9), SUM(3)}}}},
    {"stable", NULL, true, false, 3, {
        {{2, 2}, "constant alpha, beta, tau ~ T^(-1/2)",
         {CONSTANT(1, 1), CHOSEN("c_eta_f", 0.0156, 4, 4, 2)}},
        {{1, 1}, "alpha_k, beta_k, tau_k ~ 1/k",
         {FIXED("p", 1), FIXED("w", 8), CHOSEN("alpha", 1, 2, 5, 0), CHOSEN("beta", 1, 2, 4, 0), CHOSEN("c_eta_f", 1, 4, 4, 0)}}}},
    {"svrb", NULL, true, false, 3, {
        {{1.5, 1.5}, "alpha_t, beta_t ~ t^(-1/3), eta_t ~ t^(-2/3)",
         {CUBE_ROOT_DECAY}},
        {{NONE, NONE}, "none; steps as above",
         {CUBE_ROOT_DECAY}}}},
    {"fedbioacc", NULL, false, false, 2, {
        {{1.5, 1.5}, "alpha_t, beta_t ~ t^(-1/3), eta_t ~ t^(-2/3), 4 clients, 4 local steps",
         {CUBE_ROOT_DECAY, FIXED("clients", 4), FIXED("local_steps", 4)}},
        {{NONE, NONE}, "none; steps as above",
         {CUBE_ROOT_DECAY, FIXED("clients", 4), FIXED("local_steps", 4)}}}},
    {"mrbo", NULL, false, false, 2, {
        {{1.5, 1.5}, "alpha_t, beta_t ~ t^(-1/3), eta_t ~ t^(-2/3), Q ~ log T",
         {CUBE_ROOT_DECAY, SUM(3)}},
        {{NONE, NONE}, "none; steps as above",
         {CUBE_ROOT_DECAY, SUM(3)}}}},
    {"vrbo", NULL, false, false, 2, {
        {{1.5, 1.5}, "constant steps, S_1 ~ 1/e every q ~ e^(-1/2) iterations, S_2 ~ e^(-1/2), Q ~ log 1/e",
         {CONSTANT(0, 0), CHOSEN("large", 4, 2, 3, -1), POWER("period", 2, -0.5), POWER("batch", 1, -0.5), FIXED("inner", 0), SUM(3)}},
        {{NONE, NONE}, "none; steps as above",
         {CONSTANT(0, 0), CHOSEN("large", 4, 2, 3, -1), POWER("period", 2, -0.5), POWER("batch", 1, -0.5), FIXED("inner", 0), SUM(3)}}}},
    {"soba", NULL, false, false, 2, {
        {{2, 2}, "constant gamma, rho ~ T^(-1/2)",
         {CONSTANT(1, 1)}},
        {{NONE, NONE}, "none; steps as above",
         {CONSTANT(1, 1)}}}},
    {"ma-soba", NULL, false, false, 2, {
        {{2, 2}, "constant alpha, beta, theta ~ T^(-1/2)",
         {CONSTANT(1, 1), CHOSEN("theta", 0.25, 2, 3, 1)}},
        {{NONE, NONE}, "none; steps as above",
         {CONSTANT(1, 1), CHOSEN("theta", 0.25, 2, 3, 1)}}}},
    {"fsla", NULL, false, false, 2, {
        {{2, 2}, "constant alpha, beta, eta ~ T^(-1/2)",
         {CONSTANT(1, 1), CHOSEN("c_eta_f", 0.0156, 4, 4, 2)}},
        {{NONE, NONE}, "none; steps as above",
         {CONSTANT(1, 1), CHOSEN("c_eta_f", 0.0156, 4, 4, 2)}}}},
    {"amigo", NULL, false, false, 2, {
        {{2, 2}, "constant steps, batches ~ 1/e, T and N inner steps",
         {CONSTANT(0, 0), CHOSEN("batch", 2, 2, 4, -1), FIXED("T", 3), FIXED("N", 3)}},
        {{NONE, NONE}, "none; steps as above",
         {CONSTANT(0, 0), CHOSEN("batch", 2, 2, 4, -1), FIXED("T", 3), FIXED("N", 3)}}}},
    {"f2sa", NULL, false, false, 2, {
        {{3.5, 3.5}, "a_k ~ k^(-5/7), gamma_k ~ k^(-4/7), lambda_k ~ k^(1/7)",
         {FIXED("p", 5.0 / 7), FIXED("q", 4.0 / 7), FIXED("w", 1), CHOSEN("alpha", 0.2, 2, 5, 0), CHOSEN("beta", 0.25, 2, 4, 0), CHOSEN("lambda", 2, 2, 4, 0), FIXED("T", 1)}},
        {{NONE, NONE}, "none; steps as above",
         {FIXED("p", 5.0 / 7), FIXED("q", 4.0 / 7), FIXED("w", 1), CHOSEN("alpha", 0.2, 2, 5, 0), CHOSEN("beta", 0.25, 2, 4, 0), CHOSEN("lambda", 2, 2, 4, 0), FIXED("T", 1)}}}},
    {"f2sa-p", NULL, false, false, 2, {
        {{2.5, 2.5}, "p = 2: nu ~ e^(1/4), eta_x ~ e^(1/2) of a normalized direction, eta_y, 1/S and 1/K ~ e^(3/2)",
         {CONSTANT(0.5, 1.5), FIXED("order", 2), WORD("direction", "normalized"), CHOSEN("lambda", 2, 2, 3, -0.25), POWER("T", 1, -1.5), FIXED("inner", 1), POWER("batch", 1, -1.5)}},
        {{NONE, NONE}, "none; steps as above",
         {CONSTANT(0.5, 1.5), FIXED("order", 2), WORD("direction", "normalized"), CHOSEN("lambda", 2, 2, 3, -0.25), POWER("T", 1, -1.5), FIXED("inner", 1), POWER("batch", 1, -1.5)}}}},
    {"f3sa", NULL, false, false, 2, {
        {{2.5, 2.5}, "a_k ~ k^(-3/5), gamma_k ~ k^(-2/5), eta_k ~ k^(-4/5), lambda_k ~ k^(1/5)",
         {FIXED("p", 0.6), FIXED("q", 0.4), FIXED("r", 0.8), FIXED("w", 1), CHOSEN("alpha", 0.1, 2, 5, 0), CHOSEN("beta", 0.25, 2, 3, 0), CHOSEN("lambda", 2, 2, 3, 0), CHOSEN("c_eta_f", 0.5, 2, 2, 0)}},
        {{NONE, NONE}, "none; steps as above",
         {FIXED("p", 0.6), FIXED("q", 0.4), FIXED("r", 0.8), FIXED("w", 1), CHOSEN("alpha", 0.1, 2, 5, 0), CHOSEN("beta", 0.25, 2, 3, 0), CHOSEN("lambda", 2, 2, 3, 0), CHOSEN("c_eta_f", 0.5, 2, 2, 0)}}}},
    {"spaba", NULL, false, false, 2, {
        {{1.5, 1.5}, "constant steps, B ~ 1/e with probability b/(b+B), b ~ e^(-1/2)",
         {CONSTANT(0, 0), CHOSEN("large", 4, 2, 3, -1), POWER("batch", 1, -0.5)}},
        {{NONE, NONE}, "none; steps as above",
         {CONSTANT(0, 0), CHOSEN("large", 4, 2, 3, -1), POWER("batch", 1, -0.5)}}}},
    {"slip", NULL, false, false, 2, {
        {{2, 2}, "constant alpha ~ T^(-3/4) of a normalized direction, beta, theta ~ T^(-1/2)",
         {CONSTANT(1.5, 1), CHOSEN("c_eta_f", 0.25, 4, 2, 1), FIXED("r", 0)}},
        {{NONE, NONE}, "none; steps as above",
         {CONSTANT(1.5, 1), CHOSEN("c_eta_f", 0.25, 4, 2, 1), FIXED("r", 0)}}}},
    {"bo-rep", NULL, false, false, 2, {
        {{2, 2}, "constant alpha ~ T^(-3/4) of a normalized direction, beta, theta ~ T^(-1/2), N = period ~ T^(1/2)",
         {CONSTANT(1.5, 1), CHOSEN("c_eta_f", 0.25, 4, 2, 1), FIXED("r", 0), POWER("period", 1, -1), POWER("N", 1, -1)}},
        {{NONE, NONE}, "none; steps as above",
         {CONSTANT(1.5, 1), CHOSEN("c_eta_f", 0.25, 4, 2, 1), FIXED("r", 0), POWER("period", 1, -1), POWER("N", 1, -1)}}}},
    {"pzobo", NULL, false, false, 2, {
        {{2, 2}, "constant steps, batches ~ 1/e, N inner steps, Q directions",
         {FIXED("p", 0), FIXED("q", 0), CHOSEN("alpha", 0.025, 2, 4, 0), FIXED("beta", 0.5), CHOSEN("batch", 4, 2, 3, -1), FIXED("N", 4), FIXED("directions", 4)}},
        {{NONE, NONE}, "none; steps as above",
         {FIXED("p", 0), FIXED("q", 0), CHOSEN("alpha", 0.025, 2, 4, 0), FIXED("beta", 0.5), CHOSEN("batch", 4, 2, 3, -1), FIXED("N", 4), FIXED("directions", 4)}}}},
    {"tfbo", NULL, false, true, 2, {
        {{1, 1}, "S-TFBO: steps from accumulated gradients",
         {CHOSEN("first", 0.125, 2, 6, 0)}},
        {{NONE, NONE}, "none; as above",
         {CHOSEN("first", 0.125, 2, 6, 0)}}}},
    {"saba", NULL, false, true, 2, {
        {{1, 1}, "constant steps ~ (n+m)^(-2/3)",
         {CONSTANT(0, 0)}},
        {{0, 0}, "constant steps, a linear rate under the Polyak-Lojasiewicz inequality",
         {CONSTANT(0, 0)}}}},
    {"srba", NULL, false, true, 2, {
        {{1, 1}, "constant steps ~ (n+m)^(-1/2), a pass every n+m iterations",
         {CONSTANT(0, 0)}},
        {{NONE, NONE}, "none; steps as above",
         {CONSTANT(0, 0)}}}},
    {"pbgd", NULL, false, true, 2, {
        {{1.5, 1.5}, "constant steps ~ 1/gamma, gamma ~ e^(-1/2)",
         {FIXED("p", 0), FIXED("q", 0), CHOSEN("alpha", 0.01, 2, 5, 0.5), POWER("beta", 0.01, 0.5), POWER("gamma", 8, -0.5)}},
        {{NONE, NONE}, "none; steps as above",
         {FIXED("p", 0), FIXED("q", 0), CHOSEN("alpha", 0.01, 2, 5, 0.5), POWER("beta", 0.01, 0.5), POWER("gamma", 8, -0.5)}}}},
    {"bome", NULL, false, true, 2, {
        {{NONE, NONE}, "convergence to a KKT point at the rate K^(-1/4): steps ~ t^(-1/2)",
         {FIXED("p", 0.5), FIXED("w", 2), CHOSEN("alpha", 0.05, 2, 6, 0), CHOSEN("beta", 0.125, 2, 4, 0)}},
        {{NONE, NONE}, "none; steps as above",
         {FIXED("p", 0.5), FIXED("w", 2), CHOSEN("alpha", 0.05, 2, 6, 0), CHOSEN("beta", 0.125, 2, 4, 0)}}}},
    {"meha", NULL, false, true, 2, {
        {{NONE, NONE}, "convergence of the penalized problem: constant steps, c_k ~ k^(1/4)",
         {FIXED("p", 0), FIXED("q", 0), CHOSEN("alpha", 0.05, 2, 5, 0), CHOSEN("beta", 0.125, 2, 3, 0), CHOSEN("c", 2, 4, 2, 0), FIXED("gamma", 5)}},
        {{NONE, NONE}, "none; steps as above",
         {FIXED("p", 0), FIXED("q", 0), CHOSEN("alpha", 0.05, 2, 5, 0), CHOSEN("beta", 0.125, 2, 3, 0), CHOSEN("c", 2, 4, 2, 0), FIXED("gamma", 5)}}}},
    {"hoag", NULL, false, true, 2, {
        {{NONE, NONE}, "convergence without a rate: summable tolerances, an adaptive step",
         {CHOSEN("alpha", 0.0125, 2, 7, 0)}},
        {{NONE, NONE}, "as above",
         {CHOSEN("alpha", 0.0125, 2, 7, 0)}}}},
    {"itd-bio", NULL, false, true, 2, {
        {{1, 1}, "constant steps, D ~ log 1/e",
         {CONSTANT(0, 0), STEPS(3)}},
        {{NONE, NONE}, "none; steps as above",
         {CONSTANT(0, 0), STEPS(3)}}}},
    {"aid-cg", NULL, false, true, 2, {
        {{1, 1}, "constant steps, D and N fixed",
         {CONSTANT(0, 0), FIXED("D", 3), FIXED("N", 3)}},
        {{NONE, NONE}, "none; steps as above",
         {CONSTANT(0, 0), FIXED("D", 3), FIXED("N", 3)}}}},
};
/* clang-format on */

bool rates_built_in(const rates_theorem *theorem) {
    for (int i = 0; i < RATES_SETTINGS && theorem->settings[i].name != NULL; i++)
        if (theorem->settings[i].power != 0) return true;
    return false;
}

const char *rates_solver(const rates_row *row) {
    return row->solver != NULL ? row->solver : row->name;
}

const rates_row *rates_row_at(int i) {
    return i < (int)(sizeof rows / sizeof *rows) ? &rows[i] : NULL;
}
