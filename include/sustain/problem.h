/** @file problem.h - a bilevel problem, as all algorithms see it.
 *
 *      min over x of  ell(x) = f(x, y*(x)),      y*(x) = argmin over y of g(x, y)                                  (1)
 *
 *  f(x,y) = E_xi f(x,y;xi) is smooth, g(x,y) = E_zeta g(x,y;zeta) is smooth and strongly convex in y. A problem is a
 *  constant table of functions, your data (`self`), and a few numbers. You write four functions, or six to have every
 *  algorithm; sustain_check_problem() (check.h) tells whether the derivatives are right.
 *
 *  **The random draw is an argument.** SUSTAIN evaluates one draw at two points, (x_t,y_t) and (x_{t-1},y_{t-1}). So
 *  oracles are pure: same arguments, same bits; all memory they scribble on comes in as `work`.
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

/** Coordinates of x, each once. */
typedef struct sustain_touched {
    int64_t count;       /**< how many */
    int64_t *coordinate; /**< (upper_dim) */
} sustain_touched;

/** A draw of eq. (7), xi-bar = {xi, zeta^(0), ..., zeta^(k)}: what one stochastic hypergradient reads. */
typedef struct sustain_hyper_draw {
    sustain_batch xi;          /**< for f */
    const sustain_batch *zeta; /**< (k + 1): zeta[0] for the cross product, zeta[1..k] for the Hessian products */
    int k;                     /**< uniform on 0 .. K-1 */
    int K;                     /**< the bound of the truncation */
    double L_g;                /**< the Hessian products are scaled by 1 / L_g */
    int64_t support[2];        /**< with `support`: how many coordinates of x the draws xi and zeta[0] touch */
    sustain_touched *touched;  /**< with `lists_touched`: not NULL, and outputs are compact; NULL, and they are dense */
} sustain_hyper_draw;

/** One iteration of SUSTAIN, as a problem may do it at once: the draws and the numbers of (13) and (14). */
typedef struct sustain_momentum_step {
    const sustain_hyper_draw *draw; /**< xi-bar of (7) */
    const sustain_batch *zeta;      /**< of (13) */
    double keep;                    /**< 1 - eta^g; where it is 0 the second point is not looked at */
    double beta;                    /**< the step of y */
} sustain_momentum_step;

/** What SAGA keeps a table of. */
typedef enum sustain_quantity {
    SUSTAIN_QUANTITY_F_GRAD_X,   /**< grad_x f, of the upper level */
    SUSTAIN_QUANTITY_F_GRAD_Y,   /**< grad_y f, of the upper level */
    SUSTAIN_QUANTITY_G_GRAD_Y,   /**< grad_y g */
    SUSTAIN_QUANTITY_G_HESS_VEC, /**< grad^2_yy g times v */
    SUSTAIN_QUANTITY_G_CROSS_VEC /**< grad^2_xy g times v */
} sustain_quantity;

/** The functions of a problem.
 *
 *  In all of them: `batch` is the draw, or NULL for the expected value over all samples (see has_expectation);
 *  x is (upper_dim), y and v are (lower_dim); outputs are overwritten and never overlap inputs; `work` is scratch of
 *  the size that `workspace` asks for, with undefined contents. Only the functions under REQUIRED must be there. */
typedef struct sustain_problem_ops {
    const char *name; /**< of the problem, for messages */

    /* REQUIRED */

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

    /* OPTIONAL: what an algorithm needs and does not find, it names when it is created. */

    /** grad_x g (upper_dim). Only f2sa uses it. */
    int (*g_grad_x)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                    void *work);
    /** grad^2_yy g times v (lower_dim). */
    int (*g_hess_vec)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work);
    /** grad^2_xy g times v (upper_dim): entry i is sum_j d^2 g / dx_i dy_j v_j. */
    int (*g_cross_vec)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work);
    /** grad^2_yy g as a matrix (lower_dim, lower_dim), row by row. Default: products with unit vectors, counted as such. */
    int (*g_hess)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *out, void *work);
    /** grad^2_xy g as a matrix (upper_dim, lower_dim), row by row; dense also with `support`. Default as for g_hess. */
    int (*g_cross)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *out,
                   void *work);

    /** Puts x back into its feasible set. Default: x is free. */
    int (*project_x)(const void *self, sustain_real *x);
    /** Where to start when the caller does not say. Default: zeros. */
    int (*initial)(const void *self, sustain_real *x, sustain_real *y);
    /** Bytes of `work` for batches of up to max_batch samples, and for batch NULL. Default: none. */
    size_t (*workspace)(const void *self, int64_t max_batch);

    /* OPTIONAL, SUPPORT: for problems whose draws touch few coordinates of x.
     *
     * If `support` is there, the oracles read x only at the coordinates that it lists for their draw, and their
     * outputs in x-space (fx, gx, the cross product) are *compact*: entry j belongs to the j-th coordinate listed; a
     * coordinate listed twice counts as the sum. Then SUSTAIN's iteration costs the same for any upper_dim. For batch
     * NULL the list is 0 .. upper_dim - 1 (or empty, if the level never reads x) and is not asked for. */

    /** Writes the coordinates and returns how many: at most batch->size * support_per_sample[level]. */
    int64_t (*support)(const void *self, sustain_level level, const sustain_batch *batch, int64_t *coordinate);

    /* OPTIONAL, TABLES: for finite sums of linear models, where a few numbers (residuals) determine a sample's part of a gradient.
     *
     * SAGA keeps the last seen part of every sample. With these it keeps `table_width` numbers a sample; without them, whole vectors.
     * A quantity of a sample is   rest(x, y, v) + B_i row_i(x, y, v),   B_i fixed: linear in its row. */

    /** How many numbers stand for one sample's part of a quantity; 0: it has none (all is rest). */
    int64_t (*table_width)(const void *self, sustain_quantity quantity);
    /** The rows of a draw's samples, (batch->size, width). */
    int (*table_rows)(const void *self, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *x, const sustain_real *y,
                      const sustain_real *v, sustain_real *rows, void *work);
    /** out += weight * sum over the draw's samples of B_i row_i. out is dense, also in x-space. */
    int (*table_add)(const void *self, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *rows, double weight,
                     sustain_real *out, void *work);
    /** The part that is the same for all samples: regularization. out is overwritten, dense. */
    int (*table_rest)(const void *self, sustain_quantity quantity, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work);

    /* OPTIONAL, FAST PATHS: each has a default composed of the functions above, and a test that it equals it. */

    /** grad_y g of one draw at two points: what eq. (13) needs. */
    int (*g_grad_y_pair)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                         const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *gy, sustain_real *gy_prev, void *work);
    /** The whole of eq. (7) at two points: what eq. (14) needs. With `support`, outputs are compact: first the
     *  coordinates of xi (gradient of f), then those of zeta[0] (cross product). x_prev NULL: the first point only. */
    int (*hyper_pair)(const void *self, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                      const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out, sustain_real *out_prev, void *work);
    /** Both at once, for the problem that has one product for all samples of an iteration: eq. (7) at (x,y) into out and, where out_prev
     *  is not NULL, at (x_prev,y_prev), as hyper_pair; then
     *      h <- grad_y g(x,y;zeta) + keep (h - grad_y g(x_prev,y_prev;zeta)),     y_prev <- y,     y <- y - beta h               (13)
     *  On failure h, y and y_prev are as they were. */
    int (*momentum_step)(const void *self, const sustain_momentum_step *step, const sustain_real *x, const sustain_real *x_prev,
                         sustain_real *h, sustain_real *y, sustain_real *y_prev, sustain_real *out, sustain_real *out_prev, void *work);
    /** Tells of a draw that will come soon, so that its samples can be asked for from memory. */
    void (*prefetch)(const void *self, sustain_level level, const sustain_batch *batch);
} sustain_problem_ops;

/** A problem. Made by you (fill it in) or by one of the sustain_*_create() functions; everything it points to must
 *  outlive the solvers that use it. Nothing in it changes, so solvers in several threads may share it. */
typedef struct sustain_problem {
    const sustain_problem_ops *ops;
    const void *self;               /**< handed to every function */
    int64_t upper_dim;              /**< of x */
    int64_t lower_dim;              /**< of y */
    int64_t samples[2];             /**< finite sums: how many samples at each level; 0: a stream */
    int64_t support_per_sample[2];  /**< with `support`: at most this many coordinates of x a sample, at each level */
    bool lists_touched;             /**< g reads all of x, but eq. (7) has few non-zeros: hyper_pair and momentum_step list them in
                                     *   draw->touched where that is not NULL; entry j of their outputs then belongs to coordinate j listed */
    bool has_expectation;           /**< batch NULL is understood; finite sums need not say so, they must */
    const sustain_constants *known; /**< the constants of the theory that you know (the others NAN: sustain_constants_unknown()), or NULL */
} sustain_problem;

/** Every oracle by name, for needs, messages and counts. */
#define SUSTAIN_ORACLE_LIST(X)      \
    X(F_VALUE, f_value)             \
    X(F_GRAD, f_grad)               \
    X(G_VALUE, g_value)             \
    X(G_GRAD_Y, g_grad_y)           \
    X(G_GRAD_X, g_grad_x)           \
    X(G_HESS_VEC, g_hess_vec)       \
    X(G_CROSS_VEC, g_cross_vec)     \
    X(EXPECTATION, has_expectation) \
    X(FINITE_SUM, samples)

/** The oracles as bits of a set: sustain_solver_info.needs. */
typedef enum sustain_oracle {
#define SUSTAIN_ORACLE_SHIFT(name, field) SUSTAIN_ORACLE_SHIFT_##name,
    SUSTAIN_ORACLE_LIST(SUSTAIN_ORACLE_SHIFT)
#undef SUSTAIN_ORACLE_SHIFT
#define SUSTAIN_ORACLE_BIT(name, field) SUSTAIN_NEEDS_##name = 1 << SUSTAIN_ORACLE_SHIFT_##name,
        SUSTAIN_ORACLE_LIST(SUSTAIN_ORACLE_BIT)
#undef SUSTAIN_ORACLE_BIT
} sustain_oracle;

/** The set of oracles that a problem offers. */
unsigned sustain_problem_offers(const sustain_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
