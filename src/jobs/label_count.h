/* label_count.h - how many labels are wrong, with an interval, and which of them to flag. */
#ifndef SUSTAIN_JOBS_LABEL_COUNT_H
#define SUSTAIN_JOBS_LABEL_COUNT_H

#include <sustain/clean.h>

#include "core/context_internal.h"

/* An estimate with a 95 % interval; low and high are NAN where there is none. */
typedef struct sustain__count {
    double errors, low, high;
} sustain__count;

/* The exact (Clopper and Pearson) 95 % interval of a share, `hits` of `count`. */
void sustain__share_interval(double hits, double count, double *low, double *high);

/* The mean of `count` numbers between 0 and 1 that have the sum `sum`, each the probability that a
 * thing is so, `variance` the sum of p (1 - p); with the 95 % interval of Wilson for as many
 * observations as would have the variance of the share and of the probabilities together. NAN where
 * count is 0. */
void sustain__rate_interval(double sum, double variance, double count, double *rate, double *low, double *high);

/* From rows that were checked, all or some of them (drawn, (checked), is 1; NULL: all) drawn at
 * random. `predicted`: sum of the probabilities of being wrong over the `unchecked` rows.
 * probability (checked): that of each checked row, by a model fitted without it; wrong (checked):
 * what was found. The difference estimator: the prediction plus the mean residual of the rows that
 * were drawn. The others are the worst ones of a ranking: so would be their share of the drawn
 * rows, of which hardly any has a residual. */
sustain__count sustain__count_random(double predicted, int64_t unchecked, int64_t checked, const float *probability, const uint8_t *wrong,
                                     const uint8_t *drawn);

/* `errors` with the standard error `deviation`, of `count` rows of which `found` are known to be
 * wrong: the interval is one of logarithms. */
sustain__count sustain__count_interval(double errors, double deviation, double found, double count);

/* How many of the rows to flag: the first of order (count), lowest quality first. expected_f1 may
 * be NULL. */
int64_t sustain__count_flagged(sustain_clean_flag flag, double value, double estimated, int64_t count, const float *quality,
                               const uint32_t *order, double *expected_f1);

/* Adds the same number to the log-odds of all qualities (count) such that the probabilities of
 * being wrong, 1 - quality, sum to `total`. Rows with verified[i] >= 0 are left as they are; NULL:
 * there are none. */
void sustain__match_total(int64_t count, double total, const int32_t *verified, float *quality);

#endif
