/* noise.c - the noise of labels, from a classifier's view p of rows it was not trained on. Two
 * estimates, each wrong in its own way:
 *
 *   moments      J(l,k) = share of rows with given label l and true class k,   M(k,:) = mean of p over trusted rows of class k,
 *                A(l,:) = (1/n) sum of p over rows with label l:               A = J M, whatever the classifier confuses
 *   likelihood   N(l,k) = P(label l | class k) that maximizes sum_i log sum_k p_k N(l_i, k), by expectation maximization
 *
 * Moments ask nothing of the classifier, but have the sampling error of M (a jackknife over groups
 * of trusted rows tells how large) and suffer when trusted rows are easier or harder than the
 * others. The likelihood uses every row, but takes what the classifier confuses for noise. The
 * share of wrong labels is their mean, each weighted by how far it may be off; where the wrong
 * labels go comes from the moments, shrunk to "anywhere" by as much as their errors explain their
 * differences (James and Stein). */
#include "jobs/noise.h"

#include <math.h>
#include <string.h>

#include "core/vector.h"

enum { GROUPS = 10, ROUNDS = 20 };
#define FIRST_RATE 0.2
#define LIKELIHOOD_BIAS 0.1 /* of the share found by likelihood: what it was seen to be off on MNIST and Fashion-MNIST */
#define LIKELIHOOD_LEAST 0.005
#define MOMENTS_SHIFT 0.015   /* of the share found by moments, if trusted rows are not quite like the others */
#define LEAST_LIKELIHOOD 1e-4 /* of any label for any class: nothing is impossible */

void sustain__posterior(int64_t classes, const float *p, int32_t given, const sustain_real *noise, double *q) {
    const sustain_real *likelihood = noise + given * classes;
    double sum = 0;
    for (int64_t k = 0; k < classes; k++) sum += q[k] = (double)p[k] * (double)likelihood[k];
    for (int64_t k = 0; k < classes; k++) q[k] /= sum;
}

/* ---- likelihood ---- */

/* Columns of `joint`, all made positive, to probabilities of a label given the class. */
static void normalize(int64_t classes, double least, const double *joint, sustain_real *noise) {
    for (int64_t k = 0; k < classes; k++) {
        double sum = 0;
        for (int64_t l = 0; l < classes; l++) sum += joint[l * classes + k];
        for (int64_t l = 0; l < classes; l++) {
            const double share = sum > 0 ? joint[l * classes + k] / sum : l == k;
            noise[l * classes + k] = (sustain_real)((share + least) / (1 + least * (double)classes));
        }
    }
}

void sustain__noise_from_joint(int64_t classes, const double *joint, sustain_real *noise) {
    normalize(classes, LEAST_LIKELIHOOD, joint, noise);
}

static void uniform_noise(int64_t classes, double rate, sustain_real *noise) {
    for (int64_t l = 0; l < classes; l++)
        for (int64_t k = 0; k < classes; k++) noise[l * classes + k] = (sustain_real)(l == k ? 1 - rate : rate / (double)(classes - 1));
}

/* rate <- the share of wrong labels. joint (classes, classes) and q (classes) are scratch. */
static sustain_status by_likelihood(sustain_context *context, const sustain__views *v, double *joint, double *q, double *rate,
                                    sustain_real *noise) {
    const int64_t classes = v->classes;
    *rate = FIRST_RATE;
    uniform_noise(classes, FIRST_RATE, noise);
    for (int round = 0; round < ROUNDS; round++) {
        double right = 0;
        for (int64_t i = 0; i < classes * classes; i++) joint[i] = 1 / (double)classes; /* one row more a class */
        for (int64_t i = 0; i < v->count; i++) {
            if (i % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(context));
            sustain__posterior(classes, v->training + i * classes, v->given[i], noise, q);
            for (int64_t k = 0; k < classes; k++) joint[v->given[i] * classes + k] += q[k];
            right += q[v->given[i]];
        }
        normalize(classes, LEAST_LIKELIHOOD, joint, noise);
        *rate = 1 - right / (double)v->count;
    }
    return SUSTAIN_OK;
}

/* ---- moments ---- */

typedef struct moments {
    int64_t classes;
    double *A;              /* (classes, classes) */
    double *sums;           /* (GROUPS, classes, classes) of p over the trusted rows of a group and a class */
    double *counts;         /* (GROUPS, classes) */
    double *M, *normal, *b; /* (classes, classes) twice, (classes) */
} moments;

/* J (classes, classes) without the trusted rows of one group (-1: with all): J = A M' (M M' +
 * ridge)^{-1}. */
static bool solve_moments(const moments *m, int without, double *J) {
    const int64_t C = m->classes;
    for (int64_t k = 0; k < C; k++) {
        double count = 0;
        double *row = m->M + k * C;
        memset(row, 0, (size_t)C * sizeof *row);
        for (int g = 0; g < GROUPS; g++) {
            if (g == without) continue;
            count += m->counts[g * C + k];
            for (int64_t j = 0; j < C; j++) row[j] += m->sums[(g * C + k) * C + j];
        }
        for (int64_t j = 0; j < C && count > 0; j++) row[j] /= count;
        if (!(count > 0)) row[k] = 1; /* no trusted rows: assume perfect recognition */
    }
    double trace = 0;
    for (int64_t k = 0; k < C; k++)
        for (int64_t l = 0; l < C; l++) {
            double sum = 0;
            for (int64_t j = 0; j < C; j++) sum += m->M[k * C + j] * m->M[l * C + j];
            m->normal[k * C + l] = sum;
            if (k == l) trace += sum;
        }
    for (int64_t k = 0; k < C; k++) m->normal[k * C + k] += 1e-6 * trace / (double)C;
    if (!sustain__cholesky(C, m->normal)) return false;
    for (int64_t l = 0; l < C; l++) {
        double *row = J + l * C;
        for (int64_t k = 0; k < C; k++) {
            row[k] = 0;
            for (int64_t j = 0; j < C; j++) row[k] += m->M[k * C + j] * m->A[l * C + j];
        }
        sustain__cholesky_solve(C, m->normal, row);
    }
    return true;
}

static void collect(const sustain__views *v, moments *m) {
    const int64_t C = v->classes;
    for (int64_t i = 0; i < v->count; i++)
        for (int64_t k = 0; k < C; k++) m->A[v->given[i] * C + k] += (double)v->training[i * C + k] / (double)v->count;
    for (int64_t k = 0; k < C; k++) m->b[k] = 0;
    for (int64_t i = 0; i < v->trusted_count; i++) {
        const int64_t k = v->right[i], g = (int64_t)m->b[k]++ % GROUPS; /* each class dealt out to the groups */
        m->counts[g * C + k]++;
        for (int64_t j = 0; j < C; j++) m->sums[(g * C + k) * C + j] += (double)v->trusted[i * C + j];
    }
}

static double wrong_share(int64_t C, const double *J) {
    double right = 0;
    for (int64_t k = 0; k < C; k++) right += J[k * C + k];
    return 1 - right;
}

/* What the moments say: J, the share of wrong labels, and the squared errors of both (of J: their
 * mean off the diagonal). */
typedef struct moment_answer {
    double *J;
    double rate, rate_error, J_error;
} moment_answer;

/* Jackknife: the variance is (G-1)/G times the sum of squared deviations of the answers without one
 * group. mean, square and other are (classes, classes) scratch. */
static bool by_moments(const moments *m, double *mean, double *square, double *other, moment_answer *a) {
    const int64_t C = m->classes, n = C * C;
    double rates = 0, rates_square = 0;
    memset(mean, 0, (size_t)n * sizeof *mean);
    memset(square, 0, (size_t)n * sizeof *square);
    for (int g = 0; g < GROUPS; g++) {
        if (!solve_moments(m, g, other)) return false;
        const double rate = wrong_share(C, other);
        rates += rate, rates_square += rate * rate;
        for (int64_t i = 0; i < n; i++) mean[i] += other[i], square[i] += other[i] * other[i];
    }
    const double G = GROUPS, factor = (G - 1) / G;
    a->rate_error = factor * fmax(0, rates_square - rates * rates / G);
    a->J_error = 0;
    for (int64_t i = 0; i < n; i++)
        if (i / C != i % C) a->J_error += factor * fmax(0, square[i] - mean[i] * mean[i] / G) / (double)(n - C);
    if (!solve_moments(m, -1, a->J)) return false;
    a->rate = wrong_share(C, a->J);
    return true;
}

/* J shrunk to "a wrong label may be any", with `rate` wrong in all, no entry negative. */
static void shrink(const sustain__views *v, double rate, moment_answer *a, double *classes_share, double *given_share) {
    const int64_t C = v->classes;
    double apart = 0, wrong = 0;
    for (int64_t k = 0; k < C; k++) classes_share[k] = given_share[k] = 0;
    for (int64_t i = 0; i < v->count; i++) given_share[v->given[i]] += 1 / (double)v->count;
    for (int64_t l = 0; l < C; l++)
        for (int64_t k = 0; k < C; k++) classes_share[k] += a->J[l * C + k];
    for (int64_t k = 0; k < C; k++) classes_share[k] = rate / (double)(C - 1) * fmax(classes_share[k], 0);
    for (int64_t i = 0; i < C * C; i++)
        if (i / C != i % C) apart += pow(a->J[i] - classes_share[i % C], 2) / (double)(C * C - C);
    const double keep = apart > a->J_error ? 1 - a->J_error / apart : 0;
    for (int64_t i = 0; i < C * C; i++) {
        if (i / C == i % C) continue;
        a->J[i] = fmax(0, classes_share[i % C] + keep * (a->J[i] - classes_share[i % C]));
        wrong += a->J[i];
    }
    for (int64_t l = 0; l < C; l++) {
        double off = 0;
        for (int64_t k = 0; k < C; k++)
            if (k != l && wrong > 0) off += a->J[l * C + k] *= rate / wrong;
        a->J[l * C + l] = fmax(given_share[l] - off, 1e-3 * given_share[l]);
    }
}

sustain_status sustain__noise_estimate(sustain_context *context, const sustain__views *v, double *rate, double *error,
                                       sustain_real *noise) {
    const size_t C = (size_t)v->classes, square = sustain__multiply(C, C);
    double *memory;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(square * (7 + GROUPS) + C * (3 + GROUPS), sizeof *memory), &memory));
    double *at = memory;
    moments m = {.classes = v->classes, .A = at, .M = at + square, .normal = at + 2 * square, .sums = at + 3 * square};
    moment_answer answer = {.J = m.sums + GROUPS * square};
    double *mean = answer.J + square, *squares = mean + square, *other = squares + square;
    m.counts = other + square;
    m.b = m.counts + GROUPS * C;

    const sustain_status status = by_likelihood(context, v, other, m.b, rate, noise);
    const double likely = *rate;
    *error = LIKELIHOOD_BIAS * likely + LIKELIHOOD_LEAST;
    if (status == SUSTAIN_OK) collect(v, &m);
    if (status == SUSTAIN_OK && by_moments(&m, mean, squares, other, &answer)) {
        const double one = answer.rate_error + MOMENTS_SHIFT * MOMENTS_SHIFT, two = pow(LIKELIHOOD_BIAS * likely + LIKELIHOOD_LEAST, 2);
        *rate = fmin(fmax((answer.rate / one + likely / two) / (1 / one + 1 / two), 0), 1 - 1 / (double)C);
        *error = sqrt(1 / (1 / one + 1 / two));
        shrink(v, *rate, &answer, m.b, m.b + C);
        normalize(v->classes, LEAST_LIKELIHOOD, answer.J, noise);
        sustain__log(context, "clean: wrong labels: %.4f by moments (+- %.4f), %.4f by likelihood; taken: %.4f", answer.rate,
                     sqrt(answer.rate_error), likely, *rate);
    }
    sustain__free(context, memory);
    return status;
}
