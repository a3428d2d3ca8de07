/* unpack.h - gzip, bzip2 and raw deflate, from memory to memory, with a limit: a small file must not fill the machine. */
#ifndef SUSTAIN_IO_UNPACK_H
#define SUSTAIN_IO_UNPACK_H

#include "io/file.h"

/* Deflate makes at most 1,032 bytes of one. bzip2 has no such bound: it makes 45 MB of 40 bytes. */
enum { SUSTAIN__DEFLATE_RATIO = 1040 };

/* Whether bytes begin as gzip or bzip2 does. */
bool sustain__is_packed(const unsigned char *bytes, size_t length);

/* Tells from the first bytes of the content how long all of it claims to be; 0 where it does not say. */
typedef uint64_t (*sustain__claimed_length)(const unsigned char *head, size_t length);

/* Unpacks all of a gzip or bzip2 file. Refused: damage, a content longer than it claims to be, a claim that the packed bytes
 * cannot hold, and where nothing is claimed (text) more than 200 times the packed bytes and 64 MB. */
sustain_status sustain__unpack(sustain_context *context, const char *path, const unsigned char *packed, size_t length,
                               sustain__claimed_length claimed, sustain__bytes *out);

/* Fills `out` with `wanted` bytes of raw deflate, the content of a zip member, or as many as there are; *got says how many.
 * FORMAT, without a sentence: the packed bytes are damaged. */
sustain_status sustain__inflate(sustain_context *context, const unsigned char *packed, size_t length, unsigned char *out, size_t wanted,
                                size_t *got);

/* The checksum of a zip member. */
uint32_t sustain__crc32(const unsigned char *bytes, size_t length);

#endif
