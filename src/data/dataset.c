/* dataset.c - data sets: creation, joining with labels, parts, subsets. */
#include "data/dataset_internal.h"

#include <string.h>

sustain_status sustain__copy_text(sustain_context *context, const char *text, char **out) {
    const size_t size = strlen(text) + 1;
    SUSTAIN_TRY(sustain__allocate(context, size, out));
    memcpy(*out, text, size);
    return SUSTAIN_OK;
}

sustain_status sustain__copy_names(sustain_context *context, const char *const *names, const size_t *length, int64_t n, char ***out) {
    size_t size = sustain__multiply((size_t)n, sizeof(char *));
    for (int64_t i = 0; i < n; i++) size += (length != NULL ? length[i] : strlen(names[i])) + 1;
    SUSTAIN_TRY(sustain__allocate(context, size, out));
    char *text = (char *)(*out + n);
    for (int64_t i = 0; i < n; i++) {
        const size_t bytes = length != NULL ? length[i] : strlen(names[i]);
        memcpy(text, names[i], bytes);
        (*out)[i] = text;
        text += bytes + 1;
    }
    return SUSTAIN_OK;
}

void sustain__dataset_publish(sustain_dataset *set) {
    const struct sustain_dataset_memory *m = set->memory;
    if (m->values != NULL) set->rows.values = m->values;
    if (m->bytes != NULL) set->rows.bytes = m->bytes;
    if (m->halves != NULL) set->rows.halves = m->halves;
    if (m->start != NULL) set->rows.start = m->start;
    if (m->columns != NULL) set->rows.columns = m->columns;
    set->rows.labels = m->labels;
    set->rows.targets = m->targets;
    set->truth = m->truth;
    set->trusted = m->trusted;
    set->class_names = (const char *const *)m->class_names;
    set->encoding = m->encoding;
    set->column_names = m->encoding != NULL ? sustain_table_encoding_features(m->encoding).names : (const char *const *)m->column_names;
    set->kept_names = (const char *const *)m->kept_names;
    set->kept = (const char *const *)m->kept;
    set->source = m->source;
    set->label_source = m->label_source != NULL ? m->label_source : "";
}

sustain_status sustain__dataset_create(sustain_context *context, const char *source, sustain_dataset **out) {
    *out = NULL;
    sustain_dataset *set;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *set, &set));
    set->context = context;
    sustain_status status = sustain__allocate(context, sizeof *set->memory, &set->memory);
    if (status == SUSTAIN_OK) status = sustain__copy_text(context, source, &set->memory->source);
    if (status == SUSTAIN_OK) {
        sustain__dataset_publish(set);
        *out = set;
    } else {
        sustain_dataset_destroy(set);
    }
    return status;
}

void sustain_dataset_destroy(sustain_dataset *set) {
    if (set == NULL) return;
    sustain_context *context = set->context;
    struct sustain_dataset_memory *m = set->memory;
    if (m != NULL) {
        void *const owned[] = {m->halves,  m->values,      m->bytes,        m->start,  m->columns,      m->labels, m->truth,     m->targets,
                               m->trusted, m->class_names, m->column_names, m->source, m->label_source, m->kept,   m->kept_names};
        for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) sustain__free(context, owned[i]);
        sustain__bytes_free(context, &m->file);
        sustain_table_encoding_destroy(m->encoding);
        sustain__free(context, m);
    }
    sustain__free(context, set);
}

sustain_status sustain__check_size(const sustain_dataset *set) {
    if (set->rows.count == 0) return sustain__fail(set->context, SUSTAIN_FORMAT, "%s: it has no rows", set->source);
    if (set->rows.dim == 0) return sustain__fail(set->context, SUSTAIN_FORMAT, "%s: it has no features", set->source);
    return SUSTAIN_OK;
}

/* ---- labels from another set ---- */

/* A copy of `count` elements; *out stays NULL where there is nothing to copy. */
static sustain_status copy_array(sustain_context *context, const void *from, int64_t count, size_t element, void *out) {
    if (from == NULL) return SUSTAIN_OK;
    void *copy;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)count, element), &copy));
    memcpy(copy, from, (size_t)count * element);
    memcpy(out, &copy, sizeof copy);
    return SUSTAIN_OK;
}

sustain_status sustain__dataset_own_columns(sustain_dataset *set) {
    struct sustain_dataset_memory *m = set->memory;
    if (m->columns != NULL || set->rows.columns == NULL) return SUSTAIN_OK;
    SUSTAIN_TRY(copy_array(set->context, set->rows.columns, set->rows.start[set->rows.count], sizeof *m->columns, &m->columns));
    sustain__dataset_publish(set);
    return SUSTAIN_OK;
}

static sustain_status copy_classes(const sustain_dataset *from, struct sustain_dataset_memory *m) {
    if (from->class_names != NULL) SUSTAIN_TRY(sustain__copy_names(from->context, from->class_names, NULL, from->classes, &m->class_names));
    return sustain__copy_text(from->context, from->label_source, &m->label_source);
}

/* Copies everything except the features of `count` rows from `first` on. */
static sustain_status copy_labels(const sustain_dataset *from, int64_t first, int64_t count, struct sustain_dataset_memory *m) {
    sustain_context *context = from->context;
    const sustain_rows *rows = &from->rows;
    if (rows->labels != NULL) SUSTAIN_TRY(copy_array(context, rows->labels + first, count, sizeof *m->labels, &m->labels));
    if (rows->targets != NULL) SUSTAIN_TRY(copy_array(context, rows->targets + first, count, sizeof *m->targets, &m->targets));
    if (from->truth != NULL) SUSTAIN_TRY(copy_array(context, from->truth + first, count, sizeof *m->truth, &m->truth));
    return copy_classes(from, m);
}

/* The names of the columns that are kept for display, and then their texts. */
static sustain_status copy_kept_names(const sustain_dataset *from, sustain_dataset *to) {
    if (from->kept == NULL) return SUSTAIN_OK;
    to->kept_columns = from->kept_columns;
    to->has_id = from->has_id;
    return sustain__copy_names(to->context, from->kept_names, NULL, from->kept_columns, &to->memory->kept_names);
}

static sustain_status copy_kept(const sustain_dataset *from, int64_t first, int64_t count, sustain_dataset *to) {
    if (from->kept == NULL) return SUSTAIN_OK;
    return sustain__copy_names(to->context, from->kept + first * from->kept_columns, NULL, count * from->kept_columns, &to->memory->kept);
}

static void free_labels(sustain_context *context, const struct sustain_dataset_memory *m) {
    void *const owned[] = {m->labels, m->targets, m->truth, m->class_names, m->label_source};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) sustain__free(context, owned[i]);
}

/* Where both files identify their rows, row i must be the same in both. */
static sustain_status compare_ids(const sustain_dataset *features, const sustain_dataset *labels) {
    if (!features->has_id || !labels->has_id || strcmp(features->kept_names[0], labels->kept_names[0]) != 0) return SUSTAIN_OK;
    for (int64_t i = 0; i < features->rows.count; i++) {
        const char *one = features->kept[i * features->kept_columns], *other = labels->kept[i * labels->kept_columns];
        if (strcmp(one, other) != 0)
            return sustain__fail(features->context, SUSTAIN_FORMAT,
                                 "%s: row %lld (from 0) is '%.60s', but '%.60s' in %s: write the rows of both in one order", labels->source,
                                 (long long)i, other, one, features->source);
    }
    return SUSTAIN_OK;
}

sustain_status sustain_dataset_join(sustain_dataset *features, const sustain_dataset *labels) {
    if (features == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(features->context, labels, "labels"));
    sustain_context *context = features->context;
    struct sustain_dataset_memory taken = {.values = NULL}, *m = features->memory;
    if (labels->rows.labels == NULL && labels->rows.targets == NULL)
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: it has no labels", labels->source);
    if (labels->rows.count != features->rows.count)
        return sustain__fail(context, SUSTAIN_FORMAT, "%s has %lld rows, but %s has %lld labels: give one label per row%s",
                             features->source, (long long)features->rows.count, labels->source, (long long)labels->rows.count,
                             labels->rows.count == features->rows.count + 1 ? ", or name the label column if the first line has names"
                                                                            : "");
    SUSTAIN_TRY(compare_ids(features, labels));
    sustain_status status = copy_labels(labels, 0, labels->rows.count, &taken);
    if (status == SUSTAIN_OK && labels->trusted != NULL)
        status = copy_array(context, labels->trusted, labels->rows.count, 1, &taken.trusted);
    if (status != SUSTAIN_OK) {
        free_labels(context, &taken);
        return status;
    }
    free_labels(context, m);
    if (taken.trusted != NULL) {
        sustain__free(context, m->trusted);
        m->trusted = taken.trusted;
    }
    m->labels = taken.labels, m->targets = taken.targets, m->truth = taken.truth;
    m->class_names = taken.class_names, m->label_source = taken.label_source;
    features->classes = labels->classes;
    features->label_values = labels->label_values;
    features->date_labels = labels->date_labels;
    if (m->kept == NULL) {
        status = copy_kept_names(labels, features);
        if (status == SUSTAIN_OK) status = copy_kept(labels, 0, labels->rows.count, features);
    }
    sustain__dataset_publish(features);
    return status;
}

void sustain_dataset_drop_targets(sustain_dataset *set) {
    if (set == NULL || set->memory->labels == NULL) return;
    sustain__free(set->context, set->memory->targets);
    set->memory->targets = NULL;
    sustain__dataset_publish(set);
}

/* ---- parts ---- */

/* Copies what all parts share: names, picture shape, kind of rows. */
static sustain_status copy_shape(const sustain_dataset *set, sustain_dataset *out) {
    out->rows.dim = set->rows.dim;
    out->rows.byte_scale = set->rows.byte_scale;
    out->classes = set->classes;
    out->label_values = set->label_values;
    out->date_labels = set->date_labels;
    out->picture = set->picture;
    out->memory->from_zero = set->memory->from_zero;
    out->memory->encoding = sustain_table_encoding_share(set->encoding);
    SUSTAIN_TRY(copy_kept_names(set, out));
    if (set->column_names == NULL || set->encoding != NULL) return SUSTAIN_OK;
    return sustain__copy_names(set->context, set->column_names, NULL, set->rows.dim, &out->memory->column_names);
}

static sustain_status fill_part(const sustain_dataset *set, int64_t first, int64_t count, sustain_dataset *out) {
    sustain_rows *rows = &out->rows;
    *rows = set->rows;
    rows->count = count;
    SUSTAIN_TRY(copy_shape(set, out));
    if (rows->start != NULL)
        rows->start += first;
    else if (rows->values != NULL)
        rows->values += first * rows->dim;
    else if (rows->bytes != NULL)
        rows->bytes += first * rows->dim;
    else if (rows->halves != NULL)
        rows->halves += first * rows->dim;
    SUSTAIN_TRY(copy_labels(set, first, count, out->memory));
    SUSTAIN_TRY(copy_kept(set, first, count, out));
    if (set->trusted == NULL) return SUSTAIN_OK;
    return copy_array(set->context, set->trusted + first, count, 1, &out->memory->trusted);
}

/* Returns the set on success; destroys it on failure. */
static sustain_status finish(sustain_status status, sustain_dataset *set, sustain_dataset **out) {
    if (status == SUSTAIN_OK) {
        sustain__dataset_publish(set);
        *out = set;
    } else {
        sustain_dataset_destroy(set);
    }
    return status;
}

sustain_status sustain_dataset_part(const sustain_dataset *set, int64_t first, int64_t count, sustain_dataset **out) {
    if (out != NULL) *out = NULL;
    if (set == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(set->context, out, "out"));
    sustain_dataset *part;
    if (first < 0 || count < 0 || first > set->rows.count || count > set->rows.count - first)
        return sustain__fail(set->context, SUSTAIN_ARGUMENT, "%s has %lld rows: rows %lld to %lld cannot be taken from it", set->source,
                             (long long)set->rows.count, (long long)first + 1, (long long)(first + count));
    SUSTAIN_TRY(sustain__dataset_create(set->context, set->source, &part));
    return finish(fill_part(set, first, count, part), part, out);
}

/* ---- subsets ---- */

static sustain_status gather_sparse(const sustain_rows *from, const int64_t *index, int64_t count, sustain_context *context,
                                    struct sustain_dataset_memory *m) {
    int64_t total = 0;
    for (int64_t i = 0; i < count; i++) total += from->start[index[i] + 1] - from->start[index[i]];
    SUSTAIN_TRY(sustain__allocate(context, ((size_t)count + 1) * sizeof *m->start, &m->start));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)total, sizeof *m->values), &m->values));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)total, sizeof *m->columns), &m->columns));
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = from->start[index[i]], length = from->start[index[i] + 1] - at, to = m->start[i];
        memcpy(m->values + to, from->values + at, (size_t)length * sizeof *m->values);
        memcpy(m->columns + to, from->columns + at, (size_t)length * sizeof *m->columns);
        m->start[i + 1] = to + length;
    }
    return SUSTAIN_OK;
}

/* A copy of elements index[0 .. count-1], `size` bytes each; *out stays NULL where there is
 * nothing to copy. */
static sustain_status gather(sustain_context *context, const void *from, size_t size, const int64_t *index, int64_t count, void *out) {
    if (from == NULL) return SUSTAIN_OK;
    unsigned char *copy;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)count, size), &copy));
    for (int64_t i = 0; i < count; i++) memcpy(copy + (size_t)i * size, (const unsigned char *)from + (size_t)index[i] * size, size);
    memcpy(out, &copy, sizeof copy);
    return SUSTAIN_OK;
}

/* Copies the texts kept for display. */
static sustain_status gather_kept(const sustain_dataset *set, const int64_t *index, int64_t count, struct sustain_dataset_memory *m) {
    char **texts = NULL;
    SUSTAIN_TRY(gather(set->context, set->kept, (size_t)set->kept_columns * sizeof *texts, index, count, &texts));
    if (texts == NULL) return SUSTAIN_OK;
    const sustain_status status = sustain__copy_names(set->context, (const char *const *)texts, NULL, count * set->kept_columns, &m->kept);
    sustain__free(set->context, texts);
    return status;
}

static sustain_status fill_subset(const sustain_dataset *set, const int64_t *index, int64_t count, sustain_dataset *out) {
    sustain_context *context = set->context;
    const sustain_rows *rows = &set->rows;
    struct sustain_dataset_memory *m = out->memory;
    out->rows.count = count;
    SUSTAIN_TRY(copy_shape(set, out));
    if (rows->start != NULL) {
        SUSTAIN_TRY(gather_sparse(rows, index, count, context, m));
    } else {
        SUSTAIN_TRY(gather(context, rows->values, (size_t)rows->dim * sizeof *m->values, index, count, &m->values));
        SUSTAIN_TRY(gather(context, rows->bytes, (size_t)rows->dim, index, count, &m->bytes));
        SUSTAIN_TRY(gather(context, rows->halves, (size_t)rows->dim * sizeof *m->halves, index, count, &m->halves));
    }
    SUSTAIN_TRY(gather(context, rows->labels, sizeof *m->labels, index, count, &m->labels));
    SUSTAIN_TRY(gather(context, rows->targets, sizeof *m->targets, index, count, &m->targets));
    SUSTAIN_TRY(gather(context, set->truth, sizeof *m->truth, index, count, &m->truth));
    SUSTAIN_TRY(gather(context, set->trusted, 1, index, count, &m->trusted));
    SUSTAIN_TRY(gather_kept(set, index, count, m));
    return copy_classes(set, m);
}

sustain_status sustain_dataset_subset(const sustain_dataset *set, const int64_t *index, int64_t count, sustain_dataset **out) {
    if (out != NULL) *out = NULL;
    if (set == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(set->context, out, "out"));
    SUSTAIN_TRY(sustain__need(set->context, index, "index"));
    sustain_dataset *subset;
    for (int64_t i = 0; i < count; i++)
        if (index[i] < 0 || index[i] >= set->rows.count)
            return sustain__fail(set->context, SUSTAIN_ARGUMENT, "%s has %lld rows: there is no row %lld", set->source,
                                 (long long)set->rows.count, (long long)index[i] + 1);
    SUSTAIN_TRY(sustain__dataset_create(set->context, set->source, &subset));
    return finish(fill_subset(set, index, count, subset), subset, out);
}

sustain_status sustain_dataset_set_picture(sustain_dataset *set, sustain_picture picture) {
    if (set == NULL) return SUSTAIN_ARGUMENT;
    const int64_t h = picture.height, w = picture.width, c = picture.channels;
    const int64_t most = (int64_t)1 << 20; /* of each, so that the product fits */
    if (h < 1 || w < 1 || c < 1 || h > most || w > most || c > most || h * w * c != set->rows.dim)
        return sustain__fail(set->context, SUSTAIN_ARGUMENT, "%s: a picture of %lld x %lld x %lld does not have the %lld features of a row",
                             set->source, (long long)h, (long long)w, (long long)c, (long long)set->rows.dim);
    set->picture = picture;
    return SUSTAIN_OK;
}
