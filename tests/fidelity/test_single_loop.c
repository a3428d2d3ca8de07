/* test_single_loop.c - the iterates of spaba, slip, bo-rep, tfbo, pzobo and of SUSTAIN with a
 * running linear system against transcriptions of their pseudo-codes (beside.h). */
#include "beside.h"

enum { ITERATIONS = 200 };
#define W 2

/* v here is H^{-1} grad_y f; D_x = grad_x f - J v, D_v = H v - grad_y f. */
typedef struct directions {
    double x[M], y[N], v[N];
} directions;

static directions directions_of(const sustain_batch *xi, const sustain_batch *zeta, const double *x, const double *y, const double *v) {
    directions D;
    double fy[N], H[N * N], J[M * N];
    coupled_grad_f(NULL, xi, x, y, D.x, fy);
    coupled_grad_y_g(NULL, zeta, x, y, D.y);
    coupled_hessian(NULL, zeta, x, y, H);
    coupled_cross(NULL, zeta, x, y, J);
    for (int j = 0; j < N; j++) D.v[j] = coupled_dot(N, H + j * N, v) - fy[j];
    for (int i = 0; i < M; i++) D.x[i] -= coupled_dot(N, J + i * N, v);
    return D;
}

/* The draws of iteration t. */
static directions drawn(beside *b, int64_t t, const double *x, const double *y, const double *v) {
    int64_t index[2][MOST_BATCH];
    const sustain_batch zeta = sustain__draw(&b->sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, b->batch, index[0]);
    const sustain_batch xi = sustain__draw(&b->sampler, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, b->batch, index[1]);
    return directions_of(&xi, &zeta, x, y, v);
}

static directions of_all(const double *x, const double *y, const double *v) {
    int64_t index[COUPLED_SAMPLES];
    const sustain_batch all = coupled_all(index);
    return directions_of(&all, &all, x, y, v);
}

static double power(double first, const beside *b, double by) {
    return first / pow(W + (double)b->t, by);
}

/* ---- SPABA, Algorithm 1 ---- */

typedef struct page_settings {
    int64_t large;
    double p; /* as given; 0: b/(b+B) */
} page_settings;

typedef struct page {
    double v[N], x_prev[M], y_prev[N], v_prev[N];
    directions h;
} page;

enum { COIN_OTHER = 1, SECOND_DRAW, BALL_FREE, NEVER_LARGE };

static void spaba_step(beside *b) {
    page *s = b->own;
    const page_settings *by = b->config;
    const int64_t large = by->large, B = large > 0 ? large : b->stream ? 64 * b->batch : COUPLED_SAMPLES;
    const double coin = sustain_random_uniform(SEED, SUSTAIN__STREAM_TERMS, (uint64_t)b->t, 0), radius = 0.05;
    const double p = by->p > 0 ? by->p : (double)b->batch / (double)(b->batch + B);
    double length = 0;
    if (b->t == 0 || (b->mistake == NEVER_LARGE ? 0 : b->mistake == COIN_OTHER ? coin >= 1 - p : coin < p)) {
        if (large == 0 && !b->stream) {
            s->h = of_all(b->x, b->y, s->v);
        } else {
            int64_t index[2][MOST_BATCH];
            const uint32_t beyond = 1 << 20;
            const sustain_batch zeta = sustain__draw(&b->sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER + beyond, b->t, B, index[0]);
            const sustain_batch xi = sustain__draw(&b->sampler, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER + beyond, b->t, B, index[1]);
            s->h = directions_of(&xi, &zeta, b->x, b->y, s->v);
        }
    } else {
        const directions now = drawn(b, b->t, b->x, b->y, s->v);
        const directions before = drawn(b, b->mistake == SECOND_DRAW ? b->t + 1000000 : b->t, s->x_prev, s->y_prev, s->v_prev);
        for (int i = 0; i < M; i++) s->h.x[i] += now.x[i] - before.x[i];
        for (int j = 0; j < N; j++) s->h.y[j] += now.y[j] - before.y[j];
        for (int j = 0; j < N; j++) s->h.v[j] += now.v[j] - before.v[j];
    }
    memcpy(s->x_prev, b->x, sizeof b->x), memcpy(s->y_prev, b->y, sizeof b->y), memcpy(s->v_prev, s->v, sizeof s->v);
    for (int i = 0; i < M; i++) b->x[i] -= 0.1 * s->h.x[i];
    for (int j = 0; j < N; j++) b->y[j] -= 0.2 * s->h.y[j];
    for (int j = 0; j < N; j++) s->v[j] -= 0.2 * s->h.v[j];
    for (int j = 0; j < N; j++) length += s->v[j] * s->v[j];
    for (int j = 0; j < N && sqrt(length) > radius && b->mistake != BALL_FREE; j++) s->v[j] *= radius / sqrt(length);
}

/* The radius is given; or C_fy/mu_g, which the problem knows. */
static void test_spaba(void **state) {
    (void)state;
    static page own;
    sustain_constants known = sustain_constants_unknown();
    known.C_fy = 0.1, known.mu_g = 2;
    for (int way = 0; way < 4; way++) {
        const page_settings by = {.large = way % 2 != 0 ? 8 : 0, .p = way < 2 ? 0.2 : 0};
        const char *const large = by.large > 0 ? "8" : "0";
        const char *const given[] = {"alpha", "0.1", "beta", "0.2", "probability", "0.2", "radius", "0.05", "large", large, NULL};
        const char *const defaults[] = {"alpha", "0.1", "beta", "0.2", "large", large, NULL};
        const beside b = {.solver = "spaba",
                          .pairs = way < 2 ? given : defaults,
                          .known = way < 2 ? NULL : &known,
                          .step = spaba_step,
                          .config = &by,
                          .own = &own};
        beside_same(b, ITERATIONS, sizeof own);
        beside_sees(b, ITERATIONS, sizeof own, COIN_OTHER, "the coin");
        beside_sees(b, ITERATIONS, sizeof own, SECOND_DRAW, "another draw at the second point");
        beside_sees(b, ITERATIONS, sizeof own, BALL_FREE, "v is not projected");
        beside_sees(b, ITERATIONS, sizeof own, NEVER_LARGE, "no large draw but the first");
    }
}

/* ---- SLIP, Algorithm 1 ---- */

typedef struct average {
    double v[N], m[M];
} average;

enum { COLD = 1, NOT_NORMALIZED, NO_AVERAGE, NEWEST_V };

static void slip_step(beside *b) {
    average *s = b->own;
    const double beta = power(0.8, b, 0.3), theta = b->t == 0 ? 1 : fmin(1, power(1.2, b, 0.4));
    double gy[N], length = 0;
    for (int i = 0; b->t == 0 && b->mistake != COLD && i < 7; i++) {
        beside_gy(b, SUSTAIN__STREAM_HYPER + 1, i, b->x, b->y, gy);
        for (int j = 0; j < N; j++) b->y[j] -= beta * gy[j];
    }
    directions D = drawn(b, b->t, b->x, b->y, s->v);
    for (int j = 0; j < N; j++) s->v[j] -= beta * D.v[j];
    if (b->mistake == NEWEST_V) memcpy(D.x, drawn(b, b->t, b->x, b->y, s->v).x, sizeof D.x);
    for (int j = 0; j < N; j++) b->y[j] -= beta * D.y[j];
    for (int i = 0; i < M; i++) s->m[i] = b->mistake == NO_AVERAGE ? D.x[i] : (1 - theta) * s->m[i] + theta * D.x[i];
    for (int i = 0; i < M; i++) length += s->m[i] * s->m[i];
    for (int i = 0; i < M; i++) b->x[i] -= power(0.1, b, 0.5) * s->m[i] / (b->mistake == NOT_NORMALIZED ? 1 : sqrt(length));
}

static void test_slip(void **state) {
    (void)state;
    static average own;
    static const char *const pairs[] = {"alpha", "0.1", "beta", "0.8",     "w",   "2",    "p", "0.5", "q",
                                        "0.3",   "r",   "0.4",  "c_eta_f", "1.2", "warm", "7", NULL};
    const beside b = {.solver = "slip", .pairs = pairs, .step = slip_step, .own = &own};
    beside_same(b, ITERATIONS, sizeof own);
    beside_sees(b, ITERATIONS, sizeof own, COLD, "y_0 without its steps");
    beside_sees(b, ITERATIONS, sizeof own, NOT_NORMALIZED, "the length of m");
    beside_sees(b, ITERATIONS, sizeof own, NO_AVERAGE, "no average");
    beside_sees(b, ITERATIONS, sizeof own, NEWEST_V, "x at the newest v");
}

/* ---- BO-REP: refinement of y_0, periodic updates, normalized momentum ---- */

enum { NOT_REFINED = 1, LAST_POINTS, EVERY_ITERATION, NO_BALL, LENGTH_KEPT, OLD_V };

/* y after `steps` steps in the ball of radius R around its start; mean: of the points before. */
static void in_ball(beside *b, uint32_t stream, int64_t first, int steps, double gamma, double R, double *y, double *mean) {
    double start[N], gy[N];
    memcpy(start, y, sizeof start);
    for (int j = 0; j < N; j++) mean[j] = 0;
    for (int i = 0; i < steps; i++) {
        double away = 0;
        beside_gy(b, stream, first + i, b->x, y, gy);
        for (int j = 0; j < N; j++) mean[j] += y[j] / steps;
        for (int j = 0; j < N; j++) y[j] -= gamma * gy[j];
        for (int j = 0; j < N; j++) away += (y[j] - start[j]) * (y[j] - start[j]);
        for (int j = 0; j < N && sqrt(away) > R && b->mistake != NO_BALL; j++) y[j] = start[j] + R / sqrt(away) * (y[j] - start[j]);
    }
}

static void bo_rep_step(beside *b) {
    average *s = b->own;
    const double beta = power(0.8, b, 0.3), theta = b->t == 0 ? 1 : fmin(1, power(1.2, b, 0.4)), R = 0.1;
    double mean[N], fx[M], fy[N], H[N * N], J[M * N], v_new[N], length = 0;
    if (b->t == 0 && b->mistake != NOT_REFINED) {
        in_ball(b, SUSTAIN__STREAM_HYPER + 2, 0, 3, beta, R, b->y, mean);
        if (b->mistake != LAST_POINTS) memcpy(b->y, mean, sizeof mean);
        in_ball(b, SUSTAIN__STREAM_HYPER + 2, 3, 6, beta / 2, R / sqrt(2), b->y, mean);
        if (b->mistake != LAST_POINTS) memcpy(b->y, mean, sizeof mean);
    }
    if (b->t > 0 && (b->t % 4 == 0 || b->mistake == EVERY_ITERATION)) in_ball(b, SUSTAIN__STREAM_LOWER, 5 * b->t, 5, beta, R, b->y, mean);

    beside_f(b, SUSTAIN__STREAM_UPPER, b->t, b->x, b->y, fx, fy);
    const sustain_batch of_v = beside_draw(b, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + 1, b->t);
    coupled_hessian(NULL, &of_v, b->x, b->y, H);
    for (int j = 0; j < N; j++) v_new[j] = s->v[j] - beta * (coupled_dot(N, H + j * N, s->v) - fy[j]);
    const sustain_batch of_x = beside_draw(b, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER, b->t);
    coupled_cross(NULL, &of_x, b->x, b->y, J);
    for (int i = 0; i < M; i++) fx[i] -= coupled_dot(N, J + i * N, b->mistake == OLD_V ? s->v : v_new);
    memcpy(s->v, v_new, sizeof v_new);

    for (int i = 0; i < M; i++) s->m[i] = (1 - theta) * s->m[i] + theta * fx[i];
    for (int i = 0; i < M; i++) length += s->m[i] * s->m[i];
    for (int i = 0; i < M; i++) b->x[i] -= power(0.1, b, 0.5) * s->m[i] / (b->mistake == LENGTH_KEPT ? 1 : sqrt(length));
}

static void test_bo_rep(void **state) {
    (void)state;
    static average own;
    static const char *const pairs[] = {"alpha",  "0.1", "beta", "0.8",     "w",      "2",      "p", "0.5", "q",
                                        "0.3",    "r",   "0.4",  "c_eta_f", "1.2",    "period", "4", "N",   "5",
                                        "radius", "0.1", "warm", "3",       "epochs", "2",      NULL};
    const beside b = {.solver = "bo-rep", .pairs = pairs, .step = bo_rep_step, .own = &own};
    beside_same(b, ITERATIONS, sizeof own);
    beside_sees(b, ITERATIONS, sizeof own, NOT_REFINED, "y_0 without its epochs");
    beside_sees(b, ITERATIONS, sizeof own, LAST_POINTS, "the last point of an epoch in place of its mean");
    beside_sees(b, ITERATIONS, sizeof own, EVERY_ITERATION, "y updated in every iteration");
    beside_sees(b, ITERATIONS, sizeof own, NO_BALL, "y leaves the ball");
    beside_sees(b, ITERATIONS, sizeof own, LENGTH_KEPT, "the length of m");
    beside_sees(b, ITERATIONS, sizeof own, OLD_V, "x at the old v");
}

/* ---- S-TFBO (Algorithm 2) and D-TFBO (Algorithm 1) ---- */

typedef struct accumulated {
    double v[N], alpha2, beta2, gamma2;
} accumulated;

enum { OLD_SUMS = 1, SMALLER_PHI, NO_PHI, WARM_SUMS, OLD_SUM_OF_V };

static double sum_of_squares(int n, const double *a) {
    return coupled_dot(n, a, a);
}

static void single_step(beside *b) {
    accumulated *s = b->own;
    if (b->t == 0) s->alpha2 = s->beta2 = s->gamma2 = 0.25;
    const accumulated before = *s;
    const directions D = of_all(b->x, b->y, s->v);
    s->beta2 += sum_of_squares(N, D.y);
    s->gamma2 += sum_of_squares(N, D.v);
    s->alpha2 += sum_of_squares(M, D.x);
    const accumulated *by = b->mistake == OLD_SUMS ? &before : s;
    const double beta = sqrt(by->beta2), gamma = sqrt(by->gamma2), alpha = sqrt(by->alpha2);
    const double of_v = b->mistake == OLD_SUM_OF_V ? sqrt(before.gamma2) : gamma;
    const double phi = b->mistake == SMALLER_PHI ? fmin(beta, of_v) : fmax(beta, of_v);
    for (int j = 0; j < N; j++) b->y[j] -= D.y[j] / beta;
    for (int j = 0; j < N; j++) s->v[j] -= D.v[j] / phi;
    for (int i = 0; i < M; i++) b->x[i] -= D.x[i] / (alpha * (b->mistake == NO_PHI ? 1 : phi));
}

static void double_step(beside *b) {
    accumulated *s = b->own;
    const double enough = 1 / ((double)b->t + 1);
    if (b->t == 0) s->alpha2 = 0.25;
    if (b->mistake != WARM_SUMS || b->t == 0) s->beta2 = s->gamma2 = 0.25;
    for (int i = 0; i < 6; i++) {
        const directions D = of_all(b->x, b->y, s->v);
        if (sum_of_squares(N, D.y) <= enough) break;
        s->beta2 += sum_of_squares(N, D.y);
        for (int j = 0; j < N; j++) b->y[j] -= D.y[j] / sqrt(s->beta2);
    }
    for (int i = 0; i < 6; i++) {
        const directions D = of_all(b->x, b->y, s->v);
        if (sum_of_squares(N, D.v) <= enough) break;
        s->gamma2 += sum_of_squares(N, D.v);
        for (int j = 0; j < N; j++) s->v[j] -= D.v[j] / sqrt(s->gamma2);
    }
    const directions D = of_all(b->x, b->y, s->v);
    s->alpha2 += sum_of_squares(M, D.x);
    for (int i = 0; i < M; i++) b->x[i] -= D.x[i] / sqrt(s->alpha2);
}

static void test_tfbo(void **state) {
    (void)state;
    static accumulated own;
    static const char *const single[] = {"first", "0.5", NULL}, *const twice[] = {"first", "0.5", "loops", "double", "limit", "6", NULL};
    const beside one = {.solver = "tfbo", .pairs = single, .step = single_step, .own = &own};
    beside_same(one, ITERATIONS, sizeof own);
    beside_sees(one, ITERATIONS, sizeof own, OLD_SUMS, "sums without the newest gradient");
    beside_sees(one, ITERATIONS, sizeof own, SMALLER_PHI, "the smaller of the two");
    beside_sees(one, ITERATIONS, sizeof own, NO_PHI, "x without the step of v");
    beside near = one; /* y_0 nearer to y*(x_0): the sums of v are the larger ones */
    near.y_zero = true;
    beside_same(near, ITERATIONS, sizeof own);
    beside_sees(near, ITERATIONS, sizeof own, OLD_SUM_OF_V, "the step of v without its newest residual");
    const beside two = {.solver = "tfbo", .pairs = twice, .step = double_step, .own = &own};
    beside_same(two, ITERATIONS, sizeof own);
    beside_sees(two, ITERATIONS, sizeof own, WARM_SUMS, "sums that are kept from one iteration to the next");
}

/* ---- PZOBO, Algorithm 1 ---- */

enum { STEPS = 4, VECTORS = 2, FRESH_DRAWS = 1, ONE_VECTOR, AT_OLD_Y };

static void inner(beside *b, const double *x, int64_t first, double *y) {
    double gy[N];
    for (int i = 0; i < STEPS; i++) {
        beside_gy(b, SUSTAIN__STREAM_LOWER, first + i, x, y, gy);
        for (int j = 0; j < N; j++) y[j] -= 0.1 * gy[j];
    }
}

static void pzobo_step(beside *b) {
    const double mu = 0.1;
    double y[N], D[M], fy[N];
    memcpy(y, b->y, sizeof y);
    inner(b, b->x, b->t * STEPS, y);
    beside_f(b, SUSTAIN__STREAM_UPPER, b->t, b->x, b->mistake == AT_OLD_Y ? b->y : y, D, fy);
    for (int q = 0; q < VECTORS; q++) {
        double u[M], x[M], moved[N], delta[N];
        const uint64_t number = (uint64_t)(b->t * VECTORS + (b->mistake == ONE_VECTOR ? 0 : q));
        for (int i = 0; i < M; i++) u[i] = sustain_random_normal(SEED, SUSTAIN__STREAM_HYPER, number, (uint32_t)i);
        for (int i = 0; i < M; i++) x[i] = b->x[i] + mu * u[i];
        memcpy(moved, b->y, sizeof moved);
        inner(b, x, b->t * STEPS + (b->mistake == FRESH_DRAWS ? 1000000 : 0), moved);
        for (int j = 0; j < N; j++) delta[j] = (moved[j] - y[j]) / mu;
        for (int i = 0; i < M; i++) D[i] += coupled_dot(N, fy, delta) * u[i] / VECTORS;
    }
    memcpy(b->y, y, sizeof y);
    for (int i = 0; i < M; i++) b->x[i] -= 0.1 * D[i];
}

static void test_pzobo(void **state) {
    (void)state;
    static const char *const pairs[] = {"alpha", "0.1", "beta", "0.1", "p", "0", "N", "4", "directions", "2", "mu", "0.1", NULL};
    static char own;
    const beside b = {.solver = "pzobo", .pairs = pairs, .step = pzobo_step, .own = &own};
    beside_same(b, ITERATIONS, sizeof own);
    beside_sees(b, ITERATIONS, sizeof own, FRESH_DRAWS, "draws of its own for each inner loop");
    beside_sees(b, ITERATIONS, sizeof own, ONE_VECTOR, "the same direction twice");
    beside_sees(b, ITERATIONS, sizeof own, AT_OLD_Y, "f at y_k");
}

/* ---- SUSTAIN with system=running: (13) and (14), and the same momentum for v ---- */

typedef struct three_momenta {
    double v[N], x_prev[M], y_prev[N], v_prev[N];
    directions h;
} three_momenta;

enum { NO_MEMORY_V = 1, DRAWN_AGAIN, NEWEST_SOLUTION };

static void running_step(beside *b) {
    three_momenta *s = b->own;
    const double eta_f = b->t == 0 ? 1 : fmin(1, power(1, b, 0.6)), eta_g = b->t == 0 ? 1 : fmin(1, power(0.7, b, 0.6));
    const double alpha = power(0.4, b, 0.3), beta = power(0.5, b, 0.3), eta_v = b->mistake == NO_MEMORY_V ? 1 : eta_g;
    const int64_t again = b->mistake == DRAWN_AGAIN ? b->t + 1000000 : b->t;
    directions now = drawn(b, b->t, b->x, b->y, s->v);
    const directions before = drawn(b, again, s->x_prev, s->y_prev, s->v_prev);
    for (int j = 0; j < N; j++) s->h.y[j] = eta_g * now.y[j] + (1 - eta_g) * (s->h.y[j] + now.y[j] - before.y[j]);
    for (int j = 0; j < N; j++) s->h.v[j] = eta_v * now.v[j] + (1 - eta_v) * (s->h.v[j] + now.v[j] - before.v[j]);
    memcpy(s->v_prev, s->v, sizeof s->v);
    for (int j = 0; j < N; j++) s->v[j] -= beta * s->h.v[j];
    if (b->mistake == NEWEST_SOLUTION) now = drawn(b, b->t, b->x, b->y, s->v);
    for (int i = 0; i < M; i++) s->h.x[i] = eta_f * now.x[i] + (1 - eta_f) * (s->h.x[i] + now.x[i] - before.x[i]);
    memcpy(s->x_prev, b->x, sizeof b->x), memcpy(s->y_prev, b->y, sizeof b->y);
    for (int i = 0; i < M; i++) b->x[i] -= alpha * s->h.x[i];
    for (int j = 0; j < N; j++) b->y[j] -= beta * s->h.y[j];
}

static void test_running(void **state) {
    (void)state;
    static three_momenta own;
    static const char *const pairs[] = {"system", "running", "alpha", "0.4",     "beta", "0.5",     "w",   "2", "p",
                                        "0.3",    "q",       "-1",    "c_eta_f", "1",    "c_eta_g", "0.7", NULL};
    const beside b = {.solver = "sustain", .pairs = pairs, .step = running_step, .own = &own};
    beside_same(b, ITERATIONS, sizeof own);
    beside_sees(b, ITERATIONS, sizeof own, NO_MEMORY_V, "v without momentum");
    beside_sees(b, ITERATIONS, sizeof own, DRAWN_AGAIN, "another draw at the second point");
    beside_sees(b, ITERATIONS, sizeof own, NEWEST_SOLUTION, "Df at the newest v");
}

/* The same x on hyper-cleaning, lazy and dense. */
static void test_running_lazy(void **state) {
    (void)state;
    static cleaning data;
    cleaning_fill(&data, 0.05);
    const sustain_rows training = cleaning_training(&data), trusted = cleaning_trusted(&data);
    const sustain_hyperclean_options options = cleaning_options(&data);
    sustain_context *context;
    sustain_problem *problem;
    sustain_solver *solver[2];
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain_hyperclean_create(context, &options, &training, &trusted, &problem), SUSTAIN_OK);
    for (int i = 0; i < 2; i++) {
        const char *const pairs[] = {"system", "running", "schedule", "power", "alpha", "20",     "beta",
                                     "0.3",    "w",       "4",        "batch", "3",     "memory", i == 0 ? "lazy" : "dense",
                                     NULL};
        assert_int_equal(sustain_solver_create(context, "sustain", problem, &solver[i]), SUSTAIN_OK);
        for (const char *const *p = pairs; *p != NULL; p += 2) assert_int_equal(sustain_solver_set(solver[i], p[0], p[1]), SUSTAIN_OK);
        assert_int_equal(sustain_solver_run(solver[i], &(sustain_stopping){.iterations = 500}, NULL), SUSTAIN_OK);
    }
    double apart = 0, length = 0;
    for (int64_t i = 0; i < problem->upper_dim; i++) {
        const double lazy = (double)sustain_solver_x(solver[0])[i], dense = (double)sustain_solver_x(solver[1])[i];
        apart = fmax(apart, fabs(lazy - dense)), length = fmax(length, fabs(dense));
    }
    print_message("running, lazy and dense: %.1e of %.2g\n", apart, length);
    assert_true(length > 0.5 && apart <= 1e-4 * length);
    for (int i = 0; i < 2; i++) sustain_solver_destroy(solver[i]);
    sustain_hyperclean_destroy(problem);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spaba),       cmocka_unit_test(test_slip),  cmocka_unit_test(test_bo_rep),
                                       cmocka_unit_test(test_tfbo),        cmocka_unit_test(test_pzobo), cmocka_unit_test(test_running),
                                       cmocka_unit_test(test_running_lazy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
