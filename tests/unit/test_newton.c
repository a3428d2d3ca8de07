/* test_newton.c - conjugate gradients and Newton's method in double: with a preconditioner, where
 * they must give up, and without a context. Those in sustain_real are tested with the lower level
 * (test_hypergrad.c). */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <sustain/random.h>

#include "core/newton.h"

enum { N = 40 };

typedef struct matrix {
    double a[N * N];
    int64_t products;
} matrix;

static sustain_status multiply(void *user, const double *v, double *out) {
    matrix *m = user;
    m->products++;
    for (int i = 0; i < N; i++) {
        out[i] = 0;
        for (int j = 0; j < N; j++) out[i] += m->a[i * N + j] * v[j];
    }
    return SUSTAIN_OK;
}

/* D (I + B'B / 100) D with D from 1 to 10^4: what the diagonal cures. */
static void make(matrix *m, double *b, double *scale) {
    static double factor[N * N];
    m->products = 0;
    for (int i = 0; i < N * N; i++) factor[i] = sustain_random_normal(5, 1, 0, (uint32_t)i);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double sum = i == j ? 1 : 0;
            for (int k = 0; k < N; k++) sum += factor[k * N + i] * factor[k * N + j] / 100;
            m->a[i * N + j] = sum * pow(10, 4.0 * (i + j) / N);
        }
        b[i] = sustain_random_normal(5, 2, 0, (uint32_t)i);
    }
    for (int i = 0; i < N; i++) scale[i] = 1 / m->a[i * N + i];
}

static double residual(matrix *m, const double *b, const double *z) {
    double az[N], sum = 0;
    multiply(m, z, az);
    for (int i = 0; i < N; i++) sum += (b[i] - az[i]) * (b[i] - az[i]);
    return sqrt(sum / sustain__dot_double(N, b, b));
}

static void test_cg(void **state) {
    (void)state;
    static matrix m;
    double b[N], scale[N], z[N] = {0}, work[4][N];
    make(&m, b, scale);
    sustain__cg_double cg = {.n = N, .product = multiply, .user = &m, .tolerance = 1e-10, .limit = 10000};
    cg.r = work[0], cg.p = work[1], cg.q = work[2], cg.z_scaled = work[3];
    assert_int_equal(sustain__cg_double_solve(&cg, b, z), SUSTAIN_OK); /* without a context: a status, no text */
    assert_true(residual(&m, b, z) <= 1e-10);
    const int64_t plain = cg.products;
    for (int recursive = 0; recursive < 2; recursive++) {
        cg.scale = scale;
        cg.recursive = recursive == 1;
        memset(z, 0, sizeof z);
        m.products = 0;
        assert_int_equal(sustain__cg_double_solve(&cg, b, z), SUSTAIN_OK);
        assert_int_equal(cg.products, m.products);
        if (!(cg.products < plain / 2)) fail_msg("%d products with a preconditioner, %d without", (int)cg.products, (int)plain);
        assert_true(residual(&m, b, z) <= (recursive ? 1e-8 : 1e-10)); /* the recursive one drifts away */
    }
}

static void test_cg_gives_up(void **state) {
    (void)state;
    static matrix m;
    double b[N], scale[N], z[N] = {0}, work[4][N];
    make(&m, b, scale);
    sustain__cg_double cg = {.n = N, .product = multiply, .user = &m, .limit = 10000, .patience = 5, .recursive = true};
    cg.r = work[0], cg.p = work[1], cg.q = work[2], cg.z_scaled = work[3];
    assert_int_equal(sustain__cg_double_solve(&cg, b, z), SUSTAIN_NOT_CONVERGED); /* long stretches without half the residual */
    assert_true(cg.products < 1000);
    cg.patience = 0, cg.limit = 7;
    memset(z, 0, sizeof z);
    assert_int_equal(sustain__cg_double_solve(&cg, b, z), SUSTAIN_NOT_CONVERGED);
    assert_int_equal(cg.products, 7);
    for (int i = 0; i < N * N; i++) m.a[i] = -m.a[i];
    memset(z, 0, sizeof z);
    assert_int_equal(sustain__cg_double_solve(&cg, b, z), SUSTAIN_NOT_CONVEX);
    m.a[3] = NAN;
    memset(z, 0, sizeof z);
    assert_int_equal(sustain__cg_double_solve(&cg, b, z), SUSTAIN_NOT_FINITE);
    memset(b, 0, sizeof b);
    z[2] = 5;
    assert_int_equal(sustain__cg_double_solve(&cg, b, z), SUSTAIN_OK);
    assert_true(z[2] == 0);
}

/* sum_i w_i (exp(y_i - i) - (y_i - i)): at its minimum y_i = i. */
typedef struct valley {
    double w[N], at[N];
    int evaluations, wrong_slope;
} valley;

static sustain_status evaluate(void *user, const double *y, double *value, double *gradient, double *norm) {
    valley *v = user;
    v->evaluations++;
    *value = 0;
    for (int i = 0; i < N; i++) {
        const double u = y[i] - i;
        v->at[i] = y[i];
        *value += v->w[i] * (exp(u) - u);
        gradient[i] = v->w[i] * (exp(u) - 1);
    }
    *norm = sqrt(sustain__dot_double(N, gradient, gradient));
    return SUSTAIN_OK;
}

static sustain_status direction(void *user, const double *y, const double *gradient, double *d, double *slope) {
    valley *v = user;
    for (int i = 0; i < N; i++) {
        assert_true(v->at[i] == y[i]); /* the last evaluation was here */
        d[i] = -gradient[i] / (v->w[i] * exp(y[i] - i));
    }
    *slope = v->wrong_slope ? 1 : sustain__dot_double(N, gradient, d);
    return SUSTAIN_OK;
}

static void test_newton(void **state) {
    (void)state;
    for (int start = -6; start <= 6; start += 3) {
        valley v = {.evaluations = 0};
        double y[N], work[5][N];
        for (int i = 0; i < N; i++) v.w[i] = pow(10, -3.0 * i / N), y[i] = i + start * (i % 3);
        sustain__newton_double n = {
            .n = N, .evaluate = evaluate, .direction = direction, .user = &v, .tolerance = 1e-12, .rounding = DBL_EPSILON};
        n.at = work[0], n.trial = work[1], n.gradient = work[2], n.gradient_new = work[3], n.d = work[4];
        assert_int_equal(sustain__newton_double_minimize(&n, y), SUSTAIN_OK);
        assert_true(n.least <= 1e-12 && n.last);
        for (int i = 0; i < N; i++) assert_true(fabs(y[i] - i) <= 1e-8 && v.at[i] == y[i]);
        assert_true(v.evaluations < 60);
    }
}

/* Tolerance 0 ends at rounding; a direction that does not go down ends it at once, with y as it
 * was; a start that is not finite is reported. */
static void test_newton_gives_up(void **state) {
    (void)state;
    valley v = {.evaluations = 0};
    double y[N], work[5][N];
    for (int i = 0; i < N; i++) v.w[i] = 1, y[i] = i + 1;
    sustain__newton_double n = {.n = N, .evaluate = evaluate, .direction = direction, .user = &v, .rounding = DBL_EPSILON};
    n.at = work[0], n.trial = work[1], n.gradient = work[2], n.gradient_new = work[3], n.d = work[4];
    assert_int_equal(sustain__newton_double_minimize(&n, y), SUSTAIN_OK);
    assert_true(n.least < 1e-13 && v.evaluations < 100);
    for (int i = 0; i < N; i++) y[i] = i + 1;
    v.wrong_slope = 1, v.evaluations = 0;
    assert_int_equal(sustain__newton_double_minimize(&n, y), SUSTAIN_OK);
    assert_int_equal(v.evaluations, 1);
    assert_true(n.least == n.norm_0 && n.last && y[7] == 8);
    y[0] = NAN;
    assert_int_equal(sustain__newton_double_minimize(&n, y), SUSTAIN_OK);
    assert_true(isnan(n.least));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cg),
        cmocka_unit_test(test_cg_gives_up),
        cmocka_unit_test(test_newton),
        cmocka_unit_test(test_newton_gives_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
