/* direct.c - convolutions as matrix products: one row of a map at a time in direct_conv(), a few
 * rows that fit the cache in direct_weights().
 *
 * Pictures are padded with zeros as (height + 2, blocks, width + 2, lanes): the rows of taps of
 * all channels are equally spaced. */
#include "nn/direct.h"

#include <string.h>

#include "nn/product.h"

enum { LANES = SUSTAIN__LANES, SIDE = 3, BAND_BYTES = 32768 };

typedef sustain__direct shape;

int64_t sustain__direct_padded(const shape *s) {
    return (s->height + 2) * s->in * (s->width + 2);
}

/* Length of one row of a padded block. */
static int64_t wide(const shape *s) {
    return (s->width + 2) * s->lanes;
}

void sustain__direct_pack(const shape *s, int64_t real_out, const float *w, float *packed) {
    for (int64_t o = 0; o < real_out; o++)
        for (int64_t i = 0; i < s->in; i++)
            for (int64_t t = 0; t < SIDE * SIDE; t++) packed[((t / SIDE * s->in + i) * SIDE + t % SIDE) * s->out + o] = *w++;
}

void sustain__direct_add_unpacked(const shape *s, int64_t real_out, int64_t real_in, const float *packed, float *w) {
    for (int64_t o = 0; o < real_out; o++)
        for (int64_t i = 0; i < real_in; i++)
            for (int64_t t = 0; t < SIDE * SIDE; t++) *w++ += packed[((t / SIDE * s->in + i) * SIDE + t % SIDE) * s->out + o];
}

static void pad(const shape *s, const float *in, float *padded) {
    const int64_t row = s->width * s->lanes, blocks = s->in / s->lanes;
    const size_t side = (size_t)s->lanes * sizeof *padded, line = (size_t)(blocks * wide(s)) * sizeof *padded;
    memset(padded, 0, line);
    for (int64_t y = 1; y <= s->height; y++)
        for (int64_t k = 0; k < blocks; k++) {
            float *to = padded + (y * blocks + k) * wide(s);
            memset(to, 0, side);
            memcpy(to + s->lanes, in + (k * s->height + y - 1) * row, (size_t)row * sizeof *to);
            memset(to + s->lanes + row, 0, side);
        }
    memset(padded + (s->height + 1) * blocks * wide(s), 0, line);
}

void sustain__direct_conv(const shape *s, int64_t n, const float *in, const float *w, bool add, float *padded, float *z) {
    const int64_t row = s->width * LANES;
    const sustain__product p = {.rows = s->width,
                                .vectors = s->out / LANES,
                                .terms = SIDE,
                                .repeats = SIDE * s->in,
                                .a_row = 1,
                                .a_term = 1,
                                .a_repeat = wide(s),
                                .b_vector = LANES,
                                .b_term = s->out,
                                .b_repeat = SIDE * s->out,
                                .c_row = LANES,
                                .c_vector = s->height * row};
    for (int64_t k = 0; k < n; k++, in += s->in * s->height * s->width, z += s->out * s->height * s->width) {
        pad(s, in, padded);
        for (int64_t y = 0; y < s->height; y++) sustain__matrix_product(&p, padded + y * s->in * wide(s), w, add, z + y * row);
    }
}

/* One picture: for each channel and row of taps the three sums of its columns. */
static void add_weights(const shape *s, const float *padded, const float *dz, float *dw) {
    const int64_t row = s->width * LANES, line = s->in / s->lanes * wide(s);
    const int64_t fitting = BAND_BYTES / (4 * row * (int64_t)sizeof *dz), most = fitting > 1 ? fitting : 1;
    sustain__product p = {.rows = SIDE,
                          .vectors = s->out / LANES,
                          .terms = s->width,
                          .a_row = s->lanes,
                          .a_term = s->lanes,
                          .a_repeat = line,
                          .b_vector = s->height * row,
                          .b_term = LANES,
                          .b_repeat = row,
                          .c_row = s->out,
                          .c_vector = LANES};
    for (int64_t y = 0; y < s->height; y += p.repeats) {
        p.repeats = s->height - y < most ? s->height - y : most;
        for (int64_t t = 0; t < SIDE; t++)
            for (int64_t i = 0; i < s->in; i++)
                sustain__matrix_product(&p, padded + (y + t) * line + i / s->lanes * wide(s) + i % s->lanes, dz + y * row, true,
                                        dw + (t * s->in + i) * SIDE * s->out);
    }
}

void sustain__direct_weights(const shape *s, int64_t n, const float *in, const float *dz, float *padded, float *dw) {
    for (int64_t k = 0; k < n; k++, in += s->in * s->height * s->width, dz += s->out * s->height * s->width) {
        pad(s, in, padded);
        add_weights(s, padded, dz, dw);
    }
}
