/* layers_plain.c - the layers in plain C: maps are (channels, height, width), one picture at a
 * time.
 *
 * A picture is copied into rows of width + 2 with a border of zeros. Treated as one long row,
 * with position p = y (width + 2) + x, the convolution is
 *
 *   z[p] = sum over (ky, kx) of w[ky][kx] padded[p + ky (width + 2) + kx],
 *
 * nine products for each position with no special case at the border, in loops as long as the
 * picture (correlate.h). The last two positions of each row are meaningless and skipped. */
#include "nn/layers.h"

#include <string.h>

#include "nn/correlate.h"

enum { TAPS = 9 };

struct sustain__layers {
    sustain_context *context;
    sustain__block_shape blocks[SUSTAIN__BLOCKS];
    const sustain__correlate *correlate;
    size_t bytes;
    sustain_real *padded; /* (channels, height + 2, width + 2): what a convolution reads */
    sustain_real *flat;   /* (channels, height (width + 2), rounded up): what it writes */
    sustain_real *turned; /* (in, out, 3, 3): weights rotated for conv_data() */
    int32_t *where;       /* (height/2, width/2) */
};

/* ---- convolution ---- */

static sustain__correlation planes(int64_t in, int64_t out, const sustain__block_shape *s) {
    const int64_t row = s->width + 2, step = SUSTAIN__CORRELATE_STEP;
    return (sustain__correlation){in, out, row, (s->height + 2) * row, (s->height * row + step - 1) / step * step};
}

/* The shape of `padded` changes from block to block, so its border is written each time. */
static void pad(int64_t channels, const sustain__block_shape *s, const sustain_real *map, sustain_real *padded) {
    const int64_t row = s->width + 2;
    for (int64_t c = 0; c < channels; c++, padded += (s->height + 2) * row) {
        memset(padded, 0, (size_t)row * sizeof *padded);
        for (int64_t y = 0; y < s->height; y++, map += s->width) {
            sustain_real *to = padded + (y + 1) * row;
            to[0] = to[row - 1] = 0;
            memcpy(to + 1, map, (size_t)s->width * sizeof *to);
        }
        memset(padded + (s->height + 1) * row, 0, (size_t)row * sizeof *padded);
    }
}

static void flatten(const sustain__correlation *c, const sustain__block_shape *s, const sustain_real *map, sustain_real *flat) {
    memset(flat, 0, (size_t)(c->out * c->plane) * sizeof *flat);
    for (int64_t o = 0; o < c->out; o++)
        for (int64_t y = 0; y < s->height; y++, map += s->width)
            memcpy(flat + o * c->plane + y * c->row, map, (size_t)s->width * sizeof *flat);
}

static void unflatten(const sustain__correlation *c, const sustain__block_shape *s, const sustain_real *flat, bool add, sustain_real *map) {
    for (int64_t o = 0; o < c->out; o++)
        for (int64_t y = 0; y < s->height; y++, map += s->width) {
            const sustain_real *from = flat + o * c->plane + y * c->row;
            for (int64_t x = 0; x < s->width; x++) map[x] = add ? map[x] + from[x] : from[x];
        }
}

/* to (n, out, height, width) (+)= w (out, in, 3, 3) * from (n, in, height, width) */
static void convolve(sustain__layers *layers, const sustain__block_shape *s, int64_t in, int64_t out, int64_t n, const sustain_real *from,
                     const sustain_real *w, bool add, sustain_real *to) {
    const sustain__correlation c = planes(in, out, s);
    const int64_t size = s->height * s->width;
    for (int64_t k = 0; k < n; k++, from += in * size, to += out * size) {
        pad(in, s, from, layers->padded);
        layers->correlate->values(&c, layers->padded, w, layers->flat);
        unflatten(&c, s, layers->flat, add, to);
    }
}

static void conv(sustain__layers *layers, int block, int64_t n, const sustain_real *in, const sustain_real *w, bool add, sustain_real *z) {
    const sustain__block_shape *s = &layers->blocks[block];
    convolve(layers, s, s->in, s->out, n, in, w, add, z);
}

/* A convolution from `out` to `in` with the weights rotated by 180 degrees. */
static void conv_data(sustain__layers *layers, int block, int64_t n, const sustain_real *dz, const sustain_real *w, bool add,
                      sustain_real *din) {
    const sustain__block_shape *s = &layers->blocks[block];
    for (int64_t o = 0; o < s->out; o++)
        for (int64_t i = 0; i < s->in; i++)
            for (int64_t t = 0; t < TAPS; t++) layers->turned[(i * s->out + o) * TAPS + t] = w[(o * s->in + i) * TAPS + TAPS - 1 - t];
    convolve(layers, s, s->out, s->in, n, dz, layers->turned, add, din);
}

static void conv_weights(sustain__layers *layers, int block, int64_t n, const sustain_real *in, const sustain_real *dz, sustain_real *dw) {
    const sustain__block_shape *s = &layers->blocks[block];
    const sustain__correlation c = planes(s->in, s->out, s);
    const int64_t size = s->height * s->width;
    for (int64_t k = 0; k < n; k++, in += s->in * size, dz += s->out * size) {
        pad(s->in, s, in, layers->padded);
        flatten(&c, s, dz, layers->flat);
        layers->correlate->products(&c, layers->padded, layers->flat, dw);
    }
}

/* ---- normalization, ReLU, pooling ---- */

static int64_t pooled_size(const sustain__block_shape *s) {
    return (s->height / 2) * (s->width / 2);
}

/* where[j]: position in the map of the value picked for position j of the pooled map. */
static void find_places(const sustain__block_shape *s, const uint8_t *chosen, int32_t *where) {
    const int64_t columns = s->width / 2;
    for (int64_t y = 0; y < s->height / 2; y++)
        for (int64_t x = 0; x < columns; x++) {
            const int k = chosen[y * columns + x];
            where[y * columns + x] = (int32_t)((2 * y + k / 2) * s->width + 2 * x + k % 2);
        }
}

/* Sums a map, and its products with another. Several independent sums avoid waiting for one
 * another. */
static void add_moments(int64_t n, const sustain_real *a, const sustain_real *b, double *sum, double *product) {
    double s[4] = {0}, p[4] = {0};
    for (int64_t i = 0; i < n; i++) {
        s[i & 3] += (double)a[i];
        p[i & 3] += (double)a[i] * (double)b[i];
    }
    *sum += (s[0] + s[1]) + (s[2] + s[3]);
    *product += (p[0] + p[1]) + (p[2] + p[3]);
}

/* The first position where sign * z is largest in a window; without branches, which would be
 * mispredicted. */
static uint8_t choose(const sustain_real window[4], sustain_real sign) {
    const int above = sign * window[1] > sign * window[0], below = 2 + (sign * window[3] > sign * window[2]);
    const int is_below = sign * window[below] > sign * window[above];
    return (uint8_t)(is_below * below + (1 - is_below) * above);
}

static void pool(sustain__layers *layers, int block, int64_t n, const sustain_real *z, const sustain_real *sign, uint8_t *chosen,
                 sustain_real *picked, double *sums) {
    const sustain__block_shape *s = &layers->blocks[block];
    const int64_t size = s->height * s->width, columns = s->width / 2;
    for (int64_t m = 0; m < n * s->out; m++, z += size) {
        const int64_t c = m % s->out;
        add_moments(size, z, z, &sums[c], &sums[s->out + c]);
        for (int64_t y = 0; y < s->height / 2; y++)
            for (int64_t x = 0; x < columns; x++) {
                const sustain_real *w = z + 2 * y * s->width + 2 * x, window[4] = {w[0], w[1], w[s->width], w[s->width + 1]};
                *chosen = choose(window, sign[c]);
                *picked++ = window[*chosen++];
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
        find_places(s, chosen, layers->where);
        for (int64_t j = 0; j < pooled; j++) picked_t[j] = zt[layers->where[j]];
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
        double sum = 0, product = 0;
        for (int64_t j = 0; j < pooled; j++) {
            const double alive = out[j] > 0 ? (double)d[j] : 0;
            sum += alive;
            product += alive * (double)picked[j];
        }
        sums[c] += sum;
        sums[s->out + c] += product;
    }
}

static void spread(sustain__layers *layers, int block, int64_t n, const sustain_real *z, const uint8_t *chosen, const sustain_real *out,
                   const sustain_real *d, const sustain_real *c, sustain_real *dz) {
    const sustain__block_shape *s = &layers->blocks[block];
    const int64_t size = s->height * s->width, pooled = pooled_size(s);
    for (int64_t m = 0; m < n * s->out; m++, z += size, dz += size, chosen += pooled, out += pooled, d += pooled) {
        const sustain_real c0 = c[m % s->out], c1 = c[s->out + m % s->out], c2 = c[2 * s->out + m % s->out];
        find_places(s, chosen, layers->where);
        for (int64_t i = 0; i < size; i++) dz[i] = c0 * z[i] + c1;
        for (int64_t j = 0; j < pooled; j++)
            if (out[j] > 0) dz[layers->where[j]] += c2 * d[j];
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
        find_places(s, chosen, layers->where);
        for (int64_t i = 0; i < size; i++) dzt[i] = c0 * z[i] + c1 + c2 * zt[i];
        for (int64_t j = 0; j < pooled; j++)
            if (out[j] > 0) dzt[layers->where[j]] += c3 * d[j] + c4 * dt[j];
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
    return (int64_t)layers->bytes;
}

/* ---- creation ---- */

static void destroy(sustain__layers *layers) {
    if (layers == NULL) return;
    sustain__free(layers->context, layers->padded);
    sustain__free(layers->context, layers->where);
    sustain__free(layers->context, layers);
}

static sustain_status allocate(sustain__layers *layers) {
    int64_t padded = 0, flat = 0, turned = 0, pooled = 0;
    for (int i = 0; i < SUSTAIN__BLOCKS; i++) {
        const sustain__block_shape *s = &layers->blocks[i];
        const int64_t channels = sustain__larger(s->in, s->out);
        const sustain__correlation c = planes(channels, channels, s);
        padded = sustain__larger(padded, (channels - 1) * c.from_plane + c.plane + 2 * c.row + 2);
        flat = sustain__larger(flat, channels * c.plane);
        turned = sustain__larger(turned, s->in * s->out * TAPS);
        pooled = sustain__larger(pooled, pooled_size(s));
    }
    const size_t numbers = (size_t)(padded + flat + turned) * sizeof *layers->padded, places = (size_t)pooled * sizeof *layers->where;
    SUSTAIN_TRY(sustain__allocate(layers->context, numbers, &layers->padded));
    SUSTAIN_TRY(sustain__allocate(layers->context, places, &layers->where));
    layers->flat = layers->padded + padded;
    layers->turned = layers->flat + flat;
    layers->bytes = sizeof *layers + numbers + places;
    return SUSTAIN_OK;
}

static bool usable(int64_t channels) {
    (void)channels;
    return true;
}

static sustain_status create(sustain_context *context, const sustain__block_shape blocks[SUSTAIN__BLOCKS], sustain__layers **out) {
    sustain__layers *layers;
    *out = NULL;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *layers, &layers));
    layers->context = context;
    layers->correlate = sustain__correlate_best();
    memcpy(layers->blocks, blocks, sizeof layers->blocks);
    const sustain_status status = allocate(layers);
    if (status == SUSTAIN_OK)
        *out = layers;
    else
        destroy(layers);
    return status;
}

const sustain__layers_kind sustain__layers_plain = {
    .name = "plain",
    .usable = usable,
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
