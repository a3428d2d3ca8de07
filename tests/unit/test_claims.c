/* test_claims.c - the verdicts of lab/compare_claims.c on curves made up for each rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/compare.h"
#include "lab/power_fit.h"

enum { RUNS = 5, COUNTS = 24 }; /* COUNTS: as many as a claim looks at, so that each has a value of its own */

/* A curve: its mean at a count, and how far a run is from it. */
typedef double (*shape)(int count);

static double flat(int count) {
    (void)count;
    return 0.5;
}

static double little_above(int count) {
    (void)count;
    return 0.505;
}

static double above(int count) {
    (void)count;
    return 0.55;
}

static double falls(int count) {
    return count <= 12 ? 0.4 + 0.02 * count : 0.64 - 0.01 * (count - 12);
}

static double rises(int count) {
    return 0.4 + 0.01 * count;
}

/* Above flat, but below it at the last five counts, or six. */
static double below_at_five(int count) {
    return count > COUNTS - 5 ? 0.4 : 0.5;
}

static double below_at_six(int count) {
    return count > COUNTS - 6 ? 0.4 : 0.5;
}

static double above_but_last(int count) {
    return count == COUNTS ? 0.4 : 0.6;
}

/* Between -1 and 1, the same for every test; steady: a run is as far off at every count. */
static bool steady;
static double noise(int run, int count, int stream) {
    if (steady) count = 0;
    return sin(1e4 * sin(12.9898 * (run + 1) + 78.233 * count + 37.719 * stream));
}

static const compare_claim *claim_of(compare_claim_kind kind, shape one, double one_spread, shape two, double two_spread) {
    static const compare_metric metrics[] = {{.key = "accuracy", .title = "accuracy", .higher = true}};
    static const compare_task task = {.name = "made-up", .metrics = metrics, .metric_count = 1};
    static compare_point points[2][RUNS][COUNTS];
    static compare_series series[2][RUNS];
    static compare_plan plan;
    static compare_result result;
    const compare_claim_row row = {kind, 0, "one", two != NULL ? "two" : NULL, AXIS_ITERATIONS, 0, -1};
    plan = (compare_plan){.task = &task, .runs = RUNS, .panel = {{"", "", ""}}, .panel_count = 1, .claims = &row, .claim_count = 1};
    result = (compare_result){.plan = &plan};
    for (int k = 0; k < (two != NULL ? 2 : 1); k++) {
        compare_entry *entry = &plan.entry[plan.entry_count++];
        snprintf(entry->label, sizeof entry->label, "%s", k == 0 ? "one" : "two");
        result.curve[k] = (compare_curve){.entry = entry, .run = series[k], .runs = RUNS};
        for (int r = 0; r < RUNS; r++) {
            series[k][r] = (compare_series){.point = points[k][r], .count = COUNTS};
            for (int i = 0; i < COUNTS; i++) {
                points[k][r][i].iterations = i + 1;
                points[k][r][i].metric[0] = (k == 0 ? one : two)(i + 1) + (k == 0 ? one_spread : two_spread) * noise(r, i + 1, k);
            }
        }
    }
    compare_claims(&result);
    assert_int_equal(result.claim_count, 1);
    return &result.claim[0];
}

static const char *verdict_of(compare_claim_kind kind, shape one, double one_spread, shape two, double two_spread) {
    return claim_of(kind, one, one_spread, two, two_spread)->verdict;
}

/* The number of runs that would decide; 0: none is named. */
static double runs_named(shape one, double spread) {
    const compare_claim *claim = claim_of(CLAIM_AHEAD, one, spread, flat, spread);
    const char *at = strstr(claim->why, "this spread ");
    return at != NULL ? strtod(at + strlen("this spread "), NULL) : 0;
}

static void test_ahead(void **state) {
    (void)state;
    assert_string_equal(verdict_of(CLAIM_AHEAD, above, 0.01, flat, 0.01), "came out");
    assert_string_equal(verdict_of(CLAIM_AHEAD, flat, 0.01, above, 0.01), "did not come out");
    assert_string_equal(verdict_of(CLAIM_AHEAD, above, 0.5, flat, 0.5), "not decided"); /* the spread is larger than the lead */
    assert_string_equal(verdict_of(CLAIM_AHEAD, flat, 0, flat, 0), "not decided");
    assert_string_equal(verdict_of(CLAIM_AHEAD, below_at_five, 0, flat, 0), "not decided"); /* behind at less than a quarter */
    assert_string_equal(verdict_of(CLAIM_AHEAD, below_at_six, 0, flat, 0), "did not come out");
    assert_string_equal(verdict_of(CLAIM_AHEAD, above_but_last, 0, flat, 0), "not decided"); /* overtaken at the last */
}

/* The least n with t_{n-1} s / sqrt(n) < mean, s over the runs made; equal curves are never
 * decided. */
static void test_runs_that_would_decide(void **state) {
    (void)state;
    double sum = 0, squares = 0;
    int n = RUNS;
    steady = true;
    for (int r = 0; r < RUNS; r++) {
        const double lead = 0.05 + 0.05 * (noise(r, 0, 0) - noise(r, 0, 1));
        sum += lead, squares += lead * lead;
    }
    const double mean = sum / RUNS, deviation = sqrt((squares - RUNS * mean * mean) / (RUNS - 1));
    while (student(n - 1) * deviation / sqrt(n) >= mean) n++;
    assert_in_range(n, RUNS + 1, 100);
    assert_true(runs_named(above, 0.05) == n);
    steady = false;
    assert_true(runs_named(above, 0.01) == 0);
    assert_non_null(strstr(claim_of(CLAIM_AHEAD, flat, 0, flat, 0)->why, "no number of runs would decide"));
}

static void test_on_par(void **state) {
    (void)state;
    assert_string_equal(verdict_of(CLAIM_ON_PAR, little_above, 0.002, flat, 0.002), "came out");
    assert_string_equal(verdict_of(CLAIM_ON_PAR, above, 0.002, flat, 0.002), "did not come out");
    /* Equal means of runs that are far apart tell nothing. */
    assert_string_equal(verdict_of(CLAIM_ON_PAR, flat, 0.03, flat, 0.03), "not decided");
}

static void test_degrades(void **state) {
    (void)state;
    assert_string_equal(verdict_of(CLAIM_DEGRADES, falls, 0.01, NULL, 0), "came out");
    assert_string_equal(verdict_of(CLAIM_DEGRADES, rises, 0.01, NULL, 0), "did not come out");
    assert_string_equal(verdict_of(CLAIM_DEGRADES, flat, 0.002, NULL, 0), "did not come out");
    assert_string_equal(verdict_of(CLAIM_DEGRADES, falls, 1, NULL, 0), "not decided");
}

/* The best of noisy values is better than the last: that alone is no fall. */
static void test_degrades_by_choice(void **state) {
    (void)state;
    assert_string_not_equal(verdict_of(CLAIM_DEGRADES, flat, 0.3, NULL, 0), "came out");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ahead), cmocka_unit_test(test_on_par), cmocka_unit_test(test_degrades),
                                       cmocka_unit_test(test_degrades_by_choice), cmocka_unit_test(test_runs_that_would_decide)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
