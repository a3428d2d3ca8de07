/* share.h - tasks that the processes of a run share (communicator.h). */
#ifndef SUSTAIN_CORE_SHARE_H
#define SUSTAIN_CORE_SHARE_H

#include "core/cancel.h"

/* The memory that task `number` writes and that other processes need: its output number `which`,
 * counted from 0. NULL: it has no more. Sizes must be the same in all processes. */
typedef void *(*sustain__output)(void *user, int64_t number, int which, size_t *bytes);

/* As sustain_parallel_for(), but each process does a part of the tasks, the same one for the same
 * count; afterwards the outputs of all tasks are the same everywhere. A task must not depend on
 * memory that another task wrote, unless it is an output. CANCELLED: outputs are not complete. */
sustain_status sustain__share(sustain_context *context, int64_t count, sustain_parallel_task task, void *user, sustain__output output);

/* Likewise, as sustain__parallel_until(). CANCELLED: also, some tasks were not done. */
sustain_status sustain__share_until(sustain_context *context, int64_t count, sustain_parallel_task task, void *user,
                                    sustain__output output);

/* The tasks of this process: begin .. end - 1 of count. */
typedef struct sustain__range {
    int64_t begin, end;
} sustain__range;
sustain__range sustain__share_range(const sustain_context *context, int64_t count);

/* Exchanges the outputs alone: for tasks that were run in another way. */
sustain_status sustain__share_outputs(sustain_context *context, int64_t count, void *user, sustain__output output);

#endif
