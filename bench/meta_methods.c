/* meta_methods.c - few-shot methods at equal processor time, for bench/meta_methods.sh.
 *
 *   meta_methods DATASET SECONDS VALIDATION TEST SEED [NAME=VALUE...]
 *
 * Trains for SECONDS of one processor, validation not counted: VALIDATION tasks eight times on the
 * way, each time twice as late as the last; the best model is kept. Then TEST tasks (0: none; for
 * choosing settings). NAME=VALUE: a setting of 'sustain meta train', or solver=NAME. Prints
 * iterations, seconds, the best validation accuracy and its iteration, test accuracy with its
 * interval, and the same with the statistics of the support. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/learn.h>
#include <sustain/meta.h>
#include <sustain/sustain.h>

#include "clock.h"

enum { VALIDATIONS = 8, QUERIES = 15 };

static void fail(const char *what, const char *why) {
    fprintf(stderr, "meta_methods: %s: %s\n", what, why);
    exit(1);
}

static void set(sustain_context *context, sustain_meta_options *options, const char *pair) {
    int rows;
    const sustain_parameter *row = sustain_meta_parameters(&rows);
    char name[64];
    const char *value = strchr(pair, '=');
    if (value == NULL || value - pair >= (long)sizeof name) fail(pair, "not NAME=VALUE");
    snprintf(name, sizeof name, "%.*s", (int)(value - pair), pair);
    if (strcmp(name, "solver") == 0) {
        options->method = SUSTAIN_META_SOLVER;
        options->solver = value + 1;
        return;
    }
    if (sustain_parameters_set(context, row, rows, options, name, value + 1) != SUSTAIN_OK) fail(name, sustain_error(context));
}

static sustain_meta_score judge(sustain_context *context, sustain_meta *meta, const sustain_pictures *pictures, int64_t tasks,
                                uint64_t seed, uint32_t stream) {
    const sustain_meta_trial trial = {.tasks = tasks, .queries = QUERIES, .seed = seed, .stream = stream, .quick = stream == 1};
    sustain_meta_score score;
    if (sustain_meta_evaluate(meta, pictures, &trial, &score) != SUSTAIN_OK) fail("evaluate", sustain_error(context));
    return score;
}

int main(int count, char **argument) {
    if (count < 6) fail("usage", "meta_methods DATASET SECONDS VALIDATION TEST SEED [NAME=VALUE...]");
    const char *dataset = argument[1];
    const double limit = atof(argument[2]);
    const int64_t validation_tasks = atoll(argument[3]), test_tasks = atoll(argument[4]);
    sustain_context *context;
    if (sustain_context_create(&context) != SUSTAIN_OK) fail("context", "no memory");
    sustain_meta_options options = sustain_meta_defaults();
    options.dataset = dataset;
    options.seed = strtoull(argument[5], NULL, 10);
    for (int i = 6; i < count; i++) set(context, &options, argument[i]);

    sustain_pictures *part[3]; /* training, validation, test */
    for (int i = 0; i < 3; i++)
        if (sustain_pictures_named(context, dataset, getenv("SUSTAIN_DATA"), (sustain_split)i, NULL, &part[i]) != SUSTAIN_OK)
            fail(dataset, sustain_error(context));
    sustain_meta *meta, *best;
    if (sustain_meta_create(context, &options, part[0], &meta) != SUSTAIN_OK) fail("create", sustain_error(context));

    double spent = 0, due = limit / (1 << (VALIDATIONS - 1));
    while (spent < limit) {
        sustain_meta_progress progress;
        const double begun = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        if (sustain_meta_step(meta, &progress) != SUSTAIN_OK) fail("step", sustain_error(context));
        spent += seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begun;
        if (spent < due) continue;
        while (due <= spent) due *= 2;
        sustain_meta_look(meta, judge(context, meta, part[1], validation_tasks, options.seed, 1).accuracy);
    }
    const sustain_meta_record *record = sustain_meta_best(meta);
    printf("%lld,%.1f,%.4f,%lld", (long long)sustain_meta_iteration(meta), spent, record->accuracy, (long long)record->iteration);
    if (test_tasks > 0) {
        char path[] = "/tmp/meta_methods.XXXXXX";
        if (mkstemp(path) < 0 || sustain_meta_write_best(meta, path) != SUSTAIN_OK) fail(path, sustain_error(context));
        if (sustain_meta_open(context, path, &best) != SUSTAIN_OK) fail(path, sustain_error(context));
        remove(path);
        const sustain_meta_score s = judge(context, best, part[2], test_tasks, options.seed, 2);
        printf(",%.4f,%.4f,%.4f,%.4f", s.accuracy, s.interval, s.support_accuracy, s.support_interval);
        sustain_meta_destroy(best);
    }
    printf("\n");
    sustain_meta_destroy(meta);
    for (int i = 0; i < 3; i++) sustain_pictures_destroy(part[i]);
    sustain_context_destroy(context);
    return 0;
}
