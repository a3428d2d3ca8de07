/* lower_newton.h - the lower level solved to rounding. */
#ifndef SUSTAIN_HYPERGRAD_NEWTON_H
#define SUSTAIN_HYPERGRAD_NEWTON_H

#include "oracle/oracle.h"

/* sustain_lower_solve with an oracle made by the caller. */
sustain_status sustain__lower_solve(sustain__oracle *oracle, const sustain_batch *zeta, const sustain_real *x, double tolerance,
                                    sustain_real *y);
/* The same with at most so many Hessian products. */
sustain_status sustain__lower_solve_within(sustain__oracle *oracle, const sustain_batch *zeta, const sustain_real *x, double tolerance,
                                           int64_t products, sustain_real *y);

#endif
