/* npy_write.c - see sustain/npy.h. */
#include <sustain/npy.h>

#include <string.h>

#include "io/byte_order.h"
#include "io/file.h"

static const struct {
    const char *name;
    size_t size;
} types[] = {[SUSTAIN_NPY_FLOAT] = {"<f4", 4},
             [SUSTAIN_NPY_DOUBLE] = {"<f8", 8},
             [SUSTAIN_NPY_INT32] = {"<i4", 4},
             [SUSTAIN_NPY_INT64] = {"<i8", 8},
             [SUSTAIN_NPY_BYTE] = {"|u1", 1}};

enum { MOST_AXES = 8, HEADER = 320 };

/* Content of the file. */
typedef struct content {
    char header[HEADER];
    size_t header_length, length, size; /* size: of a number */
    const void *data;
} content;

static bool write_content(FILE *file, const void *user) {
    const content *all = user;
    return fwrite(all->header, 1, all->header_length, file) == all->header_length &&
           sustain__write_little(file, all->data, all->length / all->size, all->size);
}

/* Ten bytes of prelude, the dictionary, blanks and a newline: together a multiple of 64, so that
 * a mapped array is aligned. */
static void make_header(const char *type, int axes, const int64_t *shape, content *all) {
    static const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0};
    char *text = all->header;
    size_t n = 10 + (size_t)snprintf(text + 10, HEADER - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (int i = 0; i < axes; i++) n += (size_t)snprintf(text + n, HEADER - n, "%lld,%s", (long long)shape[i], i + 1 < axes ? " " : "");
    n += (size_t)snprintf(text + n, HEADER - n, "), }");
    all->header_length = (n + 1 + 63) / 64 * 64;
    memset(text + n, ' ', all->header_length - n);
    text[all->header_length - 1] = '\n';
    const size_t dictionary = all->header_length - 10;
    memcpy(text, magic, sizeof magic);
    text[8] = (char)(dictionary & 255);
    text[9] = (char)(dictionary >> 8);
}

sustain_status sustain_npy_write(sustain_context *context, const char *path, sustain_npy_type type, int axes, const int64_t *shape,
                                 const void *data) {
    SUSTAIN_TRY(sustain__need(context, path, "path"));
    SUSTAIN_TRY(sustain__need(context, shape, "shape"));
    SUSTAIN_TRY(sustain__need(context, data, "data"));
    if (axes < 1 || axes > MOST_AXES || (unsigned)type >= sizeof types / sizeof types[0])
        return sustain__fail(context, SUSTAIN_ARGUMENT, "an array of %d axes and type %d cannot be written to %s", axes, (int)type, path);
    content all = {.length = types[type].size, .size = types[type].size, .data = data};
    for (int i = 0; i < axes; i++) {
        if (shape[i] < 0) return sustain__fail(context, SUSTAIN_ARGUMENT, "axis %d of the array for %s has a negative length", i + 1, path);
        all.length = sustain__multiply(all.length, (size_t)shape[i]);
    }
    make_header(types[type].name, axes, shape, &all);
    return sustain__file_replace(context, path, write_content, &all);
}
