/* compare_tune.c - penalties of a linear model as a task of `sustain compare`: from x = 0, judged by ell(x) and its gradient, exactly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verb_compare.h"
#include "verbs.h"

enum { UPPER_LOSS, NORM_SQUARED, METRICS };
#define EXACT 1e-8 /* |grad_y g| at y*(x) */

static const compare_metric metrics[METRICS] = {
    [UPPER_LOSS] = {"upper_loss", "validation loss, ell(x)", "ell(x)", .log = true},
    [NORM_SQUARED] = {"norm_squared", "|grad ell(x)|^2", "|grad ell|^2", .log = true},
};

typedef struct tune_state {
    const char *name; /* of the data */
    tune_data data;
    sustain_problem *problem;
    compare_solver run;
    double *x, *gradient, *y; /* y: y*(x) of the last look, where the next one starts */
} tune_state;

static void close_tune(void *state) {
    tune_state *s = state;
    sustain_solver_destroy(s->run.solver);
    sustain_regtune_destroy(s->problem);
    tune_data_free(&s->data);
    free(s->x);
    free(s);
}

static int open_tune(sustain_context *context, const compare_values *given, int64_t seed, void **state) {
    tune_values values = given->tune;
    tune_state *s = *state = calloc(1, sizeof *s);
    if (s == NULL) return complain(EXIT_FAILED, "out of memory");
    values.run.seed = seed;
    int code = tune_data_read(context, &values, &s->data);
    if (code == EXIT_DONE)
        code = refused(context,
                       sustain_regtune_create(context, &s->data.model, &s->data.training.rows, &s->data.validation.rows, &s->problem));
    if (code != EXIT_DONE) return code;
    s->name = values.dataset != NULL ? values.dataset : s->data.training.set->source;
    s->x = calloc((size_t)(2 * s->problem->upper_dim + s->problem->lower_dim), sizeof *s->x);
    if (s->x == NULL) return complain(EXIT_FAILED, "out of memory");
    s->gradient = s->x + s->problem->upper_dim;
    s->y = s->gradient + s->problem->upper_dim;
    s->run = (compare_solver){.context = context, .problem = s->problem};
    return EXIT_DONE;
}

static sustain_status measure(void *state, const sustain_result *at, double *metric) {
    const tune_state *s = state;
    const sustain_real *x = sustain_solver_x(s->run.solver);
    double squares = 0;
    (void)at; /* f(x_t, y_t); y*(x_t) is at hand */
    for (int64_t i = 0; i < s->problem->upper_dim; i++) s->x[i] = (double)x[i];
    const sustain_status status = sustain_regtune_outer(s->problem, s->x, EXACT, s->y, &metric[UPPER_LOSS], s->gradient);
    for (int64_t i = 0; i < s->problem->upper_dim; i++) squares += s->gradient[i] * s->gradient[i];
    metric[NORM_SQUARED] = squares;
    return status == SUSTAIN_NOT_CONVERGED ? SUSTAIN_OK : status; /* rounding came first */
}

static int make(void *state, const compare_entry *entry, int64_t seed) {
    return compare_solver_make(&((tune_state *)state)->run, entry, seed);
}

static sustain_status advance(void *state, int64_t iteration, sustain_result *at) {
    return compare_solver_advance(&((tune_state *)state)->run, iteration, at);
}

static void describe(const void *state, char *text, size_t size) {
    const tune_state *s = state;
    const int sentence = (int)strcspn(s->data.split, ".");
    snprintf(text, size, "%s, %lld penalties: %.*s", s->name, (long long)s->problem->upper_dim, sentence, s->data.split);
}

const compare_task compare_task_tune = {
    .name = "tune",
    .options = &verb_tune,
    .offset = offsetof(compare_values, tune),
    .metrics = metrics,
    .metric_count = METRICS,
    .budget = {[AXIS_GRADIENTS] = 1e6,
               [AXIS_SAMPLES] = 1e7,
               [AXIS_PRODUCTS] = 1e7,
               [AXIS_CALLS] = 2e7,
               [AXIS_ITERATIONS] = 1000,
               [AXIS_SECONDS] = 10},
    .open = open_tune,
    .describe = describe,
    .measure = measure,
    .close = close_tune,
    .make = make,
    .advance = advance,
};
