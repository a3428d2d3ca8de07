/** @file tune.h - penalties tuned by gradient: regtune.h as a whole job, with baselines.
 *
 *      sustain_tune_options options = sustain_tune_defaults();
 *      sustain_tune_create(context, &options, &training, &validation, &tune);
 *      sustain_solver *solver = sustain_tune_solver(tune);                // its parameters are set for this job; change what you like
 *      sustain_tune_start(tune);                                          // or load a checkpoint
 *      sustain_stopping stopping = sustain_tune_stopping(tune);           // likewise; the observer is set to sustain_tune_watch()
 *      sustain_solver_run(solver, &stopping, &run);
 *      sustain_tune_finish(tune, &run, &result);
 *      ... result.x[i] is the logarithm of penalty i, result.y the model ...
 *      sustain_tune_destroy(tune);                                        // and the solver with it
 *
 *  Before the solver starts, models with one penalty for all weights are fitted along a path. They
 *  are baselines; and where the options give no start, the run starts at the largest of these
 *  penalties that is nearly as good as the best. The run stops when the validation loss no longer
 *  falls, and its result is the best point seen (the solver's parameter `output` is best). With
 *  `watched` rows their loss decides, and finish() takes the best point that sustain_tune_watch()
 *  saw, which is part of the solver's state.
 *
 *  With folds (regtune.h) training and validation rows are the same: penalties are chosen by
 *  cross-validation, then the model is fitted to all rows. docs/tune.md says what each part
 *  adds. */
#ifndef SUSTAIN_TUNE_H
#define SUSTAIN_TUNE_H

#include <sustain/memory.h>
#include <sustain/regtune.h>
#include <sustain/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to do. Take it from sustain_tune_defaults(): the structure begins with its size, so that it
 *  can grow. */
typedef struct sustain_tune_options {
    size_t size;                          /**< sizeof(sustain_tune_options), as the caller was compiled */
    const sustain_regtune_options *model; /**< loss, penalties, floor; x_0 is used where from_x_0 is set. Copied. NULL: logistic, one
                                           *   penalty a feature, an intercept, floor 1e-6 */
    bool from_x_0;                        /**< start at x_0 in every coordinate instead of a single penalty of the path */
    const char *solver;                   /**< an algorithm of the registry, or "auto" */
    int64_t seed;
    const sustain_rows *watched; /**< rows that decide when to stop, not among the others, borrowed; NULL: the validation rows do */
    const sustain_rows *test;    /**< rows that are used for no choice, borrowed; or NULL */
} sustain_tune_options;

/** What sustain_tune_defaults() calls: fills `size` bytes. */
void sustain_tune_defaults_for(size_t size, sustain_tune_options *options);

/** The model that NULL stands for, the solver "auto", seed 0. */
static inline sustain_tune_options sustain_tune_defaults(void) {
    sustain_tune_options options;
    sustain_tune_defaults_for(sizeof options, &options);
    return options;
}

/** The job. */
typedef struct sustain_tune sustain_tune;

/** Checks everything and makes the problem and its solver. Rows are borrowed, options copied.
 *  Labels are as in regtune.h. */
sustain_status sustain_tune_create(sustain_context *context, const sustain_tune_options *options, const sustain_rows *training,
                                   const sustain_rows *validation, sustain_tune **out);

/** Frees it with problem, solver and result. NULL is allowed. */
void sustain_tune_destroy(sustain_tune *tune);

/** The bilevel problem. Owned by the job. */
const sustain_problem *sustain_tune_problem(const sustain_tune *tune);

/** The solver, not started. Owned by the job. */
sustain_solver *sustain_tune_solver(sustain_tune *tune);

/** Why this algorithm, one sentence. */
const char *sustain_tune_reason(const sustain_tune *tune);

/** What the job will take from here to the end of finish(), with the solver's parameters as they
 *  are set; sustain_memory_check() refuses what cannot fit. */
sustain_status sustain_tune_memory(const sustain_tune *tune, sustain_memory *memory);

/** Fits the path of single penalties and starts the solver from one of them (or from x_0). Not
 *  needed where a checkpoint is loaded. */
sustain_status sustain_tune_start(sustain_tune *tune);

/** When to stop by default, with sustain_tune_watch() as observer and the job as its user. */
sustain_stopping sustain_tune_stopping(sustain_tune *tune);

/** The observer: with `watched` rows keeps the best point, and returns 1 when their loss no
 *  longer falls. For an observer of yours to call. */
int sustain_tune_watch(void *tune, const sustain_progress *progress);

/** Whether the loss of the `watched` rows no longer falls: also true of a job whose loaded
 *  checkpoint was saved at that end. */
bool sustain_tune_ended(const sustain_tune *tune);

/** The loss that decides, at the last evaluation; NAN before the first. */
double sustain_tune_watched_loss(const sustain_tune *tune);

/** Penalties, and how good the model fitted with them is. NAN: not known. */
typedef struct sustain_tune_score {
    double log_penalty;  /**< of a single penalty */
    double upper_loss;   /**< ell(x): validation loss of the model fitted with them */
    double norm_squared; /**< |grad ell(x)|^2, where it was asked for */
    double test_loss, test_accuracy;
    double seconds; /**< what it took */
} sustain_tune_score;

/** How many single penalties are tried. */
enum { SUSTAIN_TUNE_PATH = 20 };

/** What the job ends with. Arrays belong to the job. */
typedef struct sustain_tune_result {
    const double *x;                /**< (upper_dim) logarithms of the penalties */
    const double *y;                /**< the model: y*(x), |grad_y g| <= 1e-10; with folds that of all rows */
    bool exact;                     /**< whether y has that tolerance; false: rounding, or the size of the problem, prevents it */
    sustain_tune_score score;       /**< of x; its norm_squared is the exact one */
    sustain_tune_score single;      /**< the best single penalty on the path; seconds of the whole path */
    sustain_tune_score none;        /**< no penalty but the floor */
    sustain_tune_score constant;    /**< all x = -15, never optimized: tiny penalties make the gradient small anywhere */
    const sustain_tune_score *path; /**< (SUSTAIN_TUNE_PATH) from the largest penalty to the smallest */
    int64_t point;                  /**< the iteration x was seen at */
} sustain_tune_result;

/** From what the run ended with to the result; with `watched` rows from the best point seen. */
sustain_status sustain_tune_finish(sustain_tune *tune, const sustain_result *run, sustain_tune_result *result);

#ifdef __cplusplus
}
#endif
#endif
