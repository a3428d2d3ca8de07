/* hash.c - XXH64, from its specification (xxHash, doc/xxhash_spec.md): four lanes over blocks of 32
 * bytes, then the rest, then mixing. */
#include <sustain/context.h>

static const uint64_t P1 = 0x9E3779B185EBCA87u, P2 = 0xC2B2AE3D27D4EB4Fu, P3 = 0x165667B19E3779F9u, P4 = 0x85EBCA77C2B2AE63u,
                      P5 = 0x27D4EB2F165667C5u;

static uint64_t rotate(uint64_t x, int bits) {
    return x << bits | x >> (64 - bits);
}

static uint64_t little(const unsigned char *p, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint64_t)p[i] << (8 * i);
    return value;
}

static uint64_t enter(uint64_t lane, uint64_t word) {
    return rotate(lane + word * P2, 31) * P1;
}

static uint64_t merge(uint64_t hash, uint64_t lane) {
    return (hash ^ enter(0, lane)) * P1 + P4;
}

static uint64_t hash_blocks(const unsigned char **at, size_t blocks, uint64_t seed) {
    uint64_t lane[4] = {seed + P1 + P2, seed + P2, seed, seed - P1};
    const unsigned char *p = *at;
    for (size_t b = 0; b < blocks; b++, p += 32)
        for (int i = 0; i < 4; i++) lane[i] = enter(lane[i], little(p + 8 * i, 8));
    *at = p;
    uint64_t hash = rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
    for (int i = 0; i < 4; i++) hash = merge(hash, lane[i]);
    return hash;
}

uint64_t sustain_hash(const void *bytes, size_t length, uint64_t seed) {
    const unsigned char *p = bytes;
    if (bytes == NULL) length = 0;
    uint64_t hash = length >= 32 ? hash_blocks(&p, length / 32, seed) : seed + P5;
    hash += (uint64_t)length;
    size_t left = length % 32;
    for (; left >= 8; left -= 8, p += 8) hash = rotate(hash ^ enter(0, little(p, 8)), 27) * P1 + P4;
    for (; left >= 4; left -= 4, p += 4) hash = rotate(hash ^ little(p, 4) * P1, 23) * P2 + P3;
    for (; left > 0; left--, p++) hash = rotate(hash ^ *p * P5, 11) * P1;
    hash = (hash ^ hash >> 33) * P2;
    hash = (hash ^ hash >> 29) * P3;
    return hash ^ hash >> 32;
}
