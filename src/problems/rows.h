/* rows.h - labelled rows under a linear model: what the problems on data share.
 *
 * A model has `width` scores a row, s = W a + b. Its parameters are one vector: W (width, dim) row by row, then b (width) where there is an
 * intercept: the weights of a class are neighbours, as the features of a row are, so that products run along both. */
#ifndef SUSTAIN_PROBLEMS_ROWS_H
#define SUSTAIN_PROBLEMS_ROWS_H

#include <sustain/problem.h>
#include <sustain/rows.h>

#include "core/context.h"

/* Not more than this many numbers in a model or a set of rows, so that no size overflows. */
#define SUSTAIN__MOST_NUMBERS (INT64_MAX / 1024)

typedef struct sustain__model {
    int64_t dim, width;
    bool intercept;
} sustain__model;

static inline int64_t sustain__model_size(const sustain__model *m) {
    return (m->dim + (m->intercept ? 1 : 0)) * m->width;
}

/* ---- sets of rows ---- */

typedef enum sustain__labels { SUSTAIN__LABELS_CLASSES, SUSTAIN__LABELS_SIGNS, SUSTAIN__LABELS_NUMBERS } sustain__labels;

/* What rows should be, and how messages call them. */
typedef struct sustain__wanted_rows {
    const char *called;
    sustain__labels labels;
    int64_t classes;
} sustain__wanted_rows;

/* The features a row has; refuses sets that do not agree, and a `width` for which the model is too large. */
sustain_status sustain__rows_dim(sustain_context *context, const sustain_rows *first, const sustain__wanted_rows *first_wanted,
                                 const sustain_rows *second, const sustain__wanted_rows *second_wanted, int64_t width, int64_t *dim);

/* Looks at every number. *largest becomes the largest |a_i|^2, *out the same rows as the functions below want them: `stored` is never 0,
 * no array that may be pointed into is NULL. */
sustain_status sustain__rows_take(sustain_context *context, const sustain_rows *rows, const sustain__wanted_rows *wanted, double *largest,
                                  sustain_rows *out);

/* Samples of a draw, or all. */
static inline int64_t sustain__rows_size(const sustain_rows *rows, const sustain_batch *batch) {
    return batch != NULL ? batch->size : rows->count;
}

/* The number of sample j of a draw, or of all. */
static inline int64_t sustain__rows_number(const sustain_batch *batch, int64_t j) {
    return batch != NULL ? batch->index[j] : j;
}

/* Where row i is stored. */
static inline int64_t sustain__rows_place(const sustain_rows *rows, int64_t i) {
    return i < rows->stored ? i : i % rows->stored;
}

/* ---- one row ---- */

typedef struct sustain__row {
    int64_t count;         /* of its entries */
    const float *value;    /* or, if NULL, ... */
    const uint8_t *byte;   /* ... bytes, to be multiplied by `scale` */
    const int32_t *column; /* NULL: entry j is of column j */
    float scale;
} sustain__row;

static inline sustain__row sustain__row_at(const sustain_rows *rows, int64_t place) {
    if (rows->start != NULL) {
        const int64_t at = rows->start[place];
        return (sustain__row){rows->start[place + 1] - at, rows->values + at, NULL, rows->columns + at, 1};
    }
    if (rows->bytes != NULL) return (sustain__row){rows->dim, NULL, rows->bytes + place * rows->dim, NULL, rows->byte_scale};
    return (sustain__row){rows->dim, rows->values + place * rows->dim, NULL, NULL, 1};
}

/* s (width) <- W a + b, and the same in double. */
void sustain__row_scores(const sustain__model *m, sustain__row a, const sustain_real *z, sustain_real *s);
void sustain__row_scores_exact(const sustain__model *m, sustain__row a, const sustain_real *z, double *s);

/* out += (a, 1) weight' */
void sustain__row_add(const sustain__model *m, sustain__row a, const sustain_real *weight, sustain_real *out);

#endif
