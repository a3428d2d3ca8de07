/* noise.h - how labels went wrong, estimated from what a classifier that never saw them says. */
#ifndef SUSTAIN_TASKS_NOISE_H
#define SUSTAIN_TASKS_NOISE_H

#include "core/context_internal.h"

/* What classifiers say of rows that they were not trained on. */
typedef struct sustain__views {
    int64_t classes;
    int64_t count;         /* training rows */
    const float *training; /* (count, classes) probabilities */
    const int32_t *given;  /* (count) their labels, some of them wrong */
    int64_t trusted_count;
    const float *trusted; /* (trusted_count, classes) */
    const int32_t *right; /* (trusted_count) their labels */
    double shared_from;   /* probabilities from which on processes share the work; 0: as many as are worth it */
} sustain__views;

/* The share of wrong labels, in 0 .. 1, its standard error, and (given, true) the probability that
 * a row of a true class carries a given label. */
sustain_status sustain__noise_estimate(sustain_context *context, const sustain__views *views, double *rate, double *error,
                                       sustain_real *noise);

/* Columns of `joint`, (label, class), none negative, to probabilities of a label given the
 * class. */
void sustain__noise_from_joint(int64_t classes, const double *joint, sustain_real *noise);

#endif
