/* blocked_weights_avx2.c - the gradient of a convolution in its weights, for AVX2 and FMA.
 *
 * oneDNN's own (2.6) reaches less than its other two convolutions, and has none to speak of for pictures of one channel. For one channel of the
 * input and one row of taps there are 3 sums for each block of eight channels of dz; those of four blocks, twelve registers, are kept
 * while a band of rows goes by: each place is four loads of dz, three of the input, and twelve multiplications. */
#ifdef SUSTAIN__ONEDNN
#include "nn/blocked.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = SUSTAIN__LANES, TAPS = SUSTAIN__TAPS, SIDE = 3, MOST_BLOCKS = 4, BAND_BYTES = 32768 };

#define ALWAYS static inline __attribute__((always_inline))

typedef sustain__blocked shape;

/* Rows that follow each other in the input, with zeros left and right, and in dz. */
typedef struct band {
    int64_t rows, width, lanes;
    int64_t input_row; /* numbers */
    int64_t dz_block, dw_block;
} band;

/* The sums of one block, for three taps in a row. Named, not numbered: compilers keep these in registers, and arrays of them in memory. */
typedef struct sums {
    __m256 left, middle, right;
} sums;

ALWAYS sums load(const float *dw) {
    return (sums){_mm256_loadu_ps(dw), _mm256_loadu_ps(dw + LANES), _mm256_loadu_ps(dw + 2 * LANES)};
}

ALWAYS void store(float *dw, sums s) {
    _mm256_storeu_ps(dw, s.left);
    _mm256_storeu_ps(dw + LANES, s.middle);
    _mm256_storeu_ps(dw + 2 * LANES, s.right);
}

ALWAYS sums add(sums s, const float *dz, sums input) {
    const __m256 d = _mm256_loadu_ps(dz);
    return (sums){_mm256_fmadd_ps(d, input.left, s.left), _mm256_fmadd_ps(d, input.middle, s.middle),
                  _mm256_fmadd_ps(d, input.right, s.right)};
}

ALWAYS void add_products(const int blocks, const band *b, const float *input, const float *dz, float *dw) {
    const int64_t from = b->dz_block, to = b->dw_block, lanes = b->lanes, width = b->width;
    sums s0 = load(dw), s1 = s0, s2 = s0, s3 = s0;
    if (blocks > 1) s1 = load(dw + to);
    if (blocks > 2) s2 = load(dw + 2 * to);
    if (blocks > 3) s3 = load(dw + 3 * to);
    for (int64_t y = 0; y < b->rows; y++, input += b->input_row)
        for (int64_t x = 0; x < width; x++, dz += LANES) {
            const float *at = input + x * lanes;
            const sums number = {_mm256_broadcast_ss(at), _mm256_broadcast_ss(at + lanes), _mm256_broadcast_ss(at + 2 * lanes)};
            s0 = add(s0, dz, number);
            if (blocks > 1) s1 = add(s1, dz + from, number);
            if (blocks > 2) s2 = add(s2, dz + 2 * from, number);
            if (blocks > 3) s3 = add(s3, dz + 3 * from, number);
        }
    store(dw, s0);
    if (blocks > 1) store(dw + to, s1);
    if (blocks > 2) store(dw + 2 * to, s2);
    if (blocks > 3) store(dw + 3 * to, s3);
}

static void add_products_of(int64_t blocks, const band *b, const float *input, const float *dz, float *dw) {
    switch (blocks) {
    case 1:
        add_products(1, b, input, dz, dw);
        break;
    case 2:
        add_products(2, b, input, dz, dw);
        break;
    case 3:
        add_products(3, b, input, dz, dw);
        break;
    default:
        add_products(MOST_BLOCKS, b, input, dz, dw);
    }
}

int64_t sustain__blocked_padded(const shape *s, int64_t in) {
    return in * (s->height + 2) * (s->width + 2);
}

static void pad(const shape *s, int64_t in, int64_t lanes, const float *input, float *padded) {
    const int64_t row = s->width * lanes, wide = row + 2 * lanes;
    const size_t side = (size_t)lanes * sizeof *padded, zeros = (size_t)wide * sizeof *padded;
    for (int64_t i = 0; i < in / lanes; i++) {
        memset(padded, 0, zeros);
        padded += wide;
        for (int64_t y = 0; y < s->height; y++, input += row, padded += wide) {
            memset(padded, 0, side);
            memcpy(padded + lanes, input, (size_t)row * sizeof *padded);
            memset(padded + lanes + row, 0, side);
        }
        memset(padded, 0, zeros);
        padded += wide;
    }
}

/* One picture, whose input is padded. */
static void add_picture(const shape *s, int64_t in, int64_t lanes, const float *padded, const float *dz, float *dw) {
    const int64_t plane = (s->height + 2) * (s->width + 2) * lanes, dz_row = s->width * LANES;
    const int64_t fitting = BAND_BYTES / (MOST_BLOCKS * dz_row * (int64_t)sizeof *dz), most = fitting > 1 ? fitting : 1;
    band b = {0, s->width, lanes, (s->width + 2) * lanes, s->height * dz_row, in * TAPS * LANES};
    for (int64_t k = 0; k < s->blocks; k += MOST_BLOCKS)
        for (int64_t y = 0; y < s->height; y += b.rows) {
            b.rows = s->height - y < most ? s->height - y : most;
            for (int64_t i = 0; i < in; i++)
                for (int64_t t = 0; t < SIDE; t++)
                    add_products_of(s->blocks - k, &b, padded + i / lanes * plane + i % lanes + (y + t) * b.input_row,
                                    dz + k * b.dz_block + y * dz_row, dw + k * b.dw_block + (i * TAPS + t * SIDE) * LANES);
        }
}

void sustain__blocked_weights(const shape *s, int64_t n, int64_t in, int64_t lanes, const float *input, const float *dz, float *padded,
                              float *dw) {
    const int64_t input_size = in * s->height * s->width, dz_size = s->blocks * s->height * s->width * LANES;
    for (int64_t p = 0; p < n; p++) {
        pad(s, in, lanes, input + p * input_size, padded);
        add_picture(s, in, lanes, padded, dz + p * dz_size, dw);
    }
}
#endif
