/* html.h - texts and tables on a page. Everything that comes from data is escaped. */
#ifndef SUSTAIN_REPORT_HTML_H
#define SUSTAIN_REPORT_HTML_H

#include <jansson.h>
#include <stdio.h>

#if defined(__GNUC__)
#define HTML_PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define HTML_PRINTF_LIKE(text, first)
#endif

/* A text, such that a browser shows it as it is. */
void html_text(FILE *to, const char *text);

/* <tag>text</tag>; `tag` may have attributes. */
void html_element(FILE *to, const char *tag, const char *format, ...) HTML_PRINTF_LIKE(3, 4);

/* JSON for the script of the page, in an element with this class. */
void html_json(FILE *to, const char *css, const json_t *value);

/* A table: its rows follow, each with cells; html_table_end() closes it. Titles that begin with
 * '<' head columns of text, without that sign. */
void html_table(FILE *to, const char *caption, const char *const *titles, int count);
void html_row(FILE *to);
void html_cell(FILE *to, const char *text);
void html_number(FILE *to, const char *format, double value); /* a dash where it is not known */
/* a bar with its percentage; share is 0 .. 1 */
void html_bar(FILE *to, double share);
void html_table_end(FILE *to);

/* 50000 as 50,000. */
const char *html_grouped(double n, char text[32]);

#endif
