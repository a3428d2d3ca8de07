/* csv_field.h - the fields of CSV text, one after the other: quotes, CRLF, blanks around fields,
 * and the current line for messages. */
#ifndef SUSTAIN_DATA_CSV_FIELD_H
#define SUSTAIN_DATA_CSV_FIELD_H

#include <string.h>

#include "core/context_internal.h"

/* A field; its text points into the file, or into the reader if doubled quotes had to be
 * replaced. */
typedef struct sustain__field_text {
    const char *at, *end;
} sustain__field_text;

/* A position in the text. */
typedef struct sustain__csv {
    sustain_context *context;
    const char *path;
    const char *at, *end;
    const char *filled; /* the end of the last field that is not empty */
    char delimiter;     /* ',', ';', a tab, or a space, which stands for any number of blanks */
    int64_t line;       /* of `at`, from 1 */
    bool row_ended;     /* the last field was the last of its row */
    char *undone;       /* texts in which "" was replaced by "; the first row is read three times, so
                 * three times the file size is enough. NULL until needed */
    size_t undone_length, undone_room;
} sustain__csv;

/* The bytes of the mark that spreadsheets put in front of UTF-8; 0 without one. */
static inline size_t sustain__byte_order_mark(const unsigned char *bytes, size_t length) {
    return length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* Where quotes are open. They open at the beginning of a field alone: 5" is a text. */
typedef struct sustain__csv_quotes {
    bool open;
    bool inside; /* a field has begun */
} sustain__csv_quotes;

/* Takes the next character of the text; two quotes in a field close and open it. */
static inline void sustain__csv_quotes_take(sustain__csv_quotes *q, char c, bool delimiter) {
    if (c == '"' && !q->inside)
        q->open = !q->open;
    else if (!q->open)
        q->inside = !delimiter && c != '\n' && (q->inside || c != ' ');
}

/* Starts at the first row, which determines the delimiter; a line "sep=;" in front of it, as some
 * spreadsheets write it, does so too. Refuses a file with a NUL byte, which would end names and
 * texts in their middle. */
sustain_status sustain__csv_begin(sustain_context *context, const char *path, const unsigned char *bytes, size_t length, sustain__csv *out);
void sustain__csv_end(sustain__csv *csv);

/* Skips empty lines; false at the end. *skipped (may be NULL): whether there were any. */
bool sustain__csv_row(sustain__csv *csv, bool *skipped);

/* Whether all that follows is rows of empty fields, as spreadsheets write them below a table. */
bool sustain__csv_rest_is_empty(const sustain__csv *csv);

/* Reads the next field of the row, as text. */
sustain_status sustain__csv_text(sustain__csv *csv, sustain__field_text *out);

/* Fast path: reads the next field if it is a plain number. False: it is not, and can still be
 * read as text. */
bool sustain__csv_number(sustain__csv *csv, double *out);

/* Ends a row whose fields were read; a delimiter after the last one is allowed. False: there are
 * more fields. */
bool sustain__csv_end_row(sustain__csv *csv);

/* Skips the next field. */
sustain_status sustain__csv_skip(sustain__csv *csv);

#endif
