/* clean_job.c - the life of a cleaning job: checks, problem, solver, folds. */
#include "jobs/clean_job.h"

#include <math.h>
#include <string.h>

#include <sustain/hyperclean.h>
#include <sustain/random.h>

#include "core/sized.h"
#include "core/vector.h"
#include "problems/rows_internal.h"
#include "jobs/rank.h"

enum { FOLD_STREAM = 32 }; /* of random numbers: none of the solvers' */
#define EXPECTED_SCORE \
    4 /* scores, before the softmax, are expected to be about this large: 4 is a probability of 0.98 against one other class */

static const sustain_clean_options default_options = {.c = 0.001, .intercept = true, .folds = 5, .solver = "soba", .baselines = true};

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

/* ---- folds ---- */

/* Deals rows out class by class, in random order. fold_of (count) and dealt (classes) are scratch. */
static void deal(const sustain_clean *c, uint64_t epoch, int64_t count, const int32_t *labels, sustain__folds *f, int64_t *fold_of,
                 int64_t *dealt) {
    const int64_t folds = c->options.folds;
    memset(dealt, 0, (size_t)c->options.classes * sizeof *dealt);
    memset(f->start, 0, (size_t)(folds + 1) * sizeof *f->start);
    for (int64_t j = 0; j < count; j++) {
        const int64_t i = sustain_random_permuted((uint64_t)c->options.seed, FOLD_STREAM, epoch, j, count);
        fold_of[i] = (dealt[labels[i]]++ + labels[i]) % folds;
        f->start[fold_of[i] + 1]++;
    }
    for (int64_t k = 0; k < folds; k++) f->start[k + 1] += f->start[k];
    for (int64_t i = 0; i < count; i++) f->order[f->start[fold_of[i]]++] = i;
    memmove(f->start + 1, f->start, (size_t)folds * sizeof *f->start); /* each start has moved to the end of its fold */
    f->start[0] = 0;
}

void sustain__clean_parts(const sustain_rows *rows, const sustain__folds *dealt, int64_t folds, sustain__some_rows *parts) {
    for (int64_t k = 0; k < folds; k++)
        parts[k] =
            (sustain__some_rows){.rows = rows, .index = dealt->order + dealt->start[k], .count = dealt->start[k + 1] - dealt->start[k]};
}

/* ---- what the parts share ---- */

sustain_softmax_options sustain__clean_fit_options(const sustain_clean *c, double rows) {
    sustain_softmax_options o = sustain_softmax_defaults();
    o.classes = c->options.classes;
    o.intercept = c->options.intercept;
    /* A normal prior of y under which a score has the deviation EXPECTED_SCORE: |y|^2 mean_square / (2 score^2), divided by the rows. */
    o.c = c->mean_square / (2 * EXPECTED_SCORE * EXPECTED_SCORE * rows);
    return o;
}

int64_t sustain__clean_size(const sustain_clean *c) {
    return sustain__model_size(&(sustain__model){.dim = c->training.dim, .width = c->options.classes, .intercept = c->options.intercept});
}

void sustain__clean_confidence(const sustain_clean *c, const float *views, float *confidence) {
    for (int64_t i = 0; i < c->training.count; i++) confidence[i] = views[i * c->options.classes + c->given[i]];
}

double sustain__clean_trusted_accuracy(const sustain_clean *c) {
    int64_t right = 0;
    for (int64_t i = 0; i < c->trusted.count; i++)
        right += sustain__likeliest(c->options.classes, c->trusted_views + i * c->options.classes) == c->right[i];
    return (double)right / (double)c->trusted.count;
}

sustain_status sustain__clean_score(const sustain_clean *c, const float *quality, const sustain_real *y, sustain_clean_score *score) {
    const double unknown = (double)NAN;
    *score = (sustain_clean_score){unknown, unknown, unknown, unknown, unknown};
    if (c->options.truth != NULL && quality != NULL)
        SUSTAIN_TRY(sustain_clean_rank_score(c->context, c->training.count, quality, c->given, c->options.truth, &score->auc,
                                             &score->precision_at_errors));
    if (c->options.test != NULL && y != NULL) {
        const sustain_softmax_options o = sustain__clean_fit_options(c, 1);
        SUSTAIN_TRY(sustain__softmax_accuracy(c->context, &o, &c->test, y, &score->test_accuracy));
    }
    return SUSTAIN_OK;
}

/* ---- checks ---- */

static sustain_status take(sustain_clean *c, const char *called, const sustain_rows *rows, sustain_rows *out) {
    const sustain__wanted_rows wanted = {.called = called, .labels = SUSTAIN__LABELS_CLASSES, .classes = c->options.classes};
    double largest;
    if (rows->dim != c->training.dim)
        return sustain__fail(c->context, SUSTAIN_ARGUMENT, "the training rows have %lld features, the %s rows %lld",
                             (long long)c->training.dim, called, (long long)rows->dim);
    return sustain__rows_take(c->context, rows, &wanted, &largest, out);
}

static sustain_status check_options(sustain_context *context, const sustain_clean_options *o) {
    if (o->classes < 2)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "there must be at least 2 classes (there are %lld)", (long long)o->classes);
    if (o->folds < 2 || o->folds > SUSTAIN__MOST_FOLDS)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "folds must be 2 to %d (it is %lld)", SUSTAIN__MOST_FOLDS, (long long)o->folds);
    if (o->seed < 0) return sustain__fail(context, SUSTAIN_ARGUMENT, "the seed must not be negative (it is %lld)", (long long)o->seed);
    if (o->batch < 0) return sustain__fail(context, SUSTAIN_ARGUMENT, "the batch must not be negative (it is %lld)", (long long)o->batch);
    if (o->solver == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "no solver is named: try \"sustain\"");
    return SUSTAIN_OK;
}

/* counts (2, classes): training and trusted rows of each class. */
static sustain_status check_classes(const sustain_clean *c, int64_t *counts) {
    const int64_t classes = c->options.classes;
    int64_t present = 0;
    for (int64_t i = 0; i < c->training.count; i++) counts[c->given[i]]++;
    for (int64_t i = 0; i < c->trusted.count; i++) {
        counts[classes + c->right[i]]++;
        if (counts[c->right[i]] == 0)
            return sustain__fail(c->context, SUSTAIN_ARGUMENT,
                                 "trusted row %lld has the label %ld, which no training row has: are the labels of both numbered alike?",
                                 (long long)i, (long)c->right[i]);
    }
    for (int64_t k = 0; k < classes; k++) {
        present += counts[k] > 0;
        if (counts[k] > 0 && counts[classes + k] == 0)
            sustain__log(c->context, "clean: class %lld has no trusted row: nothing vouches for its labels", (long long)k);
    }
    if (present < 2)
        return sustain__fail(c->context, SUSTAIN_ARGUMENT, "all training labels are %ld: there must be at least two classes",
                             (long)c->given[0]);
    return SUSTAIN_OK;
}

static sustain_status check_truth(const sustain_clean *c) {
    for (int64_t i = 0; i < c->training.count && c->options.truth != NULL; i++)
        if (c->options.truth[i] < 0 || c->options.truth[i] >= c->options.classes)
            return sustain__fail(c->context, SUSTAIN_ARGUMENT, "the true label of training row %lld is %ld, not one of 0 to %lld",
                                 (long long)i, (long)c->options.truth[i], (long long)(c->options.classes - 1));
    return SUSTAIN_OK;
}

/* ---- construction ---- */

#define ALLOCATE(place, count) sustain__allocate(c->context, sustain__multiply((size_t)(count), sizeof *(place)), &(place))

static sustain_status allocate_folds(sustain_clean *c, int64_t count, sustain__folds *f) {
    SUSTAIN_TRY(ALLOCATE(f->order, count));
    return ALLOCATE(f->start, c->options.folds + 1);
}

static sustain_status allocate_all(sustain_clean *c) {
    const int64_t n = c->training.count, trusted = c->trusted.count, classes = c->options.classes;
    SUSTAIN_TRY(ALLOCATE(c->given, n));
    SUSTAIN_TRY(ALLOCATE(c->right, trusted));
    SUSTAIN_TRY(allocate_folds(c, n, &c->training_folds));
    SUSTAIN_TRY(allocate_folds(c, trusted, &c->trusted_folds));
    SUSTAIN_TRY(ALLOCATE(c->weight, n));
    SUSTAIN_TRY(ALLOCATE(c->quality, n));
    SUSTAIN_TRY(ALLOCATE(c->suggested, n));
    SUSTAIN_TRY(ALLOCATE(c->is_issue, n));
    SUSTAIN_TRY(ALLOCATE(c->order, n));
    SUSTAIN_TRY(ALLOCATE(c->views, sustain__multiply((size_t)n, (size_t)classes)));
    SUSTAIN_TRY(ALLOCATE(c->trusted_views, sustain__multiply((size_t)trusted, (size_t)classes)));
    SUSTAIN_TRY(ALLOCATE(c->confused, classes * classes));
    SUSTAIN_TRY(ALLOCATE(c->noise, classes * classes));
    return ALLOCATE(c->y, sustain__clean_size(c));
}

/* Labels by row number, classes counted, folds dealt. */
static sustain_status look_at_labels(sustain_clean *c) {
    const int64_t n = c->training.count, trusted = c->trusted.count, classes = c->options.classes, most = n > trusted ? n : trusted;
    int64_t *scratch;
    for (int64_t i = 0; i < n; i++) c->given[i] = c->training.labels[sustain__rows_place(&c->training, i)];
    for (int64_t i = 0; i < trusted; i++) c->right[i] = c->trusted.labels[sustain__rows_place(&c->trusted, i)];
    SUSTAIN_TRY(ALLOCATE(scratch, (size_t)most + 2 * (size_t)classes));
    const sustain_status status = check_classes(c, scratch);
    if (status == SUSTAIN_OK) {
        deal(c, 0, n, c->given, &c->training_folds, scratch + classes, scratch);
        deal(c, 1, trusted, c->right, &c->trusted_folds, scratch + classes, scratch);
    }
    sustain__free(c->context, scratch);
    return status;
}

static sustain_status build(sustain_clean *c, const sustain_rows *training, const sustain_rows *trusted) {
    const sustain_clean_options *o = &c->options;
    const sustain_hyperclean_options h = {.classes = o->classes, .c = o->c, .intercept = o->intercept};
    SUSTAIN_TRY(sustain_hyperclean_create(c->context, &h, training, trusted, &c->problem)); /* looks at every number */
    c->training = *training;
    SUSTAIN_TRY(take(c, "training", training, &c->training));
    SUSTAIN_TRY(take(c, "trusted", trusted, &c->trusted));
    if (o->test != NULL) SUSTAIN_TRY(take(c, "test", o->test, &c->test));
    for (int i = 0; i < 2; i++) {
        const int64_t count = i == 0 ? c->training.count : c->trusted.count;
        if (count < o->folds)
            return sustain__fail(c->context, SUSTAIN_ARGUMENT, "there are %lld %s rows, fewer than the %lld folds", (long long)count,
                                 i == 0 ? "training" : "trusted", (long long)o->folds);
    }
    SUSTAIN_TRY(check_truth(c));
    SUSTAIN_TRY(allocate_all(c));
    SUSTAIN_TRY(look_at_labels(c));
    c->mean_square = sustain__rows_mean_square(&c->training) + (o->intercept ? 1 : 0);
    SUSTAIN_TRY(sustain_solver_create(c->context, o->solver, c->problem, &c->solver));
    return sustain__clean_set_up(c);
}

sustain_status sustain_clean_create(sustain_context *context, const sustain_clean_options *options, const sustain_rows *training,
                                    const sustain_rows *trusted, sustain_clean **out) {
    if (out == NULL) return SUSTAIN_ARGUMENT;
    *out = NULL;
    if (context == NULL) return SUSTAIN_ARGUMENT;
    if (options == NULL || training == NULL || trusted == NULL)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the options, the training rows or the trusted rows are NULL");
    sustain_clean_options given = default_options;
    SUSTAIN_TRY(
        sustain__sized_take(context, "the options", options, SUSTAIN__SIZE_THROUGH(sustain_clean_options, test), &given, sizeof given));
    SUSTAIN_TRY(check_options(context, &given));
    sustain_clean *c;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *c, &c));
    c->context = context;
    c->options = given;
    const sustain_status status = build(c, training, trusted);
    c->options.solver = NULL; /* borrowed for the call */
    if (status == SUSTAIN_OK)
        *out = c;
    else
        sustain_clean_destroy(c);
    return status;
}

void sustain_clean_destroy(sustain_clean *c) {
    if (c == NULL) return;
    sustain_context *context = c->context;
    sustain_solver_destroy(c->solver);
    sustain_hyperclean_destroy(c->problem);
    void *const blocks[] = {c->given,
                            c->right,
                            c->training_folds.order,
                            c->training_folds.start,
                            c->trusted_folds.order,
                            c->weight,
                            c->quality,
                            c->trusted_folds.start,
                            c->views,
                            c->trusted_views,
                            c->suggested,
                            c->is_issue,
                            c->order,
                            c->confused,
                            c->noise,
                            c->y,
                            c};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) sustain__free(context, blocks[i]);
}

const sustain_problem *sustain_clean_problem(const sustain_clean *clean) {
    return clean->problem;
}

sustain_solver *sustain_clean_solver(sustain_clean *clean) {
    return clean->solver;
}

sustain_status sustain_clean_trusted_accuracy(sustain_clean *c, const sustain_real *y, double *accuracy) {
    const sustain_softmax_options o = sustain__clean_fit_options(c, 1);
    return sustain__softmax_accuracy(c->context, &o, &c->trusted, y, accuracy);
}
