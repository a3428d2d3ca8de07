/* page_tune.c - the page of `sustain tune`: the penalties, and what they are worth. Where their
 * form was selected: page_tune_selected.c. */
#include "page_tune.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_csv.h"

enum { SHOWN = 60 }; /* penalties in the table, from each end of the order */

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

void tune_figure(run *r, const char *what, const char *format, const char *key) {
    const double value = run_number(r->result, key);
    if (!isnan(value)) run_figure(r, what, format, value); /* NOLINT: the formats are those below */
}

static void fill_figures(run *r) {
    char text[32];
    tune_figure(r, "validation loss", "%.5f", "upper_loss");
    tune_figure(r, "validation loss with the best single penalty", "%.5f", "baselines.best_single_penalty.upper_loss");
    tune_figure(r, "validation loss with no penalty", "%.5f", "baselines.no_penalty.upper_loss");
    tune_figure(r, "test loss", "%.5f", "test_loss");
    tune_figure(r, "test accuracy", "%.4f", "test_accuracy");
    tune_figure(r, "squared length of the gradient", "%.2g", "hypergradient_norm_squared");
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

void tune_fill_path(run *r, const json_t *path, int terminal, const char *tuned, const path_column *columns, size_t count) {
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

static bool is_selection(const run *r) {
    return *run_text(r->result, "selected") != '\0';
}

static void fill(run *r) {
    static const path_column losses[] = {{"upper_loss", "validation loss", "upper_loss"},
                                         {"test_loss", "test loss", "test_loss"},
                                         {"test_accuracy", "test accuracy", "test_accuracy"}};
    const tune_view *v = r->own;
    if (v != NULL && is_selection(r)) {
        tune_fill_selection(r, v->count);
        fill_order(r);
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
    tune_fill_path(r, json_object_get(json_object_get(r->result, "baselines"), "path"), 0, "tuned penalties", losses,
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
    fputs("<section><h2>All penalties in order</h2>\n", to);
    run_write_chart(to, "penalties");
    fputs("</section>\n<section><h2>The penalties, smallest first</h2>\n<p class=\"note\">The larger the penalty, the smaller the "
          "influence of its "
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

static void write(FILE *to, const run *r) {
    const tune_view *v = r->own;
    html_element(to, "p class=\"lead\"", "%s", run_text(r->config, "data.split"));
    run_write_warnings(to, r);
    if (v != NULL && is_selection(r)) {
        tune_write_selection(to, r);
        write_penalties(to, v);
        return;
    }
    if (v == NULL) {
        html_element(to, "p class=\"warning\"", "This run has no result yet. To resume it: sustain tune --out %s --resume", r->folder);
    } else {
        html_element(to, "p class=\"note\"", "%s", run_text(r->result, "reason"));
        write_baselines(to, r);
        write_penalties(to, v);
    }
    if (r->metrics == NULL) return;
    fputs("<section><h2>Progress</h2>\n", to);
    run_write_chart(to, "curves");
    fputs("</section>\n", to);
}

const kind kind_tune = {
    .command = "tune", .title = "penalties of a linear model", .read = read_penalties, .fill = fill, .write = write, .release = release};
