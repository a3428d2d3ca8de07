/* interrupt.c - a flag that SIGINT and SIGTERM raise. */
#include "interrupt.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t raised;

static void raise_flag(int number) {
    (void)number;
    raised = 1;
}

void interrupt_watch(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = raise_flag;
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void) {
    return raised != 0;
}
