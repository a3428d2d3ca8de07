/* picture_set.h - what the fuzz targets of sets of pictures share: a tiny picture, and that what
 * was read keeps its promises or was refused with a sentence. */
#ifndef PICTURE_SET_H
#define PICTURE_SET_H

#include "data/pictures_internal.h"
#include "parsing.h"

/* A picture of one black pixel. */
static const uint8_t one_pixel[] = {137, 80, 78, 71, 13, 10, 26,  10,  0,   0,  0, 13, 73, 72, 68, 82, 0,  0,   0,   1,   0,  0,  0,
                                    1,   8,  0,  0,  0,  0,  58,  126, 155, 85, 0, 0,  0,  10, 73, 68, 65, 84,  120, 156, 99, 96, 0,
                                    0,   0,  2,  0,  1,  72, 175, 164, 113, 0,  0, 0,  0,  73, 69, 78, 68, 174, 66,  96,  130};

static inline sustain__picture_request small_request(sustain_context *of, const char *where, sustain_split split) {
    return (sustain__picture_request){
        .context = of, .folder = where, .source = "input", .split = split, .channels = 1, .height = 2, .width = 2};
}

/* Ends with the set. */
static inline void check_pictures(sustain_context *of, sustain_status status, sustain_pictures *set) {
    static volatile unsigned sink; /* what is read must be read */
    require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_IO || status == SUSTAIN_MEMORY);
    require((status == SUSTAIN_OK) == (set != NULL));
    if (status == SUSTAIN_FORMAT) require(sustain_error(of)[0] != '\0');
    if (set == NULL) return;
    require(set->classes > 0 && set->first[0] == 0 && set->first[set->classes] == set->count);
    for (int64_t c = 0; c < set->classes; c++) require(set->first[c] <= set->first[c + 1] && set->class_names[c][0] != '\0');
    unsigned sum = 0;
    for (int64_t i = 0; i < set->count * set->channels * set->height * set->width; i++) sum += set->pixels[i];
    sink = sink + sum;
    sustain_pictures_destroy(set);
}

#endif
