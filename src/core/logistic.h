/* logistic.h - the logistic loss on short rows, drawn at random: products, slopes and sums while
 * the rows are in cache.
 *
 *   out_p += factor sum over rows i of q_ip a_i,     q_ip = -1 / (1 + exp(s_ip))                       gradients,         s_ip = a_i'y_p
 *                                                    q_ip = exp(s_ip) / (1 + exp(s_ip))^2 a_i'v_p      Hessian products
 *
 * Labels, -1 or 1, are multiplied into the rows: gradients need b a, and products do not depend on
 * the sign. Rows are contiguous floats, padded with zeros to a multiple of SUSTAIN__SHORT_STEP:
 * loops need no remainder, and a row occupies as few cache lines as possible. */
#ifndef SUSTAIN_CORE_LOGISTIC_H
#define SUSTAIN_CORE_LOGISTIC_H

#include <sustain/status.h>

enum { SUSTAIN__SHORT_STEP = 8, SUSTAIN__SHORT_MOST = 64 };

/* Rows of `stride` floats; values start a line of the cache. */
typedef struct sustain__short_rows {
    float *values;
    int64_t stride;
} sustain__short_rows;

typedef struct sustain__logistic_sum {
    const sustain__short_rows *rows;
    const int64_t *index; /* (count) which of them, or NULL ... */
    int64_t first, count; /* ... first .. first + count - 1 */
    int points;           /* 1 or 2 */
    double factor;
    const sustain_real *y[2], *v[2]; /* (stride); v[0] NULL: gradients */
    sustain_real *out[2];            /* (stride) */
    /* the rows of the next sum, to be prefetched; next NULL: none */
    const sustain__short_rows *next_rows;
    const int64_t *next; /* (next_count) */
    int64_t next_count;
} sustain__logistic_sum;

typedef void sustain__logistic_adds(const sustain__logistic_sum *sum);

/* The reference version. */
sustain__logistic_adds sustain__logistic_plain;

/* The fastest that this processor runs. */
sustain__logistic_adds *sustain__logistic_best(void);

#endif
