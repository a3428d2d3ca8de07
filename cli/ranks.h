/* ranks.h - the program as one of several processes that mpirun started: they share the work of a
 * run, and process 0 alone prints and writes. docs/scale.md. */
#ifndef SUSTAIN_CLI_RANKS_H
#define SUSTAIN_CLI_RANKS_H

#include "options.h"

/* Joins the other processes, if there are any; the options are those of the verb. */
int ranks_begin(sustain_context *context, const verb *v, void *values);

/* How many processes of the run are on this machine, at least 1. */
int ranks_here(void);

/* Ends the run in all processes. To be called last, with the exit code; returns it. */
int ranks_end(int code);

#endif
