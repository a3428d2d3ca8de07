/* rank.c - rankings: see rank.h. The area under the curve counts pairs (Mann and Whitney). */
#include "jobs/rank.h"

#include <math.h>
#include <stdlib.h>

#include <sustain/clean.h>

typedef struct ranked {
    float quality;
    int64_t row;
} ranked;

static int compare(const void *left, const void *right) {
    const ranked *a = left, *b = right;
    if (a->quality != b->quality) return a->quality < b->quality ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

sustain_status sustain__rank(sustain_context *context, int64_t count, const float *quality, int64_t *order) {
    ranked *all;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)count, sizeof *all), &all));
    for (int64_t i = 0; i < count; i++) all[i] = (ranked){quality[i], i};
    qsort(all, (size_t)count, sizeof *all, compare);
    for (int64_t i = 0; i < count; i++) order[i] = all[i].row;
    sustain__free(context, all);
    return SUSTAIN_OK;
}

/* Rows order[begin .. end-1] are tied; `below` wrong ones rank lower, `above` right ones rank
 * higher. */
typedef struct tie {
    int64_t begin, end;
    double wrong, right, below, above;
} tie;

sustain_status sustain__rank_placements(sustain_context *context, int64_t count, const float *quality, const uint8_t *wrong, double *place,
                                        double *auc) {
    int64_t *order;
    double wrongs = 0, sum = 0;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)count, sizeof *order), &order));
    const sustain_status status = sustain__rank(context, count, quality, order);
    for (int64_t i = 0; i < count; i++) wrongs += wrong[i] != 0;
    const double rights = (double)count - wrongs;
    tie t = {.above = rights};
    for (; t.end < count && status == SUSTAIN_OK; t.below += t.wrong) {
        t.begin = t.end, t.wrong = t.right = 0;
        for (; t.end < count && quality[order[t.end]] == quality[order[t.begin]]; t.end++)
            if (wrong[order[t.end]])
                t.wrong++;
            else
                t.right++;
        t.above -= t.right;
        for (int64_t k = t.begin; k < t.end; k++) {
            const int64_t i = order[k];
            const double others = wrong[i] ? rights : wrongs, beyond = wrong[i] ? t.above + t.right / 2 : t.below + t.wrong / 2;
            place[i] = others > 0 ? beyond / others : 0.5;
            if (wrong[i]) sum += place[i];
        }
    }
    *auc = wrongs > 0 ? sum / wrongs : (double)NAN;
    sustain__free(context, order);
    return status;
}

void sustain__rank_score(int64_t count, const float *quality, const int64_t *order, const int32_t *given, const int32_t *truth, double *auc,
                         double *precision) {
    double pairs = 0, wrong = 0, found = 0;
    for (int64_t i = 0; i < count;) {
        const float level = quality[order[i]];
        double tied_wrong = 0, tied = 0;
        for (; i < count && quality[order[i]] == level; i++, tied++) tied_wrong += given[order[i]] != truth[order[i]];
        pairs += (tied - tied_wrong) * (wrong + tied_wrong / 2);
        wrong += tied_wrong;
    }
    for (int64_t i = 0; i < (int64_t)wrong; i++) found += given[order[i]] != truth[order[i]];
    const bool both = wrong > 0 && wrong < (double)count;
    *auc = both ? pairs / (wrong * ((double)count - wrong)) : (double)NAN;
    *precision = both ? found / wrong : (double)NAN;
}

sustain_status sustain_clean_rank_score(sustain_context *context, int64_t count, const float *quality, const int32_t *given,
                                        const int32_t *truth, double *auc, double *precision) {
    if (context == NULL) return SUSTAIN_ARGUMENT;
    if (count < 1 || quality == NULL || given == NULL || truth == NULL || auc == NULL || precision == NULL)
        return sustain__fail(context, SUSTAIN_ARGUMENT,
                             "a ranking needs at least one row, its labels, the truth, and places for the answers");
    for (int64_t i = 0; i < count; i++)
        if (isnan(quality[i])) return sustain__fail(context, SUSTAIN_ARGUMENT, "the quality of row %lld is not a number", (long long)i);
    int64_t *order;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)count, sizeof *order), &order));
    const sustain_status status = sustain__rank(context, count, quality, order);
    if (status == SUSTAIN_OK) sustain__rank_score(count, quality, order, given, truth, auc, precision);
    sustain__free(context, order);
    return status;
}
