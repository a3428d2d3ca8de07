/* pack_text.c - see pack_text.h. */
#include "data/pack_text.h"

#include <math.h>
#include <string.h>

#include "data/csv_field.h"
#include "data/table_internal.h"

enum { PIECE = SUSTAIN__PIECE, SAMPLE = 1 << 18 }; /* bytes */

/* Of the fields of a table; '\0': the text is no table, and has no quotes. */
static char delimiter_of(const sustain__input *whole) {
    char delimiter = '\0';
    size_t at = sustain__byte_order_mark(whole->bytes, whole->length);
    if (sustain__is_libsvm(whole->bytes, whole->length)) return '\0';
    while (at < whole->length && strchr(" \r\n", whole->bytes[at]) != NULL) at++;
    sustain_csv_delimiter((const char *)whole->bytes + at, whole->length - at, &delimiter);
    return delimiter;
}

/* Where a piece of text of `size` bytes that begins at `at` ends: after a line that is complete,
 * whose quotes are closed. */
static size_t piece_end(const sustain__input *whole, size_t at, size_t size, char delimiter) {
    size_t end = whole->length;
    sustain__csv_quotes quotes = {.open = false};
    if (whole->length - at <= size) return whole->length;
    for (size_t i = at == 0 ? sustain__byte_order_mark(whole->bytes, whole->length) : at; i < whole->length; i++) {
        const char c = (char)whole->bytes[i];
        if (delimiter != '\0') sustain__csv_quotes_take(&quotes, c, c == delimiter);
        if (c == '\n' && !quotes.open) end = i + 1;
        if (i - at >= size && end != whole->length) break;
    }
    return end;
}

/* The bytes of the lines at the beginning that every piece of a table needs: a line "sep=;" and the
 * header, where there is one. */
static size_t head_length(const sustain__input *whole, bool header, char delimiter) {
    const unsigned char *bytes = whole->bytes;
    size_t at = sustain__byte_order_mark(whole->bytes, whole->length);
    char ignored;
    const bool stated = sustain_csv_delimiter((const char *)bytes + at, whole->length - at, &ignored) > 0;
    at = stated ? piece_end(whole, at, 1, delimiter) : 0;
    while (header && at < whole->length && strchr(" \r\n", bytes[at]) != NULL) at++; /* empty lines */
    return header ? piece_end(whole, at, 1, delimiter) : at;
}

/* What the first piece of a text says of the others. */
typedef struct head {
    char delimiter; /* of fields; '\0' for LIBSVM */
    size_t length;  /* of the bytes that go before each of them */
    sustain_table_encoding *encoding;
} head;

/* A piece of text with the header of the table, as a file of its own. */
static sustain_status add_piece(sustain_pack *p, const sustain__input *whole, size_t at, size_t end, const sustain_read_options *options,
                                head *first) {
    sustain_dataset *set;
    unsigned char *text = NULL;
    SUSTAIN_TRY(sustain__dataset_create(whole->context, whole->set->source, &set));
    sustain__input piece = {.context = whole->context, .bytes = whole->bytes + at, .length = end - at, .options = options, .set = set};
    sustain_status status = SUSTAIN_OK;
    if (at > 0 && first->length > 0) {
        status = sustain__allocate(whole->context, first->length + (end - at), &text);
        if (status == SUSTAIN_OK) {
            memcpy(text, whole->bytes, first->length);
            memcpy(text + first->length, whole->bytes + at, end - at);
            piece.bytes = text, piece.length = first->length + (end - at);
        }
    }
    if (status == SUSTAIN_OK) status = sustain__parse(&piece);
    if (status == SUSTAIN_OK)
        status = sustain_pack_add(p, set);
    else if (at > 0 && status == SUSTAIN_FORMAT)
        status = sustain__fail(whole->context, status, "%.300s (counted in the piece from byte %zu on)", sustain_error(whole->context), at);
    if (status == SUSTAIN_OK && at == 0 && first->delimiter != '\0') {
        if (set->encoding != NULL) first->encoding = sustain_table_encoding_share(set->encoding);
        first->length = head_length(whole, set->encoding != NULL ? set->encoding->header : set->column_names != NULL, first->delimiter);
    }
    sustain__free(whole->context, text);
    sustain_dataset_destroy(set);
    return status;
}

/* Reads the first `length` bytes as a file of their own: what they take at most, and their rows. */
static bool measure_sample(const sustain__input *whole, size_t length, double *taken, double *rows) {
    sustain_context *context = whole->context;
    const sustain_log_sink log = context->log;
    const size_t held = context->memory_used, peak = context->memory_peak;
    sustain_dataset *set;
    if (sustain__dataset_create(context, whole->set->source, &set) != SUSTAIN_OK) return false;
    sustain__input sample = {.context = context, .bytes = whole->bytes, .length = length, .options = whole->options, .set = set};
    context->log = NULL;
    context->memory_peak = held;
    const bool good = sustain__parse(&sample) == SUSTAIN_OK;
    *taken = (double)(context->memory_peak - held);
    *rows = (double)set->rows.count;
    context->log = log;
    if (context->memory_peak < peak) context->memory_peak = peak;
    sustain_dataset_destroy(set);
    return good;
}

sustain_status sustain__pack_text_memory(const sustain__input *whole) {
    /* bytes of a spelling of a label (labels.c), and of a row while classes are numbered */
    enum { A_CLASS = 36, KEPT = 8, MOST_CLASSES = 1 << 16 };
    const double giga = 1e9, limit = (double)whole->context->memory_limit, held = (double)whole->context->memory_used;
    double taken, rows;
    const char delimiter = delimiter_of(whole);
    const bool table = delimiter != '\0';
    const size_t some = piece_end(whole, 0, SAMPLE, delimiter);
    if (!(limit > 0) || some > whole->length / 2 || !measure_sample(whole, some, &taken, &rows)) return SUSTAIN_OK;
    const bool copied = table && whole->length > PIECE;
    const double part = whole->length < PIECE ? (double)whole->length : PIECE, times = part / (double)some;
    const double piece =
        (taken - A_CLASS * fmin(rows, MOST_CLASSES)) * times + A_CLASS * fmin(rows * times, MOST_CLASSES) + (copied ? part : 0);
    const double all = rows * (double)whole->length / (double)some;
    /* lists have room for a quarter more on average; one that is full is copied to a larger one */
    const double lists = all * (table ? sizeof(int32_t) : sizeof(int32_t) + sizeof(int64_t)), ending = 1.25 * lists + KEPT * all;
    const double grown = (whole->length > PIECE ? 2 : 1.25) * lists, needed = held + fmax(piece + grown, ending);
    if (needed <= limit) return SUSTAIN_OK;
    const bool by_rows = ending > piece;
    return sustain__fail(whole->context, SUSTAIN_MEMORY_LIMIT,
                         "%s: about %.3g GB of memory are needed to pack it, %.3g GB of them for %s, and %.3g GB are allowed: %s",
                         whole->set->source, needed / giga, (by_rows ? fmax(grown, ending) : piece) / giga,
                         by_rows ? "the labels of all its rows" : "the numbers of a piece of it", limit / giga,
                         by_rows || whole->length <= PIECE ? "divide it and pack the parts, which can be read as a list"
                                                           : "give fewer columns");
}

sustain_status sustain__pack_text(sustain_pack *p, const sustain__input *whole, size_t piece) {
    sustain_read_options options = *whole->options;
    head first = {.delimiter = delimiter_of(whole)};
    sustain_status status = SUSTAIN_OK;
    for (size_t at = 0; at < whole->length && status == SUSTAIN_OK;) {
        const size_t end = piece_end(whole, at, piece, first.delimiter);
        status = add_piece(p, whole, at, end, &options, &first);
        if (first.encoding != NULL) options.encoding = first.encoding;
        at = end;
        sustain__log(whole->context, "pack: %.0f %% of %s", 100 * (double)at / (double)whole->length, whole->set->source);
    }
    sustain_table_encoding_destroy(first.encoding);
    return status;
}
