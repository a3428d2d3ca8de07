/* clock.c - seconds, for measuring how long something takes. */
#include "core/clock.h"

#include <time.h>

double sustain__clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
