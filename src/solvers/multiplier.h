/* multiplier.h - the multiplier of the first-order methods, which minimize f + l (g - min g). */
#ifndef SUSTAIN_SOLVERS_MULTIPLIER_H
#define SUSTAIN_SOLVERS_MULTIPLIER_H

#include "solvers/solver_internal.h"

/* The first multiplier: `given`, or for 0 `factor` L_fy / mu_g with the constants known or
 * estimated at (x, y). Not less than 1; not more than L_fy / L_g over the root of the rounding
 * unit: the minimizers of f + l g and of g are apart by about L_fy / (l L_g), and l times their
 * difference is what x moves by. The log reports it. */
sustain_status sustain__first_multiplier(sustain_solver *solver, double given, double factor, const sustain_real *x, const sustain_real *y,
                                         double *out);

/* l_t = l_0 ((w+t)/w)^(p-q): it grows where x slows down faster than y. */
double sustain__multiplier_at(const sustain_solver *solver, double first);

#endif
