/* record_file.h - small CSV files of the program's own columns (verified rows, decisions, groups): records one after another, RFC 4180. */
#ifndef SUSTAIN_CLI_RECORD_FILE_H
#define SUSTAIN_CLI_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_FIELDS = 64 };

typedef struct record_file {
    const char *path;
    char *bytes, *at, *end; /* fields are ended and unquoted in place */
    long long line;         /* of the record that was read last, from 1 ... */
    long long next_line;    /* ... and of the next one */
    int fields;
    char *field[MOST_FIELDS];
} record_file;

/* Reads all of a file. Returns an exit code after a sentence; close in any case. */
int records_open(const char *path, record_file *file);
void records_close(record_file *file);

/* The next record that is not empty; false at the end of the file. */
bool records_next(record_file *file);

/* Reads the header, and the number of each named column; a column that is not there is refused, unless its name begins with '?': then it is -1. */
int records_columns(record_file *file, const char *const *names, int count, int *column);

/* Field number `column` as a row number, 0 or more. Returns an exit code. */
int records_row_number(const record_file *file, int column, long long *out);

#endif
