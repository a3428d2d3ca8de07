/** @file communicator.h - one run on several processes: how they exchange bytes.
 *
 *  All processes of a run make the same calls with the same options and data. Each does a part
 *  of the long work (chunks of rows, folds, few-shot tasks); the results of the parts are
 *  exchanged and added up in a fixed order, so the bits do not depend on the number of
 *  processes. libsustain-mpi has a communicator for MPI. */
#ifndef SUSTAIN_COMMUNICATOR_H
#define SUSTAIN_COMMUNICATOR_H

#include <sustain/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The processes of a run, seen from one of them. */
typedef struct sustain_communicator {
    size_t size; /**< sizeof(sustain_communicator): the structure can grow */
    void *self;  /**< passed to the functions */
    int rank;    /**< the number of this process, 0 .. ranks - 1 */
    int ranks;   /**< how many there are, at least 1 */
    /** Every process contributes the bytes offset[rank] .. offset[rank + 1] - 1 of `buffer` and
     *  receives all others; offset has ranks + 1 entries, the same everywhere. While it waits
     *  it calls the hook `cancel`, if not NULL, at least every 0.1 s. Returns 0; anything else:
     *  the hook said stop, or a process cannot be reached. */
    int (*exchange)(void *self, void *buffer, const size_t *offset, sustain_cancel cancel, void *cancel_user);
} sustain_communicator;

/** Lets the long calls of this context share their work with the other processes; NULL, the
 *  default: this process does all of it. The structure is copied; what `self` points to must
 *  outlive the context. If a process is lost, the call that notices it is cancelled, as by the
 *  cancel hook, and so are all later ones. */
sustain_status sustain_context_set_communicator(sustain_context *context, const sustain_communicator *communicator);

#ifdef __cplusplus
}
#endif
#endif
