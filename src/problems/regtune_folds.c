/* regtune_folds.c - penalties of a linear model, tuned by cross-validation: F models at once, each
 * fitted without one part of the rows.
 *
 *   f(y) = mean over rows i of L(a_i'y_{fold(i)}, b_i),     g(x,y) = sum over k of (mean over rows of other folds of L(a_i'y_k, b_i) + penalty of y_k)
 *
 * As a linear model this has F times the scores, of which a row has some at each level: model k
 * gives row i the weight
 *
 *   upper   1 where k = fold(i), else 0          lower   n / (n - n_k) where k is another fold, else 0
 *
 * so that both levels are means over all rows. The lower level consists of F independent fits that
 * share only x. */
#include "problems/regtune_internal.h"

typedef sustain__regtune regtune;

sustain_status sustain__regtune_check_folds(sustain_context *context, const sustain_regtune_options *o, const sustain_rows *training,
                                            const sustain_rows *validation) {
    int64_t count[SUSTAIN_REGTUNE_FOLDS] = {0};
    if (o->folds == 0) return SUSTAIN_OK;
    if (o->folds < 2 || o->folds > SUSTAIN_REGTUNE_FOLDS)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "there must be 2 to %d folds, or 0 for none (there are %lld)",
                             SUSTAIN_REGTUNE_FOLDS, (long long)o->folds);
    if (o->fold == NULL || training == NULL || training != validation)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "folds need the array `fold`, and the same rows for training and validation");
    for (int64_t i = 0; i < training->count; i++) {
        if (o->fold[i] < 0 || o->fold[i] >= o->folds)
            return sustain__fail(context, SUSTAIN_ARGUMENT, "the fold of row %lld is %ld, not one of 0 to %lld", (long long)i,
                                 (long)o->fold[i], (long long)(o->folds - 1));
        count[o->fold[i]]++;
    }
    for (int64_t k = 0; k < o->folds; k++)
        if (count[k] == 0) return sustain__fail(context, SUSTAIN_ARGUMENT, "no row is in fold %lld", (long long)k);
    return SUSTAIN_OK;
}

void sustain__regtune_weigh_folds(regtune *h) {
    const int64_t n = h->rows[SUSTAIN_LOWER].count;
    int64_t count[SUSTAIN_REGTUNE_FOLDS] = {0};
    for (int64_t i = 0; i < n && h->options.folds > 0; i++) count[h->options.fold[i]]++;
    for (int64_t k = 0; k < h->options.folds; k++) h->fold_weight[k] = (double)n / (double)(n - count[k]);
}

double sustain__regtune_fold_weight(const regtune *h, sustain_level level, int64_t sample, int64_t k) {
    const bool own = h->options.fold[sample] == k;
    return level == SUSTAIN_UPPER ? (own ? 1 : 0) : (own ? 0 : h->fold_weight[k]);
}

void sustain__regtune_weigh(const regtune *h, const sustain__regtune_draw *d, int64_t first, int64_t count, sustain_real *s) {
    const int64_t outputs = sustain__regtune_outputs(h);
    for (int64_t j = 0; j < count; j++)
        for (int p = 0; p < d->points; p++)
            for (int64_t k = 0; k < h->options.folds; k++, s += outputs) {
                const double weight = sustain__regtune_fold_weight(h, d->level, sustain__rows_number(d->batch, first + j), k);
                for (int64_t o = 0; o < outputs; o++) s[o] *= (sustain_real)weight;
            }
}

double sustain__regtune_loss_of_sample(const regtune *h, sustain_level level, int64_t sample, const double *s) {
    const sustain_rows *rows = &h->rows[level];
    const int64_t outputs = sustain__regtune_outputs(h);
    const double truth = sustain__loss_truth(h->loss, rows, sustain__rows_place(rows, sample));
    if (h->options.folds == 0) return sustain__loss_value(h->loss, outputs, s, truth);
    double sum = 0;
    for (int64_t k = 0; k < h->options.folds; k++) {
        const double weight = sustain__regtune_fold_weight(h, level, sample, k);
        if (weight != 0) sum += weight * sustain__loss_value(h->loss, outputs, s + k * outputs, truth);
    }
    return sum;
}
