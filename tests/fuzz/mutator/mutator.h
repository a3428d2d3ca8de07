/* mutator.h - what the mutators share. libFuzzer calls LLVMFuzzerCustomMutator() in place of its
 * own mutations; a format with lengths and checksums is otherwise refused at its first lines, and
 * what lies behind them is never reached. */
#ifndef MUTATOR_H
#define MUTATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static inline uint64_t little(const uint8_t *bytes, int size) {
    uint64_t n = 0;
    for (int i = 0; i < size; i++) n |= (uint64_t)bytes[i] << (8 * i);
    return n;
}

static inline void put_little(uint8_t *bytes, int size, uint64_t n) {
    for (int i = 0; i < size; i++) bytes[i] = (uint8_t)(n >> (8 * i));
}

/* Mutates the part [from, from + size) of `length` bytes, moves what follows it, and returns the
 * new length. */
static inline size_t mutate_part(uint8_t *data, size_t length, size_t max_size, size_t from, size_t size) {
    const size_t behind = length - from - size;
    uint8_t *rest = malloc(behind + 1);
    if (rest == NULL) return length;
    memcpy(rest, data + from + size, behind);
    const size_t grown = LLVMFuzzerMutate(data + from, size, max_size - from - behind);
    memcpy(data + from + grown, rest, behind);
    free(rest);
    return from + grown + behind;
}

#endif
