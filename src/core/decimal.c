/* decimal.c - see decimal.h. strtod() and printf() depend on the locale, and C has no other exact
 * conversions: the decimal point is replaced. */
#include "core/decimal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_POINT = 16, LONGEST = 512 };

/* The decimal point of the locale, read from "0.5" as printed; localeconv() would need a lock.
 * Returns how many bytes it has. */
static size_t find_point(char point[LONGEST_POINT]) {
    char half[LONGEST_POINT + 2];
    snprintf(half, sizeof half, "%.1f", 0.5);
    /* The printf of a small C library writes no such numbers and knows no locale. */
    if (half[0] != '0') memcpy(half, "0.5", sizeof "0.5");
    snprintf(point, LONGEST_POINT, "%.*s", (int)strlen(half) - 2, half + 1);
    return strlen(point);
}

bool sustain__decimal_read(const char *text, double *out) {
    char point[LONGEST_POINT], local[LONGEST];
    const size_t length = find_point(point);
    if (strcmp(point, ".") != 0) {
        const char *dot = strchr(text, '.');
        if (strstr(text, point) != NULL || strlen(text) + length >= sizeof local) return false;
        if (dot != NULL) snprintf(local, sizeof local, "%.*s%s%s", (int)(dot - text), text, point, dot + 1);
        if (dot != NULL) text = local;
    }
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && !isspace((unsigned char)text[0]);
}

void sustain__decimal_write(double value, int digits, char *text, size_t size) {
    char point[LONGEST_POINT];
    const size_t length = find_point(point);
    snprintf(text, size, "%.*g", digits, value);
    char *at = size > 0 ? strstr(text, point) : NULL;
    if (at == NULL) return;
    *at = '.';
    memmove(at + 1, at + length, strlen(at + length) + 1);
}
