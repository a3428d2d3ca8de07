/* test_potential.c - lab/potential.h against a literal computation, and against the lemma on the
 * descent of the potential. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "lab/potential.h"

enum { N = 4, T = 1000 };

/* `noise` multiplies the noise of all oracles, `coupling` how f and g depend on the other level. */
static sustain_problem *new_problem(double noise, double coupling) {
    sustain_quadratic_options o = sustain_quadratic_defaults();
    sustain_problem *problem;
    o.upper_dim = o.lower_dim = N;
    o.mu_g = 1, o.L_g = 1.5, o.C_gxy = 1.5 * coupling, o.C_fy = 4 * coupling, o.phi = SUSTAIN_PHI_SQRT, o.curvature = 1, o.wave = 2,
    o.start = 2;
    o.noise_f = 0.9 * noise, o.noise_g = 2 * noise, o.noise_hess = 0.19 * noise, o.noise_cross = 0.5 * noise;
    assert_int_equal(sustain_quadratic_create(context, &o, &problem), SUSTAIN_OK);
    return problem;
}

static sustain_solver *new_solver(const sustain_problem *problem, int64_t seed) {
    sustain_solver *solver;
    assert_int_equal(sustain_solver_create(context, "sustain", problem, &solver), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(solver, "schedule", "theory"), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set_number(solver, "iterations", T), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set_number(solver, "seed", (double)seed), SUSTAIN_OK);
    assert_int_equal(sustain_solver_start(solver, NULL, NULL), SUSTAIN_OK);
    return solver;
}

static const sustain_real *field(sustain_solver *solver, const char *name) {
    int count;
    const sustain_field *fields = sustain_solver_state(solver, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0) return fields[i].data;
    fail();
    return NULL;
}

/* The values of (7) for every k, each oracle exact, through matrices: out (K, N); and the surrogate
 * (6), the sum to infinity, in `whole`. */
static void estimates(const sustain_problem *p, const sustain_real *x, const sustain_real *y, int K, double L_g, double (*out)[N],
                      double whole[N]) {
    enum { MANY = 400 };
    sustain_real fx[N], fy[N], H[N * N], J[N * N];
    double r[N], sum[N] = {0};
    char work[4096];
    p->ops->f_grad(p->self, NULL, x, y, fx, fy, work);
    p->ops->g_hess(p->self, NULL, x, y, H, work);
    p->ops->g_cross(p->self, NULL, x, y, J, work);
    for (int j = 0; j < N; j++) r[j] = (double)fy[j];
    for (int k = 0; k < MANY; k++) {
        double next[N];
        for (int j = 0; j < N; j++) sum[j] += r[j] / L_g;
        for (int i = 0; i < N && k < K; i++) {
            out[k][i] = (double)fx[i];
            for (int j = 0; j < N; j++) out[k][i] -= K / L_g * (double)J[i * N + j] * r[j];
        }
        for (int i = 0; i < N; i++) {
            next[i] = r[i];
            for (int j = 0; j < N; j++) next[i] -= (double)H[i * N + j] * r[j] / L_g;
        }
        memcpy(r, next, sizeof r);
    }
    for (int i = 0; i < N; i++) {
        whole[i] = (double)fx[i];
        for (int j = 0; j < N; j++) whole[i] -= (double)J[i * N + j] * sum[j];
    }
}

/* The mean over k, and E|(7) - mean|^2. */
static double variance_of(int K, double (*all)[N], double mean[N]) {
    double sum = 0;
    for (int i = 0; i < N; i++) mean[i] = 0;
    for (int k = 0; k < K; k++)
        for (int i = 0; i < N; i++) mean[i] += all[k][i] / K;
    for (int k = 0; k < K; k++)
        for (int i = 0; i < N; i++) sum += (all[k][i] - mean[i]) * (all[k][i] - mean[i]) / K;
    return sum;
}

static double distance(const sustain_real *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return sum;
}

static void near(double one, double two) {
    const double rounding = sizeof(sustain_real) == sizeof(double) ? 1e-9 : 1e-4;
    if (fabs(one - two) > rounding * fabs(two) + 1e-2 * rounding) fail_msg("%.9g instead of %.9g", one, two);
}

/* Every number once more, from the formulas of the paper. */
static void test_literal(void **state) {
    (void)state;
    sustain_problem *p = new_problem(1, 1);
    sustain_solver *solver = new_solver(p, 3);
    potential_watch *watch;
    assert_int_equal(potential_open(context, p, NULL, T, &watch), SUSTAIN_OK);
    const sustain_constants *c = p->known;
    const double L_y = c->C_gxy / c->mu_g, L_mu = c->mu_g * c->L_g / (c->mu_g + c->L_g);
    const double L = c->L_fx + c->L_fy * c->C_gxy / c->mu_g; /* L_gxy = L_gyy = 0 */
    const double K = ceil(c->L_g / c->mu_g * log(c->C_gxy * c->C_fy * T / c->mu_g)), spread = 2 * c->mu_g * c->L_g - c->mu_g * c->mu_g;
    const double L_K2 = 2 * c->L_fx * c->L_fx + 6 * K * c->C_gxy * c->C_gxy * c->L_fy * c->L_fy / spread; /* (15) */
    const double c_beta = 6 * sqrt(2) * L_y * L / L_mu, most = fmax(36, 4 * L_mu * (c->mu_g + c->L_g) * c_beta * c_beta / (L * L));
    assert_true(c->L_gxy == 0 && c->L_gyy == 0);
    const double w = potential_plan(watch)->steps.w;
    for (int t = 0; t < 40; t++) {
        potential at;
        assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK);
        assert_int_equal(potential_after_step(watch, solver, &at), SUSTAIN_OK);
        if (t % 13 != 0) continue;
        const sustain_real *x = field(solver, "x_prev"), *y = field(solver, "y_prev");
        sustain_real solution[N] = {0}, gradient[N], gy[N];
        double all[64][N], whole[N], mean[N], ell, zero[N] = {0}, star[N], lower[N], bias = 0;
        char work[4096];
        assert_in_range(K, 1, 64);
        estimates(p, x, y, (int)K, c->L_g, all, whole);
        variance_of((int)K, all, mean);
        for (int i = 0; i < N; i++) bias += (mean[i] - whole[i]) * (mean[i] - whole[i]);
        sustain_outer(context, p, NULL, NULL, x, 1e-12, solution, &ell, gradient); /* NOT_CONVERGED by rounding is fine */
        p->ops->g_grad_y(p->self, NULL, x, y, gy, work);
        for (int i = 0; i < N; i++) star[i] = (double)solution[i], lower[i] = (double)gy[i];
        const double ef = distance(field(solver, "hf"), mean), eg = distance(field(solver, "hg"), lower), away = distance(y, star);
        const double alpha = pow(w + (t > 0 ? t - 1 : 0), -1.0 / 3);
        near(at.ell, ell);
        near(at.distance, away);
        near(at.ef, ef);
        near(at.eg, eg);
        near(at.bias, bias);
        near(at.gradient, distance(gradient, zero));
        near(at.V, ell + 2 * L / (3 * sqrt(2) * L_y) * away + ef / (L_K2 * most * alpha) + eg / (c->L_g * c->L_g * most * alpha));
    }
    potential_close(watch);
    sustain_solver_destroy(solver);
    sustain_quadratic_destroy(p);
}

/* The lemma, with the steps of Theorem 3.2 and exact oracles, so that the draw of k is the only
 * noise and sigma_f is known, and levels so weakly coupled that the lemma says
 * that V falls: the mean of V over the seeds falls, at least by what the lemma says. */
static void test_descent(void **state) {
    (void)state;
    enum { SEEDS = 20, STEPS = 300, WINDOW = 50 };
    sustain_problem *p = new_problem(0, 0.5);
    sustain_solver *solver[SEEDS];
    potential_watch *watch;
    sustain_constants c = *p->known;
    double variance = 0, V[STEPS + 1][SEEDS], gradient[STEPS + 1] = {0};
    assert_int_equal(potential_open(context, p, NULL, T, &watch), SUSTAIN_OK);
    const sustain_steps steps = potential_plan(watch)->steps;
    for (int s = 0; s < SEEDS; s++) {
        solver[s] = new_solver(p, s);
        for (int t = 0; t <= STEPS; t++) {
            potential at;
            double all[64][N], whole[N], mean[N];
            assert_int_equal(sustain_solver_step(solver[s]), SUSTAIN_OK);
            assert_int_equal(potential_after_step(watch, solver[s], &at), SUSTAIN_OK);
            estimates(p, field(solver[s], "x_prev"), field(solver[s], "y_prev"), steps.K, steps.L_g, all, whole);
            variance = fmax(variance, variance_of(steps.K, all, mean));
            V[t][s] = at.V;
            gradient[t] += at.gradient / SEEDS;
        }
        sustain_solver_destroy(solver[s]);
    }
    potential_close(watch);
    c.sigma_f = sqrt(variance), c.sigma_g = 0;
    assert_int_equal(potential_open(context, p, &c, T, &watch), SUSTAIN_OK);
    for (int t = 0; t < STEPS; t += WINDOW) {
        double bound = 0, sum = 0, squares = 0;
        for (int i = t; i < t + WINDOW; i++) bound += potential_change(watch, i, gradient[i]);
        for (int s = 0; s < SEEDS; s++) {
            const double change = V[t + WINDOW][s] - V[t][s];
            sum += change, squares += change * change;
        }
        const double mean = sum / SEEDS, error = sqrt(fmax(0, squares / SEEDS - mean * mean) / (SEEDS - 1));
        assert_true(bound < 0);
        if (!(mean <= bound + 3 * error)) fail_msg("V changes by %g +- %g from %d on, the lemma says %g", mean, error, t, bound);
    }
    potential_close(watch);
    sustain_quadratic_destroy(p);
}

/* An algorithm without h^f, and constants that no theorem takes, are refused. */
static void test_refused(void **state) {
    (void)state;
    sustain_problem *p = new_problem(1, 1);
    sustain_constants unknown = sustain_constants_unknown();
    sustain_solver *solver;
    potential_watch *watch;
    potential at;
    assert_int_equal(potential_open(context, p, &unknown, T, &watch), SUSTAIN_CONSTANTS);
    assert_null(watch);
    assert_int_equal(potential_open(context, p, NULL, T, &watch), SUSTAIN_OK);
    assert_int_equal(sustain_solver_create(context, "soba", p, &solver), SUSTAIN_OK);
    assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK);
    assert_int_equal(potential_after_step(watch, solver, &at), SUSTAIN_ARGUMENT);
    sustain_solver_destroy(solver);
    potential_close(watch);
    sustain_quadratic_destroy(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_literal), cmocka_unit_test(test_descent), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, open_context, close_context);
}
