/* file.c - see file.h. */
#define _DEFAULT_SOURCE /* realpath */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SMALLEST_MAP = 1 << 20, SMALLEST_READ = 1 << 16 };

static sustain_status cannot_read(sustain_context *context, const char *path) {
    return sustain__fail(context, SUSTAIN_IO, "cannot read %s: %s", path, strerror(errno));
}

/* Moves what was read to a block twice as large. */
static sustain_status grow(sustain_context *context, sustain__bytes *bytes, size_t *room) {
    unsigned char *larger;
    *room = sustain__multiply(*room, 2);
    SUSTAIN_TRY(sustain__allocate(context, *room, &larger));
    memcpy(larger, bytes->owned, bytes->length);
    sustain__free(context, bytes->owned);
    bytes->owned = larger;
    return SUSTAIN_OK;
}

/* Reads to the end and does not rely on the size: a pipe has none, and a file may grow. One spare
 * byte detects the end without growing the buffer. */
static sustain_status read_all(sustain_context *context, const char *path, int file, size_t expected, sustain__bytes *bytes) {
    size_t room = expected > 0 ? expected + 1 : SMALLEST_READ;
    SUSTAIN_TRY(sustain__allocate(context, room, &bytes->owned));
    for (;;) {
        if (bytes->length == room) SUSTAIN_TRY(grow(context, bytes, &room));
        const ssize_t got = read(file, bytes->owned + bytes->length, room - bytes->length);
        if (got == 0) return SUSTAIN_OK;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return cannot_read(context, path);
        bytes->length += (size_t)got;
    }
}

static sustain_status read_open(sustain_context *context, const char *path, int file, sustain__bytes *bytes) {
    struct stat about;
    if (fstat(file, &about) != 0) return cannot_read(context, path);
    if (S_ISDIR(about.st_mode)) return sustain__fail(context, SUSTAIN_IO, "cannot read %s: it is a folder", path);
    const size_t size = S_ISREG(about.st_mode) && about.st_size > 0 ? (size_t)about.st_size : 0;
    if (size >= SMALLEST_MAP) {
        void *mapped = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (mapped != MAP_FAILED) {
            *bytes = (sustain__bytes){mapped, size, NULL, mapped, size, 0};
            return SUSTAIN_OK;
        }
    }
    const sustain_status status = read_all(context, path, file, size, bytes);
    bytes->data = bytes->owned;
    return status;
}

/* The fingerprint of the files read so far is the seed of the next: files that exchange their
 * content, as those of training and validation rows may, have another one. */
static uint64_t fingerprint_with(const sustain_context *context, int file, const sustain__bytes *bytes) {
    const uint64_t before = context->fingerprint;
    struct stat about;
    if (!context->trust_mtime || bytes->mapped == NULL || fstat(file, &about) != 0) return sustain_hash(bytes->data, bytes->length, before);
    const int64_t seen[] = {(int64_t)about.st_size, (int64_t)about.st_mtim.tv_sec, (int64_t)about.st_mtim.tv_nsec};
    return sustain_hash(seen, sizeof seen, before + 1);
}

sustain_status sustain__bytes_read(sustain_context *context, const char *path, sustain__bytes *out) {
    *out = (sustain__bytes){.data = NULL};
    const int file = open(path, O_RDONLY);
    if (file < 0) return cannot_read(context, path);
    const sustain_status status = read_open(context, path, file, out);
    if (status == SUSTAIN_OK)
        context->fingerprint = fingerprint_with(context, file, out);
    else
        sustain__bytes_free(context, out);
    close(file);
    return status;
}

/* ---- pieces ---- */

/* Maps the whole pages of a piece at `to`; returns how many bytes before them are missing. They end
 * at *end. A piece that cannot be mapped: none are. */
static size_t map_pages(const sustain__piece *piece, unsigned char *to, size_t page, size_t *end) {
    const size_t before = (page - (uintptr_t)to % page) % page;
    *end = before;
    if (piece->path == NULL || ((uintptr_t)to - piece->begin) % page != 0 || piece->length < before + page) return before;
    const size_t length = (piece->length - before) / page * page;
    const int file = open(piece->path, O_RDONLY);
    if (file < 0) return before;
    void *at = mmap(to + before, length, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, (off_t)(piece->begin + before));
    close(file);
    if (at != MAP_FAILED) *end = before + length;
    return before;
}

static sustain_status place_piece(sustain_context *context, const sustain__piece *piece, unsigned char *to, size_t page,
                                  sustain__bytes *out) {
    size_t end, before = map_pages(piece, to, page, &end);
    if (before > piece->length || end == before) before = end = 0; /* nothing is mapped */
    const size_t copied = before + (piece->length - end);
    SUSTAIN_TRY(sustain__count_memory(context, copied));
    out->copied += copied;
    memcpy(to, piece->data, before);
    memcpy(to + end, piece->data + end, piece->length - end);
    return SUSTAIN_OK;
}

sustain_status sustain__bytes_join(sustain_context *context, const sustain__piece *pieces, int64_t count, sustain__bytes *out) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t total = 0;
    for (int64_t i = 0; i < count; i++) total = pieces[i].length > SIZE_MAX / 2 - total ? SIZE_MAX / 2 : total + pieces[i].length;
    *out = (sustain__bytes){.length = total, .mapped_length = total + 2 * page};
    /* The first piece lies in its page as it does in the file: then so do others of whole pages. */
    out->mapped = mmap(NULL, out->mapped_length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (out->mapped == MAP_FAILED) {
        *out = (sustain__bytes){.data = NULL};
        return sustain__fail(context, SUSTAIN_MEMORY, "out of memory: %zu bytes were asked for", total);
    }
    unsigned char *to = (unsigned char *)out->mapped + pieces[0].begin % page;
    out->data = to;
    sustain_status status = SUSTAIN_OK;
    for (int64_t i = 0; i < count && status == SUSTAIN_OK; to += pieces[i++].length)
        status = place_piece(context, &pieces[i], to, page, out);
    if (status != SUSTAIN_OK) sustain__bytes_free(context, out);
    return status;
}

bool sustain__bytes_make_writable(const sustain__bytes *bytes) {
    return bytes->mapped != NULL && mprotect(bytes->mapped, bytes->mapped_length, PROT_READ | PROT_WRITE) == 0;
}

void sustain__bytes_free(sustain_context *context, sustain__bytes *bytes) {
    if (bytes->mapped != NULL) munmap(bytes->mapped, bytes->mapped_length);
    context->memory_used -= bytes->copied;
    sustain__free(context, bytes->owned);
    *bytes = (sustain__bytes){.data = NULL};
}

/* Devices, pipes and dangling links are not replaced. */
static sustain_status write_in_place(sustain_context *context, const char *path, bool (*write)(FILE *to, const void *user),
                                     const void *user) {
    FILE *file = fopen(path, "wb");
    bool good = file != NULL && write(file, user) && fflush(file) == 0;
    int error = errno;
    if (file != NULL && fclose(file) != 0 && good) good = false, error = errno;
    return good ? SUSTAIN_OK : sustain__fail(context, SUSTAIN_WRITE, "cannot write %s: %s", path, strerror(error));
}

static sustain_status write_temporary(sustain_context *context, const char *path, const char *temporary,
                                      bool (*write)(FILE *to, const void *user), const void *user) {
    remove(temporary); /* of a killed process with the same number; a link of that name is not followed */
    FILE *file = fopen(temporary, "wbx");
    if (file == NULL) return sustain__fail(context, SUSTAIN_WRITE, "cannot write %s: %s", path, strerror(errno));
    bool good = write(file, user) && fflush(file) == 0 && fsync(fileno(file)) == 0;
    int error = errno;
    if (fclose(file) != 0 && good) good = false, error = errno;
    if (good && rename(temporary, path) != 0) good = false, error = errno;
    if (good) return SUSTAIN_OK;
    remove(temporary);
    return sustain__fail(context, SUSTAIN_WRITE, "cannot write %s: %s; what was there before is untouched", path, strerror(error));
}

static sustain_status replace_file(sustain_context *context, const char *path, bool (*write)(FILE *to, const void *user),
                                   const void *user) {
    char *temporary;
    const size_t size = strlen(path) + 64;
    SUSTAIN_TRY(sustain__allocate(context, size, &temporary));
    snprintf(temporary, size, "%s.tmp.%ld.%jx", path, (long)getpid(),
             (uintmax_t)(uintptr_t)context); /* threads have contexts of their own */
    const sustain_status status = write_temporary(context, path, temporary, write, user);
    sustain__free(context, temporary);
    return status;
}

sustain_status sustain__file_replace(sustain_context *context, const char *path, bool (*write)(FILE *to, const void *user),
                                     const void *user) {
    struct stat at, target;
    if (lstat(path, &at) != 0 || S_ISREG(at.st_mode)) return replace_file(context, path, write, user);
    char *plain = stat(path, &target) == 0 && S_ISREG(target.st_mode) ? realpath(path, NULL) : NULL;
    if (plain == NULL) return write_in_place(context, path, write, user);
    /* the target of a link */
    const sustain_status status = replace_file(context, plain, write, user);
    free(plain);
    return status;
}
