/* match.c - makes two sets compatible with one classifier: the same columns, the same class
 * numbers. */
#include <string.h>

#include "data/dataset_internal.h"
#include "data/number.h"

/* ---- columns ---- */

/* Copies the sparse rows without the entries in columns from `dim` on, which are the last of
 * their row. */
static sustain_status copy_without(const sustain_rows *rows, int64_t dim, sustain_context *context, struct sustain_dataset_memory *m) {
    const size_t entries = (size_t)(rows->start[rows->count] - rows->start[0]);
    int64_t kept = 0;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)rows->count + 1, sizeof *m->start), &m->start));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(entries, sizeof *m->values), &m->values));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(entries, sizeof *m->columns), &m->columns));
    for (int64_t i = 0; i < rows->count; i++) {
        for (int64_t k = rows->start[i]; k < rows->start[i + 1] && rows->columns[k] < dim; k++, kept++) {
            m->values[kept] = rows->values[k];
            m->columns[kept] = rows->columns[k];
        }
        m->start[i + 1] = kept;
    }
    return SUSTAIN_OK;
}

static void free_sparse(sustain_context *context, const struct sustain_dataset_memory *m) {
    sustain__free(context, m->start);
    sustain__free(context, m->values);
    sustain__free(context, m->columns);
}

static sustain_status cut_columns(sustain_dataset *set, int64_t dim) {
    struct sustain_dataset_memory copies = {.values = NULL}, *m = set->memory;
    const int64_t before = set->rows.start[set->rows.count] - set->rows.start[0];
    const sustain_status status = copy_without(&set->rows, dim, set->context, &copies);
    if (status != SUSTAIN_OK) {
        free_sparse(set->context, &copies);
        return status;
    }
    free_sparse(set->context, m);
    m->start = copies.start, m->values = copies.values, m->columns = copies.columns;
    sustain__dataset_publish(set);
    sustain__log(set->context, "%s: %lld values in columns beyond the %lld of the training rows are left out", set->source,
                 (long long)(before - m->start[set->rows.count]), (long long)dim);
    return SUSTAIN_OK;
}

/* A LIBSVM file without an entry in column 0 does not show that it counts from 0; the training
 * rows decide. */
static sustain_status match_first_index(const sustain_dataset *training, sustain_dataset *other) {
    struct sustain_dataset_memory *m = other->memory;
    if (training->memory == NULL || training->memory->from_zero == m->from_zero) return SUSTAIN_OK;
    if (m->from_zero)
        return sustain__fail(other->context, SUSTAIN_FORMAT, "%s: its indices begin with 0, those of %s with 1: write both in the same way",
                             other->source, training->source);
    SUSTAIN_TRY(sustain__dataset_own_columns(other));
    for (int64_t k = 0; k < other->rows.start[other->rows.count]; k++) m->columns[k]++;
    other->rows.dim++;
    m->from_zero = true;
    sustain__log(other->context, "%s: its indices are taken to begin with 0, as those of %s do", other->source, training->source);
    return SUSTAIN_OK;
}

static sustain_status match_columns(const sustain_dataset *training, sustain_dataset *other) {
    sustain_context *context = other->context;
    const int64_t dim = training->rows.dim;
    if (training->encoding != NULL && training->encoding == other->encoding) return SUSTAIN_OK;
    if (other->rows.start != NULL) {
        SUSTAIN_TRY(match_first_index(training, other));
        if (other->rows.dim > dim) SUSTAIN_TRY(cut_columns(other, dim));
        other->rows.dim = dim;
        return SUSTAIN_OK;
    }
    if (other->rows.dim != dim)
        return sustain__fail(context, SUSTAIN_FORMAT, "%s has %lld features per row, but %s has %lld: they must have the same columns",
                             other->source, (long long)other->rows.dim, training->source, (long long)dim);
    if (other->column_names == NULL || training->column_names == NULL) return SUSTAIN_OK;
    for (int64_t j = 0; j < dim; j++)
        if (strcmp(other->column_names[j], training->column_names[j]) != 0)
            return sustain__fail(context, SUSTAIN_FORMAT,
                                 "%s: feature %lld is called '%.60s', but '%.60s' in %s: they must have the same columns", other->source,
                                 (long long)j + 1, other->column_names[j], training->column_names[j], training->source);
    return SUSTAIN_OK;
}

/* ---- classes ---- */

static bool same_class(const char *a, const char *b) {
    double p, q;
    if (strcmp(a, b) == 0) return true;
    return sustain__number_is(a, a + strlen(a), &p) && sustain__number_is(b, b + strlen(b), &q) && p == q;
}

/* The training set's number of a class, -1 for none. Both lists have nearly the same order, so
 * the search starts after the previous match. */
static int32_t find_class(const sustain_dataset *training, const char *name, int64_t hint) {
    for (int64_t i = 0; i < training->classes; i++) {
        const int64_t c = (hint + i) % training->classes;
        if (same_class(training->class_names[c], name)) return (int32_t)c;
    }
    return -1;
}

/* The first row whose label or true label is this class; -1 for none. */
static int64_t first_of_class(const sustain_dataset *set, int64_t class_number) {
    for (int64_t i = 0; i < set->rows.count; i++)
        if (set->rows.labels[i] == class_number || (set->truth != NULL && set->truth[i] == class_number)) return i;
    return -1;
}

/* Whether no class name is a number; *sorted: whether the names are in alphabetical order, as
 * those from a label file are. */
static bool words(const sustain_dataset *set, bool *sorted) {
    double number;
    *sorted = true;
    for (int64_t c = 0; c < set->classes; c++) {
        if (sustain__number_is(set->class_names[c], set->class_names[c] + strlen(set->class_names[c]), &number)) return false;
        if (c > 0 && strcmp(set->class_names[c - 1], set->class_names[c]) > 0) *sorted = false;
    }
    return true;
}

/* If the training classes are words in a fixed order of their own, numeric labels count them
 * from 0, as in the published files of named sets; -1: out of range. If the words are in
 * alphabetical order, numbers have no defined meaning. */
static int32_t find_number(const sustain_dataset *training, const char *name) {
    double number;
    if (!sustain__number_is(name, name + strlen(name), &number)) return -1;
    return number >= 0 && number < (double)training->classes && number == (double)(int32_t)number ? (int32_t)number : -1;
}

static sustain_status rename_classes(const sustain_dataset *training, sustain_dataset *other, int32_t *renamed) {
    struct sustain_dataset_memory *m = other->memory;
    bool sorted;
    const bool named = words(training, &sorted);
    char **names;
    for (int64_t c = 0; c < other->classes; c++) {
        /* -1 is allowed if no row has the class */
        renamed[c] = find_class(training, other->class_names[c], c > 0 ? renamed[c - 1] + 1 : 0);
        if (renamed[c] < 0 && named && !sorted) renamed[c] = find_number(training, other->class_names[c]);
        const int64_t row = renamed[c] < 0 ? first_of_class(other, c) : -1;
        if (row >= 0 && named && find_number(training, other->class_names[c]) >= 0)
            return sustain__fail(
                other->context, SUSTAIN_FORMAT,
                "%s: row %lld (from 0) has the number '%.60s' as its label, but the classes of %s are names such as '%.60s': write "
                "the same names in both",
                other->label_source, (long long)row, other->class_names[c], training->label_source, training->class_names[0]);
        if (row >= 0)
            return sustain__fail(other->context, SUSTAIN_FORMAT, "%s: row %lld (from 0) has the class '%.60s', which does not occur in %s",
                                 other->label_source, (long long)row, other->class_names[c], training->label_source);
    }
    SUSTAIN_TRY(sustain__copy_names(other->context, training->class_names, NULL, training->classes, &names));
    for (int64_t i = 0; i < other->rows.count; i++) {
        if (m->labels[i] >= 0) m->labels[i] = renamed[m->labels[i]];
        if (m->truth != NULL) m->truth[i] = renamed[m->truth[i]];
    }
    sustain__free(other->context, m->class_names);
    m->class_names = names;
    other->classes = training->classes;
    sustain__dataset_publish(other);
    return SUSTAIN_OK;
}

static sustain_status match_classes(const sustain_dataset *training, sustain_dataset *other) {
    int32_t *renamed;
    if (training->classes == 0 || other->classes == 0) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__allocate(other->context, (size_t)other->classes * sizeof *renamed, &renamed));
    const sustain_status status = rename_classes(training, other, renamed);
    sustain__free(other->context, renamed);
    return status;
}

sustain_status sustain_dataset_match(const sustain_dataset *training, sustain_dataset *other) {
    if (training == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(training->context, other, "other"));
    /* labels alone have none */
    const bool features = training->rows.dim > 0 && other->rows.dim > 0;
    if (features) SUSTAIN_TRY(match_columns(training, other));
    return match_classes(training, other);
}
