/* safetensors_header.h - the header of a safetensors file, as text and as tables:
 *
 *   {"__metadata__": {"name": "text", ...}, "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...} */
#ifndef SUSTAIN_IO_SAFETENSORS_HEADER_H
#define SUSTAIN_IO_SAFETENSORS_HEADER_H

#include "io/safetensors.h"

/* Bytes of a number of this type; 0: none that is known here. */
size_t sustain__dtype_size(const char *dtype);

/* Writes the header of tensors whose numbers follow each other; returns its length. to NULL: only
 * that. */
size_t sustain__header_write(const sustain__word *words, int word_count, const sustain__tensor *tensors, int tensor_count, char *to);

/* Names as a word of the metadata: a JSON array of strings. Writes it without an end; returns its
 * length. to NULL: only that. */
size_t sustain__names_write(const char *const *names, int64_t count, char *to);

/* The inverse: strings are decoded in place, and `names` (count) points into the text. False: it is
 * not an array of `count` strings. */
bool sustain__names_read(char *text, int64_t count, const char **names);

/* What was read, sorted by name. */
typedef struct sustain__header {
    sustain__word *words;
    sustain__tensor *tensors;
    int64_t *sides; /* of the tensors' shapes, each with a 0 at its end */
    size_t word_count, tensor_count, side_count;
} sustain__header;

/* How many of each a header of these bytes can have. */
void sustain__header_room(const char *text, size_t length, size_t *words, size_t *tensors, size_t *sides);

/* What is wrong with a header, and where: at a byte of it, or at a tensor where `tensor` is not
 * NULL. */
typedef struct sustain__header_trouble {
    const char *what, *tensor;
    size_t byte;
} sustain__header_trouble;

/* Reads it into tables of that capacity; strings are made in the text itself, to which the tables
 * then point, and tensors point to the numbers: `data` and its length. Every one of them lies
 * inside and has the size that its shape says. */
bool sustain__header_read(char *text, size_t length, const unsigned char *data, size_t data_length, sustain__header *out,
                          sustain__header_trouble *trouble);

#endif
