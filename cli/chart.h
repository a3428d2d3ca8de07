/* chart.h - the charts of a report (report/spec.h) in the terminal. */
#ifndef SUSTAIN_CLI_CHART_H
#define SUSTAIN_CLI_CHART_H

#include <stdio.h>

#include "output.h"

/* Draws of each chart as many metrics as it wants in a terminal, against its first axis; fitted lines are left out. Every picture has an empty line before it. */
void charts_print(FILE *to, const json_t *charts);

#endif
