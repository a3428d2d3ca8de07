/* packed.c - reads data sets in safetensors files, as pack.c writes them and as others may: see
 * docs/formats.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "data/formats.h"
#include "data/labels.h"
#include "data/number.h"
#include "io/byte_order.h"
#include "io/safetensors.h"
#include "io/safetensors_header.h"

bool sustain__is_safetensors(const unsigned char *bytes, size_t length) {
    uint64_t header = 0;
    if (length < 10) return false;
    for (int i = 0; i < 8; i++) header |= (uint64_t)bytes[i] << (8 * i);
    return header >= 2 && header <= 100 << 20 && bytes[8] == '{' && bytes[9] == '"'; /* it may be cut off */
}

static sustain_status damaged(const sustain__input *input, const char *what) {
    return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: %s: damaged, or not a data set that 'sustain data pack' wrote",
                         input->set->source, what);
}

static sustain_status as_array(const sustain__input *input, const sustain__tensor *t, sustain__array *out) {
    static const struct {
        const char *dtype;
        char kind;
    } kinds[] = {{"F16", 'f'}, {"F32", 'f'}, {"F64", 'f'}, {"U8", 'u'}, {"BOOL", 'b'}, {"I32", 'i'}, {"I64", 'i'}, {"U32", 'u'}};
    *out = (sustain__array){.data = t->data, .size = (int)sustain__dtype_size(t->dtype), .big = sustain__host_is_big()};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].dtype, t->dtype) == 0) out->kind = kinds[i].kind;
    for (const int64_t *side = t->shape; *side != 0; side++) {
        if (out->axes == SUSTAIN__MOST_AXES) return damaged(input, "a tensor has more than 4 axes");
        out->shape[out->axes++] = *side;
    }
    if (out->kind == 0 || out->axes == 0 || sustain__array_count(out) != t->count) return damaged(input, "a tensor has no numbers");
    return SUSTAIN_OK;
}

/* `count` names out of the metadata, as one block. */
static sustain_status copy_names(const sustain__input *input, const char *text, int64_t count, char ***out) {
    const char **names;
    char *copy;
    SUSTAIN_TRY(sustain__copy_text(input->context, text, &copy));
    sustain_status status = sustain__allocate(input->context, sustain__multiply((size_t)count, sizeof *names), &names);
    if (status == SUSTAIN_OK && !sustain__names_read(copy, count, names))
        status = damaged(input, "its names are not a list of texts, one for each class or column");
    if (status == SUSTAIN_OK) status = sustain__copy_names(input->context, names, NULL, count, out);
    sustain__free(input->context, names);
    sustain__free(input->context, copy);
    return status;
}

/* ---- features ---- */

/* Numbers of another byte order are not in the file itself. */
static sustain_status own_dense(sustain__input *input) {
    sustain_rows *r = &input->set->rows;
    struct sustain_dataset_memory *m = input->set->memory;
    const size_t count = sustain__multiply((size_t)r->count, (size_t)r->dim);
    if (!input->in_place || !sustain__host_is_big()) return SUSTAIN_OK;
    input->in_place = false;
    if (r->bytes != NULL) {
        SUSTAIN_TRY(sustain__allocate(input->context, count, &m->bytes));
        memcpy(m->bytes, r->bytes, count);
        r->bytes = m->bytes;
        return SUSTAIN_OK;
    }
    SUSTAIN_TRY(sustain__allocate(input->context, sustain__multiply(count, sizeof *m->values), &m->values));
    memcpy(m->values, r->values, count * sizeof *m->values);
    r->values = m->values;
    return SUSTAIN_OK;
}

static sustain_status take_dense(sustain__input *input, const sustain__safetensors *file, const sustain__tensor *t) {
    const char *scale = sustain__safetensors_word(file, "scale");
    const bool pictures = sustain__safetensors_word(file, "picture") != NULL;
    double value = 0;
    sustain__array array;
    SUSTAIN_TRY(as_array(input, t, &array));
    SUSTAIN_TRY(
        sustain__array_features(&array, input->set, input->options->keep_half && !pictures && !sustain__host_is_big(), &input->in_place));
    SUSTAIN_TRY(own_dense(input));
    if (scale == NULL || input->set->rows.bytes == NULL) return SUSTAIN_OK;
    if (!sustain__decimal_read(scale, &value) || !(value > 0 && value <= 1)) return damaged(input, "the scale of its bytes is no number");
    input->set->rows.byte_scale = (float)value;
    return SUSTAIN_OK;
}

static sustain_status check_sparse(const sustain__input *input, int64_t entries) {
    const sustain_rows *r = &input->set->rows;
    if (r->start[0] != 0 || r->start[r->count] != entries) return damaged(input, "its starts of rows do not fit its values");
    for (int64_t i = 0; i < r->count; i++) {
        if (r->start[i] > r->start[i + 1] || r->start[i + 1] > entries) return damaged(input, "its starts of rows do not fit its values");
        for (int64_t k = r->start[i]; k < r->start[i + 1]; k++)
            if (r->columns[k] < 0 || r->columns[k] >= r->dim || (k > r->start[i] && r->columns[k] <= r->columns[k - 1]) ||
                !isfinite(r->values[k]) || r->values[k] == 0)
                return damaged(input, "a sparse row has a column out of order or range, or a value that is 0 or not finite");
    }
    return SUSTAIN_OK;
}

static sustain_status copy_tensor(const sustain__input *input, const sustain__tensor *t, const char *dtype, void *out) {
    void *copy;
    const size_t bytes = sustain__multiply((size_t)t->count, sustain__dtype_size(dtype));
    if (strcmp(t->dtype, dtype) != 0) return damaged(input, "a tensor has numbers of another type");
    SUSTAIN_TRY(sustain__allocate(input->context, bytes, &copy));
    memcpy(copy, t->data, bytes);
    memcpy(out, &copy, sizeof copy);
    return SUSTAIN_OK;
}

/* *place <- the numbers as they are in the file, or *own <- a copy of them, where those of this
 * machine have another byte order or an alignment that they do not have. */
static sustain_status take_tensor(sustain__input *input, const sustain__tensor *t, const char *dtype, void *place, void *own) {
    const void *data = t->data;
    if (sustain__host_is_big() || (uintptr_t)data % sustain__dtype_size(dtype) != 0 || strcmp(t->dtype, dtype) != 0)
        return copy_tensor(input, t, dtype, own);
    memcpy(place, &data, sizeof data);
    input->in_place = true;
    return SUSTAIN_OK;
}

static sustain_status take_sparse(sustain__input *input, const sustain__safetensors *file) {
    struct sustain_dataset_memory *m = input->set->memory;
    sustain__tensor values, columns, start;
    const char *dim = sustain__safetensors_word(file, "dim");
    double wide = 0;
    if (!sustain__safetensors_find(file, "values", &values) || !sustain__safetensors_find(file, "columns", &columns) ||
        !sustain__safetensors_find(file, "start", &start) || dim == NULL)
        return damaged(input, "it has neither 'features' nor 'values', 'columns' and 'start'");
    if (start.count < 2 || values.count != columns.count || !sustain__decimal_read(dim, &wide) || !(wide >= 1 && wide <= INT32_MAX) ||
        wide != floor(wide))
        return damaged(input, "its sparse rows do not fit together");
    sustain_rows *rows = &input->set->rows;
    SUSTAIN_TRY(take_tensor(input, &values, "F32", &rows->values, &m->values));
    SUSTAIN_TRY(take_tensor(input, &columns, "I32", &rows->columns, &m->columns));
    SUSTAIN_TRY(take_tensor(input, &start, "I64", &rows->start, &m->start));
    input->set->rows.count = start.count - 1;
    input->set->rows.dim = (int64_t)wide;
    m->from_zero = sustain__safetensors_word(file, "from_zero") != NULL;
    sustain__dataset_publish(input->set);
    return check_sparse(input, values.count);
}

static sustain_status take_columns(const sustain__input *input, const sustain__safetensors *file) {
    sustain_dataset *set = input->set;
    const char *columns = sustain__safetensors_word(file, "columns"), *table = sustain__safetensors_word(file, "table");
    const char *picture = sustain__safetensors_word(file, "picture");
    long long h, w, c;
    int interleaved;
    if (columns != NULL) SUSTAIN_TRY(copy_names(input, columns, set->rows.dim, &set->memory->column_names));
    if (table != NULL) {
        SUSTAIN_TRY(sustain_table_encoding_read(input->context, set->source, table, &set->memory->encoding));
        if (sustain_table_encoding_features(set->memory->encoding).dim != set->rows.dim)
            return damaged(input, "its encoding of tables has not as many features as its rows");
    }
    if (picture == NULL) return SUSTAIN_OK;
    if (sscanf(picture, "%lld %lld %lld %d", &h, &w, &c, &interleaved) != 4) /* NOLINT(cert-err34-c): the shape is checked */
        return damaged(input, "the shape of its pictures is no shape");
    return sustain_dataset_set_picture(set, (sustain_picture){h, w, c, interleaved != 0});
}

/* ---- labels ---- */

/* Targets are what classes are as numbers, where all are. */
static sustain_status number_targets(const sustain__input *input) {
    const sustain_dataset *set = input->set;
    struct sustain_dataset_memory *m = set->memory;
    float *value;
    bool all = true;
    SUSTAIN_TRY(sustain__allocate(input->context, (size_t)set->classes * sizeof *value, &value));
    for (int64_t k = 0; k < set->classes; k++) {
        double number = 0;
        const char *name = m->class_names[k];
        all = all && sustain__number_is(name, name + strlen(name), &number);
        value[k] = sustain__target(number);
    }
    sustain_status status = SUSTAIN_OK;
    if (all) status = sustain__allocate(input->context, sustain__multiply((size_t)set->rows.count, sizeof *m->targets), &m->targets);
    for (int64_t i = 0; i < set->rows.count && all && status == SUSTAIN_OK; i++) m->targets[i] = value[m->labels[i]];
    sustain__free(input->context, value);
    return status;
}

static sustain_status take_classes(const sustain__input *input, const sustain__safetensors *file, const sustain__tensor *t, int64_t rows) {
    sustain_dataset *set = input->set;
    struct sustain_dataset_memory *m = set->memory;
    const char *names = sustain__safetensors_word(file, "classes"), *count = sustain__safetensors_word(file, "class_count");
    double classes = 0;
    if (count == NULL || !sustain__decimal_read(count, &classes) || !(classes >= 1 && classes <= 65536) || t->count != rows)
        return damaged(input, "its labels do not fit its rows or classes");
    set->classes = (int64_t)classes;
    set->label_values = set->classes;
    set->rows.count = rows;
    SUSTAIN_TRY(copy_names(input, names, set->classes, &m->class_names));
    SUSTAIN_TRY(copy_tensor(input, t, "I32", &m->labels));
    for (int64_t i = 0; i < rows; i++)
        if (m->labels[i] < 0 || m->labels[i] >= set->classes) return damaged(input, "a label is none of its classes");
    return number_targets(input);
}

/* rows 0: as many as there are labels. */
static sustain_status take_labels(sustain__input *input, const sustain__safetensors *file, int64_t rows, bool *found) {
    sustain_dataset *set = input->set;
    sustain__tensor t;
    *found = sustain__safetensors_find(file, "labels", &t) || sustain__safetensors_find(file, "targets", &t);
    if (!*found) return SUSTAIN_OK;
    if (rows == 0) rows = t.count;
    if (t.count != rows || rows < 1) return damaged(input, "it has not as many labels as rows");
    if (sustain__safetensors_word(file, "classes") != NULL && strcmp(t.name, "labels") == 0) {
        SUSTAIN_TRY(sustain__copy_text(input->context, set->source, &set->memory->label_source));
        SUSTAIN_TRY(take_classes(input, file, &t, rows));
    } else { /* plain numbers, as another program writes them */
        sustain__array array;
        SUSTAIN_TRY(as_array(input, &t, &array));
        SUSTAIN_TRY(sustain__array_labels(input->context, &array, input->options->missing_labels, set));
    }
    sustain__dataset_publish(set);
    return SUSTAIN_OK;
}

static sustain_status take_marks(const sustain__input *input, const sustain__safetensors *file) {
    sustain__tensor t;
    struct sustain_dataset_memory *m = input->set->memory;
    if (!sustain__safetensors_find(file, "trusted", &t)) return SUSTAIN_OK;
    if (t.count != input->set->rows.count) return damaged(input, "it has not as many marks as rows");
    SUSTAIN_TRY(copy_tensor(input, &t, "U8", &m->trusted));
    for (int64_t i = 0; i < t.count; i++)
        if (m->trusted[i] > 1) return damaged(input, "a mark of a trusted row is neither 0 nor 1");
    return SUSTAIN_OK;
}

/* ---- all of it ---- */

static sustain_status take_all(sustain__input *input, const sustain__safetensors *file) {
    sustain__tensor t;
    bool found;
    if (input->want == SUSTAIN__WANT_LABELS) {
        SUSTAIN_TRY(take_labels(input, file, 0, &found));
        if (!found) return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: it has no labels", input->set->source);
    } else {
        if (sustain__safetensors_find(file, "features", &t))
            SUSTAIN_TRY(take_dense(input, file, &t));
        else
            SUSTAIN_TRY(take_sparse(input, file));
        SUSTAIN_TRY(take_columns(input, file));
        SUSTAIN_TRY(take_labels(input, file, input->set->rows.count, &found));
    }
    SUSTAIN_TRY(take_marks(input, file));
    sustain__dataset_publish(input->set);
    return SUSTAIN_OK;
}

sustain_status sustain__parse_packed(sustain__input *input) {
    sustain__safetensors *file;
    SUSTAIN_TRY(sustain__safetensors_parse(input->context, input->set->source, input->bytes, input->length, &file));
    const sustain_status status = take_all(input, file);
    sustain__safetensors_destroy(file);
    return status;
}
