/* regtune_exact.c - penalties of a linear model, tuned on validation rows: y*(x), ell(x) and grad
 * ell(x) in double, whatever sustain_real is.
 *
 *   y*(x):      Newton's method (core/newton.h)
 *   ell(x)    = f(y*(x)),      grad ell(x)_i = -exp(x_i) sum over j of group i of y_j v_j,      H v = grad_y f                      (5)
 *
 * H d = b by conjugate gradient, with the diagonal of H as preconditioner: penalties range over
 * many powers of ten. What is summed over rows is summed over the same parts as elsewhere
 * (regtune_rows.c), in their order: the bits do not depend on the number of threads. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/newton.h"
#include "problems/regtune_internal.h"
#include "problems/rows_double.h"

typedef sustain__regtune regtune;

enum { MOST_PRODUCTS = 2000, PATIENCE = 200, VECTORS = 10 };

typedef struct engine {
    const regtune *h;
    int64_t n, stride; /* lower_dim; of a part: with them scores and states of a row */
    double *part;      /* (slots, stride) sums over the parts of the rows */
    double *loss;      /* (slots) */
    double *state;     /* (training rows, width) what C is made of: p (softmax), C (others) */
    double *w;         /* (n) penalties */
    double *scale;     /* (n) 1 / diagonal of H */
    sustain__cg_double cg;
    sustain__newton_double newton;
} engine;

/* s (width) <- W a + b. Class by class, not feature by feature as jobs/penalized_fit.h has it:
 * dense rows then take a third of the time, sparse ones with several classes 1.3 times as long. */
static void scores_of(const sustain__model *m, sustain__row a, const double *y, double *s) {
    for (int64_t k = 0; k < m->width; k++) s[k] = sustain__row_dot(a, y + k * m->dim) + (m->intercept ? y[m->width * m->dim + k] : 0);
}

/* ---- all rows ---- */

typedef enum wanted { GRADIENT, PRODUCT, DIAGONAL } wanted;

/* One pass over the rows of a level. */
typedef struct pass {
    wanted wanted;
    sustain_level level;
    const double *z; /* y, or the v of a product */
    const engine *e;
} pass;

/* What sample i counts for model m. */
static double weight_of(const regtune *h, sustain_level level, int64_t i, int64_t m) {
    return h->options.folds > 0 ? sustain__regtune_fold_weight(h, level, i, m) : 1;
}

static void visit_row(const pass *p, int64_t i, double *s, double *out, double *loss) {
    const engine *e = p->e;
    const regtune *h = e->h;
    const sustain_rows *rows = &h->rows[p->level];
    const int64_t dim = h->model.dim, width = h->model.width, place = sustain__rows_place(rows, i);
    const sustain__row a = sustain__row_at(rows, place);
    const int64_t models = sustain__regtune_models(h), outputs = sustain__regtune_outputs(h);
    /* of the upper level it is not kept */
    double *state = p->level == SUSTAIN_LOWER ? e->state + i * width : s + width;
    if (p->wanted == DIAGONAL) {
        for (int64_t k = 0; k < width; k++) {
            const double c = weight_of(h, p->level, i, k / outputs) * sustain__loss_diagonal(h->loss, state[k]);
            sustain__row_add_square(a, c, out + k * dim);
            if (h->model.intercept) out[width * dim + k] += c;
        }
        return;
    }
    scores_of(&h->model, a, p->z, s);
    if (p->wanted == GRADIENT) *loss += sustain__regtune_loss_of_sample(h, p->level, i, s);
    for (int64_t m = 0; m < models; m++) {
        double *own = s + m * outputs;
        if (p->wanted == PRODUCT)
            sustain__loss_curve(h->loss, outputs, state + m * outputs, own);
        else
            sustain__loss_residual(h->loss, outputs, sustain__loss_truth(h->loss, rows, place), own, state + m * outputs);
        for (int64_t k = 0; k < outputs; k++) own[k] *= weight_of(h, p->level, i, m);
    }
    for (int64_t k = 0; k < width; k++) {
        sustain__row_add(a, s[k], out + k * dim);
        if (h->model.intercept) out[width * dim + k] += s[k];
    }
}

static void visit_part(void *user, int64_t number, int64_t slot) {
    const pass *p = user;
    const engine *e = p->e;
    const int64_t count = e->h->rows[p->level].count, slots = sustain__regtune_slots(e->h);
    double *part = e->part + slot * e->stride, loss = 0;
    memset(part, 0, (size_t)e->n * sizeof *part);
    for (int64_t i = count * number / slots; i < count * (number + 1) / slots; i++) visit_row(p, i, part + e->n, part, &loss);
    e->loss[slot] = loss;
}

/* out <- the mean over the rows of a level; returns the mean loss where a gradient is wanted. */
static double run_pass(const engine *e, pass p, double *out) {
    const regtune *h = e->h;
    const int slots = sustain__regtune_slots(h);
    const double count = (double)h->rows[p.level].count;
    double total = 0;
    p.e = e;
    const sustain__parts parts = {.context = h->context,
                                  .sum = visit_part,
                                  .user = &p,
                                  .by = sustain__regtune_workers(h, p.level),
                                  .count = slots,
                                  .slots = slots,
                                  .numbers = e->n,
                                  .stride = e->stride,
                                  .exact = e->part,
                                  .value = e->loss,
                                  .total = out};
    sustain__parts_sum(&parts, &total); /* the oracle reports an exchange that fails */
    for (int64_t j = 0; j < e->n; j++) out[j] /= count;
    return total / count;
}

/* The coordinate of x that acts on y_j, or -1: the intercept. */
static int64_t penalty_of(const regtune *h, int64_t j) {
    if (j >= h->model.dim * h->model.width) return -1;
    switch (h->options.penalty) {
    case SUSTAIN_REGTUNE_FEATURE:
        return j % h->model.dim;
    case SUSTAIN_REGTUNE_GROUP:
        return h->options.group[j % h->model.dim];
    case SUSTAIN_REGTUNE_CLASS:
        return j / h->model.dim % h->options.classes;
    case SUSTAIN_REGTUNE_SINGLE:
        break;
    }
    return 0;
}

/* ---- the lower level ---- */

/* g(x,y), its gradient, and what C is made of. */
static double lower_at(engine *e, const double *y, double *gradient) {
    double value = run_pass(e, (pass){.wanted = GRADIENT, .level = SUSTAIN_LOWER, .z = y}, gradient);
    for (int64_t j = 0; j < e->n; j++) {
        value += e->w[j] * y[j] * y[j] / 2;
        gradient[j] += e->w[j] * y[j];
    }
    return value;
}

static sustain_status hessian_product(void *user, const double *v, double *out) {
    engine *e = user;
    SUSTAIN_TRY(sustain__cancelled(e->h->context));
    run_pass(e, (pass){.wanted = PRODUCT, .level = SUSTAIN_LOWER, .z = v}, out);
    for (int64_t j = 0; j < e->n; j++) out[j] += e->w[j] * v[j];
    return SUSTAIN_OK;
}

static void find_scale(engine *e) {
    run_pass(e, (pass){.wanted = DIAGONAL, .level = SUSTAIN_LOWER}, e->scale);
    for (int64_t j = 0; j < e->n; j++) e->scale[j] = e->scale[j] + e->w[j] > 0 ? 1 / (e->scale[j] + e->w[j]) : 1;
}

/* H d = b to |b - H d| <= tolerance |b|; the diagonal of H is the preconditioner. */
static sustain_status solve(engine *e, const double *b, double tolerance, double *d) {
    find_scale(e);
    e->cg.tolerance = tolerance;
    memset(d, 0, (size_t)e->n * sizeof *d);
    return sustain__cg_double_solve(&e->cg, b, d);
}

static sustain_status evaluate(void *user, const double *y, double *value, double *gradient, double *norm) {
    engine *e = user;
    SUSTAIN_TRY(sustain__cancelled(e->h->context));
    *value = lower_at(e, y, gradient);
    *norm = sqrt(sustain__dot_double(e->n, gradient, gradient));
    return SUSTAIN_OK;
}

/* Every inexact solution is a descent direction. It fails only when the caller cancels. */
static sustain_status direction(void *user, const double *y, const double *gradient, double *d, double *slope) {
    engine *e = user;
    const double norm = e->newton.norm;
    (void)y; /* what C is made of belongs to it */
    if (solve(e, gradient, fmax(fmin(0.1, sqrt(norm)), 0.3 * e->newton.tolerance / norm), d) == SUSTAIN_CANCELLED) return SUSTAIN_CANCELLED;
    for (int64_t j = 0; j < e->n; j++) d[j] = -d[j];
    *slope = sustain__dot_double(e->n, gradient, d);
    return SUSTAIN_OK;
}

/* y <- y*(x); what C is made of belongs to y. */
static sustain_status minimize(engine *e, double tolerance, double *y) {
    e->newton.tolerance = tolerance;
    SUSTAIN_TRY(sustain__newton_double_minimize(&e->newton, y));
    if (!e->newton.last) lower_at(e, y, e->newton.gradient);
    return SUSTAIN_OK;
}

/* ---- public functions ---- */

/* NULL: the problem is of another kind, which has none. */
static sustain_context *context_of(const sustain_problem *problem) {
    return problem != NULL && problem->ops->f_value == sustain__regtune_ops.f_value ? ((const regtune *)problem)->context : NULL;
}

size_t sustain__regtune_outer_bytes(const sustain_problem *problem) {
    const regtune *h = (const regtune *)problem;
    const int64_t n = problem->lower_dim, width = h->model.width;
    const size_t vectors = sustain__multiply(VECTORS * sizeof(double), (size_t)n);
    const size_t parts = sustain__multiply((size_t)sustain__regtune_slots(h) * sizeof(double), (size_t)(n + 2 * width + 1));
    const size_t state = sustain__multiply((size_t)width * sizeof(double), (size_t)h->rows[SUSTAIN_LOWER].count);
    return vectors + parts + state;
}

static sustain_status begin(const sustain_problem *problem, const double *x, engine *e, double **memory) {
    const regtune *h = (const regtune *)problem;
    const int64_t n = problem->lower_dim, width = h->model.width, slots = sustain__regtune_slots(h);
    for (int64_t i = 0; i < problem->upper_dim; i++)
        if (!isfinite(x[i])) return sustain__fail(h->context, SUSTAIN_ARGUMENT, "x[%lld] is not finite", (long long)i);
    SUSTAIN_TRY(sustain__allocate(h->context, sustain__regtune_outer_bytes(problem), memory));
    double *at = *memory;
    *e = (engine){.h = h, .n = n, .stride = n + 2 * width};
    e->cg = (sustain__cg_double){.context = h->context,
                                 .n = n,
                                 .product = hessian_product,
                                 .user = e,
                                 .limit = MOST_PRODUCTS,
                                 .patience = PATIENCE,
                                 .recursive = true};
    e->newton = (sustain__newton_double){
        .context = h->context, .n = n, .evaluate = evaluate, .direction = direction, .user = e, .rounding = DBL_EPSILON};
    double **const places[VECTORS] = {
        &e->w,       &e->scale, &e->cg.r, &e->cg.p, &e->cg.q, &e->cg.z_scaled, &e->newton.at, &e->newton.trial, &e->newton.gradient,
        &e->newton.d};
    for (int i = 0; i < VECTORS; i++, at += n) *places[i] = at;
    e->newton.gradient_new = e->cg.q; /* not in use at the same time */
    e->cg.scale = e->scale;
    e->part = at, at += slots * e->stride;
    e->loss = at, at += slots;
    e->state = at;
    for (int64_t j = 0; j < n; j++) {
        const int64_t i = penalty_of(h, j);
        e->w[j] = h->options.floor + (i >= 0 ? exp(x[i]) : 0);
    }
    return SUSTAIN_OK;
}

sustain_status sustain_regtune_solve(const sustain_problem *problem, const double *x, double tolerance, double *y) {
    return sustain_regtune_outer(problem, x, tolerance, y, NULL, NULL);
}

/* v = H^{-1} grad_y f, and the gradient (5) of it. */
static sustain_status find_gradient(engine *e, const double *x, const double *y, double *gradient) {
    const regtune *h = e->h;
    const double *v = e->newton.d;
    const sustain_status status = solve(e, e->newton.gradient, 1e-12, e->newton.d);
    for (int64_t i = 0; i < h->problem.upper_dim; i++) gradient[i] = 0;
    for (int64_t j = 0; j < e->n; j++) {
        const int64_t i = penalty_of(h, j);
        if (i >= 0) gradient[i] -= exp(x[i]) * y[j] * v[j];
    }
    return status == SUSTAIN_OK || status == SUSTAIN_CANCELLED
               ? status
               : sustain__fail(h->context, SUSTAIN_NOT_CONVERGED, "the linear system of the hypergradient is not solved to 1e-12");
}

sustain_status sustain_regtune_outer(const sustain_problem *problem, const double *x, double tolerance, double *y, double *value,
                                     double *gradient) {
    SUSTAIN_TRY(sustain__need(context_of(problem), x, "x"));
    SUSTAIN_TRY(sustain__need(context_of(problem), y, "y"));
    engine e = {0};
    double *memory;
    SUSTAIN_TRY(begin(problem, x, &e, &memory));
    sustain_status solved = SUSTAIN_OK, status = minimize(&e, tolerance, y);
    const double norm = e.newton.least;
    if (status == SUSTAIN_OK && (value != NULL || gradient != NULL)) {
        const double loss = run_pass(&e, (pass){.wanted = GRADIENT, .level = SUSTAIN_UPPER, .z = y}, e.newton.gradient);
        if (value != NULL) *value = loss;
    }
    if (status == SUSTAIN_OK && gradient != NULL) solved = find_gradient(&e, x, y, gradient);
    sustain__free(e.h->context, memory);
    if (status == SUSTAIN_OK && solved != SUSTAIN_CANCELLED && !(norm <= tolerance))
        status = sustain__fail(e.h->context, SUSTAIN_NOT_CONVERGED,
                               "the lower level is solved to |grad_y g| = %.3g, not to %.3g: Newton's method cannot get closer", norm,
                               tolerance);
    return status != SUSTAIN_OK ? status : solved;
}

/* ---- other rows ---- */

/* Whether the scores s give the class t. */
static bool is_right(const regtune *h, const double *s, double t) {
    if (h->loss->labels == SUSTAIN__LABELS_SIGNS) return (s[0] > 0) == (t > 0);
    for (int64_t k = 0; k < h->options.classes; k++)
        if (s[k] > s[(int64_t)t]) return false;
    return true;
}

sustain_status sustain_regtune_score(const sustain_problem *problem, const sustain_rows *rows, const double *y, double *loss,
                                     double *accuracy) {
    SUSTAIN_TRY(sustain__need(context_of(problem), rows, "rows"));
    SUSTAIN_TRY(sustain__need(context_of(problem), y, "y"));
    SUSTAIN_TRY(sustain__need(context_of(problem), loss, "loss"));
    SUSTAIN_TRY(sustain__need(context_of(problem), accuracy, "accuracy"));
    const regtune *h = (const regtune *)problem;
    const sustain__wanted_rows test = sustain__regtune_wanted(&h->options, "test");
    const bool numbers = h->loss->labels == SUSTAIN__LABELS_NUMBERS; /* have no accuracy */
    sustain_rows taken;
    double largest, *s, sum = 0;
    int64_t right = 0;
    if (h->options.folds > 0)
        return sustain__fail(h->context, SUSTAIN_ARGUMENT,
                             "a problem with folds has several models: score the one that is fitted to all rows");
    if (rows->dim != h->model.dim)
        return sustain__fail(h->context, SUSTAIN_ARGUMENT, "the test rows have %lld features, the model %lld", (long long)rows->dim,
                             (long long)h->model.dim);
    SUSTAIN_TRY(sustain__rows_take(h->context, rows, &test, &largest, &taken));
    SUSTAIN_TRY(sustain__allocate(h->context, (size_t)h->model.width * sizeof *s, &s));
    sustain_status status = SUSTAIN_OK;
    for (int64_t i = 0; i < taken.count && status == SUSTAIN_OK; i++) {
        const int64_t place = sustain__rows_place(&taken, i);
        if (i % SUSTAIN__ASK_ROWS == 0) status = sustain__cancelled(h->context);
        scores_of(&h->model, sustain__row_at(&taken, place), y, s);
        const double truth = sustain__loss_truth(h->loss, &taken, place);
        sum += sustain__loss_value(h->loss, sustain__regtune_outputs(h), s, truth);
        right += !numbers && is_right(h, s, truth) ? 1 : 0;
    }
    sustain__free(h->context, s);
    *loss = sum / (double)taken.count;
    *accuracy = numbers ? NAN : (double)right / (double)taken.count;
    return status;
}
