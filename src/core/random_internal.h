/* random_internal.h - indices by vector code, where the processor has it. */
#ifndef SUSTAIN_CORE_RANDOM_H
#define SUSTAIN_CORE_RANDOM_H

#include <stdint.h>

enum { SUSTAIN__RANDOM_BLOCKS = 8 }; /* of the cipher, side by side; each has two numbers */

/* out (2 * SUSTAIN__RANDOM_BLOCKS) <- the indices below n that the blocks from `first` on have. */
void sustain__random_indices_avx2(uint64_t seed, uint32_t stream, uint64_t t, uint32_t first, uint32_t n, int64_t *out);

/* out (count) <- sustain_random_permuted() of first .. first + count - 1, which are below n. */
void sustain__random_permuted_some(uint64_t seed, uint32_t stream, uint64_t epoch, int64_t first, int64_t count, int64_t n, int64_t *out);

#endif
