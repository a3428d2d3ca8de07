/* regtune_internal.h - what the files of the problem share: regtune.c has the oracles,
 * regtune_rows.c the part of the data, regtune_penalty.c that of the penalties, regtune_pair.c one
 * draw at two points, regtune_short.c short dense rows, regtune_exact.c all of it in double;
 * regtune_create.c makes it. */
#ifndef SUSTAIN_PROBLEMS_REGTUNE_H
#define SUSTAIN_PROBLEMS_REGTUNE_H

#include <sustain/regtune.h>

#include "core/logistic.h"
#include "core/part_sums.h"
#include "problems/rows_internal.h"

enum {
    SUSTAIN__REGTUNE_POINTS = 2, /* the most points at which a draw is evaluated */
    SUSTAIN__REGTUNE_SLOTS = 8   /* at most, parts that a sum over all rows is made of */
};

typedef struct sustain__regtune {
    sustain_problem problem; /* first: a pointer to it is a pointer to the whole */
    sustain_problem_ops ops; /* sustain__regtune_ops, but for what depends on the rows */
    sustain_problem_fast fast;
    sustain_context *context;
    sustain_constants known;
    sustain_regtune_options options;
    const sustain__loss *loss;
    sustain_rows rows[2]; /* validation at the upper level, training at the lower */
    sustain__model model; /* width: classes, or 1; so many for each fold */
    double fold_weight[SUSTAIN_REGTUNE_FOLDS];
    const sustain__kernels *kernels;
    sustain__short_rows brief[2]; /* copies of short dense rows; values NULL: there are none */
    sustain__logistic_adds *add_logistic;
    bool sparse; /* both sets of rows are */
    /* then: a model of the columns that a draw touches; dim: at most so many */
    sustain__model compact;
    int64_t longest; /* and entries of a row */
} sustain__regtune;

extern const sustain_problem_ops sustain__regtune_ops;

/* What a caller gave, with the defaults of fields that he does not have. */
sustain_status sustain__regtune_take_options(sustain_context *context, const sustain_regtune_options *given, sustain_regtune_options *out);

/* Samples of a draw, or all. */
static inline int64_t sustain__regtune_size(const sustain__regtune *h, sustain_level level, const sustain_batch *batch) {
    return sustain__rows_size(&h->rows[level], batch);
}

/* Scores of one model. */
static inline int64_t sustain__regtune_outputs(const sustain__regtune *h) {
    return h->loss->labels == SUSTAIN__LABELS_CLASSES ? h->options.classes : 1;
}

/* Models: one for each fold. */
static inline int64_t sustain__regtune_models(const sustain__regtune *h) {
    return h->options.folds > 0 ? h->options.folds : 1;
}

/* The loss number `loss` of <sustain/regtune.h>; NULL: there is none. */
const sustain__loss *sustain__regtune_loss_number(int loss);

/* What rows must be for these options. */
sustain__wanted_rows sustain__regtune_wanted(const sustain_regtune_options *options, const char *called);

/* ---- `work` ---- */

/* Where one thread works. */
typedef struct sustain__regtune_slot {
    sustain__block block;
    sustain_real *s;      /* (SUSTAIN__BLOCK, points, width) */
    double *score;        /* (SUSTAIN__BLOCK, width) */
    double *total;        /* (lower_dim) of a part of all rows ... */
    sustain_real *recent; /* (lower_dim) ... and what is not yet in it */
} sustain__regtune_slot;

typedef struct sustain__regtune_work {
    sustain__regtune_slot slot[SUSTAIN__REGTUNE_SLOTS];
    double loss[SUSTAIN__REGTUNE_SLOTS]; /* of the parts */
    double *total;                       /* (lower_dim) of all parts */
    double *sum;                         /* (upper_dim) by penalty; not where each feature has its own */
    /* (lower_dim), or (compact) */
    sustain_real *w[SUSTAIN__REGTUNE_POINTS], *v[SUSTAIN__REGTUNE_POINTS], *hv[SUSTAIN__REGTUNE_POINTS];
    /* (batch, width) */
    sustain_real *q;
    /* where both sets of rows are sparse */
    sustain_real *y[SUSTAIN__REGTUNE_POINTS]; /* (compact) */
    sustain_real *e[SUSTAIN__REGTUNE_POINTS]; /* (compact.dim) exp(x), one penalty a feature */
    int32_t *column;                          /* (compact.dim) that number j stands for */
    int32_t *local;                           /* (SUSTAIN__BLOCK, longest) the columns of a block by their numbers */
    /* (sustain__regtune_table()) from columns to numbers */
    struct sustain__regtune_entry *table;
} sustain__regtune_work;

typedef struct sustain__regtune_entry {
    uint32_t key; /* the column and 1; 0: none */
    int32_t number;
} sustain__regtune_entry;

size_t sustain__regtune_workspace(const void *self, int64_t max_batch);

/* The first `slots` of them, and the rest; q comes last, for a batch of any size. */
void sustain__regtune_work_in(const sustain__regtune *h, int slots, void *work, sustain__regtune_work *out);

/* Entries of the table for so many columns: a power of two. */
int64_t sustain__regtune_table(int64_t columns);

/* How many parts a sum over all rows has. */
int sustain__regtune_slots(const sustain__regtune *h);

/* What sustain_regtune_outer() allocates. */
size_t sustain__regtune_outer_bytes(const sustain_problem *problem);

/* Who works on a pass over the rows of a level: others where it is large enough to justify waking
 * them. */
sustain__workers sustain__regtune_workers(const sustain__regtune *h, sustain_level level);

/* ---- the data ---- */

/* What is summed up: r (a, 1)' at `points` points y, or (C t)(a, 1)' where v is not NULL. */
typedef struct sustain__regtune_draw {
    sustain_level level;
    const sustain_batch *batch; /* NULL: all rows */
    int points;
    const sustain_real *y[SUSTAIN__REGTUNE_POINTS], *v[SUSTAIN__REGTUNE_POINTS];
    const sustain_batch *next; /* the draw of the lower level that comes after this one, or NULL */
} sustain__regtune_draw;

/* Of the block of the slot, which has the samples first .. first + count - 1 of the draw: its s
 * (count, points x width) becomes factor r, or factor C t. */
void sustain__regtune_factors(const sustain__regtune *h, const sustain__regtune_draw *draw, int64_t first, int64_t count, double factor,
                              sustain__regtune_slot *slot);
/* q (size, width) <- the same of the whole draw; at two points, that of the first less keep times
 * that of the second. */
void sustain__regtune_write_factors(const sustain__regtune *h, const sustain__regtune_draw *draw, double factor, double keep,
                                    sustain__regtune_slot *slot, sustain_real *q);
/* out += weight times the sum over the draw of q (a, 1)' */
void sustain__regtune_add_factors(const sustain__regtune *h, sustain_level level, const sustain_batch *batch, double weight,
                                  const sustain_real *q, sustain__block *block, sustain_real *out);

/* out[p] += the mean over the draw; all rows are for one point. */
void sustain__regtune_add_mean(const sustain__regtune *h, const sustain__regtune_draw *draw, sustain_real *const *out, void *work);

/* Copies rows that are short. */
sustain_status sustain__regtune_shorten(sustain__regtune *h);
/* out[p] += factor times the sum over the samples first .. first + count - 1 of the draw; only
 * where there are copies. */
void sustain__regtune_add_short(const sustain__regtune *h, const sustain__regtune_draw *draw, int64_t first, int64_t count, double factor,
                                sustain_real *const *out);
/* An iteration, likewise; `sums` is that of the work. */
void sustain__regtune_short_step(const sustain__regtune *h, const sustain_momentum_step *step, const sustain_real *x,
                                 const sustain_real *x_prev, sustain_real *hg, sustain_real *y, sustain_real *y_prev, sustain_real *out,
                                 sustain_real *out_prev, double *sums);
/* Prefetches the samples of a draw; likewise. */
void sustain__regtune_prefetch_short(const sustain__regtune *h, sustain_level level, const sustain_batch *batch);

/* The mean loss of a draw at y. */
double sustain__regtune_loss(const sustain__regtune *h, sustain_level level, const sustain_batch *batch, const sustain_real *y, void *work);

/* What sample i of a level adds to its mean loss. */
double sustain__regtune_loss_of_sample(const sustain__regtune *h, sustain_level level, int64_t sample, const double *s);

/* ---- folds ---- */

sustain_status sustain__regtune_check_folds(sustain_context *context, const sustain_regtune_options *options, const sustain_rows *training,
                                            const sustain_rows *validation);
void sustain__regtune_weigh_folds(sustain__regtune *h);
/* What sample i counts for model k. */
double sustain__regtune_fold_weight(const sustain__regtune *h, sustain_level level, int64_t sample, int64_t k);
/* s (count, points, folds, outputs) times these weights. */
void sustain__regtune_weigh(const sustain__regtune *h, const sustain__regtune_draw *draw, int64_t first, int64_t count, sustain_real *s);

/* ---- the penalties ---- */

/* One pass over the penalties' part of (13):
 *      h <- w y + keep (h - w_prev y_prev),     y_prev <- y,     y <- y - beta h */
void sustain__regtune_penalty_step(const sustain__regtune *h, double keep, double beta, const sustain_real *x, const sustain_real *x_prev,
                                   sustain_real *hg, sustain_real *y, sustain_real *y_prev);
/* w (lower_dim) <- floor + exp(x) by what it acts on. */
void sustain__regtune_penalties(const sustain__regtune *h, const sustain_real *x, sustain_real *w);
/* out <- w v: the gradient of the penalty at v, and its Hessian times v. */
void sustain__regtune_penalize(const sustain__regtune *h, const sustain_real *x, const sustain_real *v, sustain_real *out);
/* out (upper_dim) <- factor exp(x_i) sum of u_j v_j over what x_i acts on; sum is that of the
 * work. */
void sustain__regtune_by_penalty(const sustain__regtune *h, double factor, const sustain_real *x, const sustain_real *u,
                                 const sustain_real *v, double *sum, sustain_real *out);
/* 1/2 sum_j w_j y_j^2 */
double sustain__regtune_penalty_value(const sustain__regtune *h, const sustain_real *x, const sustain_real *y, double *sum);

/* ---- sparse rows ---- */

/* Determines whether both sets are sparse, and how large a draw can be. */
void sustain__regtune_see_sparse(sustain__regtune *h);

/* Eq. (7) where they are, at one or two points, as hyper_pair. */
void sustain__regtune_sparse_pair(const sustain__regtune *h, const sustain_hyper_draw *draw, int points, const sustain_real *const *x,
                                  const sustain_real *const *y, sustain_real *const *out, void *work);

/* ---- one draw at two points ---- */

int sustain__regtune_g_grad_y_pair(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                   const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *gy, sustain_real *gy_prev,
                                   void *work);
int sustain__regtune_hyper_pair(const void *self, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                                const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out, sustain_real *out_prev,
                                void *work);
int sustain__regtune_momentum_step(const void *self, const sustain_momentum_step *step, const sustain_real *x, const sustain_real *x_prev,
                                   sustain_real *hg, sustain_real *y, sustain_real *y_prev, sustain_real *out, sustain_real *out_prev,
                                   void *work);

/* project_y: the weights of y onto the feasible set of the options. */
int sustain__regtune_project(const void *self, sustain_real *y);

#endif
