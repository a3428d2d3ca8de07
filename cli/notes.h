/* notes.h - what the user should know beside the results: for people on stderr, for programs in
 * "warnings" and "remarks" of the JSON, and on the page. */
#ifndef SUSTAIN_CLI_NOTES_H
#define SUSTAIN_CLI_NOTES_H

#include "output.h"

/* A reason to doubt the results. It is printed by notes_show(), or after that at once: where the
 * input is refused, the refusal stands alone. */
void note_warning(const char *format, ...) PRINTF_LIKE(1, 2);

/* How input was read, or what was left out. */
void note_remark(const char *format, ...) PRINTF_LIKE(1, 2);

/* A sink of the library's log: remarks, which are printed unless *quiet. */
void note_log(void *quiet, const char *line);

/* Prints the warnings so far: all input has been accepted. */
void notes_show(void);

/* Sets "warnings" and "remarks" in the JSON of a result. */
void notes_json(json_t *object);

/* Forgets all of them: a run ends. */
void notes_end(void);

#endif
