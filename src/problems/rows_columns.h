/* rows_columns.h - the entries of rows column by column, those that are not 0. */
#ifndef SUSTAIN_PROBLEMS_ROWS_COLUMNS_H
#define SUSTAIN_PROBLEMS_ROWS_COLUMNS_H

#include "problems/rows_internal.h"

typedef struct sustain__columns {
    int64_t *start; /* (dim + 1), and one more behind the column of the intercept: of a column's entries ... */
    int32_t *row;   /* ... their rows, ascending ... */
    float *value;   /* ... and values */
} sustain__columns;

/* Row i of the sustain_rows `rows`, for the function below. */
static inline sustain__row sustain__row_of_rows(const void *rows, int64_t i) {
    return sustain__float_row_at(rows, i);
}

/* row(user, i) is row i of `count`; rows are floats, dense or sparse. With `intercept` a last
 * column has 1 in every row. Where it fails, what was made is freed. */
sustain_status sustain__columns_create(sustain_context *context, int64_t count, int64_t dim, bool intercept,
                                       sustain__row (*row)(const void *user, int64_t i), const void *user, sustain__columns *out);
void sustain__columns_free(sustain_context *context, sustain__columns *columns);

#endif
