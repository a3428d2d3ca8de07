/* clean_take.c - what a cleaning job is given: rows, verified labels, probabilities, groups;
 * checked, and copied where they are borrowed for the call alone. */
#include "jobs/clean_job.h"
#include "problems/rows_internal.h"

static sustain_status take(sustain_clean *c, const char *called, const sustain_rows *rows, sustain_rows *out) {
    const sustain__wanted_rows wanted = {.called = called, .labels = SUSTAIN__LABELS_CLASSES, .classes = c->options.classes};
    double largest;
    if (rows->dim != c->training.dim)
        return sustain__fail(c->context, SUSTAIN_ARGUMENT, "the training rows have %lld features, the %s rows %lld",
                             (long long)c->training.dim, called, (long long)rows->dim);
    return sustain__rows_take(c->context, rows, &wanted, &largest, out);
}

/* Probabilities as many and as wide as the rows; sums and ranges are checked as well. */
static sustain_status check_probabilities(const sustain_clean *c, const sustain_probabilities *p, const char *rows, int64_t count) {
    const char *source = p != NULL && p->source != NULL ? p->source : "the probabilities";
    if (p == NULL) return sustain__fail(c->context, SUSTAIN_ARGUMENT, "a set of probabilities is NULL");
    if (p->count != count)
        return sustain__fail(c->context, SUSTAIN_ARGUMENT,
                             "%s has %lld rows, but there are %lld %s rows: one row of probabilities for each is needed", source,
                             (long long)p->count, (long long)count, rows);
    if (p->classes != c->options.classes)
        return sustain__fail(
            c->context, SUSTAIN_ARGUMENT,
            "%s has %lld columns, but the labels have %lld classes: one column for each class, in the order of the classes, is needed",
            source, (long long)p->classes, (long long)c->options.classes);
    return p->memory != NULL ? SUSTAIN_OK
                             : sustain_probabilities_check(c->context, p); /* those of a file were checked when they were read */
}

static sustain_status take_probabilities(sustain_clean *c) {
    const sustain_clean_options *o = &c->options;
    for (int f = 0; f < o->pred_prob_count; f++) {
        sustain__clean_source *s = &c->source[SUSTAIN__SOURCES_OWN + f];
        s->known = true;
        s->file = o->pred_probs[f];
        SUSTAIN_TRY(check_probabilities(c, s->file, "training", c->training.count));
        s->name = s->file->source != NULL ? s->file->source : "given probabilities";
        if (o->trusted_pred_probs == NULL) continue;
        s->trusted_file = o->trusted_pred_probs[f];
        SUSTAIN_TRY(check_probabilities(c, s->trusted_file, "trusted", c->outside));
    }
    return SUSTAIN_OK;
}

static sustain_status take_verified(sustain_clean *c) {
    const int64_t n = c->training.count;
    const int32_t *verified = c->options.verified;
    const uint8_t *drawn = c->options.verified_drawn;
    const bool random = c->options.verified_are == SUSTAIN_VERIFIED_RANDOM;
    c->options.verified = NULL, c->options.verified_drawn = NULL; /* borrowed for the call */
    if (verified == NULL && c->sampled) return SUSTAIN_OK;
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->verified, n));
    for (int64_t i = 0; i < n; i++) {
        c->verified[i] = verified != NULL ? verified[i] : -1;
        if (c->verified[i] < -1 || c->verified[i] >= c->options.classes)
            return sustain__fail(c->context, SUSTAIN_ARGUMENT,
                                 "the verified label of row %lld is %ld, neither -1 (not checked) nor one of 0 to %lld", (long long)i,
                                 (long)c->verified[i], (long long)(c->options.classes - 1));
        c->verified_count += c->verified[i] >= 0;
    }
    SUSTAIN_TRY(sustain__allocate(c->context, sustain__multiply((size_t)c->verified_count, sizeof *c->verified_rows), &c->verified_rows));
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->drawn, c->verified_count));
    for (int64_t i = 0, v = 0; i < n; i++) {
        if (c->verified[i] < 0) continue;
        c->drawn_count += c->drawn[v] = random || (drawn != NULL && drawn[i] != 0);
        c->verified_rows[v++] = i;
    }
    return SUSTAIN_OK;
}

sustain_status sustain__clean_check_classes(const sustain_clean *c, int64_t *counts) {
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
        if (c->trusted.count > 0 && counts[k] > 0 && counts[classes + k] == 0)
            sustain__log(c->context, "clean: class %lld (from 0, in sorted order) has no trusted row: its labels cannot be checked",
                         (long long)k);
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

/* The training rows: with features, checked, or labels alone. */
static sustain_status take_training(sustain_clean *c, const sustain_rows *training) {
    c->features = training->dim > 0;
    c->training = *training;
    if (c->features) {
        SUSTAIN_TRY(take(c, "training", training, &c->training));
        return c->is_sample ? SUSTAIN_OK : sustain__rows_differ(c->context, &c->training);
    }
    if (c->options.pred_prob_count == 0)
        return sustain__fail(c->context, SUSTAIN_ARGUMENT, "there are labels alone: features or probabilities are needed");
    if (training->count < 1 || training->labels == NULL) return sustain__fail(c->context, SUSTAIN_ARGUMENT, "there are no training labels");
    if (c->training.stored == 0) c->training.stored = training->count;
    for (int64_t i = 0; i < training->count; i++) {
        const int32_t label = training->labels[sustain__rows_place(&c->training, i)];
        if (label < 0 || label >= c->options.classes)
            return sustain__fail(c->context, SUSTAIN_ARGUMENT, "the label of training row %lld is %ld, not one of 0 to %lld", (long long)i,
                                 (long)label, (long long)(c->options.classes - 1));
    }
    return SUSTAIN_OK;
}

/* Those from elsewhere, and the verified ones. Without features labels are all that there is. */
static sustain_status take_trusted(sustain_clean *c, const sustain_rows *trusted) {
    sustain_rows outside = {.dim = c->training.dim};
    if (trusted != NULL && trusted->count > 0 && c->features)
        SUSTAIN_TRY(take(c, "trusted", trusted, &outside));
    else if (trusted != NULL && trusted->count > 0)
        outside = *trusted, outside.stored = outside.stored > 0 ? outside.stored : outside.count, outside.dim = 0;
    c->outside = outside.count;
    c->trusted = outside;
    if (c->verified_count > 0) SUSTAIN_TRY(sustain__clean_gather(c, &outside));
    return SUSTAIN_OK;
}

/* With fewer classes than rows, one has two of them. */
static sustain_status check_labels_repeat(const sustain_clean *c) {
    const int64_t n = c->training.count, classes = c->options.classes;
    uint8_t *seen;
    if (classes < n || c->outside + c->verified_count > 0 || c->options.pred_prob_count > 0) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__allocate(c->context, (size_t)classes, &seen));
    int64_t i = 0;
    while (i < n && seen[c->training.labels[sustain__rows_place(&c->training, i)]]++ == 0) i++;
    sustain__free(c->context, seen);
    if (i < n) return SUSTAIN_OK;
    return sustain__fail(c->context, SUSTAIN_ARGUMENT,
                         "each of the %lld training rows has a label of its own, so that no row says anything of another", (long long)n);
}

static sustain_status check_counts(const sustain_clean *c) {
    const int64_t folds = c->options.folds;
    SUSTAIN_TRY(check_labels_repeat(c));
    if (c->verified_count == c->training.count)
        return sustain__fail(c->context, SUSTAIN_ARGUMENT, "all %lld training rows are verified: none is left to check",
                             (long long)c->training.count);
    if (c->training.count - c->verified_count < folds)
        return sustain__fail(c->context, SUSTAIN_ARGUMENT, "there are %lld training rows that are not verified, fewer than the %lld folds",
                             (long long)(c->training.count - c->verified_count), (long long)folds);
    if (c->outside > 0 && c->trusted.count < folds)
        return sustain__fail(c->context, SUSTAIN_ARGUMENT, "there are %lld trusted rows, fewer than the %lld folds",
                             (long long)c->trusted.count, (long long)folds);
    return SUSTAIN_OK;
}

/* A copy of the groups, where weights can be learned for them. */
static sustain_status take_groups(sustain_clean *c) {
    const sustain_clean_options *o = &c->options;
    const int32_t *group = o->group;
    c->options.group = NULL; /* borrowed for the call */
    if (o->group_weights_only && (o->groups < 1 || !c->bilevel))
        return sustain__fail(c->context, SUSTAIN_ARGUMENT,
                             o->groups < 1 ? "weights of groups are wanted, but there are no groups"
                                           : "weights of groups need features, and trusted or verified rows: as many as folds at least");
    if (o->groups < 1) return SUSTAIN_OK;
    if (group == NULL) return sustain__fail(c->context, SUSTAIN_ARGUMENT, "there are %lld groups, but group is NULL", (long long)o->groups);
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->group, c->training.count));
    for (int64_t i = 0; i < c->training.count; i++) {
        c->group[i] = group[i];
        if (group[i] < 0 || group[i] >= o->groups)
            return sustain__fail(c->context, SUSTAIN_ARGUMENT, "the group of training row %lld is %ld, not one of 0 to %lld", (long long)i,
                                 (long)group[i], (long long)(o->groups - 1));
    }
    return c->bilevel ? SUSTAIN__CLEAN_ALLOCATE(c, c->group_weight, 3 * o->groups) : SUSTAIN_OK;
}

sustain_status sustain__clean_take(sustain_clean *c, const sustain_rows *training, const sustain_rows *trusted) {
    const sustain_clean_options *o = &c->options;
    SUSTAIN_TRY(take_training(c, training));
    c->sampled = o->fit_rows > 0 && c->training.count > o->fit_rows && !o->group_weights_only;
    SUSTAIN_TRY(take_verified(c));
    SUSTAIN_TRY(take_trusted(c, trusted));
    SUSTAIN_TRY(take_probabilities(c));
    if (o->test != NULL && c->features) SUSTAIN_TRY(take(c, "test", o->test, &c->test));
    SUSTAIN_TRY(check_counts(c));
    SUSTAIN_TRY(check_truth(c));
    /* The worst rows of a ranking alone say little of the others: nearly all of them are wrong. */
    const int64_t known = o->verified_are == SUSTAIN_VERIFIED_WORST_FIRST ? c->outside : c->trusted.count;
    c->bilevel = c->features && known >= o->folds;
    return take_groups(c);
}
