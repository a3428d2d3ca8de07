/* power_fit.h - a power law fitted to measured points: y = c x^slope. */
#ifndef SUSTAIN_LAB_POWER_FIT_H
#define SUSTAIN_LAB_POWER_FIT_H

/* The 0.975 quantile of Student's t distribution, for 95 % confidence intervals; freedom >= 1. */
double student(int freedom);

/* The slope, and its 95 % confidence interval slope - half .. slope + half from the residuals
 * (Student's t). */
typedef struct power_fit {
    double slope; /* NAN: fewer than two different x */
    double half;  /* NAN: fewer than three points */
} power_fit;

/* Least squares of log y on log x; x and y are positive. */
power_fit fit_power(int count, const double *x, const double *y);

#endif
