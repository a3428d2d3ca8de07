/* csv_field.h - the fields of CSV text, one after the other: quotes, CRLF, blanks around fields, and where we are for messages. */
#ifndef SUSTAIN_DATA_CSV_FIELD_H
#define SUSTAIN_DATA_CSV_FIELD_H

#include "core/context_internal.h"

/* A field; its text lies in the file, or where quotes in it had to be undone, in the reader. */
typedef struct sustain__field_text {
    const char *at, *end;
} sustain__field_text;

/* A place in the text. */
typedef struct sustain__csv {
    sustain_context *context;
    const char *path;
    const char *at, *end;
    char delimiter; /* ',', ';', a tab, or a space, which stands for any number of blanks */
    int64_t line;   /* of `at`, from 1 */
    bool row_ended; /* the last field was the last of its row */
    char *
        undone; /* texts in which "" became "; the first row is read three times, hence three times the file is enough. NULL until needed */
    size_t undone_length, undone_room;
} sustain__csv;

/* Begins with the first row; chooses the delimiter by it. */
void sustain__csv_begin(sustain_context *context, const char *path, const unsigned char *bytes, size_t length, sustain__csv *out);
void sustain__csv_end(sustain__csv *csv);

/* Skips empty lines; false where nothing is left. *skipped (may be NULL) says whether there were any. */
bool sustain__csv_row(sustain__csv *csv, bool *skipped);

/* Reads the next field of the row, as text. */
sustain_status sustain__csv_text(sustain__csv *csv, sustain__field_text *out);

/* Reads the next field where it is a plain number, the fast way. False: it is something else, and still there to be read as text. */
bool sustain__csv_number(sustain__csv *csv, double *out);

/* Passes by the next field. */
sustain_status sustain__csv_skip(sustain__csv *csv);

#endif
