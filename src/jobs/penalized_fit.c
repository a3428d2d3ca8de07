/* penalized_fit.c - see penalized_fit.h.
 *
 *   y <- y - s d,     H d = grad g,     H = 1/n sum weight_i (a_i,1)(a_i,1)' x C_i + P                         Newton's method
 *
 * H d = grad g by conjugate gradients, preconditioned by G + P, G the curvature of the data at
 * some earlier model: one G serves all folds and several penalties, for rows change little from
 * fold to fold. A whole path costs a few passes over the rows a fit. */
#include "jobs/penalized_fit.h"

#include <math.h>
#include <string.h>

#include "core/newton.h"
#include "problems/rows_double.h"

enum { MOST_WIDTH = 10 }; /* that the compiler knows */
enum { MOST_FEATURES = 1000, NEWTON_STEPS = 60, MOST_PRODUCTS = 400, MEASURED_ROWS = 3000, MEASURED_PER_FEATURE = 6 };
#define ROUNDING 1e-14       /* of a value, which shows no smaller gain */
#define LEAST_CURVATURE 0.02 /* in G, of the largest there can be */

/* ---- one row ---- */

static double weight_of(const sustain__fit_rows *r, int64_t i) {
    return r->weight != NULL ? r->weight[i] : 1;
}

/* s += Y'a for a dense row, in `lanes` sums that do not wait for each other. */
static inline void add_dense_scores(int64_t width, int64_t lanes, sustain__row a, const double *y, double *restrict s) {
    double sum[MOST_WIDTH * 4] = {0};
    int64_t e = 0;
    for (; e + lanes <= a.count; e += lanes)
        for (int64_t l = 0; l < lanes; l++)
            for (int64_t k = 0; k < width; k++) sum[l * width + k] += (double)a.value[e + l] * y[(e + l) * width + k];
    for (; e < a.count; e++)
        for (int64_t k = 0; k < width; k++) sum[k] += (double)a.value[e] * y[e * width + k];
    for (int64_t l = 0; l < lanes; l++)
        for (int64_t k = 0; k < width; k++) s[k] += sum[l * width + k];
}

/* s += Y'a, where y has several classes. A width that the compiler knows keeps the sums in
 * registers. */
static inline void add_scores(int64_t width, sustain__row a, const double *y, double *restrict s) {
    if (a.column == NULL && width <= MOST_WIDTH) {
        add_dense_scores(width, width <= 4 ? 4 : 2, a, y, s);
        return;
    }
    for (int64_t e = 0; e < a.count; e++) {
        const double value = (double)a.value[e], *own = y + (a.column != NULL ? a.column[e] : e) * width;
        if (value != 0)
            for (int64_t k = 0; k < width; k++) s[k] += value * own[k];
    }
}

/* Y += a factor' */
static inline void add_products(int64_t width, sustain__row a, const double *restrict factor, double *restrict y) {
    for (int64_t e = 0; e < a.count; e++) {
        const double value = (double)a.value[e];
        double *own = y + (a.column != NULL ? a.column[e] : e) * width;
        if (value != 0)
            for (int64_t k = 0; k < width; k++) own[k] += value * factor[k];
    }
}

/* Cases of a switch: work(width, ...) with the widths that occur most as constants. */
#define WIDTH(w, work, ...)   \
    case w:                   \
        work(w, __VA_ARGS__); \
        return;
#define WIDTHS(...)       \
    WIDTH(2, __VA_ARGS__) \
    WIDTH(3, __VA_ARGS__) \
    WIDTH(4, __VA_ARGS__) \
    WIDTH(5, __VA_ARGS__) WIDTH(6, __VA_ARGS__) WIDTH(7, __VA_ARGS__) WIDTH(8, __VA_ARGS__) WIDTH(9, __VA_ARGS__) WIDTH(10, __VA_ARGS__)

void sustain__fit_scores(const sustain__fit_rows *r, int64_t i, const double *y, double *s) {
    const sustain__row a = sustain__float_row_at(&r->rows, i);
    for (int64_t k = 0; k < r->width; k++) s[k] = y[r->rows.dim * r->width + k];
    switch (r->width) {
    case 1:
        s[0] += sustain__row_dot(a, y);
        return;
        WIDTHS(add_scores, a, y, s)
    default:
        add_scores(r->width, a, y, s);
    }
}

/* out += r (a,1)' */
static void add_row(const sustain__fit_rows *r, int64_t i, const double *factor, double *out) {
    const sustain__row a = sustain__float_row_at(&r->rows, i);
    for (int64_t k = 0; k < r->width; k++) out[r->rows.dim * r->width + k] += factor[k];
    switch (r->width) {
    case 1:
        sustain__row_add(a, factor[0], out);
        return;
        WIDTHS(add_products, a, factor, out)
    default:
        add_products(r->width, a, factor, out);
    }
}

/* ---- passes ---- */

/* The derivative of the data's part into out; returns its value. Where state is not NULL the
 * curvature of every row is kept. */
static double gradient_pass(const sustain__fit_rows *r, const sustain__fit_part *part, const double *y, double *state, double *scratch,
                            double *out) {
    const int64_t width = r->width;
    double sum = 0, *s = scratch, *own = scratch + width;
    memset(out, 0, (size_t)sustain__fit_size(r) * sizeof *out);
    for (int64_t at = 0; at < part->count; at++) {
        const int64_t i = part->row[at];
        const double weight = weight_of(r, i);
        sustain__fit_scores(r, i, y, s);
        sum += weight * sustain__loss_value(r->loss, width, s, r->truth[i]);
        sustain__loss_residual(r->loss, width, r->truth[i], s, state != NULL ? state + i * width : own);
        for (int64_t k = 0; k < width; k++) s[k] *= weight / r->total;
        add_row(r, i, s, out);
    }
    if (!r->intercept) memset(out + r->rows.dim * width, 0, (size_t)width * sizeof *out);
    return sum / r->total;
}

static void product_pass(const sustain__fit_rows *r, const sustain__fit_part *part, const double *state, const double *v, double *scratch,
                         double *out) {
    const int64_t width = r->width;
    memset(out, 0, (size_t)sustain__fit_size(r) * sizeof *out);
    for (int64_t at = 0; at < part->count; at++) {
        const int64_t i = part->row[at];
        const double weight = weight_of(r, i) / r->total;
        sustain__fit_scores(r, i, v, scratch);
        sustain__loss_curve(r->loss, width, state + i * width, scratch);
        for (int64_t k = 0; k < width; k++) scratch[k] *= weight;
        add_row(r, i, scratch, out);
    }
    if (!r->intercept) memset(out + r->rows.dim * width, 0, (size_t)width * sizeof *out);
}

void sustain__fit_losses(const sustain__fit_rows *r, const sustain__fit_part *part, const double *y, double *scratch, double *loss) {
    for (int64_t at = 0; at < part->count; at++) {
        sustain__fit_scores(r, part->row[at], y, scratch);
        loss[part->row[at]] = sustain__loss_value(r->loss, r->width, scratch, r->truth[part->row[at]]);
    }
}

/* ---- the preconditioner ---- */

bool sustain__fit_wants_matrix(const sustain__fit_rows *r) {
    return r->rows.dim < MOST_FEATURES && r->rows.dim <= r->rows.count;
}

/* c_i: the mean over classes of the curvature; the state of y = 0 where y is NULL. */
static double curvature_of(const sustain__fit_rows *r, int64_t i, const double *y, double *scratch) {
    double sum = 0;
    if (y != NULL)
        sustain__fit_scores(r, i, y, scratch);
    else
        memset(scratch, 0, (size_t)r->width * sizeof *scratch);
    sustain__loss_residual(r->loss, r->width, r->truth[i], scratch, scratch + r->width);
    for (int64_t k = 0; k < r->width; k++) sum += sustain__loss_diagonal(r->loss, scratch[r->width + k]);
    const double least = isfinite(r->loss->sharpest) ? LEAST_CURVATURE * r->loss->sharpest : 0; /* Huber's is 0 in places */
    return fmax(sum / (double)r->width, least);
}

/* Dense rows that are to be added to a matrix: several at once, so that it is read and written less
 * often. */
typedef struct squares {
    int count;
    double c[SUSTAIN__FIT_SQUARES];
    double *dense; /* (SUSTAIN__FIT_SQUARES, n) */
} squares;

static void add_squares(int64_t n, squares *q, double *values) {
    const double *a0 = q->dense, *a1 = a0 + n, *a2 = a1 + n, *a3 = a2 + n, *c = q->c;
    for (; q->count < SUSTAIN__FIT_SQUARES; q->count++) memset(q->dense + q->count * n, 0, (size_t)n * sizeof *q->dense);
    for (int64_t j = 0; j < n; j++) {
        double *restrict line = values + j * n;
        const double f0 = c[0] * a0[j], f1 = c[1] * a1[j], f2 = c[2] * a2[j], f3 = c[3] * a3[j];
        for (int64_t o = 0; o <= j; o++) line[o] = line[o] + f0 * a0[o] + f1 * a1[o] + f2 * a2[o] + f3 * a3[o];
    }
    *q = (squares){.dense = q->dense};
}

/* G += c (a,1)(a,1)'; of dense rows when there are several, or with add_squares(). */
static void add_square(const sustain__fit_rows *r, int64_t i, double c, sustain__fit_curvature *g, squares *q) {
    const int64_t dim = r->rows.dim, n = g->features;
    const sustain__row row = sustain__float_row_at(&r->rows, i);
    const float *a = row.value;
    const int32_t *column = row.column; /* NULL: dense */
    if (!g->full) {
        sustain__row_add_square(row, c, g->values);
        g->values[dim] += c;
    } else if (column != NULL) {
        double *last = g->values + dim * n;
        for (int64_t e = 0; e < row.count; e++) {
            double *line = g->values + column[e] * n;
            const double f = c * (double)a[e];
            for (int64_t o = 0; o <= e; o++) line[column[o]] += f * (double)a[o];
            last[column[e]] += f;
        }
        last[dim] += c;
    } else {
        double *dense = q->dense + q->count * n;
        for (int64_t j = 0; j < dim; j++) dense[j] = (double)a[j];
        dense[dim] = 1;
        q->c[q->count++] = c;
        if (q->count == SUSTAIN__FIT_SQUARES) add_squares(n, q, g->values);
    }
}

void sustain__fit_measure(const sustain__fit_rows *r, const sustain__fit_part *part, const double *y, sustain__fit_curvature *g) {
    const int64_t n = g->features, wanted = g->full ? MEASURED_ROWS + MEASURED_PER_FEATURE * n : INT64_MAX;
    const int64_t stride = part->count <= wanted ? 1 : (part->count + wanted - 1) / wanted;
    const size_t size = (size_t)(g->full ? n * n : n);
    squares q = {.dense = g->values + size}; /* room behind the matrix */
    double *scratch = q.dense + SUSTAIN__FIT_SQUARES * n;
    double weights = 0, all = 0;
    memset(g->values, 0, size * sizeof *g->values);
    for (int64_t at = 0; at < part->count; at++) all += weight_of(r, part->row[at]);
    for (int64_t at = 0; at < part->count; at += stride) {
        const int64_t i = part->row[at];
        const double weight = weight_of(r, i);
        weights += weight;
        add_square(r, i, weight * curvature_of(r, i, y, scratch), g, &q);
    }
    if (q.count > 0) add_squares(n, &q, g->values);
    for (size_t e = 0; e < size && weights > 0; e++) g->values[e] *= all / weights / r->total;
}

/* Row i of the lower triangle of the data's Hessian: of the part where its moments are known, else
 * of G. Without an intercept its row is empty. */
static void take_line(const sustain__fit_rows *r, const sustain__fit_part *part, const sustain__fit_curvature *g, int64_t i, double *line) {
    const int64_t n = g->features;
    const double *const *m = part->moments;
    memcpy(line, (m[0] != NULL ? m[0] : g->values) + i * n, (size_t)(i + 1) * sizeof *line);
    for (int k = 1; k < 3 && m[0] != NULL && m[k] != NULL; k++)
        for (int64_t j = 0; j <= i; j++) line[j] -= m[k][i * n + j];
    if (i == r->rows.dim && !r->intercept) memset(line, 0, (size_t)n * sizeof *line);
}

static double long_dot(int64_t n, const double *a, const double *b) {
    enum { LANES = 16 };
    double sum[LANES] = {0};
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES)
        for (int l = 0; l < LANES; l++) sum[l] += a[j + l] * b[j + l];
    for (; j < n; j++) sum[0] += a[j] * b[j];
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) sum[l] += sum[l + half];
    return sum[0];
}

/* fit->factor <- the Cholesky factor of the data's Hessian + P, or the inverse of its diagonal. */
static void factorize(const sustain__fit_rows *r, const sustain__fit_part *part, const sustain__fit_curvature *g, sustain__fit *f) {
    const int64_t n = g->features, width = r->width;
    if (!g->full) {
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = j * width; k < (j + 1) * width; k++) f->factor[k] = 1 / fmax(g->values[j] + f->penalty[k], 1e-300);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        double *line = f->factor + i * n;
        take_line(r, part, g, i, line);
        for (int64_t k = i * width; k < (i + 1) * width; k++) line[i] += f->penalty[k] / (double)width;
        const double diagonal = line[i];
        for (int64_t j = 0; j <= i; j++) {
            const double *other = f->factor + j * n, left = line[j] - long_dot(j, line, other);
            line[j] = j < i ? left / other[j] : sqrt(fmax(left, 1e-12 * diagonal));
        }
    }
}

/* z <- M^{-1} r */
static void precondition(const sustain__fit_rows *rows, const sustain__fit_curvature *g, const sustain__fit *f, const double *r,
                         double *z) {
    const int64_t n = g->features, width = rows->width;
    if (!g->full) {
        for (int64_t k = 0; k < n * width; k++) z[k] = f->factor[k] * r[k];
        return;
    }
    for (int64_t k = 0; k < width; k++) {
        double *c = f->column;
        for (int64_t j = 0; j < n; j++) {
            const double *line = f->factor + j * n;
            c[j] = (r[j * width + k] - long_dot(j, line, c)) / line[j];
        }
        for (int64_t j = n - 1; j >= 0; j--) {
            const double *line = f->factor + j * n;
            const double value = c[j] /= line[j];
            for (int64_t o = 0; o < j; o++) c[o] -= value * line[o];
        }
        for (int64_t j = 0; j < n; j++) z[j * width + k] = c[j];
    }
}

/* ---- the closed form ---- */

void sustain__fit_moments(const sustain__fit_rows *r, const sustain__fit_part *part, double *scratch, double *out) {
    const int64_t n = r->rows.dim + 1;
    sustain__fit_curvature matrix = {.features = n, .full = true, .values = out};
    squares q = {.dense = scratch};
    memset(out, 0, (size_t)sustain__fit_moments_size(r) * sizeof *out);
    for (int64_t at = 0; at < part->count; at++) {
        const int64_t i = part->row[at];
        const double weight = weight_of(r, i) / r->total, target = weight * r->truth[i];
        add_square(r, i, weight, &matrix, &q);
        add_row(r, i, &target, out + n * n);
    }
    if (q.count > 0) add_squares(n, &q, out);
}

/* f->r <- the moments of targets less (H + P) y */
static void closed_residual(const sustain__fit_rows *r, const sustain__fit_part *part, const sustain__fit_curvature *g, sustain__fit *f) {
    const int64_t n = g->features;
    double *line = f->column;
    for (int64_t j = 0; j < n; j++) {
        f->r[j] = part->moments[0][n * n + j] - f->penalty[j] * f->y[j];
        for (int k = 1; k < 3 && part->moments[k] != NULL; k++) f->r[j] -= part->moments[k][n * n + j];
    }
    for (int64_t i = 0; i < n; i++) {
        take_line(r, part, g, i, line);
        f->r[i] -= long_dot(i + 1, line, f->y);
        for (int64_t j = 0; j < i; j++) f->r[j] -= line[j] * f->y[i];
    }
    if (!r->intercept) f->r[r->rows.dim] = 0;
}

/* (H + P) y = the moments of targets, from y = 0; once more for what rounding left. */
static bool minimize_closed(const sustain__fit_rows *r, const sustain__fit_part *part, const sustain__fit_curvature *g, sustain__fit *f) {
    memset(f->y, 0, (size_t)sustain__fit_size(r) * sizeof *f->y);
    for (int pass = 0; pass < 2; pass++) {
        closed_residual(r, part, g, f);
        precondition(r, g, f, f->r, f->d);
        for (int64_t j = 0; j < g->features; j++) f->y[j] += f->d[j];
    }
    return true;
}

/* ---- the fit ---- */

bool sustain__fit_stopped(const sustain__fit_rows *r) {
    if (r->stop == NULL) return false;
    if (!atomic_load(&r->stop->stopped) && sustain__is_caller(r->stop->caller) && sustain__cancelled(r->stop->context) != SUSTAIN_OK)
        atomic_store(&r->stop->stopped, true);
    return atomic_load(&r->stop->stopped);
}

static double value_at(const sustain__fit_rows *r, const sustain__fit_part *part, sustain__fit *f, const double *y, double *gradient) {
    double value = gradient_pass(r, part, y, f->state, f->column + r->rows.dim + 1, gradient);
    for (int64_t k = 0; k < sustain__fit_size(r); k++) {
        value += f->penalty[k] * y[k] * y[k] / 2;
        gradient[k] += f->penalty[k] * y[k];
    }
    return value;
}

/* H d = b until the energy norm of the error has about the share `accuracy` left. */
static void solve(const sustain__fit_rows *r, const sustain__fit_part *part, const sustain__fit_curvature *g, sustain__fit *f,
                  const double *b, double accuracy, double *d) {
    const int64_t n = sustain__fit_size(r);
    memset(d, 0, (size_t)n * sizeof *d);
    memcpy(f->r, b, (size_t)n * sizeof *b);
    precondition(r, g, f, f->r, f->z);
    memcpy(f->p, f->z, (size_t)n * sizeof *f->p);
    double rz = sustain__dot_double(n, f->r, f->z);
    const double first = rz;
    int64_t products = 0;
    for (; products < MOST_PRODUCTS && rz > accuracy * accuracy * first && rz > 0 && !sustain__fit_stopped(r); products++) {
        product_pass(r, part, f->state, f->p, f->column + r->rows.dim + 1, f->q);
        for (int64_t k = 0; k < n; k++) f->q[k] += f->penalty[k] * f->p[k];
        const double curvature = sustain__dot_double(n, f->p, f->q), before = rz;
        if (!(curvature > 0)) break;
        for (int64_t k = 0; k < n; k++) {
            d[k] += rz / curvature * f->p[k];
            f->r[k] -= rz / curvature * f->q[k];
        }
        precondition(r, g, f, f->r, f->z);
        rz = sustain__dot_double(n, f->r, f->z);
        for (int64_t k = 0; k < n; k++) f->p[k] = f->z[k] + rz / before * f->p[k];
    }
    f->products += products;
    if (products > f->hardest) f->hardest = products;
}

bool sustain__fit_minimize(const sustain__fit_rows *r, const sustain__fit_part *part, const sustain__fit_curvature *g, double tolerance,
                           sustain__fit *f) {
    const int64_t n = sustain__fit_size(r);
    const size_t bytes = (size_t)n * sizeof *f->y;
    double decrement_before = INFINITY;
    for (int64_t k = r->rows.dim * r->width; k < n; k++) f->penalty[k] = SUSTAIN__INTERCEPT_PENALTY;
    f->hardest = 0;
    if (sustain__fit_stopped(r)) return false;
    factorize(r, part, g, f);
    if (part->moments[0] != NULL) return minimize_closed(r, part, g, f);
    double value = value_at(r, part, f, f->y, f->gradient);
    for (int step = 0; step < NEWTON_STEPS && !sustain__fit_stopped(r); step++) {
        solve(r, part, g, f, f->gradient, tolerance < 1e-9 ? 1e-3 : 0.1, f->d);
        const double decrement = sustain__dot_double(n, f->gradient, f->d);
        bool moved = false;
        if (!(decrement > 0)) return decrement == 0;
        if (decrement / 2 <= tolerance && decrement <= decrement_before) { /* the last step needs no proof */
            for (int64_t k = 0; k < n; k++) f->y[k] -= f->d[k];
            return true;
        }
        for (double s = 1; s > 1e-8 && !moved; s /= 2) {
            for (int64_t k = 0; k < n; k++) f->y2[k] = f->y[k] - s * f->d[k];
            const double value_new = value_at(r, part, f, f->y2, f->q);
            moved = value_new <= value - 1e-4 * s * decrement;
            if (!moved) continue;
            memcpy(f->y, f->y2, bytes);
            memcpy(f->gradient, f->q, bytes);
            value = value_new;
        }
        if (!moved) return decrement <= ROUNDING * fabs(value);
        decrement_before = decrement;
    }
    return false;
}

void sustain__fit_slope(const sustain__fit_rows *r, const sustain__fit_part *part, const sustain__fit_part *held,
                        const sustain__fit_curvature *g, double accuracy, sustain__fit *f, double *slope) {
    const int64_t width = r->width;
    if (part->moments[0] == NULL) value_at(r, part, f, f->y, f->y2); /* the curvature at y */
    f->held_value = gradient_pass(r, held, f->y, NULL, f->column + r->rows.dim + 1, f->gradient);
    if (part->moments[0] == NULL)
        solve(r, part, g, f, f->gradient, accuracy, f->d);
    else
        precondition(r, g, f, f->gradient, f->d);
    for (int64_t j = 0; j < r->rows.dim; j++)
        for (int64_t k = j * width; k < (j + 1) * width; k++) slope[j] -= f->penalty[k] * f->y[k] * f->d[k];
}

/* ---- memory ---- */

static void lay_out(const sustain__fit_rows *r, bool full, sustain__carver *c, sustain__fit *f) {
    const int64_t n = sustain__fit_size(r), features = r->rows.dim + 1;
    double **const vectors[] = {&f->y, &f->gradient, &f->d, &f->r, &f->z, &f->q, &f->p, &f->y2};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = sustain__carve(c, n, sizeof(double));
    f->penalty = sustain__carve(c, n, sizeof(double));
    f->state = sustain__carve(c, r->rows.count * r->width, sizeof(double));
    f->factor = sustain__carve(c, full ? features * features : n, sizeof(double));
    f->column = sustain__carve(c, features + 2 * r->width, sizeof(double));
}

size_t sustain__fit_bytes(const sustain__fit_rows *rows, bool full) {
    sustain__carver measure = {.used = sustain__lines(1, sizeof(sustain__fit))};
    sustain__fit layout = {0};
    lay_out(rows, full, &measure, &layout);
    return measure.used;
}

sustain_status sustain__fit_create(sustain_context *context, const sustain__fit_rows *rows, bool full, sustain__fit **out) {
    SUSTAIN_TRY(sustain__allocate(context, sustain__fit_bytes(rows, full), out));
    sustain__carver carver = {.memory = (char *)*out, .used = sustain__lines(1, sizeof(sustain__fit))};
    lay_out(rows, full, &carver, *out);
    return SUSTAIN_OK;
}

void sustain__fit_destroy(sustain_context *context, sustain__fit *fit) {
    sustain__free(context, fit);
}
