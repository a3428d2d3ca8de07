/* head.h - the head of one task: regularized softmax regression on the features of its support,
 * and the derivative of the query loss with respect to the features through the adapted head.
 * This is the lower level of eq. (2) with its hypergradients.
 *
 *   g(y) = mean over the support of L(W a + b) + lambda (|W|^2 + |b|^2),     y = (W, b)
 *   f(y) = mean over the queries of L(W q + b)
 *
 * Gram form. Let A (n, d+1) and Q (m, d+1) be the features of the support and of the queries,
 * extended by a 1. The gradient of g is R'A/n + 2 lambda W with R = softmax(A W') - labels, so
 * gradient descent from W_0 keeps the form W = s W_0 + U'A with U (n, ways). All loops therefore
 * run on U, K = A A' and C = Q A'; vectors of length d occur only in the first and the last
 * product. Everything is computed in double. */
#ifndef SUSTAIN_META_HEAD_H
#define SUSTAIN_META_HEAD_H

#include "core/context_internal.h"

/* How a head is adapted. */
typedef struct sustain__head_rule {
    int64_t ways;
    double lambda;    /* applies to the bias too; otherwise g is not strongly convex */
    int64_t steps;    /* number of gradient descent steps */
    double step;      /* step size */
    double tolerance; /* if above 0: Newton's method instead, until |grad g| <= tolerance;
                       * requires lambda > 0 */
} sustain__head_rule;

/* A task; all pointers are borrowed. */
typedef struct sustain__head_task {
    int64_t support, queries, dim;                /* n, m, d; m may be 0 */
    const sustain_real *support_features;         /* (n, d) */
    const sustain_real *query_features;           /* (m, d) */
    const int32_t *support_labels, *query_labels; /* (n), (m) */
    const sustain_real *start;                    /* W_0 (ways, d), then b_0 (ways); NULL: zero.
                                                   * Newton's method always starts at zero */
} sustain__head_task;

/* The memory of one worker. */
typedef struct sustain__head sustain__head;

/* Creates a workspace for tasks of up to this many pictures. */
sustain_status sustain__head_create(sustain_context *context, const sustain__head_rule *rule, int64_t support, int64_t queries,
                                    sustain__head **out);
void sustain__head_destroy(sustain__head *head);

/* Adapts the head to the support. The task is borrowed until the last of the calls below. */
void sustain__head_adapt(sustain__head *head, const sustain__head_task *task);

/* The adapted head: W (ways, d), then b (ways). */
void sustain__head_write(const sustain__head *head, sustain_real *y);

/* f, the mean loss of the queries, and the number of correct predictions. */
double sustain__head_score(sustain__head *head, int64_t *correct);

/* How f is differentiated through the adapted head. */
typedef enum sustain__hyper {
    SUSTAIN__HYPER_UNROLL,  /* through the steps of gradient descent, backwards */
    SUSTAIN__HYPER_NEUMANN, /* eq. (7), at the head reached */
    SUSTAIN__HYPER_CG,      /* eq. (6), the system by conjugate gradients */
    SUSTAIN__HYPER_EXACT    /* eq. (6), by Cholesky; by conjugate gradients where n * ways is
                             * above SUSTAIN__HEAD_DIRECT */
} sustain__hyper;
enum { SUSTAIN__HEAD_DIRECT = 500 };

/* Parameters of eq. (7): K, and k in 0 .. K-1. L_g is a bound computed from the Gram matrix. */
typedef struct sustain__series {
    int64_t K, k;
} sustain__series;

/* After score(): the derivative of f with respect to the features, d_support (n, d) and d_query
 * (m, d); if unrolled, also with respect to the start, into d_start ((d+1) ways) unless that is
 * NULL. `series` is used only for eq. (7). */
void sustain__head_hypergradient(sustain__head *head, sustain__hyper kind, sustain__series series, sustain_real *d_support,
                                 sustain_real *d_query, sustain_real *d_start);

/* ---- shared by the files of the head ---- */

struct sustain__head {
    sustain_context *context;
    sustain__head_rule rule;
    sustain__head_task task;
    double *K, *C;           /* (n, n), (m, n): products of features */
    double *S_0, *T_0;       /* (n, ways), (m, ways): scores of support and queries at the start */
    double *U, s;            /* (n, ways): the head is s W_0 + U'A */
    double *path_U, *path_P; /* (steps, n, ways): U and the probabilities at each step */
    double *P;               /* (n, ways): probabilities of the support at the head reached */
    double *G;               /* (m, ways): derivative of f with respect to the scores of the
                              * queries */
    double *AA, *AQ, *QA;    /* (n, n), (n, m), (m, n): d_support = AA A + AQ Q + S_bar W_0,
                              * d_query = QA A + T_bar W_0 */
    double *S_bar, *T_bar;   /* (n, ways), (m, ways) */
    double *work[4];         /* (n, ways) each */
    double *system;          /* (n ways, n ways), or NULL where that is too large */
    double *unknown[5];      /* (n ways) each: of the system and of conjugate gradients */
    void *memory;
};

/* out (rows, columns) = a (rows, inner) b (inner, columns). */
void sustain__head_product(int64_t rows, int64_t inner, int64_t columns, const double *a, const double *b, double *out);

/* R <- P, minus 1 at the label of each row. */
void sustain__head_residual(const sustain__head *head, const double *P, double *R);

/* Z = J X, row by row, where J_i = diag(p_i) - p_i p_i' is the derivative of the softmax. */
void sustain__head_softmax_derivative(const sustain__head *head, const double *P, const double *X, double *Z);

/* Solves 2 lambda X + K Z / n = B with Z = J X, J at P, for Z: the Hessian system in sample
 * space. */
void sustain__head_solve(sustain__head *head, const double *P, const double *B, bool direct, double *Z);

#endif
