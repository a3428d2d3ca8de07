/* cancel.c - parallel work that can be cancelled: only the calling thread calls the hook; all
 * threads read its flag. */
#include "core/cancel.h"

#include <stdatomic.h>

/* One per thread: its address identifies the thread. */
static _Thread_local char own;

sustain__caller sustain__caller_here(void) {
    return (sustain__caller){&own};
}

bool sustain__is_caller(sustain__caller caller) {
    return caller.thread == &own;
}

typedef struct stoppable {
    sustain_context *context;
    void (*task)(void *user, int64_t number);
    void *user;
    sustain__caller caller;
    atomic_bool stopped;
} stoppable;

static void unless_stopped(void *user, int64_t number) {
    stoppable *s = user;
    if (sustain__is_caller(s->caller) && sustain__cancelled(s->context) != SUSTAIN_OK) atomic_store(&s->stopped, true);
    if (!atomic_load(&s->stopped)) s->task(s->user, number);
}

sustain_status sustain__parallel_until(sustain_context *context, int64_t count, void (*task)(void *user, int64_t number), void *user) {
    stoppable s = {.context = context, .task = task, .user = user, .caller = sustain__caller_here()};
    sustain_parallel_for(context, count, unless_stopped, &s);
    return atomic_load(&s.stopped) ? SUSTAIN_CANCELLED : SUSTAIN_OK;
}
