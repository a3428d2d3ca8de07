/* compare_curves.c - runs as curves: means and standard deviations. */
#include <math.h>
#include <stdlib.h>

#include "compare.h"

double compare_value_at(const compare_series *run, compare_axis axis, int metric, double x) {
    int i = 1;
    while (i < run->count - 1 && compare_axis_value(&run->point[i], axis) < x) i++;
    if (i >= run->count) return run->point[0].metric[metric];
    const compare_point *a = &run->point[i - 1], *b = &run->point[i];
    const double from = compare_axis_value(a, axis), to = compare_axis_value(b, axis);
    if (x >= to) return b->metric[metric];
    if (!(from > 0)) return a->metric[metric]; /* no change before the first iteration */
    return a->metric[metric] + log(x / from) / log(to / from) * (b->metric[metric] - a->metric[metric]);
}

/* ---- means ---- */

/* The i-th evaluation of a run; after the common ones, the last. */
static const compare_point *at(const compare_series *s, int i, bool last) {
    return &s->point[last ? s->count - 1 : i];
}

static compare_mean mean_at(const compare_curve *c, int i, bool last) {
    const int64_t runs = c->runs;
    compare_mean m = {{0}, {0}, {0}};
    for (int64_t r = 0; r < runs; r++) {
        for (int k = 0; k < AXES; k++) m.axis[k] += compare_axis_value(at(&c->run[r], i, last), (compare_axis)k) / (double)runs;
        for (int k = 0; k < COMPARE_METRICS; k++) m.mean[k] += at(&c->run[r], i, last)->metric[k] / (double)runs;
    }
    for (int64_t r = 0; r < runs && runs > 1; r++)
        for (int k = 0; k < COMPARE_METRICS; k++) {
            const double off = at(&c->run[r], i, last)->metric[k] - m.mean[k];
            m.deviation[k] += off * off / (double)(runs - 1);
        }
    for (int k = 0; k < COMPARE_METRICS; k++) m.deviation[k] = sqrt(m.deviation[k]);
    return m;
}

/* Evaluations that all runs have at the same iteration; then the ends of the runs, if they
 * differ (the cost of an iteration depends on the seed) and no run failed. */
static sustain_status make_means(compare_curve *c) {
    int common = c->run[0].count;
    bool ends = false;
    for (int64_t r = 1; r < c->runs; r++) {
        int same = 0;
        while (same < common && same < c->run[r].count && c->run[r].point[same].iterations == c->run[0].point[same].iterations) same++;
        common = same;
    }
    for (int64_t r = 0; r < c->runs; r++) ends = ends || c->run[r].count > common;
    for (int64_t r = 0; r < c->runs; r++) ends = ends && c->run[r].failed[0] == '\0';
    c->mean = malloc((size_t)(common + 1) * sizeof *c->mean);
    if (c->mean == NULL) return SUSTAIN_MEMORY;
    for (c->count = 0; c->count < common; c->count++) c->mean[c->count] = mean_at(c, c->count, false);
    if (ends) c->mean[c->count++] = mean_at(c, 0, true);
    return SUSTAIN_OK;
}

bool compare_has_metric(const compare_result *r, int metric) {
    for (int i = 0; i < r->plan->entry_count; i++)
        for (int k = 0; k < r->curve[i].count; k++)
            if (isfinite(r->curve[i].mean[k].mean[metric])) return true;
    return false;
}

sustain_status compare_result_make(const compare_plan *plan, compare_result *result) {
    *result = (compare_result){.plan = plan};
    for (int i = 0; i < plan->entry_count; i++) {
        result->curve[i].entry = &plan->entry[i];
        result->curve[i].runs = compare_entry_runs(plan, &plan->entry[i]);
        result->curve[i].run = calloc((size_t)result->curve[i].runs, sizeof *result->curve[i].run);
        if (result->curve[i].run == NULL) return SUSTAIN_MEMORY;
    }
    return SUSTAIN_OK;
}

sustain_status compare_means(compare_result *result) {
    sustain_status status = SUSTAIN_OK;
    for (int i = 0; i < result->plan->entry_count && status == SUSTAIN_OK; i++) status = make_means(&result->curve[i]);
    return status;
}

void compare_result_free(compare_result *result) {
    for (int i = 0; i < result->plan->entry_count; i++) {
        for (int64_t r = 0; r < result->curve[i].runs && result->curve[i].run != NULL; r++) free(result->curve[i].run[r].point);
        free(result->curve[i].run);
        free(result->curve[i].mean);
    }
}
