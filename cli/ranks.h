/* ranks.h - the program as one of several processes that mpirun started: they share the work of a
 * run, and process 0 alone prints and writes. docs/scale.md. */
#ifndef SUSTAIN_CLI_RANKS_H
#define SUSTAIN_CLI_RANKS_H

#include "options.h"

/* Joins the other processes, if there are any; the options are those of the verb. */
int ranks_begin(sustain_context *context, const verb *v, void *values);

/* How many processes the run has. */
int ranks_count(void);

/* The number of this one, from 0 on. */
int ranks_number(void);

/* Fails where the processes read different data. To be called when all of it is read. */
int ranks_same_data(const sustain_context *context);

/* Waits for all processes; each gives an exit code and gets the first that is not EXIT_DONE. */
int ranks_agree(int code);

/* How many processes of the run are on this machine, at least 1. */
int ranks_here(void);

/* Ends the run in all processes. To be called last, with the exit code; returns it. */
int ranks_end(int code);

#endif
