/* share.c - see share.h. */
#include "core/share.h"

#include <string.h>

#include "core/clock.h"

enum { MOST_RANKS = 4096 };

sustain_status sustain_context_set_communicator(sustain_context *context, const sustain_communicator *communicator) {
    if (context == NULL) return SUSTAIN_ARGUMENT;
    context->communicator = (sustain_communicator){.ranks = 1};
    sustain__free(context, context->share_offset);
    context->share_offset = NULL;
    if (communicator == NULL) return SUSTAIN_OK;
    if (communicator->size < sizeof *communicator || communicator->exchange == NULL)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the communicator's size is not set, or it has no function `exchange`");
    if (communicator->ranks < 1 || communicator->ranks > MOST_RANKS || communicator->rank < 0 || communicator->rank >= communicator->ranks)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "process %d of %d: at most %d processes, numbered from 0, are possible",
                             communicator->rank, communicator->ranks, MOST_RANKS);
    SUSTAIN_TRY(sustain__allocate(context, ((size_t)communicator->ranks + 1) * sizeof *context->share_offset, &context->share_offset));
    context->communicator = *communicator;
    return SUSTAIN_OK;
}

static sustain__range range_of(int rank, int ranks, int64_t count) {
    const int64_t each = count / ranks, more = count % ranks; /* the first `more` processes have one task more */
    const int64_t begin = rank * each + (rank < more ? rank : more);
    return (sustain__range){begin, begin + each + (rank < more ? 1 : 0)};
}

sustain__range sustain__share_range(const sustain_context *context, int64_t count) {
    const sustain_communicator *c = &context->communicator;
    return c->ranks > 1 ? range_of(c->rank, c->ranks, count) : (sustain__range){0, count};
}

/* ---- outputs ---- */

typedef enum direction { MEASURE, PACK, UNPACK } direction;

/* Copies the outputs of some tasks to or from a buffer; returns their bytes. */
static size_t copy(sustain__range tasks, void *user, sustain__output output, direction way, char *buffer) {
    size_t at = 0, bytes;
    for (int64_t i = tasks.begin; i < tasks.end; i++) {
        void *place;
        for (int which = 0; (place = output(user, i, which, &bytes)) != NULL; at += bytes, which++) {
            if (way == PACK) memcpy(buffer + at, place, bytes);
            if (way == UNPACK) memcpy(place, buffer + at, bytes);
        }
    }
    return at;
}

static int always(void *user) {
    (void)user;
    return 1;
}

/* Another process was lost, or the hook said stop: nothing can be shared any more. */
static sustain_status lose(sustain_context *context) {
    context->lost = true;
    SUSTAIN_TRY(sustain__cancelled(context));
    context->cancel = always;
    return sustain__fail(context, SUSTAIN_CANCELLED, "the connection to another process of this run was lost");
}

/* Enough memory for what is exchanged; it is kept for the next time. */
static sustain_status reserve(sustain_context *context, size_t bytes) {
    if (bytes <= context->share_size) return SUSTAIN_OK;
    sustain__free(context, context->share_buffer);
    context->share_size = 0;
    SUSTAIN_TRY(sustain__allocate(context, bytes, &context->share_buffer));
    context->share_size = bytes;
    return SUSTAIN_OK;
}

sustain_status sustain__share_outputs(sustain_context *context, int64_t count, void *user, sustain__output output) {
    const sustain_communicator *c = &context->communicator;
    if (c->ranks <= 1) return SUSTAIN_OK;
    if (context->lost) return SUSTAIN_CANCELLED;
    size_t *offset = context->share_offset;
    for (int r = 0; r < c->ranks; r++) offset[r + 1] = offset[r] + copy(range_of(r, c->ranks, count), user, output, MEASURE, NULL);
    SUSTAIN_TRY(reserve(context, offset[c->ranks]));
    char *buffer = context->share_buffer;
    copy(range_of(c->rank, c->ranks, count), user, output, PACK, buffer + offset[c->rank]);
    const double begun = sustain__clock();
    if (c->exchange(c->self, buffer, offset, context->cancel, context->cancel_user) != 0) return lose(context);
    const size_t own = offset[c->rank + 1] - offset[c->rank];
    context->profile.exchange_seconds += sustain__clock() - begun;
    context->profile.exchanges++;
    context->profile.bytes_sent += (int64_t)own;
    context->profile.bytes_received += (int64_t)(offset[c->ranks] - own);
    for (int r = 0; r < c->ranks; r++)
        if (r != c->rank) copy(range_of(r, c->ranks, count), user, output, UNPACK, buffer + offset[r]);
    return SUSTAIN_OK;
}

/* ---- tasks ---- */

typedef struct some_tasks {
    sustain_parallel_task task;
    void *user;
    int64_t first;
} some_tasks;

static void one(void *user, int64_t number) {
    const some_tasks *s = user;
    s->task(s->user, s->first + number);
}

typedef sustain_status run_all(sustain_context *context, int64_t count, sustain_parallel_task task, void *user);

static sustain_status share(sustain_context *context, int64_t count, run_all *run, some_tasks s, sustain__output output) {
    const sustain__range own = sustain__share_range(context, count);
    s.first = own.begin;
    SUSTAIN_TRY(run(context, own.end - own.begin, one, &s));
    return sustain__share_outputs(context, count, s.user, output);
}

sustain_status sustain__share(sustain_context *context, int64_t count, sustain_parallel_task task, void *user, sustain__output output) {
    return share(context, count, sustain_parallel_for, (some_tasks){task, user, 0}, output);
}

sustain_status sustain__share_until(sustain_context *context, int64_t count, sustain_parallel_task task, void *user,
                                    sustain__output output) {
    return share(context, count, sustain__parallel_until, (some_tasks){task, user, 0}, output);
}
