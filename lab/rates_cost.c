/* rates_cost.c - the time of an iteration as the lower level grows: the quadratic problem with
 * dense matrices, as counted in the paper's Table 1, with x of dimension four.
 *
 * Gaussian noise is off: drawing n such numbers costs O(n) with a factor that would hide n^2 up
 * to a few hundred. The noise of the matrices stays on: without it their smallest eigenvalue
 * would equal mu_g up to rounding, and algorithms with a projection would project in every
 * iteration. */
#include <math.h>

#include "lab_clock.h"
#include "rates.h"

enum { SMALLEST = 16, FITTED_FROM = 64, PARTS = 5, STEPS = 8 };
static const double ENOUGH = 0.02, MOST = 2; /* seconds per dimension: lower and upper limit for
                                              * PARTS measurements */
static const double TOO_LONG = 0.5;          /* seconds per iteration: larger dimensions are
                                              * skipped */

/* Seconds per iteration over the first STEPS iterations; the same for all dimensions, since an
 * inner loop may grow with t. */
static sustain_status time_steps(sustain_context *context, const rates_row *row, const sustain_problem *problem, double *seconds) {
    double factor[RATES_SETTINGS], since = 0;
    sustain_solver *solver;
    for (int i = 0; i < RATES_SETTINGS; i++) factor[i] = 1;
    sustain_status status = sustain_solver_create(context, rates_solver(row), problem, &solver);
    if (status == SUSTAIN_OK) status = rates_set(solver, &row->theorem[RATES_NONCONVEX], factor, 1, 0);
    if (status == SUSTAIN_OK) status = sustain_solver_start(solver, NULL, NULL);
    for (int step = 0; step < STEPS && status == SUSTAIN_OK; step++) {
        if (step == 0) since = lab_thread_clock();
        status = sustain_solver_step(solver);
    }
    *seconds = (lab_thread_clock() - since) / STEPS;
    sustain_solver_destroy(solver);
    return status;
}

/* The minimum of a few measurements, since other load only adds time. */
static sustain_status cost_at(sustain_context *context, const rates_row *row, int64_t dim, lab_stop stop, double *seconds) {
    sustain_quadratic_options o = rates_options(RATES_NONCONVEX, row->finite_sum);
    o.lower_dim = dim;
    o.noise_f = o.noise_g = 0;
    sustain_problem *problem;
    sustain_status status = sustain_quadratic_create(context, &o, &problem);
    *seconds = (double)INFINITY;
    double all = 0;
    for (int part = 0; (all < ENOUGH || (part < PARTS && all < MOST)) && status == SUSTAIN_OK && !lab_stopped(stop); part++) {
        double once;
        status = time_steps(context, row, problem, &once);
        *seconds = fmin(*seconds, once);
        all += STEPS * once;
    }
    sustain_quadratic_destroy(problem);
    return status;
}

sustain_status rates_measure_cost(sustain_context *context, const rates_limits *limits, rates_cost *c) {
    for (int64_t dim = SMALLEST; dim <= limits->largest_dim && !lab_stopped(limits->stop); dim *= 2) {
        const sustain_status status = cost_at(context, c->row, dim, limits->stop, &c->seconds[c->count]);
        if (status != SUSTAIN_OK) return status;
        c->dim[c->count] = (double)dim;
        if (c->seconds[c->count++] > TOO_LONG) break;
    }
    int first = 0;
    while (first < c->count && c->dim[first] < FITTED_FROM) first++;
    c->fit = fit_power(c->count - first, c->dim + first, c->seconds + first);
    return SUSTAIN_OK;
}
