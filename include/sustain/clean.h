/** @file clean.h - finding wrong labels: hyper-cleaning (hyperclean.h) as a whole job, with honest company.
 *
 *      sustain_clean_options options = sustain_clean_defaults();
 *      options.classes = 10;
 *      sustain_clean_create(context, &options, &training, &trusted, &clean);
 *      sustain_solver *solver = sustain_clean_solver(clean);              // its parameters are set for this job; change what you like
 *      sustain_stopping stopping = sustain_clean_stopping(clean);         // likewise
 *      sustain_solver_run(solver, &stopping, &run);                       // or load a checkpoint, step, save, stop early: as always
 *      sustain_clean_finish(clean, run.x, run.y, &result);
 *      ... result.quality[i], result.suggested[i], result.is_issue[i], result.y ...
 *      sustain_clean_destroy(clean);                                      // and the solver with it
 *
 *  The training rows have labels some of which are wrong; those of the trusted rows are right. The solver finds a weight sigma(x_i) for
 *  every training row, such that a classifier trained with these weights does well on the trusted rows. finish() then compares each label
 *  with what classifiers trained without it say of its row: docs/clean.md has the formulas and what each part adds.
 *
 *  The job draws its folds from `seed`; the same seed gives the same bits for any number of threads. */
#ifndef SUSTAIN_CLEAN_H
#define SUSTAIN_CLEAN_H

#include <sustain/rows.h>
#include <sustain/softmax.h>
#include <sustain/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to do. Take it from sustain_clean_defaults(): the structure begins with its size, so that it can grow. */
typedef struct sustain_clean_options {
    size_t size;        /**< sizeof(sustain_clean_options), as the caller was compiled */
    int64_t classes;    /**< must be set; class numbers are 0 .. classes-1 */
    double c;           /**< of the lower level: c |y|^2 */
    bool intercept;     /**< false: no bias, in the bilevel problem and in all classifiers */
    int64_t folds;      /**< of everything out of fold: 2 to 20 */
    int64_t seed;       /**< of the folds, and of the solver */
    int64_t batch;      /**< of the solver's draws; 0: chosen. Steps and iterations go with it */
    const char *solver; /**< an algorithm of the registry */
    bool baselines;     /**< false: leave out the honest company */

    /* Where the truth is known (experiments). Looked at for scores only, never for an answer. */
    const int32_t *truth;     /**< (training->count) the right labels, borrowed; or NULL */
    const sustain_rows *test; /**< rows with right labels that nothing was trained on, borrowed; or NULL */
} sustain_clean_options;

/** What sustain_clean_defaults() calls: fills `size` bytes. */
void sustain_clean_defaults_for(size_t size, sustain_clean_options *options);

/** c = 0.001, an intercept, 5 folds, seed 0, soba (docs/clean.md says why), with baselines, no truth. */
static inline sustain_clean_options sustain_clean_defaults(void) {
    sustain_clean_options options;
    sustain_clean_defaults_for(sizeof options, &options);
    return options;
}

/** The job. */
typedef struct sustain_clean sustain_clean;

/** Checks everything and makes the problem and its solver, with parameters set for this job (seed, batch, steps). Rows are borrowed, options
 *  are copied. Refused, with a sentence that names the row: a label outside the range, a feature that is not finite, training labels of
 *  one class only, a trusted label that no training row has, rows of different `dim`, fewer rows than folds. A class of the training labels
 *  without a trusted row is a warning in the log: nothing vouches for it. */
sustain_status sustain_clean_create(sustain_context *context, const sustain_clean_options *options, const sustain_rows *training,
                                    const sustain_rows *trusted, sustain_clean **out);

/** Frees it with problem, solver and result. NULL is allowed. */
void sustain_clean_destroy(sustain_clean *clean);

/** The bilevel problem: upper_dim = training->count. Owned by the job. */
const sustain_problem *sustain_clean_problem(const sustain_clean *clean);

/** The solver, not started. Owned by the job. */
sustain_solver *sustain_clean_solver(sustain_clean *clean);

/** When to stop by default, for this solver and this number of rows: iterations (a fixed number, so that the result repeats) and a limit in
 *  seconds for slow machines. `every` is set; the observer is yours to set. */
sustain_stopping sustain_clean_stopping(const sustain_clean *clean);

/** The share of trusted rows that a lower-level point y (of the solver) classifies correctly: for a progress line. */
sustain_status sustain_clean_trusted_accuracy(sustain_clean *clean, const sustain_real *y, double *accuracy);

/** The ways to rank labels and to train a classifier that a result is compared with. */
#define SUSTAIN_CLEAN_BASELINE_LIST(X)                                                                               \
    X(ALL_LABELS, all_labels, "classifier trained on all labels as given (and the trusted rows)")                    \
    X(TRUSTED, trusted_only, "classifier trained on the trusted rows alone; ranking by its view of the given label") \
    X(SELF_CONFIDENCE, self_confidence, "out-of-fold self-confidence; refit without the least confident")            \
    X(DROP_REFIT, drop_and_refit, "trusted-only classifier, drop its least confident, refit, rank again")

/** See SUSTAIN_CLEAN_BASELINE_LIST. */
typedef enum sustain_clean_baseline {
#define SUSTAIN_CLEAN_BASELINE_ENUM(name, key, title) SUSTAIN_CLEAN_BASELINE_##name,
    SUSTAIN_CLEAN_BASELINE_LIST(SUSTAIN_CLEAN_BASELINE_ENUM)
#undef SUSTAIN_CLEAN_BASELINE_ENUM
        SUSTAIN_CLEAN_BASELINE_COUNT
} sustain_clean_baseline;

/** Its name in JSON ("drop_and_refit"). */
const char *sustain_clean_baseline_key(sustain_clean_baseline baseline);

/** The same in words. */
const char *sustain_clean_baseline_title(sustain_clean_baseline baseline);

/** How good a ranking and a classifier are. NAN: not known, or there is no such thing. */
typedef struct sustain_clean_score {
    double auc;                 /**< probability that a wrong label ranks below a right one; ties count half */
    double precision_at_errors; /**< share of wrong labels among the m that rank lowest, m the true number of wrong ones */
    double test_accuracy;
    double trusted_accuracy; /**< out of fold; of baselines only where there is neither a truth nor a test set to compare them by */
    double seconds;          /**< what it took */
} sustain_clean_score;

/** What the job ends with. Arrays belong to the job and are valid until its next finish() or destroy(). */
typedef struct sustain_clean_result {
    int64_t count;                 /**< training rows */
    const float *weight;           /**< (count) sigma(x_i) */
    const float *quality;          /**< (count) label_quality in [0,1]: 0 wrong, 1 right */
    const int32_t *suggested;      /**< (count) the label the row should have; the given one where nothing speaks against it */
    const uint8_t *is_issue;       /**< (count) 1: looks wrong */
    const int64_t *order;          /**< (count) row numbers, lowest quality first; ties by row number */
    const int64_t *confused;       /**< (classes, classes) issues by given label (row) and suggested label (column) */
    int64_t issues;                /**< how many are flagged */
    double noise;                  /**< estimated share of wrong labels */
    const sustain_real *y;         /**< (dim + 1, classes) the final classifier, trained on cleaned and trusted rows */
    sustain_softmax_options model; /**< its form, for sustain_softmax_predict() */

    double trusted_accuracy;          /**< of the final classifier, out of fold */
    sustain_clean_score score;        /**< of `quality` and of the final classifier; seconds of finish() without baselines */
    sustain_clean_score weight_score; /**< of `weight` alone; test_accuracy is that of the solver's own y */
    double classifier_auc;            /**< of the final classifier's view of the given label, without the weight */
    int64_t errors;                   /**< true number of wrong labels, -1 where the truth is not known */
    double issue_precision;           /**< share of wrong labels among the issues */
    double issue_recall;              /**< share of issues among the wrong labels */
    sustain_clean_score baselines[SUSTAIN_CLEAN_BASELINE_COUNT]; /**< all NAN without baselines */
} sustain_clean_result;

/** From a point of the solver, x (upper_dim) and y (lower_dim), to the result. May be called again with another point. What it does goes to
 *  the context's log. */
sustain_status sustain_clean_finish(sustain_clean *clean, const sustain_real *x, const sustain_real *y, sustain_clean_result *result);

/** AUC and precision of any ranking (lowest first is worst), as in sustain_clean_score; NAN where all are right or all wrong. */
sustain_status sustain_clean_rank_score(sustain_context *context, int64_t count, const float *quality, const int32_t *given,
                                        const int32_t *truth, double *auc, double *precision_at_errors);

#ifdef __cplusplus
}
#endif
#endif
