/* verb_demo.h - prints the results of lab/demo_experiment.h. */
#ifndef SUSTAIN_CLI_DEMO_H
#define SUSTAIN_CLI_DEMO_H

#include "lab/demo_experiment.h"
#include "options.h"
#include "output.h"

typedef struct demo_values {
    int64_t iterations, runs, seed;
    const char *out;
    bool json, quiet;
} demo_values;

typedef struct demo_report {
    demo_result measured;
    double seconds;
} demo_report;

/* As text, and as JSON. */
void demo_text(const demo_report *r, const demo_values *given);
json_t *demo_json(const demo_report *r, const char *folder);

#endif
