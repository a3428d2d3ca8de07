/* dawid_skene.c - see annotators.h. Dawid and Skene, Applied Statistics 28 (1979), by expectation
 * maximization:
 *
 *   T_i(k)    ~ p_k prod over labels l of row i by annotator a of pi_a(k,l)        posterior of the class of row i
 *   p_k       = mean over rows of T_i(k)
 *   pi_a(k,l) = sum of T_i(k) over rows that a gave the label l, divided by the sum over l
 *
 * Differs: each pi_a has one label more in each class, distributed as the labels of all annotators,
 * so that an annotator with few labels has no zeros. */
#include <math.h>
#include <string.h>

#include <sustain/annotators.h>

#include "core/context_internal.h"
#include "core/sized.h"
#include "jobs/label_count.h"

static const sustain_annotators_options default_options = {.rounds = 100, .tolerance = 1e-6};

void sustain_annotators_defaults_for(size_t size, sustain_annotators_options *options) {
    sustain__sized_fill(options, size, &default_options, sizeof default_options);
}

typedef struct estimation {
    sustain_context *context;
    int64_t rows, annotators, classes, count;
    const sustain_annotation *a;
    double *T;                /* (rows, classes) */
    double *pi, *together;    /* (annotators, classes, classes), (classes, classes) of all; logarithms after maximize() */
    double *prior, *scratch;  /* (classes) */
    int64_t *votes;           /* (rows) */
    int64_t *start, *ordered; /* (rows + 1), (count) the annotations of each row */
} estimation;

/* ---- the iteration ---- */

/* Rows of a (classes, classes) matrix to logarithms of shares. */
static void to_logarithms(int64_t C, double *matrix) {
    for (int64_t k = 0; k < C; k++) {
        double sum = 0;
        for (int64_t l = 0; l < C; l++) sum += matrix[k * C + l];
        for (int64_t l = 0; l < C; l++) matrix[k * C + l] = log(matrix[k * C + l] / sum);
    }
}

/* The labels of all annotators, by class. */
static sustain_status sum_together(estimation *e) {
    const int64_t C = e->classes;
    for (int64_t i = 0; i < C * C; i++) e->together[i] = 1e-3;
    for (int64_t j = 0; j < e->count; j++) {
        if (j % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(e->context));
        for (int64_t k = 0; k < C; k++) e->together[k * C + e->a[j].label] += e->T[e->a[j].row * C + k];
    }
    to_logarithms(C, e->together);
    return SUSTAIN_OK;
}

static sustain_status maximize(estimation *e) {
    const int64_t C = e->classes;
    SUSTAIN_TRY(sum_together(e));
    for (int64_t a = 0; a < e->annotators; a++) {
        SUSTAIN_TRY(sustain__cancelled(e->context));
        for (int64_t i = 0; i < C * C; i++) e->pi[a * C * C + i] = exp(e->together[i]);
    }
    for (int64_t j = 0; j < e->count; j++) {
        if (j % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(e->context));
        double *pi = e->pi + e->a[j].annotator * C * C + e->a[j].label;
        for (int64_t k = 0; k < C; k++) pi[k * C] += e->T[e->a[j].row * C + k];
    }
    for (int64_t a = 0; a < e->annotators; a++) {
        SUSTAIN_TRY(sustain__cancelled(e->context));
        to_logarithms(C, e->pi + a * C * C);
    }
    double sum = 0;
    for (int64_t k = 0; k < C; k++) e->prior[k] = 1 / (double)C; /* one row more */
    for (int64_t i = 0; i < e->rows; i++)
        for (int64_t k = 0; k < C && e->votes[i] > 0; k++) e->prior[k] += e->T[i * C + k];
    for (int64_t k = 0; k < C; k++) sum += e->prior[k];
    for (int64_t k = 0; k < C; k++) e->prior[k] = log(e->prior[k] / sum);
    return SUSTAIN_OK;
}

/* The posterior of row i, in e->scratch. */
static void expect_row(const estimation *e, int64_t i) {
    const int64_t C = e->classes;
    double *T = e->scratch, most = -INFINITY, sum = 0;
    memcpy(T, e->prior, (size_t)C * sizeof *T);
    for (int64_t j = e->start[i]; j < e->start[i + 1]; j++) {
        const sustain_annotation *a = &e->a[e->ordered[j]];
        for (int64_t k = 0; k < C; k++) T[k] += e->pi[(a->annotator * C + k) * C + a->label];
    }
    for (int64_t k = 0; k < C; k++) most = fmax(most, T[k]);
    for (int64_t k = 0; k < C; k++) sum += T[k] = exp(T[k] - most);
    for (int64_t k = 0; k < C; k++) T[k] /= sum;
}

static sustain_status expect(estimation *e, double *change) {
    const int64_t C = e->classes;
    *change = 0;
    for (int64_t i = 0; i < e->rows; i++) {
        if (i % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(e->context));
        expect_row(e, i);
        for (int64_t k = 0; k < C; k++) *change = fmax(*change, fabs(e->scratch[k] - e->T[i * C + k]));
        memcpy(e->T + i * C, e->scratch, (size_t)C * sizeof *e->T);
    }
    return SUSTAIN_OK;
}

/* ---- begin and end ---- */

/* The shares of the votes, and the annotations of each row. */
static void begin(estimation *e) {
    const int64_t C = e->classes;
    for (int64_t j = 0; j < e->count; j++) e->T[e->a[j].row * C + e->a[j].label]++, e->votes[e->a[j].row]++;
    for (int64_t i = 0; i < e->rows; i++) {
        e->start[i + 1] = e->start[i] + e->votes[i];
        for (int64_t k = 0; k < C; k++) e->T[i * C + k] = e->votes[i] > 0 ? e->T[i * C + k] / (double)e->votes[i] : 1 / (double)C;
    }
    for (int64_t j = 0; j < e->count; j++) e->ordered[e->start[e->a[j].row]++] = j;
    memmove(e->start + 1, e->start, (size_t)e->rows * sizeof *e->start); /* each start has moved to the end of its row */
    e->start[0] = 0;
}

/* A label is right with the posterior of its class. The variance of the share is that of so many
 * labels and that of the posteriors: the interval is the exact one of as many labels as would have
 * this variance. */
static sustain_status report(const estimation *e, sustain_annotator *annotator) {
    double *variance;
    SUSTAIN_TRY(sustain__allocate(e->context, sustain__multiply((size_t)e->annotators, sizeof *variance), &variance));
    for (int64_t a = 0; a < e->annotators; a++) annotator[a] = (sustain_annotator){.accuracy = 0};
    for (int64_t j = 0; j < e->count; j++) {
        const double right = e->T[e->a[j].row * e->classes + e->a[j].label];
        annotator[e->a[j].annotator].labels++;
        annotator[e->a[j].annotator].accuracy += right;
        variance[e->a[j].annotator] += right * (1 - right);
    }
    for (int64_t a = 0; a < e->annotators; a++) {
        sustain_annotator *at = &annotator[a];
        sustain__rate_interval(at->accuracy, variance[a], (double)at->labels, &at->accuracy, &at->low, &at->high);
    }
    sustain__free(e->context, variance);
    return SUSTAIN_OK;
}

/* Whether all labels of row i, two at least, are the same. */
static bool is_unanimous(const estimation *e, int64_t i) {
    const int64_t *first = e->ordered + e->start[i];
    for (int64_t j = 1; j < e->votes[i]; j++)
        if (e->a[first[j]].label != e->a[first[0]].label) return false;
    return e->votes[i] > 1;
}

/* With few labels the iteration may end where classes have changed places: rows on which all agree
 * get another class. */
static void say_contradictions(const estimation *e) {
    int64_t unanimous = 0, contradicted = 0;
    for (int64_t i = 0; i < e->rows; i++) {
        if (!is_unanimous(e, i)) continue;
        const double *T = e->T + i * e->classes, agreed = T[e->a[e->ordered[e->start[i]]].label];
        bool other = false;
        for (int64_t k = 0; k < e->classes; k++) other = other || T[k] > agreed;
        unanimous++, contradicted += other;
    }
    if (contradicted > 0)
        sustain__log(e->context,
                     "annotators: of %lld rows whose labels are all the same, %lld get another class: there are too few labels to tell "
                     "who is right; use the majority",
                     (long long)unanimous, (long long)contradicted);
}

static sustain_status check(sustain_context *context, const sustain_annotators_options *o, const sustain_annotation *a, int64_t count) {
    if (o->rows < 1 || o->annotators < 1 || o->classes < 2 || count < 1 || o->rounds < 1 || !(o->tolerance >= 0))
        return sustain__fail(context, SUSTAIN_ARGUMENT,
                             "rows, annotators, labels and rounds must be at least 1, classes at least 2, and the tolerance not negative");
    if (o->annotators > INT32_MAX || o->classes > INT32_MAX)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "there are more annotators or classes than %ld", (long)INT32_MAX);
    for (int64_t j = 0; j < count; j++) {
        if (a[j].row < 0 || a[j].row >= o->rows)
            return sustain__fail(context, SUSTAIN_ARGUMENT, "annotation %lld is of row %lld, not one of 0 to %lld", (long long)j,
                                 (long long)a[j].row, (long long)(o->rows - 1));
        if (a[j].annotator < 0 || a[j].annotator >= o->annotators)
            return sustain__fail(context, SUSTAIN_ARGUMENT, "annotation %lld is by annotator %ld, not one of 0 to %lld", (long long)j,
                                 (long)a[j].annotator, (long long)(o->annotators - 1));
        if (a[j].label < 0 || a[j].label >= o->classes)
            return sustain__fail(context, SUSTAIN_ARGUMENT, "annotation %lld has the label %ld, not one of 0 to %lld", (long long)j,
                                 (long)a[j].label, (long long)(o->classes - 1));
    }
    return SUSTAIN_OK;
}

static sustain_status iterate(estimation *e, const sustain_annotators_options *o, float *posterior, sustain_annotator *annotator) {
    double change = INFINITY;
    begin(e);
    for (int64_t round = 0; round < o->rounds && change > o->tolerance; round++) {
        SUSTAIN_TRY(maximize(e));
        SUSTAIN_TRY(expect(e, &change));
    }
    say_contradictions(e);
    if (annotator != NULL) SUSTAIN_TRY(report(e, annotator));
    for (int64_t i = 0; i < e->rows * e->classes; i++) posterior[i] = (float)e->T[i];
    return SUSTAIN_OK;
}

sustain_status sustain_annotators_estimate(sustain_context *context, const sustain_annotators_options *options,
                                           const sustain_annotation *annotations, int64_t count, float *posterior,
                                           sustain_annotator *annotator) {
    if (context == NULL) return SUSTAIN_ARGUMENT;
    sustain_annotators_options o = default_options;
    SUSTAIN_TRY(
        sustain__sized_take(context, "the options", options, SUSTAIN__SIZE_THROUGH(sustain_annotators_options, tolerance), &o, sizeof o));
    SUSTAIN_TRY(sustain__need(context, annotations, "annotations"));
    SUSTAIN_TRY(sustain__need(context, posterior, "posterior"));
    SUSTAIN_TRY(check(context, &o, annotations, count));
    estimation e = {.context = context, .rows = o.rows, .annotators = o.annotators, .classes = o.classes, .count = count, .a = annotations};
    const size_t n = (size_t)o.rows, C = (size_t)o.classes, square = C * C;
    const size_t doubles = sustain__multiply(n, C) + sustain__multiply(square, (size_t)o.annotators + 1) + 2 * C;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(doubles, sizeof *e.T) + (2 * n + 1 + (size_t)count) * sizeof *e.votes, &e.T));
    e.pi = e.T + n * C;
    e.together = e.pi + square * (size_t)o.annotators;
    e.prior = e.together + square;
    e.scratch = e.prior + C;
    e.votes = (int64_t *)(void *)(e.scratch + C);
    e.start = e.votes + n;
    e.ordered = e.start + n + 1;
    const sustain_status status = iterate(&e, &o, posterior, annotator);
    sustain__free(context, e.T);
    return status;
}
