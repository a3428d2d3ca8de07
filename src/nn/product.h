/* product.h - products of small matrices, the inner loop of convolutions; for AVX2 and
 * NEON (vector8.h).
 *
 *   c[row][vector] (+)= sum over repeats and terms of a[row] b[vector]
 *
 * where a[row] is a number and b[vector] is eight numbers, addressed by strides. A convolution
 * is such a product without a copy, with its taps as terms; so are its gradients and the
 * products in Winograd's algorithm. Each sum is computed in the order of the terms and does not
 * depend on what else is computed. */
#ifndef SUSTAIN_NN_PRODUCT_H
#define SUSTAIN_NN_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

enum { SUSTAIN__LANES = 8 };

typedef struct sustain__product {
    int64_t rows, vectors, terms, repeats;
    int64_t a_row, a_term, a_repeat;
    int64_t b_vector, b_term, b_repeat;
    int64_t c_row, c_vector;
} sustain__product;

void sustain__matrix_product(const sustain__product *p, const float *a, const float *b, bool add, float *c);

#endif
