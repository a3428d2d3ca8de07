/* softmax_sparse.h - loss and gradient of several softmax regressions on sparse rows, all at once.
 *
 * Weights are turned round, so that those of a column lie together: z (dim + 1, models * classes).
 * A row's scores are sums of rows of z, and a column's gradient is a sum of rows of residuals, by a
 * transposed copy of the entries. Nothing of the length of a model is written but the gradient
 * itself, and every sum has a fixed order, whatever the number of threads. */
#ifndef SUSTAIN_JOBS_SOFTMAX_SPARSE_H
#define SUSTAIN_JOBS_SOFTMAX_SPARSE_H

#include "jobs/softmax_fit.h"
#include "problems/rows_columns.h"

typedef struct sustain__sparse_fit {
    sustain__model model;
    int64_t models, rows, width; /* width = models * classes */
    sustain__row *row;           /* (rows) */
    int32_t *label;              /* (rows) */
    const sustain_real **noise;  /* (rows) or NULL each */
    float *weight;               /* (rows) */
    int32_t *held;               /* (rows) the model that the row has no part in; -1: none */
    const double *share;         /* (models) */
    sustain__columns columns;    /* of the rows */
    sustain_real *z, *residuals; /* (dim + 1, width), (rows, width) */
    double *loss;                /* of chunks of rows */
    void *memory;
} sustain__sparse_fit;

/* What it allocates for `count` rows like these. */
double sustain__sparse_bytes(const sustain__model *model, const sustain_rows *rows, int64_t count, int64_t models);

/* Rows of all parts, whose rows are sparse; part p has no part in the model p % folds - first, if
 * folds > 0. `share` is borrowed. */
sustain_status sustain__sparse_create(sustain_context *context, const sustain__model *model, const sustain__some_rows *parts,
                                      int part_count, int64_t folds, int64_t first, int64_t models, const double *share,
                                      sustain__sparse_fit *out);
void sustain__sparse_free(sustain_context *context, sustain__sparse_fit *f);

/* The sum of the losses at y (models, size), and its gradient. */
sustain_status sustain__sparse_sum(sustain_context *context, const sustain__sparse_fit *f, const sustain_real *y, double *loss,
                                   sustain_real *gradient);

#endif
