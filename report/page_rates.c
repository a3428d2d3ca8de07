/* page_rates.c - the page of `sustain rates`: samples against epsilon, compared with the proved
 * rates. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run_record.h"

static const char *const problems[][3] = {{"nonconvex", "Nonconvex", "the mean of |grad ell(x_t)|² over t < T is at most epsilon"},
                                          {"strongly-convex", "Strongly convex", "ell(x_T) − min ell is at most epsilon"}};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* What is counted, and the fit that belongs to it. */
static const char *const counts[][3] = {{"samples_upper", "samples, upper level", "upper"},
                                        {"samples_lower", "samples, lower level", "lower"},
                                        {"samples", "samples, both levels", NULL},
                                        {"oracle_calls", "oracle calls", "oracle_calls"}};
enum { COUNTS = sizeof counts / sizeof *counts };

/* ---- charts ---- */

static double count_of(const json_t *target, const char *key) {
    if (!json_is_true(json_object_get(target, "reached"))) return (double)NAN;
    if (strcmp(key, "samples") == 0) return run_number(target, "samples_upper") + run_number(target, "samples_lower");
    return run_number(target, key);
}

/* The fitted line: its slope is in the file, and it passes through the mean of the points, as
 * least squares does. */
static json_t *fit_values(const json_t *targets, const char *key, double exponent) {
    double u = 0, v = 0, first = NAN, last = NAN;
    int n = 0;
    size_t i;
    json_t *target, *x = json_array(), *y = json_array();
    json_array_foreach(targets, i, target) {
        const double count = count_of(target, key), at = -log(run_number(target, "epsilon"));
        if (!(count > 0)) continue;
        if (n == 0) first = at;
        u += at, v += log(count), n++, last = at;
    }
    for (int end = 0; end < 2 && n > 1 && !isnan(exponent); end++) {
        const double at = end == 0 ? first : last;
        json_array_append_new(x, json_real(exp(at)));
        json_array_append_new(y, json_real(exp(v / n + exponent * (at - u / n))));
    }
    return json_pack("{s:o, s:o}", "one_over_epsilon", x, key, y);
}

static void add_solver(json_t *spec, const json_t *result) {
    const json_t *targets = json_object_get(result, "targets");
    json_t *values = json_object(), *x = json_array(), *target;
    size_t i;
    json_array_foreach(targets, i, target) json_array_append_new(x, spec_number(1 / run_number(target, "epsilon")));
    json_object_set_new(values, "one_over_epsilon", x);
    for (int k = 0; k < COUNTS; k++) {
        json_t *y = json_array();
        json_array_foreach(targets, i, target) json_array_append_new(y, spec_number(count_of(target, counts[k][0])));
        json_object_set_new(values, counts[k][0], y);
    }
    spec_curve(spec, run_text(result, "solver"), "line", values);
    for (int k = 0; k < COUNTS; k++)
        if (counts[k][2] != NULL)
            spec_curve(spec, "fitted", "fit",
                       fit_values(targets, counts[k][0], run_number(json_object_get(result, counts[k][2]), "exponent")));
}

static void fill_problem(run *r, int problem) {
    size_t i;
    json_t *result;
    json_t *spec = spec_new(problems[problem][0], problems[problem][1],
                            "What each algorithm needs as epsilon falls; thin and dashed: the fitted power law.", 1);
    spec_axis(spec, "x", "one_over_epsilon", "1/epsilon", true);
    for (int k = 0; k < COUNTS; k++) spec_axis(spec, "y", counts[k][0], counts[k][1], true);
    json_array_foreach(json_object_get(r->result, "results"), i, result) if (strcmp(run_text(result, "problem"), problems[problem][0]) == 0)
        add_solver(spec, result);
    if (json_array_size(json_object_get(spec, "curves")) > 0) json_array_append(r->charts, spec);
    json_decref(spec);
}

static void fill_costs(run *r) {
    json_t *spec = spec_new("costs", "time of an iteration", "What an iteration costs as the lower level grows.", 0), *cost, *point;
    size_t i, k;
    spec_axis(spec, "x", "lower_dim", "dimension of y", true);
    spec_axis(spec, "y", "microseconds", "microseconds an iteration", true);
    json_array_foreach(json_object_get(r->result, "costs"), i, cost) {
        json_t *x = json_array(), *y = json_array();
        json_array_foreach(json_object_get(cost, "points"), k, point) {
            json_array_append_new(x, spec_number(run_number(point, "lower_dim")));
            json_array_append_new(y, spec_number(1e6 * run_number(point, "seconds")));
        }
        spec_curve(spec, run_text(cost, "solver"), "line", json_pack("{s:o, s:o}", "lower_dim", x, "microseconds", y));
    }
    if (i > 0) json_array_append(r->charts, spec);
    json_decref(spec);
}

/* The proof is an upper bound: it is consistent with the measurement if the lower end of the
 * confidence interval of the exponent is at or below it. */
static void fill_headline(run *r) {
    int proved = 0, kept = 0;
    size_t i;
    json_t *result;
    json_array_foreach(json_object_get(r->result, "results"), i, result) {
        const double bound = run_number(result, "upper.proved"), low = run_number(result, "upper.low");
        proved += !isnan(bound) && !isnan(low);
        kept += low <= bound;
    }
    if (proved > 0)
        snprintf(r->headline, sizeof r->headline, "Samples grow no faster than is proved: measured in %d of %d cases", kept, proved);
    else
        snprintf(r->headline, sizeof r->headline, "Samples needed, measured beside what is proved");
}

static void fill(run *r) {
    char text[32];
    fill_headline(r);
    run_figure(r, "algorithms and problems", "%zu", json_array_size(json_object_get(r->result, "results")));
    run_figure(r, "seeds", "%.0f", run_number(r->result, "runs"));
    run_figure(r, "oracle calls for each, at most", "%s", html_grouped(run_number(r->result, "budget"), text));
    run_figure(r, "run time", "%s", run_duration(run_number(r->result, "seconds"), text));
    for (int problem = 0; problem < PROBLEMS; problem++) fill_problem(r, problem);
    fill_costs(r);
}

/* ---- tables ---- */

static void write_exponent(FILE *to, const json_t *fit) {
    const double exponent = run_number(fit, "exponent"), half = run_number(fit, "high") - exponent, proved = run_number(fit, "proved");
    if (isnan(exponent) || isnan(half))
        html_number(to, "%.2f", exponent);
    else
        fprintf(to, "<td>%.2f ± %.2f</td>", exponent, half);
    html_number(to, proved == floor(proved) ? "%.0f" : "%.1f", proved);
}

/* The smallest epsilon that was reached before one was not. */
static double reached(const json_t *result) {
    double epsilon = NAN;
    size_t i;
    json_t *target;
    json_array_foreach(json_object_get(result, "targets"), i, target) {
        if (!json_is_true(json_object_get(target, "reached"))) break;
        epsilon = run_number(target, "epsilon");
    }
    return epsilon;
}

static void write_problem(FILE *to, const run *r, int problem) {
    static const char *const titles[] = {"<algorithm", "epsilon down to", "upper", "proved", "lower", "proved", "<theorem"};
    size_t i, rows = 0;
    json_t *result;
    json_array_foreach(json_object_get(r->result, "results"), i, result) {
        if (strcmp(run_text(result, "problem"), problems[problem][0]) != 0) continue;
        if (rows++ == 0) {
            html_element(to, "h2", "%s", problems[problem][1]);
            html_element(to, "p class=\"note\"", "Samples until %s.", problems[problem][2]);
            run_write_chart(to, problems[problem][0]);
            html_table(to, "Exponents: samples grow as epsilon to the power of minus this", titles, 7);
        }
        html_row(to);
        fputs("<td class=\"text\">", to);
        html_text(to, run_text(result, "solver"));
        fputs(json_is_true(json_object_get(result, "finite_sum")) ? "*</td>" : "</td>", to);
        html_number(to, "%.2g", reached(result));
        write_exponent(to, json_object_get(result, "upper"));
        write_exponent(to, json_object_get(result, "lower"));
        html_cell(to, run_text(result, "theorem"));
    }
    if (rows > 0) html_table_end(to);
}

static void write_costs(FILE *to, const run *r) {
    static const char *const titles[] = {"<algorithm", "exponent", "Table 1", "largest dimension", "microseconds"};
    const json_t *costs = json_object_get(r->result, "costs");
    size_t i;
    json_t *cost;
    if (json_array_size(costs) == 0) return;
    fputs("<section><h2>Time of an iteration against the dimension of y</h2>\n", to);
    run_write_chart(to, "costs");
    html_table(to, NULL, titles, 5);
    json_array_foreach(costs, i, cost) {
        const json_t *points = json_object_get(cost, "points"), *last = json_array_get(points, json_array_size(points) - 1);
        html_row(to);
        html_cell(to, run_text(cost, "solver"));
        write_exponent(to, json_object_get(cost, "iteration"));
        html_number(to, "%.0f", run_number(last, "lower_dim"));
        html_number(to, "%.3g", 1e6 * run_number(last, "seconds"));
    }
    html_table_end(to);
    fputs("</section>\n", to);
}

static void write(FILE *to, const run *r) {
    html_element(to, "p", "%s", run_text(r->result, "about"));
    for (int problem = 0; problem < PROBLEMS; problem++) {
        fputs("<section>", to);
        write_problem(to, r, problem);
        fputs("</section>\n", to);
    }
    write_costs(to, r);
}

const kind kind_rates = {.command = "rates", .title = "samples needed, measured", .fill = fill, .write = write};
