/* processes.h - threads in the place of the processes of a run, with a communicator in memory. */
#ifndef SUSTAIN_TESTS_PROCESSES_H
#define SUSTAIN_TESTS_PROCESSES_H

#include <sustain/communicator.h>

/* The work of one process; the context is its own. */
typedef void process_work(sustain_context *context, int rank, void *user);

/* Runs the work in `ranks` processes at the same time, each with `threads` threads. `leaver`: the
 * number of a process that is lost at its exchange number `leaves`; -1: none. Returns how many
 * exchanges there were. */
int processes_run(int ranks, int threads, int leaver, int leaves, process_work *work, void *user);

#endif
