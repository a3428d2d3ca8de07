/* interrupt.c - a flag that SIGINT, SIGTERM and SIGHUP set. */
#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int raised; /* lock-free: used in signal handlers and threads */

static void raise_flag(int number) {
    (void)number;
    raised = 1;
}

static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
enum { WATCHED = sizeof watched / sizeof *watched };

/* Signals that the parent ignores stay ignored: background jobs of a shell, nohup. */
static void handle(void (*from)(int), void (*to)(int)) {
    for (int i = 0; i < WATCHED; i++) {
        struct sigaction action;
        if (sigaction(watched[i], NULL, &action) != 0 || action.sa_handler != from) continue;
        memset(&action, 0, sizeof action);
        action.sa_handler = to;
        action.sa_flags = to == raise_flag ? (int)SA_RESETHAND : 0;
        sigaction(watched[i], &action, NULL);
    }
}

void interrupt_watch(void) {
    handle(SIG_DFL, raise_flag);
}

void interrupt_default(void) {
    handle(raise_flag, SIG_DFL);
}

bool interrupted(void) {
    return raised != 0;
}

static int cancel(void *user) {
    (void)user;
    return interrupted();
}

void interrupt_calls(sustain_context *context) {
    sustain_context_set_cancel(context, cancel, NULL);
}

bool interrupted_call(const sustain_context *context) {
    return interrupted() && strcmp(sustain_error(context), sustain_status_text(SUSTAIN_CANCELLED)) == 0;
}
