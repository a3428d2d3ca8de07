/* random_avx2.c - indices from Philox4x32-10 for processors with AVX2, eight blocks of the cipher
 * at a time; compiled for them alone.
 *
 * A number of 32 bits is the lower half of a lane of 64; what is above it is garbage that
 * multiplications do not read. */
#ifdef SUSTAIN__AVX2
#include <immintrin.h>

#include "core/random_internal.h"

enum { GROUPS = SUSTAIN__RANDOM_BLOCKS / 4 };

void sustain__random_indices_avx2(uint64_t seed, uint32_t stream, uint64_t t, uint32_t first, uint32_t n, int64_t *out) {
    const __m256i m0 = _mm256_set1_epi64x(0xD2511F53), m1 = _mm256_set1_epi64x(0xCD9E8D57), count = _mm256_set1_epi64x(n);
    __m256i c0[GROUPS], c1[GROUPS], c2[GROUPS], c3[GROUPS];
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int g = 0; g < GROUPS; g++) {
        c0[g] = _mm256_add_epi64(_mm256_set1_epi64x((int64_t)first + 4 * g), _mm256_setr_epi64x(0, 1, 2, 3));
        c1[g] = _mm256_set1_epi64x((uint32_t)t);
        c2[g] = _mm256_set1_epi64x((uint32_t)(t >> 32));
        c3[g] = _mm256_set1_epi64x(stream);
    }
    for (int round = 0; round < 10; round++) {
        const __m256i key0 = _mm256_set1_epi64x(k0), key1 = _mm256_set1_epi64x(k1);
        for (int g = 0; g < GROUPS; g++) {
            const __m256i product0 = _mm256_mul_epu32(c0[g], m0), product1 = _mm256_mul_epu32(c2[g], m1);
            c0[g] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product1, 32), c1[g]), key0);
            c2[g] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product0, 32), c3[g]), key1);
            c1[g] = product1;
            c3[g] = product0;
        }
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    for (int g = 0; g < GROUPS; g++) { /* floor(bits n / 2^64), bits = c0 | c1 << 32 and c2 | c3 << 32 */
        const __m256i even =
            _mm256_srli_epi64(_mm256_add_epi64(_mm256_mul_epu32(c1[g], count), _mm256_srli_epi64(_mm256_mul_epu32(c0[g], count), 32)), 32);
        const __m256i odd =
            _mm256_srli_epi64(_mm256_add_epi64(_mm256_mul_epu32(c3[g], count), _mm256_srli_epi64(_mm256_mul_epu32(c2[g], count), 32)), 32);
        /* 0 1 4 5, 2 3 6 7 */
        const __m256i low = _mm256_unpacklo_epi64(even, odd), high = _mm256_unpackhi_epi64(even, odd);
        _mm256_storeu_si256((__m256i *)(void *)(out + 8 * g), _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256((__m256i *)(void *)(out + 8 * g + 4), _mm256_permute2x128_si256(low, high, 0x31));
    }
}
#endif
