/* test_picture.c - one picture: decoded, refused, cut and resized, written.
 * tests/golden/pictures.py made the files and what is in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/picture.h"
#include "io/file.h"
#include "reading.h"

/* ---- known files ---- */

static void golden_path(char path[256], const char *name, const char *ending) {
    snprintf(path, 256, "tests/golden/pictures/%s%s", name, ending);
}

static sustain__bytes golden(const char *name, const char *ending) {
    char path[256];
    sustain__bytes bytes;
    golden_path(path, name, ending);
    assert_int_equal(sustain__bytes_read(reading_context, path, &bytes), SUSTAIN_OK);
    return bytes;
}

static const struct {
    const char *name, *ending;
    int64_t channels, height, width;
    int tolerance;
} files[] = {
    {"grey1", ".png", 1, 11, 13, 0},
    {"grey2", ".png", 1, 11, 13, 0},
    {"grey4", ".png", 1, 11, 13, 0},
    {"grey8", ".png", 1, 11, 13, 0},
    {"grey16", ".png", 1, 11, 13, 0},
    {"colour8", ".png", 3, 11, 13, 0},
    {"colour16", ".png", 3, 11, 13, 0},
    {"palette4", ".png", 3, 11, 13, 0},
    {"palette_clear", ".png", 3, 11, 13, 0},
    {"interlaced", ".png", 3, 11, 13, 0},
    /* libpng has the curve of light in a table, hence 3 */ {"colour_alpha", ".png", 3, 11, 13, 3},
    {"grey_alpha", ".png", 1, 11, 13, 3},
    {"grey_jpeg", ".jpg", 1, 14, 21, 1},
    {"grey_progressive", ".jpg", 1, 14, 21, 1},
    {"colour_jpeg", ".jpg", 3, 14, 21, 2},
    {"colour_progressive", ".jpg", 3, 14, 21, 2},
    {"adobe_rgb", ".jpg", 3, 14, 21, 1},
    {"adobe_cmyk", ".jpg", 3, 14, 21, 2},
    {"plain_cmyk", ".jpg", 3, 14, 21, 2},
    {"adobe_ycck", ".jpg", 3, 14, 21, 2},
    {"subsampled", ".jpg", 3, 16, 15, 2},
};
enum { FILES = sizeof files / sizeof files[0] };

static void decoded(void **state) {
    (void)state;
    for (int i = 0; i < FILES; i++) {
        const int64_t size = files[i].channels * files[i].height * files[i].width;
        char path[256];
        uint8_t pixels[1024];
        sustain__raster raster;
        sustain__bytes file = golden(files[i].name, files[i].ending), known = golden(files[i].name, ".bytes");
        assert_int_equal(sustain__decode(reading_context, "file", file.data, file.length, &raster), SUSTAIN_OK);
        assert_true(raster.channels == files[i].channels && raster.height == files[i].height && raster.width == files[i].width);
        sustain__free(reading_context, raster.owned);
        assert_int_equal(known.length, size);
        golden_path(path, files[i].name, files[i].ending);
        assert_int_equal(sustain_picture_read(reading_context, path, files[i].channels, files[i].height, files[i].width, pixels),
                         SUSTAIN_OK);
        for (int64_t k = 0; k < size; k++)
            if (abs(pixels[k] - known.data[k]) > files[i].tolerance)
                fail_msg("%s: byte %d is %d, not %d", files[i].name, (int)k, pixels[k], known.data[k]);
        sustain__bytes_free(reading_context, &file);
        sustain__bytes_free(reading_context, &known);
    }
}

/* ---- turned by Exif ---- */

enum { EXIF_SIZE = 44 }; /* of the segment below, with its marker */

/* A segment with a directory of two entries, the second of which is the orientation. */
static void exif(bool big, int orientation, unsigned char to[EXIF_SIZE]) {
    static const unsigned char little[EXIF_SIZE] = "\xff\xe1\0\x2a"
                                                   "Exif\0\0II*\0\x08\0\0\0"
                                                   "\x02\0"
                                                   "\x00\x01\x04\0\x01\0\0\0\x15\0\0\0"
                                                   "\x12\x01\x03\0\x01\0\0\0\x06\0\0";
    static const unsigned char large[EXIF_SIZE] = "\xff\xe1\0\x2a"
                                                  "Exif\0\0MM\0*\0\0\0\x08"
                                                  "\0\x02"
                                                  "\x01\0\0\x04\0\0\0\x01\0\0\0\x15"
                                                  "\x01\x12\0\x03\0\0\0\x01\0\x06\0";
    memcpy(to, big ? large : little, EXIF_SIZE);
    to[big ? 41 : 40] = (unsigned char)orientation;
}

/* colour_jpeg.jpg with segments after its first two bytes, as the pixels of a picture of this
 * size. */
static void read_with(const unsigned char *segments, size_t size, int64_t height, int64_t width, uint8_t *pixels) {
    sustain__bytes file = golden("colour_jpeg", ".jpg");
    unsigned char *with = malloc(file.length + size);
    memcpy(with, file.data, 2);
    memcpy(with + 2, segments, size);
    memcpy(with + 2 + size, file.data + 2, file.length - 2);
    const char *path = reading_file("turned.jpg", with, file.length + size);
    assert_int_equal(sustain_picture_read(reading_context, path, 3, height, width, pixels), SUSTAIN_OK);
    free(with);
    sustain__bytes_free(reading_context, &file);
}

enum { STORED_HEIGHT = 14, STORED_WIDTH = 21, PLANE = STORED_HEIGHT * STORED_WIDTH };

/* The upright picture pixel by pixel, from which corner of the stored one and in which direction as
 * TIFF 6.0 has it; with another segment of the same marker before. */
static void turned(void **state) {
    (void)state;
    static const unsigned char other[] = "\xff\xe1\0\x07http:";
    uint8_t stored[3 * PLANE], upright[3 * PLANE];
    unsigned char segments[sizeof other - 1 + EXIF_SIZE];
    memcpy(segments, other, sizeof other - 1);
    read_with(segments, 0, STORED_HEIGHT, STORED_WIDTH, stored);
    for (int orientation = 0; orientation <= 9; orientation++)
        for (int big = 0; big < 2; big++) {
            const bool lying = orientation >= 5 && orientation <= 8;
            const int height = lying ? STORED_WIDTH : STORED_HEIGHT, width = lying ? STORED_HEIGHT : STORED_WIDTH;
            exif(big, orientation, segments + sizeof other - 1);
            read_with(segments, sizeof segments, height, width, upright);
            for (int c = 0; c < 3; c++)
                for (int i = 0; i < PLANE; i++) {
                    const int y = i / width, x = i % width, last_y = height - 1 - y, last_x = width - 1 - x;
                    const int row[] = {y, y, y, last_y, last_y, x, last_x, last_x, x, y};
                    const int column[] = {x, x, last_x, last_x, x, y, y, last_y, last_y, x};
                    const uint8_t expected = stored[c * PLANE + row[orientation] * STORED_WIDTH + column[orientation]];
                    if (upright[c * PLANE + i] != expected) fail_msg("orientation %d: (%d, %d) of channel %d", orientation, y, x, c);
                }
        }
}

/* Cut off anywhere, with a place or a count beyond the end, of another type or of no known byte
 * order: as if there were none. */
static void not_turned(void **state) {
    (void)state;
    for (int big = 0; big < 2; big++) {
        unsigned char whole[EXIF_SIZE];
        exif(big, 6, whole);
        assert_int_equal(sustain__exif_orientation(whole + 4, EXIF_SIZE - 4), 6);
        for (size_t length = 0; length < EXIF_SIZE - 4; length++) { /* a block of its own, so that a sanitizer sees what is read beyond */
            unsigned char *part = malloc(length + 1);
            memcpy(part + 1, whole + 4, length);
            assert_int_equal(sustain__exif_orientation(part + 1, length), 1);
            free(part);
        }
        static const int places[] = {4, 10, 12, 14, 17, 32, 34}; /* name, byte order, 42, place of the directory, tag, type */
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            exif(big, 6, whole);
            whole[places[i]] ^= 0xff;
            assert_int_equal(sustain__exif_orientation(whole + 4, EXIF_SIZE - 4), 1);
        }
        exif(big, 6, whole);
        whole[18] = whole[19] = 0xff; /* more entries than there are: those that are there are read */
        assert_int_equal(sustain__exif_orientation(whole + 4, EXIF_SIZE - 4), 6);
    }
}

/* ---- refused ---- */

static void refuses(const void *bytes, size_t length, const char *words) {
    sustain__raster raster = {.owned = NULL};
    assert_int_equal(sustain__decode(reading_context, "file", bytes, length, &raster), SUSTAIN_FORMAT);
    assert_null(raster.owned);
    if (strncmp(sustain_error(reading_context), "file: ", 6) != 0 || strstr(sustain_error(reading_context), words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", sustain_error(reading_context), words);
}

static void cut_off(void **state) {
    (void)state;
    for (int i = 0; i < FILES; i++) {
        sustain__bytes file = golden(files[i].name, files[i].ending);
        for (size_t length = 8; length < file.length; length++) { /* a block of its own, so that a sanitizer sees what is read beyond */
            unsigned char *part = malloc(length);
            memcpy(part, file.data, length);
            refuses(part, length,
                    strcmp(files[i].ending, ".png") == 0 ? "the PNG picture is cut off" : "the JPEG picture is cut off or damaged (");
            free(part);
        }
        sustain__bytes_free(reading_context, &file);
    }
}

/* One byte changed: refused, or decoded to something; never a crash. A PNG file has checksums. */
static void damaged(void **state) {
    (void)state;
    for (int i = 0; i < FILES; i++) {
        sustain__bytes file = golden(files[i].name, files[i].ending);
        for (size_t at = 8; at < file.length; at++) {
            unsigned char *copy = malloc(file.length);
            sustain__raster raster = {.owned = NULL};
            memcpy(copy, file.data, file.length);
            copy[at] ^= 0x10;
            const sustain_status status = sustain__decode(reading_context, "file", copy, file.length, &raster);
            if (strstr(files[i].name, "colour8") != NULL && at >= file.length - 12 - 200 && at < file.length - 12)
                assert_int_equal(status, SUSTAIN_FORMAT); /* in the pixels or their checksum */
            sustain__free(reading_context, raster.owned);
            free(copy);
        }
        sustain__bytes_free(reading_context, &file);
    }
}

static void not_pictures(void **state) {
    (void)state;
    uint8_t pixel;
    refuses("", 0, "it is empty");
    refuses("GIF89a", 6, "it is neither a PNG nor a JPEG picture: convert it, or remove it");
    assert_int_equal(sustain_picture_read(reading_context, "no such file", 1, 1, 1, &pixel), SUSTAIN_IO);
}

/* Sizes that the file cannot hold, or that are too large: the header of a good file changed. */
static void too_large(void **state) {
    (void)state;
    sustain__bytes file = golden("grey_jpeg", ".jpg");
    unsigned char copy[1024];
    memcpy(copy, file.data, file.length);
    for (size_t at = 0; at + 9 < file.length; at++)
        if (copy[at] == 0xff && copy[at + 1] == 0xc0) memset(copy + at + 5, 0xf0, 4);
    refuses(copy, file.length, "it has 61680 x 61680 pixels, more than the limit of 67 million: shrink it");
    sustain__bytes_free(reading_context, &file);
    static const unsigned char png[] = "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\xff\xff\0\0\xff\xff\x08\0\0\0\0\x93\x6e\x86\x8c"
                                       "\0\0\0\0IDAT\x35\xaf\x06\x1e\0\0\0\0IEND\xae\x42\x60\x82";
    refuses(png, sizeof png - 1, "it claims 65535 x 65535 pixels, more than 57 bytes can hold");
}

/* ---- fitted ---- */

static void fit(const uint8_t *from, int64_t channels, int64_t height, int64_t width, int64_t to_channels, int64_t to_height,
                int64_t to_width, uint8_t *to) {
    const sustain__raster raster = sustain__raster_planar(from, channels, height, width);
    assert_int_equal(sustain__raster_fit(reading_context, &raster, to_channels, to_height, to_width, to), SUSTAIN_OK);
}

static void exact_cases(void **state) {
    (void)state;
    uint8_t out[64];
    static const uint8_t four[16] = {0, 10, 100, 100, 20, 31, 100, 101, 1, 1, 7, 9, 1, 1, 7, 9};
    fit(four, 1, 4, 4, 1, 2, 2, out);
    assert_memory_equal(out, ((const uint8_t[]){15, 100, 1, 8}), 4); /* 15.25, 100.25, 1, 8 */
    fit(four, 1, 4, 4, 3, 4, 4, out);                                /* grey as colour */
    for (int c = 0; c < 3; c++) assert_memory_equal(out + 16 * c, four, 16);
    fit(four, 1, 2, 8, 1, 2, 4, out); /* cut from the centre: columns 2 to 5 */
    assert_memory_equal(out, ((const uint8_t[]){100, 100, 20, 31, 7, 9, 1, 1}), 8);
    fit(four, 1, 4, 4, 1, 4, 3, out); /* half a pixel would be cut at either side: the left one stays */
    assert_memory_equal(out, ((const uint8_t[]){0, 10, 100, 20, 31, 100}), 6);
    static const uint8_t steps[4] = {0, 100, 0, 100};
    fit(steps, 1, 2, 2, 1, 4, 4, out); /* centres a quarter and three quarters of the way */
    for (int r = 0; r < 4; r++) assert_memory_equal(out + 4 * r, ((const uint8_t[]){0, 25, 75, 100}), 4);
    static const uint8_t colours[6] = {100, 255, 200, 255, 50, 255};
    fit(colours, 3, 1, 2, 1, 1, 2, out);
    assert_memory_equal(out, ((const uint8_t[]){153, 255}), 2); /* 0.299 * 100 + 0.587 * 200 + 0.114 * 50 = 153 */
}

/* 105 pixels to 28: 15/4 of a pixel each. On a grid of quarters all areas are whole. */
static void area(void **state) {
    (void)state;
    enum { FROM = 105, TO = 28, PARTS = 4, STEP = 15 };
    static uint8_t from[FROM * FROM], to[TO * TO];
    for (int i = 0; i < FROM * FROM; i++) from[i] = (uint8_t)(i * 7919 % 251);
    fit(from, 1, FROM, FROM, 1, TO, TO, to);
    for (int r = 0; r < TO; r++)
        for (int c = 0; c < TO; c++) {
            int sum = 0;
            for (int y = r * STEP; y < (r + 1) * STEP; y++)
                for (int x = c * STEP; x < (c + 1) * STEP; x++) sum += from[y / PARTS * FROM + x / PARTS];
            assert_int_equal(to[r * TO + c], (2 * sum + STEP * STEP) / (2 * STEP * STEP));
        }
}

/* A constant stays what it is, whatever the sizes; so weights add up to 1, and none lies
 * outside. */
static void constant(void **state) {
    (void)state;
    uint8_t *from = malloc(97 * 89), to[50 * 50];
    memset(from, 255, 97 * 89);
    for (int64_t h = 1; h < 98; h += 3)
        for (int64_t w = 1; w < 90; w += 4)
            for (int64_t side = 1; side < 50; side += 5) {
                fit(from, 1, h, w, 1, side, side + 1, to);
                for (int64_t i = 0; i < side * (side + 1); i++) assert_int_equal(to[i], 255);
            }
    free(from);
}

/* ---- written ---- */

static void written(void **state) {
    (void)state;
    uint8_t pixels[3 * 5 * 7], back[3 * 5 * 7], *png;
    size_t size;
    for (int i = 0; i < 105; i++) pixels[i] = (uint8_t)(i * 37);
    for (int channels = 1; channels <= 3; channels += 2)
        for (int interleaved = 0; interleaved < 2; interleaved++) {
            const sustain_picture shape = {5, 7, channels, interleaved == 1};
            assert_int_equal(sustain_png_encode(reading_context, pixels, shape, &png, &size), SUSTAIN_OK);
            const char *path = reading_file("written.png", png, size);
            sustain_png_free(reading_context, png);
            assert_int_equal(sustain_picture_read(reading_context, path, channels, 5, 7, back), SUSTAIN_OK);
            for (int c = 0; c < channels; c++)
                for (int i = 0; i < 35; i++)
                    assert_int_equal(back[c * 35 + i], interleaved == 1 ? pixels[i * channels + c] : pixels[c * 35 + i]);
        }
    assert_int_equal(sustain_png_encode(reading_context, pixels, (sustain_picture){5, 7, 2, true}, &png, &size), SUSTAIN_ARGUMENT);
    assert_null(png);
}

static void lack_of_memory(void **state) {
    (void)state;
    uint8_t pixels[3 * 8 * 8];
    for (int i = 0; i < 2; i++) {
        sustain_status status = SUSTAIN_MEMORY;
        int64_t n = 1;
        for (; status == SUSTAIN_MEMORY; n++) {
            const int64_t live = reading_memory.live;
            reading_memory.calls = 0;
            reading_memory.fail_at = n;
            status = sustain_picture_read(
                reading_context, i == 0 ? "tests/golden/pictures/colour8.png" : "tests/golden/pictures/colour_jpeg.jpg", 3, 8, 8, pixels);
            reading_memory.fail_at = 0;
            assert_int_equal(reading_memory.live, live);
        }
        assert_int_equal(status, SUSTAIN_OK);
        assert_true(n > 5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoded), cmocka_unit_test(turned),       cmocka_unit_test(not_turned), cmocka_unit_test(cut_off),
        cmocka_unit_test(damaged), cmocka_unit_test(not_pictures), cmocka_unit_test(too_large),  cmocka_unit_test(exact_cases),
        cmocka_unit_test(area),    cmocka_unit_test(constant),     cmocka_unit_test(written),    cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, reading_setup, reading_teardown);
}
