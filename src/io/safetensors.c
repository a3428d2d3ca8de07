/* safetensors.c - see safetensors.h. Numbers are little endian, as the format says and as all machines this runs on are. */
#include "io/safetensors.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

enum { LONGEST_HEADER = 100 << 20 };

static size_t dtype_size(const char *dtype) {
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"F32", 4}, {"F64", 8}, {"I64", 8}, {"U32", 4}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(dtype, types[i].name) == 0) return types[i].size;
    return 0;
}

/* ---- writing ---- */

static json_t *make_shape(const sustain__tensor *t) {
    if (t->shape == NULL) return json_pack("[I]", (json_int_t)t->count);
    json_t *shape = json_array();
    for (const int64_t *side = t->shape; *side != 0; side++) json_array_append_new(shape, json_integer((json_int_t)*side));
    return shape;
}

static json_t *make_header(const sustain__word *words, int word_count, const sustain__tensor *tensors, int tensor_count) {
    json_t *header = json_object(), *metadata = json_object();
    for (int i = 0; i < word_count; i++) json_object_set_new(metadata, words[i].name, json_string(words[i].value));
    json_object_set_new(header, "__metadata__", metadata);
    json_int_t offset = 0;
    for (int i = 0; i < tensor_count; i++) {
        const json_int_t end = offset + (json_int_t)((size_t)tensors[i].count * dtype_size(tensors[i].dtype));
        json_object_set_new(
            header, tensors[i].name,
            json_pack("{s:s, s:o, s:[I, I]}", "dtype", tensors[i].dtype, "shape", make_shape(&tensors[i]), "data_offsets", offset, end));
        offset = end;
    }
    return header;
}

/* What goes into a file. */
typedef struct content {
    const char *header;
    const sustain__tensor *tensors;
    int tensor_count;
} content;

static bool write_content(FILE *file, const void *user) {
    const content *all = user;
    const size_t length = strlen(all->header), padded = (length + 7) / 8 * 8;
    unsigned char size[8];
    for (int i = 0; i < 8; i++) size[i] = (unsigned char)((uint64_t)padded >> (8 * i));
    bool good = fwrite(size, 1, 8, file) == 8 && fwrite(all->header, 1, length, file) == length;
    for (size_t i = length; i < padded; i++) good = good && fputc(' ', file) != EOF;
    for (int i = 0; i < all->tensor_count && good; i++) {
        const sustain__tensor *t = &all->tensors[i];
        const size_t bytes = (size_t)t->count * dtype_size(t->dtype);
        good = bytes == 0 || fwrite(t->data, 1, bytes, file) == bytes;
    }
    return good;
}

sustain_status sustain__safetensors_write(sustain_context *context, const char *path, const sustain__word *words, int word_count,
                                          const sustain__tensor *tensors, int tensor_count) {
    json_t *header = make_header(words, word_count, tensors, tensor_count);
    char *text = json_dumps(header, JSON_COMPACT);
    json_decref(header);
    if (text == NULL) return sustain__fail(context, SUSTAIN_MEMORY, "out of memory for the header of %s", path);
    const content all = {text, tensors, tensor_count};
    const sustain_status status = sustain__file_replace(context, path, write_content, &all);
    free(text);
    return status;
}

/* ---- reading ---- */

struct sustain__safetensors {
    sustain_context *context;
    json_t *header;
    const unsigned char *data;
    size_t length;        /* of data */
    sustain__bytes owned; /* empty where the bytes are borrowed */
};

/* Refuses a tensor that does not lie inside the data or is not as large as its shape. */
static bool tensor_from(const sustain__safetensors *file, const char *name, const json_t *entry, sustain__tensor *out) {
    const json_t *dtype = json_object_get(entry, "dtype"), *shape = json_object_get(entry, "shape"),
                 *offsets = json_object_get(entry, "data_offsets");
    if (!json_is_string(dtype) || !json_is_array(shape) || !json_is_array(offsets) || json_array_size(offsets) != 2) return false;
    const json_t *first = json_array_get(offsets, 0), *last = json_array_get(offsets, 1);
    if (!json_is_integer(first) || !json_is_integer(last)) return false;
    const json_int_t from = json_integer_value(first), to = json_integer_value(last);
    const size_t element = dtype_size(json_string_value(dtype));
    if (element == 0 || from < 0 || to < from || (uint64_t)to > file->length) return false;
    uint64_t count = 1;
    for (size_t i = 0; i < json_array_size(shape); i++) {
        const json_t *side = json_array_get(shape, i);
        if (!json_is_integer(side) || json_integer_value(side) < 0) return false;
        const uint64_t n = (uint64_t)json_integer_value(side);
        if (n != 0 && count > file->length / n) return false;
        count *= n;
    }
    if (count * element != (uint64_t)(to - from)) return false;
    *out = (sustain__tensor){name, json_string_value(dtype), (int64_t)count, file->data + from, NULL};
    return true;
}

static sustain_status check_header(sustain_context *context, const char *path, const sustain__safetensors *file) {
    const char *name;
    json_t *entry;
    json_object_foreach(file->header, name, entry) {
        sustain__tensor ignored;
        if (strcmp(name, "__metadata__") == 0) continue;
        if (!tensor_from(file, name, entry, &ignored))
            return sustain__fail(context, SUSTAIN_FORMAT, "%s: tensor '%.60s' does not fit the file: it is truncated or damaged", path,
                                 name);
    }
    return SUSTAIN_OK;
}

sustain_status sustain__safetensors_parse(sustain_context *context, const char *path, const unsigned char *bytes, size_t length,
                                          sustain__safetensors **out) {
    *out = NULL;
    uint64_t header_length = 0;
    if (length < 8) return sustain__fail(context, SUSTAIN_FORMAT, "%s: too short for a safetensors file (%zu bytes)", path, length);
    for (int i = 0; i < 8; i++) header_length |= (uint64_t)bytes[i] << (8 * i);
    if (header_length > length - 8 || header_length > LONGEST_HEADER)
        return sustain__fail(context, SUSTAIN_FORMAT,
                             "%s: its header claims %llu bytes, the file has %zu: truncated, or not a safetensors file", path,
                             (unsigned long long)header_length, length);
    json_error_t error;
    json_t *header = json_loadb((const char *)bytes + 8, (size_t)header_length, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(header)) {
        json_decref(header);
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: its header is not JSON (%s at byte %d)", path, error.text, error.position + 8);
    }
    sustain__safetensors *file;
    sustain_status status = sustain__allocate(context, sizeof *file, &file);
    if (status != SUSTAIN_OK) {
        json_decref(header);
        return status;
    }
    *file = (sustain__safetensors){context, header, bytes + 8 + header_length, length - 8 - (size_t)header_length, {.data = NULL}};
    status = check_header(context, path, file);
    if (status == SUSTAIN_OK)
        *out = file;
    else
        sustain__safetensors_destroy(file);
    return status;
}

sustain_status sustain__safetensors_read(sustain_context *context, const char *path, sustain__safetensors **out) {
    *out = NULL;
    sustain__bytes bytes;
    SUSTAIN_TRY(sustain__bytes_read(context, path, &bytes));
    const sustain_status status = sustain__safetensors_parse(context, path, bytes.data, bytes.length, out);
    if (status == SUSTAIN_OK)
        (*out)->owned = bytes;
    else
        sustain__bytes_free(context, &bytes);
    return status;
}

void sustain__safetensors_destroy(sustain__safetensors *file) {
    if (file == NULL) return;
    json_decref(file->header);
    sustain__bytes_free(file->context, &file->owned);
    sustain__free(file->context, file);
}

const char *sustain__safetensors_word(const sustain__safetensors *file, const char *name) {
    return json_string_value(json_object_get(json_object_get(file->header, "__metadata__"), name));
}

bool sustain__safetensors_find(const sustain__safetensors *file, const char *name, sustain__tensor *out) {
    const json_t *entry = json_object_get(file->header, name);
    return entry != NULL && tensor_from(file, name, entry, out);
}

bool sustain__tensor_numbers(const sustain__tensor *t, sustain_real *out) {
    const bool wide = strcmp(t->dtype, "F64") == 0;
    if (!wide && strcmp(t->dtype, "F32") != 0) return false;
    for (int64_t i = 0; i < t->count; i++) {
        double value;
        float narrow;
        if (wide) {
            memcpy(&value, (const char *)t->data + i * 8, 8);
        } else {
            memcpy(&narrow, (const char *)t->data + i * 4, 4);
            value = (double)narrow;
        }
        if (!(fabs(value) <= (sizeof *out == 8 ? DBL_MAX : (double)FLT_MAX))) return false;
        out[i] = (sustain_real)value;
    }
    return true;
}
