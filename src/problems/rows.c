/* rows.c - labelled rows under a linear model: products of blocks of rows. Dense rows of one kind
 * go to the kernels, others one by one; sparse ones are walked here. */
#include "problems/rows_internal.h"

#include "core/prefetch.h"
#include "core/vector.h"

enum { LINE = SUSTAIN__LINE };

/* ---- memory ---- */

size_t sustain__block_bytes(int64_t most_columns) {
    return sustain__lines(most_columns, sizeof(sustain_real *)) + sustain__lines(3 * most_columns, sizeof(sustain_real *)) +
           sustain__lines(most_columns, sizeof(sustain_real)) + sustain__lines(SUSTAIN__BLOCK * most_columns, sizeof(sustain_real));
}

void sustain__block_begin(const sustain__kernels *kernels, const sustain__model *m, int64_t most_columns, void *memory,
                          sustain__block *out) {
    char *at = memory;
    out->kernels = kernels;
    out->model = m;
    out->column = (const sustain_real **)(void *)at, at += sustain__lines(most_columns, sizeof(sustain_real *));
    out->to = (sustain_real **)(void *)at, at += sustain__lines(3 * most_columns, sizeof(sustain_real *));
    out->bias = (sustain_real *)(void *)at, at += sustain__lines(most_columns, sizeof(sustain_real));
    out->s = (sustain_real *)(void *)at;
    sustain__block_clear(out);
}

void sustain__block_clear(sustain__block *b) {
    b->count = b->columns = 0;
    b->alike = b->unscaled = true;
}

/* ---- rows and columns ---- */

SUSTAIN__PREFETCHING prefetch_row(const sustain_rows *rows, int64_t place) {
    const sustain__row a = sustain__row_at(rows, place);
    const char *from = sustain__row_data(a);
    const size_t bytes = (size_t)a.count * (a.value != NULL ? sizeof *a.value : a.half != NULL ? sizeof *a.half : sizeof *a.byte);
    for (size_t at = 0; at < bytes; at += LINE) SUSTAIN__PREFETCH(from + at);
    if (bytes > 0) SUSTAIN__PREFETCH(from + bytes - 1);
    for (int64_t at = 0; a.column != NULL && at < a.count; at += LINE / (int64_t)sizeof *a.column) SUSTAIN__PREFETCH(a.column + at);
}

void sustain__rows_prefetch(const sustain_rows *rows, const sustain_batch *batch, int64_t first, int64_t count) {
    const int64_t end = batch->size - first < count ? batch->size : first + count;
    const bool floats = sustain__rows_are_floats(rows);
    const int64_t bytes = rows->dim * (int64_t)sizeof *rows->values;
    for (int64_t j = first; j < end; j++) {
        const int64_t place = sustain__rows_place(rows, batch->index[j]);
        if (floats) {
            const char *from = (const char *)(rows->values + place * rows->dim);
            for (int64_t at = 0; at < bytes; at += LINE) SUSTAIN__PREFETCH(from + at);
            SUSTAIN__PREFETCH(from + bytes - 1);
        } else {
            prefetch_row(rows, place);
        }
        if (rows->labels != NULL) SUSTAIN__PREFETCH(rows->labels + place);
        if (rows->targets != NULL) SUSTAIN__PREFETCH(rows->targets + place);
    }
}

static sustain__row_kind kind_of(sustain__row a) {
    return a.value != NULL ? SUSTAIN__FLOATS : a.half != NULL ? SUSTAIN__HALVES : SUSTAIN__BYTES;
}

/* The kernels for row i, or for all where they are alike. */
static const sustain__row_kernels *kernels_for(const sustain__block *b, int64_t i) {
    return &b->kernels->of[kind_of(b->row[i])];
}

void sustain__block_take(sustain__block *b, const sustain_rows *rows, const sustain_batch *batch, int64_t first, int64_t count) {
    enum { AHEAD = 6, SHORT = 64 }; /* callers with short rows request blocks of them */
    if (sustain__rows_are_floats(rows) && rows->dim <= SHORT && b->count == 0) {
        for (int64_t i = 0; i < count; i++) {
            const float *value = rows->values + sustain__rows_place(rows, sustain__rows_number(batch, first + i)) * rows->dim;
            b->row[i] = (sustain__row){rows->dim, value, NULL, NULL, 1, NULL};
            b->dense[i] = value;
        }
        b->count = count;
        return;
    }
    for (int64_t j = first; j < first + count; j++) {
        const int64_t i = b->count++;
        if (batch != NULL && rows->dim > SHORT && j + AHEAD < batch->size)
            prefetch_row(rows, sustain__rows_place(rows, batch->index[j + AHEAD]));
        const sustain__row a = sustain__row_at(rows, sustain__rows_place(rows, sustain__rows_number(batch, j)));
        b->row[i] = a;
        b->dense[i] = sustain__row_data(a);
        b->alike = b->alike && a.column == NULL && kind_of(a) == kind_of(b->row[0]);
        b->unscaled = b->unscaled && a.scale == 1;
    }
}

void sustain__block_column(sustain__block *b, const sustain_real *z) {
    const sustain__model *m = b->model;
    for (int64_t k = 0; k < m->width; k++) {
        b->column[b->columns] = z + k * m->dim;
        b->bias[b->columns++] = m->intercept ? z[m->width * m->dim + k] : 0;
    }
}

/* ---- products ---- */

static sustain_real dot_sparse(sustain__row a, const sustain_real *z) {
    sustain_real sum[4] = {0};
    int64_t j = 0;
    for (; j + 4 <= a.count; j += 4)
        for (int l = 0; l < 4; l++) sum[l] += (sustain_real)a.value[j + l] * z[a.column[j + l]];
    for (; j < a.count; j++) sum[0] += (sustain_real)a.value[j] * z[a.column[j]];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static sustain_real dot_two_sparse(sustain__row a, sustain__row b) {
    sustain_real sum = 0;
    for (int64_t i = 0, j = 0; i < a.count && j < b.count;) {
        if (a.column[i] == b.column[j])
            sum += (sustain_real)a.value[i++] * (sustain_real)b.value[j++];
        else if (a.column[i] < b.column[j])
            i++;
        else
            j++;
    }
    return sum;
}

void sustain__block_scores(sustain__block *b) {
    const int64_t n = b->columns, dim = b->model->dim;
    if (b->alike && b->count > 0) kernels_for(b, 0)->dots(b->count, n, dim, b->dense, b->column, b->s, n);
    if (b->alike && b->unscaled && !b->model->intercept) return;
    for (int64_t i = 0; i < b->count; i++) {
        const sustain__row a = b->row[i];
        const sustain_real scale = (sustain_real)a.scale;
        sustain_real *s = b->s + i * n;
        if (!b->alike && a.column == NULL) kernels_for(b, i)->dots(1, n, dim, b->dense + i, b->column, s, n);
        for (int64_t k = 0; a.column != NULL && k < n; k++) s[k] = dot_sparse(a, b->column[k]);
        for (int64_t k = 0; k < n; k++) s[k] = s[k] * scale + b->bias[k];
    }
}

/* Of two rows of any kind, without their scales. */
static sustain_real dot_any(sustain__row a, sustain__row b) {
    sustain_real sum = 0;
    if (a.column != NULL && b.column != NULL) return dot_two_sparse(a, b);
    const sustain__row sparse = b.column != NULL ? b : a, other = b.column != NULL ? a : b;
    for (int64_t j = 0; j < sparse.count; j++) {
        const int64_t at = sparse.column != NULL ? sparse.column[j] : j;
        sum += (sustain_real)sustain__row_number(sparse, j) * (sustain_real)sustain__row_number(other, at);
    }
    return sum;
}

void sustain__block_gram(sustain__block *b, int64_t first, sustain_real *gram) {
    const int64_t n = b->count - first;
    const sustain_real one = b->model->intercept ? 1 : 0;
    for (int64_t r = 0; r < n; r++) {
        sustain_real *g = gram + r * n;
        if (b->alike && r + 1 < n)
            kernels_for(b, 0)->gram(1, n - r - 1, b->model->dim, b->dense + first + r, b->dense + first + r + 1, g + r + 1, n);
        for (int64_t s = r + 1; s < n; s++) {
            const sustain__row a = b->row[first + r], c = b->row[first + s];
            g[s] = one + (sustain_real)a.scale * (sustain_real)c.scale * (b->alike ? g[s] : dot_any(a, c));
        }
    }
}

/* ---- sums ---- */

static void add_sparse(const sustain__model *m, sustain__row a, const sustain_real *q, sustain_real *out) {
    for (int64_t k = 0; k < m->width; k++) {
        sustain_real *out_k = out + k * m->dim;
        for (int64_t j = 0; j < a.count; j++) out_k[a.column[j]] += q[k] * (sustain_real)a.value[j];
    }
}

/* The rows' q times their scale: what the stored numbers are multiplied with. */
static void scale_rows(sustain__block *b, int64_t count, int64_t used) {
    if (b->unscaled) return;
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; b->row[i].scale != 1 && k < used; k++) b->s[i * b->columns + k] *= (sustain_real)b->row[i].scale;
}

static void add_to(sustain__block *b, int64_t count, int points, sustain_real *const *out) {
    const sustain__model *m = b->model;
    const int64_t n = b->columns, used = points * m->width;
    for (int p = 0; p < points; p++)
        for (int64_t k = 0; k < m->width; k++) {
            b->to[p * m->width + k] = out[p] + k * m->dim;
            for (int64_t i = 0; m->intercept && i < count; i++) out[p][m->width * m->dim + k] += b->s[i * n + p * m->width + k];
        }
    scale_rows(b, count, used);
    if (b->alike && count > 0) kernels_for(b, 0)->outer(count, used, m->dim, b->dense, b->s, n, b->to);
    for (int64_t i = 0; !b->alike && i < count; i++) {
        if (b->row[i].column == NULL) kernels_for(b, i)->outer(1, used, m->dim, b->dense + i, b->s + i * n, n, b->to);
        for (int p = 0; p < points && b->row[i].column != NULL; p++) add_sparse(m, b->row[i], b->s + i * n + p * m->width, out[p]);
    }
}

void sustain__block_add(sustain__block *b, int points, sustain_real *const *out) {
    add_to(b, b->count, points, out);
}

/* The kernel's step on the biases: the feature of all rows is 1. */
static void step_bias(const sustain__block *b, int64_t count, const sustain__lower_step *step, sustain_real *h, sustain_real *y,
                      sustain_real *y_prev) {
    for (int64_t k = 0; k < b->model->width; k++) {
        double sum = step->keep * (double)h[k] + step->ridge * ((double)y[k] - step->keep * (double)y_prev[k]);
        for (int64_t i = 0; i < count; i++) sum += (double)b->s[i * b->columns + k];
        h[k] = (sustain_real)sum;
        y_prev[k] = y[k];
        y[k] -= (sustain_real)(step->beta * sum);
    }
}

void sustain__block_step(sustain__block *b, int64_t count, const sustain__lower_step *step, sustain_real *h, sustain_real *y,
                         sustain_real *y_prev) {
    const int64_t width = b->model->width, dim = b->model->dim, n = width * dim;
    if (!b->alike) {
        const int64_t size = sustain__model_size(b->model);
        for (int64_t j = 0; j < size; j++)
            h[j] = (sustain_real)(step->keep * (double)h[j] + step->ridge * ((double)y[j] - step->keep * (double)y_prev[j]));
        add_to(b, count, 1, &h);
        sustain__move(size, step->beta, h, y, y_prev);
        return;
    }
    sustain_real **to_h = b->to, **to_y = to_h + width, **to_y_prev = to_y + width;
    for (int64_t k = 0; k < width; k++) {
        to_h[k] = h + k * dim;
        to_y[k] = y + k * dim;
        to_y_prev[k] = y_prev + k * dim;
    }
    if (b->model->intercept) step_bias(b, count, step, h + n, y + n, y_prev + n);
    scale_rows(b, count, width);
    kernels_for(b, 0)->step(count, width, dim, b->dense, b->s, b->columns, step, to_h, to_y, to_y_prev);
}

void sustain__block_exact(const sustain__block *b, const sustain_real *z, double *s) {
    const sustain__model *m = b->model;
    const int64_t n = m->width;
    for (int64_t k = 0; k < n; k++) b->column[k] = z + k * m->dim;
    if (b->alike && b->count > 0) kernels_for(b, 0)->exact(b->count, n, m->dim, b->dense, b->column, s, n);
    for (int64_t i = 0; i < b->count; i++, s += n) {
        const sustain__row a = b->row[i];
        if (!b->alike && a.column == NULL) kernels_for(b, i)->exact(1, n, m->dim, b->dense + i, b->column, s, n);
        for (int64_t k = 0; k < n; k++) {
            if (a.column != NULL) s[k] = 0;
            for (int64_t j = 0; a.column != NULL && j < a.count; j++) s[k] += (double)a.value[j] * (double)b->column[k][a.column[j]];
            s[k] = s[k] * (double)a.scale + (m->intercept ? (double)z[n * m->dim + k] : 0);
        }
    }
}
