/* label_confident.h - baselines that need class probabilities alone: self-confidence, margin,
 * confident learning (Northcutt, Jiang and Chuang, Confident learning: estimating uncertainty in
 * dataset labels, JAIR 70, 2021), and "the predicted class differs".
 *
 *   t_k      = mean of p_k over rows with label k                                  thresholds
 *   C(l,k)   = rows with label l whose largest p_j among those with p_j >= t_j is p_k    the confident joint
 *   J(l,k)   = C(l,k) scaled to as many rows of label l as there are: the sum off the diagonal estimates the number of wrong labels
 *   prune_by_noise_rate: of label l, for each k, the J(l,k) rows with the largest p_k - p_l */
#ifndef SUSTAIN_JOBS_LABEL_CONFIDENT_H
#define SUSTAIN_JOBS_LABEL_CONFIDENT_H

#include "core/context_internal.h"

/* The likeliest class but `given`, of probabilities p (classes). */
int32_t sustain__rival(int64_t classes, int32_t given, const float *p);

/* Probabilities of row i to p (classes); scratch (classes). Called by several threads at the same
 * time. */
typedef void (*sustain__row_reader)(const void *user, int64_t i, float *p, float *scratch);

typedef struct sustain__confident {
    int64_t count, classes;
    const int32_t *given; /* (count) */
    sustain__row_reader read;
    const void *user;

    /* Results, (count) each; memory of sustain__confident_create(). */
    float *self;     /* p of the given label */
    float *rival;    /* p of the likeliest other class ... */
    int32_t *other;  /* ... and this class */
    uint8_t *pruned; /* flags by noise rate */
    double errors;   /* number of wrong labels by the confident joint */
    int64_t differs; /* rows whose predicted class is not their label */
    bool flags;      /* `pruned` is there: not with very many rows and classes */
} sustain__confident;

/* Reads every row. Set the first group of fields. */
sustain_status sustain__confident_create(sustain_context *context, sustain__confident *c);
void sustain__confident_free(sustain_context *context, sustain__confident *c);

#endif
