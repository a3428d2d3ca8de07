/* linear_loss.h - the losses of linear models: functions of a row's scores s = W a + b and of its
 * label or target t.
 *
 *   logistic   L = log(1 + exp(-t s))           r = -t / (1 + exp(t s))    C = sigma(s) sigma(-s)    t = -1 or 1
 *   softmax    L = log sum_k exp(s_k) - s_t     r = p - e_t                C = diag(p) - pp'         t a class, p = softmax(s)
 *   squared    L = (s - t)^2 / 2                r = s - t                  C = 1
 *   huber      L = squared up to |s - t| = 1, then |s - t| - 1/2
 *   poisson    L = exp(s) - t s                 r = exp(s) - t             C = exp(s)                t at least 0
 *
 * with r = dL/ds and C = d^2 L / ds^2. The gradient of a row in (W, b) is r (a, 1)', its Hessian
 * product (C u)(a, 1)' with u = V (a, 1); problems/rows_internal.h has the products of blocks of
 * rows.
 *
 * A new loss of one score is one entry in linear_loss.c: two functions in double, its kind of
 * labels, and two bounds. Block functions are optional, for speed. */
#ifndef SUSTAIN_CORE_LINEAR_LOSS_H
#define SUSTAIN_CORE_LINEAR_LOSS_H

#include <sustain/rows.h>
#include <sustain/status.h>

/* What t is. */
typedef enum sustain__labels {
    SUSTAIN__LABELS_CLASSES,
    SUSTAIN__LABELS_SIGNS,
    SUSTAIN__LABELS_NUMBERS,
    SUSTAIN__LABELS_NONE
} sustain__labels;

typedef struct sustain__loss {
    /* classes: one score a class, and the functions of softmax below; others have one score */
    sustain__labels labels;
    /* bounds on |r| and on the largest eigenvalue of C; infinite: none */
    double steepest, sharpest;
    double (*value)(double s, double t);
    double (*derivatives)(double s, double t, double *curvature); /* returns r */

    /* Optional, for `count` rows at once: s <- r; u <- C u, where s is lost; the sum of the
     * values. */
    void (*residuals)(int64_t count, const double *t, sustain_real *s);
    void (*curve)(int64_t count, const double *t, sustain_real *s, sustain_real *u);
    double (*values)(int64_t count, const double *s, const double *t);
} sustain__loss;

extern const sustain__loss sustain__loss_logistic, sustain__loss_softmax, sustain__loss_squared, sustain__loss_huber, sustain__loss_poisson;

/* t of a stored row. */
static inline double sustain__loss_truth(const sustain__loss *loss, const sustain_rows *rows, int64_t place) {
    return loss->labels == SUSTAIN__LABELS_NUMBERS ? (double)rows->targets[place] : (double)rows->labels[place];
}

/* ---- one row, in double; no exponential overflows ---- */

/* L of the scores s (n). */
double sustain__loss_value(const sustain__loss *loss, int64_t n, const double *s, double t);
/* s (n) <- r; state (n) <- what C is made of: p, or C itself. */
void sustain__loss_residual(const sustain__loss *loss, int64_t n, double t, double *s, double *state);
/* u (n) <- C u */
void sustain__loss_curve(const sustain__loss *loss, int64_t n, const double *state, double *u);
/* C_kk */
double sustain__loss_diagonal(const sustain__loss *loss, double state);
/* The sum of `count` values of a loss of one score. */
double sustain__loss_values(const sustain__loss *loss, int64_t count, const double *s, const double *t);

/* ---- a block of rows, in sustain_real ---- */

/* s (count, n), the scores, become r. */
void sustain__loss_residuals(const sustain__loss *loss, int64_t count, int64_t n, const double *t, sustain_real *s);
/* u (count, n) <- C u, with s the scores, which are lost. */
void sustain__loss_curves(const sustain__loss *loss, int64_t count, int64_t n, const double *t, sustain_real *s, sustain_real *u);

/* ---- softmax ---- */

/* s <- softmax(s), n scores; returns log sum exp(s). */
double sustain__softmax_row(int64_t n, double *s);
/* s <- softmax(s) for `models` groups of n scores at the beginning of each of `count` rows that are
 * `stride` apart. Where log_sum (count, models) is not NULL it becomes log sum exp(s), and sums are
 * added up in double for it. */
void sustain__softmax(int64_t count, int64_t stride, int64_t models, int64_t n, sustain_real *s, double *log_sum);

/* out <- weight (p u - p p'u); out may be p or u. The same in both precisions. */
#define SUSTAIN__SOFTMAX_CURVE(name, number)                                                           \
    static inline void name(int64_t n, number weight, const number *p, const number *u, number *out) { \
        number mean = 0;                                                                               \
        for (int64_t k = 0; k < n; k++) mean += p[k] * u[k];                                           \
        for (int64_t k = 0; k < n; k++) out[k] = p[k] * (weight * (u[k] - mean));                      \
    }
SUSTAIN__SOFTMAX_CURVE(sustain__softmax_curve, sustain_real)
SUSTAIN__SOFTMAX_CURVE(sustain__softmax_curve_row, double)
#undef SUSTAIN__SOFTMAX_CURVE

#endif
