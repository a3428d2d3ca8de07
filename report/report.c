/* report.c - the frame of the page; one run, or several side by side. */
#include <stdlib.h>
#include <string.h>

#include "assets.h"
#include "chart_tables.h"
#include "run_record.h"

struct report {
    int count;
    run runs[];
};

/* ---- reading ---- */

report *report_read(sustain_context *context, const char *const *folders, int count, char error[REPORT_ERROR]) {
    report *r = calloc(1, sizeof *r + (size_t)count * sizeof r->runs[0]);
    if (r == NULL) {
        snprintf(error, REPORT_ERROR, "out of memory");
        return NULL;
    }
    for (; r->count < count; r->count++) {
        run *at = &r->runs[r->count];
        *at = (run){.context = context, .folder = folders[r->count], .error = error};
        bool good = run_read(at);
        if (good && at->kind != r->runs[0].kind)
            good = run_refuse(at, "%s is a run of 'sustain %s', and %s one of 'sustain %s': give runs of one kind", folders[0],
                              r->runs[0].kind->command, at->folder, at->kind->command);
        if (good) continue;
        r->count++;
        report_free(r);
        return NULL;
    }
    return r;
}

void report_free(report *r) {
    if (r == NULL) return;
    for (int i = 0; i < r->count; i++) run_free(&r->runs[i]);
    free(r);
}

const json_t *report_charts(const report *r, int i) {
    return r->runs[i].charts;
}

json_t *report_result_charts(const char *command, json_t *result) {
    char error[REPORT_ERROR];
    run r = {.kind = strcmp(command, kind_rates.command) == 0 ? &kind_rates : &kind_demo,
             .result = json_incref(result),
             .figures = json_array(),
             .charts = json_array(),
             .data = json_object(),
             .error = error};
    r.kind->fill(&r);
    json_t *charts = json_incref(r.charts);
    run_free(&r);
    return charts;
}

/* ---- several runs ---- */

/* What a run has for a figure of the first one, or a dash. */
static const char *figure_of(const run *r, const char *what) {
    size_t i;
    json_t *figure;
    json_array_foreach(r->figures, i, figure) if (strcmp(json_string_value(json_array_get(figure, 0)), what) ==
                                                  0) return json_string_value(json_array_get(figure, 1));
    return "–";
}

static void write_side_by_side(FILE *to, const report *r) {
    const char **titles = malloc((size_t)(r->count + 1) * sizeof *titles);
    size_t i;
    json_t *figure;
    if (titles == NULL) return;
    titles[0] = "<";
    for (int k = 0; k < r->count; k++) titles[k + 1] = r->runs[k].name;
    html_table(to, NULL, titles, r->count + 1);
    json_array_foreach(r->runs[0].figures, i, figure) {
        const char *what = json_string_value(json_array_get(figure, 0));
        html_row(to);
        html_cell(to, what);
        for (int k = 0; k < r->count; k++) html_element(to, "td", "%s", figure_of(&r->runs[k], what));
    }
    html_table_end(to);
    free(titles);
}

/* The first chart of every run in one, each curve called after its run. */
static json_t *joined_chart(const report *r) {
    json_t *joined = json_deep_copy(json_array_get(r->runs[0].charts, 0));
    json_t *curves = json_array();
    for (int k = 0; k < r->count; k++) {
        size_t i;
        json_t *curve;
        json_array_foreach(json_object_get(json_array_get(r->runs[k].charts, 0), "curves"), i, curve) {
            char label[600];
            if (strcmp(run_text(curve, "kind"), "level") == 0) continue;
            snprintf(label, sizeof label, "%s: %s", r->runs[k].name, run_text(curve, "label"));
            json_t *copy = json_copy(curve);
            json_object_set_new(copy, "label", json_string(label));
            json_array_append_new(curves, copy);
        }
    }
    json_object_set_new(joined, "curves", curves);
    return joined;
}

static void write_overview(FILE *to, const report *r) {
    json_t *chart = joined_chart(r);
    json_t *data = json_pack("{s:[o]}", "charts", chart);
    fputs("<section class=\"run\">\n", to);
    html_element(to, "h1", "%d runs of sustain %s, side by side", r->count, r->runs[0].kind->command);
    write_side_by_side(to, r);
    if (json_array_size(json_object_get(chart, "curves")) > 0) run_write_chart(to, run_text(chart, "id"));
    html_json(to, "data", data);
    fputs("</section>\n", to);
    json_decref(data);
}

/* ---- the page ---- */

static void write_head(FILE *to, const report *r) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
          "'unsafe-inline'\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n",
          to);
    html_element(to, "title", "%s · %s", r->runs[0].name, r->runs[0].kind->title);
    fprintf(to, "<style>\n%s</style>\n<noscript><style>figure.chart { display: none }</style></noscript>\n</head>\n<body>\n<main>\n",
            (const char *)report_css);
}

static void write_figures(FILE *to, const run *r) {
    size_t i;
    json_t *figure;
    if (json_array_size(r->figures) == 0) return;
    fputs("<dl class=\"tiles\">\n", to);
    json_array_foreach(r->figures, i, figure) {
        fputs("<div>", to);
        html_element(to, "dt", "%s", json_string_value(json_array_get(figure, 0)));
        html_element(to, "dd", "%s", json_string_value(json_array_get(figure, 1)));
        fputs("</div>\n", to);
    }
    fputs("</dl>\n", to);
}

static void write_run(FILE *to, const run *r) {
    fputs("<section class=\"run\">\n", to);
    html_element(to, "p class=\"kind\"", "sustain %s · %s", r->kind->command, r->name);
    html_element(to, "h1", "%s", r->headline);
    write_figures(to, r);
    r->kind->write(to, r);
    chart_tables_write(to, r);
    run_write_remarks(to, r);
    run_write_repeat(to, r);
    json_object_set(r->data, "charts", r->charts);
    html_json(to, "data", r->data);
    fputs("</section>\n", to);
}

void report_write(FILE *to, const report *r) {
    write_head(to, r);
    fputs("<noscript><p class=\"warning\">JavaScript is switched off: charts are shown as tables, and "
          "rows cannot be reviewed.</p></noscript>\n",
          to);
    if (r->count > 1) write_overview(to, r);
    for (int i = 0; i < r->count; i++) write_run(to, &r->runs[i]);
    fprintf(to, "</main>\n<script>\n%s</script>\n</body>\n</html>\n", (const char *)report_js);
}
