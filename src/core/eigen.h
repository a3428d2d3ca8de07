/* eigen.h - all eigenvalues and eigenvectors of a small symmetric matrix. */
#ifndef SUSTAIN_CORE_EIGEN_H
#define SUSTAIN_CORE_EIGEN_H

#include <sustain/status.h>

/* a = V diag(values) V', a (n, n) symmetric, row by row. The k-th column of V, (n, n) row by row,
 * belongs to values[k]; in no particular order. a is overwritten. False where a is not finite: then
 * values and V are undefined. */
bool sustain__eigen(int64_t n, double *a, double *values, double *V);

#endif
