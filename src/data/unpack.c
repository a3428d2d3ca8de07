/* unpack.c - see unpack.h. One loop for both formats: a chunk in, a chunk out, until the input
 * ends. */
#include "data/unpack.h"

#include <bzlib.h>
#include <limits.h>
#include <string.h>
#include <zlib.h>

/* The first part is unpacked separately, to read the claimed size. */
enum { HEAD = 4096, TEXT_RATIO = 200, PIECE = 1 << 20 };
static const uint64_t text_floor = (uint64_t)64 << 20;

bool sustain__is_packed(const unsigned char *bytes, size_t length) {
    const bool gzip = length >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8;
    const bool bzip2 = length >= 10 && memcmp(bytes, "BZh", 3) == 0 && bytes[3] >= '1' && bytes[3] <= '9' &&
                       (memcmp(bytes + 4, "1AY&SY", 6) == 0 || memcmp(bytes + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
    return gzip || bzip2;
}

/* ---- one step of either ---- */

typedef struct unpacker {
    bool is_gzip;
    z_stream gzip;
    bz_stream bzip2;
    const unsigned char *in;
    size_t left; /* of the input */
} unpacker;

typedef enum progress { GOES_ON, ENDED, DAMAGED, CANCELLED } progress;

static unsigned chunk(size_t n) {
    return n > INT_MAX ? INT_MAX : (unsigned)n;
}

static bool start(unpacker *u) {
    memset(&u->gzip, 0, sizeof u->gzip);
    memset(&u->bzip2, 0, sizeof u->bzip2);
    return u->is_gzip ? inflateInit2(&u->gzip, 15 + 16) == Z_OK : BZ2_bzDecompressInit(&u->bzip2, 0, 0) == BZ_OK;
}

static void stop(unpacker *u) {
    if (u->is_gzip)
        inflateEnd(&u->gzip);
    else
        BZ2_bzDecompressEnd(&u->bzip2);
}

/* Unpacks at most `room` bytes to `out`; *made: how many. */
static progress step(unpacker *u, unsigned char *out, size_t room, size_t *made) {
    const unsigned in = chunk(u->left), space = chunk(room);
    int code;
    unsigned unread, unwritten;
    if (u->is_gzip) {
        u->gzip.next_in = (unsigned char *)(uintptr_t)u->in; /* zlib does not write there */
        u->gzip.avail_in = in, u->gzip.next_out = out, u->gzip.avail_out = space;
        code = inflate(&u->gzip, Z_NO_FLUSH);
        unread = u->gzip.avail_in, unwritten = u->gzip.avail_out;
    } else {
        u->bzip2.next_in = (char *)(uintptr_t)u->in;
        u->bzip2.avail_in = in, u->bzip2.next_out = (char *)out, u->bzip2.avail_out = space;
        code = BZ2_bzDecompress(&u->bzip2);
        unread = u->bzip2.avail_in, unwritten = u->bzip2.avail_out;
    }
    u->in += in - unread, u->left -= in - unread;
    *made = space - unwritten;
    const bool ended = u->is_gzip ? code == Z_STREAM_END : code == BZ_STREAM_END;
    const bool moved = unread != in || unwritten != space;
    return ended ? ENDED : code == Z_OK /* and BZ_OK */ && moved ? GOES_ON : DAMAGED;
}

/* ---- a whole file ---- */

/* One piece at a time, so that the call can be cancelled. */
static progress step_of_piece(sustain_context *context, unpacker *u, unsigned char *out, size_t room, size_t *made) {
    if (sustain__cancelled(context) != SUSTAIN_OK) return CANCELLED;
    return step(u, out, room < PIECE ? room : PIECE, made);
}

/* Fills bytes[*length .. room-1]. A file may have several streams, one after the other; zeros at
 * the end are padding. */
static progress fill(sustain_context *context, unpacker *u, unsigned char *bytes, size_t room, size_t *length) {
    while (*length < room) {
        size_t made = 0;
        const progress p = step_of_piece(context, u, bytes + *length, room - *length, &made);
        if (p == CANCELLED) return p;
        *length += made;
        if (p == DAMAGED) return DAMAGED;
        if (p == GOES_ON) continue;
        while (u->left > 0 && u->in[0] == 0) u->in++, u->left--;
        if (u->left == 0) return ENDED;
        stop(u);
        if (!start(u)) return DAMAGED;
    }
    return GOES_ON;
}

/* Limit of the unpacked size, from the first bytes. One byte more than claimed shows that the
 * claim is wrong. */
static sustain_status limit(sustain_context *context, const char *path, size_t packed, uint64_t claim, bool is_gzip, uint64_t *most) {
    const uint64_t text = (uint64_t)packed * TEXT_RATIO;
    *most = claim > 0 ? claim : text > text_floor ? text : text_floor;
    if (claim > 0 && is_gzip && claim / SUSTAIN__DEFLATE_RATIO > packed)
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: its header claims %llu bytes, more than %zu compressed bytes can hold", path,
                             (unsigned long long)claim, packed);
    return SUSTAIN_OK;
}

static sustain_status damaged(sustain_context *context, const char *path, const unpacker *u, size_t length) {
    return sustain__fail(context, SUSTAIN_FORMAT, "%s: the compressed data is %s after %zu unpacked bytes", path,
                         u->left == 0 ? "cut off" : "damaged", length);
}

static sustain_status move_to(sustain_context *context, size_t room, sustain__bytes *bytes) {
    unsigned char *larger;
    SUSTAIN_TRY(sustain__allocate(context, room, &larger));
    memcpy(larger, bytes->owned, bytes->length);
    sustain__free(context, bytes->owned);
    bytes->owned = larger;
    return SUSTAIN_OK;
}

static sustain_status unpack_all(sustain_context *context, const char *path, unpacker *u, size_t packed, sustain__claimed_length claimed,
                                 sustain__bytes *out) {
    size_t room = HEAD;
    SUSTAIN_TRY(sustain__allocate(context, room, &out->owned));
    progress p = fill(context, u, out->owned, room, &out->length);
    const uint64_t claim = p == DAMAGED || p == CANCELLED ? 0 : claimed(out->owned, out->length);
    uint64_t most = 0;
    if (p != DAMAGED && p != CANCELLED) SUSTAIN_TRY(limit(context, path, packed, claim, u->is_gzip, &most));
    for (; p != DAMAGED && p != CANCELLED; p = fill(context, u, out->owned, room, &out->length)) {
        if (out->length > most)
            return sustain__fail(
                context, SUSTAIN_FORMAT, "%s: %s %llu bytes come out of it; if that is right, unpack it and give the result", path,
                claim > 0 ? "its header is wrong, more than" : "its compression ratio is implausible, more than", (unsigned long long)most);
        if (p == ENDED) break;
        /* A checked claim of gzip is allocated at once; otherwise memory grows with the content. */
        const uint64_t target = (claim > 0 && u->is_gzip) || most / 4 < room ? most + 1 : (uint64_t)room * 4;
        room = target < SIZE_MAX ? (size_t)target : SIZE_MAX;
        SUSTAIN_TRY(move_to(context, room, out));
    }
    if (p == CANCELLED) return SUSTAIN_CANCELLED;
    if (p == DAMAGED) return damaged(context, path, u, out->length);
    out->data = out->owned;
    return SUSTAIN_OK;
}

sustain_status sustain__unpack(sustain_context *context, const char *path, const unsigned char *packed, size_t length,
                               sustain__claimed_length claimed, sustain__bytes *out) {
    unpacker u = {.is_gzip = packed[0] == 0x1f, .in = packed, .left = length};
    *out = (sustain__bytes){.data = NULL};
    if (!start(&u)) return sustain__fail(context, SUSTAIN_MEMORY, "out of memory to unpack %s", path);
    const sustain_status status = unpack_all(context, path, &u, length, claimed, out);
    stop(&u);
    if (status != SUSTAIN_OK) sustain__bytes_free(context, out);
    return status;
}

sustain_status sustain__inflate(sustain_context *context, const unsigned char *packed, size_t length, unsigned char *out, size_t wanted,
                                size_t *got) {
    unpacker u = {.is_gzip = true, .in = packed, .left = length};
    *got = 0;
    if (inflateInit2(&u.gzip, -15) != Z_OK) return SUSTAIN_FORMAT;
    progress p = GOES_ON;
    while (p == GOES_ON && *got < wanted) {
        size_t made = 0;
        p = step_of_piece(context, &u, out + *got, wanted - *got, &made);
        *got += made;
    }
    stop(&u);
    return p == CANCELLED ? SUSTAIN_CANCELLED : p == DAMAGED ? SUSTAIN_FORMAT : SUSTAIN_OK;
}

uint32_t sustain__crc32(const unsigned char *bytes, size_t length) {
    unsigned long sum = crc32(0, NULL, 0);
    for (size_t at = 0; at < length; at += INT_MAX) sum = crc32(sum, bytes + at, chunk(length - at));
    return (uint32_t)sum;
}
