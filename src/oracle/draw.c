/* draw.c - random draws. */
#include "oracle/draw.h"

#include "core/random_internal.h"

enum { WITHIN_WINDOW = 1 << 16 }; /* added to the stream */

/* The sample at a place of an epoch. A function of (seed, stream, epoch, place) that takes every
 * value below n once: two permutations, of the blocks and within the window. */
static int64_t in_blocks(uint64_t seed, uint32_t stream, uint64_t epoch, int64_t place, int64_t n) {
    const int64_t size = SUSTAIN__DRAW_BLOCK, window = SUSTAIN__DRAW_WINDOW * size, whole = n / size;
    const int64_t number = place / window, first = number * window, rows = n - first < window ? n - first : window;
    const uint64_t key = epoch * (uint64_t)(n / window + 1) + (uint64_t)number;
    const int64_t at = first + sustain_random_permuted(seed, stream + WITHIN_WINDOW, key, place - first, rows), slot = at / size;
    return (slot < whole ? sustain_random_permuted(seed, stream, epoch, slot, whole) : slot) * size + at % size;
}

sustain_batch sustain__draw(const sustain__sampler *sampler, sustain_level level, uint32_t stream, int64_t t, int64_t size,
                            int64_t *index) {
    const int64_t n = sampler->problem->samples[level];
    if (sampler->samples != NULL) sampler->samples[level] += size;
    sustain_batch batch = {.size = size, .iteration = t};
    if (n == 0) {
        batch.key = sustain_random_bits(sampler->seed, stream, (uint64_t)t, 0);
        return batch;
    }
    batch.index = index;
    if (!sampler->shuffle && size > 1)
        sustain_random_indices(sampler->seed, stream, (uint64_t)t, size, n, index);
    else if (!sampler->shuffle)
        index[0] = sustain_random_index(sampler->seed, stream, (uint64_t)t, 0, n);
    for (int64_t j = 0, some; sampler->shuffle && j < size; j += some) {
        /* position in the sequence of shuffled epochs; what is left of one */
        const uint64_t position = (uint64_t)t * (uint64_t)size + (uint64_t)j, epoch = position / (uint64_t)n;
        const int64_t place = (int64_t)(position % (uint64_t)n), left = n - place;
        some = size - j < left ? size - j : left;
        if (sampler->blocks) {
            for (int64_t k = 0; k < some; k++) index[j + k] = in_blocks(sampler->seed, stream, epoch, place + k, n);
            continue;
        }
        sustain__random_permuted_some(sampler->seed, stream, epoch, place, some, n, index + j);
    }
    return batch;
}

int sustain__draw_terms(const sustain__sampler *sampler, int64_t t, int K) {
    return (int)sustain_random_index(sampler->seed, SUSTAIN__STREAM_TERMS, (uint64_t)t, 0, K);
}
