/* csv_write.h - texts as CSV files have them. */
#ifndef SUSTAIN_CLI_CSV_H
#define SUSTAIN_CLI_CSV_H

#include <stdio.h>

/* In quotes where that is needed: separators, quotes, line breaks, spaces at the ends. */
void csv_text(FILE *to, const char *text);

#endif
