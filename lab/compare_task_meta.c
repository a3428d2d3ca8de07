/* compare_task_meta.c - few-shot learning as a task of a comparison: methods instead of
 * algorithms, evaluated on fixed tasks from the training classes and from new classes.
 *
 * Counts: an upper gradient is the gradient on the queries of one task (two for sustain with
 * Option I), a lower gradient is one step on the support of one task; samples are pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare.h"
#include "lab_clock.h"

enum { TRAIN_ACCURACY, TEST_ACCURACY, METRICS };
/* The same tasks for every method and seed; training draws from stream 0. */
enum { JUDGING_QUERIES = 5, JUDGING_SEED = 1, TRAINING_STREAM = 1, TEST_STREAM = 2 };

static const compare_metric metrics[METRICS] = {
    [TRAIN_ACCURACY] = {"train_accuracy", "accuracy, training classes", "training", .higher = true},
    [TEST_ACCURACY] = {"test_accuracy", "accuracy, new classes", "test", .higher = true},
};

typedef struct meta_state {
    sustain_context *context;
    compare_meta_data data;
    sustain_meta *meta;
    double seconds;
} meta_state;

static void close_meta(void *state) {
    meta_state *s = state;
    if (s == NULL) return;
    sustain_meta_destroy(s->meta);
    free(s);
}

sustain_status compare_meta_open(sustain_context *context, const compare_meta_data *data, void **state) {
    meta_state *s = *state = calloc(1, sizeof *s);
    if (s == NULL) return SUSTAIN_MEMORY;
    s->context = context;
    s->data = *data;
    return SUSTAIN_OK;
}

static void describe(const void *state, char *text, size_t size) {
    const meta_state *s = state;
    snprintf(text, size, "%s: %lld training classes, %lld new classes for testing, %lld-way %lld-shot; evaluated on %lld tasks of each",
             s->data.name, (long long)s->data.training->classes, (long long)s->data.test->classes, (long long)s->data.options.ways,
             (long long)s->data.options.shots, (long long)s->data.judging_tasks);
}

static sustain_status measure(void *state, const sustain_result *at, double *metric) {
    const meta_state *s = state;
    const sustain_pictures *const sets[METRICS] = {s->data.training, s->data.test};
    (void)at; /* the evaluation tasks give all metrics */
    sustain_status status = SUSTAIN_OK;
    for (int i = 0; i < METRICS && status == SUSTAIN_OK; i++) {
        const sustain_meta_trial trial = {.tasks = s->data.judging_tasks,
                                          .queries = JUDGING_QUERIES,
                                          .seed = JUDGING_SEED,
                                          .stream = i == TEST_ACCURACY ? TEST_STREAM : TRAINING_STREAM,
                                          .quick = true};
        sustain_meta_score score;
        status = sustain_meta_evaluate(s->meta, sets[i], &trial, &score);
        metric[i] = score.accuracy;
    }
    return status;
}

/* ---- methods ---- */

typedef struct setting {
    sustain_context *context;
    sustain_meta_options *options;
} setting;

static sustain_status set(void *user, const char *name, const char *value) {
    const setting *s = user;
    int count;
    const sustain_parameter *rows = sustain_meta_parameters(&count);
    return sustain_parameters_set(s->context, rows, count, s->options, name, value);
}

static sustain_status make(void *state, const compare_entry *entry, int64_t seed, lab_error *error) {
    meta_state *s = state;
    sustain_meta_options options = s->data.options;
    setting own = {s->context, &options};
    options.seed = (uint64_t)seed;
    sustain_meta_destroy(s->meta);
    s->meta = NULL;
    s->seconds = 0;
    sustain_status status = set(&own, "method", entry->solver);
    if (status != SUSTAIN_OK) return lab_fail(error, status, "'%s': %s", entry->label, sustain_error(s->context));
    status = compare_entry_parameters(s->context, entry, set, &own, error);
    if (status != SUSTAIN_OK) return status;
    status = sustain_meta_create(s->context, &options, s->data.training, &s->meta);
    return status == SUSTAIN_OK ? status : lab_fail(error, status, "%s", sustain_error(s->context));
}

static sustain_status advance(void *state, int64_t iteration, sustain_result *at) {
    meta_state *s = state;
    const sustain_meta_options *o = sustain_meta_settled(s->meta);
    const double since = lab_clock();
    sustain_status status = SUSTAIN_OK;
    sustain_meta_progress progress;
    while (sustain_meta_iteration(s->meta) < iteration && status == SUSTAIN_OK) status = sustain_meta_step(s->meta, &progress);
    s->seconds += lab_clock() - since;
    const int64_t done = sustain_meta_iteration(s->meta), tasks = done * o->tasks;
    const int64_t points = o->method == SUSTAIN_META_SUSTAIN && o->option == 0 ? 2 : 1;
    *at = (sustain_result){.iterations = done,
                           .seconds = s->seconds,
                           .upper_value = NAN,
                           .counts = {.samples = {tasks * o->ways * o->queries, tasks * o->ways * o->shots},
                                      .gradients = {points * tasks, points * tasks * o->inner_steps}}};
    return status;
}

static sustain_status memory_of(void *state, sustain_memory *memory) {
    const meta_state *s = state;
    const sustain_meta_trial trial = {.tasks = s->data.judging_tasks, .queries = JUDGING_QUERIES};
    return sustain_meta_memory(s->meta, s->data.test, &trial, memory);
}

const compare_task compare_task_meta = {
    .name = "meta",
    .metrics = metrics,
    .metric_count = METRICS,
    .points_a_decade = 1, /* hundreds of tasks are evaluated each time, */
    .points_in_all = 5,   /* and verdicts are at evenly spaced counts */
    .budget = {[AXIS_GRADIENTS] = 3200,
               [AXIS_SAMPLES] = 2e5,
               [AXIS_PRODUCTS] = 1e5,
               [AXIS_CALLS] = 4e4,
               [AXIS_ITERATIONS] = 100,
               [AXIS_SECONDS] = 600},
    .describe = describe,
    .measure = measure,
    .close = close_meta,
    .make = make,
    .advance = advance,
    .memory = memory_of,
};
