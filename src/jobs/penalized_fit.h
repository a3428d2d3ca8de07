/* penalized_fit.h - linear models with a quadratic penalty of its own on every weight, fitted
 * many times over: on parts of the rows, along paths of penalties, each from the last.
 *
 *      g(y) = 1/n sum over rows i of a part of  weight_i L(a_i'y, t_i)  +  1/2 sum_jk p_jk y_jk^2
 *
 * n is the weight of ALL rows, whatever the part: a penalty then means the same for a part as for
 * all rows (as 1/C of LIBLINEAR does).
 *
 * y is (dim + 1, width), feature by feature: the scores of a sparse row read whole lines of the
 * cache. The last feature is the intercept, which is always 1; p of it is tiny, and it is left
 * out of the model where there is none. */
#ifndef SUSTAIN_JOBS_PENALIZED_FIT_H
#define SUSTAIN_JOBS_PENALIZED_FIT_H

#include <stdatomic.h>

#include "core/cancel.h"
#include "core/context_internal.h"
#include "core/linear_loss.h"

enum { SUSTAIN__FIT_SQUARES = 4 };      /* rows that are added to a matrix at once */
#define SUSTAIN__INTERCEPT_PENALTY 1e-9 /* makes the minimizer unique where there are several intercepts */

/* Whether fits are to end where they are: the caller's hook said so. Only the thread that the job
 * was called from asks it. */
typedef struct sustain__fit_stop {
    sustain_context *context;
    sustain__caller caller;
    atomic_bool stopped;
} sustain__fit_stop;

/* Rows as the fits want them. */
typedef struct sustain__fit_rows {
    sustain_rows rows; /* dense floats, or sparse; every row is stored */
    const sustain__loss *loss;
    int64_t width;           /* scores a row */
    bool intercept;          /* else it stays 0 */
    const double *truth;     /* (count) -1 and 1, class numbers, or numbers */
    const double *weight;    /* (count), or NULL: all 1 */
    double total;            /* n: the sum of the weights */
    sustain__fit_stop *stop; /* or NULL */
} sustain__fit_rows;

static inline int64_t sustain__fit_size(const sustain__fit_rows *r) {
    return (r->rows.dim + 1) * r->width;
}

/* Some of the rows. With the squared loss they may come with their moments, those of moments[0]
 * less those of moments[1] and [2] (each sustain__fit_moments(), or NULL for none): a model of the
 * part then has a closed form, and needs no pass over its rows. */
typedef struct sustain__fit_part {
    const int32_t *row; /* (count) */
    int64_t count;
    const double *moments[3];
} sustain__fit_part;

/* What approximates the Hessian of the data, shared by fits: G = 1/n sum c_i (a_i,1)(a_i,1)'
 * where features are few, else its diagonal. */
typedef struct sustain__fit_curvature {
    int64_t features; /* dim + 1 */
    bool full;        /* values is (features, features), lower triangle; else (features) */
    double *values;   /* and behind them room for SUSTAIN__FIT_SQUARES features + 2 width more */
} sustain__fit_curvature;

/* One fit: its memory, y and penalties. */
typedef struct sustain__fit {
    double *y;                                 /* (size) the start, then the answer */
    double *penalty;                           /* (size) p; the last `width` are those of the intercept */
    double *gradient, *d, *r, *z, *q, *p, *y2; /* (size) */
    double *state;                             /* (rows, width) what the curvature of each row is made of */
    double *factor;                            /* (features, features) Cholesky factor of G + P, or (size) its inverse diagonal */
    double *column;                            /* (features) */
    double held_value;                         /* f of the last sustain__fit_slope() */
    int64_t products;                          /* of the Hessian, since the fit was made */
    int64_t hardest;                           /* most products for one linear system in the last call */
} sustain__fit;

/* Memory for fits; with them all arrays. */
sustain_status sustain__fit_create(sustain_context *context, const sustain__fit_rows *rows, bool full, sustain__fit **out);
void sustain__fit_destroy(sustain_context *context, sustain__fit *fit);
size_t sustain__fit_bytes(const sustain__fit_rows *rows, bool full); /* that create() allocates */

/* Whether G is worth keeping as a matrix: features are few, and no more than rows. */
bool sustain__fit_wants_matrix(const sustain__fit_rows *rows);
/* Fills G for a model y (NULL: 0), from at most a few thousand rows of the part. */
void sustain__fit_measure(const sustain__fit_rows *rows, const sustain__fit_part *part, const double *y, sustain__fit_curvature *g);

/* Moments of the rows of a part, for the squared loss: 1/n sum weight_i (a_i,1)(a_i,1)' (features,
 * features), lower triangle, then 1/n sum weight_i t_i (a_i,1) (features). They take
 * sustain__fit_moments_size() numbers; scratch is (SUSTAIN__FIT_SQUARES, features). */
void sustain__fit_moments(const sustain__fit_rows *rows, const sustain__fit_part *part, double *scratch, double *out);
static inline int64_t sustain__fit_moments_size(const sustain__fit_rows *r) {
    return (r->rows.dim + 1) * (r->rows.dim + 2);
}

/* Asks, and says whether to stop. */
bool sustain__fit_stopped(const sustain__fit_rows *rows);

/* Minimizes g from fit->y by Newton's method with preconditioned conjugate gradients. It ends
 * when half the Newton decrement, an estimate of what is left to gain, is below `tolerance`.
 * Returns whether it got there. With the moments of the part: by its closed form. */
bool sustain__fit_minimize(const sustain__fit_rows *rows, const sustain__fit_part *part, const sustain__fit_curvature *g, double tolerance,
                           sustain__fit *fit);

/* loss[i] of the rows of a part, at y (size); not multiplied by their weights. scratch is
 * (width). */
void sustain__fit_losses(const sustain__fit_rows *rows, const sustain__fit_part *part, const double *y, double *scratch, double *loss);

/* v = H^{-1} grad f at the answer of the last sustain__fit_minimize() with this fit, for f = 1/n
 * sum over the part `held` of weight_i L; then slope[j] -= sum over k of p_jk y_jk v_jk: the
 * derivative of f by the logarithm of the penalties of feature j. The linear system is solved
 * until its error has the share `accuracy` left; f goes to fit->held_value. */
void sustain__fit_slope(const sustain__fit_rows *rows, const sustain__fit_part *part, const sustain__fit_part *held,
                        const sustain__fit_curvature *g, double accuracy, sustain__fit *fit, double *slope);

/* Scores of row i: s (width). */
void sustain__fit_scores(const sustain__fit_rows *rows, int64_t i, const double *y, double *s);

#endif
