/* progress.h - a progress line on the terminal. */
#ifndef SUSTAIN_CLI_PROGRESS_H
#define SUSTAIN_CLI_PROGRESS_H

#include <stdbool.h>

#include "lab/lab_clock.h"
#include "output.h"

/* Enables progress if `wanted` and stderr is a terminal. Call it once. */
void progress_enable(bool wanted);

/* Replaces the line; does nothing if progress is disabled. */
void progress_show(const char *format, ...) PRINTF_LIKE(1, 2);

/* The same as the log of a context: sustain_context_set_log(). */
void progress_log(void *user, const char *line);

/* Removes the line, before anything else is printed. */
void progress_clear(void);

/* Formats seconds: "12 s", "3 min 20 s", "2 h 05 min". */
const char *duration_text(double seconds, char text[32]);

#endif
