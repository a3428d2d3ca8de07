/* group_weights.c - a weight for each group of training rows (annotators, sources of data), such
 * that a classifier trained with these weights does well on the trusted rows: hyperclean.h with
 * groups, solved with SUSTAIN.
 *
 * x has one entry for each group and every draw has rows of most groups, so that each iteration
 * teaches all weights. The derivative in x_g is the mean score of the group's rows times its share
 * of all rows: alpha goes with the number of groups. */
#include <math.h>

#include <sustain/clean.h>
#include <sustain/hyperclean.h>

#include "core/context_internal.h"
#include "core/sized.h"
#include "jobs/label_count.h"
#include "jobs/softmax_fit.h"

enum { ITERATIONS = 400, MOST_BATCH = 1024, TERMS = 20, PARTS = 4, LEAST_ROWS = 2 * PARTS };
#define TWO_SIDED 2.2 /* Student's t with about 11 degrees of freedom */
#define DECAY 0.25
#define WAY 20.0 /* that x goes, in units of the mean score */

static const sustain_group_options default_options = {.c = 0.001, .intercept = true};

void sustain_group_defaults_for(size_t size, sustain_group_options *options) {
    sustain__sized_fill(options, size, &default_options, sizeof default_options);
}

static sustain_status check_groups(sustain_context *context, const sustain_group_options *o, int64_t count) {
    if (o->groups < 1 || o->groups > INT32_MAX / PARTS)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "there must be 1 to %ld groups (there are %lld)", (long)(INT32_MAX / PARTS),
                             (long long)o->groups);
    SUSTAIN_TRY(sustain__need(context, o->group, "group"));
    for (int64_t i = 0; i < count; i++)
        if (o->group[i] < 0 || o->group[i] >= o->groups)
            return sustain__fail(context, SUSTAIN_ARGUMENT, "the group of training row %lld is %ld, not one of 0 to %lld", (long long)i,
                                 (long)o->group[i], (long long)(o->groups - 1));
    return SUSTAIN_OK;
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
    SUSTAIN_TRY(check_groups(context, o, training->count));
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

/* ---- intervals of weights ---- */

/* part (training count): group g becomes the groups PARTS g to PARTS g + PARTS - 1, its rows dealt
 * out in their order. rows (groups) is scratch. */
static void divide(const sustain_group_options *o, int64_t count, int64_t *rows, int32_t *part) {
    for (int64_t i = 0; i < count; i++) part[i] = (int32_t)(PARTS * o->group[i] + rows[o->group[i]]++ % PARTS);
}

/* The variance of the mean of the parts' x, for one row. */
static double variance_of_parts(const double *weight, double rows) {
    double sum = 0, square = 0;
    for (int p = 0; p < PARTS; p++) {
        const double x = log(weight[p] / (1 - weight[p]));
        sum += x, square += x * x;
    }
    return fmax(square - sum * sum / PARTS, 0) / (PARTS - 1) / PARTS * rows;
}

/* Four parts say little about one group: its variance is the mean of its own and of that of all
 * groups. */
static void intervals(int64_t groups, const int64_t *rows, const double *parts, const double *weight, double *low, double *high) {
    double all = 0, counted = 0;
    for (int64_t g = 0; g < groups; g++)
        if (rows[g] >= LEAST_ROWS) all += variance_of_parts(parts + g * PARTS, (double)rows[g]), counted++;
    for (int64_t g = 0; g < groups; g++) {
        low[g] = 0, high[g] = 1;
        if (rows[g] < LEAST_ROWS) continue;
        const double variance = (variance_of_parts(parts + g * PARTS, (double)rows[g]) + all / counted) / 2 / (double)rows[g];
        const double x = log(weight[g] / (1 - weight[g])), off = TWO_SIDED * sqrt(variance);
        low[g] = 1 / (1 + exp(-x + off)), high[g] = 1 / (1 + exp(-x - off));
    }
}

sustain_status sustain_clean_group_intervals(sustain_context *context, const sustain_group_options *options, const sustain_rows *training,
                                             const sustain_rows *trusted, const double *weight, double *low, double *high) {
    if (context == NULL) return SUSTAIN_ARGUMENT;
    sustain_group_options o = default_options;
    SUSTAIN_TRY(sustain__sized_take(context, "the options", options, SUSTAIN__SIZE_THROUGH(sustain_group_options, group), &o, sizeof o));
    SUSTAIN_TRY(sustain__need(context, training, "training"));
    SUSTAIN_TRY(sustain__need(context, weight, "weight"));
    SUSTAIN_TRY(sustain__need(context, low, "low"));
    SUSTAIN_TRY(sustain__need(context, high, "high"));
    SUSTAIN_TRY(check_groups(context, &o, training->count));
    int64_t *rows;
    const size_t groups = (size_t)o.groups, count = (size_t)training->count;
    SUSTAIN_TRY(sustain__allocate(context, groups * (sizeof *rows + PARTS * sizeof(double)) + count * sizeof(int32_t), &rows));
    double *parts = (double *)(void *)(rows + groups);
    int32_t *part = (int32_t *)(void *)(parts + PARTS * groups);
    divide(&o, training->count, rows, part);
    o.groups *= PARTS, o.group = part;
    const sustain_status status = sustain_clean_group_weights(context, &o, training, trusted, parts);
    if (status == SUSTAIN_OK) intervals((int64_t)groups, rows, parts, weight, low, high);
    sustain__free(context, rows);
    return status;
}

/* ---- error rates ---- */

sustain_status sustain_clean_group_errors(sustain_context *context, int64_t groups, int64_t count, const int32_t *group,
                                          const float *quality, sustain_group_errors *errors) {
    double *variance;
    SUSTAIN_TRY(sustain__need(context, group, "group"));
    SUSTAIN_TRY(sustain__need(context, quality, "quality"));
    SUSTAIN_TRY(sustain__need(context, errors, "errors"));
    SUSTAIN_TRY(check_groups(context, &(sustain_group_options){.groups = groups, .group = group}, count));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)groups, sizeof *variance), &variance));
    for (int64_t g = 0; g < groups; g++) errors[g] = (sustain_group_errors){.rows = 0};
    for (int64_t i = 0; i < count; i++) {
        const double wrong = 1 - (double)quality[i];
        errors[group[i]].rows++;
        errors[group[i]].rate += wrong;
        variance[group[i]] += wrong * (1 - wrong);
    }
    for (int64_t g = 0; g < groups; g++)
        sustain__rate_interval(errors[g].rate, variance[g], (double)errors[g].rows, &errors[g].rate, &errors[g].low, &errors[g].high);
    sustain__free(context, variance);
    return SUSTAIN_OK;
}
