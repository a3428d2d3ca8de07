/* safetensors.c - changes the header of a safetensors file and corrects its length, or changes the
 * numbers behind it. With PREFIX 2 the first two bytes of an input are the target's own, the first
 * of them 0 for a whole file (input_file.h); good files, too long for the saved inputs, are made by
 * the target. */
#include "mutator.h"

#ifndef PREFIX
#define PREFIX 0
#endif

#if PREFIX
size_t good_input(uint8_t *data, size_t max_size, unsigned int seed);
#else
static size_t good_input(uint8_t *data, size_t max_size, unsigned int seed) {
    (void)data, (void)max_size, (void)seed;
    return 0;
}
#endif

enum { LENGTH = 8 };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    if (seed % 64 == 2) {
        const size_t good = good_input(data, max_size, seed / 64);
        if (good > 0) size = good;
    }
    const bool whole = size >= PREFIX + LENGTH && (PREFIX == 0 || data[0] == 0);
    const uint64_t header = whole ? little(data + PREFIX, LENGTH) : UINT64_MAX;
    if (!whole || header > size - PREFIX - LENGTH || seed % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
    const size_t begin = PREFIX + LENGTH, numbers = size - begin - (size_t)header;
    if (seed % 4 == 1 && numbers > 0) return mutate_part(data, size, max_size, begin + (size_t)header, numbers);
    const size_t changed = mutate_part(data, size, max_size, begin, (size_t)header);
    put_little(data + PREFIX, LENGTH, changed - numbers - begin);
    return changed;
}
