/** @file hyperclean.h - data hyper-cleaning, eq. (3): a weight for every training sample, softmax
 *  regression below.
 *
 *      g(x,y) = c |y|^2 + mean over training samples i of sigma(x_i) L(s_i, b_i),   f(x,y) = mean over trusted samples of L(s_i, b_i)
 *
 *  L is the cross entropy, sigma the logistic function, s_i = W a_i + b the scores of a row. y is W
 *  (classes, dim) row by row, then the bias b (classes), which is regularized too; without an
 *  intercept W alone. (This is the layout of weight and bias in most other programs; the features
 *  of a class are contiguous, as they are in a row.) A draw touches only the weights of its own
 *  samples, so the cost of an iteration does not depend on their number.
 *
 *  With groups (annotators, sources of data) all rows of a group share a weight, sigma(x_group(i)):
 *  x has one entry for each group. */
#ifndef SUSTAIN_HYPERCLEAN_H
#define SUSTAIN_HYPERCLEAN_H

#include <sustain/problem.h>
#include <sustain/rows.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to make. Take it from sustain_hyperclean_defaults(). It begins with its size, so that it
 *  can grow. */
typedef struct sustain_hyperclean_options {
    size_t size;     /**< sizeof(sustain_hyperclean_options), as the caller was compiled */
    int64_t classes; /**< labels are 0 .. classes-1 */
    double c;        /**< of the regularization, > 0 */
    bool intercept;  /**< whether the scores have a bias */

    int64_t groups;       /**< 0: a weight for each training row; else x has so many entries */
    const int32_t *group; /**< (training->count) the group of each training row, 0 .. groups-1; copied */
} sustain_hyperclean_options;

/** What sustain_hyperclean_defaults() calls: fills `size` bytes. */
void sustain_hyperclean_defaults_for(size_t size, sustain_hyperclean_options *options);

/** c = 0.001 as in the paper, with an intercept; classes must be set. */
static inline sustain_hyperclean_options sustain_hyperclean_defaults(void) {
    sustain_hyperclean_options options;
    sustain_hyperclean_defaults_for(sizeof options, &options);
    return options;
}

/** Makes the problem; both sets have the same dim. Rows are borrowed, and every number is checked;
 *  errors name the row and the column, counted from 0. Differs: eq. (3) prints sums; with c = 0.001
 *  the experiments only make sense with means. */
sustain_status sustain_hyperclean_create(sustain_context *context, const sustain_hyperclean_options *options, const sustain_rows *training,
                                         const sustain_rows *trusted, sustain_problem **out);

/** Frees it. NULL is allowed. */
void sustain_hyperclean_destroy(sustain_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
