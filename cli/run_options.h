/* run_options.h - what all verbs that run a solver take. */
#ifndef SUSTAIN_CLI_RUN_OPTIONS_H
#define SUSTAIN_CLI_RUN_OPTIONS_H

#include "options.h"

/* The first member of the verb's structure. */
typedef struct run_values {
    const char *solver; /* NULL: the verb's own */
    int schedule;       /* -1: the verb's own */
    int64_t batch, iterations;
    double seconds;
    int64_t seed, threads;
    const char *out;
    bool resume, json, quiet, plot;
    assignments set;
} run_values;

/* The rows; the first few are about solvers. */
enum { RUN_SOLVER_OPTIONS = 3, RUN_OPTION_COUNT = 13 };
extern const option run_options[RUN_OPTION_COUNT];

/* Sets schedule, batch and what --set says. Returns EXIT_DONE, or complains and returns EXIT_USAGE. */
int run_options_apply(sustain_context *context, const run_values *given, sustain_solver *solver);

/* The limits that were given, over those that the job has by itself. */
void run_options_limit(const run_values *given, sustain_stopping *stopping);

/* The threads that were asked for, or one for each core. */
int run_options_threads(const run_values *given);

#endif
