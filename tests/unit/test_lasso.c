/* test_lasso.c - the lasso and the elastic net: models against scikit-learn's
 * (tests/golden/lasso.py), conditions of optimality for all losses, hypergradients on the support
 * against differences, the smallest penalty for which all weights are 0. */
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

#include "jobs/lasso_fit.h"
#include "problems/regtune_internal.h"

enum { ROWS = 60, DIM = 8, CLASSES = 3, MOST = (DIM + 1) * CLASSES, FITTED = 45 };

typedef struct fixture {
    sustain_context *context;
    float values[ROWS * DIM];
    double truth[ROWS];
    int32_t order[ROWS];
    sustain__fit_rows rows;
    sustain__columns columns;
    sustain__fit_part all, first, rest;
    sustain__lasso *fit;
} fixture;

/* The rows of tests/golden/lasso.py. */
static void fill(fixture *f, sustain_regtune_loss loss) {
    static const double w[DIM] = {2, -1.5, 1, 0, 0, 0, 0, 0.3};
    for (int i = 0; i < ROWS; i++) {
        const double noise = cos(7.7 * i * i);
        double score = 0.5;
        for (int j = 0; j < DIM; j++) {
            f->values[i * DIM + j] = (float)sin(1.3 * i + 2.1 * j * j + 0.1 * i * j);
            score += w[j] * (double)f->values[i * DIM + j];
        }
        const double third = (double)f->values[i * DIM + 3];
        f->truth[i] = loss == SUSTAIN_REGTUNE_LOGISTIC  ? (score + 1.5 * noise > 0.5 ? 1 : -1)
                      : loss == SUSTAIN_REGTUNE_SOFTMAX ? (score + noise > 1   ? 2
                                                           : third + noise > 0 ? 1
                                                                               : 0)
                      : loss == SUSTAIN_REGTUNE_POISSON ? floor(exp(0.3 * (score + noise)))
                                                        : (double)(float)(score + noise);
        f->order[i] = i;
    }
}

static void open_fit(fixture *f, sustain_regtune_loss loss, bool part) {
    assert_int_equal(sustain_context_create(&f->context), SUSTAIN_OK);
    fill(f, loss);
    f->rows = (sustain__fit_rows){.rows = {.count = ROWS, .dim = DIM, .values = f->values},
                                  .loss = sustain__regtune_loss_number((int)loss),
                                  .width = loss == SUSTAIN_REGTUNE_SOFTMAX ? CLASSES : 1,
                                  .intercept = true,
                                  .truth = f->truth,
                                  .total = ROWS};
    f->all = (sustain__fit_part){.row = f->order, .count = ROWS};
    f->first = (sustain__fit_part){.row = f->order, .count = FITTED};
    f->rest = (sustain__fit_part){.row = f->order + FITTED, .count = ROWS - FITTED};
    assert_int_equal(
        sustain__columns_create(f->context, f->rows.rows.count, f->rows.rows.dim, true, sustain__row_of_rows, &f->rows.rows, &f->columns),
        SUSTAIN_OK);
    assert_int_equal(sustain__lasso_create(f->context, &f->rows, &f->columns, part ? &f->first : &f->all, &f->fit), SUSTAIN_OK);
}

static void close_fit(fixture *f) {
    sustain__lasso_destroy(f->context, f->fit);
    sustain__columns_free(f->context, &f->columns);
    sustain_context_destroy(f->context);
}

static void set_penalties(fixture *f, double l1, double l2) {
    for (int64_t e = 0; e < DIM * f->rows.width; e++) {
        f->fit->l1[e] = l1;
        f->fit->l2[e] = l2;
    }
}

static void test_golden(void **state) {
    (void)state;
    static const char *const names[] = {"logistic", "softmax", "squared"};
    FILE *file = fopen("tests/golden/lasso.csv", "r");
    char line[1024], name[16];
    int rows = 0, used;
    assert_non_null(file);
    for (; fgets(line, sizeof line, file) != NULL; rows++) {
        fixture f;
        double share, mean = 0;
        int loss = 0;
        assert_int_equal(sscanf(line, "%15[^,],%lf%n", name, &share, &used), 2);
        while (strcmp(name, names[loss]) != 0) loss++;
        open_fit(&f, (sustain_regtune_loss)loss, false);
        const double penalty = loss == SUSTAIN_REGTUNE_SQUARED ? 0.1 : 0.05;
        set_penalties(&f, share * penalty, (1 - share) * penalty);
        assert_true(sustain__lasso_minimize(f.fit, 1e-15));
        for (int64_t k = 0; loss == SUSTAIN_REGTUNE_SOFTMAX && k < CLASSES; k++) mean += f.fit->y[DIM * CLASSES + k] / CLASSES;
        const char *at = line + used;
        for (int64_t e = 0; e < sustain__fit_size(&f.rows); e++) {
            char *end;
            const double expected = strtod(at + 1, &end), own = f.fit->y[e] - (e >= DIM * f.rows.width ? mean : 0);
            if (!(fabs(own - expected) <= 2e-6)) fail_msg("%s, share %g: number %d is %.8f, not %.8f", name, share, (int)e, own, expected);
            at = end;
        }
        close_fit(&f);
    }
    assert_int_equal(rows, 6);
    fclose(file);
}

/* The derivative of the data's part by each coordinate, written again for the test. */
static void slopes_of(const fixture *f, const sustain__fit_part *part, double *out) {
    const int64_t width = f->rows.width;
    memset(out, 0, MOST * sizeof *out);
    for (int64_t at = 0; at < part->count; at++) {
        const int64_t i = part->row[at];
        double s[CLASSES], state[CLASSES];
        for (int64_t k = 0; k < width; k++) {
            s[k] = f->fit->y[DIM * width + k];
            for (int64_t j = 0; j < DIM; j++) s[k] += (double)f->values[i * DIM + j] * f->fit->y[j * width + k];
        }
        sustain__loss_residual(f->rows.loss, width, f->truth[i], s, state);
        for (int64_t k = 0; k < width; k++) {
            for (int64_t j = 0; j < DIM; j++) out[j * width + k] += (double)f->values[i * DIM + j] * s[k] / ROWS;
            out[DIM * width + k] += s[k] / ROWS;
        }
    }
}

/* slope + p y + q sign(y) = 0 where y is not 0, |slope| <= q where it is; along a path, each from
 * the last. */
static void test_optimality(void **state) {
    (void)state;
    static const double path[] = {0.3, 0.2, 0.1, 0.02, 0.004, 0.05};
    for (int loss = 0; loss < 5; loss++) {
        fixture f;
        open_fit(&f, (sustain_regtune_loss)loss, true);
        int64_t zeros[sizeof path / sizeof *path] = {0};
        for (size_t at = 0; at < sizeof path / sizeof *path; at++) {
            double slope[MOST];
            set_penalties(&f, path[at], at % 2 == 0 ? 1e-9 : path[at]);
            assert_true(sustain__lasso_minimize(f.fit, 1e-14));
            slopes_of(&f, &f.first, slope);
            for (int64_t e = 0; e < sustain__fit_size(&f.rows); e++) {
                const double y = f.fit->y[e], q = e < DIM * f.rows.width ? f.fit->l1[e] : 0, p = e < DIM * f.rows.width ? f.fit->l2[e] : 0;
                const double wrong = y != 0 || q == 0 ? fabs(slope[e] + p * y + q * (y > 0 ? 1 : -1)) : fmax(fabs(slope[e]) - q, 0);
                if (!(wrong <= 3e-6)) fail_msg("loss %d, penalty %g, coordinate %d: off by %g", loss, path[at], (int)e, wrong);
                zeros[at] += y == 0;
            }
        }
        assert_true(zeros[0] > 0 && zeros[0] > zeros[4]);
        close_fit(&f);
    }
}

static double held_loss(fixture *f, const double *log_penalty) {
    const int64_t width = f->rows.width;
    double sum = 0, s[CLASSES];
    for (int64_t j = 0; j < DIM; j++)
        for (int64_t e = j * width; e < (j + 1) * width; e++) {
            f->fit->l1[e] = 0.02 * exp(log_penalty[j]);
            f->fit->l2[e] = 0.01 * exp(log_penalty[DIM + j]);
        }
    assert_true(sustain__lasso_minimize(f->fit, 1e-15));
    for (int64_t at = 0; at < f->rest.count; at++) {
        sustain__fit_scores(&f->rows, f->rest.row[at], f->fit->y, s);
        sum += sustain__loss_value(f->rows.loss, width, s, f->truth[f->rest.row[at]]) / ROWS;
    }
    return sum;
}

static void test_slopes(void **state) {
    (void)state;
    for (int loss = 0; loss < 5; loss++) {
        fixture f;
        double log_penalty[2 * DIM] = {0}, slope[2 * DIM] = {0};
        open_fit(&f, (sustain_regtune_loss)loss, true);
        const double value = held_loss(&f, log_penalty);
        sustain__lasso_slopes(f.fit, &f.rest, 1e-9, slope, slope + DIM);
        assert_true(fabs(f.fit->held_value - value) <= 1e-9);
        for (int64_t j = 0; j < 2 * DIM; j++) {
            const double h = 1e-3;
            log_penalty[j] = h;
            const double above = held_loss(&f, log_penalty);
            log_penalty[j] = -h;
            const double differences = (above - held_loss(&f, log_penalty)) / (2 * h);
            log_penalty[j] = 0;
            if (!(fabs(differences - slope[j]) <= 1e-3 * fabs(slope[j]) + 2e-6))
                fail_msg("loss %d, number %d: %g, by differences %g", loss, (int)j, slope[j], differences);
        }
        close_fit(&f);
    }
}

static void test_largest(void **state) {
    (void)state;
    for (int loss = 0; loss < 5; loss++) {
        fixture f;
        double unit[MOST];
        open_fit(&f, (sustain_regtune_loss)loss, false);
        for (int64_t e = 0; e < MOST; e++) unit[e] = 1 + (double)e / 10;
        set_penalties(&f, 0, 1e-9);
        const double largest = sustain__lasso_largest(f.fit, unit, 1e-14);
        for (int way = -1; way <= 1; way += 2) {
            int64_t others = 0;
            for (int64_t e = 0; e < DIM * f.rows.width; e++) f.fit->l1[e] = largest * unit[e] * (1 + 0.01 * way);
            assert_true(sustain__lasso_minimize(f.fit, 1e-14));
            for (int64_t e = 0; e < DIM * f.rows.width; e++) others += f.fit->y[e] != 0;
            assert_true(way > 0 ? others == 0 : others > 0);
        }
        close_fit(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden), cmocka_unit_test(test_optimality), cmocka_unit_test(test_slopes),
                                       cmocka_unit_test(test_largest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
