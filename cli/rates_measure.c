/* rates_measure.c - one algorithm on one problem: its constants, chosen once at the largest epsilon and then frozen, and the samples at
 * every epsilon down to where the budget ends. */
#include <math.h>
#include <time.h>

#include "interrupt.h"
#include "rates.h"

double rates_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the constants ---- */

enum { CHOOSING_SEED = 100 };

/* Combination number `which` of the choices; false after the last. */
static bool combination(const rates_theorem *theorem, int which, double *factor) {
    for (int i = 0; i < RATES_SETTINGS; i++) {
        const rates_setting *s = &theorem->settings[i];
        const int choices = s->name != NULL && s->choices > 1 ? s->choices : 1;
        factor[i] = pow(s->step > 0 ? s->step : 1, which % choices);
        which /= choices;
    }
    return which == 0;
}

/* The combination that needs the fewest samples, both levels together. None may use more than a part of the budget, nor more than the best
 * so far. */
static sustain_status choose(sustain_context *context, const rates_limits *limits, const rates_problem *problem, rates_result *r,
                             double *used) {
    enum { PART = 20 };
    const int64_t runs = rates_runs_of(limits, r->kind);
    rates_runs with = {runs, CHOOSING_SEED, limits->budget / PART, (double)INFINITY};
    double factor[RATES_SETTINGS];
    combination(&r->row->theorem[r->kind], 0, r->factor);
    for (int which = 0; combination(&r->row->theorem[r->kind], which, factor) && !interrupted(); which++) {
        rates_point p;
        const sustain_status status = rates_reach(context, r->row, problem, factor, rates_epsilon(r->kind, 0), &with, &p);
        if (status != SUSTAIN_OK) return status;
        *used += p.calls * (double)runs;
        if (!p.reached) continue;
        with.most_samples = p.samples[0] + p.samples[1];
        for (int i = 0; i < RATES_SETTINGS; i++) r->factor[i] = factor[i];
    }
    return SUSTAIN_OK;
}

/* ---- all epsilons ---- */

/* The end of a run scatters more than the mean over its way, and runs are short where ell is strongly convex. */
int64_t rates_runs_of(const rates_limits *limits, int kind) {
    return kind == RATES_NONCONVEX ? limits->runs : 4 * limits->runs;
}

int rates_reached(const rates_result *r) {
    return r->points > 0 && !r->point[r->points - 1].reached ? r->points - 1 : r->points;
}

static void fit(rates_result *r) {
    double inverse[RATES_POINTS], samples[2][RATES_POINTS], calls[RATES_POINTS];
    const int n = rates_reached(r);
    for (int i = 0; i < n; i++) {
        inverse[i] = 1 / r->point[i].epsilon;
        samples[0][i] = r->point[i].samples[0];
        samples[1][i] = r->point[i].samples[1];
        calls[i] = r->point[i].calls;
    }
    for (int level = 0; level < 2; level++) r->samples[level] = fit_power(n, inverse, samples[level]);
    r->calls = fit_power(n, inverse, calls);
}

static sustain_status measure(sustain_context *context, const rates_limits *limits, const rates_problem *problem, rates_result *r) {
    const int64_t runs = rates_runs_of(limits, r->kind);
    double used = 0;
    sustain_status status = choose(context, limits, problem, r, &used);
    bool go_on = true;
    for (int i = 0; i < limits->points && status == SUSTAIN_OK && go_on && !interrupted(); i++) {
        rates_point *p = &r->point[i];
        const rates_runs with = {runs, limits->seed, limits->budget - used, (double)INFINITY};
        status = rates_reach(context, r->row, problem, r->factor, rates_epsilon(r->kind, i), &with, p);
        used += p->calls * (double)runs;
        r->points = i + 1;
        go_on = p->reached;
    }
    fit(r);
    return status;
}

sustain_status rates_measure(sustain_context *context, const rates_limits *limits, rates_result *r) {
    const double since = rates_clock();
    rates_problem problem;
    sustain_status status = rates_problem_make(context, r->kind, r->row->finite_sum, &problem);
    if (status != SUSTAIN_OK) return status;
    status = measure(context, limits, &problem, r);
    rates_problem_free(&problem);
    r->seconds = rates_clock() - since;
    return status;
}
