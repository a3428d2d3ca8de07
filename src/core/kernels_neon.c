/* kernels_neon.c - the kernels for 64-bit ARM, where every processor has NEON.
 *
 * As in kernels_avx2.c a product is one vector of sums along the features, added up at the end, and
 * tiles keep several of them in registers. What is left over at the end of a row is added one
 * number at a time. */
#ifdef SUSTAIN__NEON
#include "core/half.h"
#include "core/kernels.h"

#include <arm_neon.h>
#include <string.h>

enum { LANES = 4, TALL = 3, WIDE = 4 };

#define ALWAYS static inline __attribute__((always_inline))

/* LANES features of a row from number j on. */
ALWAYS float32x4_t load_row(const sustain__row_kind kind, const void *row, int64_t j) {
    if (kind == SUSTAIN__FLOATS) return vld1q_f32((const float *)row + j);
    if (kind == SUSTAIN__HALVES) return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16((const uint16_t *)row + j)));
    uint32_t four;
    memcpy(&four, (const uint8_t *)row + j, sizeof four);
    return vcvtq_f32_u32(vmovl_u16(vget_low_u16(vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(four))))));
}

ALWAYS float at(const sustain__row_kind kind, const void *row, int64_t j) {
    if (kind == SUSTAIN__HALVES) return sustain__from_half(((const uint16_t *)row)[j]);
    return kind == SUSTAIN__BYTES ? (float)((const uint8_t *)row)[j] : ((const float *)row)[j];
}

/* ---- products ---- */

ALWAYS void dots_tile(const sustain__row_kind kind, const int R, const int C, int64_t dim, const void *const *a, const float *const *w,
                      float *out, int64_t stride) {
    float32x4_t sum[TALL * WIDE], row[TALL];
    int64_t j = 0;
    for (int t = 0; t < R * C; t++) sum[t] = vdupq_n_f32(0);
    for (; j + LANES <= dim; j += LANES) {
        for (int r = 0; r < R; r++) row[r] = load_row(kind, a[r], j);
        for (int c = 0; c < C; c++) {
            const float32x4_t other = vld1q_f32(w[c] + j);
            for (int r = 0; r < R; r++) sum[r * C + c] = vfmaq_f32(sum[r * C + c], row[r], other);
        }
    }
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) {
            float total = vaddvq_f32(sum[r * C + c]);
            for (int64_t l = j; l < dim; l++) total += at(kind, a[r], l) * w[c][l];
            out[r * stride + c] = total;
        }
}

ALWAYS void dots_panel(const sustain__row_kind kind, const int C, int64_t m, int64_t dim, const void *const *a, const float *const *w,
                       float *out, int64_t stride) {
    for (; m >= TALL; m -= TALL, a += TALL, out += TALL * stride) dots_tile(kind, TALL, C, dim, a, w, out, stride);
    for (; m > 0; m--, a++, out += stride) dots_tile(kind, 1, C, dim, a, w, out, stride);
}

ALWAYS void dots(const sustain__row_kind kind, int64_t m, int64_t n, int64_t dim, const void *const *a, const float *const *w, float *out,
                 int64_t stride) {
    for (; n >= WIDE; n -= WIDE, w += WIDE, out += WIDE) dots_panel(kind, WIDE, m, dim, a, w, out, stride);
    for (; n > 0; n--, w++, out++) dots_panel(kind, 1, m, dim, a, w, out, stride);
}

ALWAYS void gram(const sustain__row_kind kind, int64_t m, int64_t n, int64_t dim, const void *const *a, const void *const *b, float *out,
                 int64_t stride) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < n; k++) {
            float32x4_t sum[2] = {vdupq_n_f32(0), vdupq_n_f32(0)};
            int64_t j = 0;
            for (; j + 2 * LANES <= dim; j += 2 * LANES)
                for (int l = 0; l < 2; l++)
                    sum[l] = vfmaq_f32(sum[l], load_row(kind, a[i], j + l * LANES), load_row(kind, b[k], j + l * LANES));
            float total = vaddvq_f32(vaddq_f32(sum[0], sum[1]));
            for (; j < dim; j++) total += at(kind, a[i], j) * at(kind, b[k], j);
            out[i * stride + k] = total;
        }
}

/* ---- sums of rows ---- */

typedef struct place {
    const void *const *a;
    const float *q;
    int64_t m, stride;
} place;

/* sum[c] += the rows times q, at features j .. j + LANES - 1. */
ALWAYS void add_rows(const sustain__row_kind kind, const int C, const place *p, int64_t j, float32x4_t *sum) {
    for (int64_t i = 0; i < p->m; i++) {
        const float32x4_t row = load_row(kind, p->a[i], j);
        const float *q = p->q + i * p->stride;
        if (C == WIDE) {
            const float32x4_t four = vld1q_f32(q);
            sum[0] = vfmaq_laneq_f32(sum[0], row, four, 0), sum[1] = vfmaq_laneq_f32(sum[1], row, four, 1);
            sum[2] = vfmaq_laneq_f32(sum[2], row, four, 2), sum[3] = vfmaq_laneq_f32(sum[3], row, four, 3);
        } else {
            for (int c = 0; c < C; c++) sum[c] = vfmaq_n_f32(sum[c], row, q[c]);
        }
    }
}

/* The sum at one feature. */
ALWAYS float add_one(const sustain__row_kind kind, const place *p, int c, int64_t j, float sum) {
    for (int64_t i = 0; i < p->m; i++) sum += p->q[i * p->stride + c] * at(kind, p->a[i], j);
    return sum;
}

ALWAYS void outer_panel(const sustain__row_kind kind, const int C, const place *p, int64_t dim, float *const *out) {
    int64_t j = 0;
    for (; j + LANES <= dim; j += LANES) {
        float32x4_t sum[WIDE];
        for (int c = 0; c < C; c++) sum[c] = vld1q_f32(out[c] + j);
        add_rows(kind, C, p, j, sum);
        for (int c = 0; c < C; c++) vst1q_f32(out[c] + j, sum[c]);
    }
    for (; j < dim; j++)
        for (int c = 0; c < C; c++) out[c][j] = add_one(kind, p, c, j, out[c][j]);
}

ALWAYS void outer(const sustain__row_kind kind, int64_t m, int64_t n, int64_t dim, const void *const *a, const float *q, int64_t stride,
                  float *const *out) {
    place p = {a, q, m, stride};
    for (; n >= WIDE; n -= WIDE, p.q += WIDE, out += WIDE) outer_panel(kind, WIDE, &p, dim, out);
    for (; n > 0; n--, p.q++, out++) outer_panel(kind, 1, &p, dim, out);
}

/* ---- the step ---- */

ALWAYS void step_panel(const sustain__row_kind kind, const int C, const place *p, int64_t dim, const sustain__lower_step *s,
                       float *const *h, float *const *y, float *const *y_prev) {
    const float keep = (float)s->keep, ridge = (float)s->ridge, ridge_prev = (float)(-s->ridge * s->keep), beta = (float)-s->beta;
    int64_t j = 0;
    for (; j + LANES <= dim; j += LANES) {
        float32x4_t sum[WIDE];
        for (int c = 0; c < C; c++) {
            sum[c] = vmulq_n_f32(vld1q_f32(h[c] + j), keep);
            sum[c] = vfmaq_n_f32(vfmaq_n_f32(sum[c], vld1q_f32(y[c] + j), ridge), vld1q_f32(y_prev[c] + j), ridge_prev);
        }
        add_rows(kind, C, p, j, sum);
        for (int c = 0; c < C; c++) {
            const float32x4_t before = vld1q_f32(y[c] + j);
            vst1q_f32(h[c] + j, sum[c]);
            vst1q_f32(y_prev[c] + j, before);
            vst1q_f32(y[c] + j, vfmaq_n_f32(before, sum[c], beta));
        }
    }
    for (; j < dim; j++)
        for (int c = 0; c < C; c++) {
            h[c][j] = add_one(kind, p, c, j, keep * h[c][j] + ridge * y[c][j] + ridge_prev * y_prev[c][j]);
            y_prev[c][j] = y[c][j];
            y[c][j] += beta * h[c][j];
        }
}

ALWAYS void step(const sustain__row_kind kind, int64_t m, int64_t n, int64_t dim, const void *const *a, const float *q, int64_t stride,
                 const sustain__lower_step *s, float *const *h, float *const *y, float *const *y_prev) {
    place p = {a, q, m, stride};
    for (; n >= WIDE; n -= WIDE, p.q += WIDE, h += WIDE, y += WIDE, y_prev += WIDE) step_panel(kind, WIDE, &p, dim, s, h, y, y_prev);
    for (; n > 0; n--, p.q++, h++, y++, y_prev++) step_panel(kind, 1, &p, dim, s, h, y, y_prev);
}

/* ---- values ---- */

ALWAYS void exact(const sustain__row_kind kind, int64_t m, int64_t n, int64_t dim, const void *const *a, const float *const *w, double *out,
                  int64_t stride) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < n; k++) {
            float64x2_t sum[2] = {vdupq_n_f64(0), vdupq_n_f64(0)};
            int64_t j = 0;
            for (; j + LANES <= dim; j += LANES) {
                const float32x4_t row = load_row(kind, a[i], j), other = vld1q_f32(w[k] + j);
                sum[0] = vfmaq_f64(sum[0], vcvt_f64_f32(vget_low_f32(row)), vcvt_f64_f32(vget_low_f32(other)));
                sum[1] = vfmaq_f64(sum[1], vcvt_high_f64_f32(row), vcvt_high_f64_f32(other));
            }
            double total = vaddvq_f64(vaddq_f64(sum[0], sum[1]));
            for (; j < dim; j++) total += (double)at(kind, a[i], j) * (double)w[k][j];
            out[i * stride + k] = total;
        }
}

#include "core/kernels_of_kind.h"

extern const sustain__kernels sustain__kernels_neon;
const sustain__kernels sustain__kernels_neon = {"neon", {SUSTAIN__KERNELS_OF_KINDS}};
#endif
