/* correlate.h - the two inner loops of convolutions in plain C, on zero-padded pictures treated
 * as one long row:
 *
 *   values:     to[o][p] = sum over i, ky, kx of w[o][i][ky][kx] from[i][p + ky row + kx]
 *   products:   dw[o][i][ky][kx] += sum over p of d[o][p] from[i][p + ky row + kx] */
#ifndef SUSTAIN_NN_CORRELATE_H
#define SUSTAIN_NN_CORRELATE_H

#include <sustain/status.h>

/* Largest number of positions processed at a time. */
enum { SUSTAIN__CORRELATE_STEP = 16 };

/* Shapes: from (in, from_plane), to and d (out, plane), where plane is a multiple of
 * SUSTAIN__CORRELATE_STEP, and `from` may be read up to plane + 2 row + 2 after the beginning of
 * its last plane. */
typedef struct sustain__correlation {
    int64_t in, out, row, from_plane, plane;
} sustain__correlation;

typedef struct sustain__correlate {
    void (*values)(const sustain__correlation *c, const sustain_real *from, const sustain_real *w, sustain_real *to);
    void (*products)(const sustain__correlation *c, const sustain_real *from, const sustain_real *d, sustain_real *dw);
} sustain__correlate;

extern const sustain__correlate sustain__correlate_any; /* for any processor */

/* The loops for the processor that runs this. */
const sustain__correlate *sustain__correlate_best(void);

#endif
