/* compare_task_tune.c - penalties of a linear model as a task of a comparison: from x = 0,
 * measured by the exact ell(x) and its gradient. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "solver_point.h"

enum { UPPER_LOSS, NORM_SQUARED, METRICS };
#define EXACT 1e-8 /* |grad_y g| at y*(x) */

static const compare_metric metrics[METRICS] = {
    [UPPER_LOSS] = {"upper_loss", "validation loss, ell(x)", "ell(x)", .log = true},
    [NORM_SQUARED] = {"norm_squared", "|grad ell(x)|^2", "|grad ell|^2", .log = true},
};

typedef struct tune_state {
    compare_solver run; /* first: see compare.h */
    compare_tune_data data;
    double *x, *gradient, *y; /* y: y*(x) of the last evaluation, where the next one starts */
} tune_state;

static void close_tune(void *state) {
    tune_state *s = state;
    if (s == NULL) return;
    sustain_solver_destroy(s->run.solver);
    sustain_regtune_destroy(s->run.problem);
    free(s->x);
    free(s);
}

sustain_status compare_tune_open(sustain_context *context, const compare_tune_data *data, void **state) {
    tune_state *s = *state = calloc(1, sizeof *s);
    if (s == NULL) return SUSTAIN_MEMORY;
    s->run.context = context;
    s->data = *data;
    sustain_status status = sustain_regtune_create(context, data->model, data->training, data->validation, &s->run.problem);
    if (status == SUSTAIN_OK) {
        const int64_t m = s->run.problem->upper_dim;
        s->x = calloc((size_t)(2 * m + s->run.problem->lower_dim), sizeof *s->x);
        if (s->x == NULL)
            status = SUSTAIN_MEMORY;
        else
            s->gradient = s->x + m, s->y = s->gradient + m;
    }
    if (status == SUSTAIN_OK) return status;
    close_tune(s);
    *state = NULL;
    return status;
}

static sustain_status measure(void *state, const sustain_result *at, double *metric) {
    const tune_state *s = state;
    double squares = 0;
    (void)at; /* f(x_t, y_t) is not needed: y*(x_t) is computed */
    solver_point(s->run.solver, s->run.problem->upper_dim, s->x);
    const sustain_status status = sustain_regtune_outer(s->run.problem, s->x, EXACT, s->y, &metric[UPPER_LOSS], s->gradient);
    for (int64_t i = 0; i < s->run.problem->upper_dim; i++) squares += s->gradient[i] * s->gradient[i];
    metric[NORM_SQUARED] = squares;
    return status == SUSTAIN_NOT_CONVERGED ? SUSTAIN_OK : status; /* limited by rounding */
}

static void describe(const void *state, char *text, size_t size) {
    const tune_state *s = state;
    const int sentence = (int)strcspn(s->data.split, ".");
    snprintf(text, size, "%s, %lld penalties: %.*s", s->data.name, (long long)s->run.problem->upper_dim, sentence, s->data.split);
}

const compare_task compare_task_tune = {
    .name = "tune",
    .metrics = metrics,
    .metric_count = METRICS,
    .points_a_decade = 8,
    .budget = {[AXIS_GRADIENTS] = 1e6,
               [AXIS_SAMPLES] = 1e7,
               [AXIS_PRODUCTS] = 1e7,
               [AXIS_CALLS] = 2e7,
               [AXIS_ITERATIONS] = 1000,
               [AXIS_SECONDS] = 10},
    .describe = describe,
    .measure = measure,
    .close = close_tune,
    .make = compare_solver_make,
    .memory = compare_solver_memory,
    .advance = compare_solver_advance,
};
