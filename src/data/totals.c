/* totals.c - see totals.h. */
#include "data/totals.h"

#include <math.h>

#define ROUNDING 1e-5 /* of the sum: of floats, and of decimals that are not shown */

bool sustain__ends_with_total(const float *values, int64_t stride, int64_t count) {
    double sum = 0, size = 0, most = 0;
    int64_t others = 0;
    if (count < 2) return false;
    const double last = (double)values[stride * (count - 1)];
    for (int64_t i = 0; i < count - 1; i++) {
        const double value = (double)values[stride * i];
        if (isnan(value) || value == 0) continue;
        sum += value, size += fabs(value), most = fmax(most, fabs(value)), others++;
    }
    return others >= 3 && fabs(last) > most && fabs(last - sum) <= ROUNDING * size;
}
