/* page_clean_left.c - how many wrong labels are left, as a function of which rows have been
 * reviewed.
 *
 * The run gives p_i, the probability that label i is wrong, and a confidence interval [low,
 * high] for the number of wrong labels. The interval is modelled as a common shift d of the
 * log-odds,
 *
 *   N(d) = sum_i sigma(logit p_i + d),      N(d_low) = low,  N(d_high) = high,
 *
 * and the same shifts are applied to the rows that are left: L(d). When most wrong labels have
 * been found this is too narrow, as few rows contain information about the rest. But low - W <=
 * left <= high - W, with W wrong labels found, has the coverage of the interval of the run. So
 * the page shows
 *
 *   L(d_0)   in   [min(L(d_low), low - W),  max(L(d_high), high - W)],
 *
 * which is the interval of the run at the start. The script sums over the rows that it lists;
 * the sums over the others are computed here. */
#include <math.h>

#include "page_clean.h"

static double shifted(double p, double shift) {
    if (!(p > 0) || !(p < 1)) return p > 0;
    return p / (p + (1 - p) * exp(-shift));
}

/* The sum over unverified rows, and its derivative; `listed`: whether to include listed rows. */
static double sum_shifted(const clean_view *v, double shift, bool listed, double *slope) {
    double sum = 0, derivative = 0;
    for (int64_t i = 0; i < v->level_count; i++) {
        const clean_level *level = &v->levels[i];
        if (level->listed && !listed) continue;
        const double p = shifted(level->probability, shift), count = (double)level->count;
        sum += count * p;
        derivative += count * p * (1 - p);
    }
    if (slope != NULL) *slope = derivative;
    return sum;
}

/* The shift at which `target` rows are wrong: Newton's method between bounds. */
static double shift_for(const clean_view *v, double target) {
    double low = -30, high = 30, shift = 0;
    for (int i = 0; i < 60 && high - low > 1e-9; i++) {
        double slope;
        const double excess = sum_shifted(v, shift, true, &slope) - target;
        if (fabs(excess) <= 1e-6 * (1 + fabs(target))) break;
        *(excess > 0 ? &high : &low) = shift;
        const double newton = slope > 0 ? shift - excess / slope : low;
        shift = newton > low && newton < high ? newton : (low + high) / 2;
    }
    return shift;
}

json_t *clean_left(const run *r, const clean_view *v) {
    static const char *const keys[] = {"estimated_errors", "estimated_errors_low", "estimated_errors_high"};
    if (!v->calibrated) return NULL;
    json_t *shifts = json_array(), *rest = json_array(), *total = json_array();
    int64_t others = 0;
    for (int64_t i = 0; i < v->level_count; i++) others += v->levels[i].listed ? 0 : v->levels[i].count;
    for (int i = 0; i < 3; i++) {
        const double target = run_number(r->result, keys[i]) - (double)v->verified_wrong;
        if (isnan(target) && i > 0) break; /* no interval */
        const double shift = isnan(target) ? 0 : shift_for(v, fmax(target, 0));
        json_array_append_new(shifts, json_real(shift));
        json_array_append_new(rest, json_real(sum_shifted(v, shift, false, NULL)));
        json_array_append_new(total, spec_number(target));
    }
    return json_pack("{s:o, s:o, s:o, s:I}", "shift", shifts, "rest", rest, "total", total, "others", (json_int_t)others);
}
