/* meta_choose.c - `sustain meta train --method auto`: every method whose iteration costs about the
 * same is trained for --validate-every iterations; the one that is best on the validation tasks
 * then trains from the start, as if it had been given. */
#include <math.h>
#include <string.h>

#include "progress.h"
#include "verb_meta.h"

/* maml, whose iteration costs ten times as much, is not among them. */
static const char *const candidates[META_CANDIDATES] = {"sustain", "itd-bio", "anil", "pretrain", "prototype"};

static int train(meta_job *job, sustain_meta *meta, const char *name) {
    const int64_t end = job->limit < job->given->validate_every ? job->limit : job->given->validate_every;
    for (int64_t t = 0; t < end; t++) {
        sustain_meta_progress p;
        if (sustain_meta_step(meta, &p) != SUSTAIN_OK) return run_failed(&job->run);
        progress_show("choosing a method: %s, iteration %lld of %lld", name, (long long)t + 1, (long long)end);
    }
    return EXIT_DONE;
}

static int try_one(meta_job *job, const char *name, meta_tried *result) {
    sustain_context *context = job->run.context;
    sustain_meta_options options = job->options;
    sustain_meta *meta;
    int rows;
    const sustain_parameter *row = sustain_meta_parameters(&rows);
    const sustain_meta_trial trial = {.tasks = job->given->validation_tasks,
                                      .queries = job->given->test_queries,
                                      .seed = options.seed,
                                      .stream = META_VALIDATION,
                                      .quick = true};
    *result = (meta_tried){.name = name, .score = {.accuracy = NAN}};
    sustain_status status = sustain_parameters_set(context, row, rows, &options, "method", name);
    if (status == SUSTAIN_OK) status = sustain_meta_create(context, &options, job->training, &meta);
    if (status == SUSTAIN_ARGUMENT) return EXIT_DONE; /* it does not take one of the settings given */
    if (status != SUSTAIN_OK) return refused(context, status);
    int code = train(job, meta, name);
    if (code == EXIT_DONE && sustain_meta_evaluate(meta, job->validation, &trial, &result->score) != SUSTAIN_OK)
        code = run_failed(&job->run);
    sustain_meta_destroy(meta);
    return code;
}

int meta_choose(meta_job *job) {
    assignments *set = &job->given->run.set;
    const char *best = NULL;
    double accuracy = -1;
    for (; job->tried_count < META_CANDIDATES; job->tried_count++) {
        meta_tried *t = &job->tried[job->tried_count];
        const int code = try_one(job, candidates[job->tried_count], t);
        if (code != EXIT_DONE) return code;
        if (t->score.accuracy > accuracy) {
            accuracy = t->score.accuracy;
            best = t->name;
        }
    }
    progress_clear();
    if (best == NULL) return complain(EXIT_USAGE, "no method takes these settings: %s", sustain_error(job->run.context));
    for (int i = 0; i < set->count; i++)
        if (strcmp(set->pair[i].name, "method") == 0) set->pair[i].value = best;
    return EXIT_DONE;
}

bool meta_chooses(const meta_values *given) {
    bool chooses = false;
    for (int i = 0; i < given->run.set.count; i++)
        if (strcmp(given->run.set.pair[i].name, "method") == 0) chooses = strcmp(given->run.set.pair[i].value, "auto") == 0;
    return chooses;
}
