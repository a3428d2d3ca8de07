/* run_folder.h - the folder of a run: config.json, metrics.jsonl, checkpoint.safetensors.
 * docs/formats.md describes the files. */
#ifndef SUSTAIN_CLI_RUN_FOLDER_H
#define SUSTAIN_CLI_RUN_FOLDER_H

#include "options.h"
#include "output.h"

/* folder/name, and whether that is a file. */
void run_path(const char *folder, const char *name, char path[LONGEST_PATH]);
bool run_has(const char *folder, const char *name);

/* All options of a verb that define a run, as text; the pairs of --set; and the command that
 * repeats the run, without options at their defaults. */
json_t *options_json(const verb *v, const void *values);
json_t *assignments_json(const assignments *set);
json_t *repeat_json(const verb *v, const void *values);

/* Writes a space and a word, quoted for a shell if needed. */
void shell_word(FILE *to, const char *word);

/* Names a run: a hash of the content of all data that was read, and one of all options but those
 * that may change when it is resumed. */
enum { RUN_IDENTITY = 40 };
void run_identity(const sustain_context *context, const verb *v, const void *values, char text[RUN_IDENTITY]);

/* The hash of the content of all data that was read, as 16 hexadecimal digits. */
enum { RUN_FINGERPRINT = 17 };
void run_fingerprint(const sustain_context *context, char text[RUN_FINGERPRINT]);

/* Writes config.json: the verb, the command that repeats the run, its options as text (files
 * with their full paths) and `data`, which is freed. */
int config_write(const sustain_context *context, const char *folder, const verb *v, const void *values, json_t *data);

/* For --resume: takes options that were not given from folder/config.json. Given options must
 * agree with it, except --iterations and --seconds. `*keep` owns the texts: free it with
 * json_decref() when the values are no longer needed. */
int config_read(sustain_context *context, const char *folder, const verb *v, void *values, json_t **keep);

/* metrics.jsonl: one JSON object per line. */
typedef struct metrics_log {
    FILE *file;
    int64_t last; /* iteration of the last line */
    char path[LONGEST_PATH];
} metrics_log;

/* Opens it and keeps the lines up to iteration `from` of an earlier part of the run (-1: a new
 * file). */
int metrics_open(metrics_log *log, const char *folder, int64_t from);

/* Adds a line, which is freed; skips an iteration that is already there. */
void metrics_add(metrics_log *log, int64_t iteration, json_t *line);

/* Closes it and returns an exit code: reports write errors such as a full disk. */
int metrics_close(metrics_log *log);

#endif
