/* head_hyper.c - derivative of the query loss with respect to the features, through the adapted
 * head.
 *
 * All four hypergradients are small matrices times features: d_support = AA A + AQ Q + S_bar
 * W_0, d_query = QA A + T_bar W_0.
 *
 * unroll: reverse mode. f depends on T = s_D T_0 + C U_D, and U_{k+1} = rho U_k - (step/n) R(s_k
 * S_0 + K U_k). With bars for derivatives of f:
 *
 *     C_bar = G U_D',  U_bar_D = C'G,  S_bar_k = -(step/n) J_k U_bar_{k+1},
 *     U_bar_k = rho U_bar_{k+1} + K S_bar_k,  K_bar = sum_k S_bar_k U_k'
 *
 * The others, eq. (6): V = c G'Q + E'A is H^{-1} grad_y f with grad_y f = G'Q. With X = A V' and
 * Z = J X at the adapted head:
 *
 *     d_support = -(R V + Z W)/n,     d_query = G W. */
#include <math.h>
#include <string.h>

#include "core/vector.h"
#include "meta/head.h"

/* out (rows, columns) += factor a (rows, inner) b (columns, inner)' */
static void add_outer(int64_t rows, int64_t inner, int64_t columns, double factor, const double *a, const double *b, double *out) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double sum = 0;
            for (int64_t c = 0; c < inner; c++) sum += a[i * inner + c] * b[j * inner + c];
            out[i * columns + j] += factor * sum;
        }
}

/* B = C'G: the scores of grad_y f on the support. */
static void upper_scores(const sustain__head *h, double *B) {
    const int64_t n = h->task.support, m = h->task.queries, ways = h->rule.ways;
    memset(B, 0, (size_t)(n * ways) * sizeof *B);
    for (int64_t q = 0; q < m; q++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < ways; c++) B[i * ways + c] += h->C[q * n + i] * h->G[q * ways + c];
}

/* ---- unroll ---- */

static void unroll(sustain__head *h) {
    const int64_t n = h->task.support, m = h->task.queries, ways = h->rule.ways, size = n * ways;
    const double rho = 1 - 2 * h->rule.step * h->rule.lambda, rate = h->rule.step / (double)n;
    double *U_bar = h->work[0], *S_bar = h->work[1], *K_S_bar = h->work[2];
    add_outer(m, ways, n, 1, h->G, h->U, h->QA); /* C_bar */
    add_outer(n, ways, m, 1, h->U, h->G, h->AQ); /* its transpose */
    for (int64_t i = 0; i < m * ways; i++) h->T_bar[i] = h->s * h->G[i];
    upper_scores(h, U_bar);
    for (int64_t k = h->rule.steps - 1; k >= 0; k--) {
        const double *U = h->path_U + k * size;
        const double s_k = pow(rho, (double)k);
        sustain__head_softmax_derivative(h, h->path_P + k * size, U_bar, S_bar);
        for (int64_t i = 0; i < size; i++) S_bar[i] *= -rate;
        for (int64_t i = 0; i < size; i++) h->S_bar[i] += s_k * S_bar[i];
        /* K_bar, and its transpose: K = A A' has A twice */
        add_outer(n, ways, n, 1, S_bar, U, h->AA);
        add_outer(n, ways, n, 1, U, S_bar, h->AA);
        sustain__head_product(n, n, ways, h->K, S_bar, K_S_bar);
        for (int64_t i = 0; i < size; i++) U_bar[i] = rho * U_bar[i] + K_S_bar[i];
    }
}

/* ---- eq. (6) and (7) ---- */

/* L_g: the eigenvalues of J are at most 1/2, those of K at most its largest row sum. The bound
 * is tight if no feature is negative. */
static double lower_smoothness(const sustain__head *h) {
    const int64_t n = h->task.support;
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) sum += fabs(h->K[i * n + j]);
        most = fmax(most, sum);
    }
    return 2 * h->rule.lambda + most / (2 * (double)n);
}

/* Z = J X, X = A V' = c B + K E */
static void scores_of(const sustain__head *h, double c, const double *B, const double *E, double *X, double *Z) {
    const int64_t n = h->task.support, ways = h->rule.ways;
    sustain__head_product(n, n, ways, h->K, E, X);
    for (int64_t i = 0; i < n * ways; i++) X[i] += c * B[i];
    sustain__head_softmax_derivative(h, h->P, X, Z);
}

/* V = (K/L_g) prod_{i=1..k} (I - H/L_g) grad_y f,     H V = 2 lambda V + Z'A/n
 * (7) */
static double series_of(const sustain__head *h, sustain__series series, const double *B, double *E, double *X, double *Z) {
    const int64_t n = h->task.support, size = n * h->rule.ways;
    const double L_g = lower_smoothness(h), rho = 1 - 2 * h->rule.lambda / L_g;
    double c = (double)series.K / L_g;
    memset(E, 0, (size_t)size * sizeof *E);
    scores_of(h, c, B, E, X, Z);
    for (int64_t i = 0; i < series.k; i++) {
        for (int64_t j = 0; j < size; j++) E[j] = rho * E[j] - Z[j] / (L_g * (double)n);
        c *= rho;
        scores_of(h, c, B, E, X, Z);
    }
    return c;
}

/* V = (grad_y f - Z'A/n) / (2 lambda) */
static double solved(sustain__head *h, bool direct, const double *B, double *E, double *Z) {
    const int64_t n = h->task.support, size = n * h->rule.ways;
    const double c = 1 / (2 * h->rule.lambda);
    sustain__head_solve(h, h->P, B, direct, Z);
    for (int64_t i = 0; i < size; i++) E[i] = -c * Z[i] / (double)n;
    return c;
}

static void implicit(sustain__head *h, sustain__hyper kind, sustain__series series) {
    const int64_t n = h->task.support, m = h->task.queries, ways = h->rule.ways;
    const double mean = -1 / (double)n;
    double *B = h->work[0], *E = h->work[1], *Z = h->work[2], *R = h->work[3];
    upper_scores(h, B);
    const double c = kind == SUSTAIN__HYPER_NEUMANN ? series_of(h, series, B, E, R, Z) : solved(h, kind == SUSTAIN__HYPER_EXACT, B, E, Z);
    sustain__head_residual(h, h->P, R);
    add_outer(n, ways, n, mean, R, E, h->AA);
    add_outer(n, ways, n, mean, Z, h->U, h->AA);
    add_outer(n, ways, m, mean * c, R, h->G, h->AQ);
    add_outer(m, ways, n, 1, h->G, h->U, h->QA);
    for (int64_t i = 0; i < n * ways; i++) h->S_bar[i] = mean * h->s * Z[i];
    for (int64_t i = 0; i < m * ways; i++) h->T_bar[i] = h->s * h->G[i];
}

/* ---- back to the features ---- */

/* out (rows, d) += matrix (rows, columns) features (columns, d) */
static void add_features(int64_t rows, int64_t columns, int64_t d, const double *matrix, const sustain_real *features, sustain_real *out) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) sustain__add(d, matrix[i * columns + j], features + j * d, out + i * d);
}

/* The derivative with respect to the start, weights and biases: S_bar'A + T_bar'Q. */
static void add_to_start(int64_t ways, int64_t rows, int64_t d, const double *bar, const sustain_real *features, sustain_real *d_start) {
    for (int64_t c = 0; c < ways; c++)
        for (int64_t i = 0; i < rows; i++) {
            sustain__add(d, bar[i * ways + c], features + i * d, d_start + c * d);
            d_start[ways * d + c] += (sustain_real)bar[i * ways + c];
        }
}

void sustain__head_hypergradient(sustain__head *h, sustain__hyper kind, sustain__series series, sustain_real *d_support,
                                 sustain_real *d_query, sustain_real *d_start) {
    const sustain__head_task *t = &h->task;
    const int64_t n = t->support, m = t->queries, d = t->dim, ways = h->rule.ways;
    memset(h->AA, 0, (size_t)(n * n) * sizeof *h->AA);
    memset(h->AQ, 0, (size_t)(n * m) * sizeof *h->AQ);
    memset(h->QA, 0, (size_t)(m * n) * sizeof *h->QA);
    memset(h->S_bar, 0, (size_t)(n * ways) * sizeof *h->S_bar);
    if (kind == SUSTAIN__HYPER_UNROLL)
        unroll(h);
    else
        implicit(h, kind, series);
    sustain__zero(n * d, d_support);
    sustain__zero(m * d, d_query);
    add_features(n, n, d, h->AA, t->support_features, d_support);
    add_features(n, m, d, h->AQ, t->query_features, d_support);
    add_features(m, n, d, h->QA, t->support_features, d_query);
    if (t->start == NULL) return;
    add_features(n, ways, d, h->S_bar, t->start, d_support);
    add_features(m, ways, d, h->T_bar, t->start, d_query);
    if (d_start == NULL) return;
    sustain__zero(ways * (d + 1), d_start);
    add_to_start(ways, n, d, h->S_bar, t->support_features, d_start);
    add_to_start(ways, m, d, h->T_bar, t->query_features, d_start);
}
