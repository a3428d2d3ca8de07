/* failing_allocator.c - an allocator that counts and fails. */
#include "failing_allocator.h"

#include <stdlib.h>
#include <string.h>

void *failing_allocator(void *user, void *p, size_t n) {
    failing_allocator_state *state = user;
    if (n == 0) {
        if (p != NULL) state->live--;
        free(p);
        return NULL;
    }
    if (++state->calls == state->fail_at) return NULL;
    void *memory = realloc(p, n);
    if (memory == NULL || p != NULL) return memory;
    state->live++;
    return memset(memory, 0xA5, n);
}
