/* clean_job.c - the life of a cleaning job: folds, problem, solver; and the scores that its parts
 * share. */
#include "jobs/clean_job.h"

#include <math.h>
#include <string.h>

#include <sustain/hyperclean.h>

#include "core/memory_internal.h"
#include "core/random_internal.h"
#include "core/sized.h"
#include "core/vector.h"
#include "problems/rows_internal.h"
#include "jobs/rank.h"

enum { FOLD_STREAM = 32 }; /* of random numbers: none of the solvers' */
enum { DEALT = 4096 };     /* rows whose places are computed together */

static const sustain_clean_options default_options = {
    .c = 0.001, .intercept = true, .folds = 5, .solver = "soba", .baselines = true, .fit_rows = 1 << 18};

void sustain_clean_defaults_for(size_t size, sustain_clean_options *options) {
    sustain__sized_fill(options, size, &default_options, sizeof default_options);
}

const char *sustain_clean_baseline_key(sustain_clean_baseline baseline) {
    static const char *const keys[] = {
#define KEY(name, key, title) #key,
        SUSTAIN_CLEAN_BASELINE_LIST(KEY)
#undef KEY
    };
    return (unsigned)baseline < SUSTAIN_CLEAN_BASELINE_COUNT ? keys[baseline] : "";
}

const char *sustain_clean_baseline_title(sustain_clean_baseline baseline) {
    static const char *const titles[] = {
#define TITLE(name, key, title) title,
        SUSTAIN_CLEAN_BASELINE_LIST(TITLE)
#undef TITLE
    };
    return (unsigned)baseline < SUSTAIN_CLEAN_BASELINE_COUNT ? titles[baseline] : "";
}

const char *sustain_clean_ranking_text(sustain_clean_ranking ranking) {
    static const char *const texts[] = {
        [SUSTAIN_CLEAN_RANKING_BLEND] = "posterior fitted on the verified rows",
        [SUSTAIN_CLEAN_RANKING_NOISE] = "posterior of the noise model",
        [SUSTAIN_CLEAN_RANKING_RATIO] = "ratio of probabilities",
        [SUSTAIN_CLEAN_RANKING_SELF] = "self-confidence",
        [SUSTAIN_CLEAN_RANKING_MARGIN] = "margin",
    };
    return (unsigned)ranking < sizeof texts / sizeof *texts ? texts[ranking] : "";
}

/* ---- folds ---- */

/* The rows in the order of their folds. */
static void put_in_order(int64_t folds, int64_t count, const int64_t *fold_of, sustain__folds *f) {
    memset(f->start, 0, (size_t)(folds + 1) * sizeof *f->start);
    for (int64_t i = 0; i < count; i++) f->start[fold_of[i] + 1]++;
    for (int64_t k = 0; k < folds; k++) f->start[k + 1] += f->start[k];
    for (int64_t i = 0; i < count; i++) f->order[f->start[fold_of[i]]++] = i;
    memmove(f->start + 1, f->start, (size_t)folds * sizeof *f->start); /* each start has moved to the end of its fold */
    f->start[0] = 0;
}

/* Deals rows out class by class, in random order. fold_of (count) gets the folds; dealt (classes)
 * is scratch. */
static void deal(const sustain_clean *c, uint64_t epoch, int64_t count, const int32_t *labels, int64_t *fold_of, int64_t *dealt) {
    memset(dealt, 0, (size_t)c->options.classes * sizeof *dealt);
    for (int64_t first = 0; first < count; first += DEALT) {
        int64_t row[DEALT];
        const int64_t some = count - first < DEALT ? count - first : DEALT;
        sustain__random_permuted_some((uint64_t)c->options.seed, FOLD_STREAM, epoch, first, some, count, row);
        for (int64_t j = 0; j < some; j++) fold_of[row[j]] = (dealt[labels[row[j]]]++ + labels[row[j]]) % c->options.folds;
    }
}

sustain_status sustain__clean_deal_trusted(sustain_clean *c, const uint32_t *folds) {
    const int64_t n = c->training.count, classes = c->options.classes, trusted = c->trusted.count;
    int64_t *fold_of;
    SUSTAIN_TRY(sustain__allocate(c->context, (size_t)(n + classes + trusted) * sizeof *fold_of, &fold_of));
    int64_t *fold_of_trusted = fold_of + n + classes;
    deal(c, 0, n, c->given, fold_of, fold_of + n);
    for (int64_t i = 0; i < trusted; i++) {
        const int64_t row = i < c->outside ? 0 : c->verified_rows[i - c->outside];
        const uint32_t kept = folds[i < c->outside ? i : c->outside + row];
        fold_of_trusted[i] = kept > 0 ? (int64_t)kept - 1 : fold_of[row];
    }
    put_in_order(c->options.folds, trusted, fold_of_trusted, &c->trusted_folds);
    sustain__free(c->context, fold_of);
    return SUSTAIN_OK;
}

/* Takes the verified rows out of the folds; returns how many rows are left. */
static int64_t leave_out_verified(const sustain_clean *c, sustain__folds *f) {
    int64_t left = 0, begin = 0;
    for (int64_t k = 0; k < c->options.folds; k++) {
        const int64_t end = f->start[k + 1];
        for (int64_t j = begin; j < end; j++)
            if (c->verified[f->order[j]] < 0) f->order[left++] = f->order[j];
        begin = end;
        f->start[k + 1] = left;
    }
    return left;
}

void sustain__clean_parts(const sustain_rows *rows, const sustain__folds *dealt, int64_t folds, sustain__some_rows *parts) {
    for (int64_t k = 0; k < folds; k++)
        parts[k] =
            (sustain__some_rows){.rows = rows, .index = dealt->order + dealt->start[k], .count = dealt->start[k + 1] - dealt->start[k]};
}

/* ---- what the parts share ---- */

int64_t sustain__clean_size(const sustain_clean *c) {
    return sustain__model_size(&(sustain__model){.dim = c->training.dim, .width = c->options.classes, .intercept = c->options.intercept});
}

void sustain__clean_confidence(const sustain_clean *c, const float *views, float *confidence) {
    for (int64_t i = 0; i < c->training.count; i++) confidence[i] = views[i * c->options.classes + c->given[i]];
}

double sustain__clean_trusted_share(const sustain_clean *c, const float *views) {
    int64_t right = 0;
    if (c->trusted.count == 0) return (double)NAN;
    for (int64_t i = 0; i < c->trusted.count; i++)
        right += sustain__likeliest(c->options.classes, views + i * c->options.classes) == c->right[i];
    return (double)right / (double)c->trusted.count;
}

/* The ranking of the rows that are not verified: of the others the answer is known. */
static sustain_status score_ranking(const sustain_clean *c, const float *quality, sustain_clean_score *score) {
    const sustain__known known = {
        .count = c->training.count, .given = c->given, .truth = c->options.truth, .verified = c->verified_count > 0 ? c->verified : NULL};
    return sustain__rank_score(c->context, &known, quality, quality == c->quality ? c->order : NULL, &score->auc,
                               &score->precision_at_errors);
}

void sustain__clean_score_flags(const sustain_clean *c, const uint8_t *flags, sustain_clean_score *score) {
    double flagged = 0, wrong = 0, both = 0;
    for (int64_t i = 0; i < c->training.count; i++) {
        if (sustain__clean_verified(c, i)) continue;
        const bool is_wrong = c->options.truth != NULL && c->given[i] != c->options.truth[i];
        flagged += flags[i] != 0, wrong += is_wrong, both += is_wrong && flags[i];
    }
    score->flagged = flagged;
    if (c->options.truth != NULL && flagged + wrong > 0) score->f1 = 2 * both / (flagged + wrong);
}

sustain_status sustain__clean_score(const sustain_clean *c, const float *quality, const sustain_real *y, sustain_clean_score *score) {
    const double unknown = (double)NAN;
    *score = (sustain_clean_score){unknown, unknown, unknown, unknown, unknown, unknown, unknown};
    if (c->options.truth != NULL && quality != NULL) SUSTAIN_TRY(score_ranking(c, quality, score));
    if (c->options.test != NULL && c->features && y != NULL) {
        const sustain_softmax_options o = sustain__clean_form(c, y);
        SUSTAIN_TRY(sustain__softmax_accuracy(c->context, &o, &c->test, y, &score->test_accuracy));
    }
    return SUSTAIN_OK;
}

/* ---- construction ---- */

static sustain_status check_options(sustain_context *context, const sustain_clean_options *o) {
    if (o->classes < 2)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "there must be at least 2 classes (there are %lld)", (long long)o->classes);
    if (o->folds < 2 || o->folds > SUSTAIN__MOST_FOLDS)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "folds must be 2 to %d (it is %lld)", SUSTAIN__MOST_FOLDS, (long long)o->folds);
    if (o->seed < 0) return sustain__fail(context, SUSTAIN_ARGUMENT, "the seed must not be negative (it is %lld)", (long long)o->seed);
    if (o->fit_rows < 0)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "fit_rows must not be negative (it is %lld)", (long long)o->fit_rows);
    if (o->batch < 0) return sustain__fail(context, SUSTAIN_ARGUMENT, "the batch must not be negative (it is %lld)", (long long)o->batch);
    if (o->solver == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "no solver is named: try \"sustain\"");
    if (o->pred_prob_count < 0 || o->pred_prob_count > SUSTAIN_CLEAN_MOST_PRED_PROBS || (o->pred_prob_count > 0 && o->pred_probs == NULL))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "at most %d sets of probabilities can be used (there are %d)",
                             SUSTAIN_CLEAN_MOST_PRED_PROBS, o->pred_prob_count);
    const bool share = o->flag == SUSTAIN_CLEAN_FLAG_PRECISION || o->flag == SUSTAIN_CLEAN_FLAG_RECALL;
    if ((share && !(o->flag_value > 0 && o->flag_value <= 1)) || (o->flag == SUSTAIN_CLEAN_FLAG_COUNT && !(o->flag_value >= 0)))
        return sustain__fail(context, SUSTAIN_ARGUMENT,
                             "what to flag: a precision or recall is above 0 and at most 1, a count not negative (it is %g)",
                             o->flag_value);
    return SUSTAIN_OK;
}

static sustain_status allocate_folds(sustain_clean *c, int64_t count, sustain__folds *f) {
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, f->order, count));
    return SUSTAIN__CLEAN_ALLOCATE(c, f->start, c->options.folds + 1);
}

static sustain_status allocate_all(sustain_clean *c) {
    const int64_t n = c->training.count, trusted = c->trusted.count, classes = c->options.classes;
    const size_t size = c->features ? (size_t)sustain__clean_size(c) : 0;
    const size_t wide = sustain__multiply((size_t)n, (size_t)classes), trusted_wide = sustain__multiply((size_t)trusted, (size_t)classes);
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->right, trusted));
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->confused, classes * classes));
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->noise, classes * classes));
    if (!c->sampled) { /* else clean_sample.c does it, one after the other */
        SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->quality, n));
        SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->other, n));
        SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->is_issue, n));
        SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->order, n));
        SUSTAIN_TRY(allocate_folds(c, n, &c->training_folds));
        SUSTAIN_TRY(allocate_folds(c, trusted, &c->trusted_folds));
    }
    if (!c->features) return SUSTAIN_OK;
    for (int m = 0; m < SUSTAIN__SOURCES_OWN && !c->sampled; m++) {
        if (!sustain__clean_computes(c, m)) continue;
        if (c->is_sample) SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->source[m].folds_y, sustain__multiply((size_t)c->options.folds, size)));
        SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->source[m].views, wide));
        SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->source[m].trusted_views, trusted_wide));
        SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->source[m].y, size));
    }
    if (sustain__clean_tries_fourier(c)) SUSTAIN_TRY(sustain__clean_fourier_allocate(c));
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->dropped_y, size));
    if (sustain__clean_keeps_models(c)) {
        SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->models, sustain__multiply((size_t)sustain__clean_models(c), size)));
        SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->scores, SUSTAIN_CLEAN_BASELINE_COUNT));
    }
    return SUSTAIN__CLEAN_ALLOCATE(c, c->y, size);
}

/* Labels by row number, classes counted, folds dealt. */
static sustain_status look_at_labels(sustain_clean *c) {
    const int64_t n = c->training.count, trusted = c->trusted.count, classes = c->options.classes, most = n > trusted ? n : trusted;
    int64_t *scratch;
    c->given = c->training.labels;
    if (c->training.stored < n) {
        SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->given_copy, n));
        for (int64_t i = 0; i < n; i++) c->given_copy[i] = c->training.labels[sustain__rows_place(&c->training, i)];
        c->given = c->given_copy;
    }
    for (int64_t i = 0; i < trusted; i++) c->right[i] = c->trusted.labels[sustain__rows_place(&c->trusted, i)];
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, scratch, (size_t)(c->sampled ? 0 : most) + 2 * (size_t)classes));
    const sustain_status status = sustain__clean_check_classes(c, scratch);
    for (int32_t k = 1; k < classes; k++)
        if (scratch[k] > scratch[c->frequent]) c->frequent = k;
    if (status == SUSTAIN_OK && !c->sampled) {
        deal(c, 0, n, c->given, scratch + classes, scratch);
        put_in_order(c->options.folds, n, scratch + classes, &c->training_folds);
        c->unverified = leave_out_verified(c, &c->training_folds);
        deal(c, 1, trusted, c->right, scratch + classes, scratch);
        put_in_order(c->options.folds, trusted, scratch + classes, &c->trusted_folds);
    }
    sustain__free(c->context, scratch);
    return status;
}

static sustain_status make_solver(sustain_clean *c, const sustain_rows *training) {
    const sustain_clean_options *o = &c->options;
    const sustain_hyperclean_options h = {.classes = o->classes, .c = o->c, .intercept = o->intercept};
    SUSTAIN_TRY(sustain_hyperclean_create(c->context, &h, training, &c->trusted, &c->problem));
    SUSTAIN_TRY(sustain_solver_create(c->context, o->solver, c->problem, &c->solver));
    return sustain__clean_set_up(c);
}

/* Refuses at once what cannot fit. */
static sustain_status check_memory(const sustain_clean *c) {
    const sustain_memory estimate = sustain__clean_memory(c);
    sustain_memory all = {.size = sizeof all};
    SUSTAIN_TRY(sustain__memory_give(c->context, &estimate, &all));
    return sustain_memory_check(c->context, &all);
}

static sustain_status build(sustain_clean *c, const sustain_rows *training, const sustain_rows *trusted) {
    const sustain_clean_options *o = &c->options;
    SUSTAIN_TRY(sustain__clean_take(c, training, trusted));
    SUSTAIN_TRY(check_memory(c));
    SUSTAIN_TRY(allocate_all(c));
    SUSTAIN_TRY(look_at_labels(c));
    if (!c->features) return SUSTAIN_OK;
    c->mean_square = sustain__rows_mean_square(&c->training) + (o->intercept ? 1 : 0);
    return c->bilevel && !o->group_weights_only && !c->is_sample ? make_solver(c, training) : SUSTAIN_OK;
}

static sustain_status create(sustain_context *context, const sustain_clean_options *options, const sustain_rows *training,
                             const sustain_rows *trusted, bool is_sample, sustain_clean **out) {
    const size_t before = context->memory_used;
    sustain_clean *c;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *c, &c));
    c->context = context;
    c->memory_before = before;
    c->options = *options;
    c->is_sample = is_sample;
    const sustain_status status = build(c, training, trusted);
    c->options.solver = NULL; /* borrowed for the call */
    if (status == SUSTAIN_OK)
        *out = c;
    else
        sustain_clean_destroy(c);
    return status;
}

sustain_status sustain_clean_create(sustain_context *context, const sustain_clean_options *options, const sustain_rows *training,
                                    const sustain_rows *trusted, sustain_clean **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    if (options == NULL || training == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "the options or the training rows are NULL");
    sustain_clean_options given = default_options;
    SUSTAIN_TRY(
        sustain__sized_take(context, "the options", options, SUSTAIN__SIZE_THROUGH(sustain_clean_options, test), &given, sizeof given));
    SUSTAIN_TRY(check_options(context, &given));
    return create(context, &given, training, trusted, false, out);
}

sustain_status sustain__clean_create_sample(sustain_context *context, const sustain_clean_options *options, const sustain_rows *training,
                                            const sustain_rows *trusted, sustain_clean **out) {
    return create(context, options, training, trusted, true, out);
}

void sustain_clean_destroy(sustain_clean *c) {
    if (c == NULL) return;
    sustain_context *context = c->context;
    sustain_solver_destroy(c->solver);
    sustain_hyperclean_destroy(c->problem);
    sustain__confident_free(context, &c->confident);
    for (int m = 0; m <= SUSTAIN__SOURCE_FOURIER; m++) { /* of a file all are NULL */
        sustain__free(context, c->source[m].views);
        sustain__free(context, c->source[m].trusted_views);
        sustain__free(context, c->source[m].y);
        sustain__free(context, c->source[m].folds_y);
    }
    sustain__blend_free(context, &c->blend);
    void *const blocks[] = {c->given_copy,
                            c->right,
                            c->training_folds.order,
                            c->training_folds.start,
                            c->trusted_folds.order,
                            c->trusted_folds.start,
                            c->weight,
                            c->quality,
                            c->other,
                            c->is_issue,
                            c->order,
                            c->verified,
                            c->verified_rows,
                            c->drawn,
                            c->gathered,
                            c->confused,
                            c->threshold,
                            c->noise,
                            c->y,
                            c->dropped_y,
                            c->models,
                            c->start,
                            c->earlier,
                            c->scores,
                            c->group,
                            c->group_weight,
                            c->fourier.waves,
                            c->fourier.values,
                            c->fourier.trusted_values,
                            c->fourier.y,
                            c->fourier.last,
                            c};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) sustain__free(context, blocks[i]);
}

const sustain_problem *sustain_clean_problem(const sustain_clean *clean) {
    if (clean == NULL) return NULL;
    return clean->problem;
}

sustain_solver *sustain_clean_solver(sustain_clean *clean) {
    if (clean == NULL) return NULL;
    return clean->solver;
}

sustain_status sustain_clean_trusted_accuracy(sustain_clean *c, const sustain_real *y, double *accuracy) {
    if (c == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(c->context, y, "y"));
    SUSTAIN_TRY(sustain__need(c->context, accuracy, "accuracy"));
    if (!c->bilevel) return sustain__fail(c->context, SUSTAIN_ARGUMENT, "there are no trusted rows with features");
    const sustain_softmax_options o = sustain__clean_fit_options(c, 1);
    return sustain__softmax_accuracy(c->context, &o, &c->trusted, y, accuracy);
}
