/* rank.c - rankings: see rank.h. The area under the curve counts pairs (Mann and Whitney). */
#include "jobs/rank.h"

#include <math.h>
#include <string.h>

#include <sustain/clean.h>

/* ---- the order ---- */

enum { FEW = 48, DIGITS = 256, TOP_SHIFT = 56 };

/* Numbers in the order of floats. 0 and -0 are equal. */
static uint32_t key_of(float quality) {
    const float value = quality + 0.0f;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

static float quality_of(uint32_t key) {
    const uint32_t bits = key >> 31 != 0 ? key & 0x7fffffffu : ~key;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Pairs in two arrays, sorted by key and then by row. */
typedef struct pairs {
    uint32_t *key, *row;
} pairs;

static uint64_t pair_at(const pairs *p, int64_t i) {
    return (uint64_t)p->key[i] << 32 | p->row[i];
}

static void put_pair(const pairs *p, int64_t i, uint64_t pair) {
    p->key[i] = (uint32_t)(pair >> 32), p->row[i] = (uint32_t)pair;
}

static int digit_of(uint64_t pair, int shift) {
    return (int)(pair >> shift & (DIGITS - 1));
}

static void sort_few(int64_t count, const pairs *p) {
    for (int64_t i = 1; i < count; i++) {
        const uint64_t one = pair_at(p, i);
        int64_t at = i;
        for (; at > 0 && pair_at(p, at - 1) > one; at--) put_pair(p, at, pair_at(p, at - 1));
        put_pair(p, at, one);
    }
}

/* Radix sort in place by the byte at `shift`, then by those below it. */
static void sort_pairs(int64_t count, pairs p, int shift) { // NOLINT(misc-no-recursion): as deep as a pair has bytes
    if (count <= FEW) {
        sort_few(count, &p);
        return;
    }
    const uint32_t *digits = shift >= 32 ? p.key : p.row;
    int64_t next[DIGITS] = {0}, end[DIGITS], begin = 0;
    for (int64_t i = 0; i < count; i++) next[digits[i] >> shift % 32 & (DIGITS - 1)]++;
    for (int d = 0; d < DIGITS; d++) end[d] = begin + next[d], next[d] = begin, begin = end[d];
    for (int d = 0; d < DIGITS; d++)
        while (next[d] < end[d]) {
            uint64_t one = pair_at(&p, next[d]);
            for (int to = digit_of(one, shift); to != d; to = digit_of(one, shift)) {
                const uint64_t other = pair_at(&p, next[to]);
                put_pair(&p, next[to]++, one);
                one = other;
            }
            put_pair(&p, next[d]++, one);
        }
    for (int d = 0; d < DIGITS && shift > 0; d++) {
        const int64_t first = d > 0 ? end[d - 1] : 0;
        sort_pairs(end[d] - first, (pairs){p.key + first, p.row + first}, shift - 8);
    }
}

static sustain_status check_count(sustain_context *context, int64_t count) {
    if (count <= (int64_t)1 << 32) return SUSTAIN_OK;
    return sustain__fail(context, SUSTAIN_ARGUMENT, "%lld rows cannot be ranked: 2^32 are the most", (long long)count);
}

/* The memory of floats as their keys. */
static uint32_t *keys_over(int64_t count, float *quality) {
    for (int64_t i = 0; i < count; i++) {
        const uint32_t key = key_of(quality[i]);
        memcpy(quality + i, &key, sizeof key);
    }
    return (uint32_t *)(void *)quality;
}

sustain_status sustain__rank_over(sustain_context *context, int64_t count, float *quality, uint32_t *order) {
    SUSTAIN_TRY(check_count(context, count));
    for (int64_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    sort_pairs(count, (pairs){keys_over(count, quality), order}, TOP_SHIFT);
    return SUSTAIN_OK;
}

sustain_status sustain__sort(sustain_context *context, int64_t count, float *quality, uint32_t *scratch) {
    SUSTAIN_TRY(check_count(context, count));
    memset(scratch, 0, (size_t)count * sizeof *scratch);
    uint32_t *key = keys_over(count, quality);
    sort_pairs(count, (pairs){key, scratch}, TOP_SHIFT);
    for (int64_t i = 0; i < count; i++) {
        const float value = quality_of(key[i]);
        memcpy(quality + i, &value, sizeof value);
    }
    return SUSTAIN_OK;
}

sustain_status sustain__rank(sustain_context *context, int64_t count, const float *quality, int64_t *order) {
    float *copy = (float *)(void *)order; /* no memory but the result's: keys, then rows */
    uint32_t *rows = (uint32_t *)(void *)order + count;
    if (count > 0) memcpy(copy, quality, (size_t)count * sizeof *copy);
    SUSTAIN_TRY(sustain__rank_over(context, count, copy, rows));
    for (int64_t i = 0; i < count; i++) { /* number i is read before its place is written, and so are those before it */
        uint32_t row;
        memcpy(&row, rows + i, sizeof row);
        const int64_t wide = row;
        memcpy(order + i, &wide, sizeof wide);
    }
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

/* How well an order tells wrong labels (given != truth) from right ones, of rows that are not
 * verified. auc: the probability that a wrong one ranks lower, ties count half; precision: the
 * share of wrong ones among the first m, m their number. NAN where there are none, or none that are
 * right. */
static void score(const sustain__known *k, const float *quality, const uint32_t *order, double *auc, double *precision) {
    double lower = 0, wrong = 0, found = 0, all = 0;
    for (int64_t i = 0; i < k->count;) {
        const float level = quality[order[i]];
        double tied_wrong = 0, tied = 0;
        for (; i < k->count && quality[order[i]] == level; i++) {
            if (sustain__is_verified(k, order[i])) continue;
            tied_wrong += k->given[order[i]] != k->truth[order[i]], tied++;
        }
        lower += (tied - tied_wrong) * (wrong + tied_wrong / 2);
        wrong += tied_wrong, all += tied;
    }
    for (int64_t i = 0, place = 0; place < (int64_t)wrong; i++) {
        if (sustain__is_verified(k, order[i])) continue;
        found += k->given[order[i]] != k->truth[order[i]], place++;
    }
    const bool both = wrong > 0 && wrong < all;
    *auc = both ? lower / (wrong * (all - wrong)) : (double)NAN;
    *precision = both ? found / wrong : (double)NAN;
}

sustain_status sustain__rank_score(sustain_context *context, const sustain__known *known, const float *quality, const uint32_t *order,
                                   double *auc, double *precision) {
    const size_t count = (size_t)known->count;
    float *key;
    for (int64_t i = 0; i < known->count; i++)
        if (isnan(quality[i])) return sustain__fail(context, SUSTAIN_ARGUMENT, "the quality of row %lld is not a number", (long long)i);
    if (order != NULL) {
        score(known, quality, order, auc, precision);
        return SUSTAIN_OK;
    }
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(count, sizeof *key + sizeof *order), &key));
    uint32_t *sorted = (uint32_t *)(void *)(key + count);
    memcpy(key, quality, count * sizeof *key);
    const sustain_status status = sustain__rank_over(context, known->count, key, sorted);
    if (status == SUSTAIN_OK) score(known, quality, sorted, auc, precision);
    sustain__free(context, key);
    return status;
}

sustain_status sustain_clean_rank_score(sustain_context *context, int64_t count, const float *quality, const int32_t *given,
                                        const int32_t *truth, double *auc, double *precision) {
    if (context == NULL) return SUSTAIN_ARGUMENT;
    if (count < 1 || quality == NULL || given == NULL || truth == NULL || auc == NULL || precision == NULL)
        return sustain__fail(context, SUSTAIN_ARGUMENT,
                             "a ranking needs at least one row, its labels, the truth, and places for the answers");
    const sustain__known known = {.count = count, .given = given, .truth = truth};
    return sustain__rank_score(context, &known, quality, NULL, auc, precision);
}
