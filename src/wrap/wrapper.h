/* wrapper.h - a problem that wraps a problem: what the wrappers share. */
#ifndef SUSTAIN_WRAP_WRAPPER_H
#define SUSTAIN_WRAP_WRAPPER_H

#include "oracle/oracle_table.h"

/* A wrapper's structure begins with this one. */
typedef struct sustain__wrapper {
    sustain_problem problem; /* use this one; its `self` is the wrapper */
    sustain_problem_ops ops;
    sustain_problem_fast fast;
    const sustain_problem *inner;
} sustain__wrapper;

/* Forwards every oracle that the inner problem has. A wrapper then replaces those that it changes.
 * `out` and `inner` must not be moved while `out->problem` is used. */
void sustain__wrapper_init(sustain__wrapper *out, const sustain_problem *inner);

/* A wrapper's own function of the same name, where the inner problem has the oracle. */
#define SUSTAIN__WRAP(wrapper, table, oracle) \
    ((wrapper)->table.oracle = SUSTAIN__FIELD_##table((wrapper)->inner, oracle) != NULL ? oracle : NULL)

#endif
