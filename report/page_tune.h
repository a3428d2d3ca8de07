/* page_tune.h - what the two files of the page of `sustain tune` share: page_tune.c has the
 * penalties, and those tuned by a solver; page_tune_selected.c those whose form was selected. */
#ifndef SUSTAIN_REPORT_TUNE_H
#define SUSTAIN_REPORT_TUNE_H

#include "run_record.h"

/* Adds the main figure at a path of keys of the result, where there is one. */
void tune_figure(run *r, const char *what, const char *format, const char *key);

/* One column of the path: its key there, what it is, and the key of the result whose level is
 * drawn. */
typedef struct path_column {
    const char *key, *title, *level;
} path_column;

/* The chart of what one penalty for all reaches, along the path of single penalties. */
void tune_fill_path(run *r, const json_t *path, int terminal, const char *tuned, const path_column *columns, size_t count);

/* All but the penalties, which are so many. */
void tune_fill_selection(run *r, size_t penalties);
void tune_write_selection(FILE *to, const run *r);

#endif
