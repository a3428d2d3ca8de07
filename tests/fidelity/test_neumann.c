/* test_neumann.c - the iterates of ttsa, bsa, stocbio, mrbo and vrbo against literal transcriptions
 * of their papers, at every iteration, and against trajectories that independent scripts wrote
 * (tests/golden/ttsa.py, stocbio.py, mrbo.py).
 *
 * The transcriptions are dense, in double and slow; matrices are formed, and the sum of stocBiO,
 * MRBO and VRBO is computed term by term from
 *
 *   Df = grad_x F(D_F) - J(D_G) eta sum_{q=-1..Q-1} prod_{j=Q-q..Q} (I - eta H(B_j)) grad_y F(D_F)                 (3) of Yang et al. 2021
 *
 * Only the random numbers come from the library. Differences are as in test_sustain.c: 1e-12 in
 * double, 1e-5 in float. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <sustain/solver.h>

#include "naive_problems.h"

#ifndef SUSTAIN_SOURCE_DIR
#define SUSTAIN_SOURCE_DIR "."
#endif

enum { M = COUPLED_M, N = COUPLED_N, MOST = 512 };

typedef enum slip {
    RIGHT,
    OLD_Y,            /* ttsa, bsa, stocbio: the hypergradient at the y before its steps */
    FACTORS_REVERSED, /* the factors in the opposite order */
    SHORT_SUM,        /* the sum without its last term */
    OTHER_START,      /* bsa goes on from the last y, stocbio starts from y_0 */
    ONE_STEP_SIZE,    /* bsa: beta_0 throughout the inner loop */
    EQUAL_SIZES,      /* stocbio: every factor has the largest batch */
    OTHER_DRAW,       /* mrbo, vrbo: another draw at the second point */
    NOT_CARRIED,      /* mrbo: no momentum; vrbo: a large batch in every iteration */
    SAME_POINT,       /* vrbo: the first inner estimate does not see that x moved */
    ONE_STEP_LESS     /* vrbo: m steps on y */
} slip;

typedef struct setting {
    const char *solver, *name;
    double alpha, beta, w, p, q, c_eta_f, c_eta_g;
    int64_t batch, seed;
    int K;
    int64_t inner, period, large, largest; /* D or m, q, S_1 (0: 16 batch), of a factor */
    double shrink, mu;                     /* 1 - eta mu (0: of mu, or 10^(-1/Q)); mu_g that the problem knows, 0: none */
    bool warm, linear, stream;
    slip slip;
} setting;

typedef struct paper {
    const setting *s;
    sustain__sampler sampler;
    int64_t k;
    double x[M], y[N], y0[N], x_prev[M], y_prev[N], v[M], u[N];
} paper;

/* ---- parts of the papers ---- */

static sustain_batch drawn(const paper *a, sustain_level level, int64_t stream, int64_t number, int64_t size, int64_t *index) {
    assert_true(size <= MOST);
    return sustain__draw(&a->sampler, level, (uint32_t)stream, number, size, index);
}

static void lower_gradient(const paper *a, int64_t streams, int64_t number, int64_t size, const double *x, const double *y, double *out) {
    int64_t index[MOST];
    const sustain_batch zeta = drawn(a, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER + streams, number, size, index);
    coupled_grad_y_g(NULL, &zeta, x, y, out);
}

/* v <- (I - H/L) v. */
static void apply_factor(const paper *a, int64_t stream, int64_t number, int64_t size, const double *x, const double *y, double *v) {
    int64_t index[MOST];
    double H[N * N], Hv[N];
    const sustain_batch zeta = drawn(a, SUSTAIN_LOWER, stream, number, size, index);
    coupled_hessian(NULL, &zeta, x, y, H);
    for (int i = 0; i < N; i++) Hv[i] = coupled_dot(N, H + i * N, v);
    for (int i = 0; i < N; i++) v[i] -= Hv[i] / COUPLED_L_G;
}

/* out <- fx - factor J v. */
static void combine(const paper *a, int64_t stream, int64_t number, int64_t size, const double *x, const double *y, const double *fx,
                    double factor, const double *v, double *out) {
    int64_t index[MOST];
    double J[M * N];
    const sustain_batch zeta = drawn(a, SUSTAIN_LOWER, stream, number, size, index);
    coupled_cross(NULL, &zeta, x, y, J);
    for (int i = 0; i < M; i++) out[i] = fx[i] - factor * coupled_dot(N, J + i * N, v);
}

/* grad_x f - J(zeta^0) (K/L_g) prod_{i=1..p} (I - H(zeta^i)/L_g) grad_y f. */
static void random_term(const paper *a, const double *x, const double *y, double *out) {
    const setting *s = a->s;
    int64_t index[MOST];
    double fx[M], v[N];
    const sustain_batch xi = drawn(a, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, a->k, s->batch, index);
    coupled_grad_f(NULL, &xi, x, y, fx, v);
    const int p = sustain__draw_terms(&a->sampler, a->k, s->K);
    for (int turn = 0; turn < p; turn++)
        apply_factor(a, SUSTAIN__STREAM_HYPER + (s->slip == FACTORS_REVERSED ? 1 + turn : p - turn), a->k, s->batch, x, y, v);
    combine(a, SUSTAIN__STREAM_HYPER, a->k, s->batch, x, y, fx, s->K / COUPLED_L_G, v, out);
}

/* |B_j| of stocBiO, j = 1..Q; all others: the size of the draw. */
static int64_t size_of(const paper *a, int j, int64_t size) {
    const setting *s = a->s;
    if (strcmp(s->solver, "stocbio") != 0) return size;
    const int power = s->slip == EQUAL_SIZES ? 0 : s->K - j;
    const double shrink = s->shrink > 0 ? s->shrink : s->mu > 0 ? 1 - s->mu / COUPLED_L_G : pow(10, -1.0 / s->K);
    double wanted = ceil((double)s->batch * s->K * pow(shrink, power));
    if (wanted > (double)s->largest) wanted = (double)s->largest;
    if (!s->stream && wanted > COUPLED_SAMPLES) wanted = COUPLED_SAMPLES;
    return (int64_t)wanted;
}

static void whole_sum(const paper *a, int64_t streams, int64_t number, int64_t size, const double *x, const double *y, double *out) {
    const int Q = a->s->K;
    int64_t index[MOST];
    double fx[M], fy[N], sum[N] = {0};
    const sustain_batch D_F = drawn(a, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER + streams, number, size, index);
    coupled_grad_f(NULL, &D_F, x, y, fx, fy);
    for (int q = -1; q <= (a->s->slip == SHORT_SUM ? Q - 2 : Q - 1); q++) {
        double v[N];
        memcpy(v, fy, sizeof v);
        for (int j = Q; j >= Q - q; j--) { /* B_Q first */
            const int B = a->s->slip == FACTORS_REVERSED ? Q + 1 - j : j;
            apply_factor(a, SUSTAIN__STREAM_HYPER + streams + 1 + (Q - B), number, size_of(a, B, size), x, y, v);
        }
        for (int i = 0; i < N; i++) sum[i] += v[i];
    }
    combine(a, SUSTAIN__STREAM_HYPER + streams, number, size, x, y, fx, 1 / COUPLED_L_G, sum, out);
}

static double decayed(double from, double w, double power, int64_t t) {
    return from / pow(w + (double)t, power);
}

static void minus(int n, double step, const double *h, double *z) {
    for (int i = 0; i < n; i++) z[i] -= step * h[i];
}

/* ---- the papers ---- */

/* Hong et al., Algorithm 1. */
static void ttsa(paper *a) {
    const setting *s = a->s;
    double gy[N], h[M], y_before[N];
    memcpy(y_before, a->y, sizeof y_before);
    lower_gradient(a, 0, a->k, s->batch, a->x, a->y, gy);
    minus(N, decayed(s->beta, s->w, s->q, a->k), gy, a->y);
    random_term(a, a->x, s->slip == OLD_Y ? y_before : a->y, h);
    minus(M, decayed(s->alpha, s->w, s->p, a->k), h, a->x);
}

/* t_k of BSA. */
static int64_t inner_steps(const setting *s, int64_t k) {
    return s->linear ? k + 1 : (int64_t)ceil(sqrt((double)(k + 1)));
}

/* Ghadimi and Wang, BSA; draws are numbered through. */
static void bsa(paper *a) {
    const setting *s = a->s;
    double gy[N], h[M], y[N], y_before[N];
    int64_t number = 0;
    for (int64_t j = 0; j < a->k; j++) number += inner_steps(s, j);
    memcpy(y_before, a->y, sizeof y_before);
    memcpy(y, s->warm != (s->slip == OTHER_START) ? a->y : a->y0, sizeof y);
    for (int64_t t = 0; t < inner_steps(s, a->k); t++) {
        lower_gradient(a, 0, number + t, s->batch, a->x, y, gy);
        minus(N, decayed(s->beta, s->w, s->q, s->slip == ONE_STEP_SIZE ? 0 : t), gy, y);
    }
    memcpy(a->y, y, sizeof y);
    random_term(a, a->x, s->slip == OLD_Y ? y_before : y, h);
    minus(M, decayed(s->alpha, s->w, s->p, a->k), h, a->x);
}

/* Ji et al., Algorithms 2 and 3. */
static void stocbio(paper *a) {
    const setting *s = a->s;
    double gy[N], h[M], y_before[N];
    memcpy(y_before, a->y, sizeof y_before);
    if (s->slip == OTHER_START) memcpy(a->y, a->y0, sizeof a->y);
    for (int64_t t = 1; t <= s->inner; t++) {
        lower_gradient(a, 0, a->k * s->inner + t - 1, s->batch, a->x, a->y, gy);
        minus(N, decayed(s->beta, s->w, s->q, a->k), gy, a->y);
    }
    whole_sum(a, 0, a->k, s->batch, a->x, s->slip == OLD_Y ? y_before : a->y, h);
    minus(M, decayed(s->alpha, s->w, s->p, a->k), h, a->x);
}

/* Yang et al., Algorithm 1. */
static void mrbo(paper *a) {
    const setting *s = a->s;
    const int64_t other = s->slip == OTHER_DRAW ? a->k + 1000000 : a->k;
    double Df[M], Df_prev[M], gy[N], gy_prev[N];
    whole_sum(a, 0, a->k, s->batch, a->x, a->y, Df);
    lower_gradient(a, 0, a->k, s->batch, a->x, a->y, gy);
    if (a->k == 0 || s->slip == NOT_CARRIED) {
        memcpy(a->v, Df, sizeof Df);
        memcpy(a->u, gy, sizeof gy);
    } else {
        const double momentum_f = fmin(1, decayed(s->c_eta_f, s->w, 2 * s->p, a->k)),
                     momentum_g = fmin(1, decayed(s->c_eta_g, s->w, 2 * s->p, a->k));
        whole_sum(a, 0, other, s->batch, a->x_prev, a->y_prev, Df_prev);
        lower_gradient(a, 0, other, s->batch, a->x_prev, a->y_prev, gy_prev);
        for (int i = 0; i < M; i++) a->v[i] = Df[i] + (1 - momentum_f) * (a->v[i] - Df_prev[i]);
        for (int i = 0; i < N; i++) a->u[i] = gy[i] + (1 - momentum_g) * (a->u[i] - gy_prev[i]);
    }
    memcpy(a->x_prev, a->x, sizeof a->x);
    memcpy(a->y_prev, a->y, sizeof a->y);
    minus(M, decayed(s->alpha, s->w, s->p, a->k), a->v, a->x);
    minus(N, decayed(s->beta, s->w, s->q, a->k), a->u, a->y);
}

/* Yang et al., Algorithm 2: x~ and y~ are kept for t - 1 and t. */
static void vrbo(paper *a) {
    const setting *s = a->s;
    const int64_t streams = 1 << 20, m = s->slip == ONE_STEP_LESS ? s->inner - 1 : s->inner;
    int64_t S_1 = s->large > 0 ? s->large : 16 * s->batch;
    if (!s->stream && S_1 > COUPLED_SAMPLES) S_1 = COUPLED_SAMPLES;
    if (a->k % s->period == 0 || s->slip == NOT_CARRIED) {
        whole_sum(a, streams, a->k, S_1, a->x, a->y, a->v);
        lower_gradient(a, streams, a->k, S_1, a->x, a->y, a->u);
    }
    double x_old[M], y_old[N], x_now[M], y_now[N]; /* x~_{k,t-1}, y~_{k,t-1}, x~_{k,t}, y~_{k,t} */
    memcpy(x_old, a->x, sizeof x_old);
    memcpy(y_old, a->y, sizeof y_old);
    minus(M, decayed(s->alpha, s->w, s->p, a->k), a->v, a->x);
    memcpy(x_now, a->x, sizeof x_now);
    memcpy(y_now, a->y, sizeof y_now);
    if (s->slip == SAME_POINT) memcpy(x_old, x_now, sizeof x_old);
    for (int64_t t = 0; t <= m + 1; t++) {
        const int64_t number = a->k * (s->inner + 2) + t, other = s->slip == OTHER_DRAW ? number + 1000000 : number;
        double Df[M], Df_old[M], gy[N], gy_old[N];
        whole_sum(a, 0, number, s->batch, x_now, y_now, Df);
        whole_sum(a, 0, other, s->batch, x_old, y_old, Df_old);
        lower_gradient(a, 0, number, s->batch, x_now, y_now, gy);
        lower_gradient(a, 0, other, s->batch, x_old, y_old, gy_old);
        for (int i = 0; i < M; i++) a->v[i] += Df[i] - Df_old[i];
        for (int i = 0; i < N; i++) a->u[i] += gy[i] - gy_old[i];
        memcpy(x_old, x_now, sizeof x_old);
        memcpy(y_old, y_now, sizeof y_old);
        minus(N, decayed(s->beta, s->w, s->q, a->k), a->u, y_now); /* y~_{k,t+1} */
    }
    memcpy(a->y, y_old, sizeof a->y); /* y_{k+1} = y~_{k,m+1}, whose estimates are v and u */
}

/* ---- a run beside a run ---- */

static const struct {
    const char *name;
    void (*step)(paper *a);
} papers[] = {{"ttsa", ttsa}, {"bsa", bsa}, {"stocbio", stocbio}, {"mrbo", mrbo}, {"vrbo", vrbo}};
enum { PAPERS = sizeof papers / sizeof papers[0] };

static void set_number(sustain_solver *solver, const char *name, double value) {
    if (sustain_solver_set_number(solver, name, value) != SUSTAIN_OK) fail_msg("%s is refused", name);
}

static sustain_solver *new_solver(sustain_context *context, const sustain_problem *problem, const setting *s) {
    sustain_solver *solver;
    assert_int_equal(sustain_solver_create(context, s->solver, problem, &solver), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(solver, "schedule", "power"), SUSTAIN_OK);
    set_number(solver, "alpha", s->alpha);
    set_number(solver, "beta", s->beta);
    set_number(solver, "w", s->w);
    set_number(solver, "p", s->p);
    set_number(solver, "q", s->q);
    set_number(solver, "batch", (double)s->batch);
    set_number(solver, "seed", (double)s->seed);
    set_number(solver, "L_g", COUPLED_L_G);
    const bool sum = strcmp(s->solver, "ttsa") != 0 && strcmp(s->solver, "bsa") != 0;
    set_number(solver, sum ? "Q" : "K", s->K);
    if (strcmp(s->solver, "bsa") == 0) {
        assert_int_equal(sustain_solver_set(solver, "start", s->warm ? "warm" : "y0"), SUSTAIN_OK);
        assert_int_equal(sustain_solver_set(solver, "growth", s->linear ? "linear" : "sqrt"), SUSTAIN_OK);
    }
    if (strcmp(s->solver, "mrbo") == 0) {
        set_number(solver, "c_eta_f", s->c_eta_f);
        set_number(solver, "c_eta_g", s->c_eta_g);
    }
    if (strcmp(s->solver, "stocbio") == 0) {
        set_number(solver, "inner", (double)s->inner);
        set_number(solver, "largest", (double)s->largest);
        set_number(solver, "shrink", s->shrink);
    }
    if (strcmp(s->solver, "vrbo") == 0) {
        set_number(solver, "inner", (double)s->inner);
        set_number(solver, "period", (double)s->period);
        set_number(solver, "large", (double)s->large);
    }
    return solver;
}

/* The largest difference over the iterations; *moved is |x_T - x_0|. */
static double compare(const setting *s, int64_t iterations, double *moved) {
    sustain_problem problem = coupled_problem(s->stream);
    sustain_constants known = sustain_constants_unknown();
    known.mu_g = s->mu;
    if (s->mu > 0) problem.known = &known;
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_solver *solver = new_solver(context, &problem, s);
    paper a = {.s = s, .sampler = {.problem = &problem, .seed = (uint64_t)s->seed}};
    sustain_real x[M], y[N];
    for (int i = 0; i < M; i++) a.x[i] = (double)(x[i] = (sustain_real)(0.5 * naive_uniform(21, 0, (uint64_t)i)));
    for (int i = 0; i < N; i++) a.y[i] = a.y0[i] = (double)(y[i] = (sustain_real)(0.5 * naive_uniform(22, 0, (uint64_t)i)));
    assert_int_equal(sustain_solver_start(solver, x, y), SUSTAIN_OK);
    double worst = 0, away = 0;
    for (; a.k < iterations; a.k++) {
        assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK);
        for (int i = 0; i < PAPERS; i++)
            if (strcmp(papers[i].name, s->solver) == 0) papers[i].step(&a);
        worst = fmax(worst, relative(M, sustain_solver_x(solver), a.x));
        worst = fmax(worst, relative(N, sustain_solver_y(solver), a.y));
    }
    for (int i = 0; i < M; i++) away += (a.x[i] - (double)x[i]) * (a.x[i] - (double)x[i]);
    *moved = sqrt(away);
    sustain_solver_destroy(solver);
    sustain_context_destroy(context);
    return worst;
}

static double bound(void) {
    return sizeof(sustain_real) == sizeof(double) ? 1e-12 : 1e-5;
}

static setting setting_of(const char *solver, bool decreasing, int64_t batch, bool stream) {
    setting s = {.solver = solver,
                 .name = decreasing ? "decreasing" : "constant",
                 .alpha = decreasing ? 0.8 : 0.1,
                 .beta = decreasing ? 0.8 : 0.15,
                 .w = decreasing ? 2 : 1,
                 .p = decreasing ? 0.5 : 0,
                 .q = decreasing ? 0.4 : 0,
                 .c_eta_f = decreasing ? 3 : 0.1,
                 .c_eta_g = decreasing ? 2 : 0.3,
                 .batch = batch,
                 .seed = 17 + batch,
                 .K = 5,
                 .inner = 3,
                 .period = 7,
                 .large = 6 * batch,
                 .largest = 12,
                 .shrink = 0.8,
                 .stream = stream};
    return s;
}

static void check_paper(const char *solver) {
    double largest = 0;
    for (int stream = 0; stream < 2; stream++)
        for (int decreasing = 0; decreasing < 2; decreasing++)
            for (int64_t batch = 1; batch <= 5; batch += 4)
                for (int warm = 0; warm < (strcmp(solver, "bsa") == 0 ? 2 : 1); warm++) {
                    setting s = setting_of(solver, decreasing != 0, batch, stream != 0);
                    s.warm = warm != 0;
                    s.linear = batch == 5;
                    double moved;
                    const double d = compare(&s, 300, &moved);
                    if (!(d <= bound()))
                        fail_msg("%s, %s, %s, batch %d: differs by %.2e", solver, stream ? "stream" : "finite sum", s.name, (int)batch, d);
                    assert_true(moved > 0.1);
                    largest = fmax(largest, d);
                }
    print_message("%s: %.1e\n", solver, largest);
}

static void test_ttsa(void **state) {
    (void)state;
    check_paper("ttsa");
}

static void test_bsa(void **state) {
    (void)state;
    check_paper("bsa");
}

static void test_stocbio(void **state) {
    (void)state;
    check_paper("stocbio");
}

static void test_mrbo(void **state) {
    (void)state;
    check_paper("mrbo");
}

static void test_vrbo(void **state) {
    (void)state;
    check_paper("vrbo");
}

/* Lengths of 1 and 0: one term and no factor read, no second step on y. */
static void test_shortest(void **state) {
    (void)state;
    double largest = 0, moved;
    for (int i = 0; i < PAPERS; i++) {
        setting s = setting_of(papers[i].name, true, 2, false);
        s.K = 1;
        s.inner = strcmp(s.solver, "vrbo") == 0 ? 0 : 1;
        s.period = 1;
        s.large = 1;
        largest = fmax(largest, compare(&s, 300, &moved));
    }
    assert_true(largest <= bound());
    print_message("shortest loops: %.1e\n", largest);
}

/* The sizes of batches that are not given. */
static void test_sizes(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        setting s = setting_of(i < 2 ? "stocbio" : "vrbo", true, 2, true);
        s.shrink = 0, s.large = 0, s.mu = i == 1 ? 0.5 : 0;
        double moved;
        const double d = compare(&s, 100, &moved);
        if (!(d <= bound())) fail_msg("%s, mu %g: differs by %.2e", s.solver, s.mu, d);
    }
}

/* ---- mistakes ---- */

static void test_mistakes_are_seen(void **state) {
    (void)state;
    static const struct {
        const char *solver;
        slip slip;
    } rows[] = {{"ttsa", OLD_Y},          {"ttsa", FACTORS_REVERSED},
                {"bsa", OLD_Y},           {"bsa", OTHER_START},
                {"bsa", ONE_STEP_SIZE},   {"stocbio", OLD_Y},
                {"stocbio", SHORT_SUM},   {"stocbio", OTHER_START},
                {"stocbio", EQUAL_SIZES}, {"stocbio", FACTORS_REVERSED},
                {"mrbo", SHORT_SUM},      {"mrbo", FACTORS_REVERSED},
                {"mrbo", OTHER_DRAW},     {"mrbo", NOT_CARRIED},
                {"vrbo", SHORT_SUM},      {"vrbo", FACTORS_REVERSED},
                {"vrbo", OTHER_DRAW},     {"vrbo", NOT_CARRIED},
                {"vrbo", SAME_POINT},     {"vrbo", ONE_STEP_LESS}};
    double smallest = HUGE_VAL, moved;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setting s = setting_of(rows[i].solver, true, 1, true);
        s.slip = rows[i].slip;
        const double d = compare(&s, 200, &moved);
        if (!(d > 1e-4)) fail_msg("%s, mistake %d is not seen: %.2e", s.solver, (int)s.slip, d);
        smallest = fmin(smallest, d);
    }
    print_message("mistakes: at least %.1e\n", smallest);
}

/* ---- trajectories written by other hands ---- */

/* The problem of tests/golden/small_problem.py. */
enum { SMALL_SAMPLES = 7 };

typedef struct small_sample {
    double s[2], c[2], d[2], e, h;
} small_sample;

static small_sample small_draw(int64_t i) {
    small_sample r = {.e = (double)(2 * i % 7) / 10 - 0.3, .h = (double)(4 * i % 5) / 2 - 1};
    for (int64_t j = 0; j < 2; j++) {
        r.s[j] = (double)((3 * i + 2 * j) % 5) / 5;
        r.c[j] = (double)((i + 3 * j) % 4) / 2 - 0.5;
        r.d[j] = (double)((5 * i + j) % 6) / 3 - 1;
    }
    return r;
}

static int64_t small_size(const sustain_batch *batch) {
    return batch != NULL ? batch->size : SMALL_SAMPLES;
}

static small_sample small_at(const sustain_batch *batch, int64_t k) {
    return small_draw(batch != NULL ? batch->index[k] : k);
}

static double root(double u) {
    return sqrt(1 + u * u);
}

static int small_f_value(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value,
                         void *work) {
    (void)self, (void)work;
    *value = 0;
    for (int64_t k = 0; k < small_size(xi); k++) {
        const small_sample r = small_at(xi, k);
        for (int j = 0; j < 2; j++) *value += pow((double)y[j] - r.d[j], 2) / 2 + pow((double)x[j] - 1, 2) / 10;
        *value += r.h * (double)x[0] * (double)y[1] / 5;
    }
    *value /= (double)small_size(xi);
    return 0;
}

static int small_g_value(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value,
                         void *work) {
    (void)self, (void)work;
    *value = 0;
    for (int64_t k = 0; k < small_size(zeta); k++) {
        const small_sample r = small_at(zeta, k);
        for (int j = 0; j < 2; j++) *value += (1 + r.s[j] * r.s[j]) * pow((double)y[j], 2) / 2 + root((double)y[j] - r.c[j] * (double)x[j]);
        *value += r.e * (double)y[0] * (double)y[1];
    }
    *value /= (double)small_size(zeta);
    return 0;
}

static int small_f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                        sustain_real *fy, void *work) {
    (void)self, (void)work;
    double sum_x[2] = {0}, sum_y[2] = {0};
    for (int64_t k = 0; k < small_size(xi); k++) {
        const small_sample r = small_at(xi, k);
        for (int j = 0; j < 2; j++) {
            sum_x[j] += ((double)x[j] - 1) / 5 + (j == 0 ? r.h * (double)y[1] / 5 : 0);
            sum_y[j] += (double)y[j] - r.d[j] + (j == 1 ? r.h * (double)x[0] / 5 : 0);
        }
    }
    for (int j = 0; j < 2; j++) {
        fx[j] = (sustain_real)(sum_x[j] / (double)small_size(xi));
        fy[j] = (sustain_real)(sum_y[j] / (double)small_size(xi));
    }
    return 0;
}

static int small_g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                          void *work) {
    (void)self, (void)work;
    double sum[2] = {0};
    for (int64_t k = 0; k < small_size(zeta); k++) {
        const small_sample r = small_at(zeta, k);
        for (int j = 0; j < 2; j++) {
            const double u = (double)y[j] - r.c[j] * (double)x[j];
            sum[j] += (1 + r.s[j] * r.s[j]) * (double)y[j] + u / root(u) + r.e * (double)y[1 - j];
        }
    }
    for (int j = 0; j < 2; j++) gy[j] = (sustain_real)(sum[j] / (double)small_size(zeta));
    return 0;
}

static int small_g_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                            const sustain_real *v, sustain_real *out, void *work) {
    (void)self, (void)work;
    double sum[2] = {0};
    for (int64_t k = 0; k < small_size(zeta); k++) {
        const small_sample r = small_at(zeta, k);
        for (int j = 0; j < 2; j++) {
            const double u = (double)y[j] - r.c[j] * (double)x[j];
            sum[j] += (1 + r.s[j] * r.s[j] + pow(root(u), -3)) * (double)v[j] + r.e * (double)v[1 - j];
        }
    }
    for (int j = 0; j < 2; j++) out[j] = (sustain_real)(sum[j] / (double)small_size(zeta));
    return 0;
}

static int small_g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                             const sustain_real *v, sustain_real *out, void *work) {
    (void)self, (void)work;
    double sum[2] = {0};
    for (int64_t k = 0; k < small_size(zeta); k++) {
        const small_sample r = small_at(zeta, k);
        for (int j = 0; j < 2; j++) sum[j] -= r.c[j] * pow(root((double)y[j] - r.c[j] * (double)x[j]), -3) * (double)v[j];
    }
    for (int j = 0; j < 2; j++) out[j] = (sustain_real)(sum[j] / (double)small_size(zeta));
    return 0;
}

static const sustain_problem_ops small_ops = {.name = "small",
                                              .f_value = small_f_value,
                                              .f_grad = small_f_grad,
                                              .g_value = small_g_value,
                                              .g_grad_y = small_g_grad_y,
                                              .g_hess_vec = small_g_hess_vec,
                                              .g_cross_vec = small_g_cross_vec};
static const sustain_problem small_problem = {
    .ops = &small_ops, .upper_dim = 2, .lower_dim = 2, .samples = {SMALL_SAMPLES, SMALL_SAMPLES}, .has_expectation = true};

/* The largest difference from NAME.csv, whose script has the same numbers; pairs: name, text, ...,
 * NULL. */
static double from_golden(const char *name, const char *const *pairs) {
    char path[512];
    snprintf(path, sizeof path, SUSTAIN_SOURCE_DIR "/tests/golden/%s.csv", name);
    FILE *file = fopen(path, "r");
    if (file == NULL) fail_msg("%s is missing", path);
    sustain_context *context;
    sustain_solver *solver;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain_solver_create(context, name, &small_problem, &solver), SUSTAIN_OK);
    static const char *const common[] = {"schedule", "power", "alpha", "0.3", "beta", "0.4", "w", "2",
                                         "batch",    "2",     "seed",  "5",   "L_g",  "4",   NULL};
    for (const char *const *p = common; *p != NULL; p += 2) assert_int_equal(sustain_solver_set(solver, p[0], p[1]), SUSTAIN_OK);
    for (const char *const *p = pairs; *p != NULL; p += 2) assert_int_equal(sustain_solver_set(solver, p[0], p[1]), SUSTAIN_OK);
    const sustain_real x[2] = {0.5, -0.25}, y[2] = {0.75, -1};
    assert_int_equal(sustain_solver_start(solver, x, y), SUSTAIN_OK);
    double worst = 0, v[5];
    int rows = 0;
    assert_true(fscanf(file, "iteration,x0,x1,y0,y1 ") == 0);
    while (fscanf(file, "%lf,%lf,%lf,%lf,%lf ", &v[0], &v[1], &v[2], &v[3], &v[4]) == 5) {
        while ((double)sustain_solver_iteration(solver) < v[0]) assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK);
        worst = fmax(worst, fmax(relative(2, sustain_solver_x(solver), v + 1), relative(2, sustain_solver_y(solver), v + 3)));
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 12);
    sustain_solver_destroy(solver);
    sustain_context_destroy(context);
    return worst;
}

static void test_golden(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const char *const pairs[14];
    } rows[] = {{"ttsa", {"K", "4", "p", "0.6", "q", "0.4", NULL}},
                {"stocbio", {"Q", "4", "p", "0.5", "q", "0.5", "inner", "3", "shrink", "0.7", "largest", "6", NULL}},
                {"mrbo", {"Q", "4", "p", "0.33333333333333331", "c_eta_f", "0.8", "c_eta_g", "1.2", NULL}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double d = from_golden(rows[i].name, rows[i].pairs);
        if (!(d <= bound())) fail_msg("%s differs from the golden trajectory by %.2e", rows[i].name, d);
        print_message("%s, golden: %.1e\n", rows[i].name, d);
    }
    /* and a wrong parameter is seen */
    assert_true(from_golden("stocbio", (const char *const[]){"Q", "4", "p", "0.5", "q", "0.5", "inner", "3", "shrink", "0.7", NULL}) >
                1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ttsa),    cmocka_unit_test(test_bsa),
        cmocka_unit_test(test_stocbio), cmocka_unit_test(test_mrbo),
        cmocka_unit_test(test_vrbo),    cmocka_unit_test(test_shortest),
        cmocka_unit_test(test_sizes),   cmocka_unit_test(test_mistakes_are_seen),
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
