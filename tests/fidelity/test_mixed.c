/* test_mixed.c - the iterates of `fsla`, `amigo`, `f2sa`, `stable` and `svrb` against a
 * transcription of each one's pseudo-code: dense, in double, slow, one formula after the other. A
 * difference is |x - x'| / |x'| with x' the transcription's, likewise for y; the largest over all
 * iterations counts: below 1e-12 in double, 1e-5 in float. Only the random numbers come from the
 * library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <sustain/solver.h>

#include "naive_problems.h"

enum { M = COUPLED_M, N = COUPLED_N, BATCH = 5, ITERATIONS = 300 };

/* ---- small matrices ---- */

/* b <- A^{-1} b, Gauss with pivots. */
static void solve(const double *A, double *b) {
    double a[N][N + 1];
    for (int i = 0; i < N; i++) {
        memcpy(a[i], A + i * N, N * sizeof **a);
        a[i][N] = b[i];
    }
    for (int i = 0; i < N; i++) {
        int pivot = i;
        for (int k = i + 1; k < N; k++)
            if (fabs(a[k][i]) > fabs(a[pivot][i])) pivot = k;
        for (int j = 0; j <= N; j++) {
            const double keep = a[i][j];
            a[i][j] = a[pivot][j];
            a[pivot][j] = keep;
        }
        for (int k = 0; k < N; k++) {
            const double factor = k == i ? 0 : a[k][i] / a[i][i];
            for (int j = i; j <= N && k != i; j++) a[k][j] -= factor * a[i][j];
        }
    }
    for (int i = 0; i < N; i++) b[i] = a[i][N] / a[i][i];
}

/* A = V diag(values) V': rotations at the largest element off the diagonal, written out as products
 * of matrices. */
static void eigen(const double *A, double *values, double *V) {
    double a[N * N], G[N * N], product[N * N];
    memcpy(a, A, sizeof a);
    for (int i = 0; i < N * N; i++) V[i] = i % (N + 1) == 0;
    for (int turn = 0; turn < 500; turn++) {
        int p = 0, q = 1;
        for (int i = 0; i < N; i++)
            for (int j = i + 1; j < N; j++)
                if (fabs(a[i * N + j]) > fabs(a[p * N + q])) p = i, q = j;
        if (fabs(a[p * N + q]) < 1e-300) break;
        const double angle = 0.5 * atan2(2 * a[p * N + q], a[q * N + q] - a[p * N + p]);
        for (int i = 0; i < N * N; i++) G[i] = i % (N + 1) == 0;
        G[p * N + p] = G[q * N + q] = cos(angle);
        G[p * N + q] = sin(angle);
        G[q * N + p] = -sin(angle);
        for (int pass = 0; pass < 3; pass++) { /* a G, then G' (a G), then V G */
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) {
                    product[i * N + j] = 0;
                    for (int k = 0; k < N; k++)
                        product[i * N + j] += (pass == 1 ? G[k * N + i] : (pass == 0 ? a : V)[i * N + k]) * (pass == 1 ? a : G)[k * N + j];
                }
            memcpy(pass < 2 ? a : V, product, sizeof product);
        }
    }
    for (int i = 0; i < N; i++) values[i] = a[i * N + i];
}

/* Eigenvalues at least mu. */
static void project_hessian(double mu, double *H) {
    double values[N], V[N * N];
    eigen(H, values, V);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            H[i * N + j] = 0;
            for (int k = 0; k < N; k++) H[i * N + j] += V[i * N + k] * fmax(mu, values[k]) * V[j * N + k];
        }
}

/* Singular values at most C: J - sum over those above of (sigma - C) u v', u = J v / sigma. */
static void project_cross(double C, double *J) {
    double JJ[N * N] = {0}, values[N], V[N * N], from[M * N];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            for (int l = 0; l < N; l++) JJ[j * N + l] += J[i * N + j] * J[i * N + l];
    eigen(JJ, values, V);
    memcpy(from, J, sizeof from);
    for (int k = 0; k < N; k++) {
        const double sigma = sqrt(fmax(0, values[k]));
        if (sigma <= C) continue;
        for (int i = 0; i < M; i++) {
            double u = 0;
            for (int j = 0; j < N; j++) u += from[i * N + j] * V[j * N + k] / sigma;
            for (int j = 0; j < N; j++) J[i * N + j] -= (sigma - C) * u * V[j * N + k];
        }
    }
}

/* ---- the transcriptions ---- */

typedef enum mistake_here {
    NONE,
    OTHER_DRAW,       /* the second point of a momentum with another draw */
    OLD_Y,            /* fsla: v and D at y_t */
    COLD_START,       /* amigo: v from zero in each iteration */
    MULTIPLIER_FIXED, /* f2sa: l does not grow */
    SWAPPED,          /* f2sa: y and z change places in the direction of x */
    UPPER_AT_Z,       /* f2sa: grad_y f of the steps on y is taken at z */
    NO_CORRECTION,    /* stable: y without H^{-1} J' (x_{t+1} - x_t) */
    HESSIAN_FREE,     /* stable, svrb: H is not projected */
    CROSS_FREE,       /* stable: J is not projected */
    NOT_CARRIED,      /* svrb: grad_y f without momentum */
} mistake_here;

typedef struct run_of {
    const char *solver;
    double alpha, beta, c_eta_f, c_eta_g, w, p, q;
    int64_t batch, seed;
    int T, inner; /* amigo: N */
    double lambda, mu_g, C_gxy;
    bool independent, stream;
    mistake_here mistake;
} run_of;

typedef struct naive {
    const run_of *by;
    sustain__sampler sampler;
    int64_t t, index[BATCH];
    double alpha, beta, eta_f, eta_g;
    double x[M], y[N], x_prev[M], y_prev[N], v[N], u[N], h[M], hg[N], hfy[N], H[N * N], J[M * N];
} naive;

static sustain_batch draw(naive *s, sustain_level level, uint32_t stream, int64_t t) {
    return sustain__draw(&s->sampler, level, stream, t, s->by->batch, s->index);
}

#define ZETA(stream, t) const sustain_batch zeta = draw(s, SUSTAIN_LOWER, SUSTAIN__STREAM_##stream, t)
#define XI(stream, t) const sustain_batch xi = draw(s, SUSTAIN_UPPER, SUSTAIN__STREAM_##stream, t)

static void H_times(const sustain_batch *zeta, const double *x, const double *y, const double *v, double *out) {
    double H[N * N];
    coupled_hessian(NULL, zeta, x, y, H);
    for (int i = 0; i < N; i++) out[i] = coupled_dot(N, H + i * N, v);
}

/* D = grad_x f(x,y;xi) - J(x,y;zeta) v of FSLA with the draws of iteration t. */
static void fsla_D(naive *s, int64_t t, const double *x, const double *y, const double *v, double *D) {
    double fy[N], J[M * N];
    {
        XI(HYPER + 2, t);
        coupled_grad_f(NULL, &xi, x, y, D, fy);
    }
    ZETA(HYPER, t);
    coupled_cross(NULL, &zeta, x, y, J);
    for (int i = 0; i < M; i++) D[i] -= coupled_dot(N, J + i * N, v);
}

static void fsla_step(naive *s) {
    const double eta = sqrt(s->eta_f);
    double gy[N], fx[M], fy[N], Hv[N], y_new[N], v_new[N], D[M], D_prev[M];
    {
        ZETA(LOWER, s->t);
        coupled_grad_y_g(NULL, &zeta, s->x, s->y, gy);
    }
    for (int j = 0; j < N; j++) y_new[j] = s->y[j] - s->beta * gy[j];
    const double *at = s->by->mistake == OLD_Y ? s->y : y_new;
    {
        XI(UPPER, s->t);
        coupled_grad_f(NULL, &xi, s->x, at, fx, fy);
    }
    {
        ZETA(HYPER + 1, s->t);
        H_times(&zeta, s->x, at, s->v, Hv);
    }
    for (int j = 0; j < N; j++) v_new[j] = s->beta * fy[j] + s->v[j] - s->beta * Hv[j];
    fsla_D(s, s->t, s->x, at, v_new, D);
    fsla_D(s, s->by->mistake == OTHER_DRAW ? s->t + 1000000 : s->t, s->x_prev, s->y, s->v, D_prev);
    for (int i = 0; i < M; i++) {
        s->h[i] = eta * D[i] + (1 - eta) * (s->h[i] + D[i] - D_prev[i]);
        s->x_prev[i] = s->x[i];
        s->x[i] -= s->alpha * s->h[i];
    }
    memcpy(s->y, y_new, sizeof y_new);
    memcpy(s->v, v_new, sizeof v_new);
}

/* With z = -v, as printed. */
static void amigo_step(naive *s) {
    double gy[N], u[M], w[N], Hz[N], z[N], J[M * N];
    for (int i = 0; i < s->by->T; i++) {
        ZETA(LOWER, s->t * s->by->T + i);
        coupled_grad_y_g(NULL, &zeta, s->x, s->y, gy);
        for (int j = 0; j < N; j++) s->y[j] -= s->beta * gy[j];
    }
    {
        XI(UPPER, s->t);
        coupled_grad_f(NULL, &xi, s->x, s->y, u, w);
    }
    for (int j = 0; j < N; j++) z[j] = s->by->mistake == COLD_START ? 0 : -s->v[j];
    for (int i = 0; i < s->by->inner; i++) {
        ZETA(HYPER + 1, s->t * s->by->inner + i);
        H_times(&zeta, s->x, s->y, z, Hz);
        for (int j = 0; j < N; j++) z[j] -= s->beta * (Hz[j] + w[j]);
    }
    ZETA(HYPER, s->t);
    coupled_cross(NULL, &zeta, s->x, s->y, J);
    for (int i = 0; i < M; i++) s->x[i] -= s->alpha * (u[i] + coupled_dot(N, J + i * N, z));
    for (int j = 0; j < N; j++) s->v[j] = -z[j];
}

/* s->y is z of the paper, s->u its y. */
static void f2sa_step(naive *s) {
    const run_of *by = s->by;
    const double grown = by->mistake == MULTIPLIER_FIXED ? 0 : fmax(0, by->p - by->q);
    const double lambda = by->lambda * pow((by->w + (double)s->t) / by->w, grown), gamma = s->beta, alpha = gamma / lambda;
    const double xi_ratio = s->alpha / alpha;
    double hz[N], hf[N], hy[N], fx[M], gxy[M], gxz[M];
    for (int i = 0; i < by->T; i++) {
        const int64_t number = s->t * by->T + i;
        {
            ZETA(LOWER, number);
            coupled_grad_y_g(NULL, &zeta, s->x, s->y, hz);
        }
        {
            XI(UPPER, number);
            coupled_grad_f(NULL, &xi, s->x, by->mistake == UPPER_AT_Z ? s->y : s->u, fx, hf);
        }
        const sustain_batch phi_y = draw(s, SUSTAIN_LOWER, by->independent ? SUSTAIN__STREAM_HYPER + 1 : SUSTAIN__STREAM_LOWER, number);
        coupled_grad_y_g(NULL, &phi_y, s->x, s->u, hy);
        for (int j = 0; j < N; j++) {
            s->y[j] -= gamma * hz[j];
            s->u[j] -= alpha * (hf[j] + lambda * hy[j]);
        }
    }
    {
        XI(HYPER + 2, s->t);
        coupled_grad_f(NULL, &xi, s->x, s->u, fx, hf);
    }
    {
        ZETA(HYPER + 3, s->t);
        coupled_grad_x_g(&zeta, s->x, s->u, gxy);
    }
    const sustain_batch phi_z = draw(s, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + (by->independent ? 4 : 3), s->t);
    coupled_grad_x_g(&phi_z, s->x, s->y, gxz);
    const double sign = by->mistake == SWAPPED ? -1 : 1;
    for (int i = 0; i < M; i++) s->x[i] -= xi_ratio * alpha * (fx[i] + sign * lambda * (gxy[i] - gxz[i]));
}

/* H_t and J_t. */
static void follow_matrices(naive *s, double tau, bool cross_bounded) {
    const run_of *by = s->by;
    double H[N * N], H_prev[N * N], J[M * N], J_prev[M * N];
    {
        ZETA(LOWER, s->t);
        coupled_hessian(NULL, &zeta, s->x, s->y, H);
        coupled_cross(NULL, &zeta, s->x, s->y, J);
    }
    ZETA(LOWER, by->mistake == OTHER_DRAW ? s->t + 1000000 : s->t);
    coupled_hessian(NULL, &zeta, s->x_prev, s->y_prev, H_prev);
    coupled_cross(NULL, &zeta, s->x_prev, s->y_prev, J_prev);
    for (int i = 0; i < N * N; i++) s->H[i] = (1 - tau) * (s->H[i] - H_prev[i]) + H[i];
    for (int i = 0; i < M * N; i++) s->J[i] = (1 - tau) * (s->J[i] - J_prev[i]) + J[i];
    if (by->mistake != HESSIAN_FREE) project_hessian(by->mu_g, s->H);
    if (cross_bounded && by->mistake != CROSS_FREE) project_cross(by->C_gxy, s->J);
}

static void stable_step(naive *s) {
    double gy[N], fx[M], v[N], moved[M], w[N] = {0};
    follow_matrices(s, sqrt(s->eta_f), true);
    {
        XI(UPPER, s->t);
        coupled_grad_f(NULL, &xi, s->x, s->y, fx, v);
    }
    ZETA(LOWER, s->t);
    coupled_grad_y_g(NULL, &zeta, s->x, s->y, gy);
    solve(s->H, v);
    memcpy(s->x_prev, s->x, sizeof s->x);
    memcpy(s->y_prev, s->y, sizeof s->y);
    for (int i = 0; i < M; i++) s->x[i] -= s->alpha * (fx[i] - coupled_dot(N, s->J + i * N, v));
    for (int i = 0; i < M; i++) moved[i] = s->x[i] - s->x_prev[i];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) w[j] += s->J[i * N + j] * moved[i];
    solve(s->H, w);
    for (int j = 0; j < N; j++) s->y[j] -= s->beta * gy[j] + (s->by->mistake == NO_CORRECTION ? 0 : w[j]);
}

static void svrb_step(naive *s) {
    double gy[N], gy_prev[N], fx[M], fy[N], fx_prev[M], fy_prev[N], v[N];
    follow_matrices(s, s->eta_f, false);
    {
        XI(UPPER, s->t);
        coupled_grad_f(NULL, &xi, s->x, s->y, fx, fy);
        coupled_grad_f(NULL, &xi, s->x_prev, s->y_prev, fx_prev, fy_prev);
    }
    ZETA(LOWER, s->t);
    coupled_grad_y_g(NULL, &zeta, s->x, s->y, gy);
    coupled_grad_y_g(NULL, &zeta, s->x_prev, s->y_prev, gy_prev);
    for (int j = 0; j < N; j++) {
        s->hg[j] = (1 - s->eta_g) * (s->hg[j] - gy_prev[j]) + gy[j];
        s->hfy[j] = s->by->mistake == NOT_CARRIED ? fy[j] : (1 - s->eta_f) * (s->hfy[j] - fy_prev[j]) + fy[j];
        v[j] = s->hfy[j];
        s->y_prev[j] = s->y[j];
        s->y[j] -= s->beta * s->hg[j];
    }
    solve(s->H, v);
    for (int i = 0; i < M; i++) {
        s->h[i] = (1 - s->eta_f) * (s->h[i] - fx_prev[i]) + fx[i];
        s->x_prev[i] = s->x[i];
        s->x[i] -= s->alpha * (s->h[i] - coupled_dot(N, s->J + i * N, v));
    }
}

static void step_of(naive *s) {
    const run_of *by = s->by;
    const double base = by->w + (double)s->t;
    s->alpha = by->alpha / pow(base, by->p);
    s->beta = by->beta / pow(base, by->q);
    s->eta_f = s->t == 0 ? 1 : fmin(1, by->c_eta_f / pow(base, 2 * by->p));
    s->eta_g = s->t == 0 ? 1 : fmin(1, by->c_eta_g / pow(base, 2 * by->p));
    if (strcmp(by->solver, "fsla") == 0) fsla_step(s);
    if (strcmp(by->solver, "amigo") == 0) amigo_step(s);
    if (strcmp(by->solver, "f2sa") == 0) f2sa_step(s);
    if (strcmp(by->solver, "stable") == 0) stable_step(s);
    if (strcmp(by->solver, "svrb") == 0) svrb_step(s);
    s->t++;
}

/* ---- a run beside a run ---- */

/* Sets what the algorithm has. */
static void set_number(sustain_solver *solver, const char *name, double value) {
    const sustain_solver_info *info = sustain_solver_describe(solver);
    for (int i = 0; i < info->parameter_count; i++)
        if (strcmp(info->parameters[i].name, name) == 0) assert_int_equal(sustain_solver_set_number(solver, name, value), SUSTAIN_OK);
}

static sustain_solver *new_solver(sustain_context *context, const sustain_problem *problem, const run_of *by) {
    sustain_solver *solver;
    assert_int_equal(sustain_solver_create(context, by->solver, problem, &solver), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(solver, "schedule", "power"), SUSTAIN_OK);
    const struct {
        const char *name;
        double value;
    } all[] = {
        {"alpha", by->alpha}, {"beta", by->beta},     {"c_eta_f", by->c_eta_f},     {"c_eta_g", by->c_eta_g},   {"w", by->w},
        {"p", by->p},         {"q", by->q},           {"batch", (double)by->batch}, {"seed", (double)by->seed}, {"T", by->T},
        {"N", by->inner},     {"lambda", by->lambda}, {"mu_g", by->mu_g},           {"C_gxy", by->C_gxy},       {"L_g", COUPLED_L_G}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) set_number(solver, all[i].name, all[i].value);
    if (strcmp(by->solver, "f2sa") == 0)
        assert_int_equal(sustain_solver_set(solver, "draws", by->independent ? "independent" : "same"), SUSTAIN_OK);
    return solver;
}

/* The largest difference, and how far x went. */
static double compare(const run_of *by, double *moved) {
    const sustain_problem problem = coupled_problem(by->stream);
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_solver *solver = new_solver(context, &problem, by);
    naive s = {.by = by, .sampler = {.problem = &problem, .seed = (uint64_t)by->seed}};
    sustain_real x[M], y[N];
    for (int i = 0; i < M; i++) x[i] = (sustain_real)(0.5 * naive_uniform(21, 0, (uint64_t)i)), s.x[i] = (double)x[i];
    for (int j = 0; j < N; j++) y[j] = (sustain_real)(0.5 * naive_uniform(22, 0, (uint64_t)j)), s.u[j] = s.y[j] = (double)y[j];
    assert_int_equal(sustain_solver_start(solver, x, y), SUSTAIN_OK);
    double worst = 0;
    while (s.t < ITERATIONS) {
        if (sustain_solver_step(solver) != SUSTAIN_OK) fail_msg("%s: %s", by->solver, sustain_error(context));
        step_of(&s);
        worst = fmax(worst, fmax(relative(M, sustain_solver_x(solver), s.x), relative(N, sustain_solver_y(solver), s.y)));
    }
    *moved = relative(M, x, s.x);
    sustain_solver_destroy(solver);
    sustain_context_destroy(context);
    return worst;
}

/* Decreasing steps, constant ones, and those of y decreasing faster, for which f2sa's multiplier
 * stays as it is. mu_g and C_gxy are such that both projections have work to do. */
static run_of setting(const char *solver, int schedule) {
    run_of by = {.solver = solver, .batch = 1, .seed = 31, .T = 4, .inner = 3, .lambda = 5, .mu_g = 1.4, .C_gxy = 0.12};
    if (schedule != 1)
        by.alpha = 0.8, by.beta = 0.8, by.c_eta_f = 1, by.c_eta_g = 1, by.w = 2, by.p = 0.4, by.q = schedule == 0 ? 0.3 : 0.5;
    else
        by.alpha = 0.1, by.beta = 0.15, by.c_eta_f = 0.1, by.c_eta_g = 0.3, by.w = 1, by.p = 0, by.q = 0;
    return by;
}

static void all_ways(const char *solver) {
    const double bound = sizeof(sustain_real) == sizeof(double) ? 1e-12 : 1e-5;
    double largest = 0;
    for (int schedule = 0; schedule < 2 + (strcmp(solver, "f2sa") == 0); schedule++)
        for (int stream = 0; stream < 2; stream++)
            for (int64_t batch = 1; batch <= BATCH; batch += BATCH - 1)
                for (int independent = 0; independent <= (strcmp(solver, "f2sa") == 0); independent++) {
                    run_of by = setting(solver, schedule);
                    by.stream = stream != 0;
                    by.batch = batch;
                    by.independent = independent != 0;
                    by.seed += 2 * batch + stream;
                    double moved;
                    const double d = compare(&by, &moved);
                    if (!(d <= bound))
                        fail_msg("%s, schedule %d, stream %d, batch %d, independent %d: %.2e", solver, schedule, stream, (int)batch,
                                 independent, d);
                    assert_true(moved > 0.1);
                    largest = fmax(largest, d);
                }
    print_message("%s: %.1e\n", solver, largest);
}

static void test_fsla(void **state) {
    (void)state;
    all_ways("fsla");
}

static void test_amigo(void **state) {
    (void)state;
    all_ways("amigo");
}

static void test_f2sa(void **state) {
    (void)state;
    all_ways("f2sa");
}

static void test_stable(void **state) {
    (void)state;
    all_ways("stable");
}

static void test_svrb(void **state) {
    (void)state;
    all_ways("svrb");
}

static void test_mistakes_are_seen(void **state) {
    (void)state;
    static const struct {
        const char *solver;
        mistake_here mistake;
        const char *text;
    } rows[] = {
        {"fsla", OTHER_DRAW, "another draw at the second point"},
        {"fsla", OLD_Y, "v and D at y_t"},
        {"amigo", COLD_START, "v from zero"},
        {"f2sa", MULTIPLIER_FIXED, "the multiplier does not grow"},
        {"f2sa", SWAPPED, "y and z change places"},
        {"f2sa", UPPER_AT_Z, "grad_y f at z"},
        {"stable", OTHER_DRAW, "another draw at the second point"},
        {"stable", NO_CORRECTION, "y is not corrected"},
        {"stable", HESSIAN_FREE, "H is not projected"},
        {"stable", CROSS_FREE, "J is not projected"},
        {"svrb", OTHER_DRAW, "another draw at the second point"},
        {"svrb", HESSIAN_FREE, "H is not projected"},
        {"svrb", NOT_CARRIED, "grad_y f without momentum"},
    };
    double smallest = HUGE_VAL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        run_of by = setting(rows[i].solver, 0);
        by.stream = true;
        by.mistake = rows[i].mistake;
        double moved;
        const double d = compare(&by, &moved);
        if (!(d > 1e-4)) fail_msg("%s, %s: not seen, the difference is %.2e", rows[i].solver, rows[i].text, d);
        smallest = fmin(smallest, d);
    }
    print_message("mistakes: at least %.1e\n", smallest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fsla),   cmocka_unit_test(test_amigo), cmocka_unit_test(test_f2sa),
        cmocka_unit_test(test_stable), cmocka_unit_test(test_svrb),  cmocka_unit_test(test_mistakes_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
