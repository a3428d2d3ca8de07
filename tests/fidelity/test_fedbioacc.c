/* test_fedbioacc.c - the iterates of `fedbioacc` against a transcription of its pseudo-code: dense,
 * in double, all clients one after the other, as printed: variables every client keeps for itself,
 * and means where t is a multiple of I. The library runs as one process and as two, with a
 * communicator in memory. Only the random numbers come from the library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <sustain/solver.h>

#include "naive_problems.h"
#include "processes.h"

enum { M = COUPLED_M, N = COUPLED_N, MOST_CLIENTS = 3, MOST_BATCH = 5, ROUNDS = 40 };

typedef enum mistake_here { NONE, OTHER_DRAW, NO_MEAN_OF_MOMENTUM, MOMENTUM_BEFORE_MEAN, SAME_SAMPLES, BALL_FREE } mistake_here;

typedef struct run_of {
    int clients, local_steps;
    int64_t batch;
    bool stream;
    double radius; /* 0: u is free */
    mistake_here mistake;
    int ranks;
    double x[ROUNDS][M], y[ROUNDS][N]; /* of the library, after each round */
} run_of;

static const double alpha = 0.5, beta = 0.5, c_eta_f = 0.8, c_eta_g = 0.6, w = 2, p = 1.0 / 3;
enum { SEED = 41 };

/* ---- the transcription ---- */

typedef struct client {
    double x[M], y[N], u[N], x_before[M], y_before[N], u_before[N], nu[M], omega[N], q[N];
} client;

/* The estimates of client m at a point, with the draws of iteration t. */
static void estimates(const run_of *by, int m, int64_t t, const double *x, const double *y, const double *u, double *nu, double *omega,
                      double *q) {
    sustain_problem part = coupled_problem(by->stream);
    int64_t index[MOST_BATCH], first = by->mistake == SAME_SAMPLES || by->stream ? 0 : COUPLED_SAMPLES * m / by->clients;
    for (int level = 0; level < 2 && !by->stream && by->mistake != SAME_SAMPLES; level++)
        part.samples[level] = COUPLED_SAMPLES * (m + 1) / by->clients - first;
    const sustain__sampler sampler = {.problem = &part,
                                      .seed = m == 0 ? SEED : sustain_random_bits(SEED, SUSTAIN__STREAM_CLIENT, (uint64_t)m, 0)};
    double fy[N], H[N * N], J[M * N];
    const sustain_batch xi = sustain__draw(&sampler, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, by->batch, index);
    for (int64_t j = 0; j < by->batch && xi.index != NULL; j++) index[j] += first;
    coupled_grad_f(NULL, &xi, x, y, nu, fy);
    const sustain_batch zeta = sustain__draw(&sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, by->batch, index);
    for (int64_t j = 0; j < by->batch && zeta.index != NULL; j++) index[j] += first;
    coupled_grad_y_g(NULL, &zeta, x, y, omega);
    coupled_hessian(NULL, &zeta, x, y, H);
    coupled_cross(NULL, &zeta, x, y, J);
    for (int i = 0; i < N; i++) q[i] = coupled_dot(N, H + i * N, u) - fy[i];
    for (int i = 0; i < M; i++) nu[i] -= coupled_dot(N, J + i * N, u);
}

static void momentum(const run_of *by, int m, int64_t t, client *c) {
    double nu[M], omega[N], q[N], nu_before[M], omega_before[N], q_before[N];
    const double decay = pow(w + (double)t, -2 * p), eta_f = fmin(1, c_eta_f * decay), eta_g = fmin(1, c_eta_g * decay);
    estimates(by, m, t, c->x, c->y, c->u, nu, omega, q);
    estimates(by, m, by->mistake == OTHER_DRAW ? t + 1000000 : t, c->x_before, c->y_before, c->u_before, nu_before, omega_before, q_before);
    for (int i = 0; i < M; i++) c->nu[i] = nu[i] + (1 - eta_f) * (c->nu[i] - nu_before[i]);
    for (int j = 0; j < N; j++) c->omega[j] = omega[j] + (1 - eta_g) * (c->omega[j] - omega_before[j]);
    for (int j = 0; j < N; j++) c->q[j] = q[j] + (1 - eta_g) * (c->q[j] - q_before[j]);
}

/* The same mean to all clients; `at` is where the vector is in a client. */
static void mean(int clients, client *c, size_t at, int n) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int m = 0; m < clients; m++) sum += ((double *)(void *)((char *)&c[m] + at))[i];
        for (int m = 0; m < clients; m++) ((double *)(void *)((char *)&c[m] + at))[i] = sum / clients;
    }
}

#define MEAN(member, n) mean(by->clients, c, offsetof(client, member), n)

/* Iteration t, from 0 on. */
static void iteration(const run_of *by, int64_t t, client *c) {
    const double decay = pow(w + (double)t, -p);
    const bool round_ends = (t + 1) % by->local_steps == 0, early = by->mistake == MOMENTUM_BEFORE_MEAN;
    for (int m = 0; m < by->clients; m++) {
        memcpy(c[m].x_before, c[m].x, sizeof c[m].x), memcpy(c[m].y_before, c[m].y, sizeof c[m].y);
        memcpy(c[m].u_before, c[m].u, sizeof c[m].u);
        for (int i = 0; i < M; i++) c[m].x[i] -= alpha * decay * c[m].nu[i];
        for (int j = 0; j < N; j++) c[m].y[j] -= beta * decay * c[m].omega[j];
        for (int j = 0; j < N; j++) c[m].u[j] -= beta * decay * c[m].q[j];
        const double length = sqrt(coupled_dot(N, c[m].u, c[m].u));
        for (int j = 0; j < N && by->radius > 0 && length > by->radius && by->mistake != BALL_FREE; j++) c[m].u[j] *= by->radius / length;
    }
    for (int m = 0; m < by->clients && early; m++) momentum(by, m, t + 1, &c[m]);
    if (round_ends) MEAN(x, M), MEAN(y, N), MEAN(u, N);
    for (int m = 0; m < by->clients && !early; m++) momentum(by, m, t + 1, &c[m]);
    if (round_ends && by->mistake != NO_MEAN_OF_MOMENTUM) MEAN(nu, M), MEAN(omega, N), MEAN(q, N);
}

/* ---- the library ---- */

static double start_at(int i) {
    return (double)(sustain_real)(0.5 * naive_uniform(21, 0, (uint64_t)i));
}

static void run_library(sustain_context *context, int rank, void *user) {
    run_of *by = user;
    const sustain_problem problem = coupled_problem(by->stream);
    sustain_solver *solver = NULL;
    sustain_real x[M], y[N];
    const struct {
        const char *name;
        double value;
    } all[] = {{"alpha", alpha},
               {"beta", beta},
               {"c_eta_f", c_eta_f},
               {"c_eta_g", c_eta_g},
               {"w", w},
               {"p", p},
               {"seed", SEED},
               {"batch", (double)by->batch},
               {"clients", by->clients},
               {"local_steps", by->local_steps},
               {"radius", by->radius},
               {"L_g", COUPLED_L_G}};
    for (int i = 0; i < M; i++) x[i] = (sustain_real)start_at(i);
    for (int j = 0; j < N; j++) y[j] = (sustain_real)start_at(M + j);
    sustain_status status = sustain_solver_create(context, "fedbioacc", &problem, &solver);
    if (status == SUSTAIN_OK) status = sustain_solver_set(solver, "schedule", "power");
    for (size_t i = 0; i < sizeof all / sizeof all[0] && status == SUSTAIN_OK; i++)
        status = sustain_solver_set_number(solver, all[i].name, all[i].value);
    if (status == SUSTAIN_OK) status = sustain_solver_start(solver, x, y);
    for (int r = 0; r < ROUNDS && status == SUSTAIN_OK; r++) {
        status = sustain_solver_step(solver);
        for (int i = 0; i < M && rank == by->ranks - 1; i++) by->x[r][i] = (double)sustain_solver_x(solver)[i];
        for (int j = 0; j < N && rank == by->ranks - 1; j++) by->y[r][j] = (double)sustain_solver_y(solver)[j];
    }
    if (status != SUSTAIN_OK) by->x[0][0] = NAN;
    sustain_solver_destroy(solver);
}

/* ---- a run beside a run ---- */

static double relative_doubles(int n, const double *a, const double *b) {
    double away = 0, size = 0;
    for (int i = 0; i < n; i++) away += (a[i] - b[i]) * (a[i] - b[i]), size += b[i] * b[i];
    return isfinite(away) ? sqrt(away / size) : HUGE_VAL;
}

static double compare(run_of *by, double *moved) {
    client c[MOST_CLIENTS] = {{.x = {0}}};
    double worst = 0;
    processes_run(by->ranks, 1, -1, 0, run_library, by);
    for (int m = 0; m < by->clients; m++) {
        for (int i = 0; i < M; i++) c[m].x[i] = start_at(i);
        for (int j = 0; j < N; j++) c[m].y[j] = start_at(M + j);
        estimates(by, m, 0, c[m].x, c[m].y, c[m].u, c[m].nu, c[m].omega, c[m].q);
    }
    *moved = relative_doubles(M, by->x[ROUNDS - 1], c[0].x);
    for (int r = 0; r < ROUNDS; r++) {
        for (int64_t i = 0; i < by->local_steps; i++) iteration(by, (int64_t)r * by->local_steps + i, c);
        worst = fmax(worst, fmax(relative_doubles(M, by->x[r], c[0].x), relative_doubles(N, by->y[r], c[0].y)));
    }
    return worst;
}

static void test_iterates(void **state) {
    const double bound = sizeof(sustain_real) == sizeof(double) ? 1e-12 : 1e-5;
    double largest = 0;
    (void)state;
    for (int clients = 1; clients <= MOST_CLIENTS; clients++)
        for (int local_steps = 1; local_steps <= 4; local_steps += 3)
            for (int stream = 0; stream < 2; stream++)
                for (int ranks = 1; ranks <= 2; ranks++) {
                    run_of by = {.clients = clients, .local_steps = local_steps, .stream = stream != 0, .ranks = ranks};
                    by.batch = stream != 0 ? 1 : MOST_BATCH;
                    by.radius = clients % 2 != 0 ? 0.05 : 0;
                    double moved;
                    const double d = compare(&by, &moved);
                    if (!(d <= bound))
                        fail_msg("%d clients, %d local steps, stream %d, %d processes: %.2e", clients, local_steps, stream, ranks, d);
                    assert_true(moved > 0.1);
                    largest = fmax(largest, d);
                }
    print_message("fedbioacc: %.1e\n", largest);
}

static void test_mistakes_are_seen(void **state) {
    static const struct {
        mistake_here mistake;
        const char *text;
    } rows[] = {{OTHER_DRAW, "another draw at the second point"},
                {NO_MEAN_OF_MOMENTUM, "clients keep their momentum"},
                {MOMENTUM_BEFORE_MEAN, "momentum at the clients' own points"},
                {SAME_SAMPLES, "all clients draw from all samples"},
                {BALL_FREE, "u is not projected"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        run_of by = {.clients = 3, .local_steps = 4, .batch = 2, .radius = 0.05, .ranks = 1, .mistake = rows[i].mistake};
        double moved;
        const double d = compare(&by, &moved);
        if (!(d > 1e-4)) fail_msg("%s: not seen, the difference is %.2e", rows[i].text, d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_iterates), cmocka_unit_test(test_mistakes_are_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
