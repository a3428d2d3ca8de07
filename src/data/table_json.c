/* table_json.c - an encoding as JSON, as model files keep it:
 *
 *   {"format": "sustain table 1", "header": true, "sparse": true, "missing": "mean", "rows": 5485,
 *    "label": 0, "trusted": -1, "id": -1, "shown": [1],
 *    "file": ["topic", "text", ...], "columns": [
 *      {"kind": "number", "at": 2, "mean": 38.5, "factor": 0.07, "marker": true},
 *      {"kind": "number", "at": 4, "mean": 1250, "factor": 0.002, "marker": false, "decimal": ",",
 *       "mark": "%"},
 *      {"kind": "date", "at": 5, "mean": 170.5, "factor": 0.01, "marker": true, "order": "day",
 *       "dated": true, "origin": 1704067200, "cycles": ["year", "week", "day"]},
 *      {"kind": "category", "at": 3, "values": ["high", "low"], "other": true},
 *      {"kind": "text", "at": 1, "terms": ["profit", "net profit"], "buckets": [...],
 *       "frequency": [...]}]}
 *
 * "at" counts the columns of the training file from 0. Numbers are floats: nine digits reproduce
 * them exactly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/table_internal.h"
#include "io/json_text.h"

#define FARTHEST INT64_C(1000000000000) /* seconds from 1970 to beyond the year 9999 */
static const char FORMAT[] = "sustain table 1";
static const char *const kinds[] = {"number", "category", "text", "date"};
static const char *const orders[] = {"either", "day", "month"};
static const char *const cycles[] = {"year", "week", "day"};

/* ---- writing ---- */

static void put_word(sustain__json_pen *p, const char *name, const char *text) {
    sustain__json_put(p, name);
    sustain__json_put_string(p, text);
}

static void put_flag(sustain__json_pen *p, const char *name, bool flag) {
    sustain__json_put(p, name);
    sustain__json_put(p, flag ? "true" : "false");
}

static void put_integers(sustain__json_pen *p, const char *name, const int32_t *from, int64_t count) {
    sustain__json_put(p, name);
    for (int64_t j = 0; j < count; j++) sustain__json_put_integer(p, j > 0 ? "," : "", from[j]);
    sustain__json_put(p, "]");
}

static void put_texts(sustain__json_pen *p, const char *name, const sustain_table_encoding *e, const sustain__column *c) {
    sustain__json_put(p, name);
    for (int64_t j = 0; j < c->count - c->other; j++) put_word(p, j > 0 ? "," : "", sustain__category_value(e, c, j));
    sustain__json_put(p, "]");
}

static void put_date(sustain__json_pen *p, const sustain__column *c) {
    const bool has[] = {c->of_year, c->of_week, c->of_day};
    put_word(p, ",\"order\":", orders[c->order]);
    put_flag(p, ",\"dated\":", c->dated);
    sustain__json_put_integer(p, ",\"origin\":", c->origin);
    sustain__json_put(p, ",\"cycles\":[");
    for (int k = 0, before = 0; k < 3; k++)
        if (has[k]) put_word(p, before++ > 0 ? "," : "", cycles[k]);
    sustain__json_put(p, "]");
}

static void put_column(sustain__json_pen *p, const sustain_table_encoding *e, const sustain__column *c) {
    put_word(p, "{\"kind\":", kinds[c->kind]);
    sustain__json_put_integer(p, ",\"at\":", c->position);
    if (c->kind == SUSTAIN__COLUMN_NUMBER || c->kind == SUSTAIN__COLUMN_DATE) {
        const char decimal[] = {c->notation.decimal, '\0'};
        sustain__json_put_float(p, ",\"mean\":", c->mean);
        sustain__json_put_float(p, ",\"factor\":", c->factor);
        put_flag(p, ",\"marker\":", c->marker);
        if (c->kind == SUSTAIN__COLUMN_DATE) put_date(p, c);
        if (decimal[0] != '\0') put_word(p, ",\"decimal\":", decimal), put_word(p, ",\"mark\":", c->notation.mark);
    } else if (c->kind == SUSTAIN__COLUMN_CATEGORY) {
        put_texts(p, ",\"values\":[", e, c);
        put_flag(p, ",\"other\":", c->other);
    } else {
        put_texts(p, ",\"terms\":[", e, c);
        put_integers(p, ",\"buckets\":[", c->bucket, c->count);
        put_integers(p, ",\"frequency\":[", c->frequency, c->count);
    }
    sustain__json_put(p, "}");
}

static size_t put_all(const sustain_table_encoding *e, char *to) {
    sustain__json_pen p = {to, 0};
    put_word(&p, "{\"format\":", FORMAT);
    put_flag(&p, ",\"header\":", e->header);
    put_flag(&p, ",\"sparse\":", e->sparse);
    put_word(&p, ",\"missing\":", e->missing == SUSTAIN_MISSING_MEAN ? "mean" : "refuse");
    sustain__json_put_integer(&p, ",\"rows\":", e->rows);
    sustain__json_put_integer(&p, ",\"label\":", e->label);
    sustain__json_put_integer(&p, ",\"trusted\":", e->trusted);
    sustain__json_put_integer(&p, ",\"id\":", e->id);
    sustain__json_put(&p, ",\"shown\":[");
    for (int64_t j = 0; j < e->shown_count; j++) sustain__json_put_integer(&p, j > 0 ? "," : "", e->shown[j]);
    sustain__json_put(&p, "],\"file\":[");
    for (int64_t j = 0; j < e->file_columns; j++) put_word(&p, j > 0 ? "," : "", e->file_names[j]);
    sustain__json_put(&p, "],\"columns\":[");
    for (int64_t k = 0; k < e->count; k++) {
        sustain__json_put(&p, k > 0 ? "," : "");
        put_column(&p, e, &e->columns[k]);
    }
    sustain__json_put(&p, "]}");
    return p.used;
}

/* The first name that is not UTF-8, NULL for none. */
static const char *not_utf8(const sustain_table_encoding *e) {
    for (int64_t i = 0; i < e->file_columns + e->dim; i++) {
        const char *name = i < e->file_columns ? e->file_names[i] : e->names[i - e->file_columns];
        if (!sustain__is_utf8(name)) return name;
    }
    return NULL;
}

sustain_status sustain_table_encoding_write(const sustain_table_encoding *e, char **out) {
    if (out != NULL) *out = NULL;
    if (e == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(e->context, out, "out"));
    const char *bad = not_utf8(e);
    if (bad != NULL)
        return sustain__fail(e->context, SUSTAIN_FORMAT, "the name '%.60s' of a column or of a value is not UTF-8: save the file as UTF-8",
                             bad);
    const size_t length = put_all(e, NULL);
    *out = malloc(length + 1); /* the caller calls free() */
    if (*out == NULL) return sustain__fail(e->context, SUSTAIN_MEMORY, "out of memory for the encoding of a table");
    put_all(e, *out);
    (*out)[length] = '\0';
    return SUSTAIN_OK;
}

/* ---- reading ---- */

typedef struct reader {
    sustain_table_encoding *e;
    sustain__names names;
    sustain_status status; /* of a failure other than invalid text */
} reader;

static bool done(reader *r, sustain_status status) {
    if (status != SUSTAIN_OK) r->status = status;
    return status == SUSTAIN_OK;
}

static bool is_list(const sustain__json *value) {
    return value != NULL && value->kind == SUSTAIN__JSON_LIST;
}

static bool is_true(const sustain__json *value) {
    return value != NULL && value->kind == SUSTAIN__JSON_TRUE;
}

static const char *text_of(const sustain__json *value) {
    return value != NULL && value->kind == SUSTAIN__JSON_STRING ? value->text : NULL;
}

/* Reads an integer within a range; false if there is none. */
static bool take_integer(const sustain__json *value, int64_t least, int64_t most, int64_t *out) {
    if (value == NULL || value->kind != SUSTAIN__JSON_INTEGER) return false;
    *out = value->integer;
    return *out >= least && *out <= most;
}

static bool take_float(const sustain__json *value, float *out) {
    if (value == NULL || (value->kind != SUSTAIN__JSON_INTEGER && value->kind != SUSTAIN__JSON_REAL)) return false;
    *out = (float)value->number;
    return isfinite(*out);
}

static bool take_scale(const sustain__json *from, sustain__column *c) {
    c->marker = is_true(sustain__json_get(from, "marker"));
    return take_float(sustain__json_get(from, "mean"), &c->mean) && take_float(sustain__json_get(from, "factor"), &c->factor);
}

/* Plain numbers have none. */
static bool take_notation(const sustain__json *from, sustain__notation *n) {
    const char *decimal = text_of(sustain__json_get(from, "decimal")), *mark = text_of(sustain__json_get(from, "mark"));
    if (decimal == NULL) return true;
    if ((strcmp(decimal, ".") != 0 && strcmp(decimal, ",") != 0) || mark == NULL || strlen(mark) >= sizeof n->mark) return false;
    n->decimal = decimal[0];
    memcpy(n->mark, mark, strlen(mark) + 1);
    return true;
}

/* The place of a text in a list, -1: it is not there. */
static int place_in(const char *const *list, int count, const char *text) {
    int k = count - 1;
    while (k >= 0 && (text == NULL || strcmp(list[k], text) != 0)) k--;
    return k;
}

static bool take_date_column(reader *r, const sustain__json *from, sustain__column *c) {
    const sustain__json *list = sustain__json_get(from, "cycles");
    const int order = place_in(orders, 3, text_of(sustain__json_get(from, "order")));
    bool *const has[] = {&c->of_year, &c->of_week, &c->of_day};
    if (!take_scale(from, c) || order < 0 || !is_list(list) ||
        !take_integer(sustain__json_get(from, "origin"), -FARTHEST, FARTHEST, &c->origin))
        return false;
    for (const sustain__json *at = list->first; at != NULL; at = at->next) {
        const int cycle = place_in(cycles, 3, text_of(at));
        if (cycle < 0) return false;
        *has[cycle] = true;
    }
    c->order = (sustain__date_order)order;
    c->dated = is_true(sustain__json_get(from, "dated"));
    return done(r, sustain__date_names(c, r->e->file_names[c->position], &r->names));
}

static bool take_number_column(reader *r, const sustain__json *from, sustain__column *c) {
    const char *name = r->e->file_names[c->position];
    if (!take_scale(from, c)) return false;
    c->count = 1 + c->marker;
    return take_notation(from, &c->notation) && done(r, sustain__names_add(&r->names, "%s", name)) &&
           (!c->marker || done(r, sustain__names_add(&r->names, "%s (missing)", name)));
}

/* The texts of a column as names of features. */
static bool take_texts(reader *r, const sustain__json *list, char mark, sustain__column *c) {
    if (!is_list(list)) return false;
    c->count = list->count;
    for (const sustain__json *at = list->first; at != NULL; at = at->next) {
        const char *text = text_of(at);
        if (text == NULL || !done(r, sustain__names_add(&r->names, "%s%c%s", r->e->file_names[c->position], mark, text))) return false;
    }
    return true;
}

static bool take_category_column(reader *r, const sustain__json *from, sustain__column *c) {
    if (!take_texts(r, sustain__json_get(from, "values"), '=', c)) return false;
    c->other = is_true(sustain__json_get(from, "other"));
    if (c->other && !done(r, sustain__names_add(&r->names, "%s=(other)", r->e->file_names[c->position]))) return false;
    c->count += c->other;
    return true;
}

static bool take_text_column(reader *r, const sustain__json *from, sustain__column *c) {
    const sustain__json *buckets = sustain__json_get(from, "buckets"), *frequency = sustain__json_get(from, "frequency");
    if (!take_texts(r, sustain__json_get(from, "terms"), ':', c)) return false;
    const size_t n = (size_t)c->count;
    if (!is_list(buckets) || !is_list(frequency) || buckets->count != c->count || frequency->count != c->count) return false;
    if (!done(r, sustain__allocate(r->e->context, n * sizeof *c->bucket, &c->bucket)) ||
        !done(r, sustain__allocate(r->e->context, n * sizeof *c->frequency, &c->frequency)))
        return false;
    buckets = buckets->first, frequency = frequency->first;
    for (size_t j = 0; j < n; j++, buckets = buckets->next, frequency = frequency->next) {
        int64_t bucket, rows;
        if (!take_integer(buckets, j > 0 ? c->bucket[j - 1] + 1 : 0, SUSTAIN__BUCKETS - 1, &bucket) ||
            !take_integer(frequency, 0, INT32_MAX, &rows))
            return false;
        c->bucket[j] = (int32_t)bucket;
        c->frequency[j] = (int32_t)rows;
    }
    r->e->sparse = true;
    return true;
}

static bool take_column(reader *r, const sustain__json *from, sustain__column *c) {
    const char *kind = text_of(sustain__json_get(from, "kind"));
    if (kind == NULL || !take_integer(sustain__json_get(from, "at"), 0, r->e->file_columns - 1, &c->position)) return false;
    const int number = place_in(kinds, 4, kind);
    if (number < 0) return false;
    c->kind = (sustain__column_kind)number;
    if (c->kind == SUSTAIN__COLUMN_NUMBER) return take_number_column(r, from, c);
    if (c->kind == SUSTAIN__COLUMN_DATE) return take_date_column(r, from, c);
    return c->kind == SUSTAIN__COLUMN_CATEGORY ? take_category_column(r, from, c) : take_text_column(r, from, c);
}

static bool take_file_names(reader *r, const sustain__json *list) {
    sustain_table_encoding *e = r->e;
    sustain__names names = {.context = e->context};
    bool good = is_list(list) && list->count > 0;
    e->file_columns = good ? list->count : 0;
    for (const sustain__json *at = good ? list->first : NULL; at != NULL && good; at = at->next) {
        const char *text = text_of(at);
        good = text != NULL && done(r, sustain__names_add(&names, "%s", text));
    }
    good = good && done(r, sustain__names_store(&names, &e->file_names));
    sustain__names_free(&names);
    return good;
}

static bool take_shown(reader *r, const sustain__json *list) {
    sustain_table_encoding *e = r->e;
    if (!is_list(list)) return list == NULL;
    if (!done(r, sustain__allocate(e->context, sustain__multiply((size_t)list->count, sizeof *e->shown), &e->shown))) return false;
    for (const sustain__json *at = list->first; at != NULL; at = at->next)
        if (!take_integer(at, 0, e->file_columns - 1, &e->shown[e->shown_count++])) return false;
    return true;
}

static bool take_all(reader *r, const sustain__json *from) {
    sustain_table_encoding *e = r->e;
    const char *format = text_of(sustain__json_get(from, "format")), *missing = text_of(sustain__json_get(from, "missing"));
    const sustain__json *columns = sustain__json_get(from, "columns");
    if (format == NULL || strcmp(format, FORMAT) != 0 || missing == NULL || !take_file_names(r, sustain__json_get(from, "file")))
        return false;
    e->header = is_true(sustain__json_get(from, "header"));
    e->sparse = is_true(sustain__json_get(from, "sparse"));
    e->missing = strcmp(missing, "refuse") == 0 ? SUSTAIN_MISSING_REFUSE : SUSTAIN_MISSING_MEAN;
    const int64_t last = e->file_columns - 1;
    if (!take_integer(sustain__json_get(from, "rows"), 1, INT64_MAX, &e->rows) ||
        !take_integer(sustain__json_get(from, "label"), -1, last, &e->label) ||
        !take_integer(sustain__json_get(from, "trusted"), -1, last, &e->trusted) ||
        !take_integer(sustain__json_get(from, "id"), -1, last, &e->id) || !take_shown(r, sustain__json_get(from, "shown")))
        return false;
    if (!is_list(columns) || columns->count == 0 ||
        !done(r, sustain__allocate(e->context, sustain__multiply((size_t)columns->count, sizeof *e->columns), &e->columns)))
        return false;
    for (const sustain__json *at = columns->first; at != NULL; at = at->next)
        if (!take_column(r, at, &e->columns[e->count++])) return false;
    return r->names.count > 0 && done(r, sustain__names_store(&r->names, &e->names)) && done(r, sustain__encoding_number(e));
}

sustain_status sustain_table_encoding_read(sustain_context *context, const char *source, const char *text, sustain_table_encoding **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    SUSTAIN_TRY(sustain__need(context, source, "source"));
    SUSTAIN_TRY(sustain__need(context, text, "text"));
    reader r = {.names = {.context = context}};
    bool good = false;
    SUSTAIN_TRY(sustain__encoding_create(context, &r.e));
    char *copy = NULL;
    sustain__json *from = NULL;
    const size_t size = strlen(text) + 1;
    if (done(&r, sustain__allocate(context, size, &copy)) && done(&r, sustain__json_read(context, memcpy(copy, text, size), &from)))
        good = from != NULL && take_all(&r, from);
    sustain__free(context, from);
    sustain__free(context, copy);
    sustain__names_free(&r.names);
    if (good) {
        *out = r.e;
        return SUSTAIN_OK;
    }
    sustain_table_encoding_destroy(r.e);
    if (r.status != SUSTAIN_OK) return r.status;
    return sustain__fail(context, SUSTAIN_FORMAT, "%s: its description of table columns is damaged", source);
}
