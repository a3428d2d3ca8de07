/** @file clean.h - finding wrong labels: hyper-cleaning (hyperclean.h) as a whole job, beside its
 *  baselines.
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
 *  The training rows have labels some of which are wrong; those of the trusted rows are right. The
 *  solver finds a weight sigma(x_i) for every training row, such that a classifier trained with
 *  these weights does well on the trusted rows. finish() then compares each label with what
 *  classifiers trained without it say of its row: docs/clean.md has the formulas and what each part
 *  adds.
 *
 *  The job draws its folds from `seed`; the same seed gives the same bits for any number of
 *  threads. */
#ifndef SUSTAIN_CLEAN_H
#define SUSTAIN_CLEAN_H

#include <sustain/probabilities.h>
#include <sustain/rows.h>
#include <sustain/softmax.h>
#include <sustain/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How verified rows were chosen. */
typedef enum sustain_verified_are {
    SUSTAIN_VERIFIED_RANDOM, /**< drawn at random: they measure how many labels are wrong */
    SUSTAIN_VERIFIED_WORST_FIRST, /**< the most suspicious rows of some ranking: other rows are judged as if these were trusted rows or, without features, not there */
    SUSTAIN_VERIFIED_MIXED /**< both, or not known: what they say of other rows comes from the fitted model alone */
} sustain_verified_are;

/** Which labels are flagged. */
typedef enum sustain_clean_flag {
    SUSTAIN_CLEAN_FLAG_F1,        /**< as many as maximize the expected F1 */
    SUSTAIN_CLEAN_FLAG_PRECISION, /**< as many as keep the expected precision at flag_value */
    SUSTAIN_CLEAN_FLAG_RECALL,    /**< as few as reach the expected recall flag_value */
    SUSTAIN_CLEAN_FLAG_COUNT,     /**< flag_value of them */
    SUSTAIN_CLEAN_FLAG_RATE       /**< as many as are estimated to be wrong */
} sustain_clean_flag;

/** What to do. Take it from sustain_clean_defaults(): the structure begins with its size, so that
 *  it can grow. */
typedef struct sustain_clean_options {
    size_t size;        /**< sizeof(sustain_clean_options), as the caller was compiled */
    int64_t classes;    /**< must be set; class numbers are 0 .. classes-1 */
    double c;           /**< of the lower level: c |y|^2 */
    bool intercept;     /**< false: no bias, in the bilevel problem and in all classifiers */
    int64_t folds;      /**< of cross-validation: 2 to 20 */
    int64_t seed;       /**< of the folds, and of the solver */
    int64_t batch;      /**< of the solver's draws; 0: chosen. Steps and iterations are set to match */
    const char *solver; /**< an algorithm of the registry */
    bool baselines;     /**< false: leave out the baselines */

    /* Where the truth is known (experiments). Used for scores only, never for an answer. */
    const int32_t *truth;     /**< (training->count) the right labels, borrowed; or NULL */
    const sustain_rows *test; /**< rows with right labels that nothing was trained on, borrowed; or NULL */

    /* Rows of the training set whose label a person has checked. */
    const int32_t *verified; /**< (training->count) the right label, -1: not checked; copied. NULL: none was checked */
    sustain_verified_are verified_are;

    /* Out-of-fold probabilities: each row is predicted by a model that was not trained on it. */
    const sustain_probabilities *const *pred_probs; /**< (pred_prob_count) each (training->count, classes), borrowed */
    int pred_prob_count;
    const sustain_probabilities *const *trusted_pred_probs; /**< the same models on the trusted rows, or NULL */

    sustain_clean_flag flag;
    double flag_value;

    /* Groups of rows: annotators, sources of data. They get weights where there are features and
     * trusted or verified rows. */
    int64_t groups;       /**< 0: none */
    const int32_t *group; /**< (training->count) the group of each row, 0 .. groups-1; copied */
    bool
        group_weights_only; /**< nothing but the weights of groups is computed: there is no solver, and finish() leaves the rest of the result empty */
    /** Of more training rows than this, a sample of this size, with all verified rows, is what
     *  classifiers are fitted on, noise is estimated from and baselines are compared on; then all
     *  rows are judged by the result. 0: no sample. */
    int64_t fit_rows;
    /** The labels of the trusted rows were not checked, and have errors as all others: they teach
     *  the weights, but ranking and count are made as if no row had been checked. */
    bool trusted_given;
    bool ends_solver; /**< finish() releases the solver when it has read x and y: only the larger of what both need is
                           held, and sustain_clean_memory() counts on it */
    /** (training->count) 1: a verified row that was drawn at random from all rows, before others
     *  were chosen by a ranking; copied. With SUSTAIN_VERIFIED_MIXED these rows measure how many
     *  labels are wrong. NULL: not known; with SUSTAIN_VERIFIED_RANDOM all are. */
    const uint8_t *verified_drawn;
} sustain_clean_options;

/** What sustain_clean_defaults() calls: fills `size` bytes. */
void sustain_clean_defaults_for(size_t size, sustain_clean_options *options);

/** c = 0.001, an intercept, 5 folds, seed 0, soba (docs/clean.md says why), with baselines, no
 *  truth, nothing verified, no probabilities, flags by expected F1, fits on at most
 *  262,144 rows. */
static inline sustain_clean_options sustain_clean_defaults(void) {
    sustain_clean_options options;
    sustain_clean_defaults_for(sizeof options, &options);
    return options;
}

/** The job. */
typedef struct sustain_clean sustain_clean;

/** Checks everything and makes the problem and its solver, with parameters set for this job (seed,
 *  batch, steps). Rows and probabilities are borrowed, options are copied. `training` may have
 *  labels alone (dim 0) where there are probabilities. `trusted` may be NULL. Rows of features
 *  without any trusted or verified row, and rows without features, have no bilevel problem.
 *
 *  Refused, with a sentence that names the row: a label outside the range, a feature that is not
 *  finite, rows that all have the same features, training labels of one class only, a trusted
 *  label that no training row has, rows of different `dim`, fewer rows than folds, probabilities of
 *  another shape. A class of the training labels without a trusted row is a warning in the log. */
sustain_status sustain_clean_create(sustain_context *context, const sustain_clean_options *options, const sustain_rows *training,
                                    const sustain_rows *trusted, sustain_clean **out);

/** Frees it with problem, solver and result. NULL is allowed. */
void sustain_clean_destroy(sustain_clean *clean);

/** The bilevel problem: upper_dim = training->count. Owned by the job. NULL where there is none. */
const sustain_problem *sustain_clean_problem(const sustain_clean *clean);

/** The solver, not started. Owned by the job. NULL where there is no bilevel problem: then finish()
 *  takes NULL for x and y. */
sustain_solver *sustain_clean_solver(sustain_clean *clean);

/** What the job will take from here to the end of finish(), with the solver's parameters as they
 *  are set. create() has refused what cannot fit without its solver; sustain_memory_check() refuses
 *  the rest. Weights of groups, and models of an earlier run, are not counted. */
sustain_status sustain_clean_memory(const sustain_clean *clean, sustain_memory *memory);

/** When to stop by default, for this solver and this number of rows: a fixed number of iterations,
 *  so that the result repeats. `every` is set; the observer is yours to set. */
sustain_stopping sustain_clean_stopping(const sustain_clean *clean);

/** The share of trusted rows that a lower-level point y (of the solver) classifies correctly: for a
 *  progress line. */
sustain_status sustain_clean_trusted_accuracy(sustain_clean *clean, const sustain_real *y, double *accuracy);

/** The ways to rank labels and to train a classifier that a result is compared with. */
#define SUSTAIN_CLEAN_BASELINE_LIST(X)                                                                               \
    X(ALL_LABELS, all_labels, "classifier trained on all labels as given (and the trusted rows)")                    \
    X(TRUSTED, trusted_only, "classifier trained on the trusted rows alone; ranking by its view of the given label") \
    X(SELF_CONFIDENCE, self_confidence, "out-of-fold self-confidence; refit without the least confident")            \
    X(DROP_REFIT, drop_and_refit, "trusted-only classifier, drop its least confident, refit, rank again")            \
    X(MARGIN, margin, "out-of-fold probability of the given label less that of the likeliest other one")             \
    X(CONFIDENT, confident_learning, "confident learning: flags by noise rate, then by margin")                      \
    X(DIFFERS, predicted_differs, "flags every label that is not the predicted class; ranking by the ratio of both")

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

/** How good a ranking and a classifier are. Verified rows do not count. NAN: not known, or there is
 *  no such thing. */
typedef struct sustain_clean_score {
    double auc;                 /**< probability that a wrong label ranks below a right one; ties count half */
    double precision_at_errors; /**< share of wrong labels among the m that rank lowest, m the true number of wrong ones */
    double test_accuracy;
    double trusted_accuracy; /**< out of fold; of baselines only where there is neither a truth nor a test set to compare them by */
    double seconds;          /**< what it took */
    double flagged;          /**< how many labels it flags by itself; NAN: it has no rule of its own */
    double f1;               /**< of these flags */
} sustain_clean_score;

/** A bin of the calibration table: labels of about the same quality. */
typedef struct sustain_clean_bin {
    double low, high;             /**< of quality */
    int64_t count;                /**< verified rows in the bin, or rows with a known truth */
    double said;                  /**< mean predicted quality; that of verified rows is by a model fitted without them */
    double right;                 /**< share of right labels, with its 95 % interval */
    double right_low, right_high; /**< (Clopper and Pearson) */
} sustain_clean_bin;

enum { SUSTAIN_CLEAN_BINS = 20 };

/** Which ranking `quality` of the result is. */
typedef enum sustain_clean_ranking {
    SUSTAIN_CLEAN_RANKING_BLEND, /**< the fitted posterior */
    SUSTAIN_CLEAN_RANKING_NOISE, /**< the posterior of the noise model: trusted rows alone */
    SUSTAIN_CLEAN_RANKING_RATIO, /**< the ratio of the given label's probability to the likeliest other one's: nothing was checked */
    SUSTAIN_CLEAN_RANKING_SELF,  /**< self-confidence, which was better on the verified rows */
    SUSTAIN_CLEAN_RANKING_MARGIN /**< the margin, likewise */
} sustain_clean_ranking;

/** What speaks against the flags where nothing was checked. */
typedef enum sustain_clean_doubt {
    SUSTAIN_CLEAN_NO_DOUBT,
    SUSTAIN_CLEAN_DOUBT_FREQUENT, /**< the labels are predicted no better than by the most frequent one alone */
    SUSTAIN_CLEAN_DOUBT_ALL       /**< probabilities from elsewhere predict the label of every row: was the model trained on them? */
} sustain_clean_doubt;

/** The ranking in words. */
const char *sustain_clean_ranking_text(sustain_clean_ranking ranking);

enum { SUSTAIN_CLEAN_MOST_PRED_PROBS = 12, SUSTAIN_CLEAN_MOST_SOURCES = 4 + SUSTAIN_CLEAN_MOST_PRED_PROBS };

/** What the job ends with. Arrays belong to the job and are valid until its next finish() or
 *  destroy(). */
typedef struct sustain_clean_result {
    int64_t count;            /**< training rows */
    const float *weight;      /**< (count) sigma(x_i); NULL where there is no bilevel problem */
    const float *quality;     /**< (count) label_quality in [0,1]: the probability that the label is right; of verified rows 0 or 1 */
    const int32_t *verified;  /**< (count) as given in the options, -1: not checked; may be NULL where no row was */
    const int32_t *suggested; /**< (count) the label the row should have; the given one where it is not flagged */
    const uint8_t *is_issue;  /**< (count) 1: looks wrong */
    const uint32_t *order;    /**< (count) row numbers, lowest quality first; ties by row number */
    const int64_t *confused;  /**< (classes, classes) issues by given label (row) and suggested label (column) */
    int64_t issues;           /**< how many are flagged */
    double noise;             /**< estimated share of wrong labels */
    double estimated_errors;  /**< how many labels are wrong, verified rows included, ... */
    double estimated_low;     /**< ... with a 95 % interval; NAN where nothing supports one */
    double estimated_high;
    double f1_expected;                         /**< of the flags, by the probabilities */
    sustain_clean_ranking ranking;              /**< which ranking `quality` is */
    double ranking_auc;                         /**< its AUC on the verified rows, by a model fitted without them; NAN: not known */
    double baseline_auc;                        /**< the best baseline's on the same rows */
    sustain_clean_bin bins[SUSTAIN_CLEAN_BINS]; /**< of quality, where rows were verified; count 0: empty */
    double shares[SUSTAIN_CLEAN_MOST_SOURCES];  /**< how much each source of probabilities counts; NAN: not used. First ours ... */
    const char *source_names[SUSTAIN_CLEAN_MOST_SOURCES]; /**< ... by name, then pred_probs by their `source`; NULL: there is none */
    const sustain_real *y; /**< (dim + 1, classes) the final classifier, trained on cleaned and trusted rows; NULL without features */
    /** its form, for sustain_softmax_predict(); model.fourier is what it adds to the scores of y
     *  where no linear score separates the classes, and belongs to the job */
    sustain_softmax_options model;

    double trusted_accuracy;          /**< of the final classifier, out of fold */
    sustain_clean_score score;        /**< of `quality` and of the final classifier; seconds of finish() without baselines */
    sustain_clean_score weight_score; /**< of `weight` alone; test_accuracy is that of the solver's own y */
    double classifier_auc;            /**< of the final classifier's view of the given label, without the weight */
    int64_t errors;                   /**< true number of wrong labels, -1 where the truth is not known */
    double issue_precision;           /**< share of wrong labels among the issues */
    double issue_recall;              /**< share of issues among the wrong labels */
    sustain_clean_score baselines[SUSTAIN_CLEAN_BASELINE_COUNT]; /**< all NAN without baselines */

    const double
        *group_weight; /**< (options.groups) sustain_clean_group_weights(); NULL: there are no groups, or nothing to learn weights from */
    const double *group_weight_low, *group_weight_high; /**< (options.groups) sustain_clean_group_intervals(); NULL likewise */
    int64_t fitted;            /**< training rows that classifiers were fitted on: fewer than count where options.fit_rows are */
    sustain_clean_doubt doubt; /**< of the flags */
    int32_t frequent;          /**< the most frequent label */
} sustain_clean_result;

/** From a point of the solver, x (upper_dim) and y (lower_dim), both NULL where there is no solver,
 *  to the result. May be called again with another point. What it does goes to the context's
 *  log. */
sustain_status sustain_clean_finish(sustain_clean *clean, const sustain_real *x, const sustain_real *y, sustain_clean_result *result);

/** Writes where the classifiers of the last finish() ended to a file, with the folds of the trusted
 *  rows and the scores of the baselines, for sustain_clean_load_models(). *written is false, and no
 *  file is written, where there are no features, where finish() used a sample, or where the
 *  classifiers are very large. */
sustain_status sustain_clean_save_models(sustain_clean *clean, const char *path, bool *written);

/** Before finish(), in a job on the same rows with more of them verified: classifiers begin where
 *  those of the file ended and take a few iterations each, and the scores of the baselines are
 *  those of the file. The result equals that of a new job up to the tolerance of the fits. *used is
 *  false, and nothing changes, where no row is verified that was not then,
 *  or where one of the jobs has trusted rows to learn from and the other has none.
 *  A file of other rows is refused, and changes nothing. */
sustain_status sustain_clean_load_models(sustain_clean *clean, const char *path, bool *used);

/** How often labels of a class are wrong, by the verified rows. */
typedef struct sustain_clean_rate {
    int64_t checked;  /**< verified rows with the given label */
    int64_t wrong;    /**< of which so many are wrong, or are of the class asked for */
    double rate;      /**< their share; NAN where none was checked */
    double low, high; /**< its 95 % interval (Clopper and Pearson), which holds where rows were verified at random */
} sustain_clean_rate;

/** Of the verified rows with the label `given` those whose right label is `right`; right = -1: any
 *  other than `given`. */
sustain_status sustain_clean_noise(const sustain_clean *clean, int64_t given, int64_t right, sustain_clean_rate *rate);

/** AUC and precision of any ranking (lowest first is worst), as in sustain_clean_score; NAN where
 *  all are right or all wrong. */
sustain_status sustain_clean_rank_score(sustain_context *context, int64_t count, const float *quality, const int32_t *given,
                                        const int32_t *truth, double *auc, double *precision_at_errors);

/** Weights of groups of rows. Take it from sustain_group_defaults(): the structure begins with its
 *  size, so that it can grow. */
typedef struct sustain_group_options {
    size_t size;          /**< sizeof(sustain_group_options), as the caller was compiled */
    int64_t classes;      /**< must be set */
    double c;             /**< of the lower level: c |y|^2 */
    bool intercept;       /**< whether the classifier has a bias */
    int64_t seed;         /**< of the solver's draws */
    int64_t groups;       /**< must be set */
    const int32_t *group; /**< (training->count) the group of each training row, 0 .. groups-1; borrowed for the call */
} sustain_group_options;

/** What sustain_group_defaults() calls: fills `size` bytes. */
void sustain_group_defaults_for(size_t size, sustain_group_options *options);

/** c = 0.001, an intercept, seed 0. */
static inline sustain_group_options sustain_group_defaults(void) {
    sustain_group_options options;
    sustain_group_defaults_for(sizeof options, &options);
    return options;
}

/** weight (groups) <- sigma(x_g) for each annotator or source of data: hyperclean.h with groups,
 *  solved with SUSTAIN. A classifier trained on rows weighted so does well on the trusted rows;
 *  groups with many wrong labels, or whose rows do not help, get small weights. A group without
 *  rows keeps 1/2. */
sustain_status sustain_clean_group_weights(sustain_context *context, const sustain_group_options *options, const sustain_rows *training,
                                           const sustain_rows *trusted, double *weight);

/** low, high (groups) <- a 95 % interval of each weight, as the rows of its group vary: the problem
 *  is solved once more with every group divided into four parts, whose weights differ by chance
 *  alone. Trusted rows are taken as they are. A group with fewer than eight rows has 0 and 1. */
sustain_status sustain_clean_group_intervals(sustain_context *context, const sustain_group_options *options, const sustain_rows *training,
                                             const sustain_rows *trusted, const double *weight, double *low, double *high);

/** The labels of a group. */
typedef struct sustain_group_errors {
    int64_t rows;     /**< how many there are */
    double rate;      /**< estimated share of wrong ones; NAN without rows */
    double low, high; /**< its 95 % interval; NAN likewise */
} sustain_group_errors;

/** errors (groups) <- how often labels of each group are wrong, by the probabilities `quality`
 *  (count) that they are right; group (count), 0 .. groups-1. */
sustain_status sustain_clean_group_errors(sustain_context *context, int64_t groups, int64_t count, const int32_t *group,
                                          const float *quality, sustain_group_errors *errors);

#ifdef __cplusplus
}
#endif
#endif
