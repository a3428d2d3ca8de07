/* context_internal.h - the fields of a context, and its two uses: set an error message, write to
 * the log. */
#ifndef SUSTAIN_CORE_CONTEXT_H
#define SUSTAIN_CORE_CONTEXT_H

#include <sustain/communicator.h>
#include <sustain/context.h>
#include <sustain/profile.h>

#include "core/prefetch.h"

#if defined(__GNUC__)
#define SUSTAIN__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SUSTAIN__PRINTF(text, first)
#endif

/* The only macro with control flow: passes a failure on. */
#define SUSTAIN_TRY(expression)                          \
    do {                                                 \
        const sustain_status try_status = (expression);  \
        if (try_status != SUSTAIN_OK) return try_status; \
    } while (0)

struct sustain_context {
    sustain_allocator allocator;
    void *allocator_user;
    sustain_log_sink log;
    void *log_user;
    sustain_cancel cancel; /* or NULL */
    void *cancel_user;
    int threads;                       /* at least 1 */
    struct sustain__pool *pool;        /* the threads beside the caller; NULL: none */
    sustain_communicator communicator; /* ranks is 1 where no other process shares the work */
    bool lost;                         /* an exchange did not end: what it should have brought is missing */
    char *share_buffer;                /* for what is exchanged */
    size_t share_size, *share_offset;  /* bytes of the buffer; (ranks + 1) where the part of each process begins */
    sustain_profile profile;           /* up to phase_begun, when `phase` was entered */
    sustain_phase phase;
    double phase_begun;
    size_t memory_used, memory_limit; /* bytes; limit 0: none */
    size_t memory_peak;               /* the most that memory_used was */
    uint64_t fingerprint;             /* of all files that were read, in their order */
    bool trust_mtime;                 /* of large files size and time of change are hashed, not the content */
    char identity[64];                /* of the run that states belong to; "": none */
    char error[512];
};

/* Sets the error text and returns the status, so that reporting an error is one line. With context
 * NULL there is no text, for threads that share a context. */
sustain_status sustain__fail(sustain_context *context, sustain_status status, const char *format, ...) SUSTAIN__PRINTF(3, 4);

/* Refuses a context, or an argument, of a public function that is NULL; the second also sets the
 * pointer at `place`, where the result goes, to NULL. */
sustain_status sustain__need(sustain_context *context, const void *pointer, const char *name);
sustain_status sustain__need_place(sustain_context *context, void *place, const char *name);

#ifdef __clang_analyzer__ /* it sees one file at a time, and not what these return */
#define sustain__fail(context, status, ...) (sustain__fail(context, status, __VA_ARGS__), (status))
#define sustain__need(context, pointer, name) ((context) != NULL && (pointer) != NULL ? SUSTAIN_OK : SUSTAIN_ARGUMENT)
#define sustain__need_place(context, place, name) ((context) != NULL && (place) != NULL ? (*(place) = NULL, SUSTAIN_OK) : SUSTAIN_ARGUMENT)
#endif

/* Calls the cancel hook: CANCELLED, with the sentence, or OK. For the thread that made the call,
 * never for threads of the pool. It costs a comparison without a hook and a call with one: loops
 * call it every thousand to million operations. */
sustain_status sustain__ask_cancel(sustain_context *context);
static inline sustain_status sustain__cancelled(sustain_context *context) {
    return context->cancel != NULL ? sustain__ask_cancel(context) : SUSTAIN_OK;
}

/* Rows that a loop over rows processes between two calls of the hook. */
enum { SUSTAIN__ASK_ROWS = 64 };

/* Sends one line to the log. */
void sustain__log(sustain_context *context, const char *format, ...) SUSTAIN__PRINTF(2, 3);

/* Zeroed memory, on the boundary of a cache line; on failure *out is NULL and the error text says
 * how much was asked for. size may be 0. */
sustain_status sustain__allocate(sustain_context *context, size_t size, void *out);

/* Counts memory that was not allocated here: copies in mapped pages. MEMORY: the limit does not
 * allow it. */
sustain_status sustain__count_memory(sustain_context *context, size_t size);

/* Frees; NULL is allowed. */
void sustain__free(sustain_context *context, void *pointer);

/* a * b, or SIZE_MAX where that overflows: an allocation of it then fails as it should. */
static inline size_t sustain__multiply(size_t a, size_t b) {
    return b != 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

/* The bytes of `count` things of `size` bytes, in whole cache lines; SIZE_MAX likewise. */
static inline size_t sustain__lines(int64_t count, size_t size) {
    const size_t bytes = sustain__multiply((size_t)count, size), line = SUSTAIN__LINE;
    return bytes > SIZE_MAX - line ? SIZE_MAX : (bytes + line - 1) / line * line;
}

/* A block of memory that is cut into arrays, each on the boundary of a cache line: measured first,
 * then assigned by the same calls. */
typedef struct sustain__carver {
    char *memory; /* NULL: measure, every array is NULL */
    size_t used;
} sustain__carver;

static inline void *sustain__carve(sustain__carver *c, int64_t count, size_t size) {
    const size_t bytes = sustain__lines(count, size);
    void *place = c->memory != NULL ? c->memory + c->used : NULL;
    c->used = bytes > SIZE_MAX - c->used ? SIZE_MAX : c->used + bytes;
    return place;
}

#endif
