/* noise.c - the noise of labels, from a classifier's view p of rows it was not trained on. Two
 * estimates, each wrong in its own way:
 *
 *   moments      J(l,k) = share of rows with given label l and true class k,   M(k,:) = mean of p over trusted rows of class k,
 *                A(l,:) = (1/n) sum of p over rows with label l:               A = J M, whatever the classifier confuses
 *   likelihood   N(l,k) = P(label l | class k) that maximizes sum_i log sum_k p_k N(l_i, k), by expectation maximization
 *
 * Moments ask nothing of the classifier, but have the sampling error of M (a jackknife over groups
 * of trusted rows tells how large) and suffer when trusted rows are easier or harder than the
 * others. The likelihood uses every row, but takes what the classifier confuses for noise: how much
 * it finds in the trusted rows, where there is none, is part of its error. The share of wrong
 * labels is their mean, each weighted by how far it may be off, with Birge's ratio on its error;
 * where the wrong labels go comes from the moments, shrunk to "anywhere" by as much as their errors
 * explain their differences (James and Stein). The moments of a class with few trusted rows say
 * little: its column is the mean of theirs and of the likelihood's under a prior worth PRIOR_ROWS
 * trusted rows, weighted by the error of the moments; and no wrong label is more frequent than the
 * right one. */
#include "jobs/noise.h"

#include <math.h>
#include <string.h>

#include "core/part_sums.h"
#include "core/vector.h"

enum { GROUPS = 10, ROUNDS = 20, PARTS = 8 };
#define FIRST_RATE 0.2
#define LIKELIHOOD_BIAS 0.1 /* of the share found by likelihood: what it was seen to be off on MNIST and Fashion-MNIST */
#define LIKELIHOOD_LEAST 0.005
#define CONFUSED_PRIOR 0.1 /* rows of each class: as good as none */
#define PRIOR_ROWS 3.0     /* of each class */
#define FEW_ROWS 10.0
#define COLUMN_ERROR 0.3      /* what a column by likelihood may be off, as the root of the sum of squares */
#define MOMENTS_SHIFT 0.015   /* of the share found by moments, if trusted rows are not quite like the others */
#define LEAST_LIKELIHOOD 1e-4 /* of any label for any class: nothing is impossible */

/* q_k = p_k noise[given][k] / sum: which class the row belongs to, with its label known. */
static void posterior(int64_t classes, const float *p, int32_t given, const sustain_real *noise, double *q) {
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

/* A round over the rows, in parts: sums (PARTS, classes, classes) of posteriors by label and class,
 * right (PARTS) of those of the given labels. */
typedef struct round_sums {
    const sustain__views *v;
    const sustain_real *noise;
    double *sums, *right, *total;
    double *q; /* (PARTS, classes) scratch */
} round_sums;

static void sum_part(void *user, int64_t number, int64_t slot) {
    const round_sums *r = user;
    const sustain__views *v = r->v;
    const int64_t classes = v->classes;
    double *sums = r->sums + slot * classes * classes, *q = r->q + slot * classes, right = 0;
    memset(sums, 0, (size_t)(classes * classes) * sizeof *sums);
    for (int64_t i = v->count * number / PARTS; i < v->count * (number + 1) / PARTS; i++) {
        double *row = sums + v->given[i] * classes;
        posterior(classes, v->training + i * classes, v->given[i], r->noise, q);
        for (int64_t k = 0; k < classes; k++) row[k] += q[k];
        right += q[v->given[i]];
    }
    r->right[slot] = right;
}

static sustain_status sum_round(sustain_context *context, round_sums *r, double *right) {
    const int64_t square = r->v->classes * r->v->classes;
    const double numbers = (double)r->v->count * (double)r->v->classes;
    const sustain__worth worth = {.threads = 1e5, .processes = r->v->shared_from > 0 ? r->v->shared_from : 1e6}; /* of a round */
    return sustain__parts_sum(&(sustain__parts){.context = context,
                                                .sum = sum_part,
                                                .user = r,
                                                .by = sustain__workers_for(numbers, worth, SUSTAIN__PROCESSES_UNTIL),
                                                .count = PARTS,
                                                .slots = PARTS,
                                                .numbers = square,
                                                .stride = square,
                                                .exact = r->sums,
                                                .value = r->right,
                                                .total = r->total},
                              right);
}

static sustain_status climb(sustain_context *context, round_sums *r, double prior, double *joint, double *rate, sustain_real *noise) {
    const int64_t classes = r->v->classes;
    const double same = prior * (1 - *rate), other = prior * *rate / (double)(classes - 1);
    uniform_noise(classes, *rate, noise);
    for (int round = 0; round < ROUNDS; round++) {
        double right;
        SUSTAIN_TRY(sustain__cancelled(context));
        SUSTAIN_TRY(sum_round(context, r, &right));
        for (int64_t i = 0; i < classes * classes; i++) joint[i] = r->total[i] + (i / classes == i % classes ? same : other);
        normalize(classes, LEAST_LIKELIHOOD, joint, noise);
        *rate = 1 - right / (double)r->v->count;
    }
    return SUSTAIN_OK;
}

/* rate <- the share of wrong labels, from its first value on. The prior: as many more rows of each
 * class, of whose labels the first share is wrong. joint (classes, classes) gets the rows by label
 * and class. */
static sustain_status by_likelihood(sustain_context *context, const sustain__views *v, double prior, double *joint, double *rate,
                                    sustain_real *noise) {
    const size_t classes = (size_t)v->classes, square = sustain__multiply(classes, classes);
    round_sums r = {.v = v, .noise = noise};
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((PARTS + 1) * square + PARTS * (classes + 1), sizeof *r.sums), &r.sums));
    r.total = r.sums + PARTS * square;
    r.q = r.total + square;
    r.right = r.q + PARTS * classes;
    const sustain_status status = climb(context, &r, prior, joint, rate, noise);
    sustain__free(context, r.sums);
    return status;
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
 * mean off the diagonal, and their sum in each column). */
typedef struct moment_answer {
    double *J, *column_error;
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
    for (int64_t k = 0; k < C; k++) a->column_error[k] = 0;
    for (int64_t i = 0; i < n; i++) {
        const double error = factor * fmax(0, square[i] - mean[i] * mean[i] / G);
        a->column_error[i % C] += error;
        if (i / C != i % C) a->J_error += error / (double)(n - C);
    }
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

/* Trusted rows of each class, and its share of the training rows by their joint distribution. */
static void count_classes(const sustain__views *v, const double *joint, double *rows, double *shares) {
    const int64_t C = v->classes;
    double total = 0;
    for (int64_t k = 0; k < C; k++) rows[k] = shares[k] = 0;
    for (int64_t i = 0; i < v->trusted_count; i++) rows[v->right[i]]++;
    for (int64_t i = 0; i < C * C; i++) shares[i % C] += joint[i], total += joint[i];
    for (int64_t k = 0; k < C; k++) shares[k] /= total;
}

/* The squared errors of columns of J become those of columns of the noise. A jackknife over few
 * rows of a class does not know its own error: that of a row is averaged over the classes, FEW_ROWS
 * of the mean for the rows of each. rows (classes) are trusted, shares (classes) are of the
 * classes. */
static void pool_errors(int64_t C, const double *rows, const double *shares, double *column_error) {
    double sum = 0, count = 0;
    for (int64_t k = 0; k < C; k++) {
        column_error[k] *= rows[k] / (shares[k] * shares[k]); /* of one row */
        sum += rows[k] * column_error[k], count += rows[k];
    }
    for (int64_t k = 0; k < C; k++)
        column_error[k] = (rows[k] * column_error[k] + FEW_ROWS * sum / count) / (rows[k] + FEW_ROWS) / fmax(rows[k], 0.5);
}

/* noise <- its columns mixed with those of the joint distribution by likelihood, (label, class);
 * then mixed with "anywhere" until no label of a class is more likely than the right one. */
static void mix_columns(int64_t C, double rate, const double *column_error, const double *joint, sustain_real *noise) {
    const double same = 1 - rate, other = rate / (double)(C - 1);
    for (int64_t k = 0; k < C; k++) {
        sustain_real *column = noise + k;
        double sum = 0, keep = 1;
        for (int64_t l = 0; l < C; l++) sum += joint[l * C + k];
        const double allowed = COLUMN_ERROR * COLUMN_ERROR, moments_share = allowed / (allowed + column_error[k]);
        for (int64_t l = 0; l < C; l++)
            column[l * C] = (sustain_real)(moments_share * (double)column[l * C] + (1 - moments_share) * joint[l * C + k] / sum);
        for (int64_t l = 0; l < C; l++) {
            const double above = (double)(column[l * C] - column[k * C]), below = fmax(same - other, 0);
            if (above > 0) keep = fmin(keep, below / (below + above));
        }
        for (int64_t l = 0; l < C; l++) column[l * C] = (sustain_real)(keep * (double)column[l * C] + (1 - keep) * (l == k ? same : other));
    }
}

/* *rate is the share of wrong labels by likelihood; `confused` the share that it finds where all
 * labels are right. */
static sustain_status combine(sustain_context *context, const sustain__views *v, moment_answer *a, double confused, double *joint,
                              double *scratch, double *rate, double *error, sustain_real *noise) {
    const double C = (double)v->classes, likely = *rate, n = (double)v->count;
    const double one = a->rate_error + MOMENTS_SHIFT * MOMENTS_SHIFT, two = *error * *error;
    *rate = fmin(fmax((a->rate / one + likely / two) / (1 / one + 1 / two), 0), 1 - 1 / C);
    const double apart = fmax(1, fabs(a->rate - likely) / sqrt(one + two)); /* Birge's ratio */
    *error = hypot(apart * sqrt(1 / (1 / one + 1 / two)), confused * one / (one + two));
    double by_prior = *rate;
    SUSTAIN_TRY(by_likelihood(context, v, PRIOR_ROWS * n / (double)v->trusted_count, joint, &by_prior, noise));
    shrink(v, *rate, a, scratch, scratch + v->classes);
    normalize(v->classes, LEAST_LIKELIHOOD, a->J, noise);
    count_classes(v, joint, scratch, scratch + v->classes);
    pool_errors(v->classes, scratch, scratch + v->classes, a->column_error);
    mix_columns(v->classes, *rate, a->column_error, joint, noise);
    sustain__log(context, "clean: wrong labels: %.4f by moments (+- %.4f), %.4f by likelihood; taken: %.4f", a->rate, sqrt(a->rate_error),
                 likely, *rate);
    return SUSTAIN_OK;
}

sustain_status sustain__noise_estimate(sustain_context *context, const sustain__views *v, double *rate, double *error,
                                       sustain_real *noise) {
    const size_t C = (size_t)v->classes, square = sustain__multiply(C, C);
    double *memory;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(square * (7 + GROUPS) + C * (4 + GROUPS), sizeof *memory), &memory));
    double *at = memory;
    moments m = {.classes = v->classes, .A = at, .M = at + square, .normal = at + 2 * square, .sums = at + 3 * square};
    moment_answer answer = {.J = m.sums + GROUPS * square};
    double *mean = answer.J + square, *squares = mean + square, *other = squares + square;
    m.counts = other + square;
    m.b = m.counts + GROUPS * C;
    answer.column_error = m.b + 3 * C;

    const sustain__views trusted = {.classes = v->classes, .count = v->trusted_count, .training = v->trusted, .given = v->right};
    double confused = FIRST_RATE;
    *rate = FIRST_RATE;
    sustain_status status = by_likelihood(context, &trusted, CONFUSED_PRIOR, other, &confused, noise);
    if (status == SUSTAIN_OK) status = by_likelihood(context, v, 1, other, rate, noise);
    *error = LIKELIHOOD_BIAS * *rate + LIKELIHOOD_LEAST;
    if (status == SUSTAIN_OK) collect(v, &m);
    if (status == SUSTAIN_OK && by_moments(&m, mean, squares, other, &answer))
        status = combine(context, v, &answer, confused, other, m.b, rate, error, noise);
    else
        *error = hypot(*error, confused);
    sustain__free(context, memory);
    return status;
}
