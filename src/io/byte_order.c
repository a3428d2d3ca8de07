/* byte_order.c - see byte_order.h. */
#include "io/byte_order.h"

#include <string.h>

#include <sustain/context.h>

enum { CHUNK = 4096 }; /* bytes: a multiple of the size of every number */

bool sustain__host_is_big(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

void sustain__little_endian(void *numbers, size_t count, size_t size) {
    unsigned char *p = numbers;
    if (!sustain__host_is_big()) return;
    for (size_t i = 0; i < count; i++, p += size)
        for (size_t a = 0, b = size - 1; a < b; a++, b--) {
            const unsigned char kept = p[a];
            p[a] = p[b];
            p[b] = kept;
        }
}

/* The next bytes of at most CHUNK as a file has them; returns how many. */
static size_t next_chunk(const unsigned char *at, size_t left, size_t size, unsigned char chunk[CHUNK]) {
    const size_t bytes = left < CHUNK ? left : CHUNK;
    memcpy(chunk, at, bytes);
    sustain__little_endian(chunk, bytes / size, size);
    return bytes;
}

bool sustain__write_little(FILE *to, const void *numbers, size_t count, size_t size) {
    const unsigned char *at = numbers;
    unsigned char chunk[CHUNK];
    size_t left = count * size;
    if (left == 0) return true;
    if (!sustain__host_is_big()) return fwrite(numbers, 1, left, to) == left;
    while (left > 0) {
        const size_t bytes = next_chunk(at, left, size, chunk);
        if (fwrite(chunk, 1, bytes, to) != bytes) return false;
        at += bytes, left -= bytes;
    }
    return true;
}

/* By chunks, each with the hash of those before it as its seed, so that no copy of all numbers is
 * needed to turn them. */
uint64_t sustain__hash_little(const void *numbers, size_t count, size_t size, uint64_t seed) {
    const unsigned char *at = numbers;
    unsigned char chunk[CHUNK];
    const bool turn = sustain__host_is_big();
    size_t left = count * size;
    uint64_t hash = seed;
    while (left > 0) {
        const size_t bytes = turn ? next_chunk(at, left, size, chunk) : left < CHUNK ? left : CHUNK;
        hash = sustain_hash(turn ? chunk : at, bytes, hash);
        at += bytes, left -= bytes;
    }
    return hash;
}
