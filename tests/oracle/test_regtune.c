/* test_regtune.c - penalties of linear models: every derivative against differences, dense against
 * sparse rows, purity, the tables of SAGA, numbers of an independent script
 * (tests/golden/regtune.py), the exact hypergradient against differences of ell, noise that is
 * found out, refusals by their sentences, and failing allocations. */
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
#include "failing_allocator.h"
#include "oracle/draw.h"
#include "oracle/oracle.h"
#include "precision.h"

#ifndef SUSTAIN_SOURCE_DIR
#define SUSTAIN_SOURCE_DIR "."
#endif

enum { TRAINING = 23, VALIDATION = 17, DIM = 6, CLASSES = 3, GROUPS = 3, LARGEST = 32, BATCH_MAX = 200 };

static const int32_t group[DIM] = {1, 0, 1, 2, 0, 1};
static const char *const loss_names[] = {"logistic", "softmax", "squared"};
static const char *const penalty_names[] = {"feature", "group", "class", "single"};

static double normal(uint32_t stream, int64_t i) {
    return sustain_random_normal(78, stream, 0, (uint32_t)i);
}

static void random_vector(uint32_t stream, int64_t n, sustain_real *out) {
    for (int64_t i = 0; i < n; i++) out[i] = (sustain_real)(0.7 * normal(stream, i));
}

static void assert_near(const char *what, int64_t n, const double *a, const double *b, double tolerance) {
    double away = 0, size = 0;
    for (int64_t i = 0; i < n; i++) away += (a[i] - b[i]) * (a[i] - b[i]), size += b[i] * b[i];
    if (!(sqrt(away) <= tolerance * fmax(sqrt(size), 1e-2)))
        fail_msg("%s: off by %g, of size %g (tolerance %g)", what, sqrt(away), sqrt(size), tolerance);
}

/* ---- data ---- */

/* One set of rows, dense and as CSR. The CSR begins at 3: a part of something larger. */
typedef struct data {
    float dense[TRAINING * DIM], values[3 + TRAINING * DIM], targets[TRAINING];
    int64_t start[TRAINING + 1];
    int32_t columns[3 + TRAINING * DIM], labels[TRAINING];
} data;

static data sets[2];

static void to_sparse(int64_t count, int64_t dim, data *d) {
    d->start[0] = 3;
    for (int64_t i = 0; i < count; i++) {
        int64_t at = d->start[i];
        for (int64_t j = 0; j < dim; j++)
            if (d->dense[i * dim + j] != 0) d->values[at] = d->dense[i * dim + j], d->columns[at++] = (int32_t)j;
        d->start[i + 1] = at;
    }
}

/* A third of the features are 0; row 4 is empty. */
static void make_data(sustain_regtune_loss loss) {
    memset(sets, 0, sizeof sets);
    for (int level = 0; level < 2; level++) {
        data *d = &sets[level];
        for (int i = 0; i < TRAINING * DIM; i++)
            d->dense[i] = sustain_random_index(7, (uint32_t)level, 0, (uint32_t)i, 3) == 0 || i / DIM == 4
                              ? 0
                              : (float)normal(40 + (uint32_t)level, i);
        for (int i = 0; i < TRAINING; i++) {
            d->targets[i] = (float)normal(50 + (uint32_t)level, i);
            const int32_t drawn =
                (int32_t)sustain_random_index(8, (uint32_t)level, 0, (uint32_t)i, loss == SUSTAIN_REGTUNE_SOFTMAX ? CLASSES : 2);
            d->labels[i] = loss == SUSTAIN_REGTUNE_SOFTMAX ? drawn : 2 * drawn - 1;
        }
        to_sparse(TRAINING, DIM, d);
    }
}

static sustain_rows rows_from(const data *d, int64_t count, int64_t dim, bool sparse) {
    sustain_rows rows = {.count = count, .dim = dim, .values = d->dense, .labels = d->labels, .targets = d->targets};
    if (sparse) rows.values = d->values, rows.start = d->start, rows.columns = d->columns;
    return rows;
}

static sustain_regtune_options options_of(sustain_regtune_loss loss, sustain_regtune_penalty penalty, bool intercept) {
    sustain_regtune_options o = sustain_regtune_defaults();
    o.loss = loss;
    o.penalty = penalty;
    o.intercept = intercept;
    o.classes = CLASSES;
    o.groups = GROUPS;
    o.group = group;
    o.floor = 0.03;
    return o;
}

typedef struct tested {
    char name[64];
    sustain_context *context;
    sustain_problem *problem;
    sustain__oracle oracle;
    sustain_real x[LARGEST], y[LARGEST], v[LARGEST];
} tested;

static void start_with(const sustain_regtune_options *o, const sustain_rows *training, const sustain_rows *validation, tested *t) {
    assert_int_equal(sustain_context_create(&t->context), SUSTAIN_OK);
    if (sustain_regtune_create(t->context, o, training, validation, &t->problem) != SUSTAIN_OK) fail_msg("%s", sustain_error(t->context));
    assert_int_equal(sustain__problem_validate(t->context, t->problem), SUSTAIN_OK);
    assert_int_equal(sustain__oracle_create(t->context, t->problem, BATCH_MAX, false, &t->oracle), SUSTAIN_OK);
    random_vector(1, t->problem->upper_dim, t->x);
    random_vector(2, t->problem->lower_dim, t->y);
    random_vector(3, t->problem->lower_dim, t->v);
}

enum { CASES = 3 * 4 * 2 * 2 };

/* Case i, or false where there is none: every loss, penalty, intercept, dense and sparse. The odd
 * ones are sparse. */
static bool start(int i, tested *t) {
    const sustain_regtune_loss loss = (sustain_regtune_loss)(i / 16);
    const sustain_regtune_penalty penalty = (sustain_regtune_penalty)(i / 4 % 4);
    const bool intercept = i / 2 % 2 == 1, sparse = i % 2 == 1;
    if (penalty == SUSTAIN_REGTUNE_CLASS && loss != SUSTAIN_REGTUNE_SOFTMAX) return false;
    snprintf(t->name, sizeof t->name, "%s, by %s%s%s", loss_names[loss], penalty_names[penalty], intercept ? ", intercept" : "",
             sparse ? ", sparse" : "");
    make_data(loss);
    const sustain_regtune_options o = options_of(loss, penalty, intercept);
    const sustain_rows training = rows_from(&sets[1], TRAINING, DIM, sparse), validation = rows_from(&sets[0], VALIDATION, DIM, sparse);
    start_with(&o, &training, &validation, t);
    return true;
}

static void finish(tested *t) {
    sustain__oracle_destroy(&t->oracle);
    sustain_regtune_destroy(t->problem);
    sustain_context_destroy(t->context);
}

/* Draw number 0: the expected value; 1: one sample; 2: seven; 3: more than a chunk, with
 * repeats. */
enum { DRAWS = 4 };

static const sustain_batch *draw(const tested *t, sustain_level level, int number, sustain_batch *batch, int64_t *index) {
    static const int64_t sizes[DRAWS] = {0, 1, 7, 150};
    if (number == 0) return NULL;
    const sustain__sampler sampler = {.problem = t->problem, .seed = 9};
    *batch = sustain__draw(&sampler, level, 1 + (uint32_t)level, number, sizes[number], index);
    return batch;
}

/* ---- the oracles by number ---- */

enum { F_VALUE, F_GRAD_X, F_GRAD_Y, G_VALUE, G_GRAD_Y, G_GRAD_X, G_HESS_VEC, G_CROSS_VEC, ORACLES };
static const char *const oracle_names[ORACLES] = {"f_value",  "f_grad_x", "f_grad_y",   "g_value",
                                                  "g_grad_y", "g_grad_x", "g_hess_vec", "g_cross_vec"};

static sustain_level level_of(int which) {
    return which <= F_GRAD_Y ? SUSTAIN_UPPER : SUSTAIN_LOWER;
}

static int64_t size_of(const tested *t, int which) {
    if (which == F_VALUE || which == G_VALUE) return 1;
    return which == F_GRAD_X || which == G_GRAD_X || which == G_CROSS_VEC ? t->problem->upper_dim : t->problem->lower_dim;
}

/* The oracle's output, in double, at t->x, t->y, t->v; before, its scratch and outputs are filled
 * with `garbage`. */
static void evaluate_over(tested *t, int which, const sustain_batch *batch, int garbage, double *out) {
    const sustain_problem *p = t->problem;
    sustain_real result[LARGEST], other[LARGEST];
    int code = -1;
    memset(result, garbage, sizeof result);
    memset(other, garbage, sizeof other);
    memset(t->oracle.work, garbage, p->ops->workspace(p->self, BATCH_MAX));
    switch (which) {
    case F_VALUE:
        code = p->ops->f_value(p->self, batch, t->x, t->y, out, t->oracle.work);
        break;
    case F_GRAD_X:
        code = p->ops->f_grad(p->self, batch, t->x, t->y, result, other, t->oracle.work);
        break;
    case F_GRAD_Y:
        code = p->ops->f_grad(p->self, batch, t->x, t->y, other, result, t->oracle.work);
        break;
    case G_VALUE:
        code = p->ops->g_value(p->self, batch, t->x, t->y, out, t->oracle.work);
        break;
    case G_GRAD_Y:
        code = p->ops->g_grad_y(p->self, batch, t->x, t->y, result, t->oracle.work);
        break;
    case G_GRAD_X:
        code = p->ops->g_grad_x(p->self, batch, t->x, t->y, result, t->oracle.work);
        break;
    case G_HESS_VEC:
        code = p->ops->g_hess_vec(p->self, batch, t->x, t->y, t->v, result, t->oracle.work);
        break;
    case G_CROSS_VEC:
        code = p->ops->g_cross_vec(p->self, batch, t->x, t->y, t->v, result, t->oracle.work);
        break;
    default:
        break;
    }
    assert_int_equal(code, 0);
    if (which != F_VALUE && which != G_VALUE)
        for (int64_t i = 0; i < size_of(t, which); i++) out[i] = (double)result[i];
}

static void evaluate(tested *t, int which, const sustain_batch *batch, double *out) {
    evaluate_over(t, which, batch, 0, out);
}

/* ---- derivatives ---- */

/* The derivative of an oracle along coordinate i of z, which is t->x or t->y, by a central
 * difference. */
static void difference(tested *t, int which, const sustain_batch *batch, sustain_real *z, int64_t i, double *out) {
    const sustain_real at = z[i], up = (sustain_real)((double)at + difference_step()),
                       down = (sustain_real)((double)at - difference_step());
    double above[LARGEST], below[LARGEST];
    z[i] = up;
    evaluate(t, which, batch, above);
    z[i] = down;
    evaluate(t, which, batch, below);
    z[i] = at;
    for (int64_t j = 0; j < size_of(t, which); j++) out[j] = (above[j] - below[j]) / ((double)up - (double)down);
}

static void check_gradient(tested *t, int value, int which, const sustain_batch *batch, sustain_real *z) {
    double expected[LARGEST], got[LARGEST];
    for (int64_t i = 0; i < size_of(t, which); i++) difference(t, value, batch, z, i, &expected[i]);
    evaluate(t, which, batch, got);
    assert_near(oracle_names[which], size_of(t, which), got, expected, loose());
}

/* The product with v = t->v against the differences of a gradient along every y_j; and the adjoint
 * of the cross product. */
static void check_second(tested *t, const sustain_batch *zeta) {
    const int64_t m = t->problem->upper_dim, n = t->problem->lower_dim;
    double column[LARGEST], hess[LARGEST] = {0}, cross[LARGEST] = {0}, adjoint[LARGEST] = {0}, got[LARGEST];
    for (int64_t j = 0; j < n; j++) {
        difference(t, G_GRAD_Y, zeta, t->y, j, column);
        for (int64_t i = 0; i < n; i++) hess[i] += column[i] * (double)t->v[j];
        difference(t, G_GRAD_X, zeta, t->y, j, column);
        for (int64_t i = 0; i < m; i++) cross[i] += column[i] * (double)t->v[j];
    }
    for (int64_t i = 0; i < m; i++) {
        difference(t, G_GRAD_Y, zeta, t->x, i, column);
        for (int64_t j = 0; j < n; j++) adjoint[i] += column[j] * (double)t->v[j];
    }
    evaluate(t, G_HESS_VEC, zeta, got);
    assert_near("g_hess_vec", n, got, hess, loose());
    evaluate(t, G_CROSS_VEC, zeta, got);
    assert_near("g_cross_vec", m, got, cross, loose());
    assert_near("g_cross_vec, adjoint", m, got, adjoint, loose());
}

static void test_derivatives(void **state) {
    (void)state;
    tested t;
    for (int i = 0; i < CASES; i++) {
        if (!start(i, &t)) continue;
        for (int number = 0; number < DRAWS; number++) {
            int64_t index[2][BATCH_MAX];
            sustain_batch room[2];
            const sustain_batch *xi = draw(&t, SUSTAIN_UPPER, number, &room[0], index[0]);
            const sustain_batch *zeta = draw(&t, SUSTAIN_LOWER, number, &room[1], index[1]);
            check_gradient(&t, F_VALUE, F_GRAD_X, xi, t.x);
            check_gradient(&t, F_VALUE, F_GRAD_Y, xi, t.y);
            check_gradient(&t, G_VALUE, G_GRAD_X, zeta, t.x);
            check_gradient(&t, G_VALUE, G_GRAD_Y, zeta, t.y);
            check_second(&t, zeta);
        }
        finish(&t);
    }
}

/* The library's own checker: at the start, at a point, with draws of 1 and of several. */
static void test_checker(void **state) {
    (void)state;
    tested t;
    for (int i = 0; i < CASES; i++) {
        if (!start(i, &t)) continue;
        for (int batch = 1; batch <= 9; batch += 8) {
            sustain_check_report report;
            assert_int_equal(sustain_check_problem(t.context, t.problem, NULL, NULL, batch, 5, &report), SUSTAIN_OK);
            if (report.failed > 0) fail_msg("%s: %s", t.name, sustain_error(t.context));
            assert_int_equal(sustain_check_problem(t.context, t.problem, t.x, t.y, batch, 6, &report), SUSTAIN_OK);
            if (report.failed > 0) fail_msg("%s: %s", t.name, sustain_error(t.context));
        }
        finish(&t);
    }
}

/* Scores of +-10000: losses are the scores, gradients are finite, nothing is NaN. */
static void test_far_out(void **state) {
    (void)state;
    tested t;
    for (int i = 0; i < CASES; i++) {
        if (!start(i, &t)) continue;
        double out[LARGEST];
        for (int64_t j = 0; j < t.problem->lower_dim; j++) t.y[j] *= 10000;
        for (int which = 0; which < ORACLES; which++) {
            evaluate(&t, which, NULL, out);
            for (int64_t j = 0; j < size_of(&t, which); j++) assert_true(isfinite(out[j]));
        }
        finish(&t);
    }
}

/* ---- dense and sparse, purity, means ---- */

static void test_dense_is_sparse(void **state) {
    (void)state;
    tested dense, sparse;
    for (int i = 0; i < CASES; i += 2) {
        if (!start(i, &dense)) continue;
        assert_true(start(i + 1, &sparse));
        for (int number = 0; number < DRAWS; number++)
            for (int which = 0; which < ORACLES; which++) {
                int64_t index[BATCH_MAX];
                sustain_batch room;
                const sustain_batch *batch = draw(&dense, level_of(which), number, &room, index);
                double a[LARGEST], b[LARGEST];
                evaluate(&dense, which, batch, a);
                evaluate(&sparse, which, batch, b);
                assert_near(oracle_names[which], size_of(&dense, which), a, b, is_float ? 1e-6 : 1e-14);
            }
        finish(&dense);
        finish(&sparse);
    }
}

static void test_purity(void **state) {
    (void)state;
    tested t;
    for (int i = 0; i < CASES; i++) {
        if (!start(i, &t)) continue;
        for (int number = 0; number < DRAWS; number++)
            for (int which = 0; which < ORACLES; which++) {
                int64_t index[BATCH_MAX];
                sustain_batch room;
                const sustain_batch *batch = draw(&t, level_of(which), number, &room, index);
                double first[LARGEST] = {0}, second[LARGEST] = {0};
                evaluate_over(&t, which, batch, 0x00, first);
                evaluate_over(&t, which, batch, 0xFF, second); /* all NaN */
                assert_memory_equal(first, second, sizeof first);
            }
        finish(&t);
    }
}

/* A draw of 150 samples is the mean over them; sample by sample, so also over the edges of
 * chunks. */
static void test_means(void **state) {
    (void)state;
    tested t;
    for (int i = 0; i < CASES; i++) {
        if (!start(i, &t)) continue;
        for (int which = 0; which < ORACLES; which++) {
            int64_t index[BATCH_MAX];
            sustain_batch room;
            const sustain_batch *batch = draw(&t, level_of(which), 3, &room, index);
            double whole[LARGEST], one[LARGEST], mean[LARGEST] = {0};
            evaluate(&t, which, batch, whole);
            for (int64_t s = 0; s < batch->size; s++) {
                evaluate(&t, which, &(sustain_batch){.size = 1, .index = index + s}, one);
                for (int64_t j = 0; j < size_of(&t, which); j++) mean[j] += one[j] / (double)batch->size;
            }
            assert_near(oracle_names[which], size_of(&t, which), whole, mean, tight());
        }
        finish(&t);
    }
}

/* ---- the tables ---- */

/* rest + mean of B_i row_i is the plain oracle; rows of a sample do not depend on the draw it is
 * in. */
static void check_table(tested *t, sustain_quantity quantity, int which) {
    const sustain_problem *p = t->problem;
    const int64_t width = p->ops->fast->table_width(p->self, quantity);
    const bool scalars = quantity == SUSTAIN_QUANTITY_F_GRAD_X || quantity == SUSTAIN_QUANTITY_G_CROSS_VEC;
    assert_int_equal(width, scalars ? 0 : p->lower_dim % CLASSES == 0 && p->lower_dim >= DIM * CLASSES ? CLASSES : 1);
    int64_t index[BATCH_MAX];
    sustain_batch room;
    const sustain_batch *batch = draw(t, level_of(which), 3, &room, index);
    sustain_real rows[BATCH_MAX * CLASSES], single[CLASSES], out[LARGEST];
    double expected[LARGEST], got[LARGEST];
    assert_int_equal(p->ops->fast->table_rows(p->self, quantity, batch, t->x, t->y, t->v, rows, t->oracle.work), 0);
    for (int64_t s = 0; s < batch->size; s++) {
        const sustain_batch own = {.size = 1, .index = index + s};
        assert_int_equal(p->ops->fast->table_rows(p->self, quantity, &own, t->x, t->y, t->v, single, t->oracle.work), 0);
        assert_memory_equal(single, rows + s * width, (size_t)width * sizeof *single);
    }
    memset(out, 0xff, sizeof out);
    assert_int_equal(p->ops->fast->table_rest(p->self, quantity, t->x, t->y, t->v, out, t->oracle.work), 0);
    assert_int_equal(p->ops->fast->table_add(p->self, quantity, batch, rows, 1 / (double)batch->size, out, t->oracle.work), 0);
    for (int64_t i = 0; i < size_of(t, which); i++) got[i] = (double)out[i];
    evaluate(t, which, batch, expected);
    assert_near(oracle_names[which], size_of(t, which), got, expected, tight());
}

static void test_tables(void **state) {
    (void)state;
    tested t;
    for (int i = 0; i < CASES; i++) {
        if (!start(i, &t)) continue;
        check_table(&t, SUSTAIN_QUANTITY_F_GRAD_X, F_GRAD_X);
        check_table(&t, SUSTAIN_QUANTITY_F_GRAD_Y, F_GRAD_Y);
        check_table(&t, SUSTAIN_QUANTITY_G_GRAD_Y, G_GRAD_Y);
        check_table(&t, SUSTAIN_QUANTITY_G_HESS_VEC, G_HESS_VEC);
        check_table(&t, SUSTAIN_QUANTITY_G_CROSS_VEC, G_CROSS_VEC);
        finish(&t);
    }
}

/* ---- golden numbers ---- */

/* The rule of regtune.py: an integer in 0 .. 4095 from three. */
static int mixed(uint64_t a, uint64_t b, uint64_t c) {
    return (int)((uint32_t)((a * 7919 + b * 104729 + c * 1299709 + 12345) * 2654435761u) >> 20);
}

enum { GOLDEN_DIM = 4, GOLDEN_TRAINING = 7, GOLDEN_VALIDATION = 5 };

static void golden_data(sustain_regtune_loss loss) {
    memset(sets, 0, sizeof sets);
    for (int level = 0; level < 2; level++)
        for (int i = 0; i < GOLDEN_TRAINING; i++) {
            data *d = &sets[level];
            const uint64_t row = (uint64_t)i + 1, own = (uint64_t)level;
            for (int j = 0; j < GOLDEN_DIM; j++) {
                const int h = mixed(own + 1, row, (uint64_t)j + 1);
                d->dense[i * GOLDEN_DIM + j] = h % 3 == 0 ? 0 : (float)(h - 2048) / 1024;
            }
            const int b = mixed(own + 20, row, 5);
            d->labels[i] = loss == SUSTAIN_REGTUNE_SOFTMAX ? b % CLASSES : 2 * (b % 2) - 1;
            d->targets[i] = (float)(mixed(own + 30, row, 5) - 2048) / 1024;
        }
    for (int level = 0; level < 2; level++) to_sparse(GOLDEN_TRAINING, GOLDEN_DIM, &sets[level]);
}

static void golden_start(const char *loss, const char *penalty, bool intercept, bool sparse, tested *t) {
    static const int32_t golden_group[GOLDEN_DIM] = {1, 0, 1, 2};
    sustain_regtune_options o = options_of(SUSTAIN_REGTUNE_LOGISTIC, SUSTAIN_REGTUNE_FEATURE, intercept);
    for (int i = 0; i < 3; i++)
        if (strcmp(loss, loss_names[i]) == 0) o.loss = (sustain_regtune_loss)i;
    for (int i = 0; i < 4; i++)
        if (strcmp(penalty, penalty_names[i]) == 0) o.penalty = (sustain_regtune_penalty)i;
    o.group = golden_group;
    o.floor = 0.03125;
    golden_data(o.loss);
    const sustain_rows training = rows_from(&sets[1], GOLDEN_TRAINING, GOLDEN_DIM, sparse),
                       validation = rows_from(&sets[0], GOLDEN_VALIDATION, GOLDEN_DIM, sparse);
    start_with(&o, &training, &validation, t);
    sustain_real *z[3] = {t->x, t->y, t->v};
    for (int which = 0; which < 3; which++)
        for (int64_t i = 0; i < (which == 0 ? t->problem->upper_dim : t->problem->lower_dim); i++)
            z[which][i] = (sustain_real)(mixed((uint64_t)which + 10, 3, (uint64_t)i + 1) - 2048) / 2048;
}

/* What a row of the file calls `name`, and how many numbers it has. */
static int64_t golden_value(tested *t, const char *name, double *out) {
    for (int which = 0; which < ORACLES; which++)
        if (strcmp(name, oracle_names[which]) == 0) {
            evaluate(t, which, NULL, out);
            return size_of(t, which);
        }
    sustain_real y[LARGEST] = {0}, gradient[LARGEST];
    double value;
    const sustain_status status = sustain_outer(t->context, t->problem, NULL, NULL, t->x, is_float ? 1e-6 : 1e-13, y, &value, gradient);
    assert_true(status == SUSTAIN_OK || status == SUSTAIN_NOT_CONVERGED);
    if (strcmp(name, "ell") == 0) {
        out[0] = value;
        return 1;
    }
    assert_string_equal(name, "grad_ell");
    for (int64_t i = 0; i < t->problem->upper_dim; i++) out[i] = (double)gradient[i];
    return t->problem->upper_dim;
}

static void test_golden(void **state) {
    (void)state;
    FILE *file = fopen(SUSTAIN_SOURCE_DIR "/tests/golden/regtune.csv", "r");
    assert_non_null(file);
    char line[2048];
    int rows = 0;
    for (; fgets(line, sizeof line, file) != NULL; rows++) {
        char loss[16], penalty[16], name[16];
        int intercept, used;
        assert_int_equal(sscanf(line, "%15[^,],%15[^,],%d,%15[^,]%n", loss, penalty, &intercept, name, &used), 4);
        double expected[LARGEST], got[LARGEST];
        int64_t count = 0;
        for (char *at = line + used; *at == ','; count++) expected[count] = strtod(at + 1, &at);
        for (int sparse = 0; sparse < 2; sparse++) {
            tested t;
            golden_start(loss, penalty, intercept != 0, sparse != 0, &t);
            assert_int_equal(golden_value(&t, name, got), count);
            char what[128];
            snprintf(what, sizeof what, "%s, by %s: %s", loss, penalty, name);
            assert_near(what, count, got, expected, is_float ? 1e-5 : 1e-12);
            finish(&t);
        }
    }
    assert_int_equal(rows, 90);
    fclose(file);
}

/* ---- the exact hypergradient ---- */

static void test_hypergradient(void **state) {
    (void)state;
    tested t;
    for (int i = 0; i < CASES; i++) {
        if (!start(i, &t)) continue;
        const int64_t m = t.problem->upper_dim;
        const double tolerance = is_float ? 1e-6 : 1e-13, length = is_float ? 0.05 : 1e-4;
        double expected[LARGEST], got[LARGEST], value[2];
        sustain_real y[LARGEST] = {0}, gradient[LARGEST];
        sustain_status status = sustain_outer(t.context, t.problem, NULL, NULL, t.x, tolerance, y, value, gradient);
        assert_true(status == SUSTAIN_OK || status == SUSTAIN_NOT_CONVERGED);
        for (int64_t j = 0; j < m; j++) {
            const sustain_real at = t.x[j], end[2] = {(sustain_real)((double)at + length), (sustain_real)((double)at - length)};
            for (int side = 0; side < 2; side++) {
                t.x[j] = end[side];
                status = sustain_outer(t.context, t.problem, NULL, NULL, t.x, tolerance, y, &value[side], NULL);
                assert_true(status == SUSTAIN_OK || status == SUSTAIN_NOT_CONVERGED);
            }
            t.x[j] = at;
            expected[j] = (value[0] - value[1]) / ((double)end[0] - (double)end[1]);
            got[j] = (double)gradient[j];
        }
        assert_near(t.name, m, got, expected, loose());
        finish(&t);
    }
}

/* ---- what is known ---- */

static void test_known(void **state) {
    (void)state;
    tested t;
    for (int i = 0; i < CASES; i++) {
        if (!start(i, &t)) continue;
        const sustain_constants *known = t.problem->known;
        const int64_t n = t.problem->lower_dim;
        assert_true(known->mu_g == 0.03 && known->sigma_fx == 0 && known->L_fx == 0 && isnan(known->L_g));
        const double far = i / 16 == SUSTAIN_REGTUNE_SQUARED ? 1 : 30;
        assert_true(isinf(known->C_fy) == (i / 16 == SUSTAIN_REGTUNE_SQUARED));
        double reached = 0;
        for (int64_t j = 0; j < n; j++) t.y[j] *= (sustain_real)far;
        for (int64_t s = 0; s < TRAINING; s++) {
            const sustain_batch one = {.size = 1, .index = &s};
            double fy[LARGEST], moved[LARGEST], Hv[LARGEST], curvature = 0, length = 0, away = 0;
            evaluate(&t, G_HESS_VEC, &one, Hv);
            for (int64_t j = 0; j < n; j++) curvature += Hv[j] * (double)t.v[j], length += (double)t.v[j] * (double)t.v[j];
            assert_true(curvature >= known->mu_g * length * (1 - tight()));
            if (s >= VALIDATION) continue;
            evaluate(&t, F_GRAD_Y, &one, fy);
            for (int64_t j = 0; j < n; j++) away += fy[j] * fy[j];
            assert_true(sqrt(away) <= known->C_fy * (1 + tight()));
            /* L_fy, near 0: there the loss is curved most */
            sustain_real kept[LARGEST];
            memcpy(kept, t.y, sizeof kept);
            for (int64_t j = 0; j < n; j++) t.y[j] = 0;
            evaluate(&t, F_GRAD_Y, &one, fy);
            for (int64_t j = 0; j < n; j++) t.y[j] = (sustain_real)0.1 * t.v[j];
            evaluate(&t, F_GRAD_Y, &one, moved);
            memcpy(t.y, kept, sizeof kept);
            away = 0;
            for (int64_t j = 0; j < n; j++) away += (moved[j] - fy[j]) * (moved[j] - fy[j]);
            assert_true(sqrt(away) <= known->L_fy * 0.1 * sqrt(length) * (1 + tight()) + 1e-7);
            reached = fmax(reached, sqrt(away) / (known->L_fy * 0.1 * sqrt(length)));
        }
        assert_true(reached > 0.1); /* the bound is not idle */
        finish(&t);
    }
    make_data(SUSTAIN_REGTUNE_LOGISTIC);
    sustain_regtune_options o = options_of(SUSTAIN_REGTUNE_LOGISTIC, SUSTAIN_REGTUNE_FEATURE, false);
    const sustain_rows rows = rows_from(&sets[0], VALIDATION, DIM, false);
    o.floor = 0;
    o.x_0 = -1.5;
    start_with(&o, &rows, &rows, &t);
    assert_true(isnan(t.problem->known->mu_g));
    assert_int_equal(t.problem->ops->initial(t.problem->self, t.x, t.y), 0);
    for (int j = 0; j < DIM; j++) assert_true(t.x[j] == (sustain_real)-1.5 && t.y[j] == 0);
    finish(&t);
}

/* Nothing is clamped: a penalty too large for the format is infinite, and check=on says where. */
static void test_overflow(void **state) {
    (void)state;
    tested t;
    assert_true(start(0, &t));
    sustain_solver *solver;
    t.x[2] = is_float ? 100 : 800;
    assert_int_equal(sustain_solver_create(t.context, "sustain", t.problem, &solver), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(solver, "check", "on"), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(solver, "schedule", "power"), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(solver, "L_g", "1"), SUSTAIN_OK);
    sustain_status status = sustain_solver_start(solver, t.x, t.y);
    if (status == SUSTAIN_OK) status = sustain_solver_step(solver);
    assert_int_equal(status, SUSTAIN_NOT_FINITE);
    assert_non_null(strstr(sustain_error(t.context), "regtune"));
    sustain_solver_destroy(solver);
    finish(&t);
}

/* ---- noise ---- */

enum { NOISY_DIM = 40, NOISY_ROWS = 400, ITERATIONS = 6000 };

/* Even features say something of the label, odd ones nothing: the probability that a noise feature
 * has the larger penalty. */
static double area_under_curve(const sustain_real *x) {
    double pairs = 0, right = 0;
    for (int noise = 1; noise < NOISY_DIM; noise += 2)
        for (int useful = 0; useful < NOISY_DIM; useful += 2) {
            pairs++;
            right += x[noise] > x[useful] ? 1 : x[noise] == x[useful] ? 0.5 : 0;
        }
    return right / pairs;
}

/* From the default start, on data number `seed`. */
static void find_noise(uint32_t seed) {
    static float features[2][NOISY_ROWS * NOISY_DIM];
    static int32_t labels[2][NOISY_ROWS];
    for (uint32_t level = 0; level < 2; level++)
        for (int i = 0; i < NOISY_ROWS; i++) {
            double score = 0;
            for (int j = 0; j < NOISY_DIM; j++) {
                const double a = sustain_random_normal(100 + seed, 60 + level, 0, (uint32_t)(i * NOISY_DIM + j));
                features[level][i * NOISY_DIM + j] = (float)a;
                if (j % 2 == 0) score += (j % 4 == 0 ? 1 : -1) * a;
            }
            labels[level][i] = sustain_random_uniform(200 + seed, level, 0, (uint32_t)i) < 1 / (1 + exp(-score)) ? 1 : -1;
        }
    const sustain_rows training = {.count = NOISY_ROWS, .dim = NOISY_DIM, .values = features[1], .labels = labels[1]};
    const sustain_rows validation = {.count = NOISY_ROWS, .dim = NOISY_DIM, .values = features[0], .labels = labels[0]};
    sustain_regtune_options o = sustain_regtune_defaults();
    sustain_context *context;
    sustain_problem *problem;
    sustain_solver *solver;
    sustain_result result;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain_regtune_create(context, &o, &training, &validation, &problem), SUSTAIN_OK);
    assert_int_equal(sustain_solver_create(context, "sustain", problem, &solver), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(solver, "schedule", "auto"), SUSTAIN_OK);
    if (sustain_solver_run(solver, &(sustain_stopping){.iterations = ITERATIONS}, &result) != SUSTAIN_OK)
        fail_msg("%s", sustain_error(context));
    const double area = area_under_curve(result.x);
    if (!(area > 0.9)) fail_msg("data %u: the penalties tell noise from features with an area of %g only", (unsigned)seed, area);

    /* and the tuned penalties are better than those of the start */
    sustain_real x[NOISY_DIM] = {0}, y[NOISY_DIM] = {0};
    double before = NAN, after = NAN;
    sustain_status status = sustain_outer(context, problem, NULL, NULL, x, 1e-5, y, &before, NULL);
    assert_true(status == SUSTAIN_OK || status == SUSTAIN_NOT_CONVERGED);
    status = sustain_outer(context, problem, NULL, NULL, result.x, 1e-5, y, &after, NULL);
    assert_true(status == SUSTAIN_OK || status == SUSTAIN_NOT_CONVERGED);
    if (!(after < 0.8 * before)) fail_msg("data %u: the validation loss is %g at the start, %g at the end", (unsigned)seed, before, after);
    sustain_solver_destroy(solver);
    sustain_regtune_destroy(problem);
    sustain_context_destroy(context);
}

static void test_noise_is_found(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 6; seed++) find_noise(seed);
}

/* ---- refusals ---- */

typedef struct given {
    sustain_regtune_options options;
    sustain_rows rows[2]; /* training, validation */
} given;

static void good(sustain_regtune_loss loss, bool sparse, given *g) {
    make_data(loss);
    g->options = options_of(loss, loss == SUSTAIN_REGTUNE_SOFTMAX ? SUSTAIN_REGTUNE_CLASS : SUSTAIN_REGTUNE_GROUP, true);
    g->rows[0] = rows_from(&sets[1], TRAINING, DIM, sparse);
    g->rows[1] = rows_from(&sets[0], VALIDATION, DIM, sparse);
}

static void refused(const given *g, const char *sentence) {
    sustain_context *context;
    sustain_problem *problem = (sustain_problem *)(void *)&context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain_regtune_create(context, &g->options, &g->rows[0], &g->rows[1], &problem), SUSTAIN_ARGUMENT);
    assert_null(problem);
    assert_string_equal(sustain_error(context), sentence);
    sustain_context_destroy(context);
}

static void test_refused_options(void **state) {
    (void)state;
    given g;
    static const int32_t wrong_group[DIM] = {0, 1, 2, 3, 0, 0};
#define FRESH good(SUSTAIN_REGTUNE_LOGISTIC, false, &g)
    FRESH, g.rows[0].dim = 0;
    refused(&g, "dim must be at least 1 (it is 0)");
    FRESH, g.rows[0].dim = DIM + 1;
    refused(&g, "the training rows have 7 features, the validation rows 6");
    FRESH, g.rows[0].dim = g.rows[1].dim = INT64_MAX / 2;
    refused(&g, "dim 4611686018427387903 times 1 classes is too large");
    FRESH, g.options.loss = (sustain_regtune_loss)9;
    refused(&g, "there is no loss number 9");
    FRESH, g.options.penalty = (sustain_regtune_penalty)9;
    refused(&g, "there is no penalty number 9");
    FRESH, g.options.penalty = SUSTAIN_REGTUNE_CLASS;
    refused(&g, "a penalty by class needs the softmax loss: others have no classes");
    FRESH, g.options.loss = SUSTAIN_REGTUNE_SOFTMAX, g.options.classes = 1;
    refused(&g, "softmax needs at least 2 classes (there are 1)");
    FRESH, g.options.floor = -1;
    refused(&g, "the floor under the penalties must be 0 or positive, and finite (it is -1)");
    FRESH, g.options.floor = NAN;
    refused(&g, "the floor under the penalties must be 0 or positive, and finite (it is nan)");
    FRESH, g.options.x_0 = 50;
    refused(&g, "x_0, the logarithm of a penalty, must be in -40 .. 40 (it is 50)");
    FRESH, g.options.group = NULL;
    refused(&g, "a penalty by group needs the array `group`; it is NULL");
    FRESH, g.options.groups = 0;
    refused(&g, "there must be at least 1 group (there are 0)");
    FRESH, g.options.group = wrong_group;
    refused(&g, "the group of feature 3 is 3, not one of 0 to 2");
#undef FRESH
    sustain_context *context;
    sustain_problem *problem;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain_regtune_create(context, NULL, &g.rows[0], &g.rows[1], &problem), SUSTAIN_ARGUMENT);
    assert_string_equal(sustain_error(context), "the options are NULL");
    good(SUSTAIN_REGTUNE_LOGISTIC, false, &g);
    assert_int_equal(sustain_regtune_create(context, &g.options, &g.rows[0], NULL, &problem), SUSTAIN_ARGUMENT);
    assert_string_equal(sustain_error(context), "the validation rows are NULL");
    sustain_context_destroy(context);
    sustain_regtune_destroy(NULL);
}

static void test_refused_rows(void **state) {
    (void)state;
    given g;
#define DENSE good(SUSTAIN_REGTUNE_LOGISTIC, false, &g)
    DENSE, g.rows[0].count = 0;
    refused(&g, "there must be at least one training row (there are 0)");
    DENSE, g.rows[0].count = INT64_MAX / 2;
    refused(&g, "4611686018427387903 dense training rows of 6 columns are too many");
    DENSE, g.rows[1].values = NULL;
    refused(&g, "the values or columns of the validation rows are NULL");
    DENSE, g.rows[1].labels = NULL;
    refused(&g, "the labels of the validation rows are NULL");
    DENSE, sets[1].labels[3] = 0;
    refused(&g, "the label of training row 3 is 0, not -1 or 1");
    DENSE, sets[0].dense[2 * DIM + 5] = NAN;
    refused(&g, "the feature in column 5 of validation row 2 is not finite (NaN or infinite)");
    good(SUSTAIN_REGTUNE_SOFTMAX, false, &g), sets[0].labels[7] = CLASSES;
    refused(&g, "the label of validation row 7 is 3, not one of 0 to 2");
    good(SUSTAIN_REGTUNE_SOFTMAX, false, &g), sets[0].labels[7] = -1;
    refused(&g, "the label of validation row 7 is -1, not one of 0 to 2");
    good(SUSTAIN_REGTUNE_SQUARED, false, &g), sets[1].targets[1] = INFINITY;
    refused(&g, "the target of training row 1 is not finite (NaN or infinite)");
    good(SUSTAIN_REGTUNE_SQUARED, false, &g), g.rows[0].targets = NULL;
    refused(&g, "the targets of the training rows are NULL");
#undef DENSE
}

static void test_refused_sparse(void **state) {
    (void)state;
    given g;
    char sentence[128];
#define SPARSE good(SUSTAIN_REGTUNE_LOGISTIC, true, &g)
    SPARSE, sets[1].start[0] = -2;
    refused(&g, "the first row pointer of the training rows is negative, -2");
    SPARSE, sets[1].start[9] = 2;
    snprintf(sentence, sizeof sentence, "row pointer 9 of the training rows, 2, is less than the one before, %lld",
             (long long)sets[1].start[8]);
    refused(&g, sentence);
    SPARSE, g.rows[0].columns = NULL;
    refused(&g, "the values or columns of the training rows are NULL");
    SPARSE;
    const int64_t at = sets[1].start[2]; /* a row of at least two entries */
    assert_true(sets[1].start[3] >= at + 2);
    sets[1].columns[at + 1] = DIM;
    refused(&g, "a column of training row 2 is 6, not one of 0 to 5");
    SPARSE, sets[1].columns[at] = -1;
    refused(&g, "a column of training row 2 is -1, not one of 0 to 5");
    SPARSE, sets[1].columns[at] = 1, sets[1].columns[at + 1] = 1;
    refused(&g, "training row 2 has column 1 twice: add the values up");
    SPARSE, sets[1].columns[at] = 4, sets[1].columns[at + 1] = 1;
    refused(&g, "the columns of training row 2 are not sorted: 1 comes after 4");
    SPARSE, sets[1].values[at] = NAN;
    snprintf(sentence, sizeof sentence, "the feature in column %ld of training row 2 is not finite (NaN or infinite)",
             (long)sets[1].columns[at]);
    refused(&g, sentence);
#undef SPARSE
}

/* Rows without any entry are rows: only the intercept sees them. */
static void test_nothing_but_zeros(void **state) {
    (void)state;
    const int64_t zeros[TRAINING + 1] = {0};
    given g;
    tested t;
    good(SUSTAIN_REGTUNE_LOGISTIC, true, &g);
    g.rows[0].start = zeros, g.rows[0].values = NULL, g.rows[0].columns = NULL;
    start_with(&g.options, &g.rows[0], &g.rows[1], &t);
    double gy[LARGEST], w[DIM];
    evaluate(&t, G_GRAD_Y, NULL, gy);
    for (int j = 0; j < DIM; j++) w[j] = (0.03 + exp((double)t.x[group[j]])) * (double)t.y[j];
    assert_near("the penalties alone", DIM, gy, w, tight());
    finish(&t);
}

/* More features than are worked on together, on rows without entries: the penalties alone, one by
 * one. */
static void test_many_features(void **state) {
    (void)state;
    enum { MANY = 601, TAKEN = 50 };
    static int32_t groups_of[MANY];
    static sustain_real x[MANY], y[MANY * CLASSES], v[MANY * CLASSES], Hv[MANY * CLASSES], cross[MANY];
    const int64_t zeros[2] = {0, 0};
    const int32_t label = 1;
    const sustain_rows rows = {.count = 1, .dim = MANY, .start = zeros, .labels = &label};
    for (int i = 0; i < 7; i++) {
        tested t;
        const bool softmax = i >= 3;
        const sustain_regtune_penalty penalty =
            softmax ? (sustain_regtune_penalty)(i - 3)
                    : (sustain_regtune_penalty[]){SUSTAIN_REGTUNE_FEATURE, SUSTAIN_REGTUNE_GROUP, SUSTAIN_REGTUNE_SINGLE}[i];
        sustain_regtune_options o = options_of(softmax ? SUSTAIN_REGTUNE_SOFTMAX : SUSTAIN_REGTUNE_LOGISTIC, penalty, false);
        const int width = softmax ? CLASSES : 1;
        o.group = groups_of, o.groups = TAKEN;
        for (int j = 0; j < MANY; j++) groups_of[j] = (j * 37) % TAKEN;
        assert_int_equal(sustain_context_create(&t.context), SUSTAIN_OK);
        assert_int_equal(sustain_regtune_create(t.context, &o, &rows, &rows, &t.problem), SUSTAIN_OK);
        assert_int_equal(sustain__oracle_create(t.context, t.problem, 1, false, &t.oracle), SUSTAIN_OK);
        random_vector(1, t.problem->upper_dim, x);
        random_vector(2, t.problem->lower_dim, y);
        random_vector(3, t.problem->lower_dim, v);
        assert_int_equal(sustain__g_hess_vec(&t.oracle, NULL, x, y, v, Hv), SUSTAIN_OK);
        assert_int_equal(sustain__g_cross_vec(&t.oracle, NULL, x, y, v, cross), SUSTAIN_OK);
        double sum[MANY] = {0};
        for (int j = 0; j < MANY; j++)
            for (int k = 0; k < width; k++) {
                const int at = k * MANY + j, of[4] = {j, groups_of[j], k, 0}, own = of[penalty];
                const double expected = (o.floor + exp((double)x[own])) * (double)v[at];
                assert_true(fabs((double)Hv[at] - expected) <= tight() * fmax(1, fabs(expected)));
                sum[own] += exp((double)x[own]) * (double)y[at] * (double)v[at];
            }
        for (int64_t j = 0; j < t.problem->upper_dim; j++) assert_true(fabs((double)cross[j] - sum[j]) <= tight() * fmax(1, fabs(sum[j])));
        finish(&t);
    }
}

/* ---- failing allocations ---- */

static void test_allocations(void **state) {
    (void)state;
    given g;
    good(SUSTAIN_REGTUNE_SOFTMAX, true, &g);
    sustain_status status = SUSTAIN_MEMORY;
    int64_t failures = 0;
    for (int64_t fail_at = 1; status != SUSTAIN_OK; fail_at++) {
        failing_allocator_state allocator = {0, 0, 0};
        sustain_context *context;
        sustain_problem *problem;
        assert_int_equal(sustain_context_create_with(failing_allocator, &allocator, &context), SUSTAIN_OK);
        allocator.fail_at = allocator.calls + fail_at;
        status = sustain_regtune_create(context, &g.options, &g.rows[0], &g.rows[1], &problem);
        if (status != SUSTAIN_OK) {
            failures++;
            assert_int_equal(status, SUSTAIN_MEMORY);
            assert_null(problem);
            assert_int_equal(allocator.live, 1); /* the context */
        }
        sustain_regtune_destroy(problem);
        sustain_context_destroy(context);
        assert_int_equal(allocator.live, 0);
    }
    assert_true(failures > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),     cmocka_unit_test(test_checker),
        cmocka_unit_test(test_far_out),         cmocka_unit_test(test_dense_is_sparse),
        cmocka_unit_test(test_purity),          cmocka_unit_test(test_means),
        cmocka_unit_test(test_tables),          cmocka_unit_test(test_golden),
        cmocka_unit_test(test_hypergradient),   cmocka_unit_test(test_known),
        cmocka_unit_test(test_overflow),        cmocka_unit_test(test_noise_is_found),
        cmocka_unit_test(test_refused_options), cmocka_unit_test(test_refused_rows),
        cmocka_unit_test(test_refused_sparse),  cmocka_unit_test(test_nothing_but_zeros),
        cmocka_unit_test(test_many_features),   cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
