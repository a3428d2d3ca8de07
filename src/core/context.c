/* context.c - status texts, the context, version. */
#include "core/context_internal.h"
#include "core/pages.h"
#include "core/parallel.h"
#include "core/prefetch.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/version.h>

/* New memory is 0: pages that the system gives are so already, and are not touched here. */
static void *default_allocator(void *user, void *pointer, size_t size) {
    (void)user;
    if (size != 0) return pointer == NULL ? calloc(1, size) : realloc(pointer, size);
    free(pointer);
    return NULL;
}

sustain_status sustain_context_create_for(size_t size_of_real, int header_version, sustain_allocator allocator, void *user,
                                          sustain_context **out) {
    if (out == NULL) return SUSTAIN_ARGUMENT;
    *out = NULL;
    if (size_of_real != sizeof(sustain_real)) return SUSTAIN_PRECISION;
    if (header_version / 100 != SUSTAIN_VERSION_NUMBER / 100)
        return SUSTAIN_VERSION; /* before 1.0 structures may change with each minor one */
    if (allocator == NULL) allocator = default_allocator;
    sustain_context *context = allocator(user, NULL, sizeof *context);
    if (context == NULL) return SUSTAIN_MEMORY;
    *context = (sustain_context){.allocator = allocator, .allocator_user = user, .threads = 1, .communicator = {.ranks = 1}};
    *out = context;
    return SUSTAIN_OK;
}

void sustain_context_destroy(sustain_context *context) {
    if (context == NULL) return;
    sustain__pool_destroy(context);
    sustain__free(context, context->share_buffer);
    sustain__free(context, context->share_offset);
    context->allocator(context->allocator_user, context, 0);
}

void sustain_context_set_log(sustain_context *context, sustain_log_sink sink, void *user) {
    if (context == NULL) return;
    context->log = sink;
    context->log_user = user;
}

void sustain_context_set_cancel(sustain_context *context, sustain_cancel cancel, void *user) {
    if (context == NULL) return;
    context->cancel = cancel;
    context->cancel_user = user;
}

int sustain_cancel_flag(void *user) {
    return user != NULL ? atomic_load_explicit((const atomic_int *)user, memory_order_relaxed) : 0;
}

sustain_status sustain__ask_cancel(sustain_context *context) {
    if (context->cancel(context->cancel_user) == 0) return SUSTAIN_OK;
    return sustain__fail(context, SUSTAIN_CANCELLED, "%s", sustain_status_text(SUSTAIN_CANCELLED));
}

int sustain_context_threads(const sustain_context *context) {
    return context != NULL ? context->threads : 0;
}

sustain_status sustain__parallel_check(sustain_context *context, int64_t count, sustain_parallel_task task) {
    if (context == NULL) return SUSTAIN_ARGUMENT;
    if (task == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "the task is NULL");
    if (count < 0) return sustain__fail(context, SUSTAIN_ARGUMENT, "the number of tasks is negative (%lld)", (long long)count);
    return SUSTAIN_OK;
}

const char *sustain_error(const sustain_context *context) {
    return context == NULL ? "" : context->error;
}

sustain_status(sustain__fail)(sustain_context *context, sustain_status status, const char *format, ...) {
    if (context == NULL) return status; /* there is no place for the sentence */
    /* Through a buffer of its own: an argument may be the old error text. */
    char text[sizeof context->error];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(context->error, text, sizeof text);
    return status;
}

sustain_status(sustain__need)(sustain_context *context, const void *pointer, const char *name) {
    if (context == NULL) return SUSTAIN_ARGUMENT;
    return pointer != NULL ? SUSTAIN_OK : sustain__fail(context, SUSTAIN_ARGUMENT, "the argument `%s` is NULL", name);
}

sustain_status(sustain__need_place)(sustain_context *context, void *place, const char *name) {
    const void *nothing = NULL;
    if (place != NULL) memcpy(place, &nothing, sizeof nothing);
    return (sustain__need)(context, place, name); /* the function, also where a macro stands for it */
}

void sustain__log(sustain_context *context, const char *format, ...) {
    if (context->log == NULL) return;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    context->log(context->log_user, line);
}

/* The 16 bytes before an aligned block hold its size and, in the last one, its offset from the
 * allocation. */
enum { BEFORE = 16 };

static sustain_status beyond_limit(sustain_context *context, size_t size) {
    const double giga = 1e9;
    return sustain__fail(context, SUSTAIN_MEMORY_LIMIT,
                         "out of memory: %.3g GB more are needed, %.3g GB are in use, and %.3g GB are allowed: give less data, or take "
                         "smaller batches or fewer threads",
                         (double)size / giga, (double)context->memory_used / giga, (double)context->memory_limit / giga);
}

static sustain_status within_limit(sustain_context *context, size_t size) {
    const size_t limit = context->memory_limit;
    return limit > 0 && (context->memory_used > limit || size > limit - context->memory_used) ? beyond_limit(context, size) : SUSTAIN_OK;
}

static void add_memory(sustain_context *context, size_t size) {
    context->memory_used += size;
    if (context->memory_used > context->memory_peak) context->memory_peak = context->memory_used;
}

sustain_status sustain__count_memory(sustain_context *context, size_t size) {
    SUSTAIN_TRY(within_limit(context, size));
    add_memory(context, size);
    return SUSTAIN_OK;
}

sustain_status sustain__allocate(sustain_context *context, size_t size, void *out) {
    const size_t line = SUSTAIN__LINE;
    char *memory = NULL;
    memcpy(out, &memory, sizeof memory);
    SUSTAIN_TRY(within_limit(context, size));
    if (size <= SIZE_MAX - line - BEFORE) memory = context->allocator(context->allocator_user, NULL, size + line + BEFORE);
    if (memory == NULL) return sustain__fail(context, SUSTAIN_MEMORY, "out of memory: %zu bytes were asked for", size);
    const size_t up = line - ((uintptr_t)memory + BEFORE) % line + BEFORE;
    memory += up;
    memcpy(memory - BEFORE, &size, sizeof size);
    memory[-1] = (char)up;
    if (context->allocator == default_allocator)
        sustain__pages_large(memory, size);
    else
        memset(memory, 0, size);
    add_memory(context, size);
    memcpy(out, &memory, sizeof memory);
    return SUSTAIN_OK;
}

void sustain__free(sustain_context *context, void *pointer) {
    if (pointer == NULL) return;
    char *memory = pointer;
    size_t size;
    memcpy(&size, memory - BEFORE, sizeof size);
    context->memory_used -= size;
    context->allocator(context->allocator_user, memory - memory[-1], 0);
}

size_t sustain_context_memory(const sustain_context *context) {
    return context != NULL ? context->memory_used : 0;
}

void sustain_context_set_memory_limit(sustain_context *context, size_t bytes) {
    if (context != NULL) context->memory_limit = bytes;
}

uint64_t sustain_context_fingerprint(const sustain_context *context) {
    return context != NULL ? context->fingerprint : 0;
}

void sustain_context_set_trust_mtime(sustain_context *context, bool trust) {
    if (context != NULL) context->trust_mtime = trust;
}

void sustain_context_set_identity(sustain_context *context, const char *identity) {
    if (context != NULL) snprintf(context->identity, sizeof context->identity, "%s", identity != NULL ? identity : "");
}

const char *sustain_status_name(sustain_status status) {
    static const char *const names[] = {
#define NAME(name, text) #name,
        SUSTAIN_STATUS_LIST(NAME)
#undef NAME
    };
    return (unsigned)status < SUSTAIN_STATUS_COUNT ? names[status] : "UNKNOWN";
}

const char *sustain_status_text(sustain_status status) {
    static const char *const texts[] = {
#define TEXT(name, text) text,
        SUSTAIN_STATUS_LIST(TEXT)
#undef TEXT
    };
    return (unsigned)status < SUSTAIN_STATUS_COUNT ? texts[status] : "unknown status";
}

#define STRING(x) #x
#define VERSION_STRING(a, b, c) STRING(a) "." STRING(b) "." STRING(c)

const char *sustain_version(void) {
    return VERSION_STRING(SUSTAIN_VERSION_MAJOR, SUSTAIN_VERSION_MINOR, SUSTAIN_VERSION_PATCH);
}

int sustain_version_number(void) {
    return SUSTAIN_VERSION_NUMBER;
}

const char *sustain_precision(void) {
    return sizeof(sustain_real) == sizeof(double) ? "double" : "float";
}
