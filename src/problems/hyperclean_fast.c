/* hyperclean_fast.c - data hyper-cleaning: eq. (7) and (13) at two points at once.
 *
 * v of eq. (7) is a combination of the rows drawn, v = sum_r q_r (a_r, 1)': it begins as grad_y f,
 * that of the rows of xi, and
 *
 *   v <- (I - H_i / L_g) v = (1 - 2c/L_g) v - 1/L_g mean over s in zeta^(i) of sigma(x_s) (p_s t_s - p_s p_s't_s) (a_s, 1)',
 *   t_s = v (a_s, 1) = sum_r q_r (a_r, 1)'(a_s, 1)
 *
 * multiplies the q_r and adds those of zeta^(i). So a small draw needs one product of all its rows
 * with y at both points and their Gram matrix, and no vector of the length of y. Where many terms
 * of few rows do not fit into one block, each block of them begins with v and its products with the
 * rows, and adds its q_r (a_r, 1)' to v at its end: one pass over y and v for all its terms. Terms
 * of many rows are such blocks themselves, and a Gram matrix would cost more than it saves. */
#include "core/vector.h"
#include "problems/hyperclean_internal.h"

typedef sustain__hyperclean hyperclean;
typedef sustain__clean_draw clean_draw;
typedef sustain__clean_part clean_part;
typedef sustain__clean_work clean_work;

/* The points at which a draw is evaluated. */
typedef struct points {
    int count;
    const sustain_real *x[2], *y[2];
} points;

static clean_draw at_points(sustain_level level, const sustain_batch *batch, const points *at) {
    return (clean_draw){.level = level, .batch = batch, .points = at->count, .x = {at->x[0], at->x[1]}, .y = {at->y[0], at->y[1]}};
}

int sustain__clean_g_grad_y_pair(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                 const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *gy, sustain_real *gy_prev,
                                 void *work) {
    const hyperclean *h = self;
    const clean_draw d = {.level = SUSTAIN_LOWER, .batch = zeta, .points = 2, .x = {x, x_prev}, .y = {y, y_prev}};
    clean_work w;
    sustain__clean_work_in(h, h->slots, work, &w);
    sustain__clean_sum(h, &d, &w, 2 * h->c, 1, d.y, (sustain_real *const[]){gy, gy_prev});
    return 0;
}

/* ---- few rows a term: by Gram matrices ---- */

static int64_t hyper_rows(const sustain_hyper_draw *draw) {
    int64_t rows = draw->xi.size;
    for (int i = 0; i <= draw->k; i++) rows += draw->zeta[i].size;
    return rows;
}

/* The draws of eq. (7) in the order in which they are used: xi is number k + 1, then zeta^(k), ...,
 * zeta^(0). */
static clean_draw draw_number(const sustain_hyper_draw *draw, int i, const points *at) {
    return i > draw->k ? at_points(SUSTAIN_UPPER, &draw->xi, at) : at_points(SUSTAIN_LOWER, &draw->zeta[i], at);
}

/* Takes the rows of draw number `from` and of those after it into a block, as far as they fit;
 * returns the number of the first that does not. */
static int take_rows(const hyperclean *h, const sustain_hyper_draw *draw, int from, sustain__block *b) {
    int i = from;
    for (; i >= 0; i--) {
        const clean_draw d = draw_number(draw, i, &(points){0});
        if (b->count + d.batch->size > SUSTAIN__BLOCK) break;
        sustain__block_take(b, &h->rows[d.level], d.batch, 0, d.batch->size);
    }
    return i;
}

/* t of `count` rows from number s on: the sums over the rows before it and, with factor `kept`,
 * what is there of them already. Rows are counted from `first` of the block. */
static void products_with_v(const hyperclean *h, const sustain__block *b, int points_, int64_t first, int64_t s, int64_t count,
                            const sustain_real *gram, sustain_real kept, sustain_real *t) {
    const int64_t n = b->count - first, width = points_ * h->model.width;
    for (int64_t j = 0; j < count; j++, t += width) {
        const sustain_real *before = b->s + (first + s + j) * b->columns + width;
        for (int64_t k = 0; k < width; k++) t[k] = kept != 0 ? kept * before[k] : 0;
        for (int64_t r = 0; r < s; r++) {
            const sustain_real *q = b->s + (first + r) * b->columns, g = gram[r * n + s + j];
            for (int64_t k = 0; k < width; k++) t[k] += g * q[k];
        }
    }
}

/* Eq. (7) from draw number `from` to the one before `to`, whose rows are in a block from `first`
 * on, with their p at all points and, but for xi, their products with v after them. v becomes what
 * is returned times v, and the rows of the block times their q. */
static double hyper_by_gram(const hyperclean *h, const sustain_hyper_draw *draw, const points *at, clean_work *w, int64_t first, int from,
                            int to, sustain_real *const *out) {
    sustain__block *b = &w->block[0];
    const int64_t width = at->count * h->model.width;
    const sustain_real shrink = (sustain_real)(1 - 2 * h->c / draw->L_g);
    sustain_real kept = from > draw->k ? 0 : 1;
    clean_part part = {.block = b, .at = first, .stride = width};
    sustain__block_gram(b, first, w->gram);
    for (int i = from; i > to; i--) {
        const clean_draw d = draw_number(draw, i, at);
        const double size = (double)d.batch->size;
        part.at += part.count;
        part.count = d.batch->size;
        if (i > draw->k) {
            sustain__clean_rows(h, &d, 1 / size, &part); /* v = grad_y f */
            continue;
        }
        part.t = w->t;
        products_with_v(h, b, at->count, first, part.at - first, part.count, w->gram, kept, w->t);
        if (i == 0) {
            sustain__clean_cross_rows(h, &d, -draw->K / draw->L_g / size, &part, out); /* - (K/L_g) J_0 v     (7) */
            break;
        }
        kept *= shrink;
        for (int64_t r = first; r < part.at; r++)
            for (int64_t k = 0; k < width; k++) b->s[r * b->columns + k] *= shrink;
        sustain__clean_rows(h, &d, -1 / draw->L_g / size, &part); /* v = (I - H_i / L_g) v */
    }
    return (double)kept;
}

static void hyper_by_blocks(const hyperclean *h, const sustain_hyper_draw *draw, const points *at, clean_work *w,
                            sustain_real *const *out) {
    sustain__block *b = &w->block[0];
    for (int from = draw->k + 1, to; from >= 0; from = to) {
        sustain__block_clear(b);
        to = take_rows(h, draw, from, b);
        for (int p = 0; p < at->count; p++) sustain__block_column(b, at->y[p]);
        for (int p = 0; p < at->count && from <= draw->k; p++) sustain__block_column(b, w->v[p]);
        sustain__block_scores(b);
        sustain__clean_softmax(b, at->count);
        const double kept = hyper_by_gram(h, draw, at, w, 0, from, to, out);
        if (to < 0) return;
        for (int p = 0; p < at->count; p++)
            from > draw->k ? sustain__zero(h->problem.lower_dim, w->v[p]) : sustain__scale(h->problem.lower_dim, kept, w->v[p]);
        sustain__block_add(b, at->count, w->v);
    }
}

/* ---- large draws ---- */

static void hyper_by_vectors(const hyperclean *h, const sustain_hyper_draw *draw, const points *at, clean_work *w,
                             sustain_real *const *out) {
    const clean_draw xi = at_points(SUSTAIN_UPPER, &draw->xi, at);
    sustain__clean_sum(h, &xi, w, 0, 1, NULL, w->v); /* v = grad_y f */
    for (int i = draw->k; i >= 0; i--) {
        clean_draw zeta = at_points(SUSTAIN_LOWER, &draw->zeta[i], at);
        zeta.v[0] = w->v[0];
        zeta.v[1] = w->v[1];
        if (i == 0)
            sustain__clean_cross(h, &zeta, -draw->K / draw->L_g, w, out); /* - (K/L_g) J_0 v     (7) */
        else /* v = (I - H_i / L_g) v; a block is done with v when the sum is written */
            sustain__clean_sum(h, &zeta, w, 1 - 2 * h->c / draw->L_g, -1 / draw->L_g, (const sustain_real *const[]){w->v[0], w->v[1]},
                               w->v);
    }
}

/* Blocks of several terms save passes over y and v and cost a Gram matrix. This pays where a term
 * has few rows to share its passes among, and y and v at both points are more than the 32 KB of a
 * processor's first cache. Measured with 10 classes and K = 200, single samples take half the time
 * so at 784 features, but 1.2 times as long at 50; terms of eight rows at 784 features take 1.15
 * times as long. */
static bool by_blocks(const hyperclean *h, const sustain_hyper_draw *draw) {
    enum { FEW_ROWS = 4, LONG_Y = 2048 };
    if (hyper_rows(draw) <= SUSTAIN__BLOCK) return true;
    bool few = draw->xi.size <= FEW_ROWS;
    for (int i = 0; i <= draw->k; i++) few = few && draw->zeta[i].size <= FEW_ROWS;
    return few && h->problem.lower_dim > LONG_Y;
}

static void hyper(const hyperclean *h, const sustain_hyper_draw *draw, const points *at, clean_work *w, sustain_real *const *out) {
    (by_blocks(h, draw) ? hyper_by_blocks : hyper_by_vectors)(h, draw, at, w, out);
}

int sustain__clean_hyper_pair(const void *self, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                              const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out, sustain_real *out_prev,
                              void *work) {
    const hyperclean *h = self;
    const points at = {x_prev != NULL ? 2 : 1, {x, x_prev}, {y, y_prev}};
    clean_work w;
    sustain__clean_work_in(h, h->slots, work, &w);
    hyper(h, draw, &at, &w, (sustain_real *const[]){out, out_prev});
    return 0;
}

/* ---- one iteration ---- */

static void small_step(const hyperclean *h, const sustain_momentum_step *step, const points *at, int hyper_points, clean_work *w,
                       const sustain__lower_step *lower, sustain_real *hg, sustain_real *y, sustain_real *y_prev,
                       sustain_real *const *out) {
    sustain__block *b = &w->block[0];
    const int64_t size = step->zeta->size;
    const clean_draw zeta = at_points(SUSTAIN_LOWER, step->zeta, at);
    points upper = *at;
    upper.count = hyper_points;
    sustain__block_take(b, &h->rows[SUSTAIN_LOWER], step->zeta, 0, size);
    take_rows(h, step->draw, step->draw->k + 1, b);
    for (int p = 0; p < at->count; p++) sustain__block_column(b, at->y[p]);
    sustain__block_scores(b);
    sustain__clean_softmax(b, at->count);
    sustain__clean_rows(h, &zeta, 1 / (double)size, &(clean_part){.block = b, .count = size});
    if (at->count == 2) sustain__clean_subtract(b, size, step->keep);
    hyper_by_gram(h, step->draw, &upper, w, size, step->draw->k + 1, -1, out);
    sustain__block_step(b, size, lower, hg, y, y_prev);
}

static void large_step(const hyperclean *h, const sustain_momentum_step *step, const points *at, int hyper_points, clean_work *w,
                       const sustain__lower_step *lower, sustain_real *hg, sustain_real *y, sustain_real *y_prev,
                       sustain_real *const *out) {
    const clean_draw zeta = at_points(SUSTAIN_LOWER, step->zeta, at);
    points upper = *at;
    upper.count = hyper_points;
    hyper(h, step->draw, &upper, w, out);
    sustain__clean_difference(h, &zeta, step->keep, w);
    for (int64_t j = 0; j < h->problem.lower_dim; j++) {
        const double ridge = lower->ridge * ((double)y[j] - lower->keep * (double)y_prev[j]);
        hg[j] = (sustain_real)(lower->keep * (double)hg[j] + ridge + w->total[j]);
    }
    sustain__move(h->problem.lower_dim, step->beta, hg, y, y_prev);
}

int sustain__clean_momentum_step(const void *self, const sustain_momentum_step *step, const sustain_real *x, const sustain_real *x_prev,
                                 sustain_real *hg, sustain_real *y, sustain_real *y_prev, sustain_real *out, sustain_real *out_prev,
                                 void *work) {
    const hyperclean *h = self;
    const int hyper_points = out_prev != NULL ? 2 : 1;
    const points at = {step->keep != 0 || hyper_points == 2 ? 2 : 1, {x, x_prev}, {y, y_prev}};
    const sustain__lower_step lower = {step->keep, 2 * h->c, step->beta};
    const bool small = step->zeta->size + hyper_rows(step->draw) <= SUSTAIN__BLOCK;
    clean_work w;
    sustain__clean_work_in(h, small ? 1 : h->slots, work, &w);
    (small ? small_step : large_step)(h, step, &at, hyper_points, &w, &lower, hg, y, y_prev, (sustain_real *const[]){out, out_prev});
    return 0;
}
