/* lab_clock.h - two clocks, in seconds. */
#ifndef SUSTAIN_LAB_CLOCK_H
#define SUSTAIN_LAB_CLOCK_H

double lab_clock(void);        /* monotonic */
double lab_thread_clock(void); /* CPU time of this thread */

#endif
