/* tune_job.h - what the files of the job share: tune.c has its life, tune_baselines.c single
 * penalties and the result. */
#ifndef SUSTAIN_TASKS_TUNE_H
#define SUSTAIN_TASKS_TUNE_H

#include <sustain/tune.h>

#include "core/context_internal.h"

struct sustain_tune {
    sustain_context *context;
    sustain_tune_options options;
    sustain_regtune_options model;
    sustain_rows training, validation;
    sustain_problem *problem, *single; /* the second has one penalty for all */
    sustain_problem *whole;            /* with folds: all rows, one model; else NULL */
    sustain_solver *solver;
    char reason[256];
    double mean_square; /* of |a_i| over training rows */

    bool has_path;
    sustain_tune_score path[SUSTAIN_TUNE_PATH];
    double *path_y;  /* (lower_dim) the model of the best single penalty */
    double *start_y; /* (lower_dim) and that of the one to start from */
    int best_single, start_single;
    double path_seconds;

    sustain_real *best_x, *best_y; /* the best point seen */
    double best_loss, last_loss;
    int64_t best_at, without_progress;

    double *x, *y, *gradient; /* of the result */
    double *whole_y;          /* with folds: the model of all rows, the last that was fitted */
};

/* Fits the path, if that was not done. */
sustain_status sustain__tune_path(sustain_tune *tune);

#endif
