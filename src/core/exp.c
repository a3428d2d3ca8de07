/* exp.c - exponentials of many numbers at once; the method is in exp_block.h. */
#include "core/exp.h"

#include "core/exp_block.h"

void sustain__exp(int64_t n, const sustain_real *z, sustain_real *out) {
    for (int64_t first = 0; first < n; first += SUSTAIN__EXP_BLOCK) {
        const int64_t left = n - first;
        sustain__exp_block(left < SUSTAIN__EXP_BLOCK ? (int)left : SUSTAIN__EXP_BLOCK, z + first, out + first);
    }
}
