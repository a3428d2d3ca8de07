/* compare_meta.c - few-shot learning as a task of `sustain compare`: methods in place of algorithms, judged by fixed tasks from the classes of training and
 * from classes that were never seen.
 *
 * Counts: a gradient of the upper level is that of one task's queries (two for sustain with Option I), one of the lower level is a step on one task's
 * support; samples are pictures. */
#include <math.h>
#include <stdlib.h>

#include "verb_compare.h"
#include "progress.h"

enum { TRAIN_ACCURACY, TEST_ACCURACY, METRICS };
enum { JUDGING_QUERIES = 5, JUDGING_SEED = 1 }; /* the same tasks for every method and seed */

static const compare_metric metrics[METRICS] = {
    [TRAIN_ACCURACY] = {"train_accuracy", "accuracy, classes of training", "training", .higher = true},
    [TEST_ACCURACY] = {"test_accuracy", "accuracy, classes never seen", "test", .higher = true},
};

typedef struct meta_state {
    sustain_context *context;
    const char *name; /* of the data */
    sustain_pictures *training, *test;
    sustain_meta_options options; /* those of all methods */
    int64_t judging_tasks;
    sustain_meta *meta;
    double seconds;
} meta_state;

static void close_meta(void *state) {
    meta_state *s = state;
    sustain_meta_destroy(s->meta);
    sustain_pictures_destroy(s->training);
    sustain_pictures_destroy(s->test);
    free(s);
}

int64_t compare_judging_tasks(const compare_values *given) {
    enum { ALL = 60, LEAST = 24 };
    return (int64_t)fmax(LEAST, ceil(ALL * sqrt(given->scale)));
}

static int open_meta(sustain_context *context, const compare_values *given, int64_t seed, void **state) {
    const meta_source *source = &given->meta.source;
    target where = {0};
    meta_state *s = *state = calloc(1, sizeof *s);
    if (s == NULL) return complain(EXIT_FAILED, "out of memory");
    s->context = context;
    s->options = sustain_meta_defaults();
    s->options.dataset = source->dataset;
    where.table = sustain_meta_parameters(&where.count);
    where.values = &s->options;
    int code = options_assign(context, &given->set, &where, 1);
    if (code == EXIT_DONE) code = meta_pictures(context, source, (uint64_t)seed, SUSTAIN_SPLIT_TRAINING, &s->training);
    if (code == EXIT_DONE) code = meta_pictures(context, source, (uint64_t)seed, SUSTAIN_SPLIT_TEST, &s->test);
    s->judging_tasks = compare_judging_tasks(given);
    s->name = source->dataset != NULL ? source->dataset : source->images;
    return code;
}

static void describe(const void *state, char *text, size_t size) {
    const meta_state *s = state;
    snprintf(text, size, "%s: %lld classes of training, %lld others for testing, %lld-way %lld-shot", s->name,
             (long long)s->training->classes, (long long)s->test->classes, (long long)s->options.ways, (long long)s->options.shots);
}

static sustain_status measure(void *state, const sustain_result *at, double *metric) {
    const meta_state *s = state;
    const sustain_pictures *const sets[METRICS] = {s->training, s->test};
    (void)at; /* the judging tasks say it all */
    sustain_status status = SUSTAIN_OK;
    for (int i = 0; i < METRICS && status == SUSTAIN_OK; i++) {
        const sustain_meta_trial trial = {.tasks = s->judging_tasks,
                                          .queries = JUDGING_QUERIES,
                                          .seed = JUDGING_SEED,
                                          .stream = i == TEST_ACCURACY ? META_TEST : META_VALIDATION};
        sustain_meta_score score;
        status = sustain_meta_evaluate(s->meta, sets[i], &trial, &score);
        metric[i] = score.accuracy;
    }
    return status;
}

/* ---- methods ---- */

typedef struct setting {
    sustain_context *context;
    const char *label;
    sustain_meta_options *options;
} setting;

static int set(void *user, const char *name, const char *value) {
    const setting *s = user;
    int count;
    const sustain_parameter *rows = sustain_meta_parameters(&count);
    if (sustain_parameters_set(s->context, rows, count, s->options, name, value) == SUSTAIN_OK) return EXIT_DONE;
    return complain(EXIT_USAGE, "--solvers: '%s': %s", s->label, sustain_error(s->context));
}

static int make(void *state, const compare_entry *entry, int64_t seed) {
    meta_state *s = state;
    sustain_meta_options options = s->options;
    setting own = {s->context, entry->label, &options};
    options.seed = (uint64_t)seed;
    sustain_meta_destroy(s->meta);
    s->meta = NULL;
    s->seconds = 0;
    int code = set(&own, "method", entry->solver);
    if (code == EXIT_DONE) code = compare_entry_parameters(entry, set, &own);
    return code == EXIT_DONE ? refused(s->context, sustain_meta_create(s->context, &options, s->training, &s->meta)) : code;
}

static sustain_status advance(void *state, int64_t iteration, sustain_result *at) {
    meta_state *s = state;
    const sustain_meta_options *o = sustain_meta_settled(s->meta);
    const double since = seconds_now();
    sustain_status status = SUSTAIN_OK;
    sustain_meta_progress progress;
    while (sustain_meta_iteration(s->meta) < iteration && status == SUSTAIN_OK) status = sustain_meta_step(s->meta, &progress);
    s->seconds += seconds_now() - since;
    const int64_t done = sustain_meta_iteration(s->meta), tasks = done * o->tasks;
    const int64_t points = o->method == SUSTAIN_META_SUSTAIN && o->option == 0 ? 2 : 1;
    *at = (sustain_result){.iterations = done,
                           .seconds = s->seconds,
                           .upper_value = NAN,
                           .counts = {.samples = {tasks * o->ways * o->queries, tasks * o->ways * o->shots},
                                      .gradients = {points * tasks, points * tasks * o->inner_steps}}};
    return status;
}

#define VALUES compare_meta_values
static const option source_options[] = {META_SOURCE_ROWS};
const verb compare_meta_source = {.name = "meta", .options = source_options, .option_count = COUNT_OF(source_options)};

const compare_task compare_task_meta = {
    .name = "meta",
    .options = &compare_meta_source,
    .offset = offsetof(compare_values, meta),
    .metrics = metrics,
    .metric_count = METRICS,
    .budget = {[AXIS_GRADIENTS] = 3200,
               [AXIS_SAMPLES] = 2e5,
               [AXIS_PRODUCTS] = 1e5,
               [AXIS_CALLS] = 4e4,
               [AXIS_ITERATIONS] = 100,
               [AXIS_SECONDS] = 600},
    .open = open_meta,
    .describe = describe,
    .measure = measure,
    .close = close_meta,
    .make = make,
    .advance = advance,
};
