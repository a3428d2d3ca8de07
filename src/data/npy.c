/* npy.c - NPY, NumPy's format: "\x93NUMPY", two bytes of version, the length of the header (2
 * bytes; 4 from version 2 on), the header, a Python dictionary such as {'descr': '<f4',
 * 'fortran_order': False, 'shape': (60000, 784), }; the elements. */
#include <stdlib.h>
#include <string.h>

#include "data/formats.h"

bool sustain__is_npy(const unsigned char *bytes, size_t length) {
    return length >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
}

/* ---- the dictionary ---- */

typedef struct text {
    const char *at, *end;
} text;

static void skip_blanks(text *t) {
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\n' || *t->at == '\t')) t->at++;
}

static bool take(text *t, char c) {
    skip_blanks(t);
    if (t->at == t->end || *t->at != c) return false;
    t->at++;
    return true;
}

/* A quoted string. */
static bool take_quoted(text *t, text *out) {
    skip_blanks(t);
    if (t->at == t->end || (*t->at != '\'' && *t->at != '"')) return false;
    const char quote = *t->at++;
    const char *close = memchr(t->at, quote, (size_t)(t->end - t->at));
    if (close == NULL) return false;
    *out = (text){t->at, close};
    t->at = close + 1;
    return true;
}

static bool is(text t, const char *word) {
    return (size_t)(t.end - t.at) == strlen(word) && memcmp(t.at, word, strlen(word)) == 0;
}

static bool take_word(text *t, const char *word) {
    skip_blanks(t);
    const size_t length = strlen(word);
    if ((size_t)(t->end - t->at) < length || memcmp(t->at, word, length) != 0) return false;
    t->at += length;
    return true;
}

/* An integer without overflow; Python 2 wrote an L after some. */
static bool take_length(text *t, int64_t *out) {
    skip_blanks(t);
    const char *first = t->at;
    for (*out = 0; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++) {
        if (*out > (INT64_MAX - 9) / 10) return false;
        *out = 10 * *out + (*t->at - '0');
    }
    if (t->at == first) return false;
    if (t->at < t->end && *t->at == 'L') t->at++;
    return true;
}

/* "(60000, 784)". Axes beyond the maximum are counted but not stored. */
static bool take_shape(text *t, sustain__array *out) {
    if (!take(t, '(')) return false;
    for (out->axes = 0; !take(t, ')'); out->axes++) {
        int64_t n;
        if (out->axes > 64 || !take_length(t, &n)) return false;
        if (out->axes < SUSTAIN__MOST_AXES) out->shape[out->axes] = n;
        if (!take(t, ',')) {
            out->axes++;
            return take(t, ')');
        }
    }
    return true;
}

/* "<f4": byte order, kind, size. False: an unsupported type. */
static bool understand_type(text type, sustain__array *out) {
    if (type.end - type.at < 3) return false;
    const char order = type.at[0];
    text digits = {type.at + 2, type.end};
    int64_t size;
    if (strchr("<>|=", order) == NULL || !take_length(&digits, &size) || digits.at != digits.end || size < 1 || size > 1 << 20)
        return false;
    out->kind = type.at[1];
    out->big = order == '>';
    switch (out->kind) {
    case 'b':
        out->size = (int)size;
        return size == 1;
    case 'u':
    case 'i':
        out->size = (int)size;
        return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f':
        out->size = (int)size;
        return size == 2 || size == 4 || size == 8;
    case 'U':
        out->size = (int)size * 4;
        return true;
    case 'S':
        out->size = (int)size;
        return true;
    default:
        return false;
    }
}

/* Reads the dictionary; *type is the descr, even if unsupported. False: not such a dictionary. */
static bool read_dictionary(text t, sustain__array *out, text *type) {
    bool has_type = false, has_order = false, has_shape = false;
    if (!take(&t, '{')) return false;
    while (!take(&t, '}')) {
        text key;
        if (!take_quoted(&t, &key) || !take(&t, ':')) return false;
        if (is(key, "descr")) {
            skip_blanks(&t);
            const char *first = t.at;
            /* a list of fields: unsupported, and nothing after it is needed */
            if (!take_quoted(&t, type)) {
                *type = (text){first, t.end};
                return true;
            }
            has_type = true;
        } else if (is(key, "fortran_order")) {
            has_order = true;
            out->column = take_word(&t, "True");
            if (!out->column && !take_word(&t, "False")) return false;
        } else if (is(key, "shape")) {
            has_shape = take_shape(&t, out);
            if (!has_shape) return false;
        } else {
            return false;
        }
        if (!take(&t, ',')) {
            if (!take(&t, '}')) return false;
            break;
        }
    }
    return has_type && has_order && has_shape;
}

/* ---- the file ---- */

/* Position and length of the header; false if the file is too short. */
static bool find_header(const unsigned char *bytes, size_t length, text *out) {
    if (length < 12) return false;
    const size_t begin = bytes[6] == 1 ? 10 : 12;
    size_t size = bytes[8] | (size_t)bytes[9] << 8;
    if (begin == 12) size |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (size > length - begin) return false;
    *out = (text){(const char *)bytes + begin, (const char *)bytes + begin + size};
    return true;
}

sustain_status sustain__npy_header(sustain_context *context, const char *name, const unsigned char *bytes, size_t length,
                                   sustain__array *out, size_t *begin) {
    text header, type = {NULL, NULL};
    *out = (sustain__array){.data = NULL};
    if (!sustain__is_npy(bytes, length))
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: it is not an NPY file: its first bytes differ", name);
    if (!find_header(bytes, length, &header)) return sustain__fail(context, SUSTAIN_FORMAT, "%s: its NPY header is cut off", name);
    if (bytes[6] < 1 || bytes[6] > 3)
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: NPY version %d is not supported; versions 1 to 3 are", name, bytes[6]);
    if (!read_dictionary(header, out, &type)) return sustain__fail(context, SUSTAIN_FORMAT, "%s: its NPY header is damaged", name);
    if (!understand_type(type, out)) {
        const int shown = type.end - type.at < 40 ? (int)(type.end - type.at) : 40;
        if (shown >= 2 && type.at[1] == 'O')
            return sustain__fail(context, SUSTAIN_FORMAT,
                                 "%s: its elements are Python objects; save features with x.astype('float32'), labels with y.astype(str)",
                                 name);
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: elements of type %.*s cannot be read; convert them with .astype('float32')",
                             name, shown, type.at);
    }
    if (out->axes < 1 || out->axes > SUSTAIN__MOST_AXES)
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: it has %d axes; 1 to %d can be read", name, out->axes, SUSTAIN__MOST_AXES);
    *begin = (size_t)((const unsigned char *)header.end - bytes);
    return SUSTAIN_OK;
}

sustain_status sustain__npy_array(sustain_context *context, const char *name, const unsigned char *bytes, size_t length,
                                  sustain__array *out) {
    size_t begin;
    SUSTAIN_TRY(sustain__npy_header(context, name, bytes, length, out, &begin));
    const int64_t count = sustain__array_count(out);
    if (count < 0 || (uint64_t)count * (uint64_t)out->size > length - begin) {
        char shape[96];
        sustain__array_shape_text(out, shape);
        return sustain__fail(context, SUSTAIN_FORMAT,
                             "%s: its NPY header claims %s elements of %d bytes, but it has %zu bytes after it: cut off, or damaged", name,
                             shape, out->size, length - begin);
    }
    out->data = bytes + begin;
    return SUSTAIN_OK;
}

uint64_t sustain__npy_claim(const unsigned char *bytes, size_t length) {
    sustain__array array = {.data = NULL};
    text header, type = {NULL, NULL};
    if (!sustain__is_npy(bytes, length) || !find_header(bytes, length, &header)) return 0;
    if (!read_dictionary(header, &array, &type) || !understand_type(type, &array) || array.axes > SUSTAIN__MOST_AXES) return 0;
    const int64_t count = sustain__array_count(&array);
    return count < 0 ? UINT64_MAX : (uint64_t)count * (uint64_t)array.size + (uint64_t)((const unsigned char *)header.end - bytes);
}

sustain_status sustain__parse_npy(sustain__input *input) {
    sustain__array array;
    SUSTAIN_TRY(sustain__npy_array(input->context, input->set->source, input->bytes, input->length, &array));
    if (input->want == SUSTAIN__WANT_LABELS)
        return sustain__array_labels(input->context, &array, input->options->missing_labels, input->set);
    return sustain__array_features(&array, input->set, input->options->keep_half, &input->in_place);
}
