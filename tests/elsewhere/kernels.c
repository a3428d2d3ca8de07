/* kernels.c - the kernels that this processor uses against the plain ones, which are the truth: all
 * sizes of tiles, rows of floats and of bytes. Prints the name of the kernels. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/kernels.h"

enum { ROWS = 7, VECTORS = 11, MOST = 70 };

static float floats[ROWS][MOST];
static uint8_t bytes[ROWS][MOST];
static sustain_real w[4][VECTORS][MOST], out[2][ROWS * VECTORS], q[ROWS * VECTORS];
static double values[2][ROWS * VECTORS];
static uint32_t state = 1;

static float number(void) {
    state = state * 1664525U + 1013904223U;
    return (float)(state >> 8) / (float)(1 << 23) - 1;
}

static void fill(void) {
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < MOST; j++) floats[i][j] = number(), bytes[i][j] = (uint8_t)(state >> 24);
    for (int i = 0; i < ROWS * VECTORS; i++) q[i] = (sustain_real)number();
    for (int part = 0; part < 4; part++)
        for (int k = 0; k < VECTORS; k++)
            for (int j = 0; j < MOST; j++) w[part][k][j] = (sustain_real)number();
}

static double largest; /* that a sum can be */

static int differ(int64_t count, const sustain_real *a, const sustain_real *b) {
    int wrong = 0;
    for (int64_t i = 0; i < count; i++) wrong += !(fabs((double)a[i] - (double)b[i]) <= 1e-6 * largest);
    return wrong;
}

static int compare(sustain__row_kind kind, int64_t m, int64_t n, int64_t dim) {
    const sustain__row_kernels *of[2] = {&sustain__kernels_plain.of[kind], &sustain__kernels_best()->of[kind]};
    const sustain__lower_step step = {.keep = 0.9, .ridge = 0.1, .beta = 0.01};
    const void *a[ROWS];
    sustain_real *to[2][3][VECTORS];
    int wrong = 0;
    fill();
    largest = MOST * (kind == SUSTAIN__BYTES ? 255.0 : 1.0);
    for (int i = 0; i < ROWS; i++) a[i] = kind == SUSTAIN__BYTES ? (const void *)bytes[i] : (const void *)floats[i];
    for (int way = 0; way < 2; way++) {
        static sustain_real own[2][3][VECTORS][MOST];
        for (int part = 0; part < 3; part++)
            for (int k = 0; k < VECTORS; k++) {
                memcpy(own[way][part][k], w[part][k], sizeof w[part][k]);
                to[way][part][k] = own[way][part][k];
            }
        const sustain_real *in[VECTORS];
        for (int k = 0; k < VECTORS; k++) in[k] = w[3][k];
        of[way]->dots(m, n, dim, a, in, out[way], VECTORS);
        of[way]->exact(m, n, dim, a, in, values[way], VECTORS);
    }
    for (int64_t i = 0; i < m; i++) wrong += differ(n, out[0] + i * VECTORS, out[1] + i * VECTORS);
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < n; k++) wrong += !(fabs(values[0][i * VECTORS + k] - values[1][i * VECTORS + k]) <= 1e-14 * largest);
    if (kind == SUSTAIN__BYTES) largest *= 255;
    for (int way = 0; way < 2; way++) of[way]->gram(m, m, dim, a, a, out[way], VECTORS);
    for (int64_t i = 0; i < m; i++) wrong += differ(m, out[0] + i * VECTORS, out[1] + i * VECTORS);
    if (kind == SUSTAIN__BYTES) largest /= 255;
    for (int way = 0; way < 2; way++) {
        of[way]->outer(m, n, dim, a, q, VECTORS, to[way][0]);
        of[way]->step(m, n, dim, a, q, VECTORS, &step, to[way][0], to[way][1], to[way][2]);
    }
    for (int part = 0; part < 3; part++)
        for (int64_t k = 0; k < VECTORS; k++) wrong += differ(MOST, to[0][part][k], to[1][part][k]);
    return wrong;
}

int main(void) {
    int wrong = 0;
    for (int64_t dim = 1; dim < MOST; dim++)
        for (int64_t m = 1; m <= ROWS; m++)
            for (int64_t n = 1; n <= VECTORS; n++) wrong += compare(SUSTAIN__FLOATS, m, n, dim) + compare(SUSTAIN__BYTES, m, n, dim);
    printf("kernels %s: %d differences\n", sustain__kernels_best()->name, wrong);
    return wrong > 0;
}
