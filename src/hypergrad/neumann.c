/* neumann.c - the stochastic hypergradient with a random truncation of the Neumann series.
 *
 *   Df(x,y; xi-bar) = grad_x f(x,y;xi) - (K/L_g) J(zeta^(0)) prod_{i=1..k} (I - H(zeta^(i))/L_g) grad_y f(x,y;xi)      (7)
 *
 * with H = grad^2_yy g, J = grad^2_xy g at (x,y), and k uniform on 0 .. K-1. Its bias is at most
 * (C_gxy C_fy / mu_g) (1 - mu_g/L_g)^K (Lemma 2.1). Ghadimi and Wang 2018; Khanduri et al. 2021. */
#include "hypergrad/neumann.h"

#include "core/vector.h"

static sustain_status estimate(const sustain__neumann *n, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                               sustain_real *out) {
    sustain__oracle *o = n->oracle;
    const int64_t lower = o->problem->lower_dim, upper = o->problem->upper_dim;

    SUSTAIN_TRY(sustain__f_grad(o, &draw->xi, x, y, out, n->v)); /* out = grad_x f,  v = grad_y f */
    for (int i = draw->k; i >= 1; i--) {                         /* v = prod_{i=1..k} (I - H_i / L_g) v */
        SUSTAIN_TRY(sustain__g_hess_vec(o, &draw->zeta[i], x, y, n->v, n->hv));
        sustain__add(lower, -1 / draw->L_g, n->hv, n->v);
    }
    const double scale = -draw->K / draw->L_g; /* out = grad_x f - (K/L_g) J_0 v     (7) */
    if (o->compact) {
        sustain_real *cross = out + draw->support[SUSTAIN_UPPER];
        SUSTAIN_TRY(sustain__g_cross_vec(o, &draw->zeta[0], x, y, n->v, cross));
        sustain__scale(draw->support[SUSTAIN_LOWER], scale, cross);
    } else {
        SUSTAIN_TRY(sustain__g_cross_vec(o, &draw->zeta[0], x, y, n->v, n->cross));
        sustain__add(upper, scale, n->cross, out);
    }
    return SUSTAIN_OK;
}

sustain_status sustain__neumann_pair(const sustain__neumann *neumann, const sustain_hyper_draw *draw, const sustain_real *x,
                                     const sustain_real *y, const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out,
                                     sustain_real *out_prev) {
    if (SUSTAIN__FAST(neumann->oracle->problem, hyper_pair) != NULL)
        return sustain__hyper_pair(neumann->oracle, draw, x, y, x_prev, y_prev, out, out_prev);
    SUSTAIN_TRY(estimate(neumann, draw, x, y, out));
    return x_prev != NULL ? estimate(neumann, draw, x_prev, y_prev, out_prev) : SUSTAIN_OK;
}
