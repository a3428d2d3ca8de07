/* interrupt.h - Ctrl-C, SIGTERM and SIGHUP end a run as soon as possible; a second signal kills
 * the program. */
#ifndef SUSTAIN_CLI_INTERRUPT_H
#define SUSTAIN_CLI_INTERRUPT_H

#include <sustain/context.h>

void interrupt_watch(void);
bool interrupted(void);

/* Lets long calls of the library with this context stop too: they fail with SUSTAIN_CANCELLED. */
void interrupt_calls(sustain_context *context);

/* Whether the last failure in the context was that. */
bool interrupted_call(const sustain_context *context);

/* For a child process: restores the default action of the signals. */
void interrupt_default(void);

#endif
