/* probabilities.c - class probabilities from files, checked: NPY is mapped and converted row by
 * row, NPZ and CSV are read as floats. */
#include <math.h>
#include <string.h>

#include "core/half.h"
#include "core/cancel.h"
#include "data/probabilities_internal.h"
#include "io/byte_order.h"
#include "io/folder.h"

enum { CHUNK = 4096 }; /* rows checked by one parallel task */
#define SUM_ERROR 0.02
#define SUM_ERROR_FLOAT16 0.05

static void softmax(int64_t n, float *p) {
    float most = p[0], sum = 0;
    for (int64_t k = 1; k < n; k++)
        if (p[k] > most) most = p[k];
    for (int64_t k = 0; k < n; k++) sum += p[k] = expf(p[k] - most);
    for (int64_t k = 0; k < n; k++) p[k] /= sum;
}

static void convert(const sustain_probabilities *p, int64_t i, float *out) {
    const int64_t n = p->classes, first = p->by_column ? i : i * n, step = p->by_column ? p->count : 1;
    if (p->type == SUSTAIN_FLOAT32) {
        const float *row = (const float *)p->values + first;
        for (int64_t k = 0; k < n; k++) out[k] = row[k * step];
    } else if (p->type == SUSTAIN_FLOAT64) {
        const double *row = (const double *)p->values + first;
        for (int64_t k = 0; k < n; k++) out[k] = (float)row[k * step];
    } else {
        const uint16_t *row = (const uint16_t *)p->values + first;
        for (int64_t k = 0; k < n; k++) out[k] = sustain__from_half(row[k * step]);
    }
}

void sustain_probabilities_row(const sustain_probabilities *p, int64_t i, float *out) {
    if (p == NULL || out == NULL || i < 0 || i >= p->count) return;
    convert(p, i, out);
    if (p->logits) softmax(p->classes, out);
}

/* ---- checks ---- */

typedef enum fault { FAULT_NONE, FAULT_NOT_FINITE, FAULT_NEGATIVE, FAULT_SUM } fault;

/* The first error of each chunk. */
typedef struct checking {
    const sustain_probabilities *p;
    float *row;  /* (chunks at once, classes) */
    fault *kind; /* (chunks at once) */
    int64_t *place;
    double *sum;
    int64_t first; /* chunk */
} checking;

static fault row_fault(const sustain_probabilities *p, const float *row, double *sum) {
    *sum = 0;
    bool negative = false;
    for (int64_t k = 0; k < p->classes; k++) {
        if (!isfinite(row[k])) return FAULT_NOT_FINITE;
        negative = negative || row[k] < 0;
        *sum += (double)row[k];
    }
    if (p->logits) return FAULT_NONE;
    if (negative) return FAULT_NEGATIVE;
    return fabs(*sum - 1) <= (p->type == SUSTAIN_FLOAT16 ? SUM_ERROR_FLOAT16 : SUM_ERROR) ? FAULT_NONE : FAULT_SUM;
}

static void check_chunk(void *user, int64_t number) {
    const checking *c = user;
    const int64_t begin = (c->first + number) * CHUNK, end = begin + CHUNK < c->p->count ? begin + CHUNK : c->p->count;
    float *row = c->row + number * c->p->classes;
    c->kind[number] = FAULT_NONE;
    for (int64_t i = begin; i < end && c->kind[number] == FAULT_NONE; i++) {
        convert(c->p, i, row);
        c->kind[number] = row_fault(c->p, row, &c->sum[number]);
        c->place[number] = i;
    }
}

static sustain_status refuse(sustain_context *context, const sustain_probabilities *p, fault kind, int64_t row, double sum) {
    const char *source = p->source != NULL ? p->source : "the probabilities";
    if (kind == FAULT_NOT_FINITE)
        return sustain__fail(context, SUSTAIN_FORMAT,
                             "%s: row %lld (from 0) has a number that is not finite: compute its probabilities again", source,
                             (long long)row);
    if (kind == FAULT_NEGATIVE)
        return sustain__fail(context, SUSTAIN_FORMAT,
                             "%s: row %lld (from 0) has a negative number: these look like logits, not probabilities; take their softmax",
                             source, (long long)row);
    if (p->classes > p->count)
        return sustain__fail(
            context, SUSTAIN_FORMAT,
            "%s: its shape is %lld x %lld and row %lld (from 0) sums to %.4g, not to 1: if classes come first, transpose it (p.T)", source,
            (long long)p->count, (long long)p->classes, (long long)row, sum);
    return sustain__fail(
        context, SUSTAIN_FORMAT,
        "%s: the probabilities of row %lld (from 0) sum to %.4g, not to 1: divide each row by its sum, or take the softmax of logits",
        source, (long long)row, sum);
}

sustain_status sustain_probabilities_check(sustain_context *context, const sustain_probabilities *p) {
    enum { AT_ONCE = 16 };
    if (context == NULL) return SUSTAIN_ARGUMENT;
    if (p == NULL || p->values == NULL || p->count < 1 || p->classes < 2)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "there are no probabilities: at least one row and two classes are needed");
    const int64_t chunks = (p->count + CHUNK - 1) / CHUNK;
    fault kind[AT_ONCE];
    int64_t place[AT_ONCE];
    double sum[AT_ONCE];
    checking c = {.p = p, .kind = kind, .place = place, .sum = sum};
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)p->classes, AT_ONCE * sizeof *c.row), &c.row));
    sustain_status status = SUSTAIN_OK;
    for (; c.first < chunks && status == SUSTAIN_OK; c.first += AT_ONCE) {
        const int64_t some = chunks - c.first < AT_ONCE ? chunks - c.first : AT_ONCE;
        status = sustain__parallel_until(context, some, check_chunk, &c);
        for (int64_t k = 0; k < some && status == SUSTAIN_OK; k++)
            if (kind[k] != FAULT_NONE) status = refuse(context, p, kind[k], place[k], sum[k]);
    }
    sustain__free(context, c.row);
    return status;
}

/* ---- files ---- */

static sustain_status take_array(sustain_context *context, const char *path, const sustain__bytes *file, sustain_probabilities *p) {
    sustain__array array;
    char shape[96];
    if (!sustain__is_npy(file->data, file->length))
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: parts of one array of probabilities must be NPY files: np.save('p-0.npy', p)",
                             path);
    SUSTAIN_TRY(sustain__npy_array(context, path, file->data, file->length, &array));
    sustain__array_shape_text(&array, shape);
    if (array.axes != 2)
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: its shape is %s: probabilities have two axes, rows and classes", path, shape);
    if (array.kind != 'f' || array.big != sustain__host_is_big())
        return sustain__fail(context, SUSTAIN_FORMAT,
                             "%s: probabilities are float16, float32 or float64, little endian: convert them with p.astype('<f4')", path);
    p->count = array.shape[0];
    p->classes = array.shape[1];
    p->values = array.data;
    p->by_column = array.column;
    p->type = array.size == 2 ? SUSTAIN_FLOAT16 : array.size == 4 ? SUSTAIN_FLOAT32 : SUSTAIN_FLOAT64;
    if ((uintptr_t)array.data % (uintptr_t)array.size != 0)
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: its numbers are not aligned: save it again with np.save", path);
    return SUSTAIN_OK;
}

/* The rows of file number `i`: its piece, with the file, which is freed by the caller. */
static sustain_status take_piece(sustain_context *context, const sustain__folder *files, int64_t i, sustain_probabilities *p,
                                 sustain__bytes *file, sustain__piece *piece) {
    static const size_t sizes[] = {[SUSTAIN_FLOAT16] = 2, [SUSTAIN_FLOAT32] = 4, [SUSTAIN_FLOAT64] = 8};
    const char *path = files->names[i];
    sustain_probabilities one = {.count = 0};
    SUSTAIN_TRY(sustain__bytes_read(context, path, file));
    SUSTAIN_TRY(take_array(context, path, file, &one));
    if (i == 0) p->classes = one.classes, p->type = one.type;
    if (one.classes != p->classes || one.type != p->type || one.by_column)
        return sustain__fail(context, SUSTAIN_FORMAT,
                             "%s: parts of one array of probabilities have as many columns and one type, in C order; %s is the first part",
                             path, files->names[0]);
    p->count += one.count;
    *piece = (sustain__piece){.path = path,
                              .data = one.values,
                              .begin = (size_t)((const unsigned char *)one.values - file->data),
                              .length = (size_t)(one.count * one.classes) * sizes[one.type]};
    return SUSTAIN_OK;
}

static sustain_status read_parts(sustain_context *context, const sustain__folder *files, sustain_probabilities *p) {
    const size_t n = (size_t)files->count;
    sustain__piece *pieces;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(n, sizeof *pieces + sizeof(sustain__bytes)), &pieces));
    sustain__bytes *file = (sustain__bytes *)(pieces + n);
    sustain_status status = SUSTAIN_OK;
    for (int64_t i = 0; i < files->count && status == SUSTAIN_OK; i++) status = take_piece(context, files, i, p, &file[i], &pieces[i]);
    if (status == SUSTAIN_OK) status = sustain__bytes_join(context, pieces, files->count, &p->memory->file);
    if (status == SUSTAIN_OK) p->values = p->memory->file.data;
    for (int64_t i = 0; i < files->count; i++) sustain__bytes_free(context, &file[i]);
    sustain__free(context, pieces);
    return status;
}

/* An array of an NPZ file, FILE or FILE:NAME. */
static sustain_status read_npz(sustain_context *context, const char *path, sustain_probabilities *p) {
    const sustain_read_options none = {.size = sizeof none};
    SUSTAIN_TRY(sustain__read_one(context, path, &none, SUSTAIN__WANT_ALL, &p->memory->set));
    const sustain_rows *rows = &p->memory->set->rows;
    if (rows->values == NULL || rows->start != NULL)
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: probabilities are an array of two axes, rows and classes, of floats", path);
    p->count = rows->count;
    p->classes = rows->dim;
    p->values = rows->values;
    p->type = SUSTAIN_FLOAT32;
    return SUSTAIN_OK;
}

static sustain_status read_one(sustain_context *context, const char *path, sustain_probabilities *p) {
    sustain__bytes *file = &p->memory->file;
    char *name;
    SUSTAIN_TRY(sustain__allocate(context, strlen(path) + 1, &name));
    const bool member = sustain__split_path(path, name) != NULL;
    const sustain_status status = sustain__read_bytes(context, name, file);
    sustain__free(context, name);
    if (status != SUSTAIN_OK) return status;
    if (member || sustain__is_npz(file->data, file->length)) {
        sustain__bytes_free(context, file);
        return read_npz(context, path, p);
    }
    if (sustain__is_npy(file->data, file->length)) return take_array(context, path, file, p);
    const char *foreign = sustain__foreign_format(file->data, file->length);
    if (foreign != NULL) return sustain__fail(context, SUSTAIN_FORMAT, "%s: %s", path, foreign);
    if (!sustain__is_text(file->data, file->length))
        return sustain__fail(context, SUSTAIN_FORMAT,
                             "%s: it is not an NPY, NPZ or CSV file; write the probabilities as one: np.save('p.npy', p), where p is "
                             "torch.load('p.pt').cpu().numpy()",
                             path);
    SUSTAIN_TRY(sustain__probabilities_csv(context, path, file, p));
    sustain__bytes_free(context, file);
    return SUSTAIN_OK;
}

/* One file, or the rows of several. */
static sustain_status read_files(sustain_context *context, const char *path, sustain_probabilities *p) {
    sustain__folder files;
    SUSTAIN_TRY(sustain__paths_named(context, path, &files));
    const sustain_status status = files.count == 1 ? read_one(context, files.names[0], p) : read_parts(context, &files, p);
    sustain__folder_free(context, &files);
    return status;
}

static sustain_status create(sustain_context *context, const char *source, sustain_probabilities **out) {
    sustain_probabilities *p;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *p + sizeof *p->memory, &p));
    p->memory = (struct sustain_probabilities_memory *)(void *)(p + 1);
    p->memory->context = context;
    const sustain_status status = sustain__copy_text(context, source, &p->memory->source);
    p->source = p->memory->source;
    *out = p;
    return status;
}

/* *out is `p`, or NULL where it could not be filled. */
static sustain_status finish(sustain_status status, sustain_probabilities *p, sustain_probabilities **out) {
    if (status == SUSTAIN_OK)
        *out = p;
    else
        sustain_probabilities_destroy(p);
    return status;
}

sustain_status sustain_probabilities_read(sustain_context *context, const char *path, bool logits, sustain_probabilities **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    if (path == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "the path of the probabilities is NULL");
    sustain_probabilities *p = NULL;
    sustain_status status = create(context, path, &p);
    if (status == SUSTAIN_OK) {
        p->logits = logits;
        status = read_files(context, path, p);
    }
    if (status == SUSTAIN_OK) status = sustain_probabilities_check(context, p);
    return finish(status, p, out);
}

static sustain_status take_rows(sustain_context *context, const sustain_probabilities *from, const int64_t *index,
                                sustain_probabilities *p) {
    struct sustain_probabilities_memory *m = p->memory;
    const size_t row = sustain__multiply((size_t)p->classes, sizeof *m->values);
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)p->count, row), &m->values));
    p->values = m->values;
    for (int64_t i = 0; i < p->count; i++) sustain_probabilities_row(from, index[i], m->values + i * p->classes);
    if (sustain_probabilities_name(from, 0) == NULL) return SUSTAIN_OK;
    return sustain__copy_names(context, (const char *const *)from->memory->names, NULL, p->classes, &m->names);
}

sustain_status sustain_probabilities_subset(sustain_context *context, const sustain_probabilities *from, const int64_t *index,
                                            int64_t count, sustain_probabilities **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    SUSTAIN_TRY(sustain__need(context, from, "probabilities"));
    SUSTAIN_TRY(sustain__need(context, index, "index"));
    for (int64_t i = 0; i < count; i++)
        if (index[i] < 0 || index[i] >= from->count)
            return sustain__fail(context, SUSTAIN_ARGUMENT, "there are %lld rows of probabilities: there is no row %lld (from 0)",
                                 (long long)from->count, (long long)index[i]);
    if (count < 1) return sustain__fail(context, SUSTAIN_ARGUMENT, "no row of the probabilities is wanted");
    sustain_probabilities *p = NULL;
    sustain_status status = create(context, from->source != NULL ? from->source : "", &p);
    if (status == SUSTAIN_OK) {
        p->count = count;
        p->classes = from->classes;
        p->type = SUSTAIN_FLOAT32;
        if (from->source == NULL) p->source = NULL;
        status = take_rows(context, from, index, p);
    }
    return finish(status, p, out);
}

const char *sustain_probabilities_name(const sustain_probabilities *p, int64_t k) {
    const bool named = p != NULL && p->memory != NULL && p->memory->names != NULL;
    return named && k >= 0 && k < p->classes ? p->memory->names[k] : NULL;
}

void sustain_probabilities_destroy(sustain_probabilities *p) {
    if (p == NULL || p->memory == NULL) return;
    sustain_context *context = p->memory->context;
    sustain__bytes_free(context, &p->memory->file);
    sustain_dataset_destroy(p->memory->set);
    sustain__free(context, p->memory->values);
    sustain__free(context, p->memory->names);
    sustain__free(context, p->memory->source);
    sustain__free(context, p);
}
