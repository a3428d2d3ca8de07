/* chart.h - the charts of a report (report/spec.h) in the terminal. */
#ifndef SUSTAIN_CLI_CHART_H
#define SUSTAIN_CLI_CHART_H

#include <stdio.h>

#include "output.h"

/* Draws a chart: its y-th metric against its first axis, on a logarithmic axis where the chart says so. Fitted lines are left out. */
void chart_print(FILE *to, const json_t *spec, size_t y);

/* All metrics of a chart, one below the other. */
void chart_print_all(FILE *to, const json_t *spec);

#endif
