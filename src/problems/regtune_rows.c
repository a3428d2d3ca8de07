/* regtune_rows.c - penalties of a linear model, tuned on validation rows: the part of the data.
 *
 *   s_i = y'(a_i, 1),   r_i = dL/ds (s_i, b_i),   C_i = d^2 L / ds^2 (s_i, b_i)
 *
 *   logistic   L = log(1 + exp(-b s))             r = -b / (1 + exp(b s))      C = sigma(s) sigma(-s)
 *   softmax    L = log sum_k exp(s_k) - s_b       r = p - e_b                  C = diag(p) - pp',   p = softmax(s)
 *   squared    L = (s - b)^2 / 2                  r = s - b                    C = 1
 *
 * The exponentials of a chunk of rows are taken at once. Losses are computed in double from the scores on, all else in sustain_real. */
#include <math.h>

#include "core/exp.h"
#include "problems/regtune.h"

typedef sustain__regtune regtune;

enum { CHUNK = SUSTAIN__REGTUNE_CHUNK };

/* ---- one row ---- */

typedef struct row {
    int64_t i;     /* its number */
    int64_t count; /* of its entries */
    const float *value;
    const int32_t *column; /* NULL: entry j is of column j */
} row;

/* Row j of a draw, or of all rows. */
static row row_of(const regtune *h, sustain_level level, const sustain_batch *batch, int64_t j) {
    const sustain_regtune_rows *rows = &h->rows[level];
    const int64_t i = batch != NULL ? batch->index[j] : j;
    if (rows->start == NULL) return (row){i, h->options.dim, rows->values + i * h->options.dim, NULL};
    const int64_t at = rows->start[i];
    return (row){i, rows->start[i + 1] - at, rows->values + at, rows->columns + at};
}

/* a'z in eight sums, that do not wait for one another. */
static sustain_real dot_dense(row a, const sustain_real *z) {
    sustain_real sum[8] = {0};
    int64_t j = 0;
    for (; j + 8 <= a.count; j += 8)
        for (int l = 0; l < 8; l++) sum[l] += (sustain_real)a.value[j + l] * z[j + l];
    for (int l = 0; j < a.count; j++, l++) sum[l] += (sustain_real)a.value[j] * z[j];
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

static sustain_real dot_sparse(row a, const sustain_real *z) {
    sustain_real sum[4] = {0};
    int64_t j = 0;
    for (; j + 4 <= a.count; j += 4)
        for (int l = 0; l < 4; l++) sum[l] += (sustain_real)a.value[j + l] * z[a.column[j + l]];
    for (; j < a.count; j++) sum[0] += (sustain_real)a.value[j] * z[a.column[j]];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* s (width) <- z'(a, 1) */
static void scores(const regtune *h, row a, const sustain_real *z, sustain_real *s) {
    const int64_t width = h->width;
    const sustain_real *bias = h->options.intercept ? z + h->options.dim * width : NULL;
    if (width == 1) {
        s[0] = (a.column == NULL ? dot_dense(a, z) : dot_sparse(a, z)) + (bias != NULL ? bias[0] : 0);
        return;
    }
    for (int64_t k = 0; k < width; k++) s[k] = bias != NULL ? bias[k] : 0;
    for (int64_t j = 0; j < a.count; j++) {
        const sustain_real value = (sustain_real)a.value[j], *z_j = z + (a.column == NULL ? j : a.column[j]) * width;
        for (int64_t k = 0; k < width; k++) s[k] += value * z_j[k];
    }
}

/* The same in double, for values. */
static void scores_exact(const regtune *h, row a, const sustain_real *z, double *s) {
    const int64_t width = h->width;
    for (int64_t k = 0; k < width; k++) s[k] = h->options.intercept ? (double)z[h->options.dim * width + k] : 0;
    for (int64_t j = 0; j < a.count; j++) {
        const double value = (double)a.value[j];
        const sustain_real *z_j = z + (a.column == NULL ? j : a.column[j]) * width;
        for (int64_t k = 0; k < width; k++) s[k] += value * (double)z_j[k];
    }
}

/* L; no exponential overflows. */
static double loss_of(const regtune *h, sustain_level level, int64_t i, const double *s) {
    const sustain_regtune_rows *rows = &h->rows[level];
    if (h->options.loss == SUSTAIN_REGTUNE_SQUARED) return (s[0] - (double)rows->targets[i]) * (s[0] - (double)rows->targets[i]) / 2;
    if (h->options.loss == SUSTAIN_REGTUNE_LOGISTIC) {
        const double margin = s[0] * rows->labels[i];
        return log1p(exp(-fabs(margin))) - (margin < 0 ? margin : 0);
    }
    double most = s[0], sum = 0;
    for (int64_t k = 1; k < h->width; k++) most = s[k] > most ? s[k] : most;
    for (int64_t k = 0; k < h->width; k++) sum += exp(s[k] - most);
    return log(sum) - (s[rows->labels[i]] - most);
}

/* ---- a chunk of rows ---- */

/* s (count, classes) <- softmax of each; the largest score is taken out, so that no exponential overflows. */
static void softmax(int64_t count, int64_t classes, sustain_real *s) {
    for (int64_t i = 0; i < count; i++, s += classes) {
        sustain_real most = s[0], sum = 0;
        for (int64_t k = 1; k < classes; k++) most = s[k] > most ? s[k] : most;
        for (int64_t k = 0; k < classes; k++) s[k] -= most;
        sustain__exp(classes, s, s);
        for (int64_t k = 0; k < classes; k++) sum += s[k];
        for (int64_t k = 0; k < classes; k++) s[k] /= sum;
    }
}

/* s (count, width), the scores, become r. `i` holds the numbers of the rows. */
static void residuals(const regtune *h, const sustain_regtune_rows *rows, int64_t count, const int64_t *i, sustain_real *s) {
    sustain_real b[CHUNK];
    switch (h->options.loss) {
    case SUSTAIN_REGTUNE_LOGISTIC:
        for (int64_t j = 0; j < count; j++) b[j] = (sustain_real)rows->labels[i[j]];
        for (int64_t j = 0; j < count; j++) s[j] *= b[j];
        sustain__exp(count, s, s); /* infinite: r is 0 */
        for (int64_t j = 0; j < count; j++) s[j] = -b[j] / (1 + s[j]);
        break;
    case SUSTAIN_REGTUNE_SOFTMAX:
        softmax(count, h->width, s);
        for (int64_t j = 0; j < count; j++) s[j * h->width + rows->labels[i[j]]] -= 1;
        break;
    case SUSTAIN_REGTUNE_SQUARED:
        for (int64_t j = 0; j < count; j++) s[j] -= (sustain_real)rows->targets[i[j]];
        break;
    }
}

/* t (count, width) <- C t, with s the scores, which are lost. */
static void curve(const regtune *h, int64_t count, sustain_real *s, sustain_real *t) {
    const int64_t width = h->width;
    switch (h->options.loss) {
    case SUSTAIN_REGTUNE_LOGISTIC:
        for (int64_t j = 0; j < count; j++) s[j] = s[j] < 0 ? s[j] : -s[j];
        sustain__exp(count, s, s);
        for (int64_t j = 0; j < count; j++) t[j] *= s[j] / ((1 + s[j]) * (1 + s[j]));
        break;
    case SUSTAIN_REGTUNE_SOFTMAX:
        softmax(count, width, s);
        for (int64_t j = 0; j < count; j++, s += width, t += width) {
            sustain_real mean = 0;
            for (int64_t k = 0; k < width; k++) mean += s[k] * t[k];
            for (int64_t k = 0; k < width; k++) t[k] = s[k] * (t[k] - mean);
        }
        break;
    case SUSTAIN_REGTUNE_SQUARED:
        break;
    }
}

void sustain__regtune_rows(const regtune *h, sustain_level level, const sustain_batch *batch, int64_t first, int64_t count,
                           const sustain_real *y, const sustain_real *v, sustain_real *rows, sustain_real *other) {
    const bool product = v != NULL;
    sustain_real *s = product ? other : rows;
    int64_t i[CHUNK];
    for (int64_t j = 0; j < count; j++) {
        const row a = row_of(h, level, batch, first + j);
        i[j] = a.i;
        scores(h, a, y, s + j * h->width);
        if (product) scores(h, a, v, rows + j * h->width);
    }
    if (product)
        curve(h, count, s, rows);
    else
        residuals(h, &h->rows[level], count, i, s);
}

void sustain__regtune_add(const regtune *h, sustain_level level, const sustain_batch *batch, int64_t first, int64_t count, double factor,
                          const sustain_real *rows, sustain_real *scaled, sustain_real *out) {
    const int64_t width = h->width;
    for (int64_t i = 0; i < count; i++, rows += width) {
        const row a = row_of(h, level, batch, first + i);
        for (int64_t k = 0; k < width; k++) scaled[k] = (sustain_real)(factor * (double)rows[k]);
        if (width == 1) {
            const sustain_real c = scaled[0];
            if (a.column == NULL)
                for (int64_t j = 0; j < a.count; j++) out[j] += c * (sustain_real)a.value[j];
            else
                for (int64_t j = 0; j < a.count; j++) out[a.column[j]] += c * (sustain_real)a.value[j];
        } else {
            for (int64_t j = 0; j < a.count; j++) {
                const sustain_real value = (sustain_real)a.value[j];
                sustain_real *out_j = out + (a.column == NULL ? j : a.column[j]) * width;
                for (int64_t k = 0; k < width; k++) out_j[k] += value * scaled[k];
            }
        }
        if (h->options.intercept)
            for (int64_t k = 0; k < width; k++) out[h->options.dim * width + k] += scaled[k];
    }
}

double sustain__regtune_loss(const regtune *h, sustain_level level, const sustain_batch *batch, const sustain_real *y, double *s) {
    const int64_t size = sustain__regtune_size(h, level, batch);
    double sum = 0;
    for (int64_t j = 0; j < size; j++) {
        const row a = row_of(h, level, batch, j);
        scores_exact(h, a, y, s);
        sum += loss_of(h, level, a.i, s);
    }
    return sum / (double)size;
}
