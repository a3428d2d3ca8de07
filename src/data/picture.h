/* picture.h - one picture: decoded from PNG or JPEG, cropped and resized. */
#ifndef SUSTAIN_DATA_PICTURE_H
#define SUSTAIN_DATA_PICTURE_H

#include <sustain/pictures.h>

#include "core/context_internal.h"

/* A limit, so that a small file cannot exhaust the memory. */
enum { SUSTAIN__MOST_PIXELS = 1 << 26 };

/* A view of the bytes of a picture: (row, column, channel) is at row * row_step + column *
 * column_step + channel * channel_step. Steps may be negative. */
typedef struct sustain__raster {
    int64_t height, width, channels; /* channels: 1 or 3 */
    int64_t row_step, column_step, channel_step;
    double scale;          /* what a byte is multiplied by: 1, or 255 where pixels are booleans */
    const uint8_t *pixels; /* the first pixel; inside `owned` if that is not NULL */
    uint8_t *owned;        /* allocated by a decoder, freed with sustain__free(); or NULL */
} sustain__raster;

/* A raster with planar channels. */
sustain__raster sustain__raster_planar(const uint8_t *pixels, int64_t channels, int64_t height, int64_t width);

/* Allocates a picture with interleaved channels. Refused: more than SUSTAIN__MOST_PIXELS. */
sustain_status sustain__raster_allocate(sustain_context *context, const char *path, int64_t channels, int64_t height, int64_t width,
                                        sustain__raster *out);

bool sustain__is_png(const unsigned char *bytes, size_t length);
bool sustain__is_jpeg(const unsigned char *bytes, size_t length);

/* Decoders of all bytes of a file; `path` is for messages. On failure there is nothing to free.
 * PNG: grey, colour or palette of any depth; transparent pixels are composed onto white. JPEG:
 * grey, YCbCr, RGB, CMYK, YCCK; also progressive; rotated according to Exif. */
sustain_status sustain__decode_png(sustain_context *context, const char *path, const unsigned char *bytes, size_t length,
                                   sustain__raster *out);
sustain_status sustain__decode_jpeg(sustain_context *context, const char *path, const unsigned char *bytes, size_t length,
                                    sustain__raster *out);

/* The orientation of a photograph from the "Exif" segment of a JPEG file: 1 to 8 as in TIFF; 1,
 * upright, also if the segment is damaged. */
bool sustain__is_exif(const unsigned char *segment, size_t length);
int sustain__exif_orientation(const unsigned char *segment, size_t length);

/* Rotates the picture upright, in place. */
void sustain__raster_turn(sustain__raster *raster, int orientation);

/* Decodes either format, detected from the first bytes. */
sustain_status sustain__decode(sustain_context *context, const char *path, const unsigned char *bytes, size_t length, sustain__raster *out);

/* Crops the largest centred part with the aspect ratio of `out`, (channels, height, width), and
 * resizes it: area mean when shrinking, bilinear when growing. Grey from colours: 0.299 R +
 * 0.587 G + 0.114 B. */
sustain_status sustain__raster_fit(sustain_context *context, const sustain__raster *from, int64_t channels, int64_t height, int64_t width,
                                   uint8_t *out);

#endif
