/* precision.h - what a test may expect of float and of double. */
#ifndef PRECISION_H
#define PRECISION_H

#include <sustain/status.h>

static const bool is_float = sizeof(sustain_real) == sizeof(float);

/* Tolerances: of central differences with steps of this length, not so small that the rounding of a
 * gradient shows; and of two ways to compute the same. */
static inline double difference_step(void) {
    return is_float ? 1e-2 : 1e-5;
}
static inline double loose(void) {
    return is_float ? 1e-2 : 1e-6;
}
static inline double tight(void) {
    return is_float ? 2e-5 : 1e-12;
}

#endif
