/* rank.c - rankings: see rank.h. The area under the curve counts pairs (Mann and Whitney). */
#include "jobs/rank.h"

#include <math.h>
#include <string.h>

#include <sustain/clean.h>

/* ---- the order ---- */

enum { FEW = 48, DIGITS = 256, TOP_SHIFT = 56 };

/* Numbers in the order of floats. 0 and -0 are equal. */
static uint64_t key_of(float quality, int64_t row) {
    const float value = quality + 0.0f;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
    return (uint64_t)bits << 32 | (uint64_t)row;
}

static void sort_few(int64_t count, uint64_t *key) {
    for (int64_t i = 1; i < count; i++) {
        const uint64_t one = key[i];
        int64_t at = i;
        for (; at > 0 && key[at - 1] > one; at--) key[at] = key[at - 1];
        key[at] = one;
    }
}

/* Radix sort in place by the byte at `shift`, then by those below it. */
static void sort_keys(int64_t count, uint64_t *key, int shift) { // NOLINT(misc-no-recursion): as deep as a key has bytes
    if (count <= FEW) {
        sort_few(count, key);
        return;
    }
    int64_t next[DIGITS] = {0}, end[DIGITS], begin = 0;
    for (int64_t i = 0; i < count; i++) next[key[i] >> shift & (DIGITS - 1)]++;
    for (int d = 0; d < DIGITS; d++) end[d] = begin + next[d], next[d] = begin, begin = end[d];
    for (int d = 0; d < DIGITS; d++)
        while (next[d] < end[d]) {
            uint64_t one = key[next[d]];
            for (int to = (int)(one >> shift & (DIGITS - 1)); to != d; to = (int)(one >> shift & (DIGITS - 1))) {
                const uint64_t other = key[next[to]];
                key[next[to]++] = one;
                one = other;
            }
            key[next[d]++] = one;
        }
    for (int d = 0; d < DIGITS && shift > 0; d++) {
        const int64_t first = d > 0 ? end[d - 1] : 0;
        sort_keys(end[d] - first, key + first, shift - 8);
    }
}

sustain_status sustain__rank(sustain_context *context, int64_t count, const float *quality, int64_t *order) {
    if (count > (int64_t)1 << 32)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "%lld rows cannot be ranked: 2^32 are the most", (long long)count);
    uint64_t *key = (uint64_t *)order; /* no memory but the result's */
    for (int64_t i = 0; i < count; i++) key[i] = key_of(quality[i], i);
    sort_keys(count, key, TOP_SHIFT);
    for (int64_t i = 0; i < count; i++) key[i] &= UINT32_MAX;
    return SUSTAIN_OK;
}

/* ---- how good it is ---- */

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

/* How well an order tells wrong labels (given != truth) from right ones. auc: the probability that
 * a wrong one ranks lower, ties count half; precision: the share of wrong ones among the first m, m
 * their number. NAN where there are none, or none that are right. */
static void score(int64_t count, const float *quality, const int64_t *order, const int32_t *given, const int32_t *truth, double *auc,
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
    if (status == SUSTAIN_OK) score(count, quality, order, given, truth, auc, precision);
    sustain__free(context, order);
    return status;
}
