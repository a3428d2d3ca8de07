/* unpack.h - gzip, bzip2 and raw deflate, from memory to memory, with a limit, so that a small
 * file cannot exhaust the memory. */
#ifndef SUSTAIN_IO_UNPACK_H
#define SUSTAIN_IO_UNPACK_H

#include "io/file.h"

/* Deflate expands one byte to at most 1,032. bzip2 has no such bound: 40 bytes can expand to 45
 * MB. */
enum { SUSTAIN__DEFLATE_RATIO = 1040 };

/* Whether the bytes are gzip or bzip2. */
bool sustain__is_packed(const unsigned char *bytes, size_t length);

/* Returns the size that the first bytes of the content claim; 0 if they do not say. */
typedef uint64_t (*sustain__claimed_length)(const unsigned char *head, size_t length);

/* Unpacks all of a gzip or bzip2 file. Refused: damaged data, content longer than claimed, a
 * claim that the packed bytes cannot hold, and, if nothing is claimed (text), more than 200
 * times the packed size and 64 MB. */
sustain_status sustain__unpack(sustain_context *context, const char *path, const unsigned char *packed, size_t length,
                               sustain__claimed_length claimed, sustain__bytes *out);

/* Fills `out` with `wanted` bytes of raw deflate, the content of a zip member, or as many as
 * there are; *got: how many. FORMAT, without a sentence: the packed bytes are damaged. */
sustain_status sustain__inflate(sustain_context *context, const unsigned char *packed, size_t length, unsigned char *out, size_t wanted,
                                size_t *got);

/* The checksum of a zip member. */
uint32_t sustain__crc32(const unsigned char *bytes, size_t length);

#endif
