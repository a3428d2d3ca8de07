/* product.h - products of small matrices, the one loop that convolutions spend their time in; for AVX2 and FMA.
 *
 *   c[row][vector] (+)= sum over repeats and terms of a[row] b[vector]
 *
 * where a[row] is a number and b[vector] eight of them. Strides, in numbers, say where they are: a convolution is such a product without any copy, its taps being
 * the terms, and so are its gradients and the products that Winograd's algorithm makes of it. Each sum is added up in the order of the terms, whatever else is computed. */
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
