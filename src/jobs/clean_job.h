/* clean_job.h - the inside of a cleaning job: rows, folds, and what its parts share. */
#ifndef SUSTAIN_TASKS_CLEAN_H
#define SUSTAIN_TASKS_CLEAN_H

#include <sustain/clean.h>

#include "jobs/softmax_fit.h"

/* Rows dealt out to folds, class by class. */
typedef struct sustain__folds {
    int64_t *order; /* (count) row numbers, fold after fold */
    int64_t *start; /* (folds + 1) where a fold begins */
} sustain__folds;

struct sustain_clean {
    sustain_context *context;
    sustain_clean_options options; /* `solver` is not kept */
    sustain_rows training, trusted, test;
    int32_t *given, *right; /* the labels of training and trusted rows, by row number */
    sustain__folds training_folds, trusted_folds;
    double mean_square; /* of the training rows, with the intercept */
    sustain_problem *problem;
    sustain_solver *solver;

    /* The result. */
    float *weight, *quality;
    float *views, *trusted_views; /* (count, classes) probabilities, of the training and of the trusted rows, out of fold */
    int32_t *suggested;
    uint8_t *is_issue;
    int64_t *order, *confused;
    sustain_real *noise; /* (classes, classes) given the class (column) the label (row) */
    sustain_real *y;     /* the final classifier */
};

/* How a classifier on `rows` rows is fitted: regularized by how large scores are expected to be. */
sustain_softmax_options sustain__clean_fit_options(const sustain_clean *clean, double rows);

/* Numbers in a classifier. */
int64_t sustain__clean_size(const sustain_clean *clean);

/* The rows of each fold. */
void sustain__clean_parts(const sustain_rows *rows, const sustain__folds *dealt, int64_t folds, sustain__some_rows *parts);

/* Probabilities of the given labels out of the views. */
void sustain__clean_confidence(const sustain_clean *clean, const float *views, float *confidence);

/* The share of trusted rows that c->trusted_views, out of fold, are right about. */
double sustain__clean_trusted_accuracy(const sustain_clean *clean);

/* AUC and precision of a ranking, and the test accuracy of a classifier, where known; y may be NULL. */
sustain_status sustain__clean_score(const sustain_clean *clean, const float *quality, const sustain_real *y, sustain_clean_score *score);

/* Sets the solver's parameters for this job. */
sustain_status sustain__clean_set_up(sustain_clean *clean);

/* All baselines. `issues` is how many labels they may drop. */
sustain_status sustain__clean_baselines(sustain_clean *clean, int64_t issues, sustain_clean_score *scores);

#endif
