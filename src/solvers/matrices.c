/* matrices.c - see matrices.h. */
#include "solvers/matrices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* 50000 -> "50,000". */
static const char *with_commas(int64_t value, char text[32]) {
    char digits[32];
    const int count = snprintf(digits, sizeof digits, "%lld", (long long)value);
    int at = 0;
    for (int i = 0; i < count && at < 30; i++) {
        if (i > 0 && (count - i) % 3 == 0) text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

/* Of each matrix: the state, the copy that a diverging run returns to, and those of one iteration
 * at two points. */
static sustain_status check_memory(sustain_solver *b, const sustain__matrices *k) {
    const int64_t m = b->given->upper_dim, n = b->given->lower_dim;
    const double copies = b->common.recover > 0 ? 4 : 3, hessian = (double)n * (double)n, cross = (double)m * (double)n;
    const double bytes = copies * (double)sizeof(sustain_real) * (hessian + cross) + 2 * (double)sizeof(double) * hessian;
    if (bytes <= k->matrix_memory) return SUSTAIN_OK;
    char upper[32], lower[32];
    return sustain__fail(b->context, SUSTAIN_PARAMETER, "%s keeps matrices of %s x %s and %s x %s: %.2g GB, more than matrix_memory = %g",
                         b->algorithm->info.name, with_commas(m, upper), with_commas(n, lower), lower, lower, bytes / 1e9,
                         k->matrix_memory);
}

/* A constant: as given, as the problem knows it, or NAN. */
static double found(double given, const sustain_problem *problem, size_t offset) {
    if (given > 0) return given;
    return problem->known != NULL ? *(const double *)(const void *)((const char *)problem->known + offset) : NAN;
}

sustain_status sustain__matrices_prepare(sustain_solver *b, sustain__matrices *k, bool bounded_cross, const sustain_real *x,
                                         const sustain_real *y) {
    SUSTAIN_TRY(check_memory(b, k));
    sustain__tracked *tracked = &k->tracked;
    tracked->mu_g = found(k->mu_g, b->given, offsetof(sustain_constants, mu_g));
    const double C_gxy = bounded_cross ? found(k->C_gxy, b->given, offsetof(sustain_constants, C_gxy)) : INFINITY;
    /* not estimated: where J = 0 at the start the bound would be 0, and x would never move */
    tracked->C_gxy = isnan(C_gxy) ? INFINITY : C_gxy;
    if (!isnan(tracked->mu_g)) return SUSTAIN_OK;
    sustain_constants constants;
    SUSTAIN_TRY(sustain__look_up_constants(b, x, y, &constants));
    tracked->mu_g = constants.mu_g;
    sustain__log(b->context, "%s: estimated at the start: mu_g = %.3g", b->algorithm->info.name, constants.mu_g);
    return SUSTAIN_OK;
}

void sustain__matrices_layout(sustain_solver *b, sustain__matrices *k) {
    const int64_t m = b->problem->upper_dim, n = b->problem->lower_dim;
    sustain__tracked *tracked = &k->tracked;
    sustain__vector(b, SUSTAIN__STATE, "H", SUSTAIN_FIELD_REAL, n * n, &tracked->H);
    sustain__vector(b, SUSTAIN__STATE, "J", SUSTAIN_FIELD_REAL, m * n, &tracked->J);
    sustain__scalar(b, SUSTAIN__RECORD, "mu_g", SUSTAIN_FIELD_DOUBLE, &tracked->mu_g);
    sustain__scalar(b, SUSTAIN__RECORD, "C_gxy", SUSTAIN_FIELD_DOUBLE, &tracked->C_gxy);
    SUSTAIN__SCRATCH_REALS(b, n * n, &tracked->H_new, &tracked->H_prev);
    SUSTAIN__SCRATCH_REALS(b, m * n, &tracked->J_new, &tracked->J_prev);
    sustain__vector(b, SUSTAIN__SCRATCH, "factor", SUSTAIN_FIELD_DOUBLE, n * n, &tracked->factor);
    sustain__vector(b, SUSTAIN__SCRATCH, "vectors", SUSTAIN_FIELD_DOUBLE, n * n, &tracked->vectors);
    sustain__vector(b, SUSTAIN__SCRATCH, "values", SUSTAIN_FIELD_DOUBLE, n, &tracked->values);
    sustain__vector(b, SUSTAIN__SCRATCH, "row", SUSTAIN_FIELD_DOUBLE, n, &tracked->row);
    SUSTAIN__SCRATCH_REALS(b, m, &k->column);
}

void sustain__matrices_begin(sustain_solver *b, sustain__matrices *k) {
    b->oracle.column = k->column;
    k->tracked.oracle = &b->oracle;
}
