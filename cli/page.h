/* page.h - the frame of the pages that the program makes: self-contained HTML, light and dark. */
#ifndef SUSTAIN_CLI_PAGE_H
#define SUSTAIN_CLI_PAGE_H

#include <stdio.h>

void page_begin(FILE *to, const char *title, const char *first_heading);
void page_end(FILE *to);

#endif
