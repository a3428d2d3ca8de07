/* csv_write.c - see csv_write.h. */
#include "csv_write.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

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
        if (formula) fputc('\'', to);
        fwrite(text, 1, length, to);
        return;
    }
    fputs(formula ? "\"'" : "\"", to);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

void csv_id(FILE *to, const sustain_dataset *set, int64_t i) {
    if (!set->has_id) return;
    csv_text(to, i < 0 ? set->kept_names[0] : set->kept[i * set->kept_columns]);
    fputc(',', to);
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

/* ---- numbers: millions of them, and printf() takes most of the time of a file ---- */

enum { LONGEST_NUMBER = 24 };

/* The digits of a number that is not negative, at least so many, that end before `end`; returns
 * where they begin. */
static char *put_digits(uint64_t number, int least, char *end) {
    for (; number > 0 || least > 0; number /= 10, least--) *--end = (char)('0' + number % 10);
    return end;
}

void csv_whole(FILE *to, int64_t number) {
    char text[LONGEST_NUMBER], *const end = text + sizeof text;
    char *at = put_digits(number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 1, end);
    if (number < 0) *--at = '-';
    fwrite(at, 1, (size_t)(end - at), to);
}

void csv_number(FILE *to, double value) {
    char text[LONGEST_NUMBER], *end = text + sizeof text;
    int places = 6;
    double scale = 1e6;
    if (value >= 1e-4 && value < 1)
        for (; value * scale < 1e5; scale *= 10) places++;
    const double scaled = value * scale, digits = floor(scaled + 0.5);
    /* six digits, and so far from the middle of two that the rounding of the product is of no
     * account */
    if (!(digits >= 1e5 && digits < 1e6) || fabs(scaled - floor(scaled) - 0.5) < 1e-6) {
        fprintf(to, "%.6g", value);
        return;
    }
    char *at = put_digits((uint64_t)digits, places, end);
    while (end[-1] == '0') end--;
    *--at = '.', *--at = '0';
    fwrite(at, 1, (size_t)(end - at), to);
}
