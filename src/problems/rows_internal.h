/* rows_internal.h - labelled rows under a linear model, shared by the problems on data.
 *
 * A model has `width` scores a row, s = W a + b. Its parameters are one vector: W (width, dim) row
 * by row, then b (width) where there is an intercept: the weights of a class are neighbours, as the
 * features of a row are, so that products run along both. */
#ifndef SUSTAIN_PROBLEMS_ROWS_H
#define SUSTAIN_PROBLEMS_ROWS_H

#include <sustain/problem_fast.h>
#include <sustain/rows.h>

#include "core/half.h"
#include "core/context_internal.h"
#include "core/kernels.h"
#include "core/linear_loss.h"

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

/* Requirements for rows, and their name in messages. */
typedef struct sustain__wanted_rows {
    const char *called;
    sustain__labels labels;
    int64_t classes;
} sustain__wanted_rows;

/* The features a row has; refuses sets that do not agree, and a `width` for which the model is too
 * large. */
sustain_status sustain__rows_dim(sustain_context *context, const sustain_rows *first, const sustain__wanted_rows *first_wanted,
                                 const sustain_rows *second, const sustain__wanted_rows *second_wanted, int64_t width, int64_t *dim);

/* Checks every number. *largest becomes the largest |a_i|^2, *out the same rows in the form that
 * the functions below need: `stored` is never 0, no array that may be pointed into is NULL. */
sustain_status sustain__rows_take(sustain_context *context, const sustain_rows *rows, const sustain__wanted_rows *wanted, double *largest,
                                  sustain_rows *out);

/* Refuses rows that are all the same. */
sustain_status sustain__rows_differ(sustain_context *context, const sustain_rows *rows);

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

/* The level whose draws a quantity of the tables is a sum over. */
static inline sustain_level sustain__level_of(sustain_quantity quantity) {
    return quantity == SUSTAIN_QUANTITY_F_GRAD_X || quantity == SUSTAIN_QUANTITY_F_GRAD_Y ? SUSTAIN_UPPER : SUSTAIN_LOWER;
}

/* ---- one row ---- */

typedef struct sustain__row {
    int64_t count;         /* of its entries */
    const float *value;    /* or, if NULL, ... */
    const uint8_t *byte;   /* ... bytes, to be multiplied by `scale` */
    const int32_t *column; /* NULL: entry j is of column j */
    float scale;
    const uint16_t *half; /* or, if `value` and `byte` are NULL, numbers of half precision */
} sustain__row;

/* Of rows of floats, dense or sparse. */
static inline sustain__row sustain__float_row_at(const sustain_rows *rows, int64_t place) {
    static const float nothing = 0; /* rows without features */
    if (rows->start != NULL) {
        const int64_t at = rows->start[place];
        return (sustain__row){rows->start[place + 1] - at, rows->values + at, NULL, rows->columns + at, 1, NULL};
    }
    return (sustain__row){rows->dim, rows->values != NULL ? rows->values + place * rows->dim : &nothing, NULL, NULL, 1, NULL};
}

static inline sustain__row sustain__row_at(const sustain_rows *rows, int64_t place) {
    if (rows->halves != NULL) return (sustain__row){rows->dim, NULL, NULL, NULL, 1, rows->halves + place * rows->dim};
    if (rows->start != NULL || rows->bytes == NULL) return sustain__float_row_at(rows, place);
    return (sustain__row){rows->dim, NULL, rows->bytes + place * rows->dim, NULL, rows->byte_scale, NULL};
}

/* Dense rows of floats. */
static inline bool sustain__rows_are_floats(const sustain_rows *rows) {
    return rows->start == NULL && rows->bytes == NULL && rows->halves == NULL;
}

/* The numbers of a row as they are stored, and entry j without the scale. */
static inline const void *sustain__row_data(sustain__row a) {
    return a.value != NULL ? (const void *)a.value : a.half != NULL ? (const void *)a.half : a.byte;
}

static inline float sustain__row_number(sustain__row a, int64_t j) {
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): else it has bytes */
    return a.value != NULL ? a.value[j] : a.half != NULL ? sustain__from_half(a.half[j]) : (float)a.byte[j];
}

/* ---- a block of rows ---- */

/* rows that are worked on together; results depend on it, on the number of threads they do not */
enum { SUSTAIN__BLOCK = 32 };

/* Rows, columns to multiply them with, and room for the products: a piece of `work`. */
typedef struct sustain__block {
    const sustain__kernels *kernels;
    const sustain__model *model;
    int64_t count; /* of rows */
    sustain__row row[SUSTAIN__BLOCK];
    const void *dense[SUSTAIN__BLOCK]; /* the floats or bytes of row i */
    bool alike;                        /* all rows are dense and of one kind */
    bool unscaled;                     /* all rows have the scale 1 */
    int64_t columns;                   /* how many there are now */
    const sustain_real **column;       /* (most columns) of length dim ... */
    sustain_real *bias;                /* (most columns) ... and what is added to their products */
    sustain_real **to;                 /* (3 most columns) where sums go */
    sustain_real *s;                   /* (SUSTAIN__BLOCK, columns) */
} sustain__block;

/* Bytes for a block with that many columns, a multiple of 64; a block in that memory. */
size_t sustain__block_bytes(int64_t most_columns);
void sustain__block_begin(const sustain__kernels *kernels, const sustain__model *m, int64_t most_columns, void *memory,
                          sustain__block *out);

/* No rows, no columns. */
void sustain__block_clear(sustain__block *b);
/* Takes the samples first .. first + count - 1 of a draw, or of all rows, in addition. */
void sustain__block_take(sustain__block *b, const sustain_rows *rows, const sustain_batch *batch, int64_t first, int64_t count);
/* Takes the scores of the model z as `width` columns more. */
void sustain__block_column(sustain__block *b, const sustain_real *z);

/* s (count, columns) <- the scores of all rows under all columns. */
void sustain__block_scores(sustain__block *b);
/* gram (count - first, count - first) <- (a_r, 1)'(a_s, 1) for r before s, of the rows from `first`
 * on; the rest is not written. */
void sustain__block_gram(sustain__block *b, int64_t first, sustain_real *gram);
/* out[p] += sum over rows of q (a, 1)', q the `width` numbers from p * width on in the row's part
 * of s, which are lost; p < points. */
void sustain__block_add(sustain__block *b, int points, sustain_real *const *out);
/* The momentum and the step of core/kernels.h with the first `count` rows, whose q are the first
 * `width` numbers of their part of s, and are lost. */
void sustain__block_step(sustain__block *b, int64_t count, const sustain__lower_step *step, sustain_real *h, sustain_real *y,
                         sustain_real *y_prev);

/* s (count, width) <- the scores of all rows under z in double, for values. */
void sustain__block_exact(const sustain__block *b, const sustain_real *z, double *s);

/* Prefetches the samples first .. first + count - 1 of a draw, as far as there are any. */
void sustain__rows_prefetch(const sustain_rows *rows, const sustain_batch *batch, int64_t first, int64_t count);

#endif
