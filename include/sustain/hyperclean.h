/** @file hyperclean.h - data hyper-cleaning, eq. (3): a weight for every training sample, softmax regression below.
 *
 *      g(x,y) = c |y|^2 + mean over training samples i of sigma(x_i) L(a_i'y, b_i),   f(x,y) = mean over trusted samples of L(a_i'y, b_i)
 *
 *  L is the cross entropy, sigma the logistic function; y is (dim + 1, classes), its last row the bias, regularized too.
 *  A draw touches only the weights of its own samples: the support that makes cleaning scale. */
#ifndef SUSTAIN_HYPERCLEAN_H
#define SUSTAIN_HYPERCLEAN_H

#include <sustain/problem.h>
#include <sustain/rows.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Makes the problem. c is the regularization, 0.001 in the paper. Differs: eq. (3) prints sums; with c = 0.001 the
 *  experiments only make sense with means. */
sustain_status sustain_hyperclean_create(sustain_context *context, const sustain_rows *training, const sustain_rows *trusted, int64_t dim,
                                         int64_t classes, double c, sustain_problem **out);

/** Frees it. NULL is allowed. */
void sustain_hyperclean_destroy(sustain_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
