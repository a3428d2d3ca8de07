/* json_text.h - JSON read and written without a library: headers of safetensors files, lists of
 * names, encodings of tables. Numbers are independent of the locale. */
#ifndef SUSTAIN_IO_JSON_TEXT_H
#define SUSTAIN_IO_JSON_TEXT_H

#include "core/context_internal.h"

/* ---- writing ---- */

/* Writes, or only counts where `to` is NULL. No 0 is written at the end. */
typedef struct sustain__json_pen {
    char *to;
    size_t used;
} sustain__json_pen;

/* Text as it is: punctuation, and what the next functions do not write. */
void sustain__json_put(sustain__json_pen *p, const char *text);
void sustain__json_put_string(sustain__json_pen *p, const char *text);

/* A number after some text. A float has nine digits, which reproduce it exactly, and always a point
 * or an exponent. */
void sustain__json_put_integer(sustain__json_pen *p, const char *before, int64_t number);
void sustain__json_put_float(sustain__json_pen *p, const char *before, float number);

/* Whether JSON can hold a text. */
bool sustain__is_utf8(const char *text);
bool sustain__bytes_are_utf8(const char *at, const char *end);

/* ---- reading piece by piece, for texts whose form is known ---- */

typedef struct sustain__json_reader {
    char *begin, *at, *end;
    const char *what; /* the error; NULL: none yet */
} sustain__json_reader;

/* Notes the first error; returns false. */
bool sustain__json_wrong(sustain__json_reader *r, const char *what);

/* Takes a character; that another one is next is an error. */
bool sustain__json_expect(sustain__json_reader *r, char c, const char *what);

/* After an opening bracket, and after each element: whether there is another one. */
bool sustain__json_another(sustain__json_reader *r, char close, bool first);

/* Whether everything was read; else an error. */
bool sustain__json_ended(sustain__json_reader *r);

/* A string, decoded in place: it is never longer than it was with its quotes. */
bool sustain__json_string(sustain__json_reader *r, const char **out);

/* A whole number from 0. */
bool sustain__json_whole(sustain__json_reader *r, uint64_t *out);

/* ---- reading a whole text as a tree ---- */

typedef enum sustain__json_kind {
    SUSTAIN__JSON_OBJECT,
    SUSTAIN__JSON_LIST,
    SUSTAIN__JSON_STRING,
    SUSTAIN__JSON_INTEGER,
    SUSTAIN__JSON_REAL,
    SUSTAIN__JSON_TRUE,
    SUSTAIN__JSON_FALSE,
    SUSTAIN__JSON_NULL
} sustain__json_kind;

typedef struct sustain__json {
    sustain__json_kind kind;
    const char *name; /* in an object */
    const char *text; /* of a string */
    int64_t integer;
    double number;                     /* of an integer too */
    const struct sustain__json *first; /* of an object or a list; NULL: it is empty */
    const struct sustain__json *next;  /* of the same object or list */
    int64_t count;                     /* elements of an object or a list */
} sustain__json;

/* Reads a text with a 0 at its end, in which strings are decoded. *out, the root, is one block:
 * free it. SUSTAIN_OK and NULL where the text is not JSON. */
sustain_status sustain__json_read(sustain_context *context, char *text, sustain__json **out);

/* The element of that name; NULL where there is none, or no object. */
const sustain__json *sustain__json_get(const sustain__json *object, const char *name);

#endif
