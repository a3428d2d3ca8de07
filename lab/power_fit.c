/* power_fit.c - least squares, for a power law of log y on log x.
 *
 *   slope = sum (u - mean u)(v - mean v) / sum (u - mean u)^2,    u = x, v = y, or their logarithms
 *   half  = t_{0.975, n-2} sqrt(residual / (n-2) / sum (u - mean u)^2) */
#include "power_fit.h"

#include <math.h>

/* A table for few degrees of freedom, then the expansion about the normal quantile z (Abramowitz
 * and Stegun, 26.7.5). */
double student(int freedom) {
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
    const double z = 1.959964, zz = z * z, n = freedom;
    if (freedom <= (int)(sizeof t / sizeof *t)) return t[freedom - 1];
    return z *
           (1 + (zz + 1) / (4 * n) + ((5 * zz + 16) * zz + 3) / (96 * n * n) + (((3 * zz + 19) * zz + 17) * zz - 15) / (384 * n * n * n));
}

power_fit fit_line(int count, const double *x, const double *y) {
    double u = 0, v = 0, uu = 0, uv = 0, vv = 0;
    for (int i = 0; i < count; i++) u += x[i] / count, v += y[i] / count;
    for (int i = 0; i < count; i++) {
        const double du = x[i] - u, dv = y[i] - v;
        uu += du * du, uv += du * dv, vv += dv * dv;
    }
    const double slope = uu > 0 ? uv / uu : (double)NAN;
    if (count < 3) return (power_fit){slope, (double)NAN};
    return (power_fit){slope, student(count - 2) * sqrt(fmax(0, vv - slope * uv) / (count - 2) / uu)};
}

power_fit fit_power(int count, const double *x, const double *y) {
    double u[FIT_MOST], v[FIT_MOST];
    if (count > FIT_MOST) return (power_fit){(double)NAN, (double)NAN};
    for (int i = 0; i < count; i++) u[i] = log(x[i]), v[i] = log(y[i]);
    return fit_line(count, u, v);
}
