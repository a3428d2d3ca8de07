/* label_count.c - see label_count.h. */
#include "jobs/label_count.h"

#include <math.h>

#define TWO_SIDED 1.96
enum { BISECTIONS = 60, FEW_ERRORS = 10 };

/* ---- intervals of shares ---- */

/* P(X <= k), X binomial (n, p). */
static double binomial_below(double k, double n, double p) {
    double sum = 0;
    if (p <= 0) return 1;
    if (p >= 1) return k >= n;
    for (double i = 0; i <= k; i++) sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) + i * log(p) + (n - i) * log1p(-p));
    return fmin(sum, 1);
}

/* p at which P(X <= k) is `wanted`: it falls with p. */
static double binomial_share(double k, double n, double wanted) {
    double low = 0, high = 1;
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = (low + high) / 2;
        if (binomial_below(k, n, middle) > wanted)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

void sustain__share_interval(double hits, double count, double *low, double *high) {
    *low = hits > 0 ? binomial_share(hits - 1, count, 0.975) : 0;
    *high = hits < count ? binomial_share(hits, count, 0.025) : 1;
}

void sustain__rate_interval(double sum, double variance, double count, double *rate, double *low, double *high) {
    const double p = sum / count, spread = p * (1 - p), z = TWO_SIDED;
    *rate = *low = *high = (double)NAN;
    if (!(count > 0)) return;
    const double n = spread > 0 ? count * spread / (spread + variance / count) : count, middle = p + z * z / (2 * n);
    const double off = z * sqrt(fmax(spread, 0) / n + z * z / (4 * n * n)), scale = 1 + z * z / n;
    *rate = p;
    *low = fmin(fmax((middle - off) / scale, 0), p);
    *high = fmax(fmin((middle + off) / scale, 1), p);
}

/* ---- counts ---- */

sustain__count sustain__count_interval(double errors, double deviation, double found, double count) {
    sustain__count c = {.errors = fmin(fmax(errors, found), count)};
    const double factor = exp(TWO_SIDED * deviation / fmax(c.errors, 1));
    c.low = fmax(c.errors / factor, found);
    c.high = fmin(fmax(c.errors * factor, c.errors + TWO_SIDED * deviation), count);
    return c;
}

sustain__count sustain__count_random(double predicted, int64_t unchecked, int64_t checked, const float *probability, const uint8_t *wrong,
                                     const uint8_t *drawn) {
    const double n = (double)unchecked;
    double random = 0, residual = 0, found = 0, found_by_chance = 0;
    for (int64_t j = 0; j < checked; j++) random += drawn == NULL || drawn[j];
    const double others = (double)checked - random, m = random * n / fmax(n + others, 1); /* drawn ones like the unchecked */
    double square = 2 / m; /* of two more residuals, 1 and -1, as Agresti and Coull do: few rows may hold none of the rare large ones */
    for (int64_t j = 0; j < checked; j++) {
        const double off = (double)wrong[j] - (double)probability[j];
        found += wrong[j];
        if (drawn != NULL && !drawn[j]) continue;
        residual += off / m;
        square += off * off / m;
        found_by_chance += wrong[j];
    }
    const double variance = fmax(square - residual * residual, 0) / fmax(m - 1, 1) * m;
    const double deviation = n * sqrt(variance * (1 / m + 1 / n)); /* of the checked rows' mean, and of the others' own */
    sustain__count c = sustain__count_interval(found + predicted + n * residual, deviation, found, n + (double)checked);
    /* Few errors were found: their number is far from normal. The exact interval of the share holds
     * whatever the model. */
    if (found_by_chance < FEW_ERRORS || random - found_by_chance < FEW_ERRORS) {
        double low, high;
        sustain__share_interval(found_by_chance, random, &low, &high);
        c.low = fmin(c.low, fmax(found_by_chance + (n + others) * low, found));
        /* Without a logarithm, which has no upper end where next to none is expected. */
        c.high = fmax(fmin(c.high, c.errors + TWO_SIDED * deviation), found_by_chance + (n + others) * high);
    }
    return c;
}

/* The probability that the label of row i is wrong, away from 0 and 1, with its odds times
 * `factor`. */
static double moved(const float *quality, int64_t i, double factor) {
    const double wrong = fmin(fmax(1 - (double)quality[i], 1e-7), 1 - 1e-7);
    return wrong * factor / (1 - wrong + wrong * factor);
}

void sustain__match_total(int64_t count, double total, const int32_t *verified, float *quality) {
    double low = -40, high = 40;
    for (int round = 0; round < BISECTIONS; round++) {
        const double factor = exp((low + high) / 2);
        double sum = 0;
        for (int64_t i = 0; i < count; i++)
            if (verified == NULL || verified[i] < 0) sum += moved(quality, i, factor);
        if (sum < total)
            low = (low + high) / 2;
        else
            high = (low + high) / 2;
    }
    const double factor = exp((low + high) / 2);
    for (int64_t i = 0; i < count; i++)
        if (verified == NULL || verified[i] < 0) quality[i] = (float)(1 - moved(quality, i, factor));
}

/* ---- flags ---- */

int64_t sustain__count_flagged(sustain_clean_flag flag, double value, double estimated, int64_t count, const float *quality,
                               const uint32_t *order, double *expected_f1) {
    double total = 0, sum = 0, best = -1, f1 = 0;
    int64_t flagged = 0;
    for (int64_t i = 0; i < count; i++) total += 1 - (double)quality[order[i]];
    if (flag == SUSTAIN_CLEAN_FLAG_RATE) flagged = llround(fmin(fmax(estimated, 0), (double)count));
    if (flag == SUSTAIN_CLEAN_FLAG_COUNT) flagged = llround(fmin(fmax(value, 0), (double)count));
    for (int64_t i = 0; i < count; i++) {
        const double k = (double)(i + 1);
        if (flag == SUSTAIN_CLEAN_FLAG_RECALL && sum < value * total) flagged = i + 1;
        sum += 1 - (double)quality[order[i]];
        if (flag == SUSTAIN_CLEAN_FLAG_F1 && 2 * sum / (k + total) > best) best = 2 * sum / (k + total), flagged = i + 1;
        if (flag == SUSTAIN_CLEAN_FLAG_PRECISION && sum >= value * k) flagged = i + 1;
    }
    if (flag == SUSTAIN_CLEAN_FLAG_F1 && total < 0.5) flagged = 0; /* not one error is expected */
    sum = 0;
    for (int64_t i = 0; i < flagged; i++) sum += 1 - (double)quality[order[i]];
    f1 = flagged > 0 ? 2 * sum / ((double)flagged + total) : 0;
    if (expected_f1 != NULL) *expected_f1 = f1;
    return flagged;
}
