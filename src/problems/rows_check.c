/* rows_check.c - checks every number of a set of rows. */
#include <math.h>
#include <string.h>

#include "problems/rows_internal.h"

enum { BYTES = 1 << 16 }; /* whose squares fit into 32 bits */

typedef struct given {
    sustain_context *context;
    const sustain_rows *rows;
    const sustain__wanted_rows *wanted;
    int64_t stored;
} given;

#define REFUSE(...) sustain__fail(g->context, SUSTAIN_ARGUMENT, __VA_ARGS__)

sustain_status sustain__rows_dim(sustain_context *context, const sustain_rows *first, const sustain__wanted_rows *first_wanted,
                                 const sustain_rows *second, const sustain__wanted_rows *second_wanted, int64_t width, int64_t *dim) {
    if (first == NULL || second == NULL)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the %s rows are NULL", (first == NULL ? first_wanted : second_wanted)->called);
    *dim = first->dim;
    if (*dim < 1) return sustain__fail(context, SUSTAIN_ARGUMENT, "dim must be at least 1 (it is %lld)", (long long)*dim);
    if (second->dim != *dim)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the %s rows have %lld features, the %s rows %lld", first_wanted->called,
                             (long long)*dim, second_wanted->called, (long long)second->dim);
    if (*dim >= SUSTAIN__MOST_NUMBERS / width)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "dim %lld times %lld classes is too large", (long long)*dim, (long long)width);
    return SUSTAIN_OK;
}

static sustain_status check_arrays(const given *g) {
    const sustain_rows *r = g->rows;
    const char *called = g->wanted->called;
    if (r->count < 1) return REFUSE("there must be at least one %s row (there are %lld)", called, (long long)r->count);
    if (r->stored < 0) return REFUSE("the %s rows have a negative number of stored rows, %lld", called, (long long)r->stored);
    if (r->start == NULL && g->stored >= SUSTAIN__MOST_NUMBERS / r->dim)
        return REFUSE("%lld dense %s rows of %lld columns are too many", (long long)g->stored, called, (long long)r->dim);
    if ((r->bytes != NULL || r->halves != NULL) && (r->start != NULL || r->values != NULL))
        return REFUSE("the %s rows have both bytes and values: set the other pointers to NULL", called);
    if (r->bytes != NULL && r->halves != NULL)
        return REFUSE("the %s rows have both bytes and halves: set the other pointer to NULL", called);
    if (r->bytes != NULL && !isfinite(r->byte_scale))
        return REFUSE("the byte_scale of the %s rows is not finite: 1/255 makes features from 0 to 1", called);
    /* no non-zero at all: the arrays may be missing */
    const bool empty = r->start != NULL && r->start[g->stored] == 0;
    if (!empty && r->bytes == NULL && r->halves == NULL && (r->values == NULL || (r->start != NULL && r->columns == NULL)))
        return REFUSE("the values or columns of the %s rows are NULL", called);
    if (g->wanted->labels == SUSTAIN__LABELS_NONE) return SUSTAIN_OK;
    const bool numbers = g->wanted->labels == SUSTAIN__LABELS_NUMBERS;
    if (numbers ? r->targets == NULL : r->labels == NULL)
        return REFUSE("the %s of the %s rows are NULL", numbers ? "targets" : "labels", called);
    return SUSTAIN_OK;
}

static sustain_status check_label(const given *g, int64_t i) {
    const char *called = g->wanted->called;
    if (g->wanted->labels == SUSTAIN__LABELS_NONE) return SUSTAIN_OK;
    if (g->wanted->labels == SUSTAIN__LABELS_NUMBERS) {
        if (isfinite(g->rows->targets[i])) return SUSTAIN_OK;
        return REFUSE("the target of %s row %lld is not finite (NaN or infinite)", called, (long long)i);
    }
    const int32_t label = g->rows->labels[i];
    if (g->wanted->labels == SUSTAIN__LABELS_SIGNS) {
        if (label == 1 || label == -1) return SUSTAIN_OK;
        return REFUSE("the label of %s row %lld is %ld, not -1 or 1", called, (long long)i, (long)label);
    }
    if (label >= 0 && label < g->wanted->classes) return SUSTAIN_OK;
    return REFUSE("the label of %s row %lld is %ld, not one of 0 to %lld", called, (long long)i, (long)label,
                  (long long)(g->wanted->classes - 1));
}

/* Checked first, so that no index is out of bounds. */
static sustain_status check_starts(const given *g) {
    const int64_t *start = g->rows->start;
    const char *called = g->wanted->called;
    if (start == NULL) return SUSTAIN_OK;
    if (start[0] < 0) return REFUSE("the first row pointer of the %s rows is negative, %lld", called, (long long)start[0]);
    for (int64_t i = 0; i < g->stored; i++)
        if (start[i + 1] < start[i])
            return REFUSE("row pointer %lld of the %s rows, %lld, is less than the one before, %lld", (long long)(i + 1), called,
                          (long long)start[i + 1], (long long)start[i]);
    return SUSTAIN_OK;
}

static sustain_status check_columns(const given *g, int64_t i, sustain__row a) {
    const char *called = g->wanted->called;
    for (int64_t e = 0; a.column != NULL && e < a.count; e++) {
        const int32_t column = a.column[e], before = e > 0 ? a.column[e - 1] : -1;
        if (column < 0 || column >= g->rows->dim)
            return REFUSE("a column of %s row %lld is %ld, not one of 0 to %lld", called, (long long)i, (long)column,
                          (long long)(g->rows->dim - 1));
        if (column == before) return REFUSE("%s row %lld has column %ld twice: add the values up", called, (long long)i, (long)column);
        if (column < before)
            return REFUSE("the columns of %s row %lld are not sorted: %ld comes after %ld", called, (long long)i, (long)column,
                          (long)before);
    }
    return SUSTAIN_OK;
}

/* Bytes in whole numbers, which compilers sum up several at a time. */
static double square_of(sustain__row a) {
    double square = 0;
    for (int64_t e = 0; a.value != NULL && e < a.count; e++) square += (double)a.value[e] * (double)a.value[e];
    for (int64_t e = 0; a.half != NULL && e < a.count; e++) {
        const double value = (double)sustain__from_half(a.half[e]);
        square += value * value;
    }
    if (a.value != NULL || a.half != NULL) return square;
    for (int64_t e = 0; e < a.count;) {
        const int64_t end = a.count - e < BYTES ? a.count : e + BYTES;
        uint32_t sum = 0;
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it has bytes */
        for (; e < end; e++) sum += (uint32_t)a.byte[e] * a.byte[e];
        square += (double)sum;
    }
    return square * (double)a.scale * (double)a.scale;
}

static sustain_status check_features(const given *g, int64_t i, sustain__row a, double *largest) {
    const double square = square_of(a);
    for (int64_t e = 0; !isfinite(square) && e < a.count; e++)
        if (!isfinite(sustain__row_number(a, e)))
            return REFUSE("the feature in column %lld of %s row %lld is not finite (NaN or infinite)",
                          (long long)(a.column != NULL ? a.column[e] : e), g->wanted->called, (long long)i);
    if (square > *largest) *largest = square;
    return SUSTAIN_OK;
}

/* Rows without any non-zero may come without arrays; what is made of them here is never read. */
static sustain_rows with_arrays(const given *g) {
    static const float no_value = 0;
    static const int32_t no_column = 0;
    sustain_rows r = *g->rows;
    r.stored = g->stored;
    if (r.start != NULL && r.values == NULL) r.values = &no_value;
    if (r.start != NULL && r.columns == NULL) r.columns = &no_column;
    return r;
}

sustain_status sustain__rows_take(sustain_context *context, const sustain_rows *rows, const sustain__wanted_rows *wanted, double *largest,
                                  sustain_rows *out) {
    const given g = {context, rows, wanted, rows->stored != 0 ? rows->stored : rows->count};
    *largest = 0;
    SUSTAIN_TRY(check_arrays(&g));
    SUSTAIN_TRY(check_starts(&g));
    *out = with_arrays(&g);
    for (int64_t i = 0; i < g.stored; i++) {
        if (i % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(context));
        SUSTAIN_TRY(check_label(&g, i));
        const sustain__row a = sustain__row_at(out, i);
        SUSTAIN_TRY(check_columns(&g, i, a));
        SUSTAIN_TRY(check_features(&g, i, a, largest));
    }
    return SUSTAIN_OK;
}

/* ---- rows that are all the same ---- */

static bool same_row(const sustain_rows *r, int64_t i) {
    const size_t dim = (size_t)r->dim;
    if (r->bytes != NULL) return memcmp(r->bytes, r->bytes + (size_t)i * dim, dim) == 0;
    if (r->halves != NULL) return memcmp(r->halves, r->halves + (size_t)i * dim, dim * sizeof *r->halves) == 0;
    if (r->start == NULL) {
        const float *a = r->values, *b = r->values + (size_t)i * dim;
        for (size_t j = 0; j < dim; j++)
            if (a[j] != b[j]) return false;
        return true;
    }
    const int64_t a = r->start[0], b = r->start[i], count = r->start[1] - a;
    if (r->start[i + 1] - b != count) return false;
    for (int64_t k = 0; k < count; k++)
        if (r->columns[a + k] != r->columns[b + k] || r->values[a + k] != r->values[b + k]) return false;
    return true;
}

bool sustain_rows_all_same(const sustain_rows *r) {
    if (r == NULL || r->dim < 1 || (r->start == NULL && r->values == NULL && r->bytes == NULL && r->halves == NULL)) return false;
    const int64_t stored = r->stored > 0 ? r->stored : r->count;
    for (int64_t i = 1; i < stored; i++)
        if (!same_row(r, i)) return false;
    return stored > 1;
}

sustain_status sustain__rows_differ(sustain_context *context, const sustain_rows *rows) {
    if (!sustain_rows_all_same(rows)) return SUSTAIN_OK;
    return sustain__fail(context, SUSTAIN_ARGUMENT,
                         "all %lld training rows have the same features, so that nothing can be learned from them", (long long)rows->count);
}
