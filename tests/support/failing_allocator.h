/* failing_allocator.h - an allocator that counts, and lets one allocation of your choice fail. */
#ifndef FAILING_ALLOCATOR_H
#define FAILING_ALLOCATOR_H

#include <stddef.h>
#include <stdint.h>

/* Start with zeros. To let every allocation fail in turn: fail_at = 1, 2, ... until the call
 * succeeds. */
typedef struct failing_allocator_state {
    int64_t calls;   /* allocations asked for, also those that failed */
    int64_t live;    /* not yet freed */
    int64_t fail_at; /* the allocation that fails, counted from 1; 0: none */
} failing_allocator_state;

/* A sustain_allocator; `user` is a failing_allocator_state. Fresh memory is filled with garbage. */
void *failing_allocator(void *user, void *p, size_t n);

#endif
