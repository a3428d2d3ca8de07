/* test_rates.c - the interval of an exponent, and K that grows smoothly (lab/rates.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "lab/rates.h"

static const rates_row *row_of(const char *name) {
    const rates_row *row;
    for (int i = 0; (row = rates_row_at(i)) != NULL; i++)
        if (strcmp(row->name, name) == 0) return row;
    fail();
    return NULL;
}

/* The mean of K over the seeds is K_0 + 0.455 log(1/e) up to 1/(2 seeds). */
static void test_smooth(void **state) {
    (void)state;
    enum { SEEDS = 20 };
    rates_problem p;
    double factor[RATES_SETTINGS], last = 0;
    assert_int_equal(rates_problem_make(context, RATES_NONCONVEX, false, &p), SUSTAIN_OK);
    for (int i = 0; i < RATES_SETTINGS; i++) factor[i] = 1;
    for (int i = 0; i < RATES_POINTS; i++) {
        const double e = rates_epsilon(RATES_NONCONVEX, i) / rates_epsilon(RATES_NONCONVEX, 0);
        double mean = 0;
        for (int s = 0; s < SEEDS; s++) {
            sustain_solver *solver;
            char text[32];
            assert_int_equal(sustain_solver_create(context, "sustain", p.problem, &solver), SUSTAIN_OK);
            assert_int_equal(rates_set(solver, &row_of("sustain")->theorem[0], factor, e, (s + 0.5) / SEEDS), SUSTAIN_OK);
            sustain_solver_get(solver, "K", text, sizeof text);
            mean += strtod(text, NULL) / SEEDS;
            sustain_solver_destroy(solver);
        }
        assert_true(fabs(mean - (4 + 0.455 * log(1 / e))) < 0.5 / SEEDS + 1e-9);
        assert_true(i == 0 || mean > last);
        last = mean;
    }
    rates_problem_free(&p);
}

/* The bootstrap's interval against what it estimates: the spread of the exponent over sets of
 * seeds. The constants are chosen on other seeds, the same ones each time. */
static void test_interval(void **state) {
    (void)state;
    enum { SETS = 12 };
    double sum = 0, squares = 0, half = 0;
    for (int i = 0; i < SETS; i++) {
        const rates_limits limits = {.runs = 10, .seed = 1000 * i, .budget = 1e6, .points = 3};
        static rates_result r;
        r = (rates_result){.row = row_of("sustain-running"), .kind = RATES_NONCONVEX};
        assert_int_equal(rates_measure(context, &limits, &r), SUSTAIN_OK);
        assert_int_equal(rates_reached(&r), 3);
        sum += r.samples[1].slope, squares += r.samples[1].slope * r.samples[1].slope;
        half += r.samples[1].half / SETS;
    }
    const double mean = sum / SETS, deviation = sqrt((squares - SETS * mean * mean) / (SETS - 1));
    print_message("half %g, 1.96 standard deviations %g\n", half, 1.96 * deviation);
    assert_true(half > 0.5 * 1.96 * deviation && half < 2 * 1.96 * deviation);
}

/* Steps that are powers of epsilon build the exponent in; steps that decay with t do not. */
static void test_built_in(void **state) {
    (void)state;
    assert_true(rates_built_in(&row_of("soba")->theorem[RATES_NONCONVEX]));
    assert_true(rates_built_in(&row_of("sustain")->theorem[RATES_STRONGLY_CONVEX]));
    assert_false(rates_built_in(&row_of("sustain")->theorem[RATES_NONCONVEX]));
    assert_false(rates_built_in(&row_of("f2sa")->theorem[RATES_NONCONVEX]));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smooth), cmocka_unit_test(test_interval), cmocka_unit_test(test_built_in)};
    return cmocka_run_group_tests(tests, open_context, close_context);
}
