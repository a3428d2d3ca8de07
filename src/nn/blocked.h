/* blocked.h - what follows a convolution, on maps in blocks of eight channels: (channels / 8, height, width, 8), oneDNN's nChw8c.
 *
 * Eight channels fill a register of AVX2, so every loop goes over places and works on eight channels at a time. The functions that are called as in
 * layers.h do what they do there. */
#ifndef SUSTAIN_NN_BLOCKED_H
#define SUSTAIN_NN_BLOCKED_H

#include "nn/layers.h"

enum { SUSTAIN__LANES = 8, SUSTAIN__TAPS = 9 };

/* The result of a convolution: (blocks, height, width, 8); pooled: (blocks, height / 2, width / 2, 8). Of the last block some channels may be padding. */
typedef struct sustain__blocked {
    int64_t blocks, channels, height, width;
} sustain__blocked;

/* Can this processor run what is here? */
bool sustain__blocked_usable(void);

/* Of layers whose maps are blocked; layers_onednn.c has it. */
const sustain__blocked *sustain__blocked_of(const sustain__layers *layers, int block);

void sustain__blocked_pool(sustain__layers *layers, int block, int64_t n, const float *z, const float *sign, uint8_t *chosen, float *picked,
                           double *sums);
void sustain__blocked_pick(sustain__layers *layers, int block, int64_t n, const float *z, const float *zt, const uint8_t *chosen,
                           float *picked_t, double *sums);
void sustain__blocked_rectify(sustain__layers *layers, int block, int64_t n, const float *picked, const float *c, float *out);
void sustain__blocked_rectify_tangent(sustain__layers *layers, int block, int64_t n, const float *out, const float *picked,
                                      const float *picked_t, const float *c, float *outt);
void sustain__blocked_alive_sums(sustain__layers *layers, int block, int64_t n, const float *out, const float *d, const float *picked,
                                 double *sums);
void sustain__blocked_spread(sustain__layers *layers, int block, int64_t n, const float *z, const uint8_t *chosen, const float *out,
                             const float *d, const float *c, float *dz);
void sustain__blocked_spread_tangent(sustain__layers *layers, int block, int64_t n, const float *z, const float *zt, const uint8_t *chosen,
                                     const float *out, const float *d, const float *dt, const float *c, float *dzt);
void sustain__blocked_to_rows(sustain__layers *layers, int block, int64_t n, const float *map, float *rows);
void sustain__blocked_from_rows(sustain__layers *layers, int block, int64_t n, const float *rows, float *map);

/* The gradient of a convolution in its weights: dw (blocks, in, 3, 3, 8) += .... The input is in blocks of `lanes` channels: 8, or 1 where it is
 * pictures, (in, height, width). `padded`: room for sustain__blocked_padded() numbers. */
void sustain__blocked_weights(const sustain__blocked *s, int64_t n, int64_t in, int64_t lanes, const float *input, const float *dz,
                              float *padded, float *dw);
int64_t sustain__blocked_padded(const sustain__blocked *s, int64_t in);

#endif
