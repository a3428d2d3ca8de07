/* lasso_fit.h - linear models with an absolute and a quadratic penalty of its own on every
 * weight, fitted many times over along paths of penalties.
 *
 *      g(y) = 1/n sum over rows i of a part of  weight_i L(a_i'y, t_i)  +  sum_jk ( q_jk |y_jk| + 1/2 p_jk y_jk^2 )
 *
 * q alone is the lasso, both together the elastic net. n, the layout of y and the intercept are
 * those of penalized_fit.h. */
#ifndef SUSTAIN_JOBS_LASSO_FIT_H
#define SUSTAIN_JOBS_LASSO_FIT_H

#include "jobs/penalized_fit.h"
#include "problems/rows_columns.h"

/* One fit to one part of the rows. Coordinate e = j width + k is the weight of feature j for
 * class k. */
typedef struct sustain__lasso {
    const sustain__fit_rows *rows;   /* borrowed */
    const sustain__columns *columns; /* borrowed: of the rows, with the intercept; all fits share them */
    double *y;                       /* (size) the start, then the answer */
    double *l1, *l2;                 /* (size) q and p; those of the intercept are not read */
    double *slope;                   /* (size) derivative of the data's part at the answer; q of the last fit is in l1_before */
    double *l1_before;
    double *curvature;                /* (size) second derivative of the data's part by one coordinate, where it was needed */
    double *y_new, *r, *z, *p, *v;    /* (size) the step; conjugate gradients */
    double *weight;                   /* (rows) weight_i / n; 0 for rows that are not of the part */
    double *score, *score_new;        /* (rows, width) */
    double *residual, *state, *moved; /* (rows, width) dL/ds; what C is made of; scores of the step */
    double *mean_moved;               /* (rows) softmax: sum_k p_k moved_k */
    int32_t *working;                 /* (size) coordinates that may be other than 0 */
    int64_t working_count;
    bool *works;       /* (size) whether a coordinate is one of them */
    bool warm;         /* slope and l1_before are those of an earlier fit */
    double held_value; /* f of the last sustain__lasso_slopes() */
    int64_t sweeps;    /* over coordinates, since the fit was made */
} sustain__lasso;

sustain_status sustain__lasso_create(sustain_context *context, const sustain__fit_rows *rows, const sustain__columns *columns,
                                     const sustain__fit_part *part, sustain__lasso **out);
void sustain__lasso_destroy(sustain_context *context, sustain__lasso *fit);
size_t sustain__lasso_bytes(const sustain__fit_rows *rows); /* that create() allocates */

/* Minimizes g from fit->y. It ends when what the last step promised to gain, and what any
 * coordinate left out could gain, is below `tolerance`. Returns whether it got there. */
bool sustain__lasso_minimize(sustain__lasso *fit, double tolerance);

/* The largest |derivative| of the data's part over coordinates that have a penalty, divided by
 * `unit` (size): with q = lambda unit, all weights are 0 from this lambda on. fit->y is the model
 * of intercepts afterwards. */
double sustain__lasso_largest(sustain__lasso *fit, const double *unit, double tolerance);

/* The derivatives of f = 1/n sum over the part `held` of weight_i L by the logarithms of q and of
 * p of every feature, added to by_l1 and by_l2 (dim), at the answer of the last
 * sustain__lasso_minimize(). On the support S of y, y_S is a smooth function of the penalties:
 *
 *      df / d log q_j = - sum_k q_jk sign(y_jk) v_jk,    df / d log p_j = - sum_k p_jk y_jk v_jk,    H_SS v = grad_S f
 *
 * Bertrand et al., Implicit differentiation of Lasso-type models for hyperparameter optimization,
 * ICML 2020. f goes to fit->held_value. */
void sustain__lasso_slopes(sustain__lasso *fit, const sustain__fit_part *held, double accuracy, double *by_l1, double *by_l2);

#endif
