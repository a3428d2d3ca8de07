/* run_job.h - a solver at work in the folder of its run: metrics.jsonl, checkpoints, Ctrl-C, going on where a run stopped. */
#ifndef SUSTAIN_CLI_RUN_JOB_H
#define SUSTAIN_CLI_RUN_JOB_H

#include "run_folder.h"
#include "run_options.h"

/* What the jobs of all verbs have. */
typedef struct run_job {
    sustain_context *context;
    const verb *verb;
    const run_values *given; /* the verb's values begin with it */
    json_t *keep;            /* owns texts of values that come from config.json */
    metrics_log log;
    sustain_stopping stopping;
    sustain_result result; /* of the solver */
    double begun;          /* of the command, lab_clock() */
    double total_seconds;
    double last_save;
    bool enough; /* the observer wants no more */
} run_job;

/* ---- any job; what returns an int returns an exit code ---- */

/* Before everything: Ctrl-C, progress, remarks of the library on what it reads, threads. Options that were left out are taken into `values`, which begins
 * with a run_values, from the run that goes on. `has_data`: the command line says what to run on. */
int run_set_up(run_job *job, sustain_context *context, const verb *v, void *values, bool has_data);

/* All is read and nothing was refused: the folder, with its config.json. `data`, freed here, says what was read. */
int run_make_folder(const run_job *job, json_t *data);

/* Whether there is a checkpoint to go on from; one of a run which this one replaces is removed. `path` gets its name. */
bool run_goes_on(const run_job *job, char path[LONGEST_PATH]);

/* Opens metrics.jsonl, with the lines up to iteration `from` (-1: none), and removes the result.json of an earlier end. */
int run_open_metrics(run_job *job, int64_t from);

/* Whether a checkpoint is due. */
bool run_save_due(const run_job *job);

/* Closes metrics.jsonl; where Ctrl-C ended the run at this iteration (-1: it did not), writes the page as far as it went and says how to go on. */
int run_close_metrics(run_job *job, int code, int64_t interrupted_at);

/* Says how to go on; `when` begins with a blank, or is "". Returns EXIT_INTERRUPTED. */
int run_interrupted(const run_job *job, const char *when);

/* After everything, whatever the exit code was. */
void run_tear_down(run_job *job);

/* ---- the job of a solver ---- */

/* Loads the checkpoint of the run that goes on; else fresh(user), where it is not NULL, starts the solver. Opens metrics.jsonl. */
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
