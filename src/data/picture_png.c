/* picture_png.c - PNG, in and out, by the simplified interface of libpng: it handles all pixel
 * formats and reports errors without longjmp.
 *
 * Samples are used as stored unless the file specifies a gamma; most do not. */
#include "data/picture.h"

#include <png.h>
#include <string.h>

#include "data/unpack.h"

static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
enum { CHUNK_OVERHEAD = 12 }; /* its length, name and checksum */

bool sustain__is_png(const unsigned char *bytes, size_t length) {
    return length >= sizeof signature && memcmp(bytes, signature, sizeof signature) == 0;
}

/* Whether all chunks up to the last are present: libpng does not check what follows the pixels. */
static bool is_whole(const unsigned char *bytes, size_t length) {
    for (size_t at = sizeof signature; length - at >= CHUNK_OVERHEAD;) {
        const unsigned char *chunk = bytes + at;
        const size_t size = (size_t)chunk[0] << 24 | (size_t)chunk[1] << 16 | (size_t)chunk[2] << 8 | chunk[3];
        if (size > length - at - CHUNK_OVERHEAD) return false;
        if (memcmp(chunk + 4, "IEND", 4) == 0) return true;
        at += CHUNK_OVERHEAD + size;
    }
    return false;
}

static sustain_status damaged(sustain_context *context, const char *path, const png_image *image) {
    return sustain__fail(context, SUSTAIN_FORMAT, "%s: the PNG picture is damaged (%s): copy it again, or remove it", path, image->message);
}

static sustain_status read_pixels(sustain_context *context, const char *path, png_image *image, size_t length, sustain__raster *out) {
    static const png_color white = {255, 255, 255};
    const bool coloured = (image->format & PNG_FORMAT_FLAG_COLOR) != 0;
    image->format = coloured ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    image->flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    /* A pixel has one bit at least. */
    if ((uint64_t)image->height * image->width / 8 / SUSTAIN__DEFLATE_RATIO > length)
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: it claims %u x %u pixels, more than %zu bytes can hold", path,
                             (unsigned)image->width, (unsigned)image->height, length);
    SUSTAIN_TRY(sustain__raster_allocate(context, path, coloured ? 3 : 1, image->height, image->width, out));
    if (png_image_finish_read(image, &white, out->owned, (png_int_32)out->row_step, NULL) != 0) return SUSTAIN_OK;
    sustain__free(context, out->owned);
    out->owned = NULL;
    return damaged(context, path, image);
}

sustain_status sustain__decode_png(sustain_context *context, const char *path, const unsigned char *bytes, size_t length,
                                   sustain__raster *out) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!is_whole(bytes, length))
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: the PNG picture is cut off: copy it again, or remove it", path);
    if (png_image_begin_read_from_memory(&image, bytes, length) == 0) return damaged(context, path, &image);
    const sustain_status status = read_pixels(context, path, &image, length, out);
    png_image_free(&image);
    return status;
}

/* ---- writing ---- */

static sustain_status write_interleaved(sustain_context *context, png_image *image, const uint8_t *pixels, uint8_t **out, size_t *size) {
    png_alloc_size_t room = PNG_IMAGE_PNG_SIZE_MAX(*image); /* more than any content needs */
    uint8_t *png;
    SUSTAIN_TRY(sustain__allocate(context, room, &png));
    if (png_image_write_to_memory(image, png, &room, 0, pixels, 0, NULL) == 0) {
        sustain__free(context, png);
        return sustain__fail(context, SUSTAIN_MEMORY, "a PNG picture could not be written: %s", image->message);
    }
    *out = png;
    *size = room;
    return SUSTAIN_OK;
}

static sustain_status write_planar(sustain_context *context, png_image *image, const uint8_t *pixels, int64_t channels, uint8_t **out,
                                   size_t *size) {
    uint8_t *interleaved;
    const int64_t plane = (int64_t)image->height * image->width;
    SUSTAIN_TRY(sustain__allocate(context, (size_t)(plane * channels), &interleaved));
    for (int64_t c = 0; c < channels; c++)
        for (int64_t i = 0; i < plane; i++) interleaved[i * channels + c] = pixels[c * plane + i];
    const sustain_status status = write_interleaved(context, image, interleaved, out, size);
    sustain__free(context, interleaved);
    return status;
}

sustain_status sustain_png_encode(sustain_context *context, const uint8_t *pixels, sustain_picture shape, uint8_t **out, size_t *size) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    SUSTAIN_TRY(sustain__need(context, size, "size"));
    *size = 0;
    SUSTAIN_TRY(sustain__need(context, pixels, "pixels"));
    if (shape.height < 1 || shape.width < 1 || shape.height > SUSTAIN__MOST_PIXELS / shape.width ||
        (shape.channels != 1 && shape.channels != 3))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "a picture of %lld x %lld pixels and %lld channels cannot be written as PNG",
                             (long long)shape.width, (long long)shape.height, (long long)shape.channels);
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)shape.width,
                       .height = (png_uint_32)shape.height,
                       .format = shape.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY};
    if (shape.interleaved || shape.channels == 1) return write_interleaved(context, &image, pixels, out, size);
    return write_planar(context, &image, pixels, shape.channels, out, size);
}

void sustain_png_free(sustain_context *context, uint8_t *png) {
    if (context == NULL) return;
    sustain__free(context, png);
}
