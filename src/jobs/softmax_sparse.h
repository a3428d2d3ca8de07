/* softmax_sparse.h - loss and gradient of several softmax regressions on sparse rows, all at once.
 *
 * Weights are turned round, so that those of a column lie together: z (dim + 1, models * classes).
 * A row's scores are sums of rows of z, and a column's gradient is a sum of rows of residuals, by a
 * transposed copy of the entries. Nothing of the length of a model is written but the gradient
 * itself, and every sum has a fixed order, whatever the number of threads. */
#ifndef SUSTAIN_JOBS_SOFTMAX_SPARSE_H
#define SUSTAIN_JOBS_SOFTMAX_SPARSE_H

#include "jobs/softmax_fit.h"
#include "problems/rows_internal.h"

/* weight (p - q), and weight times the loss: see softmax_fit.c. */
typedef double (*sustain__residual)(int64_t classes, int32_t label, const sustain_real *noise, sustain_real weight, double score,
                                    double log_sum, sustain_real *p);

typedef struct sustain__sparse_fit {
    sustain__model model;
    int64_t models, rows, width;      /* width = models * classes */
    const sustain__row *row;          /* (rows) */
    const int32_t *label;             /* (rows) */
    const sustain_real *const *noise; /* (rows) or NULL each */
    const float *weight;              /* (rows) */
    const int32_t *held;              /* (rows) the model that the row has no part in; -1: none */
    const double *share;              /* (models) */
    const int64_t *start;             /* (dim + 1) of the columns' entries ... */
    const int32_t *entry_row;         /* ... their rows ... */
    const float *entry_value;         /* ... and values */
    sustain_real *z, *residuals;      /* (dim + 1, width), (rows, width) */
    double *loss;                     /* of chunks of rows */
    sustain__residual residual;
    void *memory;
} sustain__sparse_fit;

/* Rows of all parts, whose rows are sparse; part p has no part in the model p % folds - first, if
 * folds > 0. `share` is borrowed. */
sustain_status sustain__sparse_create(sustain_context *context, const sustain__model *model, const sustain__some_rows *parts,
                                      int part_count, int64_t folds, int64_t first, int64_t models, const double *share,
                                      sustain__residual residual, sustain__sparse_fit *out);
void sustain__sparse_free(sustain_context *context, sustain__sparse_fit *f);

/* The sum of the losses at y (models, size), and its gradient. */
sustain_status sustain__sparse_sum(sustain_context *context, const sustain__sparse_fit *f, const sustain_real *y, double *loss,
                                   sustain_real *gradient);

#endif
