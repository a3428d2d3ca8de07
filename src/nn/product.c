/* product.c - the product: three rows by four vectors at a time, twelve sums in registers: 12 of 16
 * with AVX2, 24 of 32 with NEON. A term takes seven loads and twelve multiplications, with NEON
 * eleven and 24. */
#include "nn/product.h"

#include "nn/vector8.h"

enum { ROWS = 3, VECTORS = 4 };

typedef sustain__product product;

/* One vector of three rows. Named fields instead of an array: compilers keep these in registers,
 * but arrays in memory. */
typedef struct three {
    vec first, second, third;
} three;

typedef struct three_scalars {
    scalar first, second, third;
} three_scalars;

/* Offsets of the second and third row; a row that does not exist repeats the one before. */
typedef struct offsets {
    int64_t second, third;
} offsets;

ALWAYS offsets rows_at(int64_t rows, int64_t stride) {
    return (offsets){rows > 1 ? stride : 0, rows > 2 ? 2 * stride : rows > 1 ? stride : 0};
}

ALWAYS three load_rows(const float *c, offsets at) {
    return (three){load(c), load(c + at.second), load(c + at.third)};
}

ALWAYS void store_rows(float *c, offsets at, three sum) {
    store(c, sum.first);
    store(c + at.second, sum.second);
    store(c + at.third, sum.third);
}

ALWAYS three add_product(three sum, three_scalars a, const float *b) {
    const vec vector = in_register(load(b));
    return (three){multiply_add_scalar(a.first, vector, sum.first), multiply_add_scalar(a.second, vector, sum.second),
                   multiply_add_scalar(a.third, vector, sum.third)};
}

ALWAYS void multiply_tile(const int vectors, const product *p, int64_t rows, const float *a, const float *b, bool add, float *c) {
    const offsets in = rows_at(rows, p->a_row), out = rows_at(rows, p->c_row);
    const int64_t a_term = p->a_term, b_term = p->b_term, next = p->b_vector;
    three s0 = {zero(), zero(), zero()}, s1 = s0, s2 = s0, s3 = s0;
    if (add) {
        s0 = load_rows(c, out);
        if (vectors > 1) s1 = load_rows(c + p->c_vector, out);
        if (vectors > 2) s2 = load_rows(c + 2 * p->c_vector, out);
        if (vectors > 3) s3 = load_rows(c + 3 * p->c_vector, out);
    }
    for (int64_t r = 0; r < p->repeats; r++) {
        const float *from = a + r * p->a_repeat, *with = b + r * p->b_repeat;
        for (int64_t t = p->terms; t > 0; t--, from += a_term, with += b_term) {
            three_scalars at = {load_scalar(from), load_scalar(from + in.second), load_scalar(from + in.third)};
            s0 = add_product(s0, at, with);
            if (vectors > 1) s1 = add_product(s1, at, with + next);
            if (vectors > 2) at = (three_scalars){hold(at.first), hold(at.second), hold(at.third)};
            if (vectors > 2) s2 = add_product(s2, at, with + 2 * next);
            if (vectors > 3) s3 = add_product(s3, at, with + 3 * next);
        }
    }
    store_rows(c, out, s0);
    if (vectors > 1) store_rows(c + p->c_vector, out, s1);
    if (vectors > 2) store_rows(c + 2 * p->c_vector, out, s2);
    if (vectors > 3) store_rows(c + 3 * p->c_vector, out, s3);
}

void sustain__matrix_product(const product *p, const float *a, const float *b, bool add, float *c) {
    for (int64_t v = 0; v < p->vectors; v += VECTORS)
        for (int64_t r = 0; r < p->rows; r += ROWS) {
            const float *from = a + r * p->a_row, *with = b + v * p->b_vector;
            float *to = c + r * p->c_row + v * p->c_vector;
            switch (p->vectors - v) {
            case 1:
                multiply_tile(1, p, p->rows - r, from, with, add, to);
                break;
            case 2:
                multiply_tile(2, p, p->rows - r, from, with, add, to);
                break;
            case 3:
                multiply_tile(3, p, p->rows - r, from, with, add, to);
                break;
            default:
                multiply_tile(VECTORS, p, p->rows - r, from, with, add, to);
            }
        }
}
