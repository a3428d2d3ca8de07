/* select_job.h - what the files of the selection share: select_job.c has its life, select_folds.c
 * rows and folds, select_search.c the search for the numbers of a candidate, select_lasso.c
 * absolute penalties, select_huber.c the threshold of Huber's loss, select_gradient.c penalties
 * by gradient, select_splines.c linear splines, select_fourier.c Fourier features, select_inner.c
 * the selections inside for these two, select_memory.c how much memory it takes. */
#ifndef SUSTAIN_JOBS_SELECT_JOB_H
#define SUSTAIN_JOBS_SELECT_JOB_H

#include <sustain/select.h>

#include "core/memory_internal.h"
#include "core/parallel.h"
#include "jobs/lasso_fit.h"

enum { SUSTAIN__SELECT_STAGES = 8, SUSTAIN__SELECT_MODELS = SUSTAIN_REGTUNE_FOLDS, SUSTAIN__SELECT_ROUNDS = 4 };

/* Which rows fit a model, and which it is measured on. */
typedef struct sustain__select_model {
    sustain__fit_part fitted, held;
} sustain__select_model;

/* The numbers of a candidate: at stage s p_j = exp(log_penalty[s]) factor_j s_j^(2 scale), times
 * (w_j^2 + e^2)^-power with w the model of stage s - 1. Where shift is not NULL, p_j =
 * exp(log_penalty[0] + shift[group(j)]) factor_j. With `absolute`, log_penalty is that of
 * absolute penalties (select_lasso.c). */
typedef struct sustain__select_numbers {
    double scale, power;
    int stages;
    double log_penalty[SUSTAIN__SELECT_STAGES];
    bool absolute, splines, fourier; /* the last two: the model is that of another selection (select_inner.h) */
    int rounds;                      /* of waves; the spread of each, and the penalty of those before the last */
    double round_spread[SUSTAIN__SELECT_ROUNDS], round_log_penalty[SUSTAIN__SELECT_ROUNDS];
    double log_l2;    /* logarithm of the quadratic penalty beside absolute ones; -INFINITY: none */
    double *shift;    /* (dim) by feature, or NULL; owned by the job */
    double shrinkage; /* the weight of the penalty on shift */
    double part;      /* of the way from the model of the candidate before to this one, that the model is */
    double loss;      /* its cross-validated loss */
} sustain__select_numbers;

/* A candidate while its numbers are being chosen. */
typedef struct sustain__select_state {
    sustain__select_numbers best;                /* by all blocks of rows */
    double best_without[SUSTAIN__SELECT_MODELS]; /* loss of the choice that block h has no part in, on the other blocks ... */
    double *loss;                                /* (rows) ... and on its own rows */
    double *score;                               /* (rows, width) likewise */
} sustain__select_state;

/* What a selection is for. */
typedef enum sustain__select_kind { SUSTAIN__SELECT_WHOLE, SUSTAIN__SELECT_SPLINES, SUSTAIN__SELECT_FOURIER } sustain__select_kind;

/* Another selection on the same rows with more features: select_inner.c. */
typedef struct sustain__select_inner {
    int64_t features;
    float *values;   /* (rows, features) */
    int32_t *labels; /* (rows), or NULL: targets */
    float *targets;
    sustain_selection *selection; /* or NULL */
} sustain__select_inner;

/* Fourier features, and the selection of their penalty: select_fourier.c. */
typedef struct sustain__select_fourier {
    sustain_fourier waves; /* none: this is no candidate */
    sustain_real *w;       /* as in waves */
    double deviation;      /* of the rows: the root of their total variance */
    double *variance;      /* (dim) of each feature */
    double *importance;    /* (models + 2, dim) of the features in the model of each fold and of all rows; then scratch */
    sustain__select_inner inner;
} sustain__select_fourier;

/* Linear splines, and the selection of their penalties: select_splines.c. */
typedef struct sustain__select_splines {
    sustain_splines knots; /* none: this is no candidate */
    int64_t bending;       /* features with knots */
    int32_t *feature;      /* (knots) as in knots */
    double *knot;
    double *factor; /* (knots) what the features of the knots were multiplied with */
    sustain__select_inner inner;
    sustain_select_result result;
} sustain__select_splines;

struct sustain_selection {
    sustain_context *context;
    sustain_select_options options;
    sustain_memory memory;  /* that it will take */
    sustain__fit_rows rows; /* training, then validation */
    sustain__fit_stop stop;
    int64_t training; /* so many are for training */
    float *values;    /* copies, where they were needed; else NULL */
    int64_t *start;
    int32_t *columns;
    double *truth, *weight, *factor; /* (rows), (rows) or NULL, (dim) or NULL */
    int32_t *group;                  /* (dim) or NULL */
    double *log_scale;               /* (dim) logarithm of the mean square of each feature before it was standardized, 0 on average */
    double mean_square;              /* of a row */
    double unit;                     /* that targets are in: the threshold of Huber's loss, else 1 */

    int models, blocks;
    sustain__select_model model[SUSTAIN__SELECT_MODELS];
    int32_t *order;  /* what the parts of the models point into */
    int32_t *block;  /* (rows) of those that are left out once, by which numbers are chosen; -1: never left out */
    double *moments; /* squared loss: of all rows, then of those that each model is not fitted to; else NULL */
    sustain__fit_part all, ever_held;

    sustain__fit *fit[SUSTAIN__SELECT_MODELS + 1]; /* the last is for all rows */
    sustain__fit_curvature curvature;
    sustain__columns by_column;                        /* of the rows, where there are absolute penalties */
    sustain__lasso *lasso[SUSTAIN__SELECT_MODELS + 1]; /* likewise */
    double *base[SUSTAIN__SELECT_MODELS + 1];          /* (size) each: w of adaptive penalties */
    double *loss, *score;                              /* (rows), (rows, width) of the last evaluation */
    double tolerance;
    int64_t since_measured;                /* evaluations */
    double gradient_start, gradient_scale; /* log penalty and power of the scale that penalties by gradient begin with */

    sustain__select_splines splines;
    sustain__select_fourier fourier;
    sustain__select_kind kind;
    double goal; /* after `one` and `scaled` nothing is tried unless one penalty has a smaller loss; infinite: none */

    bool done;
    int count;
    sustain_select_candidate candidate[SUSTAIN_SELECT_CANDIDATES];
    sustain__select_state state[SUSTAIN_SELECT_CANDIDATES];
    sustain_select_point path[SUSTAIN_SELECT_PATH];
    int path_count;
    double *penalty, *y, *single_penalty, *single_y; /* of the result */
    int64_t result_knots, result_waves;              /* that its model has */
    double *own_penalty, *own_y;                     /* of the model that was fitted last */
    double share[SUSTAIN_SELECT_CANDIDATES];
};

/* ---- select_job.c ---- */

/* sustain_select_create(), and for a selection inside. */
sustain_status sustain__select_create(sustain_context *context, const sustain_select_options *options, const sustain_rows *training,
                                      const sustain_rows *validation, sustain__select_kind kind, sustain_selection **out);
/* The tolerance of fits, and the curvature of the data for them. */
void sustain__select_prepare(sustain_selection *s);
/* From the model of all rows, (dim + 1, width), to W (width, dim), b (width); and its penalties. */
void sustain__select_take_model(const sustain_selection *s, double *y, double *penalty);
/* The mean of loss - other over the rows left out (other NULL: of loss), and its standard error. */
void sustain__select_compare(const sustain_selection *s, const double *loss, const double *other, double *mean, double *error);

/* ---- select_folds.c ---- */

sustain_status sustain__select_take_rows(sustain_selection *s, const sustain_rows *training, const sustain_rows *validation);
sustain_status sustain__select_make_folds(sustain_selection *s);
/* Moments of parts of the rows, which make fits with the squared loss cheap. */
sustain_status sustain__select_add_moments(sustain_selection *s);
sustain_status sustain__select_measure_moments(sustain_selection *s);
/* Those of the rows that model k is not fitted to; NULL where there are none. */
static inline const double *sustain__select_moments_without(const sustain_selection *s, int k) {
    return s->moments != NULL ? s->moments + (k + 1) * sustain__fit_moments_size(&s->rows) : NULL;
}

/* ---- select_search.c ---- */

/* One penalty, penalties by scale, adaptive ones: a candidate each. */
sustain_status sustain__select_one(sustain_selection *s);
sustain_status sustain__select_scaled(sustain_selection *s);
sustain_status sustain__select_adaptive(sustain_selection *s);

/* Fits all models at these numbers, each from where it is, and offers them to c (NULL: to none);
 * returns the loss. */
double sustain__select_evaluate(sustain_selection *s, sustain__select_state *c, const sustain__select_numbers *numbers);
/* Fits model k alone. The losses and scores of its rows left out go to s. */
void sustain__select_evaluate_model(sustain_selection *s, const sustain__select_numbers *numbers, int k);
/* The model of all rows for these numbers, into fit[models]: y and penalty. */
void sustain__select_refit(sustain_selection *s, const sustain__select_numbers *numbers);

/* The best penalty of the last stage from m->log_penalty on; all other numbers are given. m ends
 * with it, and the models are those of it. */
double sustain__select_search_penalty(sustain_selection *s, sustain__select_state *c, sustain__select_numbers *m);

/* The loss of row i for the model former + part (other - former), of the candidate before c and of
 * c. The score goes to `score`. */
double sustain__select_mixed_loss(const sustain_selection *s, const sustain__select_state *c, int64_t i, double part, double *score);

/* The next candidate, and that it is complete. */
sustain__select_state *sustain__select_begin(sustain_selection *s, const char *name, int64_t numbers);
void sustain__select_end(sustain_selection *s);

/* The numbers of `one` or of `scaled`, whichever has the smaller loss. */
const sustain__select_numbers *sustain__select_simple(const sustain_selection *s);

/* Tells a candidate of numbers whose losses and scores of rows left out are in s: it keeps the
 * best by all blocks, and by all but one. Returns the mean loss. */
double sustain__select_offer(sustain_selection *s, sustain__select_state *c, const sustain__select_numbers *numbers);

/* Sets the penalties of a model, from the model before (base) where there is one. */
void sustain__select_penalize(const sustain_selection *s, const sustain__select_numbers *numbers, int stage, const double *base,
                              double *penalty);

/* ---- select_lasso.c ---- */

/* Absolute penalties: the lasso, or the elastic net. */
sustain_status sustain__select_lasso(sustain_selection *s);
/* What it allocates, before it does. */
double sustain__select_lasso_bytes(const sustain_selection *s);
/* Fits model k (k = models: that of all rows) at these numbers. */
void sustain__select_fit_lasso(sustain_selection *s, const sustain__select_numbers *numbers, int64_t k, double tolerance);

/* ---- select_huber.c ---- */

/* The threshold of Huber's loss: the one given, or by the targets; then by the errors of a model.
 * Targets are in units of it from then on. */
void sustain__select_first_threshold(sustain_selection *s);
void sustain__select_second_threshold(sustain_selection *s);
/* Targets as they were. */
void sustain__select_undo_threshold(sustain_selection *s);
/* The results in units of the targets as they were given. */
void sustain__select_apply_threshold(sustain_selection *s, int selected);

/* ---- select_gradient.c ---- */

/* One penalty for each group, and one for each feature, where that is affordable. */
sustain_status sustain__select_by_gradient(sustain_selection *s);
/* What it allocates, before it does. */
double sustain__select_gradient_bytes(const sustain_selection *s);

/* ---- select_splines.c ---- */

/* Chooses knots and makes the selection of their penalties, where there is such a candidate. */
sustain_status sustain__select_make_splines(sustain_selection *s);
void sustain__select_free_splines(sustain_selection *s);
/* Linear splines, the last candidate. */
sustain_status sustain__select_by_splines(sustain_selection *s);
/* y <- y + share times their model, y for `features` of them: those of the rows, the knots, others.
 * And the penalties of the knots; with `all`, of the features too. */
void sustain__select_add_splines(const sustain_selection *s, double share, bool all, int64_t features, double *y, double *penalty);

/* ---- select_fourier.c ---- */

/* Draws waves and makes the selection of their penalty, where there is such a candidate. */
sustain_status sustain__select_make_fourier(sustain_selection *s);
void sustain__select_free_fourier(sustain_selection *s);
/* Fourier features, the last candidate. */
sustain_status sustain__select_by_fourier(sustain_selection *s);
/* y <- y + share times their model, y for `features` of them: those of the rows, knots, cosines,
 * sines. And their penalties. */
sustain_status sustain__select_add_fourier(sustain_selection *s, double share, int64_t features, double *y, double *penalty);

/* ---- select_memory.c ---- */

/* Numbers that are stored of all rows. */
double sustain__select_entries(const sustain_selection *s);
/* Estimates, when rows and folds are there, and refuses what cannot fit. `before`: what the context
 * held before this job. */
sustain_status sustain__select_check_memory(sustain_selection *s, size_t before);
/* Adds the rows of a selection inside, or what it takes beside its data. */
sustain_status sustain__select_add_memory(sustain_selection *s, double rows, const sustain_memory *inner);

#endif
