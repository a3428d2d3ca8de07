/* safetensors.c - see safetensors.h. Numbers are little endian in the file, as the format says. */
#include "io/safetensors.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/byte_order.h"
#include "io/file.h"
#include "io/safetensors_header.h"

enum { LONGEST_HEADER = 100 << 20 };

/* ---- writing ---- */

/* The content of a file. */
typedef struct content {
    const char *header;
    size_t length;
    const sustain__tensor *tensors;
    int tensor_count;
} content;

static bool write_content(FILE *file, const void *user) {
    const content *all = user;
    const size_t padded = (all->length + 7) / 8 * 8;
    unsigned char size[8];
    for (int i = 0; i < 8; i++) size[i] = (unsigned char)((uint64_t)padded >> (8 * i));
    bool good = fwrite(size, 1, 8, file) == 8 && fwrite(all->header, 1, all->length, file) == all->length;
    for (size_t i = all->length; i < padded; i++) good = good && fputc(' ', file) != EOF;
    for (int i = 0; i < all->tensor_count && good; i++) {
        const sustain__tensor *t = &all->tensors[i];
        good = sustain__write_little(file, t->data, (size_t)t->count, sustain__dtype_size(t->dtype));
    }
    return good;
}

sustain_status sustain__safetensors_write(sustain_context *context, const char *path, const sustain__word *words, int word_count,
                                          const sustain__tensor *tensors, int tensor_count) {
    const size_t length = sustain__header_write(words, word_count, tensors, tensor_count, NULL);
    char *header;
    SUSTAIN_TRY(sustain__allocate(context, length, &header));
    sustain__header_write(words, word_count, tensors, tensor_count, header);
    const content all = {header, length, tensors, tensor_count};
    const sustain_status status = sustain__file_replace(context, path, write_content, &all);
    sustain__free(context, header);
    return status;
}

/* ---- the checksum ---- */

enum { CHECKSUM_TEXT = 17 };

/* The sum of a hash for each word and each tensor, so that their order does not matter, as 16
 * hexadecimal digits. */
static void checksum(const sustain__word *words, int word_count, const sustain__tensor *tensors, int tensor_count,
                     char text[CHECKSUM_TEXT]) {
    uint64_t sum = 0;
    for (int i = 0; i < word_count; i++) {
        if (strcmp(words[i].name, "checksum") == 0) continue;
        sum += sustain_hash(words[i].value, strlen(words[i].value), sustain_hash(words[i].name, strlen(words[i].name), 1));
    }
    for (int i = 0; i < tensor_count; i++) {
        const sustain__tensor *t = &tensors[i];
        const uint64_t name = sustain_hash(t->name, strlen(t->name), 2), type = sustain_hash(t->dtype, strlen(t->dtype), name);
        sum += sustain__hash_little(t->data, (size_t)t->count, sustain__dtype_size(t->dtype), type);
    }
    for (int i = 0; i < CHECKSUM_TEXT - 1; i++) text[i] = "0123456789abcdef"[sum >> (60 - 4 * i) & 15];
    text[CHECKSUM_TEXT - 1] = '\0';
}

sustain_status sustain__safetensors_write_checked(sustain_context *context, const char *path, const sustain__word *words, int word_count,
                                                  const sustain__tensor *tensors, int tensor_count) {
    char text[CHECKSUM_TEXT];
    sustain__word *all;
    SUSTAIN_TRY(sustain__allocate(context, ((size_t)word_count + 1) * sizeof *all, &all));
    if (word_count > 0) memcpy(all, words, (size_t)word_count * sizeof *all);
    checksum(words, word_count, tensors, tensor_count, text);
    all[word_count] = (sustain__word){"checksum", text};
    const sustain_status status = sustain__safetensors_write(context, path, all, word_count + 1, tensors, tensor_count);
    sustain__free(context, all);
    return status;
}

/* ---- reading ---- */

struct sustain__safetensors {
    sustain_context *context;
    char *text; /* of the header; names and words point into it */
    sustain__header header;
    sustain__bytes owned;  /* empty where the bytes are borrowed */
    unsigned char *turned; /* the numbers in the order of a big-endian machine; else NULL */
};

static sustain_status read_header(sustain_context *context, const char *path, const unsigned char *bytes, size_t header_length,
                                  size_t length, sustain__safetensors *file) {
    size_t words, tensors, sides;
    sustain__header_trouble trouble;
    SUSTAIN_TRY(sustain__allocate(context, header_length, &file->text));
    memcpy(file->text, bytes + 8, header_length);
    sustain__header_room(file->text, header_length, &words, &tensors, &sides);
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(words, sizeof *file->header.words), &file->header.words));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(tensors, sizeof *file->header.tensors), &file->header.tensors));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(sides, sizeof *file->header.sides), &file->header.sides));
    if (sustain__header_read(file->text, header_length, bytes + 8 + header_length, length - 8 - header_length, &file->header, &trouble))
        return SUSTAIN_OK;
    if (trouble.tensor != NULL)
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: tensor '%.60s' does not fit the file: it is truncated or damaged", path,
                             trouble.tensor);
    return sustain__fail(context, SUSTAIN_FORMAT, "%s: its header is not that of a safetensors file (byte %zu: %s)", path, trouble.byte + 8,
                         trouble.what);
}

/* Tensors then point to numbers in the order of this machine. */
static sustain_status turn_numbers(sustain_context *context, const unsigned char *numbers, size_t length, sustain__safetensors *file) {
    if (!sustain__host_is_big() || length == 0) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__allocate(context, length, &file->turned));
    memcpy(file->turned, numbers, length);
    for (size_t i = 0; i < file->header.tensor_count; i++) {
        sustain__tensor *t = &file->header.tensors[i];
        unsigned char *here = file->turned + ((const unsigned char *)t->data - numbers);
        sustain__little_endian(here, (size_t)t->count, sustain__dtype_size(t->dtype));
        t->data = here;
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
    sustain__safetensors *file;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *file, &file));
    file->context = context;
    sustain_status status = read_header(context, path, bytes, (size_t)header_length, length, file);
    if (status == SUSTAIN_OK) status = turn_numbers(context, bytes + 8 + header_length, length - 8 - (size_t)header_length, file);
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
    sustain__free(file->context, file->header.sides);
    sustain__free(file->context, file->header.tensors);
    sustain__free(file->context, file->header.words);
    sustain__free(file->context, file->text);
    sustain__free(file->context, file->turned);
    sustain__bytes_free(file->context, &file->owned);
    sustain__free(file->context, file);
}

/* Words and tensors begin with their name, and are sorted by it. */
static int compare_name(const void *name, const void *row) {
    return strcmp(name, *(const char *const *)row);
}

const char *sustain__safetensors_word(const sustain__safetensors *file, const char *name) {
    const sustain__word *w = bsearch(name, file->header.words, file->header.word_count, sizeof *w, compare_name);
    return w != NULL ? w->value : NULL;
}

bool sustain__safetensors_find(const sustain__safetensors *file, const char *name, sustain__tensor *out) {
    const sustain__tensor *t = bsearch(name, file->header.tensors, file->header.tensor_count, sizeof *t, compare_name);
    if (t != NULL) *out = *t;
    return t != NULL;
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

sustain_status sustain__safetensors_check(sustain_context *context, const char *path, const sustain__safetensors *file) {
    const sustain__header *h = &file->header;
    const char *stored = sustain__safetensors_word(file, "checksum");
    char text[CHECKSUM_TEXT];
    if (stored == NULL) return SUSTAIN_OK;
    checksum(h->words, (int)h->word_count, h->tensors, (int)h->tensor_count, text);
    if (strcmp(stored, text) == 0) return SUSTAIN_OK;
    return sustain__fail(context, SUSTAIN_FORMAT, "%s: its checksum is not that of its content: the file is damaged", path);
}
