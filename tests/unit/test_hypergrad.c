/* test_hypergrad.c - exact hypergradients, the lower solve, conjugate gradient; and the bias of eq.
 * (7), Lemma 2.1. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <sustain/sustain.h>

#include "core/vector.h"
#include "failing_allocator.h"
#include "hypergrad/cg.h"
#include "hypergrad/neumann.h"
#include "oracle/draw.h"
#include "toy.h"

static const bool wide = sizeof(sustain_real) == sizeof(double);

static sustain_context *make_context(void) {
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    return context;
}

static void assert_near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g and %.17g differ by %.3g, more than %.3g", a, b, fabs(a - b), tolerance);
}

/* ---- a problem that can be solved by hand ----
 *
 *   g = 1/2 y'A y + x'M y,   f = 1/2 |x|^2 + d'y,   D f = x - M A^{-1} d
 *
 * As a finite sum of two samples around it: A and M times 1 +- noise, d times 1 +- noise. */

enum { MOST = 8 };

typedef struct by_hand {
    sustain_problem problem;
    sustain_problem_ops ops;
    int n; /* of x and of y */
    double A[MOST][MOST], M[MOST][MOST], d[MOST], noise;
} by_hand;

/* 1 + noise times the mean of the signs of a draw's samples. */
static double swing(const by_hand *p, const sustain_batch *batch) {
    double sum = 0;
    if (batch == NULL) return 1;
    for (int64_t j = 0; j < batch->size; j++) sum += batch->index[j] == 0 ? 1 : -1;
    return 1 + p->noise * sum / (double)batch->size;
}

static int hand_f_value(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value,
                        void *work) {
    const by_hand *p = self;
    (void)work;
    *value = 0;
    for (int i = 0; i < p->n; i++) *value += 0.5 * (double)x[i] * (double)x[i] + swing(p, xi) * p->d[i] * (double)y[i];
    return 0;
}

static int hand_f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                       sustain_real *fy, void *work) {
    const by_hand *p = self;
    (void)y, (void)work;
    for (int i = 0; i < p->n; i++) fx[i] = x[i], fy[i] = (sustain_real)(swing(p, xi) * p->d[i]);
    return 0;
}

static int hand_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                         sustain_real *out, void *work) {
    const by_hand *p = self;
    (void)x, (void)y, (void)work;
    for (int i = 0; i < p->n; i++) {
        double sum = 0;
        for (int j = 0; j < p->n; j++) sum += p->A[i][j] * (double)v[j];
        out[i] = (sustain_real)(swing(p, zeta) * sum);
    }
    return 0;
}

static int hand_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                          sustain_real *out, void *work) {
    const by_hand *p = self;
    (void)x, (void)y, (void)work;
    for (int i = 0; i < p->n; i++) {
        double sum = 0;
        for (int j = 0; j < p->n; j++) sum += p->M[i][j] * (double)v[j];
        out[i] = (sustain_real)(swing(p, zeta) * sum);
    }
    return 0;
}

static int hand_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                       void *work) {
    const by_hand *p = self;
    (void)work;
    for (int i = 0; i < p->n; i++) {
        double sum = 0;
        for (int j = 0; j < p->n; j++) sum += p->A[i][j] * (double)y[j] + p->M[j][i] * (double)x[j];
        gy[i] = (sustain_real)(swing(p, zeta) * sum);
    }
    return 0;
}

static int hand_g_value(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value,
                        void *work) {
    const by_hand *p = self;
    (void)work;
    *value = 0;
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++)
            *value += swing(p, zeta) * (0.5 * (double)y[i] * p->A[i][j] * (double)y[j] + (double)x[i] * p->M[i][j] * (double)y[j]);
    return 0;
}

static void hand_make(by_hand *p, int n, double noise) {
    *p = (by_hand){.n = n, .noise = noise};
    p->ops = (sustain_problem_ops){.name = "by hand",
                                   .f_value = hand_f_value,
                                   .f_grad = hand_f_grad,
                                   .g_value = hand_g_value,
                                   .g_grad_y = hand_grad_y,
                                   .g_hess_vec = hand_hess_vec,
                                   .g_cross_vec = hand_cross_vec};
    p->problem = (sustain_problem){.ops = &p->ops, .self = p, .upper_dim = n, .lower_dim = n, .samples = {2, 2}, .has_expectation = true};
}

/* A = (2 1; 1 3), M = (1 2; 0 1), d = (1, 1): A^{-1} d = (0.4, 0.2), M A^{-1} d = (0.8, 0.2). */
static void hand_make_small(by_hand *p) {
    hand_make(p, 2, 0);
    p->A[0][0] = 2, p->A[0][1] = p->A[1][0] = 1, p->A[1][1] = 3;
    p->M[0][0] = 1, p->M[0][1] = 2, p->M[1][1] = 1;
    p->d[0] = p->d[1] = 1;
}

/* A = Q diag(mu .. L) Q with Q = I - 2 w w' / w'w, M = C I; `worst`: d is the eigenvector of mu. */
static void hand_make_spectrum(by_hand *p, int n, double mu, double L, double C, bool worst, double noise) {
    hand_make(p, n, noise);
    double w[MOST], ww = 0, Q[MOST][MOST];
    for (int i = 0; i < n; i++) w[i] = 1 + i % 3, ww += w[i] * w[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) Q[i][j] = (i == j) - 2 * w[i] * w[j] / ww;
    for (int i = 0; i < n; i++) {
        p->M[i][i] = C;
        p->d[i] = worst ? Q[i][0] : cos(3 * i + 1);
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) p->A[i][j] += Q[i][k] * (mu + (L - mu) * k / (n - 1)) * Q[j][k];
    }
}

/* v = (I - A/L)^k d */
static void hand_power(const by_hand *p, double L, int k, double *v) {
    for (int i = 0; i < p->n; i++) v[i] = p->d[i];
    for (; k > 0; k--) {
        double av[MOST] = {0};
        for (int i = 0; i < p->n; i++)
            for (int j = 0; j < p->n; j++) av[i] += p->A[i][j] * v[j];
        for (int i = 0; i < p->n; i++) v[i] -= av[i] / L;
    }
}

/* ---- exact ---- */

static void test_by_hand(void **state) {
    (void)state;
    by_hand p;
    hand_make_small(&p);
    sustain_context *context = make_context();
    const sustain_real x[2] = {3, -1};
    sustain_real y[2] = {5, 5}, out[2];
    const double rounding = wide ? 1e-14 : 1e-6;
    for (int inverse = 0; inverse < 2; inverse++) {
        assert_int_equal(sustain_hypergradient(context, &p.problem, NULL, NULL, x, y, (sustain_inverse)inverse, wide ? 1e-14 : 1e-6, out),
                         SUSTAIN_OK);
        assert_near((double)out[0], 3 - 0.8, 10 * rounding);
        assert_near((double)out[1], -1 - 0.2, 10 * rounding);
    }
    /* y* = -A^{-1} M'x: M'x = (3, 5), A^{-1} (3, 5) = (0.8, 1.4); ell = 5 - 0.8 - 1.4. */
    double value;
    assert_int_equal(sustain_outer(context, &p.problem, NULL, NULL, x, wide ? 1e-13 : 1e-5, y, &value, out), SUSTAIN_OK);
    assert_near((double)y[0], -0.8, 10 * rounding);
    assert_near((double)y[1], -1.4, 10 * rounding);
    assert_near(value, 5 - 2.2, 20 * rounding);
    assert_near((double)out[0], 2.2, 10 * rounding);
    assert_near((double)out[1], -1.2, 10 * rounding);
    sustain_context_destroy(context);
}

static void point(int64_t upper, sustain_real *x, sustain_real *y) {
    for (int i = 0; i < upper; i++) x[i] = (sustain_real)sustain_random_normal(5, 0, 0, (uint32_t)i);
    for (int i = 0; i < TOY_LOWER; i++) y[i] = (sustain_real)sustain_random_normal(5, 1, 0, (uint32_t)i);
}

/* Draws of a toy: of samples 1 .. 6, or a key. */
static sustain_batch draw(const toy *t, uint64_t key) {
    static const int64_t index[] = {1, 2, 3, 4, 5, 6};
    return (sustain_batch){.size = 6, .index = t->problem.samples[0] > 0 ? index : NULL, .key = key};
}

static void test_cholesky_equals_cg(void **state) {
    (void)state;
    sustain_context *context = make_context();
    for (int kind = 0; kind < 4; kind++) {
        toy t;
        toy_make(&t, kind & 1, kind & 2 ? 0 : TOY_SAMPLES, TOY_RIGHT);
        sustain_real x[TOY_UPPER_SPARSE], y[TOY_LOWER], a[TOY_UPPER_SPARSE], b[TOY_UPPER_SPARSE];
        const int64_t upper = t.problem.upper_dim;
        point(upper, x, y);
        const sustain_batch xi = draw(&t, 17), zeta = draw(&t, 18);
        const bool whole = kind < 2;
        for (int matrix = 0; matrix < 2; matrix++) {
            if (matrix == 1) t.ops.g_hess = NULL;
            assert_int_equal(
                sustain_hypergradient(context, &t.problem, whole ? NULL : &xi, whole ? NULL : &zeta, x, y, SUSTAIN_INVERSE_CHOLESKY, 0, a),
                SUSTAIN_OK);
            assert_int_equal(sustain_hypergradient(context, &t.problem, whole ? NULL : &xi, whole ? NULL : &zeta, x, y, SUSTAIN_INVERSE_CG,
                                                   wide ? 1e-13 : 1e-6, b),
                             SUSTAIN_OK);
            assert_true(sustain__norm(upper, a) > 0.01);
            assert_true(sustain__distance(upper, a, b) <= (wide ? 1e-12 : 1e-5) * sustain__norm(upper, a));
        }
    }
    sustain_context_destroy(context);
}

static void test_lower_solve(void **state) {
    (void)state;
    sustain_context *context = make_context();
    for (int kind = 0; kind < 4; kind++)
        for (int far = 0; far < 2; far++) {
            toy t;
            toy_make(&t, kind & 1, kind & 2 ? 0 : TOY_SAMPLES, TOY_RIGHT);
            sustain_real x[TOY_UPPER_SPARSE], y[TOY_LOWER], gy[TOY_LOWER], work[2 * TOY_LOWER];
            point(t.problem.upper_dim, x, y);
            if (far) sustain__scale(TOY_LOWER, 100, y);
            const sustain_batch drawn = draw(&t, 18), *zeta = kind < 2 ? NULL : &drawn;
            const double tolerance = wide ? 1e-12 : 2e-6;
            if (sustain_lower_solve(context, &t.problem, zeta, x, tolerance, y) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
            t.ops.g_grad_y(&t, zeta, x, y, gy, work);
            assert_true(sustain__norm(TOY_LOWER, gy) <= tolerance);
        }
    sustain_context_destroy(context);
}

/* More than rounding allows: the best y and a sentence with the norm that it has. */
static void test_lower_solve_ends_at_rounding(void **state) {
    (void)state;
    sustain_context *context = make_context();
    toy t;
    toy_make(&t, false, TOY_SAMPLES, TOY_RIGHT);
    sustain_real x[TOY_LOWER], y[TOY_LOWER], gy[TOY_LOWER], work[2 * TOY_LOWER];
    point(TOY_LOWER, x, y);
    const sustain_status status = sustain_lower_solve(context, &t.problem, NULL, x, 1e-30, y);
    t.ops.g_grad_y(&t, NULL, x, y, gy, work);
    const double reached = sustain__norm(TOY_LOWER, gy);
    assert_true(reached <= (wide ? 1e-14 : 1e-6));
    if (reached > 1e-30) {
        char norm[32];
        snprintf(norm, sizeof norm, "%.3g", reached);
        assert_int_equal(status, SUSTAIN_NOT_CONVERGED);
        assert_non_null(strstr(sustain_error(context), norm));
    }
    sustain_context_destroy(context);
}

static double ell(sustain_context *context, const sustain_problem *problem, const sustain_real *x, sustain_real *gradient) {
    sustain_real y[TOY_LOWER] = {0};
    double value = NAN;
    const sustain_status status = sustain_outer(context, problem, NULL, NULL, x, 0, y, &value, gradient);
    assert_true(status == SUSTAIN_OK || status == SUSTAIN_NOT_CONVERGED);
    return value;
}

static void test_outer_gradient_against_differences(void **state) {
    (void)state;
    sustain_context *context = make_context();
    for (int sparse = 0; sparse < 2; sparse++) {
        toy t;
        toy_make(&t, sparse, TOY_SAMPLES, TOY_RIGHT);
        sustain_real x[TOY_UPPER_SPARSE], y[TOY_LOWER], gradient[TOY_UPPER_SPARSE];
        const double h = wide ? 1e-4 : 2e-2;
        point(t.problem.upper_dim, x, y);
        ell(context, &t.problem, x, gradient);
        for (int i = 0; i < t.problem.upper_dim; i++) {
            const sustain_real here = x[i];
            x[i] = here + (sustain_real)h;
            const double right = ell(context, &t.problem, x, NULL);
            x[i] = here - (sustain_real)h;
            const double left = ell(context, &t.problem, x, NULL);
            x[i] = here;
            assert_near((double)gradient[i], (right - left) / (2 * h), wide ? 1e-7 : 1e-3);
        }
    }
    sustain_context_destroy(context);
}

/* ---- refusals ---- */

static void refuses(sustain_context *context, sustain_status got, sustain_status expected, const char *words) {
    assert_int_equal(got, expected);
    if (strstr(sustain_error(context), words) == NULL) fail_msg("no \"%s\" in: %s", words, sustain_error(context));
}

static void test_refusals(void **state) {
    (void)state;
    sustain_context *context = make_context();
    toy t;
    sustain_real x[TOY_LOWER], y[TOY_LOWER], out[TOY_LOWER];
    double value;
    point(TOY_LOWER, x, y);
    const sustain_inverse cg = SUSTAIN_INVERSE_CG, cholesky = SUSTAIN_INVERSE_CHOLESKY;

    toy_make(&t, false, TOY_SAMPLES, TOY_RIGHT);
    t.ops.g_cross_vec = NULL;
    refuses(context, sustain_hypergradient(context, &t.problem, NULL, NULL, x, y, cg, 1e-3, out), SUSTAIN_MISSING_ORACLE, "g_cross_vec");
    refuses(context, sustain_outer(context, &t.problem, NULL, NULL, x, 1e-3, y, &value, out), SUSTAIN_MISSING_ORACLE, "g_cross_vec");
    assert_int_equal(sustain_outer(context, &t.problem, NULL, NULL, x, 1e-3, y, &value, NULL), SUSTAIN_OK);

    toy_make(&t, false, TOY_SAMPLES, TOY_RIGHT);
    t.ops.g_hess_vec = NULL;
    refuses(context, sustain_hypergradient(context, &t.problem, NULL, NULL, x, y, cg, 1e-3, out), SUSTAIN_MISSING_ORACLE, "g_hess_vec");
    refuses(context, sustain_lower_solve(context, &t.problem, NULL, x, 1e-3, y), SUSTAIN_MISSING_ORACLE, "g_hess_vec");
    assert_int_equal(sustain_hypergradient(context, &t.problem, NULL, NULL, x, y, cholesky, 0, out), SUSTAIN_OK); /* it has the matrix */

    toy_make(&t, false, TOY_SAMPLES, TOY_NOT_CONVEX);
    refuses(context, sustain_hypergradient(context, &t.problem, NULL, NULL, x, y, cg, 1e-3, out), SUSTAIN_NOT_CONVEX, "strongly convex");
    refuses(context, sustain_hypergradient(context, &t.problem, NULL, NULL, x, y, cholesky, 0, out), SUSTAIN_NOT_CONVEX,
            "positive definite");
    refuses(context, sustain_lower_solve(context, &t.problem, NULL, x, 1e-3, y), SUSTAIN_NOT_CONVEX, "strongly convex");

    toy_make(&t, false, TOY_SAMPLES, TOY_NAN);
    assert_int_equal(sustain_hypergradient(context, &t.problem, NULL, NULL, x, y, cg, 1e-3, out), SUSTAIN_NOT_FINITE);
    toy_make(&t, false, TOY_SAMPLES, TOY_FAILS);
    point(TOY_LOWER, x, y);
    refuses(context, sustain_hypergradient(context, &t.problem, NULL, NULL, x, y, cg, 1e-3, out), SUSTAIN_ORACLE_FAILED, "g_hess_vec");
    refuses(context, sustain_lower_solve(context, &t.problem, NULL, x, 1e-3, y), SUSTAIN_ORACLE_FAILED, "g_hess_vec");

    toy_make(&t, false, 0, TOY_RIGHT);
    refuses(context, sustain_hypergradient(context, &t.problem, NULL, NULL, x, y, cg, 1e-3, out), SUSTAIN_MISSING_ORACLE,
            "has_expectation");
    refuses(context, sustain_lower_solve(context, &t.problem, NULL, x, 1e-3, y), SUSTAIN_MISSING_ORACLE, "has_expectation");

    toy_make(&t, false, TOY_SAMPLES, TOY_RIGHT);
    const double bad[] = {NAN, -1, 1};
    for (int i = 0; i < 3; i++)
        refuses(context, sustain_hypergradient(context, &t.problem, NULL, NULL, x, y, cg, bad[i], out), SUSTAIN_ARGUMENT, "tolerance");
    for (int i = 0; i < 2; i++) {
        refuses(context, sustain_lower_solve(context, &t.problem, NULL, x, bad[i], y), SUSTAIN_ARGUMENT, "tolerance");
        refuses(context, sustain_outer(context, &t.problem, NULL, NULL, x, bad[i], y, &value, out), SUSTAIN_ARGUMENT, "tolerance");
    }
    refuses(context, sustain_hypergradient(context, &t.problem, NULL, NULL, NULL, y, cg, 1e-3, out), SUSTAIN_ARGUMENT, "NULL");
    sustain_context_destroy(context);
}

/* A call with every allocation failing in turn; it makes more than `least`. */
static void fails_in_turn(sustain_status (*call)(sustain_context *context), int64_t least) {
    failing_allocator_state allocator = {0};
    sustain_context *context;
    assert_int_equal(sustain_context_create_with(failing_allocator, &allocator, &context), SUSTAIN_OK);
    sustain_status status = SUSTAIN_MEMORY;
    for (int64_t n = 1; status == SUSTAIN_MEMORY; n++) {
        allocator.calls = 0;
        allocator.fail_at = n;
        status = call(context);
        assert_int_equal(allocator.live, 1);
        if (status == SUSTAIN_MEMORY)
            assert_non_null(strstr(sustain_error(context), "out of memory"));
        else
            assert_true(n > least);
    }
    assert_int_equal(status, SUSTAIN_OK);
    sustain_context_destroy(context);
}

static sustain_status call_hypergradient(sustain_context *context, sustain_inverse inverse) {
    toy t;
    sustain_real x[TOY_UPPER_SPARSE], y[TOY_LOWER], out[TOY_UPPER_SPARSE];
    toy_make(&t, true, TOY_SAMPLES, TOY_RIGHT);
    point(t.problem.upper_dim, x, y);
    return sustain_hypergradient(context, &t.problem, NULL, NULL, x, y, inverse, 1e-4, out);
}

static sustain_status call_cg(sustain_context *context) {
    return call_hypergradient(context, SUSTAIN_INVERSE_CG);
}

static sustain_status call_cholesky(sustain_context *context) {
    const sustain_status status = call_hypergradient(context, SUSTAIN_INVERSE_CHOLESKY);
    static int calls;
    if (++calls == 3) assert_non_null(strstr(sustain_error(context), "as a matrix (4, 4) takes")); /* the third one is the matrix */
    return status;
}

static sustain_status call_outer(sustain_context *context) {
    toy t;
    sustain_real x[TOY_UPPER_SPARSE], y[TOY_LOWER], out[TOY_UPPER_SPARSE];
    double value;
    toy_make(&t, true, TOY_SAMPLES, TOY_RIGHT);
    point(t.problem.upper_dim, x, y);
    return sustain_outer(context, &t.problem, NULL, NULL, x, 1e-4, y, &value, out);
}

static void test_every_allocation_fails(void **state) {
    (void)state;
    fails_in_turn(call_cg, 3);
    fails_in_turn(call_cholesky, 3);
    fails_in_turn(call_outer, 4);
}

/* ---- conjugate gradient ---- */

enum { SIZE = 40 };

/* diag(1 .. condition), rotated by one reflection. */
typedef struct matrix {
    double condition;
    double shift;
} matrix;

static sustain_status matrix_product(void *user, const sustain_real *v, sustain_real *out) {
    const matrix *m = user;
    double mean = 0, after = 0, middle[SIZE];
    for (int i = 0; i < SIZE; i++) mean += (double)v[i] / SIZE;
    for (int i = 0; i < SIZE; i++) {
        middle[i] = (pow(m->condition, i / (SIZE - 1.0)) - m->shift) * ((double)v[i] - 2 * mean);
        after += middle[i] / SIZE;
    }
    for (int i = 0; i < SIZE; i++) out[i] = (sustain_real)(middle[i] - 2 * after);
    return SUSTAIN_OK;
}

static void test_cg(void **state) {
    (void)state;
    sustain_context *context = make_context();
    sustain_real scratch[3 * SIZE], b[SIZE], z[SIZE] = {0}, az[SIZE];
    matrix m = {.condition = 100};
    for (int i = 0; i < SIZE; i++) b[i] = (sustain_real)cos(i);
    sustain__cg cg = {.context = context, .n = SIZE, .product = matrix_product, .user = &m, .limit = 1000};
    cg.r = scratch, cg.p = scratch + SIZE, cg.q = scratch + 2 * SIZE;

    cg.tolerance = wide ? 1e-12 : 1e-5; /* the true residual, not the recursive one */
    assert_int_equal(sustain__cg_solve(&cg, b, z), SUSTAIN_OK);
    matrix_product(&m, z, az);
    assert_true(sustain__distance(SIZE, b, az) <= cg.tolerance * sustain__norm(SIZE, b));
    assert_true(cg.residual <= cg.tolerance);
    const int64_t products = cg.products;

    assert_int_equal(sustain__cg_solve(&cg, b, z), SUSTAIN_OK); /* from the solution: one product, to see that it is one */
    assert_int_equal(cg.products, 1);

    sustain__zero(SIZE, z); /* a fixed number of steps, as algorithms have it */
    cg.tolerance = 0;
    cg.limit = 5;
    assert_int_equal(sustain__cg_solve(&cg, b, z), SUSTAIN_NOT_CONVERGED);
    assert_int_equal(cg.products, 5);
    assert_true(cg.residual < 1);
    cg.limit = products; /* and going on from there */
    cg.tolerance = 1e-3;
    assert_int_equal(sustain__cg_solve(&cg, b, z), SUSTAIN_OK);

    cg.limit = 100000;
    cg.tolerance = 0; /* rounding ends it */
    assert_int_equal(sustain__cg_solve(&cg, b, z), SUSTAIN_NOT_CONVERGED);
    assert_true(cg.residual < (wide ? 1e-13 : 1e-4));
    assert_true(cg.products < 1000);

    m.condition = 1e20; /* no precision can do this */
    sustain__zero(SIZE, z);
    cg.tolerance = 1e-14;
    assert_int_equal(sustain__cg_solve(&cg, b, z), SUSTAIN_NOT_CONVERGED);
    assert_non_null(strstr(sustain_error(context), "residual"));

    m = (matrix){.condition = 100, .shift = 3}; /* eigenvalues on both sides of zero */
    sustain__zero(SIZE, z);
    assert_int_equal(sustain__cg_solve(&cg, b, z), SUSTAIN_NOT_CONVEX);

    sustain__zero(SIZE, b); /* b = 0: z = 0 */
    z[3] = 1;
    assert_int_equal(sustain__cg_solve(&cg, b, z), SUSTAIN_OK);
    assert_true(sustain__norm(SIZE, z) == 0);
    sustain_context_destroy(context);
}

/* ---- Lemma 2.1: the bias of eq. (7) ---- */

/* The mean of eq. (7) over k = 0 .. K-1, the only thing that is random in a problem without
 * noise. */
static void mean_over_k(sustain__oracle *oracle, const by_hand *p, const sustain_real *x, int K, double L_g, double *mean) {
    sustain_real y[MOST] = {0}, v[MOST], hv[MOST], cross[MOST], out[MOST];
    static const int64_t first = 0;
    sustain_batch zeta[64];
    for (int i = 0; i < 64; i++) zeta[i] = (sustain_batch){.size = 1, .index = &first};
    const sustain__neumann neumann = {.oracle = oracle, .v = v, .hv = hv, .cross = cross};
    sustain_hyper_draw drawn = {.xi = zeta[0], .zeta = zeta, .K = K, .L_g = L_g};
    for (int i = 0; i < p->n; i++) mean[i] = 0;
    for (drawn.k = 0; drawn.k < K; drawn.k++) {
        assert_int_equal(sustain__neumann_pair(&neumann, &drawn, x, y, NULL, NULL, out, NULL), SUSTAIN_OK);
        for (int i = 0; i < p->n; i++) mean[i] += (double)out[i] / K;
    }
}

static void test_bias_decays(void **state) {
    (void)state;
    sustain_context *context = make_context();
    const double mu = 0.5, L = 4, C = 0.7, rounding = wide ? 1e-13 : 3e-5;
    for (int worst = 0; worst < 2; worst++) {
        by_hand p;
        sustain__oracle oracle;
        sustain_real x[MOST] = {1, -2, (sustain_real)0.5}, y[MOST] = {0}, exact[MOST];
        hand_make_spectrum(&p, 6, mu, L, C, worst, 0);
        assert_int_equal(sustain__oracle_create(context, &p.problem, 1, false, &oracle), SUSTAIN_OK);
        assert_int_equal(sustain_hypergradient(context, &p.problem, NULL, NULL, x, y, SUSTAIN_INVERSE_CHOLESKY, 0, exact), SUSTAIN_OK);
        double C_fy = 0, before = INFINITY;
        for (int i = 0; i < p.n; i++) C_fy += p.d[i] * p.d[i];
        C_fy = sqrt(C_fy);
        for (int K = 1; K <= 40; K++) {
            double mean[MOST], bias = 0, expected[MOST], off = 0;
            mean_over_k(&oracle, &p, x, K, L, mean);
            for (int i = 0; i < p.n; i++) expected[i] = (double)x[i];
            for (int k = 0; k < K; k++) { /* x - (C/L) sum_k (I - A/L)^k d */
                double v[MOST];
                hand_power(&p, L, k, v);
                for (int i = 0; i < p.n; i++) expected[i] -= C / L * v[i];
            }
            for (int i = 0; i < p.n; i++) {
                bias += (mean[i] - (double)exact[i]) * (mean[i] - (double)exact[i]);
                off += (mean[i] - expected[i]) * (mean[i] - expected[i]);
            }
            bias = sqrt(bias);
            assert_near(sqrt(off), 0, rounding);                                        /* eq. (7) is what it should be */
            assert_true(bias <= C * C_fy / mu * pow(1 - mu / L, K) + rounding);         /* Lemma 2.1, (8) */
            if (worst) assert_near(bias, C * C_fy / mu * pow(1 - mu / L, K), rounding); /* grad_y f along the least curvature: equality */
            if (K > 1) assert_true(bias <= before * (1 - mu / L) + rounding);
            before = bias;
        }
        sustain__oracle_destroy(&oracle);
    }
    sustain_context_destroy(context);
}

/* With random samples and k: the mean over many draws is the expected value, within four standard
 * errors. */
static void test_expected_value(void **state) {
    (void)state;
    enum { DRAWS = 40000, K = 6, N = 3 };
    const double L = 5;
    sustain_context *context = make_context();
    by_hand p;
    sustain__oracle oracle;
    hand_make_spectrum(&p, N, 1, 3, 1.5, false, 0.5);
    assert_int_equal(sustain__oracle_create(context, &p.problem, 1, false, &oracle), SUSTAIN_OK);
    const sustain__sampler sampler = {.problem = &p.problem, .seed = 3};
    sustain_real x[N] = {1, 2, 3}, y[N] = {0}, v[N], hv[N], cross[N], out[N];
    double sum[N] = {0}, squares[N] = {0};
    const sustain__neumann neumann = {.oracle = &oracle, .v = v, .hv = hv, .cross = cross};
    for (int64_t t = 0; t < DRAWS; t++) {
        int64_t index[K + 1];
        sustain_batch zeta[K];
        sustain_hyper_draw drawn = {.zeta = zeta, .k = sustain__draw_terms(&sampler, t, K), .K = K, .L_g = L};
        drawn.xi = sustain__draw(&sampler, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, 1, &index[K]);
        for (int i = 0; i <= drawn.k; i++)
            zeta[i] = sustain__draw(&sampler, SUSTAIN_LOWER, (uint32_t)(SUSTAIN__STREAM_HYPER + i), t, 1, &index[i]);
        assert_int_equal(sustain__neumann_pair(&neumann, &drawn, x, y, NULL, NULL, out, NULL), SUSTAIN_OK);
        for (int i = 0; i < N; i++) sum[i] += (double)out[i], squares[i] += (double)out[i] * (double)out[i];
    }
    for (int i = 0; i < N; i++) {
        double expected = (double)x[i];
        for (int k = 0; k < K; k++) {
            double power[MOST];
            hand_power(&p, L, k, power);
            expected -= 1.5 / L * power[i];
        }
        const double mean = sum[i] / DRAWS, deviation = sqrt((squares[i] / DRAWS - mean * mean) / DRAWS);
        assert_true(deviation > 1e-4 && deviation < 0.02);
        assert_near(mean, expected, 4 * deviation);
    }
    sustain__oracle_destroy(&oracle);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_cholesky_equals_cg),
        cmocka_unit_test(test_lower_solve),
        cmocka_unit_test(test_lower_solve_ends_at_rounding),
        cmocka_unit_test(test_outer_gradient_against_differences),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_cg),
        cmocka_unit_test(test_bias_decays),
        cmocka_unit_test(test_expected_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
