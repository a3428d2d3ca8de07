/* test_differenced.c - second derivatives by differences, against those of the problem. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "conformance.h"
#include "core/vector.h"
#include "oracle/draw.h"
#include "oracle/oracle.h"
#include "wrap/differenced.h"

/* The products at a random point, of a draw and of the whole; dense through the oracle, so that
 * compact outputs are seen too. */
static void check(sustain_context *context, const sustain_problem *problem, bool whole) {
    enum { BATCH = 6, MOST = 64 };
    const double tolerance = sizeof(sustain_real) == sizeof(double) ? 1e-8 : 1e-2;
    sustain__differenced differenced;
    sustain__oracle truth, oracle;
    int64_t index[BATCH];
    sustain__differenced_init(&differenced, problem);
    assert_int_equal(sustain__oracle_create(context, problem, BATCH, false, &truth), SUSTAIN_OK);
    assert_int_equal(sustain__oracle_create(context, &differenced.wrapper.problem, BATCH, false, &oracle), SUSTAIN_OK);
    const sustain__sampler sampler = {.problem = problem, .seed = 3};
    const sustain_batch draw = sustain__draw(&sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, 0, BATCH, index), *zeta = whole ? NULL : &draw;
    for (uint32_t trial = 0; trial < 10; trial++) {
        sustain_real x[MOST], y[MOST], v[MOST], expected[MOST], out[MOST];
        const double longer = pow(10, (double)trial - 5);
        for (uint32_t i = 0; i < MOST; i++) {
            x[i] = (sustain_real)sustain_random_normal(1, 1, trial, i);
            y[i] = (sustain_real)sustain_random_normal(1, 2, trial, i);
            v[i] = (sustain_real)(longer * sustain_random_normal(1, 3, trial, i));
        }
        assert_int_equal(sustain__g_hess_vec(&truth, zeta, x, y, v, expected), SUSTAIN_OK);
        assert_int_equal(sustain__g_hess_vec(&oracle, zeta, x, y, v, out), SUSTAIN_OK);
        assert_true(sustain__distance(problem->lower_dim, expected, out) <= tolerance * sustain__norm(problem->lower_dim, expected));
        assert_int_equal(sustain__g_cross_vec(&truth, zeta, x, y, v, expected), SUSTAIN_OK);
        assert_int_equal(sustain__g_cross_vec(&oracle, zeta, x, y, v, out), SUSTAIN_OK);
        assert_true(sustain__distance(problem->upper_dim, expected, out) <= tolerance * sustain__norm(problem->upper_dim, expected));
        sustain__zero(MOST, v);
        assert_int_equal(sustain__g_hess_vec(&oracle, zeta, x, y, v, out), SUSTAIN_OK);
        assert_true(sustain__norm(problem->lower_dim, out) == 0);
    }
    sustain__oracle_destroy(&truth);
    sustain__oracle_destroy(&oracle);
}

static void test_products(void **state) {
    (void)state;
    static bench b;
    bench_open(&b);
    for (int i = 0; i < BENCH_PROBLEMS; i++)
        for (int whole = 0; whole < 2; whole++) {
            const char *which;
            check(b.context, bench_problem(&b, i, &which), whole != 0);
        }
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
