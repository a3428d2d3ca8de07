/* eigen.c - Jacobi's method: rotations in the planes (p, q), each of which makes a_pq zero, in
 * turn until the rest is rounding. Golub and Van Loan, Matrix Computations, Section 8.5 (cyclic
 * by row). */
#include "core/eigen.h"

#include <float.h>
#include <math.h>

enum { MOST_SWEEPS = 60 };

/* a <- G'aG, V <- VG with the rotation that makes a_pq zero: t = tan of the smaller angle. */
static void rotate(int64_t n, int64_t p, int64_t q, double *a, double *V) {
    const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1), s = t * c;
    for (int64_t k = 0; k < n; k++) { /* columns */
        const double kp = a[k * n + p], kq = a[k * n + q], vp = V[k * n + p], vq = V[k * n + q];
        a[k * n + p] = c * kp - s * kq;
        a[k * n + q] = s * kp + c * kq;
        V[k * n + p] = c * vp - s * vq;
        V[k * n + q] = s * vp + c * vq;
    }
    for (int64_t k = 0; k < n; k++) { /* rows */
        const double pk = a[p * n + k], qk = a[q * n + k];
        a[p * n + k] = c * pk - s * qk;
        a[q * n + k] = s * pk + c * qk;
    }
    a[p * n + q] = a[q * n + p] = 0;
}

bool sustain__eigen(int64_t n, double *a, double *values, double *V) {
    double all = 0;
    for (int64_t i = 0; i < n * n; i++) all += a[i] * a[i], V[i] = i % (n + 1) == 0;
    if (!isfinite(all)) return false;
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        double rest = 0;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) rest += a[p * n + q] * a[p * n + q];
        if (!(rest > DBL_EPSILON * DBL_EPSILON * all)) break;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++)
                if (a[p * n + q] != 0) rotate(n, p, q, a, V);
    }
    for (int64_t i = 0; i < n; i++) values[i] = a[i * n + i];
    return true;
}
