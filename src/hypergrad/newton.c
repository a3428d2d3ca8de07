/* newton.c - y*(x) = argmin over y of g(x,y), by Newton's method.
 *
 *   grad^2_yy g(x,y) d = -grad_y g(x,y) by conjugate gradient, ever more exactly;   y <- y + s d,   s = 1, 1/2, 1/4, ...
 *
 * A step is taken when g falls as Armijo asks. Close to y* a fall of g drowns in rounding long before grad_y g does: so a step
 * is also taken when |grad_y g| falls clearly below the least one seen. What is returned is the y of the least |grad_y g|. */
#include "hypergrad/newton.h"

#include <math.h>

#include <sustain/hypergrad.h>

#include "core/vector.h"
#include "hypergrad/cg.h"

enum { ITERATIONS = 200, STALLED = 3, VECTORS = 7 };

typedef struct newton {
    sustain__oracle *oracle;
    const sustain_batch *zeta;
    const sustain_real *x;
    sustain__cg cg;
    sustain__hessian hessian;
    sustain_real *y, *y_new;    /* (n) each: where it stands; what a step tries */
    sustain_real *gradient, *d; /* (n) each: grad_y g at y; the step */
    double value, norm;         /* g and |grad_y g| at y */
    double slope;               /* grad_y g' d */
    double least;               /* |grad_y g| seen */
} newton;

/* d = -H^{-1} grad_y g, as exactly as is worth while. */
static sustain_status direction(newton *n, double tolerance, double norm_0) {
    const double enough = fmin(0.1, sqrt(n->norm / norm_0));
    n->cg.tolerance = fmax(enough, fmin(0.1, 0.5 * tolerance / n->norm));
    n->hessian.y = n->y;
    sustain__zero(n->cg.n, n->d);
    const sustain_status status = sustain__cg_solve(&n->cg, n->gradient, n->d);
    sustain__scale(n->cg.n, -1, n->d);
    n->slope = sustain__dot(n->cg.n, n->gradient, n->d);
    return status == SUSTAIN_NOT_CONVERGED ? SUSTAIN_OK : status; /* even then d goes down */
}

/* Moves y along d; *moved is false where rounding hides every descent. */
static sustain_status search(newton *n, bool *moved) {
    const int64_t dim = n->cg.n;
    *moved = false;
    for (double s = 1; s > 1e-12 && n->slope < 0; s /= 2) {
        double value;
        sustain__copy(dim, n->y, n->y_new);
        sustain__add(dim, s, n->d, n->y_new);
        SUSTAIN_TRY(sustain__g_value(n->oracle, n->zeta, n->x, n->y_new, &value));
        SUSTAIN_TRY(sustain__g_grad_y(n->oracle, n->zeta, n->x, n->y_new, n->cg.q)); /* cg.q is free now */
        const bool falls = value <= n->value + 1e-4 * s * n->slope;
        const double norm = sustain__norm(dim, n->cg.q);
        if (isfinite(norm) && (falls || norm <= 0.9 * n->least)) {
            sustain__copy(dim, n->y_new, n->y);
            sustain__copy(dim, n->cg.q, n->gradient);
            n->value = value;
            n->norm = norm;
            *moved = true;
            return SUSTAIN_OK;
        }
        if (-s * n->slope <= 8 * sustain__rounding() * fabs(n->value)) break;
    }
    return SUSTAIN_OK;
}

static sustain_status minimize(newton *n, double tolerance, sustain_real *best) {
    const int64_t dim = n->cg.n;
    const char *name = n->oracle->problem->ops->name;
    sustain__copy(dim, best, n->y);
    SUSTAIN_TRY(sustain__g_value(n->oracle, n->zeta, n->x, n->y, &n->value));
    SUSTAIN_TRY(sustain__g_grad_y(n->oracle, n->zeta, n->x, n->y, n->gradient));
    n->norm = n->least = sustain__norm(dim, n->gradient);
    if (!isfinite(n->norm) || !isfinite(n->value))
        return sustain__fail(n->oracle->context, SUSTAIN_NOT_FINITE,
                             "problem '%s': g or its gradient is not finite where the lower solve starts", name);
    const double norm_0 = n->norm;
    int stalled = 0;
    for (int i = 0; i < ITERATIONS && n->least > tolerance && stalled < STALLED; i++) {
        bool moved;
        SUSTAIN_TRY(direction(n, tolerance, norm_0));
        const bool drowned = -n->slope <= 8 * sustain__rounding() * fabs(n->value);
        SUSTAIN_TRY(search(n, &moved));
        if (!moved) break;
        stalled = drowned && n->norm > 0.9 * n->least ? stalled + 1 : 0;
        if (n->norm < n->least) {
            n->least = n->norm;
            sustain__copy(dim, n->y, best);
        }
    }
    if (n->least <= tolerance) return SUSTAIN_OK;
    return sustain__fail(
        n->oracle->context, SUSTAIN_NOT_CONVERGED,
        "the lower level of problem '%s' is solved to |grad_y g| = %.3g, not to %.3g: Newton's method in %s came no closer", name, n->least,
        tolerance, sustain_precision());
}

sustain_status sustain__lower_solve(sustain__oracle *oracle, const sustain_batch *zeta, const sustain_real *x, double tolerance,
                                    sustain_real *y, double *reached) {
    const int64_t dim = oracle->problem->lower_dim;
    sustain_real *memory;
    SUSTAIN_TRY(sustain__allocate(oracle->context, sustain__multiply(VECTORS * sizeof *memory, (size_t)dim), &memory));
    newton n = {.oracle = oracle, .zeta = zeta, .x = x, .hessian = {.oracle = oracle, .zeta = zeta, .x = x}};
    n.cg = (sustain__cg){.context = oracle->context, .n = dim, .product = sustain__hessian_product, .user = &n.hessian};
    n.cg.limit = 2 * dim + 100;
    n.y = memory, n.y_new = memory + dim;
    n.gradient = memory + 2 * dim, n.d = memory + 3 * dim;
    n.cg.r = memory + 4 * dim, n.cg.p = memory + 5 * dim, n.cg.q = memory + 6 * dim;
    const sustain_status status = minimize(&n, tolerance, y);
    if (reached != NULL) *reached = n.least;
    sustain__free(oracle->context, memory);
    return status;
}
