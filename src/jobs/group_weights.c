/* group_weights.c - a weight for each group of training rows (annotators, sources of data), such that a classifier trained with these weights does well on
 * the trusted rows: hyperclean.h with groups, solved with SUSTAIN.
 *
 * x has one entry for each group and every draw has rows of most groups, so that each iteration teaches all weights. The derivative in x_g is the mean
 * score of the group's rows times its share of all rows: alpha goes with the number of groups. */
#include <math.h>

#include <sustain/clean.h>
#include <sustain/hyperclean.h>

#include "core/context_internal.h"
#include "core/sized.h"
#include "jobs/softmax_fit.h"

enum { ITERATIONS = 400, MOST_BATCH = 1024, TERMS = 20 };
#define DECAY 0.25
#define WAY 20.0 /* that x goes, in units of the mean score */

static const sustain_group_options default_options = {.c = 0.001, .intercept = true};

void sustain_group_defaults_for(size_t size, sustain_group_options *options) {
    sustain__sized_fill(options, size, &default_options, sizeof default_options);
}

static int64_t batch_of(const sustain_rows *training) {
    const int64_t most = training->count / 4 > 1 ? training->count / 4 : 1;
    return most < MOST_BATCH ? most : MOST_BATCH;
}

/* The steps of clean_solver.c, for groups. */
static sustain_status set_up(sustain_solver *s, const sustain_group_options *o, const sustain_rows *training) {
    const double w = ITERATIONS / 20.0, grown = pow(w, DECAY);
    sustain_rows rows = *training;
    if (rows.stored == 0) rows.stored = rows.count;
    const double L = (sustain__rows_mean_square(&rows) + (o->intercept ? 1 : 0)) / (double)o->classes;
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"seed", (double)o->seed},
                   {"batch", (double)batch_of(training)},
                   {"w", w},
                   {"p", DECAY},
                   {"alpha", WAY * (double)o->groups / ITERATIONS * grown},
                   {"beta", 2.5 / L * grown},
                   {"L_g", L / 2},
                   {"c_eta_f", 0.4 * grown * grown},
                   {"c_eta_g", 0.4 * grown * grown},
                   {"K", TERMS}};
    SUSTAIN_TRY(sustain_solver_set(s, "schedule", "power"));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        SUSTAIN_TRY(sustain_solver_set_number(s, numbers[i].name, numbers[i].value));
    return SUSTAIN_OK;
}

static sustain_status solve(sustain_context *context, const sustain_group_options *o, const sustain_rows *training,
                            sustain_problem *problem, sustain_solver **solver, double *weight) {
    const sustain_stopping stopping = {.size = sizeof stopping, .iterations = ITERATIONS};
    sustain_result run;
    SUSTAIN_TRY(sustain_solver_create(context, "sustain", problem, solver));
    SUSTAIN_TRY(set_up(*solver, o, training));
    SUSTAIN_TRY(sustain_solver_run(*solver, &stopping, &run));
    for (int64_t g = 0; g < o->groups; g++) weight[g] = 1 / (1 + exp(-(double)run.x[g]));
    return SUSTAIN_OK;
}

sustain_status sustain_clean_group_weights(sustain_context *context, const sustain_group_options *options, const sustain_rows *training,
                                           const sustain_rows *trusted, double *weight) {
    if (context == NULL) return SUSTAIN_ARGUMENT;
    sustain_group_options taken = default_options;
    const sustain_group_options *const o = &taken;
    SUSTAIN_TRY(
        sustain__sized_take(context, "the options", options, SUSTAIN__SIZE_THROUGH(sustain_group_options, group), &taken, sizeof taken));
    SUSTAIN_TRY(sustain__need(context, training, "training"));
    SUSTAIN_TRY(sustain__need(context, trusted, "trusted"));
    SUSTAIN_TRY(sustain__need(context, weight, "weight"));
    if (o->groups < 1)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "there must be at least 1 group (there are %lld)", (long long)o->groups);
    const sustain_hyperclean_options h = {
        .size = sizeof h, .classes = o->classes, .c = o->c, .intercept = o->intercept, .groups = o->groups, .group = o->group};
    sustain_problem *problem;
    sustain_solver *solver = NULL;
    SUSTAIN_TRY(sustain_hyperclean_create(context, &h, training, trusted, &problem));
    const sustain_status status = solve(context, o, training, problem, &solver, weight);
    sustain_solver_destroy(solver);
    sustain_hyperclean_destroy(problem);
    return status;
}
