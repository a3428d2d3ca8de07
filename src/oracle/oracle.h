/* oracle.h - how estimators and solvers call a problem: defaults for missing functions, return
 * codes turned into a status with a message, compact outputs expanded to dense ones on request. */
#ifndef SUSTAIN_ORACLE_ORACLE_H
#define SUSTAIN_ORACLE_ORACLE_H

#include <limits.h>

#include <sustain/needs.h>

#include "core/context_internal.h"
#include "oracle/oracle_table.h"

/* Larger dimensions and draws are refused: sizes computed from them cannot overflow. */
#define SUSTAIN__MOST_COORDINATES ((int64_t)1 << 40)
#define SUSTAIN__MOST_SAMPLES ((int64_t)1 << 30)

/* The code by which the `checked` wrapper reports that the error text is set. */
#define SUSTAIN__CODE_NOT_FINITE INT_MIN

typedef struct sustain__oracle {
    sustain_context *context;
    const sustain_problem *problem;
    bool compact;         /* outputs in x-space as the problem writes them; else dense */
    void *work;           /* the problem's */
    sustain_real *unit;   /* (lower_dim) for matrices by unit vectors */
    sustain_real *values; /* compact outputs before they are made dense, two points */
    int64_t *coordinates; /* and where they go */
    /* (upper_dim) for the cross block by unit vectors: from a caller that must not allocate, or
     * NULL */
    sustain_real *column;
    int64_t room; /* of each point in `values` */
    void *memory;
} sustain__oracle;

/* Refuses a problem with an invalid table or invalid numbers. */
sustain_status sustain__problem_validate(sustain_context *context, const sustain_problem *problem);

/* Whether batch NULL is supported; a finite sum always supports it. */
bool sustain__has_expectation(const sustain_problem *problem);

/* What sustain__oracle_create() will allocate. */
size_t sustain__oracle_bytes(const sustain_problem *problem, int64_t max_batch, bool compact);

/* Prepares for batches of up to max_batch samples. Destroy takes half-built ones. */
sustain_status sustain__oracle_create(sustain_context *context, const sustain_problem *problem, int64_t max_batch, bool compact,
                                      sustain__oracle *out);
void sustain__oracle_destroy(sustain__oracle *oracle);

/* How many coordinates of x a draw touches, listed in `coordinate`; only for problems with
 * support. */
int64_t sustain__support(const sustain__oracle *oracle, sustain_level level, const sustain_batch *batch, int64_t *coordinate);

/* The oracles of problem.h and problem_fast.h, sustain__f_value(o, xi, x, y, &value) and so on;
 * optional ones only where they are there, but for these:
 *   g_hess, g_cross  by products with unit vectors; g_cross allocates a column, unless one is lent
 *   g_grad_y_pair    by two gradients; x_prev NULL: at the first point only
 *   f_grad, g_grad_x, g_cross_vec, hyper_pair  outputs in x-space are dense, unless `compact` is set */
#define SUSTAIN__DECLARE(table, name, draw, parameters, arguments, counts, checks) \
    sustain_status sustain__##name(sustain__oracle *o, SUSTAIN__UNPACK parameters);
SUSTAIN__ORACLES(SUSTAIN__DECLARE)
#undef SUSTAIN__DECLARE

/* Projects x onto its feasible set; does nothing where x is unconstrained. */
sustain_status sustain__project_x(sustain__oracle *o, sustain_real *x);
/* Likewise y. */
sustain_status sustain__project_y(sustain__oracle *o, sustain_real *y);

/* Whether the problem offers momentum_step in the form (compact or dense) that this oracle uses for
 * outputs in x-space. */
bool sustain__has_momentum_step(const sustain__oracle *o);

/* Announces a draw to the problem; only where it offers `prefetch`. */
void sustain__prefetch(const sustain__oracle *o, sustain_level level, const sustain_batch *batch);

#endif
