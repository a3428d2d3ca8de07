/* kernels.c - the plain kernels, and the choice of kernels at run time. */
#include "core/kernels.h"

#include "core/half.h"

static inline sustain_real at(sustain__row_kind kind, const void *a, int64_t j) {
    if (kind == SUSTAIN__HALVES) return (sustain_real)sustain__from_half(((const uint16_t *)a)[j]);
    return kind == SUSTAIN__BYTES ? (sustain_real)((const uint8_t *)a)[j] : (sustain_real)((const float *)a)[j];
}

/* Eight independent sums. */
static inline sustain_real sum_of(const sustain_real *sum) {
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

static inline void dots(sustain__row_kind kind, int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *const *w,
                        sustain_real *out, int64_t stride) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < n; k++) {
            sustain_real sum[8] = {0};
            int64_t j = 0;
            for (; j + 8 <= dim; j += 8)
                for (int l = 0; l < 8; l++) sum[l] += at(kind, a[i], j + l) * w[k][j + l];
            for (int l = 0; j < dim; j++, l++) sum[l] += at(kind, a[i], j) * w[k][j];
            out[i * stride + k] = sum_of(sum);
        }
}

static inline void gram(sustain__row_kind kind, int64_t m, int64_t n, int64_t dim, const void *const *a, const void *const *b,
                        sustain_real *out, int64_t stride) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < n; k++) {
            sustain_real sum[8] = {0};
            for (int64_t j = 0; j < dim; j++) sum[j & 7] += at(kind, a[i], j) * at(kind, b[k], j);
            out[i * stride + k] = sum_of(sum);
        }
}

static inline void outer(sustain__row_kind kind, int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *q,
                         int64_t stride, sustain_real *const *out) {
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < m; i++) {
            const sustain_real factor = q[i * stride + k];
            for (int64_t j = 0; j < dim; j++) out[k][j] += factor * at(kind, a[i], j);
        }
}

static inline void step(sustain__row_kind kind, int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *q,
                        int64_t stride, const sustain__lower_step *s, sustain_real *const *h, sustain_real *const *y,
                        sustain_real *const *y_prev) {
    const sustain_real keep = (sustain_real)s->keep, ridge = (sustain_real)s->ridge, beta = (sustain_real)s->beta;
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < dim; j++) h[k][j] = keep * h[k][j] + ridge * (y[k][j] - keep * y_prev[k][j]);
    outer(kind, m, n, dim, a, q, stride, h);
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < dim; j++) {
            y_prev[k][j] = y[k][j];
            y[k][j] -= beta * h[k][j];
        }
}

static inline void exact(sustain__row_kind kind, int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *const *w,
                         double *out, int64_t stride) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < n; k++) {
            double sum[4] = {0};
            for (int64_t j = 0; j < dim; j++) sum[j & 3] += (double)at(kind, a[i], j) * (double)w[k][j];
            out[i * stride + k] = (sum[0] + sum[2]) + (sum[1] + sum[3]);
        }
}

#include "core/kernels_of_kind.h"

const sustain__kernels sustain__kernels_plain = {"plain", {SUSTAIN__KERNELS_OF_KINDS}};

#ifdef SUSTAIN__AVX2
extern const sustain__kernels sustain__kernels_avx2;

const sustain__kernels *sustain__kernels_best(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &sustain__kernels_avx2 : &sustain__kernels_plain;
}
#elif defined(SUSTAIN__NEON)
extern const sustain__kernels sustain__kernels_neon;

const sustain__kernels *sustain__kernels_best(void) {
    return &sustain__kernels_neon;
}
#else
const sustain__kernels *sustain__kernels_best(void) {
    return &sustain__kernels_plain;
}
#endif
