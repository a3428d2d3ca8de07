/* layers_plain.c - the layers as plain loops: maps are (channels, height, width), one picture at a time.
 *
 * A picture is copied into rows of width + 2 with zeros all around. Seen as one long row p = y (width + 2) + x, the convolution is
 *
 *   z[p] = sum over (ky, kx) of w[ky][kx] padded[p + ky (width + 2) + kx],
 *
 * nine products for each place without any border, in loops as long as the picture; the last two places of each row are nonsense and left out. */
#include "nn/layers.h"

#include <string.h>

enum { TILE = 512, LANES = 8, TAPS = 9 };

struct sustain__layers {
    sustain_context *context;
    sustain__block_shape blocks[SUSTAIN__BLOCKS];
    int64_t bytes;
    sustain_real *padded; /* (channels, height + 2, width + 2): what a convolution reads */
    sustain_real *flat;   /* (channels, height, width + 2): what it writes */
    sustain_real *turned; /* (in, out, 3, 3): weights as conv_data() wants them */
};

/* ---- convolution ---- */

/* The border of `padded` is zero; its shape changes from block to block, so it is written each time. */
static void pad(int64_t channels, int64_t height, int64_t width, const sustain_real *map, sustain_real *padded) {
    const int64_t row = width + 2;
    for (int64_t c = 0; c < channels; c++, padded += (height + 2) * row) {
        memset(padded, 0, (size_t)row * sizeof *padded);
        for (int64_t y = 0; y < height; y++, map += width) {
            sustain_real *to = padded + (y + 1) * row;
            to[0] = to[row - 1] = 0;
            memcpy(to + 1, map, (size_t)width * sizeof *to);
        }
        memset(padded + (height + 1) * row, 0, (size_t)row * sizeof *padded);
    }
}

static void flatten(int64_t channels, int64_t height, int64_t width, const sustain_real *map, sustain_real *flat) {
    for (int64_t y = 0; y < channels * height; y++, map += width, flat += width + 2) {
        memcpy(flat, map, (size_t)width * sizeof *flat);
        flat[width] = flat[width + 1] = 0;
    }
}

static void unflatten(int64_t channels, int64_t height, int64_t width, const sustain_real *flat, bool add, sustain_real *map) {
    for (int64_t y = 0; y < channels * height; y++, map += width, flat += width + 2) {
        if (add)
            for (int64_t x = 0; x < width; x++) map[x] += flat[x];
        else
            memcpy(map, flat, (size_t)width * sizeof *map);
    }
}

static void add_taps(int64_t n, int64_t row, const sustain_real *restrict w, const sustain_real *restrict from, sustain_real *restrict to) {
    const sustain_real *a = from, *b = from + row, *c = from + 2 * row;
    for (int64_t p = 0; p < n; p++)
        to[p] += ((w[0] * a[p] + w[1] * a[p + 1]) + (w[2] * a[p + 2] + w[3] * b[p])) +
                 ((w[4] * b[p + 1] + w[5] * b[p + 2]) + (w[6] * c[p] + w[7] * c[p + 1])) + w[8] * c[p + 2];
}

/* flat (out, height, width + 2) = padded (in, height + 2, width + 2) * w (out, in, 3, 3), tile by tile so that what is read stays in cache. */
static void correlate(int64_t in, int64_t out, int64_t height, int64_t width, const sustain_real *padded, const sustain_real *w,
                      sustain_real *flat) {
    const int64_t row = width + 2, places = height * row - 2, plane = (height + 2) * row;
    for (int64_t tile = 0; tile < places; tile += TILE) {
        const int64_t n = places - tile < TILE ? places - tile : TILE;
        for (int64_t o = 0; o < out; o++) {
            sustain_real *to = flat + o * height * row + tile;
            memset(to, 0, (size_t)n * sizeof *to);
            for (int64_t i = 0; i < in; i++) add_taps(n, row, w + (o * in + i) * TAPS, padded + i * plane + tile, to);
        }
    }
}

static void conv(sustain__layers *layers, int block, int64_t n, const sustain_real *in, const sustain_real *w, bool add, sustain_real *z) {
    const sustain__block_shape *s = &layers->blocks[block];
    const int64_t size = s->height * s->width;
    for (int64_t k = 0; k < n; k++) {
        pad(s->in, s->height, s->width, in + k * s->in * size, layers->padded);
        correlate(s->in, s->out, s->height, s->width, layers->padded, w, layers->flat);
        unflatten(s->out, s->height, s->width, layers->flat, add, z + k * s->out * size);
    }
}

/* The same with the weights turned by 180 degrees, from `out` to `in`. */
static void conv_data(sustain__layers *layers, int block, int64_t n, const sustain_real *dz, const sustain_real *w, bool add,
                      sustain_real *din) {
    const sustain__block_shape *s = &layers->blocks[block];
    const int64_t size = s->height * s->width;
    for (int64_t o = 0; o < s->out; o++)
        for (int64_t i = 0; i < s->in; i++)
            for (int64_t t = 0; t < TAPS; t++) layers->turned[(i * s->out + o) * TAPS + t] = w[(o * s->in + i) * TAPS + TAPS - 1 - t];
    for (int64_t k = 0; k < n; k++) {
        pad(s->out, s->height, s->width, dz + k * s->out * size, layers->padded);
        correlate(s->out, s->in, s->height, s->width, layers->padded, layers->turned, layers->flat);
        unflatten(s->in, s->height, s->width, layers->flat, add, din + k * s->in * size);
    }
}

/* dw[ky][kx] += sum over p of d[p] from[p + ky row + kx]: sums side by side over one map, then in double. */
static void add_products(int64_t n, int64_t row, const sustain_real *restrict d, const sustain_real *restrict from,
                         sustain_real *restrict dw) {
    for (int64_t ky = 0; ky < 3; ky++) {
        const sustain_real *a = from + ky * row;
        sustain_real sum[3][LANES] = {{0}};
        int64_t p = 0;
        for (; p + LANES <= n; p += LANES)
            for (int l = 0; l < LANES; l++) {
                sum[0][l] += d[p + l] * a[p + l];
                sum[1][l] += d[p + l] * a[p + l + 1];
                sum[2][l] += d[p + l] * a[p + l + 2];
            }
        for (int l = 0; p < n; p++, l++)
            for (int kx = 0; kx < 3; kx++) sum[kx][l] += d[p] * a[p + kx];
        for (int kx = 0; kx < 3; kx++) {
            double total = 0;
            for (int l = 0; l < LANES; l++) total += (double)sum[kx][l];
            dw[ky * 3 + kx] = (sustain_real)((double)dw[ky * 3 + kx] + total);
        }
    }
}

static void conv_weights(sustain__layers *layers, int block, int64_t n, const sustain_real *in, const sustain_real *dz, sustain_real *dw) {
    const sustain__block_shape *s = &layers->blocks[block];
    const int64_t size = s->height * s->width, row = s->width + 2, places = s->height * row - 2, plane = (s->height + 2) * row;
    for (int64_t k = 0; k < n; k++) {
        pad(s->in, s->height, s->width, in + k * s->in * size, layers->padded);
        flatten(s->out, s->height, s->width, dz + k * s->out * size, layers->flat);
        for (int64_t o = 0; o < s->out; o++)
            for (int64_t i = 0; i < s->in; i++)
                add_products(places, row, layers->flat + o * s->height * row, layers->padded + i * plane, dw + (o * s->in + i) * TAPS);
    }
}

/* ---- normalization, ReLU, pooling ---- */

/* Where the picked place j of a map is in it. */
static int64_t place(const sustain__block_shape *s, int64_t j, uint8_t chosen) {
    const int64_t columns = s->width / 2, y = j / columns, x = j % columns;
    return (2 * y + chosen / 2) * s->width + 2 * x + chosen % 2;
}

static int64_t pooled_size(const sustain__block_shape *s) {
    return (s->height / 2) * (s->width / 2);
}

/* Adds up a map and its products with another one. */
static void add_moments(int64_t n, const sustain_real *a, const sustain_real *b, double *sum, double *product) {
    double s = 0, p = 0;
    for (int64_t i = 0; i < n; i++) {
        s += (double)a[i];
        p += (double)a[i] * (double)b[i];
    }
    *sum += s;
    *product += p;
}

static void pool(sustain__layers *layers, int block, int64_t n, const sustain_real *z, const sustain_real *sign, uint8_t *chosen,
                 sustain_real *picked, double *sums) {
    const sustain__block_shape *s = &layers->blocks[block];
    const int64_t size = s->height * s->width, pooled = pooled_size(s), columns = s->width / 2;
    for (int64_t m = 0; m < n * s->out; m++, z += size, chosen += pooled, picked += pooled) {
        const int64_t c = m % s->out;
        add_moments(size, z, z, &sums[c], &sums[s->out + c]);
        for (int64_t y = 0; y < s->height / 2; y++)
            for (int64_t x = 0; x < columns; x++) {
                const sustain_real *w = z + 2 * y * s->width + 2 * x;
                const sustain_real window[4] = {w[0], w[1], w[s->width], w[s->width + 1]};
                uint8_t best = 0;
                for (uint8_t k = 1; k < 4; k++)
                    if (sign[c] * window[k] > sign[c] * window[best]) best = k;
                chosen[y * columns + x] = best;
                picked[y * columns + x] = window[best];
            }
    }
}

static void pick(sustain__layers *layers, int block, int64_t n, const sustain_real *z, const sustain_real *zt, const uint8_t *chosen,
                 sustain_real *picked_t, double *sums) {
    const sustain__block_shape *s = &layers->blocks[block];
    const int64_t size = s->height * s->width, pooled = pooled_size(s);
    for (int64_t m = 0; m < n * s->out; m++, z += size, zt += size, chosen += pooled, picked_t += pooled) {
        const int64_t c = m % s->out;
        add_moments(size, zt, z, &sums[c], &sums[s->out + c]);
        for (int64_t j = 0; j < pooled; j++) picked_t[j] = zt[place(s, j, chosen[j])];
    }
}

static void rectify(sustain__layers *layers, int block, int64_t n, const sustain_real *picked, const sustain_real *c, sustain_real *out) {
    const sustain__block_shape *s = &layers->blocks[block];
    const int64_t pooled = pooled_size(s);
    for (int64_t m = 0; m < n * s->out; m++, picked += pooled, out += pooled) {
        const sustain_real c0 = c[m % s->out], c1 = c[s->out + m % s->out];
        for (int64_t j = 0; j < pooled; j++) {
            const sustain_real y = c0 * picked[j] + c1;
            out[j] = y > 0 ? y : 0;
        }
    }
}

static void rectify_tangent(sustain__layers *layers, int block, int64_t n, const sustain_real *out, const sustain_real *picked,
                            const sustain_real *picked_t, const sustain_real *c, sustain_real *outt) {
    const sustain__block_shape *s = &layers->blocks[block];
    const int64_t pooled = pooled_size(s);
    for (int64_t m = 0; m < n * s->out; m++, out += pooled, picked += pooled, picked_t += pooled, outt += pooled) {
        const sustain_real c0 = c[m % s->out], c1 = c[s->out + m % s->out], c2 = c[2 * s->out + m % s->out];
        for (int64_t j = 0; j < pooled; j++) outt[j] = out[j] > 0 ? c0 * picked_t[j] + c1 * picked[j] + c2 : 0;
    }
}

static void alive_sums(sustain__layers *layers, int block, int64_t n, const sustain_real *out, const sustain_real *d,
                       const sustain_real *picked, double *sums) {
    const sustain__block_shape *s = &layers->blocks[block];
    const int64_t pooled = pooled_size(s);
    for (int64_t m = 0; m < n * s->out; m++, out += pooled, d += pooled, picked += pooled) {
        const int64_t c = m % s->out;
        for (int64_t j = 0; j < pooled; j++)
            if (out[j] > 0) {
                sums[c] += (double)d[j];
                sums[s->out + c] += (double)d[j] * (double)picked[j];
            }
    }
}

static void spread(sustain__layers *layers, int block, int64_t n, const sustain_real *z, const uint8_t *chosen, const sustain_real *out,
                   const sustain_real *d, const sustain_real *c, sustain_real *dz) {
    const sustain__block_shape *s = &layers->blocks[block];
    const int64_t size = s->height * s->width, pooled = pooled_size(s);
    for (int64_t m = 0; m < n * s->out; m++, z += size, dz += size, chosen += pooled, out += pooled, d += pooled) {
        const sustain_real c0 = c[m % s->out], c1 = c[s->out + m % s->out], c2 = c[2 * s->out + m % s->out];
        for (int64_t i = 0; i < size; i++) dz[i] = c0 * z[i] + c1;
        for (int64_t j = 0; j < pooled; j++)
            if (out[j] > 0) dz[place(s, j, chosen[j])] += c2 * d[j];
    }
}

static void spread_tangent(sustain__layers *layers, int block, int64_t n, const sustain_real *z, const sustain_real *zt,
                           const uint8_t *chosen, const sustain_real *out, const sustain_real *d, const sustain_real *dt,
                           const sustain_real *c, sustain_real *dzt) {
    const sustain__block_shape *s = &layers->blocks[block];
    const int64_t size = s->height * s->width, pooled = pooled_size(s);
    for (int64_t m = 0; m < n * s->out; m++) {
        const sustain_real *k = c + m % s->out;
        const sustain_real c0 = k[0], c1 = k[s->out], c2 = k[2 * s->out], c3 = k[3 * s->out], c4 = k[4 * s->out];
        for (int64_t i = 0; i < size; i++) dzt[i] = c0 * z[i] + c1 + c2 * zt[i];
        for (int64_t j = 0; j < pooled; j++)
            if (out[j] > 0) dzt[place(s, j, chosen[j])] += c3 * d[j] + c4 * dt[j];
        z += size, zt += size, dzt += size;
        chosen += pooled, out += pooled, d += pooled, dt += pooled;
    }
}

/* ---- layout ---- */

static void copy_rows(sustain__layers *layers, int block, int64_t n, const sustain_real *from, sustain_real *to) {
    const sustain__block_shape *s = &layers->blocks[block];
    memcpy(to, from, (size_t)(n * s->out * pooled_size(s)) * sizeof *to);
}

static int64_t map_size(int64_t channels, int64_t height, int64_t width) {
    return channels * height * width;
}

static int64_t chunk(const sustain__layers *layers, int block) {
    (void)layers, (void)block;
    return 1;
}

static int64_t bytes(const sustain__layers *layers) {
    return layers->bytes;
}

/* ---- life ---- */

static void destroy(sustain__layers *layers) {
    if (layers == NULL) return;
    sustain__free(layers->context, layers->padded);
    sustain__free(layers->context, layers);
}

static sustain_status create(sustain_context *context, const sustain__block_shape blocks[SUSTAIN__BLOCKS], sustain__layers **out) {
    sustain__layers *layers;
    size_t padded = 0, turned = 0;
    *out = NULL;
    for (int i = 0; i < SUSTAIN__BLOCKS; i++) {
        const sustain__block_shape *s = &blocks[i];
        const size_t channels = (size_t)(s->in > s->out ? s->in : s->out), weights = (size_t)(s->in * s->out * TAPS);
        const size_t all = channels * (size_t)((s->height + 2) * (s->width + 2));
        if (all > padded) padded = all;
        if (weights > turned) turned = weights;
    }
    const size_t numbers = 2 * padded + turned;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *layers, &layers));
    layers->context = context;
    memcpy(layers->blocks, blocks, sizeof layers->blocks);
    layers->bytes = (int64_t)(sizeof *layers + numbers * sizeof(sustain_real));
    const sustain_status status = sustain__allocate(context, numbers * sizeof(sustain_real), &layers->padded);
    if (status != SUSTAIN_OK) {
        destroy(layers);
        return status;
    }
    layers->flat = layers->padded + padded;
    layers->turned = layers->flat + padded;
    *out = layers;
    return SUSTAIN_OK;
}

const sustain__layers_kind sustain__layers_plain = {
    .name = "plain",
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .map_size = map_size,
    .chunk = chunk,
    .conv = conv,
    .conv_weights = conv_weights,
    .conv_data = conv_data,
    .pool = pool,
    .pick = pick,
    .rectify = rectify,
    .rectify_tangent = rectify_tangent,
    .alive_sums = alive_sums,
    .spread = spread,
    .spread_tangent = spread_tangent,
    .to_rows = copy_rows,
    .from_rows = copy_rows,
};
