/* csv_write.c - see csv_write.h. */
#include "csv_write.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether a spreadsheet would read the text as a formula. Numbers are not changed: "-1" can be
 * the name of a class. */
static bool looks_like_formula(const char *text) {
    char *end;
    const char first = text[strspn(text, "'")];
    if (first == '\0' || strchr("=+-@\t\r", first) == NULL) return false;
    strtod(text, &end);
    return *end != '\0';
}

void csv_text(FILE *to, const char *text) {
    const size_t length = strlen(text);
    const bool formula = looks_like_formula(text);
    if (length > 0 && strpbrk(text, ",\"\r\n;\t") == NULL && text[0] != ' ' && text[length - 1] != ' ') {
        fprintf(to, "%s%s", formula ? "'" : "", text);
        return;
    }
    fputs(formula ? "\"'" : "\"", to);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

void csv_probability_titles(FILE *to, const char *const *names, int64_t classes) {
    for (int64_t k = 0; k < classes; k++) {
        char title[4096];
        snprintf(title, sizeof title, "p_%s", names[k]);
        fputc(',', to);
        csv_text(to, title);
    }
    fputc('\n', to);
}
