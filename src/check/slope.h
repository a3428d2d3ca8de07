/* slope.h - the derivative of a function along a line by differences, with an error estimate. */
#ifndef SUSTAIN_CHECK_SLOPE_H
#define SUSTAIN_CHECK_SLOPE_H

#include <sustain/status.h>

/* F(s) into out (m), and about how far rounding moves it. Values that are not finite are
 * skipped. */
typedef sustain_status (*sustain__line)(void *user, double s, double *out, double *noise);

typedef struct sustain__slope {
    double *value;      /* (m) dF/ds at 0 */
    double uncertainty; /* by how much the best two estimates differ */
    double noise;       /* what rounding of F can make of it */
} sustain__slope;

/* Scratch that sustain__find_slope needs, in doubles, for F of up to m numbers; slope->value is
 * part of it. */
#define SUSTAIN__SLOPE_VECTORS 6

sustain_status sustain__find_slope(sustain__line line, void *user, int64_t m, double *scratch, sustain__slope *slope);

#endif
