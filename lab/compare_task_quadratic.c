/* compare_task_quadratic.c - the quadratic problem, whose solution is known, as a task of a
 * comparison. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare.h"
#include "solver_point.h"

enum { NORM_SQUARED, GAP, METRICS };

static const compare_metric metrics[METRICS] = {
    [NORM_SQUARED] = {"norm_squared", "|grad ell(x)|^2", "|grad ell|^2", .log = true},
    [GAP] = {"gap", "ell(x) - min ell", "gap", .log = true},
};

typedef struct quadratic_state {
    compare_solver run;   /* first: see compare.h */
    double minimum;       /* NAN if ell is not convex */
    double *x, *gradient; /* (upper_dim) */
} quadratic_state;

static void close_quadratic(void *state) {
    quadratic_state *s = state;
    if (s == NULL) return;
    sustain_solver_destroy(s->run.solver);
    sustain_quadratic_destroy(s->run.problem);
    free(s->x);
    free(s);
}

sustain_status compare_quadratic_open(sustain_context *context, const sustain_quadratic_options *options, void **state) {
    quadratic_state *s = *state = calloc(1, sizeof *s);
    if (s == NULL) return SUSTAIN_MEMORY;
    s->run.context = context;
    sustain_status status = sustain_quadratic_create(context, options, &s->run.problem);
    if (status == SUSTAIN_OK) s->x = malloc((size_t)(2 * options->upper_dim) * sizeof *s->x);
    if (s->x != NULL) {
        s->gradient = s->x + options->upper_dim;
        s->minimum = sustain_quadratic_minimum(s->run.problem, NULL);
        return SUSTAIN_OK;
    }
    close_quadratic(s);
    *state = NULL;
    return status != SUSTAIN_OK ? status : SUSTAIN_MEMORY;
}

static sustain_status measure(void *state, const sustain_result *at, double *metric) {
    const quadratic_state *s = state;
    (void)at; /* f(x_t, y_t) is not needed: ell is known */
    metric[NORM_SQUARED] = 0;
    const double value = quadratic_at(s->run.problem, s->run.solver, s->x, s->gradient, &metric[NORM_SQUARED]);
    /* rounding may make it negative */
    metric[GAP] = isnan(s->minimum) ? (double)NAN : fmax(0, value - s->minimum);
    return SUSTAIN_OK;
}

static void describe(const void *state, char *text, size_t size) {
    const quadratic_state *s = state;
    snprintf(text, size, "x in R^%lld, y in R^%lld, %s", (long long)s->run.problem->upper_dim, (long long)s->run.problem->lower_dim,
             s->run.problem->samples[0] > 0 ? "a finite sum" : "a stream of samples");
}

const compare_task compare_task_quadratic = {
    .name = "quadratic",
    .metrics = metrics,
    .metric_count = METRICS,
    .points_a_decade = 8,
    .budget = {[AXIS_GRADIENTS] = 1e5,
               [AXIS_SAMPLES] = 3e5,
               [AXIS_PRODUCTS] = 3e5,
               [AXIS_CALLS] = 6e5,
               [AXIS_ITERATIONS] = 1e4,
               [AXIS_SECONDS] = 2},
    .describe = describe,
    .measure = measure,
    .close = close_quadratic,
    .make = compare_solver_make,
    .memory = compare_solver_memory,
    .advance = compare_solver_advance,
};
