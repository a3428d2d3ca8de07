/* reading.c - see reading.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reading.h"

failing_allocator_state reading_memory;
sustain_context *reading_context;
static char folder[64];

int reading_setup(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sustain-reading-XXXXXX");
    if (mkdtemp(folder) == NULL) return -1;
    reading_memory = (failing_allocator_state){0};
    return sustain_context_create_with(failing_allocator, &reading_memory, &reading_context) == SUSTAIN_OK ? 0 : -1;
}

/* A file, or a folder with all that is in it. */
static int remove_all(const char *path) {
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        const size_t size = strlen(path) + strlen(entry->d_name) + 2;
        char *inside = malloc(size);
        snprintf(inside, size, "%s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) remove_all(inside);
        free(inside);
    }
    if (directory != NULL) closedir(directory);
    return remove(path);
}

int reading_teardown(void **state) {
    (void)state;
    sustain_context_destroy(reading_context);
    return remove_all(folder) == 0 && reading_memory.live == 0 ? 0 : -1;
}

const char *reading_folder(void) {
    return folder;
}

const char *reading_file(const char *name, const void *bytes, size_t length) {
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0777);
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(length == 0 || fwrite(bytes, 1, length, file) == length);
    assert_int_equal(fclose(file), 0);
    return path;
}

sustain_dataset *reading_bytes(const char *name, const void *bytes, size_t length, const sustain_read_options *options, bool labels) {
    sustain_dataset *set;
    const char *path = reading_file(name, bytes, length);
    const sustain_status status = (labels ? sustain_dataset_read_labels : sustain_dataset_read)(reading_context, path, options, &set);
    assert_true((status == SUSTAIN_OK) == (set != NULL));
    return set;
}

static sustain_dataset *must_read(const char *text, const sustain_read_options *options, bool labels) {
    sustain_dataset *set = reading_bytes("text", text, strlen(text), options, labels);
    if (set == NULL) fail_msg("refused: %s", sustain_error(reading_context));
    return set;
}

sustain_dataset *reading_text(const char *text, const sustain_read_options *options) {
    return must_read(text, options, false);
}

sustain_dataset *reading_labels(const char *text, const sustain_read_options *options) {
    return must_read(text, options, true);
}

void refuses_bytes(const void *bytes, size_t length, const sustain_read_options *options, bool labels, const char *sentence) {
    char expected[512];
    assert_null(reading_bytes("input", bytes, length, options, labels));
    snprintf(expected, sizeof expected, "%s/input: %s", folder, sentence);
    assert_string_equal(sustain_error(reading_context), expected);
}

void refuses_text(const char *text, const sustain_read_options *options, const char *sentence) {
    refuses_bytes(text, strlen(text), options, false, sentence);
}

void survives_lack_of_memory(const char *path, const sustain_read_options *options) {
    for (int64_t n = 1;; n++) {
        const int64_t live = reading_memory.live;
        sustain_dataset *set;
        reading_memory.calls = 0;
        reading_memory.fail_at = n;
        const sustain_status status = sustain_dataset_read(reading_context, path, options, &set);
        reading_memory.fail_at = 0;
        if (status == SUSTAIN_OK) {
            assert_true(n > 3);
            sustain_dataset_destroy(set);
            return;
        }
        assert_int_equal(status, SUSTAIN_MEMORY);
        assert_null(set);
        assert_int_equal(reading_memory.live, live);
    }
}
