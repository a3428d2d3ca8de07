/* safetensors_header.c - see safetensors_header.h. */
#include "io/safetensors_header.h"

#include <stdlib.h>
#include <string.h>

#include "io/json_text.h"

size_t sustain__dtype_size(const char *dtype) {
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"F32", 4}, {"F64", 8}, {"I64", 8}, {"U32", 4}, {"I32", 4}, {"F16", 2}, {"U8", 1}, {"BOOL", 1}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(dtype, types[i].name) == 0) return types[i].size;
    return 0;
}

/* ---- writing ---- */

static void put_tensor(sustain__json_pen *p, const sustain__tensor *t, uint64_t offset) {
    sustain__json_put_string(p, t->name);
    sustain__json_put(p, ":{\"dtype\":");
    sustain__json_put_string(p, t->dtype);
    sustain__json_put(p, ",\"shape\":[");
    if (t->shape == NULL) sustain__json_put_integer(p, "", t->count);
    for (const int64_t *side = t->shape; side != NULL && *side != 0; side++)
        sustain__json_put_integer(p, side == t->shape ? "" : ",", *side);
    sustain__json_put_integer(p, "],\"data_offsets\":[", (int64_t)offset);
    sustain__json_put_integer(p, ",", (int64_t)(offset + (uint64_t)t->count * sustain__dtype_size(t->dtype)));
    sustain__json_put(p, "]}");
}

size_t sustain__header_write(const sustain__word *words, int word_count, const sustain__tensor *tensors, int tensor_count, char *to) {
    sustain__json_pen p = {to, 0};
    uint64_t offset = 0;
    sustain__json_put(&p, "{\"__metadata__\":{");
    for (int i = 0; i < word_count; i++) {
        sustain__json_put(&p, i == 0 ? "" : ",");
        sustain__json_put_string(&p, words[i].name);
        sustain__json_put(&p, ":");
        sustain__json_put_string(&p, words[i].value);
    }
    sustain__json_put(&p, "}");
    for (int i = 0; i < tensor_count; i++) {
        sustain__json_put(&p, ",");
        put_tensor(&p, &tensors[i], offset);
        offset += (uint64_t)tensors[i].count * sustain__dtype_size(tensors[i].dtype);
    }
    sustain__json_put(&p, "}");
    return p.used;
}

size_t sustain__names_write(const char *const *names, int64_t count, char *to) {
    sustain__json_pen p = {to, 0};
    sustain__json_put(&p, "[");
    for (int64_t i = 0; i < count; i++) {
        sustain__json_put(&p, i == 0 ? "" : ",");
        sustain__json_put_string(&p, names[i]);
    }
    sustain__json_put(&p, "]");
    return p.used;
}

bool sustain__names_read(char *text, int64_t count, const char **names) {
    sustain__json_reader r = {text, text, text + strlen(text), NULL};
    int64_t i = 0;
    if (!sustain__json_expect(&r, '[', "it is not a list")) return false;
    for (bool first = true; sustain__json_another(&r, ']', first); first = false)
        if (i == count || !sustain__json_string(&r, &names[i++])) return false;
    return r.what == NULL && i == count && sustain__json_ended(&r);
}

/* ---- reading: the header ---- */

static bool words(sustain__json_reader *r, sustain__header *h) {
    if (!sustain__json_expect(r, '{', "the metadata is not an object")) return false;
    for (bool first = true; sustain__json_another(r, '}', first); first = false) {
        sustain__word *w = &h->words[h->word_count];
        if (!sustain__json_string(r, &w->name) || !sustain__json_expect(r, ':', "a colon is missing") ||
            !sustain__json_string(r, &w->value))
            return false;
        h->word_count++;
    }
    return r->what == NULL;
}

/* A tensor as the header describes it. */
typedef struct description {
    const char *dtype;
    const int64_t *shape;
    uint64_t count, offset[2];
    bool offsets;
} description;

static bool shape(sustain__json_reader *r, uint64_t most, sustain__header *h, description *d) {
    if (d->shape != NULL || !sustain__json_expect(r, '[', "a shape that is not a list")) return sustain__json_wrong(r, "two shapes");
    d->shape = h->sides + h->side_count;
    d->count = 1;
    for (bool first = true; sustain__json_another(r, ']', first); first = false) {
        uint64_t side;
        if (!sustain__json_whole(r, &side)) return false;
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there is room for all sides */
        h->sides[h->side_count++] = (int64_t)side;
        /* one more than there can be */
        d->count = side != 0 && d->count > most / side ? most + 1 : d->count * side;
    }
    h->sides[h->side_count++] = 0; /* NOLINT(clang-analyzer-core.NullDereference): as above */
    return r->what == NULL;
}

static bool offsets(sustain__json_reader *r, description *d) {
    if (d->offsets || !sustain__json_expect(r, '[', "offsets that are not a list")) return sustain__json_wrong(r, "two lists of offsets");
    d->offsets = true;
    return sustain__json_whole(r, &d->offset[0]) && sustain__json_expect(r, ',', "two offsets are wanted") &&
           sustain__json_whole(r, &d->offset[1]) && sustain__json_expect(r, ']', "two offsets are wanted");
}

static bool describe(sustain__json_reader *r, uint64_t most, sustain__header *h, description *d) {
    if (!sustain__json_expect(r, '{', "a tensor that is not an object")) return false;
    for (bool first = true; sustain__json_another(r, '}', first); first = false) {
        const char *key;
        if (!sustain__json_string(r, &key) || !sustain__json_expect(r, ':', "a colon is missing")) return false;
        if (strcmp(key, "dtype") == 0 && d->dtype == NULL)
            sustain__json_string(r, &d->dtype);
        else if (strcmp(key, "shape") == 0)
            shape(r, most, h, d);
        else if (strcmp(key, "data_offsets") == 0)
            offsets(r, d);
        else
            return sustain__json_wrong(r, "a tensor has a dtype, a shape and data_offsets, once each");
    }
    return r->what == NULL;
}

/* Refuses a tensor that does not lie inside the data or is not as large as its shape. */
static bool fits(const description *d, uint64_t data_length) {
    const uint64_t element = d->dtype != NULL ? sustain__dtype_size(d->dtype) : 0;
    return element != 0 && d->shape != NULL && d->offsets && d->offset[0] <= d->offset[1] && d->offset[1] <= data_length &&
           d->count <= data_length && d->count * element == d->offset[1] - d->offset[0];
}

static int by_name(const void *a, const void *b) {
    const char *const *left = a, *const *right = b; /* words and tensors begin with their name */
    return strcmp(*left, *right);
}

/* Sorts; true where two have the same name. */
static bool sort(void *rows, size_t count, size_t size) {
    if (count > 1) qsort(rows, count, size, by_name);
    for (size_t i = 1; i < count; i++)
        if (by_name((char *)rows + (i - 1) * size, (char *)rows + i * size) == 0) return true;
    return false;
}

static bool entries(sustain__json_reader *r, const unsigned char *data, size_t data_length, sustain__header *h, const char **misfit) {
    bool metadata = false;
    if (!sustain__json_expect(r, '{', "it is not an object")) return false;
    for (bool first = true; sustain__json_another(r, '}', first); first = false) {
        const char *name;
        description d = {.dtype = NULL};
        if (!sustain__json_string(r, &name) || !sustain__json_expect(r, ':', "a colon is missing")) return false;
        if (strcmp(name, "__metadata__") == 0) {
            if (metadata || !words(r, h)) return sustain__json_wrong(r, "two of one name");
            metadata = true;
            continue;
        }
        if (!describe(r, data_length, h, &d)) return false;
        if (!fits(&d, data_length)) {
            *misfit = name;
            return false;
        }
        h->tensors[h->tensor_count++] = (sustain__tensor){name, d.dtype, (int64_t)d.count, data + d.offset[0], d.shape};
    }
    if (r->what == NULL && sustain__json_ended(r) &&
        (sort(h->words, h->word_count, sizeof *h->words) || sort(h->tensors, h->tensor_count, sizeof *h->tensors)))
        sustain__json_wrong(r, "two of one name");
    return r->what == NULL;
}

/* A word has two strings, a tensor five; a shape has a comma between two sides, and two numbers
 * more: the first side, and the 0. */
void sustain__header_room(const char *text, size_t length, size_t *word_room, size_t *tensor_room, size_t *side_room) {
    size_t quotes = 0, commas = 0;
    for (size_t i = 0; i < length; i++) {
        quotes += text[i] == '"';
        commas += text[i] == ',';
    }
    *word_room = quotes / 4 + 1;
    *tensor_room = quotes / 10 + 1;
    *side_room = commas + quotes + 2;
}

bool sustain__header_read(char *text, size_t length, const unsigned char *data, size_t data_length, sustain__header *out,
                          sustain__header_trouble *trouble) {
    sustain__json_reader r = {text, text, text + length, NULL};
    const char *misfit = NULL;
    out->word_count = out->tensor_count = out->side_count = 0;
    const bool good = entries(&r, data, data_length, out, &misfit);
    *trouble = (sustain__header_trouble){r.what, misfit, (size_t)(r.at - r.begin)};
    return good;
}
