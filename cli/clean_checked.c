/* clean_checked.c - what `sustain clean` is told of the labels: which were verified, and, for
 * experiments, the truth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record_file.h"
#include "verb_clean.h"

/* ---- verified rows ---- */

/* The training row of row `row` of the file; -1: it is none. */
int64_t clean_training_row(const clean_data *data, int64_t row) {
    int64_t low = 0, high = data->training->rows.count;
    if (data->index == NULL) return row < high ? row : -1;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (data->index[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < data->training->rows.count && data->index[low] == row ? low : -1;
}

const int32_t *clean_truth(const clean_data *data) {
    return data->truth != NULL ? data->truth : data->training->truth;
}

/* The class that is the same number as `name`, "1" for "1.0", as tables write it where some rows
 * have no label; -1: none. */
static int32_t class_of_value(const sustain_dataset *set, const char *name) {
    double value, other;
    if (!decimal_number(name, &value)) return -1;
    for (int32_t k = 0; k < set->classes; k++)
        if (decimal_number(set->class_names[k], &other) && value == other) return k;
    return -1;
}

int32_t clean_class_number(const clean_data *data, const char *name) {
    const sustain_dataset *set = data->training;
    for (int32_t k = 0; k < set->classes; k++)
        if (strcmp(set->class_names[k], name) == 0 || strcmp(clean_class(data, k), name) == 0) return k;
    if (name[0] == '\'') return clean_class_number(data, name + 1); /* csv_text() writes it before what looks like a formula */
    return class_of_value(set, name);
}

int clean_verify(clean_data *data, const char *place, long long row, const char *label) {
    const int64_t i = clean_training_row(data, row);
    const int32_t k = clean_class_number(data, label);
    if (i < 0 && row >= 0 && row < data->rows)
        return complain(EXIT_USAGE,
                        "%s: row %lld (from 0) is not one of the rows to check: it has no label, or is a trusted row; leave it out", place,
                        row);
    if (i < 0)
        return complain(EXIT_USAGE, "%s: row %lld is not one of the rows to check: they are counted from 0, and there are %lld", place, row,
                        (long long)data->training->rows.count);
    if (k < 0)
        return complain(EXIT_USAGE, "%s: the label '%.60s' of row %lld is none of the classes of %s: '%.60s', ...", place, label, row,
                        data->training->label_source, clean_class(data, 0));
    if (data->verified[i] >= 0 && data->verified[i] != k)
        return complain(EXIT_USAGE, "%s: row %lld appears twice, as '%.60s' and as '%.60s': keep one of them", place, row,
                        clean_class(data, data->verified[i]), label);
    data->verified_count += data->verified[i] < 0;
    data->verified[i] = k;
    return EXIT_DONE;
}

int clean_verified_room(clean_data *data) {
    if (data->verified != NULL) return EXIT_DONE;
    const int64_t n = data->training->rows.count;
    data->verified = malloc((size_t)n * sizeof *data->verified);
    if (data->verified == NULL) return out_of_memory();
    for (int64_t i = 0; i < n; i++) data->verified[i] = -1;
    return EXIT_DONE;
}

/* An identifier, and its row. */
typedef struct row_id {
    const char *id;
    int64_t i;
} row_id;

static int by_id(const void *a, const void *b) {
    return strcmp(((const row_id *)a)->id, ((const row_id *)b)->id);
}

/* The identifiers of the rows of a set, sorted. NULL: out of memory. */
static row_id *sorted_ids(const sustain_dataset *set) {
    row_id *list = malloc((size_t)set->rows.count * sizeof *list);
    if (list == NULL) return NULL;
    for (int64_t i = 0; i < set->rows.count; i++) list[i] = (row_id){set->kept[i * set->kept_columns], i};
    qsort(list, (size_t)set->rows.count, sizeof *list, by_id);
    return list;
}

/* The row that has an identifier; -1: there is none, -2: there are several. */
static int64_t look_up(const row_id *list, int64_t count, const char *id) {
    const row_id *found = bsearch(&(row_id){.id = id}, list, (size_t)count, sizeof *list, by_id);
    if (found == NULL) return id[0] == '\'' ? look_up(list, count, id + 1) : -1; /* csv_text() writes it before a formula */
    const bool several = (found > list && by_id(found - 1, found) == 0) || (found + 1 < list + count && by_id(found, found + 1) == 0);
    return several ? -2 : found->i;
}

/* The row of the file that has an identifier. */
static int find_id(const clean_data *data, const row_id *list, const char *place, const char *id, long long *row) {
    const int64_t i = look_up(list, data->training->rows.count, id);
    if (i == -1) return complain(EXIT_USAGE, "%s: no row to check has the identifier '%.60s'", place, id);
    if (i < 0)
        return complain(EXIT_USAGE, "%s: several rows have the identifier '%.60s': name the row by its number, in a column 'row'", place,
                        id);
    *row = clean_row(data, i);
    return EXIT_DONE;
}

int clean_row_finder(const clean_data *data, const char *label_column, record_file *file, const char *other, row_finder *out) {
    const sustain_dataset *set = data->training;
    char id_name[256] = "?", label_name[256] = "?"; /* none */
    const char *const names[] = {set->has_id ? "?row" : "row", id_name, label_column != NULL ? "?label" : "label", label_name, other};
    int column[5];
    if (set->has_id) snprintf(id_name, sizeof id_name, "?%s", set->kept_names[0]);
    if (label_column != NULL) snprintf(label_name, sizeof label_name, "?%s", label_column);
    *out = (row_finder){.row = -1};
    int code = records_columns(file, names, other != NULL ? 5 : 4, column);
    if (code != EXIT_DONE) return code;
    *out = (row_finder){
        .row = column[0], .id = column[1], .label = column[2] >= 0 ? column[2] : column[3], .other = other != NULL ? column[4] : -1};
    if (out->row < 0 && out->id < 0)
        return complain(EXIT_USAGE, "%s: its first line has neither a column 'row' nor '%.60s', which identifies rows", file->path,
                        id_name + 1);
    if (out->label < 0)
        return complain(EXIT_USAGE, "%s: its first line has neither a column 'label' nor '%.60s'", file->path, label_column);
    out->ids = out->row < 0 ? sorted_ids(set) : NULL;
    return out->row < 0 && out->ids == NULL ? out_of_memory() : EXIT_DONE;
}

/* Rows that are named twice, by number and by identifier, must be the same: numbers may be those of
 * another file, or counted from 1. */
static int check_id(const clean_data *data, const char *place, long long row, const char *id) {
    const sustain_dataset *set = data->training;
    const int64_t i = clean_training_row(data, row);
    if (id[0] == '\0' || i < 0) return EXIT_DONE; /* a row that is none is refused later */
    const char *there = set->kept[i * set->kept_columns];
    if (strcmp(there, id) == 0 || (id[0] == '\'' && strcmp(there, id + 1) == 0)) return EXIT_DONE;
    return complain(EXIT_USAGE,
                    "%s: row %lld is '%.60s', not '%.60s': rows are counted from 0; without the column 'row' they are found by '%.60s'",
                    place, row, there, id, set->kept_names[0]);
}

int clean_find_row(const clean_data *data, const row_finder *finder, const record_file *file, const char *place, long long *row) {
    const char *id = finder->id >= 0 && finder->id < file->fields ? file->field[finder->id] : "";
    if (finder->row < 0) return find_id(data, finder->ids, place, id, row);
    const int code = records_row_number(file, finder->row, row);
    return code == EXIT_DONE ? check_id(data, place, *row, id) : code;
}

/* Columns beside the labels that hold classes, where labels are in the column of the training file:
 * a person who checked them may have left that as it was, and written beside it. */
typedef struct second_opinion {
    const char *name[MOST_FIELDS];
    int64_t labels, same;       /* labels; those that are as given */
    int64_t other[MOST_FIELDS]; /* values of a column that differ from the label */
    bool words[MOST_FIELDS];    /* one of them is no class */
} second_opinion;

static void note_opinions(const clean_data *data, const record_file *file, const row_finder *finder, long long row, second_opinion *o) {
    const int64_t i = clean_training_row(data, row);
    const int32_t label = clean_class_number(data, file->field[finder->label]);
    o->labels++;
    o->same += i >= 0 && label == data->training->rows.labels[i];
    for (int k = 0; k < file->fields; k++) {
        if (file->field[k][0] == '\0') continue;
        const int32_t class = clean_class_number(data, file->field[k]);
        o->words[k] = o->words[k] || class < 0;
        o->other[k] += class != label;
    }
}

static void warn_of_opinions(const record_file *file, const row_finder *finder, const second_opinion *o) {
    for (int k = 0; k < MOST_FIELDS && o->labels > 0 && o->same == o->labels; k++)
        if (o->name[k] != NULL && k != finder->row && k != finder->id && !o->words[k] && o->other[k] > 0)
            note_warning("%s: its labels, in '%.60s', are all as given; if '%.60s' has the right ones, call that column 'label'.",
                         file->path, o->name[finder->label], o->name[k]);
}

/* Rows that were counted from 1, or with the header as in a spreadsheet: the given labels of the
 * rows before then agree with more of the checked ones. Counted are the rows in which the two
 * differ: three standard errors of a fair coin. */
static void warn_of_shift(const clean_data *data, const char *path) {
    const int32_t *given = data->training->rows.labels;
    for (int shift = 1; shift <= 2; shift++) {
        int64_t here = 0, before = 0;
        for (int64_t i = 0; i < data->training->rows.count; i++) {
            const int64_t other = data->verified[i] >= 0 ? clean_training_row(data, clean_row(data, i) - shift) : -1;
            if (other < 0 || given[i] == given[other]) continue;
            here += given[i] == data->verified[i];
            before += given[other] == data->verified[i];
        }
        if ((double)(before - here) <= 3 * sqrt((double)(before + here))) continue;
        note_warning("%s: its labels agree better with the given ones %s earlier: rows are counted from 0, without the header.", path,
                     shift == 1 ? "one row" : "two rows");
        return;
    }
}

/* "row,label", a line for each verified row; the identifier may stand for the row. Lines without a
 * label are of rows that were not checked: a list of rows to check may be filled in by and by. */
static int read_pairs(clean_data *data, const char *label_column, record_file *file) {
    row_finder finder;
    second_opinion opinion = {.labels = 0};
    long long empty = 0;
    int code = clean_row_finder(data, label_column, file, NULL, &finder);
    for (int k = 0; code == EXIT_DONE && k < file->fields; k++) opinion.name[k] = file->field[k];
    const bool compared = code == EXIT_DONE && label_column != NULL && strcmp(file->field[finder.label], label_column) == 0;
    while (code == EXIT_DONE && records_next(file)) {
        long long row = 0;
        char place[512];
        snprintf(place, sizeof place, "%.400s, line %lld", file->path, file->line);
        code = clean_find_row(data, &finder, file, place, &row);
        if (code == EXIT_DONE && finder.label >= file->fields) code = complain(EXIT_USAGE, "%s: it has no label", place);
        const bool checked = code == EXIT_DONE && file->field[finder.label][0] != '\0';
        if (checked) code = clean_verify(data, place, row, file->field[finder.label]);
        if (checked && compared && code == EXIT_DONE) note_opinions(data, file, &finder, row, &opinion);
        empty += code == EXIT_DONE && !checked;
    }
    free(finder.ids);
    if (code == EXIT_DONE) warn_of_opinions(file, &finder, &opinion);
    if (code == EXIT_DONE && finder.id < 0) warn_of_shift(data, file->path);
    if (code == EXIT_DONE && empty > 0) note_remark("%s: rows without a label are taken as not checked: %lld", file->path, empty);
    return code;
}

static bool has_class(const sustain_dataset *set, const char *name) {
    for (int64_t k = 0; k < set->classes; k++)
        if (strcmp(set->class_names[k], name) == 0) return true;
    return false;
}

static bool has_unlabelled(const sustain_dataset *set) {
    for (int64_t i = 0; i < set->rows.count; i++)
        if (set->rows.labels[i] < 0) return true;
    return false;
}

static bool not_checked(const clean_data *data, const char *name) {
    return name[0] == '\0' || strcmp(name, "nan") == 0 || (strcmp(name, "-1") == 0 && !has_class(data->training, "-1"));
}

/* A label for each row of the file: an array with -1, or a column with nothing, in rows that were
 * not checked. */
static int take_column(clean_data *data, const sustain_dataset *read, int64_t rows) {
    if (read->rows.count != rows)
        return complain(EXIT_USAGE,
                        "%s has %lld labels, but there are %lld rows: give one for each, -1 where it was not checked, or a CSV file "
                        "with the columns row,label",
                        read->source, (long long)read->rows.count, (long long)rows);
    int code = clean_need_classes(read);
    if (code != EXIT_DONE) return code;
    if (has_class(data->training, "-1") && has_class(read, "-1") && !has_unlabelled(read))
        return complain(EXIT_USAGE,
                        "%s: -1 is a class of %s, and cannot say which rows were not checked: leave their labels empty in a CSV file, or "
                        "give one with the columns row,label",
                        read->source, data->training->label_source);
    for (int64_t row = 0; row < rows && code == EXIT_DONE; row++) {
        const int32_t label = read->rows.labels[row];
        const char *name = label >= 0 ? read->class_names[label] : "";
        if (not_checked(data, name) || (data->index != NULL && clean_training_row(data, row) < 0)) continue;
        code = clean_verify(data, read->source, row, name);
    }
    return code;
}

static int read_verified_column(sustain_context *context, clean_data *data, const char *path, const char *column) {
    const sustain_read_options options = {.size = sizeof options, .label_column = column, .missing_labels = true};
    sustain_dataset *read = NULL;
    int code = refused(context, sustain_dataset_read_labels(context, path, &options, &read));
    if (code == EXIT_DONE) code = take_column(data, read, data->rows);
    sustain_dataset_destroy(read);
    return code;
}

/* For an experiment: rows drawn at random are verified, as they are in truth. */
static int draw_verified(const clean_values *given, clean_data *data) {
    enum { STREAM_VERIFIED = 78 };
    const int64_t n = data->training->rows.count;
    const int32_t *truth = clean_truth(data);
    if (given->verified_count >= n)
        return complain(EXIT_USAGE, "--verified-count is %lld, but there are %lld rows", (long long)given->verified_count, (long long)n);
    for (int64_t k = 0; k < given->verified_count; k++) {
        const int64_t i = sustain_random_permuted((uint64_t)given->run.seed, STREAM_VERIFIED, 0, k, n);
        data->verified[i] = truth[i];
    }
    data->verified_count = given->verified_count;
    return EXIT_DONE;
}

static int read_verified(sustain_context *context, const clean_values *given, clean_data *data) {
    if (given->verified == NULL && given->verified_column == NULL && given->verified_count == 0) return EXIT_DONE;
    if (given->verified != NULL && given->verified_column != NULL)
        return complain(EXIT_USAGE, "give --verified or --verified-column, not both");
    int code = clean_verified_room(data);
    if (code != EXIT_DONE) return code;
    if (given->verified_count > 0) return draw_verified(given, data);
    if (given->verified_column != NULL)
        return read_verified_column(context, data, given->labels != NULL ? given->labels : given->features, given->verified_column);
    const sustain_dataset *set = data->training;
    if (!records_have(given->verified, "row") && !(set->has_id && records_have(given->verified, set->kept_names[0]))) {
        const char *kind = given->label_column != NULL ? given->label_column : "label";
        if (records_have_several(given->verified) && (records_have(given->verified, "label") || records_have(given->verified, kind)))
            return complain(EXIT_USAGE, "%s: it has labels, but no column 'row' that says of which rows (counted from 0)%s%.60s%s",
                            given->verified, set->has_id ? ", nor '" : "; if another column identifies rows, name it with --id-column",
                            set->has_id ? set->kept_names[0] : "", set->has_id ? "'" : "");
        return read_verified_column(context, data, given->verified, NULL);
    }
    record_file file;
    code = records_open(given->verified, &file);
    if (code == EXIT_DONE) code = read_pairs(data, given->label_column, &file);
    records_close(&file);
    if (code == EXIT_DONE && data->verified_count == 0) return complain(EXIT_USAGE, "%s: it has no rows", given->verified);
    return code;
}

/* ---- the truth ---- */

/* The column that is called as that of the labels, or "truth" or "label"; or the only one that the
 * file has. */
static int read_true_labels(sustain_context *context, const clean_values *given, const sustain_dataset *training, sustain_dataset **read) {
    const char *const names[] = {given->label_column, "truth", "true_label", "label"};
    const bool several = records_have_several(given->truth);
    const bool named = several && training->has_id && records_have(given->truth, training->kept_names[0]);
    const sustain_table_options columns = {.id_column = named ? training->kept_names[0] : NULL};
    for (int i = 0; i < COUNT_OF(names); i++) {
        const sustain_read_options options = {.label_column = names[i], .table = &columns};
        if (names[i] == NULL || (i > 0 && !records_have(given->truth, names[i]))) continue;
        if (sustain_dataset_read_labels(context, given->truth, &options, read) == SUSTAIN_OK) return EXIT_DONE;
        if (records_have(given->truth, names[i])) return complain(EXIT_USAGE, "%s", sustain_error(context));
    }
    if (sustain_dataset_read_labels(context, given->truth, NULL, read) == SUSTAIN_OK) return EXIT_DONE;
    if (!several) return complain(EXIT_USAGE, "%s", sustain_error(context));
    return complain(EXIT_USAGE,
                    "%s: it has several columns: call the one with the true labels 'truth', or as that of the given labels%s%.60s%s",
                    given->truth, given->label_column != NULL ? ", '" : "", given->label_column != NULL ? given->label_column : "",
                    given->label_column != NULL ? "'" : "");
}

/* The true labels in the order of the training rows: by their identifiers, or by their places. */
static int take_truth(clean_data *data, const sustain_dataset *read) {
    const sustain_dataset *set = data->training;
    row_id *ids = read->has_id ? sorted_ids(read) : NULL;
    if (read->has_id && ids == NULL) return out_of_memory();
    int code = EXIT_DONE;
    for (int64_t i = 0; i < set->rows.count && code == EXIT_DONE; i++) {
        const char *id = ids != NULL ? set->kept[i * set->kept_columns] : "";
        const int64_t row = ids != NULL ? look_up(ids, read->rows.count, id) : clean_row(data, i);
        if (row < 0)
            code = complain(EXIT_USAGE, "%s: it has %s row with the identifier '%.60s' of %s: give one", read->source,
                            row == -1 ? "no" : "more than one", id, set->source);
        else
            data->truth[i] = read->rows.labels[row];
    }
    free(ids);
    return code;
}

static int read_truth(sustain_context *context, const clean_values *given, clean_data *data) {
    sustain_dataset *read = NULL;
    if (given->truth == NULL) return EXIT_DONE;
    if (given->noise > 0) return complain(EXIT_USAGE, "give --truth or --noise, not both");
    const int64_t n = data->training->rows.count, rows = data->rows;
    int code = read_true_labels(context, given, data->training, &read);
    if (code == EXIT_DONE && read->rows.count == rows + 1) code = clean_one_label_too_many(read);
    if (code == EXIT_DONE) code = clean_need_classes(read);
    if (code == EXIT_DONE) code = refused(context, sustain_dataset_match(data->training, read));
    if (code == EXIT_DONE && read->rows.count != rows)
        code =
            complain(EXIT_USAGE, "%s has %lld labels, but there are %lld rows", given->truth, (long long)read->rows.count, (long long)rows);
    data->truth = code == EXIT_DONE ? malloc((size_t)n * sizeof *data->truth) : NULL;
    if (code == EXIT_DONE && data->truth == NULL) code = out_of_memory();
    if (code == EXIT_DONE) code = take_truth(data, read);
    sustain_dataset_destroy(read);
    return code;
}

/* ---- all of it ---- */

int clean_read_checked(sustain_context *context, const clean_values *given, clean_data *data) {
    int code = read_truth(context, given, data);
    if (code == EXIT_DONE) code = clean_check_order(data);
    if (code == EXIT_DONE) code = read_verified(context, given, data);
    return code == EXIT_DONE ? clean_read_reviewed(given, data) : code;
}
