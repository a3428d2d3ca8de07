/* random_internal.h - indices by vector code, where the processor has it. */
#ifndef SUSTAIN_CORE_RANDOM_H
#define SUSTAIN_CORE_RANDOM_H

#include <stdint.h>

enum { SUSTAIN__RANDOM_BLOCKS = 8 }; /* of the cipher, side by side; each has two numbers */

/* out (2 * SUSTAIN__RANDOM_BLOCKS) <- the indices below n that the blocks from `first` on have. */
void sustain__random_indices_avx2(uint64_t seed, uint32_t stream, uint64_t t, uint32_t first, uint32_t n, int64_t *out);

#endif
