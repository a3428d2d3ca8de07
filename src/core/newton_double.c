/* newton_double.c - Newton's method and conjugate gradients in double, whatever sustain_real is. */
#include <float.h>

#include "core/newton.h"

double sustain__dot_double(int64_t n, const double *a, const double *b) {
    double sum[8] = {0};
    int64_t j = 0;
    for (; j + 8 <= n; j += 8)
        for (int l = 0; l < 8; l++) sum[l] += a[j + l] * b[j + l];
    for (; j < n; j++) sum[0] += a[j] * b[j];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

static void add(int64_t n, double factor, const double *a, double *to) {
    for (int64_t i = 0; i < n; i++) to[i] += factor * a[i];
}

static void scale(int64_t n, double factor, double *a) {
    for (int64_t i = 0; i < n; i++) a[i] *= factor;
}

#define number double
#define CG sustain__cg_double
#define CG_SOLVE sustain__cg_double_solve
#define NEWTON sustain__newton_double
#define NEWTON_MINIMIZE sustain__newton_double_minimize
#define EPSILON DBL_EPSILON
#define LEAST_NORMAL DBL_MIN
#define DOT sustain__dot_double
#define ADD add
#define SCALE scale

#include "core/newton_loops.h"
