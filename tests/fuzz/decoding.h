/* decoding.h - what the fuzz targets of pictures share: any bytes are refused with a sentence that
 * begins with the file's name, or make a picture all of which can be read, also shrunk and
 * grown. */
#ifndef DECODING_H
#define DECODING_H

#include "data/picture.h"
#include "parsing.h"

typedef sustain_status decoder(sustain_context *context, const char *path, const unsigned char *bytes, size_t length, sustain__raster *out);

static inline void decode_with(bool (*is)(const unsigned char *bytes, size_t length), decoder *decode, const uint8_t *data, size_t size) {
    sustain_context *context;
    sustain__raster raster = {.owned = NULL};
    uint8_t out[3 * 8 * 5];
    if (!is(data, size) || sustain_context_create_with(small_allocator, NULL, &context) != SUSTAIN_OK) return;
    const sustain_status status = decode(context, "input", data, size, &raster);
    require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_MEMORY);
    require((status == SUSTAIN_OK) == (raster.owned != NULL));
    if (status == SUSTAIN_FORMAT) require(strncmp(sustain_error(context), "input: ", 7) == 0);
    if (status == SUSTAIN_OK) {
        require(raster.height > 0 && raster.width > 0 && (raster.channels == 1 || raster.channels == 3));
        require(sustain__raster_fit(context, &raster, 3, 8, 5, out) == SUSTAIN_OK);
        require(sustain__raster_fit(context, &raster, 1, 1, 1, out) == SUSTAIN_OK);
        sustain__free(context, raster.owned);
    }
    sustain_context_destroy(context);
}

#endif
