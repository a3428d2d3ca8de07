/** @file problem.h - a bilevel problem: the interface of all algorithms.
 *
 *      min over x of  ell(x) = f(x, y*(x)),      y*(x) = argmin over y of g(x, y)                                  (1)
 *
 *  f(x,y) = E_xi f(x,y;xi) is smooth, g(x,y) = E_zeta g(x,y;zeta) is smooth and strongly convex in
 *  y. A problem is a constant table of functions, your data (`self`), and a few numbers. You write
 *  four functions, or six to use every algorithm; sustain_check_problem() (check.h) checks the
 *  derivatives.
 *
 *  **The random draw is an argument.** SUSTAIN evaluates one draw at two points, (x_t,y_t) and
 *  (x_{t-1},y_{t-1}). So oracles are pure: same arguments, same bits; besides their outputs they
 *  write only to `work`.
 *
 *  An oracle returns 0, a positive number to drop this draw, or a negative number to stop the
 *  run. */
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
    int64_t size; /**< how many samples */
    /** finite sums: (size) sample numbers, with repeats; streams: NULL */
    const int64_t *index;
    uint64_t key;      /**< streams: sample j is a function of (key, j) */
    int64_t iteration; /**< of the draw; for messages only */
} sustain_batch;

/** The functions of a problem.
 *
 *  In all of them: `batch` is the draw, or NULL for the expected value over all samples (see
 *  has_expectation); x is (upper_dim), y and v are (lower_dim); outputs are overwritten and never
 *  overlap inputs; `work` is uninitialized scratch memory of the size that `workspace` returns. */
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

    /* FOR EVERY ALGORITHM: two more. sustain_solver_create() names oracles that are missing. */

    /** grad^2_yy g times v (lower_dim). */
    int (*g_hess_vec)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work);
    /** grad^2_xy g times v (upper_dim): entry i is sum_j d^2 g / dx_i dy_j v_j. */
    int (*g_cross_vec)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work);

    /* OPTIONAL */

    /** grad_x g (upper_dim). For the algorithms that use gradients alone (f2sa and others). */
    int (*g_grad_x)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                    void *work);
    /** grad^2_yy g as a matrix (lower_dim, lower_dim), row by row. Default: by products. */
    int (*g_hess)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *out, void *work);
    /** grad^2_xy g as a matrix (upper_dim, lower_dim), row by row, always dense. Default: by
     *  products. */
    int (*g_cross)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *out,
                   void *work);
    /** Projects x onto its feasible set. Default: x is unconstrained. */
    int (*project_x)(const void *self, sustain_real *x);
    /** The start, where the caller gives none. Default: zeros. */
    int (*initial)(const void *self, sustain_real *x, sustain_real *y);
    /** Bytes of `work` for batches of up to max_batch samples and for batch NULL. Default: 0. */
    size_t (*workspace)(const void *self, int64_t max_batch);
    /** Optional functions for speed, problem_fast.h; or NULL. */
    const struct sustain_problem_fast *fast;
} sustain_problem_ops;

/** A problem: fill it in, or use one of the sustain_*_create() functions. Everything it points to
 *  must outlive the solvers that use it. It is constant, so solvers in several threads may share
 *  it. */
typedef struct sustain_problem {
    const sustain_problem_ops *ops;
    const void *self;   /**< passed to every function */
    int64_t upper_dim;  /**< of x */
    int64_t lower_dim;  /**< of y */
    int64_t samples[2]; /**< finite sums: how many samples at each level; 0: a stream */
    /** streams: batch NULL is supported; finite sums must support it anyway */
    bool has_expectation;
    /** known constants of the theory, the others NAN (sustain_constants_unknown()); or NULL */
    const sustain_constants *known;
} sustain_problem;

#ifdef __cplusplus
}
#endif
#endif
