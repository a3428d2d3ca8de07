/* table_encode.c - rows of a table as rows of features, dense or sparse.
 *
 * Numbers and dates that are missing are the mean of the training rows.
 *
 * Text: a term that occurs n times in a row has the weight (1 + ln n) idf, idf = ln((1 + rows) /
 * (1 + rows with the term)) + 1; for pairs of words, times pair_weight. The row is then
 * normalized to length 1. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "data/table_internal.h"

static const float pair_weight = 0.5f;

/* The data of a column of this file that its encoding needs. */
typedef struct source {
    const sustain__column *column;
    int64_t position;     /* of the column in this file */
    const float *numbers; /* (rows) with a stride */
    int64_t stride;
    float *marked;                    /* number: (rows) those that are written with marks */
    const sustain__field_text *texts; /* (rows) */
    sustain__intern values;           /* category: its values, by number */
    int32_t *feature;                 /* text: (buckets) number of the feature + 1; 0: none */
    float *weight;                    /* text: (count) */
} source;

typedef struct encoder {
    sustain__table *t;
    const sustain_table_encoding *e;
    source *sources; /* (e->count) */
    sustain__term_list list;
    float *values; /* the result */
    int32_t *columns;
    int64_t entries, room;
} encoder;

/* ---- preparing ---- */

static sustain_status refuse_missing(const sustain__table *t, int64_t row, int64_t column) {
    return sustain__table_refuse_row(t, row, column, sustain__no_text, "the value is missing; fill it in, or remove the row");
}

static sustain_status prepare_category(const sustain_table_encoding *e, source *s) {
    for (int64_t j = 0; j < s->column->count - s->column->other; j++) {
        const char *value = sustain__category_value(e, s->column, j);
        const sustain__field_text text = {value, value + strlen(value)};
        int64_t number;
        SUSTAIN_TRY(sustain__intern_add(&s->values, text, &number));
    }
    return SUSTAIN_OK;
}

static sustain_status prepare_text(const sustain_table_encoding *e, sustain_context *context, source *s) {
    const sustain__column *c = s->column;
    SUSTAIN_TRY(sustain__allocate(context, SUSTAIN__BUCKETS * sizeof *s->feature, &s->feature));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)c->count, sizeof *s->weight), &s->weight));
    for (int64_t k = 0; k < c->count; k++) {
        s->feature[c->bucket[k]] = (int32_t)k + 1;
        s->weight[k] = sustain__idf(e->rows, c->frequency[k]) * (c->bucket[k] >= SUSTAIN__FIRST_PAIR ? pair_weight : 1);
    }
    return SUSTAIN_OK;
}

/* Why a number cannot be read; out has 160 places. */
static const char *notation_advice(const sustain__notation *notation, char out[160]) {
    snprintf(out, 160, "is not a number as they are written in the training rows: %s%s%sdecimals behind a %s",
             notation->mark[0] != '\0' ? "with " : "", notation->mark, notation->mark[0] != '\0' ? ", " : "",
             notation->decimal == ',' ? "comma" : "point");
    return out;
}

sustain_status sustain__marked_numbers(const sustain__table *t, int64_t column, const sustain__field_text *texts,
                                       const sustain__notation *notation, sustain_missing missing, float *out) {
    char advice[160];
    for (int64_t i = 0; i < t->rows; i++) {
        double value = NAN;
        const bool none = sustain__field_is_missing(texts[i]);
        if (none && missing == SUSTAIN_MISSING_REFUSE) return refuse_missing(t, i, column);
        if (!none && !sustain__marked_read(texts[i], notation, &value))
            return sustain__table_refuse_row(t, i, column, texts[i], notation_advice(notation, advice));
        if (fabs(value) > (double)FLT_MAX) return sustain__table_refuse_row(t, i, column, texts[i], "is too large a number");
        out[i] = (float)value;
    }
    return SUSTAIN_OK;
}

static sustain_status prepare_marked(const encoder *x, source *s) {
    SUSTAIN_TRY(sustain__allocate(x->t->input->context, sustain__multiply((size_t)x->t->rows, sizeof *s->marked), &s->marked));
    s->numbers = s->marked, s->stride = 1;
    return sustain__marked_numbers(x->t, s->position, s->texts, &s->column->notation, x->e->missing, s->marked);
}

static sustain_status check_dates(const encoder *x, const source *s) {
    const sustain__table *t = x->t;
    for (int64_t i = 0; i < t->rows; i++) {
        sustain__date date;
        if (sustain__field_is_missing(s->texts[i])) {
            if (x->e->missing == SUSTAIN_MISSING_REFUSE) return refuse_missing(t, i, s->position);
        } else if (!sustain__date_read(s->texts[i], s->column->order, &date) || date.dated != s->column->dated) {
            return sustain__table_refuse_row(t, i, s->position, s->texts[i],
                                             s->column->dated
                                                 ? "is not a date as they are written in the training rows: write it as 2024-01-31"
                                                 : "is not a time of day, which the column held in the training rows: write it as 23:59");
        }
    }
    return SUSTAIN_OK;
}

static sustain_status prepare(encoder *x, const sustain__text_columns *texts) {
    const sustain__table *t = x->t;
    sustain_context *context = t->input->context;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)x->e->count, sizeof *x->sources), &x->sources));
    for (int64_t k = 0; k < x->e->count; k++) {
        source *s = &x->sources[k];
        s->column = &x->e->columns[k];
        s->position = t->place[k];
        s->values.context = context;
        s->numbers = sustain__table_numbers(t, s->position);
        s->stride = t->dim;
        s->texts = sustain__table_text_of(texts, s->position);
        if (s->column->kind == SUSTAIN__COLUMN_CATEGORY) SUSTAIN_TRY(prepare_category(x->e, s));
        if (s->column->kind == SUSTAIN__COLUMN_TEXT) SUSTAIN_TRY(prepare_text(x->e, context, s));
        if (s->column->kind == SUSTAIN__COLUMN_DATE) SUSTAIN_TRY(check_dates(x, s));
        if (s->column->notation.decimal != 0) SUSTAIN_TRY(prepare_marked(x, s));
    }
    return SUSTAIN_OK;
}

static void encoder_free(encoder *x) {
    sustain_context *context = x->t->input->context;
    for (int64_t k = 0; x->sources != NULL && k < x->e->count; k++) {
        sustain__intern_free(&x->sources[k].values);
        sustain__free(context, x->sources[k].feature);
        sustain__free(context, x->sources[k].weight);
        sustain__free(context, x->sources[k].marked);
    }
    sustain__free(context, x->sources);
    sustain__term_list_free(&x->list);
    sustain__free(context, x->values);
    sustain__free(context, x->columns);
}

/* ---- rows ---- */

/* The feature of a category, relative to the first of its column; -1: none. */
static int64_t category_of(const source *s, int64_t row) {
    static const char missing[] = "(missing)";
    const sustain__field_text none = {missing, missing + strlen(missing)};
    const int64_t number = sustain__intern_find(&s->values, sustain__field_is_missing(s->texts[row]) ? none : s->texts[row]);
    return number >= 0 ? number : s->column->other ? s->column->count - 1 : -1;
}

/* The value of a row, and whether it is missing. */
static float number_of(const source *s, int64_t row, bool *missing) {
    const float value = s->numbers[row * s->stride];
    *missing = isnan(value) != 0;
    return *missing ? s->column->mean : value;
}

static void encode_date(const source *s, int64_t row, bool centred, float *out) {
    sustain__date date;
    const bool there = sustain__date_read(s->texts[row], s->column->order, &date);
    sustain__date_encode(s->column, there ? &date : NULL, centred, out);
}

static void encode_dense(const encoder *x, float *to, int64_t row) {
    for (int64_t k = 0; k < x->e->count; k++) {
        const source *s = &x->sources[k];
        const sustain__column *c = s->column;
        bool missing;
        if (c->kind == SUSTAIN__COLUMN_NUMBER) {
            to[c->first] = number_of(s, row, &missing);
            if (c->marker) to[c->first + 1] = missing;
        } else if (c->kind == SUSTAIN__COLUMN_DATE) {
            encode_date(s, row, false, to + c->first);
        } else {
            const int64_t j = category_of(s, row);
            if (j >= 0) to[c->first + j] = 1;
        }
    }
}

static sustain_status enlarge(encoder *x, int64_t more) {
    if (x->entries + more <= x->room) return SUSTAIN_OK;
    sustain_context *context = x->t->input->context;
    const int64_t room = x->entries + more + x->room;
    float *values;
    int32_t *columns;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)room, sizeof *values), &values));
    if (x->entries > 0) memcpy(values, x->values, (size_t)x->entries * sizeof *values);
    sustain__free(context, x->values);
    x->values = values;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)room, sizeof *columns), &columns));
    if (x->entries > 0) memcpy(columns, x->columns, (size_t)x->entries * sizeof *columns);
    sustain__free(context, x->columns);
    x->columns = columns;
    x->room = room;
    return SUSTAIN_OK;
}

static void put(encoder *x, int64_t feature, float value) {
    if (value == 0) return;
    x->columns[x->entries] = (int32_t)feature;
    x->values[x->entries++] = value;
}

static sustain_status encode_text(encoder *x, const source *s, int64_t row) {
    const sustain__column *c = s->column;
    SUSTAIN_TRY(sustain__term_list_fill(&x->list, s->texts[row]));
    SUSTAIN_TRY(enlarge(x, x->list.count));
    const int64_t first = x->entries;
    double square = 0;
    for (int64_t i = 0; i < x->list.count; i++) {
        const sustain__counted *term = &x->list.items[i];
        const int32_t feature = s->feature[term->bucket];
        if (feature == 0) continue;
        const float value = (float)(1 + log((double)term->count)) * s->weight[feature - 1];
        square += (double)value * (double)value;
        put(x, c->first + feature - 1, value);
    }
    const float factor = square > 0 ? (float)(1 / sqrt(square)) : 0;
    for (int64_t k = first; k < x->entries; k++) x->values[k] *= factor;
    return SUSTAIN_OK;
}

static sustain_status encode_sparse(encoder *x, int64_t row) {
    const int64_t most = SUSTAIN__DATE_FEATURES * x->e->count; /* of columns that are not text */
    float features[SUSTAIN__DATE_FEATURES];
    SUSTAIN_TRY(enlarge(x, most));
    for (int64_t k = 0; k < x->e->count; k++) {
        const source *s = &x->sources[k];
        const sustain__column *c = s->column;
        bool missing;
        if (c->kind == SUSTAIN__COLUMN_TEXT) {
            SUSTAIN_TRY(encode_text(x, s, row));
            SUSTAIN_TRY(enlarge(x, most));
        } else if (c->kind == SUSTAIN__COLUMN_NUMBER) {
            put(x, c->first, (number_of(s, row, &missing) - c->mean) * c->factor);
            if (c->marker) put(x, c->first + 1, missing);
        } else if (c->kind == SUSTAIN__COLUMN_DATE) {
            encode_date(s, row, true, features);
            for (int64_t j = 0; j < c->count; j++) put(x, c->first + j, features[j]);
        } else {
            const int64_t j = category_of(s, row);
            if (j >= 0) put(x, c->first + j, 1);
        }
    }
    return SUSTAIN_OK;
}

/* ---- what the training rows had not ---- */

/* Whether a row has a category that is no feature, or no value in a column that always had one. */
static bool is_new(const source *s, int64_t row) {
    const sustain__column *c = s->column;
    if (c->kind == SUSTAIN__COLUMN_CATEGORY) return category_of(s, row) < 0;
    if (c->kind == SUSTAIN__COLUMN_NUMBER) return !c->marker && isnan(s->numbers[row * s->stride]);
    return c->kind == SUSTAIN__COLUMN_DATE && !c->marker && sustain__field_is_missing(s->texts[row]);
}

/* Says where a file has what the features cannot tell. */
static sustain_status say_new(const encoder *x) {
    const sustain__table *t = x->t;
    for (int64_t k = 0; k < x->e->count; k++) {
        const source *s = &x->sources[k];
        const char *name = x->e->file_names[s->column->position];
        int64_t count = 0, first = -1;
        for (int64_t i = 0; i < t->rows; i++)
            if (is_new(s, i) && count++ == 0) first = i;
        if (count == 0) continue;
        if (s->column->kind == SUSTAIN__COLUMN_CATEGORY && !sustain__field_is_utf8(s->texts[first]))
            return sustain__table_refuse_row(t, first, s->position, sustain__no_text, sustain__not_utf8);
        if (s->column->kind == SUSTAIN__COLUMN_CATEGORY && !sustain__field_is_missing(s->texts[first])) {
            const int shown = s->texts[first].end - s->texts[first].at < 40 ? (int)(s->texts[first].end - s->texts[first].at) : 40;
            sustain__log(t->input->context,
                         "%s: column '%.60s' has a category that no training row had, such as '%.*s', in %lld of %lld rows",
                         t->input->set->source, name, shown, s->texts[first].at, (long long)count, (long long)t->rows);
        } else {
            sustain__log(t->input->context, "%s: column '%.60s' has no value in %lld of %lld rows, and all training rows had one",
                         t->input->set->source, name, (long long)count, (long long)t->rows);
        }
    }
    return SUSTAIN_OK;
}

/* ---- all rows ---- */

/* Refuses missing numbers if the encoding says so. */
static sustain_status check_missing(const encoder *x) {
    for (int64_t k = 0; k < x->e->count && x->e->missing == SUSTAIN_MISSING_REFUSE; k++) {
        const int64_t position = x->sources[k].position;
        if (x->t->found[position].missing > 0)
            return sustain__table_refuse(x->t, x->t->found[position].missing_line, position, sustain__no_text,
                                         "the value is missing; fill it in, or remove the row");
    }
    return SUSTAIN_OK;
}

/* Whether the numbers that were read are exactly the features: all of them, in order, none
 * missing. */
static bool is_plain(const encoder *x) {
    if (x->e->sparse || x->e->count != x->t->dim || x->e->dim != x->t->dim) return false;
    for (int64_t k = 0; k < x->e->count; k++) {
        const source *s = &x->sources[k];
        if (!sustain__is_plain_number(s->column) || x->t->found[s->position].missing > 0 || (k > 0 && s->position <= s[-1].position))
            return false;
    }
    return true;
}

static sustain_status encode_all(encoder *x) {
    sustain_dataset *set = x->t->input->set;
    struct sustain_dataset_memory *m = set->memory;
    const int64_t rows = x->t->rows, dim = x->e->dim;
    set->rows.dim = dim;
    if (is_plain(x)) return SUSTAIN_OK; /* large tables of numbers are not copied */
    if (!x->e->sparse) {
        SUSTAIN_TRY(sustain__allocate(set->context, sustain__multiply(sustain__multiply((size_t)rows, (size_t)dim), sizeof *x->values),
                                      &x->values));
        for (int64_t i = 0; i < rows; i++) {
            if (i % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(set->context));
            encode_dense(x, x->values + i * dim, i);
        }
    } else {
        SUSTAIN_TRY(sustain__allocate(set->context, sustain__multiply((size_t)rows + 1, sizeof *m->start), &m->start));
        for (int64_t i = 0; i < rows; i++) {
            if (i % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(set->context));
            SUSTAIN_TRY(encode_sparse(x, i));
            m->start[i + 1] = x->entries;
        }
        SUSTAIN_TRY(enlarge(x, 1)); /* the arrays must not be NULL, even without entries */
    }
    sustain__free(set->context, m->values);
    m->values = x->values, m->columns = x->columns;
    x->values = NULL, x->columns = NULL;
    return SUSTAIN_OK;
}

/* Encodes the rows of a table, whose places are known. */
static sustain_status encode_rows(sustain__table *t, const sustain_table_encoding *e, const sustain__text_columns *texts) {
    encoder x = {.t = t, .e = e, .list = {.context = t->input->context}};
    sustain_status status = prepare(&x, texts);
    if (status == SUSTAIN_OK) status = check_missing(&x);
    if (status == SUSTAIN_OK && t->input->options->encoding != NULL) status = say_new(&x);
    if (status == SUSTAIN_OK) status = encode_all(&x);
    encoder_free(&x);
    return status;
}

/* ---- a table as a set ---- */

/* The columns that are read again as text. */
static void want_texts(const sustain__table *t, uint8_t *wanted) {
    const sustain_table_encoding *e = t->input->options->encoding;
    for (int64_t j = 0; j < t->columns; j++) {
        const bool fitted = e == NULL && (t->wish[j] == SUSTAIN__AS_TEXT || t->wish[j] == SUSTAIN__AS_CATEGORY || t->found[j].odd > 0 ||
                                          sustain__points_are_unclear(&t->found[j]));
        wanted[j] = fitted || t->wish[j] == SUSTAIN__AS_ID || t->shown[j];
    }
    for (int64_t k = 0; e != NULL && k < e->count; k++)
        if (!sustain__is_plain_number(&e->columns[k])) wanted[t->place[k]] = 1;
}

static sustain_status encode_with(sustain__table *t, const sustain__text_columns *texts, sustain_table_encoding **encoding) {
    const sustain_table_encoding *given = t->input->options->encoding;
    if (given != NULL) {
        *encoding = sustain_table_encoding_share(given);
        return encode_rows(t, given, texts);
    }
    SUSTAIN_TRY(sustain__encoding_fit(t, texts, encoding));
    SUSTAIN_TRY(sustain__allocate(t->input->context, sustain__multiply((size_t)(*encoding)->count, sizeof *t->place), &t->place));
    for (int64_t k = 0; k < (*encoding)->count; k++) t->place[k] = (*encoding)->columns[k].position;
    return encode_rows(t, *encoding, texts);
}

sustain_status sustain__table_encode(sustain__table *t) {
    sustain_dataset *set = t->input->set;
    sustain__text_columns texts = {.context = NULL};
    uint8_t *wanted;
    SUSTAIN_TRY(sustain__allocate(set->context, (size_t)t->columns, &wanted));
    want_texts(t, wanted);
    sustain_status status = sustain__table_texts(t, wanted, &texts);
    if (status == SUSTAIN_OK) status = encode_with(t, &texts, &set->memory->encoding);
    if (status == SUSTAIN_OK) status = sustain__table_keep(t, &texts);
    sustain__table_texts_free(&texts);
    sustain__free(set->context, wanted);
    if (status != SUSTAIN_OK) return status;
    sustain__dataset_publish(set);
    return sustain__check_size(set);
}
