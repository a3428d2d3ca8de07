/* saga.h - SAGA for one mean over samples: a table of the last contribution of each sample, and the
 * mean of the table.
 *
 *   S = phi_i(now) - phi_i(table) + mean over i' of phi_i'(table),      then phi_i(table) <- phi_i(now)
 *
 * Where the problem offers rows (problem_fast.h, TABLES), phi_i = rest + B_i row_i: a sample is
 * table_width numbers, and the rest, which all samples share, is evaluated at the current point.
 * Otherwise a row is the whole vector. Defazio, Bach, Lacoste-Julien 2014. */
#ifndef SUSTAIN_SOLVERS_SAGA_H
#define SUSTAIN_SOLVERS_SAGA_H

#include "solvers/directions.h"

typedef struct sustain__saga {
    sustain_quantity quantity;
    sustain_level level;
    int64_t dim;   /* of phi */
    int64_t count; /* samples of its level */
    int64_t width; /* numbers a sample; 0: phi is all rest */
    bool rows;     /* the problem's rows, else whole vectors */
    bool has_rest; /* the problem offers table_rest */
    const char *name[2];

    /* state */
    sustain_real *table; /* (count, width) */
    sustain_real *mean;  /* (dim) of B_i table_i */

    /* of one iteration */
    sustain_real *now, *change; /* (batch, width) */
    sustain_real *rest, *next;  /* (dim); next: the mean to come */
} sustain__saga;

/* Chooses the form of a row; whole: always whole vectors. `names` are those of table and mean in
 * the saved state. */
sustain__saga sustain__saga_plan(const sustain_problem *problem, sustain_quantity quantity, bool whole, const char *table,
                                 const char *mean);
/* Bytes of the table. */
double sustain__saga_bytes(const sustain__saga *saga);
void sustain__saga_layout(sustain_solver *solver, sustain__saga *saga);

/* Computes the rows of a draw at a point. grad_x f and grad_y f come from one oracle:
 * sustain__saga_evaluate_f does both, with fx (upper_dim) as scratch. */
sustain_status sustain__saga_evaluate(sustain_solver *solver, sustain__saga *saga, const sustain_batch *batch, sustain__triple at);
sustain_status sustain__saga_evaluate_f(sustain_solver *solver, sustain__saga *in_x, sustain__saga *in_y, const sustain_batch *batch,
                                        sustain__triple at, sustain_real *fx);

/* out <- S, from the rows of the last evaluation; repeated (batch): which samples occur earlier in
 * the draw, so that each changes the mean once. */
sustain_status sustain__saga_estimate(sustain_solver *solver, sustain__saga *saga, const sustain_batch *batch, const uint32_t *repeated,
                                      sustain_real *out);
/* Stores the rows of the last evaluation in the table, after an estimate. Cannot fail. */
void sustain__saga_keep(sustain__saga *saga, const sustain_batch *batch);

/* Resets the table to zeros, or adds the rows of the last evaluation to such a table, each sample
 * once. */
void sustain__saga_clear(sustain__saga *saga);
sustain_status sustain__saga_fill(sustain_solver *solver, sustain__saga *saga, const sustain_batch *batch);

/* repeated[j] <- whether sample j of a draw occurs earlier in it; seen (samples of the level) is
 * zeros, and is again. */
void sustain__find_repeats(const sustain_batch *batch, uint32_t *seen, uint32_t *repeated);

#endif
