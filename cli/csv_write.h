/* csv_write.h - writes texts and numbers to CSV files. */
#ifndef SUSTAIN_CLI_CSV_H
#define SUSTAIN_CLI_CSV_H

#include <stdint.h>
#include <stdio.h>

#include <sustain/dataset.h>

/* Quotes a text if needed: separators, quotes, line breaks, spaces at the ends. A text that a
 * spreadsheet would read as a formula gets an apostrophe. */
void csv_text(FILE *to, const char *text);

/* As printf() does with %lld and with %.6g, several times as fast. */
void csv_whole(FILE *to, int64_t number);
void csv_number(FILE *to, double value);

/* "ID,", where the table has a column that identifies rows: that of row i; -1: its name. */
void csv_id(FILE *to, const sustain_dataset *set, int64_t i);

/* The end of a header: ",p_NAME" for each class. */
void csv_probability_titles(FILE *to, const char *const *names, int64_t classes);

#endif
