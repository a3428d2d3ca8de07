/* softmax_fit.h - softmax regression on gathered rows, whose labels may pass through a noisy
 * channel: what all classifiers of a task are.
 *
 *   minimize over y   c |y|^2 - (1/W) sum_i w_i log sum_k p_k(a_i) L[b_i][k],      p = softmax(y (a, 1)),  W = sum_i w_i
 *
 * L[b][k] is the probability that a row of class k carries the label b; the identity, if labels are
 * right: the cross entropy. The gradient in the scores is w (p - q), q_k = p_k L[b][k] / sum: the
 * cross entropy of the label that the row probably has. */
#ifndef SUSTAIN_TASKS_SOFTMAX_H
#define SUSTAIN_TASKS_SOFTMAX_H

#include <sustain/softmax.h>

#include "core/context_internal.h"

/* Some rows to fit on or to classify. */
typedef struct sustain__some_rows {
    const sustain_rows *rows;  /* as sustain__rows_take() leaves them */
    const int64_t *index;      /* (count) row numbers; NULL: 0 .. count-1 */
    int64_t count;             /* may be 0 */
    const float *weights;      /* by row number; NULL: 1 each */
    const sustain_real *noise; /* L, (classes, classes); NULL: labels are right */
} sustain__some_rows;

enum { SUSTAIN__MOST_PARTS = 8, SUSTAIN__MOST_FOLDS = 20 };

/* Of one row, p (classes): probabilities -> weight (p - q). score and log_sum are those of the
 * label and of all; returns weight times the loss. */
double sustain__softmax_residual(int64_t classes, int32_t label, const sustain_real *noise, sustain_real weight, double score,
                                 double log_sum, sustain_real *p);

/* Moves y to the answer, by L-BFGS. */
sustain_status sustain__softmax_fit(sustain_context *context, const sustain_softmax_options *options, const sustain__some_rows *parts,
                                    int part_count, sustain_real *y);

/* The same for several classifiers at once, y (folds, size): that of fold k is fitted without the
 * parts k, k + folds, ... */
sustain_status sustain__softmax_fit_folds(sustain_context *context, const sustain_softmax_options *options, const sustain__some_rows *parts,
                                          int part_count, int64_t folds, sustain_real *y);

/* What such a fit allocates, for `counts` rows like these, training and trusted ones. */
double sustain__softmax_fit_bytes(const sustain_softmax_options *options, const sustain_rows *rows, const int64_t counts[2], int64_t folds);

/* The probabilities of row i to probabilities[i * classes], i its row number. */
sustain_status sustain__softmax_predict(sustain_context *context, const sustain_softmax_options *options, const sustain__some_rows *part,
                                        const sustain_real *y, float *probabilities);

/* The share of rows whose likeliest class is their label. */
sustain_status sustain__softmax_accuracy(sustain_context *context, const sustain_softmax_options *options, const sustain_rows *rows,
                                         const sustain_real *y, double *accuracy);

/* The likeliest class; the first of equals. */
int32_t sustain__likeliest(int64_t classes, const float *p);

/* Mean of |a_i|^2, over at most a few thousand rows spread evenly. */
double sustain__rows_mean_square(const sustain_rows *rows);

#endif
