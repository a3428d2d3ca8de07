/* memory_internal.h - estimates of memory, inside: see sustain/memory.h. */
#ifndef SUSTAIN_CORE_MEMORY_INTERNAL_H
#define SUSTAIN_CORE_MEMORY_INTERNAL_H

#include <sustain/memory.h>

/* Puts the estimate, with its sum, into the caller's structure. */
sustain_status sustain__memory_give(sustain_context *context, const sustain_memory *estimate, sustain_memory *out);

/* Adds all parts of `more`. */
void sustain__memory_add(sustain_memory *to, const sustain_memory *more);

/* The larger one of two that do not come at the same time. */
sustain_memory sustain__memory_larger(const sustain_memory *a, const sustain_memory *b);

#endif
