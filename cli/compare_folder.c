/* compare_folder.c - the folder of one run of `sustain compare`: metrics.jsonl, result.json and
 * config.json, written at the end of the run, config.json last: a folder that has it is
 * complete. The tables are computed from these files. */
#include <math.h>
#include <stdlib.h>

#include "folder_lock.h"
#include "verb_compare.h"

static void folder_of(const compare_job *job, const compare_entry *entry, int64_t seed, char path[LONGEST_PATH]) {
    snprintf(path, LONGEST_PATH, "%s/%s/seed-%lld", job->given.out, entry->folder, (long long)seed);
}

int compare_folders_refuse_links(const compare_job *job) {
    const compare_plan *plan = &job->plan;
    char path[LONGEST_PATH];
    int code = EXIT_DONE;
    for (int i = 0; i < plan->entry_count && code == EXIT_DONE; i++) {
        run_path(job->given.out, plan->entry[i].folder, path);
        code = folder_refuse_links(path);
        for (int64_t r = 0; r < compare_entry_runs(plan, &plan->entry[i]) && code == EXIT_DONE; r++) {
            folder_of(job, &plan->entry[i], plan->seed + r, path);
            code = folder_refuse_links(path);
        }
    }
    return code;
}

/* ---- config.json ---- */

/* Solver, limits and output are not options of the task. */
static json_t *task_options(const compare_job *job) {
    const compare_source *source = compare_source_of(job->plan.task);
    if (source->options == NULL) return json_object();
    verb own = *source->options;
    own.shared_count = 0;
    return options_json(&own, (const char *)&job->given + source->offset);
}

/* A run with the same configuration is not computed again. */
static json_t *config_of(const compare_job *job, const compare_entry *entry, int64_t seed) {
    const compare_plan *plan = &job->plan;
    json_t *object = json_object(), *budget = json_object();
    json_object_set_new(budget, compare_axis_keys[plan->axis], json_number_or_null(plan->budget));
    SET_TEXTS(object, {"command", "compare"}, {"version", sustain_version()}, {"precision", sustain_precision()},
              {"task", plan->task->name});
    json_object_set_new(object, "options", task_options(job));
    SET_TEXTS(object, {"fingerprint", job->fingerprint});
    if (job->given.set.count > 0) json_object_set_new(object, "set", assignments_json(&job->given.set));
    SET_TEXTS(object, {"solver", entry->solver}, {"parameters", entry->parameters});
    json_object_set_new(object, "seed", json_integer(seed));
    json_object_set_new(object, "budget", budget);
    return object;
}

bool compare_folder_is_there(const compare_job *job, const compare_entry *entry, int64_t seed) {
    char folder[LONGEST_PATH], path[LONGEST_PATH];
    folder_of(job, entry, seed, folder);
    run_path(folder, "config.json", path);
    json_t *there = json_load_file(path, 0, NULL), *wanted = config_of(job, entry, seed);
    const bool same = there != NULL && json_equal(there, wanted);
    json_decref(there);
    json_decref(wanted);
    return same;
}

/* ---- metrics.jsonl ---- */

/* The counts of a line. */
static const struct {
    const char *key;
    size_t offset;
} counts[] = {
    {"gradients_upper", offsetof(sustain_counts, gradients[0])},      {"gradients_lower", offsetof(sustain_counts, gradients[1])},
    {"samples_upper", offsetof(sustain_counts, samples[0])},          {"samples_lower", offsetof(sustain_counts, samples[1])},
    {"hessian_products", offsetof(sustain_counts, hessian_products)}, {"cross_products", offsetof(sustain_counts, cross_products)},
};

static int64_t *count_at(sustain_counts *c, int i) {
    return (int64_t *)(void *)((char *)c + counts[i].offset);
}

static json_t *line_of(const compare_task *task, compare_point *p) {
    json_t *line = json_object();
    json_object_set_new(line, "iteration", json_integer(p->iterations));
    json_object_set_new(line, "seconds", json_number_or_null(p->seconds));
    for (int i = 0; i < COUNT_OF(counts); i++) json_object_set_new(line, counts[i].key, json_integer(*count_at(&p->counts, i)));
    for (int i = 0; i < task->metric_count; i++) json_object_set_new(line, task->metrics[i].key, json_number_or_null(p->metric[i]));
    return line;
}

static double number_of(const json_t *line, const char *key) {
    const json_t *value = json_object_get(line, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static compare_point point_of(const compare_task *task, const json_t *line) {
    compare_point p = {.iterations = json_integer_value(json_object_get(line, "iteration")), .seconds = number_of(line, "seconds")};
    for (int i = 0; i < COUNT_OF(counts); i++) *count_at(&p.counts, i) = json_integer_value(json_object_get(line, counts[i].key));
    for (int i = 0; i < COMPARE_METRICS; i++) p.metric[i] = i < task->metric_count ? number_of(line, task->metrics[i].key) : (double)NAN;
    return p;
}

typedef struct lines {
    const compare_task *task;
    const compare_series *series;
} lines;

static void write_lines(FILE *to, const void *user) {
    const lines *l = user;
    for (int i = 0; i < l->series->count; i++) {
        json_t *line = line_of(l->task, &l->series->point[i]);
        json_dumpf(line, to, JSON_COMPACT | JSON_REAL_PRECISION(9));
        fputc('\n', to);
        json_decref(line);
    }
}

/* ---- one run ---- */

static int write_run(const compare_job *job, const compare_entry *entry, int64_t seed, const compare_series *series) {
    char folder[LONGEST_PATH], config[LONGEST_PATH];
    folder_of(job, entry, seed, folder);
    int code = make_folder(folder);
    if (code != EXIT_DONE) return code;
    folder_sweep(folder);
    run_path(folder, "config.json", config);
    remove(config); /* of an earlier run, which this one replaces */
    code = write_file(folder, "metrics.jsonl", write_lines, &(lines){job->plan.task, series});
    if (code != EXIT_DONE) return code;
    json_t *result = json_object();
    json_object_set_new(result, "failed", series->failed[0] != '\0' ? json_text(series->failed) : json_null());
    code = write_json(folder, "result.json", result);
    return code == EXIT_DONE ? write_json(folder, "config.json", config_of(job, entry, seed)) : code;
}

int compare_folder_make(const compare_job *job, const compare_entry *entry, int64_t seed) {
    compare_subject subject;
    compare_series series = {.point = NULL};
    lab_error error = {""};
    sustain_context *context;
    if (sustain_context_create(&context) != SUSTAIN_OK) return out_of_memory();
    sustain_context_set_memory_limit(context, job->allowed / (size_t)job->processes);
    sustain_context_set_trust_mtime(context, job->given.trust_mtime);
    int code = refused(context, sustain_context_set_threads(context, job->threads));
    if (code == EXIT_DONE) {
        code = compare_subject_open(context, job, seed, &subject);
        if (code == EXIT_DONE)
            code = compare_refused(compare_run(context, &job->plan, subject.state, entry, seed, &series, &error), &error);
        if (code == EXIT_DONE) code = write_run(job, entry, seed, &series);
        compare_subject_close(&subject);
    }
    free(series.point);
    sustain_context_destroy(context);
    return code;
}

/* ---- reading all runs ---- */

/* Runs begin at iteration 0: then they have an evaluation in common. */
static bool comes_next(const compare_series *s, const compare_point *point) {
    return s->count == 0 ? point->iterations == 0 : point->iterations > s->point[s->count - 1].iterations;
}

static int read_points(const compare_task *task, const char *path, compare_series *s) {
    FILE *from = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    int code = EXIT_DONE;
    while (from != NULL && code == EXIT_DONE && getline(&text, &room, from) > 0) {
        json_t *line = json_loads(text, 0, NULL);
        const compare_point point = point_of(task, line);
        if (line == NULL || !comes_next(s, &point))
            code = complain(EXIT_USAGE, "%s, line %d, is not as 'sustain compare' writes it: remove the folder to compute the run again",
                            path, s->count + 1);
        else if (compare_series_add(s, &point) != SUSTAIN_OK)
            code = out_of_memory();
        json_decref(line);
    }
    if (code == EXIT_DONE && s->count == 0)
        code = complain(EXIT_USAGE, "%s has no lines: remove the folder to compute the run again", path);
    free(text);
    if (from != NULL) fclose(from);
    return code;
}

static int read_run(const compare_job *job, const compare_entry *entry, int64_t seed, compare_series *s) {
    char folder[LONGEST_PATH], path[LONGEST_PATH];
    folder_of(job, entry, seed, folder);
    run_path(folder, "result.json", path);
    json_t *result = json_load_file(path, 0, NULL);
    const char *failed = json_string_value(json_object_get(result, "failed"));
    snprintf(s->failed, sizeof s->failed, "%s", failed != NULL ? failed : "");
    json_decref(result);
    run_path(folder, "metrics.jsonl", path);
    return read_points(job->plan.task, path, s);
}

int compare_folders_read(compare_job *job) {
    const compare_plan *plan = &job->plan;
    int code = compare_result_make(plan, &job->result) == SUSTAIN_OK ? EXIT_DONE : out_of_memory();
    for (int i = 0; i < plan->entry_count; i++)
        for (int64_t r = 0; r < job->result.curve[i].runs && code == EXIT_DONE; r++)
            code = read_run(job, &plan->entry[i], plan->seed + r, &job->result.curve[i].run[r]);
    if (code == EXIT_DONE && compare_means(&job->result) != SUSTAIN_OK) code = out_of_memory();
    return code;
}
