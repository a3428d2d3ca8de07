/* verb_rates.h - prints the results of lab/rates.h. */
#ifndef SUSTAIN_CLI_RATES_H
#define SUSTAIN_CLI_RATES_H

#include "lab/rates.h"
#include "options.h"
#include "output.h"

typedef struct rates_report {
    rates_limits limits;
    bool quick;
    int result_count, cost_count;
    const rates_result *results; /* by problem, then in the order of the table */
    const rates_cost *costs;
    double seconds;
} rates_report;

void rates_print(FILE *to, const rates_report *r);
json_t *rates_json(const rates_report *r);

#endif
