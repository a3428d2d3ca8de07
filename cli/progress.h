/* progress.h - one line on the terminal that is written over and over. */
#ifndef SUSTAIN_CLI_PROGRESS_H
#define SUSTAIN_CLI_PROGRESS_H

#include <stdbool.h>

#include "lab/lab_clock.h"
#include "output.h"

/* Whether lines are to be shown: `wanted`, and stderr is a terminal. Call it once. */
void progress_enable(bool wanted);

/* Replaces the line; does nothing where it is not shown. */
void progress_show(const char *format, ...) PRINTF_LIKE(1, 2);

/* Removes the line, before anything else is printed. */
void progress_clear(void);

/* Seconds as a person reads them: "12 s", "3 min 20 s", "2 h 05 min". */
const char *duration_text(double seconds, char text[32]);

#endif
