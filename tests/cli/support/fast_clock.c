/* fast_clock.c - preloaded: the clock that only goes forward runs 400 times as fast, so that
 * everything which is due after some seconds is due always. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

int clock_gettime(clockid_t which, struct timespec *now) {
    static int (*next)(clockid_t, struct timespec *);
    if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
    const int status = next(which, now);
    if (status != 0 || which != CLOCK_MONOTONIC) return status;
    const long long nanoseconds = 400 * now->tv_nsec;
    now->tv_sec = 400 * now->tv_sec + nanoseconds / 1000000000;
    now->tv_nsec = nanoseconds % 1000000000;
    return 0;
}
