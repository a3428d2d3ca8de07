/** @file pictures.h - pictures sorted into classes, kept as bytes; few-shot tasks drawn from
 *  them.
 *
 *      sustain_pictures_named(context, "fc100", data_dir, SUSTAIN_SPLIT_TRAINING, NULL, &set);
 *      sustain_tasks_check(set, &shape);
 *      sustain_task_draw(set, &shape, seed, stream, t, support, query, classes);
 *      ... sustain_picture_pixels(set, support[0]) ...
 *      sustain_pictures_destroy(set);
 *
 *  PNG and JPEG are recognized by their content. On failure sustain_error() names the file, the
 *  place and the reason. The threads of the context decode pictures in parallel; they allocate
 *  with malloc, not with the allocator of the context. */
#ifndef SUSTAIN_PICTURES_H
#define SUSTAIN_PICTURES_H

#include <sustain/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Pictures of one size, sorted by class: class c has the pictures first[c] .. first[c+1]-1.
 *  Read the fields; the set owns everything. */
typedef struct sustain_pictures {
    int64_t count, channels, height, width, classes;
    const uint8_t *pixels;                  /**< (count, channels, height, width) */
    const int64_t *first;                   /**< (classes + 1) */
    const char *const *class_names;         /**< (classes) */
    const char *source;                     /**< the folder, or the name of a set with the part
                                             *   that was read, for messages */
    sustain_context *context;               /**< it was made with */
    struct sustain_pictures_memory *memory; /**< what the set owns */
} sustain_pictures;

/** Which classes of a set. The splits have no class in common. */
typedef enum sustain_split { SUSTAIN_SPLIT_TRAINING, SUSTAIN_SPLIT_VALIDATION, SUSTAIN_SPLIT_TEST, SUSTAIN_SPLIT_ALL } sustain_split;

/** Format of the pictures. NULL or a zeroed structure: defaults. */
typedef struct sustain_picture_options {
    size_t size;           /**< sizeof(sustain_picture_options), as the caller was compiled; 0: the fields up to
                            *   `seed` */
    int64_t channels;      /**< 1 (grey) or 3 (red, green, blue); 0: as in the set; 3 for a
                            *   folder */
    int64_t height, width; /**< 0: as in the set; 84 for a folder */
    uint64_t seed;         /**< folder: selects the classes for training, validation and test;
                            *   "generated": selects the pictures */
} sustain_picture_options;

/** Reads the classes of one split of a named set: "fc100" (32 x 32, three channels, 60/20/20
 *  classes), "mini-imagenet" (84 x 84, three, 64/16/20), "omniglot" (28 x 28, one channel, ink
 *  255 on 0; each character and its rotations by 90, 180 and 270 degrees are four classes:
 *  3,308/548/2,636) or "generated", which needs no files (32 x 32, three, 64/16/20).
 *  sustain_named_find() describes where the files are searched. */
sustain_status sustain_pictures_named(sustain_context *context, const char *name, const char *data_dir, sustain_split split,
                                      const sustain_picture_options *options, sustain_pictures **out);

/** Reads a folder with one folder per class. If `dir` has the folders train, val and test, these
 *  are the splits; otherwise options->seed divides the classes: 64 % for training, 16 % for
 *  validation, the rest for test. SUSTAIN_SPLIT_ALL: every folder of `dir` is a class. */
sustain_status sustain_pictures_folder(sustain_context *context, const char *dir, sustain_split split,
                                       const sustain_picture_options *options, sustain_pictures **out);

/** Frees a set. NULL is allowed. */
void sustain_pictures_destroy(sustain_pictures *set);

/** The bytes of a picture, (channels, height, width), 0 <= picture < set->count. */
static inline const uint8_t *sustain_picture_pixels(const sustain_pictures *set, int64_t picture) {
    return set != NULL ? set->pixels + picture * set->channels * set->height * set->width : NULL;
}

/** Reads one PNG or JPEG file: rotated according to Exif, cropped to the largest centred part
 *  with the aspect ratio of the result, then resized (averaged when shrinking, interpolated when
 *  growing). `pixels` (channels, height, width) receives the result. */
sustain_status sustain_picture_read(sustain_context *context, const char *path, int64_t channels, int64_t height, int64_t width,
                                    uint8_t *pixels);

/** Encodes one or three channels of bytes as a PNG file in memory; free it with
 *  sustain_png_free(). *out is NULL on failure. */
sustain_status sustain_png_encode(sustain_context *context, const uint8_t *pixels, sustain_picture shape, uint8_t **out, size_t *size);

/** Frees what sustain_png_encode() made. NULL is allowed. */
void sustain_png_free(sustain_context *context, uint8_t *png);

/** N-way K-shot tasks with Q queries: `ways` classes, with `shots` support pictures and
 *  `queries` query pictures of each. */
typedef struct sustain_task_shape {
    int64_t ways, shots, queries;
} sustain_task_shape;

/** Checks that tasks of this shape can be drawn. Refused: numbers below 1 (queries may be 0),
 *  more ways than classes, a class with fewer pictures than shots + queries (the sentence names
 *  it). */
sustain_status sustain_tasks_check(const sustain_pictures *set, const sustain_task_shape *shape);

/** Draws a task that depends only on (seed, stream, task) and the sizes of the classes: ordered
 *  choices without replacement, all equally likely. The set must have passed
 *  sustain_tasks_check(). support (ways, shots), query (ways, queries): indices of pictures,
 *  class by class; classes (ways): indices of the classes. */
void sustain_task_draw(const sustain_pictures *set, const sustain_task_shape *shape, uint64_t seed, uint32_t stream, uint64_t task,
                       int64_t *support, int64_t *query, int64_t *classes);

#ifdef __cplusplus
}
#endif
#endif
