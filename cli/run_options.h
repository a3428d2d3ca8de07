/* run_options.h - the options of all verbs that run a solver. */
#ifndef SUSTAIN_CLI_RUN_OPTIONS_H
#define SUSTAIN_CLI_RUN_OPTIONS_H

#include "options.h"

/* The first member of the verb's structure. */
typedef struct run_values {
    const char *solver; /* NULL: the verb's default */
    int schedule;       /* -1: the verb's default */
    int64_t batch, local_steps, iterations;
    double seconds, max_memory; /* NAN: not given */
    int64_t seed, threads, ranks;
    const char *out;
    bool trust_mtime, resume, json, quiet, plot, profile;
    assignments set;
} run_values;

#define LOCAL_STEPS_ROW(member)                      \
    COUNT_ROW("local-steps", member, "I", 0, 0, 1e6, \
              "with --solver fedbioacc: clients exchange in every I-th iteration; 0: the algorithm's default")

/* The rows; the first few are about solvers. */
enum { RUN_SOLVER_OPTIONS = 4, RUN_OPTION_COUNT = 18 };
extern const option run_options[RUN_OPTION_COUNT];

/* Sets schedule, batch and the parameters of --set. Returns EXIT_DONE, or complains and returns
 * EXIT_USAGE. */
int run_options_apply(sustain_context *context, const run_values *given, sustain_solver *solver);

/* The given limits, which override the defaults of the job. */
void run_options_limit(const run_values *given, sustain_stopping *stopping);

/* The requested number of threads, or one per core. */
int run_options_threads(const run_values *given);

#endif
