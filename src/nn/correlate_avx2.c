/* correlate_avx2.c - the loops for AVX2 with FMA; only this file is compiled for them
 * (CMakeLists.txt). */
#ifdef SUSTAIN__AVX2
#define VECTOR_BYTES 32
#include "nn/correlate_loops.h"

extern const sustain__correlate sustain__correlate_avx2;
const sustain__correlate sustain__correlate_avx2 = {values, products};
#endif
