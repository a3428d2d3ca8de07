/* clean_finish.c - from weights to the result:
 *
 *   1. sources: what classifiers say of each row that were not trained on its label, and how labels
 *      go wrong (clean_own_sources.c, clean_fourier.c)
 *   2. the verdict: which labels look wrong, and how many are (clean_verdict.c)
 *   3. one more source, on the labels that the verdict suggests; where it helps, the verdict again
 *   4. the last classifier, a blend of all (clean_last.c)
 *   5. the ranking, with the help of classifiers on all rows (clean_rank.c)
 *   6. scores, baselines (clean_baselines.c), weights of groups (group_weights.c) */
#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "core/vector.h"
#include "jobs/clean_finish.h"

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
static sustain_status score_channel(sustain__finishing *f) {
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
    if (c->features) r->model = sustain__clean_form(c, c->y);
    return compare_with_truth(c, r);
}

static void read_plain(const void *user, int64_t i, float *p, float *scratch) {
    sustain__clean_plain_row(user, i, p, scratch);
}

bool sustain__clean_by_heart(const sustain_clean *c) {
    return c->training.dim >= c->training.count;
}

/* Whether the corrected labels have a part in the ranking. Where nothing was checked they are all
 * of it. Where rows have more features than there are rows (text), a classifier learns wrong labels
 * by heart and this is a large gain. Elsewhere it is none: the labels were corrected with the help
 * of the trusted rows, on which the shares of the sources are fitted. */
static bool ranks_by_corrected(const sustain__finishing *f) {
    const sustain_clean *c = f->c;
    if (f->result->ranking == SUSTAIN_CLEAN_RANKING_RATIO) return sustain__clean_ratio_source(c, f->result) == SUSTAIN__SOURCE_CORRECTED;
    return sustain__clean_by_heart(c);
}

static sustain_status compute(sustain__finishing *f, const sustain_real *y) {
    sustain_clean *c = f->c;
    for (int m = 0; m < SUSTAIN__SOURCES_OWN; m++) c->source[m].known = false;
    if (c->features) {
        SUSTAIN_TRY(sustain__clean_choose_prior(c, f->views, f->y));
        SUSTAIN_TRY(sustain__clean_plain_source(f));
        SUSTAIN_TRY(sustain__clean_fourier_source(f));
    }
    sustain__confident_free(c->context, &c->confident);
    c->confident =
        (sustain__confident){.count = c->training.count, .classes = c->options.classes, .given = c->given, .read = read_plain, .user = c};
    SUSTAIN_TRY(sustain__confident_create(c->context, &c->confident));
    if (c->bilevel) SUSTAIN_TRY(sustain__clean_bilevel_sources(f, y));
    SUSTAIN_TRY(sustain__clean_verdict(c, f->result));
    if (sustain__clean_computes(c, SUSTAIN__SOURCE_CORRECTED)) {
        SUSTAIN_TRY(sustain__clean_corrected_source(f));
        if (ranks_by_corrected(f)) {
            *f->result = (sustain_clean_result){0};
            SUSTAIN_TRY(sustain__clean_verdict(c, f->result));
        }
    }
    f->result->trusted_accuracy = (double)NAN;
    if (c->features) SUSTAIN_TRY(sustain__clean_last(f));
    return sustain__clean_rank(f);
}

static sustain_status finish(sustain__finishing *f, const sustain_real *y) {
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
    sustain__finishing f = {.c = c, .result = result};
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
