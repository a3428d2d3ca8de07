/* lasso_fit.c - see lasso_fit.h.
 *
 * Proximal Newton: the loss is replaced by its quadratic model at y, which coordinate descent
 * minimizes together with the penalties,
 *
 *      y_e <- S(h_e y_e - g_e, q_e) / (h_e + p_e),     S(a, q) = sign(a) max(|a| - q, 0)                         Friedman, Hastie, Tibshirani 2010
 *
 * over a working set of coordinates: those that are not 0, and those that the sequential strong
 * rule |slope_e| >= 2 q_e - q_e(before) does not rule out (Tibshirani et al. 2012). In the end
 * all others are checked, and those that could gain are added. */
#include "jobs/lasso_fit.h"

#include <math.h>
#include <string.h>

enum { NEWTON_STEPS = 100, MOST_SWEEPS = 200, MOST_PRODUCTS = 400, MOST_ROUNDS = 20 };
#define LEAST_CURVATURE 1e-3 /* of the largest there can be; Huber's is 0 in places */
#define INNER 0.01           /* a sweep that gains less than this share of all sweeps so far is the last */

/* ---- columns times vectors ---- */

/* out (rows, width) <- A x, where x (size) is not 0. */
static void multiply(const sustain__lasso *f, const double *x, double *out) {
    const sustain__columns *c = f->columns;
    const int64_t width = f->rows->width;
    memset(out, 0, (size_t)(f->rows->rows.count * width) * sizeof *out);
    for (int64_t e = 0; e < sustain__fit_size(f->rows); e++) {
        if (x[e] == 0) continue;
        const int64_t j = e / width, k = e % width;
        for (int64_t at = c->start[j]; at < c->start[j + 1]; at++) out[c->row[at] * width + k] += x[e] * (double)c->value[at];
    }
}

/* Coordinate e of A'r, r (rows, width). */
static double product_with(const sustain__lasso *f, int64_t e, const double *r) {
    const sustain__columns *c = f->columns;
    const int64_t width = f->rows->width, j = e / width, k = e % width, to = c->start[j + 1];
    double sum[2] = {0};
    int64_t at = c->start[j];
    for (; at + 2 <= to; at += 2)
        for (int l = 0; l < 2; l++) sum[l] += (double)c->value[at + l] * r[c->row[at + l] * width + k];
    for (; at < to; at++) sum[0] += (double)c->value[at] * r[c->row[at] * width + k];
    return sum[0] + sum[1];
}

/* ---- the loss ---- */

static double data_value(const sustain__lasso *f, const double *score) {
    const sustain__fit_rows *r = f->rows;
    double sum = 0;
    for (int64_t i = 0; i < r->rows.count; i++)
        if (f->weight[i] > 0) sum += f->weight[i] * sustain__loss_value(r->loss, r->width, score + i * r->width, r->truth[i]);
    return sum;
}

/* residual <- weight dL/ds, state <- what C is made of, at the scores. With `floored`, curvatures
 * of one score are at least a little. */
static void derive(sustain__lasso *f, bool floored) {
    const sustain__fit_rows *r = f->rows;
    const int64_t width = r->width;
    const double least = floored && width == 1 && isfinite(r->loss->sharpest) ? LEAST_CURVATURE * r->loss->sharpest : 0;
    memcpy(f->residual, f->score, (size_t)(r->rows.count * width) * sizeof *f->residual);
    for (int64_t i = 0; i < r->rows.count; i++) {
        sustain__loss_residual(r->loss, width, r->truth[i], f->residual + i * width, f->state + i * width);
        for (int64_t k = i * width; k < (i + 1) * width; k++) f->residual[k] *= f->weight[i];
        if (f->state[i * width] < least) f->state[i * width] = least;
    }
}

/* The second derivative by coordinate e. */
static double curvature_of(const sustain__lasso *f, int64_t e) {
    const sustain__columns *c = f->columns;
    const int64_t width = f->rows->width, j = e / width, k = e % width;
    double sum = 0;
    for (int64_t at = c->start[j]; at < c->start[j + 1]; at++) {
        const int64_t i = c->row[at];
        const double a = (double)c->value[at];
        if (f->weight[i] > 0) sum += f->weight[i] * a * a * sustain__loss_diagonal(f->rows->loss, f->state[i * width + k]);
    }
    return sum;
}

static double l1_of(const sustain__lasso *f, int64_t e) {
    return e < f->rows->rows.dim * f->rows->width ? f->l1[e] : 0;
}

static double l2_of(const sustain__lasso *f, int64_t e) {
    return e < f->rows->rows.dim * f->rows->width ? f->l2[e] : SUSTAIN__INTERCEPT_PENALTY;
}

static double penalty_at(const sustain__lasso *f, int64_t e, double y) {
    return l1_of(f, e) * fabs(y) + l2_of(f, e) * y * y / 2;
}

/* ---- coordinate descent on the quadratic model ---- */

/* The derivative of the model by coordinate e. One score: residual is that of the model, always
 * up to date. Softmax: C u = p (u - p'u). */
static double model_slope(const sustain__lasso *f, int64_t e) {
    const sustain__columns *c = f->columns;
    const int64_t width = f->rows->width, j = e / width, k = e % width;
    double sum = 0;
    if (width == 1) return product_with(f, e, f->residual);
    for (int64_t at = c->start[j]; at < c->start[j + 1]; at++) {
        const int64_t i = c->row[at], ik = i * width + k;
        sum += (double)c->value[at] * (f->residual[ik] + f->weight[i] * f->state[ik] * (f->moved[ik] - f->mean_moved[i]));
    }
    return sum;
}

static void move(sustain__lasso *f, int64_t e, double by) {
    const sustain__columns *c = f->columns;
    const int64_t width = f->rows->width, j = e / width, k = e % width;
    if (width == 1)
        for (int64_t at = c->start[j]; at < c->start[j + 1]; at++) {
            const int64_t i = c->row[at];
            f->residual[i] += f->weight[i] * f->state[i] * (double)c->value[at] * by;
        }
    else
        for (int64_t at = c->start[j]; at < c->start[j + 1]; at++) {
            const int64_t i = c->row[at];
            const double change = (double)c->value[at] * by;
            f->moved[i * width + k] += change;
            f->mean_moved[i] += f->state[i * width + k] * change;
        }
    f->y_new[e] += by;
}

/* One sweep over the working set, or over what is not 0 in it. Returns how much the model fell,
 * at least. */
static double sweep(sustain__lasso *f, bool all) {
    double gain = 0;
    for (int64_t at = 0; at < f->working_count; at++) {
        const int64_t e = f->working[at];
        const double y = f->y_new[e], h = f->curvature[e] + l2_of(f, e);
        if (!(all || y != 0) || !(h > 0)) continue;
        const double target = h * y - model_slope(f, e) - l2_of(f, e) * y, to = fmax(fabs(target) - l1_of(f, e), 0) / h;
        const double by = (target > 0 ? to : -to) - y;
        if (by == 0) continue;
        move(f, e, by);
        gain += h * by * by / 2;
    }
    f->sweeps++;
    return gain;
}

static void minimize_model(sustain__lasso *f, double tolerance) {
    double total = 0;
    for (int sweeps = 0; sweeps < MOST_SWEEPS && !sustain__fit_stopped(f->rows);) {
        const double gain = sweep(f, true);
        total += gain;
        sweeps++;
        if (gain <= fmax(tolerance, INNER * total)) return;
        for (double again = gain; sweeps < MOST_SWEEPS && again > fmax(tolerance, INNER * total) / 2; sweeps++)
            total += again = sweep(f, false);
    }
}

/* ---- Newton's method ---- */

/* From scores at y to those at y_new, and to a point between where g falls enough. False: there
 * is none. */
static bool line_search(sustain__lasso *f, double *value, double promised) {
    const int64_t n = f->rows->rows.count * f->rows->width;
    multiply(f, f->y_new, f->score_new);
    for (double s = 1; s > 1e-6; s /= 2) {
        double penalty = 0;
        for (int64_t i = 0; i < n; i++) f->moved[i] = f->score[i] + s * (f->score_new[i] - f->score[i]);
        for (int64_t at = 0; at < f->working_count; at++) {
            const int64_t e = f->working[at];
            penalty += penalty_at(f, e, f->y[e] + s * (f->y_new[e] - f->y[e]));
        }
        const double reached = data_value(f, f->moved) + penalty;
        if (!(reached <= *value - 1e-4 * s * promised)) continue;
        memcpy(f->score, f->moved, (size_t)n * sizeof *f->score);
        for (int64_t at = 0; at < f->working_count; at++) {
            const int64_t e = f->working[at];
            f->y[e] = s == 1 ? f->y_new[e] : f->y[e] + s * (f->y_new[e] - f->y[e]);
        }
        *value = reached;
        return true;
    }
    return false;
}

/* What the linear part of the model and the penalties gain from y to y_new; the slopes are those
 * at y. */
static double promise(const sustain__lasso *f) {
    double sum = 0;
    for (int64_t at = 0; at < f->working_count; at++) {
        const int64_t e = f->working[at];
        sum -= f->slope[e] * (f->y_new[e] - f->y[e]) + penalty_at(f, e, f->y_new[e]) - penalty_at(f, e, f->y[e]);
    }
    return sum;
}

static bool minimize_working(sustain__lasso *f, double tolerance) {
    const int64_t rows = f->rows->rows.count, size = sustain__fit_size(f->rows);
    double value = data_value(f, f->score);
    for (int64_t at = 0; at < f->working_count; at++) value += penalty_at(f, f->working[at], f->y[f->working[at]]);
    for (int step = 0; step < NEWTON_STEPS && !sustain__fit_stopped(f->rows); step++) {
        derive(f, true);
        for (int64_t at = 0; at < f->working_count; at++) {
            const int64_t e = f->working[at];
            f->slope[e] = product_with(f, e, f->residual);
            f->curvature[e] = curvature_of(f, e);
        }
        memset(f->moved, 0, (size_t)(rows * f->rows->width) * sizeof *f->moved);
        memset(f->mean_moved, 0, (size_t)rows * sizeof *f->mean_moved);
        memcpy(f->y_new, f->y, (size_t)size * sizeof *f->y);
        minimize_model(f, 0.1 * tolerance);
        const double promised = promise(f);
        if (!(promised > 0)) return true;
        if (!line_search(f, &value, promised)) return promised <= tolerance;
        if (promised <= tolerance) return true;
    }
    return false;
}

/* ---- the working set ---- */

static void add_to_working(sustain__lasso *f, int64_t e) {
    if (f->works[e]) return;
    f->works[e] = true;
    f->working[f->working_count++] = (int32_t)e;
}

static void begin_working(sustain__lasso *f) {
    const int64_t size = sustain__fit_size(f->rows), intercept = f->rows->rows.dim * f->rows->width;
    memset(f->works, 0, (size_t)size * sizeof *f->works);
    f->working_count = 0;
    for (int64_t e = 0; e < intercept; e++)
        if (f->y[e] != 0 || l1_of(f, e) == 0 || (f->warm && fabs(f->slope[e]) >= 2 * f->l1[e] - f->l1_before[e])) add_to_working(f, e);
    for (int64_t e = intercept; e < size && f->rows->intercept; e++) add_to_working(f, e);
}

/* All slopes; coordinates that could gain more than the tolerance by themselves are added.
 * Returns whether there were any. */
static bool extend_working(sustain__lasso *f, double tolerance) {
    const int64_t before = f->working_count;
    derive(f, true);
    for (int64_t e = 0; e < f->rows->rows.dim * f->rows->width; e++) {
        f->slope[e] = product_with(f, e, f->residual);
        const double beyond = fabs(f->slope[e]) - f->l1[e];
        if (f->works[e] || beyond <= 0) continue;
        const double h = curvature_of(f, e) + f->l2[e];
        if (h > 0 && beyond * beyond / (2 * h) > tolerance) add_to_working(f, e);
    }
    return f->working_count > before;
}

bool sustain__lasso_minimize(sustain__lasso *f, double tolerance) {
    const size_t bytes = (size_t)sustain__fit_size(f->rows) * sizeof(double);
    bool done = false;
    begin_working(f);
    multiply(f, f->y, f->score);
    for (int round = 0; round < MOST_ROUNDS && !sustain__fit_stopped(f->rows); round++) {
        done = minimize_working(f, tolerance);
        if (!extend_working(f, tolerance)) break;
        done = false;
    }
    memcpy(f->l1_before, f->l1, bytes);
    f->warm = true;
    return done;
}

double sustain__lasso_largest(sustain__lasso *f, const double *unit, double tolerance) {
    const int64_t coordinates = f->rows->rows.dim * f->rows->width, size = sustain__fit_size(f->rows);
    double largest = 0;
    memset(f->y, 0, (size_t)size * sizeof *f->y);
    for (int64_t e = 0; e < coordinates; e++) f->l1[e] = unit[e] > 0 ? INFINITY : 0;
    f->warm = false;
    sustain__lasso_minimize(f, tolerance);
    for (int64_t e = 0; e < coordinates; e++)
        if (unit[e] > 0) largest = fmax(largest, fabs(f->slope[e]) / unit[e]);
    for (int64_t e = 0; e < coordinates; e++) f->l1_before[e] = largest * unit[e];
    return largest;
}

/* ---- hypergradient ---- */

/* out_S <- H_SS x_S; the support is the working set now. */
static void support_product(sustain__lasso *f, const double *x, double *out) {
    const sustain__fit_rows *r = f->rows;
    const int64_t width = r->width;
    multiply(f, x, f->moved);
    for (int64_t i = 0; i < r->rows.count; i++) {
        sustain__loss_curve(r->loss, width, f->state + i * width, f->moved + i * width);
        for (int64_t k = i * width; k < (i + 1) * width; k++) f->moved[k] *= f->weight[i];
    }
    for (int64_t at = 0; at < f->working_count; at++) {
        const int64_t e = f->working[at];
        out[e] = product_with(f, e, f->moved) + l2_of(f, e) * x[e];
    }
}

static double support_dot(const sustain__lasso *f, const double *a, const double *b) {
    double sum = 0;
    for (int64_t at = 0; at < f->working_count; at++) sum += a[f->working[at]] * b[f->working[at]];
    return sum;
}

/* v <- H_SS^{-1} r by conjugate gradients, preconditioned by the diagonal; r is lost. */
static void support_solve(sustain__lasso *f, double accuracy) {
    const double *h = f->curvature;
    double *q = f->y_new, rz = 0;
    for (int64_t at = 0; at < f->working_count; at++) {
        const int64_t e = f->working[at];
        f->p[e] = f->z[e] = f->r[e] / (h[e] + l2_of(f, e));
        rz += f->r[e] * f->z[e];
    }
    const double first = rz;
    for (int products = 0; products < MOST_PRODUCTS && rz > accuracy * accuracy * first && !sustain__fit_stopped(f->rows); products++) {
        support_product(f, f->p, q);
        const double bend = support_dot(f, f->p, q), before = rz;
        if (!(bend > 0)) return;
        for (int64_t at = 0; at < f->working_count; at++) {
            const int64_t e = f->working[at];
            f->v[e] += rz / bend * f->p[e];
            f->r[e] -= rz / bend * q[e];
            f->z[e] = f->r[e] / (h[e] + l2_of(f, e));
        }
        rz = support_dot(f, f->r, f->z);
        for (int64_t at = 0; at < f->working_count; at++) {
            const int64_t e = f->working[at];
            f->p[e] = f->z[e] + rz / before * f->p[e];
        }
    }
}

/* residual <- the derivative of f by the scores of the rows of `held`; score is at y. */
static void derive_held(sustain__lasso *f, const sustain__fit_part *held) {
    const sustain__fit_rows *r = f->rows;
    const int64_t width = r->width;
    memset(f->residual, 0, (size_t)(r->rows.count * width) * sizeof *f->residual);
    f->held_value = 0;
    for (int64_t at = 0; at < held->count; at++) {
        const int64_t i = held->row[at];
        const double weight = (r->weight != NULL ? r->weight[i] : 1) / r->total;
        double *own = f->residual + i * width;
        f->held_value += weight * sustain__loss_value(r->loss, width, f->score + i * width, r->truth[i]);
        memcpy(own, f->score + i * width, (size_t)width * sizeof *own);
        sustain__loss_residual(r->loss, width, r->truth[i], own, f->score_new);
        for (int64_t k = 0; k < width; k++) own[k] *= weight;
    }
}

void sustain__lasso_slopes(sustain__lasso *f, const sustain__fit_part *held, double accuracy, double *by_l1, double *by_l2) {
    const int64_t size = sustain__fit_size(f->rows), width = f->rows->width, intercept = f->rows->rows.dim * width;
    const size_t bytes = (size_t)size * sizeof(double);
    f->working_count = 0;
    for (int64_t e = 0; e < size; e++)
        if (f->y[e] != 0 || (e >= intercept && f->rows->intercept)) f->working[f->working_count++] = (int32_t)e;
    double *const vectors[] = {f->r, f->z, f->p, f->v};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) memset(vectors[i], 0, bytes);
    multiply(f, f->y, f->score);
    derive(f, false);
    for (int64_t at = 0; at < f->working_count; at++) f->curvature[f->working[at]] = fmax(curvature_of(f, f->working[at]), 1e-12);
    derive_held(f, held);
    for (int64_t at = 0; at < f->working_count; at++) f->r[f->working[at]] = product_with(f, f->working[at], f->residual);
    support_solve(f, accuracy);
    for (int64_t e = 0; e < intercept; e++) {
        if (f->y[e] == 0) continue;
        by_l1[e / width] -= f->l1[e] * (f->y[e] > 0 ? 1 : -1) * f->v[e];
        by_l2[e / width] -= f->l2[e] * f->y[e] * f->v[e];
    }
}

/* ---- memory ---- */

static void lay_out(const sustain__fit_rows *r, sustain__carver *c, sustain__lasso *f) {
    const int64_t n = sustain__fit_size(r), scores = r->rows.count * r->width;
    double **const vectors[] = {&f->y, &f->l1, &f->l2, &f->slope, &f->l1_before, &f->curvature, &f->y_new, &f->r, &f->z, &f->p, &f->v};
    double **const of_rows[] = {&f->score, &f->score_new, &f->residual, &f->state, &f->moved};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = sustain__carve(c, n, sizeof(double));
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) *of_rows[i] = sustain__carve(c, scores, sizeof(double));
    f->weight = sustain__carve(c, r->rows.count, sizeof(double));
    f->mean_moved = sustain__carve(c, r->rows.count, sizeof(double));
    f->working = sustain__carve(c, n, sizeof *f->working);
    f->works = sustain__carve(c, n, sizeof *f->works);
}

size_t sustain__lasso_bytes(const sustain__fit_rows *rows) {
    sustain__carver measure = {.used = sustain__lines(1, sizeof(sustain__lasso))};
    sustain__lasso layout = {0};
    lay_out(rows, &measure, &layout);
    return measure.used;
}

sustain_status sustain__lasso_create(sustain_context *context, const sustain__fit_rows *rows, const sustain__columns *columns,
                                     const sustain__fit_part *part, sustain__lasso **out) {
    SUSTAIN_TRY(sustain__allocate(context, sustain__lasso_bytes(rows), out));
    sustain__carver carver = {.memory = (char *)*out, .used = sustain__lines(1, sizeof(sustain__lasso))};
    lay_out(rows, &carver, *out);
    (*out)->rows = rows;
    (*out)->columns = columns;
    for (int64_t at = 0; at < part->count; at++)
        (*out)->weight[part->row[at]] = (rows->weight != NULL ? rows->weight[part->row[at]] : 1) / rows->total;
    return SUSTAIN_OK;
}

void sustain__lasso_destroy(sustain_context *context, sustain__lasso *fit) {
    sustain__free(context, fit);
}
