/* vector8.h - eight floats as one value, a register of AVX2 or two of NEON, for the loops on maps
 * in blocks of eight channels: one source for both processors.
 *
 * Every operation rounds in the same way on both, so that results have the same bits. On x86-64 the
 * files that include this are always compiled for AVX2 and FMA (CMakeLists.txt); every 64-bit ARM
 * has NEON. */
#ifndef SUSTAIN_NN_VECTOR8_H
#define SUSTAIN_NN_VECTOR8_H

#include <stdint.h>

#define ALWAYS static inline __attribute__((always_inline))

#ifdef __AVX2__
#include <immintrin.h>

typedef __m256 vec;
typedef __m256 scalar;  /* one float, for all lanes */
typedef __m256 mask;    /* all bits of a lane, or none */
typedef __m256i places; /* 0 .. 3: a position in a window of 2 x 2 */

ALWAYS vec load(const float *p) {
    return _mm256_loadu_ps(p);
}

ALWAYS scalar load_scalar(const float *p) {
    return _mm256_broadcast_ss(p);
}

ALWAYS void store(float *p, vec v) {
    _mm256_storeu_ps(p, v);
}

ALWAYS vec zero(void) {
    return _mm256_setzero_ps();
}

ALWAYS vec plus(vec a, vec b) {
    return _mm256_add_ps(a, b);
}

ALWAYS vec minus(vec a, vec b) {
    return _mm256_sub_ps(a, b);
}

ALWAYS vec times(vec a, vec b) {
    return _mm256_mul_ps(a, b);
}

ALWAYS vec half(vec a) {
    return _mm256_mul_ps(a, _mm256_set1_ps(0.5F));
}

/* a b + c, rounded once */
ALWAYS vec multiply_add(vec a, vec b, vec c) {
    return _mm256_fmadd_ps(a, b, c);
}

ALWAYS vec multiply_add_scalar(scalar a, vec b, vec c) {
    return _mm256_fmadd_ps(a, b, c);
}

/* v, loaded once and not by each operation that reads it. */
ALWAYS vec in_register(vec v) {
    __asm__("" : "+x"(v));
    return v;
}

/* a; what the source loads after this is loaded after it. NEON: gcc loads as early as it can, and
 * runs out of registers. */
ALWAYS scalar hold(scalar a) {
    return a;
}

/* 0 for NaN */
ALWAYS vec positive_part(vec a) {
    return _mm256_max_ps(a, _mm256_setzero_ps());
}

/* sum[0 .. 7] += v */
ALWAYS void add_in_double(double *sum, vec v) {
    _mm256_storeu_pd(sum, _mm256_add_pd(_mm256_loadu_pd(sum), _mm256_cvtps_pd(_mm256_castps256_ps128(v))));
    _mm256_storeu_pd(sum + 4, _mm256_add_pd(_mm256_loadu_pd(sum + 4), _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1))));
}

ALWAYS mask greater(vec a, vec b) {
    return _mm256_cmp_ps(a, b, _CMP_GT_OQ);
}

/* v, or zero */
ALWAYS vec where(mask m, vec v) {
    return _mm256_and_ps(m, v);
}

ALWAYS vec choose(mask m, vec yes, vec no) {
    return _mm256_blendv_ps(no, yes, m);
}

ALWAYS places all_places(int k) {
    return _mm256_set1_epi32(k);
}

ALWAYS places choose_places(mask m, places yes, places no) {
    return _mm256_blendv_epi8(no, yes, _mm256_castps_si256(m));
}

ALWAYS places load_places(const uint8_t *p) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
}

ALWAYS void store_places(uint8_t *p, places at) {
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(at), _mm256_extracti128_si256(at, 1));
    _mm_storel_epi64((__m128i *)(void *)p, _mm_packus_epi16(words, words));
}

ALWAYS mask is_place(places at, int k) {
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(at, _mm256_set1_epi32(k)));
}

/* v[at] */
ALWAYS vec at_place(const vec v[4], places at) {
    const mask column = _mm256_castsi256_ps(_mm256_slli_epi32(at, 31)), row = _mm256_castsi256_ps(_mm256_slli_epi32(at, 30));
    return choose(row, choose(column, v[3], v[2]), choose(column, v[1], v[0]));
}
#else
#include <arm_neon.h>

typedef struct vec {
    float32x4_t low, high;
} vec;
typedef float scalar;
typedef struct mask {
    uint32x4_t low, high;
} mask, places;

ALWAYS vec load(const float *p) {
    return (vec){vld1q_f32(p), vld1q_f32(p + 4)};
}

ALWAYS scalar load_scalar(const float *p) {
    return *p;
}

ALWAYS void store(float *p, vec v) {
    vst1q_f32(p, v.low);
    vst1q_f32(p + 4, v.high);
}

ALWAYS vec zero(void) {
    return (vec){vdupq_n_f32(0), vdupq_n_f32(0)};
}

ALWAYS vec plus(vec a, vec b) {
    return (vec){vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high)};
}

ALWAYS vec minus(vec a, vec b) {
    return (vec){vsubq_f32(a.low, b.low), vsubq_f32(a.high, b.high)};
}

ALWAYS vec times(vec a, vec b) {
    return (vec){vmulq_f32(a.low, b.low), vmulq_f32(a.high, b.high)};
}

ALWAYS vec half(vec a) {
    return (vec){vmulq_n_f32(a.low, 0.5F), vmulq_n_f32(a.high, 0.5F)};
}

ALWAYS vec multiply_add(vec a, vec b, vec c) {
    return (vec){vfmaq_f32(c.low, a.low, b.low), vfmaq_f32(c.high, a.high, b.high)};
}

ALWAYS vec multiply_add_scalar(scalar a, vec b, vec c) {
    return (vec){vfmaq_n_f32(c.low, b.low, a), vfmaq_n_f32(c.high, b.high, a)};
}

ALWAYS vec in_register(vec v) { /* no operation reads memory */
    return v;
}

ALWAYS scalar hold(scalar a) {
    __asm__ volatile("" : "+w"(a));
    return a;
}

ALWAYS vec positive_part(vec a) {
    return (vec){vmaxnmq_f32(a.low, vdupq_n_f32(0)), vmaxnmq_f32(a.high, vdupq_n_f32(0))};
}

ALWAYS void add_in_double(double *sum, vec v) {
    vst1q_f64(sum, vaddq_f64(vld1q_f64(sum), vcvt_f64_f32(vget_low_f32(v.low))));
    vst1q_f64(sum + 2, vaddq_f64(vld1q_f64(sum + 2), vcvt_high_f64_f32(v.low)));
    vst1q_f64(sum + 4, vaddq_f64(vld1q_f64(sum + 4), vcvt_f64_f32(vget_low_f32(v.high))));
    vst1q_f64(sum + 6, vaddq_f64(vld1q_f64(sum + 6), vcvt_high_f64_f32(v.high)));
}

ALWAYS mask greater(vec a, vec b) {
    return (mask){vcgtq_f32(a.low, b.low), vcgtq_f32(a.high, b.high)};
}

ALWAYS vec where(mask m, vec v) {
    return (vec){vreinterpretq_f32_u32(vandq_u32(m.low, vreinterpretq_u32_f32(v.low))),
                 vreinterpretq_f32_u32(vandq_u32(m.high, vreinterpretq_u32_f32(v.high)))};
}

ALWAYS vec choose(mask m, vec yes, vec no) {
    return (vec){vbslq_f32(m.low, yes.low, no.low), vbslq_f32(m.high, yes.high, no.high)};
}

ALWAYS places all_places(int k) {
    return (places){vdupq_n_u32((uint32_t)k), vdupq_n_u32((uint32_t)k)};
}

ALWAYS places choose_places(mask m, places yes, places no) {
    return (places){vbslq_u32(m.low, yes.low, no.low), vbslq_u32(m.high, yes.high, no.high)};
}

ALWAYS places load_places(const uint8_t *p) {
    const uint16x8_t words = vmovl_u8(vld1_u8(p));
    return (places){vmovl_u16(vget_low_u16(words)), vmovl_high_u16(words)};
}

ALWAYS void store_places(uint8_t *p, places at) {
    vst1_u8(p, vmovn_u16(vcombine_u16(vmovn_u32(at.low), vmovn_u32(at.high))));
}

ALWAYS mask is_place(places at, int k) {
    return (mask){vceqq_u32(at.low, vdupq_n_u32((uint32_t)k)), vceqq_u32(at.high, vdupq_n_u32((uint32_t)k))};
}

ALWAYS vec at_place(const vec v[4], places at) {
    const uint32x4_t one = vdupq_n_u32(1), two = vdupq_n_u32(2);
    const mask column = {vtstq_u32(at.low, one), vtstq_u32(at.high, one)}, row = {vtstq_u32(at.low, two), vtstq_u32(at.high, two)};
    return choose(row, choose(column, v[3], v[2]), choose(column, v[1], v[0]));
}
#endif
#endif
