/** @file problem_fast.h - optional functions of a problem: for speed, on which results do not
 *  depend, and a constraint on y.
 *
 *      static const sustain_problem_fast fast = {.size = sizeof fast, .hyper_pair = hyper_pair};
 *      static const sustain_problem_ops ops = {.name = "mine", ..., .fast = &fast};
 *
 *  The table begins with its size as compiled. The library treats fields beyond that size as
 *  absent, so that the table can grow in later versions. */
#ifndef SUSTAIN_PROBLEM_FAST_H
#define SUSTAIN_PROBLEM_FAST_H

#include <sustain/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Coordinates of x, each once. */
typedef struct sustain_touched {
    int64_t count;       /**< how many */
    int64_t *coordinate; /**< (upper_dim) */
} sustain_touched;

/** A draw of eq. (7), xi-bar = {xi, zeta^(0), ..., zeta^(k)}: the samples of one stochastic
 *  hypergradient. */
typedef struct sustain_hyper_draw {
    sustain_batch xi; /**< for f */
    /** (k + 1): zeta[0] for the cross product, zeta[1..k] for the Hessian products */
    const sustain_batch *zeta;
    int k;      /**< uniform on 0 .. K-1 */
    int K;      /**< the bound of the truncation */
    double L_g; /**< scale of the Hessian products: 1 / L_g */
    /** with `support`: how many coordinates of x the draws xi and zeta[0] touch */
    int64_t support[2];
    /** with `lists_touched`: not NULL, and outputs are compact; NULL, and they are dense */
    sustain_touched *touched;
} sustain_hyper_draw;

/** One iteration of SUSTAIN in a single call: the draws and the coefficients of (13) and (14). */
typedef struct sustain_momentum_step {
    const sustain_hyper_draw *draw; /**< xi-bar of (7) */
    const sustain_batch *zeta;      /**< of (13) */
    /** 1 - eta^g; where it is 0 the second point is not used */
    double keep;
    double beta; /**< the step of y */
} sustain_momentum_step;

/** The quantities that SAGA keeps tables of. */
typedef enum sustain_quantity {
    SUSTAIN_QUANTITY_F_GRAD_X,   /**< grad_x f, of the upper level */
    SUSTAIN_QUANTITY_F_GRAD_Y,   /**< grad_y f, of the upper level */
    SUSTAIN_QUANTITY_G_GRAD_Y,   /**< grad_y g */
    SUSTAIN_QUANTITY_G_HESS_VEC, /**< grad^2_yy g times v */
    SUSTAIN_QUANTITY_G_CROSS_VEC /**< grad^2_xy g times v */
} sustain_quantity;

/** The functions; each may be NULL. Their arguments are as in sustain_problem_ops. */
typedef struct sustain_problem_fast {
    size_t size; /**< sizeof(sustain_problem_fast) */

    /* SUPPORT: for problems whose draws touch few coordinates of x.
     *
     * If `support` is there, the oracles read x only at the coordinates that it lists for their
     * draw, and their outputs in x-space (fx, gx, the cross product) are *compact*: entry j belongs
     * to the j-th coordinate listed; a coordinate listed twice counts as the sum. Then SUSTAIN's
     * iteration costs the same for any upper_dim. For batch NULL the list is 0 .. upper_dim - 1 (or
     * empty, if the level never reads x) and is not asked for. */

    /** at most this many coordinates of x a sample, at each level */
    int64_t support_per_sample[2];
    /** Writes the coordinates and returns how many: at most batch->size *
     *  support_per_sample[level]. */
    int64_t (*support)(const void *self, sustain_level level, const sustain_batch *batch, int64_t *coordinate);

    /* TABLES: for finite sums of linear models, where a few numbers (residuals) determine a
     * sample's part of a gradient.
     *
     * SAGA stores the last contribution of every sample. With these functions it stores
     * `table_width` numbers per sample, without them whole vectors. A quantity of a sample is
     * rest(x, y, v) + B_i row_i(x, y, v),   B_i fixed: linear in its row. */

    /** How many numbers represent the contribution of one sample; 0: none (all is rest). */
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

    /* FAST PATHS: each has a default made of the functions above; sustain_check_problem() compares
     * the two. */

    /** grad_y g of one draw at two points: what eq. (13) needs. */
    int (*g_grad_y_pair)(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                         const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *gy, sustain_real *gy_prev, void *work);
    /** The whole of eq. (7) at two points: what eq. (14) needs. With `support`, outputs are
     *  compact: first the coordinates of xi (gradient of f), then those of zeta[0] (cross product).
     *  x_prev NULL: the first point only. */
    int (*hyper_pair)(const void *self, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                      const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out, sustain_real *out_prev, void *work);
    /** g reads all of x, but eq. (7) has few non-zeros: hyper_pair and momentum_step list them in
     *  draw->touched where that is not NULL; entry j of their outputs then belongs to coordinate j
     *  listed. */
    bool lists_touched;
    /** Both at once, for problems that share one product among all samples of an iteration: eq. (7)
     *  at (x,y) into out and, where out_prev is not NULL, at (x_prev,y_prev), as hyper_pair; then
     *      h <- grad_y g(x,y;zeta) + keep (h - grad_y g(x_prev,y_prev;zeta)),     y_prev <- y,     y <- y - beta h               (13)
     *  On failure h, y and y_prev are as they were. */
    int (*momentum_step)(const void *self, const sustain_momentum_step *step, const sustain_real *x, const sustain_real *x_prev,
                         sustain_real *h, sustain_real *y, sustain_real *y_prev, sustain_real *out, sustain_real *out_prev, void *work);
    /** Announces a draw that will be used soon, so that its samples can be prefetched. */
    void (*prefetch)(const void *self, sustain_level level, const sustain_batch *batch);

    /* CONSTRAINT: this function changes the problem, not its speed. */

    /** Projects y onto a closed convex set, to which the lower level is then restricted: y*(x) =
     *  argmin over y in the set. Only the algorithms that project y run on such a problem. */
    int (*project_y)(const void *self, sustain_real *y);
} sustain_problem_fast;

#ifdef __cplusplus
}
#endif
#endif
