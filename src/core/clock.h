/* clock.h - seconds, for measuring how long something takes. */
#ifndef SUSTAIN_CORE_CLOCK_H
#define SUSTAIN_CORE_CLOCK_H

/* Seconds of a monotonic clock, independent of changes of the time of day. */
double sustain__clock(void);

#endif
