/* demo_show.c - the output of `sustain demo`: text, table and plot, or a JSON object. */
#include <math.h>

#include "chart.h"
#include "verb_demo.h"
#include "report/report.h"
#include "verbs.h"

static void setting(const demo_result *m, char *text, size_t size) {
    const sustain_quadratic_options o = demo_problem();
    snprintf(text, size,
             "SUSTAIN on a noisy nonconvex problem: x has %lld dimensions, y has %lld, every draw is one sample; mean of the true "
             "|grad ell|^2 over t < T and over %lld run%s. For comparison: plain SGD on both levels.",
             (long long)o.upper_dim, (long long)o.lower_dim, (long long)m->runs, m->runs == 1 ? "" : "s");
}

static const char *slope_text(const demo_result *m, int k, char text[48]) {
    if (isnan(m->deviation[k]))
        snprintf(text, 48, "T^(%.2f)", m->slope[k]);
    else
        snprintf(text, 48, "T^(%.2f +- %.2f)", m->slope[k], 2 * m->deviation[k]);
    return text;
}

static void meaning(const demo_result *m, char *text, size_t size) {
    char first[48], second[48];
    const int last = m->rows - 1;
    snprintf(text, size,
             "After %lld iterations the mean squared gradient norm is %.2g with SUSTAIN and %.2g with SGD. Over the last two decades "
             "it decreases like %s with SUSTAIN, where the theory proves T^(-0.67), and like %s with SGD%s.",
             (long long)m->T[last], m->mean[0][last], m->mean[1][last], slope_text(m, 0, first), slope_text(m, 1, second),
             m->runs > 1 ? " (+- two standard errors)" : "");
}

static void caveat(const demo_result *m, char *text, size_t size) {
    snprintf(
        text, size,
        "The steps have the form of Theorem 3.2, alpha_t = %g/(%g+t)^(1/3), but their constants were chosen by hand: the theorem's own are "
        "safe, but far too small to show its rate. SGD has alpha_t = %g/(1+t)^(1/2). Both constants are the best of %d at the last T. A "
        "slope measures the rate of the method only after the initial transient; with its best step, SGD is still in it.",
        m->alpha[0], demo_methods[0].w, m->alpha[1], DEMO_CHOICES);
}

static const char potential_text[] =
    "What the proof of Theorem 3.2 follows, with SUSTAIN: the potential V_t = ell(x_t) + a |y_t - y*(x_t)|^2 + b |e^f_t|^2/alpha_{t-1} + c "
    "|e^g_t|^2/alpha_{t-1}, where e^f and e^g are the errors of the momentum estimates h^f and h^g, and a, b, c are the proof's constants. "
    "Means over the runs and over the half decade of iterations before T.";

/* Slope of method k from row i-1 to row i, NAN for the first. */
static double local_slope(const demo_result *m, int k, int i) {
    if (i == 0) return (double)NAN;
    return log(m->mean[k][i] / m->mean[k][i - 1]) / log((double)m->T[i] / (double)m->T[i - 1]);
}

static void add_slope(text_table *t, double slope) {
    if (isnan(slope))
        table_add(t, "%s", "");
    else
        table_add(t, "%.2f", slope);
}

static void print_table(const demo_result *m) {
    text_table t = {.align = "rrrrrr", .indent = 2};
    const char *const titles[] = {"T", demo_methods[0].name, "slope", "T^(-2/3)", demo_methods[1].name, "slope"};
    table_add_all(&t, titles, COUNT_OF(titles));
    for (int i = 0; i < m->rows; i++) {
        table_add(&t, "%lld", (long long)m->T[i]);
        table_add(&t, "%.4f", m->mean[0][i]);
        add_slope(&t, local_slope(m, 0, i));
        table_add(&t, "%.4f", m->reference[i]);
        table_add(&t, "%.4f", m->mean[1][i]);
        add_slope(&t, local_slope(m, 1, i));
    }
    table_print(stdout, &t);
}

static void print_potential(const demo_result *m) {
    text_table t = {.align = "rrrrr", .indent = 2};
    const char *const titles[] = {"T", "V_t", "|y - y*|^2", "|e^f|^2", "|e^g|^2"};
    table_add_all(&t, titles, COUNT_OF(titles));
    for (int i = 0; i < m->rows; i++) {
        table_add(&t, "%lld", (long long)m->T[i]);
        for (int k = 0; k < DEMO_PARTS; k++) table_add(&t, "%.4f", m->potential[i][k]);
    }
    table_print(stdout, &t);
}

static void plot(const demo_report *r) {
    json_t *result = demo_json(r, ""), *charts = report_result_charts(verb_demo.name, result);
    while (json_array_size(charts) > 1) json_array_remove(charts, 1); /* the others are on the page */
    charts_print(stdout, charts);
    json_decref(charts);
    json_decref(result);
}

void demo_text(const demo_report *r, const demo_values *given) {
    const demo_result *m = &r->measured;
    char text[1024];
    if (!given->quiet) {
        setting(m, text, sizeof text);
        paragraphs(stdout, 0, text);
        putchar('\n');
        print_table(m);
        plot(r);
        putchar('\n');
        paragraphs(stdout, 0, potential_text);
        putchar('\n');
        print_potential(m);
        putchar('\n');
        caveat(m, text, sizeof text);
        paragraphs(stdout, 0, text);
        putchar('\n');
    }
    meaning(m, text, sizeof text);
    paragraphs(stdout, 0, text);
    printf("%.1f s; the page: %s/report.html\n", r->seconds, given->out);
}

json_t *demo_json(const demo_report *r, const char *folder) {
    const demo_result *m = &r->measured;
    static const char *const keys[DEMO_METHODS] = {"sustain", "sgd"};
    json_t *object = json_object(), *rows = json_array();
    char page[4200], text[1024];
    for (int i = 0; i < m->rows; i++) {
        json_t *row = json_object();
        json_object_set_new(row, "iterations", json_integer(m->T[i]));
        for (int k = 0; k < DEMO_METHODS; k++) json_object_set_new(row, keys[k], json_number_or_null(m->mean[k][i]));
        json_object_set_new(row, "reference", json_number_or_null(m->reference[i]));
        SET_NUMBERS(row, {"potential", m->potential[i][0]}, {"distance", m->potential[i][1]}, {"error_f", m->potential[i][2]},
                    {"error_g", m->potential[i][3]});
        json_array_append_new(rows, row);
    }
    json_object_set_new(object, "iterations", json_integer(m->iterations));
    json_object_set_new(object, "runs", json_integer(m->runs));
    json_object_set_new(object, "seed", json_integer(m->seed));
    json_object_set_new(object, "rows", rows);
    for (int k = 0; k < DEMO_METHODS; k++) {
        json_t *fit = json_object();
        SET_NUMBERS(fit, {"slope", m->slope[k]}, {"deviation", m->deviation[k]});
        json_object_set_new(object, keys[k], fit);
    }
    setting(m, text, sizeof text);
    json_object_set_new(object, "setting", json_string(text));
    meaning(m, text, sizeof text);
    json_object_set_new(object, "meaning", json_string(text));
    caveat(m, text, sizeof text);
    json_object_set_new(object, "caveat", json_string(text));
    json_object_set_new(object, "potential", json_string(potential_text));
    snprintf(page, sizeof page, "%s/report.html", folder);
    json_object_set_new(object, "seconds", json_number_or_null(r->seconds));
    json_object_set_new(object, "page", json_text(page));
    return object;
}
