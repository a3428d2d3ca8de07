/* exp_block.h - exponentials of a few numbers, for files that are compiled for different
 * processors.
 *
 *   e^z = 2^m e^r,   m = the integer nearest to z / ln 2,   r = z - m ln 2,   |r| <= ln 2 / 2
 *
 * e^r by the approximations of Moshier's Cephes library: a polynomial in float, a Pade form in
 * double. m is read from the bits of z / ln 2 + MAGIC, where integers have the spacing of the last
 * place. 2^m is made of two factors, so that the results too large and too small for the format
 * need no special case. */
#ifndef SUSTAIN_CORE_EXP_BLOCK_H
#define SUSTAIN_CORE_EXP_BLOCK_H

#include <string.h>

#include <sustain/status.h>

enum { SUSTAIN__EXP_BLOCK = 64 };

#ifdef SUSTAIN_DOUBLE
#define SUSTAIN__EXP_MAGIC 6755399441055744.0 /* 1.5 * 2^52 */
#define SUSTAIN__EXP_BIAS 1023
#define SUSTAIN__EXP_PLACES 52 /* of the mantissa */
#define SUSTAIN__EXP_LEAST (-746.0)
#define SUSTAIN__EXP_MOST 710.0
#define SUSTAIN__EXP_PER_LN2 1.4426950408889634
#define SUSTAIN__EXP_LN2_HIGH 6.93145751953125e-1 /* m times it is exact */
#define SUSTAIN__EXP_LN2_LOW 1.42860682030941723212e-6

static inline double sustain__small_exp(double r) {
    const double rr = r * r;
    const double p = r * ((1.26177193074810590878e-4 * rr + 3.02994407707441961300e-2) * rr + 9.99999999999999999910e-1);
    const double q =
        ((3.00198505138664455042e-6 * rr + 2.52448340349684104192e-3) * rr + 2.27265548208155028766e-1) * rr + 2.00000000000000000009;
    return 1 + 2 * (p / (q - p));
}
#else
#define SUSTAIN__EXP_MAGIC 12582912.0f /* 1.5 * 2^23 */
#define SUSTAIN__EXP_BIAS 127
#define SUSTAIN__EXP_PLACES 23
#define SUSTAIN__EXP_LEAST (-105.0f)
#define SUSTAIN__EXP_MOST 90.0f
#define SUSTAIN__EXP_PER_LN2 1.44269504f
#define SUSTAIN__EXP_LN2_HIGH 0.693359375f
#define SUSTAIN__EXP_LN2_LOW (-2.12194440e-4f)

static inline float sustain__small_exp(float r) {
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    return p * (r * r) + r + 1;
}
#endif

/* 2^(k - MAGIC), for the k that adding MAGIC to an integer gives. The bits are those of k less
 * those of MAGIC, plus BIAS, moved to the exponent; all that is above falls out. Unsigned: garbage
 * from a NaN may wrap. */
static inline sustain_real sustain__power_of_two(sustain_real k) {
#ifdef SUSTAIN_DOUBLE
    uint64_t u;
#else
    uint32_t u;
#endif
    memcpy(&u, &k, sizeof u);
    u = (u + SUSTAIN__EXP_BIAS) << SUSTAIN__EXP_PLACES;
    sustain_real result;
    memcpy(&result, &u, sizeof result);
    return result;
}

/* n is at most SUSTAIN__EXP_BLOCK; out may be z. */
static inline void sustain__exp_block(int n, const sustain_real *z, sustain_real *out) {
    sustain_real c[SUSTAIN__EXP_BLOCK];
    /* NaN is preserved */
    for (int i = 0; i < n; i++) c[i] = z[i] < SUSTAIN__EXP_LEAST ? SUSTAIN__EXP_LEAST : z[i];
    for (int i = 0; i < n; i++) c[i] = c[i] > SUSTAIN__EXP_MOST ? SUSTAIN__EXP_MOST : c[i];
    for (int i = 0; i < n; i++) {
        const sustain_real m = (c[i] * SUSTAIN__EXP_PER_LN2 + SUSTAIN__EXP_MAGIC) - SUSTAIN__EXP_MAGIC;
        const sustain_real r = (c[i] - m * SUSTAIN__EXP_LN2_HIGH) - m * SUSTAIN__EXP_LN2_LOW;
        const sustain_real half = m * (sustain_real)0.5 + SUSTAIN__EXP_MAGIC, rest = (m - (half - SUSTAIN__EXP_MAGIC)) + SUSTAIN__EXP_MAGIC;
        out[i] = sustain__small_exp(r) * sustain__power_of_two(half) * sustain__power_of_two(rest);
    }
}

#endif
