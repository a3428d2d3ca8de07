/* pictures_internal.h - the inside of pictures sorted into classes: first a list of what there is, then all of it read at once. */
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

/* What is wanted: the arguments of the public functions, checked, with nothing left open. */
typedef struct sustain__picture_request {
    sustain_context *context;
    const char *folder; /* "" where none is needed */
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
    sustain__raster raster; /* pixels that are in memory; borrowed until the set is made */
} sustain__picture_item;

/* Classes, and the pictures that they have, in any order. */
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

/* All files of a folder, as pictures of the last class. Refused: none. */
sustain_status sustain__list_folder(sustain__picture_list *list, const char *folder);

/* Decodes and fits all pictures of a list, several at the same time, and sorts them by class. Refused: a list without classes. */
sustain_status sustain__pictures_make(const sustain__picture_request *request, const sustain__picture_list *list, sustain_pictures **out);

/* The same set with every class four times: as it is, and turned by 90, 180 and 270 degrees counter-clockwise. */
sustain_status sustain__pictures_turn(const sustain_pictures *set, sustain_pictures **out);

/* One set a function. */
typedef sustain_status sustain__picture_reader(const sustain__picture_request *request, sustain_pictures **out);
sustain__picture_reader sustain__read_fc100, sustain__read_mini_imagenet, sustain__read_omniglot, sustain__make_shapes,
    sustain__read_folder;

/* FC100: what a class of CIFAR-100 is called, and what it is for; 0 <= fine < 100. */
const char *sustain__fc100_name(int64_t fine);
sustain_split sustain__fc100_split(int64_t fine);

#endif
