/* page_demo.c - the page of `sustain demo`: the squared gradient norm against the number of
 * iterations. */
#include "run_record.h"

static const char *const curves[][2] = {{"sustain", "SUSTAIN"}, {"sgd", "SGD"}, {"reference", "theory: T^(-2/3)"}};
enum { CURVES = sizeof curves / sizeof *curves };

static const char *const parts[][2] = {
    {"distance", "|y_t - y*(x_t)|^2"}, {"error_f", "|e^f_t|^2, of h^f"}, {"error_g", "|e^g_t|^2, of h^g"}};
enum { PARTS = sizeof parts / sizeof *parts };

static void add_curve(json_t *spec, const json_t *rows, const char *key, const char *title, const char *axis) {
    spec_curve(spec, title, "line", json_pack("{s:o, s:o}", "iterations", run_column(rows, "iterations"), axis, run_column(rows, key)));
}

/* The potential of the proof, and what it is made of. */
static void fill_potential(run *r, const json_t *rows) {
    json_t *spec = spec_new("potential", "potential V_t", "The potential of the proof of Theorem 3.2, with SUSTAIN.", 1);
    spec_axis(spec, "x", "iterations", "iterations T", true);
    spec_axis(spec, "y", "potential", "V_t", false);
    add_curve(spec, rows, "potential", "V_t", "potential");
    json_array_append_new(r->charts, spec);
    spec = spec_new("errors", "errors", "The squared norms that it weighs, beside ell(x_t).", 1);
    spec_axis(spec, "x", "iterations", "iterations T", true);
    spec_axis(spec, "y", "square", "squared norm", true);
    for (int k = 0; k < PARTS; k++) add_curve(spec, rows, parts[k][0], parts[k][1], "square");
    json_array_append_new(r->charts, spec);
}

static void fill(run *r) {
    const json_t *rows = json_object_get(r->result, "rows");
    json_t *spec = spec_new("norm", "mean |grad ell|^2", "The squared gradient norm, averaged over the iterations and the runs.", 1);
    spec_axis(spec, "x", "iterations", "iterations T", true);
    spec_axis(spec, "y", "norm", "mean |grad ell|^2", true);
    for (int k = 0; k < CURVES; k++)
        spec_curve(spec, curves[k][1], k < 2 ? "line" : "reference",
                   json_pack("{s:o, s:o}", "iterations", run_column(rows, "iterations"), "norm", run_column(rows, curves[k][0])));
    json_array_append_new(r->charts, spec);
    fill_potential(r, rows);
    snprintf(r->headline, sizeof r->headline, "SUSTAIN at work");
    for (int k = 0; k < 2; k++)
        run_figure(r, k == 0 ? "slope of SUSTAIN, log-log" : "slope of SGD, log-log", "%.2f",
                   run_number(json_object_get(r->result, curves[k][0]), "slope"));
    run_figure(r, "runs", "%.0f", run_number(r->result, "runs"));
}

static void write(FILE *to, const run *r) {
    static const column columns[] = {
        {"iterations T", "iterations", "%.0f"}, {"SUSTAIN", "sustain", "%.4g"}, {"SGD", "sgd", "%.4g"}, {"T^(-2/3)", "reference", "%.4g"}};
    html_element(to, "p class=\"lead\"", "%s", run_text(r->result, "meaning"));
    html_element(to, "p", "%s", run_text(r->result, "setting"));
    run_write_chart(to, "norm");
    run_write_rows(to, NULL, json_object_get(r->result, "rows"), columns, 4);
    static const column potential_columns[] = {{"iterations T", "iterations", "%.0f"},
                                               {"V_t", "potential", "%.4g"},
                                               {"|y_t - y*(x_t)|^2", "distance", "%.4g"},
                                               {"|e^f_t|^2", "error_f", "%.4g"},
                                               {"|e^g_t|^2", "error_g", "%.4g"}};
    html_element(to, "p", "%s", run_text(r->result, "potential"));
    run_write_chart(to, "potential");
    run_write_chart(to, "errors");
    run_write_rows(to, NULL, json_object_get(r->result, "rows"), potential_columns, 5);
    html_element(to, "p class=\"note\"", "%s", run_text(r->result, "caveat"));
}

const kind kind_demo = {.command = "demo", .title = "SUSTAIN at work", .fill = fill, .write = write};
