/* part_sums.h - a sum over many rows, in parts that threads and processes share.
 *
 * How rows are cut into parts does not depend on who works on them. Each part is summed up by
 * itself, and the sums are added in the order of the parts, in double: the bits do not depend on
 * the number of threads or processes. Where there are more parts than slots, a slot adds up several
 * neighbours, so that one sum travels for all of them. */
#ifndef SUSTAIN_CORE_PART_SUMS_H
#define SUSTAIN_CORE_PART_SUMS_H

#include "core/share.h"

/* Who works on the parts: the calling thread, where waking others costs more than it saves; the
 * threads of the context; those of all processes, where the hook of the context may cancel. */
typedef enum sustain__workers { SUSTAIN__ALONE, SUSTAIN__THREADS, SUSTAIN__PROCESSES, SUSTAIN__PROCESSES_UNTIL } sustain__workers;

/* So many numbers are worth waking threads, and so many an exchange. */
typedef struct sustain__worth {
    double threads, processes;
} sustain__worth;

/* Who works on so many numbers; `all`: how processes do it. */
static inline sustain__workers sustain__workers_for(double numbers, sustain__worth worth, sustain__workers all) {
    return numbers >= worth.processes ? all : numbers >= worth.threads ? SUSTAIN__THREADS : SUSTAIN__ALONE;
}

typedef struct sustain__parts {
    sustain_context *context;
    void (*sum)(void *user, int64_t number, int64_t slot); /* sums up a part in the memory of a slot */
    void *user;
    sustain__workers by;
    int64_t count, slots;    /* parts; so many of them are at work at the same time */
    int64_t numbers, stride; /* of the sum of a part, 0: it has none; from one slot's sum to the next */
    sustain_real *partial;   /* (slots, stride) the sums of the parts at work, ... */
    double *exact;           /* ... or these, in double */
    double *value;           /* (slots) one number more of each part; NULL: none */
    double *run;             /* (slots, numbers + 1) sums of neighbours; NULL: a slot has one part at a time */
    /* what a part writes beside its sum and other processes need; `outputs` of them for each
     * part */
    void *(*output)(void *user, int64_t number, int which, size_t *bytes);
    int outputs;
    double *total; /* (numbers) the sum of all parts */
} sustain__parts;

/* Sums up all parts; *value, unless value is NULL, is the sum of their numbers. */
sustain_status sustain__parts_sum(const sustain__parts *parts, double *value);

#endif
