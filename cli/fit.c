/* fit.c - least squares of log y on log x.
 *
 *   slope = sum (u - mean u)(v - mean v) / sum (u - mean u)^2,    u = log x, v = log y
 *   half  = t_{0.975, n-2} sqrt(residual / (n-2) / sum (u - mean u)^2) */
#include "fit.h"

#include <math.h>

/* t_{0.975} for 1, 2, ... degrees of freedom; beyond the table 1.96 (1 + 1.2/n) is right to three digits. */
static double student(int freedom) {
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
    const int rows = (int)(sizeof t / sizeof *t);
    return freedom <= rows ? t[freedom - 1] : 1.96 * (1 + 1.2 / freedom);
}

power_fit fit_power(int count, const double *x, const double *y) {
    double u = 0, v = 0, uu = 0, uv = 0, vv = 0;
    for (int i = 0; i < count; i++) u += log(x[i]) / count, v += log(y[i]) / count;
    for (int i = 0; i < count; i++) {
        const double du = log(x[i]) - u, dv = log(y[i]) - v;
        uu += du * du, uv += du * dv, vv += dv * dv;
    }
    const double slope = uu > 0 ? uv / uu : (double)NAN;
    if (count < 3) return (power_fit){slope, (double)NAN};
    return (power_fit){slope, student(count - 2) * sqrt(fmax(0, vv - slope * uv) / (count - 2) / uu)};
}
