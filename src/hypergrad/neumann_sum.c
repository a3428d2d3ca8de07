/* neumann_sum.c - the stochastic hypergradient with the whole Neumann sum, a fresh draw for each of
 * its factors.
 *
 *   r_Q = grad_y f(x,y;D_F),   r_{i-1} = (I - eta H(B_i)) r_i,  i = Q..1,   v_Q = eta sum_{i=0..Q} r_i            Algorithm 3
 *   Df(x,y) = grad_x f(x,y;D_F) - J(D_G) v_Q                                                                           (6)
 *
 * with H = grad^2_yy g, J = grad^2_xy g at (x,y): Q Hessian products for Q + 1 terms. Numbers are
 * those of Ji, Yang, Liang, ICML 2021; the same estimate is (3) of Yang, Ji, Liang, NeurIPS 2021.
 * hypergrad/neumann.c picks one term at random and multiplies it by K; this file adds all terms,
 * which costs more and has far less noise. */
#include "hypergrad/neumann_sum.h"

#include "core/vector.h"

static sustain_status estimate(const sustain__neumann_sum *n, const sustain__sum_draw *draw, const sustain_real *x, const sustain_real *y,
                               sustain_real *out) {
    sustain__oracle *o = n->oracle;
    const int64_t lower = o->problem->lower_dim;

    /* out = grad_x f,  r_Q = grad_y f */
    SUSTAIN_TRY(sustain__f_grad(o, &draw->xi, x, y, out, n->r));
    sustain__copy(lower, n->r, n->sum);
    for (int j = 0; j < draw->Q; j++) { /* r <- (I - eta H_i) r,  i = Q - j */
        SUSTAIN_TRY(sustain__g_hess_vec(o, &draw->factor[j], x, y, n->r, n->hr));
        sustain__add(lower, -draw->eta, n->hr, n->r);
        sustain__add(lower, 1, n->r, n->sum);
    }
    SUSTAIN_TRY(sustain__g_cross_vec(o, &draw->zeta, x, y, n->sum, n->cross));
    sustain__add(o->problem->upper_dim, -draw->eta, n->cross, out); /* out = grad_x f - J v_Q */
    return SUSTAIN_OK;
}

sustain_status sustain__neumann_sum_pair(const sustain__neumann_sum *neumann, const sustain__sum_draw *draw, const sustain_real *x,
                                         const sustain_real *y, const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out,
                                         sustain_real *out_prev) {
    SUSTAIN_TRY(estimate(neumann, draw, x, y, out));
    return x_prev != NULL ? estimate(neumann, draw, x_prev, y_prev, out_prev) : SUSTAIN_OK;
}
