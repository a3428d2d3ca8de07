/* report.h - the folder of a run as a page: one self-contained HTML file, and its charts as data
 * for other programs.
 *
 * Only the folder is read. Text and tables are written here; the scripts draw the charts, the
 * gallery and other interactive parts. */
#ifndef SUSTAIN_REPORT_H
#define SUSTAIN_REPORT_H

#include <jansson.h>
#include <stdio.h>
#include <sustain/learn.h>
#include <sustain/sustain.h>

/* A page about one run, or several of one kind. */
typedef struct report report;

enum { REPORT_ERROR = 1024 };

/* What reading a folder and its page take at most, in bytes, from the sizes of its files: twice as
 * much, since a number of a JSON file becomes an object. */
double report_memory(const char *folder);

/* Reads the folders, whose names must outlive the report. An unfinished run is shown up to its
 * current state. NULL: failure; `error` has a sentence. */
report *report_read(sustain_context *context, const char *const *folders, int count, char error[REPORT_ERROR]);
void report_free(report *r);

void report_write(FILE *to, const report *r);

/* The charts of a run, as spec.h describes them; borrowed. */
const json_t *report_charts(const report *r, int run);

/* The same for a result that is not in a folder. The caller frees it. */
json_t *report_result_charts(const char *command, json_t *result);

#endif
