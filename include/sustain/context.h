/** @file context.h - what all objects of one thread share: an allocator, a log, the text of the
 *  last error.
 *
 *  The library has no global state. Two threads that use two contexts need no lock, even on one
 *  problem. */
#ifndef SUSTAIN_CONTEXT_H
#define SUSTAIN_CONTEXT_H

#include <sustain/status.h>
#include <sustain/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The one allocator function, in the manner of realloc: (NULL, n) allocates, (p, 0) frees and
 *  returns NULL. */
typedef void *(*sustain_allocator)(void *user, void *pointer, size_t size);

/** Receives one line of log, without a newline. The library itself never prints. */
typedef void (*sustain_log_sink)(void *user, const char *line);

/** Returns whether to stop: any value but 0 means yes. */
typedef int (*sustain_cancel)(void *user);

/** Shared by the objects made with it; destroy it after them. */
typedef struct sustain_context sustain_context;

/** What sustain_context_create() calls; it refuses a program compiled for the other precision or a
 *  newer version. */
sustain_status sustain_context_create_for(size_t size_of_real, int header_version, sustain_allocator allocator, void *user,
                                          sustain_context **out);

/** Makes a context that uses malloc. *out is NULL on failure. */
static inline sustain_status sustain_context_create(sustain_context **out) {
    return sustain_context_create_for(sizeof(sustain_real), SUSTAIN_VERSION_NUMBER, NULL, NULL, out);
}

/** Makes a context with your own allocator; `user` is passed to it and must outlive the context. */
static inline sustain_status sustain_context_create_with(sustain_allocator allocator, void *user, sustain_context **out) {
    return sustain_context_create_for(sizeof(sustain_real), SUSTAIN_VERSION_NUMBER, allocator, user, out);
}

/** Frees the context. NULL is allowed. */
void sustain_context_destroy(sustain_context *context);

/** Sets the receiver of the log; NULL, the default, drops it. `user` is passed to it. */
void sustain_context_set_log(sustain_context *context, sustain_log_sink sink, void *user);

/** Sets a hook that can cancel any long call of the library. It is called at least every 0.1 s
 *  (unless a single call of your oracles takes longer) and often more than a thousand times a
 *  second, so it should only read a flag and return. Only the thread that made the call calls it.
 *  When it returns yes, the call frees its memory and returns SUSTAIN_CANCELLED. Objects stay
 *  usable: sustain_solver_run() continues a cancelled run with the same results as an uninterrupted
 *  one. NULL, the default: no hook. `user` is passed to the hook. */
void sustain_context_set_cancel(sustain_context *context, sustain_cancel cancel, void *user);

/** A ready-made hook: `user` points to an int, and the call is cancelled when that is not 0. A
 *  signal handler or another thread may set it. NULL: never. */
int sustain_cancel_flag(void *user);

/** Sets how many threads the problems made with this context may use in one call; at least 1, the
 *  default. Results do not depend on it. Problems use them where a draw is large enough. */
sustain_status sustain_context_set_threads(sustain_context *context, int threads);

/** The number that was set. */
int sustain_context_threads(const sustain_context *context);

/** The most memory, in bytes, that the objects of this context may use together; 0, the default: no
 *  limit. An allocation beyond it is refused with SUSTAIN_MEMORY_LIMIT. Mapped files do not
 *  count. */
void sustain_context_set_memory_limit(sustain_context *context, size_t bytes);

/** What they hold now, in bytes. */
size_t sustain_context_memory(const sustain_context *context);

/** The hash used for fingerprints and checksums: XXH64. Fast, the same on every machine, not
 *  cryptographic. */
uint64_t sustain_hash(const void *bytes, size_t length, uint64_t seed);

/** A hash of the content of all files read with this context so far, in the order of reading; their
 *  names do not matter. It tells whether data changed. 0 before the first. */
uint64_t sustain_context_fingerprint(const sustain_context *context);

/** Whether files that are mapped (1 MB and more) enter the fingerprint by size and time of change
 *  instead of their content: nothing is read for it, but a copy of a file counts as another. Off by
 *  default. Set it before the first file is read. */
void sustain_context_set_trust_mtime(sustain_context *context, bool trust);

/** Names the run that saved states belong to, at most 63 bytes, for example a hash of its data and
 *  options; NULL or "": none. It is written into every state that is saved; a state with another
 *  identity is refused. */
void sustain_context_set_identity(sustain_context *context, const char *identity);

/** One of several independent tasks. */
typedef void (*sustain_parallel_task)(void *user, int64_t number);

/** Calls task(user, number) for 0 <= number < count, each once, in any order, on the threads of the
 *  context; returns when all are done. The calling thread takes part; it does all the work where
 *  the context has one thread or its threads are busy with another call. The result of a task must
 *  not depend on the thread that runs it. Tasks that can fail need a context of their own: two
 *  threads must not share one. */
sustain_status sustain_parallel_for(sustain_context *context, int64_t count, sustain_parallel_task task, void *user);

/** The detail of the last failure in this context: one sentence, "" if none. Valid until the next
 *  call that fails. */
const char *sustain_error(const sustain_context *context);

#ifdef __cplusplus
}
#endif
#endif
