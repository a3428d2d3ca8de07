/* sized.h - structures that callers fill and that grow from version to version. Each begins with
 * `size_t size`, its size as the caller was compiled: the library reads and writes no byte beyond
 * it, and fields beyond it keep their defaults.
 *
 * A size of 0, as in a structure that was only zeroed, stands for the fields of the first version
 * that had a size. */
#ifndef SUSTAIN_CORE_SIZED_H
#define SUSTAIN_CORE_SIZED_H

#include "core/context_internal.h"

/* The size of a structure up to and including a field: what a size of 0 stands for. */
#define SUSTAIN__SIZE_THROUGH(type, field) (offsetof(type, field) + sizeof(((type *)NULL)->field))

/* Writes the defaults (known) into a caller's structure (size): fields of a newer caller are 0.
 * Enters the size. */
void sustain__sized_fill(void *out, size_t size, const void *defaults, size_t known);

/* Copies what a caller gave over the defaults in `to` (known), whose size becomes `known`. Refused:
 * NULL, an impossible size, a field that this library does not know and that is not 0. `what` names
 * the structure in the sentence: "the options". */
sustain_status sustain__sized_take(sustain_context *context, const char *what, const void *given, size_t first, void *to, size_t known);

#endif
