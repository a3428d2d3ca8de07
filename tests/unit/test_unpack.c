/* test_unpack.c - compressed files: read as what they hold; cut, damaged, and larger than they may
 * be: refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bzlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "reading.h"

typedef struct packed {
    uint8_t *bytes;
    size_t length;
} packed;

static packed gzip(const void *content, size_t length) {
    z_stream z = {.next_in = (Bytef *)(uintptr_t)content, .avail_in = (uInt)length};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    packed out = {malloc(length + 1000), 0};
    z.next_out = out.bytes;
    z.avail_out = (uInt)length + 1000;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.length = z.total_out;
    deflateEnd(&z);
    return out;
}

static packed bzip2(const void *content, size_t length) {
    unsigned size = (unsigned)length + 1000;
    packed out = {malloc(size), 0};
    assert_int_equal(BZ2_bzBuffToBuffCompress((char *)out.bytes, &size, (char *)(uintptr_t)content, (unsigned)length, 9, 0, 0), BZ_OK);
    out.length = size;
    return out;
}

static sustain_dataset *read_packed(const packed *p, bool labels) {
    return reading_bytes("packed", p->bytes, p->length, NULL, labels);
}

static void both_packers(void **state) {
    (void)state;
    static const char text[] = "1 1:2 3:4\n-1 2:1\n";
    packed files[] = {gzip(text, sizeof text - 1), bzip2(text, sizeof text - 1)};
    for (int i = 0; i < 2; i++) {
        sustain_dataset *set = read_packed(&files[i], false);
        assert_non_null(set);
        assert_int_equal(set->rows.count, 2);
        assert_int_equal(set->rows.dim, 3);
        sustain_dataset_destroy(set);
        for (size_t cut = 10; cut < files[i].length; cut++) {
            const packed part = {files[i].bytes, cut};
            assert_null(read_packed(&part, false));
            assert_non_null(strstr(sustain_error(reading_context), "the compressed data is cut off after"));
        }
        files[i].bytes[files[i].length - 6] ^= 1; /* in the checksum, or near it */
        assert_null(read_packed(&files[i], false));
        free(files[i].bytes);
    }
}

/* Several streams, one after the other, are one content; zeros at the end are padding. */
static void several_streams(void **state) {
    (void)state;
    packed one = gzip("1,2\n", 4), two = gzip("3,4\n", 4);
    const size_t length = one.length + two.length + 10;
    packed all = {calloc(1, length), length};
    memcpy(all.bytes, one.bytes, one.length);
    memcpy(all.bytes + one.length, two.bytes, two.length);
    sustain_dataset *set = read_packed(&all, false);
    assert_non_null(set);
    assert_int_equal(set->rows.count, 2);
    sustain_dataset_destroy(set);
    all.bytes[length - 1] = 'x';
    assert_null(read_packed(&all, false));
    free(one.bytes), free(two.bytes), free(all.bytes);
}

/* An IDX file in gzip: as long as its header says, or refused. */
static void headers_set_the_limit(void **state) {
    (void)state;
    enum { PIXELS = 10000 };
    static uint8_t idx[12 + PIXELS + 1] = {0, 0, 8, 2, 0, 0, PIXELS / 100 / 256, PIXELS / 100 % 256, 0, 0, 0, 100};
    packed right = gzip(idx, 12 + PIXELS), longer = gzip(idx, 12 + PIXELS + 1), shorter = gzip(idx, 12 + PIXELS - 1);
    sustain_dataset *set = read_packed(&right, false);
    assert_non_null(set);
    assert_int_equal(set->rows.count, PIXELS / 100);
    sustain_dataset_destroy(set);
    assert_null(read_packed(&longer, false));
    assert_non_null(strstr(sustain_error(reading_context), "its header is wrong, more than 10012 bytes come out of it"));
    assert_null(read_packed(&shorter, false));
    assert_non_null(strstr(sustain_error(reading_context), "cut off"));
    idx[4] = 255; /* 4 billion rows in a few bytes */
    packed bomb = gzip(idx, 12 + PIXELS), bomb2 = bzip2(idx, 12 + PIXELS);
    assert_null(read_packed(&bomb, false));
    assert_non_null(strstr(sustain_error(reading_context), "its header claims 427819018012 bytes, more than"));
    assert_null(read_packed(&bomb2, false));
    free(right.bytes), free(longer.bytes), free(shorter.bytes), free(bomb.bytes), free(bomb2.bytes);
}

/* Text has no header: more than 64 MB and 200 times the packed bytes is too much. */
static void text_has_a_limit(void **state) {
    (void)state;
    const size_t length = (size_t)66 << 20;
    char *text = malloc(length);
    memset(text, '\n', length);
    memcpy(text, "1,2\n", 4);
    packed p = gzip(text, length);
    assert_null(read_packed(&p, false));
    assert_non_null(
        strstr(sustain_error(reading_context), "its compression ratio is implausible, more than 67108864 bytes come out of it"));
    free(text), free(p.bytes);
}

static void every_allocation_fails(void **state) {
    (void)state;
    static const char text[] = "1 1:2 3:4\n-1 2:1\n";
    packed p = bzip2(text, sizeof text - 1);
    survives_lack_of_memory(reading_file("packed", p.bytes, p.length), NULL);
    free(p.bytes);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, reading_setup, reading_teardown)
    const struct CMUnitTest tests[] = {TEST(both_packers), TEST(several_streams), TEST(headers_set_the_limit), TEST(text_has_a_limit),
                                       TEST(every_allocation_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
