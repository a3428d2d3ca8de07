/* chart.h - the charts of a report (report/spec.h) in the terminal. */
#ifndef SUSTAIN_CLI_CHART_H
#define SUSTAIN_CLI_CHART_H

#include <stdio.h>

#include "output.h"

/* Draws each chart against its first axis, with as many metrics as its "terminal" field says;
 * fitted lines are omitted. An empty line precedes each picture. */
void charts_print(FILE *to, const json_t *charts);

#endif
