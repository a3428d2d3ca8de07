/* csv.c - CSV: rows of numbers, one column of labels (numbers or text), one that marks trusted
 * rows; with or without a header.
 *
 * The first row is a header if a column is chosen by name, or else if none of its features is a
 * number. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "data/csv_table.h"
#include "data/marked.h"
#include "data/number.h"
#include "io/json_text.h"

typedef sustain__table table;

/* ---- messages ---- */

sustain_status sustain__table_refuse(const table *t, int64_t line, int64_t column, sustain__field_text field, const char *why) {
    const sustain__field_text *name = &t->first[column];
    const int named = t->header ? (name->end - name->at < 40 ? (int)(name->end - name->at) : 40) : 0;
    const int shown = field.end - field.at < 40 ? (int)(field.end - field.at) : 40;
    return sustain__fail(t->input->context, SUSTAIN_FORMAT, "%s: line %lld, column %lld%s%.*s%s: %s%.*s%s%s", t->input->set->source,
                         (long long)line, (long long)column + 1, named > 0 ? " ('" : "", named, name->at, named > 0 ? "')" : "",
                         shown > 0 ? "'" : "", shown, field.at, shown > 0 ? "' " : "", why);
}

/* The line on which a row (from 0) begins. */
static int64_t line_of(const table *t, int64_t row) {
    sustain__csv csv = t->start;
    csv.undone = NULL, csv.undone_length = 0;
    for (int64_t left = row + t->header; sustain__csv_row(&csv, NULL) && left > 0; left--) {
        bool read = true;
        for (int64_t j = 0; j < t->columns && read; j++) read = sustain__csv_skip(&csv) == SUSTAIN_OK;
        if (!read || !sustain__csv_end_row(&csv)) break; /* cannot be: all rows were read before */
    }
    sustain__csv_end(&csv);
    return csv.line;
}

sustain_status sustain__table_refuse_row(const table *t, int64_t row, int64_t column, sustain__field_text field, const char *why) {
    return sustain__table_refuse(t, line_of(t, row), column, field, why);
}

/* For messages that quote no field. */
static const char no_text[] = "";
const sustain__field_text sustain__no_text = {no_text, no_text};

const char sustain__not_utf8[] = "the text is not UTF-8; save the file as UTF-8 (in a spreadsheet: 'CSV UTF-8')";

bool sustain__field_is_utf8(sustain__field_text field) {
    return sustain__bytes_are_utf8(field.at, field.end);
}

bool sustain__field_is(sustain__field_text field, const char *word) {
    return (size_t)(field.end - field.at) == strlen(word) && memcmp(field.at, word, strlen(word)) == 0;
}

/* An error of a spreadsheet in any language, "#REF!", "#NAME?", "#WERT!"; "#N/A", in German
 * "#NV". */
static bool is_spreadsheet_error(sustain__field_text field) {
    const char *at = field.at, *last = field.end - 1;
    if (field.end - field.at < 3 || *at != '#') return false;
    if (sustain__field_is(field, "#N/A") || sustain__field_is(field, "#NV")) return true;
    while (++at < last)
        if ((*at < 'A' || *at > 'Z') && *at != '/' && *at != '0') return false;
    return *last == '!' || *last == '?';
}

bool sustain__field_is_missing(sustain__field_text field) {
    static const char *const words[] = {"", "NA", "N/A", "n/a", "na", "nan", "NaN", "null", "NULL", "None", "?", "NaT", "<NA>"};
    if (field.at < field.end && (*field.at == '\0' || strchr("Nn?<#", *field.at) == NULL)) return false; /* begins none of them */
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (sustain__field_is(field, words[i])) return true;
    return is_spreadsheet_error(field);
}

static bool is_number(sustain__field_text field) {
    double value;
    return sustain__number_is(field.at, field.end, &value);
}

/* ---- the first row ---- */

/* Rewinds to an earlier position. Unquoted texts are kept: first[] may point to them. */
static void go_back(table *t, sustain__csv to) {
    to.undone = t->csv.undone;
    to.undone_length = t->csv.undone_length;
    t->csv = to;
}

static sustain_status read_first(table *t) {
    for (t->columns = 0; t->columns == 0 || !t->csv.row_ended; t->columns++) SUSTAIN_TRY(sustain__csv_skip(&t->csv));
    SUSTAIN_TRY(sustain__allocate(t->input->context, sustain__multiply((size_t)t->columns, sizeof *t->first), &t->first));
    SUSTAIN_TRY(sustain__allocate(t->input->context, (size_t)t->columns, &t->roles));
    SUSTAIN_TRY(sustain__allocate(t->input->context, sustain__multiply((size_t)t->columns, sizeof *t->found), &t->found));
    go_back(t, t->start);
    for (int64_t j = 0; j < t->columns; j++) SUSTAIN_TRY(sustain__csv_text(&t->csv, &t->first[j]));
    return SUSTAIN_OK;
}

/* The number of fields of the line that `at` is in, whatever separates them. */
static int64_t fields_around(const table *t, const char *at) {
    int64_t count = 1;
    while (at > t->start.at && at[-1] != '\n') at--;
    for (; at < t->start.end && *at != '\n'; at++) count += strchr(",;\t", *at) != NULL;
    return count;
}

/* Where a title is above the header: the line, of the first ones, that has a field with this text,
 * and more fields than the first line has words in; 0: none. */
static int64_t line_with(const table *t, const char *name) {
    enum { MOST_TITLES = 20 };
    const size_t length = strlen(name);
    const char *at = t->start.at, *end = t->start.end;
    int64_t line = t->start.line, words = 0;
    for (int64_t j = 0; j < t->columns; j++) words += t->first[j].at < t->first[j].end;
    for (bool begins = true; at < end && line <= MOST_TITLES; line += *at++ == '\n') {
        const bool is_name = begins && (size_t)(end - at) > length && memcmp(at, name, length) == 0;
        if (is_name && strchr(",;\t\r\n\"", at[length]) != NULL) return fields_around(t, at) > words ? line : 0;
        begins = strchr(",;\t\n\"", *at) != NULL;
    }
    return 0;
}

static sustain_status no_column(const table *t, const char *name) {
    const int64_t line = line_with(t, name);
    if (line > 0)
        return sustain__fail(t->input->context, SUSTAIN_FORMAT,
                             "%s: its first line has no column '%.60s', but line %lld has: the names of the columns must be the first "
                             "line, so remove the lines above",
                             t->input->set->source, name, (long long)line);
    char list[200] = "";
    for (int64_t j = 0; j < t->columns && strlen(list) < 150; j++) {
        const size_t at = strlen(list);
        const int shown = t->first[j].end - t->first[j].at < 40 ? (int)(t->first[j].end - t->first[j].at) : 40;
        snprintf(list + at, sizeof list - at, "%s%.*s", j > 0 ? ", " : "", shown, t->first[j].at);
    }
    return sustain__fail(t->input->context, SUSTAIN_FORMAT, "%s: it has no column '%.60s'; its first line is: %s", t->input->set->source,
                         name, list);
}

sustain_status sustain__table_find(table *t, const char *wanted, int64_t *column) {
    double number;
    int64_t named = -1, count = 0;
    *column = -1;
    if (wanted == NULL) return SUSTAIN_OK;
    for (int64_t j = t->columns - 1; j >= 0; j--)
        if (sustain__field_is(t->first[j], wanted)) named = j, count++;
    if (sustain__number_is(wanted, wanted + strlen(wanted), &number) && number >= 1 && number <= (double)t->columns &&
        number == floor(number)) {
        *column = (int64_t)number - 1;
        if (count == 1 && named != *column) t->numbered = *column, t->namesake = named;
        return SUSTAIN_OK;
    }
    *column = named;
    t->header = true;
    if (count > 1)
        return sustain__fail(t->input->context, SUSTAIN_FORMAT,
                             "%s: %lld columns are called '%.60s', the first is column %lld: give the number of the one that is meant",
                             t->input->set->source, (long long)count, wanted, (long long)named + 1);
    return count > 0 ? SUSTAIN_OK : no_column(t, wanted);
}

/* "3" may be meant as a name, where columns are called 0, 1, 2, 3. */
static void say_numbered(const table *t) {
    const sustain__field_text name = t->first[t->numbered];
    if (!t->header || t->numbered == t->namesake) return;
    sustain__log(t->input->context,
                 "%s: %lld is taken for the number of a column, which is called '%.*s'; that called '%lld' is number %lld",
                 t->input->set->source, (long long)t->numbered + 1, name.end - name.at < 40 ? (int)(name.end - name.at) : 40, name.at,
                 (long long)t->numbered + 1, (long long)t->namesake + 1);
}

/* Reads the next name of a list, in quotes as in CSV where it has a comma; false: a quote is not
 * closed. Long names are cut, and not found. */
static bool next_name(const char **list, char name[256]) {
    const char *at = *list;
    size_t length = 0;
    const bool quoted = *at == '"';
    at += quoted;
    for (; *at != '\0' && (quoted || *at != ','); at++) {
        if (quoted && *at == '"' && *++at != '"') break;
        if (length < 255) name[length++] = *at;
    }
    name[length] = '\0';
    const bool closed = !quoted || at[-1] == '"';
    if (*at == ',') at++;
    *list = at;
    return closed;
}

static bool has_column(const table *t, const char *name) {
    for (int64_t j = 0; j < t->columns; j++)
        if (sustain__field_is(t->first[j], name)) return true;
    return false;
}

sustain_status sustain__table_find_list(table *t, const char *list, sustain__column_action *act, void *user) {
    char name[256];
    int64_t column;
    if (list != NULL && strchr(list, ',') != NULL && has_column(t, list)) { /* one name with a comma in it */
        SUSTAIN_TRY(sustain__table_find(t, list, &column));
        act(user, column);
        return SUSTAIN_OK;
    }
    for (const char *at = list; at != NULL && *at != '\0';) {
        if (!next_name(&at, name))
            return sustain__fail(t->input->context, SUSTAIN_FORMAT, "%s: a quote is not closed in the list of columns %.60s",
                                 t->input->set->source, list);
        SUSTAIN_TRY(sustain__table_find(t, name, &column));
        act(user, column);
    }
    return SUSTAIN_OK;
}

/* Labels alone in one column: a header is a word that says so, or a text above numbers. */
static bool is_header_of_labels(const table *t) {
    static const char *const words[] = {"label", "labels", "Label", "class", "Class", "target", "truth", "true_label", "y"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (sustain__field_is(t->first[0], words[i])) return true;
    sustain__csv second = t->csv;
    double value;
    return !is_number(t->first[0]) && sustain__csv_row(&second, NULL) && sustain__csv_number(&second, &value);
}

/* The number of columns whose first field is text and whose second is a number: names above
 * numbers. */
static int64_t count_names_above_numbers(table *t) {
    const sustain__csv after_first = t->csv;
    int64_t count = 0;
    bool more = sustain__csv_row(&t->csv, NULL);
    for (int64_t j = 0; more && j < t->columns; j++) {
        sustain__field_text field;
        double value;
        const bool number = sustain__csv_number(&t->csv, &value);
        count += number && !is_number(t->first[j]) && !sustain__field_is_missing(t->first[j]);
        more = (number || sustain__csv_text(&t->csv, &field) == SUSTAIN_OK) && !t->csv.row_ended;
    }
    go_back(t, after_first);
    return count;
}

/* Whether the fields of the first row that are numbers count up, from 0 as pandas names columns, or
 * from a year: three of them at least. */
static bool numbers_count_up(const table *t) {
    int64_t count = 0;
    double last = 0, value;
    for (int64_t j = 0; j < t->columns; j++) {
        if (!sustain__number_is(t->first[j].at, t->first[j].end, &value)) continue;
        const bool begins = value == 0 || (value >= 1900 && value <= 2100 && value == floor(value));
        if (count++ > 0 ? value != last + 1 : !begins) return false;
        for (const char *at = t->first[j].at; at < t->first[j].end; at++)
            if (*at < '0' || *at > '9') return false;
        last = value;
    }
    return count >= 3;
}

/* A table may have no numbers at all: its first row is a header if the names are distinct and
 * none is empty (except that of an index column). Names that are empty or there twice need a name
 * above a number. Numbers among them may be names or data: they are names if they count up, or
 * where at least as many columns have text above a number. */
static bool is_header_of_table(table *t) {
    enum { LONGEST_NAME = 60 };
    int64_t numbers = 0;
    bool unclear = false;
    for (int64_t j = 0; j < t->columns; j++) {
        const sustain__field_text name = t->first[j];
        if (name.end - name.at > LONGEST_NAME) return false;
        unclear = unclear || (j > 0 && name.end == name.at);
        numbers += is_number(name);
        for (int64_t k = 0; k < j && j < 100; k++)
            unclear = unclear || (name.end - name.at == t->first[k].end - t->first[k].at &&
                                  memcmp(name.at, t->first[k].at, (size_t)(name.end - name.at)) == 0);
    }
    if (unclear) return numbers == 0 && count_names_above_numbers(t) > 0;
    if (numbers == 0) return true;
    if (!numbers_count_up(t) && count_names_above_numbers(t) < numbers) return false;
    sustain__log(t->input->context, "%s: its first line is taken for the names of the columns, numbers among them", t->input->set->source);
    return true;
}

static bool is_header(table *t) {
    bool any = false;
    if (t->columns == 1 && t->label == 0) return is_header_of_labels(t);
    if (t->lenient) return is_header_of_table(t);
    for (int64_t j = 0; j < t->columns; j++) {
        if (t->roles[j] != SUSTAIN__FEATURE) continue;
        if (is_number(t->first[j]) || sustain__number_is_not_finite(t->first[j].at, t->first[j].end)) return false;
        any = any || t->first[j].end > t->first[j].at;
    }
    return any;
}

static sustain_status choose_columns(table *t) {
    const sustain_read_options *options = t->input->options;
    SUSTAIN_TRY(sustain__table_find(t, options->label_column, &t->label));
    SUSTAIN_TRY(sustain__table_find(t, options->trusted_column, &t->trusted));
    if (t->input->want == SUSTAIN__WANT_LABELS && t->label < 0) {
        if (t->columns > 1)
            return sustain__fail(t->input->context, SUSTAIN_FORMAT, "%s: it has %lld columns; say which has the labels (label_column)",
                                 t->input->set->source, (long long)t->columns);
        t->label = 0;
    }
    if (t->label >= 0 && t->label == t->trusted)
        return sustain__fail(t->input->context, SUSTAIN_FORMAT, "%s: one column cannot hold both the labels and the trusted marks",
                             t->input->set->source);
    if (t->label >= 0) t->roles[t->label] = SUSTAIN__LABEL;
    if (t->trusted >= 0) t->roles[t->trusted] = SUSTAIN__TRUSTED;
    if (t->lenient) SUSTAIN_TRY(sustain__table_choose(t));
    if (t->input->want == SUSTAIN__WANT_LABELS) SUSTAIN_TRY(sustain__table_choose_kept(t));
    t->guessed = !t->header && options->encoding == NULL && is_header(t);
    t->header = t->header || t->guessed;
    say_numbered(t);
    for (int64_t j = 0; j < t->columns; j++) t->dim += t->roles[j] == SUSTAIN__FEATURE;
    return SUSTAIN_OK;
}

void sustain__table_say_row(const table *t, int64_t column) {
    const sustain__field_text name = t->first[column];
    if (!t->guessed) return;
    sustain__log(t->input->context,
                 "%s: its first line is taken for the names of the columns, but '%.*s' is also a value of column %lld: if it is a row, "
                 "write a line with names before it",
                 t->input->set->source, name.end - name.at < 40 ? (int)(name.end - name.at) : 40, name.at, (long long)column + 1);
}

/* A class that is the name of the column. */
static void compare_label_name(const table *t) {
    const sustain_dataset *set = t->input->set;
    for (int64_t k = 0; set->class_names != NULL && k < set->classes; k++)
        if (sustain__field_is(t->first[t->label], set->class_names[k])) sustain__table_say_row(t, t->label);
}

static sustain_status store_column_names(const table *t) {
    const int64_t dim = t->dim;
    const char **names;
    SUSTAIN_TRY(sustain__allocate(t->input->context, sustain__multiply((size_t)dim, sizeof *names + sizeof(size_t)), &names));
    size_t *length = (size_t *)(names + dim);
    for (int64_t j = 0, k = 0; j < t->columns; j++) {
        if (t->roles[j] != SUSTAIN__FEATURE) continue;
        names[k] = t->first[j].at;
        length[k++] = (size_t)(t->first[j].end - t->first[j].at);
    }
    const sustain_status status = sustain__copy_names(t->input->context, names, length, dim, &t->input->set->memory->column_names);
    sustain__free(t->input->context, names);
    return status;
}

/* ---- the rows ---- */

static sustain_status store_number(table *t, int64_t line, int64_t column, double value) {
    if (fabs(value) > (double)FLT_MAX) return sustain__table_refuse(t, line, column, sustain__no_text, "the number is too large");
    t->input->set->memory->values[t->values++] = (float)value;
    return SUSTAIN_OK;
}

/* Counts what the points of a column can be; the number ends before `end`, with blanks and what
 * ends the field. Most columns have decimals in their first rows, or no points at all. */
static void note_point(sustain__found *found, const char *at, const char *end) {
    if (memchr(at, '.', (size_t)(end - at)) == NULL) {
        found->whole++;
        if (*at == '0' && end - at > 1 && at[1] >= '0' && at[1] <= '9') found->padded = true;
        return;
    }
    while (at < end && *at == ' ') at++;
    while (end > at && strchr("0123456789.", end[-1]) == NULL) end--;
    const bool either = sustain__point_of((sustain__field_text){at, end}) == SUSTAIN__EITHER;
    found->either += either;
    found->decimals = !either;
}

/* A field of a table that is not a plain number: quoted, missing, or other text. */
static sustain_status read_odd(table *t, int64_t line, int64_t column, sustain__field_text field) {
    sustain__found *found = &t->found[column];
    double value = NAN;
    if (sustain__field_is_missing(field)) {
        if (found->missing++ == 0) found->missing_line = line;
    } else if (!sustain__number_is(field.at, field.end, &value)) {
        if (t->input->options->encoding != NULL)
            return sustain__table_refuse(t, line, column, field, "is not a number, but the column held numbers in the training rows");
        value = NAN;
        if (found->odd++ == 0) found->odd_line = line;
    } else if (!found->decimals) {
        note_point(found, field.at, field.end);
    }
    return store_number(t, line, column, value);
}

static sustain_status read_feature(table *t, int64_t column) {
    const int64_t line = t->csv.line;
    const char *begin = t->csv.at;
    sustain__field_text field;
    double value;
    if (!sustain__csv_number(&t->csv, &value)) {
        SUSTAIN_TRY(sustain__csv_text(&t->csv, &field));
        if (t->lenient) return read_odd(t, line, column, field);
        if (sustain__number_is_not_finite(field.at, field.end))
            return sustain__table_refuse(t, line, column, field, "is not a finite number");
        if (sustain__field_is_missing(field))
            return sustain__table_refuse(t, line, column, sustain__no_text, "the value is missing; fill it in, or remove the row");
        if (!sustain__number_is(field.at, field.end, &value))
            return sustain__table_refuse(t, line, column, field,
                                         t->label < 0 ? "is not a number; if these are labels, say so (label_column)" : "is not a number");
    } else if (t->lenient && !t->found[column].decimals) {
        note_point(&t->found[column], begin, t->csv.at);
    }
    return store_number(t, line, column, value);
}

static sustain_status read_label(table *t, int64_t column) {
    const int64_t line = t->csv.line;
    sustain__field_text field;
    SUSTAIN_TRY(sustain__csv_text(&t->csv, &field));
    const bool missing = sustain__field_is_missing(field);
    if (missing && t->input->options->missing_labels) {
        sustain__labels_add_none(t->labels);
        return SUSTAIN_OK;
    }
    if (missing) return sustain__table_refuse(t, line, column, sustain__no_text, "the label is missing; fill it in, or remove the row");
    if (!sustain__field_is_utf8(field)) return sustain__table_refuse(t, line, column, sustain__no_text, sustain__not_utf8);
    if (sustain__labels_add_text(t->labels, field.at, (size_t)(field.end - field.at)) == SUSTAIN_OK) return SUSTAIN_OK;
    return sustain__table_refuse(t, line, column, field, "cannot be a label");
}

static sustain_status read_trusted(table *t, int64_t column) {
    const int64_t line = t->csv.line;
    sustain__field_text field;
    SUSTAIN_TRY(sustain__csv_text(&t->csv, &field));
    static const char *const words[] = {"0", "1", "False", "True", "false", "true", "FALSE", "TRUE", "0.0", "1.0"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (sustain__field_is(field, words[i])) {
            t->input->set->memory->trusted[t->rows] = i % 2;
            return SUSTAIN_OK;
        }
    return sustain__table_refuse(t, line, column, field, "must be 1 or True for a trusted row, 0 or False for others");
}

static sustain_status read_field(table *t, int64_t column) {
    if (t->roles[column] == SUSTAIN__LABEL) return read_label(t, column);
    if (t->roles[column] == SUSTAIN__TRUSTED) return read_trusted(t, column);
    const bool wanted = t->roles[column] == SUSTAIN__FEATURE && t->input->want != SUSTAIN__WANT_LABELS;
    return wanted ? read_feature(t, column) : sustain__csv_skip(&t->csv);
}

static sustain_status wrong_length(const table *t, int64_t line, const char *than) {
    return sustain__fail(t->input->context, SUSTAIN_FORMAT, "%s: line %lld has %s than the %lld fields of the first line",
                         t->input->set->source, (long long)line, than, (long long)t->columns);
}

static sustain_status read_rows(table *t) {
    /* an empty line is a row whose label is missing */
    const bool empty_rows = t->columns == 1 && t->label == 0 && t->input->options->missing_labels;
    for (;;) {
        const int64_t before = t->csv.line;
        bool skipped = false;
        const bool more = sustain__csv_row(&t->csv, &skipped);
        const int64_t line = t->csv.line;
        for (int64_t k = before; empty_rows && k < line; k++, t->rows++) sustain__labels_add_none(t->labels);
        if (!more) return SUSTAIN_OK;
        if (t->columns > 1 && sustain__csv_rest_is_empty(&t->csv)) {
            sustain__log(t->input->context, "%s: from line %lld on all fields are empty: these rows are passed over", t->input->set->source,
                         (long long)line);
            return SUSTAIN_OK;
        }
        if (t->rows % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(t->input->context));
        if (skipped && t->columns == 1 && !empty_rows)
            return sustain__fail(t->input->context, SUSTAIN_FORMAT, "%s: line %lld is empty; fill it in, or remove it",
                                 t->input->set->source, (long long)line - 1);
        for (int64_t j = 0; j < t->columns; j++) {
            SUSTAIN_TRY(read_field(t, j));
            if (t->csv.row_ended && j + 1 < t->columns) return wrong_length(t, line, "fewer");
        }
        if (!sustain__csv_end_row(&t->csv)) return wrong_length(t, line, "more");
        t->rows++;
    }
}

/* ---- the whole file ---- */

static int64_t count_lines(const sustain__csv *csv) {
    int64_t n = 1;
    for (const char *at = csv->at; at < csv->end; at++) n += *at == '\n';
    return n;
}

/* Allocates all rows. Every field takes at least one byte of the file, so a short file cannot
 * request much memory. */
static sustain_status allocate_rows(table *t) {
    sustain_context *context = t->input->context;
    struct sustain_dataset_memory *m = t->input->set->memory;
    const int64_t lines = count_lines(&t->csv);
    if (t->label >= 0) SUSTAIN_TRY(sustain__labels_create(context, lines, &t->labels));
    if (t->trusted >= 0) SUSTAIN_TRY(sustain__allocate(context, (size_t)lines, &m->trusted));
    if (t->input->want == SUSTAIN__WANT_LABELS) return SUSTAIN_OK;
    const size_t fields = sustain__multiply((size_t)lines, (size_t)t->dim), most = (size_t)(t->csv.end - t->csv.at) + 1;
    return sustain__allocate(context, sustain__multiply(fields < most ? fields : most, sizeof *m->values), &m->values);
}

static sustain_status parse_table(table *t) {
    sustain_dataset *set = t->input->set;
    SUSTAIN_TRY(read_first(t));
    SUSTAIN_TRY(choose_columns(t));
    if (!t->header) go_back(t, t->start);
    SUSTAIN_TRY(allocate_rows(t));
    SUSTAIN_TRY(read_rows(t));
    if (t->rows == 0) return sustain__fail(t->input->context, SUSTAIN_FORMAT, "%s: it has a header, but no rows", set->source);
    if (t->labels != NULL) SUSTAIN_TRY(sustain__labels_store(t->labels, set->source, set));
    if (t->labels != NULL) compare_label_name(t);
    set->rows.count = t->rows;
    if (t->input->want == SUSTAIN__WANT_LABELS) {
        if (t->shown != NULL) SUSTAIN_TRY(sustain__table_keep_alone(t));
        sustain__dataset_publish(set);
        return SUSTAIN_OK;
    }
    if (t->lenient) return sustain__table_encode(t);
    set->rows.dim = t->dim;
    if (t->header) SUSTAIN_TRY(store_column_names(t));
    sustain__dataset_publish(set);
    return sustain__check_size(set);
}

sustain_status sustain__parse_csv(sustain__input *input) {
    table t = {.input = input};
    t.lenient = input->want == SUSTAIN__WANT_ALL && (input->options->table != NULL || input->options->encoding != NULL);
    SUSTAIN_TRY(sustain__csv_begin(input->context, input->set->source, input->bytes, input->length, &t.csv));
    t.start = t.csv;
    const sustain_status status = parse_table(&t);
    sustain__labels_destroy(t.labels);
    void *const owned[] = {t.first, t.roles, t.found, t.wish, t.shown, t.place};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) sustain__free(input->context, owned[i]);
    sustain__csv_end(&t.csv);
    return status;
}
