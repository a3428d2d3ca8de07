/* test_correlate.c - the loops of convolutions, those for any processor and those for this one,
 * against sums written down as they are; numbers of outputs around the size of a tile, rows around
 * the size of a vector. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include <sustain/random.h>

#include "nn/correlate.h"

static sustain_real *numbers(int64_t count, uint32_t stream) {
    sustain_real *out = malloc((size_t)count * sizeof *out);
    assert_non_null(out);
    for (int64_t i = 0; i < count; i++) out[i] = (sustain_real)sustain_random_normal(1, stream, 0, (uint32_t)i);
    return out;
}

static void assert_near(sustain_real found, double expected) {
    const double bound = sizeof found == 8 ? 1e-11 : 1e-3;
    if (!(fabs((double)found - expected) <= bound)) fail_msg("%.9g is not %.9g", (double)found, expected);
}

static void check_values(const sustain__correlation *c, const sustain_real *from, const sustain_real *w, const sustain_real *to) {
    for (int64_t o = 0; o < c->out; o++)
        for (int64_t p = 0; p < c->plane; p++) {
            double sum = 0;
            for (int64_t i = 0; i < c->in; i++)
                for (int64_t t = 0; t < 9; t++)
                    sum += (double)w[(o * c->in + i) * 9 + t] * (double)from[i * c->from_plane + p + t / 3 * c->row + t % 3];
            assert_near(to[o * c->plane + p], sum);
        }
}

/* dw began as w. */
static void check_products(const sustain__correlation *c, const sustain_real *from, const sustain_real *d, const sustain_real *w,
                           const sustain_real *dw) {
    for (int64_t o = 0; o < c->out; o++)
        for (int64_t i = 0; i < c->in; i++)
            for (int64_t t = 0; t < 9; t++) {
                const int64_t at = (o * c->in + i) * 9 + t;
                double sum = (double)w[at];
                for (int64_t p = 0; p < c->plane; p++)
                    sum += (double)d[o * c->plane + p] * (double)from[i * c->from_plane + p + t / 3 * c->row + t % 3];
                assert_near(dw[at], sum);
            }
}

static void check(const sustain__correlate *loops, const sustain__correlation *c) {
    const int64_t read = (c->in - 1) * c->from_plane + c->plane + 2 * c->row + 2, weights = c->out * c->in * 9;
    sustain_real *from = numbers(read, 1), *w = numbers(weights, 2), *dw = numbers(weights, 2), *d = numbers(c->out * c->plane, 3),
                 *to = numbers(c->out * c->plane, 4);
    loops->values(c, from, w, to);
    check_values(c, from, w, to);
    loops->products(c, from, d, dw);
    check_products(c, from, d, w, dw);
    sustain_real *const all[] = {from, w, dw, d, to};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
}

static void test_shapes(void **state) {
    (void)state;
    const sustain__correlate *const kinds[] = {&sustain__correlate_any, sustain__correlate_best()};
    const int64_t shapes[][4] = {{1, 1, 3, 16}, {2, 3, 7, 48}, {3, 4, 18, 80}, {3, 5, 34, 144}, {1, 8, 44, 2064}}; /* in, out, row, plane */
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            const int64_t *s = shapes[i];
            check(kinds[k], &(sustain__correlation){s[0], s[1], s[2], s[3] + 2 * s[2] + 5, s[3]});
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
