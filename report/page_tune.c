/* page_tune.c - the page of `sustain tune`: the penalties, and what they are worth. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_csv.h"
#include "run_record.h"

enum { SHOWN = 60, EFFECTS = 6 }; /* penalties in the table, from each end of the order; charts of features */

typedef struct penalty {
    char *name;
    double log_penalty, penalty;
} penalty;

typedef struct tune_view {
    csv file;      /* owns the names */
    penalty *list; /* smallest first */
    size_t count;
} tune_view;

/* ---- penalties.csv ---- */

static int by_size(const void *a, const void *b) {
    const penalty *p = a, *q = b;
    return p->log_penalty < q->log_penalty ? -1 : p->log_penalty > q->log_penalty;
}

static bool add_penalty(tune_view *v, char *const *field) {
    char *end;
    const penalty p = {field[1], strtod(field[2], &end), strtod(field[3], NULL)};
    if ((v->count & (v->count - 1)) == 0) { /* at every power of two */
        penalty *grown = realloc(v->list, (2 * v->count + 1) * sizeof *grown);
        if (grown == NULL) return false;
        v->list = grown;
    }
    v->list[v->count++] = p;
    return end != field[2];
}

static bool read_penalties(run *r) {
    enum { FIELDS = 4 };
    char path[4096], *field[FIELDS];
    int fields;
    tune_view *v = calloc(1, sizeof *v);
    if (v == NULL) return run_refuse(r, "out of memory");
    r->own = v;
    run_path_of(r, "penalties.csv", path);
    v->file = csv_open(path);
    if (v->file.text == NULL) return run_refuse(r, "cannot read %s: %s", path, strerror(errno));
    bool good = csv_line(&v->file, field, FIELDS) == FIELDS; /* the header */
    while (good && (fields = csv_line(&v->file, field, FIELDS)) > 0) good = fields == FIELDS && add_penalty(v, field);
    if (!good || v->count == 0) return run_refuse(r, "%s, line %ld: not as 'sustain tune' writes it; run it again", path, v->file.line);
    qsort(v->list, v->count, sizeof *v->list, by_size);
    return true;
}

static void release(void *own) {
    tune_view *v = own;
    if (v == NULL) return;
    csv_close(&v->file);
    free(v->list);
    free(v);
}

/* ---- headline, figures, charts ---- */

static void figure(run *r, const char *what, const char *format, const char *key) {
    const double value = run_number(r->result, key);
    if (!isnan(value)) run_figure(r, what, format, value); /* NOLINT: the formats are those below */
}

static void fill_figures(run *r) {
    char text[32];
    figure(r, "validation loss", "%.5f", "upper_loss");
    figure(r, "with the best single penalty", "%.5f", "baselines.best_single_penalty.upper_loss");
    figure(r, "with no penalty", "%.5f", "baselines.no_penalty.upper_loss");
    figure(r, "test loss", "%.5f", "test_loss");
    figure(r, "test accuracy", "%.4f", "test_accuracy");
    figure(r, "squared length of the gradient", "%.2g", "hypergradient_norm_squared");
    run_figure(r, "run time", "%s", run_duration(run_number(r->result, "total_seconds"), text));
}

/* The losses of metrics.jsonl, beside what others reach. */
static void fill_curves(run *r) {
    json_t *spec = spec_new("curves", "Progress", "The loss on the validation rows while the penalties are tuned.", 2);
    run_metrics_axes(r, spec);
    spec_axis(spec, "y", "upper_loss", "validation loss", true);
    if (json_is_number(json_array_get(json_object_get(r->metrics, "watched_loss"), 0)))
        spec_axis(spec, "y", "watched_loss", "loss of the rows that decide when to stop", true);
    spec_curve(spec, *run_text(r->result, "solver") != '\0' ? run_text(r->result, "solver") : "so far", "line", json_incref(r->metrics));
    spec_level(spec, "best single penalty", "upper_loss", run_number(r->result, "baselines.best_single_penalty.upper_loss"));
    spec_level(spec, "no penalty", "upper_loss", run_number(r->result, "baselines.no_penalty.upper_loss"));
    json_array_append_new(r->charts, spec);
}

/* One column of the path: its key there, what it is, and the key of the result whose level is
 * drawn. */
typedef struct path_column {
    const char *key, *title, *level;
} path_column;

/* Adds KEY_low and KEY_high, one standard error from the column, where the path has errors. */
static void add_band(json_t *spec, json_t *values, const json_t *path, const char *key) {
    json_t *low = json_array(), *high = json_array();
    const json_t *point;
    char name[64];
    size_t i;
    json_array_foreach(path, i, point) {
        const double loss = run_number(point, key), error = run_number(point, "standard_error");
        json_array_append_new(low, spec_number(loss - error));
        json_array_append_new(high, spec_number(loss + error));
    }
    json_object_set_new(spec, "band", json_string("one standard error"));
    snprintf(name, sizeof name, "%s_low", key);
    json_object_set_new(values, name, low);
    snprintf(name, sizeof name, "%s_high", key);
    json_object_set_new(values, name, high);
}

/* What one penalty for all reaches, along the path of single penalties. */
static void fill_path(run *r, const json_t *path, int terminal, const char *tuned, const path_column *columns, size_t count) {
    json_t *spec =
               spec_new("single", "One penalty for all", "The loss with one penalty for all features, for a path of penalties.", terminal),
           *values = json_object();
    spec_axis(spec, "x", "log_penalty", "log of the single penalty", false);
    json_object_set_new(values, "log_penalty", run_column(path, "log_penalty"));
    for (size_t i = 0; i < count; i++) {
        if (isnan(run_number(r->result, columns[i].level))) continue;
        spec_axis(spec, "y", columns[i].key, columns[i].title, false);
        json_object_set_new(values, columns[i].key, run_column(path, columns[i].key));
    }
    if (!isnan(run_number(json_array_get(path, 0), "standard_error"))) add_band(spec, values, path, columns[0].key);
    spec_curve(spec, "single penalty", "line", values);
    for (size_t i = 0; i < count; i++) spec_level(spec, tuned, columns[i].key, run_number(r->result, columns[i].level));
    json_array_append_new(r->charts, spec);
}

/* Whether the penalties are of absolute values, which cannot be compared with those of squares. */
static bool is_absolute(const run *r) {
    const char *selected = run_text(r->result, "selected");
    return strcmp(selected, "lasso") == 0 || strcmp(selected, "elastic net") == 0;
}

static void fill_order(run *r) {
    const tune_view *v = r->own;
    json_t *spec = spec_new("penalties", "All penalties in order", "Every penalty, the smallest first.", 0);
    json_t *rank = json_array(), *size = json_array(), *names = json_array();
    const size_t step = v->count / 2000 + 1; /* a screen has no more columns */
    for (size_t i = 0; i < v->count; i += step) {
        json_array_append_new(rank, json_integer((json_int_t)i + 1));
        json_array_append_new(size, spec_number(v->list[i].penalty));
        json_array_append_new(names, json_string(v->list[i].name));
    }
    spec_axis(spec, "x", "rank", "rank", false);
    spec_axis(spec, "y", "penalty", "penalty", true);
    spec_curve(spec, "penalty", "line", json_pack("{s:o, s:o, s:o}", "rank", rank, "penalty", size, "name", names));
    if (!is_absolute(r)) spec_level(spec, "best single penalty", "penalty", run_number(r->result, "one_penalty.penalty"));
    spec_level(spec, "best single penalty", "penalty",
               exp(run_number(r->result, "baselines.best_single_penalty.log_penalty")) + run_number(r->result, "floor"));
    json_array_append_new(r->charts, spec);
}

/* ---- where the form of the penalties was selected ---- */

static bool is_selection(const run *r) {
    return *run_text(r->result, "selected") != '\0';
}

static void fill_selection_figures(run *r) {
    char text[32];
    figure(r, "held-out loss", "%.5f", "estimate");
    figure(r, "with one penalty", "%.5f", "one_penalty.estimate");
    figure(r, "test loss", "%.5f", "test_loss");
    figure(r, "with one penalty, on test rows", "%.5f", "one_penalty.test_loss");
    figure(r, "test accuracy", "%.4f", "test_accuracy");
    figure(r, "calibration error", "%.4f", "calibration.error");
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

static void fill_selection(run *r) {
    static const path_column loss = {"loss", "held-out loss", "estimate"};
    const tune_view *v = r->own;
    const double own = run_number(r->result, "estimate"), single = run_number(r->result, "one_penalty.estimate");
    if (strcmp(run_text(r->result, "selected"), "one") == 0)
        snprintf(r->headline, sizeof r->headline, "One penalty for all %zu features: no richer form is clearly better", v->count);
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
    fill_path(r, path, 1, "selected", &loss, 1);
    json_decref(path);
    fill_calibration(r);
    fill_effects(r);
    fill_order(r);
}

static void fill(run *r) {
    static const path_column losses[] = {{"upper_loss", "validation loss", "upper_loss"},
                                         {"test_loss", "test loss", "test_loss"},
                                         {"test_accuracy", "test accuracy", "test_accuracy"}};
    const tune_view *v = r->own;
    if (v != NULL && is_selection(r)) {
        fill_selection(r);
        return;
    }
    if (r->metrics != NULL) fill_curves(r);
    if (v == NULL) {
        snprintf(r->headline, sizeof r->headline, "Not done yet");
        return;
    }
    const double own = run_number(r->result, "upper_loss"), single = run_number(r->result, "baselines.best_single_penalty.upper_loss");
    if (own < single)
        snprintf(r->headline, sizeof r->headline, "%zu %s: the validation loss is %.2g\u00a0%% below that of the best single one", v->count,
                 v->count == 1 ? "penalty" : "penalties", 100 * (1 - own / single));
    else
        snprintf(r->headline, sizeof r->headline, "%zu %s: not better than the best single one", v->count,
                 v->count == 1 ? "penalty" : "penalties");
    fill_figures(r);
    fill_path(r, json_object_get(json_object_get(r->result, "baselines"), "path"), 0, "tuned penalties", losses,
              sizeof losses / sizeof *losses);
    fill_order(r);
}

/* ---- the page ---- */

static void write_penalty(FILE *to, const tune_view *v, size_t i) {
    const double least = v->list[0].log_penalty, range = v->list[v->count - 1].log_penalty - least;
    html_row(to);
    html_number(to, "%.0f", (double)i + 1);
    html_cell(to, v->list[i].name);
    html_number(to, "%.3g", v->list[i].penalty);
    html_number(to, "%.2f", v->list[i].log_penalty);
    fprintf(to, "<td class=\"bar\"><i style=\"--share: %.3f\"></i></td>", range > 0 ? (v->list[i].log_penalty - least) / range : 1);
}

static void write_penalties(FILE *to, const tune_view *v) {
    static const char *const titles[] = {"rank", "<name", "penalty", "x = log", "<small to large"};
    fputs("<section><h2>The penalties, smallest first</h2>\n<p class=\"note\">The larger the penalty, the smaller the influence of its "
          "feature. "
          "Penalties are those of the features as they were scaled; penalties.csv in the folder of the run has all.</p>\n",
          to);
    html_table(to, NULL, titles, 5);
    for (size_t i = 0; i < v->count; i++) {
        if (v->count > 2 * SHOWN && i == SHOWN) {
            fprintf(to, "\n<tr><td colspan=\"5\" class=\"text\">… %zu more …</td>", v->count - 2 * SHOWN);
            i = v->count - SHOWN;
        }
        write_penalty(to, v, i);
    }
    html_table_end(to);
    fputs("</section>\n", to);
}

static void add_row(json_t *rows, const char *name, const json_t *score) {
    json_t *row = json_copy((json_t *)score);
    json_object_set_new(row, "name", json_string(name));
    json_array_append_new(rows, row);
}

static void write_baselines(FILE *to, const run *r) {
    static const column columns[] = {{"<", "name", NULL},
                                     {"x", "log_penalty", "%.2f"},
                                     {"validation loss", "upper_loss", "%.5f"},
                                     {"|gradient|²", "hypergradient_norm_squared", "%.2e"},
                                     {"test loss", "test_loss", "%.5f"},
                                     {"test accuracy", "test_accuracy", "%.4f"},
                                     {"seconds", "seconds", "%.2f"}};
    static const char *const others[][2] = {
        {"best_single_penalty", "best single penalty"}, {"no_penalty", "no penalty"}, {"constant_minus_15", "all x = −15"}};
    json_t *rows = json_array();
    add_row(rows, "sustain tune", r->result);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add_row(rows, others[i][1], json_object_get(json_object_get(r->result, "baselines"), others[i][0]));
    fputs("<section><h2>Compared with a single penalty</h2>\n", to);
    run_write_rows(to, NULL, rows, columns, 7);
    run_write_chart(to, "single");
    fputs("</section>\n", to);
    json_decref(rows);
}

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
        "error of the best is selected; splines and Fourier features only where they are better by 1.5. The model of a candidate is a "
        "weighted mean of its own and of the one before it.</p>\n",
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

static void write_selection(FILE *to, const run *r) {
    write_candidates(to, r);
    write_effects(to, r);
    write_coefficients(to, r);
    write_groups(to, r);
    if (json_array_size(json_object_get(json_object_get(r->result, "calibration"), "bins")) > 0) {
        fputs("<section><h2>Calibration</h2>\n", to);
        run_write_chart(to, "calibration");
        fputs("</section>\n", to);
    }
    fputs("<section><h2>All penalties in order</h2>\n", to);
    run_write_chart(to, "penalties");
    fputs("</section>\n", to);
    write_penalties(to, r->own);
}

static void write(FILE *to, const run *r) {
    const tune_view *v = r->own;
    html_element(to, "p class=\"lead\"", "%s", run_text(r->config, "data.split"));
    run_write_warnings(to, r);
    if (v != NULL && is_selection(r)) {
        write_selection(to, r);
        return;
    }
    if (v == NULL) {
        html_element(to, "p class=\"warning\"", "This run has no result yet. To go on with it: sustain tune --out %s --resume", r->folder);
    } else {
        html_element(to, "p class=\"note\"", "%s", run_text(r->result, "reason"));
        write_baselines(to, r);
        fputs("<section><h2>All penalties in order</h2>\n", to);
        run_write_chart(to, "penalties");
        fputs("</section>\n", to);
        write_penalties(to, v);
    }
    if (r->metrics == NULL) return;
    fputs("<section><h2>Progress</h2>\n", to);
    run_write_chart(to, "curves");
    fputs("</section>\n", to);
}

const kind kind_tune = {
    .command = "tune", .title = "penalties of a linear model", .read = read_penalties, .fill = fill, .write = write, .release = release};
