/* head_solve.c - solves systems with the Hessian of a head, in the space of the support samples.
 *
 * H V = 2 lambda V + (J (A V'))'A/n. For a right-hand side with scores B = A (rhs)' on the
 * support, X = A V' satisfies
 *
 *       2 lambda X + K J X / n = B
 *
 * J_i = diag(p) - p p' = F_i F_i' with F_i = diag(sqrt p)(I - sqrt(p) sqrt(p)'), since the last
 * factor is a projection. So u = F'X solves
 *
 *       (2 lambda I + F'K F / n) u = F'B,     Z = J X = F u,
 *
 * which is symmetric positive definite with n * ways unknowns: the Woodbury formula without
 * cancellation. */
#include <math.h>
#include <string.h>

#include "core/newton.h"
#include "core/vector.h"
#include "meta/head.h"

#define CG_TOLERANCE 1e-13 /* relative; everything here is double */

/* F_i'x and F_i x, row by row; out may equal in. */
static void factor_transposed(const sustain__head *h, const double *P, const double *in, double *out) {
    const int64_t ways = h->rule.ways;
    for (int64_t i = 0; i < h->task.support; i++) {
        const double *p = P + i * ways, *x = in + i * ways;
        double mean = 0;
        for (int64_t c = 0; c < ways; c++) mean += p[c] * x[c];
        for (int64_t c = 0; c < ways; c++) out[i * ways + c] = sqrt(p[c]) * (x[c] - mean);
    }
}

static void factor(const sustain__head *h, const double *P, const double *in, double *out) {
    const int64_t ways = h->rule.ways;
    for (int64_t i = 0; i < h->task.support; i++) {
        const double *p = P + i * ways, *u = in + i * ways;
        double along = 0;
        for (int64_t c = 0; c < ways; c++) along += sqrt(p[c]) * u[c];
        for (int64_t c = 0; c < ways; c++) out[i * ways + c] = sqrt(p[c]) * (u[c] - sqrt(p[c]) * along);
    }
}

/* F_i'F_j K_ij / n into the matrix; column a of F_i is sqrt(p_a)(e_a - p). */
static void set_block(sustain__head *h, const double *P, int64_t i, int64_t j) {
    const int64_t n = h->task.support, ways = h->rule.ways, size = n * ways;
    const double *p = P + i * ways, *q = P + j * ways, factor = h->K[i * n + j] / (double)n;
    double overlap = 0;
    for (int64_t c = 0; c < ways; c++) overlap += p[c] * q[c];
    for (int64_t a = 0; a < ways; a++)
        for (int64_t b = 0; b < ways; b++)
            h->system[(i * ways + a) * size + j * ways + b] = factor * sqrt(p[a] * q[b]) * ((a == b ? 1 : 0) - q[a] - p[b] + overlap);
}

static bool solve_directly(sustain__head *h, const double *P, double *u) {
    const int64_t n = h->task.support, ways = h->rule.ways, size = n * ways;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) set_block(h, P, i, j);
    for (int64_t r = 0; r < size; r++) h->system[r * size + r] += 2 * h->rule.lambda;
    if (!sustain__cholesky(size, h->system)) return false;
    sustain__cholesky_solve(size, h->system, u);
    return true;
}

/* The matrix of the system. */
typedef struct system_matrix {
    const sustain__head *h;
    const double *P;
    double *X; /* scratch */
} system_matrix;

/* out = (2 lambda I + F'K F / n) u */
static sustain_status apply(void *user, const double *u, double *out) {
    const system_matrix *m = user;
    const sustain__head *h = m->h;
    const int64_t n = h->task.support, ways = h->rule.ways;
    factor(h, m->P, u, m->X);
    sustain__head_product(n, n, ways, h->K, m->X, out);
    factor_transposed(h, m->P, out, out);
    for (int64_t r = 0; r < n * ways; r++) out[r] = out[r] / (double)n + 2 * h->rule.lambda * u[r];
    return SUSTAIN_OK;
}

/* Conjugate gradients from zero; u is the right-hand side, then the solution. `X` is scratch. */
static void solve_by_cg(const sustain__head *h, const double *P, double *u, double *X) {
    const int64_t size = h->task.support * h->rule.ways;
    system_matrix m = {h, P, X};
    sustain__cg_double cg = {.n = size, /* without a context, which threads must not share */
                             .product = apply,
                             .user = &m,
                             .tolerance = CG_TOLERANCE,
                             .limit = 2 * size,
                             .recursive = true,
                             .r = h->unknown[1],
                             .p = h->unknown[2],
                             .q = h->unknown[3]};
    double *b = h->unknown[4];
    memcpy(b, u, (size_t)size * sizeof *b);
    memset(u, 0, (size_t)size * sizeof *u);
    sustain__cg_double_solve(&cg, b, u); /* the precision reached is sufficient */
}

void sustain__head_solve(sustain__head *h, const double *P, const double *B, bool direct, double *Z) {
    double *u = h->unknown[0];
    factor_transposed(h, P, B, u);
    const bool small = h->system != NULL && direct;
    if (!small || !solve_directly(h, P, u)) solve_by_cg(h, P, u, Z);
    factor(h, P, u, Z);
}
