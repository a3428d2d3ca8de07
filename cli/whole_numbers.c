/* whole_numbers.c - whole numbers in a text, with a separator between them. */
#include <errno.h>
#include <stdlib.h>

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
