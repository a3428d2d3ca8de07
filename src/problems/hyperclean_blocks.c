/* hyperclean_blocks.c - data hyper-cleaning: sums over a draw, block by block.
 *
 * A sample's part of a gradient or Hessian product is q (a_i, 1)'; the rows q of a block come from
 * one product with all columns that are wanted, y at one or two points and, for Hessian products,
 * v. Blocks have a fixed size and are added up in their order, in double, so that the bits do not
 * depend on how many threads work on them. */
#include <math.h>

#include "core/part_sums.h"
#include "core/vector.h"
#include "problems/hyperclean_internal.h"

typedef sustain__hyperclean hyperclean;
typedef sustain__clean_draw clean_draw;
typedef sustain__clean_part clean_part;
typedef sustain__clean_work clean_work;

enum { BLOCK = SUSTAIN__BLOCK };

/* ---- `work` ---- */

size_t sustain__clean_workspace(const void *self, int64_t max_batch) {
    const hyperclean *h = self;
    const int64_t lower = h->problem.lower_dim, width = h->model.width;
    (void)max_batch;
    return (size_t)h->slots * (sustain__block_bytes(4 * width) + sustain__lines(2 * lower, sizeof(sustain_real)) +
                               sustain__lines(BLOCK * width, sizeof(double))) +
           sustain__lines(h->slots * (2 * lower + 1), sizeof(double)) + sustain__lines(2 * lower, sizeof(double)) +
           2 * sustain__lines(lower, sizeof(sustain_real)) + sustain__lines(BLOCK * BLOCK, sizeof(sustain_real)) +
           sustain__lines(BLOCK * 2 * width, sizeof(sustain_real));
}

void sustain__clean_work_in(const hyperclean *h, int slots, void *work, clean_work *out) {
    const int64_t lower = h->problem.lower_dim, width = h->model.width;
    const size_t block = sustain__block_bytes(4 * width);
    char *at = work;
    for (int i = 0; i < h->slots; i++) {
        if (i < slots) sustain__block_begin(h->kernels, &h->model, 4 * width, at, &out->block[i]);
        at += block;
        out->exact[i] = (double *)(void *)at, at += sustain__lines(BLOCK * width, sizeof(double));
    }
    out->stride = (int64_t)(sustain__lines(2 * lower, sizeof(sustain_real)) / sizeof(sustain_real));
    out->part = (sustain_real *)(void *)at, at += h->slots * out->stride * (int64_t)sizeof(sustain_real);
    out->run = (double *)(void *)at, at += sustain__lines(h->slots * (2 * lower + 1), sizeof(double));
    out->total = (double *)(void *)at, at += sustain__lines(2 * lower, sizeof(double));
    out->v[0] = (sustain_real *)(void *)at, at += sustain__lines(lower, sizeof(sustain_real));
    out->v[1] = (sustain_real *)(void *)at, at += sustain__lines(lower, sizeof(sustain_real));
    out->gram = (sustain_real *)(void *)at, at += sustain__lines(BLOCK * BLOCK, sizeof(sustain_real));
    out->t = (sustain_real *)(void *)at;
}

/* ---- the samples of a block ---- */

/* sigma(x), and sigma'(x) where slope is not NULL. The exponential never overflows. */
static double logistic(sustain_real x, double *slope) {
    const double e = exp(-fabs((double)x)), small = e / (1 + e), large = 1 / (1 + e);
    if (slope != NULL) *slope = small * large;
    return x < 0 ? small : large;
}

void sustain__clean_softmax(sustain__block *b, int points) {
    sustain__softmax(b->count, b->columns, points, b->model->width, b->s, NULL);
}

/* Sample j of a draw. */
static int32_t label_of(const hyperclean *h, const clean_draw *d, int64_t j) {
    const sustain_rows *rows = &h->rows[d->level];
    return rows->labels[sustain__rows_place(rows, sustain__rows_number(d->batch, j))];
}

void sustain__clean_rows(const hyperclean *h, const clean_draw *d, double weight, const clean_part *part) {
    const int64_t width = h->model.width;
    for (int64_t j = 0; j < part->count; j++)
        for (int p = 0; p < d->points; p++) {
            const int64_t i = sustain__rows_number(d->batch, part->first + j);
            sustain_real *q = part->block->s + (part->at + j) * part->block->columns + p * width;
            const sustain_real w =
                (sustain_real)(d->level == SUSTAIN_LOWER ? weight * logistic(d->x[p][sustain__clean_coordinate(h, i)], NULL) : weight);
            if (part->t == NULL) {
                q[label_of(h, d, part->first + j)] -= 1;
                /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): t is NULL without v */
                for (int64_t k = 0; k < width; k++) q[k] *= w;
            } else {
                sustain__softmax_curve(width, w, q, part->t + j * part->stride + p * width, q);
            }
        }
}

void sustain__clean_cross_rows(const hyperclean *h, const clean_draw *d, double factor, const clean_part *part, sustain_real *const *out) {
    const int64_t width = h->model.width;
    for (int64_t j = 0; j < part->count; j++)
        for (int p = 0; p < d->points; p++) {
            const sustain_real *q = part->block->s + (part->at + j) * part->block->columns + p * width;
            const sustain_real *t = part->t + j * part->stride + p * width;
            double slope, product = -(double)t[label_of(h, d, part->first + j)];
            logistic(d->x[p][sustain__clean_coordinate(h, sustain__rows_number(d->batch, part->first + j))], &slope);
            for (int64_t k = 0; k < width; k++) product += (double)q[k] * (double)t[k];
            out[p][part->first + j] = (sustain_real)(factor * slope * product);
        }
}

void sustain__clean_subtract(sustain__block *b, int64_t count, double keep) {
    const int64_t width = b->model->width;
    for (int64_t i = 0; i < count; i++) {
        sustain_real *q = b->s + i * b->columns;
        for (int64_t k = 0; k < width; k++) q[k] -= (sustain_real)keep * q[width + k];
    }
}

/* Block number `number` of a draw with the scores it needs, and p. */
static clean_part begin_block(const hyperclean *h, const clean_draw *d, int64_t number, sustain__block *b) {
    const int64_t size = sustain__rows_size(&h->rows[d->level], d->batch), first = number * BLOCK;
    const int64_t count = size - first < BLOCK ? size - first : BLOCK;
    sustain__block_clear(b);
    sustain__block_take(b, &h->rows[d->level], d->batch, first, count);
    for (int p = 0; p < d->points; p++) sustain__block_column(b, d->y[p]);
    for (int p = 0; p < d->points && d->v[0] != NULL; p++) sustain__block_column(b, d->v[p]);
    sustain__block_scores(b);
    sustain__clean_softmax(b, d->points);
    return (clean_part){
        .block = b, .first = first, .count = count, .t = d->v[0] != NULL ? b->s + d->points * h->model.width : NULL, .stride = b->columns};
}

/* ---- all blocks ---- */

static int64_t block_count(const hyperclean *h, const clean_draw *d) {
    return (sustain__rows_size(&h->rows[d->level], d->batch) + BLOCK - 1) / BLOCK;
}

/* What is done with blocks whose p is computed, each in a slot of its own. */
typedef struct visitor {
    const hyperclean *h;
    const clean_draw *d;
    clean_work *w;
    double weight, keep;
    int outputs;              /* vectors that are added up */
    sustain_real *const *out; /* (points) numbers of samples, ... */
    int64_t width;            /* ... so many of each */
    const sustain_real *rows; /* of a table */
} visitor;

/* What a block writes for each of its samples. */
static void *written(void *user, int64_t number, int which, size_t *bytes) {
    const visitor *v = user;
    const int64_t size = sustain__rows_size(&v->h->rows[v->d->level], v->d->batch), first = number * BLOCK;
    const int64_t count = size - first < BLOCK ? size - first : BLOCK;
    *bytes = (size_t)(count * v->width) * sizeof(sustain_real);
    return v->out[which] + first * v->width;
}

/* Products with y or v from which on threads are worth waking, and other processes an exchange. */
static const sustain__worth worth = {.threads = 1e6, .processes = 2e6};

/* total (outputs, lower_dim) <- the sum of what the blocks of a draw put into their parts; *loss,
 * unless it is NULL, that of their losses. */
static void visit_blocks(visitor *v, void (*visit)(void *v, int64_t number, int64_t slot), double *loss) {
    const int64_t blocks = block_count(v->h, v->d), slots = blocks < v->h->slots ? blocks : v->h->slots;
    const double products = (double)(blocks * BLOCK) * (double)v->h->problem.lower_dim;
    const sustain__parts parts = {.context = v->h->context,
                                  .sum = visit,
                                  .user = v,
                                  .by = sustain__workers_for(products, worth, SUSTAIN__PROCESSES),
                                  .count = blocks,
                                  .slots = slots,
                                  .numbers = v->outputs * v->h->problem.lower_dim,
                                  .stride = v->w->stride,
                                  .partial = v->w->part,
                                  .value = loss != NULL ? v->w->loss : NULL,
                                  .run = v->w->run,
                                  .total = v->w->total,
                                  .output = written,
                                  .outputs = v->out == NULL ? 0 : v->d->points};
    sustain__parts_sum(&parts, loss); /* the oracle reports an exchange that fails */
}

/* The block of a slot, whose q are computed, added to nothing. */
static void add_part(const visitor *v, int64_t slot) {
    const int64_t n = v->h->problem.lower_dim;
    sustain_real *own = v->w->part + slot * v->w->stride, *const part[2] = {own, own + n};
    sustain__zero(v->outputs * n, own);
    sustain__block_add(&v->w->block[slot], v->outputs, part);
}

static void visit_sum(void *user, int64_t number, int64_t slot) {
    const visitor *v = user;
    sustain__block *b = &v->w->block[slot];
    const clean_part own = begin_block(v->h, v->d, number, b);
    sustain__clean_rows(v->h, v->d, v->weight, &own);
    if (v->outputs < v->d->points) sustain__clean_subtract(b, own.count, v->keep);
    add_part(v, slot);
}

static double mean_weight(const hyperclean *h, const clean_draw *d) {
    return 1 / (double)sustain__rows_size(&h->rows[d->level], d->batch);
}

void sustain__clean_sum(const hyperclean *h, const clean_draw *d, clean_work *w, double ridge, double scale,
                        const sustain_real *const *from, sustain_real *const *out) {
    const int64_t n = h->problem.lower_dim;
    visitor v = {.h = h, .d = d, .w = w, .weight = scale * mean_weight(h, d), .outputs = d->points};
    if (block_count(h, d) == 1) { /* small draws are summed directly into the output */
        sustain__block *b = &w->block[0];
        const clean_part own = begin_block(h, d, 0, b);
        sustain__clean_rows(h, d, v.weight, &own);
        for (int p = 0; p < d->points; p++) {
            if (from != NULL && from[p] != out[p]) sustain__copy(n, from[p], out[p]);
            from != NULL ? sustain__scale(n, ridge, out[p]) : sustain__zero(n, out[p]);
        }
        sustain__block_add(b, d->points, out);
        return;
    }
    visit_blocks(&v, visit_sum, NULL);
    for (int p = 0; p < d->points; p++)
        for (int64_t j = 0; j < n; j++) out[p][j] = (sustain_real)(w->total[p * n + j] + (from != NULL ? ridge * (double)from[p][j] : 0));
}

void sustain__clean_difference(const hyperclean *h, const clean_draw *d, double keep, clean_work *w) {
    visitor v = {.h = h, .d = d, .w = w, .weight = mean_weight(h, d), .keep = keep, .outputs = 1};
    visit_blocks(&v, visit_sum, NULL);
}

static void visit_cross(void *user, int64_t number, int64_t slot) {
    const visitor *v = user;
    const clean_part own = begin_block(v->h, v->d, number, &v->w->block[slot]);
    sustain__clean_cross_rows(v->h, v->d, v->weight, &own, v->out);
}

void sustain__clean_cross(const hyperclean *h, const clean_draw *d, double factor, clean_work *w, sustain_real *const *out) {
    visitor v = {.h = h, .d = d, .w = w, .weight = factor * mean_weight(h, d), .out = out, .width = 1};
    visit_blocks(&v, visit_cross, NULL);
}

/* ---- tables ---- */

static void visit_rows(void *user, int64_t number, int64_t slot) {
    const visitor *v = user;
    const int64_t width = v->h->model.width;
    const clean_part own = begin_block(v->h, v->d, number, &v->w->block[slot]);
    sustain__clean_rows(v->h, v->d, 1, &own);
    for (int64_t j = 0; j < own.count; j++)
        sustain__copy(width, own.block->s + j * own.block->columns, v->out[0] + (own.first + j) * width);
}

void sustain__clean_table_rows(const hyperclean *h, const clean_draw *d, bool cross, clean_work *w, sustain_real *rows) {
    visitor v = {.h = h, .d = d, .w = w, .weight = 1, .out = &rows, .width = cross ? 1 : h->model.width};
    visit_blocks(&v, cross ? visit_cross : visit_rows, NULL);
}

static void visit_given(void *user, int64_t number, int64_t slot) {
    const visitor *v = user;
    const int64_t first = number * BLOCK, left = v->d->batch->size - first, count = left < BLOCK ? left : BLOCK;
    sustain__block *b = &v->w->block[slot];
    sustain__block_clear(b);
    sustain__block_take(b, &v->h->rows[v->d->level], v->d->batch, first, count);
    b->columns = v->h->model.width;
    sustain__copy(count * b->columns, v->rows + first * b->columns, b->s);
    add_part(v, slot);
}

void sustain__clean_table_add(const hyperclean *h, const clean_draw *d, const sustain_real *rows, double weight, clean_work *w,
                              sustain_real *out) {
    visitor v = {.h = h, .d = d, .w = w, .rows = rows, .outputs = 1};
    visit_blocks(&v, visit_given, NULL);
    for (int64_t j = 0; j < h->problem.lower_dim; j++) out[j] = (sustain_real)((double)out[j] + weight * w->total[j]);
}

/* ---- losses ---- */

static void visit_loss(void *user, int64_t number, int64_t slot) {
    const visitor *v = user;
    const hyperclean *h = v->h;
    const clean_draw *d = v->d;
    const int64_t size = sustain__rows_size(&h->rows[d->level], d->batch), first = number * BLOCK;
    const int64_t count = size - first < BLOCK ? size - first : BLOCK;
    sustain__block *b = &v->w->block[slot];
    double *scores = v->w->exact[slot], sum = 0;
    sustain__block_clear(b);
    sustain__block_take(b, &h->rows[d->level], d->batch, first, count);
    sustain__block_exact(b, d->y[0], scores);
    for (int64_t j = 0; j < count; j++) {
        double slope = 0, weight = 1;
        if (d->level == SUSTAIN_LOWER)
            weight = logistic(d->x[0][sustain__clean_coordinate(h, sustain__rows_number(d->batch, first + j))], &slope);
        const double loss =
            sustain__loss_value(&sustain__loss_softmax, h->model.width, scores + j * h->model.width, label_of(h, d, first + j));
        if (v->out != NULL) v->out[0][first + j] = (sustain_real)(slope * loss / (double)size);
        sum += weight * loss;
    }
    v->w->loss[slot] = sum;
}

double sustain__clean_loss(const hyperclean *h, const clean_draw *d, clean_work *w, sustain_real *gx) {
    visitor v = {.h = h, .d = d, .w = w, .out = gx != NULL ? &gx : NULL, .width = 1};
    double sum;
    visit_blocks(&v, visit_loss, &sum);
    return sum * mean_weight(h, d);
}
