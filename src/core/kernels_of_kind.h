/* kernels_of_kind.h - makes the functions of a table for each kind of rows from those that take the
 * kind as their first argument: dots, gram, outer, step and exact of the file that includes it. */
#ifndef SUSTAIN_CORE_KERNELS_OF_KIND_H
#define SUSTAIN_CORE_KERNELS_OF_KIND_H

#include "core/kernels.h"

#define SUSTAIN__MAKE_KERNELS(suffix, kind)                                                                                                \
    static void dots_##suffix(int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *const *w, sustain_real *out,    \
                              int64_t stride) {                                                                                            \
        dots(kind, m, n, dim, a, w, out, stride);                                                                                          \
    }                                                                                                                                      \
    static void gram_##suffix(int64_t m, int64_t n, int64_t dim, const void *const *a, const void *const *b, sustain_real *out,            \
                              int64_t stride) {                                                                                            \
        gram(kind, m, n, dim, a, b, out, stride);                                                                                          \
    }                                                                                                                                      \
    static void outer_##suffix(int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *q, int64_t stride,             \
                               sustain_real *const *out) {                                                                                 \
        outer(kind, m, n, dim, a, q, stride, out);                                                                                         \
    }                                                                                                                                      \
    static void step_##suffix(int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *q, int64_t stride,              \
                              const sustain__lower_step *s, sustain_real *const *h, sustain_real *const *y, sustain_real *const *y_prev) { \
        step(kind, m, n, dim, a, q, stride, s, h, y, y_prev);                                                                              \
    }                                                                                                                                      \
    static void exact_##suffix(int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *const *w, double *out,         \
                               int64_t stride) {                                                                                           \
        exact(kind, m, n, dim, a, w, out, stride);                                                                                         \
    }

SUSTAIN__MAKE_KERNELS(floats, SUSTAIN__FLOATS)
SUSTAIN__MAKE_KERNELS(bytes, SUSTAIN__BYTES)
SUSTAIN__MAKE_KERNELS(halves, SUSTAIN__HALVES)

#define SUSTAIN__KERNELS_OF(suffix) \
    { dots_##suffix, gram_##suffix, outer_##suffix, step_##suffix, exact_##suffix }
#define SUSTAIN__KERNELS_OF_KINDS                                                                   \
    [SUSTAIN__FLOATS] = SUSTAIN__KERNELS_OF(floats), [SUSTAIN__BYTES] = SUSTAIN__KERNELS_OF(bytes), \
    [SUSTAIN__HALVES] = SUSTAIN__KERNELS_OF(halves)

#endif
