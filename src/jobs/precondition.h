/* precondition.h - the curvature of a softmax regression, from its rows: L-BFGS begins with it and
 * needs fewer iterations.
 *
 *   Hessian ~ kappa I (x) E + ridge,    E = mean of (a,1)(a,1)' ~ sum_j value_j u_j u_j' + least (I - sum_j u_j u_j')
 *
 * with the first eigenvectors u_j of E, by subspace iteration on some of the rows, and `least` the
 * smallest of their eigenvalues. Labels do not enter. A few vectors are enough for the long
 * directions; those in which rows hardly differ are better left to be learned late. */
#ifndef SUSTAIN_TASKS_PRECONDITION_H
#define SUSTAIN_TASKS_PRECONDITION_H

#include "problems/rows_internal.h"

enum { SUSTAIN__MOST_EIGENVECTORS = 10 };

typedef struct sustain__precondition {
    sustain__model model; /* the vectors are kept as a model with `width` scores */
    sustain_real *u;      /* orthonormal */
    double value[SUSTAIN__MOST_EIGENVECTORS];
    double kappa, ridge;
} sustain__precondition;

/* What stays allocated. */
double sustain__precondition_bytes(const sustain_rows *rows, bool intercept);

/* For models of these rows with or without an intercept. */
sustain_status sustain__precondition_create(sustain_context *context, const sustain_rows *rows, bool intercept, double kappa, double ridge,
                                            sustain__precondition *out);
void sustain__precondition_free(sustain_context *context, sustain__precondition *p);

/* d <- inverse Hessian times d, for `models` models of `classes` scores each. */
void sustain__precondition_apply(const sustain__precondition *p, int64_t models, int64_t classes, sustain_real *d);

#endif
