/* differenced.h - a problem that wraps a problem with gradients alone and offers the Hessian and the cross product as central
 * differences of them, for estimates at the start: an algorithm that needs them asks for the true ones. */
#ifndef SUSTAIN_WRAP_DIFFERENCED_H
#define SUSTAIN_WRAP_DIFFERENCED_H

#include <sustain/problem.h>

typedef struct sustain__differenced {
    sustain_problem problem; /* use this one */
    sustain_problem_ops ops;
    const sustain_problem *inner;
} sustain__differenced;

/* `inner` offers g_grad_x; `out` and `inner` must stay where they are while `out->problem` is used. */
void sustain__differenced_init(sustain__differenced *out, const sustain_problem *inner);

#endif
