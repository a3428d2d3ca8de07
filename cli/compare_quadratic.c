/* compare_quadratic.c - the problem with known answers as a task of `sustain compare`. */
#include <math.h>
#include <stdlib.h>

#include "verb_compare.h"

enum { NORM_SQUARED, GAP, METRICS };

static const compare_metric metrics[METRICS] = {
    [NORM_SQUARED] = {"norm_squared", "|grad ell(x)|^2", "|grad ell|^2", .log = true},
    [GAP] = {"gap", "ell(x) - min ell", "gap", .log = true},
};

typedef struct quadratic_state {
    sustain_problem *problem;
    compare_solver run;
    double minimum;       /* NAN where ell is not convex */
    double *x, *gradient; /* (upper_dim) */
} quadratic_state;

static void close_quadratic(void *state) {
    quadratic_state *s = state;
    sustain_solver_destroy(s->run.solver);
    sustain_quadratic_destroy(s->problem);
    free(s->x);
    free(s);
}

static int open_quadratic(sustain_context *context, const compare_values *given, int64_t seed, void **state) {
    sustain_quadratic_options options = sustain_quadratic_defaults();
    target where = {.values = &options};
    where.table = sustain_quadratic_table(&where.count);
    quadratic_state *s = *state = calloc(1, sizeof *s);
    (void)seed; /* the problem has its own: all runs are on the same one */
    if (s == NULL) return complain(EXIT_FAILED, "out of memory");
    int code = options_assign(context, &given->set, &where, 1);
    if (code == EXIT_DONE) code = refused(context, sustain_quadratic_create(context, &options, &s->problem));
    if (code != EXIT_DONE) return code;
    s->x = malloc((size_t)(2 * options.upper_dim) * sizeof *s->x);
    if (s->x == NULL) return complain(EXIT_FAILED, "out of memory");
    s->gradient = s->x + options.upper_dim;
    s->minimum = sustain_quadratic_minimum(s->problem, NULL);
    s->run = (compare_solver){.context = context, .problem = s->problem};
    return EXIT_DONE;
}

static sustain_status measure(void *state, const sustain_result *at, double *metric) {
    const quadratic_state *s = state;
    const sustain_real *x = sustain_solver_x(s->run.solver);
    double squares = 0;
    (void)at; /* f(x_t, y_t); ell is known */
    for (int64_t i = 0; i < s->problem->upper_dim; i++) s->x[i] = (double)x[i];
    const double value = sustain_quadratic_value(s->problem, s->x, s->gradient);
    for (int64_t i = 0; i < s->problem->upper_dim; i++) squares += s->gradient[i] * s->gradient[i];
    metric[NORM_SQUARED] = squares;
    metric[GAP] = isnan(s->minimum) ? (double)NAN : fmax(0, value - s->minimum); /* rounding may put it below 0 */
    return SUSTAIN_OK;
}

static int make(void *state, const compare_entry *entry, int64_t seed) {
    return compare_solver_make(&((quadratic_state *)state)->run, entry, seed);
}

static sustain_status advance(void *state, int64_t iteration, sustain_result *at) {
    return compare_solver_advance(&((quadratic_state *)state)->run, iteration, at);
}

static void describe(const void *state, char *text, size_t size) {
    const quadratic_state *s = state;
    snprintf(text, size, "x in R^%lld, y in R^%lld, %s", (long long)s->problem->upper_dim, (long long)s->problem->lower_dim,
             s->problem->samples[0] > 0 ? "a finite sum" : "a stream of samples");
}

const compare_task compare_task_quadratic = {
    .name = "quadratic",
    .metrics = metrics,
    .metric_count = METRICS,
    .budget = {[AXIS_GRADIENTS] = 1e5,
               [AXIS_SAMPLES] = 3e5,
               [AXIS_PRODUCTS] = 3e5,
               [AXIS_CALLS] = 6e5,
               [AXIS_ITERATIONS] = 1e4,
               [AXIS_SECONDS] = 2},
    .open = open_quadratic,
    .describe = describe,
    .measure = measure,
    .close = close_quadratic,
    .make = make,
    .advance = advance,
};
