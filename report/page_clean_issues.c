/* page_clean_issues.c - issues.csv, counted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "page_clean.h"
#include "csv_table.h"

enum { INDEX, GIVEN, SUGGESTED, WEIGHT, QUALITY, IS_ISSUE, FIELDS };

static const char *const keys[] = {"index", "given", "suggested", "weight", "quality"};

static bool make_room(run *r, clean_view *v) {
    const json_t *names = json_object_get(json_object_get(r->config, "data"), "classes");
    v->classes = (int64_t)json_array_size(names);
    const size_t n = (size_t)v->classes;
    if (n == 0) return run_refuse(r, "%s/config.json names no classes under data.classes", r->folder);
    v->names = calloc(n, sizeof *v->names);
    v->labels = calloc(n, sizeof *v->labels);
    v->flagged = calloc(n, sizeof *v->flagged);
    v->confused = calloc(n * n, sizeof *v->confused);
    v->number_of = json_object();
    v->listed = json_object();
    if (v->names == NULL || v->labels == NULL || v->flagged == NULL || v->confused == NULL) return run_refuse(r, "out of memory");
    for (size_t k = 0; k < n; k++) {
        const char *name = json_string_value(json_array_get(names, k));
        v->names[k] = name != NULL ? name : "";
        json_object_set_new(v->number_of, v->names[k], json_integer((json_int_t)k));
    }
    for (int i = 0; i < IS_ISSUE; i++) json_object_set_new(v->listed, keys[i], json_array());
    return true;
}

static void list_issue(clean_view *v, char *const *field, int64_t given, int64_t suggested) {
    if (v->issues > MOST_ISSUES) return;
    const double number[] = {strtod(field[INDEX], NULL), (double)given, (double)suggested, strtod(field[WEIGHT], NULL),
                             strtod(field[QUALITY], NULL)};
    for (int i = 0; i < IS_ISSUE; i++) json_array_append_new(json_object_get(v->listed, keys[i]), spec_number(number[i]));
}

static bool count_line(clean_view *v, char *const *field) {
    const json_t *given = json_object_get(v->number_of, field[GIVEN]), *suggested = json_object_get(v->number_of, field[SUGGESTED]);
    const double weight = strtod(field[WEIGHT], NULL);
    const bool issue = field[IS_ISSUE][0] == '1';
    if (given == NULL || suggested == NULL || !(weight >= 0 && weight <= 1)) return false;
    const int64_t a = json_integer_value(given), b = json_integer_value(suggested);
    const int bin = (int)(weight * WEIGHT_BINS);
    v->rows++;
    v->labels[a]++;
    v->bins[issue][bin < WEIGHT_BINS ? bin : WEIGHT_BINS - 1]++;
    if (!issue) return true;
    v->issues++;
    v->flagged[a]++;
    v->confused[a * v->classes + b]++;
    list_issue(v, field, a, b);
    return true;
}

static bool count_issues(run *r, clean_view *v) {
    char path[4096], *field[FIELDS];
    int count;
    run_path_of(r, "issues.csv", path);
    csv file = csv_open(path);
    if (file.text == NULL) return run_refuse(r, "cannot read %s: %s", path, strerror(errno));
    bool good = csv_line(&file, field, FIELDS) == FIELDS; /* the header */
    while (good && (count = csv_line(&file, field, FIELDS)) > 0) good = count == FIELDS && count_line(v, field);
    if (!good) run_refuse(r, "%s, line %ld: not as 'sustain clean' writes it; run it again", path, file.line);
    csv_close(&file);
    return good;
}

bool clean_view_read(run *r) {
    clean_view *v = calloc(1, sizeof *v);
    if (v == NULL) return run_refuse(r, "out of memory");
    r->own = v;
    if (!make_room(r, v) || !count_issues(r, v)) return false;
    json_t *pictures = run_pictures(r, "gallery.npy");
    if (pictures != NULL) json_object_set_new(r->data, "pictures", pictures);
    return r->error[0] == '\0';
}

void clean_view_free(void *own) {
    clean_view *v = own;
    if (v == NULL) return;
    free(v->names);
    free(v->labels);
    free(v->flagged);
    free(v->confused);
    json_decref(v->number_of);
    json_decref(v->listed);
    free(v);
}
