/* hyperclean.c - data hyper-cleaning, eq. (3), with softmax regression below.
 *
 *   s = y (a_i, 1),   p = softmax(s),   L_i = log sum_k exp(s_k) - s_{b_i}
 *
 *   grad_y L_i        = (p - e_{b_i}) (a_i, 1)'
 *   grad^2_yy L_i [v] = (p t - p (p't)) (a_i, 1)',   t = v (a_i, 1)          (entry by entry in p t)
 *   g = c |y|^2 + mean sigma(x_i) L_i,   dg/dx_i = sigma'(x_i) L_i / n,   grad^2_xy g [v]_i = sigma'(x_i) (p - e_{b_i})'t / n
 *   f = mean L_i over the trusted rows
 *
 * y is (classes, dim) row by row, then the bias: problems/rows.h. Scores and losses are double; gradients are added up sample by sample
 * in sustain_real.
 *
 * A draw of the lower level touches x at its own samples, one coordinate each; the upper level never reads x. So the outputs
 * in x-space have one entry a sample of the draw (batch NULL: a training row), and grad_x f has none. */
#include <sustain/hyperclean.h>

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/vector.h"
#include "problems/rows.h"

typedef struct hyperclean {
    sustain_problem problem; /* first: a pointer to it is a pointer to the whole */
    sustain_context *context;
    sustain_constants known;
    sustain_rows rows[2]; /* trusted at the upper level, training at the lower */
    sustain__model model;
    double c;
} hyperclean;

/* ---- one row ---- */

typedef struct row {
    int64_t i; /* its number, and its coordinate of x */
    sustain__row a;
    int32_t label;
} row;

static int64_t batch_size(const hyperclean *h, sustain_level level, const sustain_batch *batch) {
    return sustain__rows_size(&h->rows[level], batch);
}

/* Row j of a draw, or of all rows. */
static row row_of(const hyperclean *h, sustain_level level, const sustain_batch *batch, int64_t j) {
    const sustain_rows *rows = &h->rows[level];
    const int64_t i = sustain__rows_number(batch, j), place = sustain__rows_place(rows, i);
    return (row){i, sustain__row_at(rows, place), rows->labels[place]};
}

/* sigma(x), and sigma'(x) where slope is not NULL; the exponential never overflows. */
static double logistic(sustain_real x, double *slope) {
    const double e = exp(-fabs((double)x)), small = e / (1 + e), large = 1 / (1 + e);
    if (slope != NULL) *slope = small * large;
    return x < 0 ? small : large;
}

/* s (classes) <- y (a, 1) */
static void scores(const hyperclean *h, row r, const sustain_real *y, double *s) {
    sustain__row_scores_exact(&h->model, r.a, y, s);
}

/* s <- softmax(s); returns the loss. The largest score is taken out, so that no exponential overflows. */
static double softmax(int64_t classes, int32_t label, double *s) {
    double most = s[0], sum = 0;
    for (int64_t k = 1; k < classes; k++) most = s[k] > most ? s[k] : most;
    const double own = s[label] - most;
    for (int64_t k = 0; k < classes; k++) sum += s[k] = exp(s[k] - most);
    for (int64_t k = 0; k < classes; k++) s[k] /= sum;
    return log(sum) - own;
}

/* out += weight s (a, 1)' */
static void add_outer(const hyperclean *h, row r, double weight, const double *s, sustain_real *scaled, sustain_real *out) {
    for (int64_t k = 0; k < h->model.width; k++) scaled[k] = (sustain_real)(weight * s[k]);
    sustain__row_add(&h->model, r.a, scaled, out);
}

/* ---- the oracles ---- */

/* `work`: p and t (classes) in double, then one row to add (classes) in sustain_real. */
typedef struct scratch {
    double *p, *t;
    sustain_real *scaled;
} scratch;

static size_t workspace(const void *self, int64_t max_batch) {
    const hyperclean *h = self;
    (void)max_batch;
    return (size_t)h->model.width * (2 * sizeof(double) + sizeof(sustain_real));
}

static scratch scratch_in(const hyperclean *h, void *work) {
    double *p = work;
    return (scratch){p, p + h->model.width, (sustain_real *)(void *)(p + 2 * h->model.width)};
}

static int f_value(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    const hyperclean *h = self;
    const scratch s = scratch_in(h, work);
    const int64_t size = batch_size(h, SUSTAIN_UPPER, xi);
    double sum = 0;
    (void)x;
    for (int64_t j = 0; j < size; j++) {
        const row a = row_of(h, SUSTAIN_UPPER, xi, j);
        scores(h, a, y, s.p);
        sum += softmax(h->model.width, a.label, s.p);
    }
    *value = sum / (double)size;
    return 0;
}

static int f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                  sustain_real *fy, void *work) {
    const hyperclean *h = self;
    const scratch s = scratch_in(h, work);
    const int64_t size = batch_size(h, SUSTAIN_UPPER, xi);
    (void)x, (void)fx; /* compact, and the upper level touches no coordinate: nothing to write */
    sustain__zero(h->problem.lower_dim, fy);
    for (int64_t j = 0; j < size; j++) {
        const row a = row_of(h, SUSTAIN_UPPER, xi, j);
        scores(h, a, y, s.p);
        softmax(h->model.width, a.label, s.p);
        s.p[a.label] -= 1;
        add_outer(h, a, 1 / (double)size, s.p, s.scaled, fy);
    }
    return 0;
}

static int g_value(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    const hyperclean *h = self;
    const scratch s = scratch_in(h, work);
    const int64_t size = batch_size(h, SUSTAIN_LOWER, zeta);
    double sum = 0;
    for (int64_t j = 0; j < size; j++) {
        const row a = row_of(h, SUSTAIN_LOWER, zeta, j);
        scores(h, a, y, s.p);
        sum += logistic(x[a.i], NULL) * softmax(h->model.width, a.label, s.p);
    }
    *value = h->c * sustain__dot(h->problem.lower_dim, y, y) + sum / (double)size;
    return 0;
}

/* out <- 2c v: the gradient of the regularization at v, and its Hessian times v. */
static void regularize(const hyperclean *h, const sustain_real *v, sustain_real *out) {
    const sustain_real factor = (sustain_real)(2 * h->c);
    for (int64_t i = 0; i < h->problem.lower_dim; i++) out[i] = factor * v[i];
}

static int g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                    void *work) {
    const hyperclean *h = self;
    const scratch s = scratch_in(h, work);
    const int64_t size = batch_size(h, SUSTAIN_LOWER, zeta);
    regularize(h, y, gy);
    for (int64_t j = 0; j < size; j++) {
        const row a = row_of(h, SUSTAIN_LOWER, zeta, j);
        scores(h, a, y, s.p);
        softmax(h->model.width, a.label, s.p);
        s.p[a.label] -= 1;
        add_outer(h, a, logistic(x[a.i], NULL) / (double)size, s.p, s.scaled, gy);
    }
    return 0;
}

static int g_grad_x(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                    void *work) {
    const hyperclean *h = self;
    const scratch s = scratch_in(h, work);
    const int64_t size = batch_size(h, SUSTAIN_LOWER, zeta);
    for (int64_t j = 0; j < size; j++) {
        const row a = row_of(h, SUSTAIN_LOWER, zeta, j);
        double slope;
        logistic(x[a.i], &slope);
        scores(h, a, y, s.p);
        gx[j] = (sustain_real)(slope * softmax(h->model.width, a.label, s.p) / (double)size);
    }
    return 0;
}

static int g_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    const hyperclean *h = self;
    const scratch s = scratch_in(h, work);
    const int64_t size = batch_size(h, SUSTAIN_LOWER, zeta), classes = h->model.width;
    regularize(h, v, out);
    for (int64_t j = 0; j < size; j++) {
        const row a = row_of(h, SUSTAIN_LOWER, zeta, j);
        scores(h, a, y, s.p);
        softmax(classes, a.label, s.p);
        scores(h, a, v, s.t);
        double mean = 0;
        for (int64_t k = 0; k < classes; k++) mean += s.p[k] * s.t[k];
        for (int64_t k = 0; k < classes; k++) s.t[k] = s.p[k] * (s.t[k] - mean);
        add_outer(h, a, logistic(x[a.i], NULL) / (double)size, s.t, s.scaled, out);
    }
    return 0;
}

static int g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work) {
    const hyperclean *h = self;
    const scratch s = scratch_in(h, work);
    const int64_t size = batch_size(h, SUSTAIN_LOWER, zeta);
    for (int64_t j = 0; j < size; j++) {
        const row a = row_of(h, SUSTAIN_LOWER, zeta, j);
        double slope, product = 0;
        logistic(x[a.i], &slope);
        scores(h, a, y, s.p);
        softmax(h->model.width, a.label, s.p);
        s.p[a.label] -= 1;
        scores(h, a, v, s.t);
        for (int64_t k = 0; k < h->model.width; k++) product += s.p[k] * s.t[k];
        out[j] = (sustain_real)(slope * product / (double)size);
    }
    return 0;
}

static int initial(const void *self, sustain_real *x, sustain_real *y) {
    const hyperclean *h = self;
    sustain__zero(h->problem.upper_dim, x);
    sustain__zero(h->problem.lower_dim, y);
    return 0;
}

static int64_t support(const void *self, sustain_level level, const sustain_batch *batch, int64_t *coordinate) {
    (void)self;
    if (level == SUSTAIN_UPPER) return 0;
    memcpy(coordinate, batch->index, (size_t)batch->size * sizeof *coordinate);
    return batch->size;
}

/* ---- tables ----
 *
 * A sample's part of grad_y g and of grad^2_yy g v is row (a_i, 1)', row (classes): sigma(x_i)(p - e_b) and sigma(x_i)(diag(p) - pp')t; that of
 * grad_y f is (p - e_b)(a_i, 1)'; the cross product is one number at its own coordinate. The rest is 2c y, 2c v, and nothing. */

static sustain_level level_of(sustain_quantity quantity) {
    return quantity == SUSTAIN_QUANTITY_F_GRAD_X || quantity == SUSTAIN_QUANTITY_F_GRAD_Y ? SUSTAIN_UPPER : SUSTAIN_LOWER;
}

static int64_t table_width(const void *self, sustain_quantity quantity) {
    const hyperclean *h = self;
    if (quantity == SUSTAIN_QUANTITY_F_GRAD_X) return 0;
    return quantity == SUSTAIN_QUANTITY_G_CROSS_VEC ? 1 : h->model.width;
}

static int table_rows(const void *self, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *x, const sustain_real *y,
                      const sustain_real *v, sustain_real *rows, void *work) {
    const hyperclean *h = self;
    const scratch s = scratch_in(h, work);
    const int64_t classes = h->model.width, width = table_width(self, quantity);
    for (int64_t j = 0; width > 0 && j < batch->size; j++) {
        const row a = row_of(h, level_of(quantity), batch, j);
        double weight = 1, slope = 0, product = 0;
        if (level_of(quantity) == SUSTAIN_LOWER) weight = logistic(x[a.i], &slope);
        scores(h, a, y, s.p);
        softmax(classes, a.label, s.p);
        if (quantity == SUSTAIN_QUANTITY_G_HESS_VEC || quantity == SUSTAIN_QUANTITY_G_CROSS_VEC) scores(h, a, v, s.t);
        if (quantity == SUSTAIN_QUANTITY_G_HESS_VEC) {
            for (int64_t k = 0; k < classes; k++) product += s.p[k] * s.t[k];
            for (int64_t k = 0; k < classes; k++) rows[j * width + k] = (sustain_real)(weight * s.p[k] * (s.t[k] - product));
            continue;
        }
        s.p[a.label] -= 1;
        if (quantity == SUSTAIN_QUANTITY_G_CROSS_VEC) {
            for (int64_t k = 0; k < classes; k++) product += s.p[k] * s.t[k];
            rows[j] = (sustain_real)(slope * product);
        } else {
            for (int64_t k = 0; k < classes; k++) rows[j * width + k] = (sustain_real)(weight * s.p[k]);
        }
    }
    return 0;
}

static int table_add(const void *self, sustain_quantity quantity, const sustain_batch *batch, const sustain_real *rows, double weight,
                     sustain_real *out, void *work) {
    const hyperclean *h = self;
    const scratch s = scratch_in(h, work);
    const int64_t width = table_width(self, quantity);
    for (int64_t j = 0; width > 0 && j < batch->size; j++) {
        const row a = row_of(h, level_of(quantity), batch, j);
        if (quantity == SUSTAIN_QUANTITY_G_CROSS_VEC) {
            out[a.i] += (sustain_real)(weight * (double)rows[j]);
            continue;
        }
        for (int64_t k = 0; k < width; k++) s.p[k] = (double)rows[j * width + k];
        add_outer(h, a, weight, s.p, s.scaled, out);
    }
    return 0;
}

static int table_rest(const void *self, sustain_quantity quantity, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    const hyperclean *h = self;
    const bool in_x = quantity == SUSTAIN_QUANTITY_F_GRAD_X || quantity == SUSTAIN_QUANTITY_G_CROSS_VEC;
    (void)x, (void)work;
    if (quantity == SUSTAIN_QUANTITY_G_GRAD_Y)
        regularize(h, y, out);
    else if (quantity == SUSTAIN_QUANTITY_G_HESS_VEC)
        regularize(h, v, out);
    else
        sustain__zero(in_x ? h->problem.upper_dim : h->problem.lower_dim, out);
    return 0;
}

static const sustain_problem_ops ops = {
    .name = "hyperclean",
    .f_value = f_value,
    .f_grad = f_grad,
    .g_value = g_value,
    .g_grad_y = g_grad_y,
    .g_grad_x = g_grad_x,
    .g_hess_vec = g_hess_vec,
    .g_cross_vec = g_cross_vec,
    .initial = initial,
    .workspace = workspace,
    .support = support,
    .table_width = table_width,
    .table_rows = table_rows,
    .table_add = table_add,
    .table_rest = table_rest,
};

/* ---- construction ---- */

/* What holds for every draw. The Hessian of the cross entropy in the scores, diag(p) - pp', is at most 1/2 (Boehning 1992), and
 * |p - e_b| at most sqrt(2); sigma <= 1 and sigma' <= 1/4. So, with R = max |(a_i, 1)|,
 *
 *   2c <= grad^2_yy g <= 2c + R^2/2,      |grad^2_xy g| <= sqrt(2)/4 R,   and L_g is at least that: it serves Assumption 2(ii) in x too. */
static sustain_constants bounds(double c, double training, double trusted) {
    sustain_constants known = sustain_constants_unknown();
    known.mu_g = 2 * c;
    known.C_gxy = sqrt(2 * training) / 4;
    known.L_g = 2 * c + fmax(training / 2, known.C_gxy);
    known.C_fy = sqrt(2 * trusted);
    known.L_fy = trusted / 2;
    known.L_fx = known.sigma_fx = 0; /* f does not depend on x */
    return known;
}

sustain_hyperclean_options sustain_hyperclean_defaults(void) {
    return (sustain_hyperclean_options){.c = 0.001, .intercept = true};
}

sustain_status sustain_hyperclean_create(sustain_context *context, const sustain_hyperclean_options *options, const sustain_rows *training,
                                         const sustain_rows *trusted, sustain_problem **out) {
    if (out == NULL) return SUSTAIN_ARGUMENT;
    *out = NULL;
    if (context == NULL) return SUSTAIN_ARGUMENT;
    if (options == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "the options are NULL");
    if (options->classes < 2)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "there must be at least 2 classes (there are %lld)", (long long)options->classes);
    if (!(options->c > 0 && isfinite(options->c)))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the regularization c must be positive and finite (it is %g)", options->c);
    const sustain__wanted_rows wanted[2] = {{"trusted", SUSTAIN__LABELS_CLASSES, options->classes},
                                            {"training", SUSTAIN__LABELS_CLASSES, options->classes}};
    sustain__model model = {.width = options->classes, .intercept = options->intercept};
    SUSTAIN_TRY(sustain__rows_dim(context, training, &wanted[1], trusted, &wanted[0], model.width, &model.dim));
    sustain_rows rows[2];
    double largest[2];
    SUSTAIN_TRY(sustain__rows_take(context, training, &wanted[SUSTAIN_LOWER], &largest[SUSTAIN_LOWER], &rows[SUSTAIN_LOWER]));
    SUSTAIN_TRY(sustain__rows_take(context, trusted, &wanted[SUSTAIN_UPPER], &largest[SUSTAIN_UPPER], &rows[SUSTAIN_UPPER]));

    hyperclean *h;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *h, &h));
    h->context = context;
    h->rows[SUSTAIN_UPPER] = rows[SUSTAIN_UPPER];
    h->rows[SUSTAIN_LOWER] = rows[SUSTAIN_LOWER];
    h->model = model;
    h->c = options->c;
    const double one = model.intercept ? 1 : 0;
    h->known = bounds(options->c, largest[SUSTAIN_LOWER] + one, largest[SUSTAIN_UPPER] + one);
    h->problem = (sustain_problem){.ops = &ops,
                                   .self = h,
                                   .upper_dim = training->count,
                                   .lower_dim = sustain__model_size(&model),
                                   .samples = {trusted->count, training->count},
                                   .support_per_sample = {0, 1},
                                   .has_expectation = true,
                                   .known = &h->known};
    *out = &h->problem;
    return SUSTAIN_OK;
}

void sustain_hyperclean_destroy(sustain_problem *problem) {
    if (problem == NULL) return;
    hyperclean *h = (hyperclean *)problem;
    sustain__free(h->context, h);
}
