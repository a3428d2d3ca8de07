/* file.h - whole files: read as bytes, mapped where they are large; written to a temporary name and
 * renamed. */
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
    size_t mapped_length; /* of the pages */
    size_t copied;        /* bytes of them that are memory of this process */
} sustain__bytes;

/* Reads a file, or maps it where it is large: then it must not be shortened while it is used. */
sustain_status sustain__bytes_read(sustain_context *context, const char *path, sustain__bytes *out);

/* A part of a file, `length` bytes from `begin` on, which `data` has in memory. */
typedef struct sustain__piece {
    const char *path; /* NULL: there is none */
    const unsigned char *data;
    size_t begin, length;
} sustain__piece;

/* Pieces one after the other, as if they were one file. Whole pages are mapped where a piece lies
 * in its file as it does in the result; the rest is copied, and counts as memory. */
sustain_status sustain__bytes_join(sustain_context *context, const sustain__piece *pieces, int64_t count, sustain__bytes *out);

/* Makes mapped bytes writable: pages that are written become memory of this process, and the file
 * does not change. False: they are not mapped, or it cannot be done. */
bool sustain__bytes_make_writable(const sustain__bytes *bytes);

/* Frees or unmaps; a second call does nothing. */
void sustain__bytes_free(sustain_context *context, sustain__bytes *bytes);

/* Writes to a temporary name beside `path`, or beside the target of a link, and renames it when
 * everything is on the disk. Devices and pipes are written directly. `write` returns false, with
 * errno set, where a write failed. */
sustain_status sustain__file_replace(sustain_context *context, const char *path, bool (*write)(FILE *to, const void *user),
                                     const void *user);

#endif
