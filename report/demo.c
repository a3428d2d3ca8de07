/* demo.c - the page of `sustain demo`: the squared gradient norm against the number of iterations. */
#include "run.h"

static const char *const curves[][2] = {{"sustain", "SUSTAIN"}, {"sgd", "SGD"}, {"reference", "theory: T^(-2/3)"}};
enum { CURVES = sizeof curves / sizeof *curves };

static json_t *column(const json_t *rows, const char *key) {
    json_t *list = json_array(), *row;
    size_t i;
    json_array_foreach(rows, i, row) json_array_append_new(list, spec_number(run_number(row, key)));
    return list;
}

static void fill(run *r) {
    const json_t *rows = json_object_get(r->result, "rows");
    json_t *spec = spec_new("norm", "mean |grad ell|^2",
                            "The squared gradient norm, averaged over the iterations and the runs, against the iterations");
    spec_axis(spec, "x", "iterations", "iterations T", true);
    spec_axis(spec, "y", "norm", "mean |grad ell|^2", true);
    for (int k = 0; k < CURVES; k++)
        spec_curve(spec, curves[k][1], k < 2 ? "line" : "reference",
                   json_pack("{s:o, s:o}", "iterations", column(rows, "iterations"), "norm", column(rows, curves[k][0])));
    json_array_append_new(r->charts, spec);
    snprintf(r->headline, sizeof r->headline, "SUSTAIN at work");
    for (int k = 0; k < 2; k++)
        run_figure(r, k == 0 ? "slope of SUSTAIN, log-log" : "slope of SGD, log-log", "%.2f",
                   run_number(json_object_get(r->result, curves[k][0]), "slope"));
    run_figure(r, "runs", "%.0f", run_number(r->result, "runs"));
}

static void write(FILE *to, const run *r) {
    static const char *const titles[] = {"iterations T", "SUSTAIN", "SGD", "T^(-2/3)"};
    json_t *row;
    size_t i;
    html_element(to, "p class=\"lead\"", "%s", run_text(r->result, "meaning"));
    html_element(to, "p", "%s", run_text(r->result, "setting"));
    run_write_chart(to, "norm");
    html_table(to, NULL, titles, 4);
    json_array_foreach(json_object_get(r->result, "rows"), i, row) {
        html_row(to);
        html_number(to, "%.0f", run_number(row, "iterations"));
        for (int k = 0; k < CURVES; k++) html_number(to, "%.4g", run_number(row, curves[k][0]));
    }
    html_table_end(to);
    html_element(to, "p class=\"note\"", "%s", run_text(r->result, "caveat"));
}

const kind kind_demo = {.command = "demo", .title = "SUSTAIN at work", .fill = fill, .write = write};
