/* array.h - an array of numbers or texts in a file (IDX, NPY), converted to features or labels. */
#ifndef SUSTAIN_DATA_ARRAY_H
#define SUSTAIN_DATA_ARRAY_H

#include "data/dataset_internal.h"

enum { SUSTAIN__MOST_AXES = 4 };

/* An array; the length of `data` follows from shape and size. */
typedef struct sustain__array {
    const unsigned char *data;
    char kind;   /* as NumPy writes it: 'b' boolean, 'u' and 'i' whole numbers, 'f' floating
                  * point, 'U' UTF-32, 'S' bytes of text */
    int size;    /* bytes of an element; for text, of all its characters */
    bool big;    /* big-endian */
    bool column; /* the first index runs fastest (Fortran order) */
    int axes;
    int64_t shape[SUSTAIN__MOST_AXES];
} sustain__array;

/* Element i of an array of numbers; whole numbers beyond 2^53 are rounded, a boolean is 0 or 1. */
double sustain__array_number(const sustain__array *array, int64_t i);

/* Number of elements; -1 if a dimension is negative or the size in bytes overflows. */
int64_t sustain__array_count(const sustain__array *array);

/* "1000 x 28 x 28", for messages. */
void sustain__array_shape_text(const sustain__array *array, char text[96]);

/* Gives a set the features: two axes, or three or four where rows are pictures. Bytes and floats
 * in the right layout are not copied, with keep_half float16 neither: the set points into the file,
 * and *in_place is true. Others are converted. */
sustain_status sustain__array_features(const sustain__array *array, sustain_dataset *set, bool keep_half, bool *in_place);

/* Gives a set the labels: one axis, or a second one of length 1. NaN is refused, or with `missing`
 * the label -1. */
sustain_status sustain__array_labels(sustain_context *context, const sustain__array *array, bool missing, sustain_dataset *set);

#endif
