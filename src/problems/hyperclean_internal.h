/* hyperclean_internal.h - what the files of the problem share: hyperclean.c has the oracles,
 * hyperclean_blocks.c the sums over draws that they are made of, hyperclean_fast.c the fast paths,
 * hyperclean_create.c makes it. */
#ifndef SUSTAIN_PROBLEMS_HYPERCLEAN_H
#define SUSTAIN_PROBLEMS_HYPERCLEAN_H

#include <sustain/hyperclean.h>

#include "problems/rows_internal.h"

enum { SUSTAIN__CLEAN_SLOTS = 8 }; /* blocks that are worked on at the same time, at most */

typedef struct sustain__hyperclean {
    sustain_problem problem; /* first: a pointer to it is a pointer to the whole */
    sustain_problem_ops ops;
    sustain_context *context;
    sustain_constants known;
    sustain_rows rows[2]; /* trusted at the upper level, training at the lower */
    sustain__model model;
    const sustain__kernels *kernels;
    double c;
    int slots;
    int32_t *group; /* (training rows) or NULL: each row is its own */
} sustain__hyperclean;

extern const sustain_problem_ops sustain__hyperclean_ops;
/* Weights of groups in place of weights of rows. */
void sustain__hyperclean_use_groups(sustain_problem_ops *ops);

/* Which entry of x is the weight of training row i. */
static inline int64_t sustain__clean_coordinate(const sustain__hyperclean *h, int64_t i) {
    return h->group != NULL ? h->group[i] : i;
}

/* ---- `work` ---- */

typedef struct sustain__clean_work {
    sustain__block block[SUSTAIN__CLEAN_SLOTS];
    double *exact[SUSTAIN__CLEAN_SLOTS]; /* (SUSTAIN__BLOCK, classes) scores in double */
    double loss[SUSTAIN__CLEAN_SLOTS];   /* of a block */
    sustain_real *part;                  /* (slots, stride) the sums of a block, (2, lower_dim) */
    int64_t stride;
    double *run;        /* (slots, 2 * lower_dim + 1) the sums of some neighbours */
    double *total;      /* (2, lower_dim) the sums of all blocks */
    sustain_real *v[2]; /* (lower_dim) of eq. (7), at two points */
    sustain_real *gram; /* (SUSTAIN__BLOCK, SUSTAIN__BLOCK) */
    sustain_real *t;    /* (SUSTAIN__BLOCK, 2, classes) */
} sustain__clean_work;

size_t sustain__clean_workspace(const void *self, int64_t max_batch);
/* Only the first `slots` blocks are made. */
void sustain__clean_work_in(const sustain__hyperclean *h, int slots, void *work, sustain__clean_work *out);

/* ---- samples ---- */

/* A draw at one or two points. Where v is given the rows are those of the Hessian product, else
 * those of the gradient. */
typedef struct sustain__clean_draw {
    sustain_level level;
    const sustain_batch *batch; /* NULL: all rows */
    int points;
    const sustain_real *x[2], *y[2], *v[2];
} sustain__clean_draw;

/* p <- softmax of the scores of all rows of a block, in the first points * classes columns. */
void sustain__clean_softmax(sustain__block *b, int points);

/* Some samples of a draw in a block where p is. */
typedef struct sustain__clean_part {
    sustain__block *block;
    int64_t at;           /* where they begin in the block */
    int64_t first, count; /* which they are of the draw */
    /* products with v: those of sample j at point p begin at t[j * stride + p * classes] */
    const sustain_real *t;
    int64_t stride;
} sustain__clean_part;

/* p becomes q, the row of the gradient's or, where t is given, the product's part: weight
 * sigma(x_i) (p - e_b) or weight sigma(x_i) (p t - p p't). The upper level has no sigma. */
void sustain__clean_rows(const sustain__hyperclean *h, const sustain__clean_draw *d, double weight, const sustain__clean_part *part);

/* q of the first point - keep times q of the second, in the first `count` rows of a block. */
void sustain__clean_subtract(sustain__block *b, int64_t count, double keep);

/* out[p] (lower_dim) <- ridge from[p] + scale * mean over the draw of q (a, 1)'; without `from`,
 * the mean alone. */
void sustain__clean_sum(const sustain__hyperclean *h, const sustain__clean_draw *d, sustain__clean_work *w, double ridge, double scale,
                        const sustain_real *const *from, sustain_real *const *out);

/* total[0] (lower_dim) <- mean of q at the first point - keep times that at the second. */
void sustain__clean_difference(const sustain__hyperclean *h, const sustain__clean_draw *d, double keep, sustain__clean_work *w);

/* out[p][j] <- factor sigma'(x_i) (p - e_b)'t: the cross product, sample by sample; of a part, and
 * the mean over a draw. */
void sustain__clean_cross_rows(const sustain__hyperclean *h, const sustain__clean_draw *d, double factor, const sustain__clean_part *part,
                               sustain_real *const *out);
void sustain__clean_cross(const sustain__hyperclean *h, const sustain__clean_draw *d, double factor, sustain__clean_work *w,
                          sustain_real *const *out);

/* The rows of SAGA's tables for a draw, (size, classes) or, of the cross product, (size); and out
 * += weight * the sum over the draw of what they stand for. */
void sustain__clean_table_rows(const sustain__hyperclean *h, const sustain__clean_draw *d, bool cross, sustain__clean_work *w,
                               sustain_real *rows);
void sustain__clean_table_add(const sustain__hyperclean *h, const sustain__clean_draw *d, const sustain_real *rows, double weight,
                              sustain__clean_work *w, sustain_real *out);

/* The mean of sigma(x_i) L_i (the upper level has no sigma) and, where gx is given, sigma'(x_i) L_i
 * / size sample by sample. */
double sustain__clean_loss(const sustain__hyperclean *h, const sustain__clean_draw *d, sustain__clean_work *w, sustain_real *gx);

/* ---- fast paths ---- */

int sustain__clean_g_grad_y_pair(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                 const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *gy, sustain_real *gy_prev,
                                 void *work);
int sustain__clean_hyper_pair(const void *self, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                              const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out, sustain_real *out_prev,
                              void *work);
int sustain__clean_momentum_step(const void *self, const sustain_momentum_step *step, const sustain_real *x, const sustain_real *x_prev,
                                 sustain_real *h, sustain_real *y, sustain_real *y_prev, sustain_real *out, sustain_real *out_prev,
                                 void *work);

#endif
