/* test_linear_loss.c - the losses of linear models: derivatives against differences, blocks against
 * rows, bounds, extreme scores. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sustain/random.h>

#include "core/linear_loss.h"

enum { MOST = 5, ROWS = 70 };

static const sustain__loss *const losses[] = {&sustain__loss_logistic, &sustain__loss_softmax, &sustain__loss_squared, &sustain__loss_huber,
                                              &sustain__loss_poisson};
enum { LOSSES = sizeof losses / sizeof *losses };

static int64_t scores_of(const sustain__loss *loss) {
    return loss->labels == SUSTAIN__LABELS_CLASSES ? MOST : 1;
}

static double truth_of(const sustain__loss *loss, int64_t i) {
    const int64_t drawn = sustain_random_index(1, 2, 0, (uint32_t)i, MOST);
    return loss->labels == SUSTAIN__LABELS_SIGNS ? (drawn % 2 == 0 ? -1 : 1) : (double)drawn;
}

static double normal(int64_t i, int64_t k) {
    return sustain_random_normal(1, 1, (uint64_t)i, (uint32_t)k);
}

/* r and C u of one row against central differences of the value and of r. */
static void test_derivatives(void **state) {
    (void)state;
    const double h = 1e-5;
    for (int l = 0; l < LOSSES; l++)
        for (int64_t i = 0; i < ROWS; i++) {
            const int64_t n = scores_of(losses[l]);
            const double t = truth_of(losses[l], i);
            double s[MOST], r[MOST], p[MOST], u[MOST], product[MOST];
            for (int64_t k = 0; k < n; k++) r[k] = s[k] = 2 * normal(i, k), product[k] = u[k] = normal(i, MOST + k);
            sustain__loss_residual(losses[l], n, t, r, p);
            sustain__loss_curve(losses[l], n, p, product);
            double plus[MOST], minus[MOST], scratch[MOST];
            for (int64_t k = 0; k < n; k++) {
                for (int64_t j = 0; j < n; j++) plus[j] = minus[j] = s[j];
                plus[k] += h, minus[k] -= h;
                const double slope = (sustain__loss_value(losses[l], n, plus, t) - sustain__loss_value(losses[l], n, minus, t)) / (2 * h);
                assert_true(fabs(slope - r[k]) <= 1e-8 * (1 + fabs(slope)));
                sustain__loss_residual(losses[l], n, t, plus, scratch);
                sustain__loss_residual(losses[l], n, t, minus, scratch);
                const double bend = (plus[k] - minus[k]) / (2 * h);
                assert_true(fabs(bend - sustain__loss_diagonal(losses[l], p[k])) <= 1e-8 * (1 + fabs(bend)));
            }
            for (int64_t k = 0; k < n; k++) plus[k] = s[k] + h * u[k], minus[k] = s[k] - h * u[k];
            sustain__loss_residual(losses[l], n, t, plus, scratch);
            sustain__loss_residual(losses[l], n, t, minus, scratch);
            for (int64_t k = 0; k < n; k++) assert_true(fabs((plus[k] - minus[k]) / (2 * h) - product[k]) <= 1e-8 * (1 + fabs(product[k])));
        }
}

/* A block in sustain_real against its rows in double; the sum of the values against the values. */
static void test_blocks(void **state) {
    (void)state;
    const double rounding = 16 * (sizeof(sustain_real) == sizeof(double) ? DBL_EPSILON : (double)FLT_EPSILON);
    for (int l = 0; l < LOSSES; l++) {
        const int64_t n = scores_of(losses[l]);
        sustain_real r[ROWS * MOST], s[ROWS * MOST], u[ROWS * MOST];
        double t[ROWS], wide[ROWS * MOST], sum = 0;
        for (int64_t i = 0; i < ROWS; i++) {
            t[i] = truth_of(losses[l], i);
            for (int64_t k = 0; k < n; k++) {
                r[i * n + k] = s[i * n + k] = (sustain_real)(3 * normal(i, k));
                u[i * n + k] = (sustain_real)normal(i, MOST + k);
                wide[i * n + k] = (double)s[i * n + k];
            }
            sum += sustain__loss_value(losses[l], n, wide + i * n, t[i]);
        }
        if (n == 1) assert_true(fabs(sustain__loss_values(losses[l], ROWS, wide, t) - sum) <= 1e-12 * fabs(sum));
        sustain_real given[ROWS * MOST];
        for (int64_t i = 0; i < ROWS * n; i++) given[i] = u[i];
        sustain__loss_residuals(losses[l], ROWS, n, t, r);
        sustain__loss_curves(losses[l], ROWS, n, t, s, u);
        for (int64_t i = 0; i < ROWS; i++) {
            double own[MOST], p[MOST], product[MOST];
            for (int64_t k = 0; k < n; k++) own[k] = wide[i * n + k], product[k] = (double)given[i * n + k];
            sustain__loss_residual(losses[l], n, t[i], own, p);
            sustain__loss_curve(losses[l], n, p, product);
            for (int64_t k = 0; k < n; k++) {
                assert_true(fabs((double)r[i * n + k] - own[k]) <= rounding * (1 + fabs(own[k]) + t[i]));
                assert_true(fabs((double)u[i * n + k] - product[k]) <= rounding * (1 + fabs(product[k])));
            }
        }
    }
}

/* Several models beside each other, with room after them that is left alone; with and without the
 * logarithm. */
static void test_softmax_rows(void **state) {
    (void)state;
    enum { MODELS = 2, STRIDE = MODELS * MOST + 3 };
    const double rounding = 16 * (sizeof(sustain_real) == sizeof(double) ? DBL_EPSILON : (double)FLT_EPSILON);
    for (int logarithm = 0; logarithm < 2; logarithm++) {
        sustain_real s[ROWS * STRIDE], before[ROWS * STRIDE];
        double log_sum[ROWS * MODELS];
        for (int64_t i = 0; i < ROWS * STRIDE; i++) s[i] = before[i] = (sustain_real)(40 * normal(i, 3));
        sustain__softmax(ROWS, STRIDE, MODELS, MOST, s, logarithm ? log_sum : NULL);
        for (int64_t i = 0; i < ROWS; i++) {
            for (int64_t k = MODELS * MOST; k < STRIDE; k++) assert_true(s[i * STRIDE + k] == before[i * STRIDE + k]);
            for (int64_t m = 0; m < MODELS; m++) {
                double row[MOST];
                for (int64_t k = 0; k < MOST; k++) row[k] = (double)before[i * STRIDE + m * MOST + k];
                const double whole = sustain__softmax_row(MOST, row);
                for (int64_t k = 0; k < MOST; k++) assert_true(fabs((double)s[i * STRIDE + m * MOST + k] - row[k]) <= rounding);
                if (logarithm) assert_true(fabs(log_sum[i * MODELS + m] - whole) <= rounding * (1 + fabs(whole)));
            }
        }
    }
}

/* The norm of r and the eigenvalues of C stay within the bounds, and come close to them; scores of
 * any size give finite numbers. */
static void test_bounds(void **state) {
    (void)state;
    for (int l = 0; l < 3; l++) {
        const int64_t n = scores_of(losses[l]);
        double steepest = 0, sharpest = 0;
        for (int64_t i = 0; i < 4000; i++) {
            const double scale = i % 2 == 0 ? 0.1 : 700;
            double s[MOST], p[MOST], u[MOST], rr = 0, uu = 0, uCu = 0;
            for (int64_t k = 0; k < n; k++) s[k] = scale * normal(i, k), u[k] = normal(i, MOST + k);
            if (n > 1 && i % 4 == 0) s[0] = s[1] = 20, u[0] = 1, u[1] = -1, u[2] = u[3] = u[4] = 0; /* C is sharpest there */
            const double t = truth_of(losses[l], i);
            assert_true(isfinite(sustain__loss_value(losses[l], n, s, t)));
            sustain__loss_residual(losses[l], n, t, s, p);
            double product[MOST];
            for (int64_t k = 0; k < n; k++) product[k] = u[k], rr += s[k] * s[k];
            sustain__loss_curve(losses[l], n, p, product);
            for (int64_t k = 0; k < n; k++) uu += u[k] * u[k], uCu += u[k] * product[k];
            steepest = fmax(steepest, sqrt(rr)), sharpest = fmax(sharpest, uCu / uu);
        }
        assert_true(steepest <= losses[l]->steepest * (1 + 1e-12));
        assert_true(sharpest <= losses[l]->sharpest * (1 + 1e-12) && sharpest >= 0.99 * losses[l]->sharpest);
        if (isfinite(losses[l]->steepest)) assert_true(steepest >= 0.99 * losses[l]->steepest);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_softmax_rows),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
