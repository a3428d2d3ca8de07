/* cifar.c - CIFAR binary: records of a label (CIFAR-10), or a coarse and a fine one (CIFAR-100),
 * and 32 x 32 x 3 bytes, one colour after the other. The files have no header: they are
 * recognized by their length and by labels in range. */
#include <string.h>

#include "data/formats.h"
#include "data/labels.h"

enum { SIDE = 32, CHANNELS = 3, PIXELS = SIDE * SIDE * CHANNELS };

/* The two kinds of records. */
typedef struct kind {
    const char *name;
    size_t labels;         /* bytes before the pixels */
    unsigned char most[2]; /* the largest value of each */
} kind;

static const kind kinds[] = {{"CIFAR-100", 2, {19, 99}}, {"CIFAR-10", 1, {9, 0}}};

/* The first record with a label out of range, -1 for none. */
static int64_t bad_record(const kind *k, const unsigned char *bytes, size_t length) {
    const size_t record = k->labels + PIXELS;
    for (size_t i = 0; i < length / record; i++)
        for (size_t j = 0; j < k->labels; j++)
            if (bytes[i * record + j] > k->most[j]) return (int64_t)i;
    return -1;
}

/* The kind whose record size divides the length, preferably one with labels in range; NULL:
 * neither. */
static const kind *kind_of(const unsigned char *bytes, size_t length) {
    const kind *fits = NULL;
    for (int i = 0; i < 2; i++) {
        const size_t record = kinds[i].labels + PIXELS;
        if (length == 0 || length % record != 0) continue;
        if (bad_record(&kinds[i], bytes, record) < 0) return &kinds[i];
        fits = &kinds[i];
    }
    return fits;
}

bool sustain__fits_cifar(const unsigned char *bytes, size_t length) {
    return kind_of(bytes, length) != NULL;
}

bool sustain__is_cifar(const unsigned char *bytes, size_t length) {
    const kind *k = kind_of(bytes, length);
    return k != NULL && bad_record(k, bytes, length) < 0;
}

static sustain_status add_labels(const sustain__input *input, const kind *k, int64_t count, sustain__labels *labels) {
    const size_t record = k->labels + PIXELS, which = k->labels == 2 && !input->options->coarse ? 1 : 0;
    for (int64_t i = 0; i < count; i++) SUSTAIN_TRY(sustain__labels_add_number(labels, input->bytes[(size_t)i * record + which]));
    return sustain__labels_store(labels, input->set->source, input->set);
}

sustain_status sustain__parse_cifar(sustain__input *input) {
    const kind *k = kind_of(input->bytes, input->length);
    const size_t record = k->labels + PIXELS;
    const int64_t count = (int64_t)(input->length / record), bad = bad_record(k, input->bytes, input->length);
    struct sustain_dataset_memory *m = input->set->memory;
    if (bad >= 0)
        return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: read as %s binary, record %lld has a label outside the range 0 to %d",
                             input->set->source, k->name, (long long)bad + 1, k->most[k->labels - 1]);
    sustain__labels *labels;
    SUSTAIN_TRY(sustain__labels_create(input->context, count, &labels));
    const sustain_status status = add_labels(input, k, count, labels);
    sustain__labels_destroy(labels);
    if (status != SUSTAIN_OK || input->want == SUSTAIN__WANT_LABELS) return status;
    SUSTAIN_TRY(sustain__allocate(input->context, sustain__multiply((size_t)count, PIXELS), &m->bytes));
    for (int64_t i = 0; i < count; i++) memcpy(m->bytes + (size_t)i * PIXELS, input->bytes + (size_t)i * record + k->labels, PIXELS);
    input->set->rows.dim = PIXELS;
    input->set->rows.byte_scale = 1.0f / 255;
    input->set->picture = (sustain_picture){SIDE, SIDE, CHANNELS, false};
    sustain__dataset_publish(input->set);
    return SUSTAIN_OK;
}
