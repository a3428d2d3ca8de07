/* fixture_pictures.h - a context and small generated pictures for all tests of a file:
 * open_pictures() and close_pictures() for cmocka. */
#ifndef FIXTURE_PICTURES_H
#define FIXTURE_PICTURES_H

#include <sustain/pictures.h>

#include "fixture.h"

enum { FIXTURE_SIDE = 16 };

static sustain_pictures *training, *test;

/* channels 0: as they are generated */
static inline int open_pictures_of(int64_t channels) {
    const sustain_picture_options options = {.height = FIXTURE_SIDE, .width = FIXTURE_SIDE, .channels = channels};
    return open_context(NULL) == 0 &&
                   sustain_pictures_named(context, "generated", NULL, SUSTAIN_SPLIT_TRAINING, &options, &training) == SUSTAIN_OK &&
                   sustain_pictures_named(context, "generated", NULL, SUSTAIN_SPLIT_TEST, &options, &test) == SUSTAIN_OK
               ? 0
               : -1;
}

static inline int open_pictures(void **state) {
    (void)state;
    return open_pictures_of(0);
}

static inline int close_pictures(void **state) {
    sustain_pictures_destroy(training);
    sustain_pictures_destroy(test);
    return close_context(state);
}

#endif
