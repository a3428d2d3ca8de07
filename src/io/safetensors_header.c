/* safetensors_header.c - see safetensors_header.h. */
#include "io/safetensors_header.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t sustain__dtype_size(const char *dtype) {
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"F32", 4}, {"F64", 8}, {"I64", 8}, {"U32", 4}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(dtype, types[i].name) == 0) return types[i].size;
    return 0;
}

/* ---- writing ---- */

/* Writes, or only counts where `to` is NULL. */
typedef struct pen {
    char *to;
    size_t used;
} pen;

static void put(pen *p, const char *text) {
    const size_t length = strlen(text);
    if (p->to != NULL) memcpy(p->to + p->used, text, length);
    p->used += length;
}

static void put_string(pen *p, const char *text) {
    put(p, "\"");
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        char character[8] = {(char)c, '\0'};
        if (c == '"' || c == '\\')
            snprintf(character, sizeof character, "\\%c", c);
        else if (c < 0x20)
            snprintf(character, sizeof character, "\\u%04x", c);
        put(p, character);
    }
    put(p, "\"");
}

static void put_number(pen *p, const char *before, uint64_t number) {
    char text[32];
    snprintf(text, sizeof text, "%s%llu", before, (unsigned long long)number);
    put(p, text);
}

static void put_tensor(pen *p, const sustain__tensor *t, uint64_t offset) {
    put_string(p, t->name);
    put(p, ":{\"dtype\":");
    put_string(p, t->dtype);
    put(p, ",\"shape\":[");
    if (t->shape == NULL) put_number(p, "", (uint64_t)t->count);
    for (const int64_t *side = t->shape; side != NULL && *side != 0; side++) put_number(p, side == t->shape ? "" : ",", (uint64_t)*side);
    put_number(p, "],\"data_offsets\":[", offset);
    put_number(p, ",", offset + (uint64_t)t->count * sustain__dtype_size(t->dtype));
    put(p, "]}");
}

size_t sustain__header_write(const sustain__word *words, int word_count, const sustain__tensor *tensors, int tensor_count, char *to) {
    pen p = {to, 0};
    uint64_t offset = 0;
    put(&p, "{\"__metadata__\":{");
    for (int i = 0; i < word_count; i++) {
        put(&p, i == 0 ? "" : ",");
        put_string(&p, words[i].name);
        put(&p, ":");
        put_string(&p, words[i].value);
    }
    put(&p, "}");
    for (int i = 0; i < tensor_count; i++) {
        put(&p, ",");
        put_tensor(&p, &tensors[i], offset);
        offset += (uint64_t)tensors[i].count * sustain__dtype_size(tensors[i].dtype);
    }
    put(&p, "}");
    return p.used;
}

size_t sustain__names_write(const char *const *names, int64_t count, char *to) {
    pen p = {to, 0};
    put(&p, "[");
    for (int64_t i = 0; i < count; i++) {
        put(&p, i == 0 ? "" : ",");
        put_string(&p, names[i]);
    }
    put(&p, "]");
    return p.used;
}

/* ---- reading: the parts of JSON ---- */

typedef struct reader {
    char *begin, *at, *end;
    const char *what; /* the error; NULL: none yet */
} reader;

static bool wrong(reader *r, const char *what) {
    if (r->what == NULL) r->what = what;
    return false;
}

/* The next character that is not a space, or 0 at the end. */
static char next(reader *r) {
    while (r->at < r->end && strchr(" \t\r\n", *r->at) != NULL && *r->at != '\0') r->at++;
    return r->at < r->end ? *r->at : '\0';
}

static bool take(reader *r, char c) {
    if (next(r) != c || r->at == r->end) return false;
    r->at++;
    return true;
}

static bool expect(reader *r, char c, const char *what) {
    return take(r, c) || wrong(r, what);
}

/* After an opening bracket, and after each element: whether there is another one. */
static bool another(reader *r, char close, bool first) {
    if (r->what != NULL) return false;
    if (take(r, close)) return false;
    return first || expect(r, ',', "a comma is missing");
}

static bool hex4(reader *r, uint32_t *out) {
    *out = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = r->at < r->end && *r->at != '\0' ? strchr(digits, *r->at) : NULL;
        if (digit == NULL) return wrong(r, "four hexadecimal digits are missing");
        *out = *out << 4 | ((uint32_t)(digit - digits) & 15);
    }
    return true;
}

/* What follows \u, as UTF-8; characters beyond 16 bits are two of them. */
static bool unicode(reader *r, char **to) {
    uint32_t c, low;
    if (!hex4(r, &c)) return false;
    if (c >= 0xd800 && c < 0xdc00) {
        if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u') return wrong(r, "half a character");
        r->at += 2;
        if (!hex4(r, &low)) return false;
        if (low < 0xdc00 || low > 0xdfff) return wrong(r, "half a character");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    if (c == 0 || (c >= 0xdc00 && c < 0xe000)) return wrong(r, "no character");
    const int bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint32_t mark[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    *(*to)++ = (char)(mark[bytes] | c >> 6 * (bytes - 1));
    for (int i = bytes - 2; i >= 0; i--) *(*to)++ = (char)(0x80 | (c >> 6 * i & 0x3f));
    return true;
}

static bool escaped(reader *r, char **to) {
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    const char c = r->at < r->end ? *r->at++ : '\0';
    if (c == 'u') return unicode(r, to);
    const char *known = c != '\0' ? strchr(from, c) : NULL;
    if (known == NULL) return wrong(r, "an unknown escape");
    *(*to)++ = into[known - from];
    return true;
}

/* How many bytes the UTF-8 character at p has; 0: it is none. */
static int character(const char *p, const char *end) {
    const unsigned char *s = (const unsigned char *)p;
    const int bytes = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    if (bytes > end - p) return 0;
    for (int i = 1; i < bytes; i++)
        if (s[i] >> 6 != 2) return 0;
    const bool too_long = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    const bool no_character = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f);
    return too_long || no_character ? 0 : bytes;
}

/* A string, made in place: it is never longer than it was with its quotes. */
static bool string(reader *r, const char **out) {
    if (!expect(r, '"', "a string is missing")) return false;
    char *to = r->at;
    *out = to;
    while (r->at < r->end && *r->at != '"') {
        const int bytes = character(r->at, r->end);
        if ((unsigned char)*r->at < 0x20) return wrong(r, "a control character in a string");
        if (bytes == 0) return wrong(r, "a string that is not UTF-8");
        if (*r->at == '\\') {
            r->at++;
            if (!escaped(r, &to)) return false;
            continue;
        }
        memmove(to, r->at, (size_t)bytes);
        to += bytes;
        r->at += bytes;
    }
    if (r->at == r->end) return wrong(r, "a string without end");
    r->at++;
    *to = '\0';
    return true;
}

bool sustain__is_utf8(const char *text) {
    for (const char *end = text + strlen(text); text < end;) {
        const int bytes = character(text, end);
        if (bytes == 0) return false;
        text += bytes;
    }
    return true;
}

bool sustain__names_read(char *text, int64_t count, const char **names) {
    reader r = {text, text, text + strlen(text), NULL};
    int64_t i = 0;
    if (!expect(&r, '[', "it is not a list")) return false;
    for (bool first = true; another(&r, ']', first); first = false)
        if (i == count || !string(&r, &names[i++])) return false;
    return r.what == NULL && i == count && next(&r) == '\0' && r.at == r.end;
}

static bool whole_number(reader *r, uint64_t *out) {
    if (next(r) < '0' || next(r) > '9') return wrong(r, "a whole number is missing");
    const bool zero = *r->at == '0';
    *out = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        if (*out > (INT64_MAX - 9) / 10) return wrong(r, "a number that is too large");
        *out = *out * 10 + (uint64_t)(*r->at - '0');
    }
    return !zero || *out == 0 || wrong(r, "a number that begins with 0");
}

/* ---- reading: the header ---- */

static bool words(reader *r, sustain__header *h) {
    if (!expect(r, '{', "the metadata is not an object")) return false;
    for (bool first = true; another(r, '}', first); first = false) {
        sustain__word *w = &h->words[h->word_count];
        if (!string(r, &w->name) || !expect(r, ':', "a colon is missing") || !string(r, &w->value)) return false;
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

static bool shape(reader *r, uint64_t most, sustain__header *h, description *d) {
    if (d->shape != NULL || !expect(r, '[', "a shape that is not a list")) return wrong(r, "two shapes");
    d->shape = h->sides + h->side_count;
    d->count = 1;
    for (bool first = true; another(r, ']', first); first = false) {
        uint64_t side;
        if (!whole_number(r, &side)) return false;
        h->sides[h->side_count++] = (int64_t)side;
        /* one more than there can be */
        d->count = side != 0 && d->count > most / side ? most + 1 : d->count * side;
    }
    h->sides[h->side_count++] = 0;
    return r->what == NULL;
}

static bool offsets(reader *r, description *d) {
    if (d->offsets || !expect(r, '[', "offsets that are not a list")) return wrong(r, "two lists of offsets");
    d->offsets = true;
    return whole_number(r, &d->offset[0]) && expect(r, ',', "two offsets are wanted") && whole_number(r, &d->offset[1]) &&
           expect(r, ']', "two offsets are wanted");
}

static bool describe(reader *r, uint64_t most, sustain__header *h, description *d) {
    if (!expect(r, '{', "a tensor that is not an object")) return false;
    for (bool first = true; another(r, '}', first); first = false) {
        const char *key;
        if (!string(r, &key) || !expect(r, ':', "a colon is missing")) return false;
        if (strcmp(key, "dtype") == 0 && d->dtype == NULL)
            string(r, &d->dtype);
        else if (strcmp(key, "shape") == 0)
            shape(r, most, h, d);
        else if (strcmp(key, "data_offsets") == 0)
            offsets(r, d);
        else
            return wrong(r, "a tensor has a dtype, a shape and data_offsets, once each");
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

static bool entries(reader *r, const unsigned char *data, size_t data_length, sustain__header *h, const char **misfit) {
    bool metadata = false;
    if (!expect(r, '{', "it is not an object")) return false;
    for (bool first = true; another(r, '}', first); first = false) {
        const char *name;
        description d = {.dtype = NULL};
        if (!string(r, &name) || !expect(r, ':', "a colon is missing")) return false;
        if (strcmp(name, "__metadata__") == 0) {
            if (metadata || !words(r, h)) return wrong(r, "two of one name");
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
    if (r->what == NULL && (next(r) != '\0' || r->at < r->end)) wrong(r, "something follows its end");
    if (r->what == NULL && (sort(h->words, h->word_count, sizeof *h->words) || sort(h->tensors, h->tensor_count, sizeof *h->tensors)))
        wrong(r, "two of one name");
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
    reader r = {text, text, text + length, NULL};
    const char *misfit = NULL;
    out->word_count = out->tensor_count = out->side_count = 0;
    const bool good = entries(&r, data, data_length, out, &misfit);
    *trouble = (sustain__header_trouble){r.what, misfit, (size_t)(r.at - r.begin)};
    return good;
}
