/* compare_claims.c - checks the paper's claims about its figures against the measured curves.
 *
 * Two algorithms are compared by paired differences over the seeds, at COUNTS evenly spaced
 * values of the axis up to the end of the shorter curve. One is ahead where the 95 % confidence
 * interval of the mean difference (Student's t) excludes 0. A claim that is neither confirmed
 * nor refuted by its intervals is not decided, and the number of runs that would decide it, if
 * means and spread stay, is reported.
 *
 *   ahead      came out if the first is ahead at three quarters of the counts and not behind at
 *              the last; did not if it is behind at a quarter of them or more, and more often
 *              behind than ahead
 *   on par     came out if the interval is within NEAR of 0 at three quarters of the counts; did
 *              not if it is beyond NEAR at half of them
 *   degrades   the decrease from the best count to the last. The best count for a run is that of
 *              the mean of all other runs, since the best of noisy values exceeds the last by
 *              selection alone. Came out if the interval of the decrease is above 0; did not if
 *              it is below NEAR */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "number_text.h"
#include "power_fit.h"

enum { COUNTS = 24, WHY = 240 };
#define NEAR 0.02 /* in accuracy */

typedef enum verdict { CAME_OUT, DID_NOT, UNDECIDED } verdict;
static const char *const verdict_texts[] = {"came out", "did not come out", "not decided"};

/* ---- two curves ---- */

/* A claim to be checked; `second` is NULL if one curve is compared with itself. */
typedef struct contest {
    const compare_result *result;
    const compare_claim_row *row;
    const compare_curve *first, *second;
    double end;   /* value of the axis that all runs have reached */
    int64_t made; /* runs that both curves have */
    int64_t runs; /* that the intervals are of: those made, or more with the same mean and spread */
} contest;

static double end_of(const contest *c) {
    const compare_axis axis = c->row->axis;
    double end = INFINITY;
    for (int64_t r = 0; r < c->made; r++) {
        const compare_series *one = &c->first->run[r], *two = c->second != NULL ? &c->second->run[r] : one;
        end = fmin(end, fmin(compare_axis_value(&one->point[one->count - 1], axis), compare_axis_value(&two->point[two->count - 1], axis)));
    }
    return end;
}

/* Mean over the runs, and half the width of its confidence interval. */
typedef struct lead {
    double mean, half;
} lead;

/* From the sum and the sum of squares over the runs made. */
static lead lead_of_sums(const contest *c, double sum, double squares) {
    const double made = (double)c->made, runs = (double)c->runs, mean = sum / made;
    const double variance = fmax(0, squares / made - mean * mean) * made / (made - 1);
    return (lead){mean, student((int)runs - 1) * sqrt(variance / runs)};
}

static double value_of(const contest *c, const compare_curve *curve, int64_t run, int metric, double x) {
    return compare_value_at(&curve->run[run], c->row->axis, metric, x);
}

/* 1 if a higher metric is better, else -1. */
static double sign_of(const contest *c, int metric) {
    return c->result->plan->task->metrics[metric].higher ? 1 : -1;
}

/* By how much the first curve is better than the second. */
static lead lead_at(const contest *c, int metric, double x) {
    double sum = 0, squares = 0;
    for (int64_t r = 0; r < c->made; r++) {
        const double by = sign_of(c, metric) * (value_of(c, c->first, r, metric, x) - value_of(c, c->second, r, metric, x));
        sum += by;
        squares += by * by;
    }
    return lead_of_sums(c, sum, squares);
}

/* Mean over all runs except one; NONE_LEFT_OUT: over all. */
enum { NONE_LEFT_OUT = -1 };
static double mean_without(const contest *c, const compare_curve *curve, int metric, double x, int64_t without) {
    double sum = 0;
    for (int64_t r = 0; r < c->made; r++)
        if (r != without) sum += value_of(c, curve, r, metric, x);
    return sum / (double)(c->made - (without >= 0));
}

static double mean_at(const contest *c, const compare_curve *curve, int metric, double x) {
    return mean_without(c, curve, metric, x, NONE_LEFT_OUT);
}

/* The count at which that mean of the first curve is best. */
static double best_without(const contest *c, int metric, int64_t without) {
    double best = c->end, most = sign_of(c, metric) * mean_without(c, c->first, metric, best, without);
    for (int i = 1; i < COUNTS; i++) {
        const double x = c->end * i / COUNTS, value = sign_of(c, metric) * mean_without(c, c->first, metric, x, without);
        if (value > most) best = x, most = value;
    }
    return best;
}

/* A count in three digits: 374,000. */
static const char *count_text(double count, char text[32]) {
    snprintf(text, 32, "%.3g", count);
    return count < 1000 ? text : grouped_text((int64_t)strtod(text, NULL), text);
}

/* ---- verdicts for one metric, each with a sentence ---- */

static verdict judge_ahead(const contest *c, int metric, char *why, size_t size) {
    char last[32];
    int ahead = 0, behind = 0;
    bool behind_at_last = false;
    for (int i = 1; i <= COUNTS; i++) {
        const lead l = lead_at(c, metric, c->end * i / COUNTS);
        behind_at_last = l.mean < -l.half;
        ahead += l.mean > l.half;
        behind += behind_at_last;
    }
    snprintf(why, size, "ahead at %d of %d counts, behind at %d; at the last, %s: %.4g against %.4g", ahead, COUNTS, behind,
             count_text(c->end, last), mean_at(c, c->first, metric, c->end), mean_at(c, c->second, metric, c->end));
    if (4 * ahead >= 3 * COUNTS && !behind_at_last) return CAME_OUT;
    return 4 * behind >= COUNTS && behind > ahead ? DID_NOT : UNDECIDED;
}

static verdict judge_on_par(const contest *c, int metric, char *why, size_t size) {
    char last[32];
    int near = 0, apart = 0;
    for (int i = 1; i <= COUNTS; i++) {
        const lead l = lead_at(c, metric, c->end * i / COUNTS);
        near += fabs(l.mean) + l.half <= NEAR;
        apart += fabs(l.mean) - l.half > NEAR;
    }
    snprintf(why, size, "within %g of each other at %d of %d counts, further apart at %d; at the last, %s: %.4g against %.4g", NEAR, near,
             COUNTS, apart, count_text(c->end, last), mean_at(c, c->first, metric, c->end), mean_at(c, c->second, metric, c->end));
    return 4 * near >= 3 * COUNTS ? CAME_OUT : 2 * apart >= COUNTS ? DID_NOT : UNDECIDED;
}

static verdict judge_degrades(const contest *c, int metric, char *why, size_t size) {
    char top_text[32], last[32];
    const double best = best_without(c, metric, NONE_LEFT_OUT);
    double sum = 0, squares = 0;
    for (int64_t r = 0; r < c->made; r++) {
        const double top = value_of(c, c->first, r, metric, best_without(c, metric, r));
        const double fall = sign_of(c, metric) * (top - value_of(c, c->first, r, metric, c->end));
        sum += fall;
        squares += fall * fall;
    }
    const lead l = lead_of_sums(c, sum, squares);
    snprintf(why, size, "best at %s: %.4g; at the last, %s: %.4g; a fall by %.2g +- %.2g", count_text(best, top_text),
             mean_at(c, c->first, metric, best), count_text(c->end, last), mean_at(c, c->first, metric, c->end), l.mean, l.half);
    return l.mean > l.half ? CAME_OUT : l.mean + l.half < NEAR ? DID_NOT : UNDECIDED;
}

static verdict judge(const contest *c, int metric, char *why, size_t size) {
    const int begun = snprintf(why, size, "%s: ", c->result->plan->task->metrics[metric].title);
    why += begun, size -= (size_t)begun;
    switch (c->row->kind) {
    case CLAIM_AHEAD:
        return judge_ahead(c, metric, why, size);
    case CLAIM_ON_PAR:
        return judge_on_par(c, metric, why, size);
    case CLAIM_DEGRADES:
        break;
    }
    return judge_degrades(c, metric, why, size);
}

static verdict judge_both(const contest *c, char why[2][WHY]) {
    const verdict one = judge(c, c->row->metric, why[0], WHY);
    const verdict two = c->row->other >= 0 ? judge(c, c->row->other, why[1], WHY) : one;
    return one == two ? one : UNDECIDED;
}

/* How many runs would decide: intervals of more runs, if the means and the spread of those made
 * stay. */
static const char *more_runs(contest c, char text[96]) {
    enum { MOST = 1000 };
    char ignored[2][WHY];
    while (c.runs < MOST && judge_both(&c, ignored) == UNDECIDED) c.runs++;
    if (c.runs < MOST)
        snprintf(text, 96, ". With these means and this spread %lld runs would decide", (long long)c.runs);
    else
        snprintf(text, 96, ". With these means no number of runs would decide");
    return text;
}

/* ---- claims ---- */

static const compare_curve *find_curve(const compare_result *r, int panel, const char *label) {
    for (int i = 0; i < r->plan->entry_count && label != NULL; i++)
        if (r->curve[i].entry->panel == panel && strcmp(r->curve[i].entry->label, label) == 0) return &r->curve[i];
    return NULL;
}

static void say(const contest *c, char *text, size_t size) {
    static const char *const words[] = {"ahead of", "on par with", "degrades"};
    const compare_plan *plan = c->result->plan;
    const bool alone = c->row->other < 0;
    snprintf(text, size, "%s%s%s %s%s%s by %s%s%s", plan->panel[c->row->panel].title, plan->panel_count > 1 ? ": " : "", c->row->first,
             words[c->row->kind], c->second != NULL ? " " : "", c->second != NULL ? c->row->second : "", compare_axis_keys[c->row->axis],
             alone ? ", " : "", alone ? plan->task->metrics[c->row->metric].title : "");
}

static void check_claim(compare_result *r, const compare_claim_row *row, compare_claim *out) {
    contest c = {r, row, find_curve(r, row->panel, row->first), find_curve(r, row->panel, row->second), 0, 0, 0};
    char why[2][WHY] = {"", ""}, needed[96];
    say(&c, out->claim, sizeof out->claim);
    out->verdict = verdict_texts[UNDECIDED];
    c.made = c.second != NULL && c.second->runs < c.first->runs ? c.second->runs : c.first->runs;
    c.end = end_of(&c);
    if (c.made < 2) {
        snprintf(out->why, sizeof out->why, "one run cannot distinguish a difference from chance");
        return;
    }
    if (!(c.end > 0)) {
        snprintf(out->why, sizeof out->why, "one of them uses no %s", compare_axis_keys[row->axis]);
        return;
    }
    c.runs = c.made;
    const verdict found = judge_both(&c, why);
    out->verdict = verdict_texts[found];
    snprintf(out->why, sizeof out->why, "%s%s%s%s", why[0], row->other >= 0 ? ". " : "", why[1],
             found == UNDECIDED ? more_runs(c, needed) : "");
}

/* Claims about algorithms that were left out are not checked. */
void compare_claims(compare_result *r) {
    r->claim_count = 0;
    for (int i = 0; i < r->plan->claim_count && r->claim_count < COMPARE_CLAIMS; i++) {
        const compare_claim_row *row = &r->plan->claims[i];
        if (find_curve(r, row->panel, row->first) != NULL && (row->second == NULL || find_curve(r, row->panel, row->second) != NULL))
            check_claim(r, row, &r->claim[r->claim_count++]);
    }
}
