/* winograd.c - with the matrices of Lavin and Gray,
 *
 *        1  0 -1  0            1   0   0
 *   B' = 0  1  1  0      G =  1/2 1/2 1/2      A' = 1  1  1  0
 *        0 -1  1  0           1/2-1/2 1/2           0  1 -1 -1
 *        0  1  0 -1            0   0   1
 *
 *   conv(d, g) = A' [(G g G') * (B' d B)] A,      gradient in g = G' [(A dz A') * (B' d B)] G
 *
 * for each tile and pair of channels, where * is elementwise. Summed over channels, or over
 * tiles, the elementwise products become 16 matrix products. Tiles are processed in groups whose
 * transforms fit the cache: (16, tiles, channels). */
#include "nn/winograd.h"

#include "nn/product.h"
#include "nn/vector8.h"

enum { LANES = SUSTAIN__LANES, SIDE = 3, TAPS = 9, POINTS = 16, SCRATCH_BYTES = 3 << 16, FEWEST_TILES = 12 };

typedef sustain__winograd shape;

/* ---- tiles ---- */

/* Number of tiles per group: a multiple of three, the rows of product.h. */
static int64_t group_size(const shape *s) {
    const int64_t fitting = SCRATCH_BYTES / (POINTS * (s->in + s->out) * (int64_t)sizeof(float)) / 3 * 3;
    return fitting > FEWEST_TILES ? fitting : FEWEST_TILES;
}

static int64_t columns_of(const shape *s) {
    return (s->width + 1) / 2;
}

static int64_t tiles_of(const shape *s) {
    return (s->height + 1) / 2 * columns_of(s);
}

static int64_t places_of(const shape *s) {
    return s->height * s->width;
}

/* The first position of a tile. */
typedef struct tile {
    int64_t picture, y, x;
} tile;

static tile tile_at(const shape *s, int64_t number) {
    const int64_t columns = columns_of(s), of_picture = number % tiles_of(s);
    return (tile){number / tiles_of(s), 2 * (of_picture / columns), 2 * (of_picture % columns)};
}

/* Positions outside the map are zero. */
ALWAYS vec place(const shape *s, const bool inside, const float *map, int64_t y, int64_t x) {
    if (!inside && (y < 0 || y >= s->height || x < 0 || x >= s->width)) return zero();
    return load(map + (y * s->width + x) * LANES);
}

/* ---- transforms of tiles; `point` is the stride of the 16 numbers ---- */

ALWAYS void input_line(vec d0, vec d1, vec d2, vec d3, vec out[4]) {
    out[0] = minus(d0, d2);
    out[1] = plus(d1, d2);
    out[2] = minus(d2, d1);
    out[3] = minus(d1, d3);
}

/* B' d B */
ALWAYS void transform_input_of(const shape *s, const bool inside, const float *map, tile t, float *to, int64_t point) {
    for (int64_t i = 0; i < s->in; i += LANES, map += places_of(s) * LANES, to += LANES) {
        vec half_way[4][4], line[4]; /* column, row */
        for (int c = 0; c < 4; c++)
            input_line(place(s, inside, map, t.y - 1, t.x - 1 + c), place(s, inside, map, t.y, t.x - 1 + c),
                       place(s, inside, map, t.y + 1, t.x - 1 + c), place(s, inside, map, t.y + 2, t.x - 1 + c), half_way[c]);
        for (int r = 0; r < 4; r++) {
            input_line(half_way[0][r], half_way[1][r], half_way[2][r], half_way[3][r], line);
            for (int c = 0; c < 4; c++) store(to + (4 * r + c) * point, line[c]);
        }
    }
}

static void transform_input(const shape *s, const float *in, tile t, float *to, int64_t point) {
    const float *map = in + t.picture * s->in * places_of(s);
    if (t.y > 0 && t.x > 0 && t.y + 2 < s->height && t.x + 2 < s->width)
        transform_input_of(s, true, map, t, to, point);
    else
        transform_input_of(s, false, map, t, to, point);
}

ALWAYS void gradient_line(vec d0, vec d1, vec out[4]) {
    out[0] = d0;
    out[1] = plus(d0, d1);
    out[2] = minus(d0, d1);
    out[3] = minus(zero(), d1);
}

/* A dz A' */
static void transform_gradient(const shape *s, const float *dz, tile t, float *to, int64_t point) {
    const float *map = dz + t.picture * s->out * places_of(s);
    for (int64_t o = 0; o < s->out; o += LANES, map += places_of(s) * LANES, to += LANES) {
        vec half_way[2][4], line[4];
        for (int c = 0; c < 2; c++) gradient_line(place(s, false, map, t.y, t.x + c), place(s, false, map, t.y + 1, t.x + c), half_way[c]);
        for (int r = 0; r < 4; r++) {
            gradient_line(half_way[0][r], half_way[1][r], line);
            for (int c = 0; c < 4; c++) store(to + (4 * r + c) * point, line[c]);
        }
    }
}

/* A' m A */
static void transform_output(const shape *s, const float *from, int64_t point, tile t, bool add, float *z) {
    float *map = z + t.picture * s->out * places_of(s);
    const int rows = t.y + 1 < s->height ? 2 : 1, columns = t.x + 1 < s->width ? 2 : 1;
    for (int64_t o = 0; o < s->out; o += LANES, map += places_of(s) * LANES, from += LANES) {
        vec half_way[2][4];
        for (int c = 0; c < 4; c++) {
            const vec m1 = load(from + (4 + c) * point), m2 = load(from + (8 + c) * point);
            half_way[0][c] = plus(plus(load(from + c * point), m1), m2);
            half_way[1][c] = minus(minus(m1, m2), load(from + (12 + c) * point));
        }
        for (int r = 0; r < rows; r++) {
            const vec *m = half_way[r], out[2] = {plus(plus(m[0], m[1]), m[2]), minus(minus(m[1], m[2]), m[3])};
            for (int c = 0; c < columns; c++) {
                float *to = map + ((t.y + r) * s->width + t.x + c) * LANES;
                store(to, add ? plus(load(to), out[c]) : out[c]);
            }
        }
    }
}

/* ---- weights ---- */

int64_t sustain__winograd_weights_size(const shape *s) {
    return POINTS * s->in * s->out;
}

ALWAYS void weights_line(vec g0, vec g1, vec g2, vec out[4]) {
    out[0] = g0;
    out[1] = half(plus(plus(g0, g2), g1));
    out[2] = half(minus(plus(g0, g2), g1));
    out[3] = g2;
}

/* G g G', of eight channels: g (9, 8) */
static void transform_weights(const float *g, float *to, int64_t point) {
    vec half_way[3][4], line[4];
    for (int c = 0; c < SIDE; c++)
        weights_line(load(g + c * LANES), load(g + (SIDE + c) * LANES), load(g + (2 * SIDE + c) * LANES), half_way[c]);
    for (int r = 0; r < 4; r++) {
        weights_line(half_way[0][r], half_way[1][r], half_way[2][r], line);
        for (int c = 0; c < 4; c++) store(to + (4 * r + c) * point, line[c]);
    }
}

/* G' m G, of eight channels: g (9, 8) */
static void transform_back(const float *from, int64_t point, float *g) {
    vec half_way[SIDE][4];
    for (int c = 0; c < 4; c++) {
        const vec m1 = load(from + (4 + c) * point), m2 = load(from + (8 + c) * point);
        half_way[0][c] = plus(load(from + c * point), half(plus(m1, m2)));
        half_way[1][c] = half(minus(m1, m2));
        half_way[2][c] = plus(load(from + (12 + c) * point), half(plus(m1, m2)));
    }
    for (int r = 0; r < SIDE; r++) {
        const vec *m = half_way[r];
        store(g + SIDE * r * LANES, plus(m[0], half(plus(m[1], m[2]))));
        store(g + (SIDE * r + 1) * LANES, half(minus(m[1], m[2])));
        store(g + (SIDE * r + 2) * LANES, plus(m[3], half(plus(m[1], m[2]))));
    }
}

static int64_t at_most(int64_t n, int64_t most) {
    return n < most ? n : most;
}

/* Weights between channels a (rows of the products) and b (their vectors): w[b][a][tap], or
 * turned w[a][b][8 - tap]. */
void sustain__winograd_transform(const shape *s, bool turned, int64_t real_out, int64_t real_in, const float *w, float *weights) {
    const int64_t rows = turned ? real_out : real_in, vectors = turned ? real_in : real_out;
    for (int64_t a = 0; a < rows; a++)
        for (int64_t first = 0; first < vectors; first += LANES) {
            float g[TAPS * LANES] = {0};
            for (int64_t lane = 0; lane < at_most(vectors - first, LANES); lane++) {
                const int64_t b = first + lane;
                const float *from = w + (turned ? a * real_in + b : b * real_in + a) * TAPS;
                for (int64_t tap = 0; tap < TAPS; tap++) g[tap * LANES + lane] = from[turned ? TAPS - 1 - tap : tap];
            }
            transform_weights(g, weights + a * s->out + first, s->in * s->out);
        }
}

static void add_gradient(const shape *s, int64_t real_out, int64_t real_in, const float *dweights, float *dw) {
    for (int64_t first = 0; first < real_out; first += LANES)
        for (int64_t i = 0; i < real_in; i++) {
            float g[TAPS * LANES];
            transform_back(dweights + i * s->out + first, s->in * s->out, g);
            for (int64_t lane = 0; lane < at_most(real_out - first, LANES); lane++) {
                float *to = dw + ((first + lane) * real_in + i) * TAPS;
                for (int64_t tap = 0; tap < TAPS; tap++) to[tap] += g[tap * LANES + lane];
            }
        }
}

/* ---- convolutions ---- */

/* Stride between the 16 numbers: padded by a cache line, so that the 16 do not map to the same
 * cache sets. */
static int64_t point_size(const shape *s, int64_t channels) {
    return group_size(s) * channels + 2 * LANES;
}

int64_t sustain__winograd_scratch_size(const shape *s) {
    return POINTS * (point_size(s, s->in) + point_size(s, s->out));
}

void sustain__winograd_conv(const shape *s, int64_t n, const float *in, const float *weights, bool add, float *scratch, float *z) {
    const int64_t most = group_size(s), all = n * tiles_of(s), in_point = point_size(s, s->in), out_point = point_size(s, s->out);
    float *input = scratch, *result = scratch + POINTS * in_point;
    for (int64_t first = 0; first < all; first += most) {
        const int64_t count = at_most(all - first, most);
        const sustain__product p = {.rows = count,
                                    .vectors = s->out / LANES,
                                    .terms = s->in,
                                    .repeats = 1,
                                    .a_row = s->in,
                                    .a_term = 1,
                                    .b_vector = LANES,
                                    .b_term = s->out,
                                    .c_row = s->out,
                                    .c_vector = LANES};
        for (int64_t i = 0; i < count; i++) transform_input(s, in, tile_at(s, first + i), input + i * s->in, in_point);
        for (int64_t k = 0; k < POINTS; k++)
            sustain__matrix_product(&p, input + k * in_point, weights + k * s->in * s->out, false, result + k * out_point);
        for (int64_t i = 0; i < count; i++) transform_output(s, result + i * s->out, out_point, tile_at(s, first + i), add, z);
    }
}

void sustain__winograd_gradient(const shape *s, int64_t n, int64_t real_out, int64_t real_in, const float *in, const float *dz,
                                float *scratch, float *dweights, float *dw) {
    const int64_t most = group_size(s), all = n * tiles_of(s), in_point = point_size(s, s->in), out_point = point_size(s, s->out);
    float *input = scratch, *gradient = scratch + POINTS * in_point;
    for (int64_t first = 0; first < all; first += most) {
        const int64_t count = at_most(all - first, most);
        const sustain__product p = {.rows = s->in,
                                    .vectors = s->out / LANES,
                                    .terms = count,
                                    .repeats = 1,
                                    .a_row = 1,
                                    .a_term = s->in,
                                    .b_vector = LANES,
                                    .b_term = s->out,
                                    .c_row = s->out,
                                    .c_vector = LANES};
        for (int64_t i = 0; i < count; i++) {
            const tile t = tile_at(s, first + i);
            transform_input(s, in, t, input + i * s->in, in_point);
            transform_gradient(s, dz, t, gradient + i * s->out, out_point);
        }
        for (int64_t k = 0; k < POINTS; k++)
            sustain__matrix_product(&p, input + k * in_point, gradient + k * out_point, first > 0, dweights + k * s->in * s->out);
    }
    add_gradient(s, real_out, real_in, dweights, dw);
}
