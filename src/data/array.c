/* array.c - see array.h. */
#include "core/half.h"
#include "data/array.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "data/labels.h"
#include "io/byte_order.h"

int64_t sustain__array_count(const sustain__array *array) {
    const int64_t most = INT64_MAX / (array->size > 0 ? array->size : 1);
    int64_t count = 1;
    for (int i = 0; i < array->axes; i++) {
        const int64_t n = array->shape[i];
        if (n < 0 || (n > 0 && count > most / n)) return -1;
        count *= n;
    }
    return count;
}

void sustain__array_shape_text(const sustain__array *array, char text[96]) {
    int at = 0;
    text[0] = '\0';
    for (int i = 0; i < array->axes; i++)
        at += snprintf(text + at, (size_t)(96 - at), "%s%lld", i > 0 ? " x " : "", (long long)array->shape[i]);
}

/* ---- elements ---- */

double sustain__array_number(const sustain__array *a, int64_t i) {
    const unsigned char *bytes = a->data + (size_t)i * (size_t)a->size;
    uint64_t bits = 0;
    for (int k = 0; k < a->size; k++) bits |= (uint64_t)bytes[a->big ? a->size - 1 - k : k] << (8 * k);
    if (a->kind == 'b') return bits != 0;
    if (a->kind == 'u') return (double)bits;
    if (a->kind == 'i') {
        const int unused = 64 - 8 * a->size;
        return (double)((int64_t)(bits << unused) >> unused);
    }
    if (a->size == 2) return (double)sustain__from_half((uint16_t)bits);
    if (a->size == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    const uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

/* ---- features ---- */

/* The offset of the next element in C order; advances `index`. */
typedef struct walk {
    const sustain__array *array;
    int64_t index[SUSTAIN__MOST_AXES], stride[SUSTAIN__MOST_AXES], place;
} walk;

static walk walk_from_start(const sustain__array *a) {
    walk w = {.array = a};
    int64_t stride = 1;
    for (int i = 0; i < a->axes; i++) {
        const int axis = a->column ? i : a->axes - 1 - i;
        w.stride[axis] = stride;
        stride *= a->shape[axis];
    }
    return w;
}

static void walk_on(walk *w) {
    for (int axis = w->array->axes - 1; axis >= 0; axis--) {
        w->place += w->stride[axis];
        if (++w->index[axis] < w->array->shape[axis]) return;
        w->place -= w->stride[axis] * w->array->shape[axis];
        w->index[axis] = 0;
    }
}

/* Converts numbers first .. end-1 in row order; w is the position of the first. */
static void convert_some(const sustain__array *a, int64_t first, int64_t end, walk *w, struct sustain_dataset_memory *m) {
    const bool swapped = a->big != sustain__host_is_big();
    if (m->bytes != NULL) {
        for (int64_t i = first; i < end; i++, walk_on(w)) m->bytes[i] = a->kind == 'b' ? a->data[w->place] != 0 : a->data[w->place];
    } else if (a->kind == 'f' && a->size == 8 && !a->column && !swapped) { /* fast path */
        for (int64_t i = first; i < end; i++) {
            double value;
            memcpy(&value, a->data + 8 * (size_t)i, sizeof value);
            m->values[i] = (float)value;
        }
    } else {
        for (int64_t i = first; i < end; i++, walk_on(w)) m->values[i] = (float)sustain__array_number(a, w->place);
    }
}

static sustain_status convert(const sustain__array *a, int64_t count, sustain_dataset *set) {
    enum { PIECE = 1 << 20 };
    struct sustain_dataset_memory *m = set->memory;
    walk w = walk_from_start(a);
    if (a->size == 1 && a->kind != 'i')
        SUSTAIN_TRY(sustain__allocate(set->context, (size_t)count, &m->bytes));
    else
        SUSTAIN_TRY(sustain__allocate(set->context, sustain__multiply((size_t)count, sizeof *m->values), &m->values));
    for (int64_t first = 0; first < count; first += PIECE) {
        SUSTAIN_TRY(sustain__cancelled(set->context));
        convert_some(a, first, first + PIECE < count ? first + PIECE : count, &w, m);
    }
    return SUSTAIN_OK;
}

/* The axes after the first as a picture. Channels are the last of four axes (NumPy, Pillow), or
 * else the second (PyTorch). */
static sustain_picture picture_of(const sustain__array *a) {
    const int64_t *n = a->shape;
    if (a->axes == 3) return (sustain_picture){n[1], n[2], 1, false};
    if (a->axes == 4 && (n[3] == 1 || n[3] == 3 || n[3] == 4)) return (sustain_picture){n[1], n[2], n[3], true};
    if (a->axes == 4 && (n[1] == 1 || n[1] == 3 || n[1] == 4)) return (sustain_picture){n[2], n[3], n[1], false};
    return (sustain_picture){.height = 0};
}

/* Whether all bytes are 0 or 1, as NumPy writes booleans; other values also mean true. */
static bool are_booleans(const unsigned char *bytes, int64_t count) {
    unsigned char all = 0;
    for (int64_t i = 0; i < count; i++) all |= bytes[i];
    return all <= 1;
}

/* The first value that is not finite, -1 for none. A block is summed first: sums of 0 * value
 * are NaN exactly where one is not finite. */
static int64_t first_not_finite(const float *values, int64_t n) {
    enum { BLOCK = 4096, LANES = 16 };
    for (int64_t from = 0; from < n; from += BLOCK) {
        const int64_t to = from + BLOCK < n ? from + BLOCK : n;
        float sums[LANES] = {0}, sum = 0;
        int64_t i = from;
        for (; i + LANES <= to; i += LANES)
            for (int k = 0; k < LANES; k++) sums[k] += 0.0f * values[i + k];
        for (; i < to; i++) sum += 0.0f * values[i];
        for (int k = 0; k < LANES; k++) sum += sums[k];
        if (sum == 0.0f) continue;
        for (i = from; i < to; i++)
            if (!isfinite(values[i])) return i;
    }
    return -1;
}

/* Likewise: their exponent has all bits. */
static int64_t first_half_not_finite(const uint16_t *halves, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if ((halves[i] & 0x7c00) == 0x7c00) return i;
    return -1;
}

static sustain_status check_finite(const sustain_dataset *set) {
    const sustain_rows *rows = &set->rows;
    const int64_t n = rows->count * rows->dim; /* bytes are finite */
    const int64_t bad = rows->values != NULL   ? first_not_finite(rows->values, n)
                        : rows->halves != NULL ? first_half_not_finite(rows->halves, n)
                                               : -1;
    if (bad < 0) return SUSTAIN_OK;
    const float value = rows->values != NULL ? rows->values[bad] : sustain__from_half(rows->halves[bad]);
    return sustain__fail(set->context, SUSTAIN_FORMAT, "%s: its element [%lld, %lld] is %s; remove the row, or fill in a number",
                         set->source, (long long)(bad / rows->dim), (long long)(bad % rows->dim), isnan(value) ? "NaN" : "infinite");
}

sustain_status sustain__array_features(const sustain__array *a, sustain_dataset *set, bool keep_half, bool *in_place) {
    const int64_t count = sustain__array_count(a);
    sustain_rows *rows = &set->rows;
    *in_place = false;
    if (a->kind == 'U' || a->kind == 'S')
        return sustain__fail(set->context, SUSTAIN_FORMAT, "%s: its elements are text; features must be numbers", set->source);
    if (a->axes < 2)
        return sustain__fail(set->context, SUSTAIN_FORMAT, "%s: it has one axis, like labels; features need two: rows and columns",
                             set->source);
    rows->count = a->shape[0];
    rows->dim = rows->count > 0 ? count / rows->count : 0;
    if (rows->dim > INT32_MAX)
        return sustain__fail(set->context, SUSTAIN_FORMAT, "%s: %lld features a row are too many", set->source, (long long)rows->dim);
    /* refuses it before the other axes, which may be huge, are used */
    if (count == 0) return sustain__check_size(set);
    set->picture = picture_of(a);
    if (a->size == 1 && a->kind != 'i') rows->byte_scale = a->kind == 'b' ? 1.0f : 1.0f / 255;
    const bool aligned = (uintptr_t)a->data % sizeof(float) == 0;
    if (a->size == 1 && a->kind != 'i' && !a->column && (a->kind == 'u' || are_booleans(a->data, count)))
        rows->bytes = a->data, *in_place = true;
    else if (a->kind == 'f' && a->size == 4 && !a->column && a->big == sustain__host_is_big() && aligned)
        rows->values = (const float *)(const void *)a->data, *in_place = true;
    else if (keep_half && a->axes == 2 && a->kind == 'f' && a->size == 2 && !a->column && a->big == sustain__host_is_big() &&
             (uintptr_t)a->data % 2 == 0)
        rows->halves = (const uint16_t *)(const void *)a->data, *in_place = true;
    else
        SUSTAIN_TRY(convert(a, count, set));
    sustain__dataset_publish(set);
    return check_finite(set);
}

/* ---- labels ---- */

/* Converts UTF-32 to UTF-8, up to the zero padding. False: not a valid character. */
static bool utf8_from(const sustain__array *a, int64_t i, char *out, size_t *length) {
    const unsigned char *bytes = a->data + (size_t)i * (size_t)a->size;
    *length = 0;
    for (int k = 0; k + 4 <= a->size; k += 4) {
        uint32_t c = 0;
        for (int b = 0; b < 4; b++) c |= (uint32_t)bytes[k + (a->big ? 3 - b : b)] << (8 * b);
        if (c == 0) return true;
        if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false;
        const int extra = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        static const unsigned first[] = {0, 0xc0, 0xe0, 0xf0};
        out[(*length)++] = (char)(first[extra] | c >> (6 * extra));
        for (int e = extra - 1; e >= 0; e--) out[(*length)++] = (char)(0x80 | (c >> (6 * e) & 0x3f));
    }
    return true;
}

static size_t text_length(const unsigned char *bytes, size_t size) {
    const unsigned char *zero = memchr(bytes, 0, size);
    return zero != NULL ? (size_t)(zero - bytes) : size;
}

/* Adds label i; `text` is a buffer for converted UTF-32 labels. */
static sustain_status add_label(const sustain__array *a, int64_t i, char *text, sustain__labels *labels, sustain_context *context) {
    const unsigned char *bytes = a->data + (size_t)i * (size_t)a->size;
    size_t length;
    if (a->kind == 'S') return sustain__labels_add_text(labels, (const char *)bytes, text_length(bytes, (size_t)a->size));
    if (a->kind != 'U') return sustain__labels_add_number(labels, sustain__array_number(a, i));
    text += (size_t)i * (size_t)a->size;
    if (!utf8_from(a, i, text, &length)) return sustain__fail(context, SUSTAIN_FORMAT, "the label is not Unicode text");
    return sustain__labels_add_text(labels, text, length);
}

static sustain_status add_labels(const sustain__array *a, char *text, bool missing, sustain__labels *labels, sustain_dataset *set) {
    for (int64_t i = 0; i < a->shape[0]; i++) {
        if (i % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(set->context));
        if (missing && a->kind == 'f' && isnan(sustain__array_number(a, i))) {
            sustain__labels_add_none(labels);
            continue;
        }
        const sustain_status status = add_label(a, i, text, labels, set->context);
        if (status != SUSTAIN_OK)
            return sustain__fail(set->context, status, "%s: row %lld (from 0): %s", set->source, (long long)i, sustain_error(set->context));
    }
    return sustain__labels_store(labels, set->source, set);
}

sustain_status sustain__array_labels(sustain_context *context, const sustain__array *a, bool missing, sustain_dataset *set) {
    if (a->axes != 1 && !(a->axes == 2 && a->shape[1] == 1)) {
        char shape[96];
        sustain__array_shape_text(a, shape);
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: labels need one axis, but this array is %s", set->source, shape);
    }
    if (a->shape[0] == 0) return sustain__fail(context, SUSTAIN_FORMAT, "%s: it has no rows", set->source);
    sustain__labels *labels = NULL;
    char *text = NULL;
    sustain_status status = sustain__labels_create(context, a->shape[0], &labels);
    if (status == SUSTAIN_OK && a->kind == 'U') /* UTF-8 is never longer than UTF-32 */
        status = sustain__allocate(context, sustain__multiply((size_t)a->shape[0], (size_t)a->size), &text);
    if (status == SUSTAIN_OK) status = add_labels(a, text, missing, labels, set);
    sustain__labels_destroy(labels);
    sustain__free(context, text);
    return status;
}
