/* parallel.h - the threads of a context: pieces of work that do not depend on each other, at the same time.
 *
 * The caller takes part, and never waits for a thread that has not begun: a thread that comes late finds nothing left to do. So a machine
 * that is busy with other things slows a run down by little more than its share. */
#ifndef SUSTAIN_CORE_PARALLEL_H
#define SUSTAIN_CORE_PARALLEL_H

#include "core/context_internal.h"

typedef void sustain__task(void *user, int64_t number);

/* Calls task(user, number) for 0 <= number < count, each once, in any order, and returns when all are done. Where the context has one
 * thread, or another caller has its threads at work, the caller does it all: what a task computes must not depend on who runs it. */
void sustain__parallel(sustain_context *context, int64_t count, sustain__task *task, void *user);

/* Ends the threads, if any. */
void sustain__pool_destroy(sustain_context *context);

#endif
