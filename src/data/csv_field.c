/* csv_field.c - see csv_field.h. */
#include "data/csv_field.h"

#include <string.h>

#include <sustain/dataset.h>

#include "data/number.h"

/* The most frequent delimiter of the first line, outside quotes; blanks separate fields only if
 * all fields are numbers. */
static char choose_delimiter(const char *at, const char *end) {
    static const char candidates[] = {',', ';', '\t'};
    int count[3] = {0}, best = 0;
    bool numbers = true;
    sustain__csv_quotes quotes = {.open = false};
    const char *last = at;
    for (; last < end && (*last != '\n' || quotes.open); last++) {
        const char *found = quotes.open ? NULL : memchr(candidates, *last, sizeof candidates);
        if (found != NULL) count[found - candidates]++;
        sustain__csv_quotes_take(&quotes, *last, found != NULL);
    }
    for (int i = 1; i < 3; i++)
        if (count[i] > count[best]) best = i;
    if (count[best] > 0) return candidates[best];
    int words = 0;
    while (at < last) {
        double value;
        while (at < last && (*at == ' ' || *at == '\r')) at++;
        const char *word = at;
        while (at < last && *at != ' ' && *at != '\r') at++;
        if (at > word) words++, numbers = numbers && sustain__number_is(word, at, &value);
    }
    return words > 1 && numbers ? ' ' : ',';
}

size_t sustain_csv_delimiter(const char *text, size_t length, char *delimiter) {
    if (text == NULL || delimiter == NULL) return 0;
    const bool stated = length > 5 && memcmp(text, "sep=", 4) == 0 && text[4] != '\0' && strchr(",;\t|", text[4]) != NULL &&
                        (text[5] == '\n' || text[5] == '\r');
    *delimiter = stated ? text[4] : choose_delimiter(text, text + length);
    return stated ? 5 : 0;
}

static sustain_status refuse_nul(sustain_context *context, const char *path, const unsigned char *bytes, size_t length) {
    const unsigned char *nul = memchr(bytes, '\0', length);
    if (nul == NULL) return SUSTAIN_OK;
    long long line = 1;
    for (const unsigned char *at = bytes; at < nul; at++) line += *at == '\n';
    return sustain__fail(context, SUSTAIN_FORMAT, "%s: line %lld has a NUL byte: the file is damaged, or is not text in UTF-8", path, line);
}

/* The line ends of old spreadsheets: all would be one line. */
static sustain_status refuse_lone_cr(sustain_context *context, const char *path, const unsigned char *bytes, size_t length) {
    const unsigned char *cr = memchr(bytes, '\r', length);
    if (cr == NULL || cr + 1 == bytes + length || memchr(bytes, '\n', length) != NULL) return SUSTAIN_OK;
    return sustain__fail(context, SUSTAIN_FORMAT,
                         "%s: its lines end with CR alone: save it with LF or CRLF (in a spreadsheet: 'CSV UTF-8')", path);
}

static bool is_empty(char c, char delimiter) {
    return c == delimiter || c == ' ' || c == '\r' || c == '\n';
}

sustain_status sustain__csv_begin(sustain_context *context, const char *path, const unsigned char *bytes, size_t length,
                                  sustain__csv *out) {
    SUSTAIN_TRY(refuse_nul(context, path, bytes, length));
    SUSTAIN_TRY(refuse_lone_cr(context, path, bytes, length));
    const char *at = (const char *)bytes, *end = at + length;
    at += sustain__byte_order_mark(bytes, length);
    *out = (sustain__csv){.context = context, .path = path, .at = at, .end = end, .line = 1, .undone_room = 3 * length};
    sustain__csv_row(out, NULL);
    out->at += sustain_csv_delimiter(out->at, (size_t)(end - out->at), &out->delimiter);
    sustain__csv_row(out, NULL);
    for (out->filled = end; out->filled > out->at && is_empty(out->filled[-1], out->delimiter);) out->filled--;
    return SUSTAIN_OK;
}

void sustain__csv_end(sustain__csv *csv) {
    sustain__free(csv->context, csv->undone);
    csv->undone = NULL;
}

bool sustain__csv_row(sustain__csv *csv, bool *skipped) {
    const char *at = csv->at;
    while (at < csv->end && (*at == ' ' || *at == '\r' || *at == '\n')) {
        if (*at++ != '\n') continue;
        csv->at = at;
        csv->line++;
        if (skipped != NULL) *skipped = true;
    }
    return at < csv->end;
}

bool sustain__csv_rest_is_empty(const sustain__csv *csv) {
    return csv->at >= csv->filled;
}

/* Skips blanks and the delimiter or line end after a field. False: other text follows. */
static bool finish_field(sustain__csv *csv, const char *at) {
    const char *first = at;
    while (at < csv->end && (*at == ' ' || *at == '\r')) at++;
    csv->row_ended = at == csv->end || *at == '\n';
    if (csv->row_ended) {
        csv->line += at < csv->end;
        csv->at = at < csv->end ? at + 1 : at;
        return true;
    }
    if (*at == csv->delimiter || (csv->delimiter == ' ' && at > first)) {
        csv->at = at + (csv->delimiter != ' ');
        return true;
    }
    return false;
}

static const char *skip_blanks(const sustain__csv *csv) {
    const char *at = csv->at;
    while (at < csv->end && *at == ' ') at++;
    return at;
}

bool sustain__csv_number(sustain__csv *csv, double *out) {
    const char *last = sustain__number_read(skip_blanks(csv), csv->end, out);
    return last != NULL && finish_field(csv, last);
}

/* A quoted field, from the first character after the opening quote. */
static sustain_status quoted(sustain__csv *csv, const char *at, sustain__field_text *out) {
    const char *first = at, *close = at;
    size_t doubled = 0;
    int64_t lines = 0;
    for (;; close++) {
        if (close == csv->end)
            return sustain__fail(csv->context, SUSTAIN_FORMAT, "%s: line %lld: a quote is not closed", csv->path, (long long)csv->line);
        lines += *close == '\n';
        if (*close != '"') continue;
        if (close + 1 == csv->end || close[1] != '"') break;
        doubled++, close++;
    }
    *out = (sustain__field_text){first, close};
    if (doubled > 0) {
        if (csv->undone == NULL) SUSTAIN_TRY(sustain__allocate(csv->context, csv->undone_room, &csv->undone));
        char *to = csv->undone + csv->undone_length;
        out->at = to;
        for (at = first; at < close; at++) {
            *to++ = *at;
            if (*at == '"') at++;
        }
        out->end = to;
        csv->undone_length += (size_t)(to - out->at);
    }
    csv->line += lines;
    if (finish_field(csv, close + 1)) return SUSTAIN_OK;
    return sustain__fail(csv->context, SUSTAIN_FORMAT, "%s: line %lld: text follows a closing quote", csv->path, (long long)csv->line);
}

sustain_status sustain__csv_text(sustain__csv *csv, sustain__field_text *out) {
    const char *at = skip_blanks(csv), *end = at;
    if (at < csv->end && *at == '"') return quoted(csv, at + 1, out);
    while (end < csv->end && *end != csv->delimiter && *end != '\n') end++;
    const char *last = end;
    while (last > at && (last[-1] == ' ' || last[-1] == '\r')) last--;
    *out = (sustain__field_text){at, last};
    finish_field(csv, end);
    return SUSTAIN_OK;
}

bool sustain__csv_end_row(sustain__csv *csv) {
    if (csv->row_ended) return true;
    const char *at = skip_blanks(csv);
    return (at == csv->end || *at == '\n' || *at == '\r') && finish_field(csv, at) && csv->row_ended;
}

sustain_status sustain__csv_skip(sustain__csv *csv) {
    sustain__field_text ignored;
    return sustain__csv_text(csv, &ignored);
}
