/* clean_dawid_skene.c - several labels for a row, by annotators of unknown quality. Dawid and Skene, Applied Statistics 28 (1979), by expectation maximization:
 *
 *   T_i(k)   ~ p_k prod over labels l of row i by annotator a of pi_a(k,l)        posterior of the class of row i
 *   p_k      = mean over rows of T_i(k)
 *   pi_a(k,l) = sum of T_i(k) over rows that a gave the label l, by the sum over l;   one label more for each class, shared as all annotators' labels are
 *
 * It begins with the shares of the votes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verb_clean.h"

enum { ROUNDS = 100 };
#define SETTLED 1e-6

typedef struct skene {
    int64_t rows, annotators, classes, count;
    const annotation *a;
    double *T, *before;    /* (rows, classes) */
    double *pi, *together; /* (annotators, classes, classes), (classes, classes) of all */
    double *prior, *votes; /* (classes), (rows) */
} skene;

static void begin(skene *s) {
    const int64_t C = s->classes;
    for (int64_t j = 0; j < s->count; j++) s->T[s->a[j].row * C + s->a[j].label]++, s->votes[s->a[j].row]++;
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t k = 0; k < C; k++) s->T[i * C + k] = s->votes[i] > 0 ? s->T[i * C + k] / s->votes[i] : 1 / (double)C;
}

/* Rows of a (classes, classes) matrix to logarithms of shares. */
static void to_logarithms(int64_t C, double *matrix) {
    for (int64_t k = 0; k < C; k++) {
        double sum = 0;
        for (int64_t l = 0; l < C; l++) sum += matrix[k * C + l];
        for (int64_t l = 0; l < C; l++) matrix[k * C + l] = log(matrix[k * C + l] / sum);
    }
}

static void maximize(skene *s) {
    const int64_t C = s->classes;
    for (int64_t i = 0; i < C * C; i++) s->together[i] = 1e-3;
    for (int64_t k = 0; k < C; k++) s->prior[k] = 1 / (double)C; /* one row more */
    for (int64_t j = 0; j < s->count; j++)
        for (int64_t k = 0; k < C; k++) s->together[k * C + s->a[j].label] += s->T[s->a[j].row * C + k];
    to_logarithms(C, s->together);
    for (int64_t a = 0; a < s->annotators; a++)
        for (int64_t i = 0; i < C * C; i++) s->pi[a * C * C + i] = exp(s->together[i]);
    for (int64_t j = 0; j < s->count; j++)
        for (int64_t k = 0; k < C; k++) s->pi[(s->a[j].annotator * C + k) * C + s->a[j].label] += s->T[s->a[j].row * C + k];
    for (int64_t a = 0; a < s->annotators; a++) to_logarithms(C, s->pi + a * C * C);
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t k = 0; k < C && s->votes[i] > 0; k++) s->prior[k] += s->T[i * C + k];
}

/* Returns the largest change. */
static double expect(skene *s) {
    const int64_t C = s->classes;
    double change = 0, sum = 0;
    memcpy(s->before, s->T, (size_t)(s->rows * C) * sizeof *s->T);
    for (int64_t k = 0; k < C; k++) sum += s->prior[k];
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t k = 0; k < C; k++) s->T[i * C + k] = log(s->prior[k] / sum);
    for (int64_t j = 0; j < s->count; j++)
        for (int64_t k = 0; k < C; k++) s->T[s->a[j].row * C + k] += s->pi[(s->a[j].annotator * C + k) * C + s->a[j].label];
    for (int64_t i = 0; i < s->rows; i++) {
        double *T = s->T + i * C, most = T[0], total = 0;
        for (int64_t k = 1; k < C; k++) most = fmax(most, T[k]);
        for (int64_t k = 0; k < C; k++) total += T[k] = exp(T[k] - most);
        for (int64_t k = 0; k < C; k++) {
            T[k] /= total;
            change = fmax(change, fabs(T[k] - s->before[i * C + k]));
        }
    }
    return change;
}

static void report(const skene *s, float *posterior, double *accuracy) {
    const int64_t C = s->classes;
    for (int64_t i = 0; i < s->rows * C; i++) posterior[i] = (float)s->T[i];
    for (int64_t a = 0; a < s->annotators; a++) accuracy[a] = s->before[a] = 0;
    for (int64_t j = 0; j < s->count; j++)
        accuracy[s->a[j].annotator] += s->T[s->a[j].row * C + s->a[j].label], s->before[s->a[j].annotator]++;
    for (int64_t a = 0; a < s->annotators; a++) accuracy[a] = s->before[a] > 0 ? accuracy[a] / s->before[a] : (double)NAN;
}

int dawid_skene(int64_t rows, int64_t annotators, int64_t classes, int64_t count, const annotation *annotations, float *posterior,
                double *accuracy) {
    skene s = {.rows = rows, .annotators = annotators, .classes = classes, .count = count, .a = annotations};
    const size_t n = (size_t)rows, C = (size_t)classes, square = C * C, wide = n * C,
                 kept = wide > (size_t)annotators ? wide : (size_t)annotators;
    s.T = calloc(wide + kept + square * ((size_t)annotators + 1) + C + n, sizeof *s.T);
    if (s.T == NULL) return out_of_memory();
    s.before = s.T + wide;
    s.pi = s.before + kept;
    s.together = s.pi + square * (size_t)annotators;
    s.prior = s.together + square;
    s.votes = s.prior + C;
    begin(&s);
    for (int round = 0; round < ROUNDS; round++) {
        maximize(&s);
        if (expect(&s) < SETTLED) break;
    }
    report(&s, posterior, accuracy);
    free(s.T);
    return EXIT_DONE;
}
