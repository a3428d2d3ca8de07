/* tracked.c - see tracked.h. */
#include "hypergrad/tracked.h"

#include <math.h>
#include <string.h>

#include "core/eigen.h"
#include "core/vector.h"

/* ---- projections ---- */

/* Eigenvalues below mu_g become mu_g. Where H - mu_g I has a Cholesky factor there are none, which
 * is a cheap test. `factor` gets the matrix as it is before it is rounded: where the condition
 * number is above that of rounding, the rounded one may be indefinite. */
static void project_hessian(sustain__tracked *k) {
    const int64_t n = k->oracle->problem->lower_dim;
    sustain_real *H = k->H_new;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) k->factor[i * n + j] = 0.5 * ((double)H[i * n + j] + (double)H[j * n + i]);
    memcpy(k->vectors, k->factor, (size_t)(n * n) * sizeof *k->factor);
    for (int64_t i = 0; i < n; i++) k->vectors[i * n + i] -= k->mu_g;
    if (sustain__cholesky(n, k->vectors) || !sustain__eigen(n, k->factor, k->values, k->vectors)) return;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int64_t l = 0; l < n; l++) sum += fmax(k->mu_g, k->values[l]) * k->vectors[i * n + l] * k->vectors[j * n + l];
            k->factor[i * n + j] = k->factor[j * n + i] = sum;
            H[i * n + j] = H[j * n + i] = (sustain_real)sum;
        }
}

/* Singular values above C_gxy become C_gxy: J V diag(min(1, C_gxy/sigma)) V', where J'J = V
 * diag(sigma^2) V'. There are none where already the Frobenius norm is below, or where C_gxy^2 I -
 * J'J has a Cholesky factor. */
static void project_cross(sustain__tracked *k) {
    const int64_t m = k->oracle->problem->upper_dim, n = k->oracle->problem->lower_dim;
    if (!(sustain__norm(m * n, k->J_new) > k->C_gxy)) return;
    memset(k->factor, 0, (size_t)(n * n) * sizeof *k->factor);
    for (int64_t i = 0; i < m; i++) {
        const sustain_real *row = k->J_new + i * n;
        for (int64_t j = 0; j < n; j++)
            for (int64_t l = 0; l < n; l++) k->factor[j * n + l] += (double)row[j] * (double)row[l];
    }
    for (int64_t i = 0; i < n * n; i++) k->vectors[i] = (i % (n + 1) == 0 ? k->C_gxy * k->C_gxy : 0) - k->factor[i];
    if (sustain__cholesky(n, k->vectors) || !sustain__eigen(n, k->factor, k->values, k->vectors)) return;
    bool above = false;
    for (int64_t l = 0; l < n; l++) {
        const double sigma = sqrt(fmax(0, k->values[l]));
        k->values[l] = sigma > k->C_gxy ? k->C_gxy / sigma : 1;
        above = above || sigma > k->C_gxy;
    }
    for (int64_t i = 0; above && i < m; i++) {
        sustain_real *row = k->J_new + i * n;
        for (int64_t l = 0; l < n; l++) {
            k->row[l] = 0;
            for (int64_t j = 0; j < n; j++) k->row[l] += k->vectors[j * n + l] * (double)row[j];
            k->row[l] *= k->values[l];
        }
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < n; l++) sum += k->vectors[j * n + l] * k->row[l];
            row[j] = (sustain_real)sum;
        }
    }
}

/* ---- the update ---- */

/* now <- now + keep (before - then). */
static void follow(int64_t count, double keep, const sustain_real *before, const sustain_real *then, sustain_real *now) {
    for (int64_t i = 0; i < count; i++) now[i] = (sustain_real)((double)now[i] + keep * ((double)before[i] - (double)then[i]));
}

sustain_status sustain__tracked_update(sustain__tracked *k, const sustain_batch *zeta, double keep, const sustain_real *x,
                                       const sustain_real *y, const sustain_real *x_prev, const sustain_real *y_prev) {
    const int64_t m = k->oracle->problem->upper_dim, n = k->oracle->problem->lower_dim;
    SUSTAIN_TRY(sustain__g_hess(k->oracle, zeta, x, y, k->H_new));
    SUSTAIN_TRY(sustain__g_cross(k->oracle, zeta, x, y, k->J_new));
    if (keep != 0) {
        SUSTAIN_TRY(sustain__g_hess(k->oracle, zeta, x_prev, y_prev, k->H_prev));
        SUSTAIN_TRY(sustain__g_cross(k->oracle, zeta, x_prev, y_prev, k->J_prev));
        follow(n * n, keep, k->H, k->H_prev, k->H_new);
        follow(m * n, keep, k->J, k->J_prev, k->J_new);
    }
    project_cross(k);
    project_hessian(k);
    k->solvable = sustain__cholesky(n, k->factor);
    return SUSTAIN_OK;
}

void sustain__tracked_keep(sustain__tracked *k) {
    const int64_t m = k->oracle->problem->upper_dim, n = k->oracle->problem->lower_dim;
    sustain__copy(n * n, k->H_new, k->H);
    sustain__copy(m * n, k->J_new, k->J);
}

/* ---- products ---- */

void sustain__tracked_solve(const sustain__tracked *k, sustain_real *b) {
    const int64_t n = k->oracle->problem->lower_dim;
    for (int64_t i = 0; i < n; i++) k->row[i] = (double)b[i];
    if (k->solvable) sustain__cholesky_solve(n, k->factor, k->row);
    for (int64_t i = 0; i < n; i++) b[i] = (sustain_real)(k->solvable ? k->row[i] : NAN);
}

void sustain__tracked_cross(const sustain__tracked *k, const sustain_real *v, sustain_real *out) {
    const int64_t m = k->oracle->problem->upper_dim, n = k->oracle->problem->lower_dim;
    for (int64_t i = 0; i < m; i++) out[i] = (sustain_real)((double)out[i] - sustain__dot(n, k->J_new + i * n, v));
}

void sustain__tracked_cross_transposed(const sustain__tracked *k, const sustain_real *d, sustain_real *out) {
    const int64_t m = k->oracle->problem->upper_dim, n = k->oracle->problem->lower_dim;
    memset(k->row, 0, (size_t)n * sizeof *k->row);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) k->row[j] += (double)k->J_new[i * n + j] * (double)d[i];
    for (int64_t j = 0; j < n; j++) out[j] = (sustain_real)k->row[j];
}
