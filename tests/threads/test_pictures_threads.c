/* test_pictures_threads.c - pictures decoded by 1, 2, 3 and 8 threads: the same bytes, and the same
 * sentence about the first bad file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/pictures.h>

#include "reading.h"

enum { CLASSES = 3, EACH = 60, SIDE = 12, PIXELS = 7 * 7 * 3 };
static const int threads[] = {1, 2, 3, 8};
static const sustain_picture_options options = {.channels = 3, .height = 7, .width = 7};

static void write_pictures(void) {
    for (int i = 0; i < CLASSES * EACH; i++) {
        uint8_t pixels[SIDE * SIDE], *png;
        char name[64];
        size_t size;
        for (int k = 0; k < SIDE * SIDE; k++) pixels[k] = (uint8_t)(i * k + i);
        assert_int_equal(sustain_png_encode(reading_context, pixels, (sustain_picture){SIDE, SIDE, 1, false}, &png, &size), SUSTAIN_OK);
        snprintf(name, sizeof name, "set/class%d/%03d.png", i / EACH, i % EACH);
        reading_file(name, png, size);
        sustain_png_free(reading_context, png);
    }
}

static sustain_status read_with(int count, sustain_pictures **set) {
    char path[512];
    snprintf(path, sizeof path, "%s/set", reading_folder());
    assert_int_equal(sustain_context_set_threads(reading_context, count), SUSTAIN_OK);
    return sustain_pictures_folder(reading_context, path, SUSTAIN_SPLIT_ALL, &options, set);
}

static void same_bytes(void **state) {
    (void)state;
    sustain_pictures *first, *set;
    write_pictures();
    assert_int_equal(read_with(1, &first), SUSTAIN_OK);
    for (int i = 1; i < 4; i++) {
        assert_int_equal(read_with(threads[i], &set), SUSTAIN_OK);
        assert_int_equal(set->count, CLASSES * EACH);
        assert_memory_equal(set->pixels, first->pixels, CLASSES * EACH * PIXELS);
        sustain_pictures_destroy(set);
    }
    sustain_pictures_destroy(first);
}

static void same_sentence(void **state) {
    (void)state;
    sustain_pictures *set;
    reading_file("set/class2/050.png", "bad", 3);
    reading_file("set/class1/050.png", "bad", 3);
    reading_file("set/class2/000.png", "bad", 3);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(read_with(threads[i], &set), SUSTAIN_FORMAT);
        assert_non_null(strstr(sustain_error(reading_context), "set/class1/050.png: it is neither"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bytes), cmocka_unit_test(same_sentence)};
    return cmocka_run_group_tests(tests, reading_setup, reading_teardown);
}
