/* regtune_sparse.c - penalties of a linear model, tuned on validation rows: eq. (7) on sparse rows.
 *
 *   Df(x,y) = -(K/L_g) grad^2_xy g [v],     v = prod_{i=1..k} (I - H(zeta^(i)) / L_g) grad_y f(x,y;xi)                        (7)
 *
 * v is 0 but in the columns of the rows of xi and zeta^(k), ..., zeta^(1), for the penalties' part
 * of H is diagonal. These columns are numbered in order of first occurrence; y, the penalties and v
 * are gathered by number, and what follows works on rows whose columns are such numbers: at the
 * i-th product v is a prefix of what it becomes. So the cost depends on the non-zeros of the rows
 * only: no pass over a whole vector of the length of x or y is made. */
#include <string.h>

#include "core/exp.h"
#include "core/vector.h"
#include "problems/regtune_internal.h"

typedef sustain__regtune regtune;
typedef sustain__regtune_entry entry;

/* What is known of the columns so far. */
typedef struct columns {
    const regtune *h;
    sustain__regtune_work *w;
    int points;
    const sustain_real *const *x, *const *y;
    int64_t count;
    uint32_t mask; /* of the places in the table */
} columns;

void sustain__regtune_see_sparse(regtune *h) {
    int64_t entries = 0;
    h->sparse = h->rows[SUSTAIN_UPPER].start != NULL && h->rows[SUSTAIN_LOWER].start != NULL;
    for (int level = 0; level < 2 && h->sparse; level++) {
        const sustain_rows *rows = &h->rows[level];
        entries += rows->start[rows->stored] - rows->start[0];
        for (int64_t i = 0; i < rows->stored; i++) {
            const int64_t own = rows->start[i + 1] - rows->start[i];
            if (own > h->longest) h->longest = own;
        }
    }
    h->compact = h->model;
    if (entries < h->compact.dim) h->compact.dim = entries;
    h->fast.lists_touched = h->sparse && h->options.penalty == SUSTAIN_REGTUNE_FEATURE;
}

/* ---- columns and their numbers ---- */

static int64_t entries_of(const sustain_rows *rows, const sustain_batch *batch) {
    int64_t sum = 0;
    for (int64_t j = 0; j < batch->size; j++) sum += sustain__row_at(rows, sustain__rows_place(rows, batch->index[j])).count;
    return sum;
}

/* The part of the table that this draw needs. */
static void begin_columns(columns *c, const sustain_hyper_draw *draw) {
    const regtune *h = c->h;
    int64_t most = entries_of(&h->rows[SUSTAIN_UPPER], &draw->xi);
    for (int i = 1; i <= draw->k; i++) most += entries_of(&h->rows[SUSTAIN_LOWER], &draw->zeta[i]);
    const int64_t size = sustain__regtune_table(most < h->compact.dim ? most : h->compact.dim);
    memset(c->w->table, 0, (size_t)size * sizeof *c->w->table);
    c->mask = (uint32_t)(size - 1);
}

static int32_t number_of(columns *c, int32_t column) {
    const uint32_t key = (uint32_t)column + 1;
    uint32_t at = key * 2654435769u;
    for (at = (at ^ at >> 15) & c->mask;; at = (at + 1) & c->mask) {
        entry *e = &c->w->table[at];
        if (e->key == key) return e->number;
        if (e->key != 0) continue;
        *e = (entry){key, (int32_t)c->count};
        c->w->column[c->count] = column;
        return (int32_t)c->count++;
    }
}

/* The logarithms of the penalties on some columns, class k. */
static void log_penalties(const regtune *h, const sustain_real *x, int64_t k, int64_t count, const int32_t *column, sustain_real *out) {
    switch (h->options.penalty) {
    case SUSTAIN_REGTUNE_FEATURE:
        for (int64_t j = 0; j < count; j++) out[j] = x[column[j]];
        return;
    case SUSTAIN_REGTUNE_GROUP:
        for (int64_t j = 0; j < count; j++) out[j] = x[h->options.group[column[j]]];
        return;
    case SUSTAIN_REGTUNE_CLASS:
    case SUSTAIN_REGTUNE_SINGLE:
        for (int64_t j = 0; j < count; j++) out[j] = x[h->options.penalty == SUSTAIN_REGTUNE_CLASS ? k % h->options.classes : 0];
        return;
    }
}

/* y and the penalties of the columns from number `from` on; v is 0 there. */
static void gather(const columns *c, int64_t from) {
    const regtune *h = c->h;
    const int64_t count = c->count - from;
    const int32_t *column = c->w->column + from;
    const sustain_real least = (sustain_real)h->options.floor;
    for (int p = 0; p < c->points; p++)
        for (int64_t k = 0; k < h->model.width; k++) {
            const int64_t at = k * h->compact.dim + from;
            const sustain_real *y = c->y[p] + k * h->model.dim;
            sustain_real *y_own = c->w->y[p] + at, *w = c->w->w[p] + at;
            for (int64_t j = 0; j < count; j++) y_own[j] = y[column[j]];
            log_penalties(h, c->x[p], k, count, column, w);
            sustain__exp(count, w, w);
            if (k == 0) sustain__copy(count, w, c->w->e[p] + from);
            for (int64_t j = 0; j < count; j++) w[j] += least;
            sustain__zero(count, c->w->v[p] + at);
            sustain__zero(count, c->w->hv[p] + at);
        }
}

static void gather_intercept(const columns *c) {
    const regtune *h = c->h;
    const int64_t width = h->model.width, from = width * h->model.dim, to = width * h->compact.dim;
    for (int p = 0; h->model.intercept && p < c->points; p++) {
        sustain__copy(width, c->y[p] + from, c->w->y[p] + to);
        sustain__zero(width, c->w->v[p] + to);
        for (int64_t k = 0; k < width; k++) c->w->w[p][to + k] = (sustain_real)h->options.floor;
    }
}

/* ---- products ---- */

/* The columns of a block become numbers. */
static void number_block(columns *c, sustain__block *b) {
    const int64_t from = c->count;
    int32_t *local = c->w->local;
    for (int64_t i = 0; i < b->count; i++) {
        sustain__row *a = &b->row[i];
        for (int64_t j = 0; j < a->count; j++) local[j] = number_of(c, a->column[j]);
        a->column = local;
        local += a->count;
    }
    gather(c, from);
}

/* out[p] += the mean over the draw */
static void add_mean(columns *c, const sustain__regtune_draw *d, sustain_real *const *out) {
    const regtune *h = c->h;
    const int64_t size = d->batch->size;
    sustain__regtune_slot *slot = &c->w->slot[0];
    slot->block.model = &h->compact;
    for (int64_t first = 0; first < size; first += SUSTAIN__BLOCK) {
        const int64_t count = size - first < SUSTAIN__BLOCK ? size - first : SUSTAIN__BLOCK;
        sustain__block_clear(&slot->block);
        sustain__block_take(&slot->block, &h->rows[d->level], d->batch, first, count);
        number_block(c, &slot->block);
        sustain__regtune_factors(h, d, first, count, 1 / (double)size, slot);
        sustain__block_add(&slot->block, d->points, out);
    }
}

/* What is done to the vectors, class by class, as far as there are columns. */
typedef void each(int64_t n, double factor, const sustain_real *w, const sustain_real *from, sustain_real *to);

static void penalize(int64_t n, double factor, const sustain_real *w, const sustain_real *v, sustain_real *hv) {
    (void)factor;
    for (int64_t j = 0; j < n; j++) hv[j] = w[j] * v[j];
}

static void subtract(int64_t n, double factor, const sustain_real *w, const sustain_real *hv, sustain_real *v) {
    (void)w;
    sustain__add(n, factor, hv, v);
}

static void for_each(const columns *c, each *what, double factor, sustain_real *const *from, sustain_real *const *to) {
    const int64_t width = c->h->model.width, dim = c->h->compact.dim;
    for (int p = 0; p < c->points; p++) {
        for (int64_t k = 0; k < width; k++) what(c->count, factor, c->w->w[p] + k * dim, from[p] + k * dim, to[p] + k * dim);
        if (c->h->model.intercept) what(width, factor, c->w->w[p] + width * dim, from[p] + width * dim, to[p] + width * dim);
    }
}

/* ---- the estimate ---- */

/* to[p] <- factor exp(x) sum over classes of y v, one penalty a feature: by number, or where the
 * columns are. */
static void cross_by_feature(const columns *c, double factor, bool to_column, sustain_real *const *to) {
    const regtune *h = c->h;
    for (int p = 0; p < c->points; p++) {
        for (int64_t j = 0; j < c->count; j++) {
            sustain_real sum = 0;
            for (int64_t k = 0; k < h->model.width; k++) sum += c->w->y[p][k * h->compact.dim + j] * c->w->v[p][k * h->compact.dim + j];
            to[p][to_column ? c->w->column[j] : j] = (sustain_real)factor * c->w->e[p][j] * sum;
        }
    }
}

/* The same for the other penalties, which are few: out[p] is (upper_dim). */
static void cross_by_others(const columns *c, double factor, sustain_real *const *out) {
    const regtune *h = c->h;
    double *sum = c->w->sum;
    for (int p = 0; p < c->points; p++) {
        for (int64_t i = 0; i < h->problem.upper_dim; i++) sum[i] = 0;
        for (int64_t k = 0; k < h->model.width; k++)
            for (int64_t j = 0; j < c->count; j++) {
                const int64_t at = k * h->compact.dim + j;
                const int64_t i = h->options.penalty == SUSTAIN_REGTUNE_GROUP   ? h->options.group[c->w->column[j]]
                                  : h->options.penalty == SUSTAIN_REGTUNE_CLASS ? k % h->options.classes
                                                                                : 0;
                sum[i] += (double)c->w->y[p][at] * (double)c->w->v[p][at];
            }
        sustain__exp(h->problem.upper_dim, c->x[p], out[p]);
        for (int64_t i = 0; i < h->problem.upper_dim; i++) out[p][i] = (sustain_real)(factor * (double)out[p][i] * sum[i]);
    }
}

static void show(const columns *c, double factor, sustain_touched *touched, sustain_real *const *out) {
    if (c->h->options.penalty != SUSTAIN_REGTUNE_FEATURE) {
        cross_by_others(c, factor, out);
        return;
    }
    if (touched != NULL) {
        touched->count = c->count;
        for (int64_t j = 0; j < c->count; j++) touched->coordinate[j] = c->w->column[j];
    } else {
        for (int p = 0; p < c->points; p++) sustain__zero(c->h->problem.upper_dim, out[p]);
    }
    cross_by_feature(c, factor, touched == NULL, out);
}

void sustain__regtune_sparse_pair(const regtune *h, const sustain_hyper_draw *draw, int points, const sustain_real *const *x,
                                  const sustain_real *const *y, sustain_real *const *out, void *work) {
    sustain__regtune_work w;
    columns c = {.h = h, .w = &w, .points = points, .x = x, .y = y};
    sustain__regtune_work_in(h, 1, work, &w);
    sustain__regtune_draw part = {.level = SUSTAIN_UPPER, .batch = &draw->xi, .points = points, .y = {w.y[0], w.y[1]}};
    begin_columns(&c, draw);
    gather_intercept(&c);
    add_mean(&c, &part, w.v); /* v = grad_y f */
    part.level = SUSTAIN_LOWER;
    for (int p = 0; p < points; p++) part.v[p] = w.v[p];
    for (int i = draw->k; i >= 1; i--) { /* v = prod_{i=1..k} (I - H_i / L_g) v */
        part.batch = &draw->zeta[i];
        for_each(&c, penalize, 1, w.v, w.hv);
        add_mean(&c, &part, w.hv);
        for_each(&c, subtract, -1 / draw->L_g, w.hv, w.v);
    }
    show(&c, -draw->K / draw->L_g, draw->touched, out); /* (7) */
}
