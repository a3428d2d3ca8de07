/* clean_baselines.c - baselines: what one gets without the bilevel problem. See
 * SUSTAIN_CLEAN_BASELINE_LIST. */
#include <string.h>

#include "core/clock.h"
#include "core/vector.h"
#include "jobs/clean_job.h"
#include "jobs/rank.h"

enum { ITERATIONS = 25, FOLD_ITERATIONS = 12 };

typedef struct baselines {
    sustain_clean *c;
    int64_t drop;         /* labels that may be dropped */
    sustain_real *y;      /* (folds, size) the classifier of each fold, or one alone */
    float *views;         /* (count, classes) */
    float *trusted_views; /* (trusted count, classes) */
    float *confidence;    /* (count) */
    float *keep;          /* (count) 1, or 0 for labels that are dropped */
    int64_t *order;       /* (count) */
    sustain_clean_score *scores;
} baselines;

/* Fits from y = 0: nothing may come in from elsewhere. */
static sustain_status fit(baselines *b, bool given, const sustain__some_rows *parts, int count) {
    const sustain_clean *c = b->c;
    double rows = 0;
    for (int i = 0; i < count; i++) rows += (double)parts[i].count;
    sustain_softmax_options o = given ? sustain__clean_given_options(c, rows) : sustain__clean_fit_options(c, rows);
    o.iterations = ITERATIONS;
    sustain__zero(sustain__clean_size(c), b->y);
    return sustain__softmax_fit(c->context, &o, parts, count, b->y);
}

static sustain__some_rows all_rows(const sustain_rows *rows) {
    return (sustain__some_rows){.rows = rows, .count = rows->count};
}

/* Training rows that are not verified: verified ones are among the trusted rows. */
static sustain__some_rows unverified_rows(const sustain_clean *c) {
    return (sustain__some_rows){.rows = &c->training, .index = c->training_folds.order, .count = c->unverified};
}

/* What the classifier thinks of the given labels of some training rows. */
static sustain_status look(baselines *b, const sustain_real *y, const sustain__some_rows *rows) {
    const sustain_softmax_options o = sustain__clean_fit_options(b->c, 1);
    return sustain__softmax_predict(b->c->context, &o, rows, y, b->views);
}

/* The score of the views as they are, with the classifier as it is. */
static sustain_status note(baselines *b, sustain_clean_baseline which, double begin) {
    sustain_clean_score *score = &b->scores[which];
    const double end = sustain__clock();
    sustain__clean_confidence(b->c, b->views, b->confidence);
    SUSTAIN_TRY(sustain__clean_score(b->c, b->confidence, b->y, score));
    score->seconds = end - begin;
    return SUSTAIN_OK;
}

/* The least confident labels dropped, and a classifier on the others and the trusted rows. */
static sustain_status drop_and_refit(baselines *b) {
    sustain_clean *c = b->c;
    const int64_t n = c->training.count;
    sustain__clean_confidence(c, b->views, b->confidence);
    for (int64_t v = 0; v < c->verified_count; v++) b->confidence[c->verified_rows[v]] = 2; /* last: among the trusted rows */
    SUSTAIN_TRY(sustain__rank(c->context, n, b->confidence, b->order));
    const int64_t drop = b->drop < c->unverified ? b->drop : c->unverified - 1;
    const sustain__some_rows parts[] = {{.rows = &c->training, .index = b->order + drop, .count = c->unverified - drop},
                                        all_rows(&c->trusted)};
    return fit(b, false, parts, c->trusted.count > 0 ? 2 : 1);
}

/* Where neither a truth nor a test set tells which classifier is good: the same classifier out of
 * fold, on the rows that are kept and the trusted ones; without `training` on the trusted rows
 * alone. */
static sustain_status note_trusted(baselines *b, sustain_clean_baseline which, bool training, int64_t dropped) {
    sustain_clean *c = b->c;
    const int64_t folds = c->options.folds, size = sustain__clean_size(c);
    if (c->options.truth != NULL || c->options.test != NULL || !c->bilevel) return SUSTAIN_OK;
    sustain__some_rows parts[2 * SUSTAIN__MOST_FOLDS];
    for (int64_t i = 0; i < c->training.count; i++) b->keep[i] = 1;
    for (int64_t j = 0; j < dropped; j++) b->keep[b->order[j]] = 0;
    sustain__clean_parts(&c->trusted, &c->trusted_folds, folds, parts);
    sustain__clean_parts(&c->training, &c->training_folds, folds, parts + folds);
    for (int64_t k = 0; k < folds; k++) parts[folds + k].weights = b->keep;
    const double rows = (double)c->trusted.count + (training ? (double)(c->unverified - dropped) : 0);
    sustain_softmax_options o = sustain__clean_fit_options(c, rows * (double)(folds - 1) / (double)folds);
    o.iterations = FOLD_ITERATIONS;
    sustain__zero(folds * size, b->y);
    SUSTAIN_TRY(sustain__softmax_fit_folds(c->context, &o, parts, (int)(training ? 2 * folds : folds), folds, b->y));
    for (int64_t k = 0; k < folds; k++) SUSTAIN_TRY(sustain__softmax_predict(c->context, &o, &parts[k], b->y + k * size, b->trusted_views));
    b->scores[which].trusted_accuracy = sustain__clean_trusted_share(c, b->trusted_views);
    return SUSTAIN_OK;
}

static sustain_status all_labels(baselines *b) {
    const double begin = sustain__clock();
    const sustain__some_rows parts[] = {unverified_rows(b->c), all_rows(&b->c->trusted)}, training = all_rows(&b->c->training);
    SUSTAIN_TRY(fit(b, true, parts, b->c->trusted.count > 0 ? 2 : 1));
    SUSTAIN_TRY(look(b, b->y, &training));
    SUSTAIN_TRY(note(b, SUSTAIN_CLEAN_BASELINE_ALL_LABELS, begin));
    return note_trusted(b, SUSTAIN_CLEAN_BASELINE_ALL_LABELS, true, 0);
}

static sustain_status trusted_then_drop(baselines *b) {
    const double begin = sustain__clock();
    const sustain__some_rows trusted = all_rows(&b->c->trusted), training = all_rows(&b->c->training);
    SUSTAIN_TRY(fit(b, false, &trusted, 1));
    SUSTAIN_TRY(look(b, b->y, &training));
    SUSTAIN_TRY(note(b, SUSTAIN_CLEAN_BASELINE_TRUSTED, begin));
    SUSTAIN_TRY(note_trusted(b, SUSTAIN_CLEAN_BASELINE_TRUSTED, false, 0));
    SUSTAIN_TRY(drop_and_refit(b));
    SUSTAIN_TRY(look(b, b->y, &training));
    SUSTAIN_TRY(note(b, SUSTAIN_CLEAN_BASELINE_DROP_REFIT, begin));
    return note_trusted(b, SUSTAIN_CLEAN_BASELINE_DROP_REFIT, true, b->drop);
}

/* The plain source: a classifier on all labels as given, out of fold. */
static sustain_status self_confidence(baselines *b) {
    const double begin = sustain__clock();
    const sustain_clean *c = b->c;
    memcpy(b->views, c->source[SUSTAIN__SOURCE_PLAIN].views, (size_t)(c->training.count * c->options.classes) * sizeof *b->views);
    SUSTAIN_TRY(drop_and_refit(b));
    SUSTAIN_TRY(note(b, SUSTAIN_CLEAN_BASELINE_SELF_CONFIDENCE, begin));
    return note_trusted(b, SUSTAIN_CLEAN_BASELINE_SELF_CONFIDENCE, true, b->drop);
}

/* ---- probabilities alone ---- */

/* Rankings of the plain probabilities, whoever computed them. */
static sustain_status by_probabilities(baselines *b, const sustain__confident *p) {
    const sustain_clean *c = b->c;
    const int64_t n = c->training.count;
    sustain_clean_score *self = &b->scores[SUSTAIN_CLEAN_BASELINE_SELF_CONFIDENCE], *margin = &b->scores[SUSTAIN_CLEAN_BASELINE_MARGIN];
    sustain_clean_score *confident = &b->scores[SUSTAIN_CLEAN_BASELINE_CONFIDENT], *differs = &b->scores[SUSTAIN_CLEAN_BASELINE_DIFFERS];
    if (!c->features) SUSTAIN_TRY(sustain__clean_score(c, p->self, NULL, self));
    for (int64_t i = 0; i < n; i++) b->confidence[i] = p->self[i] - p->rival[i];
    SUSTAIN_TRY(sustain__clean_score(c, b->confidence, NULL, margin));
    for (int64_t i = 0; i < n && p->flags; i++) b->confidence[i] -= p->pruned[i] ? 2 : 0; /* flagged ones first */
    SUSTAIN_TRY(sustain__clean_score(c, b->confidence, NULL, confident));
    if (p->flags) sustain__clean_score_flags(c, p->pruned, confident);
    uint8_t *flags = (uint8_t *)b->keep;
    for (int64_t i = 0; i < n; i++) {
        b->confidence[i] = sustain__blend_log(p->self[i]) - sustain__blend_log(p->rival[i]);
        flags[i] = p->rival[i] > p->self[i];
    }
    SUSTAIN_TRY(sustain__clean_score(c, b->confidence, NULL, differs));
    sustain__clean_score_flags(c, flags, differs);
    return SUSTAIN_OK;
}

static void read_linear(const void *user, int64_t i, float *p, float *scratch) {
    (void)scratch;
    sustain__clean_source_row(user, SUSTAIN__SOURCE_PLAIN, i, p);
}

/* The same without Fourier features: baselines are simple. */
static sustain_status by_linear(baselines *b) {
    const sustain_clean *c = b->c;
    sustain__confident p = {.count = c->training.count, .classes = c->options.classes, .given = c->given, .read = read_linear, .user = c};
    sustain_status status = sustain__confident_create(c->context, &p);
    if (status == SUSTAIN_OK) status = by_probabilities(b, &p);
    sustain__confident_free(c->context, &p);
    return status;
}

static sustain_status by_classifiers(baselines *b) {
    SUSTAIN_TRY(all_labels(b));
    if (b->c->bilevel) SUSTAIN_TRY(trusted_then_drop(b));
    return self_confidence(b);
}

sustain_status sustain__clean_baselines(sustain_clean *c, int64_t issues, sustain_clean_score *scores) {
    const size_t n = (size_t)c->training.count, classes = c->features ? (size_t)c->options.classes : 0;
    const size_t size = c->features ? sustain__multiply((size_t)c->options.folds, (size_t)sustain__clean_size(c)) : 0;
    const size_t trusted = sustain__multiply((size_t)c->trusted.count, classes);
    baselines b = {.c = c, .drop = issues, .scores = scores};
    SUSTAIN_TRY(sustain__allocate(c->context,
                                  n * sizeof(int64_t) + sustain__multiply(size, sizeof(sustain_real)) +
                                      sustain__multiply(n, (classes + 2) * sizeof(float)) + sustain__multiply(trusted, sizeof(float)),
                                  &b.order));
    b.y = (sustain_real *)(void *)(b.order + n);
    b.views = (float *)(void *)(b.y + size);
    b.confidence = b.views + n * classes;
    b.keep = b.confidence + n;
    b.trusted_views = b.keep + n;
    sustain_status status = c->features ? by_classifiers(&b) : SUSTAIN_OK;
    if (status == SUSTAIN_OK) status = c->fourier.share > 0 ? by_linear(&b) : by_probabilities(&b, &c->confident);
    sustain__free(c->context, b.order);
    return status;
}
