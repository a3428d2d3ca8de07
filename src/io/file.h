/* file.h - whole files: in as bytes, mapped where they are large; out through a temporary name and a rename. */
#ifndef SUSTAIN_IO_FILE_H
#define SUSTAIN_IO_FILE_H

#include <stdio.h>

#include "core/context_internal.h"

/* The bytes of a file. They begin at a multiple of eight bytes. */
typedef struct sustain__bytes {
    const unsigned char *data;
    size_t length;
    unsigned char *owned; /* NULL where they are mapped */
    void *mapped;         /* NULL where they are owned */
} sustain__bytes;

/* Reads a file, or maps it where it is large: then it must not be shortened while it is used. */
sustain_status sustain__bytes_read(sustain_context *context, const char *path, sustain__bytes *out);

/* Frees or unmaps, and leaves nothing behind: a second call does no harm. */
void sustain__bytes_free(sustain_context *context, sustain__bytes *bytes);

/* Writes to a temporary name beside `path`, or beside the file that a link there stands for, and renames it when everything is on the disk; but
 * straight into what is there and is no file: a device, a pipe. `write` returns false, with errno set, where a write failed. */
sustain_status sustain__file_replace(sustain_context *context, const char *path, bool (*write)(FILE *to, const void *user),
                                     const void *user);

#endif
