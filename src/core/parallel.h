/* parallel.h - the threads of a context, inside the library; context.h has sustain_parallel_for().
 *
 * The calling thread takes part and never waits for a thread that has not started: a late thread
 * finds no task left. So other load on the machine slows a run down only in proportion to the CPU
 * time it takes. */
#ifndef SUSTAIN_CORE_PARALLEL_H
#define SUSTAIN_CORE_PARALLEL_H

#include "core/context_internal.h"

/* The same tasks, by the calling thread alone where they are too small to justify waking threads,
 * which costs as much as some hundred thousand products. */
static inline void sustain__parallel_if(bool worth, sustain_context *context, int64_t count, sustain_parallel_task task, void *user) {
    if (worth)
        sustain_parallel_for(context, count, task, user);
    else
        for (int64_t i = 0; i < count; i++) task(user, i);
}

/* The arguments of sustain_parallel_for(), checked. */
sustain_status sustain__parallel_check(sustain_context *context, int64_t count, sustain_parallel_task task);

/* Ends the threads, if any. */
void sustain__pool_destroy(sustain_context *context);

#endif
