/** @file problem.h - a bilevel problem, as all algorithms see it.
 *
 *      min over x of  ell(x) = f(x, y*(x)),      y*(x) = argmin over y of g(x, y)                                  (1)
 *
 *  f(x,y) = E_xi f(x,y;xi) is smooth, g(x,y) = E_zeta g(x,y;zeta) is smooth and strongly convex in y. A problem is a
 *  constant table of functions, your data (`self`), and a few numbers. You write four functions, or six to have every
 *  algorithm; sustain_check_problem() (check.h) tells whether the derivatives are right.
 *
 *  **The random draw is an argument.** SUSTAIN evaluates one draw at two points, (x_t,y_t) and (x_{t-1},y_{t-1}). So
 *  oracles are pure: same arguments, same bits; all memory they write to, but outputs, comes in as `work`.
 *
 *  An oracle returns 0, a positive number to drop this draw (the iteration is skipped), or a negative one to stop. */
#ifndef SUSTAIN_PROBLEM_H
#define SUSTAIN_PROBLEM_H

#include <sustain/constants.h>
#include <sustain/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The two levels: upper is f and its draws xi, lower is g and its draws zeta. */
typedef enum sustain_level { SUSTAIN_UPPER = 0, SUSTAIN_LOWER = 1 } sustain_level;

/** One random draw: `size` samples, over which the oracles take the mean. */
typedef struct sustain_batch {
    int64_t size;         /**< how many samples */
    const int64_t *index; /**< finite sums: (size) numbers of samples, repeats allowed; NULL for streams */
    uint64_t key;         /**< streams: names the draw; sample j of it is a function of (key, j) */
    int64_t iteration;    /**< when it was drawn; for messages only */
} sustain_batch;

/** The functions of a problem.
 *
 *  In all of them: `batch` is the draw, or NULL for the expected value over all samples (see has_expectation);
 *  x is (upper_dim), y and v are (lower_dim); outputs are overwritten and never overlap inputs; `work` is scratch of
 *  the size that `workspace` asks for, with undefined contents. */
typedef struct sustain_problem_ops {
    const char *name; /**< of the problem, for messages */

    /* REQUIRED: four functions. */

    /** f(x,y;xi). */
    int (*f_value)(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value, void *work);
    /** grad_x f into fx (upper_dim) and grad_y f into fy (lower_dim). */
    int (*f_grad)(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                  sustain_real *fy, void *work);
    /** g(x,y;zeta). */
    int (*g_value)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value, void *work);
    /** grad_y g (lower_dim). */
    int (*g_grad_y)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                    void *work);

    /* FOR EVERY ALGORITHM: two more. What an algorithm needs and does not find, it names when it is created. */

    /** grad^2_yy g times v (lower_dim). */
    int (*g_hess_vec)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work);
    /** grad^2_xy g times v (upper_dim): entry i is sum_j d^2 g / dx_i dy_j v_j. */
    int (*g_cross_vec)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work);

    /* OPTIONAL */

    /** grad_x g (upper_dim). Only f2sa uses it. */
    int (*g_grad_x)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                    void *work);
    /** grad^2_yy g as a matrix (lower_dim, lower_dim), row by row. Default: products with unit vectors, counted as such. */
    int (*g_hess)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *out, void *work);
    /** grad^2_xy g as a matrix (upper_dim, lower_dim), row by row; dense also with `support` (problem_fast.h). Default as for g_hess. */
    int (*g_cross)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *out,
                   void *work);
    /** Puts x back into its feasible set. Default: x is free. */
    int (*project_x)(const void *self, sustain_real *x);
    /** Where to start when the caller does not say. Default: zeros. */
    int (*initial)(const void *self, sustain_real *x, sustain_real *y);
    /** Bytes of `work` for batches of up to max_batch samples, and for batch NULL. Default: none. */
    size_t (*workspace)(const void *self, int64_t max_batch);
    /** What makes a problem fast, problem_fast.h; NULL: nothing of it. */
    const struct sustain_problem_fast *fast;
} sustain_problem_ops;

/** A problem. Made by you (fill it in) or by one of the sustain_*_create() functions; everything it points to must
 *  outlive the solvers that use it. Nothing in it changes, so solvers in several threads may share it. */
typedef struct sustain_problem {
    const sustain_problem_ops *ops;
    const void *self;               /**< handed to every function */
    int64_t upper_dim;              /**< of x */
    int64_t lower_dim;              /**< of y */
    int64_t samples[2];             /**< finite sums: how many samples at each level; 0: a stream */
    bool has_expectation;           /**< batch NULL is understood; finite sums need not say so, they must */
    const sustain_constants *known; /**< the constants of the theory that you know (the others NAN: sustain_constants_unknown()), or NULL */
} sustain_problem;

#ifdef __cplusplus
}
#endif
#endif
