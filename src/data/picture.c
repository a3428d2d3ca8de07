/* picture.c - reads a file with one picture: detects the format from the content, decodes, crops
 * and resizes. */
#include "data/picture.h"

#include "io/file.h"

sustain__raster sustain__raster_planar(const uint8_t *pixels, int64_t channels, int64_t height, int64_t width) {
    return (sustain__raster){.height = height,
                             .width = width,
                             .channels = channels,
                             .row_step = width,
                             .column_step = 1,
                             .channel_step = height * width,
                             .scale = 1,
                             .pixels = pixels};
}

sustain_status sustain__raster_allocate(sustain_context *context, const char *path, int64_t channels, int64_t height, int64_t width,
                                        sustain__raster *out) {
    *out = (sustain__raster){.height = height,
                             .width = width,
                             .channels = channels,
                             .row_step = width * channels,
                             .column_step = channels,
                             .channel_step = 1,
                             .scale = 1};
    if (height > SUSTAIN__MOST_PIXELS / width)
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: it has %lld x %lld pixels, more than the limit of %d million: shrink it", path,
                             (long long)width, (long long)height, SUSTAIN__MOST_PIXELS / 1000000);
    SUSTAIN_TRY(sustain__allocate(context, (size_t)(height * width * channels), &out->owned));
    out->pixels = out->owned;
    return SUSTAIN_OK;
}

sustain_status sustain__decode(sustain_context *context, const char *path, const unsigned char *bytes, size_t length,
                               sustain__raster *out) {
    if (sustain__is_png(bytes, length)) return sustain__decode_png(context, path, bytes, length, out);
    if (sustain__is_jpeg(bytes, length)) return sustain__decode_jpeg(context, path, bytes, length, out);
    return sustain__fail(context, SUSTAIN_FORMAT, "%s: it is %s: convert it, or remove it", path,
                         length == 0 ? "empty" : "neither a PNG nor a JPEG picture");
}

static sustain_status decode_and_fit(sustain_context *context, const char *path, const sustain__bytes *file, int64_t channels,
                                     int64_t height, int64_t width, uint8_t *pixels) {
    sustain__raster raster;
    SUSTAIN_TRY(sustain__decode(context, path, file->data, file->length, &raster));
    const sustain_status status = sustain__raster_fit(context, &raster, channels, height, width, pixels);
    sustain__free(context, raster.owned);
    return status;
}

sustain_status sustain_picture_read(sustain_context *context, const char *path, int64_t channels, int64_t height, int64_t width,
                                    uint8_t *pixels) {
    SUSTAIN_TRY(sustain__need(context, path, "path"));
    SUSTAIN_TRY(sustain__need(context, pixels, "pixels"));
    sustain__bytes file;
    SUSTAIN_TRY(sustain__bytes_read(context, path, &file));
    const sustain_status status = decode_and_fit(context, path, &file, channels, height, width, pixels);
    sustain__bytes_free(context, &file);
    return status;
}
