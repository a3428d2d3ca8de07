/** @file mpi.h - libsustain-mpi: one run on the processes that mpirun or srun started.
 *
 *      sustain_communicator all;
 *      sustain_mpi_begin(&all);
 *      sustain_context_set_communicator(context, &all);
 *      ...                                       // the same calls in every process
 *      sustain_mpi_end(0);
 *
 *  The only library here that needs MPI; nothing else depends on it. It serves both precisions. */
#ifndef SUSTAIN_MPI_H
#define SUSTAIN_MPI_H

#include <sustain/communicator.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Initializes MPI, unless the program has done so, and describes all of its processes. */
sustain_status sustain_mpi_begin(sustain_communicator *out);

/** Waits until all processes have called it, then ends MPI; after the contexts were destroyed.
 *  code 0: the work is done. Another code: it failed here; returns whether it failed in all
 *  processes within a few seconds. If not, call sustain_mpi_abort(). */
bool sustain_mpi_end(int code);

/** Ends all processes of the run: mpirun sends them SIGTERM. */
void sustain_mpi_abort(int code);

#ifdef __cplusplus
}
#endif
#endif
