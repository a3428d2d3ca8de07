/* blocked_passes.c - the passes of blocked.h over maps.
 *
 * Sums over one or two rows of a map are accumulated in float, then added in double. */
#include "nn/blocked.h"

#include <string.h>

#include "nn/vector8.h"

enum { LANES = SUSTAIN__LANES };

/* The result of a convolution: (blocks, height, width, 8); pooled: (blocks, height / 2, width /
 * 2, 8). */
typedef struct shape {
    int64_t blocks, channels, height, width;
} shape;

static shape shape_of(const sustain__layers *layers, int block) {
    const sustain__blocked *k = &((const sustain__blocked_layers *)(const void *)layers)->block[block];
    return (shape){k->out / LANES, k->shape.out, k->shape.height, k->shape.width};
}

ALWAYS mask alive(vec out) {
    return greater(out, zero());
}

/* ---- windows of 2 x 2; the last row or column of an odd map is in none ---- */

static int64_t pooled_size(const shape *s) {
    return (s->height / 2) * (s->width / 2) * LANES;
}

ALWAYS void load_window(const float *z, int64_t row, vec v[4]) {
    v[0] = load(z);
    v[1] = load(z + LANES);
    v[2] = load(z + row);
    v[3] = load(z + row + LANES);
}

/* Two running sums for eight channels: of a, and of a b. */
typedef struct moments {
    vec sum[2], product[2];
} moments;

ALWAYS moments no_moments(void) {
    return (moments){{zero(), zero()}, {zero(), zero()}};
}

ALWAYS void meet(moments *m, int k, vec a, vec b) {
    m->sum[k] = plus(m->sum[k], a);
    m->product[k] = multiply_add(a, b, m->product[k]);
}

ALWAYS void add_moments(const moments *m, double *sums, int64_t stride) {
    add_in_double(sums, plus(m->sum[0], m->sum[1]));
    add_in_double(sums + stride, plus(m->product[0], m->product[1]));
}

/* Adds the last row and column of an odd map, which belong to no window. */
static void meet_rest(const shape *s, const float *a, const float *b, double *sums, int64_t stride) {
    moments m = no_moments();
    if (s->width % 2 == 1)
        for (int64_t y = 0; y < s->height / 2 * 2; y++) {
            const int64_t at = (y * s->width + s->width - 1) * LANES;
            meet(&m, 0, load(a + at), load(b + at));
        }
    if (s->height % 2 == 1)
        for (int64_t x = 0; x < s->width; x++) {
            const int64_t at = ((s->height - 1) * s->width + x) * LANES;
            meet(&m, 1, load(a + at), load(b + at));
        }
    add_moments(&m, sums, stride);
}

/* ---- forward ---- */

/* One block of eight channels. */
static void pool_block(const shape *s, const float *z, vec sign, uint8_t *chosen, float *picked, double *sums) {
    const int64_t row = s->width * LANES, stride = s->blocks * LANES;
    for (int64_t y = 0; y < s->height / 2; y++) {
        const float *from = z + 2 * y * row;
        moments m = no_moments();
        for (int64_t x = 0; x < s->width / 2; x++, from += 2 * LANES, chosen += LANES, picked += LANES) {
            vec v[4];
            load_window(from, row, v);
            vec best = times(sign, v[0]), value = v[0];
            places place = all_places(0);
            for (int k = 1; k < 4; k++) {
                const vec other = times(sign, v[k]);
                const mask better = greater(other, best);
                best = choose(better, other, best);
                value = choose(better, v[k], value);
                place = choose_places(better, all_places(k), place);
            }
            for (int k = 0; k < 4; k++) meet(&m, k % 2, v[k], v[k]);
            store(picked, value);
            store_places(chosen, place);
        }
        add_moments(&m, sums, stride);
    }
    meet_rest(s, z, z, sums, stride);
}

void sustain__blocked_pool(sustain__layers *layers, int block, int64_t n, const float *z, const float *sign, uint8_t *chosen, float *picked,
                           double *sums) {
    const shape maps = shape_of(layers, block), *s = &maps;
    const int64_t size = s->height * s->width * LANES, pooled = pooled_size(s);
    for (int64_t m = 0; m < n * s->blocks; m++, z += size, chosen += pooled, picked += pooled) {
        const int64_t c = m % s->blocks * LANES;
        pool_block(s, z, load(sign + c), chosen, picked, sums + c);
    }
}

static void pick_block(const shape *s, const float *z, const float *zt, const uint8_t *chosen, float *picked_t, double *sums) {
    const int64_t row = s->width * LANES, stride = s->blocks * LANES;
    for (int64_t y = 0; y < s->height / 2; y++) {
        moments m = no_moments();
        for (int64_t x = 0; x < s->width / 2; x++, chosen += LANES, picked_t += LANES) {
            const int64_t at = 2 * y * row + 2 * x * LANES;
            vec v[4], vt[4];
            load_window(z + at, row, v);
            load_window(zt + at, row, vt);
            for (int k = 0; k < 4; k++) meet(&m, k % 2, vt[k], v[k]);
            store(picked_t, at_place(vt, load_places(chosen)));
        }
        add_moments(&m, sums, stride);
    }
    meet_rest(s, zt, z, sums, stride);
}

void sustain__blocked_pick(sustain__layers *layers, int block, int64_t n, const float *z, const float *zt, const uint8_t *chosen,
                           float *picked_t, double *sums) {
    const shape maps = shape_of(layers, block), *s = &maps;
    const int64_t size = s->height * s->width * LANES, pooled = pooled_size(s);
    for (int64_t m = 0; m < n * s->blocks; m++, z += size, zt += size, chosen += pooled, picked_t += pooled)
        pick_block(s, z, zt, chosen, picked_t, sums + m % s->blocks * LANES);
}

void sustain__blocked_rectify(sustain__layers *layers, int block, int64_t n, const float *picked, const float *c, float *out) {
    const shape maps = shape_of(layers, block), *s = &maps;
    const int64_t pooled = pooled_size(s), stride = s->blocks * LANES;
    for (int64_t m = 0; m < n * s->blocks; m++, picked += pooled, out += pooled) {
        const float *of = c + m % s->blocks * LANES;
        const vec c0 = load(of), c1 = load(of + stride);
        for (int64_t j = 0; j < pooled; j += LANES) store(out + j, positive_part(multiply_add(c0, load(picked + j), c1)));
    }
}

void sustain__blocked_rectify_tangent(sustain__layers *layers, int block, int64_t n, const float *out, const float *picked,
                                      const float *picked_t, const float *c, float *outt) {
    const shape maps = shape_of(layers, block), *s = &maps;
    const int64_t pooled = pooled_size(s), stride = s->blocks * LANES;
    for (int64_t m = 0; m < n * s->blocks; m++, out += pooled, picked += pooled, picked_t += pooled, outt += pooled) {
        const float *of = c + m % s->blocks * LANES;
        const vec c0 = load(of), c1 = load(of + stride), c2 = load(of + 2 * stride);
        for (int64_t j = 0; j < pooled; j += LANES)
            store(outt + j, where(alive(load(out + j)), multiply_add(c0, load(picked_t + j), multiply_add(c1, load(picked + j), c2))));
    }
}

/* ---- backward ---- */

void sustain__blocked_alive_sums(sustain__layers *layers, int block, int64_t n, const float *out, const float *d, const float *picked,
                                 double *sums) {
    const shape maps = shape_of(layers, block), *s = &maps;
    const int64_t row = s->width / 2 * LANES;
    for (int64_t m = 0; m < n * s->blocks; m++)
        for (int64_t y = 0; y < s->height / 2; y++, out += row, d += row, picked += row) {
            moments of_row = no_moments();
            for (int64_t j = 0; j < row; j += LANES)
                meet(&of_row, (int)(j / LANES % 2), where(alive(load(out + j)), load(d + j)), load(picked + j));
            add_moments(&of_row, sums + m % s->blocks * LANES, s->blocks * LANES);
        }
}

/* dz = c0 z + c1 + c2 zt; zt NULL: without it. */
ALWAYS vec smooth(const float *z, const float *zt, int64_t at, const vec *c) {
    const vec value = multiply_add(c[0], load(z + at), c[1]);
    return zt == NULL ? value : multiply_add(c[2], load(zt + at), value);
}

/* dz = smooth(), plus peak at the chosen position of each window: c2 d, or c3 d + c4 dt, where
 * out > 0. */
ALWAYS void spread_block(const shape *s, const float *z, const float *zt, const uint8_t *chosen, const float *out, const float *d,
                         const float *dt, const vec *c, float *dz) {
    const int64_t row = s->width * LANES;
    for (int64_t y = 0; y < s->height / 2; y++) {
        for (int64_t x = 0; x < s->width / 2; x++, chosen += LANES, out += LANES, d += LANES) {
            const int64_t at = 2 * y * row + 2 * x * LANES, to[4] = {at, at + LANES, at + row, at + row + LANES};
            const places place = load_places(chosen);
            vec peak = times(c[zt == NULL ? 2 : 3], load(d));
            if (dt != NULL) peak = multiply_add(c[4], load(dt), peak), dt += LANES;
            peak = where(alive(load(out)), peak);
            for (int k = 0; k < 4; k++) store(dz + to[k], plus(smooth(z, zt, to[k], c), where(is_place(place, k), peak)));
        }
        if (s->width % 2 == 1)
            for (int64_t k = 0; k < 2; k++) {
                const int64_t at = (2 * y + k + 1) * row - LANES;
                store(dz + at, smooth(z, zt, at, c));
            }
    }
    for (int64_t at = s->height / 2 * 2 * row; at < s->height * row; at += LANES) store(dz + at, smooth(z, zt, at, c));
}

void sustain__blocked_spread(sustain__layers *layers, int block, int64_t n, const float *z, const uint8_t *chosen, const float *out,
                             const float *d, const float *c, float *dz) {
    const shape maps = shape_of(layers, block), *s = &maps;
    const int64_t size = s->height * s->width * LANES, pooled = pooled_size(s), stride = s->blocks * LANES;
    for (int64_t m = 0; m < n * s->blocks; m++, z += size, dz += size, chosen += pooled, out += pooled, d += pooled) {
        const float *of = c + m % s->blocks * LANES;
        const vec all[3] = {load(of), load(of + stride), load(of + 2 * stride)};
        spread_block(s, z, NULL, chosen, out, d, NULL, all, dz);
    }
}

void sustain__blocked_spread_tangent(sustain__layers *layers, int block, int64_t n, const float *z, const float *zt, const uint8_t *chosen,
                                     const float *out, const float *d, const float *dt, const float *c, float *dzt) {
    const shape maps = shape_of(layers, block), *s = &maps;
    const int64_t size = s->height * s->width * LANES, pooled = pooled_size(s), stride = s->blocks * LANES;
    for (int64_t m = 0; m < n * s->blocks; m++) {
        const float *of = c + m % s->blocks * LANES;
        const vec all[5] = {load(of), load(of + stride), load(of + 2 * stride), load(of + 3 * stride), load(of + 4 * stride)};
        spread_block(s, z + m * size, zt + m * size, chosen + m * pooled, out + m * pooled, d + m * pooled, dt + m * pooled, all,
                     dzt + m * size);
    }
}

/* ---- rows ---- */

void sustain__blocked_to_rows(sustain__layers *layers, int block, int64_t n, const float *map, float *rows) {
    const shape maps = shape_of(layers, block), *s = &maps;
    const int64_t positions = pooled_size(s) / LANES;
    for (int64_t k = 0; k < n; k++, map += s->blocks * LANES * positions)
        for (int64_t c = 0; c < s->channels; c++)
            for (int64_t p = 0; p < positions; p++) *rows++ = map[(c / LANES * positions + p) * LANES + c % LANES];
}

void sustain__blocked_from_rows(sustain__layers *layers, int block, int64_t n, const float *rows, float *map) {
    const shape maps = shape_of(layers, block), *s = &maps;
    const int64_t positions = pooled_size(s) / LANES, size = s->blocks * LANES * positions;
    for (int64_t k = 0; k < n; k++, map += size) {
        if (s->channels < s->blocks * LANES) memset(map, 0, (size_t)size * sizeof *map);
        for (int64_t c = 0; c < s->channels; c++)
            for (int64_t p = 0; p < positions; p++) map[(c / LANES * positions + p) * LANES + c % LANES] = *rows++;
    }
}
