/* json_text.c - see json_text.h. */
#include "io/json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"

/* ---- writing ---- */

void sustain__json_put(sustain__json_pen *p, const char *text) {
    const size_t length = strlen(text);
    if (p->to != NULL) memcpy(p->to + p->used, text, length);
    p->used += length;
}

void sustain__json_put_string(sustain__json_pen *p, const char *text) {
    sustain__json_put(p, "\"");
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        char character[8] = {(char)c, '\0'};
        if (c == '"' || c == '\\')
            snprintf(character, sizeof character, "\\%c", c);
        else if (c < 0x20)
            snprintf(character, sizeof character, "\\u%04x", c);
        sustain__json_put(p, character);
    }
    sustain__json_put(p, "\"");
}

void sustain__json_put_integer(sustain__json_pen *p, const char *before, int64_t number) {
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)number);
    sustain__json_put(p, before);
    sustain__json_put(p, text);
}

void sustain__json_put_float(sustain__json_pen *p, const char *before, float number) {
    char text[32];
    sustain__decimal_write((double)number, 9, text, sizeof text);
    sustain__json_put(p, before);
    sustain__json_put(p, text);
    if (strpbrk(text, ".e") == NULL) sustain__json_put(p, ".0");
}

/* ---- reading: pieces ---- */

bool sustain__json_wrong(sustain__json_reader *r, const char *what) {
    if (r->what == NULL) r->what = what;
    return false;
}

/* The next character that is not a space, or 0 at the end. */
static char next(sustain__json_reader *r) {
    while (r->at < r->end && strchr(" \t\r\n", *r->at) != NULL && *r->at != '\0') r->at++;
    return r->at < r->end ? *r->at : '\0';
}

/* Takes a character if it is the next. */
static bool take(sustain__json_reader *r, char c) {
    if (next(r) != c || r->at == r->end) return false;
    r->at++;
    return true;
}

bool sustain__json_expect(sustain__json_reader *r, char c, const char *what) {
    return take(r, c) || sustain__json_wrong(r, what);
}

/* After an opening bracket, and after each element: whether there is another one. */
bool sustain__json_another(sustain__json_reader *r, char close, bool first) {
    if (r->what != NULL) return false;
    if (take(r, close)) return false;
    return first || sustain__json_expect(r, ',', "a comma is missing");
}

bool sustain__json_ended(sustain__json_reader *r) {
    return (next(r) == '\0' && r->at == r->end) || sustain__json_wrong(r, "something follows its end");
}

static bool hex4(sustain__json_reader *r, uint32_t *out) {
    *out = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = r->at < r->end && *r->at != '\0' ? strchr(digits, *r->at) : NULL;
        if (digit == NULL) return sustain__json_wrong(r, "four hexadecimal digits are missing");
        *out = *out << 4 | ((uint32_t)(digit - digits) & 15);
    }
    return true;
}

/* What follows \u, as UTF-8; characters beyond 16 bits are two of them. */
static bool unicode(sustain__json_reader *r, char **to) {
    uint32_t c, low;
    if (!hex4(r, &c)) return false;
    if (c >= 0xd800 && c < 0xdc00) {
        if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u') return sustain__json_wrong(r, "half a character");
        r->at += 2;
        if (!hex4(r, &low)) return false;
        if (low < 0xdc00 || low > 0xdfff) return sustain__json_wrong(r, "half a character");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    if (c == 0 || (c >= 0xdc00 && c < 0xe000)) return sustain__json_wrong(r, "no character");
    const int bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint32_t mark[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    *(*to)++ = (char)(mark[bytes] | c >> 6 * (bytes - 1));
    for (int i = bytes - 2; i >= 0; i--) *(*to)++ = (char)(0x80 | (c >> 6 * i & 0x3f));
    return true;
}

static bool escaped(sustain__json_reader *r, char **to) {
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    const char c = r->at < r->end ? *r->at++ : '\0';
    if (c == 'u') return unicode(r, to);
    const char *known = c != '\0' ? strchr(from, c) : NULL;
    if (known == NULL) return sustain__json_wrong(r, "an unknown escape");
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
bool sustain__json_string(sustain__json_reader *r, const char **out) {
    if (!sustain__json_expect(r, '"', "a string is missing")) return false;
    char *to = r->at;
    *out = to;
    while (r->at < r->end && *r->at != '"') {
        const int bytes = character(r->at, r->end);
        if ((unsigned char)*r->at < 0x20) return sustain__json_wrong(r, "a control character in a string");
        if (bytes == 0) return sustain__json_wrong(r, "a string that is not UTF-8");
        if (*r->at == '\\') {
            r->at++;
            if (!escaped(r, &to)) return false;
            continue;
        }
        memmove(to, r->at, (size_t)bytes);
        to += bytes;
        r->at += bytes;
    }
    if (r->at == r->end) return sustain__json_wrong(r, "a string without end");
    r->at++;
    *to = '\0';
    return true;
}

bool sustain__bytes_are_utf8(const char *at, const char *end) {
    while (at < end) {
        const int bytes = character(at, end);
        if (bytes == 0) return false;
        at += bytes;
    }
    return true;
}

bool sustain__is_utf8(const char *text) {
    return sustain__bytes_are_utf8(text, text + strlen(text));
}

bool sustain__json_whole(sustain__json_reader *r, uint64_t *out) {
    if (next(r) < '0' || next(r) > '9') return sustain__json_wrong(r, "a whole number is missing");
    const bool zero = *r->at == '0';
    *out = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        if (*out > (INT64_MAX - 9) / 10) return sustain__json_wrong(r, "a number that is too large");
        *out = *out * 10 + (uint64_t)(*r->at - '0');
    }
    return !zero || *out == 0 || sustain__json_wrong(r, "a number that begins with 0");
}

/* ---- reading: the tree ---- */

enum { DEEPEST = 32 };

/* Where the nodes of the tree come from. */
typedef struct grower {
    sustain__json_reader r;
    sustain__json *nodes;
    size_t used;
} grower;

static bool value(grower *g, int depth, sustain__json *node);

static bool word(grower *g, const char *text, sustain__json_kind kind, sustain__json *node) {
    const size_t length = strlen(text);
    if ((size_t)(g->r.end - g->r.at) < length || memcmp(g->r.at, text, length) != 0)
        return sustain__json_wrong(&g->r, "a value is missing");
    g->r.at += length;
    node->kind = kind;
    return true;
}

static int digits(const char **at) {
    int count = 0;
    for (; **at >= '0' && **at <= '9'; ++*at) count++;
    return count;
}

static bool number(grower *g, sustain__json *node) {
    char text[64];
    const size_t left = (size_t)(g->r.end - g->r.at), length = left < sizeof text ? left : sizeof text - 1;
    const char *at = text;
    memcpy(text, g->r.at, length);
    text[length] = '\0';
    at += *at == '-';
    const char *first = at;
    const int before = digits(&at);
    bool good = before > 0 && (before == 1 || *first != '0');
    node->kind = SUSTAIN__JSON_INTEGER;
    if (good && *at == '.') at++, node->kind = SUSTAIN__JSON_REAL, good = digits(&at) > 0;
    if (good && (*at == 'e' || *at == 'E')) {
        at++, at += *at == '-' || *at == '+';
        node->kind = SUSTAIN__JSON_REAL, good = digits(&at) > 0;
    }
    const size_t used = (size_t)(at - text);
    if (!good || used + 1 >= sizeof text || (node->kind == SUSTAIN__JSON_INTEGER && before > 18))
        return sustain__json_wrong(&g->r, "a number is not one");
    text[used] = '\0';
    g->r.at += used;
    if (node->kind == SUSTAIN__JSON_INTEGER) node->integer = strtoll(text, NULL, 10);
    return sustain__decimal_read(text, &node->number);
}

static bool elements(grower *g, bool named, int depth, sustain__json *node) {
    sustain__json *last = NULL;
    const char close = named ? '}' : ']';
    node->kind = named ? SUSTAIN__JSON_OBJECT : SUSTAIN__JSON_LIST;
    for (bool first = true; sustain__json_another(&g->r, close, first); first = false) {
        sustain__json *element = &g->nodes[g->used++];
        if (named && (!sustain__json_string(&g->r, &element->name) || !sustain__json_expect(&g->r, ':', "a colon is missing")))
            return false;
        if (!value(g, depth, element)) return false;
        if (last == NULL) node->first = element;
        if (last != NULL) last->next = element;
        last = element;
        node->count++;
    }
    return g->r.what == NULL;
}

static bool value(grower *g, int depth, sustain__json *node) {
    const char c = next(&g->r);
    if (depth == 0) return sustain__json_wrong(&g->r, "it is nested too deeply");
    if (take(&g->r, '{')) return elements(g, true, depth - 1, node);
    if (take(&g->r, '[')) return elements(g, false, depth - 1, node);
    node->kind = SUSTAIN__JSON_STRING;
    if (c == '"') return sustain__json_string(&g->r, &node->text);
    if (c == 't') return word(g, "true", SUSTAIN__JSON_TRUE, node);
    if (c == 'f') return word(g, "false", SUSTAIN__JSON_FALSE, node);
    if (c == 'n') return word(g, "null", SUSTAIN__JSON_NULL, node);
    return number(g, node);
}

sustain_status sustain__json_read(sustain_context *context, char *text, sustain__json **out) {
    size_t room = 2; /* the root and one more: every other value follows a bracket or a comma */
    for (const char *c = text; *c != '\0'; c++) room += *c == ',' || *c == '[' || *c == '{';
    *out = NULL;
    grower g = {.r = {text, text, text + strlen(text), NULL}, .used = 1};
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(room, sizeof *g.nodes), &g.nodes));
    if (value(&g, DEEPEST, g.nodes) && sustain__json_ended(&g.r))
        *out = g.nodes;
    else
        sustain__free(context, g.nodes);
    return SUSTAIN_OK;
}

const sustain__json *sustain__json_get(const sustain__json *object, const char *name) {
    const sustain__json *element = object != NULL && object->kind == SUSTAIN__JSON_OBJECT ? object->first : NULL;
    while (element != NULL && strcmp(element->name, name) != 0) element = element->next;
    return element;
}
