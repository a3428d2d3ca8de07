/* wrapper.h - a problem that wraps a problem: what the wrappers share. */
#ifndef SUSTAIN_WRAP_WRAPPER_H
#define SUSTAIN_WRAP_WRAPPER_H

#include <sustain/problem.h>

/* A wrapper's structure begins with this one. */
typedef struct sustain__wrapper {
    sustain_problem problem; /* use this one; its `self` is the wrapper */
    sustain_problem_ops ops;
    const sustain_problem *inner;
} sustain__wrapper;

/* Values, gradients and what is only looked up are passed on, where the inner problem has them. Products, matrices and fast paths, which no wrapper
 * leaves as they are, are not: a wrapper adds its own, as it replaces others. `out` and `inner` must stay where they are while `out->problem` is used. */
void sustain__wrapper_init(sustain__wrapper *out, const sustain_problem *inner);

/* A wrapper's own function of the same name, where the inner problem has the oracle. */
#define SUSTAIN__WRAP(wrapper, oracle) ((wrapper)->ops.oracle = (wrapper)->inner->ops->oracle != NULL ? oracle : NULL)

#endif
