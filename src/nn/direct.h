/* direct.h - convolutions as matrix products without a transformation, for input pictures, which
 * have too few channels for Winograd's algorithm.
 *
 * The input is in blocks of `lanes` channels: 8 (blocked.h), or 1 for pictures, (in, height,
 * width). The output is in blocks of 8. Weights are (3, in, 3, out): rows of taps, channels,
 * columns of taps. */
#ifndef SUSTAIN_NN_DIRECT_H
#define SUSTAIN_NN_DIRECT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sustain__direct {
    int64_t in, out, height, width; /* out: a multiple of 8 */
    int64_t lanes;
} sustain__direct;

/* Required length of `padded` below. */
int64_t sustain__direct_padded(const sustain__direct *s);

/* Weights w (real_out, in, 3, 3) -> packed (3, in, 3, out); the other channels are not changed. */
void sustain__direct_pack(const sustain__direct *s, int64_t real_out, const float *w, float *packed);
/* The inverse: w (real_out, real_in, 3, 3) += packed. */
void sustain__direct_add_unpacked(const sustain__direct *s, int64_t real_out, int64_t real_in, const float *packed, float *w);

/* For pictures only: z (+)= conv(in, w), for n pictures. */
void sustain__direct_conv(const sustain__direct *s, int64_t n, const float *in, const float *w, bool add, float *padded, float *z);
/* dw += the gradient with respect to the weights. */
void sustain__direct_weights(const sustain__direct *s, int64_t n, const float *in, const float *dz, float *padded, float *dw);

#endif
