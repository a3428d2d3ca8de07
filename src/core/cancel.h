/* cancel.h - parallel work that the caller's hook can cancel. */
#ifndef SUSTAIN_CORE_CANCEL_H
#define SUSTAIN_CORE_CANCEL_H

#include "core/parallel.h"

/* As sustain_parallel_for(), but the calling thread calls the hook before each of its own tasks.
 * CANCELLED: some tasks were not done. */
sustain_status sustain__parallel_until(sustain_context *context, int64_t count, void (*task)(void *user, int64_t number), void *user);

/* Whether this is the thread that called sustain__parallel_until() or sustain__caller_here(). */
typedef struct sustain__caller {
    const void *thread;
} sustain__caller;
sustain__caller sustain__caller_here(void);
bool sustain__is_caller(sustain__caller caller);

#endif
