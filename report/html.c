/* html.c - see html.h. */
#include "html.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

void html_element(FILE *to, const char *tag, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (text != NULL) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    fprintf(to, "<%s>", tag);
    html_text(to, text != NULL ? text : "");
    fprintf(to, "</%.*s>\n", (int)strcspn(tag, " "), tag);
    free(text);
}

/* No '<' in it: in JSON it stands in texts alone, and there it may be written by its number. */
static int safe_bytes(const char *buffer, size_t size, void *user) {
    FILE *to = user;
    for (size_t i = 0; i < size; i++)
        if (buffer[i] == '<')
            fputs("\\u003c", to);
        else
            fputc(buffer[i], to);
    return 0;
}

void html_json(FILE *to, const char *css, const json_t *value) {
    fprintf(to, "<script type=\"application/json\" class=\"%s\">", css);
    json_dump_callback(value, safe_bytes, to, JSON_COMPACT | JSON_REAL_PRECISION(6) | JSON_ENCODE_ANY);
    fputs("</script>\n", to);
}

/* ---- tables ---- */

void html_table(FILE *to, const char *caption, const char *const *titles, int count) {
    /* one inside of the table would scroll with it */
    if (caption != NULL) html_element(to, "p class=\"note\"", "%s", caption);
    fputs("<div class=\"scroll\" role=\"region\" aria-label=\"", to);
    html_text(to, caption != NULL ? caption : "a table");
    fputs("\" tabindex=\"0\"><table>\n", to);
    fputs("<thead><tr>", to);
    for (int i = 0; i < count; i++) {
        const int text = titles[i][0] == '<';
        fprintf(to, "<th scope=\"col\"%s>", text ? " class=\"text\"" : "");
        html_text(to, titles[i] + text);
        fputs("</th>", to);
    }
    fputs("</tr></thead>\n<tbody>", to);
}

void html_row(FILE *to) {
    fputs("\n<tr>", to); /* </tr> may be left out */
}

void html_cell(FILE *to, const char *text) {
    fputs("<td class=\"text\">", to);
    html_text(to, text);
    fputs("</td>", to);
}

void html_number(FILE *to, const char *format, double value) {
    fputs("<td>", to);
    if (isnan(value))
        fputs("–", to);
    else
        fprintf(to, format, value); /* NOLINT: the formats are constants */
    fputs("</td>", to);
}

void html_bar(FILE *to, double share) {
    fprintf(to, "<td class=\"bar\"><i style=\"--share: %.3f\"></i><b>%.1f %%</b></td>", share, 100 * share);
}

void html_table_end(FILE *to) {
    fputs("\n</tbody></table></div>\n", to);
}

const char *html_grouped(double n, char text[32]) {
    char plain[32];
    const int length = snprintf(plain, 24, "%.0f", n);
    int at = 0;
    for (int i = 0; i < length && at < 30; i++) {
        if (i > 0 && plain[i - 1] != '-' && (length - i) % 3 == 0) text[at++] = ',';
        text[at++] = plain[i];
    }
    text[at] = '\0';
    return text;
}
