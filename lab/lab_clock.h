/* lab_clock.h - two clocks, in seconds. */
#ifndef SUSTAIN_LAB_CLOCK_H
#define SUSTAIN_LAB_CLOCK_H

double lab_clock(void);        /* only goes forward */
double lab_thread_clock(void); /* of this thread's own work */

#endif
