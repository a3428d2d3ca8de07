/* test_hyperclean.c - hyper-cleaning on all kinds of rows: floats, bytes and CSR are the same
 * problem; the fast paths are what they stand for; threads do not change the bits; a gradient over
 * many rows is exact. tests/oracle/test_problems.c has the derivatives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/sustain.h>

#include "core/vector.h"
#include "oracle/draw.h"
#include "oracle/oracle.h"
#include "precision.h"

enum { ROWS = 150, DIM = 37, CLASSES = 10, LOWER = (DIM + 1) * CLASSES, BATCH_MAX = 100 };
#define SCALE (1.0F / 128)

typedef enum kind { FLOATS, BYTES, SPARSE, MIXED, KINDS } kind; /* mixed: training rows sparse, trusted ones dense */
static const char *const kind_names[KINDS] = {"floats", "bytes", "sparse", "mixed"};

typedef struct set {
    uint8_t bytes[ROWS * DIM];
    float dense[ROWS * DIM], values[ROWS * DIM];
    int64_t start[ROWS + 1];
    int32_t columns[ROWS * DIM], labels[ROWS];
} set;

static set sets[2];

/* Two bytes in five are 0, and all of row 3. */
static void make_sets(void) {
    for (uint32_t level = 0; level < 2; level++) {
        set *s = &sets[level];
        int64_t at = 0;
        for (int i = 0; i < ROWS; i++) {
            s->start[i] = at;
            s->labels[i] = (int32_t)sustain_random_index(2, level, 1, (uint32_t)i, CLASSES);
            for (int j = 0; j < DIM; j++) {
                const int64_t drawn = sustain_random_index(2, level, 2, (uint32_t)(i * DIM + j), 425);
                const uint8_t byte = (uint8_t)(drawn > 255 || i == 3 ? 0 : drawn);
                s->bytes[i * DIM + j] = byte;
                s->dense[i * DIM + j] = (float)byte * SCALE;
                if (byte != 0) s->values[at] = (float)byte * SCALE, s->columns[at++] = j;
            }
        }
        s->start[ROWS] = at;
    }
}

static sustain_rows rows_of(int level, kind k) {
    const set *s = &sets[level];
    sustain_rows rows = {.count = level == SUSTAIN_LOWER ? ROWS : ROWS / 2, .dim = DIM, .labels = s->labels};
    if (k == BYTES)
        rows.bytes = s->bytes, rows.byte_scale = SCALE;
    else if (k == SPARSE || (k == MIXED && level == SUSTAIN_LOWER))
        rows.values = s->values, rows.start = s->start, rows.columns = s->columns;
    else
        rows.values = s->dense;
    return rows;
}

typedef struct tested {
    sustain_context *context;
    sustain_problem *problem;
    sustain__oracle oracle;
    sustain_real x[ROWS], y[LOWER], v[LOWER];
} tested;

static void make(kind k, bool intercept, int64_t classes, tested *t) {
    make_sets();
    const sustain_rows training = rows_of(SUSTAIN_LOWER, k), trusted = rows_of(SUSTAIN_UPPER, k);
    const sustain_hyperclean_options options = {.classes = classes, .c = 0.01, .intercept = intercept};
    memset(&t->oracle, 0, sizeof t->oracle);
    assert_int_equal(sustain_context_create(&t->context), SUSTAIN_OK);
    if (sustain_hyperclean_create(t->context, &options, &training, &trusted, &t->problem) != SUSTAIN_OK)
        fail_msg("%s", sustain_error(t->context));
    assert_int_equal(t->problem->lower_dim, (DIM + intercept) * classes);
}

static void start(kind k, bool intercept, tested *t) {
    make(k, intercept, CLASSES, t);
    assert_int_equal(sustain__oracle_create(t->context, t->problem, BATCH_MAX, false, &t->oracle), SUSTAIN_OK);
    for (uint32_t i = 0; i < ROWS; i++) t->x[i] = (sustain_real)sustain_random_normal(2, 10, 0, i);
    for (uint32_t i = 0; i < LOWER; i++) t->y[i] = (sustain_real)(0.3 * sustain_random_normal(2, 11, 0, i));
    for (uint32_t i = 0; i < LOWER; i++) t->v[i] = (sustain_real)sustain_random_normal(2, 12, 0, i);
}

static void finish(tested *t) {
    sustain__oracle_destroy(&t->oracle);
    sustain_hyperclean_destroy(t->problem);
    sustain_context_destroy(t->context);
}

/* ---- the oracles by number ---- */

enum { F_VALUE, F_GRAD, G_VALUE, G_GRAD_Y, G_GRAD_X, G_HESS_VEC, G_CROSS_VEC, ORACLES };
enum { LARGEST = LOWER > ROWS ? LOWER : ROWS };

/* Draw number 0 is the expected value. */
enum { DRAWS = 6 };
static const int64_t sizes[DRAWS] = {0, 1, 7, 32, 33, BATCH_MAX};

static int64_t evaluate(tested *t, int which, int number, double *out) {
    int64_t index[BATCH_MAX];
    const sustain_level level = which <= F_GRAD ? SUSTAIN_UPPER : SUSTAIN_LOWER;
    const sustain__sampler sampler = {.problem = t->problem, .seed = 9};
    const sustain_batch drawn = sustain__draw(&sampler, level, 1, number, sizes[number], index), *batch = number > 0 ? &drawn : NULL;
    static sustain_real result[LARGEST], ignored[LARGEST];
    const int64_t n = which == G_GRAD_X || which == G_CROSS_VEC ? t->problem->upper_dim : t->problem->lower_dim;
    sustain_status status = SUSTAIN_OK;
    memset(t->oracle.work, 0xff, t->problem->ops->workspace(t->problem->self, BATCH_MAX));
    if (which == F_VALUE) return sustain__f_value(&t->oracle, batch, t->x, t->y, out) == SUSTAIN_OK ? 1 : 0;
    if (which == G_VALUE) return sustain__g_value(&t->oracle, batch, t->x, t->y, out) == SUSTAIN_OK ? 1 : 0;
    if (which == F_GRAD) status = sustain__f_grad(&t->oracle, batch, t->x, t->y, ignored, result);
    if (which == G_GRAD_Y) status = sustain__g_grad_y(&t->oracle, batch, t->x, t->y, result);
    if (which == G_GRAD_X) status = sustain__g_grad_x(&t->oracle, batch, t->x, t->y, result);
    if (which == G_HESS_VEC) status = sustain__g_hess_vec(&t->oracle, batch, t->x, t->y, t->v, result);
    if (which == G_CROSS_VEC) status = sustain__g_cross_vec(&t->oracle, batch, t->x, t->y, t->v, result);
    assert_int_equal(status, SUSTAIN_OK);
    for (int64_t i = 0; i < n; i++) out[i] = (double)result[i];
    return n;
}

static double relative(int64_t n, const double *a, const double *b) {
    double difference = 0, size = 0;
    for (int64_t i = 0; i < n; i++) difference += (a[i] - b[i]) * (a[i] - b[i]), size += b[i] * b[i];
    return sqrt(difference / size);
}

/* ---- kinds of rows ---- */

static void test_kinds_agree(void **state) {
    (void)state;
    static tested floats, other;
    for (int k = BYTES; k < KINDS; k++)
        for (int intercept = 0; intercept < 2; intercept++) {
            start(FLOATS, intercept, &floats);
            start((kind)k, intercept, &other);
            for (int which = 0; which < ORACLES; which++)
                for (int number = 0; number < DRAWS; number++) {
                    double a[LARGEST], b[LARGEST];
                    const int64_t n = evaluate(&floats, which, number, a);
                    assert_int_equal(evaluate(&other, which, number, b), n);
                    assert_true(relative(n, b, a) <= (is_float ? 1e-6 : 1e-14));
                }
            finish(&floats);
            finish(&other);
        }
}

/* The library's checker: derivatives, means, purity, and every fast path against its parts. Draws
 * of 1 go by the Gram matrix, of 40 by vectors, of 9 both ways. */
static void test_checker(void **state) {
    (void)state;
    static const int64_t batches[] = {1, 9, 40};
    static tested t;
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < 3; i++) {
            sustain_check_report report;
            start((kind)k, (k + i) % 2 == 0, &t);
            if (sustain_check_problem(t.context, t.problem, t.x, t.y, batches[i], 6, &report) != SUSTAIN_OK || report.failed > 0)
                fail_msg("%s, batch %d: %s", kind_names[k], (int)batches[i], sustain_error(t.context));
            int done = 0;
            for (int r = 0; r < report.count; r++)
                done += report.row[r].done &&
                        (strcmp(report.row[r].oracle, "hyper_pair") == 0 || strcmp(report.row[r].oracle, "momentum_step") == 0);
            assert_int_equal(done, 2);
            finish(&t);
        }
}

/* ---- tables ---- */

static void check_table(tested *t, sustain_quantity quantity, int which) {
    static sustain_real rows[BATCH_MAX * CLASSES], single[CLASSES], out[LARGEST];
    const sustain_problem *p = t->problem;
    const int64_t width = p->ops->fast->table_width(p->self, quantity);
    int64_t index[BATCH_MAX];
    const sustain__sampler sampler = {.problem = p, .seed = 9};
    const sustain_batch batch =
        sustain__draw(&sampler, which == F_GRAD ? SUSTAIN_UPPER : SUSTAIN_LOWER, 1, DRAWS - 1, sizes[DRAWS - 1], index);
    assert_int_equal(width, which == G_CROSS_VEC ? 1 : CLASSES);
    assert_int_equal(p->ops->fast->table_rows(p->self, quantity, &batch, t->x, t->y, t->v, rows, t->oracle.work), 0);
    for (int64_t s = 0; s < batch.size; s++) { /* they do not depend on the draw they are in */
        const sustain_batch own = {.size = 1, .index = index + s};
        assert_int_equal(p->ops->fast->table_rows(p->self, quantity, &own, t->x, t->y, t->v, single, t->oracle.work), 0);
        assert_memory_equal(single, rows + s * width, (size_t)width * sizeof *single);
    }
    double expected[LARGEST], got[LARGEST];
    const int64_t n = evaluate(t, which, DRAWS - 1, expected);
    assert_int_equal(p->ops->fast->table_rest(p->self, quantity, t->x, t->y, t->v, out, t->oracle.work), 0);
    assert_int_equal(p->ops->fast->table_add(p->self, quantity, &batch, rows, 1 / (double)batch.size, out, t->oracle.work), 0);
    for (int64_t i = 0; i < n; i++) got[i] = (double)out[i];
    assert_true(relative(n, got, expected) <= (is_float ? 1e-6 : 1e-14));
}

static void test_tables(void **state) {
    (void)state;
    static tested t;
    for (int k = 0; k < KINDS; k++) {
        start((kind)k, k % 2 == 0, &t);
        assert_int_equal(t.problem->ops->fast->table_width(t.problem->self, SUSTAIN_QUANTITY_F_GRAD_X), 0);
        check_table(&t, SUSTAIN_QUANTITY_F_GRAD_Y, F_GRAD);
        check_table(&t, SUSTAIN_QUANTITY_G_GRAD_Y, G_GRAD_Y);
        check_table(&t, SUSTAIN_QUANTITY_G_HESS_VEC, G_HESS_VEC);
        check_table(&t, SUSTAIN_QUANTITY_G_CROSS_VEC, G_CROSS_VEC);
        finish(&t);
    }
}

/* ---- runs ---- */

static void run(const tested *t, const sustain_problem *problem, const char *batch, const char *terms, int64_t iterations,
                sustain_result *result, sustain_solver **solver) {
    const char *const settings[][2] = {{"schedule", "power"}, {"alpha", "50"}, {"beta", "0.1"},
                                       {"K", terms},          {"L_g", "20"},   {"batch", batch}};
    assert_int_equal(sustain_solver_create(t->context, "sustain", problem, solver), SUSTAIN_OK);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_int_equal(sustain_solver_set(*solver, settings[i][0], settings[i][1]), SUSTAIN_OK);
    if (sustain_solver_run(*solver, &(sustain_stopping){.iterations = iterations}, result) != SUSTAIN_OK)
        fail_msg("%s", sustain_error(t->context));
}

/* Few terms and many, of 1 and 3 samples and of 40, short y and long, with the fast paths and
 * without: the same run but for rounding, and the same counts. */
static void test_fast_run_is_plain_run(void **state) {
    (void)state;
    static const struct {
        const char *batch, *terms;
        int64_t classes;
    } runs[] = {{"1", "10", 10}, {"3", "10", 10}, {"40", "10", 10}, {"1", "80", 10}, {"1", "80", 60}, {"3", "40", 60}};
    enum { RUNS = sizeof runs / sizeof *runs };
    static tested t;
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < RUNS; i++) {
            make((kind)k, (k + i) % 2 == 0, runs[i].classes, &t);
            sustain_problem plain = *t.problem;
            sustain_problem_ops ops = *t.problem->ops;
            sustain_problem_fast slower = *ops.fast;
            slower.momentum_step = NULL;
            slower.hyper_pair = NULL;
            slower.g_grad_y_pair = NULL;
            slower.prefetch = NULL;
            ops.fast = &slower;
            plain.ops = &ops;
            sustain_result fast, slow;
            sustain_solver *solver[2];
            run(&t, t.problem, runs[i].batch, runs[i].terms, 50, &fast, &solver[0]);
            run(&t, &plain, runs[i].batch, runs[i].terms, 50, &slow, &solver[1]);
            const double apart = sustain__distance(plain.upper_dim, fast.x, slow.x) / sustain__norm(plain.upper_dim, slow.x);
            const double apart_y = sustain__distance(plain.lower_dim, fast.y, slow.y) / sustain__norm(plain.lower_dim, slow.y);
            if (!(apart <= (is_float ? 1e-4 : 1e-11) && apart_y <= (is_float ? 1e-4 : 1e-11)))
                fail_msg("%s, batch %s, K %s: x %g, y %g apart", kind_names[k], runs[i].batch, runs[i].terms, apart, apart_y);
            assert_memory_equal(&fast.counts, &slow.counts, sizeof fast.counts);
            sustain_solver_destroy(solver[0]);
            sustain_solver_destroy(solver[1]);
            finish(&t);
        }
}

/* ---- threads ---- */

static void test_threads_same_bits(void **state) {
    (void)state;
    static const int threads[] = {2, 3, 8};
    static tested t, other;
    for (int k = BYTES; k <= SPARSE; k++)
        for (int i = 0; i < 3; i++) {
            start((kind)k, true, &t);
            start((kind)k, true, &other);
            assert_int_equal(sustain_context_set_threads(other.context, threads[i]), SUSTAIN_OK);
            for (int which = 0; which < ORACLES; which++)
                for (int number = 0; number < DRAWS; number += DRAWS - 1) {
                    double a[LARGEST], b[LARGEST];
                    const int64_t n = evaluate(&t, which, number, a);
                    evaluate(&other, which, number, b);
                    assert_memory_equal(a, b, (size_t)n * sizeof *a);
                }
            sustain_result alone, together;
            sustain_solver *solver[2];
            run(&t, t.problem, "70", "10", 5, &alone, &solver[0]);
            run(&other, other.problem, "70", "10", 5, &together, &solver[1]);
            assert_memory_equal(alone.x, together.x, (size_t)t.problem->upper_dim * sizeof *alone.x);
            assert_memory_equal(alone.y, together.y, (size_t)t.problem->lower_dim * sizeof *alone.y);
            sustain_solver_destroy(solver[0]);
            sustain_solver_destroy(solver[1]);
            finish(&t);
            finish(&other);
        }
}

/* ---- many rows ---- */

enum { MANY = 50000, SHORT = 6, FEW = 3, N = (SHORT + 1) * FEW };

/* The whole gradient and Hessian product over 50,000 rows, added up in double sample by sample. */
static void test_many_rows(void **state) {
    (void)state;
    static float features[MANY * SHORT];
    static int32_t labels[MANY];
    static sustain_real x[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        labels[i] = (int32_t)sustain_random_index(5, 1, 0, i, FEW);
        x[i] = (sustain_real)sustain_random_normal(5, 2, 0, i);
        for (uint32_t j = 0; j < SHORT; j++) features[i * SHORT + j] = (float)sustain_random_uniform(5, 3, j, i);
    }
    const sustain_rows rows = {.count = MANY, .dim = SHORT, .values = features, .labels = labels};
    const sustain_hyperclean_options options = {.classes = FEW, .c = 0.001, .intercept = true};
    sustain_context *context;
    sustain_problem *problem;
    sustain__oracle oracle;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain_hyperclean_create(context, &options, &rows, &rows, &problem), SUSTAIN_OK);
    assert_int_equal(sustain__oracle_create(context, problem, 1, false, &oracle), SUSTAIN_OK);
    sustain_real y[N], v[N], out[2][N];
    double gradient[N], product[N], got[N];
    for (int i = 0; i < N; i++) {
        y[i] = (sustain_real)sustain_random_normal(5, 4, 0, (uint32_t)i);
        v[i] = (sustain_real)sustain_random_normal(5, 5, 0, (uint32_t)i);
        gradient[i] = 0.002 * (double)y[i];
        product[i] = 0.002 * (double)v[i];
    }
    for (int i = 0; i < MANY; i++) {
        double p[FEW], t[FEW], sum = 0, mean = 0;
        for (int k = 0; k < FEW; k++) {
            p[k] = (double)y[FEW * SHORT + k], t[k] = (double)v[FEW * SHORT + k];
            for (int j = 0; j < SHORT; j++) {
                p[k] += (double)features[i * SHORT + j] * (double)y[k * SHORT + j];
                t[k] += (double)features[i * SHORT + j] * (double)v[k * SHORT + j];
            }
            sum += p[k] = exp(p[k]);
        }
        for (int k = 0; k < FEW; k++) p[k] /= sum, mean += p[k] * t[k];
        const double weight = 1 / (1 + exp(-(double)x[i])) / MANY;
        for (int k = 0; k < FEW; k++)
            for (int j = 0; j <= SHORT; j++) {
                const double a = j < SHORT ? (double)features[i * SHORT + j] : 1;
                const int at = j < SHORT ? k * SHORT + j : FEW * SHORT + k;
                gradient[at] += weight * a * (p[k] - (k == labels[i]));
                product[at] += weight * a * p[k] * (t[k] - mean);
            }
    }
    assert_int_equal(sustain__g_grad_y(&oracle, NULL, x, y, out[0]), SUSTAIN_OK);
    assert_int_equal(sustain__g_hess_vec(&oracle, NULL, x, y, v, out[1]), SUSTAIN_OK);
    for (int i = 0; i < N; i++) got[i] = (double)out[0][i];
    const double gradient_error = relative(N, got, gradient);
    for (int i = 0; i < N; i++) got[i] = (double)out[1][i];
    const double product_error = relative(N, got, product);
    print_message("50,000 rows: gradient %.1e, Hessian product %.1e\n", gradient_error, product_error);
    assert_true(gradient_error <= (is_float ? 1e-6 : 1e-13) && product_error <= (is_float ? 1e-6 : 1e-13));
    sustain__oracle_destroy(&oracle);
    sustain_hyperclean_destroy(problem);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_agree),           cmocka_unit_test(test_checker),           cmocka_unit_test(test_tables),
        cmocka_unit_test(test_fast_run_is_plain_run), cmocka_unit_test(test_threads_same_bits), cmocka_unit_test(test_many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
