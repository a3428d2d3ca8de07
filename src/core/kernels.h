/* kernels.h - products of a few rows with a few others: where the time of problems on data goes.
 *
 * There is a plain version, the truth, and one for processors with AVX2 and FMA, chosen when the program runs: one binary for all. Both
 * add up in an order that depends on nothing but the length of the rows: a number does not depend on what else is computed with it. */
#ifndef SUSTAIN_CORE_KERNELS_H
#define SUSTAIN_CORE_KERNELS_H

#include <sustain/status.h>

/* What sustain__kernels.step does to h, y and y_prev. */
typedef struct sustain__lower_step {
    double keep;  /* of h */
    double ridge; /* the gradient's part that is a multiple of y */
    double beta;  /* the step of y */
} sustain__lower_step;

typedef struct sustain__kernels {
    const char *name;
    /* out[i * stride + k] = a_i'w_k; i < m, k < n, rows of `dim` */
    void (*dots)(int64_t m, int64_t n, int64_t dim, const sustain_real *const *a, const sustain_real *const *w, sustain_real *out,
                 int64_t stride);
    /* out_k += sum_i q[i * stride + k] a_i */
    void (*outer)(int64_t m, int64_t n, int64_t dim, const sustain_real *const *a, const sustain_real *q, int64_t stride,
                  sustain_real *const *out);
    /* h_k <- keep h_k + ridge (y_k - keep y_prev_k) + sum_i q[i * stride + k] a_i,   y_prev_k <- y_k,   y_k <- y_k - beta h_k */
    void (*step)(int64_t m, int64_t n, int64_t dim, const sustain_real *const *a, const sustain_real *q, int64_t stride,
                 const sustain__lower_step *step, sustain_real *const *h, sustain_real *const *y, sustain_real *const *y_prev);
    /* out_j = scale * byte_j */
    void (*from_bytes)(int64_t dim, const uint8_t *bytes, float scale, sustain_real *out);
    /* a'w_k in double, for values: out[k], k < n */
    void (*dots_exact)(int64_t n, int64_t dim, const sustain_real *a, const sustain_real *const *w, double *out);
} sustain__kernels;

extern const sustain__kernels sustain__kernels_plain;

/* The fastest that this processor runs. */
const sustain__kernels *sustain__kernels_best(void);

#endif
