/* probabilities_csv.c - class probabilities as CSV: numbers alone, with or without a header of
 * class names. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/cancel.h"
#include "data/csv_field.h"
#include "data/number.h"
#include "data/probabilities_internal.h"

typedef struct reading {
    sustain_context *context;
    sustain__csv csv;
    int64_t columns, rows;
    sustain__field_text *first; /* (columns) the first row */
    bool header;
} reading;

static sustain_status refuse(const reading *r, int64_t line, const char *why) {
    return sustain__fail(r->context, SUSTAIN_FORMAT, "%s: line %lld %s", r->csv.path, (long long)line, why);
}

static int64_t count_lines(const sustain__csv *csv) {
    int64_t n = 1;
    for (const char *at = csv->at; at < csv->end; at++) n += *at == '\n';
    return n;
}

/* ---- the header ---- */

/* Rewinds to an earlier position. Unquoted texts are kept: first[] may point to them. */
static void go_back(reading *r, sustain__csv to) {
    to.undone = r->csv.undone;
    to.undone_length = r->csv.undone_length;
    r->csv = to;
}

static bool all_numbers(const reading *r) {
    double value;
    for (int64_t j = 0; j < r->columns; j++)
        if (!sustain__number_is(r->first[j].at, r->first[j].end, &value)) return false;
    return true;
}

/* Whether the first row has each of the numbers 0 to n - 1, or 1 to n, once; n columns. */
static sustain_status numbers_once(const reading *r, bool *once) {
    bool *seen, zero = false;
    SUSTAIN_TRY(sustain__allocate(r->context, (size_t)r->columns + 1, &seen));
    memset(seen, 0, (size_t)r->columns + 1);
    *once = true;
    for (int64_t j = 0; j < r->columns && *once; j++) {
        double value = -1;
        for (const char *at = r->first[j].at; at < r->first[j].end && *once; at++) *once = *at >= '0' && *at <= '9';
        *once =
            *once && sustain__number_is(r->first[j].at, r->first[j].end, &value) && value <= (double)r->columns && !seen[(int64_t)value];
        if (*once) seen[(int64_t)value] = true;
        zero = zero || value == 0;
    }
    *once = *once && !(zero && seen[r->columns]);
    sustain__free(r->context, seen);
    return SUSTAIN_OK;
}

/* Whether the first row numbers the classes, "0,1,2" or "3,1,2", and the second has decimals: then
 * "0,1" are no probabilities. */
static bool numbers_classes(const reading *r) {
    sustain__csv second = r->csv;
    if (!sustain__csv_row(&second, NULL)) return false;
    const size_t rest = (size_t)(second.end - second.at);
    const char *end = memchr(second.at, '\n', rest);
    return memchr(second.at, '.', end != NULL ? (size_t)(end - second.at) : rest) != NULL;
}

static sustain_status read_first(reading *r) {
    const sustain__csv begin = r->csv;
    for (r->columns = 0; r->columns == 0 || !r->csv.row_ended; r->columns++) SUSTAIN_TRY(sustain__csv_skip(&r->csv));
    SUSTAIN_TRY(sustain__allocate(r->context, sustain__multiply((size_t)r->columns, sizeof *r->first), &r->first));
    go_back(r, begin);
    for (int64_t j = 0; j < r->columns; j++) SUSTAIN_TRY(sustain__csv_text(&r->csv, &r->first[j]));
    bool once;
    SUSTAIN_TRY(numbers_once(r, &once));
    r->header = !all_numbers(r) || (once && numbers_classes(r));
    if (!r->header) go_back(r, begin);
    return SUSTAIN_OK;
}

/* ---- the rows ---- */

static sustain_status read_row(reading *r, float *out) {
    const int64_t line = r->csv.line;
    for (int64_t j = 0; j < r->columns; j++) {
        sustain__field_text field;
        double value;
        if (!sustain__csv_number(&r->csv, &value)) {
            SUSTAIN_TRY(sustain__csv_text(&r->csv, &field));
            if (!sustain__number_is(field.at, field.end, &value))
                return sustain__fail(r->context, SUSTAIN_FORMAT,
                                     "%s: line %lld, column %lld: '%.*s' is not a number: give one column of probabilities for each class, "
                                     "and no others",
                                     r->csv.path, (long long)line, (long long)j + 1,
                                     field.end - field.at < 40 ? (int)(field.end - field.at) : 40, field.at);
        }
        if (r->csv.row_ended && j + 1 < r->columns) return refuse(r, line, "has fewer fields than the first line");
        out[j] = fabs(value) > (double)FLT_MAX ? INFINITY : (float)value;
    }
    return r->csv.row_ended ? SUSTAIN_OK : refuse(r, line, "has more fields than the first line");
}

static sustain_status read_rows(reading *r, float *values) {
    while (sustain__csv_row(&r->csv, NULL)) {
        if (r->rows % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(r->context));
        SUSTAIN_TRY(read_row(r, values + r->rows * r->columns));
        r->rows++;
    }
    return SUSTAIN_OK;
}

/* Whether the first column numbers the rows, from 0 or from 1. */
static bool numbers_rows(const reading *r, const float *values) {
    if (!r->header || r->rows < 3 || r->columns < 3 || (values[0] != 0 && values[0] != 1)) return false;
    for (int64_t i = 0; i < r->rows; i++)
        if (values[i * r->columns] != values[0] + (float)i) return false;
    return true;
}

static sustain_status store_names(const reading *r, int64_t skipped, sustain_probabilities *p) {
    const char **names;
    SUSTAIN_TRY(sustain__allocate(r->context, sustain__multiply((size_t)p->classes, sizeof *names + sizeof(size_t)), &names));
    size_t *length = (size_t *)(names + p->classes);
    for (int64_t k = 0; k < p->classes; k++) {
        names[k] = r->first[k + skipped].at;
        length[k] = (size_t)(r->first[k + skipped].end - names[k]);
    }
    const sustain_status status = sustain__copy_names(r->context, names, length, p->classes, &p->memory->names);
    sustain__free(r->context, names);
    return status;
}

static sustain_status read_all(reading *r, sustain_probabilities *p) {
    SUSTAIN_TRY(read_first(r));
    const int64_t lines = count_lines(&r->csv);
    /* every field takes at least one byte */
    const size_t fields = sustain__multiply((size_t)lines, (size_t)r->columns), most = (size_t)(r->csv.end - r->csv.at) + 1;
    const size_t room = (fields < most ? fields : most) + (size_t)r->columns;
    SUSTAIN_TRY(sustain__allocate(r->context, sustain__multiply(room, sizeof *p->memory->values), &p->memory->values));
    float *values = p->memory->values;
    SUSTAIN_TRY(read_rows(r, values));
    if (r->rows == 0) return sustain__fail(r->context, SUSTAIN_FORMAT, "%s: it has no rows of probabilities", r->csv.path);
    const int64_t skipped = numbers_rows(r, values);
    if (r->columns - skipped < 2)
        return sustain__fail(r->context, SUSTAIN_FORMAT, "%s: it has one column: give the probabilities of every class, a column for each",
                             r->csv.path);
    p->count = r->rows;
    p->classes = r->columns - skipped;
    for (int64_t i = 0; skipped > 0 && i < r->rows; i++)
        memmove(values + i * p->classes, values + i * r->columns + 1, (size_t)p->classes * sizeof *values);
    p->values = values;
    p->type = SUSTAIN_FLOAT32;
    return r->header ? store_names(r, skipped, p) : SUSTAIN_OK;
}

sustain_status sustain__probabilities_csv(sustain_context *context, const char *path, const sustain__bytes *file,
                                          sustain_probabilities *p) {
    reading r = {.context = context};
    SUSTAIN_TRY(sustain__csv_begin(context, path, file->data, file->length, &r.csv));
    if (!sustain__csv_row(&r.csv, NULL)) return sustain__fail(context, SUSTAIN_FORMAT, "%s: it is empty", path);
    const sustain_status status = read_all(&r, p);
    sustain__free(context, r.first);
    sustain__csv_end(&r.csv);
    return status;
}
