/* run_record.h - one run as shown on the page: its files, the main figures, the charts. One
 * source file for each kind of run fills it. */
#ifndef SUSTAIN_REPORT_RUN_H
#define SUSTAIN_REPORT_RUN_H

#include "html.h"
#include "report.h"
#include "spec.h"

typedef struct run {
    sustain_context *context;
    const char *folder;
    char name[256]; /* the last part of the folder's name */
    const struct kind *kind;
    json_t *config, *result; /* result.json, or NULL if there is none yet */
    json_t *metrics;         /* metrics.jsonl by columns: {key: [numbers or null]}, or NULL */
    char headline[512];
    json_t *figures; /* [[what, text], ...] the numbers that matter */
    json_t *charts;  /* [spec, ...] */
    json_t *data;    /* more for the script of the page: {} */
    void *own;       /* of the kind */
    char *error;     /* (REPORT_ERROR) */
} run;

/* A kind of run. */
typedef struct kind {
    const char *command;                   /* the verb that makes it */
    const char *title;                     /* of the page */
    bool (*read)(run *r);                  /* reads additional files; NULL: none. false: failure;
                                            * the reason is in r->error */
    void (*fill)(run *r);                  /* headline, figures, charts, data */
    void (*write)(FILE *to, const run *r); /* the part below headline and figures */
    void (*release)(void *own);            /* NULL: nothing to free */
} kind;

extern const kind kind_clean, kind_tune, kind_rates, kind_demo, kind_compare, kind_meta;

/* Reads folder/config.json, result.json, metrics.jsonl, then the additional files of the kind. */
bool run_read(run *r);
void run_free(run *r);

/* A sentence for r->error; returns false. */
bool run_refuse(run *r, const char *format, ...) HTML_PRINTF_LIKE(2, 3);

/* folder/name as JSON; NULL: no such file, or not JSON (then r->error is set). */
json_t *run_json(run *r, const char *name);

/* folder/name, an NPY file of pictures, for the script: {count, height, width, channels, bytes
 * (base64)}; NULL: there is none, or r->error says why it cannot be read. */
json_t *run_pictures(run *r, const char *name);

/* folder/name. */
void run_path_of(const run *r, const char *name, char path[4096]);

/* The value at a path of keys separated by dots; NAN or "" if there is none. */
double run_number(const json_t *object, const char *path);
const char *run_text(const json_t *object, const char *path);

/* Adds a main figure. */
void run_figure(run *r, const char *what, const char *format, ...) HTML_PRINTF_LIKE(3, 4);

/* Adds the axes of metrics.jsonl that are there, to choose from. */
void run_metrics_axes(const run *r, json_t *spec);

/* One number of every object in a list. */
json_t *run_column(const json_t *rows, const char *key);

/* A table of JSON objects, one a row. Columns that no row has a value for are left out; a value
 * {mean, low, high} is shown with its spread. */
typedef struct column {
    const char *title, *key; /* a path of keys */
    const char *format;      /* of a number; NULL: a text */
} column;
void run_write_rows(FILE *to, const char *caption, const json_t *rows, const column *columns, int count);

/* What the command said beside its results: reasons to doubt them; and how it read the data. */
void run_write_warnings(FILE *to, const run *r);
void run_write_remarks(FILE *to, const run *r);

/* The place of a chart, drawn by the script; and the numbers of the run for people who want to
 * repeat it. */
void run_write_chart(FILE *to, const char *id);
void run_write_repeat(FILE *to, const run *r);

/* Formats a duration. */
const char *run_duration(double seconds, char text[32]);

#endif
