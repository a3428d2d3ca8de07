/* idx.c - IDX, the format of MNIST: two zero bytes, the type, the number of axes; the length of
 * each axis (4 bytes, highest first); the elements, highest byte first. */
#include <string.h>

#include "data/formats.h"

/* Parses the header; returns the offset of the elements, 0 if this is not an IDX header. */
static size_t header(const unsigned char *bytes, size_t length, sustain__array *out) {
    static const struct {
        unsigned char code;
        char kind;
        int size;
    } types[] = {{0x08, 'u', 1}, {0x09, 'i', 1}, {0x0b, 'i', 2}, {0x0c, 'i', 4}, {0x0d, 'f', 4}, {0x0e, 'f', 8}};
    *out = (sustain__array){.big = true};
    if (length < 8 || bytes[0] != 0 || bytes[1] != 0 || bytes[3] < 1 || bytes[3] > SUSTAIN__MOST_AXES) return 0;
    out->axes = bytes[3];
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].code == bytes[2]) out->kind = types[i].kind, out->size = types[i].size;
    const size_t begin = 4 + 4 * (size_t)out->axes;
    if (out->size == 0 || length < begin) return 0;
    for (int i = 0; i < out->axes; i++)
        for (int k = 0; k < 4; k++) out->shape[i] = out->shape[i] << 8 | bytes[4 + 4 * i + k];
    return begin;
}

bool sustain__is_idx(const unsigned char *bytes, size_t length) {
    sustain__array array;
    return header(bytes, length, &array) > 0;
}

uint64_t sustain__idx_claim(const unsigned char *bytes, size_t length) {
    sustain__array array;
    const size_t begin = header(bytes, length, &array);
    if (begin == 0) return 0;
    const int64_t count = sustain__array_count(&array);
    return count < 0 ? UINT64_MAX : (uint64_t)count * (uint64_t)array.size + begin;
}

sustain_status sustain__parse_idx(sustain__input *input) {
    sustain__array array;
    const size_t begin = header(input->bytes, input->length, &array);
    const uint64_t claim = sustain__idx_claim(input->bytes, input->length);
    if (claim != input->length) {
        char shape[96];
        sustain__array_shape_text(&array, shape);
        return sustain__fail(input->context, SUSTAIN_FORMAT,
                             "%s: its IDX header claims %s elements of %d bytes, but it has %zu bytes after it: %s", input->set->source,
                             shape, array.size, input->length - begin, claim > input->length ? "cut off, or damaged" : "damaged");
    }
    array.data = input->bytes + begin;
    if (input->want == SUSTAIN__WANT_LABELS)
        return sustain__array_labels(input->context, &array, input->options->missing_labels, input->set);
    return sustain__array_features(&array, input->set, input->options->keep_half, &input->in_place);
}
