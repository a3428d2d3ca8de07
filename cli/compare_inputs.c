/* compare_inputs.c - the data of each task of `sustain compare`, read as the command of that
 * name reads it. */
#include <string.h>

#include "verb_compare.h"
#include "verbs.h"

#define VALUES compare_meta_values
static const option source_options[] = {
    META_SOURCE_ROWS,
    COUNT_ROW("test-tasks", test_tasks, "N", 0, 0, 1e6,
              "task meta: evaluate on this many tasks of the training classes and as many of new classes; 0: 60, of a figure 300, or fewer "
              "with --scale"),
};
const verb compare_meta_source = {.name = "meta", .options = source_options, .option_count = COUNT_OF(source_options)};

static int open_clean(sustain_context *context, const compare_values *given, int64_t seed, compare_subject *s) {
    clean_values values = given->clean;
    values.run.seed = seed;
    if (values.features == NULL && values.dataset == NULL) /* here probabilities alone are no data */
        return complain(EXIT_USAGE, "say which data: --features FILE, or --dataset NAME ('sustain data' lists them)");
    int code = clean_data_read(context, &values, &s->clean);
    if (code == EXIT_DONE && s->clean.trusted == NULL)
        code = complain(EXIT_USAGE, "there are no trusted rows: give --trusted FILE, --trusted-column NAME or --trusted-fraction F");
    if (code != EXIT_DONE) return code;
    const compare_clean_data data = {.name = values.dataset != NULL ? values.dataset : s->clean.training->source,
                                     .training = s->clean.training,
                                     .trusted = s->clean.trusted,
                                     .test = s->clean.test,
                                     .c = values.c,
                                     .intercept = values.intercept == 1};
    return refused(context, compare_clean_open(context, &data, &s->state));
}

static int open_tune(sustain_context *context, const compare_values *given, int64_t seed, compare_subject *s) {
    tune_values values = given->tune;
    values.run.seed = seed;
    s->tune.fixed = true;
    const int code = tune_data_read(context, &values, &s->tune);
    if (code != EXIT_DONE) return code;
    const compare_tune_data data = {.name = values.dataset != NULL ? values.dataset : s->tune.training.set->source,
                                    .split = s->tune.split,
                                    .model = &s->tune.model,
                                    .training = &s->tune.training.rows,
                                    .validation = &s->tune.validation.rows};
    return refused(context, compare_tune_open(context, &data, &s->state));
}

static int open_meta(sustain_context *context, const compare_values *given, int64_t seed, compare_subject *s) {
    const meta_source *source = &given->meta.source;
    compare_meta_data data = {.name = source->dataset != NULL ? source->dataset : source->images,
                              .options = sustain_meta_defaults(),
                              .judging_tasks = given->meta.test_tasks};
    target where = {.values = &data.options};
    where.table = sustain_meta_parameters(&where.count);
    data.options.dataset = source->dataset;
    int code = options_assign(context, &given->set, &where, 1);
    if (code == EXIT_DONE) code = meta_pictures(context, source, (uint64_t)seed, SUSTAIN_SPLIT_TRAINING, &s->training);
    if (code == EXIT_DONE) code = meta_pictures(context, source, (uint64_t)seed, SUSTAIN_SPLIT_TEST, &s->test);
    if (code != EXIT_DONE) return code;
    data.training = s->training;
    data.test = s->test;
    return refused(context, compare_meta_open(context, &data, &s->state));
}

static int open_quadratic(sustain_context *context, const compare_values *given, int64_t seed, compare_subject *s) {
    sustain_quadratic_options options = sustain_quadratic_defaults();
    target where = {.values = &options};
    where.table = sustain_quadratic_table(&where.count);
    (void)seed; /* the problem has its own seed: all runs use the same problem */
    const int code = options_assign(context, &given->set, &where, 1);
    return code == EXIT_DONE ? refused(context, compare_quadratic_open(context, &options, &s->state)) : code;
}

static const compare_source sources[] = {
    {&compare_task_clean, &verb_clean, offsetof(compare_values, clean), open_clean},
    {&compare_task_tune, &verb_tune, offsetof(compare_values, tune), open_tune},
    {&compare_task_meta, &compare_meta_source, offsetof(compare_values, meta), open_meta},
    {&compare_task_quadratic, NULL, 0, open_quadratic},
};

const compare_source *compare_source_at(int i) {
    return i < COUNT_OF(sources) ? &sources[i] : NULL;
}

const compare_source *compare_source_of(const compare_task *task) {
    int i = 0;
    while (sources[i].task != task) i++;
    return &sources[i];
}

int compare_subject_open(sustain_context *context, const compare_job *job, int64_t seed, compare_subject *s) {
    memset(s, 0, sizeof *s);
    s->task = job->plan.task;
    return compare_source_of(s->task)->open(context, &job->given, seed, s);
}

void compare_subject_close(compare_subject *s) {
    s->task->close(s->state);
    clean_data_free(&s->clean);
    tune_data_free(&s->tune);
    sustain_pictures_destroy(s->training);
    sustain_pictures_destroy(s->test);
}
