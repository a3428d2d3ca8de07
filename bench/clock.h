/* clock.h - seconds, of a clock of POSIX: CLOCK_MONOTONIC for those that pass,
 * CLOCK_PROCESS_CPUTIME_ID for those that are used. */
#ifndef SUSTAIN_BENCH_CLOCK_H
#define SUSTAIN_BENCH_CLOCK_H

#include <time.h>

static inline double seconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
