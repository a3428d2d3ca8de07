/* libsvm.c - LIBSVM text: one row per line, "label index:value index:value ...", with increasing
 * indices from 1; a # starts a comment. Rows are stored sparse, without explicit zeros. If an
 * index 0 occurs, indices count from 0, as scikit-learn may write them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "data/formats.h"
#include "data/labels.h"
#include "data/number.h"

static bool blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && blank(*at)) at++;
    return at;
}

static const char *word_end(const char *at, const char *end) {
    while (at < end && !blank(*at)) at++;
    return at;
}

/* The end of the line that begins at `at`. */
static const char *line_end(const char *at, const char *end) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline != NULL ? newline : end;
}

/* Whether a line has a word of the form digits:number after its first word. */
static bool has_entry(const char *at, const char *end) {
    at = word_end(skip_blanks(at, end), end);
    for (at = skip_blanks(at, end); at < end; at = skip_blanks(at, end)) {
        const char *last = word_end(at, end), *colon = at;
        double value;
        while (colon < last && *colon >= '0' && *colon <= '9') colon++;
        if (colon > at && colon < last && *colon == ':' && sustain__number_is(colon + 1, last, &value)) return true;
        at = last;
    }
    return false;
}

/* Whether a first line begins with names of several columns, of a table whose texts may have times
 * such as 12:30. Numbers with commas between them are several labels. */
static bool is_header(const char *at, const char *end) {
    at = skip_blanks(at, end);
    if (at < end && *at == '#') return false;
    bool several = false, number = true;
    for (const char *last = word_end(at, end); at < last; at++) {
        several |= *at == ',' || *at == ';';
        number &= strchr("0123456789+-.,", *at) != NULL;
    }
    return several && !number;
}

bool sustain__is_libsvm(const unsigned char *bytes, size_t length) {
    enum { LINES = 100 };
    const char *at = (const char *)bytes, *end = at + length;
    if (is_header(at, line_end(at, end))) return false;
    for (int i = 0; i < LINES && at < end; i++) {
        const char *last = line_end(at, end);
        if (has_entry(at, last)) return true;
        at = last < end ? last + 1 : end;
    }
    return false;
}

/* ---- reading ---- */

/* State of the reader. */
typedef struct reader {
    sustain__input *input;
    sustain__labels *labels;
    int64_t line, rows, entries, largest; /* largest: index so far */
    bool from_zero;                       /* an index is 0 */
} reader;

static sustain_status refuse(const reader *r, const char *word, const char *end, const char *why) {
    const int shown = end - word < 40 ? (int)(end - word) : 40;
    return sustain__fail(r->input->context, SUSTAIN_FORMAT, "%s: line %lld: '%.*s' %s", r->input->set->source, (long long)r->line, shown,
                         word, why);
}

/* Reads the index before a colon: an integer up to INT32_MAX, larger than the previous one (-1:
 * none). */
static sustain_status read_index(const reader *r, const char *word, const char *end, int64_t before, const char **colon, int64_t *index) {
    const char *at = word;
    for (*index = 0; at < end && *at >= '0' && *at <= '9'; at++)
        if (*index <= INT32_MAX) *index = 10 * *index + (*at - '0');
    if (at == end) return refuse(r, word, end, "has no colon; features are written index:value");
    if (*at != ':' || at == word) return refuse(r, word, end, "is not of the form index:value");
    *colon = at;
    if (*index > INT32_MAX) return refuse(r, word, end, "has too large an index; the largest is 2147483647");
    if (*index == before) return refuse(r, word, end, "repeats the previous index");
    if (*index < before) return refuse(r, word, end, "comes after a larger index; sort each line by index");
    return SUSTAIN_OK;
}

static sustain_status read_value(const reader *r, const char *word, const char *colon, const char *end, float *out) {
    double value;
    if (sustain__number_is_not_finite(colon + 1, end)) return refuse(r, word, end, "is not finite");
    if (!sustain__number_is(colon + 1, end, &value)) return refuse(r, word, end, "has no number after the colon");
    if (!(fabs(value) <= (double)FLT_MAX)) return refuse(r, word, end, "is too large a number");
    *out = (float)value;
    return SUSTAIN_OK;
}

static sustain_status read_entries(reader *r, const char *at, const char *end) {
    struct sustain_dataset_memory *m = r->input->set->memory;
    int64_t index = -1;
    for (at = skip_blanks(at, end); at < end; at = skip_blanks(at, end)) {
        const char *last = word_end(at, end), *colon = last;
        const int64_t before = index;
        float value = 0;
        SUSTAIN_TRY(read_index(r, at, last, before, &colon, &index));
        SUSTAIN_TRY(read_value(r, at, colon, last, &value));
        m->columns[r->entries] = (int32_t)index;
        r->from_zero = r->from_zero || index == 0;
        m->values[r->entries] = value;
        r->entries += value != 0;
        at = last;
    }
    if (index > r->largest) r->largest = index;
    return SUSTAIN_OK;
}

static sustain_status read_line(reader *r, const char *at, const char *end) {
    const char *comment = memchr(at, '#', (size_t)(end - at));
    if (comment != NULL) end = comment;
    at = skip_blanks(at, end);
    if (at == end) return SUSTAIN_OK;
    const char *last = word_end(at, end);
    if (memchr(at, ':', (size_t)(last - at)) != NULL) return refuse(r, at, last, "is where the label should be");
    if (memchr(at, ',', (size_t)(last - at)) != NULL) return refuse(r, at, last, "are several labels; a row has one");
    if (sustain__labels_add_text(r->labels, at, (size_t)(last - at)) != SUSTAIN_OK) return refuse(r, at, last, "is not a label");
    if (r->input->want == SUSTAIN__WANT_ALL) {
        SUSTAIN_TRY(read_entries(r, last, end));
        r->input->set->memory->start[r->rows + 1] = r->entries;
    }
    r->rows++;
    return SUSTAIN_OK;
}

static int64_t count_bytes(const char *at, const char *end, char wanted) {
    int64_t n = 0;
    for (; at < end; at++) n += *at == wanted;
    return n;
}

/* Makes columns count from 0. One mistyped index must not create billions of features, which
 * cost memory even if no row has them. */
static sustain_status finish_columns(const reader *r) {
    enum { MANY = 1 << 24, ENTRIES_SHARE = 1000 };
    sustain_dataset *set = r->input->set;
    struct sustain_dataset_memory *m = set->memory;
    if (r->largest > MANY && r->largest / ENTRIES_SHARE > r->entries)
        return sustain__fail(r->input->context, SUSTAIN_FORMAT,
                             "%s: its largest index is %lld, but it has only %lld values: number the features from 1 on", set->source,
                             (long long)r->largest, (long long)r->entries);
    for (int64_t k = 0; !r->from_zero && k < r->entries; k++) m->columns[k]--;
    m->from_zero = r->from_zero;
    set->rows.dim = r->largest + r->from_zero;
    if (r->from_zero) sustain__log(r->input->context, "%s: its indices begin with 0", set->source);
    return sustain__check_size(set);
}

static sustain_status read_all(reader *r, const char *at, const char *end) {
    sustain_context *context = r->input->context;
    sustain_dataset *set = r->input->set;
    for (r->line = 1; at < end; r->line++) {
        const char *last = line_end(at, end);
        if (r->line % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(context));
        SUSTAIN_TRY(read_line(r, at, last));
        at = last < end ? last + 1 : end;
    }
    if (r->rows == 0) return sustain__fail(context, SUSTAIN_FORMAT, "%s: it has no rows", set->source);
    SUSTAIN_TRY(sustain__labels_store(r->labels, set->source, set));
    if (r->input->want == SUSTAIN__WANT_LABELS) return SUSTAIN_OK;
    return finish_columns(r);
}

sustain_status sustain__parse_libsvm(sustain__input *input) {
    sustain_context *context = input->context;
    struct sustain_dataset_memory *m = input->set->memory;
    const char *at = (const char *)input->bytes, *end = at + input->length;
    const int64_t lines = count_bytes(at, end, '\n') + 1;
    if (input->want == SUSTAIN__WANT_ALL) {
        /* One more than the number of colons: an entry is stored before it is known to be zero. */
        const size_t entries = (size_t)count_bytes(at, end, ':') + 1;
        SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)lines + 1, sizeof *m->start), &m->start));
        SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(entries, sizeof *m->values), &m->values));
        SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(entries, sizeof *m->columns), &m->columns));
    }
    reader r = {.input = input};
    SUSTAIN_TRY(sustain__labels_create(context, lines, &r.labels));
    const sustain_status status = read_all(&r, at, end);
    sustain__labels_destroy(r.labels);
    return status;
}
