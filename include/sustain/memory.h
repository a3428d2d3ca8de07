/** @file memory.h - how much memory a job will take, known before its long part begins.
 *
 *      sustain_memory memory = {.size = sizeof memory};
 *      sustain_clean_memory(clean, &memory);                   // or that of tune, select, meta, solver
 *      sustain_memory_check(context, &memory);                 // SUSTAIN_MEMORY_LIMIT, and a sentence with advice
 *
 *  The estimate is made from the sizes of the arrays that the job allocates. Mapped files do not
 *  count. */
#ifndef SUSTAIN_MEMORY_H
#define SUSTAIN_MEMORY_H

#include <sustain/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What memory is taken for: name, key, what it is, and how less of it would be needed. The last
 *  may end with the field of the options that says so. */
#define SUSTAIN_MEMORY_LIST(X)                                                                               \
    X(DATA, data, "the data that were read", "give fewer rows, or a file that can be mapped: NPY or packed") \
    X(ROWS, rows, "numbers kept for each row", "give fewer rows")                                            \
    X(TABLES, tables, "tables of rows and classes", "take fewer classes, or fit on fewer rows (fit_rows)")   \
    X(MODELS, models, "classifiers and the vectors that fit them", "take fewer features or classes")         \
    X(SOLVER, solver, "the vectors and draws of the solver", "take another solver, or a smaller batch")      \
    X(TASKS, tasks, "the pictures of the tasks at work", "take fewer threads, shots or queries")

typedef enum sustain_memory_part {
#define SUSTAIN_MEMORY_NAME(name, key, title, cure) SUSTAIN_MEMORY_##name,
    SUSTAIN_MEMORY_LIST(SUSTAIN_MEMORY_NAME)
#undef SUSTAIN_MEMORY_NAME
        SUSTAIN_MEMORY_COUNT
} sustain_memory_part;

/** An estimate. */
typedef struct sustain_memory {
    size_t size;                       /**< sizeof(sustain_memory), as the caller was compiled */
    double bytes;                      /**< of all objects of the context together, when they are most */
    double part[SUSTAIN_MEMORY_COUNT]; /**< of them */
} sustain_memory;

/** "data" and so on; "" for a number out of range. */
const char *sustain_memory_key(sustain_memory_part part);

/** Refuses with SUSTAIN_MEMORY_LIMIT what is beyond the limit of the context
 *  (sustain_context_set_memory_limit()); the sentence names the largest part, and what would help.
 */
sustain_status sustain_memory_check(sustain_context *context, const sustain_memory *memory);

#ifdef __cplusplus
}
#endif
#endif
