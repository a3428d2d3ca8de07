/* correlate_loops.h - the loops of correlate.h for vectors of VECTOR_BYTES, which the including
 * file defines.
 *
 * A tile of up to four outputs is kept in registers: values() keeps two vectors of positions for
 * each, products() three columns of the kernel. */
#include "nn/correlate.h"

#define ALWAYS static inline __attribute__((always_inline))

typedef sustain_real lanes __attribute__((vector_size(VECTOR_BYTES)));
/* unaligned */
typedef sustain_real loose __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(sustain_real)), may_alias));

enum {
    LANES = VECTOR_BYTES / (int)sizeof(sustain_real),
    STEP = 2 * LANES,
    TILE = 64,    /* positions whose inputs all fit the L1 cache */
    SHORT = 2048, /* positions summed in single precision */
    OUTPUTS = 4,
    TAPS = 9
};
_Static_assert(SUSTAIN__CORRELATE_STEP % STEP == 0, "a plane must be a whole number of steps");

#define LOAD(p) (*(const loose *)(p))

ALWAYS void values_tile(const int outputs, const sustain__correlation *c, const sustain_real *from, const sustain_real *w,
                        sustain_real *to) {
    lanes sum[OUTPUTS][2] = {{{0}}};
    for (int64_t i = 0; i < c->in; i++, from += c->from_plane, w += TAPS)
        for (int ky = 0; ky < 3; ky++)
            for (int kx = 0; kx < 3; kx++) {
                const sustain_real *at = from + ky * c->row + kx;
                const lanes a = LOAD(at), b = LOAD(at + LANES);
                for (int o = 0; o < outputs; o++) {
                    const sustain_real weight = w[o * c->in * TAPS + ky * 3 + kx];
                    sum[o][0] += weight * a;
                    sum[o][1] += weight * b;
                }
            }
    for (int o = 0; o < outputs; o++) {
        *(loose *)(to + o * c->plane) = sum[o][0];
        *(loose *)(to + o * c->plane + LANES) = sum[o][1];
    }
}

static void values(const sustain__correlation *c, const sustain_real *from, const sustain_real *w, sustain_real *to) {
    for (int64_t tile = 0; tile < c->plane; tile += TILE) {
        const int64_t end = tile + TILE < c->plane ? tile + TILE : c->plane;
        int64_t o = 0;
        for (; o + OUTPUTS <= c->out; o += OUTPUTS)
            for (int64_t p = tile; p < end; p += STEP) values_tile(OUTPUTS, c, from + p, w + o * c->in * TAPS, to + o * c->plane + p);
        for (; o < c->out; o++)
            for (int64_t p = tile; p < end; p += STEP) values_tile(1, c, from + p, w + o * c->in * TAPS, to + o * c->plane + p);
    }
}

/* Adds the products of positions first .. end - 1 to total, for one row of the kernel. */
ALWAYS void products_short(const int outputs, int64_t plane, int64_t first, int64_t end, const sustain_real *from, const sustain_real *d,
                           double total[OUTPUTS][3]) {
    lanes sum[OUTPUTS][3] = {{{0}}};
    for (int64_t p = first; p < end; p += LANES) {
        const lanes left = LOAD(from + p), middle = LOAD(from + p + 1), right = LOAD(from + p + 2);
        for (int o = 0; o < outputs; o++) {
            const lanes g = LOAD(d + o * plane + p);
            sum[o][0] += g * left;
            sum[o][1] += g * middle;
            sum[o][2] += g * right;
        }
    }
    for (int o = 0; o < outputs; o++)
        for (int kx = 0; kx < 3; kx++)
            for (int l = 0; l < LANES; l++) total[o][kx] += (double)sum[o][kx][l];
}

ALWAYS void products_tile(const int outputs, const sustain__correlation *c, const sustain_real *from, const sustain_real *d,
                          sustain_real *dw) {
    for (int ky = 0; ky < 3; ky++) {
        double total[OUTPUTS][3] = {{0}};
        for (int64_t first = 0; first < c->plane; first += SHORT) {
            const int64_t end = first + SHORT < c->plane ? first + SHORT : c->plane;
            products_short(outputs, c->plane, first, end, from + ky * c->row, d, total);
        }
        for (int o = 0; o < outputs; o++)
            for (int kx = 0; kx < 3; kx++) {
                sustain_real *sum = &dw[o * c->in * TAPS + ky * 3 + kx];
                *sum = (sustain_real)((double)*sum + total[o][kx]);
            }
    }
}

static void products(const sustain__correlation *c, const sustain_real *from, const sustain_real *d, sustain_real *dw) {
    int64_t o = 0;
    for (; o + OUTPUTS <= c->out; o += OUTPUTS)
        for (int64_t i = 0; i < c->in; i++)
            products_tile(OUTPUTS, c, from + i * c->from_plane, d + o * c->plane, dw + (o * c->in + i) * TAPS);
    for (; o < c->out; o++)
        for (int64_t i = 0; i < c->in; i++) products_tile(1, c, from + i * c->from_plane, d + o * c->plane, dw + (o * c->in + i) * TAPS);
}
