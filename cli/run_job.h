/* run_job.h - a solver at work in the folder of its run: metrics.jsonl, checkpoints, Ctrl-C, going on where a run stopped. */
#ifndef SUSTAIN_CLI_RUN_JOB_H
#define SUSTAIN_CLI_RUN_JOB_H

#include "run_folder.h"
#include "run_options.h"

/* What the jobs of all verbs have. */
typedef struct run_job {
    sustain_context *context;
    const verb *verb;
    const run_values *given;
    metrics_log log;
    sustain_stopping stopping;
    sustain_result result; /* of the solver */
    double begun;          /* of the command, seconds_now() */
    double total_seconds;
    double last_save;
    bool enough; /* the observer wants no more */
} run_job;

/* A sink of the log, for remarks of the library on what it reads; `given` is a run_values. */
void print_remark(void *given, const char *line);

/* Options that were left out are those of the run that goes on. `has_data`: the command line says what to run on. `values` begins with `given`. */
int run_take_options(sustain_context *context, const verb *v, void *values, bool has_data, json_t **keep);

/* Loads the checkpoint of the run that goes on, or removes that of a run which this one replaces; then fresh(user), where it is not NULL, starts the
 * solver. Opens metrics.jsonl. Returns an exit code. */
int run_begin(run_job *job, sustain_solver *solver, int (*fresh)(void *user), void *user);

/* Runs the solver to its end, with a checkpoint every few seconds. A run in parts equals a run in one. The observer calls run_pause() for
 * what it returns. */
int run_solver(run_job *job, sustain_solver *solver, sustain_observer observer, void *user);

/* Whether the solver is to stop here: for Ctrl-C, for a checkpoint (then it goes on), or because it is enough. */
int run_pause(const run_job *job);

/* A line of metrics.jsonl, with one number of the verb's own. */
json_t *metrics_line(const sustain_progress *p, const char *own_name, double own);

/* The library failed while the solver was at work. */
int run_failed(const run_job *job);

#endif
