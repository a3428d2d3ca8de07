/* text_terms.c - see text_terms.h. */
#include "data/text_terms.h"

#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

static const uint64_t hash_start = 14695981039346656037u; /* FNV-1a */

static uint64_t hash_byte(uint64_t h, unsigned char byte) {
    return (h ^ byte) * 1099511628211u;
}

/* The low bits of FNV-1a are weak: mix all bits before taking the highest. */
static int32_t bucket_of(uint64_t h) {
    h = (h ^ (h >> 32)) * 0x9e3779b97f4a7c15u;
    return (int32_t)(h >> (64 - SUSTAIN__HALF_BITS));
}

static unsigned char lower(char c) {
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool in_word(char c) {
    const unsigned char low = lower(c);
    return (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9') || low == '_' || low >= 128;
}

/* The next word of at least two characters; false after the last. Bytes 128 to 191 continue a
 * UTF-8 character. */
static bool next_word(const char **at, const char *end, sustain__field_text *word) {
    while (*at < end) {
        int characters = 0;
        while (*at < end && !in_word(**at)) (*at)++;
        word->at = *at;
        for (; *at < end && in_word(**at); (*at)++) characters += ((unsigned char)**at & 0xc0) != 0x80;
        word->end = *at;
        if (characters >= 2) return true;
    }
    return false;
}

static uint64_t hash_word(uint64_t h, sustain__field_text word) {
    for (const char *c = word.at; c < word.end; c++) h = hash_byte(h, lower(*c));
    return h;
}

void sustain__terms_of(sustain__field_text text, sustain__term_action *each, void *user) {
    const char *at = text.at;
    sustain__field_text word, before = {NULL, NULL};
    uint64_t hash_before = 0;
    while (next_word(&at, text.end, &word)) {
        const uint64_t h = hash_word(hash_start, word);
        const sustain__term one = {bucket_of(h), word, {NULL, NULL}};
        each(user, &one);
        if (before.at != NULL) {
            const uint64_t both = hash_word(hash_byte(hash_before, ' '), word);
            const sustain__term pair = {SUSTAIN__FIRST_PAIR + bucket_of(both), before, word};
            each(user, &pair);
        }
        before = word;
        hash_before = h;
    }
}

static size_t append(sustain__field_text word, char *out, size_t length, size_t size) {
    for (const char *c = word.at; c < word.end && length + 1 < size; c++) out[length++] = (char)lower(*c);
    return length;
}

void sustain__term_text(const sustain__term *term, char *out, size_t size) {
    size_t length = append(term->first, out, 0, size);
    if (term->second.at != NULL && length + 1 < size) {
        out[length++] = ' ';
        length = append(term->second, out, length, size);
    }
    /* do not cut inside a character */
    while (length + 1 == size && length > 0 && (unsigned char)out[length - 1] >= 128) length--;
    out[length] = '\0';
}

/* ---- counting ---- */

static void add(void *user, const sustain__term *term) {
    sustain__term_list *list = user;
    if (list->failed) return;
    if (list->count == list->room) {
        sustain__counted *more;
        const int64_t room = list->room > 0 ? 2 * list->room : 256;
        list->failed = sustain__allocate(list->context, sustain__multiply((size_t)room, sizeof *more), &more) != SUSTAIN_OK;
        if (list->failed) return;
        if (list->count > 0) memcpy(more, list->items, (size_t)list->count * sizeof *more);
        sustain__free(list->context, list->items);
        list->items = more;
        list->room = room;
    }
    list->items[list->count++] = (sustain__counted){term->bucket, 1};
}

static int by_bucket(const void *a, const void *b) {
    const int32_t p = ((const sustain__counted *)a)->bucket, q = ((const sustain__counted *)b)->bucket;
    return p < q ? -1 : p > q;
}

sustain_status sustain__term_list_fill(sustain__term_list *list, sustain__field_text text) {
    int64_t kept = 0;
    list->count = 0;
    sustain__terms_of(text, add, list);
    if (list->failed) return SUSTAIN_MEMORY;
    if (list->count == 0) return SUSTAIN_OK;
    qsort(list->items, (size_t)list->count, sizeof *list->items, by_bucket);
    for (int64_t i = 1; i < list->count; i++) {
        if (list->items[i].bucket == list->items[kept].bucket)
            list->items[kept].count++;
        else
            list->items[++kept] = list->items[i];
    }
    list->count = kept + 1;
    return SUSTAIN_OK;
}

void sustain__term_list_free(sustain__term_list *list) {
    sustain__free(list->context, list->items);
    list->items = NULL;
}
