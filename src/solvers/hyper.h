/* hyper.h - the two stochastic hypergradients as parts of a solver: their memory, and how they
 * draw. */
#ifndef SUSTAIN_SOLVERS_HYPER_H
#define SUSTAIN_SOLVERS_HYPER_H

#include "hypergrad/neumann.h"
#include "hypergrad/neumann_sum.h"
#include "solvers/solver_internal.h"

/* Eq. (7): one term of the series, picked at random. */
typedef struct sustain__truncated {
    sustain__neumann neumann;
    sustain_hyper_draw draw;
    sustain_batch *zeta; /* (K) */
    int64_t *index;      /* (K + 1, batch) */
} sustain__truncated;

void sustain__truncated_layout(sustain_solver *solver, sustain__truncated *h);

/* Draws xi-bar number t, and estimates Df(x, y; xi-bar) into out. */
sustain_status sustain__truncated_estimate(sustain_solver *solver, sustain__truncated *h, int64_t t, const sustain_real *x,
                                           const sustain_real *y, sustain_real *out);

/* The whole sum. */
typedef struct sustain__summed {
    sustain__neumann_sum sum;
    sustain__sum_draw draw;
    sustain_batch *factor; /* (Q) */
    int64_t *index;        /* (as many as layout was asked for) */
} sustain__summed;

/* The row of the sum's length; Q is kept where the schedule keeps K. */
#define SUSTAIN__SUM_ROW                                                                 \
    {                                                                                    \
        "Q", SUSTAIN_PARAMETER_INTEGER, SUSTAIN__COMMON(K), 0, 0, 100000, NULL,          \
            "Hessian products of the Neumann sum; 0: chosen by the schedule (power: 10)" \
    }

/* `indices`: samples of the largest draw in all: of xi, zeta and the factors. */
void sustain__summed_layout(sustain_solver *solver, sustain__summed *h, int64_t indices);

/* Draws number t: `size` samples for f and for the cross product, and for factor j = 0..Q-1 (0 is
 * applied first) factor_size[j], or `size` where that is NULL. `streams` is added to the number of
 * every stream: draws of different kinds differ in it. */
void sustain__summed_draw(sustain_solver *solver, sustain__summed *h, uint32_t streams, int64_t t, int64_t size,
                          const int64_t *factor_size);

#endif
