/* fixture.h - a context for all tests of a file: open_context() and close_context() for cmocka.
 * Included last: inline functions of other headers have a parameter of this name. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <sustain/sustain.h>

static sustain_context *context;

static inline int open_context(void **state) {
    (void)state;
    return sustain_context_create(&context) == SUSTAIN_OK ? 0 : -1;
}

static inline int close_context(void **state) {
    (void)state;
    sustain_context_destroy(context);
    return 0;
}

#endif
