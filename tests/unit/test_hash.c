/* test_hash.c - the hash against values of the reference program (xxh64sum); fingerprints of files;
 * the limit of memory. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file.h"

static void test_reference(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t hash;
    } rows[] = {{"", 0xef46db3751d8e999u},
                {"a", 0xd24ec4f1a98c6e5bu},
                {"abc", 0x44bc2cf5ad770999u},
                {"Call me Ishmael. Some years ago--never mind how long precisely-", 0x02a2e85470d6fd96u}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(sustain_hash(rows[i].text, strlen(rows[i].text), 0) == rows[i].hash);
}

/* Any bit of any length changes it. */
static void test_bits(void **state) {
    (void)state;
    unsigned char bytes[100] = {0};
    for (size_t length = 1; length <= sizeof bytes; length++) {
        const uint64_t before = sustain_hash(bytes, length, 0);
        for (size_t bit = 0; bit < 8 * length; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_true(sustain_hash(bytes, length, 0) != before);
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        assert_true(sustain_hash(bytes, length - 1, 0) != before);
    }
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static uint64_t fingerprint_with(bool trust_mtime, const char *const *paths, int count) {
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_context_set_trust_mtime(context, trust_mtime);
    for (int i = 0; i < count; i++) {
        sustain__bytes bytes;
        assert_int_equal(sustain__bytes_read(context, paths[i], &bytes), SUSTAIN_OK);
        sustain__bytes_free(context, &bytes);
    }
    const uint64_t found = sustain_context_fingerprint(context);
    sustain_context_destroy(context);
    return found;
}

static uint64_t fingerprint_of(const char *const *paths, int count) {
    return fingerprint_with(false, paths, count);
}

static void set_time(const char *path, long seconds, long nanoseconds) {
    const struct timespec times[2] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* A large file counts by size and time of change where they are trusted, a small one by content. */
static void test_trust_mtime(void **state) {
    (void)state;
    enum { LARGE = 1 << 20 };
    char folder[] = "/tmp/sustain-hash-XXXXXX", path[64];
    const char *const paths[] = {path};
    char *text = malloc(LARGE + 1);
    assert_non_null(mkdtemp(folder));
    assert_non_null(text);
    snprintf(path, sizeof path, "%s/a", folder);
    memset(text, 'a', LARGE);
    text[LARGE] = '\0';
    write_text(path, text);
    set_time(path, 1000, 1);
    const uint64_t trusted = fingerprint_with(true, paths, 1), hashed = fingerprint_of(paths, 1);
    text[5] = 'b';
    write_text(path, text);
    set_time(path, 1000, 1);
    assert_true(fingerprint_with(true, paths, 1) == trusted);
    assert_true(fingerprint_of(paths, 1) != hashed);
    set_time(path, 1000, 2);
    assert_true(fingerprint_with(true, paths, 1) != trusted);
    write_text(path, "small");
    set_time(path, 1000, 1);
    assert_true(fingerprint_with(true, paths, 1) == fingerprint_of(paths, 1));
    free(text);
    remove(path);
    rmdir(folder);
}

static void test_fingerprint(void **state) {
    (void)state;
    char folder[] = "/tmp/sustain-hash-XXXXXX", a[64], b[64];
    assert_non_null(mkdtemp(folder));
    snprintf(a, sizeof a, "%s/a", folder);
    snprintf(b, sizeof b, "%s/b", folder);
    write_text(a, "1,2\n");
    write_text(b, "3,4\n");
    const uint64_t before = fingerprint_of((const char *const[]){a, b}, 2);
    assert_true(before == fingerprint_of((const char *const[]){a, b}, 2));
    assert_true(before != fingerprint_of((const char *const[]){b, a}, 2)); /* one of them has the training rows */
    assert_true(before != fingerprint_of((const char *const[]){a, b, b}, 3));
    write_text(b, "3,5\n");
    assert_true(before != fingerprint_of((const char *const[]){a, b}, 2));
    remove(a);
    remove(b);
    rmdir(folder);
}

static void test_memory_limit(void **state) {
    (void)state;
    sustain_context *context;
    void *one, *two, *three;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_context_set_memory_limit(context, 1000000);
    assert_int_equal(sustain__allocate(context, 600000, &one), SUSTAIN_OK);
    assert_int_equal(sustain__allocate(context, 600000, &two), SUSTAIN_MEMORY_LIMIT);
    assert_null(two);
    assert_non_null(strstr(sustain_error(context), "0.0006 GB more are needed"));
    sustain__free(context, one);
    assert_int_equal(sustain__allocate(context, 1000000, &three), SUSTAIN_OK); /* what was freed may be used again */
    assert_int_equal(sustain__allocate(context, SIZE_MAX, &two), SUSTAIN_MEMORY_LIMIT);
    sustain_context_set_memory_limit(context, 0);
    assert_int_equal(sustain__allocate(context, SIZE_MAX, &two), SUSTAIN_MEMORY);
    sustain__free(context, three);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),   cmocka_unit_test(test_bits),         cmocka_unit_test(test_fingerprint),
        cmocka_unit_test(test_trust_mtime), cmocka_unit_test(test_memory_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
