/* compare_run.c - one run of `sustain compare`, in its own folder.
 *
 * Evaluations are at iterations 0, 1, 2, ... and then POINTS_A_DECADE for each power of ten, with the clock stopped, and at the last iteration that
 * the budget allows. The files are written when the run is over, config.json last: a folder that has it is whole. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verb_compare.h"

#define POINTS_A_DECADE 8

const char *const compare_axis_keys[AXES] = {
#define KEY(name, key, title) #key,
    COMPARE_AXIS_LIST(KEY)
#undef KEY
};
const char *const compare_axis_titles[AXES] = {
#define TITLE(name, key, title) title,
    COMPARE_AXIS_LIST(TITLE)
#undef TITLE
};

/* ---- where it is written ---- */

void compare_run_folder(const compare_plan *plan, const compare_entry *entry, int64_t seed, char path[LONGEST_PATH]) {
    snprintf(path, LONGEST_PATH, "%s/%s/seed-%lld", plan->given->out, entry->folder, (long long)seed);
}

/* Solver, limits and output are not the task's. */
static json_t *task_options(const compare_plan *plan) {
    if (plan->task->options == NULL) return json_object();
    verb own = *plan->task->options;
    own.shared_count = 0;
    return options_json(&own, (const char *)plan->given + plan->task->offset);
}

json_t *compare_run_config(const compare_plan *plan, const compare_entry *entry, int64_t seed) {
    json_t *object = json_object(), *budget = json_object();
    json_object_set_new(budget, compare_axis_keys[plan->axis], json_number_or_null(plan->budget));
    json_object_set_new(object, "command", json_string("compare"));
    json_object_set_new(object, "version", json_string(sustain_version()));
    json_object_set_new(object, "precision", json_string(sustain_precision()));
    json_object_set_new(object, "task", json_string(plan->task->name));
    json_object_set_new(object, "options", task_options(plan));
    if (plan->given->set.count > 0) json_object_set_new(object, "set", assignments_json(&plan->given->set));
    json_object_set_new(object, "solver", json_text(entry->solver));
    json_object_set_new(object, "parameters", json_text(entry->parameters));
    json_object_set_new(object, "seed", json_integer(seed));
    json_object_set_new(object, "budget", budget);
    return object;
}

/* ---- at work ---- */

typedef struct run_state {
    const compare_plan *plan;
    sustain_context *context;
    void *task;          /* the task's own */
    double used_before;  /* of the budget, at the evaluation before, */
    int64_t seen_before; /* which was at this iteration */
    json_t *lines;       /* of metrics.jsonl */
} run_state;

/* How much of its budget a run has used. */
static double used(const run_state *s, const sustain_result *at) {
    const sustain_counts *c = &at->counts;
    const double gradients = (double)(c->gradients[0] + c->gradients[1]), products = (double)(c->hessian_products + c->cross_products);
    switch (s->plan->axis) {
    case AXIS_GRADIENTS:
        return (double)c->gradients[0];
    case AXIS_SAMPLES:
        return (double)(c->samples[0] + c->samples[1]);
    case AXIS_PRODUCTS:
        return products;
    case AXIS_CALLS:
        return gradients + products;
    case AXIS_ITERATIONS:
        return (double)at->iterations;
    case AXIS_SECONDS:
        return at->seconds;
    case AXES:
        break;
    }
    return 0;
}

static sustain_status measure(run_state *s, const sustain_result *at) {
    const compare_task *task = s->plan->task;
    const sustain_counts *c = &at->counts;
    double metric[COMPARE_METRICS];
    const sustain_status status = task->measure(s->task, at, metric);
    if (status != SUSTAIN_OK) return status;
    json_t *line = json_object();
    json_object_set_new(line, "iteration", json_integer(at->iterations));
    json_object_set_new(line, "seconds", json_number_or_null(at->seconds));
    json_object_set_new(line, "gradients_upper", json_integer(c->gradients[0]));
    json_object_set_new(line, "gradients_lower", json_integer(c->gradients[1]));
    json_object_set_new(line, "samples_upper", json_integer(c->samples[0]));
    json_object_set_new(line, "samples_lower", json_integer(c->samples[1]));
    json_object_set_new(line, "hessian_products", json_integer(c->hessian_products));
    json_object_set_new(line, "cross_products", json_integer(c->cross_products));
    for (int i = 0; i < task->metric_count; i++) json_object_set_new(line, task->metrics[i].key, json_number_or_null(metric[i]));
    json_array_append_new(s->lines, line);
    return SUSTAIN_OK;
}

/* The iteration of the next evaluation; *last where the budget ends there. What an iteration costs is what the latest ones did. */
static int64_t next_evaluation(run_state *s, const sustain_result *at, bool *last) {
    const int64_t t = at->iterations, grown = llround((double)t * pow(10, 1.0 / POINTS_A_DECADE)), next = grown > t ? grown : t + 1;
    const double so_far = used(s, at), each = t > 0 ? (so_far - s->used_before) / (double)(t - s->seen_before) : 0;
    s->used_before = so_far;
    s->seen_before = t;
    if (t > 0 && each <= 0) { /* it uses nothing of this kind */
        *last = (double)next >= s->plan->task->budget[AXIS_ITERATIONS];
        return next;
    }
    *last = so_far + each * (double)(next - t) >= s->plan->budget;
    return *last ? t + (int64_t)fmax(0, floor((s->plan->budget - so_far) / each * (1 + 1e-12))) : next;
}

static sustain_status work(run_state *s) {
    const compare_task *task = s->plan->task;
    sustain_result at;
    bool last = false;
    sustain_status status = task->advance(s->task, 0, &at);
    if (status == SUSTAIN_OK) status = measure(s, &at);
    while (status == SUSTAIN_OK && !last) {
        const int64_t next = next_evaluation(s, &at, &last);
        if (next == at.iterations) break;
        status = task->advance(s->task, next, &at);
        if (status == SUSTAIN_OK) status = measure(s, &at);
    }
    return status;
}

/* ---- its files ---- */

static void write_lines(FILE *to, const void *user) {
    size_t i;
    json_t *line;
    json_array_foreach((json_t *)(uintptr_t)user, i, line) {
        json_dumpf(line, to, JSON_COMPACT | JSON_REAL_PRECISION(9));
        fputc('\n', to);
    }
}

static int write_run(const run_state *s, const compare_entry *entry, int64_t seed, const char *failed) {
    char folder[LONGEST_PATH], config[LONGEST_PATH];
    json_t *result = json_object();
    json_object_set_new(result, "failed", failed != NULL ? json_text(failed) : json_null());
    compare_run_folder(s->plan, entry, seed, folder);
    int code = make_folder(folder);
    if (code != EXIT_DONE) {
        json_decref(result);
        return code;
    }
    run_path(folder, "config.json", config);
    remove(config); /* of another run, which this one replaces */
    code = write_file(folder, "metrics.jsonl", write_lines, s->lines);
    if (code == EXIT_DONE)
        code = write_json(folder, "result.json", result);
    else
        json_decref(result);
    return code == EXIT_DONE ? write_json(folder, "config.json", compare_run_config(s->plan, entry, seed)) : code;
}

int compare_run(const compare_plan *plan, const compare_entry *entry, int64_t seed) {
    run_state s = {.plan = plan, .lines = json_array()};
    if (sustain_context_create(&s.context) != SUSTAIN_OK) return complain(EXIT_FAILED, "out of memory");
    int code = refused(s.context, sustain_context_set_threads(s.context, plan->threads));
    if (code == EXIT_DONE) code = plan->task->open(s.context, plan->given, seed, &s.task);
    if (code == EXIT_DONE) code = plan->task->make(s.task, entry, seed);
    if (code == EXIT_DONE) {
        const sustain_status status = work(&s);
        /* That an algorithm fails is a result; that the machine does is not. */
        code = status == SUSTAIN_MEMORY ? complain(EXIT_FAILED, "out of memory")
                                        : write_run(&s, entry, seed, status != SUSTAIN_OK ? sustain_error(s.context) : NULL);
    }
    if (s.task != NULL) plan->task->close(s.task);
    sustain_context_destroy(s.context);
    json_decref(s.lines);
    return code;
}
