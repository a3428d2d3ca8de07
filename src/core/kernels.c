/* kernels.c - the plain kernels, and the choice. */
#include "core/kernels.h"

static void dots(int64_t m, int64_t n, int64_t dim, const sustain_real *const *a, const sustain_real *const *w, sustain_real *out,
                 int64_t stride) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < n; k++) {
            /* Eight sums, that do not wait for one another. */
            sustain_real sum[8] = {0};
            int64_t j = 0;
            for (; j + 8 <= dim; j += 8)
                for (int l = 0; l < 8; l++) sum[l] += a[i][j + l] * w[k][j + l];
            for (int l = 0; j < dim; j++, l++) sum[l] += a[i][j] * w[k][j];
            out[i * stride + k] = ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
        }
}

static void outer(int64_t m, int64_t n, int64_t dim, const sustain_real *const *a, const sustain_real *q, int64_t stride,
                  sustain_real *const *out) {
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < m; i++) {
            const sustain_real factor = q[i * stride + k];
            for (int64_t j = 0; j < dim; j++) out[k][j] += factor * a[i][j];
        }
}

static void step(int64_t m, int64_t n, int64_t dim, const sustain_real *const *a, const sustain_real *q, int64_t stride,
                 const sustain__lower_step *s, sustain_real *const *h, sustain_real *const *y, sustain_real *const *y_prev) {
    const sustain_real keep = (sustain_real)s->keep, ridge = (sustain_real)s->ridge, beta = (sustain_real)s->beta;
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < dim; j++) h[k][j] = keep * h[k][j] + ridge * (y[k][j] - keep * y_prev[k][j]);
    outer(m, n, dim, a, q, stride, h);
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < dim; j++) {
            y_prev[k][j] = y[k][j];
            y[k][j] -= beta * h[k][j];
        }
}

static void from_bytes(int64_t dim, const uint8_t *bytes, float scale, sustain_real *out) {
    for (int64_t j = 0; j < dim; j++) out[j] = (sustain_real)((float)bytes[j] * scale);
}

static void dots_exact(int64_t n, int64_t dim, const sustain_real *a, const sustain_real *const *w, double *out) {
    for (int64_t k = 0; k < n; k++) {
        double sum[4] = {0};
        for (int64_t j = 0; j < dim; j++) sum[j & 3] += (double)a[j] * (double)w[k][j];
        out[k] = (sum[0] + sum[2]) + (sum[1] + sum[3]);
    }
}

const sustain__kernels sustain__kernels_plain = {"plain", dots, outer, step, from_bytes, dots_exact};

#ifdef SUSTAIN__AVX2
extern const sustain__kernels sustain__kernels_avx2;

const sustain__kernels *sustain__kernels_best(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &sustain__kernels_avx2 : &sustain__kernels_plain;
}
#else
const sustain__kernels *sustain__kernels_best(void) {
    return &sustain__kernels_plain;
}
#endif
