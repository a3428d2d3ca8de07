/* run_job.h - runs a solver in the folder of its run: metrics.jsonl, checkpoints, Ctrl-C,
 * resuming. */
#ifndef SUSTAIN_CLI_RUN_JOB_H
#define SUSTAIN_CLI_RUN_JOB_H

#include "notes.h"
#include "run_folder.h"
#include "run_options.h"

/* Common state of the jobs of all verbs. */
typedef struct run_job {
    sustain_context *context;
    const verb *verb;
    const run_values *given; /* first part of the verb's values */
    json_t *keep;            /* owns texts of values that come from config.json */
    metrics_log log;
    sustain_stopping stopping;
    sustain_result result; /* of the solver */
    double begun;          /* start of the command, lab_clock() */
    double total_seconds;
    double last_save;
    int64_t saved_at;        /* iteration of the last checkpoint */
    double allowed, memory;  /* bytes: that may be used, 0 where that is not known; that will be used, about */
    bool enough;             /* the observer requests the end */
    bool evaluation_is_lost; /* with another process: the checkpoint before it stays, so that it is made again */
} run_job;

/* ---- any job; what returns an int returns an exit code ---- */

/* Call first: sets up Ctrl-C, progress, log messages of the library, threads. When resuming,
 * options that were not given are copied from the run to `values`, which begins with a
 * run_values. `has_data`: the command line names the data. */
int run_set_up(run_job *job, sustain_context *context, const verb *v, void *values, bool has_data);

/* Call when the job is made, before anything long: says how much memory it will take, as `memory`
 * and the status of the call that filled it say, and refuses what cannot fit. */
int run_check_memory(run_job *job, sustain_status status, const sustain_memory *memory);

/* Call when all input has been accepted: creates the folder with config.json. `data`, freed
 * here, describes the input. */
int run_make_folder(const run_job *job, json_t *data);

/* Whether there is a checkpoint to resume from; removes those of a run which this one replaces. */
bool run_goes_on(const run_job *job);

/* Loads the last checkpoint; where it is damaged, says so and loads the one before it. Returns an
 * exit code. */
int run_load(run_job *job, sustain_status (*load)(void *user, const char *path), void *user);

/* Before a checkpoint is saved to `path`: the last one becomes the one before it. Fails where a
 * line of metrics.jsonl could not be written: from the last checkpoint that line can be computed
 * again, from the next one it could not. */
int run_rotate(run_job *job, char path[LONGEST_PATH]);

/* Opens metrics.jsonl, with the lines up to iteration `from` (-1: none), and removes the
 * result.json of an earlier end. */
int run_open_metrics(run_job *job, int64_t from);

/* Whether a checkpoint is due. */
bool run_save_due(const run_job *job);

/* Closes metrics.jsonl; if Ctrl-C ended the run at this iteration (-1: it did not), writes a
 * partial page and prints how to resume. */
int run_close_metrics(run_job *job, int code, int64_t interrupted_at);

/* Prints how to resume; `when` begins with a space, or is "". Returns EXIT_INTERRUPTED. */
int run_interrupted(const run_job *job, const char *when);

/* With --profile: adds "profile" to the JSON of a result. */
void run_add_profile(const run_job *job, json_t *object);

/* Call last, whatever the exit code: prints the profile, if it was asked for. */
void run_tear_down(run_job *job);

/* ---- the job of a solver ---- */

/* Loads the checkpoint of a resumed run; otherwise fresh(user), if not NULL, starts the solver.
 * Opens metrics.jsonl. */
int run_begin(run_job *job, sustain_solver *solver, int (*fresh)(void *user), void *user);

/* Runs the solver to its end, with a checkpoint every few seconds. A resumed run equals an
 * uninterrupted one. The observer returns the result of run_pause(). */
int run_solver(run_job *job, sustain_solver *solver, sustain_observer observer, void *user);

/* Whether the solver should stop here: for Ctrl-C, for a checkpoint (it then continues), or at
 * the observer's request. */
int run_pause(const run_job *job);

/* How often the functions of the problem were called. */
void set_counts(json_t *object, const sustain_counts *counts);

/* A line of metrics.jsonl, with one additional number of the verb. */
json_t *metrics_line(const sustain_progress *p, const char *own_name, double own);

/* Reports that the library failed while the solver was running. */
int run_failed(const run_job *job);

#endif
