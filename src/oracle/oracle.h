/* oracle.h - the one way in which estimators and solvers call a problem: defaults for what it leaves out, its return codes
 * as a status with a sentence, compact outputs made dense where that is wanted. */
#ifndef SUSTAIN_ORACLE_ORACLE_H
#define SUSTAIN_ORACLE_ORACLE_H

#include <limits.h>

#include <sustain/problem.h>

#include "core/context_internal.h"

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

/* The oracles of problem.h. */
sustain_status sustain__f_value(sustain__oracle *o, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value);
sustain_status sustain__f_grad(sustain__oracle *o, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                               sustain_real *fy);
sustain_status sustain__g_value(sustain__oracle *o, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value);
sustain_status sustain__g_grad_y(sustain__oracle *o, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                 sustain_real *gy);
sustain_status sustain__g_grad_x(sustain__oracle *o, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                 sustain_real *gx);
sustain_status sustain__g_hess_vec(sustain__oracle *o, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                   const sustain_real *v, sustain_real *out);
sustain_status sustain__g_cross_vec(sustain__oracle *o, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                    const sustain_real *v, sustain_real *out);

/* The tables of problem.h; only where the problem offers them. */
sustain_status sustain__table_rows(sustain__oracle *o, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *x,
                                   const sustain_real *y, const sustain_real *v, sustain_real *rows);
sustain_status sustain__table_add(sustain__oracle *o, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *rows,
                                  double weight, sustain_real *out);
sustain_status sustain__table_rest(sustain__oracle *o, sustain_quantity quantity, const sustain_real *x, const sustain_real *y,
                                   const sustain_real *v, sustain_real *out);

/* Puts x back into its feasible set; nothing where x is free. */
sustain_status sustain__project_x(sustain__oracle *o, sustain_real *x);

/* The Hessian as a matrix (lower_dim, lower_dim). */
sustain_status sustain__g_hess(sustain__oracle *o, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                               sustain_real *out);
/* The cross block as a matrix (upper_dim, lower_dim). Allocates a column for the call, unless one was lent. */
sustain_status sustain__g_cross(sustain__oracle *o, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                sustain_real *out);

/* grad_y g of one draw at two points; x_prev NULL: at the first only. */
sustain_status sustain__g_grad_y_pair(sustain__oracle *o, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                      const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *gy, sustain_real *gy_prev);

/* The problem's own way to compute eq. (7) at two points; only where ops->hyper_pair is there. */
sustain_status sustain__hyper_pair(sustain__oracle *o, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                                   const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out, sustain_real *out_prev);

/* Whether the problem has its own way for a whole iteration, in the form in which this oracle gives outputs in x-space. */
bool sustain__has_momentum_step(const sustain__oracle *o);
/* That way; only where it is there. */
sustain_status sustain__momentum_step(sustain__oracle *o, const sustain_momentum_step *step, const sustain_real *x,
                                      const sustain_real *x_prev, sustain_real *h, sustain_real *y, sustain_real *y_prev, sustain_real *out,
                                      sustain_real *out_prev);

/* Tells the problem of a draw to come; only where ops->prefetch is there. */
void sustain__prefetch(const sustain__oracle *o, sustain_level level, const sustain_batch *batch);

#endif
