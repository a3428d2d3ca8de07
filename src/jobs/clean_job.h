/* clean_job.h - the inside of a cleaning job: rows, folds, and what its parts share.
 *
 * Verified rows are training rows whose right label is known. They stay in the bilevel problem's
 * training set, with a weight like all others; in all classifiers they are trusted rows instead,
 * with their right label: trusted row `outside + j` is training row verified_rows[j]. */
#ifndef SUSTAIN_TASKS_CLEAN_H
#define SUSTAIN_TASKS_CLEAN_H

#include <sustain/clean.h>

#include "jobs/label_blend.h"
#include "jobs/label_confident.h"
#include "jobs/label_count.h"
#include "jobs/softmax_fit.h"

/* Rows dealt out to folds, class by class. */
typedef struct sustain__folds {
    int64_t *order; /* (count) row numbers, fold after fold */
    int64_t *start; /* (folds + 1) where a fold begins */
} sustain__folds;

/* Class probabilities of training rows and of trusted rows, by models that were not trained on the
 * row's label. */
typedef struct sustain__clean_source {
    bool known; /* it is computed, or from a file */
    const char *name;
    sustain_real *y;                                  /* the mean of the folds' classifiers; NULL: from files */
    sustain_real *folds_y;                            /* (folds, size) they themselves, of a sample; else NULL */
    float *views, *trusted_views;                     /* (count, classes); NULL: from files */
    const sustain_probabilities *file, *trusted_file; /* trusted_file may be NULL: outside rows are not known to it */
} sustain__clean_source;

/* Added to a probability before it is a divisor or has a logarithm. */
#define SUSTAIN__LEAST_PROBABILITY 1e-9

/* Our own sources, in the order in which they are in `source`. */
enum { SUSTAIN__SOURCE_PLAIN, SUSTAIN__SOURCE_TRUSTED, SUSTAIN__SOURCE_CHANNEL, SUSTAIN__SOURCE_CORRECTED, SUSTAIN__SOURCES_OWN };

/* One more of our own: where the first file would be, with which it is not computed. */
enum { SUSTAIN__SOURCE_FOURIER = SUSTAIN__SOURCES_OWN };

/* Random Fourier features of the rows (clean_fourier.c). */
enum { SUSTAIN__FOURIER_NUMBERS = 256 }; /* a row */
typedef struct sustain__fourier {
    double share;                   /* u; 0: they are not used ... */
    double last_share;              /* ... in the ranking; likewise in the final classifier */
    double width, prior;            /* s, and how large scores are expected to be */
    sustain_real *waves;            /* w, h: (SUSTAIN__FOURIER_NUMBERS / 2, dim + 1) */
    float *values, *trusted_values; /* (stored, SUSTAIN__FOURIER_NUMBERS) */
    sustain_real *y;                /* (folds, size) */
    sustain_real *last;             /* (classes, SUSTAIN__FOURIER_NUMBERS) V of the final classifier, ... */
    sustain_fourier model;          /* ... of which this is a part where last_share is above 0 */
} sustain__fourier;

/* Some of the sources. */
typedef struct sustain__source_list {
    int count, at[SUSTAIN_CLEAN_MOST_SOURCES];
} sustain__source_list;

struct sustain_clean {
    sustain_context *context;
    size_t memory_before;          /* bytes that the context held before this job */
    sustain_clean_options options; /* `solver` is not kept */
    bool features;                 /* training rows have features */
    bool bilevel;                  /* and there are trusted or verified rows */
    sustain_rows training, trusted, test;
    const int32_t *given; /* the labels of training rows, by row number ... */
    int32_t *given_copy;  /* ... where they are not those of `training` themselves */
    int32_t frequent;     /* the most frequent of them */
    int32_t *right;       /* those of trusted rows */
    int32_t *verified;    /* (training count) right label or -1; NULL where none is verified and there is a sample */
    int64_t outside;      /* trusted rows that are no training rows: the first ones */
    int64_t verified_count, *verified_rows;
    uint8_t *drawn; /* (verified count) whether it was drawn at random */
    int64_t drawn_count;
    void *gathered;                               /* memory of the trusted rows where some are verified ones */
    sustain__folds training_folds, trusted_folds; /* the first without verified rows */
    int64_t unverified;
    double mean_square; /* of the training rows, with the intercept */
    double prior_given; /* how large scores of a classifier on labels as given are expected to be; 0: not chosen yet */
    float *threshold;   /* (classes) what probabilities are divided by where nothing was checked and rows are as of text; or NULL */
    sustain_problem *problem;
    sustain_solver *solver;

    /* Many rows: models are fitted on a sample, a job of its own, and judge the others. */
    bool sampled;   /* this job has a sample when it finishes */
    bool is_sample; /* it is one: models are kept */

    /* The result. */
    float *weight; /* known from the beginning of finish() on */
    float *quality;
    sustain__clean_source source[SUSTAIN_CLEAN_MOST_SOURCES];
    sustain__fourier fourier;
    sustain__confident confident; /* of the plain probabilities, Fourier features among them */
    int32_t *other;               /* the likeliest class that is not the given one; at the end the suggested label */
    uint8_t *is_issue;
    sustain__blend blend;            /* of the last verdict; theta NULL: it had none ... */
    sustain__source_list blend_list; /* ... the sources that it blends ... */
    bool blend_channel;              /* ... and whether its posteriors pass through `noise` */
    uint32_t *order;
    int64_t *confused;
    sustain__count count;         /* of wrong labels by the verified rows, with features */
    sustain_real *noise;          /* (classes, classes) given the class (column) the label (row) */
    sustain_real *y;              /* the final classifier */
    sustain_real *dropped_y;      /* one without the labels that trusted rows speak against */
    double dropped_share;         /* of it in the ranking */
    sustain_real *models;         /* (sustain__clean_models(), size) where fits ended; NULL: not kept */
    sustain_real *start;          /* the same of an earlier run: where they begin; NULL: anew */
    sustain_clean_score *earlier; /* baselines of that run */
    sustain_clean_score *scores;  /* baselines of this one */
    bool finished;
    int32_t *group;       /* (training count) or NULL */
    double *group_weight; /* (3, groups) weights, and the ends of their intervals */
};

/* place <- memory for `count` of its elements. */
#define SUSTAIN__CLEAN_ALLOCATE(clean, place, count) \
    sustain__allocate((clean)->context, sustain__multiply((size_t)(count), sizeof *(place)), &(place))

/* Whether rows have more features than there are rows (text): a classifier learns wrong labels by
 * heart. */
bool sustain__clean_by_heart(const sustain_clean *clean);

/* Numbers in a classifier. */
int64_t sustain__clean_size(const sustain_clean *clean);

/* The rows of each fold. */
void sustain__clean_parts(const sustain_rows *rows, const sustain__folds *dealt, int64_t folds, sustain__some_rows *parts);

/* Probabilities of the given labels out of the views. */
void sustain__clean_confidence(const sustain_clean *clean, const float *views, float *confidence);

/* The share of trusted rows that these views (trusted count, classes) are right about. */
double sustain__clean_trusted_share(const sustain_clean *clean, const float *trusted_views);

/* AUC and precision of a ranking, and the test accuracy of a classifier, where known; y may be
 * NULL. */
sustain_status sustain__clean_score(const sustain_clean *clean, const float *quality, const sustain_real *y, sustain_clean_score *score);

/* Flags of a baseline: how many, and their F1 where the truth is known. */
void sustain__clean_score_flags(const sustain_clean *clean, const uint8_t *flags, sustain_clean_score *score);

static inline bool sustain__clean_verified(const sustain_clean *clean, int64_t i) {
    return clean->verified != NULL && clean->verified[i] >= 0;
}

/* The job of a sample, without a solver; rows and options as in sustain_clean_create(). */
sustain_status sustain__clean_create_sample(sustain_context *context, const sustain_clean_options *options, const sustain_rows *training,
                                            const sustain_rows *trusted, sustain_clean **out);

/* What the truth says of the weights and of the solver's y, or NULL. */
sustain_status sustain__clean_score_weights(const sustain_clean *clean, const sustain_real *y, sustain_clean_result *result);

/* The end of finish(), whoever computed quality, order and flags: publishes, and looks at the truth
 * for scores. */
sustain_status sustain__clean_publish(sustain_clean *clean, sustain_clean_result *result);

/* Sets the solver's parameters for this job. */
sustain_status sustain__clean_set_up(sustain_clean *clean);

/* Deals out the trusted rows: each to the fold before its number in `folds`, those from elsewhere
 * and then all training rows; 0: verified since then, it stays in its fold of the training rows. */
sustain_status sustain__clean_deal_trusted(sustain_clean *clean, const uint32_t *folds);

/* ---- clean_take.c ---- */

/* Takes what the job is given, or refuses; clean->options are known. */
sustain_status sustain__clean_take(sustain_clean *clean, const sustain_rows *training, const sustain_rows *trusted);

/* counts (2, classes), zeros: gets the training and trusted rows of each class. Refuses labels that
 * do not fit together. */
sustain_status sustain__clean_check_classes(const sustain_clean *clean, int64_t *counts);

/* ---- clean_memory.c ---- */

/* What the job will hold, without its solver; known once rows are taken and before the arrays are
 * allocated. */
sustain_memory sustain__clean_memory(const sustain_clean *clean);

/* ---- clean_models.c ---- */

/* Classifiers that are kept for a run on more verified rows: of each fold, then single ones. */
typedef enum sustain__clean_model {
    SUSTAIN__MODEL_NONE,
    SUSTAIN__MODEL_PLAIN,
    SUSTAIN__MODEL_CHANNEL,
    SUSTAIN__MODEL_CORRECTED,
    SUSTAIN__MODEL_REFIT_CORRECTED,
    SUSTAIN__MODEL_REFIT_KEPT,
    SUSTAIN__MODEL_DROPPED
} sustain__clean_model;

/* How many classifiers, and whether they are kept. */
int64_t sustain__clean_models(const sustain_clean *clean);
bool sustain__clean_keeps_models(const sustain_clean *clean);

/* y (count, size) <- where they begin; false: nothing is known. */
bool sustain__clean_begin_at(const sustain_clean *clean, sustain__clean_model model, int64_t count, sustain_real *y);

/* Keeps y (count, size). */
void sustain__clean_keep_model(sustain_clean *clean, sustain__clean_model model, int64_t count, const sustain_real *y);

/* ---- clean_prior.c ---- */

/* Chooses clean->prior_given, unless an earlier run did. views (training count, classes) and y
 * (size) are scratch. */
sustain_status sustain__clean_choose_prior(sustain_clean *clean, float *views, sustain_real *y);

/* For labels with these weights (training count), by the share of the wrong ones, as the qualities
 * have it, that the weights remove: between the prior for labels as given and that for right
 * ones. */
double sustain__clean_weighted_prior(const sustain_clean *clean, const float *weights);

/* How a classifier on `rows` rows is fitted: with a prior, with labels as given, or with right
 * ones. */
sustain_softmax_options sustain__clean_options(const sustain_clean *clean, double prior, double rows);
sustain_softmax_options sustain__clean_given_options(const sustain_clean *clean, double rows);
sustain_softmax_options sustain__clean_fit_options(const sustain_clean *clean, double rows);

/* The form of a classifier to predict with: the final one, clean->y, has Fourier features where
 * they are a gain. */
sustain_softmax_options sustain__clean_form(const sustain_clean *clean, const sustain_real *y);

/* ---- clean_verified.c ---- */

/* Rows to copy. */
typedef struct sustain__taken {
    const sustain_rows *rows;
    const int64_t *index;  /* (count) row numbers; NULL: 0 .. count-1 */
    const int32_t *labels; /* by row number; NULL: as they are */
    int64_t count;
} sustain__taken;

/* Copies of rows of one kind, those of parts[0] first. *memory is freed by the caller. */
sustain_status sustain__rows_gather(sustain_context *context, const sustain__taken *parts, int part_count, void *memory, sustain_rows *out);

/* Trusted rows: those from elsewhere (`trusted`, taken, may have count 0), then the verified ones
 * with their right label. */
sustain_status sustain__clean_gather(sustain_clean *clean, const sustain_rows *trusted);

/* ---- clean_sources.c ---- */

/* Whether the job computes its own source m. Where there is neither a trusted row nor a file,
 * `corrected` is a second round of `plain`. */
bool sustain__clean_computes(const sustain_clean *clean, int m);
int sustain__clean_computed(const sustain_clean *clean); /* how many */

/* The source whose ratio of probabilities ranks where nothing was checked, and there are no
 * files. */
int sustain__clean_ratio_source(const sustain_clean *clean, const sustain_clean_result *result);

/* Probabilities of training row i by source m; p (classes). */
void sustain__clean_source_row(const sustain_clean *clean, int m, int64_t i, float *p);

/* What a model of all labels as they are says of training row i, out of fold: the mean of the given
 * probabilities, or our own, linear and by Fourier features. p, scratch (classes). */
void sustain__clean_plain_row(const sustain_clean *clean, int64_t i, float *p, float *scratch);

/* All that are computed by now; with `outside` those alone that know the trusted rows from
 * elsewhere. */
sustain__source_list sustain__clean_list(const sustain_clean *clean, bool outside);

/* p (classes) <- p over the thresholds, if there are any. */
void sustain__clean_adjust(const sustain_clean *clean, float *p);

/* Logarithms of the probabilities of training row i, (list count, classes). */
void sustain__clean_logs(const sustain_clean *clean, const sustain__source_list *list, int64_t i, float *logs);

/* Rows to fit a blend on: the verified rows (with_given), or all trusted rows. Freed by
 * sustain__clean_labelled_free(). */
sustain_status sustain__clean_labelled(const sustain_clean *clean, const sustain__source_list *list, bool with_given,
                                       sustain__labelled *rows);
void sustain__clean_labelled_free(const sustain_clean *clean, sustain__labelled *rows);

/* ---- clean_fourier.c ---- */

/* p (classes) <- p^(1 - share) other^share, normalized. */
void sustain__clean_mix(int64_t classes, double share, const float *other, float *p);

/* Whether Fourier features are tried: not beside files, whose models are better, nor of a sample,
 * whose other rows would need them too, nor of wide rows. */
bool sustain__clean_tries_fourier(const sustain_clean *clean);

/* Their memory; how much that is, and *fit, what one fit of all folds takes more. */
sustain_status sustain__clean_fourier_allocate(sustain_clean *clean);
sustain_memory sustain__clean_fourier_memory(const sustain_clean *clean, double *fit);

/* ---- clean_verdict.c ---- */

/* From the sources to quality, order, flags, suggestions and the estimate. */
sustain_status sustain__clean_verdict(sustain_clean *clean, sustain_clean_result *result);

/* Nothing was checked: the quality of a label, by the probabilities of its class and of the
 * likeliest other one. */
float sustain__clean_ratio(float self, float rival);

/* The posterior of a row by the last verdict: logs (sources of blend_list, classes), q (classes).
 * */
void sustain__clean_posterior(const sustain_clean *clean, const float *logs, int32_t given, double *q);

/* The likeliest class but `given`. */
int32_t sustain__clean_other(int64_t classes, int32_t given, const double *q);

/* Whether enough rows are verified to fit a blend on them. */
bool sustain__clean_by_verified(const sustain_clean *clean);

/* clean->noise and clean->count by a blend of the sources that is fitted on the verified rows. The
 * difference estimator compares verified rows with the others, so sources must treat both alike:
 * of each row one fold's classifiers speak, and none of them began where labels of all other rows
 * were known. */
sustain_status sustain__clean_noise_by_blend(sustain_clean *clean);

/* ---- clean_flags.c ---- */

/* Gives the qualities, in their order, to the rows in the order of `score` (count), lowest first.
 * Unless `all` take part, verified rows have theirs: 0 or 1. score is overwritten. */
sustain_status sustain__clean_give_by(sustain_clean *clean, float *score, bool all);

/* The same without verified rows; then orders and flags again. */
sustain_status sustain__clean_rerank(sustain_clean *clean, float *score, sustain_clean_result *result);

/* From quality and result->estimated_errors: probabilities that have this sum, given to the rows in
 * the order of `score` (count) with by_score, and their order. score is overwritten. */
sustain_status sustain__clean_order(sustain_clean *clean, float *score, bool by_score, const sustain_clean_result *result);

/* Flags, from quality and order. */
void sustain__clean_flag(sustain_clean *clean, sustain_clean_result *result);

/* The label that row i should have, by the flags. */
int32_t sustain__clean_suggested(const sustain_clean *clean, int64_t i);

/* ---- clean_rank.c ---- */

/* What rows are ranked by at the end: quality, with a part of the last classifier's say, p
 * (classes) its probabilities; or with the ratio of the plain probabilities. */
float sustain__clean_last_score(const sustain_clean *clean, double quality, int32_t given, const float *p);
/* What is added where clean->dropped_share is above 0; p (classes) by clean->dropped_y. */
float sustain__clean_dropped_score(const sustain_clean *clean, int32_t given, const float *p);
float sustain__clean_ratio_score(const sustain_clean *clean, double quality, float self, float rival);

/* ---- clean_sample.c ---- */

/* finish() by a sample, once the weights are known. */
sustain_status sustain__clean_finish_sampled(sustain_clean *clean, const sustain_real *y, sustain_clean_result *result);

/* finish() without one. */
sustain_status sustain__clean_finish_all(sustain_clean *clean, const sustain_real *y, sustain_clean_result *result);

/* ---- clean_baselines.c ---- */

/* All baselines. `issues` is how many labels they may drop. */
sustain_status sustain__clean_baselines(sustain_clean *clean, int64_t issues, sustain_clean_score *scores);

#endif
