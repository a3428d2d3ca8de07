/* clean_probabilities.c - probabilities of other models for `sustain clean`, and the names and
 * order of classes, which are those of their columns. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record_file.h"
#include "verb_clean.h"

/* ---- probabilities ---- */

/* Reads the files of a list with commas between them; a comma may be in the path of the last. */
static int read_probabilities(sustain_context *context, const char *list, bool logits, const sustain_probabilities **out, int *count) {
    char path[LONGEST_PATH];
    for (const char *at = list; at != NULL && *at != '\0';) {
        const char *comma = access(at, F_OK) == 0 ? NULL : strchr(at, ',');
        const size_t length = comma != NULL ? (size_t)(comma - at) : strlen(at);
        if (*count == SUSTAIN_CLEAN_MOST_PRED_PROBS)
            return complain(EXIT_USAGE, "there are more than %d files of probabilities", SUSTAIN_CLEAN_MOST_PRED_PROBS);
        snprintf(path, sizeof path, "%.*s", (int)length, at);
        sustain_probabilities *read = NULL;
        if (sustain_probabilities_read(context, path, logits, &read) != SUSTAIN_OK)
            return complain(EXIT_USAGE, "%s%s", sustain_error(context),
                            strstr(sustain_error(context), "logits") != NULL && !logits ? " (--logits does that)" : "");
        out[(*count)++] = read;
        at = comma != NULL ? comma + 1 : NULL;
    }
    return EXIT_DONE;
}

/* The share of the rows with the likeliest class k that have the label l. */
static double share(const int64_t *count, int64_t classes, int64_t k, int64_t l) {
    int64_t all = 0;
    for (int64_t j = 0; j < classes; j++) all += count[k * classes + j];
    return all > 0 ? (double)count[k * classes + l] / (double)all : 0;
}

/* The label that most rows with the likeliest class k have; k itself where it is one of several. */
static int64_t label_of(const int64_t *count, int64_t classes, int64_t k) {
    int64_t most = k;
    for (int64_t l = 0; l < classes; l++)
        if (count[k * classes + l] > count[k * classes + most]) most = l;
    return most;
}

/* Two columns that are exchanged, or two classes that people took for each other: which it is, the
 * numbers do not tell. */
static void warn_of_exchanged(const clean_data *data, const sustain_probabilities *p, const int64_t *count) {
    for (int64_t k = 0; k < p->classes; k++) {
        const int64_t l = label_of(count, p->classes, k);
        if (l <= k || label_of(count, p->classes, l) != k || share(count, p->classes, k, l) <= 0.5 || share(count, p->classes, l, k) <= 0.5)
            continue;
        note_warning("%s: most rows whose likeliest class is '%.60s' have the label '%.60s', and the other way round: if two of its "
                     "columns are exchanged, name the classes in their order with --class-names.",
                     p->source, clean_class(data, k), clean_class(data, l));
    }
}

/* Columns that are in another order than the classes: most rows with a predicted column have
 * another label, the same one. */
static int check_order_of(const clean_data *data, const sustain_probabilities *p) {
    enum { LOOKED_AT = 20000 };
    const int64_t classes = p->classes, step = p->count / LOOKED_AT + 1;
    int64_t *count = calloc((size_t)(classes * classes), sizeof *count), same = 0, best = 0, rows = 0, moved = -1, to = 0;
    float *row = malloc((size_t)classes * sizeof *row);
    int code = count == NULL || row == NULL ? out_of_memory() : EXIT_DONE;
    for (int64_t i = 0; i < p->count && code == EXIT_DONE; i += step, rows++) {
        int64_t likeliest = 0;
        sustain_probabilities_row(p, i, row);
        for (int64_t k = 1; k < classes; k++)
            if (row[k] > row[likeliest]) likeliest = k;
        count[likeliest * classes + data->training->rows.labels[i]]++;
    }
    for (int64_t k = 0; k < classes && code == EXIT_DONE; k++) {
        const int64_t most = label_of(count, classes, k);
        same += count[k * classes + k];
        best += count[k * classes + most];
        if (most != k && moved < 0) moved = k, to = most;
    }
    if (code == EXIT_DONE && moved >= 0 && 2 * same < best)
        code = complain(EXIT_USAGE,
                        "%s: its columns are in another order than the classes: column %lld (from 0) fits the label '%s', not '%s'. Name "
                        "the classes in the "
                        "order of the columns with --class-names",
                        p->source, (long long)moved, clean_class(data, to), clean_class(data, moved));
    else if (code == EXIT_DONE && moved >= 0)
        warn_of_exchanged(data, p, count);
    free(count);
    free(row);
    return code;
}

static int part_file(sustain_context *context, const sustain_probabilities *p, const int64_t *index, int64_t count,
                     const sustain_probabilities **out) {
    sustain_probabilities *part = NULL;
    const int code = refused(context, sustain_probabilities_subset(context, p, index, count, &part));
    if (code == EXIT_DONE) *out = part;
    return code;
}

int clean_part_probabilities(sustain_context *context, clean_data *data) {
    const bool trusted = data->trusted_index != NULL && data->trusted_pred_prob_count == 0;
    bool all = data->index != NULL;
    int code = EXIT_DONE;
    for (int f = 0; f < data->pred_prob_count; f++) all = all && data->pred_probs[f]->count == data->rows; /* else the job refuses it */
    for (int f = 0; f < data->pred_prob_count && all && code == EXIT_DONE; f++) {
        const sustain_probabilities *whole = data->pred_probs[f];
        if (trusted) code = part_file(context, whole, data->trusted_index, data->trusted->rows.count, &data->trusted_pred_probs[f]);
        if (code == EXIT_DONE && trusted) data->trusted_pred_prob_count++;
        if (code == EXIT_DONE) code = part_file(context, whole, data->index, data->training->rows.count, &data->pred_probs[f]);
        if (code == EXIT_DONE) sustain_probabilities_destroy((sustain_probabilities *)(uintptr_t)whole);
    }
    return code;
}

int clean_check_order(const clean_data *data) {
    int code = EXIT_DONE;
    for (int f = 0; f < data->pred_prob_count && code == EXIT_DONE; f++)
        if (data->pred_probs[f]->classes == data->training->classes && data->pred_probs[f]->count == data->training->rows.count)
            code = check_order_of(data, data->pred_probs[f]); /* other shapes are refused by the job */
    return code;
}

static int read_all_probabilities(sustain_context *context, const clean_values *given, clean_data *data) {
    int code = read_probabilities(context, given->pred_probs, given->logits, data->pred_probs, &data->pred_prob_count);
    if (code == EXIT_DONE)
        code =
            read_probabilities(context, given->trusted_pred_probs, given->logits, data->trusted_pred_probs, &data->trusted_pred_prob_count);
    if (code == EXIT_DONE && data->trusted_pred_prob_count > 0 && data->trusted_pred_prob_count != data->pred_prob_count)
        code = complain(EXIT_USAGE, "--trusted-pred-probs names %d files, --pred-probs %d: give the same models in the same order",
                        data->trusted_pred_prob_count, data->pred_prob_count);
    if (code == EXIT_DONE && data->trusted_pred_prob_count > 0 && data->trusted == NULL)
        code = complain(EXIT_USAGE, "--trusted-pred-probs needs the labels of these rows: --trusted-labels FILE");
    return code;
}

/* ---- names of classes ---- */

/* A name without the blanks around it, in place. */
static char *trimmed(char *text) {
    text += strspn(text, " ");
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') text[--length] = '\0';
    return text;
}

/* A file with a name on each line, or the names themselves with commas between them. */
static int read_names(const char *value, class_list *out) {
    record_file file = {.path = NULL};
    FILE *there = fopen(value, "rb");
    if (there != NULL) fclose(there);
    char *text = NULL;
    if (there != NULL) {
        const int code = records_open(value, &file);
        text = code == EXIT_DONE ? strdup(file.at) : NULL;
        records_close(&file);
        if (code != EXIT_DONE) return code;
    } else {
        text = strdup(value);
    }
    size_t most = 2;
    for (const char *at = text; at != NULL && *at != '\0'; at++) most += *at == '\n' || *at == ',';
    out->memory = text;
    out->name = text != NULL ? calloc(most, sizeof *out->name) : NULL;
    if (out->name == NULL) return out_of_memory();
    out->count = 0;
    const char *ends = there != NULL ? "\r\n" : ",";
    for (char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, ends);
        const bool last = at[length] == '\0';
        at[length] = '\0';
        char *name = trimmed(at);
        if (name[0] != '\0') out->name[out->count++] = name;
        at += length + !last;
    }
    return out->count >= 2 ? EXIT_DONE : complain(EXIT_USAGE, "--class-names %s: there must be at least two names", value);
}

void clean_names_free(class_list *list) {
    free(list->name);
    free(list->memory);
}

/* Gives the set the classes `names`, in this order. */
static int rename_classes(sustain_context *context, sustain_dataset *set, const char *const *names, int64_t count, const char *source) {
    sustain_dataset like = *set;
    like.classes = count;
    like.class_names = names;
    like.source = set->source;
    like.label_source = source;
    return refused(context, sustain_dataset_match(&like, set));
}

/* Classes that are written as whole numbers get all numbers below `count`. */
static int number_classes(sustain_context *context, sustain_dataset *set, int64_t count, const char *source) {
    char(*texts)[24] = malloc((size_t)count * sizeof *texts);
    const char **names = malloc((size_t)count * sizeof *names);
    int code = texts == NULL || names == NULL ? out_of_memory() : EXIT_DONE;
    for (int64_t k = 0; k < count && code == EXIT_DONE; k++) {
        snprintf(texts[k], sizeof texts[k], "%lld", (long long)k);
        names[k] = texts[k];
    }
    if (code == EXIT_DONE) code = rename_classes(context, set, names, count, source);
    free(texts);
    free(names);
    return code;
}

static bool all_numbers_below(const sustain_dataset *set, int64_t count) {
    for (int64_t k = 0; k < set->classes; k++) {
        long long number;
        if (whole_numbers(set->class_names[k], '\0', 1, &number) != 1 || number < 0 || number >= count) return false;
    }
    return true;
}

static bool all_among(const sustain_dataset *set, const class_list *names) {
    for (int64_t k = 0; k < set->classes; k++) {
        int64_t at = 0;
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): counted names are there */
        while (at < names->count && strcmp(names->name[at], set->class_names[k]) != 0) at++;
        if (at == names->count) return false;
    }
    return true;
}

/* Gives the training set the classes of data->names; where labels are numbers, the names are shown.
 * *named: whether its labels are these classes. */
static int use_names(sustain_context *context, clean_data *data, const char *source, bool *named) {
    sustain_dataset *set = data->training;
    for (int64_t k = 1; k < data->names.count; k++)
        for (int64_t l = 0; l < k; l++)
            if (strcmp(data->names.name[k], data->names.name[l]) == 0)
                return complain(EXIT_USAGE, "%s: two columns are of the class '%.60s': give each class one", source, data->names.name[k]);
    *named = true;
    if (all_among(set, &data->names)) return rename_classes(context, set, (const char *const *)data->names.name, data->names.count, source);
    *named = data->show_names = all_numbers_below(set, data->names.count);
    return *named ? number_classes(context, set, data->names.count, source) : EXIT_DONE;
}

/* The header of a CSV file of probabilities as the names of the classes. */
static int copy_header(const sustain_probabilities *p, class_list *out) {
    size_t length = 1;
    for (int64_t k = 0; k < p->classes; k++) length += strlen(sustain_probabilities_name(p, k)) + 1;
    char *at = out->memory = malloc(length);
    out->name = calloc((size_t)p->classes, sizeof *out->name);
    if (at == NULL || out->name == NULL) return out_of_memory();
    for (out->count = 0; out->count < p->classes; at += strlen(at) + 1) {
        strcpy(at, sustain_probabilities_name(p, out->count));
        out->name[out->count++] = at;
    }
    return EXIT_DONE;
}

static int order_by_header(sustain_context *context, clean_data *data) {
    const sustain_probabilities *first = data->pred_probs[0];
    bool named;
    int code = copy_header(first, &data->names);
    if (code == EXIT_DONE) code = use_names(context, data, first->source, &named);
    if (code == EXIT_DONE && !named)
        code =
            complain(EXIT_USAGE,
                     "%s: its columns are called '%.40s', '%.40s', ..., but the classes of %s '%.40s', '%.40s', ...: give the columns the "
                     "names of the classes, or name the classes in the order of the columns with --class-names",
                     first->source, data->names.name[0], data->names.name[1], data->training->label_source, clean_class(data, 0),
                     data->training->classes > 1 ? clean_class(data, 1) : "");
    return code;
}

/* Columns that have names must have those of the first file, in the same order. */
static int check_header(const clean_data *data, const sustain_probabilities *p) {
    for (int64_t k = 0; k < p->classes && k < data->names.count; k++) {
        const char *name = sustain_probabilities_name(p, k);
        if (name != NULL && strcmp(name, data->names.name[k]) != 0)
            return complain(EXIT_USAGE,
                            "%s: column %lld of its probabilities is called '%.60s', not '%.60s' as in %s: write both in one order",
                            p->source, (long long)k + 1, name, data->names.name[k], data->pred_probs[0]->source);
    }
    return EXIT_DONE;
}

/* The classes in the order of the columns of probabilities: by --class-names, or by the header of
 * the first file; numbers are counted up to the last column. */
static int order_classes(sustain_context *context, const clean_values *given, clean_data *data) {
    sustain_dataset *set = data->training;
    const sustain_probabilities *first = data->pred_prob_count > 0 ? data->pred_probs[0] : NULL;
    bool named;
    if (given->class_names == NULL && first != NULL && sustain_probabilities_name(first, 0) != NULL) {
        int code = order_by_header(context, data);
        for (int f = 1; f < data->pred_prob_count && code == EXIT_DONE; f++) code = check_header(data, data->pred_probs[f]);
        for (int f = 0; f < data->trusted_pred_prob_count && code == EXIT_DONE; f++) code = check_header(data, data->trusted_pred_probs[f]);
        return code;
    }
    if (given->class_names == NULL) {
        if (first == NULL || first->classes <= set->classes || !all_numbers_below(set, first->classes)) return EXIT_DONE;
        return number_classes(context, set, first->classes, first->source);
    }
    int code = read_names(given->class_names, &data->names);
    if (code == EXIT_DONE) code = use_names(context, data, given->class_names, &named);
    if (code == EXIT_DONE && !named)
        code = complain(EXIT_USAGE, "--class-names %s: the labels of %s are neither these %lld names nor numbers from 0 to %lld",
                        given->class_names, set->label_source, (long long)data->names.count, (long long)data->names.count - 1);
    return code;
}

/* ---- all of it ---- */

int clean_one_label_too_many(const sustain_dataset *labels) {
    return complain(
        EXIT_USAGE,
        "%s has %lld labels, one more than there are rows: if its first line, '%.60s', is a header, name it (--label-column), or "
        "call it 'label'",
        labels->label_source, (long long)labels->rows.count,
        labels->rows.labels != NULL ? labels->class_names[labels->rows.labels[0]] : "");
}

int clean_read_probabilities(sustain_context *context, const clean_values *given, clean_data *data) {
    const int code = read_all_probabilities(context, given, data);
    if (code == EXIT_DONE && data->training->rows.dim == 0 && data->training->rows.count == data->pred_probs[0]->count + 1)
        return clean_one_label_too_many(data->training);
    return code == EXIT_DONE ? order_classes(context, given, data) : code;
}
