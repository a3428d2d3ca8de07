/* table_fit.c - fits an encoding to the rows of a table: decides which columns are numbers,
 * categories or text, which are not used, and which are refused.
 *
 *   numbers       all fields that are not missing are numbers, plain or all with the same marks
 *   dates         all fields that are not missing are dates or times (date.h)
 *   categories    text with at most FEW distinct values, or at most MOST_VALUES with at least
 *                 ROWS_PER_VALUE rows for each; values rarer than least_rows() are pooled
 *   refused       numbers or dates with a few words among them; text with many distinct values */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/number.h"
#include "data/table_internal.h"
#include "data/totals.h"

enum { FEW = 20, MOST_VALUES = 1000, ROWS_PER_VALUE = 5, DENSE_DIM = 256, DENSE_SHARE = 10 };

/* State of the fit. */
typedef struct fitting {
    const sustain__table *t;
    const sustain__text_columns *texts;
    sustain_table_encoding *e;
    sustain__names names;                                                              /* of features */
    char constant[200], empty[200], filled[200], dates[200], marked[200], totals[200]; /* names of columns, for the log */
    char refused[1000], also[200];                                                     /* why a column is refused, and which others are */
    bool comma;                                                                        /* a column has decimals behind a comma */
} fitting;

static void list_name(char list[200], const char *name) {
    const size_t at = strlen(list);
    if (name[0] == '\0') name = "(no name)";
    if (at > 150) {
        if (strcmp(list + at - 3, "...") != 0) snprintf(list + at, 200 - at, ", ...");
        return;
    }
    snprintf(list + at, 200 - at, "%s'%.40s'", at > 0 ? ", " : "", name);
}

static sustain__column *new_column(fitting *f, sustain__column_kind kind, int64_t position) {
    sustain__column *c = &f->e->columns[f->e->count++];
    *c = (sustain__column){.kind = kind, .position = position, .factor = 1};
    return c;
}

/* ---- numbers ---- */

typedef struct moments {
    double mean, deviation, least, most;
} moments;

/* The numbers of a column; that of row i is at offset stride * i. */
typedef struct numbers {
    const float *values;
    int64_t stride;
} numbers;

static moments find_moments(const sustain__table *t, numbers of) {
    moments m = {0, 0, INFINITY, -INFINITY};
    int64_t n = 0;
    for (int64_t i = 0; i < t->rows; i++) {
        const double v = (double)of.values[i * of.stride];
        if (isnan(v)) continue;
        m.mean += v;
        if (v < m.least) m.least = v;
        if (v > m.most) m.most = v;
        n++;
    }
    m.mean /= n > 0 ? (double)n : 1;
    for (int64_t i = 0; i < t->rows; i++) {
        const double d = (double)of.values[i * of.stride] - m.mean;
        if (!isnan(d)) m.deviation += d * d;
    }
    m.deviation = sqrt(m.deviation / (n > 0 ? (double)n : 1));
    return m;
}

/* Whether a column numbers the rows: first, first + 1, ... */
static bool counts_rows(const sustain__table *t, numbers of) {
    enum { EXACT = 1 << 24, FEWEST = 3 }; /* integers up to here are exact in a float */
    const float first = of.values[0];
    if (t->rows < FEWEST || t->rows > EXACT || (first != 0 && first != 1)) return false;
    for (int64_t i = 0; i < t->rows; i++)
        if (of.values[i * of.stride] != first + (float)i) return false;
    return true;
}

static bool is_index_name(const sustain__table *t, int64_t column) {
    const sustain__field_text name = t->first[column];
    return t->header && (name.at == name.end || sustain__field_is(name, "Unnamed: 0") || sustain__field_is(name, "index"));
}

/* "id", "Id", "customer_id", "userID". */
static bool is_id_name(const char *name) {
    const size_t n = strlen(name);
    if (n < 2 || tolower((unsigned char)name[n - 2]) != 'i' || tolower((unsigned char)name[n - 1]) != 'd') return false;
    return n == 2 || !isalnum((unsigned char)name[n - 3]) || (name[n - 2] == 'I' && islower((unsigned char)name[n - 3]));
}

static sustain_status fit_numbers(fitting *f, int64_t column, numbers values, sustain__notation notation) {
    const sustain__table *t = f->t;
    const sustain__found *found = &t->found[column];
    const char *name = f->e->file_names[column], *source = t->input->set->source;
    if (found->missing > 0 && f->e->missing == SUSTAIN_MISSING_REFUSE)
        return sustain__table_refuse(t, found->missing_line, column, sustain__no_text,
                                     "the value is missing; fill it in, or remove the row");
    if (found->missing == t->rows) {
        list_name(f->empty, name);
        return SUSTAIN_OK;
    }
    if (column == 0 && is_index_name(t, column) && counts_rows(t, values)) {
        sustain__log(t->input->context, "%s: its first column numbers the rows and is not used", source);
        return SUSTAIN_OK;
    }
    const moments m = find_moments(t, values);
    if (m.least == m.most && found->missing == 0) {
        list_name(f->constant, name);
        return SUSTAIN_OK;
    }
    if (counts_rows(t, values) || (is_id_name(name) && m.most >= (double)t->rows))
        sustain__log(t->input->context,
                     "%s: column '%.60s' %s, and is used as a feature; if it is an identifier, name it as such (id-column)", source, name,
                     counts_rows(t, values) ? "numbers the rows" : "has the name of an identifier");
    if (found->padded && !found->decimals)
        sustain__log(t->input->context,
                     "%s: column '%.60s' has numbers that begin with 0, and is used as numbers; if they are codes, name it as one of "
                     "categories (categorical)",
                     source, name);
    if (sustain__ends_with_total(values.values, values.stride, t->rows)) list_name(f->totals, name);
    sustain__column *c = new_column(f, SUSTAIN__COLUMN_NUMBER, column);
    c->mean = (float)m.mean;
    c->factor = m.deviation > 1e-7 * fabs(m.mean) && isfinite((float)(1 / m.deviation)) ? (float)(1 / m.deviation) : 1;
    c->notation = notation;
    c->marker = found->missing > 0;
    c->count = 1 + c->marker;
    SUSTAIN_TRY(sustain__names_add(&f->names, "%s", name));
    if (!c->marker) return SUSTAIN_OK;
    list_name(f->filled, name);
    return sustain__names_add(&f->names, "%s (missing)", name);
}

bool sustain__points_are_unclear(const sustain__found *found) {
    return found->odd == 0 && found->either > 0 && !found->decimals;
}

static sustain_status fit_plain_numbers(fitting *f, int64_t column) {
    const sustain__notation plain = {.decimal = 0};
    return fit_numbers(f, column, (numbers){sustain__table_numbers(f->t, column), f->t->dim}, plain);
}

/* Whether all values of a column are numbers in one notation, "1,234.50" or "12 %". What can be
 * read both as thousands and as decimals, "1,234", is thousands. */
static bool find_notation(const fitting *f, int64_t column, sustain__notation *out) {
    const sustain__field_text *texts = sustain__table_text_of(f->texts, column);
    for (int k = 0; k < 2; k++) {
        bool all = true, first = true;
        for (int64_t i = 0; i < f->t->rows && all; i++) {
            double value;
            if (sustain__field_is_missing(texts[i])) continue;
            all = first ? sustain__notation_of(texts[i], ".,"[k], out) : sustain__marked_read(texts[i], out, &value);
            first = false;
        }
        if (all) return true;
    }
    return false;
}

static sustain_status fit_marked(fitting *f, int64_t column, const sustain__notation *notation) {
    const sustain__table *t = f->t;
    float *values;
    SUSTAIN_TRY(sustain__allocate(t->input->context, sustain__multiply((size_t)t->rows, sizeof *values), &values));
    sustain_status status =
        sustain__marked_numbers(t, column, sustain__table_text_of(f->texts, column), notation, SUSTAIN_MISSING_MEAN, values);
    if (status == SUSTAIN_OK) status = fit_numbers(f, column, (numbers){values, 1}, *notation);
    if (status == SUSTAIN_OK) list_name(f->marked, f->e->file_names[column]);
    sustain__free(t->input->context, values);
    return status;
}

static sustain__field_text first_with_point(const fitting *f, int64_t column) {
    const sustain__field_text *texts = sustain__table_text_of(f->texts, column);
    int64_t row = 0;
    while (row < f->t->rows - 1 && sustain__point_of(texts[row]) != SUSTAIN__EITHER) row++;
    return texts[row];
}

/* "1.250": thousands, where another column of the file has decimals behind a comma. Else decimals,
 * which is said where other rows have no point: programs write 999 as 999.000 then. */
static sustain_status fit_unclear(fitting *f, int64_t column) {
    const sustain__notation thousands = {.decimal = ','};
    if (f->comma) return fit_marked(f, column, &thousands);
    const sustain__field_text text = first_with_point(f, column);
    if (f->t->found[column].whole > 0)
        sustain__log(f->t->input->context,
                     "%s: column '%.60s': %.*s is read as with a point before decimals, beside numbers without one; if points are between "
                     "thousands, leave them out",
                     f->t->input->set->source, f->e->file_names[column], (int)(text.end - text.at), text.at);
    return fit_plain_numbers(f, column);
}

/* Whether a column of a file with unclear points has decimals behind a comma. */
static bool has_comma(const fitting *f) {
    bool unclear = false, comma = false;
    sustain__notation notation;
    for (int64_t j = 0; j < f->t->columns; j++) unclear = unclear || sustain__points_are_unclear(&f->t->found[j]);
    for (int64_t j = 0; j < f->t->columns && unclear && !comma; j++)
        comma = f->t->found[j].odd > 0 && f->t->roles[j] == SUSTAIN__FEATURE && find_notation(f, j, &notation) && notation.decimal == ',';
    return comma;
}

/* ---- dates ---- */

static sustain_status fit_dates(fitting *f, int64_t column, const sustain__dates *found) {
    const sustain__table *t = f->t;
    const char *name = f->e->file_names[column];
    sustain__column c = {.kind = SUSTAIN__COLUMN_DATE};
    bool constant;
    if (t->found[column].missing > 0 && f->e->missing == SUSTAIN_MISSING_REFUSE)
        return sustain__table_refuse(t, t->found[column].missing_line, column, sustain__no_text,
                                     "the value is missing; fill it in, or remove the row");
    SUSTAIN_TRY(sustain__fit_dates(t, sustain__table_text_of(f->texts, column), column, found, &c, &constant));
    list_name(constant ? f->constant : f->dates, name);
    if (constant) return SUSTAIN_OK;
    if (c.marker) list_name(f->filled, name);
    c.position = column;
    f->e->columns[f->e->count++] = c;
    return sustain__date_names(&f->e->columns[f->e->count - 1], name, &f->names);
}

/* ---- categories ---- */

static const char missing_value[] = "(missing)";

/* A value with fewer rows is pooled with others. Penalties take care of rare ones: to pool values
 * of fewer than 1 % of 620 rows cost 10 % of the test loss of a table with zip codes. */
static int64_t least_rows(int64_t rows) {
    return rows < 2000 ? 2 : rows < 5000 ? rows / 1000 : 5;
}

/* The first field of a column that is neither missing nor a number. */
static sustain__field_text first_odd(const fitting *f, int64_t column) {
    const sustain__field_text *texts = sustain__table_text_of(f->texts, column);
    int64_t row = 0;
    double value;
    while (row < f->t->rows - 1 && (sustain__field_is_missing(texts[row]) || sustain__number_is(texts[row].at, texts[row].end, &value)))
        row++;
    return texts[row];
}

/* "1,234.50", "$5", "12 %": a number with marks whose meaning is ambiguous. "17-0003" is none. */
static bool is_marked_number(sustain__field_text text) {
    bool digits = false;
    for (const char *c = text.at; c < text.end; c++) {
        if (!isdigit((unsigned char)*c) && strchr(digits ? ",. $%'" : ",. $%'+-", *c) == NULL) return false;
        digits = digits || isdigit((unsigned char)*c);
    }
    return digits;
}

/* Refuses a text column that was not declared categorical, unless it has few distinct values. */
static sustain_status check_values(const fitting *f, int64_t column, const sustain__intern *values) {
    const sustain__table *t = f->t;
    const sustain__found *found = &t->found[column];
    const int64_t present = t->rows - found->missing;
    const char *source = t->input->set->source, *name = f->e->file_names[column];
    if (t->roles[column] != SUSTAIN__FEATURE) return SUSTAIN_OK; /* the user declared it */
    const sustain__field_text odd = first_odd(f, column);
    const int shown = odd.end - odd.at < 40 ? (int)(odd.end - odd.at) : 40;
    if (values->count <= FEW) {
        if (2 * found->odd < present)
            sustain__log(t->input->context, "%s: column '%.60s' is taken for categories, since '%.*s' is not a number", source, name, shown,
                         odd.at);
        return SUSTAIN_OK;
    }
    if (2 * found->odd < present)
        return sustain__table_refuse(t, found->odd_line, column, odd,
                                     "is not a number, but most of the column is; correct it, or leave the column out (ignore-column)");
    const sustain__field_text *texts = sustain__table_text_of(f->texts, column);
    const sustain__dates dates = sustain__find_dates(t, texts);
    if (2 * dates.count > present)
        return sustain__table_refuse_row(t, dates.odd_row, column, texts[dates.odd_row],
                                         "is not a date, but most of the column is; correct it, or leave the column out (ignore-column)");
    if (is_marked_number(odd))
        return sustain__table_refuse(
            t, found->odd_line, column, odd,
            "is not a number: write numbers as 1234.5, without other marks, or leave the column out (ignore-column)");
    if (values->count <= MOST_VALUES && values->count * ROWS_PER_VALUE <= present) return SUSTAIN_OK;
    const bool many = values->count > MOST_VALUES;
    return sustain__fail(t->input->context, SUSTAIN_FORMAT,
                         "%s: column %lld ('%.60s') is text with %s%lld different values: name it as %sa text column (text-column) or as "
                         "what identifies rows (id-column), or leave it out (ignore-column)",
                         source, (long long)column + 1, name, many ? "more than " : "", (long long)(many ? MOST_VALUES : values->count),
                         many || 2 * values->count > present ? "" : "one of categories (categorical), as ");
}

static int by_text(const void *a, const void *b) {
    const sustain__field_text *p = a, *q = b;
    const ptrdiff_t m = p->end - p->at, n = q->end - q->at;
    const int order = memcmp(p->at, q->at, (size_t)(m < n ? m : n));
    return order != 0 ? order : m < n ? -1 : m > n;
}

/* Creates features for the values, in alphabetical order. */
static sustain_status add_values(fitting *f, int64_t column, sustain__intern *values) {
    const char *name = f->e->file_names[column];
    const int64_t least = least_rows(f->t->rows);
    sustain__field_text *kept;
    int64_t count = 0;
    SUSTAIN_TRY(sustain__allocate(f->t->input->context, sustain__multiply((size_t)values->count, sizeof *kept), &kept));
    for (int64_t i = 0; i < values->count; i++)
        if (values->times[i] >= least) kept[count++] = values->known[i];
    qsort(kept, (size_t)count, sizeof *kept, by_text);
    sustain__column *c = new_column(f, SUSTAIN__COLUMN_CATEGORY, column);
    c->other = count < values->count;
    c->count = count + c->other;
    sustain_status status = SUSTAIN_OK;
    for (int64_t i = 0; i < count && status == SUSTAIN_OK; i++)
        status = sustain__names_add(&f->names, "%s=%.*s", name, (int)(kept[i].end - kept[i].at), kept[i].at);
    if (status == SUSTAIN_OK && c->other) status = sustain__names_add(&f->names, "%s=(other)", name);
    sustain__free(f->t->input->context, kept);
    return status;
}

static sustain_status count_values(const fitting *f, int64_t column, sustain__intern *values) {
    const sustain__table *t = f->t;
    const sustain__field_text *texts = sustain__table_text_of(f->texts, column);
    const sustain__field_text none = {missing_value, missing_value + strlen(missing_value)};
    for (int64_t i = 0; i < t->rows && values->count <= MOST_VALUES; i++) {
        int64_t number;
        const bool missing = sustain__field_is_missing(texts[i]);
        if (missing && f->e->missing == SUSTAIN_MISSING_REFUSE)
            return sustain__table_refuse_row(t, i, column, sustain__no_text, "the value is missing; fill it in, or remove the row");
        if (!sustain__field_is_utf8(texts[i])) return sustain__table_refuse_row(t, i, column, sustain__no_text, sustain__not_utf8);
        SUSTAIN_TRY(sustain__intern_add(values, missing ? none : texts[i], &number));
    }
    return SUSTAIN_OK;
}

static sustain_status fit_category(fitting *f, int64_t column) {
    sustain__intern values = {.context = f->t->input->context};
    sustain_status status = count_values(f, column, &values);
    if (status == SUSTAIN_OK) status = check_values(f, column, &values);
    if (status == SUSTAIN_OK && values.count > MOST_VALUES)
        status = sustain__fail(f->t->input->context, SUSTAIN_FORMAT,
                               "%s: column %lld ('%.60s') has more than %d different values: too many categories", f->t->input->set->source,
                               (long long)column + 1, f->e->file_names[column], MOST_VALUES);
    if (status == SUSTAIN_OK && f->t->header && sustain__intern_find(&values, f->t->first[column]) >= 0)
        sustain__table_say_row(f->t, column);
    if (status == SUSTAIN_OK && values.count == 1)
        list_name(f->constant, f->e->file_names[column]);
    else if (status == SUSTAIN_OK)
        status = add_values(f, column, &values);
    sustain__intern_free(&values);
    return status;
}

/* ---- all columns ---- */

static sustain_status fit_column(fitting *f, int64_t column) {
    const sustain__table *t = f->t;
    if (t->wish[column] == SUSTAIN__AS_TEXT) {
        sustain__column *c = new_column(f, SUSTAIN__COLUMN_TEXT, column);
        f->e->sparse = true;
        return sustain__fit_text(t, sustain__table_text_of(f->texts, column), f->e->file_names[column], c, &f->names);
    }
    if (t->wish[column] == SUSTAIN__AS_CATEGORY) return fit_category(f, column);
    if (t->roles[column] != SUSTAIN__FEATURE) return SUSTAIN_OK;
    if (sustain__points_are_unclear(&t->found[column])) return fit_unclear(f, column);
    if (t->found[column].odd == 0) return fit_plain_numbers(f, column);
    const sustain__dates dates = sustain__find_dates(t, sustain__table_text_of(f->texts, column));
    if (dates.odd_row < 0) return fit_dates(f, column, &dates);
    sustain__notation notation;
    return find_notation(f, column, &notation) ? fit_marked(f, column, &notation) : fit_category(f, column);
}

/* A column that is refused does not end the search for others. */
static sustain_status fit_or_note(fitting *f, int64_t column) {
    const sustain_status status = fit_column(f, column);
    if (status != SUSTAIN_FORMAT) return status;
    if (f->refused[0] == '\0')
        snprintf(f->refused, sizeof f->refused, "%s", sustain_error(f->e->context));
    else
        list_name(f->also, f->e->file_names[column]);
    return SUSTAIN_OK;
}

static sustain_status name_file_columns(const sustain__table *t, sustain_table_encoding *e) {
    sustain__names names = {.context = e->context};
    sustain_status status = SUSTAIN_OK;
    for (int64_t j = 0; t->header && j < t->columns; j++)
        if (!sustain__field_is_utf8(t->first[j]))
            return sustain__fail(e->context, SUSTAIN_FORMAT,
                                 "%s: the name of column %lld is not UTF-8; save the file as UTF-8 (in a spreadsheet: 'CSV UTF-8')",
                                 t->input->set->source, (long long)j + 1);
    for (int64_t j = 0; j < t->columns && status == SUSTAIN_OK; j++)
        status = t->header ? sustain__names_add(&names, "%.*s", (int)(t->first[j].end - t->first[j].at), t->first[j].at)
                           : sustain__names_add(&names, "column %lld", (long long)j + 1);
    if (status == SUSTAIN_OK) status = sustain__names_store(&names, &e->file_names);
    sustain__names_free(&names);
    return status;
}

static sustain_status note_columns(const sustain__table *t, sustain_table_encoding *e) {
    e->header = t->header;
    e->missing = t->input->options->table->missing;
    e->rows = t->rows;
    e->file_columns = t->columns;
    e->label = t->label, e->trusted = t->trusted, e->id = -1;
    SUSTAIN_TRY(sustain__allocate(e->context, sustain__multiply((size_t)t->columns, sizeof *e->columns), &e->columns));
    SUSTAIN_TRY(sustain__allocate(e->context, sustain__multiply((size_t)t->columns, sizeof *e->shown), &e->shown));
    for (int64_t j = 0; j < t->columns; j++) {
        if (t->wish[j] == SUSTAIN__AS_ID) e->id = j;
        if (t->shown[j]) e->shown[e->shown_count++] = j;
    }
    return name_file_columns(t, e);
}

static void say(const fitting *f) {
    sustain_context *context = f->t->input->context;
    const char *source = f->t->input->set->source;
    if (f->constant[0] != '\0') sustain__log(context, "%s: not used, since all rows have the same value: %s", source, f->constant);
    if (f->empty[0] != '\0') sustain__log(context, "%s: not used, since all values are missing: %s", source, f->empty);
    if (f->filled[0] != '\0')
        sustain__log(context, "%s: missing values are replaced by the mean of the column, and marked by a feature: %s", source, f->filled);
    if (f->dates[0] != '\0')
        sustain__log(context, "%s: dates and times, taken as days and parts of year, week and day: %s", source, f->dates);
    if (f->marked[0] != '\0')
        sustain__log(context, "%s: taken as numbers, without their currency, percent sign, unit or marks between digits: %s", source,
                     f->marked);
    if (f->totals[0] != '\0')
        sustain__log(context, "%s: its last row is the sum of the others in these columns; if it has totals, remove it: %s", source,
                     f->totals);
}

static sustain_status fit_all(fitting *f) {
    sustain_table_encoding *e = f->e;
    SUSTAIN_TRY(note_columns(f->t, e));
    f->comma = has_comma(f);
    for (int64_t j = 0; j < f->t->columns; j++) SUSTAIN_TRY(fit_or_note(f, j));
    if (f->also[0] != '\0')
        return sustain__fail(e->context, SUSTAIN_FORMAT, "%s; these columns cannot be used as they are either: %s", f->refused, f->also);
    if (f->refused[0] != '\0') return sustain__fail(e->context, SUSTAIN_FORMAT, "%s", f->refused);
    say(f);
    if (f->names.count == 0)
        return sustain__fail(e->context, SUSTAIN_FORMAT, "%s: it has no features: no usable column is left", f->t->input->set->source);
    SUSTAIN_TRY(sustain__names_store(&f->names, &e->names));
    SUSTAIN_TRY(sustain__encoding_number(e));
    e->sparse = e->sparse || (e->dim > DENSE_DIM && e->count * DENSE_SHARE < e->dim);
    return SUSTAIN_OK;
}

sustain_status sustain__encoding_fit(const sustain__table *t, const sustain__text_columns *texts, sustain_table_encoding **out) {
    fitting f = {.t = t, .texts = texts, .names = {.context = t->input->context}};
    *out = NULL;
    SUSTAIN_TRY(sustain__encoding_create(t->input->context, &f.e));
    const sustain_status status = fit_all(&f);
    sustain__names_free(&f.names);
    if (status == SUSTAIN_OK)
        *out = f.e;
    else
        sustain_table_encoding_destroy(f.e);
    return status;
}
