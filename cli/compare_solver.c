/* compare_solver.c - an algorithm of the registry, made from an entry of --solvers and taken from one iteration to another. */
#include "verb_compare.h"
#include "progress.h"

typedef struct setting {
    const compare_solver *of;
    const char *label;
} setting;

static int set(void *user, const char *name, const char *value) {
    const setting *s = user;
    if (sustain_solver_set(s->of->solver, name, value) == SUSTAIN_OK) return EXIT_DONE;
    return complain(EXIT_USAGE, "--solvers: '%s': %s", s->label, sustain_error(s->of->context));
}

int compare_solver_make(compare_solver *s, const compare_entry *entry, int64_t seed) {
    sustain_solver_destroy(s->solver);
    const sustain_status status = sustain_solver_create(s->context, entry->solver, s->problem, &s->solver);
    if (status != SUSTAIN_OK)
        return complain(status == SUSTAIN_MEMORY ? EXIT_FAILED : EXIT_USAGE, "--solvers: %s", sustain_error(s->context));
    const int code = compare_entry_parameters(entry, set, &(setting){s, entry->label});
    if (code != EXIT_DONE || sustain_solver_describe(s->solver)->deterministic) return code;
    return refused(s->context, sustain_solver_set_number(s->solver, "seed", (double)seed));
}

static int stop_here(void *user, const sustain_progress *progress) {
    (void)user;
    (void)progress;
    return 1;
}

/* Chooses the steps, and looks at f(x_0, y_0). */
static sustain_status start(compare_solver *s, sustain_result *at) {
    const double since = seconds_now();
    const sustain_status status = sustain_solver_start(s->solver, NULL, NULL);
    s->start_seconds = seconds_now() - since;
    return status == SUSTAIN_OK ? sustain_solver_run(s->solver, &(sustain_stopping){.observer = stop_here}, at) : status;
}

sustain_status compare_solver_advance(compare_solver *s, int64_t iteration, sustain_result *at) {
    const sustain_status status =
        iteration == 0 ? start(s, at) : sustain_solver_run(s->solver, &(sustain_stopping){.iterations = iteration, .every = INT64_MAX}, at);
    at->seconds += s->start_seconds;
    if (sustain_solver_describe(s->solver)->deterministic) { /* it reads a sample for each gradient */
        at->counts.samples[SUSTAIN_UPPER] = at->counts.gradients[SUSTAIN_UPPER];
        at->counts.samples[SUSTAIN_LOWER] = at->counts.gradients[SUSTAIN_LOWER];
    }
    return status;
}
