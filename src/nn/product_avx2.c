/* product_avx2.c - the product for AVX2 and FMA: three rows by four vectors at a time, twelve
 * sums in registers. A term takes seven loads and twelve multiplications. */
#include "nn/product.h"

#include <immintrin.h>

#define ALWAYS static inline __attribute__((always_inline))

enum { ROWS = 3, VECTORS = 4 };

typedef sustain__product product;

/* One vector of three rows. Named fields instead of an array: compilers keep these in registers,
 * but arrays in memory. */
typedef struct three {
    __m256 first, second, third;
} three;

/* Offsets of the second and third row; a row that does not exist repeats the one before. */
typedef struct offsets {
    int64_t second, third;
} offsets;

ALWAYS offsets rows_at(int64_t rows, int64_t stride) {
    return (offsets){rows > 1 ? stride : 0, rows > 2 ? 2 * stride : rows > 1 ? stride : 0};
}

ALWAYS three load(const float *c, offsets at) {
    return (three){_mm256_loadu_ps(c), _mm256_loadu_ps(c + at.second), _mm256_loadu_ps(c + at.third)};
}

ALWAYS void store(float *c, offsets at, three sum) {
    _mm256_storeu_ps(c, sum.first);
    _mm256_storeu_ps(c + at.second, sum.second);
    _mm256_storeu_ps(c + at.third, sum.third);
}

ALWAYS three add_product(three sum, three number, const float *b) {
    __m256 vector = _mm256_loadu_ps(b);
    __asm__("" : "+x"(vector)); /* loaded once, not by each multiplication */
    return (three){_mm256_fmadd_ps(number.first, vector, sum.first), _mm256_fmadd_ps(number.second, vector, sum.second),
                   _mm256_fmadd_ps(number.third, vector, sum.third)};
}

ALWAYS void multiply_tile(const int vectors, const product *p, int64_t rows, const float *a, const float *b, bool add, float *c) {
    const offsets in = rows_at(rows, p->a_row), out = rows_at(rows, p->c_row);
    const int64_t a_term = p->a_term, b_term = p->b_term, next = p->b_vector;
    const __m256 zero = _mm256_setzero_ps();
    three s0 = {zero, zero, zero}, s1 = s0, s2 = s0, s3 = s0;
    if (add) {
        s0 = load(c, out);
        if (vectors > 1) s1 = load(c + p->c_vector, out);
        if (vectors > 2) s2 = load(c + 2 * p->c_vector, out);
        if (vectors > 3) s3 = load(c + 3 * p->c_vector, out);
    }
    for (int64_t r = 0; r < p->repeats; r++) {
        const float *from = a + r * p->a_repeat, *with = b + r * p->b_repeat;
        for (int64_t t = p->terms; t > 0; t--, from += a_term, with += b_term) {
            const three number = {_mm256_broadcast_ss(from), _mm256_broadcast_ss(from + in.second), _mm256_broadcast_ss(from + in.third)};
            s0 = add_product(s0, number, with);
            if (vectors > 1) s1 = add_product(s1, number, with + next);
            if (vectors > 2) s2 = add_product(s2, number, with + 2 * next);
            if (vectors > 3) s3 = add_product(s3, number, with + 3 * next);
        }
    }
    store(c, out, s0);
    if (vectors > 1) store(c + p->c_vector, out, s1);
    if (vectors > 2) store(c + 2 * p->c_vector, out, s2);
    if (vectors > 3) store(c + 3 * p->c_vector, out, s3);
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
