/** @file softmax.h - softmax regression: fit it on weighted rows, and use it.
 *
 *      minimize over y   c |y|^2 + (1/w) sum over rows i of w_i L(y (a_i, 1), b_i),      w = sum of w_i
 *
 *  L is the cross entropy, y laid out as in hyperclean.h: W (classes, dim) row by row, then the
 *  bias (classes), regularized too; without an intercept W alone. Rows may come in several parts
 *  (training rows and trusted rows, say), which are not copied together. */
#ifndef SUSTAIN_SOFTMAX_H
#define SUSTAIN_SOFTMAX_H

#include <sustain/context.h>
#include <sustain/rows.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a model may add to its scores W a + b where no linear score separates the classes: random
 *  Fourier features (Rahimi and Recht, 2007),
 *
 *      V (cos(w a + h), sin(w a + h)) */
typedef struct sustain_fourier {
    int64_t waves;         /**< at least 1 */
    const sustain_real *w; /**< w (waves, dim) row by row, then h (waves) */
    const sustain_real *v; /**< V (classes, 2 waves) row by row: weights of the cosines, then of the sines */
} sustain_fourier;

/** A model's form, and how it is fitted. Take it from sustain_softmax_defaults(). It begins with
 *  its size, so that it can grow. */
typedef struct sustain_softmax_options {
    size_t size;     /**< sizeof(sustain_softmax_options), as the caller was compiled */
    int64_t classes; /**< at least 2 */
    bool intercept;
    double c;           /**< regularization, > 0 */
    double tolerance;   /**< stop when the gradient is this small against the length of a row */
    int64_t iterations; /**< at most, of L-BFGS */
    /** added to the scores by sustain_softmax_predict() and sustain_softmax_accuracy(); fits are
     *  linear. Borrowed. NULL: nothing */
    const sustain_fourier *fourier;
} sustain_softmax_options;

/** What sustain_softmax_defaults() calls: fills `size` bytes. */
void sustain_softmax_defaults_for(size_t size, sustain_softmax_options *options);

/** An intercept, c = 1e-4, tolerance 1e-4, 200 iterations; `classes` must be set. */
static inline sustain_softmax_options sustain_softmax_defaults(void) {
    sustain_softmax_options options;
    sustain_softmax_defaults_for(sizeof options, &options);
    return options;
}

/** Some rows to fit on. Everything is borrowed for the time of the call. */
typedef struct sustain_softmax_part {
    const sustain_rows *rows;
    const float *weights; /**< (rows->count) finite and not negative; NULL: 1 each */
} sustain_softmax_part;

/** How many numbers a model for rows of `dim` features has. */
int64_t sustain_softmax_size(const sustain_softmax_options *options, int64_t dim);

/** Fits a model; y is the start and becomes the answer. The iterations may end before the tolerance
 *  is reached; this is not an error. Refused: more than 8 parts, parts with different `dim`, rows
 *  without labels or with a label outside the range, weights that are all 0. */
sustain_status sustain_softmax_fit(sustain_context *context, const sustain_softmax_options *options, const sustain_softmax_part *parts,
                                   int part_count, sustain_real *y);

/** The probability of each class for each row, (rows->count, classes), and the likeliest class,
 *  (rows->count); each may be NULL. */
sustain_status sustain_softmax_predict(sustain_context *context, const sustain_softmax_options *options, const sustain_rows *rows,
                                       const sustain_real *y, float *probabilities, int32_t *labels);

/** The share of rows whose likeliest class is their label. */
sustain_status sustain_softmax_accuracy(sustain_context *context, const sustain_softmax_options *options, const sustain_rows *rows,
                                        const sustain_real *y, double *accuracy);

#ifdef __cplusplus
}
#endif
#endif
