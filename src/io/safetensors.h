/* safetensors.h - named tensors in one file: eight bytes of length, a JSON header of that length,
 * the numbers. Read by NumPy, PyTorch and others. docs/formats.md has it byte by byte. */
#ifndef SUSTAIN_IO_SAFETENSORS_H
#define SUSTAIN_IO_SAFETENSORS_H

#include "core/context_internal.h"

/* A tensor to write, or found in a file. */
typedef struct sustain__tensor {
    const char *name;
    const char *dtype; /* "F32", "F64", "I64", "U32" */
    int64_t count;
    const void *data;
    const int64_t *shape; /* its sides, then 0; NULL, when it is written: (count) */
} sustain__tensor;

/* A word of metadata. */
typedef struct sustain__word {
    const char *name, *value;
} sustain__word;

/* Writes to a temporary name beside `path` and renames it when everything is on the disk. */
sustain_status sustain__safetensors_write(sustain_context *context, const char *path, const sustain__word *words, int word_count,
                                          const sustain__tensor *tensors, int tensor_count);

/* The same with one word more, a checksum of all words and tensors. */
sustain_status sustain__safetensors_write_checked(sustain_context *context, const char *path, const sustain__word *words, int word_count,
                                                  const sustain__tensor *tensors, int tensor_count);

/* A file in memory. */
typedef struct sustain__safetensors sustain__safetensors;

/* Reads a whole file; every tensor in it lies inside the file and has the size that its shape
 * says. */
sustain_status sustain__safetensors_read(sustain_context *context, const char *path, sustain__safetensors **out);

/* The same from memory, which is borrowed; `path` is for messages. */
sustain_status sustain__safetensors_parse(sustain_context *context, const char *path, const unsigned char *bytes, size_t length,
                                          sustain__safetensors **out);
void sustain__safetensors_destroy(sustain__safetensors *file);

/* Metadata of that name, or NULL. Valid as long as the file. */
const char *sustain__safetensors_word(const sustain__safetensors *file, const char *name);

/* Refuses a file whose checksum is not that of its content. Files of older versions have none. */
sustain_status sustain__safetensors_check(sustain_context *context, const char *path, const sustain__safetensors *file);

/* The tensor of that name; false if there is none. Its data need not be aligned. */
bool sustain__safetensors_find(const sustain__safetensors *file, const char *name, sustain__tensor *out);

/* Its numbers; false where they are not floats of either precision, or one is not finite as a
 * sustain_real. */
bool sustain__tensor_numbers(const sustain__tensor *tensor, sustain_real *out);

#endif
