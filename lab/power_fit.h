/* power_fit.h - a line, or a power law y = c x^slope, fitted to measured points. */
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

/* Least squares of y on x. */
power_fit fit_line(int count, const double *x, const double *y);

/* The same of log y on log x; x and y are positive, and at most FIT_MOST points. */
enum { FIT_MOST = 32 };
power_fit fit_power(int count, const double *x, const double *y);

#endif
