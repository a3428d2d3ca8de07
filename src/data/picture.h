/* picture.h - one picture: decoded from PNG or JPEG, cut and resized to what is wanted. */
#ifndef SUSTAIN_DATA_PICTURE_H
#define SUSTAIN_DATA_PICTURE_H

#include <sustain/pictures.h>

#include "core/context_internal.h"

/* A small file must not fill the machine. */
enum { SUSTAIN__MOST_PIXELS = 1 << 26 };

/* Bytes of a picture, wherever they lie: (row, column, channel) is at row * row_step + column * column_step + channel * channel_step. Steps may be negative. */
typedef struct sustain__raster {
    int64_t height, width, channels; /* channels: 1 or 3 */
    int64_t row_step, column_step, channel_step;
    double scale;          /* what a byte is multiplied by: 1, or 255 where pixels are booleans */
    const uint8_t *pixels; /* the first: within `owned`, if that is there */
    uint8_t *owned;        /* what a decoder allocated, to be freed by sustain__free(); else NULL */
} sustain__raster;

/* The raster of one channel after the other. */
sustain__raster sustain__raster_planar(const uint8_t *pixels, int64_t channels, int64_t height, int64_t width);

/* Memory for a picture with interleaved channels. Refused: more than SUSTAIN__MOST_PIXELS. */
sustain_status sustain__raster_allocate(sustain_context *context, const char *path, int64_t channels, int64_t height, int64_t width,
                                        sustain__raster *out);

bool sustain__is_png(const unsigned char *bytes, size_t length);
bool sustain__is_jpeg(const unsigned char *bytes, size_t length);

/* Decoders of all bytes of a file; `path` is for messages. On failure nothing is left to be freed.
 * PNG: grey, colour or palette of any depth; what is transparent is laid on white. JPEG: grey, YCbCr, RGB, CMYK, YCCK; also progressive;
 * turned upright where Exif says how. */
sustain_status sustain__decode_png(sustain_context *context, const char *path, const unsigned char *bytes, size_t length,
                                   sustain__raster *out);
sustain_status sustain__decode_jpeg(sustain_context *context, const char *path, const unsigned char *bytes, size_t length,
                                    sustain__raster *out);

/* Which way up a photograph is, by the segment of a JPEG file that begins with "Exif": 1 to 8 as TIFF has it, 1 for upright and for all that is damaged. */
bool sustain__is_exif(const unsigned char *segment, size_t length);
int sustain__exif_orientation(const unsigned char *segment, size_t length);

/* The picture turned upright, in place. */
void sustain__raster_turn(sustain__raster *raster, int orientation);

/* The same for either, told by its first bytes. */
sustain_status sustain__decode(sustain_context *context, const char *path, const unsigned char *bytes, size_t length, sustain__raster *out);

/* Cuts the largest part from the centre that has the shape of `out`, (channels, height, width), and resizes it: the mean of the area where
 * it shrinks, bilinear where it grows. Colours become grey by 0.299 R + 0.587 G + 0.114 B. */
sustain_status sustain__raster_fit(sustain_context *context, const sustain__raster *from, int64_t channels, int64_t height, int64_t width,
                                   uint8_t *out);

#endif
