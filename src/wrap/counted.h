/* counted.h - a problem that wraps a problem and counts what is asked of it, by the rules of docs/design.md. */
#ifndef SUSTAIN_WRAP_COUNTED_H
#define SUSTAIN_WRAP_COUNTED_H

#include <sustain/problem.h>
#include <sustain/solver.h>

typedef struct sustain__counted {
    sustain_problem problem; /* use this one */
    sustain_problem_ops ops;
    const sustain_problem *inner;
    sustain_counts *counts;
} sustain__counted;

/* `out`, `inner` and `counts` must stay where they are while `out->problem` is used. */
void sustain__counted_init(sustain__counted *out, const sustain_problem *inner, sustain_counts *counts);

#endif
