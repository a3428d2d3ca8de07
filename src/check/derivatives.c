/* derivatives.c - checks of the derivatives: each against finite differences of its function.
 *
 *   d'grad_x f = d/ds f(x + s d, y),   v'grad_y f = d/ds f(x, y + s v),   the same of g
 *   H v = d/ds grad_y g(x, y + s v),   u'H v = v'H u
 *   d'(J v) = v'(J'd) = d/ds v'grad_y g(x + s d, y),   J v = d/ds grad_x g(x, y + s v)
 *   d'grad ell = d/ds f(x + s d, y*(x + s d))                                                                          (5)
 *
 * Along random directions, so that an error in any entry is detected; on a draw or, all but the
 * last, on batch NULL. */
#include <math.h>

#include "check/checker.h"
#include "core/vector.h"
#include "hypergrad/cg.h"
#include "hypergrad/exact.h"
#include "hypergrad/lower_newton.h"

/* The quantity that is evaluated along a line. */
typedef enum quantity { F_VALUE, G_VALUE, G_GRAD_Y, G_GRAD_Y_ALONG_V, G_GRAD_X, ELL } quantity;

typedef struct line {
    sustain__checker *c;
    quantity what;
    const sustain_real *d; /* direction of x, or NULL */
    const sustain_real *v; /* direction of y, or NULL */
} line;

static int64_t numbers_of(const sustain__checker *c, quantity what) {
    return what == G_GRAD_Y ? c->lower : what == G_GRAD_X ? c->upper : 1;
}

static sustain_status evaluate(sustain__checker *c, quantity what, double *value) {
    sustain__oracle *o = &c->oracle;
    switch (what) {
    case F_VALUE:
        return sustain__f_value(o, c->draw[SUSTAIN_UPPER], c->x_probe, c->y_probe, value);
    case G_VALUE:
        return sustain__g_value(o, c->draw[SUSTAIN_LOWER], c->x_probe, c->y_probe, value);
    case G_GRAD_X:
        return sustain__g_grad_x(o, c->draw[SUSTAIN_LOWER], c->x_probe, c->y_probe, c->b.x);
    case ELL:
        break;
    default:
        return sustain__g_grad_y(o, c->draw[SUSTAIN_LOWER], c->x_probe, c->y_probe, c->b.y);
    }
    const sustain_status status = sustain__lower_solve(o, c->draw[SUSTAIN_LOWER], c->x_probe, 0, c->y_probe);
    /* not converged: the limit of rounding, as intended */
    if (status != SUSTAIN_OK && status != SUSTAIN_NOT_CONVERGED) return status;
    return sustain__f_value(o, c->draw[SUSTAIN_UPPER], c->x_probe, c->y_probe, value);
}

static sustain_status walk(void *user, double s, double *out, double *noise) {
    const line *l = user;
    sustain__checker *c = l->c;
    const int64_t m = numbers_of(c, l->what);
    sustain__copy(c->upper, c->x, c->x_probe);
    sustain__copy(c->lower, c->y, c->y_probe);
    if (l->d != NULL) sustain__add(c->upper, s, l->d, c->x_probe);
    if (l->v != NULL) sustain__add(c->lower, s, l->v, c->y_probe);
    const sustain_status status = evaluate(c, l->what, out);
    if (status == SUSTAIN_MEMORY || status == SUSTAIN_MEMORY_LIMIT || status == SUSTAIN_CANCELLED) return status;
    /* the problem may be undefined so far from the point: use a shorter step */
    if (status != SUSTAIN_OK) {
        for (int64_t i = 0; i < m; i++) out[i] = NAN;
        *noise = 0;
        return SUSTAIN_OK;
    }
    const sustain_real *gradient = l->what == G_GRAD_X ? c->b.x : c->b.y;
    switch (l->what) {
    case G_GRAD_X:
    case G_GRAD_Y:
        for (int64_t i = 0; i < m; i++) out[i] = (double)gradient[i];
        *noise = sustain__rounding() * sustain__norm(m, gradient);
        break;
    case G_GRAD_Y_ALONG_V:
        *out = sustain__dot(c->lower, c->v, gradient);
        *noise = sustain__rounding() * sustain__norm(c->lower, gradient) * sustain__root_mean_square(c->lower, c->v);
        break;
    default:
        *noise = sustain__rounding() * fabs(*out) + (l->what == ELL ? c->ell_noise : 0);
        break;
    }
    return SUSTAIN_OK;
}

static sustain_status slope_along(sustain__checker *c, quantity what, const sustain_real *d, const sustain_real *v, sustain__slope *slope) {
    line l = {.c = c, .what = what, .d = d, .v = v};
    return sustain__find_slope(walk, &l, numbers_of(c, what), c->scratch, slope);
}

/* After a failure along random directions: finds the worst entry of `part` by trying each
 * coordinate, where there are few. */
static sustain_status locate(sustain__checker *c, quantity what, bool in_x, const sustain_real *part) {
    enum { MOST_COORDINATES = 256 };
    const int64_t n = in_x ? c->upper : c->lower;
    sustain_real *way = in_x ? c->d : c->u;
    if (!sustain__has_failed(c) || n > MOST_COORDINATES) return SUSTAIN_OK;
    sustain__zero(n, way);
    for (int64_t i = 0; i < n; i++) {
        sustain__slope slope;
        way[i] = 1;
        SUSTAIN_TRY(slope_along(c, what, in_x ? way : NULL, in_x ? NULL : way, &slope));
        way[i] = 0;
        sustain__compare_entry(c, in_x ? "x" : "y", i, (double)part[i], slope.value[0]);
    }
    return SUSTAIN_OK;
}

/* ---- gradients ---- */

/* The part in x or in y of a gradient. */
static sustain_status check_gradient(sustain__checker *c, int gradient, quantity value, bool in_x) {
    for (int i = 0; i < DIRECTIONS; i++) {
        sustain__slope slope;
        sustain__checker_turn(c);
        SUSTAIN_TRY(sustain__evaluate(c, gradient, sustain__draw_of(c, gradient), c->x, c->y, &c->a));
        SUSTAIN_TRY(slope_along(c, value, in_x ? c->d : NULL, in_x ? NULL : c->v, &slope));
        const int64_t n = in_x ? c->upper : c->lower;
        const sustain_real *part = in_x ? c->a.x : c->a.y, *way = in_x ? c->d : c->v;
        sustain__compare_number(c, sustain__dot(n, part, way), &slope);
    }
    sustain__conclude(c);
    return locate(c, value, in_x, in_x ? c->a.x : c->a.y);
}

sustain_status sustain__check_f_grad_x(sustain__checker *c) {
    return check_gradient(c, SUSTAIN_ORACLE_SHIFT_F_GRAD, F_VALUE, true);
}

sustain_status sustain__check_f_grad_y(sustain__checker *c) {
    return check_gradient(c, SUSTAIN_ORACLE_SHIFT_F_GRAD, F_VALUE, false);
}

sustain_status sustain__check_g_grad_y(sustain__checker *c) {
    return check_gradient(c, SUSTAIN_ORACLE_SHIFT_G_GRAD_Y, G_VALUE, false);
}

sustain_status sustain__check_g_grad_x(sustain__checker *c) {
    return check_gradient(c, SUSTAIN_ORACLE_SHIFT_G_GRAD_X, G_VALUE, true);
}

/* ---- second derivatives ---- */

sustain_status sustain__check_hessian(sustain__checker *c) {
    for (int i = 0; i < DIRECTIONS; i++) {
        sustain__slope slope;
        sustain__checker_turn(c);
        SUSTAIN_TRY(sustain__g_hess_vec(&c->oracle, c->draw[SUSTAIN_LOWER], c->x, c->y, c->v, c->a.y));
        SUSTAIN_TRY(slope_along(c, G_GRAD_Y, NULL, c->v, &slope));
        sustain__compare_vector(c, "y", c->lower, c->a.y, &slope);
    }
    sustain__conclude(c);
    return SUSTAIN_OK;
}

sustain_status sustain__check_symmetry(sustain__checker *c) {
    const int64_t n = c->lower;
    for (int i = 0; i < DIRECTIONS; i++) {
        sustain__checker_turn(c);
        SUSTAIN_TRY(sustain__g_hess_vec(&c->oracle, c->draw[SUSTAIN_LOWER], c->x, c->y, c->v, c->a.y));
        SUSTAIN_TRY(sustain__g_hess_vec(&c->oracle, c->draw[SUSTAIN_LOWER], c->x, c->y, c->u, c->b.y));
        const double uhv = sustain__dot(n, c->u, c->a.y), vhu = sustain__dot(n, c->v, c->b.y);
        const double typical = sustain__larger(sustain__norm(n, c->a.y) * sustain__root_mean_square(n, c->u),
                                               sustain__norm(n, c->b.y) * sustain__root_mean_square(n, c->v));
        sustain__note(c, sustain__relative(fabs(uhv - vhu), sustain__larger(typical, sustain__larger(fabs(uhv), fabs(vhu)))));
    }
    return SUSTAIN_OK;
}

sustain_status sustain__check_cross_by_x(sustain__checker *c) {
    for (int i = 0; i < DIRECTIONS; i++) {
        sustain__slope slope;
        sustain__checker_turn(c);
        SUSTAIN_TRY(sustain__g_cross_vec(&c->oracle, c->draw[SUSTAIN_LOWER], c->x, c->y, c->v, c->a.x));
        SUSTAIN_TRY(slope_along(c, G_GRAD_Y_ALONG_V, c->d, NULL, &slope));
        sustain__compare_number(c, sustain__dot(c->upper, c->d, c->a.x), &slope);
    }
    sustain__conclude(c);
    return locate(c, G_GRAD_Y_ALONG_V, true, c->a.x);
}

sustain_status sustain__check_cross_by_y(sustain__checker *c) {
    for (int i = 0; i < DIRECTIONS; i++) {
        sustain__slope slope;
        sustain__checker_turn(c);
        SUSTAIN_TRY(sustain__g_cross_vec(&c->oracle, c->draw[SUSTAIN_LOWER], c->x, c->y, c->v, c->a.x));
        SUSTAIN_TRY(slope_along(c, G_GRAD_X, NULL, c->v, &slope));
        sustain__compare_vector(c, "x", c->upper, c->a.x, &slope);
    }
    sustain__conclude(c);
    return SUSTAIN_OK;
}

/* ---- the hypergradient ---- */

/* y becomes y*(x) for the draw zeta[0]; ell is solved for twice, and the difference is its
 * noise. */
static sustain_status settle(sustain__checker *c) {
    double here, there;
    sustain_status status = sustain__lower_solve(&c->oracle, c->draw[SUSTAIN_LOWER], c->x, 0, c->y);
    if (status == SUSTAIN_OK || status == SUSTAIN_NOT_CONVERGED)
        status = sustain__lower_solve(&c->oracle, c->draw[SUSTAIN_LOWER], c->x, 0, c->y_other);
    if (status != SUSTAIN_OK && status != SUSTAIN_NOT_CONVERGED) return status;
    SUSTAIN_TRY(sustain__f_value(&c->oracle, c->draw[SUSTAIN_UPPER], c->x, c->y, &here));
    SUSTAIN_TRY(sustain__f_value(&c->oracle, c->draw[SUSTAIN_UPPER], c->x, c->y_other, &there));
    c->ell_noise = fabs(here - there);
    return SUSTAIN_OK;
}

sustain_status sustain__check_hypergradient(sustain__checker *c) {
    /* the exact solve uses g_hess where there is one */
    c->skipped = (c->offered & ~c->sound & HESSIAN) != 0;
    if (c->skipped) return SUSTAIN_OK;
    sustain_status status = settle(c);
    if (status == SUSTAIN_OK)
        status = sustain__hypergradient(&c->oracle, c->draw[SUSTAIN_UPPER], c->draw[SUSTAIN_LOWER], c->x, c->y, c->a.x);
    if (status == SUSTAIN_NOT_CONVEX || status == SUSTAIN_NOT_FINITE) {
        sustain__complain(c, "the lower level cannot be solved: %s", sustain_error(c->oracle.context));
        return SUSTAIN_OK;
    }
    if (status != SUSTAIN_OK && status != SUSTAIN_NOT_CONVERGED) return status;
    for (int i = 0; i < DIRECTIONS; i++) {
        sustain__slope slope;
        sustain__checker_turn(c);
        SUSTAIN_TRY(slope_along(c, ELL, c->d, NULL, &slope));
        sustain__compare_number(c, sustain__dot(c->upper, c->d, c->a.x), &slope);
    }
    sustain__conclude(c);
    return SUSTAIN_OK;
}
