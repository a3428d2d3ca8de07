/* chart_tables.h - the charts of a run as tables, for browsers without JavaScript. */
#ifndef SUSTAIN_REPORT_CHART_TABLES_H
#define SUSTAIN_REPORT_CHART_TABLES_H

#include "run_record.h"

/* One table for every curve, at most 24 points of each. */
void chart_tables_write(FILE *to, const run *r);

#endif
