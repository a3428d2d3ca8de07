/* test_first_order.c - the iterates of the algorithms that use gradients alone, f2sa-p, f3sa, pbgd,
 * bome and meha, against transcriptions of their pseudo-codes (beside.h). f2sa itself is in
 * test_mixed.c. */
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
    int64_t inner; /* samples of an inner step, 0: as of Phi */
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
    const int64_t batch = b->batch;
    if (by->inner > 0) b->batch = by->inner;
    for (int i = 0; i <= p; i++)
        for (int k = 0; k < T; k++) {
            const int64_t number = b->t * T + k;
            const uint32_t own = SUSTAIN__STREAM_HYPER + 4 + 2 * (uint32_t)i;
            const double j = b->mistake == SIGN_OF_J ? -(first + i) : first + i;
            beside_f(b, by->independent ? own + SUSTAIN_UPPER : SUSTAIN__STREAM_UPPER, number, b->x, y[i], fx, fy);
            beside_gy(b, by->independent ? own + SUSTAIN_LOWER : SUSTAIN__STREAM_LOWER, number, b->x, y[i], gy);
            for (int l = 0; l < N; l++) y[i][l] -= beta * (j * nu * fy[l] + gy[l]);
        }
    b->batch = batch;
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
            const difference by = {
                .order = order, .independent = way != 0, .normalized = way != 0, .inner = way != 0 ? 2 : 0, .alpha = way != 0 ? 0.1 : 0.8};
            const char digit[2] = {(char)('0' + order), '\0'};
            const char *const plain[] = {STEPS, "T", "3", "alpha", "0.8", "order", digit, NULL};
            const char *const other[] = {STEPS,   "T",           "3",         "alpha",      "0.1",   "order", digit,
                                         "draws", "independent", "direction", "normalized", "inner", "2",     NULL};
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

/* ---- the deterministic penalty methods: expected values ---- */

typedef struct gradients {
    double fx[M], fy[N], gx[M], gy[N];
} gradients;

static gradients at_point(const double *x, const double *y) {
    int64_t index[COUPLED_SAMPLES];
    const sustain_batch all = coupled_all(index);
    gradients g;
    coupled_grad_f(NULL, &all, x, y, g.fx, g.fy);
    coupled_grad_x_g(&all, x, y, g.gx);
    coupled_grad_y_g(NULL, &all, x, y, g.gy);
    return g;
}

static void lower_steps(int steps, const double *x, double *y) {
    for (int i = 0; i < steps; i++) {
        const gradients g = at_point(x, y);
        for (int j = 0; j < N; j++) y[j] -= g.gy[j] / COUPLED_L_G;
    }
}

/* V-PBGD, Algorithm 1 with U steps of y before x. */
enum { GAMMA = 6, COLD_LOW = 1, X_FIRST, NO_VALUE };

static void pbgd_step(beside *b) {
    double *low = b->own;
    if (b->t == 0) memcpy(low, b->y, sizeof b->y);
    if (b->mistake == COLD_LOW) memset(low, 0, sizeof b->y);
    lower_steps(b->t == 0 ? 10 * T : T, b->x, low);
    if (b->t == 0) memcpy(b->y, low, sizeof b->y);
    const gradients before = at_point(b->x, b->y);
    for (int i = 0; i < 2; i++) {
        const gradients g = at_point(b->x, b->y);
        for (int j = 0; j < N; j++) b->y[j] -= 0.02 * (g.fy[j] + GAMMA * g.gy[j]);
    }
    const gradients g = b->mistake == X_FIRST ? before : at_point(b->x, b->y), value = at_point(b->x, low);
    for (int i = 0; i < M; i++) b->x[i] -= 0.1 * (g.fx[i] + GAMMA * (g.gx[i] - (b->mistake == NO_VALUE ? 0 : value.gx[i])));
}

static void test_pbgd(void **state) {
    (void)state;
    static double own[N];
    static const char *const pairs[] = {"alpha", "0.1", "beta", "0.02", "gamma", "6", "T", "3", "U", "2", NULL};
    const beside b = {.solver = "pbgd", .pairs = pairs, .step = pbgd_step, .own = own};
    beside_same(b, ITERATIONS, sizeof own);
    beside_sees(b, ITERATIONS, sizeof own, COLD_LOW, "the lower level from zero");
    beside_sees(b, ITERATIONS, sizeof own, X_FIRST, "x at y_k");
    beside_sees(b, ITERATIONS, sizeof own, NO_VALUE, "without the gradient of the least value");
}

/* BOME, Algorithm 1 in the variables scaled by the roots of their steps. */
enum { FROM_ZERO = 1, SIGN_OF_PRODUCT, PLAIN_PRODUCT, NEGATIVE };

static void bome_step(beside *b) {
    const double alpha = power(0.4, b, 0.5), beta = power(0.3, b, 0.5), eta = *(const double *)b->config;
    double low[N], ax = alpha, ay = beta, qq = 0, fq = 0;
    memcpy(low, b->y, sizeof low);
    if (b->mistake == FROM_ZERO) memset(low, 0, sizeof low);
    if (b->mistake == PLAIN_PRODUCT) ax = ay = 1;
    lower_steps(T, b->x, low);
    const gradients g = at_point(b->x, b->y), at_low = at_point(b->x, low);
    for (int i = 0; i < M; i++) {
        const double q = g.gx[i] - at_low.gx[i];
        qq += ax * q * q, fq += ax * g.fx[i] * q;
    }
    for (int j = 0; j < N; j++) qq += ay * g.gy[j] * g.gy[j], fq += ay * g.fy[j] * g.gy[j];
    const double quotient = (eta * qq - (b->mistake == SIGN_OF_PRODUCT ? -fq : fq)) / qq;
    const double lambda = b->mistake == NEGATIVE ? quotient : fmax(quotient, 0);
    for (int i = 0; i < M; i++) b->x[i] -= alpha * (g.fx[i] + lambda * (g.gx[i] - at_low.gx[i]));
    for (int j = 0; j < N; j++) b->y[j] -= beta * (g.fy[j] + lambda * g.gy[j]);
}

/* eta = 0.5; and so small that f alone lowers q enough, and the multiplier is 0. */
static void test_bome(void **state) {
    (void)state;
    static char own;
    static const double usual = 0.5, small = 1e-3;
    static const char *const pairs[] = {"alpha", "0.4", "beta", "0.3", "w", "2", "p", "0.5", "T", "3", "eta", "0.5", NULL};
    static const char *const other[] = {"alpha", "0.4", "beta", "0.3", "w", "2", "p", "0.5", "T", "3", "eta", "0.001", NULL};
    const beside b = {.solver = "bome", .pairs = pairs, .step = bome_step, .config = &usual, .own = &own};
    beside_same(b, ITERATIONS, sizeof own);
    beside_sees(b, ITERATIONS, sizeof own, FROM_ZERO, "the lower level from zero");
    beside_sees(b, ITERATIONS, sizeof own, SIGN_OF_PRODUCT, "the sign of the product");
    beside_sees(b, ITERATIONS, sizeof own, PLAIN_PRODUCT, "products without the steps");
    const beside slow = {.solver = "bome", .pairs = other, .step = bome_step, .config = &small, .own = &own};
    beside_same(slow, ITERATIONS, sizeof own);
    beside_sees(slow, ITERATIONS, sizeof own, NEGATIVE, "a negative multiplier");
}

/* MEHA, Algorithm 1. */
enum { OLD_LOW = 1, OLD_X, FIXED_C };

static void meha_step(beside *b) {
    double *low = b->own, before[N];
    const double c = 3 * pow((double)b->t + 1, b->mistake == FIXED_C ? 0 : 0.3), gamma = 0.8, eta = 1 / (COUPLED_L_G + 1 / gamma);
    if (b->t == 0) memcpy(low, b->y, sizeof b->y);
    memcpy(before, low, sizeof before);
    const gradients lower = at_point(b->x, low);
    for (int j = 0; j < N; j++) low[j] -= eta * (lower.gy[j] + (low[j] - b->y[j]) / gamma);
    const gradients g = at_point(b->x, b->y), at_low = at_point(b->x, b->mistake == OLD_LOW ? before : low);
    double x[M];
    for (int i = 0; i < M; i++) x[i] = b->x[i] - 0.3 * (g.fx[i] / c + g.gx[i] - at_low.gx[i]);
    const gradients after = at_point(b->mistake == OLD_X ? b->x : x, b->y);
    for (int j = 0; j < N; j++) b->y[j] -= 0.1 * (after.fy[j] / c + after.gy[j] - (b->y[j] - low[j]) / gamma);
    memcpy(b->x, x, sizeof x);
}

static void test_meha(void **state) {
    (void)state;
    static double own[N];
    static const char *const pairs[] = {"alpha", "0.3", "beta", "0.1", "c", "3", "growth", "0.3", "gamma", "0.8", NULL};
    const beside b = {.solver = "meha", .pairs = pairs, .step = meha_step, .own = own};
    beside_same(b, ITERATIONS, sizeof own);
    beside_sees(b, ITERATIONS, sizeof own, OLD_LOW, "x at the old low");
    beside_sees(b, ITERATIONS, sizeof own, OLD_X, "y at the old x");
    beside_sees(b, ITERATIONS, sizeof own, FIXED_C, "a penalty that does not grow");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_f2sa_p), cmocka_unit_test(test_f3sa), cmocka_unit_test(test_pbgd),
                                       cmocka_unit_test(test_bome), cmocka_unit_test(test_meha)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
