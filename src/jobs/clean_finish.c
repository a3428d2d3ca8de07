/* clean_finish.c - from weights to verdicts.
 *
 *   1. Trusted rows alone, out of fold -> a first view of all rows -> a first estimate of how labels go wrong (noise.c)
 *   2. a classifier on all training rows, whose labels pass through that noise, from the solver's y on; from there for each fold one on the
 *      other folds' rows and trusted rows -> p_i, a view of row i by a classifier that was trained without its label
 *   3. p -> the noise, again
 *   4. quality_i = p_i[b_i] N(b_i, b_i) / sum_k p_i[k] N(b_i, k): the probability that row i belongs to the class b_i of its label
 *   5. as many issues as labels are estimated to be wrong: those of lowest quality; suggested: the likeliest other class
 *   6. a last classifier on all rows, each counted by the classes that it may belong to, and all trusted rows; it begins at the folds' mean. */
#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "core/vector.h"
#include "problems/rows_internal.h"
#include "jobs/clean_job.h"
#include "jobs/noise.h"
#include "jobs/rank.h"

enum { TRUSTED_ITERATIONS = 12, COMMON_ITERATIONS = 20, FOLD_ITERATIONS = 8, MOST_FOLD_ITERATIONS = 60, LAST_ITERATIONS = 5 };
#define FEW_ROWS 1e5 /* one more iteration a fold for each time that the training rows go into so many */

typedef struct finishing {
    sustain_clean *c;
    sustain_real *y;       /* a classifier */
    sustain_real *folds_y; /* (folds, size) that of each fold */
    float *views;          /* (training count, classes) of one classifier */
    float *confidence;     /* (training count) */
    double *q;             /* (classes) */
    double noise;
    sustain_clean_result *result;
} finishing;

/* ---- classifiers; training labels pass through the noise as it is estimated ---- */

static sustain_softmax_options options_for(const sustain_clean *c, double rows, int64_t iterations) {
    sustain_softmax_options o = sustain__clean_fit_options(c, rows);
    o.iterations = iterations;
    return o;
}

/* On all training rows, and with `trusted` on the trusted ones too, from f->y on. */
static sustain_status fit_all(finishing *f, bool trusted, int64_t iterations) {
    const sustain_clean *c = f->c;
    const sustain__some_rows parts[] = {{.rows = &c->training, .count = c->training.count, .noise = c->noise},
                                        {.rows = &c->trusted, .count = c->trusted.count}};
    const sustain_softmax_options o = options_for(c, (double)c->training.count + (trusted ? (double)c->trusted.count : 0), iterations);
    return sustain__softmax_fit(c->context, &o, parts, trusted ? 2 : 1, f->y);
}

/* For each fold on the trusted rows of the other folds, and with `training` on their training rows too, from f->y on. */
static sustain_status fit_folds(finishing *f, bool training, int64_t iterations) {
    const sustain_clean *c = f->c;
    const int64_t folds = c->options.folds, size = sustain__clean_size(c);
    sustain__some_rows parts[2 * SUSTAIN__MOST_FOLDS];
    double rows = (double)c->trusted.count;
    for (int64_t k = 0; k < folds; k++) sustain__copy(size, f->y, f->folds_y + k * size);
    sustain__clean_parts(&c->trusted, &c->trusted_folds, folds, parts);
    if (training) {
        sustain__clean_parts(&c->training, &c->training_folds, folds, parts + folds);
        for (int64_t k = 0; k < folds; k++) parts[folds + k].noise = c->noise;
        rows += (double)c->training.count;
    }
    const sustain_softmax_options o = options_for(c, rows * (double)(folds - 1) / (double)folds, iterations);
    return sustain__softmax_fit_folds(c->context, &o, parts, (int)(training ? 2 * folds : folds), folds, f->folds_y);
}

/* What the classifier of each fold says of the rows of its own fold. */
static sustain_status look_at_folds(finishing *f, const sustain_rows *rows, const sustain__folds *dealt, float *views) {
    const sustain_clean *c = f->c;
    const int64_t folds = c->options.folds;
    const sustain_softmax_options o = sustain__clean_fit_options(c, 1);
    sustain__some_rows parts[SUSTAIN__MOST_FOLDS];
    sustain__clean_parts(rows, dealt, folds, parts);
    for (int64_t k = 0; k < folds; k++)
        SUSTAIN_TRY(sustain__softmax_predict(c->context, &o, &parts[k], f->folds_y + k * sustain__clean_size(c), views));
    return SUSTAIN_OK;
}

static sustain_status estimate_noise(finishing *f) {
    const sustain_clean *c = f->c;
    const sustain__views v = {.classes = c->options.classes,
                              .count = c->training.count,
                              .training = c->views,
                              .given = c->given,
                              .trusted_count = c->trusted.count,
                              .trusted = c->trusted_views,
                              .right = c->right};
    return sustain__noise_estimate(c->context, &v, &f->noise, c->noise);
}

/* Step 1: the mean view of the classifiers on trusted rows, none of which saw a training row. */
static sustain_status first_view(finishing *f) {
    sustain_clean *c = f->c;
    const int64_t n = c->training.count * c->options.classes, folds = c->options.folds;
    const sustain__some_rows all = {.rows = &c->training, .count = c->training.count};
    const sustain_softmax_options o = sustain__clean_fit_options(c, 1);
    sustain__zero(sustain__clean_size(c), f->y);
    SUSTAIN_TRY(fit_folds(f, false, TRUSTED_ITERATIONS));
    SUSTAIN_TRY(look_at_folds(f, &c->trusted, &c->trusted_folds, c->trusted_views));
    memset(c->views, 0, (size_t)n * sizeof *c->views);
    for (int64_t k = 0; k < folds; k++) {
        SUSTAIN_TRY(sustain__softmax_predict(c->context, &o, &all, f->folds_y + k * sustain__clean_size(c), f->views));
        for (int64_t i = 0; i < n; i++) c->views[i] += f->views[i] / (float)folds;
    }
    return estimate_noise(f);
}

/* Few rows leave more of a label in the classifier at which its fold begins, and cost less. */
static int64_t fold_iterations(const sustain_clean *c) {
    const double more = FEW_ROWS / (double)c->training.count;
    return FOLD_ITERATIONS + (int64_t)fmin(more, MOST_FOLD_ITERATIONS);
}

/* Steps 2 and 3. The trusted rows have no part in where the folds begin, so that those of a fold are new to its classifier. */
static sustain_status fold_views(finishing *f, const sustain_real *y) {
    sustain_clean *c = f->c;
    sustain__copy(sustain__clean_size(c), y, f->y);
    SUSTAIN_TRY(fit_all(f, false, COMMON_ITERATIONS));
    SUSTAIN_TRY(fit_folds(f, true, fold_iterations(c)));
    SUSTAIN_TRY(look_at_folds(f, &c->training, &c->training_folds, c->views));
    SUSTAIN_TRY(look_at_folds(f, &c->trusted, &c->trusted_folds, c->trusted_views));
    return estimate_noise(f);
}

/* Step 6. */
static sustain_status last_classifier(finishing *f) {
    const int64_t size = sustain__clean_size(f->c), folds = f->c->options.folds;
    sustain__zero(size, f->y);
    for (int64_t k = 0; k < folds; k++) sustain__add(size, 1 / (double)folds, f->folds_y + k * size, f->y);
    SUSTAIN_TRY(fit_all(f, true, LAST_ITERATIONS));
    sustain__copy(size, f->y, f->c->y);
    return SUSTAIN_OK;
}

/* Steps 4 and 5. */
static sustain_status judge(finishing *f) {
    sustain_clean *c = f->c;
    const int64_t n = c->training.count, classes = c->options.classes;
    for (int64_t i = 0; i < n; i++) {
        sustain__posterior(classes, c->views + i * classes, c->given[i], c->noise, f->q);
        c->quality[i] = (float)f->q[c->given[i]];
        c->suggested[i] = c->given[i];
        c->is_issue[i] = 0;
    }
    SUSTAIN_TRY(sustain__rank(c->context, n, c->quality, c->order));
    memset(c->confused, 0, (size_t)(classes * classes) * sizeof *c->confused);
    f->result->issues = llround(f->noise * (double)n);
    for (int64_t j = 0; j < f->result->issues; j++) {
        const int64_t i = c->order[j];
        sustain__posterior(classes, c->views + i * classes, c->given[i], c->noise, f->q);
        int64_t best = c->given[i] == 0;
        for (int64_t k = 0; k < classes; k++)
            if (k != c->given[i] && f->q[k] > f->q[best]) best = k;
        c->is_issue[i] = 1;
        c->suggested[i] = (int32_t)best;
        c->confused[c->given[i] * classes + best]++;
    }
    return SUSTAIN_OK;
}

/* Looks at the truth, for scores alone. */
static sustain_status compare_with_truth(finishing *f, const sustain_real *y) {
    const sustain_clean *c = f->c;
    sustain_clean_result *r = f->result;
    sustain_clean_score score;
    SUSTAIN_TRY(sustain__clean_score(c, c->quality, c->y, &r->score));
    SUSTAIN_TRY(sustain__clean_score(c, c->weight, y, &r->weight_score));
    sustain__clean_confidence(c, c->views, f->confidence);
    SUSTAIN_TRY(sustain__clean_score(c, f->confidence, NULL, &score));
    r->classifier_auc = score.auc;
    r->errors = -1;
    r->issue_precision = r->issue_recall = (double)NAN;
    if (c->options.truth == NULL) return SUSTAIN_OK;
    int64_t found = 0;
    r->errors = 0;
    for (int64_t i = 0; i < r->count; i++) {
        const bool wrong = c->given[i] != c->options.truth[i];
        r->errors += wrong;
        found += wrong && c->is_issue[i];
    }
    if (r->issues > 0) r->issue_precision = (double)found / (double)r->issues;
    if (r->errors > 0) r->issue_recall = (double)found / (double)r->errors;
    return SUSTAIN_OK;
}

static void publish(const finishing *f) {
    const sustain_clean *c = f->c;
    sustain_clean_result *r = f->result;
    r->count = c->training.count;
    r->weight = c->weight, r->quality = c->quality, r->suggested = c->suggested, r->is_issue = c->is_issue;
    r->order = c->order, r->confused = c->confused, r->y = c->y;
    r->noise = f->noise;
    r->model = sustain__clean_fit_options(c, (double)(c->training.count + c->trusted.count));
}

static sustain_status finish(finishing *f, const sustain_real *x, const sustain_real *y) {
    sustain_clean *c = f->c;
    const double begin = sustain__clock();
    for (int64_t i = 0; i < c->training.count; i++) c->weight[i] = (float)(1 / (1 + exp(-(double)x[i])));
    SUSTAIN_TRY(first_view(f));
    SUSTAIN_TRY(fold_views(f, y));
    SUSTAIN_TRY(judge(f));
    SUSTAIN_TRY(last_classifier(f));
    publish(f);
    const double end = sustain__clock();
    SUSTAIN_TRY(compare_with_truth(f, y));
    f->result->trusted_accuracy = f->result->score.trusted_accuracy = sustain__clean_trusted_accuracy(c);
    f->result->score.seconds = end - begin;
    for (int i = 0; i < SUSTAIN_CLEAN_BASELINE_COUNT; i++) SUSTAIN_TRY(sustain__clean_score(c, NULL, NULL, &f->result->baselines[i]));
    return c->options.baselines ? sustain__clean_baselines(c, f->result->issues, f->result->baselines) : SUSTAIN_OK;
}

static sustain_status check_point(const sustain_clean *c, const sustain_real *x, const sustain_real *y) {
    int64_t where;
    if (!sustain__all_finite(c->training.count, x, &where))
        return sustain__fail(c->context, SUSTAIN_ARGUMENT, "coordinate %lld of x is not finite", (long long)where);
    if (!sustain__all_finite(sustain__clean_size(c), y, &where))
        return sustain__fail(c->context, SUSTAIN_ARGUMENT, "coordinate %lld of y is not finite", (long long)where);
    return SUSTAIN_OK;
}

sustain_status sustain_clean_finish(sustain_clean *c, const sustain_real *x, const sustain_real *y, sustain_clean_result *result) {
    if (c == NULL) return SUSTAIN_ARGUMENT;
    if (x == NULL || y == NULL || result == NULL)
        return sustain__fail(c->context, SUSTAIN_ARGUMENT, "x, y or the place for the result is NULL");
    SUSTAIN_TRY(check_point(c, x, y));
    *result = (sustain_clean_result){0};
    const size_t n = (size_t)c->training.count, classes = (size_t)c->options.classes, size = (size_t)sustain__clean_size(c);
    const size_t models = (size_t)c->options.folds + 1;
    const size_t bytes = classes * sizeof(double) + sustain__multiply(models * sizeof(sustain_real), size) +
                         sustain__multiply(n, (classes + 1) * sizeof(float));
    finishing f = {.c = c, .result = result};
    SUSTAIN_TRY(sustain__allocate(c->context, bytes, &f.q));
    f.y = (sustain_real *)(void *)(f.q + classes);
    f.folds_y = f.y + size;
    f.views = (float *)(void *)(f.y + models * size);
    f.confidence = f.views + n * classes;
    const sustain_status status = finish(&f, x, y);
    sustain__free(c->context, f.q);
    return status;
}
