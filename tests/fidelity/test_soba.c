/* test_soba.c - the iterates of soba, saba, ma-soba and srba against transcriptions of their
 * pseudo-codes, at every iteration, and against trajectories that tests/golden/{soba,saba}.py
 * computed without this library.
 *
 * The transcriptions are in the notation of Dagreou et al. 2022 and 2023: z = y, D_v = H v + grad_1
 * F, D_x = J v + grad_2 F, so their v is minus ours. Sums over all samples are computed again in
 * every iteration. */
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

enum { M = COUPLED_M, N = COUPLED_N, SAMPLES = COUPLED_SAMPLES, ITERATIONS = 400 };

static double bound(void) {
    return sizeof(sustain_real) == sizeof(double) ? 1e-12 : 1e-5;
}

typedef enum algorithm { SOBA, SABA, MA_SOBA, SRBA } algorithm;
static const char *const names[] = {"soba", "saba", "ma-soba", "srba"};

typedef enum mistake_here {
    NONE,
    NEWEST_Z,      /* v and x see z^{t+1} */
    NEWEST_V,      /* x sees v^{t+1} */
    OTHER_INDEX,   /* D_v and D_x draw their own i */
    SIGN_OF_F,     /* D_v with minus */
    TABLE_OLD,     /* saba: the mean of the memory after the update */
    TABLE_FORGETS, /* saba: the memory is never updated */
    TABLE_ZERO,    /* saba: the memory begins with zeros */
    NEWEST_H,      /* ma-soba: x moves by h_{k+1} */
    THETA_FIXED,   /* ma-soba: theta does not decay */
    PERIOD_OFF,    /* srba: q + 1 */
    NOT_PROJECTED, /* srba: v is free */
    OTHER_DRAW     /* srba: another draw at the second point */
} mistake_here;

typedef struct run {
    algorithm algorithm;
    const sustain_problem *problem;
    sustain__sampler sampler;
    int64_t batch, period;
    double alpha, beta, w, p, theta, radius;
    bool zeros; /* saba: begins with zeros */
    mistake_here mistake;

    int64_t t;
    double x[M], z[N], v[N];
    double x_prev[M], z_prev[N], v_prev[N];                                                /* srba: u^{k-1} */
    double Dx[M], Dz[N], Dv[N];                                                            /* srba: Delta^{k-1} */
    double h[M];                                                                           /* ma-soba */
    double gz[SAMPLES][N], Hv[SAMPLES][N], Jv[SAMPLES][M], f1[SAMPLES][N], f2[SAMPLES][M]; /* saba: phi_i(w_i) */
} run;

/* The five quantities of draws, or of all samples. */
typedef struct parts {
    double gz[N], Hv[N], Jv[M], f1[N], f2[M];
} parts;

static void times(int64_t rows, const double *A, const double *v, double *out) {
    for (int64_t i = 0; i < rows; i++) {
        out[i] = 0;
        for (int64_t j = 0; j < N; j++) out[i] += A[i * N + j] * v[j];
    }
}

static parts parts_of(const sustain_batch *inner, const sustain_batch *other, const sustain_batch *outer, const double *x, const double *z,
                      const double *v) {
    parts p;
    double H[N * N], J[M * N];
    coupled_grad_f(NULL, outer, x, z, p.f2, p.f1);
    coupled_grad_y_g(NULL, inner, x, z, p.gz);
    coupled_hessian(NULL, other, x, z, H);
    coupled_cross(NULL, other, x, z, J);
    times(N, H, v, p.Hv);
    times(M, J, v, p.Jv);
    return p;
}

static sustain_batch draw(const run *r, sustain_level level, int64_t t, int64_t *index) {
    return sustain__draw(&r->sampler, level, level == SUSTAIN_LOWER ? SUSTAIN__STREAM_LOWER : SUSTAIN__STREAM_UPPER, t, r->batch, index);
}

static void directions(const run *r, const parts *p, double *Dz, double *Dv, double *Dx) {
    for (int j = 0; j < N; j++) Dz[j] = p->gz[j];
    for (int j = 0; j < N; j++) Dv[j] = p->Hv[j] + (r->mistake == SIGN_OF_F ? -1 : 1) * p->f1[j];
    for (int i = 0; i < M; i++) Dx[i] = p->Jv[i] + p->f2[i];
}

/* (10a) to (10c). */
static void soba_directions(const run *r, int64_t t, const double *x, const double *z, const double *v, double *Dz, double *Dv,
                            double *Dx) {
    int64_t i[16], j[16], other[16];
    const sustain_batch inner = draw(r, SUSTAIN_LOWER, t, i), outer = draw(r, SUSTAIN_UPPER, t, j);
    const sustain_batch own = draw(r, SUSTAIN_LOWER, r->mistake == OTHER_INDEX ? t + 100000 : t, other);
    const parts p = parts_of(&inner, &own, &outer, x, z, v);
    directions(r, &p, Dz, Dv, Dx);
}

/* One sum S[phi, w] of Section 2.2, and the update of its memory afterwards. */
static void saga(const run *r, int n, const double *now, int64_t stride, double *memory, const int64_t *index, double *out) {
    double before[M > N ? M : N], after[M > N ? M : N];
    for (int a = 0; a < n; a++) {
        before[a] = out[a] = 0;
        for (int i = 0; i < SAMPLES; i++) before[a] += memory[i * n + a] / SAMPLES;
        for (int64_t b = 0; b < r->batch; b++) out[a] += (now[b * stride + a] - memory[index[b] * n + a]) / (double)r->batch;
    }
    for (int64_t b = 0; b < r->batch && r->mistake != TABLE_FORGETS; b++)
        for (int a = 0; a < n; a++) memory[index[b] * n + a] = now[b * stride + a];
    for (int a = 0; a < n; a++) {
        after[a] = 0;
        for (int i = 0; i < SAMPLES; i++) after[a] += memory[i * n + a] / SAMPLES;
        out[a] += r->mistake == TABLE_OLD ? after[a] : before[a];
    }
}

static parts part_of_sample(const run *r, int64_t i, int64_t j) {
    const sustain_batch inner = {.size = 1, .index = &i}, outer = {.size = 1, .index = &j};
    return parts_of(&inner, &inner, &outer, r->x, r->z, r->v);
}

/* (11a) to (11c). */
static void saba_directions(run *r, double *Dz, double *Dv, double *Dx) {
    int64_t i[16], j[16];
    parts now[16], S;
    enum { STRIDE = sizeof(parts) / sizeof(double) };
    for (int64_t s = 0; r->t == 0 && !r->zeros && r->mistake != TABLE_ZERO && s < SAMPLES; s++) { /* w_i = (z^0, v^0, x^0) for all i */
        const parts p = part_of_sample(r, s, s);
        memcpy(r->gz[s], p.gz, sizeof p.gz), memcpy(r->Hv[s], p.Hv, sizeof p.Hv), memcpy(r->Jv[s], p.Jv, sizeof p.Jv);
        memcpy(r->f1[s], p.f1, sizeof p.f1), memcpy(r->f2[s], p.f2, sizeof p.f2);
    }
    draw(r, SUSTAIN_LOWER, r->t, i);
    draw(r, SUSTAIN_UPPER, r->t, j);
    for (int64_t b = 0; b < r->batch; b++) now[b] = part_of_sample(r, i[b], j[b]);
    saga(r, N, now[0].gz, STRIDE, r->gz[0], i, S.gz);
    saga(r, N, now[0].Hv, STRIDE, r->Hv[0], i, S.Hv);
    saga(r, M, now[0].Jv, STRIDE, r->Jv[0], i, S.Jv);
    saga(r, N, now[0].f1, STRIDE, r->f1[0], j, S.f1);
    saga(r, M, now[0].f2, STRIDE, r->f2[0], j, S.f2);
    directions(r, &S, Dz, Dv, Dx);
}

/* Algorithm 1 of Dagreou et al. 2023. */
static void srba_directions(run *r, double *Dz, double *Dv, double *Dx) {
    const int64_t q = r->mistake == PERIOD_OFF ? r->period + 1 : r->period;
    if (r->t % q == 0) {
        int64_t index[SAMPLES];
        const sustain_batch all = coupled_all(index);
        const parts p = parts_of(&all, &all, &all, r->x, r->z, r->v);
        directions(r, &p, Dz, Dv, Dx);
        return;
    }
    double Bz[N], Bv[N], Bx[M];
    soba_directions(r, r->t, r->x, r->z, r->v, Dz, Dv, Dx);
    soba_directions(r, r->mistake == OTHER_DRAW ? r->t + 100000 : r->t, r->x_prev, r->z_prev, r->v_prev, Bz, Bv, Bx);
    for (int j = 0; j < N; j++) Dz[j] = Dz[j] - Bz[j] + r->Dz[j];
    for (int j = 0; j < N; j++) Dv[j] = Dv[j] - Bv[j] + r->Dv[j];
    for (int i = 0; i < M; i++) Dx[i] = Dx[i] - Bx[i] + r->Dx[i];
}

/* Algorithm 1: z, v and x at the same time. */
static void step(run *r) {
    const double decay = pow(r->w + (double)r->t, -r->p), rho = r->beta * decay, gamma = r->alpha * decay;
    double Dz[N], Dv[N], Dx[M], next[N], length = 0;
    if (r->algorithm == SABA)
        saba_directions(r, Dz, Dv, Dx);
    else if (r->algorithm == SRBA)
        srba_directions(r, Dz, Dv, Dx);
    else
        soba_directions(r, r->t, r->x, r->z, r->v, Dz, Dv, Dx);
    for (int j = 0; j < N; j++) next[j] = r->z[j] - rho * Dz[j];
    if (r->mistake == NEWEST_Z) soba_directions(r, r->t, r->x, next, r->v, (double[N]){0}, Dv, Dx);
    if (r->mistake == NEWEST_V) {
        double v[N];
        for (int j = 0; j < N; j++) v[j] = r->v[j] - rho * Dv[j];
        soba_directions(r, r->t, r->x, r->z, v, (double[N]){0}, (double[N]){0}, Dx);
    }
    memcpy(r->Dz, Dz, sizeof Dz), memcpy(r->Dv, Dv, sizeof Dv), memcpy(r->Dx, Dx, sizeof Dx);
    memcpy(r->z_prev, r->z, sizeof next), memcpy(r->v_prev, r->v, sizeof next), memcpy(r->x_prev, r->x, sizeof Dx);
    memcpy(r->z, next, sizeof next);
    for (int j = 0; j < N; j++) r->v[j] -= rho * Dv[j];
    for (int j = 0; j < N; j++) length += r->v[j] * r->v[j];
    if (r->algorithm == SRBA && r->mistake != NOT_PROJECTED && sqrt(length) > r->radius)
        for (int j = 0; j < N; j++) r->v[j] *= r->radius / sqrt(length);
    /* MA-SOBA: x_{k+1} = x_k - alpha_k h_k, h_{k+1} = (1 - theta_k) h_k + theta_k w_{k+1}; theta_0
     * = 1, h_0 = 0 */
    const double theta = r->t == 0 ? 1 : r->mistake == THETA_FIXED ? r->theta : r->theta * decay * pow(r->w, r->p);
    for (int i = 0; i < M; i++) {
        const double h = (1 - theta) * r->h[i] + theta * Dx[i];
        r->x[i] -= gamma * (r->algorithm != MA_SOBA ? Dx[i] : r->mistake == NEWEST_H ? h : r->h[i]);
        r->h[i] = h;
    }
    r->t++;
}

/* ---- beside the library ---- */

typedef struct setting {
    double alpha, beta, w, p;
    int64_t period; /* 0: (n+m)/batch */
} setting;

static const setting settings[] = {{0.1, 0.2, 1, 0, 17}, {0.8, 0.8, 2, 0.5, 0}};

static void set_number(sustain_solver *solver, const char *name, double value) {
    assert_int_equal(sustain_solver_set_number(solver, name, value), SUSTAIN_OK);
}

static sustain_solver *new_solver(sustain_context *context, const char *name, const sustain_problem *problem, setting s, int64_t batch,
                                  int64_t seed) {
    sustain_solver *solver;
    assert_int_equal(sustain_solver_create(context, name, problem, &solver), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(solver, "schedule", "power"), SUSTAIN_OK);
    set_number(solver, "alpha", s.alpha);
    set_number(solver, "beta", s.beta);
    set_number(solver, "w", s.w);
    set_number(solver, "p", s.p);
    set_number(solver, "q", -1);
    set_number(solver, "batch", (double)batch);
    set_number(solver, "seed", (double)seed);
    set_number(solver, "L_g", COUPLED_L_G);
    return solver;
}

static double compare(algorithm a, bool stream, setting s, int64_t batch, bool zeros, mistake_here slip) {
    const sustain_problem problem = coupled_problem(stream);
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_solver *solver = new_solver(context, names[a], &problem, s, batch, 31 + batch);
    run *r = calloc(1, sizeof *r);
    assert_non_null(r);
    *r = (run){.algorithm = a, .batch = batch, .theta = 0.3, .radius = 0.05, .zeros = zeros, .mistake = slip};
    r->alpha = s.alpha, r->beta = s.beta, r->w = s.w, r->p = s.p;
    r->period = s.period > 0 ? s.period : 2 * SAMPLES / batch;
    r->sampler = (sustain__sampler){.problem = &problem, .seed = (uint64_t)(31 + batch)};
    if (a == MA_SOBA) set_number(solver, "theta", r->theta);
    if (a == SRBA) set_number(solver, "period", (double)s.period), set_number(solver, "radius", r->radius);
    if (a == SABA && zeros) assert_int_equal(sustain_solver_set(solver, "fill", "zeros"), SUSTAIN_OK);
    sustain_real x[M], y[N];
    for (int i = 0; i < M; i++) r->x[i] = (double)(x[i] = (sustain_real)(0.5 * naive_uniform(21, 0, (uint64_t)i)));
    for (int j = 0; j < N; j++) r->z[j] = (double)(y[j] = (sustain_real)(0.5 * naive_uniform(22, 0, (uint64_t)j)));
    assert_int_equal(sustain_solver_start(solver, x, y), SUSTAIN_OK);
    double worst = 0;
    while (r->t < ITERATIONS) {
        assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK);
        step(r);
        worst = fmax(worst, fmax(relative(M, sustain_solver_x(solver), r->x), relative(N, sustain_solver_y(solver), r->z)));
    }
    assert_true(relative(M, x, r->x) > 0.1); /* x did move */
    free(r);
    sustain_solver_destroy(solver);
    sustain_context_destroy(context);
    return worst;
}

static void same_all_ways(algorithm a) {
    double worst = 0;
    for (int stream = 0; stream <= (a == SOBA || a == MA_SOBA); stream++)
        for (int i = 0; i < 2; i++)
            for (int64_t batch = 1; batch <= 5; batch += 4)
                for (int zeros = 0; zeros <= (a == SABA); zeros++) {
                    const double d = compare(a, stream != 0, settings[i], batch, zeros != 0, NONE);
                    if (!(d <= bound())) fail_msg("%s, setting %d, batch %d: %.2e", names[a], i, (int)batch, d);
                    worst = fmax(worst, d);
                }
    print_message("%s: %.1e\n", names[a], worst);
}

static void test_soba(void **state) {
    (void)state;
    same_all_ways(SOBA);
}

static void test_saba(void **state) {
    (void)state;
    same_all_ways(SABA);
}

static void test_ma_soba(void **state) {
    (void)state;
    same_all_ways(MA_SOBA);
}

static void test_srba(void **state) {
    (void)state;
    same_all_ways(SRBA);
}

static void test_mistakes_are_seen(void **state) {
    (void)state;
    static const struct {
        algorithm algorithm;
        mistake_here mistake;
    } rows[] = {{SOBA, NEWEST_Z},       {SOBA, NEWEST_V},      {SOBA, OTHER_INDEX}, {SOBA, SIGN_OF_F},    {SABA, SIGN_OF_F},
                {SABA, TABLE_OLD},      {SABA, TABLE_FORGETS}, {SABA, TABLE_ZERO},  {MA_SOBA, NEWEST_H},  {MA_SOBA, THETA_FIXED},
                {MA_SOBA, OTHER_INDEX}, {SRBA, PERIOD_OFF},    {SRBA, OTHER_DRAW},  {SRBA, NOT_PROJECTED}};
    double smallest = HUGE_VAL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double d = compare(rows[i].algorithm, false, settings[1], 1, false, rows[i].mistake);
        if (!(d > 1e-4)) fail_msg("%s: mistake %d is not seen: %.2e", names[rows[i].algorithm], (int)rows[i].mistake, d);
        smallest = fmin(smallest, d);
    }
    print_message("mistakes: at least %.1e\n", smallest);
}

/* ---- tables ---- */

/* SAGA with the few numbers a sample that hyperclean offers, against whole vectors: the same to
 * rounding. */
static void test_rows_are_vectors(void **state) {
    (void)state;
    static cleaning data;
    cleaning_fill(&data, 0.05);
    const sustain_rows training = cleaning_training(&data), trusted = cleaning_trusted(&data);
    sustain_context *context;
    sustain_problem *problem;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    const sustain_hyperclean_options options = cleaning_options(&data);
    assert_int_equal(sustain_hyperclean_create(context, &options, &training, &trusted, &problem), SUSTAIN_OK);
    double worst = 0;
    for (int fill = 0; fill < 2; fill++)
        for (int64_t batch = 1; batch <= 5; batch += 4) {
            sustain_solver *solver[2];
            for (int i = 0; i < 2; i++) {
                solver[i] = new_solver(context, "saba", problem, (setting){40, 0.2, 1, 0, 0}, batch, 7);
                assert_int_equal(sustain_solver_set(solver[i], "memory", i == 0 ? "rows" : "vectors"), SUSTAIN_OK);
                assert_int_equal(sustain_solver_set(solver[i], "fill", fill == 0 ? "pass" : "zeros"), SUSTAIN_OK);
            }
            for (int t = 0; t < 1000; t++) {
                double x[CLEANING_TRAINING], y[CLEANING_N];
                for (int i = 0; i < 2; i++) assert_int_equal(sustain_solver_step(solver[i]), SUSTAIN_OK);
                naive_widen(CLEANING_TRAINING, sustain_solver_x(solver[1]), x);
                naive_widen(CLEANING_N, sustain_solver_y(solver[1]), y);
                worst = fmax(worst, relative(CLEANING_TRAINING, sustain_solver_x(solver[0]), x));
                worst = fmax(worst, relative(CLEANING_N, sustain_solver_y(solver[0]), y));
            }
            const sustain_counts a = sustain_solver_counts(solver[0]), b = sustain_solver_counts(solver[1]);
            assert_memory_equal(&a, &b, sizeof a);
            for (int i = 0; i < 2; i++) sustain_solver_destroy(solver[i]);
        }
    if (!(worst <= (sizeof(sustain_real) == 8 ? 1e-12 : 1e-4))) fail_msg("rows against vectors: %.2e", worst);
    print_message("rows against vectors: %.1e\n", worst);
    sustain_hyperclean_destroy(problem);
    sustain_context_destroy(context);
}

static void test_tables_too_large(void **state) {
    (void)state;
    const sustain_problem problem = coupled_problem(false);
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_solver *solver = new_solver(context, "saba", &problem, settings[0], 1, 1);
    const double bytes = 2.0 * SAMPLES * (3 * N + 2 * M) * sizeof(sustain_real); /* five tables, and the good copy */
    set_number(solver, "table_memory", bytes - 1);
    assert_int_equal(sustain_solver_start(solver, NULL, NULL), SUSTAIN_PARAMETER);
    char text[32];
    snprintf(text, sizeof text, "%.3g bytes", bytes);
    if (strstr(sustain_error(context), text) == NULL) fail_msg("'%s' does not say '%s'", sustain_error(context), text);
    assert_non_null(strstr(sustain_error(context), "table_memory"));
    set_number(solver, "table_memory", bytes); /* a refusal is no start */
    assert_int_equal(sustain_solver_start(solver, NULL, NULL), SUSTAIN_OK);
    sustain_solver_destroy(solver);
    sustain_context_destroy(context);
}

/* ---- trajectories of an independent program ---- */

static void compare_golden(const char *name) {
    const sustain_problem problem = coupled_problem(false);
    char path[1024], line[1024];
    snprintf(path, sizeof path, SUSTAIN_SOURCE_DIR "/tests/golden/%s.csv", name);
    FILE *file = fopen(path, "r");
    if (file == NULL) fail_msg("%s is not there", path);
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_solver *solver = new_solver(context, name, &problem, (setting){0.4, 0.6, 4, 0.25, 0}, 2, 2024);
    const sustain_real x[M] = {0.5, -0.25, 0.125, 0, -0.5, 0.25}, y[N] = {0.25, 0, -0.5, 0.125, 0.5};
    assert_int_equal(sustain_solver_start(solver, x, y), SUSTAIN_OK);
    assert_non_null(fgets(line, sizeof line, file)); /* names of the columns */
    double worst = 0;
    int rows = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        double golden[M + N];
        char *at = line;
        const long t = strtol(at, &at, 10);
        for (int i = 0; i < M + N; i++) golden[i] = strtod(at + 1, &at); /* after the comma */
        while (sustain_solver_iteration(solver) < t) assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK);
        worst = fmax(worst, fmax(relative(M, sustain_solver_x(solver), golden), relative(N, sustain_solver_y(solver), golden + M)));
        rows++;
    }
    fclose(file);
    assert_true(rows >= 10);
    if (!(worst <= bound())) fail_msg("%s: %.2e from tests/golden/%s.csv", name, worst, name);
    print_message("%s beside its golden trajectory: %.1e\n", name, worst);
    sustain_solver_destroy(solver);
    sustain_context_destroy(context);
}

static void test_golden(void **state) {
    (void)state;
    compare_golden("soba");
    compare_golden("saba");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soba),
        cmocka_unit_test(test_saba),
        cmocka_unit_test(test_ma_soba),
        cmocka_unit_test(test_srba),
        cmocka_unit_test(test_mistakes_are_seen),
        cmocka_unit_test(test_rows_are_vectors),
        cmocka_unit_test(test_tables_too_large),
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
