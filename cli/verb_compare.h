/* verb_compare.h - `sustain compare`: the options and files of what lab/compare.h computes.
 *
 *   verb_compare.c    the options, the order of things
 *   compare_inputs.c  the data of a task, from the options of the verb of that name
 *   compare_folder.c  a run's folder: written, recognized, read back
 *   compare_pool.c    all runs, each in a process of its own; those that are there already are left out
 *   compare_files.c   summary.csv, compare.json
 *   compare_show.c    tables */
#ifndef SUSTAIN_CLI_COMPARE_H
#define SUSTAIN_CLI_COMPARE_H

#include "lab/compare.h"
#include "verb_clean.h"
#include "verb_meta.h"
#include "verb_tune.h"

/* Where the pictures of the task meta come from, and the verb that has the options for it and nothing else. */
typedef struct compare_meta_values {
    meta_source source;
} compare_meta_values;
extern const verb compare_meta_source;

typedef struct compare_values {
    const char *task, *solvers, *out;
    int x, figure; /* -1: not given */
    int64_t runs, seed, threads;
    double budget, scale;
    bool plot, json, quiet;
    assignments set;
    clean_values clean; /* options of these verbs */
    tune_values tune;
    compare_meta_values meta;
} compare_values;

/* A comparison from beginning to end. */
typedef struct compare_job {
    const compare_values *asked; /* as the command line has it */
    compare_values given;        /* with what a figure adds */
    compare_plan plan;
    char title[160], data[256], scaled[256]; /* scaled: "" or what was shortened */
    int processes, threads;                  /* at the same time; of each */
    compare_result result;
    double seconds;
} compare_job;

/* ---- the data of a task; what returns an int returns an exit code after a sentence ---- */

/* The data of a seed, as `state` for the task. */
typedef struct compare_subject {
    const compare_task *task;
    void *state;
    clean_data clean; /* what the task borrows */
    tune_data tune;
    sustain_pictures *training, *test;
} compare_subject;

/* A task, and the verb whose own options say what its data is, or NULL. */
typedef struct compare_source {
    const compare_task *task;
    const verb *options;
    size_t offset; /* of their values, in compare_values */
    int (*open)(sustain_context *context, const compare_values *given, int64_t seed, compare_subject *subject);
} compare_source;
const compare_source *compare_source_at(int i); /* NULL after the last */
const compare_source *compare_source_of(const compare_task *task);

/* Close it in any case. */
int compare_subject_open(sustain_context *context, const compare_job *job, int64_t seed, compare_subject *subject);
void compare_subject_close(compare_subject *subject);

/* ---- runs ---- */

/* Computes one run and writes its folder. */
int compare_folder_make(const compare_job *job, const compare_entry *entry, int64_t seed);

/* Whether its folder is there, with the same configuration and whole. */
bool compare_folder_is_there(const compare_job *job, const compare_entry *entry, int64_t seed);

/* Reads all of them into job->result. */
int compare_folders_read(compare_job *job);

/* Computes those that are missing. */
int compare_run_all(const compare_job *job);

/* ---- results ---- */

int compare_files(const compare_job *job); /* summary.csv, compare.json */
json_t *compare_json(const compare_job *job);
void compare_print(FILE *to, const compare_job *job);

/* The exit code for what the list of algorithms makes the laboratory refuse. */
int compare_refused(sustain_status status, const lab_error *error);

#endif
