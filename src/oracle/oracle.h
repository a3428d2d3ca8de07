/* oracle.h - the one way in which estimators and solvers call a problem: defaults for what it leaves out, its return codes
 * as a status with a sentence, compact outputs made dense where that is wanted. */
#ifndef SUSTAIN_ORACLE_ORACLE_H
#define SUSTAIN_ORACLE_ORACLE_H

#include <limits.h>

#include <sustain/needs.h>

#include "core/context_internal.h"
#include "oracle/oracle_table.h"

/* Larger dimensions and draws are refused: sizes computed from them cannot overflow. */
#define SUSTAIN__MOST_COORDINATES ((int64_t)1 << 40)
#define SUSTAIN__MOST_SAMPLES ((int64_t)1 << 30)

/* The code by which the `checked` wrapper says that the error text is set. */
#define SUSTAIN__CODE_NOT_FINITE INT_MIN

typedef struct sustain__oracle {
    sustain_context *context;
    const sustain_problem *problem;
    bool compact;         /* outputs in x-space as the problem writes them; else dense */
    void *work;           /* the problem's */
    sustain_real *unit;   /* (lower_dim) for matrices by unit vectors */
    sustain_real *values; /* compact outputs on their way to dense ones, two points */
    int64_t *coordinates; /* and where they go */
    sustain_real *column; /* (upper_dim) for the cross block by unit vectors: lent by who must not allocate, or NULL */
    int64_t room;         /* of each point in `values` */
    void *memory;
} sustain__oracle;

/* Refuses a problem whose table or numbers make no sense. */
sustain_status sustain__problem_validate(sustain_context *context, const sustain_problem *problem);

/* Whether batch NULL is understood: a finite sum always does. */
bool sustain__has_expectation(const sustain_problem *problem);

/* Prepares for batches of up to max_batch samples. Destroy takes half-built ones. */
sustain_status sustain__oracle_create(sustain_context *context, const sustain_problem *problem, int64_t max_batch, bool compact,
                                      sustain__oracle *out);
void sustain__oracle_destroy(sustain__oracle *oracle);

/* How many coordinates of x a draw touches, listed in `coordinate`; only for problems with support. */
int64_t sustain__support(const sustain__oracle *oracle, sustain_level level, const sustain_batch *batch, int64_t *coordinate);

/* The oracles of problem.h and problem_fast.h, sustain__f_value(o, xi, x, y, &value) and so on; optional ones only where they are there,
 * but for these:
 *   g_hess, g_cross  by products with unit vectors; the latter allocates a column for the call, unless one was lent
 *   g_grad_y_pair    by two gradients; x_prev NULL: at the first point only
 *   f_grad, g_grad_x, g_cross_vec, hyper_pair  outputs in x-space are dense, unless `compact` is set */
#define SUSTAIN__DECLARE(table, name, draw, parameters, arguments, counts, checks) \
    sustain_status sustain__##name(sustain__oracle *o, SUSTAIN__UNPACK parameters);
SUSTAIN__ORACLES(SUSTAIN__DECLARE)
#undef SUSTAIN__DECLARE

/* Puts x back into its feasible set; nothing where x is free. */
sustain_status sustain__project_x(sustain__oracle *o, sustain_real *x);

/* Whether the problem has its own way for a whole iteration, in the form in which this oracle gives outputs in x-space. */
bool sustain__has_momentum_step(const sustain__oracle *o);

/* Tells the problem of a draw to come; only where `prefetch` is there. */
void sustain__prefetch(const sustain__oracle *o, sustain_level level, const sustain_batch *batch);

#endif
