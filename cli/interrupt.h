/* interrupt.h - Ctrl-C, SIGTERM and SIGHUP end a run as soon as possible; a second signal kills
 * the program. */
#ifndef SUSTAIN_CLI_INTERRUPT_H
#define SUSTAIN_CLI_INTERRUPT_H

#include <stdbool.h>

void interrupt_watch(void);
bool interrupted(void);

/* For a child process: restores the default action of the signals. */
void interrupt_default(void);

#endif
