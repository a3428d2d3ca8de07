/* html.c - see html.h. */
#include "html.h"

#include <math.h>

void html_text(FILE *to, const char *text) {
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '&':
            fputs("&amp;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        case '\'':
            fputs("&#39;", to);
            break;
        default:
            fputc(*text, to);
            break;
        }
    }
}

void html_paragraph(FILE *to, const char *format, ...) {
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs("<p>", to);
    html_text(to, text);
    fputs("</p>\n", to);
}

void html_cell(FILE *to, const char *text) {
    fputs("<td style=\"text-align: left\">", to);
    html_text(to, text);
    fputs("</td>", to);
}

void html_number(FILE *to, int digits, double value) {
    if (isnan(value))
        fputs("<td>-</td>", to);
    else
        fprintf(to, "<td>%.*f</td>", digits, value);
}

void html_header(FILE *to, const char *const *titles, int count) {
    fputs("<tr>", to);
    for (int i = 0; i < count; i++) {
        fputs("<th>", to);
        html_text(to, titles[i]);
        fputs("</th>", to);
    }
    fputs("</tr>\n", to);
}
