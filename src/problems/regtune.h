/* regtune.h - what the files of the problem share: regtune.c has the oracles, regtune_rows.c the part of the data, regtune_create.c
 * makes it. */
#ifndef SUSTAIN_PROBLEMS_REGTUNE_H
#define SUSTAIN_PROBLEMS_REGTUNE_H

#include <sustain/regtune.h>

#include "problems/rows.h"

typedef struct sustain__regtune {
    sustain_problem problem; /* first: a pointer to it is a pointer to the whole */
    sustain_context *context;
    sustain_constants known;
    sustain_regtune_options options;
    sustain_rows rows[2]; /* validation at the upper level, training at the lower */
    sustain__model model; /* width: classes, or 1 */
    const sustain__kernels *kernels;
} sustain__regtune;

extern const sustain_problem_ops sustain__regtune_ops;

/* Samples of a draw, or all. */
static inline int64_t sustain__regtune_size(const sustain__regtune *h, sustain_level level, const sustain_batch *batch) {
    return sustain__rows_size(&h->rows[level], batch);
}

/* The block becomes the samples first .. first + count - 1 of a draw, at most SUSTAIN__BLOCK, and its s (count, width) r or, where v is not
 * NULL, C t. other (SUSTAIN__BLOCK, width) is scratch. */
void sustain__regtune_rows(const sustain__regtune *h, sustain_level level, const sustain_batch *batch, int64_t first, int64_t count,
                           const sustain_real *y, const sustain_real *v, sustain__block *b, sustain_real *other);

/* The mean loss of a draw; s (width) is scratch. */
double sustain__regtune_loss(const sustain__regtune *h, sustain_level level, const sustain_batch *batch, const sustain_real *y,
                             sustain__block *b, double *s);

#endif
