/* unroll.c - the derivative of f(x, y^D(x)) where y^{t+1} = y^t - beta grad_y g(x, y^t):
 *
 *   d/dx f(x, y^D) = grad_x f(x,y^D) - beta sum_{t=0..D-1} J(x,y^t) p^{t+1},
 *   p^D = grad_y f(x,y^D),     p^t = (I - beta H(x,y^t)) p^{t+1}
 *
 * Franceschi, Donini, Frasconi, Pontil, ICML 2017, Algorithm 1 (reverse mode); Ji, Yang, Liang,
 * ICML 2021, Proposition 2. Of the forward pass only the iterates are stored: products with H and J
 * are computed at each of them on the way back. */
#include "hypergrad/unroll.h"

#include "core/vector.h"

sustain_status sustain__unroll_forward(sustain__unroll *u, const sustain_batch *zeta, const sustain_real *x) {
    const int64_t n = u->oracle->problem->lower_dim;
    for (int64_t t = 0; t < u->steps; t++) {
        sustain_real *now = u->y + t * n, *next = now + n;
        SUSTAIN_TRY(sustain__g_grad_y(u->oracle, zeta, x, now, u->q));
        sustain__copy(n, now, next);
        sustain__add(n, -u->beta, u->q, next);
    }
    return SUSTAIN_OK;
}

sustain_status sustain__unroll_backward(sustain__unroll *u, const sustain_batch *xi, const sustain_batch *zeta, const sustain_real *x,
                                        sustain_real *out) {
    const int64_t n = u->oracle->problem->lower_dim, m = u->oracle->problem->upper_dim;
    SUSTAIN_TRY(sustain__f_grad(u->oracle, xi, x, u->y + u->steps * n, out, u->p)); /* p^D */
    for (int64_t t = u->steps - 1; t >= 0; t--) {
        const sustain_real *y = u->y + t * n;
        SUSTAIN_TRY(sustain__g_cross_vec(u->oracle, zeta, x, y, u->p, u->cross));
        sustain__add(m, -u->beta, u->cross, out);
        if (t == 0) break; /* p^0 belongs to y^0, which is fixed */
        SUSTAIN_TRY(sustain__g_hess_vec(u->oracle, zeta, x, y, u->p, u->q));
        sustain__add(n, -u->beta, u->q, u->p); /* p^t */
    }
    return SUSTAIN_OK;
}
