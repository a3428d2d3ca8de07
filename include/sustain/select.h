/** @file select.h - a penalized linear model whose form of penalty is selected on rows that were
 *  not used for tuning, and which is then fitted to all rows.
 *
 *      sustain_select_options options = sustain_select_defaults();
 *      sustain_select_create(context, &options, &training, NULL, &selection);      // NULL: cross-validation
 *      sustain_select_run(selection, &result);
 *      ... result.y is the model, result.candidates says what was tried ...
 *      sustain_select_destroy(selection);
 *
 *  The model minimizes, over all rows,
 *
 *      1/n sum_i weight_i L(a_i'y, b_i) + 1/2 sum_j p_j |y_j|^2
 *
 *  with an intercept that is not penalized. Candidates differ in the form of the penalties p_j, and
 *  in how many hyperparameters these have:
 *
 *      one        p_j = lambda                                                             one
 *      scaled     p_j = lambda s_j^(2c), s_j the scale of feature j                        two; c = 0 is `one`
 *      lasso      sum_j q |y_j| in place of squares, for wide rows                         one; sets weights to 0
 *      adaptive   p_j = lambda s_j^(2c) (w_j^2 + e^2)^-b, w the model of one or scaled     three; b = 0 is that model
 *      groups     p_j = lambda exp(u_group(j)), by gradient, with a penalty on u           one for each group, shrunk
 *      features   p_j = lambda exp(u_j), likewise                                          one for each feature, shrunk
 *      splines    a model that is piecewise linear in each feature (splines.h)             those of one of the others
 *      fourier    a linear model on the features and random Fourier features of them       three: penalty, spread of waves, rounds
 *
 *  and the model of each but the first is a part of the way from that of the candidate before to
 *  its own: one more hyperparameter.
 *
 *  Hyperparameters are chosen by cross-validation. The loss of a candidate is estimated on rows
 *  that its hyperparameters were not chosen by, and the simplest candidate within one standard
 *  error (of the paired difference) of the best one is selected; splines, and then fourier, only
 *  where they are better than what would be selected without them by 1.5 standard errors.
 *  docs/tune.md has the measurements. */
#ifndef SUSTAIN_SELECT_H
#define SUSTAIN_SELECT_H

#include <sustain/memory.h>
#include <sustain/regtune.h>
#include <sustain/softmax.h>
#include <sustain/splines.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which forms of penalty there are to select from. */
typedef enum sustain_select_form {
    SUSTAIN_SELECT_AUTO,       /**< those above */
    SUSTAIN_SELECT_L1,         /**< the lasso: sum_j q |y_j| in place of the squares */
    SUSTAIN_SELECT_ELASTIC_NET /**< both: sum_j (q |y_j| + p/2 y_j^2) */
} sustain_select_form;

/** What to do. Take it from sustain_select_defaults(): the structure begins with its size, so
 *  that it can grow. */
typedef struct sustain_select_options {
    size_t size;               /**< sizeof(sustain_select_options), as the caller was compiled */
    sustain_regtune_loss loss; /**< labels and targets are as in regtune.h */
    int64_t classes;           /**< of softmax; else ignored */
    bool intercept;
    int64_t folds;         /**< 2 to SUSTAIN_REGTUNE_FOLDS; 0: sustain_select_folds(). Not used where there are validation rows */
    int64_t groups;        /**< of features; 0: none */
    const int32_t *group;  /**< (dim) in 0 .. groups-1, borrowed until the job is made */
    const double *factors; /**< (dim) that multiply the penalties, at least 0; 0: not penalized. NULL: all 1. Copied */
    const double *weights; /**< (training rows, then validation rows) positive. NULL: all 1. Copied */
    int64_t seed;          /**< of the folds */
    sustain_select_form form;
    double huber_threshold; /**< the error up to which Huber's loss is squared; 0: 1.345 times a robust deviation of the errors */
    const float *scaling;   /**< (dim) what features were multiplied with when they were standardized, positive: s_j is then the scale
                             *   of feature j as it was before. NULL: nothing. Borrowed until the job is made */
    int64_t knots; /**< of each feature, at most: `splines` is a candidate, with AUTO, an intercept and dense rows; 0: it is none */
    int64_t waves; /**< at most: `fourier` is a candidate, likewise, where there are no factors; 0: it is none */
} sustain_select_options;

/** What sustain_select_defaults() calls: fills `size` bytes. */
void sustain_select_defaults_for(size_t size, sustain_select_options *options);

/** Logistic, an intercept, seed 0. */
static inline sustain_select_options sustain_select_defaults(void) {
    sustain_select_options options;
    sustain_select_defaults_for(sizeof options, &options);
    return options;
}

/** How many folds `folds` = 0 stands for with so many rows and features. */
int64_t sustain_select_folds(int64_t rows, int64_t dim);

/** The job. */
typedef struct sustain_selection sustain_selection;

/** Checks everything. Training rows are borrowed; they are copied where they are bytes or there
 *  are validation rows (NULL: folds). */
sustain_status sustain_select_create(sustain_context *context, const sustain_select_options *options, const sustain_rows *training,
                                     const sustain_rows *validation, sustain_selection **out);

/** A form of penalty, and its estimated loss. */
typedef struct sustain_select_candidate {
    const char *name;        /**< "one", "scaled", "lasso", "elastic net", "adaptive", "groups", "features", "splines", "fourier" */
    char detail[256];        /**< its hyperparameters, in words */
    int64_t numbers;         /**< how many hyperparameters were chosen */
    double estimate, error;  /**< mean loss on rows that its hyperparameters were not chosen by, and its standard error */
    double difference;       /**< estimate minus that of `one` ... */
    double difference_error; /**< ... and its standard error, by paired rows */
    double seconds;          /**< what it took */
    bool selected;           /**< this is the one */
} sustain_select_candidate;

/** A point of the path of single penalties. */
typedef struct sustain_select_point {
    double log_penalty, loss, error; /**< log lambda; mean held-out loss, and its standard error */
} sustain_select_point;

enum { SUSTAIN_SELECT_CANDIDATES = 8, SUSTAIN_SELECT_PATH = 40 };

/** What the job ends with. Arrays belong to the job. */
typedef struct sustain_select_result {
    const sustain_select_candidate *candidates; /**< (count) from the simplest to the richest */
    int count, selected;                        /**< selected: its place among the candidates */
    const double *penalty;                      /**< (dim, then knots) p of the selected candidate; q where penalties are absolute */
    double part;                                /**< of the way from the model of the candidate before to that of these penalties */
    const double *y;                            /**< the model: W (width, dim), then b (width), as in regtune.h with an intercept; with
                                                 *   `splines` for rows of sustain_splines_fill(): W (width, dim + knots) */
    const double *single_penalty, *single_y;    /**< the same for `one` */
    const sustain_select_point *path;           /**< (path_count) of `one`, from large penalties to small ones */
    int path_count;
    const double *held_loss;  /**< (rows: training, then validation) of the selected candidate; NAN where a row was never left out */
    const double *held_score; /**< (rows, width) scores of the rows left out; likewise */
    int64_t rows;
    const double *share;            /**< (count) the model is the sum of the candidates' own models, times these */
    double huber_threshold;         /**< that was used; NAN for other losses */
    const sustain_splines *splines; /**< the knots, where the model has some; else NULL */
    const sustain_fourier *fourier; /**< the waves, where `fourier` is selected; else NULL. Their weights are in y: v is NULL */
} sustain_select_result;

/** What the job will take in all. create() has refused what cannot fit. */
sustain_status sustain_select_memory(const sustain_selection *selection, sustain_memory *memory);

/** Runs the job, once. After SUSTAIN_CANCELLED it may be called again, and starts over. */
sustain_status sustain_select_run(sustain_selection *selection, sustain_select_result *result);

/** The mean loss of a model y on other rows, and the share that it classifies correctly (NAN
 *  where the labels are numbers). */
sustain_status sustain_select_score(const sustain_selection *selection, const sustain_rows *rows, const double *y, double *loss,
                                    double *accuracy);

/** Frees it. NULL is allowed. */
void sustain_select_destroy(sustain_selection *selection);

#ifdef __cplusplus
}
#endif
#endif
