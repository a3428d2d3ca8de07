/* report.h - the folder of a run as a page: one HTML file that needs no other, and the charts of it as data, for whoever draws them elsewhere.
 *
 * Nothing but the folder is read. The text and the tables are written here; the scripts draw the charts, the gallery and the rest that moves. */
#ifndef SUSTAIN_REPORT_H
#define SUSTAIN_REPORT_H

#include <jansson.h>
#include <stdio.h>
#include <sustain/learn.h>
#include <sustain/sustain.h>

/* A page about one run, or several of one kind. */
typedef struct report report;

enum { REPORT_ERROR = 1024 };

/* Reads the folders, whose names must outlive the report. A run that is not done yet is shown as far as it went. NULL: it cannot be done, and `error`
 * has a sentence. */
report *report_read(sustain_context *context, const char *const *folders, int count, char error[REPORT_ERROR]);
void report_free(report *r);

void report_write(FILE *to, const report *r);

/* The charts of a run, as spec.h describes them; borrowed. */
const json_t *report_charts(const report *r, int run);

/* The same for a result that is in no folder. The caller frees it. */
json_t *report_result_charts(const char *command, json_t *result);

#endif
