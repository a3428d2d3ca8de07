/* rows.c - labelled rows under a linear model: products of one row. */
#include "problems/rows.h"

/* a'z in eight sums, that do not wait for one another. */
static sustain_real dot(sustain__row a, const sustain_real *z) {
    sustain_real sum[8] = {0};
    if (a.column != NULL) {
        for (int64_t j = 0; j < a.count; j++) sum[j & 7] += (sustain_real)a.value[j] * z[a.column[j]];
    } else if (a.value != NULL) {
        for (int64_t j = 0; j < a.count; j++) sum[j & 7] += (sustain_real)a.value[j] * z[j];
    } else {
        for (int64_t j = 0; j < a.count; j++) sum[j & 7] += (sustain_real)a.byte[j] * z[j];
    }
    return (sustain_real)a.scale * (((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7])));
}

void sustain__row_scores(const sustain__model *m, sustain__row a, const sustain_real *z, sustain_real *s) {
    const sustain_real *bias = m->intercept ? z + m->width * m->dim : NULL;
    for (int64_t k = 0; k < m->width; k++) s[k] = dot(a, z + k * m->dim) + (bias != NULL ? bias[k] : 0);
}

void sustain__row_scores_exact(const sustain__model *m, sustain__row a, const sustain_real *z, double *s) {
    for (int64_t k = 0; k < m->width; k++) {
        const sustain_real *w = z + k * m->dim;
        double sum = 0;
        for (int64_t j = 0; j < a.count; j++)
            sum += (a.value != NULL ? (double)a.value[j] : (double)a.byte[j]) * (double)w[a.column != NULL ? a.column[j] : j];
        s[k] = (double)a.scale * sum + (m->intercept ? (double)z[m->width * m->dim + k] : 0);
    }
}

void sustain__row_add(const sustain__model *m, sustain__row a, const sustain_real *weight, sustain_real *out) {
    for (int64_t k = 0; k < m->width; k++) {
        const sustain_real w = weight[k] * (sustain_real)a.scale;
        sustain_real *out_k = out + k * m->dim;
        if (a.column != NULL)
            for (int64_t j = 0; j < a.count; j++) out_k[a.column[j]] += w * (sustain_real)a.value[j];
        else if (a.value != NULL)
            for (int64_t j = 0; j < a.count; j++) out_k[j] += w * (sustain_real)a.value[j];
        else
            for (int64_t j = 0; j < a.count; j++) out_k[j] += w * (sustain_real)a.byte[j];
    }
    for (int64_t k = 0; m->intercept && k < m->width; k++) out[m->width * m->dim + k] += weight[k];
}
