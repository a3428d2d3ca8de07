/* compare.c - the page of `sustain compare`: algorithms beside each other, and what came out of the claims. */
#include <math.h>
#include <string.h>

#include "run.h"

/* ---- charts ---- */

/* The points of a curve by columns: each axis, and each metric with its band. */
static json_t *columns_of(const json_t *compare, const json_t *points) {
    json_t *values = json_object(), *axis, *metric, *point;
    size_t i, k;
    json_array_foreach(json_object_get(compare, "x_axes"), i, axis) {
        json_t *list = json_array();
        json_array_foreach(points, k, point) json_array_append_new(list, spec_number(run_number(point, run_text(axis, "key"))));
        json_object_set_new(values, run_text(axis, "key"), list);
    }
    json_array_foreach(json_object_get(compare, "metrics"), i, metric) {
        static const char *const parts[][2] = {{"mean", ""}, {"low", "_low"}, {"high", "_high"}};
        for (int p = 0; p < 3; p++) {
            char key[96];
            json_t *list = json_array();
            json_array_foreach(points, k, point)
                json_array_append_new(list, spec_number(run_number(json_object_get(point, run_text(metric, "key")), parts[p][0])));
            snprintf(key, sizeof key, "%s%s", run_text(metric, "key"), parts[p][1]);
            json_object_set_new(values, key, list);
        }
    }
    return values;
}

/* Axes to choose from; the one that was asked for comes first. */
static void add_axes(json_t *spec, const json_t *compare) {
    const char *first = run_text(compare, "x_default");
    json_t *axis, *metric;
    size_t i;
    for (int turn = 0; turn < 2; turn++)
        json_array_foreach(json_object_get(compare, "x_axes"), i, axis) if ((strcmp(run_text(axis, "key"), first) == 0) == (turn == 0))
            spec_axis(spec, "x", run_text(axis, "key"), run_text(axis, "title"), true);
    json_array_foreach(json_object_get(compare, "metrics"), i, metric)
        spec_axis(spec, "y", run_text(metric, "key"), run_text(metric, "title"), json_is_true(json_object_get(metric, "log")));
}

static void fill(run *r) {
    json_t *panel, *curve;
    size_t i, k;
    snprintf(r->headline, sizeof r->headline, "%s", run_text(r->result, "title"));
    run_figure(r, "runs of each", "%.0f", run_number(r->result, "runs"));
    json_array_foreach(json_object_get(r->result, "panels"), i, panel) {
        char id[32];
        snprintf(id, sizeof id, "panel-%zu", i);
        json_t *spec = spec_new(id, *run_text(panel, "title") != '\0' ? run_text(panel, "title") : "The curves", run_text(panel, "note"));
        add_axes(spec, r->result);
        json_array_foreach(json_object_get(panel, "curves"), k, curve)
            spec_curve(spec, run_text(curve, "label"), "line", columns_of(r->result, json_object_get(curve, "points")));
        json_object_set_new(spec, "band", json_string("mean ± one standard deviation over the runs"));
        json_array_append_new(r->charts, spec);
    }
}

/* ---- the page ---- */

static void write_claims(FILE *to, const run *r) {
    const json_t *claims = json_object_get(r->result, "claims");
    json_t *claim;
    size_t i;
    if (json_array_size(claims) == 0) return;
    fputs("<section><h2>What the paper claims, and what came out</h2>\n<ul class=\"claims\">\n", to);
    json_array_foreach(claims, i, claim) {
        const char *verdict = run_text(claim, "verdict");
        const char *css = strcmp(verdict, "came out") == 0 ? "yes" : strncmp(verdict, "did not", 7) == 0 ? "no" : "open";
        fprintf(to, "<li class=\"%s\">", css);
        html_element(to, "strong", "%s", run_text(claim, "claim"));
        html_element(to, "em", "%s", verdict);
        html_element(to, "span", "%s", run_text(claim, "why"));
        fputs("</li>\n", to);
    }
    fputs("</ul></section>\n", to);
}

static void write_mean(FILE *to, const json_t *value) {
    const double mean = run_number(value, "mean"), spread = (run_number(value, "high") - run_number(value, "low")) / 2;
    if (isnan(mean) || !(spread > 0))
        html_number(to, "%.4g", mean);
    else
        fprintf(to, "<td>%.4g <small>± %.2g</small></td>", mean, spread);
}

static void write_table(FILE *to, const run *r, size_t panel) {
    enum { MOST = 16 };
    const json_t *metrics = json_object_get(r->result, "metrics");
    const char *titles[MOST] = {"<algorithm", "iterations", "gradients", "seconds"};
    int count = 4;
    json_t *metric, *row;
    size_t i, k;
    json_array_foreach(metrics, i, metric) if (count < MOST) titles[count++] = run_text(metric, "title");
    html_table(to, "At the end of the runs", titles, count);
    json_array_foreach(json_object_get(r->result, "table"), i, row) {
        if (run_number(row, "panel") != (double)panel) continue;
        html_row(to);
        html_cell(to, run_text(row, "label"));
        for (k = 1; k < 4; k++) html_number(to, k < 3 ? "%.0f" : "%.3g", run_number(row, titles[k]));
        json_array_foreach(metrics, k, metric) if (k + 4 < MOST) write_mean(to, json_object_get(row, run_text(metric, "key")));
    }
    html_table_end(to);
}

static void write(FILE *to, const run *r) {
    json_t *panel;
    size_t i;
    html_element(to, "p class=\"lead\"", "%s", run_text(r->result, "data"));
    if (*run_text(r->result, "scaled") != '\0') html_element(to, "p class=\"warning\"", "Shortened: %s", run_text(r->result, "scaled"));
    write_claims(to, r);
    json_array_foreach(json_object_get(r->result, "panels"), i, panel) {
        char id[32];
        snprintf(id, sizeof id, "panel-%zu", i);
        fputs("<section>", to);
        html_element(to, "h2", "%s", *run_text(panel, "title") != '\0' ? run_text(panel, "title") : "The curves");
        if (*run_text(panel, "note") != '\0') html_element(to, "p class=\"note\"", "%s", run_text(panel, "note"));
        run_write_chart(to, id);
        write_table(to, r, i);
        fputs("</section>\n", to);
    }
}

const kind kind_compare = {.command = "compare", .title = "algorithms compared", .fill = fill, .write = write};
