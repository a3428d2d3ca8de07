/* counted.h - a problem that wraps a problem and counts the calls, by the rules of
 * docs/design.md. */
#ifndef SUSTAIN_WRAP_COUNTED_H
#define SUSTAIN_WRAP_COUNTED_H

#include <sustain/solver.h>

#include "wrap/wrapper.h"

typedef struct sustain__counted {
    sustain__wrapper wrapper; /* use its problem */
    sustain_counts *counts;
} sustain__counted;

/* `out`, `inner` and `counts` must not be moved while its problem is used. */
void sustain__counted_init(sustain__counted *out, const sustain_problem *inner, sustain_counts *counts);

#endif
