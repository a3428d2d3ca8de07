/* run_options.c - see run_options.h. */
#include "run_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory_limit.h"
#include "output.h"
#include "ranks.h"

enum { MOST_THREADS = 1024 };

#define VALUES run_values

const option run_options[RUN_OPTION_COUNT] = {
    TEXT_ROW("solver", solver, "NAME", "the algorithm: 'sustain solvers' lists them; default: chosen for the job"),
    CHOICE_ROW("schedule", schedule, -1, "auto|power|theory", "how step sizes are chosen; default: chosen for the job"),
    COUNT_ROW("batch", batch, "B", 0, 0, 1e9, "samples per draw; 0: chosen for the job"),
    LOCAL_STEPS_ROW(local_steps),
    COUNT_ROW("iterations", iterations, "T", 0, 0, 1e15,
              "stop after this many iterations, counted from the start of the run; 0: chosen for the job"),
    NUMBER_ROW("seconds", seconds, "S", NAN, 1e-3, 1e9,
               "stop after this many seconds of optimization; the result then depends on the speed of the machine; default: no limit"),
    COUNT_ROW("seed", seed, "N", 0, 0, 1e15, "seed of all random numbers: same seed, same result"),
    COUNT_ROW("threads", threads, "N", 0, 0, MOST_THREADS, "number of threads; 0: one per core. The result does not depend on it"),
    COUNT_ROW("ranks", ranks, "N", 0, 0, 4096,
              "fail unless mpirun started this many processes, which share the work; 0: any number. The result does not depend on it"),
    MEMORY_ROW(max_memory),
    TRUST_ROW(trust_mtime),
    FOLDER_ROW("out", out, "run", "the folder for all output files"),
    SWITCH_ROW("resume", resume,
               "resume the run in that folder from its last checkpoint; options that are not given are taken from its config.json"),
    SWITCH_ROW("json", json, "print one JSON object"),
    SWITCH_ROW("quiet", quiet, "print only a short result, and no progress"),
    SWITCH_ROW("plot", plot, "draw the curves in the terminal"),
    SWITCH_ROW("profile", profile, "print where the time went, by phase, and what the processes exchanged; also to result.json"),
    SET_ROW(set, "set any parameter of the algorithm: 'sustain solvers NAME' lists them"),
};

static const char *schedule_name(int schedule) {
    static const char *const names[] = {"auto", "power", "theory"};
    return names[schedule];
}

int run_options_apply(sustain_context *context, const run_values *given, sustain_solver *solver) {
    char steps[32] = "";
    sustain_status status = SUSTAIN_OK;
    if (given->local_steps > 0) sustain_solver_get(solver, "local_steps", steps, sizeof steps);
    if (given->local_steps > 0 && steps[0] == '\0')
        return complain(EXIT_USAGE, "--local-steps goes with an algorithm for many machines, --solver fedbioacc, not with %s",
                        sustain_solver_describe(solver)->name);
    if (given->schedule >= 0) status = sustain_solver_set(solver, "schedule", schedule_name(given->schedule));
    if (status == SUSTAIN_OK && given->batch > 0) status = sustain_solver_set_number(solver, "batch", (double)given->batch);
    if (status == SUSTAIN_OK && given->local_steps > 0)
        status = sustain_solver_set_number(solver, "local_steps", (double)given->local_steps);
    for (int i = 0; i < given->set.count && status == SUSTAIN_OK; i++)
        status = sustain_solver_set(solver, given->set.pair[i].name, given->set.pair[i].value);
    return refused(context, status);
}

void run_options_limit(const run_values *given, sustain_stopping *stopping) {
    if (given->iterations > 0) {
        stopping->iterations = given->iterations;
        stopping->every = 0;
        stopping->seconds = 0;
    }
    if (!isnan(given->seconds)) {
        stopping->seconds = given->seconds;
        if (given->iterations == 0) stopping->iterations = 0;
    }
}

int run_options_threads(const run_values *given) {
    if (given->threads > 0) return (int)given->threads;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN) / ranks_here();
    return cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (int)cores;
}
