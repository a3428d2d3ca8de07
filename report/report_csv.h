/* report_csv.h - reads back the CSV files that the program writes. */
#ifndef SUSTAIN_REPORT_CSV_H
#define SUSTAIN_REPORT_CSV_H

#include <stdbool.h>
#include <stddef.h>

typedef struct csv {
    char *text, *at; /* the whole file, and where the next line begins */
    long line;       /* of the fields read last, from 1 */
} csv;

/* NULL text: the file cannot be read, errno says why. */
csv csv_open(const char *path);
void csv_close(csv *c);

/* The fields of the next line, without their quotes; they live until the file is closed. Returns
 * how many there are, 0 at the end; more than `most` are counted, not kept. */
int csv_line(csv *c, char **fields, int most);

#endif
