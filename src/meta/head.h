/* head.h - the head of one task: regularized softmax regression on the features of its support; and what the loss on the queries says of the
 * features, through the adapted head. The lower level of eq. (2) and its hypergradients.
 *
 *   g(y) = mean over the support of L(W a + b) + lambda (|W|^2 + |b|^2),     f(y) = mean over the queries of L(W q + b),     y = (W, b)
 *
 * Gram form. With the features extended by a 1, A (n, d+1) of the support and Q (m, d+1) of the queries, the gradient of g is R'A/n + 2 lambda W,
 * R = softmax(A W') - labels: whatever descends from W_0 stays of the form W = s W_0 + U'A with U (n, ways). So all loops run on U, on K = A A' and on
 * C = Q A', and no vector of the length d is touched between the first product of the features and the last. Inside, all is double. */
#ifndef SUSTAIN_META_HEAD_H
#define SUSTAIN_META_HEAD_H

#include "core/context_internal.h"

/* How a head is adapted. */
typedef struct sustain__head_rule {
    int64_t ways;
    double lambda;    /* acts on the bias too: else g is not strongly convex */
    int64_t steps;    /* of gradient descent ... */
    double step;      /* ... and their length */
    double tolerance; /* above 0, in their place: Newton's method until |grad g| <= tolerance; wants lambda > 0 */
} sustain__head_rule;

/* A task, all borrowed. */
typedef struct sustain__head_task {
    int64_t support, queries, dim;                /* n, m, d; m may be 0 */
    const sustain_real *support_features;         /* (n, d) */
    const sustain_real *query_features;           /* (m, d) */
    const int32_t *support_labels, *query_labels; /* (n), (m) */
    const sustain_real *start;                    /* W_0 (ways, d), then b_0 (ways); NULL: zero. Newton's method begins at zero */
} sustain__head_task;

/* The memory of one worker. */
typedef struct sustain__head sustain__head;

/* Room for tasks of up to so many pictures. */
sustain_status sustain__head_create(sustain_context *context, const sustain__head_rule *rule, int64_t support, int64_t queries,
                                    sustain__head **out);
void sustain__head_destroy(sustain__head *head);

/* Adapts the head to the support. The task is borrowed until the last of the calls below. */
void sustain__head_adapt(sustain__head *head, const sustain__head_task *task);

/* The adapted head: W (ways, d), then b (ways). */
void sustain__head_write(const sustain__head *head, sustain_real *y);

/* f, the mean loss of the queries, and how many of them are given their label. */
double sustain__head_score(sustain__head *head, int64_t *correct);

/* How the derivative of f goes through the adapted head. */
typedef enum sustain__hyper {
    SUSTAIN__HYPER_UNROLL,  /* through the steps of gradient descent, backwards */
    SUSTAIN__HYPER_NEUMANN, /* eq. (7), at the head reached */
    SUSTAIN__HYPER_CG,      /* eq. (6), the system by conjugate gradients */
    SUSTAIN__HYPER_EXACT    /* eq. (6), by Cholesky; by conjugate gradients where n * ways is above SUSTAIN__HEAD_DIRECT */
} sustain__hyper;
enum { SUSTAIN__HEAD_DIRECT = 500 };

/* Of eq. (7): K, and k from 0..K-1. L_g is a bound from K. */
typedef struct sustain__series {
    int64_t K, k;
} sustain__series;

/* After score(): the derivative of f with respect to the features, d_support (n, d) and d_query (m, d); unrolled also with respect to the start, into
 * d_start ((d+1) ways) where that is not NULL. `series` is looked at for eq. (7) alone. */
void sustain__head_hypergradient(sustain__head *head, sustain__hyper kind, sustain__series series, sustain_real *d_support,
                                 sustain_real *d_query, sustain_real *d_start);

/* ---- between the files of the head ---- */

struct sustain__head {
    sustain_context *context;
    sustain__head_rule rule;
    sustain__head_task task;
    double *K, *C;           /* (n, n), (m, n): products of features */
    double *S_0, *T_0;       /* (n, ways), (m, ways): scores of the start, of support and queries */
    double *U, s;            /* (n, ways): the head is s W_0 + U'A */
    double *path_U, *path_P; /* (steps, n, ways): U and the probabilities at each step */
    double *P;               /* (n, ways): probabilities of the support at the head reached */
    double *G;               /* (m, ways): derivative of f in the scores of the queries */
    double *AA, *AQ, *QA;    /* (n, n), (n, m), (m, n): d_support = AA A + AQ Q + S_bar W_0, d_query = QA A + T_bar W_0 */
    double *S_bar, *T_bar;   /* (n, ways), (m, ways) */
    double *work[4];         /* (n, ways) each */
    double *system;          /* (n ways, n ways), or NULL where that is too large */
    double *unknown[5];      /* (n ways) each: of the system and of conjugate gradients */
    void *memory;
};

/* out (rows, columns) = a (rows, inner) b (inner, columns). */
void sustain__head_product(int64_t rows, int64_t inner, int64_t columns, const double *a, const double *b, double *out);

/* P <- softmax of the scores of the support at (s, U). */
void sustain__head_probabilities(const sustain__head *head, double s, const double *U, double *P);

/* Row i of P less 1 at its label, into R. */
void sustain__head_residual(const sustain__head *head, const double *P, double *R);

/* Z = J X where J_i = diag(p_i) - p_i p_i' is the derivative of the softmax, row by row. */
void sustain__head_softmax_derivative(const sustain__head *head, const double *P, const double *X, double *Z);

/* Solves 2 lambda X + K Z / n = B with Z = J X, J at P, for Z: the system of the Hessian in the samples of the support. */
void sustain__head_solve(sustain__head *head, const double *P, const double *B, bool direct, double *Z);

#endif
