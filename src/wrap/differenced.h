/* differenced.h - a problem that wraps a problem with gradients only and offers the Hessian and
 * the cross product as central differences of them, for estimates at the start. Algorithms that
 * need second derivatives use the problem's own. */
#ifndef SUSTAIN_WRAP_DIFFERENCED_H
#define SUSTAIN_WRAP_DIFFERENCED_H

#include "wrap/wrapper.h"

typedef struct sustain__differenced {
    sustain__wrapper wrapper; /* use its problem */
} sustain__differenced;

/* `inner` offers g_grad_x; `out` and `inner` must not be moved while its problem is used. */
void sustain__differenced_init(sustain__differenced *out, const sustain_problem *inner);

#endif
