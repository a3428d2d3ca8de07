/* sized.c - structures that begin with their size: filled with defaults, and read. */
#include "core/sized.h"

#include <string.h>

enum { LARGEST = 1 << 16 }; /* larger than any structure: the size was not initialized */

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

void sustain__sized_fill(void *out, size_t size, const void *defaults, size_t known) {
    if (out == NULL || size < sizeof size) return;
    memset(out, 0, size);
    memcpy(out, defaults, smaller(size, known));
    memcpy(out, &size, sizeof size);
}

sustain_status sustain__sized_take(sustain_context *context, const char *what, const void *given, size_t first, void *to, size_t known) {
    size_t size;
    if (given == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "%s are NULL", what);
    memcpy(&size, given, sizeof size);
    if (size == 0) size = first;
    if (size < sizeof size || size > LARGEST)
        return sustain__fail(context, SUSTAIN_ARGUMENT,
                             "%s have the size %zu, which cannot be: let the function with the defaults fill them", what, size);
    for (size_t i = known; i < size; i++)
        if (((const char *)given)[i] != 0)
            return sustain__fail(context, SUSTAIN_ARGUMENT, "%s set a field that this version of the library, %s, does not know", what,
                                 sustain_version());
    memcpy(to, given, smaller(size, known));
    memcpy(to, &known, sizeof known);
    return SUSTAIN_OK;
}
