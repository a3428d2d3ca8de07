/* rows_double.h - one row times one vector in double, whatever sustain_real is: for fits and
 * solutions that are exact. Inline, for rows may be short. */
#ifndef SUSTAIN_PROBLEMS_ROWS_DOUBLE_H
#define SUSTAIN_PROBLEMS_ROWS_DOUBLE_H

#include "problems/rows_internal.h"

/* Entry e of a row. */
static inline double sustain__row_entry(sustain__row a, int64_t e) {
    return a.value != NULL ? (double)a.value[e] : (double)a.scale * (double)sustain__row_number(a, e);
}

/* a'z. Sums side by side keep the processor busy: on sparse rows of 60 entries four take 0.2 of the
 * time of two that take turns. */
static inline double sustain__row_dot(sustain__row a, const double *z) {
    double sum[8] = {0};
    int64_t j = 0;
    if (a.column != NULL) {
        for (; j + 4 <= a.count; j += 4)
            for (int l = 0; l < 4; l++) sum[l] += (double)a.value[j + l] * z[a.column[j + l]];
        for (; j < a.count; j++) sum[0] += (double)a.value[j] * z[a.column[j]];
        return (sum[0] + sum[2]) + (sum[1] + sum[3]);
    }
    if (a.value != NULL) {
        for (; j + 8 <= a.count; j += 8)
            for (int l = 0; l < 8; l++) sum[l] += (double)a.value[j + l] * z[j + l];
        for (; j < a.count; j++) sum[0] += (double)a.value[j] * z[j];
    } else if (a.byte != NULL) {
        for (; j + 8 <= a.count; j += 8)
            for (int l = 0; l < 8; l++) sum[l] += (double)a.byte[j + l] * z[j + l];
        for (; j < a.count; j++) sum[0] += (double)a.byte[j] * z[j];
    } else if (a.half != NULL) {
        for (; j + 8 <= a.count; j += 8)
            for (int l = 0; l < 8; l++) sum[l] += (double)sustain__from_half(a.half[j + l]) * z[j + l];
        for (; j < a.count; j++) sum[0] += (double)sustain__from_half(a.half[j]) * z[j];
    }
    return (double)a.scale * (((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])));
}

/* out += q a */
static inline void sustain__row_add(sustain__row a, double q, double *out) {
    if (a.column != NULL)
        for (int64_t e = 0; e < a.count; e++) out[a.column[e]] += q * (double)a.value[e];
    else if (a.value != NULL)
        for (int64_t e = 0; e < a.count; e++) out[e] += q * (double)a.value[e];
    else if (a.byte != NULL)
        for (int64_t e = 0; e < a.count; e++) out[e] += q * (double)a.scale * (double)a.byte[e];
    else if (a.half != NULL)
        for (int64_t e = 0; e < a.count; e++) out[e] += q * (double)sustain__from_half(a.half[e]);
}

/* out += q a^2, entry by entry: for diagonals */
static inline void sustain__row_add_square(sustain__row a, double q, double *out) {
    for (int64_t e = 0; e < a.count; e++) {
        const double value = sustain__row_entry(a, e);
        out[a.column != NULL ? a.column[e] : e] += q * value * value;
    }
}

#endif
