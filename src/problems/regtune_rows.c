/* regtune_rows.c - penalties of a linear model, tuned on validation rows: the part of the data.
 *
 *   s_i = y (a_i, 1),   r_i = dL/ds (s_i, b_i),   C_i = d^2 L / ds^2 (s_i, b_i): core/linear_loss.h
 *
 * Losses are computed in double from the scores on, all else in sustain_real. */
#include "core/vector.h"
#include "problems/regtune_internal.h"

typedef sustain__regtune regtune;

enum { CHUNK = SUSTAIN__BLOCK };
#define WORTH_THREADS 4e6 /* numbers of a pass over all rows */
/* a non-zero of a sparse row costs as much as so many numbers of dense ones */
#define SPARSE 8

/* The labels or targets of the samples from `first` on of a draw, or of all rows; each `times`
 * times. */
static void truths_of(const regtune *h, sustain_level level, const sustain_batch *batch, int64_t first, int64_t count, int64_t times,
                      double *out) {
    const sustain_rows *rows = &h->rows[level];
    for (int64_t j = 0; j < count; j++) {
        const double truth = sustain__loss_truth(h->loss, rows, sustain__rows_place(rows, sustain__rows_number(batch, first + j)));
        for (int64_t m = 0; m < times; m++) out[j * times + m] = truth;
    }
}

/* ---- `work` ---- */

/* Fewer where the parts are long. The results depend on it, on the number of threads they do
 * not. */
int sustain__regtune_slots(const regtune *h) {
    return h->problem.lower_dim <= 65536 ? SUSTAIN__REGTUNE_SLOTS : 2;
}

static int64_t sums_of(const regtune *h) {
    return h->options.penalty == SUSTAIN_REGTUNE_FEATURE ? 0 : h->problem.upper_dim;
}

static size_t slot_bytes(const regtune *h) {
    const int64_t width = h->model.width, n = h->problem.lower_dim;
    return sustain__block_bytes(SUSTAIN__REGTUNE_POINTS * width) +
           sustain__lines(CHUNK * SUSTAIN__REGTUNE_POINTS * width, sizeof(sustain_real)) + sustain__lines(CHUNK * width, sizeof(double)) +
           sustain__lines(n, sizeof(double)) + sustain__lines(n, sizeof(sustain_real));
}

/* Of a vector of eq. (7). */
static int64_t hyper_dim(const regtune *h) {
    return h->sparse ? sustain__model_size(&h->compact) : h->problem.lower_dim;
}

/* The table is large, so that finding a column takes few steps; most columns occur more than
 * once. */
int64_t sustain__regtune_table(int64_t columns) {
    int64_t size = 64;
    while (size < columns + columns / 4) size *= 2;
    return size;
}

static size_t sparse_bytes(const regtune *h) {
    const int64_t dim = h->compact.dim;
    if (!h->sparse) return 0;
    return SUSTAIN__REGTUNE_POINTS * (sustain__lines(hyper_dim(h), sizeof(sustain_real)) + sustain__lines(dim, sizeof(sustain_real))) +
           sustain__lines(dim, sizeof(int32_t)) + sustain__lines(CHUNK * h->longest, sizeof(int32_t)) +
           sustain__lines(sustain__regtune_table(dim), sizeof(sustain__regtune_entry));
}

size_t sustain__regtune_workspace(const void *self, int64_t max_batch) {
    const regtune *h = self;
    return (size_t)sustain__regtune_slots(h) * slot_bytes(h) + sustain__lines(sums_of(h), sizeof(double)) +
           sustain__lines(h->problem.lower_dim, sizeof(double)) +
           3 * SUSTAIN__REGTUNE_POINTS * sustain__lines(hyper_dim(h), sizeof(sustain_real)) + sparse_bytes(h) +
           sustain__lines(max_batch * h->model.width, sizeof(sustain_real));
}

void sustain__regtune_work_in(const regtune *h, int slots, void *work, sustain__regtune_work *out) {
    const int64_t width = h->model.width, n = h->problem.lower_dim;
    for (int i = 0; i < slots; i++) {
        sustain__regtune_slot *slot = &out->slot[i];
        sustain__carver c = {.memory = work, .used = (size_t)i * slot_bytes(h)};
        sustain__block_begin(h->kernels, &h->model, SUSTAIN__REGTUNE_POINTS * width, c.memory + c.used, &slot->block);
        c.used += sustain__block_bytes(SUSTAIN__REGTUNE_POINTS * width);
        slot->s = sustain__carve(&c, CHUNK * SUSTAIN__REGTUNE_POINTS * width, sizeof(sustain_real));
        slot->score = sustain__carve(&c, CHUNK * width, sizeof(double));
        slot->total = sustain__carve(&c, n, sizeof(double));
        slot->recent = sustain__carve(&c, n, sizeof(sustain_real));
    }
    sustain__carver c = {.memory = work, .used = (size_t)sustain__regtune_slots(h) * slot_bytes(h)};
    out->sum = sustain__carve(&c, sums_of(h), sizeof(double));
    out->total = sustain__carve(&c, n, sizeof(double));
    for (int p = 0; p < SUSTAIN__REGTUNE_POINTS; p++) {
        out->w[p] = sustain__carve(&c, hyper_dim(h), sizeof(sustain_real));
        out->v[p] = sustain__carve(&c, hyper_dim(h), sizeof(sustain_real));
        out->hv[p] = sustain__carve(&c, hyper_dim(h), sizeof(sustain_real));
    }
    for (int p = 0; h->sparse && p < SUSTAIN__REGTUNE_POINTS; p++) {
        out->y[p] = sustain__carve(&c, hyper_dim(h), sizeof(sustain_real));
        out->e[p] = sustain__carve(&c, h->compact.dim, sizeof(sustain_real));
    }
    if (h->sparse) {
        out->column = sustain__carve(&c, h->compact.dim, sizeof(int32_t));
        out->local = sustain__carve(&c, CHUNK * h->longest, sizeof(int32_t));
        out->table = sustain__carve(&c, sustain__regtune_table(h->compact.dim), sizeof(sustain__regtune_entry));
    }
    out->q = (sustain_real *)(void *)(c.memory + c.used);
}

/* ---- sums ---- */

/* s of the block (count, points x width) <- its scores under z. */
static void scores(sustain__block *b, int points, const sustain_real *const *z) {
    b->columns = 0;
    for (int p = 0; p < points; p++) sustain__block_column(b, z[p]);
    sustain__block_scores(b);
}

void sustain__regtune_factors(const regtune *h, const sustain__regtune_draw *d, int64_t first, int64_t count, double factor,
                              sustain__regtune_slot *slot) {
    sustain__block *b = &slot->block;
    const int64_t models = d->points * sustain__regtune_models(h), outputs = sustain__regtune_outputs(h); /* of a row */
    double truth[CHUNK * SUSTAIN__REGTUNE_POINTS * SUSTAIN_REGTUNE_FOLDS];
    truths_of(h, d->level, d->batch, first, count, models, truth);
    scores(b, d->points, d->y);
    if (d->v[0] != NULL) {
        sustain__copy(count * b->columns, b->s, slot->s);
        scores(b, d->points, d->v);
        sustain__loss_curves(h->loss, count * models, outputs, truth, slot->s, b->s);
    } else {
        sustain__loss_residuals(h->loss, count * models, outputs, truth, b->s);
    }
    if (h->options.folds > 0) sustain__regtune_weigh(h, d, first, count, b->s);
    if (factor != 1) sustain__scale(count * b->columns, factor, b->s);
}

/* The same, and takes the samples into the block. */
static void take_factors(const regtune *h, const sustain__regtune_draw *d, int64_t first, int64_t count, double factor,
                         sustain__regtune_slot *slot) {
    sustain__block_clear(&slot->block);
    sustain__block_take(&slot->block, &h->rows[d->level], d->batch, first, count);
    sustain__regtune_factors(h, d, first, count, factor, slot);
}

/* ---- rows of factors, kept ---- */

void sustain__regtune_write_factors(const regtune *h, const sustain__regtune_draw *d, double factor, double keep,
                                    sustain__regtune_slot *slot, sustain_real *q) {
    const int64_t width = h->model.width, size = d->batch->size;
    const sustain__block *b = &slot->block;
    for (int64_t first = 0; first < size; first += CHUNK) {
        take_factors(h, d, first, size - first < CHUNK ? size - first : CHUNK, factor, slot);
        for (int64_t i = 0; i < b->count; i++, q += width) {
            const sustain_real *s = b->s + i * b->columns;
            for (int64_t k = 0; k < width; k++) q[k] = d->points == 2 ? s[k] - (sustain_real)keep * s[width + k] : s[k];
        }
    }
}

void sustain__regtune_add_factors(const regtune *h, sustain_level level, const sustain_batch *batch, double weight, const sustain_real *q,
                                  sustain__block *b, sustain_real *out) {
    const int64_t width = h->model.width;
    for (int64_t first = 0; first < batch->size; first += CHUNK) {
        sustain__block_clear(b);
        sustain__block_take(b, &h->rows[level], batch, first, batch->size - first < CHUNK ? batch->size - first : CHUNK);
        b->columns = width;
        for (int64_t i = 0; i < b->count * width; i++) b->s[i] = (sustain_real)weight * q[first * width + i];
        sustain__block_add(b, 1, &out);
    }
}

/* ---- all rows ---- */

/* The rows from .. to - 1 of all. */
typedef struct part {
    int64_t from, to;
} part;

static part part_of(const regtune *h, sustain_level level, int64_t number) {
    const int64_t blocks = (h->rows[level].count + CHUNK - 1) / CHUNK, slots = sustain__regtune_slots(h);
    part p = {blocks * number / slots * CHUNK, blocks * (number + 1) / slots * CHUNK};
    if (p.to > h->rows[level].count) p.to = h->rows[level].count;
    return p;
}

/* total <- the part's sum. What is added up in sustain_real goes to a sum in double every few
 * blocks: short vectors often, long ones when the rows have touched as much. */
static void sum_part(const regtune *h, const sustain__regtune_draw *d, part p, double factor, sustain__regtune_slot *slot) {
    const int64_t n = h->problem.lower_dim, often = n <= 65536 ? 8 * CHUNK : p.to - p.from;
    for (int64_t j = 0; j < n; j++) slot->total[j] = 0;
    for (int64_t from = p.from; from < p.to; from += often) {
        const int64_t to = p.to - from < often ? p.to : from + often;
        sustain__zero(n, slot->recent);
        if (h->brief[d->level].values != NULL) sustain__regtune_add_short(h, d, from, to - from, factor, &slot->recent);
        for (int64_t first = from; first < to && h->brief[d->level].values == NULL; first += CHUNK) {
            take_factors(h, d, first, to - first < CHUNK ? to - first : CHUNK, factor, slot);
            sustain__block_add(&slot->block, 1, &slot->recent);
        }
        for (int64_t j = 0; j < n; j++) slot->total[j] += (double)slot->recent[j];
    }
}

/* What a pass over the rows of a level costs, in numbers of dense rows. */
static double cost_of_pass(const regtune *h, sustain_level level) {
    const sustain_rows *rows = &h->rows[level];
    const double numbers =
        rows->start == NULL ? (double)rows->count * (double)rows->dim : SPARSE * (double)(rows->start[rows->stored] - rows->start[0]);
    return numbers * (double)h->model.width + (double)h->problem.lower_dim;
}

sustain__workers sustain__regtune_workers(const regtune *h, sustain_level level) {
    return cost_of_pass(h, level) >= WORTH_THREADS ? SUSTAIN__PROCESSES : SUSTAIN__ALONE;
}

/* A pass over all rows, in parts of a fixed size. */
typedef struct pass {
    const regtune *h;
    const sustain__regtune_draw *d;
    double factor;
    sustain__regtune_work *w;
} pass;

static sustain__parts parts_of(pass *p, void (*sum)(void *user, int64_t number, int64_t slot)) {
    const int slots = sustain__regtune_slots(p->h);
    return (sustain__parts){
        .context = p->h->context, .sum = sum, .user = p, .by = sustain__regtune_workers(p->h, p->d->level), .count = slots, .slots = slots};
}

static void sum_one(void *user, int64_t number, int64_t slot) {
    const pass *p = user;
    sum_part(p->h, p->d, part_of(p->h, p->d->level, number), p->factor, &p->w->slot[slot]);
}

static void add_all(const regtune *h, const sustain__regtune_draw *d, double factor, sustain__regtune_work *w, sustain_real *out) {
    const int64_t n = h->problem.lower_dim;
    sustain__parts parts = parts_of(&(pass){h, d, factor, w}, sum_one);
    parts.numbers = n;
    parts.stride = (int64_t)(slot_bytes(h) / sizeof *parts.exact);
    parts.exact = w->slot[0].total;
    parts.total = w->total;
    sustain__parts_sum(&parts, NULL); /* the oracle reports an exchange that fails */
    for (int64_t j = 0; j < n; j++) out[j] = (sustain_real)((double)out[j] + w->total[j]);
}

void sustain__regtune_add_mean(const regtune *h, const sustain__regtune_draw *d, sustain_real *const *out, void *work) {
    const int64_t size = sustain__regtune_size(h, d->level, d->batch);
    const double factor = 1 / (double)size;
    if (d->batch != NULL && h->brief[d->level].values != NULL) {
        sustain__regtune_add_short(h, d, 0, size, factor, out);
        return;
    }
    sustain__regtune_work w;
    sustain__regtune_work_in(h, d->batch == NULL ? sustain__regtune_slots(h) : 1, work, &w);
    if (d->batch == NULL) {
        add_all(h, d, factor, &w, out[0]);
        return;
    }
    for (int64_t first = 0; first < size; first += CHUNK) {
        /* the next block is prefetched while this one is processed */
        if (first + CHUNK < size)
            sustain__rows_prefetch(&h->rows[d->level], d->batch, first + CHUNK, CHUNK);
        else if (d->next != NULL)
            sustain__rows_prefetch(&h->rows[SUSTAIN_LOWER], d->next, 0, CHUNK);
        take_factors(h, d, first, size - first < CHUNK ? size - first : CHUNK, factor, &w.slot[0]);
        sustain__block_add(&w.slot[0].block, d->points, out);
    }
}

/* ---- losses ---- */

/* The sum over the samples from .. to - 1. */
static double sum_losses(const regtune *h, sustain_level level, const sustain_batch *batch, part p, const sustain_real *y,
                         sustain__regtune_slot *slot) {
    double sum = 0;
    for (int64_t first = p.from; first < p.to; first += CHUNK) {
        const int64_t count = p.to - first < CHUNK ? p.to - first : CHUNK;
        sustain__block_clear(&slot->block);
        sustain__block_take(&slot->block, &h->rows[level], batch, first, count);
        sustain__block_exact(&slot->block, y, slot->score);
        if (h->model.width == 1) {
            double truth[CHUNK];
            truths_of(h, level, batch, first, count, 1, truth);
            sum += sustain__loss_values(h->loss, count, slot->score, truth);
            continue;
        }
        for (int64_t j = 0; j < count; j++)
            sum += sustain__regtune_loss_of_sample(h, level, sustain__rows_number(batch, first + j), slot->score + j * h->model.width);
    }
    return sum;
}

static void losses_of_one(void *user, int64_t number, int64_t slot) {
    const pass *p = user;
    p->w->loss[slot] = sum_losses(p->h, p->d->level, NULL, part_of(p->h, p->d->level, number), p->d->y[0], &p->w->slot[slot]);
}

static double losses_of_all(const regtune *h, sustain_level level, const sustain_real *y, sustain__regtune_work *w) {
    const sustain__regtune_draw d = {.level = level, .points = 1, .y = {y}};
    sustain__parts parts = parts_of(&(pass){.h = h, .d = &d, .w = w}, losses_of_one);
    double sum;
    parts.value = w->loss;
    sustain__parts_sum(&parts, &sum);
    return sum;
}

double sustain__regtune_loss(const regtune *h, sustain_level level, const sustain_batch *batch, const sustain_real *y, void *work) {
    const int64_t size = sustain__regtune_size(h, level, batch);
    sustain__regtune_work w;
    sustain__regtune_work_in(h, batch == NULL ? sustain__regtune_slots(h) : 1, work, &w);
    const double sum = batch == NULL ? losses_of_all(h, level, y, &w) : sum_losses(h, level, batch, (part){0, size}, y, &w.slot[0]);
    return sum / (double)size;
}
