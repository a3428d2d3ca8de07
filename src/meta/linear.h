/* linear.h - a softmax head in weight space: the loss of rows of features, its gradient, and the
 * tangent of the gradient. For methods that do not adapt a head by head.h: the backbone adapts with
 * it, or it is made of class means, or has all training classes.
 *
 *   loss = mean over rows of L(W a + b) + lambda (|W|^2 + |b|^2),     R = softmax - labels
 *   d_a = R W / n,     d_W = R'a / n + 2 lambda W,     d_b = sum R / n + 2 lambda b */
#ifndef SUSTAIN_META_LINEAR_H
#define SUSTAIN_META_LINEAR_H

#include "core/context_internal.h"

/* Rows of features and the head that is applied to them; all borrowed. */
typedef struct sustain__linear {
    int64_t rows, dim, ways;
    const sustain_real *features; /* (rows, dim) */
    const int32_t *labels;        /* (rows) */
    const sustain_real *y;        /* W (ways, dim), then b (ways) */
    double lambda;
    double *P, *R; /* (rows, ways) each: probabilities, R; written by the loss */
} sustain__linear;

/* The mean loss without the lambda term; counts correct predictions. */
double sustain__linear_loss(const sustain__linear *l, int64_t *correct);

/* Nearest class mean as a head: W_c = 2 mean_c, b_c = -|mean_c|^2, so that the scores are minus the
 * squared distances to the means, plus |a|^2, which is the same for all classes. Every class has a
 * row. y is written. */
void sustain__linear_means(int64_t rows, int64_t dim, int64_t ways, const sustain_real *features, const int32_t *labels, sustain_real *y);

/* Its derivative: d_features (rows, dim) from d_y; y is as the function above left it. */
void sustain__linear_means_gradient(int64_t rows, int64_t dim, int64_t ways, const int32_t *labels, const sustain_real *y,
                                    const sustain_real *d_y, sustain_real *d_features);

/* After the loss: the gradient with respect to the features and, if d_y is not NULL, to y (added
 * to d_y). */
void sustain__linear_gradient(const sustain__linear *l, sustain_real *d_features, sustain_real *d_y);

/* After the loss: the tangents of both gradients when the features move along features_t and y
 * along y_t; that of y is added. R_t (rows, ways) is scratch. features_t NULL: they do not move. */
void sustain__linear_gradient_tangent(const sustain__linear *l, const sustain_real *features_t, const sustain_real *y_t, double *R_t,
                                      sustain_real *d_features_t, sustain_real *d_y_t);

#endif
