/* vector.h - the vector kernels. Sums are double and in a fixed order; outputs never overlap inputs
 * unless they are the same. */
#ifndef SUSTAIN_CORE_VECTOR_H
#define SUSTAIN_CORE_VECTOR_H

#include <float.h>

#include <sustain/status.h>

/* The relative rounding of a sustain_real. */
static inline double sustain__rounding(void) {
    return sizeof(sustain_real) == sizeof(double) ? DBL_EPSILON : (double)FLT_EPSILON;
}

double sustain__dot(int64_t n, const sustain_real *a, const sustain_real *b);
double sustain__norm(int64_t n, const sustain_real *a);
/* max |a_i|, or NAN if one of them is. */
double sustain__max_abs(int64_t n, const sustain_real *a);
/* |a - b| */
double sustain__distance(int64_t n, const sustain_real *a, const sustain_real *b);
bool sustain__all_finite(int64_t n, const sustain_real *a, int64_t *where);

void sustain__copy(int64_t n, const sustain_real *from, sustain_real *to);
void sustain__zero(int64_t n, sustain_real *a);
void sustain__scale(int64_t n, double factor, sustain_real *a);
/* to += factor * a */
void sustain__add(int64_t n, double factor, const sustain_real *a, sustain_real *to);

/* h <- now + keep (h - before): the recursive momentum of (13), (14) and (20). `before` is not read
 * where keep is 0. */
void sustain__momentum(int64_t n, double keep, const sustain_real *now, const sustain_real *before, sustain_real *h);

/* z_prev <- z, z <- z - step h: one pass for the update of x or y. */
void sustain__move(int64_t n, double step, const sustain_real *h, sustain_real *z, sustain_real *z_prev);

/* Adam: decay of the moments, and what is added to the root of the second. PyTorch's numbers are
 * 0.9, 0.999, 1e-8. */
typedef struct sustain__adam {
    double gamma1, gamma2, epsilon;
} sustain__adam;

/* z_prev <- z, z <- z - step m / (sqrt(v) + epsilon), where m and v are the moments of h, brought
 * up to date here, with their bias taken off; `count` of them with this one, from 1. */
void sustain__adam_move(int64_t n, double step, const sustain__adam *adam, int64_t count, const sustain_real *h, sustain_real *m,
                        sustain_real *v, sustain_real *z, sustain_real *z_prev);

/* Cholesky factor of the symmetric matrix a (n, n), whose lower triangle is read, in place, with
 * its transpose in the upper one; false if a is not positive definite. */
bool sustain__cholesky(int64_t n, double *a);
/* The same in pieces: columns first .. end-1, after those before them. */
bool sustain__cholesky_columns(int64_t n, int64_t first, int64_t end, double *a);
/* b <- (L L')^{-1} b with the factor from above. */
void sustain__cholesky_solve(int64_t n, const double *factor, double *b);

#endif
