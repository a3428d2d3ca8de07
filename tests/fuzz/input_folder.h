/* input_folder.h - the bytes of a fuzz target as the files of a folder, one after the other, each
 * closed by a zero byte. */
#ifndef INPUT_FOLDER_H
#define INPUT_FOLDER_H

#include <sys/stat.h>

#include "input_file.h"

enum { MOST_FILES = 16 };

static char folder[64];
static struct {
    char path[160];
    uint8_t *bytes; /* what is in it: most inputs change one file */
    size_t length;
} files[MOST_FILES];
static int file_count;

/* Removes the folders that a file was in, where it was the last one. */
static inline void remove_with_folders(char *name) {
    remove(name);
    for (char *slash; strlen(name) > strlen(folder) && (slash = strrchr(name, '/')) != NULL; rmdir(name)) *slash = '\0';
}

static inline void remove_files(void) {
    for (int i = 0; i < file_count; i++) {
        remove_with_folders(files[i].path);
        free(files[i].bytes);
    }
}

/* Names with slashes are in folders inside. */
static inline void make_folder_of(const char *const *names, int count) {
    scratch_name(folder, sizeof folder);
    require(count <= MOST_FILES && mkdtemp(folder) != NULL);
    for (file_count = 0; file_count < count; file_count++) {
        char *name = files[file_count].path;
        snprintf(name, sizeof files[0].path, "%s/%s", folder, names[file_count]);
        for (char *slash = name + strlen(folder); (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
            *slash = '\0';
            mkdir(name, 0700);
        }
    }
    atexit(remove_files);
}

/* An empty file is not there. */
static inline void put_file(int i, const uint8_t *data, size_t length) {
    if (length == files[i].length && (length == 0 || memcmp(data, files[i].bytes, length) == 0)) return;
    if (length > 0)
        put_bytes(files[i].path, data, length);
    else
        remove(files[i].path);
    files[i].bytes = realloc(files[i].bytes, length + 1);
    require(files[i].bytes != NULL);
    if (length > 0) memcpy(files[i].bytes, data, length);
    files[i].length = length;
}

/* What is left of an input is the last file. */
static inline void put_files(const uint8_t *data, size_t size) {
    for (int i = 0; i < file_count; i++) {
        const uint8_t *end = i < file_count - 1 && size > 0 ? memchr(data, 0, size) : NULL;
        const size_t length = end != NULL ? (size_t)(end - data) : size;
        put_file(i, data, length);
        data += length + (end != NULL);
        size -= length + (end != NULL);
    }
}

#endif
