/* npz_sparse.c - sparse matrices as scipy.sparse.save_npz() writes them: an NPZ file with the
 * arrays format, shape, data and
 *
 *   csr, csc    indptr, indices: the entries of row (column) i are indptr[i] .. indptr[i+1]-1
 *   coo         row, col
 *
 * All are converted to sorted CSR rows; duplicate entries are summed, zeros are dropped. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/npz.h"

/* One array of the file. */
typedef struct part {
    sustain__array array;
    unsigned char *owned;
} part;

typedef struct matrix {
    sustain__input *input;
    char format[4];                 /* "csr" */
    part shape, data, major, minor; /* major: indptr or row; minor: indices or col */
    int64_t rows, dim, entries;
} matrix;

/* An entry and its position in the file: duplicates are summed in that order. */
typedef struct entry {
    int32_t column;
    float value;
    int64_t order;
} entry;

static bool has(const sustain__input *input, const char *name) {
    sustain__member member;
    bool found;
    return sustain__npz_find(input, name, &member, &found) == SUSTAIN_OK && found;
}

bool sustain__is_sparse_npz(const sustain__input *input) {
    return input->member == NULL && has(input, "format") && has(input, "shape") && has(input, "data");
}

static sustain_status refuse(const matrix *m, const char *why) {
    return sustain__fail(m->input->context, SUSTAIN_FORMAT, "%s: its sparse matrix %s", m->input->set->source, why);
}

/* ---- arrays ---- */

static sustain_status load(matrix *m, const char *name, part *out) {
    sustain__member member;
    const unsigned char *bytes = NULL;
    bool found;
    char place[192];
    SUSTAIN_TRY(sustain__npz_find(m->input, name, &member, &found));
    if (!found)
        return sustain__fail(m->input->context, SUSTAIN_FORMAT, "%s: its sparse matrix has no array '%s'", m->input->set->source, name);
    snprintf(place, sizeof place, "%.120s, array '%.60s'", m->input->set->source, name);
    SUSTAIN_TRY(sustain__npz_bytes(m->input, &member, &bytes, &out->owned));
    SUSTAIN_TRY(sustain__npy_array(m->input->context, place, bytes, (size_t)member.size, &out->array));
    if (out->array.axes != 1 || strchr("buif", out->array.kind) == NULL)
        return refuse(m, "is damaged: an array of it is not a list of numbers");
    return SUSTAIN_OK;
}

/* The format is an array without axes: the text is the end of the member, in ASCII or UTF-32. */
static sustain_status load_format(matrix *m) {
    sustain__member member;
    const unsigned char *bytes = NULL;
    unsigned char *owned = NULL;
    bool found;
    SUSTAIN_TRY(sustain__npz_find(m->input, "format", &member, &found));
    const sustain_status status = found ? sustain__npz_bytes(m->input, &member, &bytes, &owned) : refuse(m, "has no format");
    int at = 3;
    for (uint64_t i = status == SUSTAIN_OK ? member.size : 0; i > 0 && at > 0; i--)
        if (bytes[i - 1] != 0) m->format[--at] = (char)bytes[i - 1];
    sustain__free(m->input->context, owned);
    return status;
}

static bool take_whole(const part *p, int64_t i, int64_t least, int64_t most, int64_t *out) {
    const double value = sustain__array_number(&p->array, i);
    if (!(value >= (double)least && value <= (double)most) || value != floor(value)) return false;
    *out = (int64_t)value;
    return true;
}

static sustain_status load_all(matrix *m) {
    SUSTAIN_TRY(load_format(m));
    const bool triples = strcmp(m->format, "coo") == 0;
    if (!triples && strcmp(m->format, "csr") != 0 && strcmp(m->format, "csc") != 0)
        return refuse(m, "is not in the form csr, csc or coo; save it with scipy.sparse.save_npz('x.npz', x.tocsr())");
    SUSTAIN_TRY(load(m, "shape", &m->shape));
    SUSTAIN_TRY(load(m, "data", &m->data));
    SUSTAIN_TRY(load(m, triples ? "row" : "indptr", &m->major));
    SUSTAIN_TRY(load(m, triples ? "col" : "indices", &m->minor));
    m->entries = m->data.array.shape[0];
    if (m->shape.array.shape[0] != 2 || !take_whole(&m->shape, 0, 1, (int64_t)1 << 48, &m->rows) ||
        !take_whole(&m->shape, 1, 1, INT32_MAX, &m->dim))
        return refuse(m, "has no rows or columns, or too many of them");
    const int64_t lines = strcmp(m->format, "csr") == 0 ? m->rows : m->dim;
    if (m->minor.array.shape[0] != m->entries || m->major.array.shape[0] != (triples ? m->entries : lines + 1))
        return refuse(m, "is damaged: its arrays do not fit together");
    if (m->rows / 1000 > m->entries + 1000) return refuse(m, "has more than 1,000 rows for each entry");
    return SUSTAIN_OK;
}

/* ---- rows ---- */

/* row, column: (entries) of each entry. */
static sustain_status place_triples(const matrix *m, int64_t *row, int32_t *column) {
    for (int64_t k = 0; k < m->entries; k++) {
        int64_t j;
        if (!take_whole(&m->major, k, 0, m->rows - 1, &row[k]) || !take_whole(&m->minor, k, 0, m->dim - 1, &j))
            return refuse(m, "is damaged: an index is outside its shape");
        column[k] = (int32_t)j;
    }
    return SUSTAIN_OK;
}

/* The same from the compressed rows or columns. */
static sustain_status place_lines(const matrix *m, bool by_column, int64_t *row, int32_t *column) {
    const int64_t lines = by_column ? m->dim : m->rows, most = (by_column ? m->rows : m->dim) - 1;
    int64_t end, other;
    if (!take_whole(&m->major, 0, 0, 0, &end)) return refuse(m, "is damaged: indptr does not begin with 0");
    for (int64_t line = 0; line < lines; line++) {
        const int64_t begin = end;
        if (!take_whole(&m->major, line + 1, begin, m->entries, &end)) return refuse(m, "is damaged: indptr is not in order");
        for (int64_t k = begin; k < end; k++) {
            if (!take_whole(&m->minor, k, 0, most, &other)) return refuse(m, "is damaged: an index is outside its shape");
            row[k] = by_column ? other : line;
            column[k] = (int32_t)(by_column ? line : other);
        }
    }
    return end == m->entries ? SUSTAIN_OK : refuse(m, "is damaged: indptr does not end with the number of entries");
}

static sustain_status place_entries(const matrix *m, int64_t *row, int32_t *column) {
    if (strcmp(m->format, "coo") == 0) return place_triples(m, row, column);
    return place_lines(m, strcmp(m->format, "csc") == 0, row, column);
}

static int by_column_then_order(const void *a, const void *b) {
    const entry *p = a, *q = b;
    if (p->column != q->column) return p->column < q->column ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

/* Sorts one row, sums duplicates, drops zeros; returns the number of entries left. */
static int64_t finish_row(entry *entries, int64_t count, int32_t *columns, float *values) {
    bool sorted = true;
    int64_t kept = 0;
    for (int64_t k = 1; k < count && sorted; k++) sorted = entries[k].column > entries[k - 1].column;
    if (!sorted) qsort(entries, (size_t)count, sizeof *entries, by_column_then_order);
    for (int64_t k = 0; k < count;) {
        const int32_t column = entries[k].column;
        float sum = 0;
        for (; k < count && entries[k].column == column; k++) sum += entries[k].value;
        if (sum == 0) continue;
        columns[kept] = column;
        values[kept++] = sum;
    }
    return kept;
}

/* place: (rows + 1) start of each row; sorted: (entries) by row. */
static sustain_status fill_rows(const matrix *m, const int64_t *row, const int32_t *column, int64_t *place, entry *sorted) {
    struct sustain_dataset_memory *memory = m->input->set->memory;
    for (int64_t k = 0; k < m->entries; k++) place[row[k] + 1]++;
    for (int64_t i = 0; i < m->rows; i++) place[i + 1] += place[i];
    for (int64_t k = 0; k < m->entries; k++) {
        const double value = sustain__array_number(&m->data.array, k);
        if (!(fabs(value) <= (double)FLT_MAX))
            return sustain__fail(m->input->context, SUSTAIN_FORMAT, "%s: its element [%lld, %lld] is not a finite number",
                                 m->input->set->source, (long long)row[k], (long long)column[k]);
        sorted[place[row[k]]++] = (entry){column[k], (float)value, k};
    }
    for (int64_t i = 0, from = 0, to = 0; i < m->rows; i++) { /* place[i] is now the end of row i */
        to += finish_row(sorted + from, place[i] - from, memory->columns + to, memory->values + to);
        from = place[i];
        memory->start[i + 1] = to;
    }
    return SUSTAIN_OK;
}

static sustain_status make_rows(const matrix *m) {
    sustain_context *context = m->input->context;
    struct sustain_dataset_memory *memory = m->input->set->memory;
    const size_t rows = (size_t)m->rows, n = (size_t)m->entries + 1;
    int64_t *row = NULL, *place = NULL;
    int32_t *column = NULL;
    entry *sorted = NULL;
    sustain_status status = sustain__allocate(context, sustain__multiply(rows + 1, sizeof *memory->start), &memory->start);
    if (status == SUSTAIN_OK) status = sustain__allocate(context, sustain__multiply(n, sizeof *memory->values), &memory->values);
    if (status == SUSTAIN_OK) status = sustain__allocate(context, sustain__multiply(n, sizeof *memory->columns), &memory->columns);
    if (status == SUSTAIN_OK) status = sustain__allocate(context, sustain__multiply(rows + 1, sizeof *place), &place);
    if (status == SUSTAIN_OK) status = sustain__allocate(context, sustain__multiply(n, sizeof *row), &row);
    if (status == SUSTAIN_OK) status = sustain__allocate(context, sustain__multiply(n, sizeof *column), &column);
    if (status == SUSTAIN_OK) status = sustain__allocate(context, sustain__multiply(n, sizeof *sorted), &sorted);
    if (status == SUSTAIN_OK) status = place_entries(m, row, column);
    if (status == SUSTAIN_OK) status = fill_rows(m, row, column, place, sorted);
    sustain__free(context, sorted);
    sustain__free(context, column);
    sustain__free(context, row);
    sustain__free(context, place);
    return status;
}

sustain_status sustain__parse_sparse_npz(sustain__input *input) {
    matrix m = {.input = input};
    if (input->want == SUSTAIN__WANT_LABELS)
        return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: it is a sparse matrix, not labels", input->set->source);
    sustain_status status = load_all(&m);
    if (status == SUSTAIN_OK) status = make_rows(&m);
    part *const parts[] = {&m.shape, &m.data, &m.major, &m.minor};
    for (int i = 0; i < 4; i++) sustain__free(input->context, parts[i]->owned);
    if (status != SUSTAIN_OK) return status;
    input->set->rows.count = m.rows;
    input->set->rows.dim = m.dim;
    sustain__dataset_publish(input->set);
    return sustain__check_size(input->set);
}
