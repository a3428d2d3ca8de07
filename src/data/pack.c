/* pack.c - writes data sets as safetensors files, rows as they come: see pack.h and
 * docs/formats.md.
 *
 *   8 bytes, the header with room to grow, up to a multiple of 4,096 bytes; features (or values), columns, start, labels, targets, trusted
 *
 * The header is written last, when all numbers are known, into the room that was left for it. */
#include <sustain/pack.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "core/sized.h"
#include "data/formats.h"
#include "data/labels.h"
#include "data/pack_text.h"
#include "data/table_internal.h"
#include "io/byte_order.h"
#include "io/file.h"
#include "io/json_text.h"
#include "io/safetensors.h"
#include "io/safetensors_header.h"

enum { PAGE = 4096, HEADER_ROOM = 1 << 20, COPIED = 1 << 20, MOST_WORDS = 10, MOST_TENSORS = 6 };
#define FORMAT "sustain data 1"

/* A list that grows. */
typedef struct growing {
    void *data;
    size_t count, room; /* elements */
} growing;

struct sustain_pack {
    sustain_context *context;
    const char *path;
    sustain_pack_fill fill;
    void *user;
    FILE *to, *columns; /* columns of sparse rows wait in a file of their own */
    sustain_status status;
    char error[512]; /* of that status: what is said when the file is given up must not replace it */
    bool begun;

    /* Of the first rows. */
    const char *dtype; /* "U8", "F16", "F32"; NULL: sparse */
    int64_t dim;
    float scale;
    sustain_picture picture;
    char *column_text, *table_text; /* for the header; NULL: none */
    bool labelled, marked;
    size_t header; /* bytes up to the features */

    int64_t rows, entries;
    bool from_zero;        /* a piece of LIBSVM text has an index 0 */
    growing start;         /* int64_t */
    growing label;         /* int32_t, a number of `names` */
    growing target;        /* float */
    growing trusted;       /* uint8_t */
    sustain__intern names; /* copies, which are freed in the end */
    bool classes, targets; /* all rows have them */
};

/* ---- memory ---- */

static sustain_status grow(sustain_pack *p, growing *list, size_t more, size_t size) {
    if (list->room - list->count >= more) return SUSTAIN_OK;
    size_t room = list->room < 1024 ? 1024 : list->room;
    while (room < list->count + more) room += room / 2;
    void *larger;
    SUSTAIN_TRY(sustain__allocate(p->context, sustain__multiply(room, size), &larger));
    if (list->count > 0) memcpy(larger, list->data, list->count * size);
    sustain__free(p->context, list->data);
    list->data = larger, list->room = room;
    return SUSTAIN_OK;
}

static sustain_status append(sustain_pack *p, growing *list, const void *from, size_t count, size_t size) {
    SUSTAIN_TRY(grow(p, list, count, size));
    memcpy((char *)list->data + list->count * size, from, count * size);
    list->count += count;
    return SUSTAIN_OK;
}

static sustain_status cannot_write(const sustain_pack *p) {
    return sustain__fail(p->context, SUSTAIN_WRITE, "cannot write %s: %s", p->path, strerror(errno));
}

/* In pieces, so that a cancelled call ends soon. */
static sustain_status write_numbers(const sustain_pack *p, FILE *to, const void *numbers, size_t count, size_t size) {
    const size_t some = COPIED / size;
    for (size_t at = 0; at < count; at += some) {
        SUSTAIN_TRY(sustain__cancelled(p->context));
        if (!sustain__write_little(to, (const char *)numbers + at * size, count - at < some ? count - at : some, size))
            return cannot_write(p);
    }
    return SUSTAIN_OK;
}

/* ---- the first rows ---- */

/* What all rows have in common. */
typedef struct kind {
    const char *dtype;
    int64_t dim;
    float scale;
    sustain_picture picture;
    bool labelled, marked;
} kind;

static sustain_status names_text(const sustain_pack *p, const char *const *names, int64_t count, char **text) {
    for (int64_t i = 0; i < count; i++)
        if (!sustain__is_utf8(names[i]))
            return sustain__fail(p->context, SUSTAIN_FORMAT, "%s: a name of a class or column is not UTF-8", p->path);
    SUSTAIN_TRY(sustain__allocate(p->context, sustain__names_write(names, count, NULL) + 1, text));
    sustain__names_write(names, count, *text);
    return SUSTAIN_OK;
}

static sustain_status begin(sustain_pack *p, const kind *k, const sustain_dataset *set) {
    p->begun = true;
    p->dtype = k->dtype, p->dim = k->dim, p->scale = k->scale, p->picture = k->picture, p->labelled = k->labelled, p->marked = k->marked;
    p->classes = p->targets = k->labelled;
    if (set != NULL && set->encoding != NULL)
        SUSTAIN_TRY(sustain_table_encoding_write(set->encoding, &p->table_text));
    else if (set != NULL && set->column_names != NULL)
        SUSTAIN_TRY(names_text(p, set->column_names, set->rows.dim, &p->column_text));
    const size_t texts = (p->column_text != NULL ? strlen(p->column_text) : 0) + (p->table_text != NULL ? strlen(p->table_text) : 0);
    p->header = (8 + HEADER_ROOM + 2 * texts + PAGE - 1) / PAGE * PAGE; /* twice: quotes are escaped */
    for (size_t i = 0; i < p->header; i++)
        if (fputc(' ', p->to) == EOF) return cannot_write(p);
    if (k->dtype != NULL) return SUSTAIN_OK;
    p->columns = tmpfile();
    const int64_t zero = 0;
    return p->columns != NULL ? append(p, &p->start, &zero, 1, sizeof zero)
                              : sustain__fail(p->context, SUSTAIN_WRITE, "cannot write a temporary file: %s", strerror(errno));
}

static sustain_status check(const sustain_pack *p, const kind *k, const char *source) {
    const char *now = k->dtype != NULL ? k->dtype : "sparse", *before = p->dtype != NULL ? p->dtype : "sparse";
    if (strcmp(now, before) != 0 || k->scale != p->scale)
        return sustain__fail(p->context, SUSTAIN_FORMAT, "%s has rows of the kind %s, those before it are %s: pack rows of one kind",
                             source, now, before);
    if (p->dtype != NULL && k->dim != p->dim)
        return sustain__fail(p->context, SUSTAIN_FORMAT, "%s has %lld columns, the rows before it have %lld", source, (long long)k->dim,
                             (long long)p->dim);
    if (k->labelled != p->labelled || k->marked != p->marked)
        return sustain__fail(p->context, SUSTAIN_FORMAT, "%s: all files that are packed together have labels and marks, or none has",
                             source);
    return SUSTAIN_OK;
}

static sustain_status agree(sustain_pack *p, const kind *k, const sustain_dataset *set, const char *source) {
    return p->begun ? check(p, k, source) : begin(p, k, set);
}

/* ---- labels ---- */

static sustain_status name_number(sustain_pack *p, const char *name, int32_t *number) {
    const size_t length = strlen(name);
    int64_t at = sustain__intern_find(&p->names, (sustain__field_text){name, name + length});
    char *copy;
    *number = (int32_t)at;
    if (at >= 0) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__copy_text(p->context, name, &copy));
    const sustain_status status = sustain__intern_add(&p->names, (sustain__field_text){copy, copy + length}, &at);
    if (status != SUSTAIN_OK) sustain__free(p->context, copy);
    *number = (int32_t)at;
    return status;
}

static sustain_status add_labels(sustain_pack *p, const sustain_dataset *set) {
    const size_t n = (size_t)set->rows.count;
    for (size_t i = 0; i < n; i++)
        if (set->rows.labels != NULL ? set->rows.labels[i] < 0 : set->rows.targets != NULL && isnan(set->rows.targets[i]))
            return sustain__fail(p->context, SUSTAIN_FORMAT, "%s: row %zu (from 0) has no label", set->source, i);
    p->classes = p->classes && set->rows.labels != NULL;
    p->targets = p->targets && set->rows.targets != NULL;
    if (set->trusted != NULL) SUSTAIN_TRY(append(p, &p->trusted, set->trusted, n, 1));
    if (set->rows.targets != NULL) SUSTAIN_TRY(append(p, &p->target, set->rows.targets, n, sizeof(float)));
    if (set->rows.labels == NULL) return SUSTAIN_OK;
    int32_t *number;
    SUSTAIN_TRY(sustain__allocate(p->context, (size_t)set->classes * sizeof *number, &number));
    sustain_status status = grow(p, &p->label, n, sizeof *number);
    for (int64_t k = 0; k < set->classes && status == SUSTAIN_OK; k++) status = name_number(p, set->class_names[k], &number[k]);
    for (size_t i = 0; i < n && status == SUSTAIN_OK; i++) ((int32_t *)p->label.data)[p->label.count++] = number[set->rows.labels[i]];
    sustain__free(p->context, number);
    return status;
}

/* ---- rows ---- */

static sustain_status add_sparse(sustain_pack *p, const sustain_dataset *set) {
    const sustain_rows *r = &set->rows;
    const int64_t first = r->start[0];
    const size_t entries = (size_t)(r->start[r->count] - first);
    /* A piece that shows no index 0 was taken to count from 1: columns are written as indices. */
    const int32_t shift = set->memory->from_zero ? 0 : 1;
    if (shift == 0) p->from_zero = true;
    SUSTAIN_TRY(write_numbers(p, p->to, r->values + first, entries, sizeof *r->values));
    for (size_t k = 0; k < entries; k++) {
        const int32_t index = r->columns[(size_t)first + k] + shift;
        if (fwrite(&index, sizeof index, 1, p->columns) != 1) return cannot_write(p);
    }
    for (int64_t i = 1; i <= r->count; i++) {
        const int64_t end = p->entries + r->start[i] - first;
        SUSTAIN_TRY(append(p, &p->start, &end, 1, sizeof end));
    }
    p->entries += (int64_t)entries;
    const int64_t largest = r->dim - 1 + shift; /* index */
    if (largest + 1 > p->dim) p->dim = largest + 1;
    return SUSTAIN_OK;
}

static sustain_status add_set(sustain_pack *p, const sustain_dataset *set) {
    const sustain_rows *r = &set->rows;
    if (r->count < 1 || r->dim < 1) return sustain__fail(p->context, SUSTAIN_FORMAT, "%s: it has no features", set->source);
    const char *const dtype = r->start != NULL ? NULL : r->bytes != NULL ? "U8" : r->halves != NULL ? "F16" : "F32";
    const void *const numbers = r->bytes != NULL ? (const void *)r->bytes : r->halves != NULL ? (const void *)r->halves : r->values;
    const kind k = {.dtype = dtype,
                    .dim = r->start != NULL ? 0 : r->dim,
                    .scale = r->bytes != NULL ? r->byte_scale : 0,
                    .picture = set->picture,
                    .labelled = r->labels != NULL || r->targets != NULL,
                    .marked = set->trusted != NULL};
    SUSTAIN_TRY(agree(p, &k, set, set->source));
    if (r->start != NULL)
        SUSTAIN_TRY(add_sparse(p, set));
    else
        SUSTAIN_TRY(write_numbers(p, p->to, numbers, (size_t)(r->count * r->dim), sustain__dtype_size(dtype)));
    p->rows += r->count;
    return add_labels(p, set);
}

sustain_status sustain_pack_add(sustain_pack *pack, const sustain_dataset *set) {
    if (pack == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(pack->context, set, "set"));
    return add_set(pack, set);
}

sustain_status sustain_pack_add_picture(sustain_pack *p, sustain_picture shape, const uint8_t *pixels, const char *label) {
    if (p == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(p->context, pixels, "pixels"));
    const int64_t most = (int64_t)1 << 20; /* of each, so that the product fits */
    if (shape.height < 1 || shape.width < 1 || shape.channels < 1 || shape.height > most || shape.width > most || shape.channels > 4)
        return sustain__fail(p->context, SUSTAIN_ARGUMENT, "a picture must have a height, a width and 1 to 4 channels");
    const kind k = {.dtype = "U8",
                    .dim = shape.height * shape.width * shape.channels,
                    .scale = 1.0f / 255,
                    .picture = shape,
                    .labelled = label != NULL};
    int32_t number;
    SUSTAIN_TRY(agree(p, &k, NULL, "a picture"));
    SUSTAIN_TRY(write_numbers(p, p->to, pixels, (size_t)k.dim, 1));
    p->rows++;
    p->targets = false;
    if (label == NULL) return SUSTAIN_OK;
    SUSTAIN_TRY(name_number(p, label, &number));
    return append(p, &p->label, &number, 1, sizeof number);
}

/* ---- files ---- */

static sustain_status add_bytes(sustain_pack *p, const char *path, const sustain__bytes *bytes, const sustain_read_options *options) {
    sustain_dataset *set = NULL;
    sustain_status status = SUSTAIN_OK;
    if (sustain__is_text(bytes->data, bytes->length)) {
        SUSTAIN_TRY(sustain__dataset_create(p->context, path, &set));
        const sustain__input whole = {.context = p->context, .bytes = bytes->data, .length = bytes->length, .options = options, .set = set};
        status = sustain__pack_text_memory(&whole);
        const bool pieces = bytes->length > SUSTAIN__PIECE;
        if (status == SUSTAIN_OK && pieces) status = sustain__pack_text(p, &whole, SUSTAIN__PIECE);
        sustain_dataset_destroy(set);
        set = NULL;
        if (status != SUSTAIN_OK || pieces) return status;
    }
    status = sustain_dataset_read(p->context, path, options, &set);
    if (status == SUSTAIN_OK) status = add_set(p, set);
    sustain_dataset_destroy(set);
    return status;
}

sustain_status sustain_pack_add_file(sustain_pack *p, const char *path, const sustain_read_options *options) {
    if (p == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(p->context, path, "path"));
    sustain__bytes bytes;
    sustain_read_options given = {.size = 0};
    if (options != NULL)
        SUSTAIN_TRY(sustain__sized_take(p->context, "the options of the reader", options,
                                        SUSTAIN__SIZE_THROUGH(sustain_read_options, encoding), &given, sizeof given));
    given.missing_labels = false; /* every row that is packed has a label */
    given.keep_half = true;
    given.size = sizeof given; /* keep_half is not among the first fields */
    SUSTAIN_TRY(sustain__bytes_read(p->context, path, &bytes));
    sustain__log(p->context, "pack: %s", path);
    const sustain_status status = add_bytes(p, path, &bytes, &given);
    sustain__bytes_free(p->context, &bytes);
    return status;
}

/* ---- the end ---- */

/* Indices become columns: from 0 on, or from 1. */
static sustain_status move_columns(sustain_pack *p) {
    enum { SOME = 1 << 16 };
    int32_t *some;
    size_t got;
    const int32_t shift = p->from_zero ? 0 : 1;
    SUSTAIN_TRY(sustain__allocate(p->context, SOME * sizeof *some, &some));
    rewind(p->columns);
    sustain_status status = SUSTAIN_OK;
    while (status == SUSTAIN_OK && (got = fread(some, sizeof *some, SOME, p->columns)) > 0) {
        for (size_t k = 0; k < got; k++) some[k] -= shift;
        status = write_numbers(p, p->to, some, got, sizeof *some);
    }
    if (status == SUSTAIN_OK && ferror(p->columns)) status = cannot_write(p);
    sustain__free(p->context, some);
    p->dim -= shift;
    return status;
}

/* Classes are numbered as in one file: labels are read again, by name. */
static sustain_status number_classes(sustain_pack *p, sustain_dataset *set) {
    sustain__labels *all;
    SUSTAIN_TRY(sustain__labels_create(p->context, p->rows, &all));
    sustain_status status = SUSTAIN_OK;
    for (int64_t i = 0; i < p->rows && status == SUSTAIN_OK; i++) {
        const sustain__field_text name = p->names.known[((const int32_t *)p->label.data)[i]];
        status = sustain__labels_add_text(all, name.at, (size_t)(name.end - name.at));
    }
    if (status == SUSTAIN_OK) status = sustain__labels_store(all, p->path, set);
    sustain__labels_destroy(all);
    return status;
}

typedef struct ending {
    sustain__word word[MOST_WORDS];
    sustain__tensor tensor[MOST_TENSORS];
    int words, tensors;
    int64_t shape[3];
    char picture[128], scale[32], dim[32], count[32];
    char *classes;
} ending;

static void say(ending *e, const char *name, const char *value) {
    e->word[e->words++] = (sustain__word){name, value};
}

static sustain_status put(const sustain_pack *p, ending *e, const char *name, const char *dtype, int64_t count, const void *data) {
    e->tensor[e->tensors++] = (sustain__tensor){.name = name, .dtype = dtype, .count = count};
    return data != NULL ? write_numbers(p, p->to, data, (size_t)count, sustain__dtype_size(dtype)) : SUSTAIN_OK;
}

static sustain_status write_labels(sustain_pack *p, ending *e, sustain_dataset *set) {
    if (p->labelled && !p->classes && !p->targets)
        return sustain__fail(p->context, SUSTAIN_FORMAT, "%s: some labels are numbers with fractions, others are words", p->path);
    if (p->labelled && p->classes) {
        SUSTAIN_TRY(number_classes(p, set));
        SUSTAIN_TRY(names_text(p, set->class_names, set->classes, &e->classes));
        snprintf(e->count, sizeof e->count, "%lld", (long long)set->classes);
        say(e, "classes", e->classes);
        say(e, "class_count", e->count);
        SUSTAIN_TRY(put(p, e, "labels", "I32", p->rows, set->rows.labels));
    } else if (p->labelled) {
        SUSTAIN_TRY(put(p, e, "targets", "F32", p->rows, p->target.data));
    }
    return p->marked ? put(p, e, "trusted", "U8", p->rows, p->trusted.data) : SUSTAIN_OK;
}

static sustain_status write_rows(sustain_pack *p, ending *e) {
    say(e, "format", FORMAT);
    if (p->dtype != NULL) {
        e->shape[0] = p->rows, e->shape[1] = p->dim;
        SUSTAIN_TRY(put(p, e, "features", p->dtype, p->rows * p->dim, NULL));
        e->tensor[0].shape = e->shape;
    } else {
        SUSTAIN_TRY(put(p, e, "values", "F32", p->entries, NULL));
        SUSTAIN_TRY(move_columns(p));
        SUSTAIN_TRY(put(p, e, "columns", "I32", p->entries, NULL));
        SUSTAIN_TRY(put(p, e, "start", "I64", p->rows + 1, p->start.data));
        snprintf(e->dim, sizeof e->dim, "%lld", (long long)p->dim);
        say(e, "dim", e->dim);
        if (p->from_zero) say(e, "from_zero", "1");
    }
    if (p->scale > 0) {
        sustain__decimal_write((double)p->scale, 9, e->scale, sizeof e->scale);
        say(e, "scale", e->scale);
    }
    if (p->picture.height > 0) {
        snprintf(e->picture, sizeof e->picture, "%lld %lld %lld %d", (long long)p->picture.height, (long long)p->picture.width,
                 (long long)p->picture.channels, p->picture.interleaved);
        say(e, "picture", e->picture);
    }
    if (p->column_text != NULL) say(e, "columns", p->column_text);
    if (p->table_text != NULL) say(e, "table", p->table_text);
    return SUSTAIN_OK;
}

static sustain_status write_header(const sustain_pack *p, const ending *e) {
    const size_t length = sustain__header_write(e->word, e->words, e->tensor, e->tensors, NULL);
    const uint64_t room = p->header - 8;
    char *text;
    unsigned char size[8];
    if (length > room) return sustain__fail(p->context, SUSTAIN_FORMAT, "%s: the names of its classes are too long", p->path);
    SUSTAIN_TRY(sustain__allocate(p->context, length, &text));
    sustain__header_write(e->word, e->words, e->tensor, e->tensors, text);
    for (int i = 0; i < 8; i++) size[i] = (unsigned char)(room >> (8 * i));
    const bool good = fseek(p->to, 0, SEEK_SET) == 0 && fwrite(size, 1, 8, p->to) == 8 && fwrite(text, 1, length, p->to) == length;
    sustain__free(p->context, text);
    return good ? SUSTAIN_OK : cannot_write(p);
}

static sustain_status finish(sustain_pack *p) {
    if (p->rows == 0) return sustain__fail(p->context, SUSTAIN_FORMAT, "%s: there are no rows to write", p->path);
    ending e = {.words = 0};
    sustain_dataset *set;
    SUSTAIN_TRY(sustain__dataset_create(p->context, p->path, &set));
    sustain_status status = write_rows(p, &e);
    if (status == SUSTAIN_OK) status = write_labels(p, &e, set);
    if (status == SUSTAIN_OK) status = write_header(p, &e);
    sustain__free(p->context, e.classes);
    sustain_dataset_destroy(set);
    return status;
}

static bool write_all(FILE *to, const void *user) {
    sustain_pack *p = (sustain_pack *)(uintptr_t)user;
    p->to = to;
    p->status = p->fill(p->user, p);
    if (p->status == SUSTAIN_OK) p->status = finish(p);
    if (p->status != SUSTAIN_OK) snprintf(p->error, sizeof p->error, "%s", sustain_error(p->context));
    return p->status == SUSTAIN_OK;
}

sustain_status sustain_pack_write(sustain_context *context, const char *path, sustain_pack_fill fill, void *user, int64_t *rows) {
    if (rows != NULL) *rows = 0;
    SUSTAIN_TRY(sustain__need(context, path, "path"));
    if (fill == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "the argument `fill` is NULL");
    sustain_pack p = {.context = context, .path = path, .fill = fill, .user = user, .names = {.context = context}};
    sustain_status status = sustain__file_replace(context, path, write_all, &p);
    if (p.status != SUSTAIN_OK) status = sustain__fail(context, p.status, "%s", p.error);
    if (p.columns != NULL) fclose(p.columns);
    for (int64_t i = 0; i < p.names.count; i++) sustain__free(context, (char *)(uintptr_t)p.names.known[i].at);
    sustain__intern_free(&p.names);
    void *const owned[] = {p.column_text, p.start.data, p.label.data, p.target.data, p.trusted.data};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) sustain__free(context, owned[i]);
    free(p.table_text);
    if (status == SUSTAIN_OK && rows != NULL) *rows = p.rows;
    return status;
}
