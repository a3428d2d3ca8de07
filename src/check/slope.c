/* slope.c - dF/ds at s = 0 by central differences and Richardson's extrapolation, the step chosen
 * by the differences themselves.
 *
 *   D_k = (F(h_k) - F(-h_k)) / 2 h_k,   h_k = h_{k-1} / 3,      R_k = D_k + (D_k - D_{k-1}) / 8
 *
 * Large steps err by curvature, small ones by rounding; in between neighbouring R_k agree. The R_k
 * that is closest to R_{k-1} is taken; the choice does not use the derivative under test (Ridders,
 * 1982). */
#include "check/slope.h"

#include <math.h>
#include <string.h>

/* In double steps go on to 4e-7: kinks of a piecewise smooth function (ReLU, max pooling) that far
 * away do not matter. In float rounding ends it earlier. */
enum { STEPS = sizeof(sustain_real) == sizeof(double) ? 13 : 7 };

static double distance(int64_t m, const double *a, const double *b) {
    double sum = 0;
    for (int64_t i = 0; i < m; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

sustain_status sustain__find_slope(sustain__line line, void *user, int64_t m, double *scratch, sustain__slope *slope) {
    double *best = scratch, *right = scratch + m, *d = scratch + 2 * m, *d_prev = scratch + 3 * m;
    double *r = scratch + 4 * m, *r_prev = scratch + 5 * m, h = 0.2;
    *slope = (sustain__slope){.value = best, .uncertainty = INFINITY, .noise = INFINITY};
    for (int64_t i = 0; i < m; i++) best[i] = NAN;
    for (int k = 0; k < STEPS; k++, h /= 3) {
        double noise, noise_right;
        sustain_status status = line(user, h, right, &noise_right);
        if (status == SUSTAIN_OK) status = line(user, -h, d, &noise);
        if (status != SUSTAIN_OK) return status;
        for (int64_t i = 0; i < m; i++) d[i] = (right[i] - d[i]) / (2 * h);
        for (int64_t i = 0; i < m; i++) r[i] = d[i] + (d[i] - d_prev[i]) / 8;
        if (k >= 2) {
            const double uncertainty = distance(m, r, r_prev);
            noise = fmax(noise, noise_right) / h;
            if (uncertainty + noise < slope->uncertainty + slope->noise) {
                slope->uncertainty = uncertainty;
                slope->noise = noise;
                memcpy(best, r, (size_t)m * sizeof *best);
            }
        }
        double *swap = d_prev;
        d_prev = d, d = swap;
        swap = r_prev;
        r_prev = r, r = swap;
    }
    return SUSTAIN_OK;
}
