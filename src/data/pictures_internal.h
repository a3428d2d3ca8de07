/* pictures_internal.h - the internals of pictures sorted into classes: first list everything,
 * then read it in parallel. */
#ifndef SUSTAIN_DATA_PICTURES_H
#define SUSTAIN_DATA_PICTURES_H

#include "data/picture.h"

/* What a set owns. */
struct sustain_pictures_memory {
    uint8_t *pixels;
    int64_t *first;
    char **class_names; /* one block: pointers, then texts */
    char *source;
};

/* A request: the checked arguments of the public functions with all defaults filled in. */
typedef struct sustain__picture_request {
    sustain_context *context;
    const char *folder; /* "" if none is needed */
    const char *source; /* for messages */
    sustain_split split;
    int64_t channels, height, width;
    uint64_t seed;
} sustain__picture_request;

/* "training", ..., for messages. */
const char *sustain__split_name(sustain_split split);

/* A picture to be read. */
typedef struct sustain__picture_item {
    int64_t class_number;
    char *path;             /* of a file, owned; NULL: */
    sustain__raster raster; /* pixels in memory; borrowed until the set is made */
} sustain__picture_item;

/* Classes and their pictures, in any order. */
typedef struct sustain__picture_list {
    sustain_context *context;
    char **names; /* (classes) */
    int64_t classes, name_room;
    sustain__picture_item *items; /* (count) */
    int64_t count, item_room;
} sustain__picture_list;

/* An empty list is {.context = context}. A class gets the number list->classes - 1. */
sustain_status sustain__list_class(sustain__picture_list *list, const char *name);
sustain_status sustain__list_file(sustain__picture_list *list, int64_t class_number, const char *folder, const char *name);
sustain_status sustain__list_raster(sustain__picture_list *list, int64_t class_number, const sustain__raster *raster);
void sustain__list_free(sustain__picture_list *list);

/* Adds all files of a folder as pictures of the last class. Refused: an empty folder. */
sustain_status sustain__list_folder(sustain__picture_list *list, const char *folder);

/* Decodes and resizes all pictures of a list in parallel and sorts them by class. Refused: a
 * list without classes. */
sustain_status sustain__pictures_make(const sustain__picture_request *request, const sustain__picture_list *list, sustain_pictures **out);

/* A set with every class four times: rotated by 0, 90, 180 and 270 degrees counter-clockwise. */
sustain_status sustain__pictures_turn(const sustain_pictures *set, sustain_pictures **out);

/* One function for each set. */
typedef sustain_status sustain__picture_reader(const sustain__picture_request *request, sustain_pictures **out);
sustain__picture_reader sustain__read_fc100, sustain__read_mini_imagenet, sustain__read_omniglot, sustain__make_shapes,
    sustain__read_folder;

/* FC100: the name and the split of a CIFAR-100 class; 0 <= fine < 100. */
const char *sustain__fc100_name(int64_t fine);
sustain_split sustain__fc100_split(int64_t fine);

#endif
