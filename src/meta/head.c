/* head.c - adapts a head by gradient descent or Newton's method.
 *
 * Gradient descent: with rho = 1 - 2 step lambda,
 *
 *   W_{k+1} = W_k - step (R_k'A/n + 2 lambda W_k)   is   s <- rho s,   U <- rho U - (step/n) R
 *
 * Newton: grad g = Gamma'A with Gamma = R/n + 2 lambda U, and H^{-1} grad g = V'A with V =
 * (Gamma - Z/n) / (2 lambda), where Z solves the system in sample space for B = K Gamma
 * (head_solve.c). */
#include "meta/head.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/linear_loss.h"
#include "core/newton.h"
#include "core/vector.h"

/* ---- small matrices ---- */

void sustain__head_product(int64_t rows, int64_t inner, int64_t columns, const double *a, const double *b, double *out) {
    for (int64_t i = 0; i < rows; i++) {
        double *row = out + i * columns;
        for (int64_t c = 0; c < columns; c++) row[c] = 0;
        for (int64_t j = 0; j < inner; j++)
            for (int64_t c = 0; c < columns; c++) row[c] += a[i * inner + j] * b[j * columns + c];
    }
}

/* ---- the softmax ---- */

/* Scores of the support at (s, U). */
static void support_scores(const sustain__head *h, double s, const double *U, double *S) {
    const int64_t n = h->task.support, ways = h->rule.ways;
    sustain__head_product(n, n, ways, h->K, U, S);
    for (int64_t i = 0; h->task.start != NULL && i < n * ways; i++) S[i] += s * h->S_0[i];
}

/* P <- softmax of the scores of the support at (s, U). */
static void probabilities(const sustain__head *h, double s, const double *U, double *P) {
    support_scores(h, s, U, P);
    for (int64_t i = 0; i < h->task.support; i++) sustain__softmax_row(h->rule.ways, P + i * h->rule.ways);
}

void sustain__head_residual(const sustain__head *h, const double *P, double *R) {
    const int64_t n = h->task.support, ways = h->rule.ways;
    memcpy(R, P, (size_t)(n * ways) * sizeof *R);
    for (int64_t i = 0; i < n; i++) R[i * ways + h->task.support_labels[i]] -= 1;
}

void sustain__head_softmax_derivative(const sustain__head *h, const double *P, const double *X, double *Z) {
    const int64_t ways = h->rule.ways;
    for (int64_t i = 0; i < h->task.support; i++) sustain__softmax_curve_row(ways, 1, P + i * ways, X + i * ways, Z + i * ways);
}

/* ---- adapting ---- */

static void descend(sustain__head *h) {
    const int64_t size = h->task.support * h->rule.ways;
    const double rho = 1 - 2 * h->rule.step * h->rule.lambda, rate = h->rule.step / (double)h->task.support;
    double *R = h->work[0];
    h->s = 1;
    for (int64_t k = 0; k < h->rule.steps; k++) {
        double *P = h->path_P + k * size;
        memcpy(h->path_U + k * size, h->U, (size_t)size * sizeof *h->U);
        probabilities(h, h->s, h->U, P);
        sustain__head_residual(h, P, R);
        h->s *= rho;
        for (int64_t i = 0; i < size; i++) h->U[i] = rho * h->U[i] - rate * R[i];
    }
    probabilities(h, h->s, h->U, h->P);
}

/* g at the head U'A, Gamma, and |grad g|. Also computes P and K Gamma, which the direction
 * needs. */
static sustain_status evaluate(void *user, const double *U, double *value, double *gamma, double *norm) {
    sustain__head *h = user;
    const int64_t n = h->task.support, ways = h->rule.ways, size = n * ways;
    double *K_gamma = h->work[1], loss = 0;
    support_scores(h, 0, U, h->P);
    const double square = sustain__dot_double(size, U, h->P); /* tr(U'K U) = |W|^2 + |b|^2 */
    for (int64_t i = 0; i < n; i++) {
        const double score = h->P[i * ways + h->task.support_labels[i]];
        loss += sustain__softmax_row(ways, h->P + i * ways) - score;
    }
    *value = loss / (double)n + h->rule.lambda * square;
    sustain__head_residual(h, h->P, gamma);
    for (int64_t i = 0; i < size; i++) gamma[i] = gamma[i] / (double)n + 2 * h->rule.lambda * U[i];
    sustain__head_product(n, n, ways, h->K, gamma, K_gamma);
    *norm = sqrt(fmax(0, sustain__dot_double(size, gamma, K_gamma)));
    return SUSTAIN_OK;
}

static sustain_status direction(void *user, const double *U, const double *gamma, double *D, double *slope) {
    sustain__head *h = user;
    const int64_t n = h->task.support, size = n * h->rule.ways;
    const double *K_gamma = h->work[1];
    (void)U;
    sustain__head_solve(h, h->P, K_gamma, true, D);
    for (int64_t i = 0; i < size; i++) D[i] = (D[i] / (double)n - gamma[i]) / (2 * h->rule.lambda);
    *slope = sustain__dot_double(size, K_gamma, D);
    return SUSTAIN_OK;
}

static void newton(sustain__head *h) {
    sustain__newton_double n = {.n = h->task.support * h->rule.ways,
                                .evaluate = evaluate,
                                .direction = direction,
                                .user = h,
                                .tolerance = h->rule.tolerance,
                                .rounding = DBL_EPSILON,
                                .at = h->S_bar, /* unused until a hypergradient is computed */
                                .trial = h->work[3],
                                .gradient = h->work[0],
                                .gradient_new = h->unknown[1], /* unused while a system is solved */
                                .d = h->work[2]};
    h->s = 0;
    sustain__newton_double_minimize(&n, h->U); /* cannot fail here */
    if (!n.last) probabilities(h, 0, h->U, h->P);
}

/* ---- products of features ---- */

static void multiply_features(sustain__head *h) {
    const sustain__head_task *t = &h->task;
    const int64_t n = t->support, d = t->dim;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            h->K[i * n + j] = h->K[j * n + i] = 1 + sustain__dot(d, t->support_features + i * d, t->support_features + j * d);
    for (int64_t i = 0; i < t->queries; i++)
        for (int64_t j = 0; j < n; j++) h->C[i * n + j] = 1 + sustain__dot(d, t->query_features + i * d, t->support_features + j * d);
}

static void start_scores(const sustain__head *h, int64_t rows, const sustain_real *features, double *scores) {
    const int64_t d = h->task.dim, ways = h->rule.ways;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t c = 0; c < ways; c++)
            scores[i * ways + c] = (double)h->task.start[ways * d + c] + sustain__dot(d, features + i * d, h->task.start + c * d);
}

void sustain__head_adapt(sustain__head *h, const sustain__head_task *task) {
    h->task = *task;
    if (h->rule.tolerance > 0) h->task.start = NULL;
    multiply_features(h);
    if (h->task.start != NULL) {
        start_scores(h, task->support, task->support_features, h->S_0);
        start_scores(h, task->queries, task->query_features, h->T_0);
    }
    memset(h->U, 0, (size_t)(task->support * h->rule.ways) * sizeof *h->U);
    if (h->rule.tolerance > 0)
        newton(h);
    else
        descend(h);
}

/* ---- the adapted head ---- */

/* Weight j of class c, or its bias if j is d. */
static double weight_at(const sustain__head *h, int64_t c, int64_t j) {
    const sustain__head_task *t = &h->task;
    const int64_t d = t->dim, ways = h->rule.ways;
    double sum = t->start != NULL ? h->s * (double)t->start[j < d ? c * d + j : ways * d + c] : 0;
    for (int64_t i = 0; i < t->support; i++) sum += h->U[i * ways + c] * (j < d ? (double)t->support_features[i * d + j] : 1);
    return sum;
}

void sustain__head_write(const sustain__head *h, sustain_real *y) {
    const int64_t d = h->task.dim, ways = h->rule.ways;
    for (int64_t c = 0; c < ways; c++) {
        for (int64_t j = 0; j < d; j++) y[c * d + j] = (sustain_real)weight_at(h, c, j);
        y[ways * d + c] = (sustain_real)weight_at(h, c, d);
    }
}

double sustain__head_score(sustain__head *h, int64_t *correct) {
    const int64_t n = h->task.support, m = h->task.queries, ways = h->rule.ways;
    double loss = 0;
    *correct = 0;
    sustain__head_product(m, n, ways, h->C, h->U, h->G);
    for (int64_t i = 0; i < m; i++) {
        double *row = h->G + i * ways;
        int64_t best = 0;
        for (int64_t c = 0; c < ways; c++) {
            if (h->task.start != NULL) row[c] += h->s * h->T_0[i * ways + c];
            if (row[c] > row[best]) best = c;
        }
        const int32_t label = h->task.query_labels[i];
        const double score = row[label];
        *correct += best == label;
        loss += sustain__softmax_row(ways, row) - score;
        row[label] -= 1;
        for (int64_t c = 0; c < ways; c++) row[c] /= (double)m;
    }
    return loss / (double)m;
}

/* ---- creation ---- */

sustain_status sustain__head_create(sustain_context *context, const sustain__head_rule *rule, int64_t support, int64_t queries,
                                    sustain__head **out) {
    const size_t n = (size_t)support, m = (size_t)queries, rows = n * (size_t)rule->ways, query_rows = m * (size_t)rule->ways;
    const size_t path = rule->tolerance > 0 ? 0 : (size_t)rule->steps * rows;
    const size_t square = rows <= SUSTAIN__HEAD_DIRECT ? rows * rows : 0;
    sustain__head *h;
    *out = NULL;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *h, &h));
    *h = (sustain__head){.context = context, .rule = *rule};
    struct {
        double **place;
        size_t count;
    } const parts[] = {
        {&h->K, n * n},         {&h->C, m * n},         {&h->S_0, rows},        {&h->T_0, query_rows},   {&h->U, rows},
        {&h->path_U, path},     {&h->path_P, path},     {&h->P, rows},          {&h->G, query_rows},     {&h->AA, n * n},
        {&h->AQ, n * m},        {&h->QA, m * n},        {&h->S_bar, rows},      {&h->T_bar, query_rows}, {&h->work[0], rows},
        {&h->work[1], rows},    {&h->work[2], rows},    {&h->work[3], rows},    {&h->system, square},    {&h->unknown[0], rows},
        {&h->unknown[1], rows}, {&h->unknown[2], rows}, {&h->unknown[3], rows}, {&h->unknown[4], rows},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) count += parts[i].count;
    const sustain_status status = sustain__allocate(context, sustain__multiply(count, sizeof(double)), &h->memory);
    if (status != SUSTAIN_OK) {
        sustain__head_destroy(h);
        return status;
    }
    double *next = h->memory;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].place = parts[i].count > 0 ? next : NULL;
        next += parts[i].count;
    }
    *out = h;
    return SUSTAIN_OK;
}

void sustain__head_destroy(sustain__head *h) {
    if (h == NULL) return;
    sustain__free(h->context, h->memory);
    sustain__free(h->context, h);
}
