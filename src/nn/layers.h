/* layers.h - the layers of the backbone as primitives on maps, in three implementations: plain
 * loops (the reference, always built), Winograd's algorithm for AVX2 and NEON, and oneDNN.
 *
 * A block is a convolution (3x3, padding 1, no bias, which the normalization would remove),
 * normalization, ReLU, 2x2 max pooling:
 *
 *   z = conv(in, W);   out = pool(max(0, a z + b)),   a = scale / deviation,   b = shift - a mean,
 *
 * for each channel and group of pictures, where deviation is the standard deviation of z.
 *
 * The convolution is bilinear, so its values, gradients and tangents of both are made of the
 * three primitives conv, conv_weights, conv_data. Max pooling commutes with a z + b where a > 0,
 * and is min pooling where a < 0; the sign of a is that of the scale, known before the
 * statistics. So pool() picks from z while it is still in cache, and computes the sums for the
 * statistics in the same pass. Everything after that works on the picked values, a quarter of
 * the map: out = max(0, a picked + b). For each channel the derivatives are then sums over
 * picked values and maps of the form c0 z + c1 + (at the picked positions) c2 d. backbone.c
 * computes the coefficients in double.
 *
 * The backbone calls the primitives for up to chunk() pictures at a time, so that a
 * convolution's result is used while it is in cache. */
#ifndef SUSTAIN_NN_LAYERS_H
#define SUSTAIN_NN_LAYERS_H

#include "core/context_internal.h"

enum { SUSTAIN__BLOCKS = 4 };

/* The convolution of a block: maps (in, height, width) -> (out, height, width); pooling halves
 * height and width, rounded down. */
typedef struct sustain__block_shape {
    int64_t in, out, height, width;
} sustain__block_shape;

static inline int64_t sustain__larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Primitives, scratch memory and repacked weights of one worker. Not shared between threads. */
typedef struct sustain__layers sustain__layers;

/* Conventions of all functions below.
 * - Maps are in the layout of the implementation, one picture after the other, channels possibly
 *   padded: map_size() numbers per picture. Padding is zero in every map that a primitive
 *   writes. Only the input of block 0 is always (pictures, in, height, width), and conv_data()
 *   is never called for it. Weights and their gradients are always (out, in, 3, 3).
 * - `n` pictures, at most chunk(block) of them in conv, conv_weights and conv_data, else any
 *   number; in one group where sums or coefficients are given.
 * - Rows of sums and coefficients have `stride` = map_size(out, 1, 1) numbers, one for each
 *   channel, padding zero: c[k * stride + channel].
 * - A picked map has the shape of the pooled output. `chosen` is one byte for each of its
 *   numbers: 0 .. 3 = 2 (row in the window) + (column). A picked position is alive where out >
 *   0.
 * - Sums are accumulated in double; other outputs are overwritten, or added to if `add`. No
 *   output overlaps an input.
 * - The same arguments give the same bits. No function allocates, except that an implementation
 *   may prepare for an `n` when it first sees it. */
typedef struct sustain__layers_kind {
    const char *name; /* "winograd", "onednn", "plain" */

    /* Whether this processor can run it for pictures of this many channels. create() refuses
     * otherwise. */
    bool (*usable)(int64_t channels);
    sustain_status (*create)(sustain_context *context, const sustain__block_shape blocks[SUSTAIN__BLOCKS], sustain__layers **out);
    void (*destroy)(sustain__layers *layers);        /* NULL is allowed */
    int64_t (*bytes)(const sustain__layers *layers); /* memory in use */

    /* Numbers in the map of one picture. */
    int64_t (*map_size)(int64_t channels, int64_t height, int64_t width);
    /* How many pictures a convolution of this block takes at a time; at least 1. */
    int64_t (*chunk)(const sustain__layers *layers, int block);

    /* z (+)= conv(in, w) */
    void (*conv)(sustain__layers *layers, int block, int64_t n, const sustain_real *in, const sustain_real *w, bool add, sustain_real *z);
    /* dw += derivative of <dz, conv(in, w)> in w */
    void (*conv_weights)(sustain__layers *layers, int block, int64_t n, const sustain_real *in, const sustain_real *dz, sustain_real *dw);
    /* din (+)= derivative of <dz, conv(in, w)> in in */
    void (*conv_data)(sustain__layers *layers, int block, int64_t n, const sustain_real *dz, const sustain_real *w, bool add,
                      sustain_real *din);

    /* For each window: chosen = the first position where sign * z is largest, picked = z there.
     * sums (2, stride) += sum of z, of z^2, over the whole map. */
    void (*pool)(sustain__layers *layers, int block, int64_t n, const sustain_real *z, const sustain_real *sign, uint8_t *chosen,
                 sustain_real *picked, double *sums);
    /* picked_t = zt at the chosen positions. sums (2, stride) += sum of zt, of z zt, over the
     * whole map. */
    void (*pick)(sustain__layers *layers, int block, int64_t n, const sustain_real *z, const sustain_real *zt, const uint8_t *chosen,
                 sustain_real *picked_t, double *sums);

    /* out = max(0, c0 picked + c1) */
    void (*rectify)(sustain__layers *layers, int block, int64_t n, const sustain_real *picked, const sustain_real *c, sustain_real *out);
    /* outt = c0 picked_t + c1 picked + c2 where alive, else 0 */
    void (*rectify_tangent)(sustain__layers *layers, int block, int64_t n, const sustain_real *out, const sustain_real *picked,
                            const sustain_real *picked_t, const sustain_real *c, sustain_real *outt);

    /* sums (2, stride) += sum of d, of d picked, over alive positions */
    void (*alive_sums)(sustain__layers *layers, int block, int64_t n, const sustain_real *out, const sustain_real *d,
                       const sustain_real *picked, double *sums);

    /* dz = c0 z + c1, plus c2 d at the chosen positions that are alive */
    void (*spread)(sustain__layers *layers, int block, int64_t n, const sustain_real *z, const uint8_t *chosen, const sustain_real *out,
                   const sustain_real *d, const sustain_real *c, sustain_real *dz);
    /* dzt = c0 z + c1 + c2 zt, plus c3 d + c4 dt at the chosen positions that are alive */
    void (*spread_tangent)(sustain__layers *layers, int block, int64_t n, const sustain_real *z, const sustain_real *zt,
                           const uint8_t *chosen, const sustain_real *out, const sustain_real *d, const sustain_real *dt,
                           const sustain_real *c, sustain_real *dzt);

    /* A pooled map of this block to rows (n, out * height/2 * width/2), in the order of
     * PyTorch's flatten, and back. */
    void (*to_rows)(sustain__layers *layers, int block, int64_t n, const sustain_real *map, sustain_real *rows);
    void (*from_rows)(sustain__layers *layers, int block, int64_t n, const sustain_real *rows, sustain_real *map);
} sustain__layers_kind;

extern const sustain__layers_kind sustain__layers_plain;
#ifdef SUSTAIN__WINOGRAD
extern const sustain__layers_kind sustain__layers_winograd;
#endif
#ifdef SUSTAIN__ONEDNN
extern const sustain__layers_kind sustain__layers_onednn; /* float only */
#endif

#endif
