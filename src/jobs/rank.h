/* rank.h - rankings of labels, lowest first: their order, and how good they are where the truth is
 * known. */
#ifndef SUSTAIN_TASKS_RANK_H
#define SUSTAIN_TASKS_RANK_H

#include "core/context_internal.h"

/* order (count) <- row numbers, lowest quality first, ties by row number. Needs no other memory. */
sustain_status sustain__rank(sustain_context *context, int64_t count, const float *quality, int64_t *order);

/* place (count): of wrong rows the share of right ones that rank above it, of right rows that of
 * wrong ones below it; ties count half. auc is the mean of the wrong rows' places, NAN where there
 * are none. */
sustain_status sustain__rank_placements(sustain_context *context, int64_t count, const float *quality, const uint8_t *wrong, double *place,
                                        double *auc);

#endif
