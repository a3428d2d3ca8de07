/* interrupt.c - a flag that SIGINT and SIGTERM raise. */
#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int raised; /* lock-free: for handlers, and for threads */

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

void interrupt_default(void) {
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}
