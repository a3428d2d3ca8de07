/* lab_clock.c - see lab_clock.h. */
#include "lab_clock.h"

#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double lab_clock(void) {
    return seconds(CLOCK_MONOTONIC);
}

double lab_thread_clock(void) {
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}
