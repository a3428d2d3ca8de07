/* rates_measure.c - one algorithm on one problem: its constants, chosen once at the largest
 * epsilon and then fixed, and the samples at each epsilon until the budget is used up. */
#include <math.h>
#include <string.h>

#include "lab_clock.h"
#include "rates.h"

/* ---- number of seeds, and budget ---- */

/* Algorithms with proved exponents of at most 3/2 get a larger budget, enough for three decades. */
static double budget_of(const rates_limits *limits, const rates_result *r) {
    enum { SHARES = 8 };
    const double *proved = r->row->theorem[r->kind].proved;
    return proved[0] <= 1.5 && proved[1] <= 1.5 ? SHARES * limits->budget : limits->budget;
}

/* The last value of a run has a larger variance than the mean over its iterations, and runs are
 * short if ell is strongly convex. */
int64_t rates_runs_of(const rates_limits *limits, int kind) {
    return kind == RATES_NONCONVEX ? limits->runs : 2 * limits->runs;
}

/* One seed for deterministic algorithms. */
static int64_t runs_of(const rates_limits *limits, const rates_result *r) {
    for (int i = 0; i < sustain_solver_count(); i++)
        if (strcmp(sustain_solver_at(i)->name, rates_solver(r->row)) == 0 && sustain_solver_at(i)->deterministic) return 1;
    return rates_runs_of(limits, r->kind);
}

/* ---- the constants ---- */

enum { CHOOSING_SEED = 1000000 };

/* The constants are those that first bring the criterion to half of the largest epsilon. The
 * proofs, too, leave half of epsilon to the noise. With constants that barely reach epsilon, the
 * criterion fluctuates around it, and chance decides when the mean is first below. */
static const double PART_OF_EPSILON = 0.5;

/* Sets combination number `which` of the choices; false after the last. */
static bool combination(const rates_theorem *theorem, int which, double *factor) {
    for (int i = 0; i < RATES_SETTINGS; i++) {
        const rates_setting *s = &theorem->settings[i];
        const int choices = s->name != NULL && s->choices > 1 ? s->choices : 1;
        factor[i] = pow(s->step > 0 ? s->step : 1, which % choices);
        which /= choices;
    }
    return which == 0;
}

/* Tries all combinations with at most `calls` oracle calls per run, stopping each once it has
 * used more samples (both levels) than the best so far. *found: whether one reached the target. */
static sustain_status try_all(sustain_context *context, const rates_problem *problem, rates_runs with, rates_result *r, double *used,
                              bool *found) {
    double factor[RATES_SETTINGS];
    for (int which = 0; combination(&r->row->theorem[r->kind], which, factor) && !lab_stopped(with.stop); which++) {
        rates_point p;
        const sustain_status status = rates_reach(context, r->row, problem, factor, rates_epsilon(r->kind, 0), &with, &p);
        if (status != SUSTAIN_OK) return status;
        *used += p.calls * (double)with.runs;
        if (!p.reached) continue;
        *found = true;
        with.most_samples = p.samples[0] + p.samples[1];
        for (int i = 0; i < RATES_SETTINGS; i++) r->factor[i] = factor[i];
    }
    return SUSTAIN_OK;
}

/* Finds the combination that needs the fewest samples. Bad combinations would use up any budget,
 * so the first attempt is short and is lengthened if none succeeds; *found stays false if half
 * the budget was not enough. */
static sustain_status choose(sustain_context *context, const rates_limits *limits, const rates_problem *problem, rates_result *r,
                             double *used, bool *found) {
    enum { FIRST_CALLS = 500, LONGER = 4, PART = 2 };
    const int64_t runs = runs_of(limits, r);
    sustain_status status = SUSTAIN_OK;
    combination(&r->row->theorem[r->kind], 0, r->factor);
    for (double calls = FIRST_CALLS; !*found && *used < budget_of(limits, r) / PART && status == SUSTAIN_OK && !lab_stopped(limits->stop);
         calls *= LONGER)
        status = try_all(context, problem,
                         (rates_runs){runs, CHOOSING_SEED, PART_OF_EPSILON, calls * (double)runs, (double)INFINITY, limits->stop, false}, r,
                         used, found);
    return status;
}

/* ---- all epsilons ---- */

int rates_reached(const rates_result *r) {
    return r->points > 0 && !r->point[r->points - 1].reached ? r->points - 1 : r->points;
}

/* 1.96 standard deviations of the slope over the resamples. */
static double resampled_half(const rates_result *r, int n, int level, const double *inverse) {
    double sum = 0, squares = 0;
    for (int b = 0; b < RATES_RESAMPLES; b++) {
        double samples[RATES_POINTS];
        for (int i = 0; i < n; i++) samples[i] = r->point[i].resampled[level][b];
        const double slope = fit_power(n, inverse, samples).slope;
        sum += slope, squares += slope * slope;
    }
    const double mean = sum / RATES_RESAMPLES;
    return 1.96 * sqrt(fmax(0, squares / RATES_RESAMPLES - mean * mean));
}

/* Whether iterations cost more as epsilon falls because of batches or inner loops. */
static bool grows_by_power(const rates_theorem *theorem) {
    for (int i = 0; i < RATES_SETTINGS && theorem->settings[i].name != NULL; i++)
        if (theorem->settings[i].power < 0) return true;
    return false;
}

static void fit(rates_result *r) {
    double inverse[RATES_POINTS], samples[2][RATES_POINTS], calls[RATES_POINTS], log_T[RATES_POINTS], each[RATES_POINTS];
    const int n = rates_reached(r);
    for (int i = 0; i < n; i++) {
        inverse[i] = 1 / r->point[i].epsilon;
        samples[0][i] = r->point[i].samples[0];
        samples[1][i] = r->point[i].samples[1];
        calls[i] = r->point[i].calls;
        log_T[i] = log(r->point[i].iterations);
        each[i] = calls[i] / r->point[i].iterations;
    }
    for (int level = 0; level < 2; level++) {
        r->samples[level] = fit_power(n, inverse, samples[level]);
        if (n > 1 && !isnan(r->point[0].resampled[level][0])) r->samples[level].half = resampled_half(r, n, level, inverse);
    }
    r->calls = fit_power(n, inverse, calls);
    r->per_log = grows_by_power(&r->row->theorem[r->kind]) ? (power_fit){(double)NAN, (double)NAN} : fit_line(n, log_T, each);
}

/* Whether the rest of the budget may suffice for the next epsilon, extrapolating the last
 * increase. A generous estimate. */
static bool affordable(const rates_result *r, double left) {
    enum { GENEROUS = 2 };
    if (r->points < 2) return true;
    const double last = r->point[r->points - 1].calls;
    return last * last / r->point[r->points - 2].calls < GENEROUS * left;
}

static sustain_status measure(sustain_context *context, const rates_limits *limits, const rates_problem *problem, rates_result *r) {
    const int64_t runs = runs_of(limits, r);
    double used = 0;
    bool go_on = false; /* stays false without constants */
    sustain_status status = choose(context, limits, problem, r, &used, &go_on);
    while (r->points < limits->points && status == SUSTAIN_OK && go_on && !lab_stopped(limits->stop)) {
        rates_point *p = &r->point[r->points];
        /* seeds of its own for each epsilon, so that their errors are independent */
        const rates_runs with = {runs, limits->seed + r->points * runs, 1, budget_of(limits, r) - used, (double)INFINITY, limits->stop,
                                 true};
        if (!affordable(r, with.budget / (double)runs)) break;
        status = rates_reach(context, r->row, problem, r->factor, rates_epsilon(r->kind, r->points), &with, p);
        used += p->calls * (double)runs;
        r->points++;
        go_on = p->reached;
    }
    fit(r);
    return status;
}

sustain_status rates_measure(sustain_context *context, const rates_limits *limits, rates_result *r) {
    const double since = lab_thread_clock();
    rates_problem problem;
    sustain_status status = rates_problem_make(context, r->kind, r->row->finite_sum, &problem);
    if (status != SUSTAIN_OK) return status;
    status = measure(context, limits, &problem, r);
    rates_problem_free(&problem);
    r->seconds = lab_thread_clock() - since;
    return status;
}
