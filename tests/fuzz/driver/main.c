/* main.c - runs a fuzz target over saved inputs, as a plain regression test: FILE or DIRECTORY
 * arguments, and the empty input first. A finding is a crash; then the last line names the
 * input. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int passed, failed;

/* Reads the file into a block of exactly its size, so that a sanitizer sees the first byte read
 * beyond it. */
static void run_file(const char *path) {
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (!file || fstat(fileno(file), &status) != 0) {
        perror(path);
        failed++;
        if (file) fclose(file);
        return;
    }
    size_t size = (size_t)status.st_size;
    uint8_t *data = malloc(size ? size : 1);
    printf("%s\n", path);
    fflush(stdout);
    if (data && fread(data, 1, size, file) == size) {
        LLVMFuzzerTestOneInput(data, size);
        passed++;
    } else {
        failed++;
    }
    free(data);
    fclose(file);
}

static void run_directory(const char *path) {
    DIR *directory = opendir(path);
    if (!directory) return; /* no saved inputs yet */
    for (struct dirent *entry; (entry = readdir(directory));) {
        char name[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        run_file(name);
    }
    closedir(directory);
}

int main(int argc, char **argv) {
    static const uint8_t nothing[1];
    LLVMFuzzerTestOneInput(nothing, 0);
    passed++;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        if (stat(argv[i], &status) == 0 && !S_ISDIR(status.st_mode))
            run_file(argv[i]);
        else
            run_directory(argv[i]);
    }
    printf("fuzz: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}
