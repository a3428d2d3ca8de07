/* clean_verified.c - copies of rows; the trusted rows of a job: those from elsewhere, then copies
 * of the verified training rows with their right labels. */
#include <math.h>
#include <string.h>

#include "jobs/clean_job.h"
#include "jobs/label_count.h"
#include "problems/rows_internal.h"

/* Numbers in the features of these rows. */
static size_t entries_of(const sustain__taken *part) {
    const sustain_rows *rows = part->rows;
    size_t entries = 0;
    if (rows->start == NULL) return sustain__multiply((size_t)part->count, (size_t)rows->dim);
    for (int64_t i = 0; i < part->count; i++)
        entries += (size_t)sustain__row_at(rows, sustain__rows_place(rows, part->index != NULL ? part->index[i] : i)).count;
    return entries;
}

/* Where copies go. */
typedef struct copying {
    float *values;
    uint8_t *bytes;
    uint16_t *halves;
    int32_t *columns, *labels;
    int64_t *start;
    int64_t rows, entries; /* copied so far */
} copying;

static void copy_row(const sustain_rows *rows, int64_t i, int32_t label, copying *to) {
    const sustain__row row = sustain__row_at(rows, sustain__rows_place(rows, i));
    const size_t n = (size_t)row.count;
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): one kind of rows */
    if (to->bytes != NULL && n > 0) memcpy(to->bytes + to->entries, row.byte, n);
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): as above */
    if (to->halves != NULL && n > 0) memcpy(to->halves + to->entries, row.half, n * sizeof *to->halves);
    for (size_t j = 0; to->values != NULL && j < n; j++) to->values[to->entries + (int64_t)j] = sustain__row_number(row, (int64_t)j);
    if (to->columns != NULL && n > 0) memcpy(to->columns + to->entries, row.column, n * sizeof *to->columns);
    to->entries += row.count;
    to->labels[to->rows++] = label;
    if (to->start != NULL) to->start[to->rows] = to->entries;
}

sustain_status sustain__rows_gather(sustain_context *context, const sustain__taken *parts, int part_count, void *memory,
                                    sustain_rows *out) {
    const sustain_rows *like = parts[0].rows;
    const bool sparse = like->start != NULL, bytes = like->bytes != NULL;
    bool halves = true; /* else float16 becomes float */
    int64_t count = 0;
    size_t entries = 0;
    for (int p = 0; p < part_count; p++) {
        count += parts[p].count, entries += entries_of(&parts[p]);
        halves = halves && (parts[p].rows->halves != NULL || parts[p].count == 0);
    }
    const size_t wide = bytes ? 1 : halves ? sizeof(uint16_t) : sizeof(float) + (sparse ? sizeof(int32_t) : 0);
    int64_t *start;
    SUSTAIN_TRY(sustain__allocate(
        context, (size_t)(count + 1) * (sizeof *start + sizeof(int32_t)) + sizeof(float) + sustain__multiply(entries, wide), &start));
    memcpy(memory, &start, sizeof start);
    copying to = {.start = sparse ? start : NULL, .labels = (int32_t *)(void *)(start + count + 1)};
    void *features = to.labels + count + 1;
    to.bytes = bytes ? features : NULL;
    to.halves = halves ? features : NULL;
    to.values = bytes || halves ? NULL : features;
    to.columns = sparse ? (int32_t *)(void *)(to.values + entries) : NULL;
    if (sparse) start[0] = 0;
    for (int p = 0; p < part_count; p++)
        for (int64_t j = 0; j < parts[p].count; j++) {
            const int64_t i = parts[p].index != NULL ? parts[p].index[j] : j;
            const int32_t *labels = parts[p].rows->labels;
            copy_row(parts[p].rows, i, parts[p].labels != NULL ? parts[p].labels[i] : labels[sustain__rows_place(parts[p].rows, i)], &to);
        }
    *out = (sustain_rows){.count = count,
                          .dim = like->dim,
                          .values = to.values,
                          .bytes = to.bytes,
                          .byte_scale = like->byte_scale,
                          .start = to.start,
                          .columns = to.columns,
                          .labels = to.labels,
                          .stored = count,
                          .halves = to.halves};
    return SUSTAIN_OK;
}

sustain_status sustain__clean_gather(sustain_clean *c, const sustain_rows *trusted) {
    const sustain_rows *training = &c->training;
    const bool sparse = training->start != NULL, bytes = training->bytes != NULL;
    if (trusted->count > 0 && ((trusted->start != NULL) != sparse || (trusted->bytes != NULL) != bytes))
        return sustain__fail(c->context, SUSTAIN_ARGUMENT,
                             "training and trusted rows are stored in different ways: make both dense or both sparse");
    if (bytes && trusted->count > 0 && trusted->byte_scale != training->byte_scale)
        return sustain__fail(c->context, SUSTAIN_ARGUMENT, "the bytes of training and trusted rows have different scales");
    const sustain__taken verified = {.rows = training, .index = c->verified_rows, .labels = c->verified, .count = c->verified_count};
    const sustain__taken parts[] = {{.rows = trusted, .count = trusted->count}, verified};
    const int first = trusted->count == 0; /* it has no form of its own */
    return sustain__rows_gather(c->context, parts + first, 2 - first, &c->gathered, &c->trusted);
}

sustain_status sustain_clean_noise(const sustain_clean *c, int64_t given, int64_t right, sustain_clean_rate *rate) {
    if (c == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(c->context, rate, "rate"));
    if (given < 0 || given >= c->options.classes || right < -1 || right >= c->options.classes)
        return sustain__fail(c->context, SUSTAIN_ARGUMENT, "the classes %lld and %lld are not among 0 to %lld", (long long)given,
                             (long long)right, (long long)(c->options.classes - 1));
    *rate = (sustain_clean_rate){.low = 0, .high = 1};
    for (int64_t v = 0; v < c->verified_count; v++) {
        const int64_t i = c->verified_rows[v];
        if (c->given[i] != given) continue;
        rate->checked++;
        rate->wrong += right < 0 ? c->verified[i] != given : c->verified[i] == right;
    }
    rate->rate = rate->checked > 0 ? (double)rate->wrong / (double)rate->checked : (double)NAN;
    if (rate->checked > 0) sustain__share_interval((double)rate->wrong, (double)rate->checked, &rate->low, &rate->high);
    return SUSTAIN_OK;
}
