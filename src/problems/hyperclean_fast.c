/* hyperclean_fast.c - data hyper-cleaning: eq. (7) and (13) at two points at once.
 *
 * v of eq. (7) stays a combination of the rows drawn, v = sum_r q_r (a_r, 1)': it begins as grad_y f, that of the rows of xi, and
 *
 *   v <- (I - H_i / L_g) v = (1 - 2c/L_g) v - 1/L_g mean over s in zeta^(i) of sigma(x_s) (p_s t_s - p_s p_s't_s) (a_s, 1)',
 *   t_s = v (a_s, 1) = sum_r q_r (a_r, 1)'(a_s, 1)
 *
 * multiplies the q_r and adds those of zeta^(i). So a small draw needs one product of all its rows with y at both points and their Gram
 * matrix, and no vector of the length of y. Larger draws keep v: it has fewer numbers than their Gram matrix. */
#include "core/vector.h"
#include "problems/hyperclean.h"

typedef sustain__hyperclean hyperclean;
typedef sustain__clean_draw clean_draw;
typedef sustain__clean_part clean_part;
typedef sustain__clean_work clean_work;

/* The points at which a draw is looked at. */
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

/* ---- small draws: by the Gram matrix ---- */

static int64_t hyper_rows(const sustain_hyper_draw *draw) {
    int64_t rows = draw->xi.size;
    for (int i = 0; i <= draw->k; i++) rows += draw->zeta[i].size;
    return rows;
}

/* Takes the rows of eq. (7) into a block in the order in which they are used: xi, zeta^(k), ..., zeta^(1), zeta^(0). */
static void take_rows(const hyperclean *h, const sustain_hyper_draw *draw, sustain__block *b) {
    sustain__block_take(b, &h->rows[SUSTAIN_UPPER], &draw->xi, 0, draw->xi.size);
    for (int i = draw->k; i >= 0; i--) sustain__block_take(b, &h->rows[SUSTAIN_LOWER], &draw->zeta[i], 0, draw->zeta[i].size);
}

/* t of `count` rows from number s on: the sums over the rows before it. Rows are counted from `first` of the block. */
static void products_with_v(const hyperclean *h, const sustain__block *b, int points_, int64_t first, int64_t s, int64_t count,
                            const sustain_real *gram, sustain_real *t) {
    const int64_t n = b->count - first, width = points_ * h->model.width;
    for (int64_t j = 0; j < count; j++, t += width) {
        for (int64_t k = 0; k < width; k++) t[k] = 0;
        for (int64_t r = 0; r < s; r++) {
            const sustain_real *q = b->s + (first + r) * b->columns, g = gram[r * n + s + j];
            for (int64_t k = 0; k < width; k++) t[k] += g * q[k];
        }
    }
}

/* Eq. (7) with the rows of a block from `first` on, whose p at all points is there. */
static void hyper_by_gram(const hyperclean *h, const sustain_hyper_draw *draw, const points *at, clean_work *w, int64_t first,
                          sustain_real *const *out) {
    sustain__block *b = &w->block[0];
    const int64_t width = at->count * h->model.width;
    const sustain_real shrink = (sustain_real)(1 - 2 * h->c / draw->L_g);
    clean_part part = {.block = b, .at = first, .count = draw->xi.size, .stride = width};
    sustain__block_gram(b, first, w->gram);
    const clean_draw xi = at_points(SUSTAIN_UPPER, &draw->xi, at);
    sustain__clean_rows(h, &xi, 1 / (double)draw->xi.size, &part); /* v = grad_y f */
    part.t = w->t;
    for (int i = draw->k; i >= 0; i--) {
        const clean_draw zeta = at_points(SUSTAIN_LOWER, &draw->zeta[i], at);
        const double size = (double)draw->zeta[i].size;
        part.at += part.count;
        part.count = draw->zeta[i].size;
        products_with_v(h, b, at->count, first, part.at - first, part.count, w->gram, w->t);
        if (i == 0) {
            sustain__clean_cross_rows(h, &zeta, -draw->K / draw->L_g / size, &part, out); /* - (K/L_g) J_0 v     (7) */
            return;
        }
        for (int64_t r = first; r < part.at; r++)
            for (int64_t k = 0; k < width; k++) b->s[r * b->columns + k] *= shrink;
        sustain__clean_rows(h, &zeta, -1 / draw->L_g / size, &part); /* v = (I - H_i / L_g) v */
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

int sustain__clean_hyper_pair(const void *self, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                              const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out, sustain_real *out_prev,
                              void *work) {
    const hyperclean *h = self;
    const points at = {x_prev != NULL ? 2 : 1, {x, x_prev}, {y, y_prev}};
    sustain_real *const to[2] = {out, out_prev};
    clean_work w;
    if (hyper_rows(draw) > SUSTAIN__BLOCK) {
        sustain__clean_work_in(h, h->slots, work, &w);
        hyper_by_vectors(h, draw, &at, &w, to);
        return 0;
    }
    sustain__clean_work_in(h, 1, work, &w);
    sustain__block *b = &w.block[0];
    take_rows(h, draw, b);
    for (int p = 0; p < at.count; p++) sustain__block_column(b, at.y[p]);
    sustain__block_scores(b);
    sustain__clean_softmax(b, at.count);
    hyper_by_gram(h, draw, &at, &w, 0, to);
    return 0;
}

/* ---- one iteration ---- */

static void small_step(const hyperclean *h, const sustain_momentum_step *step, const points *at, int hyper_points, clean_work *w,
                       const sustain__lower_step *lower, sustain_real *hg, sustain_real *y, sustain_real *y_prev,
                       sustain_real *const *out) {
    sustain__block *b = &w->block[0];
    const int64_t size = step->zeta->size;
    const clean_draw zeta = at_points(SUSTAIN_LOWER, step->zeta, at);
    points hyper = *at;
    hyper.count = hyper_points;
    sustain__block_take(b, &h->rows[SUSTAIN_LOWER], step->zeta, 0, size);
    take_rows(h, step->draw, b);
    for (int p = 0; p < at->count; p++) sustain__block_column(b, at->y[p]);
    sustain__block_scores(b);
    sustain__clean_softmax(b, at->count);
    sustain__clean_rows(h, &zeta, 1 / (double)size, &(clean_part){.block = b, .count = size});
    if (at->count == 2) sustain__clean_subtract(b, size, step->keep);
    hyper_by_gram(h, step->draw, &hyper, w, size, out);
    sustain__block_step(b, size, lower, hg, y, y_prev);
}

static void large_step(const hyperclean *h, const sustain_momentum_step *step, const points *at, int hyper_points, clean_work *w,
                       const sustain__lower_step *lower, sustain_real *hg, sustain_real *y, sustain_real *y_prev,
                       sustain_real *const *out) {
    const clean_draw zeta = at_points(SUSTAIN_LOWER, step->zeta, at);
    points hyper = *at;
    hyper.count = hyper_points;
    hyper_by_vectors(h, step->draw, &hyper, w, out);
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
