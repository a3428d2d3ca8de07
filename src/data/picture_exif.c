/* picture_exif.c - the orientation of a photograph. Cameras store pixels in sensor order and
 * record the rotation in an Exif tag.
 *
 * Exif (CIPA DC-008) is a TIFF file in a segment of the JPEG file: byte order "II" or "MM", 42,
 * the offset of a directory, which has a count and entries of twelve bytes: tag, type, count of
 * values, value. Anything out of bounds or unknown means upright: a damaged tag does not refuse
 * a picture. */
#include "data/picture.h"

#include <string.h>

enum { HEADER = 8, ENTRY = 12, TAG_ORIENTATION = 0x0112, TYPE_SHORT = 3, UPRIGHT = 1, LAST_ORIENTATION = 8 };

static const unsigned char mark[6] = {'E', 'x', 'i', 'f', 0, 0};

/* A number of `size` bytes. */
static size_t number(const unsigned char *at, int size, bool big) {
    size_t value = 0;
    for (int i = 0; i < size; i++) value = value << 8 | at[big ? i : size - 1 - i];
    return value;
}

bool sustain__is_exif(const unsigned char *segment, size_t length) {
    return length >= sizeof mark && memcmp(segment, mark, sizeof mark) == 0;
}

int sustain__exif_orientation(const unsigned char *segment, size_t length) {
    const unsigned char *tiff = segment + sizeof mark;
    if (!sustain__is_exif(segment, length) || length - sizeof mark < HEADER) return UPRIGHT;
    length -= sizeof mark;
    const bool big = tiff[0] == 'M';
    const size_t directory = number(tiff + 4, 4, big);
    if (memcmp(tiff, big ? "MM\0*" : "II*\0", 4) != 0 || directory > length - 2) return UPRIGHT;
    const size_t claimed = number(tiff + directory, 2, big), room = (length - directory - 2) / ENTRY;
    for (size_t i = 0; i < claimed && i < room; i++) {
        const unsigned char *entry = tiff + directory + 2 + i * ENTRY;
        if (number(entry, 2, big) != TAG_ORIENTATION || number(entry + 2, 2, big) != TYPE_SHORT) continue;
        const size_t value = number(entry + 8, 2, big);
        return value >= UPRIGHT && value <= LAST_ORIENTATION ? (int)value : UPRIGHT;
    }
    return UPRIGHT;
}

/* Direction of the stored rows in the upright picture: 1, 2 down; 3, 4 up; 5, 8 right; 6, 7
 * left. Of the columns: 1, 4 right; 2, 3 left; 5, 6 down; 7, 8 up. Only the steps change; the
 * bytes are not moved. */
void sustain__raster_turn(sustain__raster *r, int orientation) {
    const bool rows_back = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    const bool columns_back = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const sustain__raster stored = *r;
    const int64_t row_step = rows_back ? -stored.row_step : stored.row_step;
    const int64_t column_step = columns_back ? -stored.column_step : stored.column_step;
    const bool lying = orientation >= 5;
    if (rows_back) r->pixels += (stored.height - 1) * stored.row_step;
    if (columns_back) r->pixels += (stored.width - 1) * stored.column_step;
    r->row_step = lying ? column_step : row_step;
    r->column_step = lying ? row_step : column_step;
    r->height = lying ? stored.width : stored.height;
    r->width = lying ? stored.height : stored.width;
}
