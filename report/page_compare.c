/* page_compare.c - the page of `sustain compare`: curves and tables of the algorithms, and the
 * verdicts on the claims. */
#include <math.h>
#include <string.h>

#include "run_record.h"

/* ---- charts ---- */

/* The points of a curve by columns: each axis, and each metric with its band. */
static json_t *columns_of(const json_t *compare, const json_t *points) {
    json_t *values = json_object(), *axis, *metric;
    size_t i;
    json_array_foreach(json_object_get(compare, "x_axes"), i, axis)
        json_object_set_new(values, run_text(axis, "key"), run_column(points, run_text(axis, "key")));
    json_array_foreach(json_object_get(compare, "metrics"), i, metric) {
        static const char *const parts[][2] = {{"mean", ""}, {"low", "_low"}, {"high", "_high"}};
        for (int p = 0; p < 3; p++) {
            char path[96], key[96];
            snprintf(path, sizeof path, "%s.%s", run_text(metric, "key"), parts[p][0]);
            snprintf(key, sizeof key, "%s%s", run_text(metric, "key"), parts[p][1]);
            json_object_set_new(values, key, run_column(points, path));
        }
    }
    return values;
}

/* The selectable axes, the requested one first. */
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

/* How many claims have each verdict. */
static void fill_verdicts(run *r) {
    static const char *const verdicts[][2] = {{"came out", "of the paper's claims came out"},
                                              {"did not come out", "did not come out"},
                                              {"not decided", "not decided by these runs"}};
    const json_t *claims = json_object_get(r->result, "claims");
    json_t *claim;
    size_t i;
    for (int k = 0; k < 3 && json_array_size(claims) > 0; k++) {
        int count = 0;
        json_array_foreach(claims, i, claim) count += strcmp(run_text(claim, "verdict"), verdicts[k][0]) == 0;
        run_figure(r, verdicts[k][1], k == 0 ? "%d of %zu" : "%d", count, json_array_size(claims));
    }
}

/* The algorithm with the best final value of each main metric. */
static void fill_best(run *r) {
    enum { METRICS = 2 };
    json_t *metric, *row;
    size_t i, k;
    json_array_foreach(json_object_get(r->result, "metrics"), i, metric) {
        const bool higher = strcmp(run_text(metric, "better"), "higher") == 0;
        const char *best = NULL;
        double best_value = NAN;
        char path[96], what[128];
        snprintf(path, sizeof path, "%s.mean", run_text(metric, "key"));
        json_array_foreach(json_object_get(r->result, "table"), k, row) {
            const double value = run_number(row, path);
            if (isnan(value) || (best != NULL && (higher ? value <= best_value : value >= best_value))) continue;
            best = run_text(row, "label"), best_value = value;
        }
        snprintf(what, sizeof what, "ends with the %s %s", higher ? "highest" : "lowest", run_text(metric, "title"));
        if (best != NULL && i < METRICS) run_figure(r, what, "%s", best);
    }
}

static void fill(run *r) {
    json_t *panel, *curve;
    size_t i, k;
    snprintf(r->headline, sizeof r->headline, "%s", run_text(r->result, "title"));
    fill_verdicts(r);
    if (json_array_size(json_object_get(r->result, "panels")) == 1) fill_best(r);
    run_figure(r, "runs of each", "%.0f", run_number(r->result, "runs"));
    json_array_foreach(json_object_get(r->result, "panels"), i, panel) {
        char id[32];
        snprintf(id, sizeof id, "panel-%zu", i);
        json_t *spec =
            spec_new(id, *run_text(panel, "title") != '\0' ? run_text(panel, "title") : "The curves", run_text(panel, "note"), 2);
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
    fputs("<section><h2>Claims of the paper and verdicts</h2>\n<ul class=\"claims\">\n", to);
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

static void write_table(FILE *to, const run *r, size_t panel) {
    enum { MOST = 16 };
    static const column costs[] = {
        {"runs", "runs", "%.0f"}, {"iterations", "iterations", "%.0f"}, {"gradients", "gradients", "%.0f"}, {"seconds", "seconds", "%.3g"}};
    enum { COSTS = sizeof costs / sizeof *costs };
    column columns[MOST] = {{"<algorithm", "label", NULL}};
    int count = 1;
    json_t *rows = json_array(), *metric, *row;
    size_t i;
    json_array_foreach(json_object_get(r->result, "metrics"), i, metric) if (count < MOST - COSTS) columns[count++] =
        (column){run_text(metric, "title"), run_text(metric, "key"), "%.4g"};
    for (int c = 0; c < COSTS; c++) columns[count++] = costs[c];
    json_array_foreach(json_object_get(r->result, "table"), i, row) if (run_number(row, "panel") == (double)panel)
        json_array_append(rows, row);
    run_write_rows(to, "At the end of the runs", rows, columns, count);
    json_decref(rows);
}

static void write(FILE *to, const run *r) {
    json_t *panel;
    size_t i;
    html_element(to, "p class=\"lead\"", "%s", run_text(r->result, "data"));
    if (*run_text(r->result, "scaled") != '\0') html_element(to, "p class=\"warning\"", "Shortened: %s", run_text(r->result, "scaled"));
    json_array_foreach(json_object_get(r->result, "panels"), i, panel) {
        char id[32];
        snprintf(id, sizeof id, "panel-%zu", i);
        fputs("<section>", to);
        html_element(to, "h2", "%s", *run_text(panel, "title") != '\0' ? run_text(panel, "title") : "The curves");
        run_write_chart(to, id);
        write_table(to, r, i);
        fputs("</section>\n", to);
    }
    write_claims(to, r);
}

const kind kind_compare = {.command = "compare", .title = "algorithms compared", .fill = fill, .write = write};
