/* beside.h - runs an algorithm of the library beside a transcription of its pseudo-code, on the
 * problem coupled, and measures the largest difference of their iterates. Only the random numbers
 * come from the library. */
#ifndef BESIDE_H
#define BESIDE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <sustain/solver.h>

#include "naive_problems.h"

enum { M = COUPLED_M, N = COUPLED_N, MOST_BATCH = 16, SEED = 31 };

typedef struct beside {
    const char *solver;
    const char *const *pairs;       /* parameters: name, text, ..., NULL */
    bool stream;                    /* the problem: a stream, or a finite sum */
    bool y_zero;                    /* y_0 = 0 in place of a random point */
    const sustain_constants *known; /* what the problem knows; NULL: nothing */
    int64_t batch;
    int mistake; /* that the transcription makes on purpose; 0: none */
    void (*step)(struct beside *);
    const void *config; /* the transcription's settings */
    void *own;          /* its further state, zeros at the start */

    /* of the transcription; the harness sets the start */
    double x[M], y[N];
    int64_t t, index[MOST_BATCH];
    sustain__sampler sampler;
} beside;

static inline sustain_batch beside_draw(beside *b, sustain_level level, uint32_t stream, int64_t t) {
    return sustain__draw(&b->sampler, level, stream, t, b->batch, b->index);
}

/* The gradients of a draw. */
static inline void beside_f(beside *b, uint32_t stream, int64_t t, const double *x, const double *y, double *fx, double *fy) {
    const sustain_batch xi = beside_draw(b, SUSTAIN_UPPER, stream, t);
    coupled_grad_f(NULL, &xi, x, y, fx, fy);
}

static inline void beside_gy(beside *b, uint32_t stream, int64_t t, const double *x, const double *y, double *gy) {
    const sustain_batch zeta = beside_draw(b, SUSTAIN_LOWER, stream, t);
    coupled_grad_y_g(NULL, &zeta, x, y, gy);
}

static inline void beside_gx(beside *b, uint32_t stream, int64_t t, const double *x, const double *y, double *gx) {
    const sustain_batch zeta = beside_draw(b, SUSTAIN_LOWER, stream, t);
    coupled_grad_x_g(&zeta, x, y, gx);
}

static inline void beside_set(sustain_solver *solver, const char *name, const char *text) {
    const sustain_solver_info *info = sustain_solver_describe(solver);
    for (int i = 0; i < info->parameter_count; i++)
        if (strcmp(info->parameters[i].name, name) == 0) assert_int_equal(sustain_solver_set(solver, name, text), SUSTAIN_OK);
}

/* |x - x'| / |x'| or |y - y'| / |y'|, the largest over all iterations. x must move. */
static inline double beside_run(beside *b, int iterations) {
    sustain_problem problem = coupled_problem(b->stream);
    problem.known = b->known;
    char batch[16], seed[16], L_g[32];
    sustain_context *context;
    sustain_solver *solver;
    snprintf(batch, sizeof batch, "%d", (int)b->batch);
    snprintf(seed, sizeof seed, "%d", SEED);
    snprintf(L_g, sizeof L_g, "%g", COUPLED_L_G);
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain_solver_create(context, b->solver, &problem, &solver), SUSTAIN_OK);
    const char *const common[] = {"schedule", "power", "batch", batch, "seed", seed, "L_g", L_g, NULL};
    for (const char *const *p = common; *p != NULL; p += 2) beside_set(solver, p[0], p[1]);
    for (const char *const *p = b->pairs; *p != NULL; p += 2) assert_int_equal(sustain_solver_set(solver, p[0], p[1]), SUSTAIN_OK);
    sustain_real x[M], y[N];
    for (int i = 0; i < M; i++) b->x[i] = (double)(x[i] = (sustain_real)(0.5 * naive_uniform(21, 0, (uint64_t)i)));
    for (int j = 0; j < N; j++) b->y[j] = (double)(y[j] = (sustain_real)(b->y_zero ? 0 : 0.5 * naive_uniform(22, 0, (uint64_t)j)));
    b->t = 0;
    b->sampler = (sustain__sampler){.problem = &problem, .seed = SEED};
    assert_int_equal(sustain_solver_start(solver, x, y), SUSTAIN_OK);
    double worst = 0;
    for (; b->t < iterations; b->t++) {
        if (sustain_solver_step(solver) != SUSTAIN_OK) fail_msg("%s: %s", b->solver, sustain_error(context));
        b->step(b);
        worst = fmax(worst, fmax(relative(M, sustain_solver_x(solver), b->x), relative(N, sustain_solver_y(solver), b->y)));
    }
    assert_true(relative(M, x, b->x) > 0.05);
    sustain_solver_destroy(solver);
    sustain_context_destroy(context);
    return worst;
}

static inline double beside_bound(void) {
    return sizeof(sustain_real) == sizeof(double) ? 1e-12 : 1e-5;
}

static inline bool beside_deterministic(const char *name) {
    for (int i = 0; i < sustain_solver_count(); i++)
        if (strcmp(sustain_solver_at(i)->name, name) == 0) return sustain_solver_at(i)->deterministic;
    fail_msg("no algorithm is called %s", name);
    return false;
}

/* A finite sum and a stream, batches of 1 and 5: the same iterates. Deterministic algorithms have
 * neither. */
static inline void beside_same(beside b, int iterations, size_t own) {
    const bool draws = !beside_deterministic(b.solver);
    double worst = 0;
    for (int stream = 0; stream <= draws; stream++)
        for (int64_t batch = 1; batch <= (draws ? 5 : 1); batch += 4) {
            memset(b.own, 0, own);
            b.stream = stream != 0, b.batch = batch;
            const double d = beside_run(&b, iterations);
            if (!(d <= beside_bound())) fail_msg("%s, stream %d, batch %d: %.2e", b.solver, stream, (int)batch, d);
            worst = fmax(worst, d);
        }
    print_message("%s: %.1e\n", b.solver, worst);
}

/* A mistake in the transcription is seen: the test can fail. */
static inline void beside_sees(beside b, int iterations, size_t own, int which, const char *text) {
    memset(b.own, 0, own);
    b.batch = 1, b.mistake = which;
    const double d = beside_run(&b, iterations);
    if (!(d > 1e-4)) fail_msg("%s, %s: not seen, the difference is %.2e", b.solver, text, d);
}

#endif
