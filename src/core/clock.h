/* clock.h - seconds, for measuring how long something takes. */
#ifndef SUSTAIN_CORE_CLOCK_H
#define SUSTAIN_CORE_CLOCK_H

/* Seconds since some moment: a clock that only goes forward, whatever is done to the time of day. */
double sustain__clock(void);

#endif
