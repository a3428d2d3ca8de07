/* page_pictures.c - an NPY file of pictures as one text of base64, for the script to draw. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "run_record.h"

enum { MOST_BYTES = 4 << 20 }; /* of pictures on a page; it is a third longer as text */

static char *base64(const uint8_t *bytes, size_t size) {
    static const char sign[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc((size + 2) / 3 * 4 + 1), *at = text;
    if (text == NULL) return NULL;
    for (size_t i = 0; i < size; i += 3) {
        const unsigned second = i + 1 < size ? bytes[i + 1] : 0, third = i + 2 < size ? bytes[i + 2] : 0;
        const unsigned three = (unsigned)bytes[i] << 16 | second << 8 | third;
        *at++ = sign[three >> 18];
        *at++ = sign[three >> 12 & 63];
        *at++ = i + 1 < size ? sign[three >> 6 & 63] : '=';
        *at++ = i + 2 < size ? sign[three & 63] : '=';
    }
    *at = '\0';
    return text;
}

/* Floats: the smallest of all is black, the largest white. */
static void to_bytes(const sustain_rows *rows, size_t size, uint8_t *bytes) {
    if (rows->bytes != NULL) {
        for (size_t i = 0; i < size; i++) bytes[i] = rows->bytes[i];
        return;
    }
    float least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < size; i++) least = fminf(least, rows->values[i]), most = fmaxf(most, rows->values[i]);
    const float scale = most > least ? 255 / (most - least) : 0;
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)lroundf((rows->values[i] - least) * scale);
}

static json_t *pictures_json(const sustain_dataset *set) {
    const sustain_picture *p = &set->picture;
    const int64_t fit = MOST_BYTES / set->rows.dim, count = set->rows.count < fit ? set->rows.count : fit;
    const size_t size = (size_t)(count * set->rows.dim);
    uint8_t *bytes = malloc(size + 1);
    if (bytes == NULL) return NULL;
    to_bytes(&set->rows, size, bytes);
    char *text = base64(bytes, size);
    free(bytes);
    json_t *object = json_pack("{s:I, s:I, s:I, s:I, s:s*}", "count", (json_int_t)count, "height", (json_int_t)p->height, "width",
                               (json_int_t)p->width, "channels", (json_int_t)p->channels, "bytes", text);
    free(text);
    return object;
}

json_t *run_pictures(run *r, const char *name) {
    char path[4096];
    sustain_dataset *set = NULL;
    run_path_of(r, name, path);
    FILE *there = fopen(path, "r");
    if (there == NULL) return NULL;
    fclose(there);
    if (sustain_dataset_read(r->context, path, NULL, &set) != SUSTAIN_OK) {
        run_refuse(r, "%s", sustain_error(r->context));
        return NULL;
    }
    json_t *object = set->picture.height > 0 ? pictures_json(set) : NULL;
    sustain_dataset_destroy(set);
    return object;
}
