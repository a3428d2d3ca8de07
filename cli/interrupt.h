/* interrupt.h - Ctrl-C, SIGTERM and SIGHUP end a run at the next chance; a second one kills the program. */
#ifndef SUSTAIN_CLI_INTERRUPT_H
#define SUSTAIN_CLI_INTERRUPT_H

#include <stdbool.h>

void interrupt_watch(void);
bool interrupted(void);

/* For a child process: signals end it again. */
void interrupt_default(void);

#endif
