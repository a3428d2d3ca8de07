/* correlate.c - the loops for any processor, and run-time dispatch. */
#define VECTOR_BYTES 16
#include "nn/correlate_loops.h"

const sustain__correlate sustain__correlate_any = {values, products};

#ifdef SUSTAIN__AVX2
extern const sustain__correlate sustain__correlate_avx2;

const sustain__correlate *sustain__correlate_best(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &sustain__correlate_avx2 : &sustain__correlate_any;
}
#else
const sustain__correlate *sustain__correlate_best(void) {
    return &sustain__correlate_any;
}
#endif
