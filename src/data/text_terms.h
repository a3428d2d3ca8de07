/* text_terms.h - the words of a text and pairs of consecutive words, hashed to buckets.
 *
 * A word is a run of at least two letters, digits or underscores; A to Z become a to z, and
 * bytes from 128 on (letters of other alphabets in UTF-8) are letters as they are. A hash of its
 * bytes assigns a term, "profit" or "net profit", to a bucket: words to the lower half of the
 * buckets, pairs to the upper. */
#ifndef SUSTAIN_DATA_TEXT_TERMS_H
#define SUSTAIN_DATA_TEXT_TERMS_H

#include "data/csv_field.h"

#ifndef SUSTAIN__HALF_BITS /* smaller where tables of a megabyte take nearly all the time: tests/fuzz */
#define SUSTAIN__HALF_BITS 19
#endif
enum { SUSTAIN__FIRST_PAIR = 1 << SUSTAIN__HALF_BITS, SUSTAIN__BUCKETS = 2 * SUSTAIN__FIRST_PAIR };

/* A term of a text. */
typedef struct sustain__term {
    int32_t bucket;
    sustain__field_text first, second; /* its words as they are written; second.at NULL: one word */
} sustain__term;

/* Calls each(user, term) for the terms of a text, in order. */
typedef void sustain__term_action(void *user, const sustain__term *term);
void sustain__terms_of(sustain__field_text text, sustain__term_action *each, void *user);

/* A term as text, "net profit", cut to fit. */
void sustain__term_text(const sustain__term *term, char *out, size_t size);

/* A bucket and the number of terms that a text has in it. */
typedef struct sustain__counted {
    int32_t bucket, count;
} sustain__counted;

/* The buckets of one text; the list is reused for the next. A zeroed list is empty. */
typedef struct sustain__term_list {
    sustain_context *context;
    sustain__counted *items; /* (count) by increasing bucket */
    int64_t count, room;
    bool failed; /* out of memory */
} sustain__term_list;

sustain_status sustain__term_list_fill(sustain__term_list *list, sustain__field_text text);
void sustain__term_list_free(sustain__term_list *list);

#endif
