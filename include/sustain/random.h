/** @file random.h - random numbers as a function: draw = F(seed, stream, t, i). No state, so
 *  nothing to save or lock.
 *
 *  Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
 *  2011. */
#ifndef SUSTAIN_RANDOM_H
#define SUSTAIN_RANDOM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Ten rounds of Philox4x32: the cipher that everything below is made of. */
void sustain_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/** 64 random bits, a pure function of its arguments. Every (stream, t) has 2^32 of them. */
uint64_t sustain_random_bits(uint64_t seed, uint32_t stream, uint64_t t, uint32_t i);

/** Uniform on [0, 1), 53 bits. */
double sustain_random_uniform(uint64_t seed, uint32_t stream, uint64_t t, uint32_t i);

/** Standard normal (Box and Muller). */
double sustain_random_normal(uint64_t seed, uint32_t stream, uint64_t t, uint32_t i);

/** Uniform on 0 .. n-1, n >= 1; the bias of at most n / 2^64 is not measurable. n < 1: 0. */
int64_t sustain_random_index(uint64_t seed, uint32_t stream, uint64_t t, uint32_t i, int64_t n);

/** The numbers sustain_random_index(seed, stream, t, i, n) for i = 0 .. count-1 into out, several
 *  at a time. */
void sustain_random_indices(uint64_t seed, uint32_t stream, uint64_t t, int64_t count, int64_t n, int64_t *out);

/** Where position i stands in a random permutation of 0 .. n-1 that (seed, stream, epoch) names:
 *  sampling without replacement in constant time and without memory. An i outside 0 .. n-1 is taken
 *  modulo n; n < 1: 0. */
int64_t sustain_random_permuted(uint64_t seed, uint32_t stream, uint64_t epoch, int64_t i, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
