/* test_report.c - pages: long curves are thinned without losing what a chart shows, and a page
 * ends, with or without a result, whichever allocation of it fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/report.h"
#include "report/spec.h"

/* ---- long curves ---- */

static const json_t *column(const json_t *spec, const char *key) {
    return json_object_get(json_object_get(json_array_get(json_object_get(spec, "curves"), 0), "values"), key);
}

/* A loss with two spikes, and a value in every thousandth line. */
static json_t *long_curve(int count) {
    json_t *spec = spec_new("curves", "a", "b", 1);
    json_t *values = json_pack("{s:[], s:[], s:[], s:[]}", "iteration", "loss", "rare", "unused");
    spec_axis(spec, "x", "iteration", "iterations", false);
    spec_axis(spec, "y", "loss", "loss", false);
    spec_axis(spec, "y", "rare", "rare", false);
    for (int i = 0; i < count; i++) {
        json_array_append_new(json_object_get(values, "iteration"), json_integer(i));
        json_array_append_new(json_object_get(values, "loss"), json_real(i == 1234 ? 50 : i == 5678 ? -50 : cos(i)));
        json_array_append_new(json_object_get(values, "rare"), i % 1000 == 500 ? json_integer(i) : json_null());
        json_array_append_new(json_object_get(values, "unused"), json_integer(i));
    }
    spec_curve(spec, "c", "line", values);
    return spec;
}

static void test_thinned(void **state) {
    (void)state;
    enum { COUNT = 30000 };
    json_t *spec = long_curve(COUNT);
    const json_t *x = column(spec, "iteration"), *loss = column(spec, "loss"), *rare = column(spec, "rare");
    const size_t length = json_array_size(x);
    double least = INFINITY, most = -INFINITY;
    size_t there = 0;
    assert_in_range(length, 500, 2000);
    assert_int_equal(json_array_size(loss), length);
    assert_int_equal(json_array_size(rare), length);
    assert_null(column(spec, "unused"));
    for (size_t i = 0; i < length; i++) {
        const double value = json_number_value(json_array_get(loss, i));
        const json_int_t at = json_integer_value(json_array_get(x, i));
        assert_true(i == 0 || at > json_integer_value(json_array_get(x, i - 1)));
        assert_true(value == (at == 1234 ? 50 : at == 5678 ? -50 : cos((double)at))); /* points stay together */
        least = fmin(least, value), most = fmax(most, value);
        there += json_is_number(json_array_get(rare, i));
    }
    assert_true(least == -50 && most == 50);
    assert_int_equal(there, COUNT / 1000);
    assert_int_equal(json_integer_value(json_array_get(x, 0)), 0);
    assert_int_equal(json_integer_value(json_array_get(x, length - 1)), COUNT - 1);
    json_decref(spec);
}

static void test_short(void **state) {
    (void)state;
    json_t *spec = long_curve(2000);
    assert_int_equal(json_array_size(column(spec, "loss")), 2000);
    json_decref(spec);
}

/* ---- allocations that fail ---- */

static long before_failure; /* allocations of JSON that succeed */

static void *failing_malloc(size_t size) {
    return before_failure-- > 0 ? malloc(size) : NULL;
}

static void put(const char *folder, const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs(text, to);
    fclose(to);
}

/* More lines than a JSON array has room for at first, with values that are not in all of them. */
static void put_metrics(const char *folder) {
    char text[4096] = "";
    for (int i = 0; i < 40; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "{\"iteration\": %d%s%s}\n", i, i == 1 ? ", \"upper_loss\": 2" : "",
                 i == 30 ? ", \"trusted_accuracy\": 1" : "");
    put(folder, "metrics.jsonl", text);
}

static void take_away(const char *folder) {
    static const char *const names[] = {"config.json", "result.json", "metrics.jsonl", "review.csv", "shown.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    rmdir(folder);
}

/* Whether the page was made. */
static bool make_page(sustain_context *context, const char *folder, FILE *to) {
    char error[REPORT_ERROR];
    report *page = report_read(context, &folder, 1, error);
    if (page != NULL) report_write(to, page);
    report_free(page);
    return page != NULL;
}

static void test_failing_allocations(void **state) {
    (void)state;
    char folder[] = "/tmp/sustain-report-XXXXXX";
    sustain_context *context = NULL;
    FILE *to = fopen("/dev/null", "w");
    bool made = false;
    long n = 0;
    assert_non_null(to);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    put(folder, "config.json", "{\"command\": \"clean\", \"data\": {\"classes\": [\"a\", \"b\"], \"training\": 3}}");
    put(folder, "result.json",
        "{\"estimated_errors\": 2, \"estimated_errors_low\": 1, \"estimated_errors_high\": 3, \"groups\": [{\"name\": \"g\"}],"
        " \"reliability\": [{\"said\": 0.5, \"right\": 0.4}]}");
    put_metrics(folder);
    put(folder, "review.csv",
        "row,given,suggested,weight,quality,is_issue,probability_wrong,group\n1,0,1,0.5,0.1,1,0.9,0\n2,1,1,0.9,0.9,0,0.1,0\n");
    put(folder, "shown.csv", "row,text\n1,hello\n");
    json_set_alloc_funcs(failing_malloc, free);
    for (; !made && n < 100000; n++) {
        before_failure = n;
        made = make_page(context, folder, to) && before_failure > 0;
    }
    json_set_alloc_funcs(malloc, free);
    take_away(folder);
    assert_true(made && n > 100);
    sustain_context_destroy(context);
    fclose(to);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_thinned), cmocka_unit_test(test_short),
                                       cmocka_unit_test(test_failing_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
