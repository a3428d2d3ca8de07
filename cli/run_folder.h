/* run_folder.h - the folder of a run: config.json, metrics.jsonl, checkpoint.safetensors. docs/formats.md describes the files. */
#ifndef SUSTAIN_CLI_RUN_FOLDER_H
#define SUSTAIN_CLI_RUN_FOLDER_H

#include "options.h"
#include "output.h"

/* folder/name, and whether that is a file. */
void run_path(const char *folder, const char *name, char path[LONGEST_PATH]);
bool run_has(const char *folder, const char *name);

/* All options of a verb that say what a run does, as the command line gives them; the pairs of --set; and the command that does the same again,
 * without options that have their default. */
json_t *options_json(const verb *v, const void *values);
json_t *assignments_json(const assignments *set);
json_t *repeat_json(const verb *v, const void *values);

/* Writes a blank and a word as a shell takes it: in quotes where that is needed, and a quote as '\''. */
void shell_word(FILE *to, const char *word);

/* Writes config.json: the verb, the command that does the same again, its options as the command line gives them (files by their full names) and `data`,
 * which is freed. */
int config_write(const char *folder, const verb *v, const void *values, json_t *data);

/* For --resume: takes options that were left out from folder/config.json. Options that are given must be the same there, but for --iterations and
 * --seconds. `*keep` owns the texts: free it with json_decref() when the values are no longer needed. */
int config_read(sustain_context *context, const char *folder, const verb *v, void *values, json_t **keep);

/* metrics.jsonl: one JSON object a line. */
typedef struct metrics_log {
    FILE *file;
    int64_t last; /* iteration of the last line */
    char path[LONGEST_PATH];
} metrics_log;

/* Opens it, with the lines up to iteration `from` of an earlier part of the run (-1: a new file). */
int metrics_open(metrics_log *log, const char *folder, int64_t from);

/* Adds a line, which is freed; one of an iteration that is there already is left out. */
void metrics_add(metrics_log *log, int64_t iteration, json_t *line);

/* Returns an exit code: a disk that is full is said here. */
int metrics_close(metrics_log *log);

#endif
