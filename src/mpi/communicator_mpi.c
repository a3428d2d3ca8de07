/* communicator_mpi.c - see mpi.h. Waiting is by polling, so that the cancel hook is called while
 * another process is late; after a while with a pause between two polls, so that others on the same
 * cores can work. */
#include <sustain/mpi.h>

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum { POLLS = 256, SHORT_WAIT = 16384 /* polls */, PAUSE = 50000 /* nanoseconds */, PATIENCE = 3 /* seconds in sustain_mpi_end() */ };

static MPI_Comm world = MPI_COMM_NULL, ending = MPI_COMM_NULL; /* `ending` cannot be mistaken for an exchange */
static bool ours;                                              /* whether MPI is ended here */
static int *counts, *places;                                   /* (ranks) of an exchange */

/* Whether the request was completed before the hook said stop. */
static bool wait_for(MPI_Request *request, sustain_cancel cancel, void *user) {
    int done = 0;
    for (unsigned polls = 1;; polls++) {
        if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
        if (done) return true;
        if (polls % POLLS == 0 && cancel != NULL && cancel(user) != 0) return false;
        if (polls > SHORT_WAIT)
            nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
        else if (polls > POLLS)
            sched_yield();
    }
}

/* More bytes than MPI counts in an int: part after part, in slices. */
static int exchange_slices(int ranks, char *buffer, const size_t *offset, sustain_cancel cancel, void *user) {
    const size_t slice = (size_t)1 << 30;
    for (int r = 0; r < ranks; r++)
        for (size_t at = offset[r]; at < offset[r + 1]; at += slice) {
            const size_t left = offset[r + 1] - at;
            MPI_Request request;
            if (MPI_Ibcast(buffer + at, (int)(left < slice ? left : slice), MPI_BYTE, r, world, &request) != MPI_SUCCESS) return -1;
            if (!wait_for(&request, cancel, user)) return -1;
        }
    return 0;
}

static int exchange(void *self, void *buffer, const size_t *offset, sustain_cancel cancel, void *cancel_user) {
    const int ranks = *(const int *)self;
    MPI_Request request;
    if (offset[ranks] > INT_MAX) return exchange_slices(ranks, buffer, offset, cancel, cancel_user);
    for (int r = 0; r < ranks; r++) places[r] = (int)offset[r], counts[r] = (int)(offset[r + 1] - offset[r]);
    if (MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, counts, places, MPI_BYTE, world, &request) != MPI_SUCCESS) return -1;
    return wait_for(&request, cancel, cancel_user) ? 0 : -1;
}

sustain_status sustain_mpi_begin(sustain_communicator *out) {
    static int ranks;
    int begun = 0, level;
    if (out == NULL) return SUSTAIN_ARGUMENT;
    *out = (sustain_communicator){.size = sizeof *out, .self = &ranks, .exchange = exchange};
    if (MPI_Initialized(&begun) != MPI_SUCCESS) return SUSTAIN_IO;
    if (!begun && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return SUSTAIN_IO;
    ours = !begun;
    if (MPI_Comm_dup(MPI_COMM_WORLD, &world) != MPI_SUCCESS || MPI_Comm_dup(MPI_COMM_WORLD, &ending) != MPI_SUCCESS) return SUSTAIN_IO;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(ending, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world, &out->rank);
    MPI_Comm_size(world, &ranks);
    out->ranks = ranks;
    counts = malloc((size_t)ranks * sizeof *counts);
    places = malloc((size_t)ranks * sizeof *places);
    return counts != NULL && places != NULL ? SUSTAIN_OK : SUSTAIN_MEMORY;
}

static int too_late(void *user) {
    return MPI_Wtime() > *(const double *)user;
}

bool sustain_mpi_end(int code) {
    double limit = MPI_Wtime() + PATIENCE;
    MPI_Request request;
    if (MPI_Ibarrier(ending, &request) != MPI_SUCCESS) return false;
    if (!wait_for(&request, code != 0 ? too_late : NULL, &limit)) return false;
    free(counts), free(places);
    if (ours) MPI_Finalize();
    return true;
}

void sustain_mpi_abort(int code) {
    MPI_Abort(MPI_COMM_WORLD, code);
}
