/* test_problems.c - the problems of the library: every derivative against differences, every draw
 * within the constants that the problem claims, closed forms against oracles, refusals, and failing
 * allocations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sustain/hyperclean.h>
#include <sustain/quadratic.h>

#include "core/vector.h"
#include "failing_allocator.h"
#include "oracle/draw.h"
#include "oracle/oracle.h"
#include "precision.h"

enum { DIM_MAX = 64, BATCH_MAX = 64 };

static double normal(uint32_t stream, int64_t i) {
    return sustain_random_normal(77, stream, 0, (uint32_t)i);
}

static void random_vector(uint32_t stream, int64_t n, sustain_real *out) {
    for (int64_t i = 0; i < n; i++) out[i] = (sustain_real)normal(stream, i);
}

static double norm_of(int64_t n, const double *a) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * a[i];
    return sqrt(sum);
}

/* |a - b| <= tolerance * max(|b|, floor) */
static void assert_near(const char *what, int64_t n, const double *a, const sustain_real *b, double tolerance, double floor_) {
    double away = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        away += (a[i] - (double)b[i]) * (a[i] - (double)b[i]);
        size += (double)b[i] * (double)b[i];
    }
    if (!(sqrt(away) <= tolerance * fmax(sqrt(size), floor_)))
        fail_msg("%s: off by %g, of size %g (tolerance %g)", what, sqrt(away), sqrt(size), tolerance);
}

static void assert_close(const char *what, double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance * fmax(1, fabs(b)))) fail_msg("%s: %.17g against %.17g (tolerance %g)", what, a, b, tolerance);
}

/* ---- problems to test ---- */

static sustain_context *new_context(void) {
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    return context;
}

static sustain_quadratic_options noisy(int64_t upper, int64_t lower, int64_t samples, int phi) {
    sustain_quadratic_options o = sustain_quadratic_defaults();
    o.upper_dim = upper;
    o.lower_dim = lower;
    o.samples = samples;
    o.phi = phi;
    o.C_fy = 2;
    o.C_gxy = 1.5;
    o.L_g = 6;
    o.noise_f = 0.4;
    o.noise_g = 0.5;
    o.noise_hess = 0.3;
    o.noise_cross = 0.5;
    o.seed = 5;
    return o;
}

static sustain_problem *new_quadratic(sustain_context *context, sustain_quadratic_options o) {
    sustain_problem *problem;
    const sustain_status status = sustain_quadratic_create(context, &o, &problem);
    if (status != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    return problem;
}

enum { ROWS = 12, STORED = 5, TRUSTED = 9, DIM = 4, CLASSES = 3 };

static float features[2][ROWS * DIM];
static int32_t labels[2][ROWS];
static const int32_t row_groups[ROWS] = {0, 1, 1, 2, 0, 2, 2, 2, 1, 0, 0, 1};
enum { GROUPS = 4 }; /* the last one has no rows */

/* 12 training rows of which 5 are stored, 9 trusted ones. */
static sustain_problem *new_hyperclean(sustain_context *context, int64_t groups) {
    for (int set = 0; set < 2; set++) {
        for (int i = 0; i < ROWS * DIM; i++) features[set][i] = (float)normal(20 + (uint32_t)set, i);
        for (int i = 0; i < ROWS; i++) labels[set][i] = (int32_t)sustain_random_index(3, (uint32_t)set, 0, (uint32_t)i, CLASSES);
    }
    const sustain_rows training = {.count = ROWS, .dim = DIM, .values = features[0], .labels = labels[0], .stored = STORED},
                       trusted = {.count = TRUSTED, .dim = DIM, .values = features[1], .labels = labels[1]};
    const sustain_hyperclean_options options = {
        .size = sizeof options, .classes = CLASSES, .c = 0.05, .intercept = true, .groups = groups, .group = row_groups};
    sustain_problem *problem;
    assert_int_equal(sustain_hyperclean_create(context, &options, &training, &trusted, &problem), SUSTAIN_OK);
    return problem;
}

typedef struct tested {
    sustain_context *context;
    sustain_problem *problem;
    sustain__oracle oracle; /* dense */
    void (*destroy)(sustain_problem *);
    sustain_real x[DIM_MAX], y[DIM_MAX];
} tested;

static void finish(tested *t) {
    sustain__oracle_destroy(&t->oracle);
    t->destroy(t->problem);
    sustain_context_destroy(t->context);
}

enum { QUADRATICS = 11, HYPERCLEAN = QUADRATICS, GROUPED, CASES };

/* Problem number i of those that the general tests go through. */
static void start(int i, tested *t) {
    static const struct {
        int64_t upper, lower, samples;
        int phi;
        double wave;
    } cases[QUADRATICS] = {
        {5, 7, 0, SUSTAIN_PHI_SQRT, 0},    {5, 7, 20, SUSTAIN_PHI_SQRT, 2},   {7, 4, 0, SUSTAIN_PHI_LINEAR, 0.5},
        {7, 4, 20, SUSTAIN_PHI_LINEAR, 0}, {6, 6, 0, SUSTAIN_PHI_SQUARE, 0},  {6, 6, 20, SUSTAIN_PHI_SQUARE, 1.5},
        {1, 1, 0, SUSTAIN_PHI_SQRT, 0},    {1, 1, 2, SUSTAIN_PHI_SQRT, 0},    {1, 6, 0, SUSTAIN_PHI_SQRT, 0},
        {6, 1, 8, SUSTAIN_PHI_SQUARE, 0},  {13, 11, 30, SUSTAIN_PHI_SQRT, 1},
    };
    t->context = new_context();
    if (i < QUADRATICS) {
        sustain_quadratic_options o = noisy(cases[i].upper, cases[i].lower, cases[i].samples, cases[i].phi);
        o.wave = cases[i].wave;
        t->problem = new_quadratic(t->context, o);
        t->destroy = sustain_quadratic_destroy;
    } else {
        t->problem = new_hyperclean(t->context, i == GROUPED ? GROUPS : 0);
        t->destroy = sustain_hyperclean_destroy;
    }
    assert_int_equal(sustain__problem_validate(t->context, t->problem), SUSTAIN_OK);
    assert_int_equal(sustain__oracle_create(t->context, t->problem, BATCH_MAX, false, &t->oracle), SUSTAIN_OK);
    random_vector(1, t->problem->upper_dim, t->x);
    random_vector(2, t->problem->lower_dim, t->y);
}

/* Draw number 0: the expected value; 1 and 2: of one sample; 3 and 4: of seven. */
enum { DRAWS = 5 };

static const sustain_batch *draw(const tested *t, sustain_level level, int number, sustain_batch *batch, int64_t *index) {
    if (number == 0) return NULL;
    const sustain__sampler sampler = {.problem = t->problem, .seed = 9};
    *batch = sustain__draw(&sampler, level, 1 + (uint32_t)level, number, number <= 2 ? 1 : 7, index);
    return batch;
}

/* ---- the oracles by number, so that tests can loop over them ---- */

enum { F_VALUE, F_GRAD_X, F_GRAD_Y, G_VALUE, G_GRAD_Y, G_GRAD_X, G_HESS_VEC, G_CROSS_VEC, ORACLES };

static sustain_level level_of(int which) {
    return which <= F_GRAD_Y ? SUSTAIN_UPPER : SUSTAIN_LOWER;
}

static int64_t size_of(const tested *t, int which) {
    if (which == F_VALUE || which == G_VALUE) return 1;
    return which == F_GRAD_X || which == G_GRAD_X || which == G_CROSS_VEC ? t->problem->upper_dim : t->problem->lower_dim;
}

/* The oracle's output, dense and in double. */
static void evaluate(tested *t, int which, const sustain_batch *batch, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                     double *out) {
    sustain_real result[DIM_MAX], other[DIM_MAX];
    sustain_status status = SUSTAIN_OK;
    switch (which) {
    case F_VALUE:
        status = sustain__f_value(&t->oracle, batch, x, y, out);
        break;
    case F_GRAD_X:
        status = sustain__f_grad(&t->oracle, batch, x, y, result, other);
        break;
    case F_GRAD_Y:
        status = sustain__f_grad(&t->oracle, batch, x, y, other, result);
        break;
    case G_VALUE:
        status = sustain__g_value(&t->oracle, batch, x, y, out);
        break;
    case G_GRAD_Y:
        status = sustain__g_grad_y(&t->oracle, batch, x, y, result);
        break;
    case G_GRAD_X:
        status = sustain__g_grad_x(&t->oracle, batch, x, y, result);
        break;
    case G_HESS_VEC:
        status = sustain__g_hess_vec(&t->oracle, batch, x, y, v, result);
        break;
    case G_CROSS_VEC:
        status = sustain__g_cross_vec(&t->oracle, batch, x, y, v, result);
        break;
    default:
        fail();
    }
    assert_int_equal(status, SUSTAIN_OK);
    if (which != F_VALUE && which != G_VALUE)
        for (int64_t i = 0; i < size_of(t, which); i++) out[i] = (double)result[i];
}

/* The derivative of an oracle along coordinate i of x (or of y), by a central difference. */
static void difference(tested *t, int which, const sustain_batch *batch, bool of_x, int64_t i, double *out) {
    sustain_real *z = of_x ? t->x : t->y;
    const sustain_real at = z[i], up = (sustain_real)((double)at + difference_step()),
                       down = (sustain_real)((double)at - difference_step());
    double above[DIM_MAX], below[DIM_MAX];
    z[i] = up;
    evaluate(t, which, batch, t->x, t->y, NULL, above);
    z[i] = down;
    evaluate(t, which, batch, t->x, t->y, NULL, below);
    z[i] = at;
    for (int64_t j = 0; j < size_of(t, which); j++) out[j] = (above[j] - below[j]) / ((double)up - (double)down);
}

/* ---- derivatives ---- */

static void check_gradient(tested *t, const char *what, int value, int gradient, const sustain_batch *batch, bool of_x) {
    double expected[DIM_MAX], got[DIM_MAX];
    sustain_real rounded[DIM_MAX];
    const int64_t n = size_of(t, gradient);
    for (int64_t i = 0; i < n; i++) difference(t, value, batch, of_x, i, &expected[i]);
    evaluate(t, gradient, batch, t->x, t->y, NULL, got);
    for (int64_t i = 0; i < n; i++) rounded[i] = (sustain_real)got[i];
    assert_near(what, n, expected, rounded, loose(), 1e-2);
}

static void check_second(tested *t, const sustain_batch *zeta) {
    const int64_t n = t->problem->lower_dim, m = t->problem->upper_dim;
    double column[DIM_MAX], product[DIM_MAX];
    sustain_real v[DIM_MAX] = {0}, exact[DIM_MAX];
    for (int64_t j = 0; j < n; j++) { /* every column of the Hessian */
        difference(t, G_GRAD_Y, zeta, false, j, column);
        v[j] = 1;
        assert_int_equal(sustain__g_hess_vec(&t->oracle, zeta, t->x, t->y, v, exact), SUSTAIN_OK);
        v[j] = 0;
        assert_near("g_hess_vec", n, column, exact, loose(), 1e-2);
    }
    for (int64_t j = 0; j < n; j++) { /* every column of the cross block, from grad_x g */
        difference(t, G_GRAD_X, zeta, false, j, column);
        v[j] = 1;
        assert_int_equal(sustain__g_cross_vec(&t->oracle, zeta, t->x, t->y, v, exact), SUSTAIN_OK);
        v[j] = 0;
        assert_near("g_cross_vec against grad_x g", m, column, exact, loose(), 1e-2);
    }
    random_vector(3, n, v); /* its rows, from grad_y g: adjoint */
    for (int64_t i = 0; i < m; i++) {
        difference(t, G_GRAD_Y, zeta, true, i, column);
        product[i] = 0;
        for (int64_t j = 0; j < n; j++) product[i] += column[j] * (double)v[j];
    }
    assert_int_equal(sustain__g_cross_vec(&t->oracle, zeta, t->x, t->y, v, exact), SUSTAIN_OK);
    assert_near("g_cross_vec against grad_y g", m, product, exact, loose(), 1e-2);
}

static void check_symmetric(tested *t, const sustain_batch *zeta) {
    const int64_t n = t->problem->lower_dim;
    sustain_real u[DIM_MAX], v[DIM_MAX], Hu[DIM_MAX], Hv[DIM_MAX];
    random_vector(4, n, u);
    random_vector(5, n, v);
    assert_int_equal(sustain__g_hess_vec(&t->oracle, zeta, t->x, t->y, u, Hu), SUSTAIN_OK);
    assert_int_equal(sustain__g_hess_vec(&t->oracle, zeta, t->x, t->y, v, Hv), SUSTAIN_OK);
    assert_close("symmetry of the Hessian", sustain__dot(n, u, Hv), sustain__dot(n, v, Hu), tight());
}

static void test_derivatives(void **state) {
    (void)state;
    for (int i = 0; i < CASES; i++)
        for (int number = 0; number < DRAWS; number++) {
            tested t;
            int64_t index[2][BATCH_MAX];
            sustain_batch room[2];
            start(i, &t);
            const sustain_batch *xi = draw(&t, SUSTAIN_UPPER, number, &room[0], index[0]);
            const sustain_batch *zeta = draw(&t, SUSTAIN_LOWER, number, &room[1], index[1]);
            check_gradient(&t, "grad_x f", F_VALUE, F_GRAD_X, xi, true);
            check_gradient(&t, "grad_y f", F_VALUE, F_GRAD_Y, xi, false);
            check_gradient(&t, "grad_x g", G_VALUE, G_GRAD_X, zeta, true);
            check_gradient(&t, "grad_y g", G_VALUE, G_GRAD_Y, zeta, false);
            check_second(&t, zeta);
            check_symmetric(&t, zeta);
            finish(&t);
        }
}

/* g_hess and g_cross against products with unit vectors, which is what the problem's table says
 * without them. */
static void test_matrices(void **state) {
    (void)state;
    for (int i = 0; i < QUADRATICS; i++)
        for (int number = 0; number < DRAWS; number++) {
            tested t;
            int64_t index[BATCH_MAX];
            sustain_batch room;
            start(i, &t);
            const int64_t m = t.problem->upper_dim, n = t.problem->lower_dim;
            const sustain_batch *zeta = draw(&t, SUSTAIN_LOWER, number, &room, index);
            sustain_real *matrix = calloc((size_t)(n * (m + n)), sizeof *matrix), column[DIM_MAX], v[DIM_MAX] = {0};
            assert_int_equal(sustain__g_hess(&t.oracle, zeta, t.x, t.y, matrix), SUSTAIN_OK);
            assert_int_equal(sustain__g_cross(&t.oracle, zeta, t.x, t.y, matrix + n * n), SUSTAIN_OK);
            for (int64_t j = 0; j < n; j++) {
                double expected[DIM_MAX];
                v[j] = 1;
                assert_int_equal(sustain__g_hess_vec(&t.oracle, zeta, t.x, t.y, v, column), SUSTAIN_OK);
                for (int64_t k = 0; k < n; k++) {
                    expected[k] = (double)matrix[k * n + j];
                    assert_true(matrix[k * n + j] == matrix[j * n + k]);
                }
                assert_near("g_hess", n, expected, column, tight(), 1);
                assert_int_equal(sustain__g_cross_vec(&t.oracle, zeta, t.x, t.y, v, column), SUSTAIN_OK);
                for (int64_t k = 0; k < m; k++) expected[k] = (double)matrix[n * n + k * n + j];
                assert_near("g_cross", m, expected, column, tight(), 1);
                v[j] = 0;
            }
            free(matrix);
            finish(&t);
        }
}

/* ---- purity ---- */

/* Calls an oracle of the table itself, with scratch and outputs full of garbage. */
static void call_raw(const tested *t, int which, const sustain_batch *batch, int garbage, unsigned char *out, size_t size) {
    const sustain_problem *p = t->problem;
    const size_t bytes = p->ops->workspace(p->self, BATCH_MAX);
    void *work = malloc(bytes), *other = malloc(size);
    sustain_real v[DIM_MAX], *result = (sustain_real *)(void *)out;
    double value;
    random_vector(6, p->lower_dim, v);
    memset(work, garbage, bytes);
    memset(out, 0, size);
    int code = -1;
    switch (which) {
    case F_VALUE:
        code = p->ops->f_value(p->self, batch, t->x, t->y, &value, work);
        break;
    case F_GRAD_X:
        code = p->ops->f_grad(p->self, batch, t->x, t->y, result, other, work);
        break;
    case F_GRAD_Y:
        code = p->ops->f_grad(p->self, batch, t->x, t->y, other, result, work);
        break;
    case G_VALUE:
        code = p->ops->g_value(p->self, batch, t->x, t->y, &value, work);
        break;
    case G_GRAD_Y:
        code = p->ops->g_grad_y(p->self, batch, t->x, t->y, result, work);
        break;
    case G_GRAD_X:
        code = p->ops->g_grad_x(p->self, batch, t->x, t->y, result, work);
        break;
    case G_HESS_VEC:
        code = p->ops->g_hess_vec(p->self, batch, t->x, t->y, v, result, work);
        break;
    case G_CROSS_VEC:
        code = p->ops->g_cross_vec(p->self, batch, t->x, t->y, v, result, work);
        break;
    default:
        break;
    }
    assert_int_equal(code, 0);
    if (which == F_VALUE || which == G_VALUE) memcpy(out, &value, sizeof value);
    free(work);
    free(other);
}

static void test_purity(void **state) {
    (void)state;
    for (int i = 0; i < CASES; i++)
        for (int number = 0; number < DRAWS; number++)
            for (int which = 0; which < ORACLES; which++) {
                tested t;
                int64_t index[BATCH_MAX];
                sustain_batch room;
                start(i, &t);
                const sustain_batch *batch = draw(&t, level_of(which), number, &room, index);
                double first[DIM_MAX], second[DIM_MAX];
                call_raw(&t, which, batch, 0x00, (unsigned char *)first, sizeof first);
                call_raw(&t, which, batch, 0xFF, (unsigned char *)second, sizeof second); /* all NaN */
                assert_memory_equal(first, second, sizeof first);
                if (batch != NULL) { /* when a draw was made does not matter */
                    room.iteration += 1000;
                    call_raw(&t, which, batch, 0x5A, (unsigned char *)second, sizeof second);
                    assert_memory_equal(first, second, sizeof first);
                }
                finish(&t);
            }
}

/* ---- means ---- */

static void test_whole_sum_is_expectation(void **state) {
    (void)state;
    for (int i = 0; i < CASES; i++)
        for (int which = 0; which < ORACLES; which++) {
            tested t;
            int64_t index[BATCH_MAX];
            start(i, &t);
            const int64_t count = t.problem->samples[level_of(which)], n = size_of(&t, which);
            for (int64_t j = 0; j < count; j++) index[j] = sustain_random_permuted(4, 1, 0, j, count);
            const sustain_batch all = {.size = count, .index = index};
            double expected[DIM_MAX], got[DIM_MAX];
            sustain_real v[DIM_MAX], rounded[DIM_MAX];
            random_vector(7, t.problem->lower_dim, v);
            evaluate(&t, which, NULL, t.x, t.y, v, expected);
            for (int64_t j = 0; j < n; j++) rounded[j] = (sustain_real)expected[j];
            if (count > 0) {
                evaluate(&t, which, &all, t.x, t.y, v, got);
                assert_near("the mean over all samples", n, got, rounded, tight(), 1e-2);
            }
            finish(&t);
        }
}

static void test_batch_is_mean_of_samples(void **state) {
    (void)state;
    for (int i = 0; i < CASES; i++)
        for (int which = 0; which < ORACLES; which++) {
            tested t;
            int64_t index[BATCH_MAX];
            sustain_batch room;
            start(i, &t);
            const int64_t n = size_of(&t, which);
            const sustain_batch *batch = draw(&t, level_of(which), 3, &room, index);
            if (batch->index != NULL) {
                double got[DIM_MAX], mean[DIM_MAX] = {0};
                sustain_real v[DIM_MAX], rounded[DIM_MAX];
                random_vector(8, t.problem->lower_dim, v);
                index[1] = index[0]; /* repeats are allowed */
                evaluate(&t, which, batch, t.x, t.y, v, got);
                for (int64_t s = 0; s < batch->size; s++) {
                    const sustain_batch single = {.size = 1, .index = index + s};
                    double one[DIM_MAX];
                    evaluate(&t, which, &single, t.x, t.y, v, one);
                    for (int64_t j = 0; j < n; j++) mean[j] += one[j] / (double)batch->size;
                }
                for (int64_t j = 0; j < n; j++) rounded[j] = (sustain_real)mean[j];
                assert_near("a batch", n, got, rounded, tight(), 1e-2);
            }
            finish(&t);
        }
}

/* A stream's draws differ from one another and their mean is the expected value; a batch of 64 has
 * 1/64 of the variance of one. */
static void test_stream_noise(void **state) {
    (void)state;
    tested t;
    start(0, &t);
    enum { N = 4000 };
    const int64_t n = t.problem->lower_dim;
    double expected[DIM_MAX], got[DIM_MAX], variance[2] = {0, 0}, mean[DIM_MAX] = {0};
    evaluate(&t, G_GRAD_Y, NULL, t.x, t.y, NULL, expected);
    for (int size = 0; size < 2; size++)
        for (int64_t key = 0; key < N; key++) {
            const sustain_batch batch = {.size = size == 0 ? 1 : 64, .key = sustain_random_bits(1, 2, (uint64_t)key, 0)};
            evaluate(&t, G_GRAD_Y, &batch, t.x, t.y, NULL, got);
            for (int64_t j = 0; j < n; j++) {
                variance[size] += (got[j] - expected[j]) * (got[j] - expected[j]) / N;
                if (size == 0) mean[j] += (got[j] - expected[j]) / N;
            }
        }
    assert_true(variance[0] > 0.1);
    assert_true(norm_of(n, mean) < 4 * sqrt(variance[0] / N));
    assert_true(fabs(variance[1] * 64 / variance[0] - 1) < 0.15);
    finish(&t);
}

/* ---- the constants of the quadratic problem ---- */

/* Eigenvalues of a symmetric matrix (n, n), by Jacobi's rotations. */
static void eigenvalues(int64_t n, double *a, double *least, double *most) {
    for (int sweep = 0; sweep < 30; sweep++)
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                if (a[p * n + q] == 0) continue;
                const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
                const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
                for (int64_t k = 0; k < n; k++) {
                    const double kp = a[k * n + p], kq = a[k * n + q];
                    a[k * n + p] = c * kp - s * kq, a[k * n + q] = s * kp + c * kq;
                }
                for (int64_t k = 0; k < n; k++) {
                    const double pk = a[p * n + k], qk = a[q * n + k];
                    a[p * n + k] = c * pk - s * qk, a[q * n + k] = s * pk + c * qk;
                }
            }
    *least = INFINITY, *most = -INFINITY;
    for (int64_t i = 0; i < n; i++) *least = fmin(*least, a[i * n + i]), *most = fmax(*most, a[i * n + i]);
}

/* The extreme eigenvalues of a draw's Hessian, and the norm of its cross block. */
static void spectrum(tested *t, const sustain_batch *zeta, double *least, double *most, double *cross) {
    const int64_t m = t->problem->upper_dim, n = t->problem->lower_dim;
    sustain_real matrix[DIM_MAX * DIM_MAX];
    double a[DIM_MAX * DIM_MAX], ignored;
    assert_int_equal(sustain__g_hess(&t->oracle, zeta, t->x, t->y, matrix), SUSTAIN_OK);
    for (int64_t i = 0; i < n * n; i++) a[i] = (double)matrix[i];
    eigenvalues(n, a, least, most);
    assert_int_equal(sustain__g_cross(&t->oracle, zeta, t->x, t->y, matrix), SUSTAIN_OK);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            a[i * n + j] = 0;
            for (int64_t k = 0; k < m; k++) a[i * n + j] += (double)matrix[k * n + i] * (double)matrix[k * n + j];
        }
    eigenvalues(n, a, &ignored, cross);
    *cross = sqrt(fmax(0, *cross));
}

static void test_draws_keep_bounds(void **state) {
    (void)state;
    for (int i = 0; i < QUADRATICS; i++) {
        tested t;
        start(i, &t);
        const sustain_constants *known = t.problem->known;
        const sustain__sampler sampler = {.problem = t.problem, .seed = 3};
        double low = INFINITY, high = 0, widest = 0;
        for (int64_t number = 0; number < 300; number++) {
            int64_t index[1];
            const sustain_batch zeta = sustain__draw(&sampler, SUSTAIN_LOWER, 1, number, 1, index);
            double least, most, cross;
            spectrum(&t, &zeta, &least, &most, &cross);
            assert_true(least >= known->mu_g * (1 - tight()) && most <= known->L_g * (1 + tight()));
            assert_true(cross <= known->C_gxy * (1 + tight()));
            low = fmin(low, least), high = fmax(high, most), widest = fmax(widest, cross);

            /* |grad_y f|, also far out */
            sustain_real fx[DIM_MAX], fy[DIM_MAX], far[DIM_MAX];
            const sustain_batch xi = sustain__draw(&sampler, SUSTAIN_UPPER, 2, number, 1, index);
            for (int64_t j = 0; j < t.problem->lower_dim; j++) far[j] = 1000 * t.y[j];
            assert_int_equal(sustain__f_grad(&t.oracle, &xi, t.x, far, fx, fy), SUSTAIN_OK);
            assert_true(sustain__norm(t.problem->lower_dim, fy) <= known->C_fy * (1 + tight()));
        }
        if (t.problem->samples[1] != 0 || t.problem->lower_dim < 2) {
            finish(&t);
            continue;
        }
        assert_true(low < known->mu_g * 1.1 && high > known->L_g * 0.9 && widest > known->C_gxy * 0.95); /* and they are reached */
        finish(&t);
    }
}

/* grad_y g of every draw changes by at most L_g (|dx| + |dy|), as Assumption 2(ii) is used; grad f
 * by L_fx |dx| and L_fy |dy|. */
static void test_lipschitz(void **state) {
    (void)state;
    for (int i = 0; i < QUADRATICS; i++) {
        tested t;
        start(i, &t);
        const sustain_constants *known = t.problem->known;
        const int64_t m = t.problem->upper_dim, n = t.problem->lower_dim;
        const sustain__sampler sampler = {.problem = t.problem, .seed = 3};
        for (int64_t number = 0; number < 200; number++) {
            int64_t index[1];
            sustain_real x[DIM_MAX], y[DIM_MAX], here[DIM_MAX], there[DIM_MAX], fx[2][DIM_MAX];
            const sustain_batch zeta = sustain__draw(&sampler, SUSTAIN_LOWER, 1, number, 1, index);
            const double size = number % 2 == 0 ? 0.1 : 10;
            for (int64_t j = 0; j < m; j++) x[j] = t.x[j] + (sustain_real)(size * normal(30, number * m + j));
            for (int64_t j = 0; j < n; j++) y[j] = t.y[j] + (sustain_real)(size * normal(31, number * n + j));
            const double dx = sustain__distance(m, t.x, x), dy = sustain__distance(n, t.y, y);
            assert_int_equal(sustain__g_grad_y(&t.oracle, &zeta, t.x, t.y, here), SUSTAIN_OK);
            assert_int_equal(sustain__g_grad_y(&t.oracle, &zeta, x, y, there), SUSTAIN_OK);
            assert_true(sustain__distance(n, here, there) <= known->L_g * (dx + dy) * (1 + tight()));
            const sustain_batch xi = sustain__draw(&sampler, SUSTAIN_UPPER, 2, number, 1, index);
            assert_int_equal(sustain__f_grad(&t.oracle, &xi, t.x, t.y, fx[0], here), SUSTAIN_OK);
            assert_int_equal(sustain__f_grad(&t.oracle, &xi, x, y, fx[1], there), SUSTAIN_OK);
            assert_true(sustain__distance(m, fx[0], fx[1]) <= known->L_fx * dx * (1 + 10 * tight()));
            assert_true(sustain__distance(n, here, there) <= known->L_fy * dy * (1 + 10 * tight()) + 1e-6);
        }
        finish(&t);
    }
}

/* r: without cosines grad_x f = curvature (x - r), with curvature 1. */
static void find_r(tested *t, double *r) {
    sustain_real zero[DIM_MAX] = {0}, fx[DIM_MAX], fy[DIM_MAX];
    assert_int_equal(sustain__f_grad(&t->oracle, NULL, zero, zero, fx, fy), SUSTAIN_OK);
    for (int64_t i = 0; i < t->problem->upper_dim; i++) r[i] = -(double)fx[i];
}

/* The mean of |grad_y g(zeta) - grad_y g|^2: over all samples of a finite sum, over N draws of a
 * stream. */
static double variance_at(tested *t, const sustain_real *x, const sustain_real *y, int64_t N) {
    const int64_t n = t->problem->lower_dim, count = t->problem->samples[1] > 0 ? t->problem->samples[1] : N;
    sustain_real mean[DIM_MAX], one[DIM_MAX];
    double sum = 0;
    assert_int_equal(sustain__g_grad_y(&t->oracle, NULL, x, y, mean), SUSTAIN_OK);
    for (int64_t i = 0; i < count; i++) {
        const sustain_batch zeta = {
            .size = 1, .index = t->problem->samples[1] > 0 ? &i : NULL, .key = sustain_random_bits(8, 8, (uint64_t)i, 0)};
        assert_int_equal(sustain__g_grad_y(&t->oracle, &zeta, x, y, one), SUSTAIN_OK);
        const double away = sustain__distance(n, mean, one);
        sum += away * away / (double)count;
    }
    return sum;
}

/* The point at the edge where the noise is largest: along the leading eigenvector of H and the
 * leading singular vector of M'. */
static void worst_point(tested *t, const double *r, const double *y_tilde, double radius, sustain_real *x, sustain_real *y) {
    const int64_t m = t->problem->upper_dim, n = t->problem->lower_dim;
    sustain_real v[DIM_MAX], next[DIM_MAX], matrix[DIM_MAX * DIM_MAX];
    random_vector(9, n, v);
    for (int k = 0; k < 3000; k++) {
        assert_int_equal(sustain__g_hess_vec(&t->oracle, NULL, t->x, t->y, v, next), SUSTAIN_OK);
        const double size = sustain__norm(n, next);
        for (int64_t j = 0; j < n; j++) v[j] = (sustain_real)((double)next[j] / size);
    }
    for (int64_t j = 0; j < n; j++) y[j] = (sustain_real)(y_tilde[j] + radius * (double)v[j]);
    assert_int_equal(sustain__g_cross(&t->oracle, NULL, t->x, t->y, matrix), SUSTAIN_OK);
    random_vector(9, m, v);
    for (int k = 0; k < 3000; k++) {
        sustain__zero(n, next);
        for (int64_t i = 0; i < m; i++) sustain__add(n, (double)v[i], matrix + i * n, next);
        for (int64_t i = 0; i < m; i++) v[i] = (sustain_real)sustain__dot(n, matrix + i * n, next);
        sustain__scale(m, 1 / sustain__norm(m, v), v);
    }
    for (int64_t i = 0; i < m; i++) x[i] = (sustain_real)(r[i] + radius * (double)v[i]);
}

static void test_variance_within_sigma(void **state) {
    (void)state;
    enum { N = 20000 };
    for (int64_t samples = 0; samples <= 20; samples += 10) {
        tested t;
        start(0, &t);
        sustain__oracle_destroy(&t.oracle);
        sustain_quadratic_destroy(t.problem);
        sustain_quadratic_options o = noisy(5, 7, samples, SUSTAIN_PHI_SQRT);
        o.radius = 3;
        t.problem = new_quadratic(t.context, o);
        assert_int_equal(sustain__oracle_create(t.context, t.problem, 1, false, &t.oracle), SUSTAIN_OK);
        const double bound = t.problem->known->sigma_g * t.problem->known->sigma_g, slack = samples > 0 ? 1 + 1e-4 : 1 + 5 / sqrt(N);
        double r[DIM_MAX], y_tilde[DIM_MAX], most = 0;
        sustain_real x[DIM_MAX], y[DIM_MAX];
        find_r(&t, r);
        sustain_quadratic_lower(t.problem, r, y_tilde);
        for (uint32_t point = 0; point < 20; point++) { /* on the edge and inside */
            double u[DIM_MAX], v[DIM_MAX];
            for (int64_t i = 0; i < 5; i++) u[i] = normal(40 + point, i);
            for (int64_t i = 0; i < 7; i++) v[i] = normal(70 + point, i);
            const double radius = o.radius * (point % 2 == 0 ? 1 : 0.5);
            for (int64_t i = 0; i < 5; i++) x[i] = (sustain_real)(r[i] + radius * u[i] / norm_of(5, u));
            for (int64_t i = 0; i < 7; i++) y[i] = (sustain_real)(y_tilde[i] + radius * v[i] / norm_of(7, v));
            assert_true(variance_at(&t, x, y, N / 10) <= bound * (samples > 0 ? slack : 1.2));
        }
        worst_point(&t, r, y_tilde, o.radius, x, y);
        most = variance_at(&t, x, y, N);
        assert_true(most <= bound * slack);
        if (samples == 0) assert_true(most >= bound / slack); /* the bound is reached, not just safe */
        finish(&t);
    }
}

/* sigma_fy and sigma_gxy, over all samples of a finite sum and many of a stream. */
static void test_other_sigmas(void **state) {
    (void)state;
    for (int64_t samples = 0; samples <= 20; samples += 10)
        for (int phi = SUSTAIN_PHI_LINEAR; phi <= SUSTAIN_PHI_SQRT; phi++) {
            const int64_t m = 5, n = 7, count = samples > 0 ? samples : 20000;
            sustain_context *context = new_context();
            tested t = {
                .context = context, .problem = new_quadratic(context, noisy(m, n, samples, phi)), .destroy = sustain_quadratic_destroy};
            assert_int_equal(sustain__oracle_create(context, t.problem, 1, false, &t.oracle), SUSTAIN_OK);
            sustain_real x[DIM_MAX] = {0}, y[DIM_MAX], fx[DIM_MAX], fy[2][DIM_MAX];
            double fy2 = 0, gxy2 = 0, ignored, cross[2];
            for (int64_t j = 0; j < n; j++) y[j] = 1000;
            assert_int_equal(sustain__f_grad(&t.oracle, NULL, x, y, fx, fy[0]), SUSTAIN_OK);
            spectrum(&t, NULL, &ignored, &ignored, &cross[0]);
            for (int64_t i = 0; i < count; i++) {
                const sustain_batch draw_i = {
                    .size = 1, .index = samples > 0 ? &i : NULL, .key = sustain_random_bits(8, 9, (uint64_t)i, 0)};
                assert_int_equal(sustain__f_grad(&t.oracle, &draw_i, x, y, fx, fy[1]), SUSTAIN_OK);
                const double away = sustain__distance(n, fy[0], fy[1]);
                fy2 += away * away / (double)count;
                if (i >= 500) continue;
                spectrum(&t, &draw_i, &ignored, &ignored, &cross[1]); /* M_zeta is a multiple of M */
                gxy2 += (cross[1] - cross[0]) * (cross[1] - cross[0]) / (double)(count < 500 ? count : 500);
            }
            const double slack = samples > 0 ? 1 + 1e-4 : 1.03;
            const double sigma_fy2 = pow(t.problem->known->sigma_fy, 2), sigma_gxy2 = pow(t.problem->known->sigma_gxy, 2);
            assert_true(fy2 <= sigma_fy2 * slack && fy2 >= sigma_fy2 / slack);
            assert_true(gxy2 <= sigma_gxy2 * (samples > 0 ? slack : 1.3) && gxy2 >= sigma_gxy2 / (samples > 0 ? slack : 1.3));
            finish(&t);
        }
}

/* ---- closed forms ---- */

static void test_closed_forms(void **state) {
    (void)state;
    for (int i = 0; i < QUADRATICS; i++) {
        tested t;
        start(i, &t);
        const int64_t m = t.problem->upper_dim, n = t.problem->lower_dim;
        double x[DIM_MAX], y[DIM_MAX], gradient[DIM_MAX], H[DIM_MAX * DIM_MAX], u[DIM_MAX], value;
        sustain_real yr[DIM_MAX], gy[DIM_MAX], fx[DIM_MAX], fy[DIM_MAX], matrix[DIM_MAX * DIM_MAX];
        for (int64_t j = 0; j < m; j++) x[j] = (double)t.x[j];
        sustain_quadratic_lower(t.problem, x, y);
        for (int64_t j = 0; j < n; j++) yr[j] = (sustain_real)y[j];
        assert_int_equal(sustain__g_grad_y(&t.oracle, NULL, t.x, yr, gy), SUSTAIN_OK);
        assert_true(sustain__norm(n, gy) < tight());

        /* ell against f at y*, its gradient against (5) from the oracles, and against
         * differences */
        const double ell = sustain_quadratic_value(t.problem, x, gradient);
        assert_int_equal(sustain__f_value(&t.oracle, NULL, t.x, yr, &value), SUSTAIN_OK);
        assert_close("ell", value, ell, tight());
        assert_int_equal(sustain__f_grad(&t.oracle, NULL, t.x, yr, fx, fy), SUSTAIN_OK);
        assert_int_equal(sustain__g_hess(&t.oracle, NULL, t.x, yr, matrix), SUSTAIN_OK);
        for (int64_t j = 0; j < n * n; j++) H[j] = (double)matrix[j];
        for (int64_t j = 0; j < n; j++) u[j] = (double)fy[j];
        assert_true(sustain__cholesky(n, H));
        sustain__cholesky_solve(n, H, u);
        assert_int_equal(sustain__g_cross(&t.oracle, NULL, t.x, yr, matrix), SUSTAIN_OK);
        for (int64_t k = 0; k < m; k++) {
            double expected = (double)fx[k];
            for (int64_t j = 0; j < n; j++) expected -= (double)matrix[k * n + j] * u[j];
            assert_close("grad ell by (5)", gradient[k], expected, tight());
            const double at = x[k];
            x[k] = at + 1e-5;
            const double above = sustain_quadratic_value(t.problem, x, NULL);
            x[k] = at - 1e-5;
            const double below = sustain_quadratic_value(t.problem, x, NULL);
            x[k] = at;
            assert_close("grad ell by differences", gradient[k], (above - below) / 2e-5, 1e-6);
        }
        finish(&t);
    }
}

static void test_minimum(void **state) {
    (void)state;
    static const double waves[] = {0, 0.5, 1, 1.001};
    for (int phi = SUSTAIN_PHI_LINEAR; phi <= SUSTAIN_PHI_SQUARE; phi++)
        for (int w = 0; w < 4; w++)
            for (int shape = 0; shape < 3; shape++) {
                sustain_context *context = new_context();
                sustain_quadratic_options o = noisy(shape == 0 ? 1 : 9, shape == 2 ? 40 : 5, 0, phi);
                o.wave = waves[w];
                o.C_fy = 20;
                sustain_problem *problem = new_quadratic(context, o);
                double x[DIM_MAX], gradient[DIM_MAX];
                const double minimum = sustain_quadratic_minimum(problem, x);
                assert_true(sustain_quadratic_minimum(problem, NULL) == minimum || isnan(minimum));
                if (o.wave > o.curvature) {
                    assert_true(isnan(minimum) && isnan(x[0]) && isnan(problem->known->gap) && isnan(problem->known->mu_f));
                } else {
                    assert_close("ell at its minimum", sustain_quadratic_value(problem, x, gradient), minimum, 1e-15);
                    assert_true(norm_of(o.upper_dim, gradient) < 1e-12);
                    for (int64_t trial = 0; trial < 100; trial++) {
                        double z[DIM_MAX], away = 0, slope[DIM_MAX];
                        for (int64_t i = 0; i < o.upper_dim; i++) {
                            const double move = (trial % 3 == 0 ? 5 : 0.1) * normal(50, trial * 9 + i);
                            z[i] = x[i] + move;
                            away += move * move;
                        }
                        const double gap = sustain_quadratic_value(problem, z, slope) - minimum;
                        assert_true(gap >= problem->known->mu_f / 2 * away * (1 - 1e-9)); /* strongly convex as claimed */
                    }
                }
                sustain_quadratic_destroy(problem);
                sustain_context_destroy(context);
            }
}

/* A badly scaled problem: where rounding hides the minimum, it is not known rather than wrong. */
static void test_hard_minimum(void **state) {
    (void)state;
    for (int phi = SUSTAIN_PHI_LINEAR; phi <= SUSTAIN_PHI_SQUARE; phi++)
        for (int power = 0; power <= 5; power++) {
            sustain_context *context = new_context();
            sustain_quadratic_options o = sustain_quadratic_defaults();
            o.phi = phi;
            o.mu_g = o.curvature = pow(10, -power);
            o.L_g = o.C_gxy = o.C_fy = pow(10, power) * 4;
            sustain_problem *problem = new_quadratic(context, o);
            double x[DIM_MAX];
            const double minimum = sustain_quadratic_minimum(problem, x);
            assert_true(isnan(minimum) == isnan(problem->known->gap));
            if (power <= 1) assert_true(!isnan(minimum));
            for (int64_t trial = 0; trial < 50 && !isnan(minimum); trial++) {
                double z[DIM_MAX];
                for (int64_t i = 0; i < 10; i++) z[i] = x[i] + (trial % 2 == 0 ? 1e-3 : 1) * normal(51, trial * 10 + i);
                assert_true(sustain_quadratic_value(problem, z, NULL) >= minimum - 1e-10 * fmax(1, fabs(minimum)));
            }
            sustain_quadratic_destroy(problem);
            sustain_context_destroy(context);
        }
}

static void test_start_and_known(void **state) {
    (void)state;
    sustain_context *context = new_context();
    sustain_quadratic_options o = noisy(8, 6, 0, SUSTAIN_PHI_SQRT);
    o.start = 2.5;
    sustain_problem *problem = new_quadratic(context, o);
    tested t = {.context = context, .problem = problem, .destroy = sustain_quadratic_destroy};
    assert_int_equal(sustain__oracle_create(context, problem, 1, false, &t.oracle), SUSTAIN_OK);
    double r[DIM_MAX], x[DIM_MAX], y[DIM_MAX], away = 0;
    assert_int_equal(problem->ops->initial(problem->self, t.x, t.y), 0);
    find_r(&t, r);
    for (int64_t i = 0; i < 8; i++) x[i] = (double)t.x[i], away += (x[i] - r[i]) * (x[i] - r[i]);
    assert_close("|x_0 - r|", sqrt(away), 2.5, tight());
    for (int64_t j = 0; j < 6; j++) assert_true(t.y[j] == 0);
    sustain_quadratic_lower(problem, x, y);
    const sustain_constants *known = problem->known;
    assert_close("distance", known->distance, norm_of(6, y), 1e-14);
    assert_close("gap", known->gap, sustain_quadratic_value(problem, x, NULL) - sustain_quadratic_minimum(problem, NULL), 1e-14);
    assert_true(known->gap > 0);
    assert_true(known->mu_g == o.mu_g && known->L_g == o.L_g && known->C_gxy == o.C_gxy && known->C_fy == o.C_fy);
    assert_true(known->L_gxy == 0 && known->L_gyy == 0 && known->mu_f == 1 && known->sigma_fx == 0 && isnan(known->sigma_f));

    /* the same seed makes the same problem, another seed another one */
    sustain_problem *same = new_quadratic(context, o), *other;
    sustain_real x_same[DIM_MAX], x_other[DIM_MAX], y_any[DIM_MAX];
    o.seed++;
    other = new_quadratic(context, o);
    same->ops->initial(same->self, x_same, y_any);
    other->ops->initial(other->self, x_other, y_any);
    assert_memory_equal(x_same, t.x, 8 * sizeof *x_same);
    assert_memory_not_equal(x_other, t.x, 8 * sizeof *x_other);
    sustain_quadratic_destroy(same);
    sustain_quadratic_destroy(other);

    /* without a bound of grad_y f the constant says so */
    o.phi = SUSTAIN_PHI_SQUARE;
    other = new_quadratic(context, o);
    assert_true(isinf(other->known->C_fy) && isinf(other->known->sigma_fy));
    sustain_quadratic_destroy(other);
    finish(&t);
}

/* ---- hyper-cleaning against a dense computation in double, written from eq. (3) ---- */

typedef struct brute {
    double value, gy[DIM_MAX], gx[DIM_MAX], hess[DIM_MAX], cross[DIM_MAX];
} brute;

/* Where the weight of feature j for class k is in y: (classes, dim), then the biases. */
static int place_of(int j, int k) {
    return j < DIM ? k * DIM + j : CLASSES * DIM + k;
}

/* One training (set 0) or trusted (set 1) row i, added with the given weight. */
static void brute_row(int set, int64_t i, double weight, double weight_slope, const sustain_real *y, const sustain_real *v, brute *b) {
    const int64_t place = set == 0 ? i % STORED : i;
    double score[CLASSES], product[CLASSES], a[DIM + 1], sum = 0;
    for (int j = 0; j < DIM; j++) a[j] = (double)features[set][place * DIM + j];
    a[DIM] = 1;
    for (int k = 0; k < CLASSES; k++) {
        score[k] = product[k] = 0;
        for (int j = 0; j <= DIM; j++) {
            score[k] += a[j] * (double)y[place_of(j, k)];
            product[k] += a[j] * (double)v[place_of(j, k)];
        }
        sum += exp(score[k]);
    }
    const int label = labels[set][place];
    const double loss = -log(exp(score[label]) / sum);
    b->value += weight * loss;
    b->gx[i] += weight_slope * loss;
    for (int k = 0; k < CLASSES; k++) {
        const double p = exp(score[k]) / sum, residual = p - (k == label);
        b->cross[i] += weight_slope * residual * product[k];
        for (int j = 0; j <= DIM; j++) {
            b->gy[place_of(j, k)] += weight * a[j] * residual;
            for (int l = 0; l < CLASSES; l++) /* d^2 L / ds_k ds_l = p_k (delta_kl - p_l) */
                b->hess[place_of(j, k)] += weight * a[j] * p * ((k == l) - exp(score[l]) / sum) * product[l];
        }
    }
}

/* With groups the derivatives in x are sums over the rows of each. */
static void add_by_group(double *of_rows) {
    double sum[GROUPS] = {0};
    for (int i = 0; i < ROWS; i++) sum[row_groups[i]] += of_rows[i];
    for (int g = 0; g < GROUPS; g++) of_rows[g] = sum[g];
}

static void check_by_brute_force(int which) {
    tested t;
    start(which, &t);
    const bool grouped = which == GROUPED;
    const int64_t width = t.problem->upper_dim;
    const int64_t n = t.problem->lower_dim;
    sustain_real v[DIM_MAX];
    random_vector(10, n, v);
    for (int number = 0; number < DRAWS; number++) {
        int64_t index[BATCH_MAX];
        sustain_batch room;
        brute lower = {0}, upper = {0};
        sustain_real out[DIM_MAX];
        double value;

        const sustain_batch *zeta = draw(&t, SUSTAIN_LOWER, number, &room, index);
        const int64_t size = zeta != NULL ? zeta->size : ROWS;
        if (size == 7) index[3] = index[5]; /* a coordinate listed twice counts as the sum */
        for (int64_t s = 0; s < size; s++) {
            const int64_t i = zeta != NULL ? index[s] : s;
            const double sigma = 1 / (1 + exp(-(double)t.x[grouped ? row_groups[i] : i]));
            brute_row(0, i, sigma / (double)size, sigma * (1 - sigma) / (double)size, t.y, v, &lower);
        }
        for (int64_t j = 0; j < n; j++) {
            lower.value += 0.05 * (double)t.y[j] * (double)t.y[j];
            lower.gy[j] += 0.1 * (double)t.y[j];
            lower.hess[j] += 0.1 * (double)v[j];
        }
        if (grouped) add_by_group(lower.gx), add_by_group(lower.cross);
        assert_int_equal(sustain__g_value(&t.oracle, zeta, t.x, t.y, &value), SUSTAIN_OK);
        assert_close("g", value, lower.value, 1e-12);
        assert_int_equal(sustain__g_grad_y(&t.oracle, zeta, t.x, t.y, out), SUSTAIN_OK);
        assert_near("grad_y g", n, lower.gy, out, tight(), 1e-2);
        assert_int_equal(sustain__g_grad_x(&t.oracle, zeta, t.x, t.y, out), SUSTAIN_OK);
        assert_near("grad_x g", width, lower.gx, out, tight(), 1e-2);
        assert_int_equal(sustain__g_hess_vec(&t.oracle, zeta, t.x, t.y, v, out), SUSTAIN_OK);
        assert_near("Hessian product", n, lower.hess, out, tight(), 1e-2);
        assert_int_equal(sustain__g_cross_vec(&t.oracle, zeta, t.x, t.y, v, out), SUSTAIN_OK);
        assert_near("cross product", width, lower.cross, out, tight(), 1e-2);

        const sustain_batch *xi = draw(&t, SUSTAIN_UPPER, number, &room, index);
        const int64_t trusted = xi != NULL ? xi->size : TRUSTED;
        sustain_real fx[DIM_MAX];
        for (int64_t s = 0; s < trusted; s++) brute_row(1, xi != NULL ? index[s] : s, 1 / (double)trusted, 0, t.y, v, &upper);
        assert_int_equal(sustain__f_value(&t.oracle, xi, t.x, t.y, &value), SUSTAIN_OK);
        assert_close("f", value, upper.value, 1e-12);
        assert_int_equal(sustain__f_grad(&t.oracle, xi, t.x, t.y, fx, out), SUSTAIN_OK);
        assert_near("grad_y f", n, upper.gy, out, tight(), 1e-2);
        for (int i = 0; i < width; i++) assert_true(fx[i] == 0);
    }
    finish(&t);
}

static void test_hyperclean_brute_force(void **state) {
    (void)state;
    check_by_brute_force(HYPERCLEAN);
    check_by_brute_force(GROUPED);
}

static void test_hyperclean_groups_refused(void **state) {
    (void)state;
    static const int32_t outside[ROWS] = {0, 1, 2};
    const sustain_rows rows = {.count = ROWS, .dim = DIM, .values = features[0], .labels = labels[0]};
    sustain_hyperclean_options options = {.size = sizeof options, .classes = CLASSES, .c = 0.05, .groups = 2, .group = outside};
    sustain_context *context = new_context();
    sustain_problem *problem;
    assert_int_equal(sustain_hyperclean_create(context, &options, &rows, &rows, &problem), SUSTAIN_ARGUMENT);
    assert_non_null(strstr(sustain_error(context), "the group of training row 2 is 2, not one of 0 to 1"));
    options.group = NULL;
    assert_int_equal(sustain_hyperclean_create(context, &options, &rows, &rows, &problem), SUSTAIN_ARGUMENT);
    assert_null(problem);
    sustain_context_destroy(context);
}

/* What the table promises about support: the list, the compact form, and no entry at the upper
 * level. */
static void test_hyperclean_support(void **state) {
    (void)state;
    tested t;
    start(HYPERCLEAN, &t);
    const sustain_problem *p = t.problem;
    const int64_t index[4] = {11, 3, 3, 0};
    const sustain_batch batch = {.size = 4, .index = index};
    int64_t coordinate[4];
    assert_int_equal(p->ops->fast->support_per_sample[SUSTAIN_UPPER], 0);
    assert_int_equal(p->ops->fast->support_per_sample[SUSTAIN_LOWER], 1);
    assert_int_equal(p->ops->fast->support(p->self, SUSTAIN_UPPER, &batch, NULL), 0);
    assert_int_equal(p->ops->fast->support(p->self, SUSTAIN_LOWER, &batch, coordinate), 4);
    assert_memory_equal(coordinate, index, sizeof index);

    /* x is read only there: the rest may be anything */
    void *work = t.oracle.work;
    sustain_real compact[4], again[4], fy[DIM_MAX];
    assert_true(p->ops->workspace(p->self, 4) <= p->ops->workspace(p->self, BATCH_MAX));
    assert_int_equal(p->ops->g_cross_vec(p->self, &batch, t.x, t.y, t.y, compact, work), 0);
    for (int i = 0; i < ROWS; i++)
        if (i != 11 && i != 3 && i != 0) t.x[i] = (sustain_real)NAN;
    assert_int_equal(p->ops->g_cross_vec(p->self, &batch, t.x, t.y, t.y, again, work), 0);
    assert_memory_equal(compact, again, sizeof compact);
    assert_true(compact[1] == compact[2]);
    assert_int_equal(p->ops->f_grad(p->self, &batch, NULL, t.y, NULL, fy, work), 0); /* reads no x, writes no fx */
    assert_int_equal(p->ops->f_grad(p->self, NULL, NULL, t.y, NULL, fy, work), 0);
    finish(&t);
}

/* No overflow where scores or weights are extreme. */
static void test_hyperclean_extremes(void **state) {
    (void)state;
    tested t;
    start(HYPERCLEAN, &t);
    const int64_t n = t.problem->lower_dim;
    sustain_real out[DIM_MAX];
    double value;
    for (int64_t j = 0; j < n; j++) t.y[j] *= 5000;
    for (int64_t i = 0; i < ROWS; i++) t.x[i] = i % 2 == 0 ? 2000 : -2000;
    assert_int_equal(sustain__g_value(&t.oracle, NULL, t.x, t.y, &value), SUSTAIN_OK);
    assert_true(isfinite(value));
    for (int which = 0; which < ORACLES; which++) {
        double got[DIM_MAX];
        evaluate(&t, which, NULL, t.x, t.y, t.y, got);
        for (int64_t j = 0; j < size_of(&t, which); j++) assert_true(isfinite(got[j]));
    }
    sustain__zero(n, t.y); /* at 0 the loss is log(classes) */
    assert_int_equal(sustain__f_value(&t.oracle, NULL, t.x, t.y, &value), SUSTAIN_OK);
    assert_close("log 3", value, log(CLASSES), 1e-15);
    assert_int_equal(t.problem->ops->initial(t.problem->self, out, t.y), 0);
    for (int64_t i = 0; i < ROWS; i++) assert_true(out[i] == 0);
    finish(&t);
}

/* mu_g <= H <= L_g, |M| <= C_gxy, |grad_y f| <= C_fy for single samples at many points. */
static void test_hyperclean_bounds(void **state) {
    (void)state;
    tested t;
    start(HYPERCLEAN, &t);
    const sustain_constants *known = t.problem->known;
    assert_close("mu_g", known->mu_g, 0.1, 1e-15);
    for (int64_t trial = 0; trial < 400; trial++) {
        const int64_t i = trial % ROWS, u = trial % TRUSTED;
        const sustain_batch zeta = {.size = 1, .index = &i}, xi = {.size = 1, .index = &u};
        const double size = trial % 2 == 0 ? 0.1 : 3;
        sustain_real fx[DIM_MAX], fy[DIM_MAX];
        double least, most, cross;
        for (int64_t j = 0; j < t.problem->lower_dim; j++) t.y[j] = (sustain_real)(size * normal(60, trial * 15 + j));
        for (int64_t j = 0; j < ROWS; j++) t.x[j] = (sustain_real)(size * normal(61, trial * 15 + j));
        spectrum(&t, &zeta, &least, &most, &cross);
        assert_true(least >= known->mu_g - tight() && most <= known->L_g * (1 + tight()) && cross <= known->C_gxy * (1 + tight()));
        assert_int_equal(sustain__f_grad(&t.oracle, &xi, t.x, t.y, fx, fy), SUSTAIN_OK);
        assert_true(sustain__norm(t.problem->lower_dim, fy) <= known->C_fy * (1 + tight()));
    }
    finish(&t);
}

/* ---- refusals ---- */

static void refused(sustain_quadratic_options o, const char *sentence) {
    sustain_context *context = new_context();
    sustain_problem *problem = (sustain_problem *)(void *)context; /* not NULL */
    assert_int_equal(sustain_quadratic_create(context, &o, &problem), SUSTAIN_PARAMETER);
    assert_null(problem);
    assert_string_equal(sustain_error(context), sentence);
    sustain_context_destroy(context);
}

static void test_quadratic_refusals(void **state) {
    (void)state;
    sustain_quadratic_options o = sustain_quadratic_defaults();
    o.lower_dim = 0;
    refused(o, "lower_dim = 0 is not a whole number from 1 to 1000");
    o = sustain_quadratic_defaults(), o.noise_f = NAN;
    refused(o, "noise_f = nan is not a number from 0 to 0.999");
    o = sustain_quadratic_defaults(), o.noise_cross = 1;
    refused(o, "noise_cross = 1 is not a number from 0 to 0.999");
    o = sustain_quadratic_defaults(), o.wave = -1;
    refused(o, "wave = -1 is not a number from 0 to 1e+06");
    o = sustain_quadratic_defaults(), o.phi = 3;
    refused(o, "phi = '3' is not one of linear|sqrt|square");
    o = sustain_quadratic_defaults(), o.samples = 7;
    refused(o, "samples = 7 is odd: samples come in pairs of opposite noise");
    o = sustain_quadratic_defaults(), o.noise_hess = 0.75;
    refused(o, "mu_g / (1 - noise_hess) = 4 is above L_g / (1 + noise_hess) = 2.28571: no spectrum keeps every draw within mu_g and L_g");
    o = sustain_quadratic_defaults(), o.C_gxy = 5;
    refused(o, "C_gxy = 5 is above L_g = 4, which must bound the change of grad_y g with x as well");

    sustain_context *context = new_context();
    sustain_problem *problem;
    assert_int_equal(sustain_quadratic_create(context, NULL, &problem), SUSTAIN_ARGUMENT);
    assert_null(problem);
    o = sustain_quadratic_defaults(); /* mu_g = L_g is fine without noise in the Hessian */
    o.L_g = o.mu_g, o.noise_hess = 0;
    problem = new_quadratic(context, o);
    sustain_quadratic_destroy(problem);
    sustain_quadratic_destroy(NULL);
    sustain_context_destroy(context);
}

static void test_quadratic_table(void **state) {
    (void)state;
    int count;
    const sustain_parameter *table = sustain_quadratic_table(&count);
    const sustain_quadratic_options o = sustain_quadratic_defaults();
    assert_int_equal(count, 17);
    for (int i = 0; i < count; i++) assert_true(table[i].initial >= table[i].least && table[i].initial <= table[i].most);
    assert_true(o.upper_dim == 10 && o.lower_dim == 10 && o.samples == 0 && o.phi == SUSTAIN_PHI_SQRT && o.L_g == 4 && o.radius == 10);
}

typedef struct cleaning {
    float training[4], trusted[4]; /* (2, 2) */
    int32_t training_labels[2], trusted_labels[2];
    sustain_rows rows[2];
    sustain_hyperclean_options options;
} cleaning;

static void good(cleaning *g) {
    *g = (cleaning){.options = {.classes = 2, .c = 0.001, .intercept = true}, .training_labels = {0, 1}, .trusted_labels = {1, 0}};
    g->rows[0] = (sustain_rows){.count = 2, .dim = 2, .values = g->training, .labels = g->training_labels};
    g->rows[1] = (sustain_rows){.count = 2, .dim = 2, .values = g->trusted, .labels = g->trusted_labels};
}

static void refused_rows(const cleaning *g, const char *sentence) {
    sustain_context *context = new_context();
    sustain_problem *problem = (sustain_problem *)(void *)context;
    const sustain_status status = sustain_hyperclean_create(context, &g->options, &g->rows[0], &g->rows[1], &problem);
    assert_int_equal(status, SUSTAIN_ARGUMENT);
    assert_null(problem);
    assert_string_equal(sustain_error(context), sentence);
    sustain_context_destroy(context);
}

static void test_hyperclean_refusals(void **state) {
    (void)state;
    cleaning g;
    good(&g), g.training_labels[1] = 2;
    refused_rows(&g, "the label of training row 1 is 2, not one of 0 to 1");
    good(&g), g.trusted_labels[0] = -1;
    refused_rows(&g, "the label of trusted row 0 is -1, not one of 0 to 1");
    good(&g), g.training[3] = NAN;
    refused_rows(&g, "the feature in column 1 of training row 1 is not finite (NaN or infinite)");
    good(&g), g.trusted[2] = INFINITY;
    refused_rows(&g, "the feature in column 0 of trusted row 1 is not finite (NaN or infinite)");
    good(&g), g.rows[0].count = 0;
    refused_rows(&g, "there must be at least one training row (there are 0)");
    good(&g), g.rows[1].stored = -3;
    refused_rows(&g, "the trusted rows have a negative number of stored rows, -3");
    good(&g), g.rows[1].labels = NULL;
    refused_rows(&g, "the labels of the trusted rows are NULL");
    good(&g), g.rows[0].values = NULL;
    refused_rows(&g, "the values or columns of the training rows are NULL");
    good(&g), g.rows[0].bytes = (const uint8_t *)"bytes";
    refused_rows(&g, "the training rows have both bytes and values: set the other pointers to NULL");
    good(&g), g.rows[1].values = NULL, g.rows[1].bytes = (const uint8_t *)"bytes", g.rows[1].byte_scale = NAN;
    refused_rows(&g, "the byte_scale of the trusted rows is not finite: 1/255 makes features from 0 to 1");
    good(&g), g.rows[1].dim = 3;
    refused_rows(&g, "the training rows have 2 features, the trusted rows 3");
    good(&g), g.rows[0].dim = 0;
    refused_rows(&g, "dim must be at least 1 (it is 0)");
    good(&g), g.options.classes = 1;
    refused_rows(&g, "there must be at least 2 classes (there are 1)");
    good(&g), g.rows[0].dim = g.rows[1].dim = INT64_MAX / 2;
    refused_rows(&g, "dim 4611686018427387903 times 2 classes is too large");
    good(&g), g.options.c = 0;
    refused_rows(&g, "the regularization c must be positive and finite (it is 0)");
    good(&g), g.options.c = NAN;
    refused_rows(&g, "the regularization c must be positive and finite (it is nan)");
    sustain_hyperclean_destroy(NULL);
}

/* ---- failing allocations ---- */

static sustain_status make_quadratic(sustain_context *context, sustain_problem **out) {
    const sustain_quadratic_options o = sustain_quadratic_defaults();
    return sustain_quadratic_create(context, &o, out);
}

static sustain_status make_hyperclean(sustain_context *context, sustain_problem **out) {
    static cleaning g;
    good(&g);
    return sustain_hyperclean_create(context, &g.options, &g.rows[0], &g.rows[1], out);
}

static void every_allocation_fails(sustain_status (*create)(sustain_context *, sustain_problem **), void (*destroy)(sustain_problem *)) {
    sustain_status status = SUSTAIN_MEMORY;
    int64_t failures = 0;
    for (int64_t fail_at = 1; status != SUSTAIN_OK; fail_at++) {
        failing_allocator_state allocator = {0, 0, 0};
        sustain_context *context;
        sustain_problem *problem;
        assert_int_equal(sustain_context_create_with(failing_allocator, &allocator, &context), SUSTAIN_OK);
        allocator.fail_at = allocator.calls + fail_at;
        status = create(context, &problem);
        if (status == SUSTAIN_OK) {
            assert_non_null(problem);
        } else {
            failures++;
            assert_int_equal(status, SUSTAIN_MEMORY);
            assert_null(problem);
            assert_non_null(strstr(sustain_error(context), "out of memory"));
            assert_int_equal(allocator.live, 1); /* the context */
        }
        destroy(problem);
        sustain_context_destroy(context);
        assert_int_equal(allocator.live, 0);
    }
    assert_true(failures > 0);
}

static void test_allocations(void **state) {
    (void)state;
    every_allocation_fails(make_quadratic, sustain_quadratic_destroy);
    every_allocation_fails(make_hyperclean, sustain_hyperclean_destroy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_purity),
        cmocka_unit_test(test_whole_sum_is_expectation),
        cmocka_unit_test(test_batch_is_mean_of_samples),
        cmocka_unit_test(test_stream_noise),
        cmocka_unit_test(test_draws_keep_bounds),
        cmocka_unit_test(test_lipschitz),
        cmocka_unit_test(test_variance_within_sigma),
        cmocka_unit_test(test_other_sigmas),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_minimum),
        cmocka_unit_test(test_hard_minimum),
        cmocka_unit_test(test_start_and_known),
        cmocka_unit_test(test_hyperclean_brute_force),
        cmocka_unit_test(test_hyperclean_groups_refused),
        cmocka_unit_test(test_hyperclean_support),
        cmocka_unit_test(test_hyperclean_extremes),
        cmocka_unit_test(test_hyperclean_bounds),
        cmocka_unit_test(test_quadratic_refusals),
        cmocka_unit_test(test_quadratic_table),
        cmocka_unit_test(test_hyperclean_refusals),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
