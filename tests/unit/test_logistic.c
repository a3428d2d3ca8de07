/* test_logistic.c - the sums of the logistic loss on short rows, of this processor and the plain
 * ones, against sums in double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include <sustain/random.h>

#include "core/logistic.h"

enum { ROWS = 90, MOST = SUSTAIN__SHORT_MOST, DRAWN = 70 };

typedef struct data {
    float values[ROWS * MOST];
    int64_t index[DRAWN];
    sustain_real y[2][MOST], v[2][MOST], out[2][MOST];
} data;

static void start(int64_t stride, double size, data *d) {
    for (int i = 0; i < ROWS * MOST; i++) d->values[i] = (float)sustain_random_normal(3, 1, 0, (uint32_t)i);
    for (int i = 0; i < DRAWN; i++) d->index[i] = sustain_random_index(3, 2, 0, (uint32_t)i, ROWS);
    for (int p = 0; p < 2; p++)
        for (int j = 0; j < MOST; j++) {
            d->y[p][j] = (sustain_real)(size / sqrt((double)stride) * sustain_random_normal(3, 3, (uint64_t)p, (uint32_t)j));
            d->v[p][j] = (sustain_real)sustain_random_normal(3, 4, (uint64_t)p, (uint32_t)j);
            d->out[p][j] = (sustain_real)sustain_random_normal(3, 5, (uint64_t)p, (uint32_t)j);
        }
}

static double product(int64_t n, const float *a, const sustain_real *z) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += (double)a[j] * (double)z[j];
    return sum;
}

static void compare(const sustain__logistic_sum *sum, const data *before, const data *after) {
    const int64_t n = sum->rows->stride;
    const double unit = sizeof(sustain_real) == sizeof(float) ? 1e-5 : 1e-12;
    for (int p = 0; p < 2; p++)
        for (int64_t j = 0; j < MOST; j++) {
            double expected = (double)before->out[p][j], size = 1;
            for (int64_t i = 0; i < sum->count && p < sum->points && j < n; i++) {
                const float *a = sum->rows->values + (sum->index != NULL ? sum->index[i] : sum->first + i) * n;
                const double s = product(n, a, sum->y[p]), e = exp(-fabs(s));
                const double q = sum->v[0] == NULL ? -(s > 0 ? e : 1) / (1 + e) : e / ((1 + e) * (1 + e)) * product(n, a, sum->v[p]);
                expected += sum->factor * q * (double)a[j];
                size += fabs(sum->factor * (double)a[j]) * (1 + fabs(q));
            }
            if (!(fabs((double)after->out[p][j] - expected) <= unit * size))
                fail_msg("stride %d, %d rows, %d points: %.9g instead of %.9g", (int)n, (int)sum->count, sum->points,
                         (double)after->out[p][j], expected);
        }
}

/* Scores of usual size, and some that no exponential of a float holds. */
static void check(sustain__logistic_adds *add) {
    static const int64_t strides[] = {8, 16, 24, 32, 40, 64}, counts[] = {0, 1, 3, 31, 32, 33, 70};
    static data d, before;
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int form = 0; form < 16; form++) {
                start(strides[i], form / 8 == 0 ? 2 : 200, &d);
                const sustain__short_rows rows = {d.values, strides[i]};
                sustain__logistic_sum sum = {.rows = &rows, .first = 7, .count = counts[c], .points = 1 + form % 2, .factor = 0.3};
                if (form / 2 % 2 == 0) sum.index = d.index;
                for (int p = 0; p < sum.points; p++) {
                    sum.y[p] = d.y[p];
                    sum.v[p] = form / 4 % 2 == 0 ? NULL : d.v[p];
                    sum.out[p] = d.out[p];
                }
                sum.next_rows = &rows;
                sum.next = form % 2 == 0 ? d.index : NULL;
                sum.next_count = 5;
                before = d;
                add(&sum);
                compare(&sum, &before, &d);
            }
}

static void test_plain(void **state) {
    (void)state;
    check(sustain__logistic_plain);
}

static void test_best(void **state) {
    (void)state;
    check(sustain__logistic_best());
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_best)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
