/* state_file.h - the state of a run as a safetensors file: words that say which run it belongs to,
 * and named fields of numbers. One format for solvers and for few-shot training. */
#ifndef SUSTAIN_IO_STATE_FILE_H
#define SUSTAIN_IO_STATE_FILE_H

#include <sustain/parameter.h>
#include <sustain/solver.h>

#include "io/safetensors.h"

enum { SUSTAIN__STATE_WORDS = 82, SUSTAIN__STATE_TEXT = 40 };

/* The metadata. The number of words is fixed by the sources: exceeding it is a bug in this
 * library. */
typedef struct sustain__state_words {
    int count;
    sustain__word word[SUSTAIN__STATE_WORDS];
    char text[SUSTAIN__STATE_WORDS][SUSTAIN__STATE_TEXT];
} sustain__state_words;

/* Each adds words; names and the text of the first are borrowed. */
void sustain__state_word(sustain__state_words *words, const char *name, const char *text);
void sustain__state_number(sustain__state_words *words, const char *name, int64_t number);
void sustain__state_parameters(sustain__state_words *words, const sustain_parameter *rows, int count, const void *values);

sustain_status sustain__state_write(sustain_context *context, const char *path, const sustain__state_words *words,
                                    const sustain_field *fields, int count);

/* Refuses a file whose checksum is not that of its content, one that has other words, and one of
 * another run where the context has an identity. Files of older versions have neither checksum nor
 * identity: the log says so. */
sustain_status sustain__state_expect(sustain_context *context, const char *path, const sustain__safetensors *file,
                                     const sustain__state_words *words);
/* Refuses a file without this field, or with one of another type or length; else *data is where its
 * numbers are, not aligned. */
sustain_status sustain__state_find(sustain_context *context, const char *path, const sustain__safetensors *file, const sustain_field *field,
                                   const void **data);
/* The same, and copies the numbers to the field. */
sustain_status sustain__state_load(sustain_context *context, const char *path, const sustain__safetensors *file,
                                   const sustain_field *field);

#endif
