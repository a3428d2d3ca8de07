/* formats.h - the parsers, one source file per format. Every parser gets the bytes of a whole
 * file and checks every number in it.
 *
 * A parser fills a set whose source is the path for messages. `what` selects features or labels. */
#ifndef SUSTAIN_DATA_FORMATS_H
#define SUSTAIN_DATA_FORMATS_H

#include "data/array.h"

/* What to read from a file. */
typedef enum sustain__want { SUSTAIN__WANT_ALL, SUSTAIN__WANT_LABELS } sustain__want;

/* Input of a parser. */
typedef struct sustain__input {
    sustain_context *context;
    const unsigned char *bytes;
    size_t length;
    const sustain_read_options *options;
    sustain__want want;
    const char *member;   /* NPZ: the requested array; else NULL */
    sustain_dataset *set; /* to be filled */
    bool in_place;        /* set by a parser if rows point into `bytes` */
} sustain__input;

/* Whether the bytes are of this format. */
bool sustain__is_idx(const unsigned char *bytes, size_t length);
bool sustain__is_npy(const unsigned char *bytes, size_t length);
bool sustain__is_npz(const unsigned char *bytes, size_t length);
bool sustain__is_safetensors(const unsigned char *bytes, size_t length);
/* no control characters but tab, line and page breaks */
bool sustain__is_text(const unsigned char *bytes, size_t length);
/* text with at least one index:value */
bool sustain__is_libsvm(const unsigned char *bytes, size_t length);
bool sustain__fits_cifar(const unsigned char *bytes, size_t length); /* whole records */
bool sustain__is_cifar(const unsigned char *bytes, size_t length);   /* and labels in range */

sustain_status sustain__parse_idx(sustain__input *input);
sustain_status sustain__parse_npy(sustain__input *input);
sustain_status sustain__parse_npz(sustain__input *input);
sustain_status sustain__parse_packed(sustain__input *input);
sustain_status sustain__parse_csv(sustain__input *input);
sustain_status sustain__parse_libsvm(sustain__input *input);
sustain_status sustain__parse_cifar(sustain__input *input);

/* Finds the array of an NPY file; `name` is for messages. The array is checked against the
 * length. */
sustain_status sustain__npy_array(sustain_context *context, const char *name, const unsigned char *bytes, size_t length,
                                  sustain__array *out);

/* The same from the first `length` bytes: type, shape and the offset of the elements. */
sustain_status sustain__npy_header(sustain_context *context, const char *name, const unsigned char *bytes, size_t length,
                                   sustain__array *out, size_t *begin);

/* The length that the header of a file claims; 0 if it does not say. */
uint64_t sustain__idx_claim(const unsigned char *bytes, size_t length);
uint64_t sustain__npy_claim(const unsigned char *bytes, size_t length);

/* Formats of other programs, recognized by their first bytes: a sentence that says how to convert
 * them. NULL: none. */
const char *sustain__foreign_format(const unsigned char *bytes, size_t length);

/* Splits a path into the file and the array in it, NULL: none; the path is borrowed, `file` has
 * room for it. */
const char *sustain__split_path(const char *path, char *file);

/* Reads a file and unpacks it if it is compressed. */
sustain_status sustain__read_bytes(sustain_context *context, const char *path, sustain__bytes *out);

/* Reads one file. */
sustain_status sustain__read_one(sustain_context *context, const char *path, const sustain_read_options *options, sustain__want want,
                                 sustain_dataset **out);

/* Reads several files as one set, called `source`. */
sustain_status sustain__read_shards(sustain_context *context, const char *source, char *const *paths, int64_t count,
                                    const sustain_read_options *options, sustain__want want, sustain_dataset **out);

/* Parses unpacked bytes of any format, which it detects from the content. */
sustain_status sustain__parse(sustain__input *input);

#endif
