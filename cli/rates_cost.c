/* rates_cost.c - the time of an iteration as the lower level grows: the quadratic problem with dense matrices, as the paper's Table 1
 * counts, x fixed at four dimensions.
 *
 * The noise is off: drawing n random numbers costs O(n), but with a factor that would hide n^2 up to some hundreds. */
#include <math.h>

#include "interrupt.h"
#include "rates.h"

enum { SMALLEST = 16, FITTED_FROM = 64, PARTS = 3, LEAST_STEPS = 2 };
static const double ENOUGH = 0.02;  /* seconds a part */
static const double TOO_LONG = 0.5; /* seconds an iteration: no larger dimension after that */

/* Seconds an iteration: the least of a few parts, for what else the machine does only adds to it. */
static sustain_status time_steps(sustain_solver *solver, double *seconds) {
    *seconds = (double)INFINITY;
    sustain_status status = sustain_solver_step(solver); /* warm */
    for (int part = 0; part < PARTS && status == SUSTAIN_OK && !interrupted(); part++) {
        const double since = rates_clock();
        double taken = 0;
        int steps = 0;
        for (; status == SUSTAIN_OK && (steps < LEAST_STEPS || taken < ENOUGH); steps++) {
            status = sustain_solver_step(solver);
            taken = rates_clock() - since;
        }
        *seconds = fmin(*seconds, taken / steps);
    }
    return status;
}

static sustain_status cost_at(sustain_context *context, const rates_row *row, int64_t dim, double *seconds) {
    double factor[RATES_SETTINGS];
    for (int i = 0; i < RATES_SETTINGS; i++) factor[i] = 1;
    sustain_quadratic_options o = rates_options(RATES_NONCONVEX, row->finite_sum);
    o.lower_dim = dim;
    o.noise_f = o.noise_g = o.noise_hess = o.noise_cross = 0;
    sustain_problem *problem;
    sustain_solver *solver = NULL;
    sustain_status status = sustain_quadratic_create(context, &o, &problem);
    if (status == SUSTAIN_OK) status = sustain_solver_create(context, row->name, problem, &solver);
    if (status == SUSTAIN_OK) status = rates_set(solver, &row->theorem[RATES_NONCONVEX], factor, 1);
    if (status == SUSTAIN_OK) status = sustain_solver_start(solver, NULL, NULL);
    if (status == SUSTAIN_OK) status = time_steps(solver, seconds);
    sustain_solver_destroy(solver);
    sustain_quadratic_destroy(problem);
    return status;
}

sustain_status rates_measure_cost(sustain_context *context, const rates_limits *limits, rates_cost *c) {
    for (int64_t dim = SMALLEST; dim <= limits->largest_dim && !interrupted(); dim *= 2) {
        const sustain_status status = cost_at(context, c->row, dim, &c->seconds[c->count]);
        if (status != SUSTAIN_OK) return status;
        c->dim[c->count] = (double)dim;
        if (c->seconds[c->count++] > TOO_LONG) break;
    }
    int first = 0;
    while (first < c->count && c->dim[first] < FITTED_FROM) first++;
    c->fit = fit_power(c->count - first, c->dim + first, c->seconds + first);
    return SUSTAIN_OK;
}
