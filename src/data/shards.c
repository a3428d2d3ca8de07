/* shards.c - several files as one set: rows in the order of the files, classes by name. Dense rows
 * are mapped as one array where the pages of the files allow it (io/file.h). */
#include <math.h>
#include <string.h>

#include "data/formats.h"
#include "data/labels.h"

typedef struct shards {
    sustain_context *context;
    const char *source;
    sustain_dataset **part; /* (count) */
    int64_t count, rows, entries;
} shards;

/* ---- do they fit together? ---- */

static const char *form(const sustain_rows *rows) {
    return rows->start != NULL    ? "sparse"
           : rows->bytes != NULL  ? "bytes"
           : rows->halves != NULL ? "float16"
           : rows->values != NULL ? "floats"
                                  : "labels";
}

static bool same_names(const sustain_dataset *a, const sustain_dataset *b) {
    if ((a->column_names == NULL) != (b->column_names == NULL)) return false;
    for (int64_t j = 0; a->column_names != NULL && j < a->rows.dim; j++)
        if (strcmp(a->column_names[j], b->column_names[j]) != 0) return false;
    return true;
}

/* LIBSVM: a part without an entry in column 0 does not show that it counts from 0, but another
 * does. */
static sustain_status count_from_zero(const shards *s) {
    bool any = false;
    for (int64_t p = 0; p < s->count; p++) any = any || s->part[p]->memory->from_zero;
    for (int64_t p = 0; p < s->count && any; p++) {
        struct sustain_dataset_memory *m = s->part[p]->memory;
        if (m->from_zero || s->part[p]->rows.columns == NULL) continue;
        SUSTAIN_TRY(sustain__dataset_own_columns(s->part[p]));
        for (int64_t k = 0; k < s->part[p]->rows.start[s->part[p]->rows.count]; k++) m->columns[k]++;
        s->part[p]->rows.dim++;
        m->from_zero = true;
    }
    return SUSTAIN_OK;
}

static sustain_status check_part(const shards *s, const sustain_dataset *part) {
    const sustain_dataset *first = s->part[0];
    const sustain_rows *a = &first->rows, *b = &part->rows;
    if (a->start == NULL && b->start == NULL && a->dim != b->dim)
        return sustain__fail(s->context, SUSTAIN_FORMAT, "%s has %lld columns, %s has %lld: parts of one set have as many columns",
                             first->source, (long long)a->dim, part->source, (long long)b->dim);
    if (strcmp(form(a), form(b)) != 0 || a->byte_scale != b->byte_scale)
        return sustain__fail(s->context, SUSTAIN_FORMAT, "%s has %s, %s has %s: parts of one set are of one kind", first->source, form(a),
                             part->source, form(b));
    if (a->start == NULL && !same_names(first, part))
        return sustain__fail(s->context, SUSTAIN_FORMAT, "%s and %s have columns of different names: parts of one set have the same",
                             first->source, part->source);
    const bool labelled = a->labels != NULL || a->targets != NULL;
    if (labelled != (b->labels != NULL || b->targets != NULL))
        return sustain__fail(s->context, SUSTAIN_FORMAT, "%s has %slabels, %s has %s: all parts of one set have them, or none",
                             first->source, labelled ? "" : "no ", part->source, labelled ? "none" : "some");
    if ((first->trusted != NULL) != (part->trusted != NULL) || first->kept_columns != part->kept_columns)
        return sustain__fail(s->context, SUSTAIN_FORMAT, "%s and %s have different columns: parts of one set have the same", first->source,
                             part->source);
    return SUSTAIN_OK;
}

/* ---- features ---- */

static sustain_status join_dense(const shards *s, sustain_dataset *out) {
    const bool bytes = s->part[0]->rows.bytes != NULL, halves = s->part[0]->rows.halves != NULL;
    sustain__piece *pieces;
    SUSTAIN_TRY(sustain__allocate(s->context, (size_t)s->count * sizeof *pieces, &pieces));
    for (int64_t p = 0; p < s->count; p++) {
        const sustain_dataset *part = s->part[p];
        const unsigned char *data = bytes ? part->rows.bytes : halves ? (const void *)part->rows.halves : (const void *)part->rows.values;
        const unsigned char *file = part->memory->file.mapped != NULL ? part->memory->file.data : NULL; /* not unpacked, not converted */
        pieces[p] = (sustain__piece){.path = file != NULL ? part->source : NULL,
                                     .data = data,
                                     .begin = file != NULL ? (size_t)(data - file) : 0,
                                     .length = (size_t)(part->rows.count * part->rows.dim) * (bytes    ? 1
                                                                                              : halves ? sizeof(uint16_t)
                                                                                                       : sizeof(float))};
    }
    const sustain_status status = sustain__bytes_join(s->context, pieces, s->count, &out->memory->file);
    sustain__free(s->context, pieces);
    if (bytes)
        out->rows.bytes = out->memory->file.data;
    else if (halves)
        out->rows.halves = (const uint16_t *)(const void *)out->memory->file.data;
    else
        out->rows.values = (const float *)(const void *)out->memory->file.data;
    return status;
}

static sustain_status join_sparse(const shards *s, sustain_dataset *out) {
    struct sustain_dataset_memory *m = out->memory;
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)s->rows + 1, sizeof *m->start), &m->start));
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)s->entries, sizeof *m->values), &m->values));
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)s->entries, sizeof *m->columns), &m->columns));
    int64_t row = 0, at = 0;
    for (int64_t p = 0; p < s->count; p++) {
        const sustain_rows *r = &s->part[p]->rows;
        const int64_t first = r->start[0], entries = r->start[r->count] - first;
        memcpy(m->values + at, r->values + first, (size_t)entries * sizeof *m->values);
        memcpy(m->columns + at, r->columns + first, (size_t)entries * sizeof *m->columns);
        for (int64_t i = 0; i < r->count; i++) m->start[++row] = r->start[i + 1] - first + at;
        at += entries;
        if (r->dim > out->rows.dim) out->rows.dim = r->dim;
    }
    return SUSTAIN_OK;
}

/* ---- labels ---- */

/* Classes may differ from part to part: all labels are read again, by name. */
static sustain_status add_labels(const shards *s, bool classes, sustain__labels *all) {
    for (int64_t p = 0; p < s->count; p++) {
        const sustain_dataset *part = s->part[p];
        for (int64_t i = 0; i < part->rows.count; i++) {
            if (i % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(s->context));
            if (classes ? part->rows.labels[i] < 0 : isnan(part->rows.targets[i])) {
                sustain__labels_add_none(all); /* as the options allow */
                continue;
            }
            const char *name = classes ? part->class_names[part->rows.labels[i]] : NULL;
            SUSTAIN_TRY(classes ? sustain__labels_add_text(all, name, strlen(name))
                                : sustain__labels_add_number(all, (double)part->rows.targets[i]));
        }
    }
    return SUSTAIN_OK;
}

static sustain_status join_labels(const shards *s, sustain_dataset *out) {
    bool classes = true, targets = true;
    for (int64_t p = 0; p < s->count; p++) {
        classes = classes && s->part[p]->rows.labels != NULL;
        targets = targets && s->part[p]->rows.targets != NULL;
    }
    if (!classes && !targets)
        return sustain__fail(s->context, SUSTAIN_FORMAT, "%s: some parts have numbers with fractions for labels, others have words",
                             s->source);
    sustain__labels *all;
    SUSTAIN_TRY(sustain__labels_create(s->context, s->rows, &all));
    sustain_status status = add_labels(s, classes, all);
    if (status == SUSTAIN_OK) status = sustain__labels_store(all, s->source, out);
    sustain__labels_destroy(all);
    return status;
}

/* ---- the rest ---- */

static sustain_status join_marks(const shards *s, sustain_dataset *out) {
    if (s->part[0]->trusted == NULL) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__allocate(s->context, (size_t)s->rows, &out->memory->trusted));
    uint8_t *to = out->memory->trusted;
    for (int64_t p = 0; p < s->count; to += s->part[p++]->rows.count) memcpy(to, s->part[p]->trusted, (size_t)s->part[p]->rows.count);
    return SUSTAIN_OK;
}

static sustain_status join_kept(const shards *s, sustain_dataset *out) {
    const sustain_dataset *first = s->part[0];
    const char **texts;
    if (first->kept == NULL) return SUSTAIN_OK;
    out->kept_columns = first->kept_columns;
    out->has_id = first->has_id;
    SUSTAIN_TRY(sustain__copy_names(s->context, first->kept_names, NULL, first->kept_columns, &out->memory->kept_names));
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)(s->rows * first->kept_columns), sizeof *texts), &texts));
    int64_t at = 0;
    for (int64_t p = 0; p < s->count; p++)
        for (int64_t i = 0; i < s->part[p]->rows.count * first->kept_columns; i++) texts[at++] = s->part[p]->kept[i];
    const sustain_status status = sustain__copy_names(s->context, texts, NULL, at, &out->memory->kept);
    sustain__free(s->context, texts);
    return status;
}

static sustain_status join(const shards *s, sustain_dataset *out) {
    const sustain_dataset *first = s->part[0];
    struct sustain_dataset_memory *m = out->memory;
    if (first->rows.labels != NULL || first->rows.targets != NULL) SUSTAIN_TRY(join_labels(s, out));
    out->rows.count = s->rows;
    out->rows.dim = first->rows.dim;
    out->rows.byte_scale = first->rows.byte_scale;
    out->picture = first->picture;
    m->from_zero = first->memory->from_zero;
    m->encoding = sustain_table_encoding_share(first->encoding);
    if (first->column_names != NULL && first->encoding == NULL)
        SUSTAIN_TRY(sustain__copy_names(s->context, first->column_names, NULL, first->rows.dim, &m->column_names));
    if (first->rows.start != NULL)
        SUSTAIN_TRY(join_sparse(s, out));
    else if (first->rows.dim > 0)
        SUSTAIN_TRY(join_dense(s, out));
    SUSTAIN_TRY(join_marks(s, out));
    SUSTAIN_TRY(join_kept(s, out));
    sustain__dataset_publish(out);
    return SUSTAIN_OK;
}

/* ---- all of it ---- */

/* The first file's table encoding is used for all. */
static sustain_status read_parts(shards *s, char *const *paths, const sustain_read_options *options, sustain__want want) {
    sustain_read_options given = {.size = sizeof given};
    if (options != NULL) memcpy(&given, options, options->size > 0 && options->size < sizeof given ? options->size : sizeof given);
    given.size = sizeof given;
    for (int64_t p = 0; p < s->count; p++) {
        SUSTAIN_TRY(sustain__read_one(s->context, paths[p], p == 0 ? options : &given, want, &s->part[p]));
        if (p == 0 && s->part[0]->encoding != NULL) given.encoding = s->part[0]->encoding;
        s->rows += s->part[p]->rows.count;
        if (s->part[p]->rows.start != NULL) s->entries += s->part[p]->rows.start[s->part[p]->rows.count] - s->part[p]->rows.start[0];
        SUSTAIN_TRY(check_part(s, s->part[p]));
    }
    SUSTAIN_TRY(count_from_zero(s));
    return SUSTAIN_OK;
}

sustain_status sustain__read_shards(sustain_context *context, const char *source, char *const *paths, int64_t count,
                                    const sustain_read_options *options, sustain__want want, sustain_dataset **out) {
    shards s = {.context = context, .source = source, .count = count};
    sustain_dataset *set = NULL;
    *out = NULL;
    SUSTAIN_TRY(sustain__allocate(context, (size_t)count * sizeof *s.part, &s.part));
    sustain_status status = read_parts(&s, paths, options, want);
    if (status == SUSTAIN_OK) status = sustain__dataset_create(context, source, &set);
    if (status == SUSTAIN_OK) status = join(&s, set);
    for (int64_t p = 0; p < count; p++) sustain_dataset_destroy(s.part[p]);
    sustain__free(context, s.part);
    if (status == SUSTAIN_OK)
        *out = set;
    else
        sustain_dataset_destroy(set);
    return status;
}
