/* run_record.c - see run_record.h. */
#include "run_record.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- small things ---- */

bool run_refuse(run *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->error, REPORT_ERROR, format, arguments);
    va_end(arguments);
    return false;
}

void run_path_of(const run *r, const char *name, char path[4096]) {
    snprintf(path, 4096, "%s/%s", r->folder, name);
}

static const json_t *at_path(const json_t *object, const char *path) {
    while (object != NULL && *path != '\0') {
        char key[64];
        const size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        object = json_object_get(object, key);
        path += length + (path[length] == '.');
    }
    return object;
}

double run_number(const json_t *object, const char *path) {
    const json_t *value = at_path(object, path);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const char *run_text(const json_t *object, const char *path) {
    const char *text = json_string_value(at_path(object, path));
    return text != NULL ? text : "";
}

void run_figure(run *r, const char *what, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_array_append_new(r->figures, json_pack("[s, s]", what, text));
}

const char *run_duration(double seconds, char text[32]) {
    if (isnan(seconds))
        snprintf(text, 32, "–");
    else if (seconds < 100)
        snprintf(text, 32, "%.*f s", seconds < 10 ? 1 : 0, seconds);
    else if (seconds < 6000)
        snprintf(text, 32, "%.0f min", seconds / 60);
    else
        snprintf(text, 32, "%.1f h", seconds / 3600);
    return text;
}

/* ---- files ---- */

json_t *run_json(run *r, const char *name) {
    char path[4096];
    json_error_t error;
    run_path_of(r, name, path);
    FILE *from = fopen(path, "r");
    if (from == NULL && errno == ENOENT) return NULL;
    if (from == NULL) {
        run_refuse(r, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    json_t *object = json_loadf(from, 0, &error);
    fclose(from);
    if (object == NULL) run_refuse(r, "%s, line %d: %s", path, error.line, error.text);
    return object;
}

double report_memory(const char *folder) {
    static const char *const names[] = {"config.json", "result.json",      "compare.json", "metrics.jsonl", "review.csv",   "shown.csv",
                                        "gallery.npy", "coefficients.csv", "task.json",    "task.npy",      "penalties.csv"};
    const run r = {.folder = folder};
    double bytes = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        run_path_of(&r, names[i], path);
        FILE *file = fopen(path, "rb");
        /* a folder has no first byte, and an end beyond all bounds */
        if (file != NULL && fgetc(file) != EOF && fseek(file, 0, SEEK_END) == 0) bytes += 2.0 * (double)ftell(file);
        if (file != NULL) fclose(file);
    }
    return bytes;
}

/* Makes a column `size` long; false: out of memory. */
static bool pad(json_t *list, size_t size) {
    while (json_array_size(list) < size)
        if (json_array_append_new(list, json_null()) != 0) return false;
    return true;
}

/* A line of metrics.jsonl to the columns, which are as long as there were lines. */
static bool add_line(json_t *columns, const json_t *line, size_t lines) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)line, key, value) {
        if (!json_is_number(value) && !json_is_null(value)) continue;
        if (json_object_get(columns, key) == NULL) json_object_set_new(columns, key, json_array());
        json_t *list = json_object_get(columns, key);
        if (list == NULL || !pad(list, lines) || json_array_append(list, value) != 0) return false;
    }
    json_object_foreach(columns, key, value) if (!pad(value, lines + 1)) return false;
    return true;
}

/* Converts the lines of a file to columns. The last line of a run in progress may be incomplete:
 * lines that are not JSON are skipped. False: out of memory. */
static bool read_lines(FILE *from, json_t *columns, size_t *lines) {
    char *line = NULL;
    size_t room = 0;
    bool good = columns != NULL;
    errno = 0;
    while (good && getline(&line, &room, from) > 0) {
        json_error_t error;
        json_t *object = json_loads(line, 0, &error);
        if (json_is_object(object))
            good = add_line(columns, object, (*lines)++);
        else
            good = object != NULL || json_error_code(&error) != json_error_out_of_memory;
        json_decref(object);
    }
    free(line);
    return good && errno != ENOMEM;
}

/* metrics.jsonl to r->metrics, NULL where it has no lines. *there: whether there is such a file. */
static bool read_metrics(run *r, bool *there) {
    char path[4096];
    size_t lines = 0;
    run_path_of(r, "metrics.jsonl", path);
    FILE *from = fopen(path, "r");
    *there = from != NULL;
    if (from == NULL) return true;
    json_t *columns = json_object();
    const bool good = read_lines(from, columns, &lines);
    fclose(from);
    if (good && lines > 0) r->metrics = json_incref(columns);
    json_decref(columns);
    return good || run_refuse(r, "out of memory while reading %s", path);
}

/* ---- a run ---- */

static const kind *const kinds[] = {&kind_clean, &kind_tune, &kind_rates, &kind_demo, &kind_meta};

/* `sustain compare` has all in one file. */
static bool find_compare(run *r) {
    r->result = run_json(r, "compare.json");
    if (r->result == NULL) return false;
    r->kind = &kind_compare;
    r->config = json_pack("{s:s, s:s, s:s}", "repeat", run_text(r->result, "command"), "version", sustain_version(), "precision",
                          sustain_precision());
    return true;
}

static bool find_kind(run *r) {
    if (find_compare(r)) return true;
    if (r->error[0] != '\0') return false;
    r->config = run_json(r, "config.json");
    if (r->config == NULL && r->error[0] == '\0')
        return run_refuse(r, "%s is not the folder of a run: it has no config.json; give the folder that --out named", r->folder);
    if (r->config == NULL) return false;
    const char *command = run_text(r->config, "command");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i]->command, command) == 0) {
            r->kind = kinds[i];
            return true;
        }
    return run_refuse(r, "%s/config.json is of 'sustain %s', which has no page", r->folder, command);
}

static void name_of(run *r) {
    size_t end = strlen(r->folder);
    while (end > 1 && r->folder[end - 1] == '/') end--;
    size_t begin = end;
    while (begin > 0 && r->folder[begin - 1] != '/') begin--;
    snprintf(r->name, sizeof r->name, "%.*s", (int)(end - begin), r->folder + begin);
}

bool run_read(run *r) {
    bool there;
    r->error[0] = '\0';
    name_of(r);
    if (!find_kind(r)) return false;
    if (r->result == NULL) r->result = run_json(r, "result.json");
    json_t *older = json_object_get(r->result, "company"); /* the name in older runs */
    if (older != NULL) json_object_set(r->result, r->kind == &kind_clean ? "baseline_table" : "baselines", older);
    if (r->error[0] != '\0') return false;
    if (!read_metrics(r, &there)) return false;
    if (!there && r->result == NULL)
        return run_refuse(r, "the run in %s has no result yet: it has neither result.json nor metrics.jsonl", r->folder);
    r->figures = json_array();
    r->charts = json_array();
    r->data = json_object();
    if (r->kind->read != NULL && r->result != NULL && !r->kind->read(r)) return false;
    r->kind->fill(r);
    return true;
}

void run_free(run *r) {
    if (r->kind != NULL && r->kind->release != NULL) r->kind->release(r->own);
    json_decref(r->config);
    json_decref(r->result);
    json_decref(r->metrics);
    json_decref(r->figures);
    json_decref(r->charts);
    json_decref(r->data);
}

/* ---- shared by all kinds ---- */

void run_metrics_axes(const run *r, json_t *spec) {
    static const char *const axes[][2] = {{"gradients_upper", "gradients, upper level"},
                                          {"gradients_lower", "gradients, lower level"},
                                          {"seconds", "seconds"},
                                          {"iteration", "iterations"}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (json_object_get(r->metrics, axes[i][0]) != NULL) spec_axis(spec, "x", axes[i][0], axes[i][1], false);
}

json_t *run_column(const json_t *rows, const char *key) {
    json_t *list = json_array(), *row;
    size_t i;
    json_array_foreach(rows, i, row) json_array_append_new(list, spec_number(run_number(row, key)));
    return list;
}

static bool has_value(const json_t *rows, const column *c) {
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row) {
        const json_t *value = at_path(row, c->key);
        if (json_is_number(value) || json_is_string(value) || json_is_number(json_object_get(value, "mean"))) return true;
    }
    return false;
}

static void write_value(FILE *to, const json_t *value, const char *format) {
    if (format == NULL) {
        html_cell(to, json_is_string(value) ? json_string_value(value) : "–");
        return;
    }
    const double spread = (run_number(value, "high") - run_number(value, "low")) / 2;
    const double number = json_is_number(value) ? json_number_value(value) : run_number(value, "mean");
    if (isnan(number) || !(spread > 0)) {
        html_number(to, format, number);
        return;
    }
    fputs("<td>", to);
    fprintf(to, format, number); /* NOLINT: the formats are constants */
    fprintf(to, " <small>± %.2g</small></td>", spread);
}

void run_write_rows(FILE *to, const char *caption, const json_t *rows, const column *columns, int count) {
    enum { MOST = 32 };
    const column *kept[MOST];
    const char *titles[MOST];
    size_t i;
    json_t *row;
    int n = 0;
    for (int k = 0; k < count && n < MOST; k++)
        if (has_value(rows, &columns[k])) titles[n] = columns[k].title, kept[n++] = &columns[k];
    html_table(to, caption, titles, n);
    json_array_foreach(rows, i, row) {
        html_row(to);
        for (int k = 0; k < n; k++) write_value(to, at_path(row, kept[k]->key), kept[k]->format);
    }
    html_table_end(to);
}

void run_write_chart(FILE *to, const char *id) {
    fprintf(to, "<figure class=\"chart\" data-chart=\"%s\"></figure>\n", id);
}

void run_write_warnings(FILE *to, const run *r) {
    size_t i;
    json_t *warning;
    json_array_foreach(json_object_get(r->result, "warnings"), i, warning) {
        const char *text = json_string_value(warning);
        if (text != NULL) html_element(to, "p class=\"warning\"", "Warning: %s", text);
    }
}

void run_write_remarks(FILE *to, const run *r) {
    size_t i;
    json_t *remark, *remarks = json_object_get(r->result, "remarks");
    if (json_array_size(remarks) == 0) return;
    fputs("<section><h2>How the data were read</h2>\n<ul class=\"note\">\n", to);
    json_array_foreach(remarks, i, remark) if (json_is_string(remark)) html_element(to, "li", "%s", json_string_value(remark));
    fputs("</ul>\n</section>\n", to);
}

void run_write_repeat(FILE *to, const run *r) {
    const char *again = run_text(r->config, "repeat");
    const bool by_clock = *run_text(r->config, "options.seconds") != '\0' ||
                          strcmp(run_text(r->result, "stopped"), sustain_stop_text(SUSTAIN_STOP_SECONDS)) == 0;
    fputs("<section><h2>How to repeat it</h2>\n", to);
    if (*again != '\0') html_element(to, "pre class=\"command\"", "%s", again);
    html_element(to, "p class=\"note\"", "%ssustain %s, %s precision; the folder is %s.",
                 by_clock ? "The clock ended this run: on another machine the result may differ. "
                          : "Same seed, same result, times aside, whatever the number of threads. ",
                 run_text(r->config, "version"), run_text(r->config, "precision"), r->folder);
    fputs("</section>\n", to);
}
