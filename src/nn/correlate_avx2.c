/* correlate_avx2.c - the loops for AVX2 with FMA; this file alone is compiled for them, and for fused products (CMakeLists.txt). */
#ifdef SUSTAIN__AVX2
#define VECTOR_BYTES 32
#include "nn/correlate_loops.h"

extern const sustain__correlate sustain__correlate_avx2;
const sustain__correlate sustain__correlate_avx2 = {values, products};
#endif
