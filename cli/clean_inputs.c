/* clean_inputs.c - from options to rows: reads files or a named set, sees that they fit together,
 * corrupts labels for experiments, scales features. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record_file.h"
#include "verb_clean.h"
#include "verbs.h"

/* ---- which options go together ---- */

static int check_files(const clean_values *given) {
    if (given->trusted_labels != NULL && given->trusted == NULL && given->trusted_pred_probs == NULL)
        return complain(EXIT_USAGE, "--trusted-labels needs --trusted: the file with the features of these rows");
    if (given->test_labels != NULL && given->test == NULL)
        return complain(EXIT_USAGE, "--test-labels needs --test: the file with the features of these rows");
    if (given->split != NULL) return complain(EXIT_USAGE, "--split goes with --dataset: with --features the trusted rows are in --trusted");
    const int ways = (given->trusted != NULL) + (given->trusted_column != NULL) + !isnan(given->trusted_fraction);
    if (ways > 1) return complain(EXIT_USAGE, "give one of --trusted, --trusted-column and --trusted-fraction, not several");
    return EXIT_DONE;
}

static int check_named(const clean_values *given) {
    const struct {
        const char *name, *value;
    } files[] = {{"labels", given->labels},
                 {"trusted", given->trusted},
                 {"trusted-labels", given->trusted_labels},
                 {"test", given->test},
                 {"test-labels", given->test_labels},
                 {"label-column", given->label_column},
                 {"trusted-column", given->trusted_column}};
    for (int i = 0; i < COUNT_OF(files); i++)
        if (files[i].value != NULL) return complain(EXIT_USAGE, "--%s goes with --features, not with --dataset", files[i].name);
    return table_refuse_named(&given->table);
}

static int check_options(const clean_values *given) {
    if (given->features == NULL && given->dataset == NULL && given->pred_probs == NULL)
        return complain(EXIT_USAGE, "say which data: --features FILE, --pred-probs FILE, or --dataset NAME ('sustain data' lists them)");
    if (given->features == NULL && given->dataset == NULL && given->labels == NULL)
        return complain(EXIT_USAGE, "--pred-probs without --features needs the labels: --labels FILE");
    if (given->features == NULL && given->dataset == NULL &&
        (given->trusted != NULL || given->trusted_column != NULL || given->test != NULL))
        return complain(EXIT_USAGE,
                        "--trusted, --trusted-column and --test need --features: without it give --verified, or --trusted-labels with "
                        "--trusted-pred-probs");
    if (given->verified_count > 0 && given->truth == NULL && !(given->noise > 0))
        return complain(EXIT_USAGE, "--verified-count is for experiments: it needs the right labels, --truth FILE or --noise P");
    if (given->verified_count > 0 && (given->verified != NULL || given->verified_column != NULL))
        return complain(EXIT_USAGE, "give --verified-count or --verified, not both");
    if (given->features != NULL && given->dataset != NULL) return complain(EXIT_USAGE, "give --features or --dataset, not both");
    if (given->trusted_count > 0 && !isnan(given->trusted_fraction))
        return complain(EXIT_USAGE, "give --trusted-count or --trusted-fraction, not both");
    return given->dataset != NULL ? check_named(given) : check_files(given);
}

/* ---- files ---- */

int clean_need_classes(const sustain_dataset *labels) {
    if (labels->rows.labels != NULL || labels->rows.targets == NULL) return EXIT_DONE; /* classes, or none at all */
    return complain(EXIT_USAGE, "%s: its labels are numbers with fractions, or more than 65,536 different ones: classes are needed",
                    labels->label_source);
}

static int check_labels(const sustain_dataset *set, const char *labels_option) {
    const int code = clean_need_classes(set);
    if (code != EXIT_DONE || set->rows.labels != NULL) return code;
    return complain(EXIT_USAGE, "%s has no labels: give --%s FILE, or for a CSV file --label-column NAME", set->source, labels_option);
}

/* The column of marks, where a file has it. */
static const char *marks_in(sustain_context *context, const clean_values *given, const char *file) {
    const sustain_read_options options = {.label_column = given->trusted_column};
    sustain_dataset *marks = NULL;
    if (given->trusted_column == NULL) return NULL;
    const bool there = sustain_dataset_read_labels(context, file, &options, &marks) == SUSTAIN_OK;
    sustain_dataset_destroy(marks);
    return there ? given->trusted_column : NULL;
}

/* Columns that are told apart from the features: those of --ignore-column, of groups and of checked
 * labels. */
static const char *ignored_columns(const clean_values *given, char *text, size_t size) {
    const char *const names[] = {given->table.ignore_column, given->groups == NULL ? given->group_column : NULL, given->verified_column};
    size_t at = 0;
    for (int i = 0; i < COUNT_OF(names); i++)
        if (names[i] != NULL && at < size) at += (size_t)snprintf(text + at, size - at, "%s%s", at > 0 ? "," : "", names[i]);
    return at > 0 ? text : NULL;
}

/* Columns to show may be in the file of labels, beside embeddings: takes them from the options of
 * the features then. Lists are in one file as a whole. */
static const char *move_column(const char **list, const char *features, const char *labels) {
    char name[256];
    const char *wanted = *list;
    if (wanted == NULL || labels == NULL) return NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(wanted, ","), wanted);
    if (records_have(features, name) || !records_have(labels, name)) return NULL;
    *list = NULL;
    return wanted;
}

/* `training`: the rows that were read first, whose encoding is used; NULL: these are the first.
 * `marks`: the column of the features that has them; `label_marks`: that of a file with labels
 * alone; NULL for none. */
static int read_set(sustain_context *context, const clean_values *given, const sustain_dataset *training, const char *features,
                    const char *labels, const char *labels_option, const char *marks, const char *label_marks, sustain_dataset **out) {
    char ignored[1024];
    sustain_table_options columns = table_options(&given->table), kept = {.size = 0};
    kept.id_column = move_column(&columns.id_column, features, labels);
    if (kept.id_column == NULL && labels != NULL && columns.id_column != NULL && records_have(labels, columns.id_column))
        kept.id_column = columns.id_column; /* compared */
    kept.show_columns = move_column(&columns.show_columns, features, labels);
    if (labels == NULL) columns.ignore_columns = ignored_columns(given, ignored, sizeof ignored);
    sustain_read_options both = table_read_options(&given->table, labels == NULL ? given->label_column : NULL, &columns, training);
    both.trusted_column = marks;
    both.coarse = given->coarse;
    both.keep_half = training == NULL && given->image_shape == NULL; /* the others are few; pictures are shown as floats */
    sustain_read_options alone = table_read_options(&given->table, given->label_column, &kept, NULL);
    alone.trusted_column = label_marks;
    alone.coarse = given->coarse;
    sustain_dataset *read = NULL;
    sustain_status status = sustain_dataset_read(context, features, &both, out);
    if (status == SUSTAIN_OK && labels != NULL) status = sustain_dataset_read_labels(context, labels, &alone, &read);
    if (status == SUSTAIN_OK && labels != NULL) status = sustain_dataset_join(*out, read);
    sustain_dataset_destroy(read);
    sustain_dataset_drop_targets(*out); /* four bytes a row */
    return status == SUSTAIN_OK ? check_labels(*out, labels_option) : table_refused(context, &given->table, status);
}

/* ---- a named set ---- */

/* "50000:10000": training rows, then rows to take the trusted ones from. Without it a sixth of the
 * rows is for these. */
static int read_split(const clean_values *given, const sustain_dataset *set, int64_t *training, int64_t *pool) {
    long long part[2];
    const int64_t rows = set->rows.count;
    const bool none = given->verified_count > 0 && given->trusted_count == 0; /* verified rows instead */
    *pool = isnan(given->trusted_fraction) && !none ? rows / 6 : 0;
    *training = rows - *pool;
    if (given->split == NULL) return EXIT_DONE;
    if (whole_numbers(given->split, ':', 2, part) != 2 || part[0] < 1 || part[1] < 1)
        return complain(EXIT_USAGE, "--split is written like 50000:10000, not '%s'", given->split);
    if (part[0] > rows || part[1] > rows - part[0])
        return complain(EXIT_USAGE, "--split %s is more than the %lld rows of %s", given->split, (long long)rows, set->source);
    *training = part[0];
    *pool = part[1];
    return EXIT_DONE;
}

static int read_named(sustain_context *context, const clean_values *given, clean_data *data) {
    const sustain_read_options options = {.coarse = given->coarse};
    const char *folder = data_folder(given->data_dir);
    int64_t training = 0, pool = 0;
    int code = refused(context, sustain_named_read(context, given->dataset, folder, SUSTAIN_PART_TRAINING, &options, &data->whole));
    if (code == EXIT_DONE)
        code = refused(context, sustain_named_read(context, given->dataset, folder, SUSTAIN_PART_TEST, &options, &data->test));
    if (code == EXIT_DONE) code = read_split(given, data->whole, &training, &pool);
    if (code == EXIT_DONE) code = refused(context, sustain_dataset_part(data->whole, 0, training, &data->training));
    if (code == EXIT_DONE && pool > 0) code = refused(context, sustain_dataset_part(data->whole, training, pool, &data->trusted));
    if (code == EXIT_DONE) data->rows = data->training->rows.count;
    return code;
}

/* Trusted rows may be marked in the features' file, or in that of the labels. A test file may have
 * the column too, as a part of the same table does, or not. */
static int read_files(sustain_context *context, const clean_values *given, clean_data *data) {
    const char *column = given->trusted_column, *marks = given->labels == NULL ? column : marks_in(context, given, given->features);
    int code =
        read_set(context, given, NULL, given->features, given->labels, "labels", marks, marks == NULL ? column : NULL, &data->training);
    if (code == EXIT_DONE) data->rows = data->training->rows.count;
    if (code == EXIT_DONE) code = table_drop_unlabelled(context, &given->table, &data->training, &data->index);
    if (code == EXIT_DONE && column != NULL && data->training->trusted == NULL)
        code = complain(EXIT_USAGE, "%s has no columns: --trusted-column is for CSV files; give --trusted, or labels in a CSV file",
                        data->training->label_source);
    if (code == EXIT_DONE && given->trusted != NULL)
        code =
            read_set(context, given, data->training, given->trusted, given->trusted_labels, "trusted-labels", NULL, NULL, &data->trusted);
    if (code == EXIT_DONE && given->test != NULL)
        code = read_set(context, given, data->training, given->test, given->test_labels, "test-labels",
                        marks_in(context, given, given->test), NULL, &data->test);
    sustain_dataset **const others[] = {&data->trusted, &data->test};
    for (int i = 0; i < COUNT_OF(others) && code == EXIT_DONE; i++)
        if (*others[i] != NULL) code = table_drop_unlabelled(context, &given->table, others[i], NULL);
    return code == EXIT_DONE && column != NULL ? clean_part_marked(context, data) : code;
}

/* Labels and probabilities, no features. */
static int read_labels_alone(sustain_context *context, const clean_values *given, clean_data *data) {
    const sustain_table_options columns = table_options(&given->table);
    const sustain_read_options options = {.label_column = given->label_column},
                               training = table_read_options(&given->table, given->label_column, &columns, NULL);
    int code = table_refused(context, &given->table, sustain_dataset_read_labels(context, given->labels, &training, &data->training));
    if (code == EXIT_DONE) code = check_labels(data->training, "labels");
    if (code == EXIT_DONE) data->rows = data->training->rows.count;
    if (code == EXIT_DONE) code = table_drop_unlabelled(context, &given->table, &data->training, &data->index);
    if (code == EXIT_DONE && given->trusted_labels != NULL)
        code = refused(context, sustain_dataset_read_labels(context, given->trusted_labels, &options, &data->trusted));
    return code == EXIT_DONE && data->trusted != NULL ? check_labels(data->trusted, "trusted-labels") : code;
}

/* ---- do they fit together? ---- */

static const char *form(const sustain_dataset *set) {
    return set->rows.start != NULL ? "sparse" : set->rows.bytes != NULL ? "of bytes" : "of floats";
}

static int match(sustain_context *context, const sustain_dataset *training, sustain_dataset *other) {
    if (other == NULL) return EXIT_DONE;
    if (strcmp(form(training), form(other)) != 0)
        return complain(EXIT_USAGE, "the features in %s are %s, those in %s are %s: store them in the same way", training->source,
                        form(training), other->source, form(other));
    return refused(context, sustain_dataset_match(training, other));
}

/* A class that is in the trusted rows and in no training row cannot be learned. */
static int check_trusted_classes(const clean_data *data) {
    int64_t *count = calloc((size_t)data->training->classes, sizeof *count);
    if (count == NULL) return out_of_memory();
    int code = EXIT_DONE;
    const sustain_rows none = {.count = 0}, *training = &data->training->rows,
                       *trusted = data->trusted != NULL ? &data->trusted->rows : &none;
    for (int64_t i = 0; i < training->count; i++) count[training->labels[i]]++;
    for (int64_t i = 0; i < trusted->count && code == EXIT_DONE; i++)
        if (count[trusted->labels[i]] == 0)
            code = complain(EXIT_USAGE, "%s: the class '%s' of its trusted row %lld (from 0) never occurs in the training labels of %s",
                            data->trusted->label_source, clean_class(data, trusted->labels[i]), (long long)i, data->training->label_source);
    free(count);
    return code;
}

/* JSON, HTML and models are UTF-8. */
static int check_names(const sustain_dataset *set) {
    for (int64_t k = 0; k < set->classes + (set->column_names != NULL ? set->rows.dim : 0); k++) {
        const bool column = k >= set->classes;
        json_t *text = json_string(column ? set->column_names[k - set->classes] : set->class_names[k]);
        if (text == NULL)
            return complain(EXIT_USAGE, "%s: the name of %s %lld is not UTF-8: save the file as UTF-8 (in a spreadsheet: 'CSV UTF-8')",
                            column ? set->source : set->label_source, column ? "feature" : "class",
                            (long long)(column ? k - set->classes + 1 : k + 1));
        json_decref(text);
    }
    return EXIT_DONE;
}

static int set_shape(sustain_context *context, const clean_values *given, clean_data *data) {
    long long side[3] = {0, 0, 1}; /* height, width, channels */
    if (given->image_shape == NULL) return EXIT_DONE;
    if (whole_numbers(given->image_shape, 'x', 3, side) < 2 || side[0] < 1 || side[1] < 1 || side[2] < 1)
        return complain(EXIT_USAGE, "--image-shape is written like 28x28 or 32x32x3, not '%s'", given->image_shape);
    const sustain_picture picture = {.height = side[0], .width = side[1], .channels = side[2], .interleaved = true};
    return refused(context, sustain_dataset_set_picture(data->training, picture));
}

static int scale(sustain_context *context, const clean_values *given, clean_data *data) {
    sustain_dataset *const sets[] = {data->training, data->trusted, data->test};
    if (data->training->rows.dim == 0) return EXIT_DONE;
    data->bytes = data->training->rows.bytes != NULL;
    data->unit = data->bytes ? data->training->rows.byte_scale : 1;
    sustain_status status = sustain_scaling_create(data->training, (sustain_scaling_mode)given->standardize, &data->scaling);
    for (int i = 0; i < COUNT_OF(sets) && status == SUSTAIN_OK; i++)
        if (sets[i] != NULL) status = sustain_scaling_apply(data->scaling, sets[i]);
    return refused(context, status);
}

/* ---- all of it ---- */

/* Trusted rows: as many as are wanted, a part of the given labels, or none. */
static int take_trusted(sustain_context *context, const clean_values *given, clean_data *data) {
    if (!isnan(given->trusted_fraction)) return clean_take_fraction(context, given, data);
    if (data->trusted != NULL) return clean_reduce_trusted(context, given, data);
    if (given->trusted_count > 0) return complain(EXIT_USAGE, "--trusted-count needs trusted rows: --trusted FILE");
    return EXIT_DONE;
}

static int read_sets(sustain_context *context, const clean_values *given, clean_data *data) {
    if (given->dataset != NULL) return read_named(context, given, data);
    return given->features != NULL ? read_files(context, given, data) : read_labels_alone(context, given, data);
}

int clean_data_read(sustain_context *context, const clean_values *given, clean_data *data) {
    int code = check_options(given);
    if (code == EXIT_DONE) code = read_sets(context, given, data);
    if (code == EXIT_DONE) code = clean_read_probabilities(context, given, data);
    if (code == EXIT_DONE) code = match(context, data->training, data->trusted);
    if (code == EXIT_DONE) code = match(context, data->training, data->test);
    if (code == EXIT_DONE) code = check_names(data->training);
    if (code == EXIT_DONE && given->noise > 0)
        code = refused(context,
                       sustain_dataset_corrupt(data->training, (sustain_noise)given->noise_kind, given->noise, (uint64_t)given->run.seed));
    if (code == EXIT_DONE) code = take_trusted(context, given, data);
    if (code == EXIT_DONE) code = clean_part_probabilities(context, data);
    if (code == EXIT_DONE) code = clean_read_checked(context, given, data);
    if (code == EXIT_DONE) code = clean_read_groups(context, given, data);
    if (code == EXIT_DONE) code = clean_read_pictures(context, given, data);
    if (code == EXIT_DONE) code = check_trusted_classes(data);
    if (code == EXIT_DONE) code = set_shape(context, given, data);
    if (code == EXIT_DONE) code = scale(context, given, data);
    return code;
}

void clean_data_free(clean_data *data) {
    sustain_scaling_destroy(data->scaling);
    sustain_dataset_destroy(data->test);
    sustain_dataset_destroy(data->trusted);
    sustain_dataset_destroy(data->training);
    sustain_dataset_destroy(data->whole);
    for (int f = 0; f < data->pred_prob_count; f++) sustain_probabilities_destroy((sustain_probabilities *)(uintptr_t)data->pred_probs[f]);
    for (int f = 0; f < data->trusted_pred_prob_count; f++)
        sustain_probabilities_destroy((sustain_probabilities *)(uintptr_t)data->trusted_pred_probs[f]);
    clean_names_free(&data->names);
    sustain_dataset_destroy(data->groups);
    sustain_dataset_destroy(data->pictures);
    picture_files_free(&data->picture_files);
    free(data->group);
    free(data->index);
    free(data->whole_index);
    free(data->trusted_index);
    free(data->verified);
    free(data->drawn);
    free(data->truth);
}

json_t *clean_data_json(const clean_data *data) {
    const sustain_dataset *set = data->training;
    json_t *object = json_object(), *names = json_array();
    for (int64_t k = 0; k < set->classes; k++) json_array_append_new(names, json_text(clean_class(data, k)));
    json_object_set_new(object, "source", json_text(set->source));
    json_object_set_new(object, "training", json_integer(set->rows.count));
    json_object_set_new(object, "trusted", json_integer(data->trusted != NULL ? data->trusted->rows.count : 0));
    json_object_set_new(object, "test", json_integer(data->test != NULL ? data->test->rows.count : 0));
    json_object_set_new(object, "dim", json_integer(set->rows.dim));
    json_object_set_new(object, "classes", names);
    json_object_set_new(object, "verified", json_integer(data->verified_count));
    json_object_set_new(object, "standardized", json_boolean(data->scaling != NULL && data->scaling->factor != NULL));
    if (data->scaling != NULL) json_object_set_new(object, "standardization", json_text(data->scaling->reason));
    if (set->picture.height > 0)
        json_object_set_new(
            object, "picture",
            json_pack("[I, I, I]", (json_int_t)set->picture.height, (json_int_t)set->picture.width, (json_int_t)set->picture.channels));
    if (data->warning[0] != '\0') json_object_set_new(object, "warning", json_text(data->warning));
    return object;
}

/* ---- looking at it ---- */

int64_t clean_row(const clean_data *data, int64_t i) {
    return data->index != NULL ? data->index[i] : i;
}

double clean_raw_feature(const clean_data *data, int64_t i, int64_t j) {
    const sustain_rows *rows = &data->training->rows;
    const sustain_scaling *s = data->scaling;
    const int64_t at = (rows->stored > 0 ? i % rows->stored : i) * rows->dim + j;
    if (rows->bytes != NULL) return rows->bytes[at];
    double value = (double)rows->values[at];
    if (s->factor != NULL) value = value / (double)s->factor[j] + (s->mean != NULL ? (double)s->mean[j] : 0);
    return value / (double)data->unit;
}

const char *clean_class(const clean_data *data, int64_t k) {
    return data->show_names ? data->names.name[k] : data->training->class_names[k];
}
