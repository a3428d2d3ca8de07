/* checked.h - a problem that wraps a problem and refuses values that are not finite: the error
 * names the oracle, the iteration and the coordinate. */
#ifndef SUSTAIN_WRAP_CHECKED_H
#define SUSTAIN_WRAP_CHECKED_H

#include "core/context_internal.h"
#include "wrap/wrapper.h"

typedef struct sustain__checked {
    sustain__wrapper wrapper; /* use its problem */
    sustain_context *context;
} sustain__checked;

/* `out` and `inner` must not be moved while its problem is used. */
void sustain__checked_init(sustain__checked *out, const sustain_problem *inner, sustain_context *context);

#endif
