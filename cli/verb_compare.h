/* verb_compare.h - `sustain compare`: options and files for lab/compare.h.
 *
 *   verb_compare.c    options, sequence of steps
 *   compare_inputs.c  the data of a task, from the options of the command of that name
 *   compare_folder.c  the folder of a run: writes, recognizes and reads it
 *   compare_pool.c    all runs, each in its own process; existing ones are skipped
 *   compare_files.c   summary.csv, compare.json
 *   compare_show.c    tables */
#ifndef SUSTAIN_CLI_COMPARE_H
#define SUSTAIN_CLI_COMPARE_H

#include "lab/compare.h"
#include "verb_clean.h"
#include "verb_meta.h"
#include "verb_tune.h"

/* The source of the pictures of the task meta, the number of evaluation tasks, and a verb with only
 * these options. */
typedef struct compare_meta_values {
    meta_source source;
    int64_t test_tasks;
} compare_meta_values;
extern const verb compare_meta_source;

typedef struct compare_values {
    const char *task, *solvers, *without, *fewer_runs, *out;
    int x, figure; /* -1: not given */
    int64_t runs, seed, threads, ranks;
    double budget, scale, max_memory;
    bool trust_mtime, plot, json, quiet;
    assignments set;
    clean_values clean; /* options of these verbs */
    tune_values tune;
    compare_meta_values meta;
} compare_values;

/* All state of a comparison. */
typedef struct compare_job {
    const compare_values *asked; /* from the command line */
    compare_values given;        /* with the settings of a figure */
    compare_plan plan;
    char title[160], data[256], scaled[256]; /* scaled: "", or what was shortened */
    char fingerprint[RUN_FINGERPRINT];       /* of the data: a run on other data is another run */
    int processes, threads;                  /* in parallel; of each */
    size_t allowed;                          /* bytes of memory for all of them; 0: no limit */
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

/* A task, and the verb whose own options define its data, or NULL. */
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

/* Refuses links in the folders of all runs. */
int compare_folders_refuse_links(const compare_job *job);

/* Computes one run and writes its folder. */
int compare_folder_make(const compare_job *job, const compare_entry *entry, int64_t seed);

/* Whether its folder exists, is complete and has the same configuration. */
bool compare_folder_is_there(const compare_job *job, const compare_entry *entry, int64_t seed);

/* Reads all runs into job->result. */
int compare_folders_read(compare_job *job);

/* Computes the missing runs. */
int compare_run_all(const compare_job *job);

/* ---- results ---- */

int compare_files(const compare_job *job); /* summary.csv, compare.json */
json_t *compare_json(const compare_job *job);
void compare_print(FILE *to, const compare_job *job);

/* Reports an error of lab/ and returns the exit code. */
int compare_refused(sustain_status status, const lab_error *error);

#endif
