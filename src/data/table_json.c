/* table_json.c - an encoding as JSON, as model files keep it:
 *
 *   {"format": "sustain table 1", "header": true, "sparse": true, "missing": "mean", "rows": 5485,
 *    "label": 0, "trusted": -1, "id": -1, "shown": [1],
 *    "file": ["topic", "text", ...], "columns": [
 *      {"kind": "number", "at": 2, "mean": 38.5, "factor": 0.07, "marker": true},
 *      {"kind": "category", "at": 3, "values": ["high", "low"], "other": true},
 *      {"kind": "text", "at": 1, "terms": ["profit", "net profit"], "buckets": [...],
 *       "frequency": [...]}]}
 *
 * "at" counts the columns of the training file from 0. Numbers are floats: nine digits reproduce
 * them exactly. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/table_internal.h"

static const char FORMAT[] = "sustain table 1";
static const char *const kinds[] = {"number", "category", "text"};

/* ---- writing ---- */

static void add_column(json_t *object, const sustain_table_encoding *e, const sustain__column *c) {
    json_t *texts = json_array(), *buckets = json_array(), *frequency = json_array();
    json_object_set_new(object, "kind", json_string(kinds[c->kind]));
    json_object_set_new(object, "at", json_integer(c->position));
    if (c->kind == SUSTAIN__COLUMN_NUMBER) {
        json_object_set_new(object, "mean", json_real((double)c->mean));
        json_object_set_new(object, "factor", json_real((double)c->factor));
        json_object_set_new(object, "marker", json_boolean(c->marker));
    }
    for (int64_t j = 0; c->kind != SUSTAIN__COLUMN_NUMBER && j < c->count - c->other; j++)
        json_array_append_new(texts, json_string(sustain__category_value(e, c, j)));
    if (c->kind == SUSTAIN__COLUMN_CATEGORY) {
        json_object_set(object, "values", texts);
        json_object_set_new(object, "other", json_boolean(c->other));
    }
    if (c->kind == SUSTAIN__COLUMN_TEXT) {
        for (int64_t j = 0; j < c->count; j++) {
            json_array_append_new(buckets, json_integer(c->bucket[j]));
            json_array_append_new(frequency, json_integer(c->frequency[j]));
        }
        json_object_set(object, "terms", texts);
        json_object_set(object, "buckets", buckets);
        json_object_set(object, "frequency", frequency);
    }
    json_decref(texts);
    json_decref(buckets);
    json_decref(frequency);
}

/* The first name that is not UTF-8, NULL for none. */
static const char *not_utf8(const sustain_table_encoding *e) {
    for (int64_t i = 0; i < e->file_columns + e->dim; i++) {
        const char *name = i < e->file_columns ? e->file_names[i] : e->names[i - e->file_columns];
        json_t *text = json_string(name);
        if (text == NULL) return name;
        json_decref(text);
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
    json_t *file = json_array(), *shown = json_array(), *columns = json_array();
    for (int64_t j = 0; j < e->file_columns; j++) json_array_append_new(file, json_string(e->file_names[j]));
    for (int64_t j = 0; j < e->shown_count; j++) json_array_append_new(shown, json_integer(e->shown[j]));
    for (int64_t k = 0; k < e->count; k++) {
        json_t *object = json_object();
        add_column(object, e, &e->columns[k]);
        json_array_append_new(columns, object);
    }
    json_t *all = json_pack("{s:s, s:b, s:b, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "format", FORMAT, "header", e->header, "sparse",
                            e->sparse, "missing", e->missing == SUSTAIN_MISSING_MEAN ? "mean" : "refuse", "rows", (json_int_t)e->rows,
                            "label", (json_int_t)e->label, "trusted", (json_int_t)e->trusted, "id", (json_int_t)e->id, "shown", shown,
                            "file", file, "columns", columns);
    *out = all != NULL ? json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(all);
    return *out != NULL ? SUSTAIN_OK : sustain__fail(e->context, SUSTAIN_MEMORY, "out of memory for the encoding of a table");
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

/* Reads an integer within a range; false if there is none. */
static bool take_integer(const json_t *value, int64_t least, int64_t most, int64_t *out) {
    if (!json_is_integer(value)) return false;
    *out = json_integer_value(value);
    return *out >= least && *out <= most;
}

static bool take_float(const json_t *value, float *out) {
    if (!json_is_number(value)) return false;
    *out = (float)json_number_value(value);
    return isfinite(*out);
}

static bool take_number_column(reader *r, const json_t *from, sustain__column *c) {
    const char *name = r->e->file_names[c->position];
    c->marker = json_is_true(json_object_get(from, "marker"));
    c->count = 1 + c->marker;
    return take_float(json_object_get(from, "mean"), &c->mean) && take_float(json_object_get(from, "factor"), &c->factor) &&
           done(r, sustain__names_add(&r->names, "%s", name)) &&
           (!c->marker || done(r, sustain__names_add(&r->names, "%s (missing)", name)));
}

/* The texts of a column as names of features. */
static bool take_texts(reader *r, const json_t *list, char mark, sustain__column *c) {
    if (!json_is_array(list)) return false;
    c->count = (int64_t)json_array_size(list);
    for (int64_t j = 0; j < c->count; j++) {
        const char *text = json_string_value(json_array_get(list, (size_t)j));
        if (text == NULL || !done(r, sustain__names_add(&r->names, "%s%c%s", r->e->file_names[c->position], mark, text))) return false;
    }
    return true;
}

static bool take_category_column(reader *r, const json_t *from, sustain__column *c) {
    if (!take_texts(r, json_object_get(from, "values"), '=', c)) return false;
    c->other = json_is_true(json_object_get(from, "other"));
    if (c->other && !done(r, sustain__names_add(&r->names, "%s=(other)", r->e->file_names[c->position]))) return false;
    c->count += c->other;
    return true;
}

static bool take_text_column(reader *r, const json_t *from, sustain__column *c) {
    const json_t *buckets = json_object_get(from, "buckets"), *frequency = json_object_get(from, "frequency");
    if (!take_texts(r, json_object_get(from, "terms"), ':', c)) return false;
    const size_t n = (size_t)c->count;
    if (json_array_size(buckets) != n || json_array_size(frequency) != n) return false;
    if (!done(r, sustain__allocate(r->e->context, n * sizeof *c->bucket, &c->bucket)) ||
        !done(r, sustain__allocate(r->e->context, n * sizeof *c->frequency, &c->frequency)))
        return false;
    for (size_t j = 0; j < n; j++) {
        int64_t bucket, rows;
        if (!take_integer(json_array_get(buckets, j), j > 0 ? c->bucket[j - 1] + 1 : 0, SUSTAIN__BUCKETS - 1, &bucket) ||
            !take_integer(json_array_get(frequency, j), 0, INT32_MAX, &rows))
            return false;
        c->bucket[j] = (int32_t)bucket;
        c->frequency[j] = (int32_t)rows;
    }
    r->e->sparse = true;
    return true;
}

static bool take_column(reader *r, const json_t *from, sustain__column *c) {
    const char *kind = json_string_value(json_object_get(from, "kind"));
    if (kind == NULL || !take_integer(json_object_get(from, "at"), 0, r->e->file_columns - 1, &c->position)) return false;
    for (int k = 0; k < 3; k++)
        if (strcmp(kind, kinds[k]) == 0) c->kind = (sustain__column_kind)k;
    if (strcmp(kind, kinds[c->kind]) != 0) return false;
    if (c->kind == SUSTAIN__COLUMN_NUMBER) return take_number_column(r, from, c);
    return c->kind == SUSTAIN__COLUMN_CATEGORY ? take_category_column(r, from, c) : take_text_column(r, from, c);
}

static bool take_file_names(reader *r, const json_t *list) {
    sustain_table_encoding *e = r->e;
    sustain__names names = {.context = e->context};
    bool good = json_is_array(list) && json_array_size(list) > 0;
    e->file_columns = (int64_t)json_array_size(list);
    for (int64_t j = 0; j < e->file_columns && good; j++) {
        const char *text = json_string_value(json_array_get(list, (size_t)j));
        good = text != NULL && done(r, sustain__names_add(&names, "%s", text));
    }
    good = good && done(r, sustain__names_store(&names, &e->file_names));
    sustain__names_free(&names);
    return good;
}

static bool take_shown(reader *r, const json_t *list) {
    sustain_table_encoding *e = r->e;
    const size_t n = json_array_size(list);
    if (!done(r, sustain__allocate(e->context, sustain__multiply(n, sizeof *e->shown), &e->shown))) return false;
    for (size_t j = 0; j < n; j++)
        if (!take_integer(json_array_get(list, j), 0, e->file_columns - 1, &e->shown[e->shown_count++])) return false;
    return true;
}

static bool take_all(reader *r, const json_t *from) {
    sustain_table_encoding *e = r->e;
    const char *format = json_string_value(json_object_get(from, "format")), *missing = json_string_value(json_object_get(from, "missing"));
    const json_t *columns = json_object_get(from, "columns");
    if (format == NULL || strcmp(format, FORMAT) != 0 || missing == NULL || !take_file_names(r, json_object_get(from, "file")))
        return false;
    e->header = json_is_true(json_object_get(from, "header"));
    e->sparse = json_is_true(json_object_get(from, "sparse"));
    e->missing = strcmp(missing, "refuse") == 0 ? SUSTAIN_MISSING_REFUSE : SUSTAIN_MISSING_MEAN;
    const int64_t last = e->file_columns - 1;
    if (!take_integer(json_object_get(from, "rows"), 1, INT64_MAX, &e->rows) ||
        !take_integer(json_object_get(from, "label"), -1, last, &e->label) ||
        !take_integer(json_object_get(from, "trusted"), -1, last, &e->trusted) ||
        !take_integer(json_object_get(from, "id"), -1, last, &e->id) || !take_shown(r, json_object_get(from, "shown")))
        return false;
    const size_t count = json_array_size(columns);
    if (count == 0 || !done(r, sustain__allocate(e->context, sustain__multiply(count, sizeof *e->columns), &e->columns))) return false;
    for (size_t k = 0; k < count; k++) {
        e->count++;
        if (!take_column(r, json_array_get(columns, k), &e->columns[k])) return false;
    }
    return r->names.count > 0 && done(r, sustain__names_store(&r->names, &e->names)) && done(r, sustain__encoding_number(e));
}

sustain_status sustain_table_encoding_read(sustain_context *context, const char *source, const char *text, sustain_table_encoding **out) {
    if (out != NULL) *out = NULL;
    if (context == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(context, out, "out"));
    SUSTAIN_TRY(sustain__need(context, source, "source"));
    SUSTAIN_TRY(sustain__need(context, text, "text"));
    reader r = {.names = {.context = context}};
    SUSTAIN_TRY(sustain__encoding_create(context, &r.e));
    json_t *from = json_loads(text, 0, NULL);
    const bool good = from != NULL && take_all(&r, from);
    json_decref(from);
    sustain__names_free(&r.names);
    if (good) {
        *out = r.e;
        return SUSTAIN_OK;
    }
    sustain_table_encoding_destroy(r.e);
    if (r.status != SUSTAIN_OK) return r.status;
    return sustain__fail(context, SUSTAIN_FORMAT, "%s: its description of table columns is damaged", source);
}
