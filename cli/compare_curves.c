/* compare_curves.c - the folders of the runs, read back as curves: what the tables show is what the files have. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verb_compare.h"

/* ---- one run ---- */

static double number_of(const json_t *line, const char *key) {
    const json_t *value = json_object_get(line, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static compare_point point_of(const compare_task *task, const json_t *line) {
    compare_point p;
    const double gradients = number_of(line, "gradients_upper"), lower = number_of(line, "gradients_lower");
    p.axis[AXIS_GRADIENTS] = gradients;
    p.axis[AXIS_SAMPLES] = number_of(line, "samples_upper") + number_of(line, "samples_lower");
    p.axis[AXIS_PRODUCTS] = number_of(line, "hessian_products") + number_of(line, "cross_products");
    p.axis[AXIS_CALLS] = gradients + lower + p.axis[AXIS_PRODUCTS];
    p.axis[AXIS_ITERATIONS] = number_of(line, "iteration");
    p.axis[AXIS_SECONDS] = number_of(line, "seconds");
    for (int i = 0; i < COMPARE_METRICS; i++) p.metric[i] = i < task->metric_count ? number_of(line, task->metrics[i].key) : (double)NAN;
    return p;
}

static int read_points(const compare_task *task, const char *path, compare_series *s) {
    FILE *from = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    int code = EXIT_DONE;
    while (from != NULL && code == EXIT_DONE && getline(&text, &room, from) > 0) {
        json_t *line = json_loads(text, 0, NULL);
        compare_point *grown = realloc(s->point, (size_t)(s->count + 1) * sizeof *grown);
        if (grown != NULL) s->point = grown;
        if (grown == NULL)
            code = complain(EXIT_FAILED, "out of memory");
        else if (line == NULL)
            code = complain(EXIT_USAGE, "%s, line %d, is not JSON: remove the folder, and the run is computed again", path, s->count + 1);
        else
            s->point[s->count++] = point_of(task, line);
        json_decref(line);
    }
    if (code == EXIT_DONE && s->count == 0)
        code = complain(EXIT_USAGE, "%s has no lines: remove the folder, and the run is computed again", path);
    free(text);
    if (from != NULL) fclose(from);
    return code;
}

static int read_run(const compare_plan *plan, const compare_entry *entry, int64_t seed, compare_series *s) {
    char folder[LONGEST_PATH], path[LONGEST_PATH];
    compare_run_folder(plan, entry, seed, folder);
    run_path(folder, "result.json", path);
    json_t *result = json_load_file(path, 0, NULL);
    const char *failed = json_string_value(json_object_get(result, "failed"));
    snprintf(s->failed, sizeof s->failed, "%s", failed != NULL ? failed : "");
    json_decref(result);
    run_path(folder, "metrics.jsonl", path);
    return read_points(plan->task, path, s);
}

double compare_value_at(const compare_series *run, compare_axis axis, int metric, double x) {
    int i = 1;
    while (i < run->count - 1 && run->point[i].axis[axis] < x) i++;
    if (i >= run->count) return run->point[0].metric[metric];
    const compare_point *a = &run->point[i - 1], *b = &run->point[i];
    const double from = a->axis[axis], to = b->axis[axis];
    if (x >= to) return b->metric[metric];
    if (!(from > 0)) return a->metric[metric]; /* nothing is done before the first iteration is */
    return a->metric[metric] + log(x / from) / log(to / from) * (b->metric[metric] - a->metric[metric]);
}

/* ---- means ---- */

/* The i-th evaluation of a run; beyond the common ones the last. */
static const compare_point *at(const compare_series *s, int i, bool last) {
    return &s->point[last ? s->count - 1 : i];
}

static compare_mean mean_at(const compare_curve *c, int64_t runs, int i, bool last) {
    compare_mean m = {{0}, {0}, {0}};
    for (int64_t r = 0; r < runs; r++) {
        for (int k = 0; k < AXES; k++) m.axis[k] += at(&c->run[r], i, last)->axis[k] / (double)runs;
        for (int k = 0; k < COMPARE_METRICS; k++) m.mean[k] += at(&c->run[r], i, last)->metric[k] / (double)runs;
    }
    for (int64_t r = 0; r < runs && runs > 1; r++)
        for (int k = 0; k < COMPARE_METRICS; k++) {
            const double off = at(&c->run[r], i, last)->metric[k] - m.mean[k];
            m.deviation[k] += off * off / (double)(runs - 1);
        }
    for (int k = 0; k < COMPARE_METRICS; k++) m.deviation[k] = sqrt(m.deviation[k]);
    return m;
}

/* Evaluations that all runs have at the same iteration; then, where their ends differ (an iteration costs more with one seed than with another) and
 * none has failed, the ends. */
static int make_means(compare_curve *c, int64_t runs) {
    int common = c->run[0].count;
    bool ends = false;
    for (int64_t r = 1; r < runs; r++) {
        int same = 0;
        while (same < common && same < c->run[r].count &&
               c->run[r].point[same].axis[AXIS_ITERATIONS] == c->run[0].point[same].axis[AXIS_ITERATIONS])
            same++;
        common = same;
    }
    for (int64_t r = 0; r < runs; r++) ends = ends || c->run[r].count > common;
    for (int64_t r = 0; r < runs; r++) ends = ends && c->run[r].failed[0] == '\0';
    c->mean = malloc((size_t)(common + 1) * sizeof *c->mean);
    if (c->mean == NULL) return complain(EXIT_FAILED, "out of memory");
    for (c->count = 0; c->count < common; c->count++) c->mean[c->count] = mean_at(c, runs, c->count, false);
    if (ends) c->mean[c->count++] = mean_at(c, runs, 0, true);
    return EXIT_DONE;
}

bool compare_has_metric(const compare_result *r, int metric) {
    for (int i = 0; i < r->plan->entry_count; i++)
        for (int k = 0; k < r->curve[i].count; k++)
            if (isfinite(r->curve[i].mean[k].mean[metric])) return true;
    return false;
}

int compare_curves_read(const compare_plan *plan, compare_result *result) {
    int code = EXIT_DONE;
    for (int i = 0; i < plan->entry_count && code == EXIT_DONE; i++) {
        compare_curve *c = &result->curve[i];
        c->entry = &plan->entry[i];
        c->run = calloc((size_t)plan->runs, sizeof *c->run);
        if (c->run == NULL) return complain(EXIT_FAILED, "out of memory");
        for (int64_t r = 0; r < plan->runs && code == EXIT_DONE; r++) code = read_run(plan, c->entry, plan->given->seed + r, &c->run[r]);
        if (code == EXIT_DONE) code = make_means(c, plan->runs);
    }
    return code;
}

void compare_curves_free(compare_result *result) {
    for (int i = 0; i < result->plan->entry_count; i++) {
        for (int64_t r = 0; r < result->plan->runs && result->curve[i].run != NULL; r++) free(result->curve[i].run[r].point);
        free(result->curve[i].run);
        free(result->curve[i].mean);
    }
}
