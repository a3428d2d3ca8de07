/* method_solver.c - meta learning, eq. (2), by an algorithm of the registry: its steps on
 * task_problem.c, where the heads of a fixed set of tasks are y, kept from one iteration to the
 * next. A new task gets a solved head, as the lower level of eq. (2) says. */
#include <math.h>
#include <string.h>

#include <sustain/solver.h>

#include "core/decimal.h"
#include "core/vector.h"
#include "meta/meta_internal.h"

static const struct {
    const char *name;
    sustain_field_type type;
} kept[] = {
    {"best.accuracy", SUSTAIN_FIELD_DOUBLE}, {"best.iteration", SUSTAIN_FIELD_INT64}, {"best.without_progress", SUSTAIN_FIELD_INT64},
    {"meta.seconds", SUSTAIN_FIELD_DOUBLE},  {"best.theta", SUSTAIN_FIELD_REAL},      {"recent", SUSTAIN_FIELD_DOUBLE}};

/* The record of validations is saved with the state of the solver. */
static sustain_status attach(sustain_meta *meta) {
    sustain_meta_record *r = &meta->record;
    void *const data[] = {&r->accuracy, &r->iteration, &r->without_progress, &r->seconds, meta->best, meta->recent};
    const int64_t counts[] = {1, 1, 1, 1, meta->setting.theta, 3};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        SUSTAIN_TRY(sustain_solver_attach(meta->solver, kept[i].name, kept[i].type, counts[i], data[i]));
    return SUSTAIN_OK;
}

static sustain_status set_if_there(sustain_solver *solver, const char *name, const char *text) {
    const sustain_solver_info *info = sustain_solver_describe(solver);
    for (int i = 0; i < info->parameter_count; i++)
        if (strcmp(info->parameters[i].name, name) == 0) return sustain_solver_set(solver, name, text);
    return SUSTAIN_OK;
}

static sustain_status set_number_if_there(sustain_solver *solver, const char *name, double value) {
    char text[40];
    sustain__decimal_write(value, 17, text, sizeof text);
    return set_if_there(solver, name, text);
}

/* A bound, of the first draw at the start. An estimate by the solver would take many draws. */
static sustain_status find_curvature(sustain_meta *meta, double *L_g) {
    int64_t index[SUSTAIN__META_BLOCKS];
    sustain_real *y;
    const int64_t size = meta->options.tasks < SUSTAIN__META_BLOCKS ? meta->options.tasks : SUSTAIN__META_BLOCKS;
    for (int64_t i = 0; i < size; i++) index[i] = sustain__meta_which(meta, i);
    const sustain_batch some = {.size = size, .index = index};
    SUSTAIN_TRY(sustain__allocate(meta->context, sustain__multiply((size_t)meta->problem->lower_dim, sizeof *y), &y));
    const sustain_status status = sustain__task_problem_curvature(meta->problem, &some, meta->theta, y, meta->problem_work, L_g);
    sustain__free(meta->context, y);
    *L_g *= (double)size / (double)meta->options.tasks; /* of a draw of `tasks` */
    return status;
}

enum { PROBE_CALLS = 200 }; /* of schedule=auto: it costs as much as about 50 iterations of soba */

/* Given steps: those that schedule=auto estimates, noise=1 or not, are short for a training of some
 * hundred iterations (docs/meta.md). A task of a draw has the weight 1/tasks, so that beta = tasks
 * inner_step moves its head by inner_step. Constant steps; for SUSTAIN Section 4 of the paper:
 * Adam's direction, eta_t = min(1, c_eta/(1+t)^(2/3)). */
static sustain_status set_steps(sustain_meta *meta) {
    const sustain_meta_options *o = &meta->options;
    sustain_solver *s = meta->solver;
    SUSTAIN_TRY(set_if_there(s, "schedule", "power"));
    SUSTAIN_TRY(set_number_if_there(s, "p", 0));
    SUSTAIN_TRY(set_number_if_there(s, "alpha", o->outer_step));
    SUSTAIN_TRY(set_number_if_there(s, "beta", o->inner_step * (double)o->tasks));
    SUSTAIN_TRY(set_number_if_there(s, "batch", (double)o->tasks));
    SUSTAIN_TRY(set_number_if_there(s, "seed", (double)o->seed));
    SUSTAIN_TRY(set_number_if_there(s, "probe", PROBE_CALLS * (double)o->tasks));
    SUSTAIN_TRY(set_number_if_there(s, "noise", 1));
    if (strcmp(sustain_solver_describe(s)->name, "sustain") != 0) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain_solver_set(s, "direction", o->direction == SUSTAIN_META_ADAM ? "adam" : "plain"));
    SUSTAIN_TRY(sustain_solver_set_number(s, "c_eta_f", o->c_eta));
    SUSTAIN_TRY(sustain_solver_set_number(s, "c_eta_g", o->c_eta));
    return sustain_solver_set_number(s, "r", 2.0 / 3);
}

sustain_status sustain__meta_solver_create(sustain_meta *meta, const char *name) {
    const sustain_meta_options *o = &meta->options;
    SUSTAIN_TRY(sustain_meta_problem_create(meta->context, o, meta->training, &meta->problem));
    SUSTAIN_TRY(sustain_solver_create(meta->context, name != NULL ? name : "sustain", meta->problem, &meta->solver));
    SUSTAIN_TRY(sustain__allocate(meta->context, meta->problem->ops->workspace(meta->problem->self, o->tasks), &meta->problem_work));
    SUSTAIN_TRY(set_steps(meta));
    return attach(meta);
}

void sustain__meta_solver_destroy(sustain_meta *meta) {
    sustain_solver_destroy(meta->solver);
    sustain_meta_problem_destroy(meta->problem);
    if (meta->problem_work != NULL) sustain__free(meta->context, meta->problem_work);
}

/* schedule=auto estimates it: the bound holds for every head, and is two to four times as large. */
static sustain_status set_curvature(sustain_meta *meta) {
    char schedule[16], given[40];
    double L_g;
    sustain_solver_get(meta->solver, "schedule", schedule, sizeof schedule);
    sustain_solver_get(meta->solver, "L_g", given, sizeof given);
    if (strcmp(schedule, "power") != 0 || strcmp(given, "0") != 0) return SUSTAIN_OK;
    SUSTAIN_TRY(find_curvature(meta, &L_g));
    return set_number_if_there(meta->solver, "L_g", L_g);
}

sustain_status sustain__meta_solver_start(sustain_meta *meta) {
    if (meta->started) return SUSTAIN_OK;
    SUSTAIN_TRY(set_curvature(meta));
    SUSTAIN_TRY(sustain_solver_start(meta->solver, NULL, NULL));
    meta->started = true;
    return SUSTAIN_OK;
}

static sustain_status step(sustain_meta *meta, sustain_meta_progress *progress) {
    int64_t index[SUSTAIN__META_BLOCKS]; /* enough for a curve */
    const int64_t shown = meta->options.tasks < SUSTAIN__META_BLOCKS ? meta->options.tasks : SUSTAIN__META_BLOCKS;
    SUSTAIN_TRY(sustain__cancelled(meta->context));
    SUSTAIN_TRY(sustain__meta_solver_start(meta));
    for (int64_t i = 0; i < shown; i++) index[i] = sustain__meta_which(meta, i);
    const sustain_batch some = {.size = shown, .index = index, .iteration = meta->t};
    SUSTAIN_TRY(sustain__task_problem_score(meta->problem, &some, meta->theta, sustain_solver_y(meta->solver), meta->problem_work,
                                            &progress->loss, &progress->accuracy));
    SUSTAIN_TRY(sustain_solver_step(meta->solver));
    sustain__copy(meta->setting.theta, meta->theta, meta->theta_prev);
    sustain__copy(meta->setting.theta, sustain_solver_x(meta->solver), meta->theta);
    sustain__add(meta->setting.theta, -1, meta->theta, meta->theta_prev);
    progress->norm = sustain__norm(meta->setting.theta, meta->theta_prev);
    return isfinite(progress->norm) && isfinite(progress->loss)
               ? SUSTAIN_OK
               : sustain__fail(meta->context, SUSTAIN_NOT_FINITE,
                               "iteration %lld: %s reached values that are not finite: use smaller steps", (long long)meta->t,
                               sustain_solver_describe(meta->solver)->name);
}

sustain_status sustain__meta_solver_load(sustain_meta *meta, const char *path) {
    SUSTAIN_TRY(sustain_solver_load(meta->solver, path));
    meta->started = true;
    meta->t = sustain_solver_iteration(meta->solver);
    sustain__copy(meta->setting.theta, sustain_solver_x(meta->solver), meta->theta);
    return SUSTAIN_OK;
}

const sustain__method sustain__method_solver = {.name = "solver", .lambda = 1e-3, .ask = sustain__ask_head, .step = step};
