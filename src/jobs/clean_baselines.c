/* clean_baselines.c - honest company: what one gets without the bilevel problem. See SUSTAIN_CLEAN_BASELINE_LIST. */
#include <string.h>

#include "core/clock.h"
#include "core/vector.h"
#include "jobs/clean_job.h"
#include "jobs/rank.h"

enum { ITERATIONS = 25, FOLD_ITERATIONS = 12 };

typedef struct company {
    sustain_clean *c;
    int64_t drop;      /* labels that may be dropped */
    sustain_real *y;   /* (folds, size) the classifier of each fold, or one alone */
    float *views;      /* (count, classes) */
    float *confidence; /* (count) */
    float *keep;       /* (count) 1, or 0 for labels that are dropped */
    int64_t *order;    /* (count) */
    sustain_clean_score *scores;
} company;

/* Fits from y = 0: nothing may come in from elsewhere. */
static sustain_status fit(company *b, const sustain__some_rows *parts, int count, int64_t iterations) {
    const sustain_clean *c = b->c;
    double rows = 0;
    for (int i = 0; i < count; i++) rows += (double)parts[i].count;
    sustain_softmax_options o = sustain__clean_fit_options(c, rows);
    o.iterations = iterations;
    sustain__zero(sustain__clean_size(c), b->y);
    return sustain__softmax_fit(c->context, &o, parts, count, b->y);
}

static sustain__some_rows all_rows(const sustain_rows *rows) {
    return (sustain__some_rows){.rows = rows, .count = rows->count};
}

/* What the classifier thinks of the given labels of some training rows. */
static sustain_status look(company *b, const sustain_real *y, const sustain__some_rows *rows) {
    const sustain_softmax_options o = sustain__clean_fit_options(b->c, 1);
    return sustain__softmax_predict(b->c->context, &o, rows, y, b->views);
}

/* The score of the views as they are, with the classifier as it is. */
static sustain_status note(company *b, sustain_clean_baseline which, double begin) {
    sustain_clean_score *score = &b->scores[which];
    const double end = sustain__clock();
    sustain__clean_confidence(b->c, b->views, b->confidence);
    SUSTAIN_TRY(sustain__clean_score(b->c, b->confidence, b->y, score));
    score->seconds = end - begin;
    return SUSTAIN_OK;
}

/* The least confident labels dropped, and a classifier on the others and the trusted rows. */
static sustain_status drop_and_refit(company *b) {
    sustain_clean *c = b->c;
    const int64_t n = c->training.count;
    sustain__clean_confidence(c, b->views, b->confidence);
    SUSTAIN_TRY(sustain__rank(c->context, n, b->confidence, b->order));
    const sustain__some_rows parts[] = {all_rows(&c->trusted), {.rows = &c->training, .index = b->order + b->drop, .count = n - b->drop}};
    return fit(b, parts, 2, ITERATIONS);
}

/* Where nothing else tells which classifier is good: the same classifier out of fold, on the rows that are kept and the trusted ones. The
 * trusted views of the result are known by then, and overwritten. Without `training` on the trusted rows alone. */
static sustain_status note_trusted(company *b, sustain_clean_baseline which, bool training, int64_t dropped) {
    sustain_clean *c = b->c;
    const int64_t folds = c->options.folds, size = sustain__clean_size(c);
    if (c->options.truth != NULL || c->options.test != NULL) return SUSTAIN_OK;
    sustain__some_rows parts[2 * SUSTAIN__MOST_FOLDS];
    for (int64_t i = 0; i < c->training.count; i++) b->keep[i] = 1;
    for (int64_t j = 0; j < dropped; j++) b->keep[b->order[j]] = 0;
    sustain__clean_parts(&c->trusted, &c->trusted_folds, folds, parts);
    sustain__clean_parts(&c->training, &c->training_folds, folds, parts + folds);
    for (int64_t k = 0; k < folds; k++) parts[folds + k].weights = b->keep;
    const double rows = (double)c->trusted.count + (training ? (double)(c->training.count - dropped) : 0);
    sustain_softmax_options o = sustain__clean_fit_options(c, rows * (double)(folds - 1) / (double)folds);
    o.iterations = FOLD_ITERATIONS;
    sustain__zero(folds * size, b->y);
    SUSTAIN_TRY(sustain__softmax_fit_folds(c->context, &o, parts, (int)(training ? 2 * folds : folds), folds, b->y));
    for (int64_t k = 0; k < folds; k++) SUSTAIN_TRY(sustain__softmax_predict(c->context, &o, &parts[k], b->y + k * size, c->trusted_views));
    b->scores[which].trusted_accuracy = sustain__clean_trusted_accuracy(c);
    return SUSTAIN_OK;
}

static sustain_status all_labels(company *b) {
    const double begin = sustain__clock();
    const sustain__some_rows parts[] = {all_rows(&b->c->trusted), all_rows(&b->c->training)};
    SUSTAIN_TRY(fit(b, parts, 2, ITERATIONS));
    SUSTAIN_TRY(look(b, b->y, &parts[1]));
    SUSTAIN_TRY(note(b, SUSTAIN_CLEAN_BASELINE_ALL_LABELS, begin));
    return note_trusted(b, SUSTAIN_CLEAN_BASELINE_ALL_LABELS, true, 0);
}

static sustain_status trusted_then_drop(company *b) {
    const double begin = sustain__clock();
    const sustain__some_rows trusted = all_rows(&b->c->trusted), training = all_rows(&b->c->training);
    SUSTAIN_TRY(fit(b, &trusted, 1, ITERATIONS));
    SUSTAIN_TRY(look(b, b->y, &training));
    SUSTAIN_TRY(note(b, SUSTAIN_CLEAN_BASELINE_TRUSTED, begin));
    SUSTAIN_TRY(note_trusted(b, SUSTAIN_CLEAN_BASELINE_TRUSTED, false, 0));
    SUSTAIN_TRY(drop_and_refit(b));
    SUSTAIN_TRY(look(b, b->y, &training));
    SUSTAIN_TRY(note(b, SUSTAIN_CLEAN_BASELINE_DROP_REFIT, begin));
    return note_trusted(b, SUSTAIN_CLEAN_BASELINE_DROP_REFIT, true, b->drop);
}

static sustain_status self_confidence(company *b) {
    const double begin = sustain__clock();
    sustain_clean *c = b->c;
    const int64_t folds = c->options.folds, size = sustain__clean_size(c);
    sustain__some_rows parts[SUSTAIN__MOST_FOLDS];
    sustain_softmax_options o = sustain__clean_fit_options(c, (double)c->training.count * (double)(folds - 1) / (double)folds);
    o.iterations = FOLD_ITERATIONS;
    sustain__clean_parts(&c->training, &c->training_folds, folds, parts);
    sustain__zero(folds * size, b->y);
    SUSTAIN_TRY(sustain__softmax_fit_folds(c->context, &o, parts, (int)folds, folds, b->y));
    for (int64_t k = 0; k < folds; k++) SUSTAIN_TRY(look(b, b->y + k * size, &parts[k]));
    SUSTAIN_TRY(drop_and_refit(b));
    SUSTAIN_TRY(note(b, SUSTAIN_CLEAN_BASELINE_SELF_CONFIDENCE, begin));
    return note_trusted(b, SUSTAIN_CLEAN_BASELINE_SELF_CONFIDENCE, true, b->drop);
}

sustain_status sustain__clean_baselines(sustain_clean *c, int64_t issues, sustain_clean_score *scores) {
    const size_t n = (size_t)c->training.count, classes = (size_t)c->options.classes;
    const size_t size = sustain__multiply((size_t)c->options.folds, (size_t)sustain__clean_size(c));
    company b = {.c = c, .drop = issues, .scores = scores};
    SUSTAIN_TRY(sustain__allocate(c->context,
                                  n * sizeof(int64_t) + sustain__multiply(size, sizeof(sustain_real)) +
                                      sustain__multiply(n, (classes + 2) * sizeof(float)),
                                  &b.order));
    b.y = (sustain_real *)(void *)(b.order + n);
    b.views = (float *)(void *)(b.y + size);
    b.confidence = b.views + n * classes;
    b.keep = b.confidence + n;
    sustain_status status = all_labels(&b);
    if (status == SUSTAIN_OK) status = trusted_then_drop(&b);
    if (status == SUSTAIN_OK) status = self_confidence(&b);
    sustain__free(c->context, b.order);
    return status;
}
