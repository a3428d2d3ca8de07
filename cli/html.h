/* html.h - texts and tables on a page. Everything that comes from data is escaped. */
#ifndef SUSTAIN_CLI_HTML_H
#define SUSTAIN_CLI_HTML_H

#include "output.h"

/* A text, such that a browser shows it as it is. */
void html_text(FILE *to, const char *text);

/* <p>text</p> */
void html_paragraph(FILE *to, const char *format, ...) PRINTF_LIKE(2, 3);

/* Cells of a row: text to the left, numbers to the right; a number that is not known is a dash. */
void html_cell(FILE *to, const char *text);
void html_number(FILE *to, int digits, double value);
void html_header(FILE *to, const char *const *titles, int count);

#endif
