/* exact.c - values and gradients of ell without sampling error.
 *
 *   v = [grad^2_yy g(x,y)]^{-1} grad_y f(x,y),      D f(x,y) = grad_x f(x,y) - grad^2_xy g(x,y) v                      (6)
 *   ell(x) = f(x, y*(x)),                           grad ell(x) = D f(x, y*(x))                                       (5)
 *
 * v by Cholesky's factors of the assembled Hessian, in double, or by conjugate gradient. */
#include "hypergrad/exact.h"

#include <math.h>

#include <sustain/hypergrad.h>

#include "core/vector.h"
#include "hypergrad/cg.h"
#include "hypergrad/lower_newton.h"

/* Up to this size Cholesky's factorization is fastest. */
enum { SMALL = 64 };

/* Column by column: the caller may ask to stop. */
static sustain_status factor(const sustain__oracle *o, int64_t n, double *a) {
    for (int64_t j = 0; j < n; j++) {
        SUSTAIN_TRY(sustain__cancelled(o->context));
        if (!sustain__cholesky_columns(n, j, j + 1, a))
            return sustain__fail(o->context, SUSTAIN_NOT_CONVEX,
                                 "the Hessian of problem '%s' is not positive definite: the lower level is not strongly convex here",
                                 o->problem->ops->name);
    }
    return SUSTAIN_OK;
}

/* v = H^{-1} fy, through the matrix. */
static sustain_status solve_cholesky(sustain__oracle *o, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                     const sustain_real *fy, sustain_real *v) {
    const size_t n = (size_t)o->problem->lower_dim, entries = sustain__multiply(n, n);
    const size_t row = sizeof(double) + sizeof(sustain_real);
    size_t size = sustain__multiply(entries, row);
    size = size > SIZE_MAX - n * sizeof(double) ? SIZE_MAX : size + n * sizeof(double);
    double *a; /* (n, n), then b (n), then the matrix as the oracle gives it (n, n) */
    const sustain_status allocated = sustain__allocate(o->context, size, &a);
    if (allocated != SUSTAIN_OK)
        return sustain__fail(
            o->context, allocated,
            "out of memory: the Hessian of problem '%s' as a matrix (%zu, %zu) takes %.3g MB; conjugate gradient needs no matrix",
            o->problem->ops->name, n, n, (double)n * (double)n * (double)row / 1e6);
    double *b = a + entries;
    sustain_real *hessian = (sustain_real *)(void *)(b + n);
    sustain_status status = sustain__g_hess(o, zeta, x, y, hessian);
    if (status == SUSTAIN_OK) {
        for (size_t i = 0; i < entries; i++) a[i] = (double)hessian[i];
        for (size_t i = 0; i < n; i++) b[i] = (double)fy[i];
        status = factor(o, (int64_t)n, a);
    }
    if (status == SUSTAIN_OK) {
        sustain__cholesky_solve((int64_t)n, a, b);
        for (size_t i = 0; i < n; i++) v[i] = (sustain_real)b[i];
    }
    sustain__free(o->context, a);
    return status;
}

/* v = H^{-1} fy, by products. */
static sustain_status solve_cg(sustain__oracle *o, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                               double tolerance, const sustain_real *fy, sustain_real *v) {
    const int64_t n = o->problem->lower_dim;
    sustain_real *scratch;
    SUSTAIN_TRY(sustain__allocate(o->context, sustain__multiply(3 * sizeof *scratch, (size_t)n), &scratch));
    sustain__hessian hessian = {.oracle = o, .zeta = zeta, .x = x, .y = y};
    sustain__cg cg = {.context = o->context, .n = n, .product = sustain__hessian_product, .user = &hessian, .tolerance = tolerance};
    cg.limit = 10 * n + 100;
    cg.r = scratch, cg.p = scratch + n, cg.q = scratch + 2 * n;
    sustain__zero(n, v);
    const sustain_status status = sustain__cg_solve(&cg, fy, v);
    sustain__free(o->context, scratch);
    return status;
}

/* Eq. (6). If conjugate gradient does not reach its tolerance, out is made with what it did
 * reach. */
static sustain_status hypergradient(sustain__oracle *o, const sustain_batch *xi, const sustain_batch *zeta, const sustain_real *x,
                                    const sustain_real *y, sustain_inverse inverse, double tolerance, sustain_real *out) {
    const int64_t lower = o->problem->lower_dim, upper = o->problem->upper_dim;
    const size_t numbers = 2 * (size_t)lower + (size_t)upper;
    sustain_real *fy; /* (lower), then v (lower), then J v (upper) */
    SUSTAIN_TRY(sustain__allocate(o->context, sustain__multiply(numbers, sizeof *fy), &fy));
    sustain_real *v = fy + lower, *cross = fy + 2 * lower;

    /* out = grad_x f */
    sustain_status solved = SUSTAIN_OK, status = sustain__f_grad(o, xi, x, y, out, fy);
    if (status == SUSTAIN_OK) { /* v = H^{-1} grad_y f */
        solved = inverse == SUSTAIN_INVERSE_CG ? solve_cg(o, zeta, x, y, tolerance, fy, v) : solve_cholesky(o, zeta, x, y, fy, v);
        if (solved != SUSTAIN_NOT_CONVERGED) status = solved;
    }
    if (status == SUSTAIN_OK) status = sustain__g_cross_vec(o, zeta, x, y, v, cross);
    if (status == SUSTAIN_OK) sustain__add(upper, -1, cross, out); /* out = grad_x f - J v      (6) */
    sustain__free(o->context, fy);
    return status == SUSTAIN_OK ? solved : status;
}

sustain_status sustain__hypergradient(sustain__oracle *o, const sustain_batch *xi, const sustain_batch *zeta, const sustain_real *x,
                                      const sustain_real *y, sustain_real *out) {
    const sustain_inverse inverse = o->problem->lower_dim <= SMALL ? SUSTAIN_INVERSE_CHOLESKY : SUSTAIN_INVERSE_CG;
    return hypergradient(o, xi, zeta, x, y, inverse, pow(sustain__rounding(), 2.0 / 3), out);
}

/* ---- the public functions ---- */

static sustain_status missing(sustain_context *context, const sustain_problem *problem, const char *oracle) {
    return sustain__fail(context, SUSTAIN_MISSING_ORACLE, "problem '%s' does not offer %s, which an exact solve needs", problem->ops->name,
                         oracle);
}

/* Refuses a draw that the problem does not support. */
static sustain_status validate_draw(sustain_context *context, const sustain_problem *problem, sustain_level level,
                                    const sustain_batch *batch) {
    if (batch == NULL)
        return sustain__has_expectation(problem) ? SUSTAIN_OK : missing(context, problem, "has_expectation (or give a draw)");
    if (batch->size < 1) return sustain__fail(context, SUSTAIN_ARGUMENT, "a draw must have at least one sample");
    if (problem->samples[level] > 0 && batch->index == NULL)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "problem '%s' is a finite sum: a draw must list its samples", problem->ops->name);
    return SUSTAIN_OK;
}

static int64_t largest(const sustain_batch *a, const sustain_batch *b) {
    int64_t size = 1;
    if (a != NULL && a->size > size) size = a->size;
    if (b != NULL && b->size > size) size = b->size;
    return size;
}

sustain_status sustain_hypergradient(sustain_context *context, const sustain_problem *problem, const sustain_batch *xi,
                                     const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_inverse inverse,
                                     double tolerance, sustain_real *out) {
    if (context == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__problem_validate(context, problem));
    const bool cg = inverse == SUSTAIN_INVERSE_CG;
    if (x == NULL || y == NULL || out == NULL || (!cg && inverse != SUSTAIN_INVERSE_CHOLESKY))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "sustain_hypergradient: x, y or out is NULL, or inverse is not a known method");
    if (cg && !(tolerance >= 0 && tolerance < 1))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "sustain_hypergradient: the tolerance is %g; it must be in [0, 1)", tolerance);
    if (problem->ops->g_hess_vec == NULL && (cg || problem->ops->g_hess == NULL)) return missing(context, problem, "g_hess_vec");
    if (problem->ops->g_cross_vec == NULL) return missing(context, problem, "g_cross_vec");
    SUSTAIN_TRY(validate_draw(context, problem, SUSTAIN_UPPER, xi));
    SUSTAIN_TRY(validate_draw(context, problem, SUSTAIN_LOWER, zeta));

    sustain__oracle oracle;
    SUSTAIN_TRY(sustain__oracle_create(context, problem, largest(xi, zeta), false, &oracle));
    const sustain_status status = hypergradient(&oracle, xi, zeta, x, y, inverse, tolerance, out);
    sustain__oracle_destroy(&oracle);
    return status;
}

sustain_status sustain_lower_solve(sustain_context *context, const sustain_problem *problem, const sustain_batch *zeta,
                                   const sustain_real *x, double tolerance, sustain_real *y) {
    if (context == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__problem_validate(context, problem));
    if (x == NULL || y == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "sustain_lower_solve: x or y is NULL");
    if (!(tolerance >= 0))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "sustain_lower_solve: the tolerance is %g; it must be at least 0", tolerance);
    if (problem->ops->g_hess_vec == NULL) return missing(context, problem, "g_hess_vec");
    SUSTAIN_TRY(validate_draw(context, problem, SUSTAIN_LOWER, zeta));

    sustain__oracle oracle;
    SUSTAIN_TRY(sustain__oracle_create(context, problem, largest(zeta, NULL), false, &oracle));
    const sustain_status status = sustain__lower_solve(&oracle, zeta, x, tolerance, y);
    sustain__oracle_destroy(&oracle);
    return status;
}

sustain_status sustain_outer(sustain_context *context, const sustain_problem *problem, const sustain_batch *xi, const sustain_batch *zeta,
                             const sustain_real *x, double tolerance, sustain_real *y, double *value, sustain_real *gradient) {
    if (context == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__problem_validate(context, problem));
    if (x == NULL || y == NULL || value == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "sustain_outer: x, y or value is NULL");
    if (!(tolerance >= 0))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "sustain_outer: the tolerance is %g; it must be at least 0", tolerance);
    if (SUSTAIN__FAST(problem, project_y) != NULL)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "sustain_outer: problem '%s' constrains y, and only a free lower level is solved",
                             problem->ops->name);
    if (problem->ops->g_hess_vec == NULL) return missing(context, problem, "g_hess_vec");
    if (gradient != NULL && problem->ops->g_cross_vec == NULL) return missing(context, problem, "g_cross_vec");
    SUSTAIN_TRY(validate_draw(context, problem, SUSTAIN_UPPER, xi));
    SUSTAIN_TRY(validate_draw(context, problem, SUSTAIN_LOWER, zeta));

    sustain__oracle oracle;
    SUSTAIN_TRY(sustain__oracle_create(context, problem, largest(xi, zeta), false, &oracle));
    const sustain_status solved = sustain__lower_solve(&oracle, zeta, x, tolerance, y);
    sustain_status status = solved == SUSTAIN_NOT_CONVERGED ? SUSTAIN_OK : solved;
    if (status == SUSTAIN_OK) status = sustain__f_value(&oracle, xi, x, y, value);
    if (status == SUSTAIN_OK && gradient != NULL) {
        status = sustain__hypergradient(&oracle, xi, zeta, x, y, gradient);
    }
    sustain__oracle_destroy(&oracle);
    return status == SUSTAIN_OK ? solved : status;
}
