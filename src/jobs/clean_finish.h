/* clean_finish.h - the parts of sustain_clean_finish(), and what they share: fits (clean_fits.c),
 * the sources that the job computes itself (clean_own_sources.c), the last classifier
 * (clean_last.c), the ranking (clean_rank.c). */
#ifndef SUSTAIN_JOBS_CLEAN_FINISH_H
#define SUSTAIN_JOBS_CLEAN_FINISH_H

#include "jobs/clean_job.h"

typedef struct sustain__finishing {
    sustain_clean *c;
    sustain_real *y;       /* a classifier */
    sustain_real *folds_y; /* (folds, size) that of each fold */
    float *views;          /* (training count, classes) of one classifier */
    float *trusted_views;  /* (trusted count, classes) likewise */
    float *keep;           /* (training count) weights, or scores */
    int32_t *labels;       /* (training stored) */
    sustain_clean_result *result;
} sustain__finishing;

/* Of so many trusted rows, what is fitted on them and what does without them count alike. Half or
 * twice as many change the test accuracy by 0.0006 at most and the AUC by 0.0008 (means of 26
 * tables and of WebKB, 100 to 1,000 verified rows, seeds 100 to 103). */
#define SUSTAIN__FEW_TRUSTED 200.0

/* ---- clean_fits.c ---- */

/* What a classifier is fitted to. */
typedef struct sustain__fitted {
    bool training, trusted;     /* which rows; verified rows are trusted rows */
    const int32_t *labels;      /* of training rows, by place; NULL: as given */
    const sustain_real *noise;  /* of training labels; NULL: as they are */
    const float *weights;       /* of training rows; NULL: 1 each */
    double prior;               /* how large scores are expected to be; 0: by the kind of labels */
    sustain__clean_model model; /* the place where it is kept */
    int64_t iterations;
} sustain__fitted;

/* The sum of the weights of these rows; whether training labels are fitted as they are, wrong ones
 * too. */
double sustain__clean_rows_of(const sustain_clean *clean, const sustain__fitted *what);
bool sustain__clean_as_given(const sustain__fitted *what);

/* From zero on, this many iterations bring a classifier on all rows close to its optimum. */
enum { SUSTAIN__REFIT_ITERATIONS = 25 };

/* Fits one classifier to all rows, from f->y on. */
sustain_status sustain__clean_fit_all(sustain__finishing *f, const sustain__fitted *what);
/* out <- one on all rows, the training rows with these weights, from zero on. */
sustain_status sustain__clean_refit(sustain__finishing *f, const float *weights, sustain__clean_model model, sustain_real *out);

/* Fits one to the rows outside of each fold, all from f->y on: f->folds_y. */
sustain_status sustain__clean_fit_folds(sustain__finishing *f, const sustain__fitted *what);

/* views (rows, classes) <- what the classifier of each fold says of the rows of its own fold. */
sustain_status sustain__clean_predict_folds(const sustain__finishing *f, const sustain_rows *rows, const sustain__folds *dealt,
                                            float *views);

/* f->views <- what a classifier says of all training rows. */
sustain_status sustain__clean_predict_all(const sustain__finishing *f, const sustain_real *y);

/* The labels of the last verdict, each weighted by the probability that it is right. */
sustain__fitted sustain__clean_corrections(sustain__finishing *f, int64_t iterations);

/* ---- clean_own_sources.c ---- */

/* plain; then trusted and channel, from the solver's y on, with the noise of labels. */
sustain_status sustain__clean_plain_source(sustain__finishing *f);
sustain_status sustain__clean_bilevel_sources(sustain__finishing *f, const sustain_real *y);

/* After a verdict by the others. */
sustain_status sustain__clean_corrected_source(sustain__finishing *f);

/* Verified rows are trusted ones: what is said of them. */
void sustain__clean_copy_verified(const sustain_clean *clean, sustain__clean_source *source);

/* ---- clean_fourier.c ---- */

/* The source of Fourier features, where they are a gain; after plain. */
sustain_status sustain__clean_fourier_source(sustain__finishing *f);

/* Nothing was checked: the second round with the weights f->keep, mixed into views (training count,
 * classes) of the linear one. */
sustain_status sustain__clean_fourier_again(sustain__finishing *f, float *views);

/* f->views <- what a classifier on all labels as given says, by Fourier features. */
sustain_status sustain__clean_fourier_given(sustain__finishing *f);

/* f->trusted_views <- what classifiers on Fourier features say of the trusted rows, out of fold. */
sustain_status sustain__clean_fourier_folds(sustain__finishing *f, const sustain__fitted *what);

/* Their part in the last classifier: none yet; then `share` of one on all rows more, its bias in
 * clean->y. */
void sustain__clean_fourier_begin(sustain_clean *clean);
sustain_status sustain__clean_fourier_add(sustain__finishing *f, const sustain__fitted *what, double share);

/* ---- clean_last.c ---- */

/* clean->y, the classifier that the job returns, and result->trusted_accuracy. */
sustain_status sustain__clean_last(sustain__finishing *f);

/* ---- clean_rank.c ---- */

/* Ranks again, with what the classifiers on all rows say. */
sustain_status sustain__clean_rank(sustain__finishing *f);

#endif
