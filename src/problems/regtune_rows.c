/* regtune_rows.c - penalties of a linear model, tuned on validation rows: the part of the data.
 *
 *   s_i = y (a_i, 1),   r_i = dL/ds (s_i, b_i),   C_i = d^2 L / ds^2 (s_i, b_i)
 *
 *   logistic   L = log(1 + exp(-b s))             r = -b / (1 + exp(b s))      C = sigma(s) sigma(-s)
 *   softmax    L = log sum_k exp(s_k) - s_b       r = p - e_b                  C = diag(p) - pp',   p = softmax(s)
 *   squared    L = (s - b)^2 / 2                  r = s - b                    C = 1
 *
 * The exponentials of a chunk of rows are taken at once. Losses are computed in double from the scores on, all else in sustain_real. */
#include <math.h>

#include "core/exp.h"
#include "core/vector.h"
#include "problems/regtune.h"

typedef sustain__regtune regtune;

enum { CHUNK = SUSTAIN__BLOCK };

/* ---- one row ---- */

/* Where row j of a draw, or of all rows, is stored. */
static int64_t place_of(const regtune *h, sustain_level level, const sustain_batch *batch, int64_t j) {
    return sustain__rows_place(&h->rows[level], sustain__rows_number(batch, j));
}

/* L; no exponential overflows. */
static double loss_of(const regtune *h, sustain_level level, int64_t i, const double *s) {
    const sustain_rows *rows = &h->rows[level];
    if (h->options.loss == SUSTAIN_REGTUNE_SQUARED) return (s[0] - (double)rows->targets[i]) * (s[0] - (double)rows->targets[i]) / 2;
    if (h->options.loss == SUSTAIN_REGTUNE_LOGISTIC) {
        const double margin = s[0] * rows->labels[i];
        return log1p(exp(-fabs(margin))) - (margin < 0 ? margin : 0);
    }
    double most = s[0], sum = 0;
    for (int64_t k = 1; k < h->model.width; k++) most = s[k] > most ? s[k] : most;
    for (int64_t k = 0; k < h->model.width; k++) sum += exp(s[k] - most);
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

/* s (count, width), the scores, become r. `i` holds the places of the rows. */
static void residuals(const regtune *h, const sustain_rows *rows, int64_t count, const int64_t *i, sustain_real *s) {
    sustain_real b[CHUNK];
    switch (h->options.loss) {
    case SUSTAIN_REGTUNE_LOGISTIC:
        for (int64_t j = 0; j < count; j++) b[j] = (sustain_real)rows->labels[i[j]];
        for (int64_t j = 0; j < count; j++) s[j] *= b[j];
        sustain__exp(count, s, s); /* infinite: r is 0 */
        for (int64_t j = 0; j < count; j++) s[j] = -b[j] / (1 + s[j]);
        break;
    case SUSTAIN_REGTUNE_SOFTMAX:
        softmax(count, h->model.width, s);
        for (int64_t j = 0; j < count; j++) s[j * h->model.width + rows->labels[i[j]]] -= 1;
        break;
    case SUSTAIN_REGTUNE_SQUARED:
        for (int64_t j = 0; j < count; j++) s[j] -= (sustain_real)rows->targets[i[j]];
        break;
    }
}

/* t (count, width) <- C t, with s the scores, which are lost. */
static void curve(const regtune *h, int64_t count, sustain_real *s, sustain_real *t) {
    const int64_t width = h->model.width;
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

/* The scores of the block's rows under z. */
static sustain_real *scores(sustain__block *b, const sustain_real *z) {
    b->columns = 0;
    sustain__block_column(b, z);
    sustain__block_scores(b);
    return b->s;
}

void sustain__regtune_rows(const regtune *h, sustain_level level, const sustain_batch *batch, int64_t first, int64_t count,
                           const sustain_real *y, const sustain_real *v, sustain__block *b, sustain_real *other) {
    sustain__block_clear(b);
    sustain__block_take(b, &h->rows[level], batch, first, count);
    if (v != NULL) {
        sustain__copy(count * h->model.width, scores(b, y), other);
        curve(h, count, other, scores(b, v));
    } else {
        int64_t i[CHUNK];
        for (int64_t j = 0; j < count; j++) i[j] = place_of(h, level, batch, first + j);
        residuals(h, &h->rows[level], count, i, scores(b, y));
    }
}

double sustain__regtune_loss(const regtune *h, sustain_level level, const sustain_batch *batch, const sustain_real *y, sustain__block *b,
                             double *s) {
    const int64_t size = sustain__regtune_size(h, level, batch);
    double sum = 0;
    for (int64_t first = 0; first < size; first += CHUNK) {
        const int64_t count = size - first < CHUNK ? size - first : CHUNK;
        sustain__block_clear(b);
        sustain__block_take(b, &h->rows[level], batch, first, count);
        for (int64_t j = 0; j < count; j++) {
            sustain__block_exact(b, j, y, s);
            sum += loss_of(h, level, place_of(h, level, batch, first + j), s);
        }
    }
    return sum / (double)size;
}
