/* page_tune_selected.c - the page of `sustain tune` where the form of the penalties was selected:
 * the candidates, the effects of features, calibration, the largest coefficients. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page_tune.h"
#include "report_csv.h"

enum { EFFECTS = 6 }; /* charts of features */

/* ---- headline, figures, charts ---- */

static void fill_selection_figures(run *r) {
    char text[32];
    tune_figure(r, "held-out loss", "%.5f", "estimate");
    tune_figure(r, "held-out loss with one penalty", "%.5f", "one_penalty.estimate");
    tune_figure(r, "test loss", "%.5f", "test_loss");
    tune_figure(r, "test loss with one penalty", "%.5f", "one_penalty.test_loss");
    tune_figure(r, "test accuracy", "%.4f", "test_accuracy");
    tune_figure(r, "calibration error", "%.4f", "calibration.error");
    run_figure(r, "run time", "%s", run_duration(run_number(r->result, "total_seconds"), text));
}

static void fill_calibration(run *r) {
    const json_t *bins = json_object_get(json_object_get(r->result, "calibration"), "bins");
    json_t *spec = spec_new("calibration", "Calibration", "How often the model is right, by the probability that it gives.", 0);
    if (json_array_size(bins) == 0) {
        json_decref(spec);
        return;
    }
    spec_axis(spec, "x", "predicted", "probability given", false);
    spec_axis(spec, "y", "observed", "share that was right", false);
    json_t *values = json_object();
    json_object_set_new(values, "predicted", run_column(bins, "predicted"));
    json_object_set_new(values, "observed", run_column(bins, "observed"));
    spec_curve(spec, "held-out rows", "line", values);
    spec_curve(spec, "perfect", "reference", json_pack("{s:[f,f], s:[f,f]}", "predicted", 0.0, 1.0, "observed", 0.0, 1.0));
    json_array_append_new(r->charts, spec);
}

/* The same objects, sorted. */
static json_t *in_order(const json_t *array, int (*compare)(const void *, const void *)) {
    const size_t count = json_array_size(array);
    json_t **order = malloc((count + 1) * sizeof *order), *sorted = json_array();
    for (size_t i = 0; order != NULL && i < count; i++) order[i] = json_array_get(array, i);
    if (order != NULL) qsort(order, count, sizeof *order, compare);
    for (size_t i = 0; order != NULL && i < count; i++) json_array_append(sorted, order[i]);
    free(order);
    return sorted;
}

/* What the features with knots add to the score, those first that matter most. */
static int by_range(const void *a, const void *b) {
    const double p = run_number(*(json_t *const *)a, "range"), q = run_number(*(json_t *const *)b, "range");
    return (p < q) - (p > q);
}

static void fill_effect(run *r, const json_t *effect, size_t place) {
    const json_t *scores = json_object_get(effect, "scores"), *names = json_object_get(r->result, "scores_of");
    const char *name = run_text(effect, "name");
    char id[32], on[160] = "the prediction", about[300], axis[180];
    if (json_array_size(names) == 1) snprintf(on, sizeof on, "the score of %.100s", json_string_value(json_array_get(names, 0)));
    if (json_array_size(names) > 1) snprintf(on, sizeof on, "the score of each class");
    snprintf(id, sizeof id, "effect-%zu", place);
    snprintf(about, sizeof about, "The effect of %.100s on %s.", name, on);
    snprintf(axis, sizeof axis, "added to %s", on);
    json_t *spec = spec_new(id, name, about, 0);
    spec_axis(spec, "x", "value", name, false);
    spec_axis(spec, "y", "score", axis, false);
    for (size_t k = 0; k < json_array_size(scores); k++) {
        json_t *values = json_object();
        const char *label = json_string_value(json_array_get(names, k));
        json_object_set(values, "value", json_object_get(effect, "values"));
        json_object_set(values, "score", json_array_get(scores, k));
        spec_curve(spec, label != NULL ? label : "prediction", "line", values);
    }
    json_array_append_new(r->charts, spec);
}

static size_t effects_shown(const run *r) {
    const size_t count = json_array_size(json_object_get(r->result, "effects"));
    return count < EFFECTS ? count : EFFECTS;
}

static void fill_effects(run *r) {
    json_t *effects = in_order(json_object_get(r->result, "effects"), by_range);
    for (size_t i = 0; i < effects_shown(r); i++) fill_effect(r, json_array_get(effects, i), i);
    json_decref(effects);
}

/* The path from small penalties to large ones, which charts as text expect. */
static json_t *rising(const json_t *path) {
    json_t *turned = json_array();
    for (size_t i = json_array_size(path); i > 0; i--) json_array_append(turned, json_array_get(path, i - 1));
    return turned;
}

void tune_fill_selection(run *r, size_t penalties) {
    static const path_column loss = {"loss", "held-out loss", "estimate"};
    const double own = run_number(r->result, "estimate"), single = run_number(r->result, "one_penalty.estimate");
    if (strcmp(run_text(r->result, "selected"), "one") == 0)
        snprintf(r->headline, sizeof r->headline, "One penalty for all %zu features: no richer form is clearly better", penalties);
    else if (strcmp(run_text(r->result, "selected"), "splines") == 0)
        snprintf(r->headline, sizeof r->headline,
                 "Linear splines: the held-out loss is %.2g\u00a0%% lower than that of a linear model with one penalty",
                 100 * (1 - own / single));
    else if (strcmp(run_text(r->result, "selected"), "fourier") == 0)
        snprintf(r->headline, sizeof r->headline,
                 "Features interact (Fourier features): the held-out loss is %.2g\u00a0%% lower than that of a linear model with one "
                 "penalty",
                 100 * (1 - own / single));
    else
        snprintf(r->headline, sizeof r->headline, "Penalties of the form \"%s\": the held-out loss is %.2g\u00a0%% %s than with one",
                 run_text(r->result, "selected"), 100 * fabs(1 - own / single), own <= single ? "lower" : "higher");
    fill_selection_figures(r);
    json_t *path = rising(json_object_get(r->result, "path"));
    tune_fill_path(r, path, 1, "selected", &loss, 1);
    json_decref(path);
    fill_calibration(r);
    fill_effects(r);
}

/* ---- the sections ---- */

/* Candidates with their intervals: estimate and difference, each +- one standard error. */
static void write_candidates(FILE *to, const run *r) {
    static const column columns[] = {{"<", "name", NULL},
                                     {"<hyperparameters", "detail", NULL},
                                     {"loss", "interval", "%.5f"},
                                     {"difference to one penalty", "paired", "%+.5f"},
                                     {"seconds", "seconds", "%.2f"}};
    json_t *rows = json_deep_copy(json_object_get(r->result, "candidates")), *row;
    size_t i;
    json_array_foreach(rows, i, row) {
        static const char *const keys[][3] = {{"interval", "estimate", "standard_error"},
                                              {"paired", "difference", "difference_standard_error"}};
        for (size_t k = 0; k < (i == 0 ? 1u : 2u); k++) {
            const double mean = run_number(row, keys[k][1]), error = run_number(row, keys[k][2]);
            json_object_set_new(row, keys[k][0], json_pack("{s:f, s:f, s:f}", "mean", mean, "low", mean - error, "high", mean + error));
        }
        if (json_is_true(json_object_get(row, "selected"))) {
            char name[64];
            snprintf(name, sizeof name, "%s (selected)", run_text(row, "name"));
            json_object_set_new(row, "name", json_string(name));
        }
    }
    fputs(
        "<section><h2>Candidates</h2>\n<p class=\"note\">Loss on held-out rows, which were used neither to fit the model nor to choose its "
        "hyperparameters, \u00b1 one standard error; for differences that of paired rows. The simplest candidate within one standard "
        "error of the best is selected; splines and Fourier features only where they are better by 1.5 standard errors. The model of a "
        "candidate is a weighted mean of its own and of the one before it.</p>\n",
        to);
    run_write_rows(to, NULL, rows, columns, 5);
    run_write_chart(to, "single");
    fputs("</section>\n", to);
    json_decref(rows);
}

static int by_penalty(const void *a, const void *b) {
    const double p = run_number(*(json_t *const *)a, "penalty"), q = run_number(*(json_t *const *)b, "penalty");
    return p < q ? -1 : p > q;
}

/* Smallest first. */
static void write_groups(FILE *to, const run *r) {
    static const column columns[] = {{"<group", "name", NULL}, {"features", "features", "%.0f"}, {"penalty", "penalty", "%.3g"}};
    json_t *sorted = in_order(json_object_get(r->result, "groups"), by_penalty);
    if (json_array_size(sorted) > 0) {
        fputs("<section><h2>Penalties by group</h2>\n<p class=\"note\">The geometric mean of the penalties of its features.</p>\n", to);
        run_write_rows(to, NULL, sorted, columns, 3);
        fputs("</section>\n", to);
    }
    json_decref(sorted);
}

static void write_effects(FILE *to, const run *r) {
    if (effects_shown(r) == 0) return;
    fputs("<section><h2>What each feature adds</h2>\n<p class=\"note\">The model is piecewise linear in each feature. These matter "
          "most, relative to their least value; result.json has all (effects).</p>\n",
          to);
    for (size_t i = 0; i < effects_shown(r); i++) {
        char id[32];
        snprintf(id, sizeof id, "effect-%zu", i);
        run_write_chart(to, id);
    }
    fputs("</section>\n", to);
}

typedef struct coefficient {
    char *name, *class_name;
    double value, scaled;
} coefficient;

static int by_weight(const void *a, const void *b) {
    const double p = fabs(((const coefficient *)a)->scaled), q = fabs(((const coefficient *)b)->scaled);
    return p > q ? -1 : p < q;
}

/* The largest of coefficients.csv, by the features as they were scaled. */
static void write_coefficients(FILE *to, const run *r) {
    enum { FIELDS = 4, LARGEST = 25 };
    static const char *const titles[] = {"<feature", "<class", "coefficient", "scaled"};
    char path[4096], *field[FIELDS];
    coefficient top[LARGEST + 1];
    size_t count = 0;
    run_path_of(r, "coefficients.csv", path);
    csv file = csv_open(path);
    if (file.text == NULL) return; /* a run of an earlier version has none */
    csv_line(&file, field, FIELDS);
    while (csv_line(&file, field, FIELDS) == FIELDS) {
        if (strcmp(field[0], "(intercept)") == 0) continue;
        top[count++] = (coefficient){field[0], field[1], strtod(field[2], NULL), strtod(field[3], NULL)};
        qsort(top, count, sizeof *top, by_weight);
        if (count > LARGEST) count = LARGEST;
    }
    const double off = run_number(r->result, "features_switched_off");
    fputs("<section><h2>Largest coefficients</h2>\n", to);
    html_element(to, "p class=\"note\"",
                 "By size on the features as they were scaled; coefficients.csv has all. Switched off (below a thousandth of "
                 "the largest): %.0f features.",
                 isnan(off) ? 0 : off);
    html_table(to, NULL, titles, 4);
    for (size_t i = 0; i < count; i++) {
        html_row(to);
        html_cell(to, top[i].name);
        html_cell(to, top[i].class_name);
        html_number(to, "%.4g", top[i].value);
        html_number(to, "%.4g", top[i].scaled);
    }
    html_table_end(to);
    fputs("</section>\n", to);
    csv_close(&file);
}

void tune_write_selection(FILE *to, const run *r) {
    write_candidates(to, r);
    write_effects(to, r);
    write_coefficients(to, r);
    write_groups(to, r);
    if (json_array_size(json_object_get(json_object_get(r->result, "calibration"), "bins")) > 0) {
        fputs("<section><h2>Calibration</h2>\n", to);
        run_write_chart(to, "calibration");
        fputs("</section>\n", to);
    }
}
