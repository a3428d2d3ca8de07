/* progress.c - see progress.h. */
#include "progress.h"

#include <string.h>
#include <unistd.h>

static bool shown;
static int width; /* of the current line */

void progress_enable(bool wanted) {
    shown = wanted && isatty(STDERR_FILENO);
}

void progress_show(const char *format, ...) {
    char line[WIDTH];
    va_list arguments;
    if (!shown) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const int length = (int)strlen(line);
    fprintf(stderr, "\r%s%*s", line, width > length ? width - length : 0, "");
    fflush(stderr);
    width = length;
}

void progress_log(void *user, const char *line) {
    (void)user;
    progress_show("%s", line);
}

void progress_clear(void) {
    if (width > 0) fprintf(stderr, "\r%*s\r", width, "");
    width = 0;
}

const char *duration_text(double seconds, char text[32]) {
    const long whole = (long)(seconds + 0.5);
    if (seconds < 9.95)
        snprintf(text, 32, "%.1f s", seconds);
    else if (whole < 100)
        snprintf(text, 32, "%ld s", whole);
    else if (whole < 3600)
        snprintf(text, 32, "%ld min %02ld s", whole / 60, whole % 60);
    else
        snprintf(text, 32, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
    return text;
}
