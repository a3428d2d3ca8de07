/* clean_finish.c - from weights to the result. Each source says of every row what class it is, by
 * models that were not trained on its label:
 *
 *   1. plain: all labels as given, out of fold
 *   2. trusted: a classifier on the trusted rows alone (verified rows among them), out of fold for these
 *   3. from these a first estimate of how labels go wrong; with verified rows also how many are wrong
 *   4. channel: a classifier on all training rows, whose labels pass through that noise, from the solver's y on; from there for each fold one on the
 *      other folds' rows and trusted rows
 *   5. the verdict: clean_verdict.c
 *   6. corrected: a classifier on the labels that the verdict suggests
 *   7. a last classifier: 1, 2, 4 and 6 blended. A blend of softmax regressions is a softmax regression, whose weights are the sum of theirs by their
 *      shares; these are fitted on the trusted rows, out of fold */
#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "core/vector.h"
#include "problems/rows_internal.h"
#include "jobs/clean_job.h"
#include "jobs/noise.h"
#include "jobs/rank.h"

enum {
    PLAIN_ITERATIONS = 12,
    TRUSTED_ITERATIONS = 12,
    COMMON_ITERATIONS = 20,
    FOLD_ITERATIONS = 8,
    MOST_FOLD_ITERATIONS = 60,
    SPARSE_FOLD_ITERATIONS = 4,
    LAST_ITERATIONS = 5,
    REFIT_ITERATIONS = 25,
    WARM_FOLD_ITERATIONS = 3,  /* from the classifiers of an earlier run on */
    WARM_PLAIN_ITERATIONS = 6, /* without trusted rows: no other source makes up for it */
    WARM_ITERATIONS = 4,
    WARM_LAST_ITERATIONS = 2
};
#define SHARE_OF_LAST 1.0    /* of the last classifier in the ranking */
#define SHARE_OF_DROPPED 3.0 /* of one without the labels that trusted rows speak against, times the share of trusted rows */
#define SHARE_OF_GIVEN 2.0   /* of one on all labels as given, where nothing tells against it */
#define MOST_FOR_GIVEN 3.0   /* standard errors */
#define FEW_GIVEN 1000.0     /* of so many rows, with nothing checked, a first round of classifiers says as much as a second */
#define LEAST_SHARE 0.1      /* less is not worth a fit */
#define FEW_TRUSTED 400.0    /* so many tell little about the noise of labels */
#define FEW_ROWS 1e5         /* one more iteration a fold for each time that the training rows go into so many */

typedef struct finishing {
    sustain_clean *c;
    sustain_real *y;       /* a classifier */
    sustain_real *folds_y; /* (folds, size) that of each fold */
    float *views;          /* (training count, classes) of one classifier */
    float *trusted_views;  /* (trusted count, classes) likewise */
    float *keep;           /* (training count) weights */
    int32_t *labels;       /* (training stored) */
    sustain_clean_result *result;
} finishing;

/* ---- classifiers ---- */

static sustain_softmax_options options_for(const sustain_clean *c, bool given, double rows, int64_t iterations) {
    sustain_softmax_options o = given ? sustain__clean_given_options(c, rows) : sustain__clean_fit_options(c, rows);
    o.iterations = iterations;
    return o;
}

/* What training rows are fitted with. */
typedef struct fitted {
    bool training, trusted;     /* which rows */
    const int32_t *labels;      /* of training rows, by place; NULL: as given */
    const sustain_real *noise;  /* of training labels; NULL: as they are */
    const float *weights;       /* of training rows; NULL: 1 each */
    sustain__clean_model model; /* the place where it is kept */
    int64_t iterations;
} fitted;

/* The training rows with the labels to fit. */
static sustain_rows labelled_rows(const sustain_clean *c, const fitted *w) {
    sustain_rows rows = c->training;
    if (w->labels != NULL) rows.labels = w->labels;
    return rows;
}

static double rows_of(const sustain_clean *c, const fitted *w) {
    double rows = w->trusted ? (double)c->trusted.count : 0;
    if (!w->training) return rows;
    for (int64_t j = 0; j < c->unverified; j++) rows += w->weights != NULL ? (double)w->weights[c->training_folds.order[j]] : 1;
    return rows;
}

/* Training labels are fitted as they are, wrong ones too. */
static bool as_given(const fitted *w) {
    return w->training && w->labels == NULL && w->noise == NULL && w->weights == NULL;
}

/* On all rows, from f->y on. Verified rows are trusted rows. */
static sustain_status fit_all(finishing *f, const fitted *w) {
    const sustain_clean *c = f->c;
    const sustain_rows training = labelled_rows(c, w);
    sustain__some_rows parts[2];
    int count = 0;
    if (w->training)
        parts[count++] = (sustain__some_rows){
            .rows = &training, .index = c->training_folds.order, .count = c->unverified, .weights = w->weights, .noise = w->noise};
    if (w->trusted && c->trusted.count > 0) parts[count++] = (sustain__some_rows){.rows = &c->trusted, .count = c->trusted.count};
    const bool known = sustain__clean_begin_at(c, w->model, 1, f->y);
    const sustain_softmax_options o = options_for(c, as_given(w), rows_of(c, w), known ? WARM_ITERATIONS : w->iterations);
    SUSTAIN_TRY(sustain__softmax_fit(c->context, &o, parts, count, f->y));
    sustain__clean_keep_model(f->c, w->model, 1, f->y);
    return SUSTAIN_OK;
}

/* For each fold on the rows of the other folds, from f->y on. */
static sustain_status fit_folds(finishing *f, const fitted *w) {
    const sustain_clean *c = f->c;
    const int64_t folds = c->options.folds, size = sustain__clean_size(c);
    const sustain_rows training = labelled_rows(c, w);
    sustain__some_rows parts[2 * SUSTAIN__MOST_FOLDS];
    int64_t count = 0;
    for (int64_t k = 0; k < folds; k++) sustain__copy(size, f->y, f->folds_y + k * size);
    if (w->trusted) sustain__clean_parts(&c->trusted, &c->trusted_folds, folds, parts), count = folds;
    if (w->training) {
        sustain__clean_parts(&training, &c->training_folds, folds, parts + count);
        for (int64_t k = count; k < count + folds; k++) parts[k].noise = w->noise, parts[k].weights = w->weights;
        count += folds;
    }
    const bool known = sustain__clean_begin_at(c, w->model, folds, f->folds_y);
    const int64_t warm = c->bilevel ? WARM_FOLD_ITERATIONS : WARM_PLAIN_ITERATIONS;
    const sustain_softmax_options o =
        options_for(c, as_given(w), rows_of(c, w) * (double)(folds - 1) / (double)folds, known ? warm : w->iterations);
    SUSTAIN_TRY(sustain__softmax_fit_folds(c->context, &o, parts, (int)count, folds, f->folds_y));
    sustain__clean_keep_model(f->c, w->model, folds, f->folds_y);
    return SUSTAIN_OK;
}

/* What the classifier of each fold says of the rows of its own fold. */
static sustain_status predict_folds(finishing *f, const sustain_rows *rows, const sustain__folds *dealt, float *views) {
    const sustain_clean *c = f->c;
    const int64_t folds = c->options.folds;
    const sustain_softmax_options o = sustain__clean_fit_options(c, 1);
    sustain__some_rows parts[SUSTAIN__MOST_FOLDS];
    sustain__clean_parts(rows, dealt, folds, parts);
    for (int64_t k = 0; k < folds; k++)
        SUSTAIN_TRY(sustain__softmax_predict(c->context, &o, &parts[k], f->folds_y + k * sustain__clean_size(c), views));
    return SUSTAIN_OK;
}

static void mean_of_folds(const finishing *f, sustain_real *y) {
    const int64_t size = sustain__clean_size(f->c), folds = f->c->options.folds;
    sustain__zero(size, y);
    for (int64_t k = 0; k < folds; k++) sustain__add(size, 1 / (double)folds, f->folds_y + k * size, y);
}

/* Verified rows are trusted ones. */
static void copy_verified(const sustain_clean *c, sustain__clean_source *s) {
    const size_t classes = (size_t)c->options.classes;
    for (int64_t v = 0; v < c->verified_count; v++)
        memcpy(s->views + (size_t)c->verified_rows[v] * classes, s->trusted_views + (size_t)(c->outside + v) * classes,
               classes * sizeof(float));
}

/* What the classifier of its fold says of each row. */
static sustain_status take_views(finishing *f, sustain__clean_source *s) {
    const sustain_clean *c = f->c;
    SUSTAIN_TRY(predict_folds(f, &c->training, &c->training_folds, s->views));
    if (c->trusted.count > 0) SUSTAIN_TRY(predict_folds(f, &c->trusted, &c->trusted_folds, s->trusted_views));
    copy_verified(c, s);
    mean_of_folds(f, s->y);
    if (s->folds_y != NULL) sustain__copy(c->options.folds * sustain__clean_size(c), f->folds_y, s->folds_y);
    s->known = true;
    return SUSTAIN_OK;
}

/* ---- sources ---- */

static sustain_status plain_source(finishing *f) {
    sustain_clean *c = f->c;
    sustain__clean_source *s = &c->source[SUSTAIN__SOURCE_PLAIN];
    s->name = "all labels as given, out of fold";
    sustain__zero(sustain__clean_size(c), f->y);
    SUSTAIN_TRY(fit_folds(f, &(fitted){.training = true, .model = SUSTAIN__MODEL_PLAIN, .iterations = PLAIN_ITERATIONS}));
    return take_views(f, s);
}

static sustain_status trusted_source(finishing *f) {
    sustain__clean_source *s = &f->c->source[SUSTAIN__SOURCE_TRUSTED];
    s->name = "trusted rows alone";
    sustain__zero(sustain__clean_size(f->c), f->y);
    SUSTAIN_TRY(fit_folds(f, &(fitted){.trusted = true, .iterations = TRUSTED_ITERATIONS}));
    return take_views(f, s);
}

/* None of these classifiers has seen a row that is not verified: their mean is better. */
static sustain_status average_trusted(finishing *f) {
    const sustain_clean *c = f->c;
    sustain__clean_source *s = &f->c->source[SUSTAIN__SOURCE_TRUSTED];
    const int64_t n = c->training.count * c->options.classes, folds = c->options.folds;
    const sustain__some_rows all = {.rows = &c->training, .count = c->training.count};
    const sustain_softmax_options o = sustain__clean_fit_options(c, 1);
    memset(s->views, 0, (size_t)n * sizeof *s->views);
    for (int64_t k = 0; k < folds; k++) {
        SUSTAIN_TRY(sustain__softmax_predict(c->context, &o, &all, f->folds_y + k * sustain__clean_size(c), f->views));
        for (int64_t i = 0; i < n; i++) s->views[i] += f->views[i] / (float)folds;
    }
    copy_verified(c, s);
    return SUSTAIN_OK;
}

static sustain_status estimate_noise(finishing *f) {
    sustain_clean *c = f->c;
    const sustain__clean_source *s = &c->source[SUSTAIN__SOURCE_TRUSTED];
    double rate, error;
    const sustain__views v = {.classes = c->options.classes,
                              .count = c->training.count,
                              .training = s->views,
                              .given = c->given,
                              .trusted_count = c->trusted.count,
                              .trusted = s->trusted_views,
                              .right = c->right};
    return sustain__noise_estimate(c->context, &v, &rate, &error, c->noise);
}

/* Few rows leave more of a label in the classifier at which its fold begins, and cost less. */
static int64_t fold_iterations(const sustain_clean *c) {
    const double more = FEW_ROWS / (double)c->training.count;
    const double most =
        c->training.start != NULL ? SPARSE_FOLD_ITERATIONS : MOST_FOLD_ITERATIONS; /* sparse models are long, and fits costly */
    return FOLD_ITERATIONS + (int64_t)fmin(more, most);
}

/* The trusted rows have no part in where the folds begin, so that those of a fold are new to its
 * classifier. */
static sustain_status channel_source(finishing *f, const sustain_real *y) {
    sustain_clean *c = f->c;
    sustain__clean_source *s = &c->source[SUSTAIN__SOURCE_CHANNEL];
    s->name = "bilevel start, labels through the noise model";
    sustain__copy(sustain__clean_size(c), y, f->y);
    fitted w = {.training = true, .noise = c->noise, .iterations = COMMON_ITERATIONS};
    if (c->start == NULL) SUSTAIN_TRY(fit_all(f, &w)); /* else each fold knows where to begin */
    w.trusted = true, w.model = SUSTAIN__MODEL_CHANNEL, w.iterations = fold_iterations(c);
    SUSTAIN_TRY(fit_folds(f, &w));
    SUSTAIN_TRY(take_views(f, s));
    sustain__copy(sustain__clean_size(c), s->y, f->y);
    w.model = SUSTAIN__MODEL_NONE, w.iterations = c->start != NULL ? WARM_LAST_ITERATIONS : LAST_ITERATIONS;
    SUSTAIN_TRY(fit_all(f, &w));
    sustain__copy(sustain__clean_size(c), f->y, s->y);
    return SUSTAIN_OK;
}

/* The labels of the last verdict, each with the probability that it is right. */
static fitted take_corrections(finishing *f, int64_t iterations) {
    const sustain_clean *c = f->c;
    for (int64_t i = 0; i < c->training.count; i++) {
        f->labels[sustain__rows_place(&c->training, i)] = sustain__clean_suggested(c, i);
        f->keep[i] = c->is_issue[i] ? 1 - c->quality[i] : c->quality[i];
    }
    return (fitted){.training = true, .trusted = true, .labels = f->labels, .weights = f->keep, .iterations = iterations};
}

/* All rows with the labels of the first verdict: flagged ones have the suggested label, each with
 * the probability that it is right. */
static sustain_status corrected_source(finishing *f) {
    sustain_clean *c = f->c;
    sustain__clean_source *s = &c->source[SUSTAIN__SOURCE_CORRECTED];
    s->name = "labels corrected by the sources above";
    sustain__zero(sustain__clean_size(c), f->y);
    fitted corrected = take_corrections(f, PLAIN_ITERATIONS);
    corrected.model = SUSTAIN__MODEL_CORRECTED;
    if (f->result->ranking == SUSTAIN_CLEAN_RANKING_RATIO) { /* nothing vouches for what is suggested: labels as given */
        s->name = "labels as given, the doubtful ones with little weight, out of fold";
        corrected.labels = NULL;
        for (int64_t i = 0; i < c->training.count; i++) f->keep[i] = c->quality[i] * c->quality[i] * c->quality[i];
    }
    SUSTAIN_TRY(fit_folds(f, &corrected));
    return take_views(f, s);
}

/* Whether the corrected labels have a part in the ranking. Where nothing was checked they are all
 * of it. Where rows have more features than there are rows (text), a classifier learns wrong labels
 * by heart and this is a large gain. Elsewhere it is none: the labels were corrected with the help
 * of the trusted rows, on which the shares of the sources are fitted. */
static bool ranks_by_corrected(const finishing *f) {
    const sustain_clean *c = f->c;
    if (f->result->ranking == SUSTAIN_CLEAN_RANKING_RATIO) return sustain__clean_ratio_source(c, f->result) == SUSTAIN__SOURCE_CORRECTED;
    return c->training.dim >= c->training.count;
}

/* ---- the last classifier ---- */

/* Logarithms of what our own sources say of the trusted rows; freed by the caller. */
static sustain_status last_rows(finishing *f, sustain__labelled *rows) {
    static const double centre[SUSTAIN__SOURCES_OWN] = {[SUSTAIN__SOURCE_CHANNEL] = 0.5, [SUSTAIN__SOURCE_CORRECTED] = 0.5};
    const sustain_clean *c = f->c;
    const int64_t classes = c->options.classes, n = c->trusted.count;
    float *logs;
    SUSTAIN_TRY(sustain__allocate(c->context, sustain__multiply((size_t)(n * classes), SUSTAIN__SOURCES_OWN * sizeof *logs), &logs));
    for (int64_t i = 0; i < n; i++)
        for (int m = 0; m < SUSTAIN__SOURCES_OWN; m++)
            for (int64_t k = 0; k < classes; k++)
                logs[(i * SUSTAIN__SOURCES_OWN + m) * classes + k] = sustain__blend_log(c->source[m].trusted_views[i * classes + k]);
    *rows = (sustain__labelled){
        .count = n, .classes = classes, .sources = SUSTAIN__SOURCES_OWN, .logs = logs, .right = c->right, .centre = centre};
    return SUSTAIN_OK;
}

/* y <- sum of the sources' classifiers by their shares, with the blend's bias. */
static void add_up(finishing *f, const sustain__blend *blend) {
    sustain_clean *c = f->c;
    const int64_t size = sustain__clean_size(c), classes = c->options.classes;
    sustain__zero(size, c->y);
    for (int m = 0; m < SUSTAIN__SOURCES_OWN; m++) sustain__add(size, (double)blend->theta[m], c->source[m].y, c->y);
    if (!c->options.intercept) return;
    for (int64_t k = 0; k < classes; k++) c->y[size - classes + k] += blend->theta[blend->sources + 1 + k];
}

static sustain_status last_by_blend(finishing *f) {
    sustain_clean *c = f->c;
    sustain__labelled rows;
    sustain__blend blend = {.theta = NULL};
    SUSTAIN_TRY(last_rows(f, &rows));
    sustain_status status = sustain__blend_create(c->context, &rows, &blend);
    if (status == SUSTAIN_OK) status = sustain__blend_fit(c->context, &rows, &blend, f->trusted_views);
    if (status == SUSTAIN_OK) {
        f->result->trusted_accuracy = sustain__clean_trusted_share(c, f->trusted_views);
        add_up(f, &blend);
    }
    sustain__blend_free(c->context, &blend);
    sustain__free(c->context, (void *)(uintptr_t)rows.logs);
    return status;
}

/* The mean of two classifiers on all rows: one on the labels that the verdict suggests, one on the
 * labels as given, each weighted by the square of the probability that it is right. Their errors
 * differ: the first learns from all rows, the second from rows that are almost certain. */
static sustain_status refit_corrected(finishing *f) {
    sustain_clean *c = f->c;
    const int64_t size = sustain__clean_size(c);
    sustain_real *y = c->source[SUSTAIN__SOURCE_CORRECTED].y;
    fitted w = take_corrections(f, REFIT_ITERATIONS);
    w.model = SUSTAIN__MODEL_REFIT_CORRECTED;
    sustain__zero(size, y);
    for (int kind = 0; kind < 2; kind++) {
        sustain__zero(size, f->y);
        SUSTAIN_TRY(fit_all(f, &w));
        sustain__add(size, 0.5, f->y, y);
        for (int64_t i = 0; i < c->training.count; i++) f->keep[i] = c->quality[i] * c->quality[i];
        w.labels = NULL, w.model = SUSTAIN__MODEL_REFIT_KEPT;
    }
    return SUSTAIN_OK;
}

static sustain_status last_classifier(finishing *f) {
    sustain_clean *c = f->c;
    const int64_t size = sustain__clean_size(c);
    if (!c->bilevel) {
        sustain__zero(size, f->y);
        SUSTAIN_TRY(fit_all(f, &(fitted){.training = true,
                                         .trusted = true,
                                         .weights = c->quality,
                                         .model = SUSTAIN__MODEL_REFIT_KEPT,
                                         .iterations = REFIT_ITERATIONS}));
        sustain__copy(size, f->y, c->y);
        return SUSTAIN_OK;
    }
    SUSTAIN_TRY(refit_corrected(f));
    return last_by_blend(f);
}

/* ---- the ranking again ---- */

static double log_odds(double p) {
    const double kept = fmin(fmax(p, 1e-7), 1 - 1e-7);
    return log(kept / (1 - kept));
}

/* The log-odds that a label is right by a classifier's probabilities p, through the noise. */
static double opinion(const sustain_clean *c, int32_t given, const float *p) {
    const int64_t classes = c->options.classes;
    const sustain_real *noise = c->noise + given * classes;
    double sum = 0;
    for (int64_t k = 0; k < classes; k++) sum += (double)p[k] * (double)noise[k];
    return log_odds((double)p[given] * (double)noise[given] / fmax(sum, 1e-30));
}

/* The last classifier is the best one, but it was trained on the labels that it judges: it counts
 * as much as the quality. */
float sustain__clean_last_score(const sustain_clean *c, double quality, int32_t given, const float *p) {
    return (float)(log_odds(quality) + SHARE_OF_LAST * opinion(c, given, p));
}

/* Where many rows are trusted, a classifier without the labels that these speak against is about as
 * good, and errs elsewhere. */
float sustain__clean_dropped_score(const sustain_clean *c, int32_t given, const float *p) {
    return (float)(c->dropped_share * opinion(c, given, p));
}

/* c->dropped_y <- a classifier on all rows but those whose labels the trusted rows speak against,
 * as many as are flagged. */
static sustain_status fit_without_dropped(finishing *f) {
    sustain_clean *c = f->c;
    const int64_t n = c->training.count, size = sustain__clean_size(c);
    sustain__clean_confidence(c, c->source[SUSTAIN__SOURCE_TRUSTED].views, f->keep);
    SUSTAIN_TRY(sustain__rank_over(c->context, n, f->keep, c->order));
    for (int64_t k = 0; k < n; k++) f->keep[c->order[k]] = k >= f->result->issues;
    sustain__zero(size, f->y);
    SUSTAIN_TRY(fit_all(
        f,
        &(fitted){.training = true, .trusted = true, .weights = f->keep, .model = SUSTAIN__MODEL_DROPPED, .iterations = REFIT_ITERATIONS}));
    sustain__copy(size, f->y, c->dropped_y);
    return SUSTAIN_OK;
}

/* Nothing was checked: what the first round counts beside the second, which learns from labels that
 * suit the first. With few rows, or features that tell little, that loses. */
static double share_of_first(const sustain_clean *c) {
    return fmin(FEW_GIVEN / (double)c->training.count, 2);
}

/* What a classifier on all labels as given counts. It ranks well with few rows: a row that is far
 * from all others pulls it towards its own label, and is not suspected for lack of company. Wrong
 * labels that are many, and alike, spoil it. By the verified rows: self-confidence is ahead of the
 * blend by self_ahead standard errors. With trusted rows alone, the more of these the less. */
static double share_of_given(const finishing *f) {
    const sustain_clean *c = f->c;
    if (c->options.pred_prob_count > 0 || c->is_sample) return 0; /* other models are better; rows of no sample would need it too */
    switch (f->result->ranking) {
    case SUSTAIN_CLEAN_RANKING_BLEND:
        return SHARE_OF_GIVEN * exp(fmin(c->self_ahead, MOST_FOR_GIVEN));
    case SUSTAIN_CLEAN_RANKING_NOISE:
        return FEW_TRUSTED / (double)c->outside;
    default:
        return SHARE_OF_GIVEN * share_of_first(c);
    }
}

/* f->keep, log-odds, with its part of that classifier's. */
static sustain_status add_given(finishing *f) {
    const sustain_clean *c = f->c;
    const int64_t n = c->training.count, classes = c->options.classes;
    const sustain__some_rows all = {.rows = &c->training, .count = n};
    const sustain_softmax_options o = sustain__clean_fit_options(c, 1);
    const double share = share_of_given(f);
    if (share < LEAST_SHARE) return SUSTAIN_OK;
    sustain__zero(sustain__clean_size(c), f->y); /* always: what it learns by heart in later iterations does not help to rank */
    SUSTAIN_TRY(fit_all(f, &(fitted){.training = true, .trusted = true, .iterations = REFIT_ITERATIONS}));
    SUSTAIN_TRY(sustain__softmax_predict(c->context, &o, &all, f->y, f->views));
    for (int64_t i = 0; i < n; i++) f->keep[i] += (float)(share * log_odds((double)f->views[i * classes + c->given[i]]));
    return SUSTAIN_OK;
}

static sustain_status rank_by_last(finishing *f) {
    sustain_clean *c = f->c;
    const int64_t n = c->training.count, classes = c->options.classes;
    const sustain__some_rows all = {.rows = &c->training, .count = n};
    const sustain_softmax_options o = sustain__clean_fit_options(c, 1);
    const double trusted = (double)c->trusted.count, share = SHARE_OF_DROPPED * trusted / (trusted + (double)c->unverified);
    c->dropped_share = share >= LEAST_SHARE ? share : 0;
    if (c->dropped_share > 0) SUSTAIN_TRY(fit_without_dropped(f));
    SUSTAIN_TRY(sustain__softmax_predict(c->context, &o, &all, c->y, f->views));
    for (int64_t i = 0; i < n; i++) f->keep[i] = sustain__clean_last_score(c, (double)c->quality[i], c->given[i], f->views + i * classes);
    if (c->dropped_share > 0) {
        SUSTAIN_TRY(sustain__softmax_predict(c->context, &o, &all, c->dropped_y, f->views));
        for (int64_t i = 0; i < n; i++) f->keep[i] += sustain__clean_dropped_score(c, c->given[i], f->views + i * classes);
    }
    SUSTAIN_TRY(add_given(f));
    return sustain__clean_rerank(c, f->keep, f->result);
}

static double log_ratio(float self, float rival) {
    return log(((double)self + 1e-9) / ((double)rival + 1e-9));
}

/* Nothing was checked. */
static sustain_status rank_with_given(finishing *f) {
    sustain_clean *c = f->c;
    const double share = share_of_first(c);
    if (!(share_of_given(f) > 0)) return SUSTAIN_OK;
    for (int64_t i = 0; i < c->training.count; i++)
        f->keep[i] = (float)(log_odds((double)c->quality[i]) + share * log_ratio(c->confident.self[i], c->confident.rival[i]));
    SUSTAIN_TRY(add_given(f));
    return sustain__clean_rerank(c, f->keep, f->result);
}

/* Probabilities alone and trusted rows: the noise model may be far from the truth. The ratio of
 * the probabilities of a row does not depend on it. */
float sustain__clean_ratio_score(const sustain_clean *c, double quality, float self, float rival) {
    const double share = 1 + FEW_TRUSTED / (double)c->outside; /* more where few rows tell about the noise */
    return (float)(log_odds(quality) + share * log_ratio(self, rival));
}

static sustain_status rank_by_ratio(finishing *f) {
    sustain_clean *c = f->c;
    for (int64_t i = 0; i < c->training.count; i++)
        f->keep[i] = sustain__clean_ratio_score(c, (double)c->quality[i], c->confident.self[i], c->confident.rival[i]);
    return sustain__clean_rerank(c, f->keep, f->result);
}

/* ---- groups ---- */

static sustain_status weigh_groups(sustain_clean *c, sustain_clean_result *result) {
    if (c->group_weight == NULL) return SUSTAIN_OK;
    sustain_group_options o = sustain_group_defaults();
    o.classes = c->options.classes;
    o.c = c->options.c;
    o.intercept = c->options.intercept;
    o.seed = c->options.seed;
    o.groups = c->options.groups;
    o.group = c->group;
    sustain__log(c->context, "clean: weights of %lld groups", (long long)o.groups);
    result->count = c->training.count;
    result->group_weight = c->group_weight;
    SUSTAIN_TRY(sustain_clean_group_weights(c->context, &o, &c->training, &c->trusted, c->group_weight));
    result->group_weight_low = c->group_weight + o.groups;
    result->group_weight_high = c->group_weight + 2 * o.groups;
    return sustain_clean_group_intervals(c->context, &o, &c->training, &c->trusted, c->group_weight, c->group_weight + o.groups,
                                         c->group_weight + 2 * o.groups);
}

/* ---- all of it ---- */

sustain_status sustain__clean_score_weights(const sustain_clean *c, const sustain_real *y, sustain_clean_result *r) {
    return sustain__clean_score(c, c->weight, y, &r->weight_score);
}

/* Looks at the truth, for scores alone. */
static sustain_status compare_with_truth(const sustain_clean *c, sustain_clean_result *r) {
    SUSTAIN_TRY(sustain__clean_score(c, c->quality, c->y, &r->score));
    sustain__clean_score_flags(c, c->is_issue, &r->score);
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

/* Of the channel classifier's view of the given labels, without the weights. */
static sustain_status score_channel(finishing *f) {
    const sustain_clean *c = f->c;
    sustain_clean_score score;
    f->result->classifier_auc = (double)NAN;
    if (!c->bilevel) return SUSTAIN_OK;
    sustain__clean_confidence(c, c->source[SUSTAIN__SOURCE_CHANNEL].views, f->keep);
    SUSTAIN_TRY(sustain__clean_score(c, f->keep, NULL, &score));
    f->result->classifier_auc = score.auc;
    return SUSTAIN_OK;
}

sustain_status sustain__clean_publish(sustain_clean *c, sustain_clean_result *r) {
    for (int64_t i = 0; i < c->training.count; i++) c->other[i] = sustain__clean_suggested(c, i);
    r->count = r->fitted = c->training.count;
    r->weight = c->weight, r->quality = c->quality, r->suggested = c->other, r->is_issue = c->is_issue;
    r->order = c->order, r->confused = c->confused, r->y = c->y, r->verified = c->verified;
    if (c->features) r->model = sustain__clean_fit_options(c, (double)(c->training.count + c->trusted.count));
    return compare_with_truth(c, r);
}

static void read_plain(const void *user, int64_t i, float *p, float *scratch) {
    sustain__clean_plain_row(user, i, p, scratch);
}

static sustain_status compute(finishing *f, const sustain_real *y) {
    sustain_clean *c = f->c;
    for (int m = 0; m < SUSTAIN__SOURCES_OWN; m++) c->source[m].known = false;
    if (c->features) {
        SUSTAIN_TRY(sustain__clean_choose_prior(c, f->views, f->y));
        SUSTAIN_TRY(plain_source(f));
    }
    sustain__confident_free(c->context, &c->confident);
    c->confident =
        (sustain__confident){.count = c->training.count, .classes = c->options.classes, .given = c->given, .read = read_plain, .user = c};
    SUSTAIN_TRY(sustain__confident_create(c->context, &c->confident));
    if (c->bilevel) {
        const bool verified = sustain__clean_by_verified(c);
        SUSTAIN_TRY(trusted_source(f));
        if (verified) SUSTAIN_TRY(sustain__clean_noise_by_blend(c));
        SUSTAIN_TRY(average_trusted(f));
        if (!verified) SUSTAIN_TRY(estimate_noise(f));
        SUSTAIN_TRY(channel_source(f, y));
    }
    SUSTAIN_TRY(sustain__clean_verdict(c, f->result));
    if (sustain__clean_computes(c, SUSTAIN__SOURCE_CORRECTED)) {
        SUSTAIN_TRY(corrected_source(f));
        if (ranks_by_corrected(f)) {
            *f->result = (sustain_clean_result){0};
            SUSTAIN_TRY(sustain__clean_verdict(c, f->result));
        }
    }
    f->result->trusted_accuracy = (double)NAN;
    if (c->features) SUSTAIN_TRY(last_classifier(f));
    const sustain_clean_ranking ranking = f->result->ranking;
    if (ranking == SUSTAIN_CLEAN_RANKING_NOISE && !c->bilevel) return rank_by_ratio(f);
    const bool ours = ranking == SUSTAIN_CLEAN_RANKING_NOISE || ranking == SUSTAIN_CLEAN_RANKING_BLEND;
    if (ours && c->bilevel) return rank_by_last(f);
    return ranking == SUSTAIN_CLEAN_RANKING_RATIO && c->features ? rank_with_given(f) : SUSTAIN_OK;
}

static sustain_status finish(finishing *f, const sustain_real *y) {
    sustain_clean *c = f->c;
    const double begin = sustain__clock();
    SUSTAIN_TRY(compute(f, y));
    const double end = sustain__clock();
    SUSTAIN_TRY(score_channel(f));
    SUSTAIN_TRY(sustain__clean_score_weights(c, y, f->result));
    SUSTAIN_TRY(sustain__clean_publish(c, f->result));
    f->result->score.trusted_accuracy = f->result->trusted_accuracy;
    f->result->score.seconds = end - begin;
    for (int i = 0; i < SUSTAIN_CLEAN_BASELINE_COUNT; i++) SUSTAIN_TRY(sustain__clean_score(c, NULL, NULL, &f->result->baselines[i]));
    if (c->earlier != NULL)
        memcpy(f->result->baselines, c->earlier, sizeof f->result->baselines);
    else if (c->options.baselines)
        SUSTAIN_TRY(sustain__clean_baselines(c, f->result->issues, f->result->baselines));
    if (c->scores != NULL) memcpy(c->scores, f->result->baselines, sizeof f->result->baselines);
    c->finished = true;
    return SUSTAIN_OK;
}

sustain_status sustain__clean_finish_all(sustain_clean *c, const sustain_real *y, sustain_clean_result *result) {
    const size_t n = (size_t)c->training.count, trusted = (size_t)c->trusted.count;
    const size_t wide = c->features ? (size_t)c->options.classes : 0, size = c->features ? (size_t)sustain__clean_size(c) : 0;
    const size_t models = (size_t)c->options.folds + 1;
    const size_t bytes = sustain__multiply(models * sizeof(sustain_real), size) + sustain__multiply(n, (wide + 1) * sizeof(float)) +
                         sustain__multiply(trusted, wide * sizeof(float)) + sustain__multiply((size_t)c->training.stored, sizeof(int32_t));
    finishing f = {.c = c, .result = result};
    SUSTAIN_TRY(sustain__allocate(c->context, bytes, &f.y));
    f.folds_y = f.y + size;
    f.views = (float *)(void *)(f.y + models * size);
    f.trusted_views = f.views + n * wide;
    f.keep = f.trusted_views + trusted * wide;
    f.labels = (int32_t *)(void *)(f.keep + n);
    const sustain_status status = finish(&f, y);
    sustain__free(c->context, f.y);
    return status;
}

/* ---- where the solver is ---- */

static sustain_status check_point(const sustain_clean *c, const sustain_real *x, const sustain_real *y) {
    int64_t where;
    if (x == NULL || y == NULL) return sustain__fail(c->context, SUSTAIN_ARGUMENT, "x or y is NULL: the solver's point is needed");
    if (!sustain__all_finite(c->training.count, x, &where))
        return sustain__fail(c->context, SUSTAIN_ARGUMENT, "coordinate %lld of x is not finite", (long long)where);
    if (!sustain__all_finite(sustain__clean_size(c), y, &where))
        return sustain__fail(c->context, SUSTAIN_ARGUMENT, "coordinate %lld of y is not finite", (long long)where);
    return SUSTAIN_OK;
}

/* The weights, and *kept <- a copy of y, which the caller frees. Then the solver may end. */
static sustain_status take_point(sustain_clean *c, const sustain_real *x, const sustain_real *y, sustain_real **kept) {
    const int64_t n = c->training.count, size = sustain__clean_size(c);
    SUSTAIN_TRY(check_point(c, x, y));
    if (c->weight == NULL) SUSTAIN_TRY(sustain__allocate(c->context, sustain__multiply((size_t)n, sizeof *c->weight), &c->weight));
    SUSTAIN_TRY(sustain__allocate(c->context, (size_t)size * sizeof *y, kept));
    sustain__copy(size, y, *kept);
    for (int64_t i = 0; i < n; i++) c->weight[i] = (float)(1 / (1 + exp(-(double)x[i])));
    if (c->options.ends_solver) sustain_solver_release(c->solver);
    return SUSTAIN_OK;
}

sustain_status sustain_clean_finish(sustain_clean *c, const sustain_real *x, const sustain_real *y, sustain_clean_result *result) {
    if (c == NULL) return SUSTAIN_ARGUMENT;
    if (result == NULL) return sustain__fail(c->context, SUSTAIN_ARGUMENT, "the place for the result is NULL");
    *result = (sustain_clean_result){0};
    if (c->options.group_weights_only) return weigh_groups(c, result);
    sustain_real *kept = NULL;
    if (c->bilevel) SUSTAIN_TRY(take_point(c, x, y, &kept));
    sustain_status status = c->sampled ? sustain__clean_finish_sampled(c, kept, result) : sustain__clean_finish_all(c, kept, result);
    if (status == SUSTAIN_OK) status = weigh_groups(c, result);
    sustain__free(c->context, kept);
    return status;
}
