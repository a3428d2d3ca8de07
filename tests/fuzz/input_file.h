/* input_file.h - the bytes of a fuzz target as a file, for readers that take a path. */
#ifndef INPUT_FILE_H
#define INPUT_FILE_H

#include <stdio.h>
#include <unistd.h>

#include "parsing.h"

static char path[] = "/tmp/sustain-fuzz-XXXXXX";

static void remove_file(void) {
    remove(path);
}

static void write_input(const uint8_t *data, size_t size) {
    static bool made;
    if (!made) {
        const int file = mkstemp(path);
        require(file >= 0 && close(file) == 0);
        atexit(remove_file);
        made = true;
    }
    FILE *to = fopen(path, "wb");
    require(to != NULL && fwrite(data, 1, size, to) == size && fclose(to) == 0);
}

#endif
