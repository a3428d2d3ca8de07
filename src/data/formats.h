/* formats.h - one format a file. Every parser takes the bytes of a whole file; none trusts a number in it.
 *
 * A parser fills a set that has a source, which is the path in its messages. `what` says what is wanted. */
#ifndef SUSTAIN_DATA_FORMATS_H
#define SUSTAIN_DATA_FORMATS_H

#include "data/array.h"

/* What is wanted from a file. */
typedef enum sustain__want { SUSTAIN__WANT_ALL, SUSTAIN__WANT_LABELS } sustain__want;

/* What a parser gets. */
typedef struct sustain__input {
    sustain_context *context;
    const unsigned char *bytes;
    size_t length;
    const sustain_read_options *options;
    sustain__want want;
    const char *member;   /* NPZ: the array that was named; else NULL */
    sustain_dataset *set; /* to be filled */
    bool in_place;        /* set by a parser where rows point into `bytes` */
} sustain__input;

/* Whether bytes begin as a file of this format does. */
bool sustain__is_idx(const unsigned char *bytes, size_t length);
bool sustain__is_npy(const unsigned char *bytes, size_t length);
bool sustain__is_npz(const unsigned char *bytes, size_t length);
bool sustain__is_libsvm(const unsigned char *bytes, size_t length);  /* text: one row with index:value is enough */
bool sustain__fits_cifar(const unsigned char *bytes, size_t length); /* whole records */
bool sustain__is_cifar(const unsigned char *bytes, size_t length);   /* and labels in their range */

sustain_status sustain__parse_idx(sustain__input *input);
sustain_status sustain__parse_npy(sustain__input *input);
sustain_status sustain__parse_npz(sustain__input *input);
sustain_status sustain__parse_csv(sustain__input *input);
sustain_status sustain__parse_libsvm(sustain__input *input);
sustain_status sustain__parse_cifar(sustain__input *input);

/* Finds the array of an NPY file; `name` is for messages. The array is checked against the length. */
sustain_status sustain__npy_array(sustain_context *context, const char *name, const unsigned char *bytes, size_t length,
                                  sustain__array *out);

/* The same from its first bytes alone: type, shape and where the elements begin; `length` bytes are there of all. */
sustain_status sustain__npy_header(sustain_context *context, const char *name, const unsigned char *bytes, size_t length,
                                   sustain__array *out, size_t *begin);

/* How long a file with these first bytes claims to be; 0 where they do not say. */
uint64_t sustain__idx_claim(const unsigned char *bytes, size_t length);
uint64_t sustain__npy_claim(const unsigned char *bytes, size_t length);

/* Parses bytes of any format: tells it by the content, unpacked by now. */
sustain_status sustain__parse(sustain__input *input);

#endif
