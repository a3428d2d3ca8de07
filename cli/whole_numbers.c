/* whole_numbers.c - numbers in a text: whole ones with a separator between them, or a decimal. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

int whole_numbers(const char *text, char separator, int most, long long *out) {
    for (int count = 0; count < most; text++) {
        char *end;
        errno = 0;
        out[count++] = strtoll(text, &end, 10);
        if (errno != 0 || end == text) return 0;
        if (*end == '\0') return count;
        if (*end != separator) return 0;
        text = end;
    }
    return 0;
}

bool decimal_number(const char *text, double *out) {
    char *end;
    if (text[0] == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0') return false; /* nor hexadecimal, nor nan */
    *out = strtod(text, &end);
    return *end == '\0';
}
