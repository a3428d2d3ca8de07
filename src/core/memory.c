/* memory.c - see sustain/memory.h. */
#include "core/memory_internal.h"

#include "core/context_internal.h"
#include "core/sized.h"

const char *sustain_memory_key(sustain_memory_part part) {
    static const char *const keys[] = {
#define KEY(name, key, title, cure) #key,
        SUSTAIN_MEMORY_LIST(KEY)
#undef KEY
    };
    return (unsigned)part < SUSTAIN_MEMORY_COUNT ? keys[part] : "";
}

static double sum_of(const sustain_memory *m) {
    double sum = 0;
    for (int i = 0; i < SUSTAIN_MEMORY_COUNT; i++) sum += m->part[i];
    return sum;
}

void sustain__memory_add(sustain_memory *to, const sustain_memory *more) {
    for (int i = 0; i < SUSTAIN_MEMORY_COUNT; i++) to->part[i] += more->part[i];
}

sustain_memory sustain__memory_larger(const sustain_memory *a, const sustain_memory *b) {
    return sum_of(a) > sum_of(b) ? *a : *b;
}

sustain_status sustain__memory_give(sustain_context *context, const sustain_memory *estimate, sustain_memory *out) {
    sustain_memory whole = *estimate;
    SUSTAIN_TRY(sustain__need(context, out, "memory"));
    if (out->size < sizeof *out)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "memory->size is %zu: set it to sizeof(sustain_memory)", out->size);
    whole.bytes = sum_of(&whole);
    sustain__sized_fill(out, out->size, &whole, sizeof whole);
    return SUSTAIN_OK;
}

sustain_status sustain_memory_check(sustain_context *context, const sustain_memory *memory) {
    static const char *const titles[] = {
#define TITLE(name, key, title, cure) title,
        SUSTAIN_MEMORY_LIST(TITLE)
#undef TITLE
    };
    static const char *const cures[] = {
#define CURE(name, key, title, cure) cure,
        SUSTAIN_MEMORY_LIST(CURE)
#undef CURE
    };
    const double giga = 1e9;
    int largest = 0;
    SUSTAIN_TRY(sustain__need(context, memory, "memory"));
    const double limit = (double)context->memory_limit;
    if (!(limit > 0) || memory->bytes <= limit) return SUSTAIN_OK;
    for (int i = 1; i < SUSTAIN_MEMORY_COUNT; i++)
        if (memory->part[i] > memory->part[largest]) largest = i;
    return sustain__fail(context, SUSTAIN_MEMORY_LIMIT,
                         "about %.3g GB of memory are needed, %.3g GB of them for %s, and %.3g GB are allowed: %s", memory->bytes / giga,
                         memory->part[largest] / giga, titles[largest], limit / giga, cures[largest]);
}
