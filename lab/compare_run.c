/* compare_run.c - one run of a comparison.
 *
 * Evaluates at iterations 0, 1, 2, ..., then points_a_decade times per factor of ten, but at least
 * points_in_all times at even distances, and at the last iteration that the budget allows. The
 * clock is stopped during evaluations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare.h"

const char *const compare_axis_keys[AXES] = {
#define KEY(name, key, title) #key,
    COMPARE_AXIS_LIST(KEY)
#undef KEY
};
const char *const compare_axis_titles[AXES] = {
#define TITLE(name, key, title) title,
    COMPARE_AXIS_LIST(TITLE)
#undef TITLE
};

double compare_axis_value(const compare_point *p, compare_axis axis) {
    const sustain_counts *c = &p->counts;
    const double products = (double)c->hessian_products + (double)c->cross_products;
    switch (axis) {
    case AXIS_GRADIENTS:
        return (double)c->gradients[0];
    case AXIS_SAMPLES:
        return (double)c->samples[0] + (double)c->samples[1];
    case AXIS_PRODUCTS:
        return products;
    case AXIS_CALLS:
        return (double)c->gradients[0] + (double)c->gradients[1] + products;
    case AXIS_ITERATIONS:
        return (double)p->iterations;
    case AXIS_SECONDS:
        return p->seconds;
    case AXES:
        break;
    }
    return 0;
}

sustain_status compare_series_add(compare_series *s, const compare_point *point) {
    compare_point *grown = realloc(s->point, (size_t)(s->count + 1) * sizeof *grown);
    if (grown == NULL) return SUSTAIN_MEMORY;
    s->point = grown;
    s->point[s->count++] = *point;
    return SUSTAIN_OK;
}

typedef struct run_state {
    const compare_plan *plan;
    void *task;          /* state of the task */
    compare_point at;    /* the latest evaluation */
    double used_before;  /* budget used at the previous evaluation, */
    int64_t seen_before; /* which was at this iteration */
} run_state;

/* The iteration of the next evaluation; *last: the budget ends there. The cost of an iteration
 * is estimated from the most recent ones. */
static int64_t next_evaluation(run_state *s, bool *last) {
    const int64_t t = s->at.iterations, grown = llround((double)t * pow(10, 1.0 / s->plan->task->points_a_decade)),
                  next = grown > t ? grown : t + 1;
    const double so_far = compare_axis_value(&s->at, s->plan->axis),
                 each = t > 0 ? (so_far - s->used_before) / (double)(t - s->seen_before) : 0;
    s->used_before = so_far;
    s->seen_before = t;
    if (t > 0 && each <= 0) { /* it uses none of this budget */
        *last = (double)next >= s->plan->task->budget[AXIS_ITERATIONS];
        return next;
    }
    const int parts = s->plan->task->points_in_all;
    const double part = parts > 0 ? fmax(1, round(s->plan->budget / (each * parts))) : INFINITY; /* in iterations */
    const int64_t near = (double)(next - t) > part ? t + (int64_t)part : next;
    *last = so_far + each * (double)(near - t) >= s->plan->budget;
    return *last ? t + (int64_t)fmax(0, floor((s->plan->budget - so_far) / each * (1 + 1e-12))) : near;
}

static sustain_status go_to(run_state *s, int64_t iteration, compare_series *series) {
    sustain_result at;
    sustain_status status = s->plan->task->advance(s->task, iteration, &at);
    if (status != SUSTAIN_OK) return status;
    s->at = (compare_point){.iterations = at.iterations, .seconds = at.seconds, .counts = at.counts};
    status = s->plan->task->measure(s->task, &at, s->at.metric);
    return status == SUSTAIN_OK ? compare_series_add(series, &s->at) : status;
}

sustain_status compare_run(sustain_context *context, const compare_plan *plan, void *state, const compare_entry *entry, int64_t seed,
                           compare_series *series, lab_error *error) {
    run_state s = {.plan = plan, .task = state};
    bool last = false;
    *series = (compare_series){.point = NULL};
    sustain_status status = plan->task->make(state, entry, seed, error);
    if (status != SUSTAIN_OK) return status;
    status = go_to(&s, 0, series);
    while (status == SUSTAIN_OK && !last) {
        const int64_t next = next_evaluation(&s, &last);
        if (next == s.at.iterations) break;
        status = go_to(&s, next, series);
    }
    if (status == SUSTAIN_MEMORY) return lab_fail(error, status, "%s", sustain_status_text(status));
    if (status == SUSTAIN_MEMORY_LIMIT) return lab_fail(error, status, "%s", sustain_error(context));
    if (status != SUSTAIN_OK) snprintf(series->failed, sizeof series->failed, "%s", sustain_error(context));
    return SUSTAIN_OK;
}
