/* rank.h - rankings of labels, lowest first: their order, and how good they are where the truth is
 * known. */
#ifndef SUSTAIN_TASKS_RANK_H
#define SUSTAIN_TASKS_RANK_H

#include "core/context_internal.h"

/* order (count) <- row numbers, lowest quality first, ties by row number. Needs no other memory. */
sustain_status sustain__rank(sustain_context *context, int64_t count, const float *quality, int64_t *order);

/* The same in 4 bytes a row: quality is overwritten. */
sustain_status sustain__rank_over(sustain_context *context, int64_t count, float *quality, uint32_t *order);

/* Sorts the numbers themselves, lowest first; scratch (count). */
sustain_status sustain__sort(sustain_context *context, int64_t count, float *quality, uint32_t *scratch);

/* What is known of the labels (count). */
typedef struct sustain__known {
    int64_t count;
    const int32_t *given, *truth;
    const int32_t *verified; /* rows with numbers from 0 on are left out; NULL: there are none */
} sustain__known;

static inline bool sustain__is_verified(const sustain__known *known, int64_t i) {
    return known->verified != NULL && known->verified[i] >= 0;
}

/* How well qualities (count) tell wrong labels from right ones, as sustain_clean_rank_score() has
 * it; order: theirs, or NULL. */
sustain_status sustain__rank_score(sustain_context *context, const sustain__known *known, const float *quality, const uint32_t *order,
                                   double *auc, double *precision);

/* place (count): of wrong rows the share of right ones that rank above it, of right rows that of
 * wrong ones below it; ties count half. auc is the mean of the wrong rows' places, NAN where there
 * are none. */
sustain_status sustain__rank_placements(sustain_context *context, int64_t count, const float *quality, const uint8_t *wrong, double *place,
                                        double *auc);

#endif
