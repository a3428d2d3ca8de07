/* serial.c - parallel.h for a library without threads: the calling thread does all the work.
 * Compiled in place of parallel.c (cmake/device.cmake). */
#include "core/parallel.h"

sustain_status sustain_parallel_for(sustain_context *context, int64_t count, sustain_parallel_task task, void *user) {
    SUSTAIN_TRY(sustain__parallel_check(context, count, task));
    for (int64_t i = 0; i < count; i++) task(user, i);
    return SUSTAIN_OK;
}

void sustain__pool_destroy(sustain_context *context) {
    (void)context;
}

sustain_status sustain_context_set_threads(sustain_context *context, int threads) {
    if (threads == 1) return SUSTAIN_OK;
    return sustain__fail(context, SUSTAIN_ARGUMENT, "this library was built without threads: the number of threads must be 1 (it is %d)",
                         threads);
}
