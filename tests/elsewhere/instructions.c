/* instructions.c PLAIN KERNEL KIND TIMES - calls one of the kernels, the plain one or this
 * processor's, on 6 rows of 784 features and 10 vectors: for instructions.sh, which counts. */
#include <stdlib.h>

#include "core/kernels.h"

enum { ROWS = 6, VECTORS = 10, DIM = 784 };

int main(int count, char **words) {
    static float rows[ROWS][DIM];
    static sustain_real w[3][VECTORS][DIM], out[ROWS * VECTORS];
    const void *a[ROWS];
    const sustain_real *in[VECTORS];
    sustain_real *h[VECTORS], *y[VECTORS], *before[VECTORS];
    if (count != 5) return 2;
    const sustain__kernels *kernels = atoi(words[1]) ? &sustain__kernels_plain : sustain__kernels_best();
    const sustain__row_kernels *of = &kernels->of[atoi(words[3]) ? SUSTAIN__BYTES : SUSTAIN__FLOATS];
    const sustain__lower_step step = {.keep = 0.9, .ridge = 0.1, .beta = 0.01};
    for (int i = 0; i < ROWS; i++) a[i] = rows[i];
    for (int k = 0; k < VECTORS; k++) in[k] = h[k] = w[0][k], y[k] = w[1][k], before[k] = w[2][k];
    for (int t = 0; t < atoi(words[4]); t++) {
        switch (words[2][0]) {
        case 'd':
            of->dots(ROWS, VECTORS, DIM, a, in, out, VECTORS);
            break;
        case 'g':
            of->gram(ROWS, ROWS, DIM, a, a, out, VECTORS);
            break;
        case 'o':
            of->outer(ROWS, VECTORS, DIM, a, out, VECTORS, h);
            break;
        default:
            of->step(ROWS, VECTORS, DIM, a, out, VECTORS, &step, h, y, before);
        }
    }
    return 0;
}
