/* random.c - counter-based random numbers: draw = F(seed, stream, t, i).
 *
 * Philox4x32-10, Salmon et al. 2011; checked against the known answers of its authors in
 * tests/unit/test_random.c. */
#include <sustain/random.h>

#include <math.h>
#include <stddef.h>

#include "core/random_internal.h"

static uint32_t multiply_high(uint32_t a, uint32_t b, uint32_t *low) {
    const uint64_t product = (uint64_t)a * b;
    *low = (uint32_t)product;
    return (uint32_t)(product >> 32);
}

void sustain_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    if (counter == NULL || key == NULL || out == NULL) return;
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint32_t low0, low1;
        const uint32_t high0 = multiply_high(0xD2511F53u, c0, &low0);
        const uint32_t high1 = multiply_high(0xCD9E8D57u, c2, &low1);
        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

/* The two 64-bit halves of block `i` of (seed, stream, t). */
static void block(uint64_t seed, uint32_t stream, uint64_t t, uint32_t i, uint64_t half[2]) {
    const uint32_t counter[4] = {i, (uint32_t)t, (uint32_t)(t >> 32), stream};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t out[4];
    sustain_philox(counter, key, out);
    half[0] = out[0] | (uint64_t)out[1] << 32;
    half[1] = out[2] | (uint64_t)out[3] << 32;
}

static double to_unit(uint64_t bits) {
    return (double)(bits >> 11) * 0x1p-53;
}

uint64_t sustain_random_bits(uint64_t seed, uint32_t stream, uint64_t t, uint32_t i) {
    uint64_t half[2];
    block(seed, stream, t, i >> 1, half);
    return half[i & 1];
}

double sustain_random_uniform(uint64_t seed, uint32_t stream, uint64_t t, uint32_t i) {
    return to_unit(sustain_random_bits(seed, stream, t, i));
}

double sustain_random_normal(uint64_t seed, uint32_t stream, uint64_t t, uint32_t i) {
    uint64_t half[2];
    block(seed, stream, t, i >> 1, half);
    const double radius = sqrt(-2.0 * log(1.0 - to_unit(half[0]))), angle = 6.283185307179586476925 * to_unit(half[1]);
    return radius * ((i & 1) != 0 ? sin(angle) : cos(angle));
}

/* floor(bits * n / 2^64) without 128-bit integers. */
static uint64_t scale_to(uint64_t bits, uint64_t n) {
    const uint64_t bits_high = bits >> 32, bits_low = bits & 0xFFFFFFFFu, n_high = n >> 32, n_low = n & 0xFFFFFFFFu;
    const uint64_t middle = bits_high * n_low + (bits_low * n_low >> 32);
    const uint64_t other = bits_low * n_high + (middle & 0xFFFFFFFFu);
    return bits_high * n_high + (middle >> 32) + (other >> 32);
}

int64_t sustain_random_index(uint64_t seed, uint32_t stream, uint64_t t, uint32_t i, int64_t n) {
    return n < 1 ? 0 : (int64_t)scale_to(sustain_random_bits(seed, stream, t, i), (uint64_t)n);
}

/* The numbers of two halves of a block at a time. */
static void indices_plain(uint64_t seed, uint32_t stream, uint64_t t, int64_t first, int64_t count, int64_t n, int64_t *out) {
    for (int64_t j = 0; j < count; j += 2) {
        uint64_t half[2];
        block(seed, stream, t, (uint32_t)((first + j) / 2), half);
        for (int64_t l = 0; l < 2 && j + l < count; l++) out[j + l] = (int64_t)scale_to(half[l], (uint64_t)n);
    }
}

void sustain_random_indices(uint64_t seed, uint32_t stream, uint64_t t, int64_t count, int64_t n, int64_t *out) {
    enum { AT_ONCE = 2 * SUSTAIN__RANDOM_BLOCKS };
    int64_t done = 0;
    if (out == NULL) return;
    if (n < 1) n = 1;
#ifdef SUSTAIN__AVX2
    if (__builtin_cpu_supports("avx2") && n <= UINT32_MAX)
        for (; done + AT_ONCE <= count; done += AT_ONCE)
            sustain__random_indices_avx2(seed, stream, t, (uint32_t)(done / 2), (uint32_t)n, out + done);
#endif
    indices_plain(seed, stream, t, done, count - done, n, out + done);
}

/* A Feistel network on 2 * half_bits >= log2(n) bits is a permutation; walking its cycle until the
 * value falls below n makes it one of 0 .. n-1 (at most four steps on average). */
enum { ROUNDS = 6, TABLE_BITS = 11 /* of half a value: 48 KB of tables */ };

typedef struct network {
    uint64_t seed, epoch;
    uint32_t stream;
    unsigned half_bits;
    const uint32_t *table; /* (ROUNDS, 1 << half_bits) the functions of the rounds, or NULL */
} network;

static uint32_t stream_of(const network *f, uint32_t round) {
    return f->stream + 0x80000000u + (round << 24);
}

static uint64_t round_of(const network *f, uint32_t round, uint64_t right) {
    return sustain_random_bits(f->seed, stream_of(f, round), f->epoch, (uint32_t)right);
}

static network network_of(uint64_t seed, uint32_t stream, uint64_t epoch, int64_t n) {
    network f = {.seed = seed, .epoch = epoch, .stream = stream, .half_bits = 1};
    while (f.half_bits < 32 && (uint64_t)1 << (2 * f.half_bits) < (uint64_t)n) f.half_bits++;
    return f;
}

static int64_t permute(const network *f, int64_t i, int64_t n) {
    const uint64_t mask = ((uint64_t)1 << f->half_bits) - 1;
    uint64_t value = (uint64_t)i;
    do {
        uint64_t left = value >> f->half_bits, right = value & mask;
        for (uint32_t round = 0; round < ROUNDS; round++) {
            const uint64_t own = f->table != NULL ? f->table[((uint64_t)round << f->half_bits) + right] : round_of(f, round, right);
            const uint64_t next = left ^ (own & mask);
            left = right;
            right = next;
        }
        value = left << f->half_bits | right;
    } while (value >= (uint64_t)n);
    return (int64_t)value;
}

int64_t sustain_random_permuted(uint64_t seed, uint32_t stream, uint64_t epoch, int64_t i, int64_t n) {
    if (n < 1) return 0;
    if (i < 0 || i >= n) i = (int64_t)((uint64_t)i % (uint64_t)n); /* a cycle without a value below n would have no end */
    const network f = network_of(seed, stream, epoch, n);
    return permute(&f, i, n);
}

/* Where more numbers are wanted than a round has arguments, its function is computed once for each
 * of these. */
void sustain__random_permuted_some(uint64_t seed, uint32_t stream, uint64_t epoch, int64_t first, int64_t count, int64_t n, int64_t *out) {
    uint32_t table[ROUNDS << TABLE_BITS];
    network f = network_of(seed, stream, epoch, n);
    const int64_t arguments = (int64_t)1 << f.half_bits;
    if (f.half_bits <= TABLE_BITS && count >= arguments) {
        for (uint32_t round = 0; round < ROUNDS; round++)
            for (int64_t a = 0; a < arguments; a += 2) { /* a block has the numbers of both */
                uint64_t half[2];
                block(seed, stream_of(&f, round), epoch, (uint32_t)(a / 2), half);
                for (int l = 0; l < 2; l++) table[(int64_t)round * arguments + a + l] = (uint32_t)half[l];
            }
        f.table = table;
    }
    for (int64_t j = 0; j < count; j++) out[j] = permute(&f, first + j, n);
}
