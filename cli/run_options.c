/* run_options.c - see run_options.h. */
#include "run_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output.h"

enum { MOST_THREADS = 1024 };

const option run_options[RUN_OPTION_COUNT] = {
    {.name = "solver",
     .type = OPTION_TEXT,
     .offset = offsetof(run_values, solver),
     .argument = "NAME",
     .help = "the algorithm: 'sustain solvers' lists them; left out: what suits the job"},
    {.name = "schedule",
     .type = OPTION_CHOICE,
     .offset = offsetof(run_values, schedule),
     .initial = -1,
     .choices = "auto|power|theory",
     .help = "where the steps come from; left out: what suits the job"},
    {.name = "batch",
     .type = OPTION_INTEGER,
     .offset = offsetof(run_values, batch),
     .argument = "B",
     .initial = 0,
     .least = 0,
     .most = 1e9,
     .help = "samples of a draw; 0: what suits the job"},
    {.name = "iterations",
     .type = OPTION_INTEGER,
     .offset = offsetof(run_values, iterations),
     .argument = "T",
     .initial = 0,
     .least = 0,
     .most = 1e15,
     .help = "stop after so many, counted from the start of the run; 0: what suits the job"},
    {.name = "seconds",
     .type = OPTION_NUMBER,
     .offset = offsetof(run_values, seconds),
     .argument = "S",
     .initial = NAN,
     .least = 1e-3,
     .most = 1e9,
     .help = "stop after so many seconds of optimization; the result then depends on the speed of the machine"},
    {.name = "seed",
     .type = OPTION_INTEGER,
     .offset = offsetof(run_values, seed),
     .argument = "N",
     .initial = 0,
     .least = 0,
     .most = 1e15,
     .help = "of all random numbers: same seed, same result"},
    {.name = "threads",
     .type = OPTION_INTEGER,
     .offset = offsetof(run_values, threads),
     .argument = "N",
     .initial = 0,
     .least = 0,
     .most = MOST_THREADS,
     .help = "to work with; 0: one for each core. The result does not depend on it"},
    {.name = "out",
     .type = OPTION_FOLDER,
     .offset = offsetof(run_values, out),
     .argument = "DIR",
     .text = "run",
     .help = "the folder for everything that is written"},
    {.name = "resume",
     .type = OPTION_SWITCH,
     .offset = offsetof(run_values, resume),
     .help = "go on with the run in that folder, from its last checkpoint; options that are left out are those of its config.json"},
    {.name = "json", .type = OPTION_SWITCH, .offset = offsetof(run_values, json), .help = "print one JSON object"},
    {.name = "quiet",
     .type = OPTION_SWITCH,
     .offset = offsetof(run_values, quiet),
     .help = "print the result in a few lines, and no progress"},
    {.name = "plot", .type = OPTION_SWITCH, .offset = offsetof(run_values, plot), .help = "draw the curves in the terminal"},
    {.name = "set",
     .type = OPTION_SET,
     .offset = offsetof(run_values, set),
     .argument = "NAME=VALUE",
     .help = "set any parameter of the algorithm: 'sustain solvers NAME' lists them"},
};

static const char *schedule_name(int schedule) {
    static const char *const names[] = {"auto", "power", "theory"};
    return names[schedule];
}

int run_options_apply(sustain_context *context, const run_values *given, sustain_solver *solver) {
    sustain_status status = SUSTAIN_OK;
    if (given->schedule >= 0) status = sustain_solver_set(solver, "schedule", schedule_name(given->schedule));
    if (status == SUSTAIN_OK && given->batch > 0) status = sustain_solver_set_number(solver, "batch", (double)given->batch);
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
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (int)cores;
}
