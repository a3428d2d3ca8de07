/* compare_solver.c - creates an algorithm of the registry from an entry and advances it. */
#include "compare.h"
#include "lab_clock.h"

static sustain_status set(void *user, const char *name, const char *value) {
    return sustain_solver_set(user, name, value);
}

sustain_status compare_solver_make(void *state, const compare_entry *entry, int64_t seed, lab_error *error) {
    compare_solver *s = state;
    sustain_solver_destroy(s->solver);
    sustain_status status = sustain_solver_create(s->context, entry->solver, s->problem, &s->solver);
    if (status != SUSTAIN_OK) return lab_fail(error, status, "%s", sustain_error(s->context));
    status = compare_entry_parameters(s->context, entry, set, s->solver, error);
    if (status != SUSTAIN_OK || sustain_solver_describe(s->solver)->deterministic) return status;
    status = sustain_solver_set_number(s->solver, "seed", (double)seed);
    return status == SUSTAIN_OK ? status : lab_fail(error, status, "%s", sustain_error(s->context));
}

static int stop_here(void *user, const sustain_progress *progress) {
    (void)user;
    (void)progress;
    return 1;
}

/* Chooses the steps, and measures f(x_0, y_0). */
static sustain_status start(compare_solver *s, sustain_result *at) {
    const double since = lab_clock();
    const sustain_status status = sustain_solver_start(s->solver, NULL, NULL);
    s->start_seconds = lab_clock() - since;
    return status == SUSTAIN_OK ? sustain_solver_run(s->solver, &(sustain_stopping){.observer = stop_here}, at) : status;
}

sustain_status compare_solver_advance(void *state, int64_t iteration, sustain_result *at) {
    compare_solver *s = state;
    const sustain_status status =
        iteration == 0 ? start(s, at) : sustain_solver_run(s->solver, &(sustain_stopping){.iterations = iteration, .every = INT64_MAX}, at);
    at->seconds += s->start_seconds;
    if (sustain_solver_describe(s->solver)->deterministic) { /* it reads one sample per gradient */
        at->counts.samples[SUSTAIN_UPPER] = at->counts.gradients[SUSTAIN_UPPER];
        at->counts.samples[SUSTAIN_LOWER] = at->counts.gradients[SUSTAIN_LOWER];
    }
    return status;
}

sustain_status compare_solver_memory(void *state, sustain_memory *memory) {
    const compare_solver *s = state;
    return sustain_solver_memory(s->solver, memory);
}
