/* winograd.h - 3x3 convolutions between maps in blocks of eight channels by Winograd's algorithm
 * F(2x2, 3x3); for AVX2 and NEON (vector8.h).
 *
 * A tile is 2 x 2 positions of the result and depends on 4 x 4 positions of the input.
 * Transformed, both are 16 numbers per channel, and for each of the 16 the convolution is a
 * matrix product: 16 multiplications instead of 36. The gradient with respect to the weights has
 * the same form; that with respect to the input is again a convolution. See Lavin and Gray, Fast
 * algorithms for convolutional neural networks, 2016. */
#ifndef SUSTAIN_NN_WINOGRAD_H
#define SUSTAIN_NN_WINOGRAD_H

#include <stdbool.h>
#include <stdint.h>

/* From `in` channels to `out`, both multiples of 8. */
typedef struct sustain__winograd {
    int64_t in, out, height, width;
} sustain__winograd;

/* Lengths of the transformed weights (and their gradients), and of `scratch` below. */
int64_t sustain__winograd_weights_size(const sustain__winograd *s);
int64_t sustain__winograd_scratch_size(const sustain__winograd *s);

/* Transforms weights w (out, in, 3, 3) of `real_out` and `real_in` channels; the others are zero
 * in `weights` and stay zero. `turned`: weights of the convolution from `out` to `in` that
 * computes the gradient with respect to the input; s is the shape of that convolution. */
void sustain__winograd_transform(const sustain__winograd *s, bool turned, int64_t real_out, int64_t real_in, const float *w,
                                 float *weights);

/* z (+)= conv(in, weights), for n pictures. */
void sustain__winograd_conv(const sustain__winograd *s, int64_t n, const float *in, const float *weights, bool add, float *scratch,
                            float *z);

/* dw (real_out, real_in, 3, 3) += the gradient with respect to the weights. `dweights` is
 * scratch memory too. */
void sustain__winograd_gradient(const sustain__winograd *s, int64_t n, int64_t real_out, int64_t real_in, const float *in, const float *dz,
                                float *scratch, float *dweights, float *dw);

#endif
