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
    float *views, *trusted_views;                     /* (count, classes); NULL: from files */
    const sustain_probabilities *file, *trusted_file; /* trusted_file may be NULL: outside rows are not known to it */
} sustain__clean_source;

/* Our own sources, in the order in which they are in `source`. */
enum { SUSTAIN__SOURCE_PLAIN, SUSTAIN__SOURCE_TRUSTED, SUSTAIN__SOURCE_CHANNEL, SUSTAIN__SOURCE_CORRECTED, SUSTAIN__SOURCES_OWN };

struct sustain_clean {
    sustain_context *context;
    sustain_clean_options options; /* `solver` is not kept */
    bool features;                 /* training rows have features */
    bool bilevel;                  /* and there are trusted or verified rows */
    sustain_rows training, trusted, test;
    int32_t *given, *right; /* the labels of training and trusted rows, by row number */
    int32_t *verified;      /* (training count) right label or -1 */
    int64_t outside;        /* trusted rows that are no training rows: the first ones */
    int64_t verified_count, *verified_rows;
    void *gathered;                               /* memory of the trusted rows where some are verified ones */
    sustain__folds training_folds, trusted_folds; /* the first without verified rows */
    int64_t unverified;
    double mean_square; /* of the training rows, with the intercept */
    sustain_problem *problem;
    sustain_solver *solver;

    /* The result. */
    float *weight, *quality;
    sustain__clean_source source[SUSTAIN_CLEAN_MOST_SOURCES];
    sustain__confident confident; /* of the plain probabilities */
    int32_t *suggested, *other;   /* other: the likeliest class that is not the given one */
    uint8_t *is_issue;
    int64_t *order, *confused;
    sustain_real *noise;  /* (classes, classes) given the class (column) the label (row) */
    sustain_real *y;      /* the final classifier */
    int32_t *group;       /* (training count) or NULL */
    double *group_weight; /* (3, groups) weights, and the ends of their intervals */
};

/* How a classifier on `rows` rows is fitted: regularized by how large scores are expected to be. */
sustain_softmax_options sustain__clean_fit_options(const sustain_clean *clean, double rows);

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

/* Sets the solver's parameters for this job. */
sustain_status sustain__clean_set_up(sustain_clean *clean);

/* ---- clean_verified.c ---- */

/* Trusted rows: those from elsewhere (`trusted`, taken, may have count 0), then the verified ones
 * with their right label. */
sustain_status sustain__clean_gather(sustain_clean *clean, const sustain_rows *trusted);

/* ---- clean_sources.c ---- */

/* Probabilities of training row i by source m; p (classes). */
void sustain__clean_source_row(const sustain_clean *clean, int m, int64_t i, float *p);

/* What a model of all labels as they are says of training row i, out of fold: the mean of the given
 * probabilities, or our own. p, scratch (classes). */
void sustain__clean_plain_row(const sustain_clean *clean, int64_t i, float *p, float *scratch);

/* Some of the sources. */
typedef struct sustain__source_list {
    int count, at[SUSTAIN_CLEAN_MOST_SOURCES];
} sustain__source_list;

/* All that are computed by now; with `outside` those alone that know the trusted rows from
 * elsewhere. */
sustain__source_list sustain__clean_list(const sustain_clean *clean, bool outside);

/* Logarithms of the probabilities of training row i, (list count, classes). */
void sustain__clean_logs(const sustain_clean *clean, const sustain__source_list *list, int64_t i, float *logs);

/* Rows to fit a blend on: the verified rows (with_given), or all trusted rows. Freed by
 * sustain__clean_labelled_free(). */
sustain_status sustain__clean_labelled(const sustain_clean *clean, const sustain__source_list *list, bool with_given,
                                       sustain__labelled *rows);
void sustain__clean_labelled_free(const sustain_clean *clean, sustain__labelled *rows);

/* ---- clean_verdict.c ---- */

/* From the sources to quality, order, flags, suggestions and the estimate. With verified rows the
 * number of errors is that of `first`, an earlier verdict, where it is not NULL. */
sustain_status sustain__clean_verdict(sustain_clean *clean, const sustain_clean_result *first, sustain_clean_result *result);

/* Gives the qualities of the rows that are not verified, in their order, to these rows in the
 * order of `score` (count), lowest first; and flags again. */
sustain_status sustain__clean_rerank(sustain_clean *clean, const float *score, sustain_clean_result *result);

/* Whether enough rows are verified to fit a blend on them. */
bool sustain__clean_by_verified(const sustain_clean *clean);

/* clean->noise <- the posteriors of all rows, by a blend of the sources that is fitted on the
 * verified rows. */
sustain_status sustain__clean_noise_by_blend(sustain_clean *clean);

/* ---- clean_baselines.c ---- */

/* All baselines. `issues` is how many labels they may drop. */
sustain_status sustain__clean_baselines(sustain_clean *clean, int64_t issues, sustain_clean_score *scores);

#endif
