/* test_first_order.c - the iterates of the algorithms that use gradients alone, f2sa-p and f3sa,
 * against transcriptions of their pseudo-codes (beside.h). f2sa itself is in test_mixed.c. */
#include "beside.h"

enum { ITERATIONS = 200, LAMBDA = 5, T = 3 };
#define ALPHA 0.8
#define BETA 0.8
#define C_ETA 1.5
#define W 2
#define P 0.5
#define Q 0.3

static double power(double first, const beside *b, double by) {
    return first / pow(W + (double)b->t, by);
}

static double multiplier(const beside *b) {
    return LAMBDA * pow((W + (double)b->t) / W, P - Q);
}

/* ---- F2SA-p, Algorithm 1 (even p) and Algorithm 2 (odd p) ---- */

typedef struct difference {
    int order;
    bool independent, normalized;
    double alpha;
} difference;

typedef double points[5][N]; /* y^j, from the first j */

enum { FORWARD_WEIGHTS = 1, SIGN_OF_J, OLD_POINTS };

/* The coefficients as tables print them. */
static const double coefficients[5][5] = {
    {0}, {-1, 1}, {-0.5, 0, 0.5}, {-1.0 / 3, -0.5, 1, -1.0 / 6}, {1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12}};

static void f2sa_p_step(beside *b) {
    const difference *by = b->config;
    double(*y)[N] = *(points *)b->own;
    const int p = by->order, first = p % 2 == 0 ? -p / 2 : -(p - 1) / 2;
    const double nu = 1 / multiplier(b), beta = power(BETA, b, Q), alpha = power(by->alpha, b, P);
    double Phi[M] = {0}, fx[M], fy[N], gy[N], gx[M], length = 0;
    points before;
    for (int i = 0; b->t == 0 && i <= p; i++) memcpy(y[i], b->y, sizeof b->y);
    memcpy(before, y, sizeof before);
    for (int i = 0; i <= p; i++)
        for (int k = 0; k < T; k++) {
            const int64_t number = b->t * T + k;
            const uint32_t own = SUSTAIN__STREAM_HYPER + 4 + 2 * (uint32_t)i;
            const double j = b->mistake == SIGN_OF_J ? -(first + i) : first + i;
            beside_f(b, by->independent ? own + SUSTAIN_UPPER : SUSTAIN__STREAM_UPPER, number, b->x, y[i], fx, fy);
            beside_gy(b, by->independent ? own + SUSTAIN_LOWER : SUSTAIN__STREAM_LOWER, number, b->x, y[i], gy);
            for (int l = 0; l < N; l++) y[i][l] -= beta * (j * nu * fy[l] + gy[l]);
        }
    for (int i = 0; i <= p; i++) {
        const double a = b->mistake == FORWARD_WEIGHTS ? (i == 1 - first) - (i == -first) : coefficients[p][i];
        const double *at = b->mistake == OLD_POINTS ? before[i] : y[i];
        beside_f(b, SUSTAIN__STREAM_HYPER + 2, b->t, b->x, at, fx, fy);
        beside_gx(b, SUSTAIN__STREAM_HYPER + 3, b->t, b->x, at, gx);
        for (int l = 0; l < M; l++) Phi[l] += a * ((first + i) * fx[l] + gx[l] / nu);
    }
    for (int l = 0; l < M; l++) length += Phi[l] * Phi[l];
    for (int l = 0; l < M; l++) b->x[l] -= alpha * Phi[l] / (by->normalized ? sqrt(length) : 1);
    memcpy(b->y, y[-first], sizeof b->y);
}

#define STEPS "beta", "0.8", "w", "2", "p", "0.5", "q", "0.3", "lambda", "5"

static void test_f2sa_p(void **state) {
    (void)state;
    static points own;
    for (int order = 1; order <= 4; order++)
        for (int way = 0; way < 2; way++) {
            const difference by = {.order = order, .independent = way != 0, .normalized = way != 0, .alpha = way != 0 ? 0.1 : 0.8};
            const char digit[2] = {(char)('0' + order), '\0'};
            const char *const plain[] = {STEPS, "T", "3", "alpha", "0.8", "order", digit, NULL};
            const char *const other[] = {STEPS, "T",     "3",           "alpha",     "0.1",        "order",
                                         digit, "draws", "independent", "direction", "normalized", NULL};
            const beside b = {.solver = "f2sa-p", .pairs = way != 0 ? other : plain, .step = f2sa_p_step, .config = &by, .own = &own};
            beside_same(b, ITERATIONS, sizeof own);
            if (order != 2 || way != 0) continue;
            beside_sees(b, ITERATIONS, sizeof own, FORWARD_WEIGHTS, "weights of a forward difference");
            beside_sees(b, ITERATIONS, sizeof own, SIGN_OF_J, "f with the wrong sign below");
            beside_sees(b, ITERATIONS, sizeof own, OLD_POINTS, "Phi at the points before the steps");
        }
}

/* ---- F3SA, Algorithm 2 of Kwon et al. ---- */

typedef struct momenta {
    double u[N], x_prev[M], z_prev[N], u_prev[N];
    double z[N], fy[N], gy[N], fx[M], gxy[M], gxz[M]; /* h with these indices */
} momenta;

enum { OTHER_DRAW = 1, NO_MOMENTUM_UPPER, FIXED_MULTIPLIER, UPPER_AT_OLD };

static void momentum(int n, double eta, const double *now, const double *before, double *h) {
    for (int i = 0; i < n; i++) h[i] = now[i] + (1 - eta) * (h[i] - before[i]);
}

static void f3sa_step(beside *b) {
    momenta *s = b->own;
    const bool independent = *(const bool *)b->config;
    const double eta = b->t == 0 ? 1 : fmin(1, power(C_ETA, b, 0.7)), gamma = power(BETA, b, Q);
    const double lambda = b->mistake == FIXED_MULTIPLIER ? LAMBDA : multiplier(b), alpha = gamma / lambda,
                 ratio = power(ALPHA, b, P) / alpha;
    const uint32_t phi_z = SUSTAIN__STREAM_LOWER, phi_y = independent ? SUSTAIN__STREAM_HYPER + 1 : phi_z, xi_y = SUSTAIN__STREAM_UPPER;
    const uint32_t xi_x = SUSTAIN__STREAM_HYPER + 2, phi_xy = SUSTAIN__STREAM_HYPER + 3, phi_xz = independent ? phi_xy + 1 : phi_xy;
    const int64_t t = b->t, again = b->mistake == OTHER_DRAW ? t + 1000000 : t;
    double now[M], before[M], other[M], other_y[N], z[N], u[N];
    if (t == 0) memcpy(s->u, b->y, sizeof b->y);

    beside_gy(b, phi_z, t, b->x, b->y, now);
    beside_gy(b, phi_z, again, s->x_prev, s->z_prev, before);
    momentum(N, eta, now, before, s->z);
    beside_f(b, xi_y, t, b->x, s->u, other, now);
    beside_f(b, xi_y, again, s->x_prev, s->u_prev, other, before);
    momentum(N, eta, now, before, s->fy);
    beside_gy(b, phi_y, t, b->x, s->u, now);
    beside_gy(b, phi_y, again, s->x_prev, s->u_prev, before);
    momentum(N, eta, now, before, s->gy);
    for (int j = 0; j < N; j++) z[j] = b->y[j] - gamma * s->z[j];
    for (int j = 0; j < N; j++) u[j] = s->u[j] - alpha * (s->fy[j] + lambda * s->gy[j]);

    const double upper = b->mistake == NO_MOMENTUM_UPPER ? 1 : eta;
    const double *at_u = b->mistake == UPPER_AT_OLD ? s->u : u, *at_z = b->mistake == UPPER_AT_OLD ? b->y : z;
    beside_f(b, xi_x, t, b->x, at_u, now, other_y);
    beside_f(b, xi_x, again, s->x_prev, s->u, before, other_y);
    momentum(M, upper, now, before, s->fx);
    beside_gx(b, phi_xy, t, b->x, at_u, now);
    beside_gx(b, phi_xy, again, s->x_prev, s->u, before);
    momentum(M, upper, now, before, s->gxy);
    beside_gx(b, phi_xz, t, b->x, at_z, now);
    beside_gx(b, phi_xz, again, s->x_prev, b->y, before);
    momentum(M, upper, now, before, s->gxz);

    memcpy(s->x_prev, b->x, sizeof b->x), memcpy(s->z_prev, b->y, sizeof b->y), memcpy(s->u_prev, s->u, sizeof s->u);
    memcpy(b->y, z, sizeof z), memcpy(s->u, u, sizeof u);
    for (int i = 0; i < M; i++) b->x[i] -= ratio * alpha * (s->fx[i] + lambda * (s->gxy[i] - s->gxz[i]));
}

static void test_f3sa(void **state) {
    (void)state;
    static momenta own;
    for (int way = 0; way < 2; way++) {
        const bool independent = way != 0;
        const char *const pairs[] = {STEPS, "alpha", "0.8", "c_eta_f", "1.5", "r", "0.7", "draws", independent ? "independent" : "same",
                                     NULL};
        const beside b = {.solver = "f3sa", .pairs = pairs, .step = f3sa_step, .config = &independent, .own = &own};
        beside_same(b, ITERATIONS, sizeof own);
        if (independent) continue;
        beside_sees(b, ITERATIONS, sizeof own, OTHER_DRAW, "another draw at the second point");
        beside_sees(b, ITERATIONS, sizeof own, NO_MOMENTUM_UPPER, "no momentum of x");
        beside_sees(b, ITERATIONS, sizeof own, FIXED_MULTIPLIER, "the multiplier does not grow");
        beside_sees(b, ITERATIONS, sizeof own, UPPER_AT_OLD, "x at y_k and z_k");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_f2sa_p), cmocka_unit_test(test_f3sa)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
