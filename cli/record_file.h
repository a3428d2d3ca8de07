/* record_file.h - small CSV files with fixed columns (verified rows, decisions, groups): reads
 * records in order, RFC 4180, also with semicolons or tabs. */
#ifndef SUSTAIN_CLI_RECORD_FILE_H
#define SUSTAIN_CLI_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_FIELDS = 64 };

typedef struct record_file {
    const char *path;
    char *bytes, *at, *end; /* fields are terminated and unquoted in place */
    char delimiter;         /* sustain_csv_delimiter() */
    long long line;         /* of the record that was read last, from 1 ... */
    long long next_line;    /* ... and of the next one */
    int fields;
    char *field[MOST_FIELDS];
} record_file;

/* Reads a whole file. Returns an exit code after a message; close in any case. */
int records_open(const char *path, record_file *file);
/* A hash of the content of all files opened so far. */
uint64_t records_fingerprint(void);

void records_close(record_file *file);

/* Reads the next record that is not empty; false at the end of the file. */
bool records_next(record_file *file);

/* Reads the header and finds the named columns, also in capital letters; a missing column is
 * refused, or -1 if its name begins with '?'. "?" is no column. */
int records_columns(record_file *file, const char *const *names, int count, int *column);

/* Whether a file begins with a header that names this column; false also for other files. */
bool records_have(const char *path, const char *name);

/* Whether the first line of a file has several fields. */
bool records_have_several(const char *path);

/* Field number `column` as a row number, 0 or more. Returns an exit code. */
int records_row_number(const record_file *file, int column, long long *out);

#endif
