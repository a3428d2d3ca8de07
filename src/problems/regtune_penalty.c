/* regtune_penalty.c - penalties of a linear model, tuned on validation rows: the part of the
 * penalties,
 *
 *   w_j = floor + exp(x_{group(j)}),      1/2 sum_j w_j y_j^2. */
#include <math.h>

#include "core/exp.h"
#include "core/vector.h"
#include "problems/regtune_internal.h"

typedef sustain__regtune regtune;

enum { BLOCK = 256 };     /* features that are worked on together */
#define WORTH_THREADS 2e5 /* numbers of a pass over y */

/* w (count) <- floor + exp of the penalties of the features first .. first + count - 1; not by
 * class. */
static void of_features(const regtune *h, const sustain_real *x, int64_t first, int64_t count, sustain_real *w) {
    const bool own = h->options.penalty == SUSTAIN_REGTUNE_FEATURE;
    const sustain_real least = (sustain_real)h->options.floor;
    for (int64_t j = 0; !own && j < count; j++) w[j] = x[h->options.penalty == SUSTAIN_REGTUNE_GROUP ? h->options.group[first + j] : 0];
    sustain__exp(count, own ? x + first : w, w);
    for (int64_t j = 0; j < count; j++) w[j] += least;
}

/* The class of score number k: with folds the classes repeat. */
static sustain_real of_class(const regtune *h, const sustain_real *x, int64_t k) {
    sustain_real w;
    sustain__exp(1, x + k % h->options.classes, &w);
    return w + (sustain_real)h->options.floor;
}

void sustain__regtune_penalties(const regtune *h, const sustain_real *x, sustain_real *w) {
    const int64_t dim = h->model.dim, width = h->model.width;
    if (h->options.penalty == SUSTAIN_REGTUNE_CLASS) {
        for (int64_t k = 0; k < width; k++) {
            const sustain_real own = of_class(h, x, k);
            for (int64_t j = 0; j < dim; j++) w[k * dim + j] = own;
        }
    } else {
        of_features(h, x, 0, dim, w);
        for (int64_t k = 1; k < width; k++) sustain__copy(dim, w, w + k * dim);
    }
    for (int64_t i = dim * width; i < h->problem.lower_dim; i++) w[i] = (sustain_real)h->options.floor;
}

void sustain__regtune_penalize(const regtune *h, const sustain_real *x, const sustain_real *v, sustain_real *out) {
    const int64_t dim = h->model.dim, width = h->model.width;
    if (h->options.penalty == SUSTAIN_REGTUNE_CLASS) {
        for (int64_t k = 0; k < width; k++) {
            const sustain_real own = of_class(h, x, k);
            for (int64_t j = 0; j < dim; j++) out[k * dim + j] = own * v[k * dim + j];
        }
    } else {
        sustain_real w[BLOCK];
        for (int64_t first = 0; first < dim; first += BLOCK) {
            const int64_t count = dim - first < BLOCK ? dim - first : BLOCK;
            of_features(h, x, first, count, w);
            for (int64_t k = 0; k < width; k++) {
                const sustain_real *v_k = v + k * dim + first;
                sustain_real *out_k = out + k * dim + first;
                for (int64_t j = 0; j < count; j++) out_k[j] = w[j] * v_k[j];
            }
        }
    }
    for (int64_t i = dim * width; i < h->problem.lower_dim; i++) out[i] = (sustain_real)h->options.floor * v[i];
}

/* ---- (13) ---- */

enum { PIECE = 64 * BLOCK }; /* features that one task works on */

typedef struct penalty_step {
    const regtune *h;
    sustain_real keep, beta;
    const sustain_real *x, *x_prev;
    sustain_real *hg, *y, *y_prev;
} penalty_step;

/* At the numbers from .. from + count - 1 of y, whose penalties are w. */
static void step_some(const penalty_step *s, int64_t from, int64_t count, const sustain_real *w, const sustain_real *w_prev) {
    sustain_real *hg = s->hg + from, *y = s->y + from, *y_prev = s->y_prev + from;
    for (int64_t j = 0; j < count; j++) {
        const sustain_real before = y[j];
        hg[j] = w[j] * before + s->keep * (hg[j] - w_prev[j] * y_prev[j]);
        y_prev[j] = before;
        y[j] = before - s->beta * hg[j];
    }
}

/* w (count) <- the penalties of the features from number `first` on in class k. */
static void of_piece(const regtune *h, const sustain_real *x, int64_t k, int64_t first, int64_t count, sustain_real *w) {
    if (h->options.penalty != SUSTAIN_REGTUNE_CLASS) {
        of_features(h, x, first, count, w);
        return;
    }
    const sustain_real own = of_class(h, x, k);
    for (int64_t j = 0; j < count; j++) w[j] = own;
}

static void step_piece(void *user, int64_t number) {
    const penalty_step *s = user;
    const int64_t dim = s->h->model.dim, end = dim - number * PIECE < PIECE ? dim : (number + 1) * PIECE;
    sustain_real w[BLOCK], w_prev[BLOCK];
    for (int64_t first = number * PIECE; first < end; first += BLOCK)
        for (int64_t k = 0; k < s->h->model.width; k++) {
            const int64_t count = end - first < BLOCK ? end - first : BLOCK;
            if (k == 0 || s->h->options.penalty == SUSTAIN_REGTUNE_CLASS) {
                of_piece(s->h, s->x, k, first, count, w);
                of_piece(s->h, s->x_prev, k, first, count, w_prev);
            }
            step_some(s, k * dim + first, count, w, w_prev);
        }
}

void sustain__regtune_penalty_step(const regtune *h, double keep, double beta, const sustain_real *x, const sustain_real *x_prev,
                                   sustain_real *hg, sustain_real *y, sustain_real *y_prev) {
    const int64_t dim = h->model.dim, width = h->model.width, pieces = (dim + PIECE - 1) / PIECE;
    penalty_step s = {h, (sustain_real)keep, (sustain_real)beta, x, x_prev, hg, y, y_prev};
    const sustain_real least = (sustain_real)h->options.floor;
    sustain__parallel_if((double)(dim * width) >= WORTH_THREADS, h->context, pieces, step_piece, &s);
    for (int64_t i = dim * width; i < h->problem.lower_dim; i++) step_some(&s, i, 1, &least, &least);
}

/* ---- sums ---- */

/* sum (upper_dim): by penalty, the sum of u_j v_j over what it acts on; not by feature. */
static void sums_by_penalty(const regtune *h, const sustain_real *u, const sustain_real *v, double *sum) {
    const int64_t dim = h->model.dim, width = h->model.width;
    if (h->options.penalty == SUSTAIN_REGTUNE_SINGLE) {
        sum[0] = sustain__dot(dim * width, u, v);
        return;
    }
    for (int64_t i = 0; i < h->problem.upper_dim; i++) sum[i] = 0;
    if (h->options.penalty == SUSTAIN_REGTUNE_CLASS) {
        for (int64_t k = 0; k < width; k++) sum[k % h->options.classes] += sustain__dot(dim, u + k * dim, v + k * dim);
        return;
    }
    for (int64_t k = 0; k < width; k++, u += dim, v += dim)
        for (int64_t j = 0; j < dim; j++) sum[h->options.group[j]] += (double)u[j] * (double)v[j];
}

void sustain__regtune_by_penalty(const regtune *h, double factor, const sustain_real *x, const sustain_real *u, const sustain_real *v,
                                 double *sum, sustain_real *out) {
    const int64_t dim = h->model.dim, width = h->model.width;
    if (h->options.penalty != SUSTAIN_REGTUNE_FEATURE) {
        sums_by_penalty(h, u, v, sum);
        for (int64_t i = 0; i < h->problem.upper_dim; i++) out[i] = (sustain_real)(factor * exp((double)x[i]) * sum[i]);
        return;
    }
    sustain__exp(dim, x, out);
    for (int64_t first = 0; first < dim; first += BLOCK) {
        const int64_t count = dim - first < BLOCK ? dim - first : BLOCK;
        sustain_real here[BLOCK];
        for (int64_t j = 0; j < count; j++) here[j] = u[first + j] * v[first + j];
        for (int64_t k = 1; k < width; k++) {
            const sustain_real *u_k = u + k * dim + first, *v_k = v + k * dim + first;
            for (int64_t j = 0; j < count; j++) here[j] += u_k[j] * v_k[j];
        }
        for (int64_t j = 0; j < count; j++) out[first + j] *= (sustain_real)factor * here[j];
    }
}

double sustain__regtune_penalty_value(const regtune *h, const sustain_real *x, const sustain_real *y, double *sum) {
    const int64_t dim = h->model.dim, width = h->model.width;
    double total = h->options.floor * sustain__dot(h->problem.lower_dim, y, y);
    if (h->options.penalty == SUSTAIN_REGTUNE_FEATURE) {
        for (int64_t j = 0; j < dim; j++) {
            double square = 0;
            for (int64_t k = 0; k < width; k++) square += (double)y[k * dim + j] * (double)y[k * dim + j];
            total += exp((double)x[j]) * square;
        }
    } else {
        sums_by_penalty(h, y, y, sum);
        for (int64_t i = 0; i < h->problem.upper_dim; i++) total += exp((double)x[i]) * sum[i];
    }
    return total / 2;
}
