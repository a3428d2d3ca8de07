/** @file regtune.h - regularization tuned on validation rows: a linear model below, its penalties
 *  above.
 *
 *      f(x,y) = mean over validation rows of L(a_i'y, b_i)
 *      g(x,y) = mean over training rows of L(a_i'y, b_i) + 1/2 sum_j (floor + exp(x_{group(j)})) y_j^2
 *
 *  L is one of
 *
 *      logistic   log(1 + exp(-b s)),                 b = -1 or 1,            y is (dim)
 *      softmax    log sum_k exp(s_k) - s_b,           b in 0 .. classes-1,    y is (classes, dim)
 *      squared    (s - b)^2 / 2,                      b any number,           y is (dim)
 *      huber      (s - b)^2 / 2 up to |s - b| = 1, then |s - b| - 1/2,         y is (dim)
 *      poisson    exp(s) - b s,                       b at least 0,           y is (dim); exp(s) is the expected count
 *
 *  and a penalty belongs to a feature, to a group of features, to a class (softmax), or there is
 *  one for all. With an intercept y continues with one number per score, the weights of a feature
 *  that is always 1. No penalty acts on them, only `floor`.
 *
 *  With `folds` validation is by cross-validation: y holds one model for each fold, fitted without
 *  its rows, one after the other, their intercepts at the end,
 *
 *      f(x,y) = mean over rows of L(a_i'y_{fold(i)}, b_i),     g(x,y) = sum over folds k of (mean over the other rows of L(a_i'y_k, b_i) + its penalty)
 *
 *  and both sets of rows are the same. Afterwards a problem without folds fits the tuned model to
 *  all rows.
 *
 *  Rows (rows.h) are dense or sparse and stay what they are: the data part of every oracle costs
 *  the non-zeros of its draw; plus one pass over y for the penalties.
 *
 *  **Range of x.** Nothing is clamped, so that all derivatives are exact. In float exp(x_j) is
 *  infinite above 88, and below log(floor) a penalty has no effect; -40 to 40 covers every useful
 *  penalty. As exp(x_j) grows so does the curvature of g: steps that were right at the start are
 *  too long when floor + exp(x_j) has passed about 2 / beta. */
#ifndef SUSTAIN_REGTUNE_H
#define SUSTAIN_REGTUNE_H

#include <sustain/problem.h>
#include <sustain/rows.h>

#ifdef __cplusplus
extern "C" {
#endif

/** L. */
typedef enum sustain_regtune_loss {
    SUSTAIN_REGTUNE_LOGISTIC,
    SUSTAIN_REGTUNE_SOFTMAX,
    SUSTAIN_REGTUNE_SQUARED,
    SUSTAIN_REGTUNE_HUBER,
    SUSTAIN_REGTUNE_POISSON
} sustain_regtune_loss;

/** What a coordinate of x is the penalty of. */
typedef enum sustain_regtune_penalty {
    SUSTAIN_REGTUNE_FEATURE, /**< upper_dim = dim */
    SUSTAIN_REGTUNE_GROUP,   /**< upper_dim = groups; x_{group[j]} acts on feature j */
    SUSTAIN_REGTUNE_CLASS,   /**< upper_dim = classes; softmax only */
    SUSTAIN_REGTUNE_SINGLE   /**< upper_dim = 1 */
} sustain_regtune_penalty;

enum { SUSTAIN_REGTUNE_FOLDS = 20 /**< at most */ };

/** The set that the weights of y are restricted to; intercepts are always free. */
typedef enum sustain_regtune_feasible {
    SUSTAIN_REGTUNE_FREE,        /**< all weights */
    SUSTAIN_REGTUNE_NONNEGATIVE, /**< y_j >= 0: with the squared loss, non-negative ridge regression */
    /** y_j >= 0, sum y_j = 1: mixture weights, where the features are the predictions of models.
     *  One score for each row, no folds */
    SUSTAIN_REGTUNE_SIMPLEX
} sustain_regtune_feasible;

/** What to make. Take it from sustain_regtune_defaults(). It begins with its size, so that it can
 *  grow. */
typedef struct sustain_regtune_options {
    size_t size; /**< sizeof(sustain_regtune_options), as the caller was compiled */
    sustain_regtune_loss loss;
    sustain_regtune_penalty penalty;
    int64_t classes; /**< of softmax; else ignored */
    int64_t groups;  /**< of SUSTAIN_REGTUNE_GROUP; else ignored */
    /** (dim) in 0 .. groups-1, borrowed; else ignored. A group may be empty: its x does not move */
    const int32_t *group;
    bool intercept;
    double
        /** > 0: g is strongly convex whatever x is, mu_g = floor. 0 is allowed: then g may be
         *  hardly convex where all x are small */
        floor;
    int64_t folds;       /**< 0, or 2 to SUSTAIN_REGTUNE_FOLDS: cross-validation */
    const int32_t *fold; /**< with it: (rows) in 0 .. folds-1, borrowed; no fold is empty */
    double x_0;          /**< every coordinate of x at the start, in -40 .. 40; y starts at 0 */
    /** anything but free: only algorithms that project y run on it (problem_fast.h, project_y) */
    sustain_regtune_feasible feasible;
} sustain_regtune_options;

/** What sustain_regtune_defaults() calls: fills `size` bytes. */
void sustain_regtune_defaults_for(size_t size, sustain_regtune_options *options);

/** Logistic, one penalty a feature, no intercept, floor 1e-6, x_0 = 0. */
static inline sustain_regtune_options sustain_regtune_defaults(void) {
    sustain_regtune_options options;
    sustain_regtune_defaults_for(sizeof options, &options);
    return options;
}

/** Makes the problem; both sets have the same dim, and are the same with folds. Rows are borrowed,
 *  and every number is checked; errors name the row and the column, counted from 0. `known` holds
 *  mu_g (where floor > 0), C_fy and L_fy by the longest validation row, and that f does not depend
 *  on x. */
sustain_status sustain_regtune_create(sustain_context *context, const sustain_regtune_options *options, const sustain_rows *training,
                                      const sustain_rows *validation, sustain_problem **out);

/** y*(x) in double, whatever sustain_real is: |grad_y g(x,y)| <= tolerance, by Newton's method with
 *  conjugate gradients. y (lower_dim) is the start and becomes the answer. NOT_CONVERGED: rounding
 *  prevents the tolerance; y is the best point reached. */
sustain_status sustain_regtune_solve(const sustain_problem *problem, const double *x, double tolerance, double *y);

/** The same, then ell(x) into value and grad ell(x) into gradient (upper_dim), its linear system
 *  solved to 1e-12; each may be NULL. */
sustain_status sustain_regtune_outer(const sustain_problem *problem, const double *x, double tolerance, double *y, double *value,
                                     double *gradient);

/** The mean loss of a model on other rows, and the share of rows that it classifies correctly (NAN
 *  for the squared loss). Not for folds, where y is several models. */
sustain_status sustain_regtune_score(const sustain_problem *problem, const sustain_rows *rows, const double *y, double *loss,
                                     double *accuracy);

/** Frees it. NULL is allowed. */
void sustain_regtune_destroy(sustain_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
