/* exp.h - exponentials of many numbers at once: no branch and no call in the loop, so that
 * compilers make vector code of it. */
#ifndef SUSTAIN_CORE_EXP_H
#define SUSTAIN_CORE_EXP_H

#include <sustain/status.h>

/* out_i = e^{z_i} to about two units in the last place; infinite where that is too large for a
 * sustain_real, 0 where it is too small, NaN for NaN. out may be z. */
void sustain__exp(int64_t n, const sustain_real *z, sustain_real *out);

#endif
