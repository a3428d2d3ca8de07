/* number_text.c - see number_text.h. */
#include "number_text.h"

#include <math.h>
#include <stdio.h>

const char *number_text(double value, char text[32]) {
    if (isnan(value))
        snprintf(text, 32, "-");
    else if (value == floor(value) && fabs(value) < 1e9)
        snprintf(text, 32, "%.0f", value);
    else
        snprintf(text, 32, "%.4g", value);
    return text;
}

const char *grouped_text(int64_t n, char text[32]) {
    char plain[32];
    const int length = snprintf(plain, sizeof plain, "%lld", (long long)n);
    int at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && plain[i - 1] != '-' && (length - i) % 3 == 0) text[at++] = ',';
        text[at++] = plain[i];
    }
    text[at] = '\0';
    return text;
}
