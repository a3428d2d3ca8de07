/* input_file.h - the bytes of a fuzz target as a file, for readers that take a path; and inputs
 * that are changes to a good file. */
#ifndef INPUT_FILE_H
#define INPUT_FILE_H

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "parsing.h"

static char path[160]; /* of the file */

/* A name to give to mkstemp() or mkdtemp(): in memory where the system has files there, since a
 * disk takes a hundred times as long as a reader. */
static inline void scratch_name(char *name, size_t size) {
    snprintf(name, size, "%s/sustain-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
}

static inline void put_bytes(const char *name, const uint8_t *data, size_t size) {
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    require(file >= 0 && (size == 0 || write(file, data, size) == (ssize_t)size) && close(file) == 0);
}

static inline void remove_file(void) {
    remove(path);
}

static inline void write_input(const uint8_t *data, size_t size) {
    if (path[0] == '\0') {
        scratch_name(path, sizeof path);
        const int file = mkstemp(path);
        require(file >= 0 && close(file) == 0);
        atexit(remove_file);
    }
    put_bytes(path, data, size);
}

/* ---- an input as a file, or as changes to a good one ---- */

/* The first byte of such an input says what the rest is: 0, a file; else a list of changes to a
 * good file (three bytes of offset, one of value). The second chooses the good file: the run that
 * it is of. */
enum { PREFIX_BYTES = 2 };

/* What was saved at `path`. */
typedef struct good_file {
    uint8_t *bytes; /* NULL: not made yet */
    size_t length;
} good_file;

/* Without its checksum: a file without one is loaded, and changes must get past it. */
static inline good_file read_good(void) {
    good_file good;
    FILE *file = fopen(path, "rb");
    require(file != NULL && fseek(file, 0, SEEK_END) == 0);
    good.length = (size_t)ftell(file);
    rewind(file);
    good.bytes = malloc(good.length);
    require(good.bytes != NULL && fread(good.bytes, 1, good.length, file) == good.length && fclose(file) == 0);
    for (size_t i = 0;; i++) {
        require(i + 10 <= good.length);
        if (memcmp(good.bytes + i, "\"checksum\"", 10) != 0) continue;
        memcpy(good.bytes + i, "\"no_check\"", 10);
        return good;
    }
}

/* The good file of a run as an input. 0: it does not fit. */
static inline size_t put_good(const good_file *good, int run, uint8_t *data, size_t max_size) {
    if (good->length + PREFIX_BYTES > max_size) return 0;
    data[0] = 0;
    data[1] = (uint8_t)run;
    memcpy(data + PREFIX_BYTES, good->bytes, good->length);
    return good->length + PREFIX_BYTES;
}

/* Whether an input is no change: the good file, which must be taken. */
static inline bool is_good(const uint8_t *data, size_t size) {
    return size >= PREFIX_BYTES && data[0] != 0 && size < PREFIX_BYTES + 4;
}

/* Writes the file that an input stands for. */
static inline void write_file_or_changes(const good_file *good, const uint8_t *data, size_t size) {
    const uint8_t *changes = data + PREFIX_BYTES;
    if (size < PREFIX_BYTES || data[0] == 0) {
        write_input(size < PREFIX_BYTES ? data : changes, size < PREFIX_BYTES ? size : size - PREFIX_BYTES);
        return;
    }
    uint8_t *bytes = malloc(good->length);
    require(bytes != NULL);
    memcpy(bytes, good->bytes, good->length);
    for (size -= PREFIX_BYTES; size >= 4; changes += 4, size -= 4)
        bytes[(changes[0] | (size_t)changes[1] << 8 | (size_t)changes[2] << 16) % good->length] = changes[3];
    write_input(bytes, good->length);
    free(bytes);
}

#endif
