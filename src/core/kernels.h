/* kernels.h - products of a few rows with a few vectors, where problems on data spend most of their
 * time.
 *
 * Rows are floats, bytes or float16 and stay what they are; what they are multiplied with is
 * sustain_real. There is a plain version, the reference, and one for processors with AVX2 and FMA,
 * chosen at run time. Both sum in an order that depends only on the length of the rows: a result
 * does not depend on what else is computed in the same call. */
#ifndef SUSTAIN_CORE_KERNELS_H
#define SUSTAIN_CORE_KERNELS_H

#include <sustain/status.h>

typedef enum sustain__row_kind { SUSTAIN__FLOATS, SUSTAIN__BYTES, SUSTAIN__HALVES, SUSTAIN__ROW_KINDS } sustain__row_kind;

/* What `step` does to h, y and y_prev. */
typedef struct sustain__lower_step {
    double keep;  /* of h */
    double ridge; /* the gradient's part that is a multiple of y */
    double beta;  /* the step of y */
} sustain__lower_step;

/* For rows of one kind: a_i points to `dim` numbers, i < m; vectors have that length too, k
 * < n. */
typedef struct sustain__row_kernels {
    /* out[i * stride + k] = a_i'w_k */
    void (*dots)(int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *const *w, sustain_real *out, int64_t stride);
    /* out[i * stride + k] = a_i'b_k, of rows b of the same kind */
    void (*gram)(int64_t m, int64_t n, int64_t dim, const void *const *a, const void *const *b, sustain_real *out, int64_t stride);
    /* out_k += sum_i q[i * stride + k] a_i */
    void (*outer)(int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *q, int64_t stride, sustain_real *const *out);
    /* h_k <- keep h_k + ridge (y_k - keep y_prev_k) + sum_i q[i * stride + k] a_i,   y_prev_k <-
     * y_k,   y_k <- y_k - beta h_k */
    void (*step)(int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *q, int64_t stride,
                 const sustain__lower_step *step, sustain_real *const *h, sustain_real *const *y, sustain_real *const *y_prev);
    /* the same as dots, added up in double: for values */
    void (*exact)(int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *const *w, double *out, int64_t stride);
} sustain__row_kernels;

typedef struct sustain__kernels {
    const char *name;
    sustain__row_kernels of[SUSTAIN__ROW_KINDS];
} sustain__kernels;

extern const sustain__kernels sustain__kernels_plain;

/* The fastest that this processor runs. */
const sustain__kernels *sustain__kernels_best(void);

#endif
